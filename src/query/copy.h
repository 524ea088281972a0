/* SPDX-License-Identifier: MIT */
/* Copies of the rows of tables: in SQLite's tables with an index, in a temporary database, which is
 * in memory as far as its cache has space. */
#ifndef QUERY_COPY_H
#define QUERY_COPY_H

#include "query/table.h"

/* The rows of a table, with some columns. */
struct query_copy {
    struct query_copy *next;
    char *plan;     /* of vtab.c */
    uint64_t run;   /* of the query, when this was made */
    unsigned scans; /* that were asked for with this plan */
    bool is_complete;
    uint64_t number;  /* in its name */
    uint64_t used;    /* columns */
    int interval_end; /* the condition that limits where intervals begin: rows are in the order of
                         time, and none after the first beyond it is wanted; -1: there is none */
    unsigned interval_start; /* columns */
    unsigned interval_stop;
    int64_t disorder_ns; /* an interval may begin earlier by this than one that stops before it */
    sqlite3_stmt *idle;  /* a lookup that is not in use; NULL: none */
    char *lookup;        /* SQL, which conditions in the order of the plan are the parameters of */
    int16_t *column_of;  /* the copy's columns, by the table's; -1: none */
    unsigned column_count;
};

/* The copies of a table. Zeros: none. */
struct query_copies {
    struct query_copy *first;
};

/*
 * Finds the copy for a plan. Makes it if this is not the first scan with that plan, and it has an
 * equality.
 *
 * ret_copy  NULL: there is none, scan the table
 *
 * Returns 0; ENOMEM; ECANCELED; or the error of a scan.
 */
int query_copies_find(struct query_copies *copies, const struct query_table *table,
                      const char *plan, const struct query_request *request,
                      struct query_copy **ret_copy);

/* The rows that are found. */
struct query_lookup {
    struct query_copy *copy; /* NULL: none */
    sqlite3_stmt *rows;
    int64_t start_max; /* of an interval */
};

/* ret_lookup  ended by the caller, before another one may begin. Returns 0, ENOMEM. */
int query_lookup_begin(struct query_copy *copy, const struct cairn_query *query,
                       const struct query_request *request, struct query_lookup *ret_lookup);

/* Returns 0; ENODATA; ENOMEM. */
int query_lookup_next(struct query_lookup *lookup);

/* Accepts zeros. */
void query_lookup_end(struct query_lookup *lookup);

/* The number of a column in the rows; -1: the copy lacks it. */
int query_copy_column(const struct query_copy *copy, unsigned column);

void query_copies_free(struct query_copies *copies, struct cairn_query *query);

#endif
