/* SPDX-License-Identifier: MIT */
/* Reads the program's memory by the functions of its transport; allocates pages. */
#ifndef TRACEFS_MEMORY_H
#define TRACEFS_MEMORY_H

#include "tracefs/program.h"

/* A text with its NUL. Returns 0; EFAULT; EINVAL it is longer. */
int tracefs_memory_read_text(const struct tracefs_program *program, char *to, size_t size_bytes,
                             uint64_t from);

/* Copies parts of this process's memory, one after another. Returns the number of bytes, at most
 * size_bytes. */
size_t tracefs_memory_copy_parts(uint8_t *to, size_t size_bytes, const struct iovec *parts,
                                 int count);

/* Pages of zeros that are never released; NULL if there are none. */
void *tracefs_memory_take(size_t size_bytes);

#endif
