/* SPDX-License-Identifier: MIT */
/* Writes to the served files. All under the engine's lock. */
#ifndef TRACEFS_CONTROL_H
#define TRACEFS_CONTROL_H

#include "tracefs/file.h"

#include <stddef.h>
#include <sys/uio.h>

/*
 * Executes a program's write, part by part. *size_bytes is the number of bytes, and then of those
 * that were accepted. The list of parts is readable. Returns 0; EFAULT; EINVAL it is malformed, or
 * the file cannot be written to; ENOENT, ENODEV no such event; or as tracefs_dynamic_write.
 */
int tracefs_control_write(const struct tracefs_file *file, const struct iovec *parts, int count,
                          size_t *size_bytes);

/* Empties a file that was opened with O_TRUNC. Returns 0; EBUSY an event is in use. */
int tracefs_control_truncate(const struct tracefs_file *file);

#endif
