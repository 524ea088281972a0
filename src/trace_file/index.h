/* SPDX-License-Identifier: MIT */
/*
 * The index at the end of a trace file: the position of each block, and what it contains. It is
 * checked as far as possible without the blocks; each block that is read is compared with its
 * entry.
 */
#ifndef TRACE_FILE_INDEX_H
#define TRACE_FILE_INDEX_H

#include "trace_file/blocks.h"

/* The number of a descriptor's events in a block. */
struct trace_file_index_count {
    uint32_t process;
    uint32_t descriptor;
    uint64_t events;
};

struct trace_file_index_entry {
    uint64_t offset; /* of the block's header */
    uint32_t type;
    uint32_t flags;
    uint32_t stored_bytes;
    uint32_t plain_bytes;
    uint64_t first_ns; /* of its events */
    uint64_t last_ns;
    uint32_t events;
    uint32_t count_entries;
    const struct trace_file_index_count *counts;
};

/* All zeros is none. */
struct trace_file_index {
    struct trace_file_index_entry *entries; /* in the order of the blocks */
    uint64_t count;
    struct trace_file_index_count *counts; /* of all entries */
    uint64_t end;                          /* the offset after the last of these blocks */
};

/*
 * Reads the index of a mapped file whose beginning was read; the position does not change.
 *
 * Returns 0; ENODATA there is none: the file was not finished, or is a stream; EBADMSG it is
 * damaged or contradicts itself; ENOMEM; EOPNOTSUPP a compression that this build lacks.
 */
int trace_file_index_read(struct trace_file_blocks *blocks, struct trace_file_index *ret_index);

/*
 * Returns for each entry, and for the end, the time of the earliest event from there on;
 * UINT64_MAX: there is none. To be freed.
 *
 * with_others  also of the kernel's other records than samples; 0: it is unknown
 *
 * Returns NULL if there is no memory.
 */
uint64_t *trace_file_index_later_ns(const struct trace_file_index *index, bool with_others);

void trace_file_index_free(struct trace_file_index *index);

#endif
