/* SPDX-License-Identifier: MIT */
/* Memory of large pages. */
#include "perf_data/large_pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE_BYTES 4096u /* or less than a page: the advice is refused then */

void perf_data_large_prefer(void *memory, size_t size_bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t begin = (uintptr_t)memory & ~(uintptr_t)(PAGE_BYTES - 1);
    uintptr_t end = (uintptr_t)memory + size_bytes;

    (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)size_bytes;
#endif
}

void *perf_data_large_allocate(size_t size_bytes)
{
    size_t rest = size_bytes % PERF_DATA_LARGE_PAGE_BYTES;
    size_t more = rest ? PERF_DATA_LARGE_PAGE_BYTES - rest : 0;
    void *memory = size_bytes > SIZE_MAX - more
                       ? NULL
                       : aligned_alloc(PERF_DATA_LARGE_PAGE_BYTES, size_bytes + more);

    if (memory)
        perf_data_large_prefer(memory, size_bytes + more);
    return memory;
}
