/* SPDX-License-Identifier: MIT */
/*
 * Address space: private memory, and files that are mapped to be shared. Sizes are whole pages or
 * are rounded up to them. The functions return 0 or an errno code.
 */
#ifndef OS_MEMORY_H
#define OS_MEMORY_H

#include "core/private_api.h"

#include <stddef.h>
#include <stdint.h>

/* Private zeros; forked children get copies. */
int os_memory_allocate(size_t size_bytes, void **ret_memory);

/* The same for a range of which little will be used: it does not count as memory before that. */
int os_memory_reserve(size_t size_bytes, void **ret_memory);

/* In children of fork, those of clone() itself included, private memory reads as zeros from now
 * on. */
int os_memory_wipe_on_fork(void *memory, size_t size_bytes);

/* A range of a file, shared, readable and writable. Touching what is beyond the file's end, or has
 * no memory (os_file_back), can end the process. */
int os_memory_map(int fd, uint64_t offset, size_t size_bytes, void **ret_memory)
    CORE_PRIVATE_API(os_memory_map);

/* The same from the file's beginning to far beyond its end, for what it will contain later. */
int os_memory_map_ahead(int fd, size_t size_bytes, void **ret_memory);

/* Takes the page faults of a range's first accesses now, also those of writing. Does nothing before
 * Linux 5.14. The range must have memory. */
void os_memory_touch(void *memory, size_t size_bytes);

/* Replaces private memory by a part of a file, read-only, at the same address. */
int os_memory_replace(void *memory, size_t size_bytes, int fd, uint64_t offset);

void os_memory_unmap(void *memory, size_t size_bytes) CORE_PRIVATE_API(os_memory_unmap);

#endif
