/* SPDX-License-Identifier: MIT */
/* Counts of a block's events. */
#include "trace_file/counting.h"

#include <string.h>

int trace_file_counting_add(struct trace_file_counting *counting, struct trace_file_extent *extent,
                            uint32_t process, uint32_t descriptor, uint64_t events)
{
    struct cairn_bytes *counts = &extent->counts;
    uint64_t key = (uint64_t)process << 32 | descriptor;
    uint32_t index = perf_data_map_get(&counting->index_of, key);
    uint64_t sum = 0;
    uint8_t *at;
    int err;

    if (index == PERF_DATA_MAP_NONE) {
        perf_data_bytes_put_u32(counts, process);
        perf_data_bytes_put_u32(counts, descriptor);
        perf_data_bytes_put_u64(counts, 0);
        err = counts->error;
        index = extent->count_entries;
        err = err ? err : perf_data_map_set(&counting->index_of, key, index);
        if (err)
            return err;
        extent->count_entries++;
    }
    at = counts->data + (size_t)index * TRACE_FILE_INDEX_COUNT_BYTES + sizeof(uint64_t);
    memcpy(&sum, at, sizeof(sum));
    sum += events;
    memcpy(at, &sum, sizeof(sum));
    return 0;
}
