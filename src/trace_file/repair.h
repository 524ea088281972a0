/* SPDX-License-Identifier: MIT */
/* Finds the damaged parts of a trace file, and makes a complete file of the rest. */
#ifndef TRACE_FILE_REPAIR_H
#define TRACE_FILE_REPAIR_H

#include "trace_file/blocks.h"
#include "trace_file/tables.h"
#include "trace_file/writer.h"

/* Bytes that do not belong to a valid block; none if blocks are missing between two others. */
struct trace_file_damage {
    uint64_t offset;
    uint64_t end;
    const char *text;
};

struct trace_file_repair {
    struct trace_file_blocks blocks;
    struct trace_file_tables tables;
    struct cairn_bytes kept;   /* struct trace_file_repair_block: the blocks of the new file */
    struct cairn_bytes counts; /* of all of them, as in the index */
    struct cairn_bytes damage; /* struct trace_file_damage */
    size_t damage_count;
    uint64_t block_count; /* of the kept ones */
    uint64_t events;      /* in them */
    uint64_t undescribed; /* number of them that no reader can decode */
    uint64_t lost;        /* events in the other blocks, as far as the index has their numbers */
    uint64_t unknown;     /* otherwise, places at which blocks are missing */
    uint64_t end;         /* after the last kept block */
    bool is_whole;        /* nothing is to be done */
    bool can_append;      /* the index can be written after the last kept block */
};

/*
 * Reads all of a mapped file. The repair owns the source from then on, also on failure.
 *
 * ret_repair  freed by the caller, also on failure; `blocks.error` has details
 *
 * Returns 0, also if there is damage; EBADMSG not a trace file; EINVAL not a file but a stream;
 * EOPNOTSUPP of a later version or of the other byte order, or a compression that this build lacks;
 * ENOMEM.
 */
int trace_file_repair_examine(struct perf_data_source *source, struct perf_data_block_pool *pool,
                              struct trace_file_repair *ret_repair);

/* Writes the index and the end into the file itself, after the last kept block. If this is
 * interrupted, the file is still one without an end. Returns 0; or the error of ftruncate or write.
 */
int trace_file_repair_append(struct trace_file_repair *repair, int fd);

/* Writes the kept blocks, the losses, the index and the end. Codes as above. */
int trace_file_repair_copy(struct trace_file_repair *repair, int fd);

void trace_file_repair_free(struct trace_file_repair *repair);

#endif
