/* SPDX-License-Identifier: MIT */
/* Memory of blocks that is used again. */
#include "trace_file/spares.h"

#include "perf_data/large_pages.h"

#include <stdlib.h>

/* Smaller memory is left to malloc, which does not map it anew. */
#define LEAST_BYTES ((size_t)64 << 10)

/* From here on a large page costs less than the small ones. */
#define LARGE_FROM_BYTES ((size_t)512 << 10)

/* Larger memory would be held for nothing: few blocks have as much. */
#define MOST_BYTES PERF_DATA_LARGE_PAGE_BYTES

static size_t rounded(size_t size_bytes)
{
    size_t rounded = LEAST_BYTES;

    if (size_bytes <= LEAST_BYTES || size_bytes > MOST_BYTES)
        return size_bytes;
    if (size_bytes > LARGE_FROM_BYTES)
        return MOST_BYTES;
    while (rounded < size_bytes)
        rounded *= 2;
    return rounded;
}

static uint8_t *allocate(size_t size_bytes)
{
    return (uint8_t *)(size_bytes == MOST_BYTES ? perf_data_large_allocate(size_bytes)
                                                : malloc(size_bytes));
}

struct trace_file_memory trace_file_spares_take(struct trace_file_spares *spares, size_t size_bytes)
{
    struct trace_file_memory memory = {.size_bytes = rounded(size_bytes)};

    for (unsigned n = 0; n < TRACE_FILE_SPARE_COUNT && size_bytes > LEAST_BYTES; n++) {
        struct trace_file_memory spare = spares->unused[n];

        if (spare.size_bytes == memory.size_bytes) {
            spares->unused[n] = (struct trace_file_memory){0};
            return spare;
        }
    }
    memory.data = allocate(memory.size_bytes);
    return memory;
}

void trace_file_spares_give(struct trace_file_spares *spares, struct trace_file_memory memory)
{
    for (unsigned n = 0; n < TRACE_FILE_SPARE_COUNT && memory.data; n++) {
        if (memory.size_bytes <= LEAST_BYTES || memory.size_bytes > MOST_BYTES)
            break;
        if (!spares->unused[n].data) {
            spares->unused[n] = memory;
            return;
        }
    }
    free(memory.data);
}

void trace_file_spares_free(struct trace_file_spares *spares)
{
    for (unsigned n = 0; n < TRACE_FILE_SPARE_COUNT; n++)
        free(spares->unused[n].data);
    *spares = (struct trace_file_spares){0};
}
