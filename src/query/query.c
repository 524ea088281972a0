/* SPDX-License-Identifier: MIT */
/* The public interface: opens recordings, runs SQL. */
#include "query/query.h"

#include "core/options.h"
#include "query/derived.h"
#include "query/events.h"
#include "query/functions.h"
#include "query/numbers.h"
#include "query/table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- opening ---- */

/* Adds a table, which the query then owns if it is of an event. Returns 0, ENOMEM. */
static int add_table(struct cairn_query *query, struct query_table *table)
{
    void *bigger =
        realloc((void *)query->tables, (query->table_count + 1) * sizeof(*query->tables));

    if (!bigger)
        return ENOMEM;
    query->tables = (struct query_table **)bigger;
    query->tables[query->table_count++] = table;
    return query_vtab_register(table);
}

static int add_event_table(struct cairn_query *query, const struct query_event *event)
{
    struct query_table *table;
    int err = query_event_table_create(query, event, &table);

    if (!err && (err = add_table(query, table)) && query->tables[query->table_count - 1] != table)
        query_event_table_destroy(table);
    return err;
}

static int add_tables(struct cairn_query *query)
{
    int err;

    query->derived = (struct query_table *)calloc(QUERY_DERIVED_COUNT, sizeof(*query->derived));
    err = query->derived ? add_event_table(query, NULL) : ENOMEM;
    query->event_table_count = 1;
    for (size_t n = 0; n < query->catalog.count && !err; n++) {
        err = add_event_table(query, query->catalog.events[n]);
        query->event_table_count++;
    }
    for (size_t n = 0; n < QUERY_DERIVED_COUNT && !err; n++) {
        query->derived[n] = query_derived_table(query, n);
        err = add_table(query, &query->derived[n]);
    }
    return err;
}

/* The recordings are not part of the database, and SQLite writes temporary files only. */
static int open_database(struct cairn_query *query)
{
    int err =
        sqlite3_open_v2(":memory:", &query->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);

    if (!err)
        err = sqlite3_exec(query->db, "PRAGMA temp_store = FILE; PRAGMA cache_size = -32768;", NULL,
                           NULL, NULL);
    /* A column that no event has is an error, and not a text in double quotes. */
    if (!err)
        err = sqlite3_db_config(query->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    if (err)
        return ENOMEM;
    err = query_functions_register(query->db);
    return err ? err : query_weights_register(query->db, &query->weights);
}

static int open_all(struct cairn_query *query, const struct cairn_query_options *options)
{
    int err = query_recordings_open(&query->recordings, options->paths, options->path_count,
                                    &query->error);

    if (!err)
        err = open_database(query);
    if (!err)
        err = query_catalog_fill(&query->catalog, &query->recordings, &query->error);
    if (!err)
        err = add_tables(query);
    return err;
}

int cairn_query_open(const struct cairn_query_options *options, struct cairn_query_error *ret_error,
                     struct cairn_query **ret_query)
{
    struct cairn_query_options own = CAIRN_QUERY_OPTIONS_INIT;
    struct cairn_query *query;
    int err = core_options_copy(
        options, CORE_OPTIONS_BYTES_TO(struct cairn_query_options, path_count), sizeof(own), &own);

    if (err)
        return err;
    if (!own.path_count)
        return EINVAL;
    query = (struct cairn_query *)calloc(1, sizeof(*query));
    if (!query)
        return ENOMEM;
    query->threads = own.threads;
    err = open_all(query, &own);
    if (err) {
        query->error.code = err;
        if (ret_error)
            *ret_error = query->error;
        cairn_query_close(query);
        return err;
    }
    *ret_query = query;
    return 0;
}

static void free_listed(struct cairn_query *query)
{
    for (size_t n = 0; query->listed && n < query->table_count; n++)
        sqlite3_free((void *)query->listed[n].schema);
    free(query->listed);
}

void cairn_query_close(struct cairn_query *query)
{
    if (!query)
        return;
    free_listed(query);
    sqlite3_close(query->db); /* disconnects the tables */
    sqlite3_close(query->copies);
    for (size_t n = 0; n < query->table_count && n < query->event_table_count; n++)
        query_event_table_destroy(query->tables[n]);
    free((void *)query->tables);
    free(query->derived);
    query_catalog_free(&query->catalog);
    query_recordings_close(&query->recordings);
    free(query);
}

/* ---- running ---- */

/* The parts of a run that all statements share. */
struct query_run {
    struct cairn_query *query;
    const char *sql;
    cairn_query_row_fn *row;
    void *context;
};

static int fail(const struct query_run *run, const char *statement, int code)
{
    struct cairn_query_error *error = &run->query->error;
    int offset = sqlite3_error_offset(run->query->db);

    *error = (struct cairn_query_error){
        .code = code == SQLITE_NOMEM       ? ENOMEM
                : code == SQLITE_INTERRUPT ? ECANCELED
                                           : EINVAL,
        .is_of_sql = true,
        .statement = (size_t)(statement - run->sql),
        .position = offset < 0 ? SIZE_MAX : (size_t)(statement - run->sql) + (size_t)offset,
    };
    (void)snprintf(error->text, sizeof(error->text), "%s", sqlite3_errmsg(run->query->db));
    return error->code;
}

static struct cairn_query_value value_of(sqlite3_stmt *statement, int column)
{
    struct cairn_query_value value = {.kind = CAIRN_QUERY_NULL};

    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        value.kind = CAIRN_QUERY_INTEGER;
        value.integer = sqlite3_column_int64(statement, column);
        break;
    case SQLITE_FLOAT:
        value.kind = CAIRN_QUERY_REAL;
        value.real = sqlite3_column_double(statement, column);
        break;
    case SQLITE_TEXT:
        value.kind = CAIRN_QUERY_TEXT;
        value.text = (const char *)sqlite3_column_text(statement, column);
        break;
    case SQLITE_BLOB:
        value.kind = CAIRN_QUERY_BLOB;
        value.text = (const char *)sqlite3_column_blob(statement, column);
        break;
    default:
        break;
    }
    if (value.text)
        value.size_bytes = (size_t)sqlite3_column_bytes(statement, column);
    return value;
}

static int pass_rows(const struct query_run *run, sqlite3_stmt *statement, const char *begin,
                     const char **names, struct cairn_query_value *values)
{
    struct cairn_query_row row = {.names = names, .count = (size_t)sqlite3_column_count(statement)};
    int err = 0;
    int code;

    for (size_t n = 0; n < row.count; n++) {
        names[n] = sqlite3_column_name(statement, (int)n);
        if (!names[n])
            return ENOMEM;
    }
    if (row.count && run->row)
        err = run->row(run->context, &row);
    row.values = values;
    while (!err && (code = sqlite3_step(statement)) != SQLITE_DONE) {
        if (code != SQLITE_ROW)
            return fail(run, begin, code);
        for (size_t n = 0; n < row.count; n++)
            values[n] = value_of(statement, (int)n);
        if (run->row)
            err = run->row(run->context, &row);
    }
    return err;
}

static int run_statement(const struct query_run *run, sqlite3_stmt *statement, const char *begin)
{
    size_t count = (size_t)sqlite3_column_count(statement) + 1;
    const char **names = (const char **)calloc(count, sizeof(*names));
    struct cairn_query_value *values = (struct cairn_query_value *)calloc(count, sizeof(*values));
    int err = ENOMEM;

    run->query->weights.are_allowed = query_weights_fit(run->query->db, statement);
    run->query->are_numbers_allowed = query_numbers_fit(run->query->db, statement);
    if (names && values)
        err = pass_rows(run, statement, begin, names, values);
    run->query->weights.weight = 1; /* it may have ended before its scan */

    free((void *)names);
    free(values);
    return err;
}

/* Copies that a run before made are of no use if the recordings have changed. */
static void note_changes(struct cairn_query *query)
{
    if (!query_recordings_have_changed(&query->recordings))
        return;
    query->has_changed = true;
    query->run++;
}

int cairn_query_run(struct cairn_query *query, const char *sql, cairn_query_row_fn *row,
                    void *context)
{
    const struct query_run run = {query, sql, row, context};
    int err = 0;

    query->error = (struct cairn_query_error){0};
    query->is_interrupted = 0;
    note_changes(query);
    while (*sql && !err) {
        sqlite3_stmt *statement;
        const char *rest;
        int code = sqlite3_prepare_v2(query->db, sql, -1, &statement, &rest);

        if (code)
            return fail(&run, sql, code);
        if (statement) /* otherwise white space or a comment */
            err = run_statement(&run, statement, sql);
        sqlite3_finalize(statement);
        sql = rest;
    }
    return err;
}

const struct cairn_query_error *cairn_query_error(const struct cairn_query *query)
{
    return &query->error;
}

void cairn_query_interrupt(struct cairn_query *query)
{
    query->is_interrupted = 1;
    sqlite3_interrupt(query->db);
}

/* ---- what there is ---- */

static bool is_of_one_event(const struct cairn_query *query, size_t table)
{
    return table > 0 && table < query->event_table_count;
}

/* In the order in which people look for them: of all recordings first. */
static int compare(const void *a, const void *b)
{
    const struct cairn_query_table *x = (const struct cairn_query_table *)a;
    const struct cairn_query_table *y = (const struct cairn_query_table *)b;

    return x->is_event != y->is_event ? x->is_event - y->is_event : strcmp(x->name, y->name);
}

int cairn_query_tables(struct cairn_query *query, const struct cairn_query_table **ret_tables,
                       size_t *ret_count)
{
    struct cairn_query_table *listed = query->listed;

    if (!listed) {
        listed = (struct cairn_query_table *)calloc(query->table_count, sizeof(*listed));
        if (!listed)
            return ENOMEM;
        query->listed = listed;
        for (size_t n = 0; n < query->table_count; n++) {
            listed[n].name = query->tables[n]->name;
            listed[n].schema = query_table_schema(query->tables[n]);
            listed[n].is_event = is_of_one_event(query, n);
            listed[n].events = listed[n].is_event ? query->catalog.events[n - 1]->events : 0;
            if (!listed[n].schema) {
                free_listed(query);
                query->listed = NULL;
                return ENOMEM;
            }
        }
        qsort(listed, query->table_count, sizeof(*listed), compare);
    }
    *ret_tables = listed;
    *ret_count = query->table_count;
    return 0;
}

size_t cairn_query_file_count(const struct cairn_query *query)
{
    return query->recordings.count;
}

const struct cairn_query_file *cairn_query_file(const struct cairn_query *query, size_t index)
{
    return &query->recordings.all[index].file;
}

struct sqlite3 *cairn_query_database(struct cairn_query *query)
{
    return query->db;
}
