/* SPDX-License-Identifier: MIT */
/* Writes to the served files. All under the engine's lock. */
#ifndef TRACEFS_CONTROL_H
#define TRACEFS_CONTROL_H

#include "tracefs/place.h"
#include "tracefs/program.h"

/* True if a file can be written to: other files return EINVAL for any bytes. */
bool cairn_control_takes_writes(const struct cairn_place *place);

/*
 * Does what a program writes, in the parts that it is written in; *ret_size is the number of bytes
 * that were taken. The list of parts is readable. Returns 0; EFAULT; EINVAL it is malformed;
 * ENOENT, ENODEV no such event; or as cairn_dynamic_write.
 */
int cairn_control_write(const struct cairn_place *place, const struct cairn_program *program,
                        const struct iovec *parts, int count, size_t *ret_size);

/* Opened with O_TRUNC: forgets what was there. Returns 0; EBUSY an event is in use. */
int cairn_control_truncate(const struct cairn_place *place);

#endif
