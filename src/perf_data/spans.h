/* SPDX-License-Identifier: MIT */
/*
 * Records of a mapped file that wait to be returned in the order of time. What each CPU, or each
 * thread, wrote is sorted, so a file consists of spans of records in the order of time. Only these
 * are kept, instead of an entry for each record, and merged by a heap.
 */
#ifndef PERF_DATA_SPANS_H
#define PERF_DATA_SPANS_H

#include <cairn/perf_data.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cairn_perf_file;

struct perf_data_piece;
struct perf_data_view;

/* Records that follow one another in the file, none earlier than the one before. */
struct perf_data_span {
    uint64_t time_ns;                    /* of its first record that was not returned */
    uint64_t at;                         /* the offset of that */
    uint64_t end;                        /* of the last one */
    const struct perf_data_piece *piece; /* that had its bytes last, and may have others; or NULL */
};

/* All zeros is an empty one that is not used. */
struct perf_data_spans {
    bool is_used;
    struct perf_data_span *heap; /* the one with the earliest record first */
    size_t heap_count;
    size_t heap_capacity;
    struct perf_data_span *fresh; /* added since the last round, in the order of the file; */
    size_t fresh_count;           /* the last one may grow */
    size_t fresh_capacity;
    uint64_t latest_ns;           /* of the last one */
    uint64_t alone_ns;            /* before this time, the first one's records come next */
    struct perf_data_view *views; /* NULL: not needed yet */
    uint32_t next_view;
    struct perf_data_view *spare_view; /* of the span that ended last; NULL: none */
    uint16_t taken_bytes; /* the size of the first one's first record if it was returned; 0: not */
};

/* Adds a record that was read last. Returns 0; ENOMEM. */
int perf_data_spans_add(struct cairn_perf_file *file, const struct cairn_perf_record *record);

/* Reads the samples that follow the record which was added last, as long as they continue its span.
 * Most do. */
void perf_data_spans_add_following(struct cairn_perf_file *file);

/* Make ready what perf_data_order_end_round and perf_data_order_all do. Return 0; ENOMEM. */
int perf_data_spans_end_round(struct cairn_perf_file *file);
int perf_data_spans_all(struct cairn_perf_file *file);

/* Takes the next ready record, valid until the next call. Returns false if there is none. */
bool perf_data_spans_next(struct cairn_perf_file *file, struct cairn_perf_record *ret_record);

/* Moves all records to the file's `order`, and uses no spans from now on. Returns 0; ENOMEM. */
int perf_data_spans_give_up(struct cairn_perf_file *file);

void perf_data_spans_free(struct perf_data_spans *spans);

#endif
