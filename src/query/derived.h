/* SPDX-License-Identifier: MIT */
/* The tables of what events make together, and of the recordings. */
#ifndef QUERY_DERIVED_H
#define QUERY_DERIVED_H

#include "query/table.h"

/* The table: TABLE(name, kind). Each kind is the struct query_kind query_NAME_kind of a file, and
 * has columns of its own. */
#define QUERY_DERIVED_TABLES(TABLE) \
    TABLE(activities)               \
    TABLE(spans)                    \
    TABLE(thread_state)             \
    TABLE(sched)                    \
    TABLE(processes)                \
    TABLE(threads)                  \
    TABLE(metrics)                  \
    TABLE(losses)                   \
    TABLE(files)

#define QUERY_DERIVED_ONE(name) +1
#define QUERY_DERIVED_COUNT     (0 QUERY_DERIVED_TABLES(QUERY_DERIVED_ONE))

/* The description that a file defines for each of its tables, as query_derived_NAME. */
struct query_derived {
    const struct query_kind *kind;
    const struct query_column *columns;
    unsigned column_count;
    unsigned events_of_row; /* about: for the planner */
    const void *context;
};

#define QUERY_DERIVED_DECLARE(name) extern const struct query_derived query_derived_##name;

QUERY_DERIVED_TABLES(QUERY_DERIVED_DECLARE)

/* number  below QUERY_DERIVED_COUNT */
struct query_table query_derived_table(struct cairn_query *query, size_t number);

#endif
