/* SPDX-License-Identifier: MIT */
/*
 * Memory of large pages, where the kernel has them: for buffers that are filled to their end. The
 * page faults of small pages would cost more than what is done with the bytes.
 */
#ifndef PERF_DATA_LARGE_PAGES_H
#define PERF_DATA_LARGE_PAGES_H

#include <stddef.h>

#define PERF_DATA_LARGE_PAGE_BYTES ((size_t)2 << 20)

/* Whole large pages, of at least size_bytes > 0 bytes. Returns NULL if there is no memory. Released
 * by free(). */
void *perf_data_large_allocate(size_t size_bytes);

/* Asks for large pages in memory that was allocated otherwise; it is advice. */
void perf_data_large_prefer(void *memory, size_t size_bytes);

#endif
