/* SPDX-License-Identifier: MIT */
/* The reader's state, and its sources: a perf.data, a trace file, and a live session. */
#ifndef DECODE_READER_H
#define DECODE_READER_H

#include "cairn/reader.h"
#include "decode/items.h"
#include "trace_file/reader.h"

/* The decoder's description of an attr. */
struct decode_reader_attr {
    bool is_known;
    uint32_t tracepoint;
    uint32_t has;       /* CAIRN_EVENT_ bits of its samples */
    const char *format; /* the text that it was made from */
};

struct cairn_reader {
    struct cairn_decoder *decoder;
    struct cairn_perf_file *file;      /* or */
    struct cairn_session *session;     /* or */
    struct decode_reader_trace *trace; /* one of the three */
    struct decode_reader_attr *attrs;  /* of the file, by index */
    uint32_t attr_count;
    bool with_comm;
    bool has_event;
    bool has_stopped; /* the session; what is left is read */
    bool is_polled;   /* its events are being returned; EAGAIN follows */
    uint32_t wait_ms;
    int end; /* ENODATA, or the error that ended reading; 0: neither */
    char *name;
    struct cairn_event event;
    struct cairn_items items;
    struct cairn_reader_position position;
    struct cairn_reader_counts counts;
    struct cairn_perf_error error;
};

/* reader.c: copies options of any size into this version's. NULL: zeros. Returns 0, EINVAL, E2BIG.
 */
int decode_reader_copy_options(const struct cairn_reader_options *options,
                               struct cairn_reader_options *ret_options);

/* Creates a reader without a source. Returns 0, ENOMEM. */
int decode_reader_create(const char *name, const struct cairn_reader_options *options,
                         struct cairn_reader **ret_reader);

/* reader_trace.c: the state of a trace file. */
struct decode_reader_trace;

/*
 * Opens what a source has; the source is then the reader's, also on failure. Returns as
 * cairn_reader_open.
 */
int decode_reader_open_trace(const char *name, const struct cairn_reader_options *options,
                             struct perf_data_source *source, struct perf_data_block_pool *pool,
                             struct cairn_perf_error *ret_error, struct cairn_reader **ret_reader);
void decode_reader_close_trace(struct decode_reader_trace *trace);
const struct cairn_perf_error *decode_reader_error_of_trace(const struct cairn_reader *reader);

/* reader_file.c, reader_trace.c, reader_session.c: fill `event`, as cairn_reader_next. */
int decode_reader_next_of_file(struct cairn_reader *reader);
int decode_reader_next_of_trace(struct cairn_reader *reader);
int decode_reader_next_of_session(struct cairn_reader *reader);

/* Update `counts`, except those of events. */
void decode_reader_count_file(struct cairn_reader *reader);
void decode_reader_count_trace(struct cairn_reader *reader);
void decode_reader_count_session(struct cairn_reader *reader);

#endif
