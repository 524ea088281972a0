/* SPDX-License-Identifier: MIT */
/* Writes to dynamic_events. All under the engine's lock. */
#ifndef TRACEFS_DYNAMIC_H
#define TRACEFS_DYNAMIC_H

#include <stddef.h>
#include <sys/uio.h>

/*
 * Executes lines: each part is a write of its own, as in the kernel. Returns 0, with the number of
 * bytes that were accepted; EFAULT; EINVAL a line that is too long, or has a NUL in it; EMFILE no
 * more events; or as engine_registry_command.
 */
int tracefs_dynamic_write(const struct iovec *parts, int count, size_t *ret_size);

/* Deletes all events, or none: EBUSY. */
int tracefs_dynamic_clear(void);

#endif
