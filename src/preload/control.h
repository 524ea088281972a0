/* SPDX-License-Identifier: MIT */
/* What is written to the served files. All under the engine's lock. */
#ifndef PRELOAD_CONTROL_H
#define PRELOAD_CONTROL_H

#include "preload/place.h"

#include <stddef.h>

/*
 * Does what is written. Returns 0; EINVAL it makes no sense; ENOENT, ENODEV no such event;
 * EADDRINUSE, EBUSY, E2BIG as cairn_registry_command; EBADF the file is not to be written to.
 */
int cairn_control_write(const struct cairn_place *place, const char *text, size_t size_bytes);

/* Opened with O_TRUNC: forgets what was there. Returns 0; EBUSY an event is in use. */
int cairn_control_truncate(const struct cairn_place *place);

/* Does what stands in a file that was written to behind our back, and empties it. */
void cairn_control_finish(const struct cairn_place *place, int fd);

#endif
