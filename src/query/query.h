/* SPDX-License-Identifier: MIT */
/* The state of a query, which its tables share. */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include "query/catalog.h"
#include "query/recordings.h"
#include "query/weights.h"

#include <cairn/query.h>
#include <cairn/tracepoint.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>

struct query_table;

struct cairn_query {
    sqlite3 *db;
    sqlite3 *copies; /* rows that are looked up again and again: copy.h; NULL: none yet */
    uint64_t copy_count;
    uint64_t run;     /* increased by each run before which a recording changed */
    bool has_changed; /* a recording did since it was opened */
    struct query_recordings recordings;
    struct query_catalog catalog;
    struct query_table **tables; /* first those of events, owned: of all, and of each name */
    size_t table_count;
    size_t event_table_count;
    struct query_table *derived;      /* owned */
    struct cairn_query_table *listed; /* NULL: cairn_query_tables was not called */
    struct cairn_query_error error;
    struct query_weights weights;
    bool are_numbers_allowed; /* by the statement that runs: numbers.h */
    uint32_t threads;         /* that read events; 1: the one that runs SQLite */
    volatile sig_atomic_t is_interrupted;
};

#endif
