/* SPDX-License-Identifier: MIT */
/*
 * Blocks that are kept in memory instead of being written: the latest ones with events, and all
 * tables, since any event may refer to them. A file of them can be written at any time.
 */
#ifndef TRACE_FILE_KEPT_H
#define TRACE_FILE_KEPT_H

#include "trace_file/writer.h"

struct trace_file_kept_block;

/* A queue, the earliest block first. */
struct trace_file_kept_queue {
    struct trace_file_kept_block *first;
    struct trace_file_kept_block *last;
    uint64_t bytes;
};

struct trace_file_kept {
    uint64_t limit_bytes; /* of blocks with events; 0: any */
    uint64_t limit_ns;    /* age of their latest event; 0: any */
    struct trace_file_kept_queue tables;
    struct trace_file_kept_queue events;
    uint64_t forgotten; /* events of blocks that are not kept any more */
};

/* Keeps a copy of a block, and forgets old ones. extent: as for trace_file_writer_block. Returns 0;
 * ENOMEM, and nothing has changed. */
int trace_file_kept_add(struct trace_file_kept *kept, const struct trace_file_stored *stored,
                        const struct trace_file_extent *extent);

/* Forgets the blocks whose events are all too old at a time of their clock, in ns. */
void trace_file_kept_expire(struct trace_file_kept *kept, uint64_t now_ns);

/* Returns the number of events that are kept. */
uint64_t trace_file_kept_events(const struct trace_file_kept *kept);

/* Writes a complete file of what is kept, which stays. Returns 0, or the error of writing. */
int trace_file_kept_write(const struct trace_file_kept *kept, int fd);

void trace_file_kept_free(struct trace_file_kept *kept);

#endif
