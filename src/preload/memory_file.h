/* SPDX-License-Identifier: MIT */
/*
 * Memory files, which descriptors of ours are of: the name of each says what stands there, and how
 * it was opened, to a program that inherits it.
 */
#ifndef PRELOAD_MEMORY_FILE_H
#define PRELOAD_MEMORY_FILE_H

#include "preload/place_path.h"

#include <sys/stat.h>

/* Makes an empty one; `flags` as for open. Returns a descriptor, or -1 with errno set. */
int preload_memory_file_make(const struct tracefs_place *place, int flags);

/* Parses the name of a memory file in a link's text; *ret_flags are O_ACCMODE and O_APPEND of open.
 * False: another file. */
bool preload_memory_file_parse(const char *name, struct tracefs_place *ret_place, int *ret_flags);

/* True if a file is in the file system of memory files. */
bool preload_memory_file_may_be(const struct stat *st);

#endif
