/* SPDX-License-Identifier: MIT */
/* What is written to the served files. All under the engine's lock. */
#ifndef PRELOAD_CONTROL_H
#define PRELOAD_CONTROL_H

#include "preload/place.h"

#include <stddef.h>
#include <sys/uio.h>

/* Whether anything can be written at a place: other files say EINVAL, whatever it is. */
bool cairn_control_takes_writes(const struct cairn_place *place);

/*
 * Does what is written, in the parts that it is written in, and tells how many bytes were taken.
 * The list of parts must be there. Returns 0; EFAULT; EINVAL it makes no sense; ENOENT,
 * ENODEV no such event; or as cairn_dynamic_write.
 */
int cairn_control_write(const struct cairn_place *place, const struct iovec *parts, int count,
                        size_t *ret_size);

/* Opened with O_TRUNC: forgets what was there. Returns 0; EBUSY an event is in use. */
int cairn_control_truncate(const struct cairn_place *place);

/* Does what stands in a file that was written to behind our back, and empties it. Returns 0, or as
 * cairn_control_write. */
int cairn_control_finish(const struct cairn_place *place, int fd);

#endif
