/* SPDX-License-Identifier: MIT */
/*
 * Tables: what SQLite's virtual tables (vtab.c) need to know of each kind. A kind has columns, and
 * scans, which return rows one by one.
 */
#ifndef QUERY_TABLE_H
#define QUERY_TABLE_H

#include "export/number.h"
#include "query/query.h"

struct query_number_array;

/* A value of a column. */
struct query_cell {
    enum cairn_query_kind kind;
    bool lasts; /* the text is valid as long as the query */
    int64_t integer;
    double real;
    const char *text; /* valid until the next cell or row */
    size_t size_bytes;
    const struct query_number_array *numbers; /* of many rows, instead; kind is NULL. NULL: none */
};

struct query_column {
    const char *name;
    const char *type; /* "INTEGER", "REAL", "TEXT", or "" */
    bool is_hidden;   /* it is not in SELECT * */
    bool is_pushed;   /* a scan makes use of conditions on it */
};

enum query_compare {
    QUERY_EQUAL,
    QUERY_GREATER,
    QUERY_GREATER_EQUAL,
    QUERY_LESS,
    QUERY_LESS_EQUAL,
    QUERY_IN, /* `value` is a list, for sqlite3_vtab_in_first */
};

/* A condition that all rows that are wanted meet. SQLite checks it again: a scan may ignore it. */
struct query_condition {
    unsigned column;
    enum query_compare compare;
    struct sqlite3_value *value;
};

struct query_request {
    uint64_t used; /* columns, as in sqlite3_index_info.colUsed */
    const struct query_condition *conditions;
    unsigned condition_count;
    uint32_t order;        /* of rows that need no reading; otherwise 0: see below */
    bool may_have_numbers; /* a row may stand for many, with the numbers of its columns */
};

/* Orders: columns in the order of importance, from the lowest bits on, by one byte each. */
#define QUERY_ORDER_COLUMNS    2u
#define QUERY_ORDER_BITS       8u
#define QUERY_ORDER_DESCENDING 0x80u /* else the column's number plus 1 */

/* The condition that rows of other values are not wanted: one for each name is enough. */
#define QUERY_ORDER_DISTINCT (UINT32_C(1) << 30)

static inline bool query_is_used(uint64_t used, unsigned column)
{
    return used >> (column < 63 ? column : 63) & 1;
}

struct query_table;

/* Rows that are from a time to a time: those with the same key mostly do not overlap. */
struct query_interval {
    bool is_set;
    unsigned key; /* columns */
    unsigned start;
    unsigned stop;
};

struct query_kind {
    struct query_interval interval;

    /* True if the columns, as in colUsed, need no reading. Scans of such rows are in any order that
     * is asked for. NULL: none. */
    bool (*needs_no_reading)(const struct query_table *table, uint64_t used);

    /*
     * Scans. begin returns 0, ENOMEM, or the error of opening; next: 0, ENODATA, ECANCELED, ENOMEM.
     * cell sets a value that begins as NULL; it is called for columns that are used.
     */
    int (*begin)(const struct query_table *table, const struct query_request *request,
                 void **ret_scan);
    int (*next)(void *scan);
    void (*cell)(void *scan, unsigned column, struct query_cell *cell);
    void (*end)(void *scan);
};

struct query_table {
    const char *name;
    const struct query_kind *kind;
    struct cairn_query *query;
    const struct query_column *columns;
    unsigned column_count;
    uint64_t rows;       /* about; at least 1 */
    const void *context; /* of the kind */
};

/* ---- cells ---- */

/* The id of a process or a thread. */
static inline void query_cell_task(struct query_cell *cell, uint32_t id)
{
    cell->kind = CAIRN_QUERY_INTEGER;
    cell->integer = export_task_number(id);
}

static inline void query_cell_integer(struct query_cell *cell, uint64_t value)
{
    /* A number that exceeds SQLite's integers becomes a real number, so that it is compared
     * rightly. */
    if (cairn_likely(value <= INT64_MAX)) {
        cell->kind = CAIRN_QUERY_INTEGER;
        cell->integer = (int64_t)value;
    } else {
        cell->kind = CAIRN_QUERY_REAL;
        cell->real = (double)value;
    }
}

static inline void query_cell_text(struct query_cell *cell, const char *text, size_t size_bytes,
                                   bool lasts)
{
    cell->kind = CAIRN_QUERY_TEXT;
    cell->text = text;
    cell->size_bytes = size_bytes;
    cell->lasts = lasts;
}

/* NULL: the cell stays as it is. */
static inline void query_cell_string(struct query_cell *cell, const char *text, bool lasts)
{
    if (text)
        query_cell_text(cell, text, strlen(text), lasts);
}

/* vtab.c: makes a table known to SQLite. Returns 0, ENOMEM. */
int query_vtab_register(const struct query_table *table);

/* "CREATE TABLE ..."; the caller frees it with sqlite3_free. NULL: no memory. */
char *query_table_schema(const struct query_table *table);

#endif
