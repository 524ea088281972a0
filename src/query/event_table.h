/* SPDX-License-Identifier: MIT */
/* A table of events: which of its columns is what. */
#ifndef QUERY_EVENT_TABLE_H
#define QUERY_EVENT_TABLE_H

#include "query/columns.h"
#include "query/table.h"

struct query_event_table {
    struct query_table table;         /* first, so that it can be converted to this */
    const struct query_event *event;  /* NULL: all events */
    struct query_column *own_columns; /* NULL: those of `events` */
    int16_t source[]; /* by column: enum query_event_column, or the field n of the event as ~n */
};

extern const struct query_kind query_events_kind;

#endif
