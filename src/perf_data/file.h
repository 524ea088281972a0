/* SPDX-License-Identifier: MIT */
/* The reader's state, and the functions that its files share. */
#ifndef PERF_DATA_FILE_H
#define PERF_DATA_FILE_H

#include "cairn/perf_data.h"
#include "core/cursor.h"
#include "core/load.h"
#include "perf_data/disk.h"
#include "perf_data/arena.h"
#include "perf_data/map.h"
#include "perf_data/order.h"
#include "perf_data/sample_layout.h"
#include "perf_data/source.h"
#include "perf_data/spans.h"
#include "perf_data/unpack.h"

#include <string.h>

#define CAIRN_COMM_BYTES 16u

struct perf_data_attr {
    struct cairn_perf_attr public; /* first: a pointer to it is one to this */
    struct perf_data_sample_layout layout;
};

struct perf_data_format {
    struct cairn_perf_format public;
    struct cairn_slice name;
    uint32_t next; /* the next format of the same id, or PERF_DATA_MAP_NONE */
};

struct perf_data_feature {
    const uint8_t *data;
    size_t size_bytes;
    uint64_t offset; /* in the file */
};

/* The kernel numbers events one after the other, so those that occur together seldom share a place.
 */
#define PERF_DATA_RECENT_IDS 256u

struct perf_data_recent_id {
    uint64_t id;
    struct perf_data_attr *attr; /* NULL: an empty place */
};

struct cairn_perf_file {
    struct perf_data_source source;
    struct perf_data_block_pool blocks;
    struct perf_data_arena arena;
    struct cairn_perf_error error;
    bool swap;
    bool is_pipe;
    bool stopped;  /* nothing more can be read */
    bool cut;      /* the data is longer than the file */
    bool was_kept; /* reading the stream of a truncated file */

    struct perf_data_attr **attrs;
    uint32_t attr_count;
    struct perf_data_map attr_of_id;
    struct perf_data_sample_layout
        shared; /* only id_at, tail_id, time_at: that of all attrs, or 0 */
    struct perf_data_recent_id recent_ids[PERF_DATA_RECENT_IDS];

    struct perf_data_format **formats;
    uint32_t format_count;
    struct perf_data_map format_of_id; /* the first of each id */
    bool has_tracing_data;
    bool tracing_swap;    /* the tracing data have the opposite byte order */
    uint64_t tracing_end; /* their size, as far as they were read */

    struct perf_data_feature features[CAIRN_PERF_FEATURE_COUNT];
    struct cairn_perf_tracing tracing;
    struct cairn_perf_host host;
    struct cairn_perf_clock clock;
    struct cairn_perf_counts counts;
    struct cairn_perf_missing missing;

    char (*comms)[CAIRN_COMM_BYTES];
    uint32_t comm_count;
    struct perf_data_map comm_of_tid;

    struct perf_data_unpack unpack;
    struct perf_data_order order;
    struct perf_data_spans spans;
    struct perf_data_block *held; /* for the record that was returned last, or NULL */
    size_t relief;                /* limit of blocks in use; 0: BLOCKS_MAX */
    uint64_t handed_out_ns;       /* the time of that record */
};

/* open.c */

/* Records an error, unless there was one before. Returns code. */
int perf_data_file_fail(struct cairn_perf_file *file, int code, uint64_t offset, const char *text);

/* Opens memory as if it were a file; it must live until close. For tests. */
int perf_data_file_open_memory(const void *data, size_t size_bytes,
                               struct cairn_perf_error *ret_error,
                               struct cairn_perf_file **ret_file);

/* header.c: reads header, attrs and features; the source is then at the data. */
int perf_data_file_read_header(struct cairn_perf_file *file);

/* attrs.c */

/*
 * Adds an attr of size_bytes bytes with ids, both in the file's byte order. An id that already
 * belongs to another attr is not changed. Returns 0; EBADMSG too small; ENOMEM.
 */
int perf_data_attr_add(struct cairn_perf_file *file, const uint8_t *attr, size_t size_bytes,
                       const uint8_t *ids, size_t id_count);

/* Returns the attr of an id, or NULL. */
struct perf_data_attr *perf_data_attr_of_id(struct cairn_perf_file *file, uint64_t id);

/* Sets the name of an attr, and its system if it is a tracepoint. Returns 0; ENOMEM. */
int perf_data_attr_set_name(struct cairn_perf_file *file, struct perf_data_attr *attr,
                            const char *name, size_t length);

/* The attr of a record, or NULL. */
struct perf_data_attr *perf_data_attr_of_record(struct cairn_perf_file *file, uint32_t type,
                                                const uint8_t *data, size_t size_bytes);

/* features.c */

/* Reads the features after the data of a file. Damage is recorded, not returned. */
int perf_data_features_read(struct cairn_perf_file *file, const uint64_t flags[4], uint64_t table);

/* Applies one feature. Returns 0; EBADMSG; ENOMEM. */
int perf_data_feature_apply(struct cairn_perf_file *file, uint64_t number,
                            const struct perf_data_feature *feature);

/* tracing_data.c */

/* Reads tracing data; only the first of a file is used. Returns 0; EBADMSG; ENOMEM. */
int perf_data_tracing_data_read(struct cairn_perf_file *file, const struct perf_data_feature *blob);

/* Sets the format of a tracepoint's attr, and its name if it has none. Returns 0; ENOMEM. */
int perf_data_format_link(struct cairn_perf_file *file, struct perf_data_attr *attr);

/*
 * metadata.c: applies a tool's record, and takes the data after it. Damage in it is recorded.
 * Returns 0; or an error that ends reading: ENOMEM, or as perf_data_source_peek.
 */
int perf_data_metadata_apply(struct cairn_perf_file *file, const struct cairn_perf_record *record);

/* missing.c: parses such a record after its magic. Returns 0; EBADMSG. */
int perf_data_missing_read(struct cairn_perf_file *file, struct core_cursor c);

/* comms.c */

/* Applies a COMM or FORK record. Returns 0; ENOMEM. */
int perf_data_comm_apply(struct cairn_perf_file *file, const struct cairn_perf_record *record);

/* Applies the lines "PID COMM" of tracing data. Returns 0; ENOMEM. */
int perf_data_comm_read_cmdlines(struct cairn_perf_file *file, struct cairn_slice lines);

/* records.c */

/* Fills a record from its bytes. */
void perf_data_record_fill(struct cairn_perf_file *file, const uint8_t *data, uint64_t offset,
                           struct cairn_perf_record *ret_record);

/* The same for a record that waited: its time and its attr are known. */
void perf_data_record_refill(const struct cairn_perf_file *file,
                             const struct perf_data_order_entry *entry, uint64_t offset,
                             struct cairn_perf_record *ret_record);

/* Counts a record that is returned, and updates thread names. Returns 0; ENOMEM. */
int perf_data_record_hand_out(struct cairn_perf_file *file, const struct cairn_perf_record *record);

/* Releases the record that was returned last. */
static inline void perf_data_record_release(struct cairn_perf_file *file)
{
    perf_data_block_release(&file->blocks, file->held);
    file->held = NULL;
}

/*
 * Holds the block of a record until the next record is returned; releases the block that was held
 * before.
 */
static inline void perf_data_record_hold(struct cairn_perf_file *file, const uint8_t *data)
{
    struct perf_data_block *before = file->held;

    file->held = perf_data_source_hold(&file->source, data);
    perf_data_block_release(&file->blocks, before);
}

/*
 * Reads the next record in the file's order, applies metadata, does not count it. Returns as
 * cairn_perf_file_next.
 */
int perf_data_record_next(struct cairn_perf_file *file, struct cairn_perf_record *ret_record);

#endif
