/* SPDX-License-Identifier: MIT */
/* Counts of a block's events by process and descriptor, for the index. */
#ifndef TRACE_FILE_COUNTING_H
#define TRACE_FILE_COUNTING_H

#include "perf_data/map.h"
#include "trace_file/writer.h"

/* Positions of the counts of a block. All zeros: it has none yet. */
struct trace_file_counting {
    struct perf_data_map index_of; /* maps process and descriptor to an index in the counts */
};

/* Adds to a count of the block. Returns 0; ENOMEM. */
int trace_file_counting_add(struct trace_file_counting *counting, struct trace_file_extent *extent,
                            uint32_t process, uint32_t descriptor, uint64_t events);

static inline void trace_file_counting_free(struct trace_file_counting *counting)
{
    perf_data_map_free(&counting->index_of);
    *counting = (struct trace_file_counting){0};
}

#endif
