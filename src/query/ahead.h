/* SPDX-License-Identifier: MIT */
/*
 * Rows that threads make ahead of the one that runs SQLite: they read and decode the events of a
 * stream, and keep the cells of the columns that are used. Rows come in the order of the events.
 */
#ifndef QUERY_AHEAD_H
#define QUERY_AHEAD_H

#include "query/stream.h"
#include "query/table.h"

/* The functions that make rows. Each thread has a worker of its own. */
struct query_ahead_calls {
    void *context;
    int (*begin)(void *context, void **ret_worker);
    /* Sets *ret_is_row if an event is one. Returns 0, ENOMEM. */
    int (*event)(void *worker, const struct cairn_event *event, size_t source, bool *ret_is_row);
    void (*cell)(void *worker, unsigned column, struct query_cell *cell); /* of that row */
    void (*end)(void *worker);
};

struct query_ahead;

/*
 * stream   nothing was read from it; it is not used otherwise until query_ahead_end
 * request  its `used` columns, of column_count, are kept; if it may have numbers, these: a row has
 *          those of many events
 *
 * Returns 0; ENOMEM; or the error of creating a thread.
 */
int query_ahead_begin(struct query_stream *stream, uint32_t threads,
                      const struct query_ahead_calls *calls, const struct query_request *request,
                      unsigned column_count, struct query_ahead **ret_ahead);

/* Goes to the next row. Returns 0; ENODATA the end; ECANCELED; ENOMEM. */
int query_ahead_next(struct query_ahead *ahead);

/* Sets a cell of the row; its text is valid until the next call of query_ahead_next. */
void query_ahead_cell(const struct query_ahead *ahead, unsigned column, struct query_cell *cell);

/* The events that the row stands for. */
uint64_t query_ahead_events(const struct query_ahead *ahead);

/* Ends the threads. Accepts NULL. */
void query_ahead_end(struct query_ahead *ahead);

#endif
