/* SPDX-License-Identifier: MIT */
/* The events of all recordings of a query, in the order of time. */
#ifndef QUERY_STREAM_H
#define QUERY_STREAM_H

#include "decode/reader.h"
#include "query/query.h"

struct query_stream {
    struct cairn_query *query;
    struct cairn_reader **readers; /* one for each recording that could be opened */
    size_t *indexes;               /* which recordings these are */
    size_t count;
    struct cairn_reader *reader;     /* of all */
    const struct cairn_event *event; /* the last one */
};

/* Parts that events have. */
enum query_stream_with {
    QUERY_STREAM_COMM = 1,     /* the names of threads */
    QUERY_STREAM_SWITCHES = 2, /* and the kernel's records of switches are events, too */
};

/*
 * range         NULL: all. Events outside of it may be returned, too
 * with          enum query_stream_with, any of them
 * ret_stream    closed by the caller
 *
 * Recordings that cannot be opened are noted, and have no events. Returns 0, ENOMEM.
 */
int query_stream_open(struct cairn_query *query, const struct query_range *range, unsigned with,
                      struct query_stream *ret_stream);

/*
 * Leaves out events of types that are not wanted, where that saves work. Call it before the first
 * event is read; `wants` may be called by several threads. Returns 0; ENOMEM; EOPNOTSUPP.
 */
int query_stream_choose(struct query_stream *stream, decode_reader_wants_fn *wants, void *context);

/* Reads the next event. Returns 0; ENODATA the end; ECANCELED; ENOMEM. */
int query_stream_next(struct query_stream *stream);

/* Accepts zeros. */
void query_stream_close(struct query_stream *stream);

/* The path of a recording, by the number that cairn_reader_source returns for its events. */
const char *query_stream_path(const struct query_stream *stream, size_t source);

#endif
