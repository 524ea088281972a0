/* SPDX-License-Identifier: MIT */
/* Copies the rows of tables, so that they can be looked up. */
#include "query/copy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- the database ---- */

static int open_database(struct cairn_query *query)
{
    int err;

    if (query->copies)
        return 0;
    /* The empty name: a temporary file that has no name, written when the cache is full. */
    err = sqlite3_open_v2("", &query->copies,
                          SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (!err)
        err = sqlite3_exec(query->copies,
                           "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                           "PRAGMA cache_size = -65536; PRAGMA locking_mode = EXCLUSIVE",
                           NULL, NULL, NULL);
    return err ? ENOMEM : 0;
}

/* Executes SQL that it frees. Returns 0, ENOMEM. */
static int execute(const struct cairn_query *query, char *sql)
{
    int err = sql ? sqlite3_exec(query->copies, sql, NULL, NULL, NULL) : SQLITE_NOMEM;

    sqlite3_free(sql);
    return err ? ENOMEM : 0;
}

/* ---- the table ---- */

static int choose_columns(struct query_copy *copy, const struct query_table *table)
{
    int16_t count = 0;

    copy->column_of = (int16_t *)malloc(table->column_count * sizeof(*copy->column_of));
    if (!copy->column_of)
        return ENOMEM;
    copy->column_count = table->column_count;
    for (unsigned n = 0; n < table->column_count; n++)
        copy->column_of[n] = query_is_used(copy->used, n) ? count++ : (int16_t)-1;
    return 0;
}

static char *table_sql(const struct query_copy *copy, const struct query_table *table)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    bool is_first = true;

    sqlite3_str_appendf(text, "CREATE TABLE copy%llu (", (unsigned long long)copy->number);
    for (unsigned n = 0; n < table->column_count; n++) {
        if (copy->column_of[n] < 0)
            continue;
        /* The types of the table, so that values are compared as there. */
        sqlite3_str_appendf(text, "%sc%u %s", is_first ? "" : ", ", n, table->columns[n].type);
        is_first = false;
    }
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

static char *insert_sql(const struct query_copy *copy)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    bool is_first = true;

    sqlite3_str_appendf(text, "INSERT INTO copy%llu VALUES (", (unsigned long long)copy->number);
    for (unsigned n = 0; n < copy->column_count; n++) {
        if (copy->column_of[n] < 0)
            continue;
        sqlite3_str_appendall(text, is_first ? "?" : ", ?");
        is_first = false;
    }
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

/* First the columns that are to be equal, then one that has a limit: preferably a lower one, since
 * a lookup of what overlaps a time leaves out what stopped before it. */
static char *index_sql(const struct query_copy *copy, const struct query_request *request)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    const struct query_condition *range = NULL;
    bool is_first = true;

    sqlite3_str_appendf(text, "CREATE INDEX by%llu ON copy%llu (", (unsigned long long)copy->number,
                        (unsigned long long)copy->number);
    for (unsigned n = 0; n < request->condition_count; n++) {
        const struct query_condition *condition = &request->conditions[n];

        if (condition->compare == QUERY_EQUAL) {
            sqlite3_str_appendf(text, "%sc%u", is_first ? "" : ", ", condition->column);
            is_first = false;
        } else if (condition->compare != QUERY_IN &&
                   (!range || condition->compare == QUERY_GREATER ||
                    condition->compare == QUERY_GREATER_EQUAL)) {
            range = condition;
        }
    }
    if (range)
        sqlite3_str_appendf(text, ", c%u", range->column);
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

static char *lookup_sql(const struct query_copy *copy, const struct query_request *request)
{
    static const char *const operators[] = {"=", ">", ">=", "<", "<="};
    sqlite3_str *text = sqlite3_str_new(NULL);
    bool is_first = true;

    sqlite3_str_appendall(text, "SELECT ");
    for (unsigned n = 0; n < copy->column_count; n++) {
        if (copy->column_of[n] < 0)
            continue;
        sqlite3_str_appendf(text, "%sc%u", is_first ? "" : ", ", n);
        is_first = false;
    }
    sqlite3_str_appendf(text, " FROM copy%llu", (unsigned long long)copy->number);
    is_first = true;
    for (unsigned n = 0; n < request->condition_count; n++) {
        const struct query_condition *condition = &request->conditions[n];

        if (condition->compare == QUERY_IN || (int)n == copy->interval_end)
            continue;
        sqlite3_str_appendf(text, "%sc%u %s ?%u", is_first ? " WHERE " : " AND ", condition->column,
                            operators[condition->compare], n + 1);
        is_first = false;
    }
    if (copy->interval_end >= 0)
        sqlite3_str_appendf(text, " ORDER BY c%u, rowid", copy->interval_stop);
    return sqlite3_str_finish(text);
}

/*
 * Intervals that overlap a time: those of one key that stop after its beginning and begin before
 * its end. In the order in which they stop they begin, too, but for the disorder: a lookup ends at
 * the first that begins later than that.
 */
static void find_interval(struct query_copy *copy, const struct query_table *table,
                          const struct query_request *request)
{
    const struct query_interval *interval = &table->kind->interval;
    bool has_key = false;
    bool has_stop = false;
    int end = -1;

    for (unsigned n = 0; n < request->condition_count; n++) {
        const struct query_condition *condition = &request->conditions[n];
        bool is_below = condition->compare == QUERY_LESS || condition->compare == QUERY_LESS_EQUAL;
        bool is_above =
            condition->compare == QUERY_GREATER || condition->compare == QUERY_GREATER_EQUAL;

        has_key |= condition->column == interval->key && condition->compare == QUERY_EQUAL;
        has_stop |= condition->column == interval->stop && is_above;
        if (condition->column == interval->start && is_below)
            end = (int)n;
    }
    copy->interval_start = interval->start;
    copy->interval_stop = interval->stop;
    copy->interval_end = interval->is_set && has_key && has_stop ? end : -1;
}

/*
 * Finds out by how much intervals of one key begin earlier than others that stop before them: those
 * of several recordings overlap, as do those before and after the time of day was set. Returns 0,
 * ENOMEM.
 */
static int measure_disorder(struct query_copy *copy, const struct query_table *table)
{
    const struct query_interval *interval = &table->kind->interval;
    sqlite3_stmt *most = NULL;
    char *sql;
    int code = SQLITE_NOMEM;

    if (copy->interval_end < 0)
        return 0;
    sql = sqlite3_mprintf("SELECT max(latest - start) FROM (SELECT c%u AS start, max(c%u) OVER "
                          "(PARTITION BY c%u ORDER BY c%u, rowid ROWS BETWEEN UNBOUNDED PRECEDING "
                          "AND 1 PRECEDING) AS latest FROM copy%llu)",
                          interval->start, interval->start, interval->key, interval->stop,
                          (unsigned long long)copy->number);
    if (sql && !sqlite3_prepare_v2(table->query->copies, sql, -1, &most, NULL))
        code = sqlite3_step(most);
    if (code == SQLITE_ROW && sqlite3_column_int64(most, 0) > 0)
        copy->disorder_ns = sqlite3_column_int64(most, 0);
    sqlite3_finalize(most);
    sqlite3_free(sql);
    return code == SQLITE_ROW ? 0 : ENOMEM;
}

/* ---- rows ---- */

static int bind(sqlite3_stmt *insert, int at, const struct query_cell *cell)
{
    switch (cell->kind) {
    case CAIRN_QUERY_INTEGER:
        return sqlite3_bind_int64(insert, at, cell->integer);
    case CAIRN_QUERY_REAL:
        return sqlite3_bind_double(insert, at, cell->real);
    case CAIRN_QUERY_TEXT:
        return sqlite3_bind_text64(insert, at, cell->text, cell->size_bytes,
                                   cell->lasts ? SQLITE_STATIC : SQLITE_TRANSIENT, SQLITE_UTF8);
    default:
        return sqlite3_bind_null(insert, at);
    }
}

static int insert_row(const struct query_copy *copy, const struct query_table *table, void *scan,
                      sqlite3_stmt *insert)
{
    int err = 0;

    for (unsigned n = 0; n < copy->column_count && !err; n++) {
        struct query_cell cell = {.kind = CAIRN_QUERY_NULL};

        if (copy->column_of[n] < 0)
            continue;
        table->kind->cell(scan, n, &cell);
        err = bind(insert, copy->column_of[n] + 1, &cell);
    }
    if (!err)
        err = sqlite3_step(insert) == SQLITE_DONE ? 0 : SQLITE_NOMEM;
    sqlite3_reset(insert);
    return err ? ENOMEM : 0;
}

static int insert_rows(const struct query_copy *copy, const struct query_table *table)
{
    const struct query_request all = {.used = copy->used};
    char *sql = insert_sql(copy);
    sqlite3_stmt *insert = NULL;
    void *scan = NULL;
    int err = ENOMEM;

    if (sql && !sqlite3_prepare_v2(table->query->copies, sql, -1, &insert, NULL))
        err = table->kind->begin(table, &all, &scan);
    while (!err) {
        err = table->kind->next(scan);
        if (!err)
            err = insert_row(copy, table, scan, insert);
    }
    if (scan)
        table->kind->end(scan);
    sqlite3_finalize(insert);
    sqlite3_free(sql);
    return err == ENODATA ? 0 : err;
}

/* ---- copies ---- */

static void free_copy(struct query_copy *copy, struct cairn_query *query)
{
    sqlite3_finalize(copy->idle);
    if (query->copies && copy->number)
        (void)execute(query, sqlite3_mprintf("DROP TABLE IF EXISTS copy%llu",
                                             (unsigned long long)copy->number));
    free(copy->plan);
    sqlite3_free(copy->lookup);
    free(copy->column_of);
    free(copy);
}

void query_copies_free(struct query_copies *copies, struct cairn_query *query)
{
    while (copies->first) {
        struct query_copy *copy = copies->first;

        copies->first = copy->next;
        free_copy(copy, query);
    }
}

static struct query_copy *create(struct query_copies *copies, struct cairn_query *query,
                                 const char *plan, uint64_t used)
{
    struct query_copy *copy = (struct query_copy *)calloc(1, sizeof(*copy));

    if (!copy)
        return NULL;
    copy->plan = strdup(plan);
    copy->used = used;
    copy->run = query->run;
    if (!copy->plan) {
        free(copy);
        return NULL;
    }
    copy->next = copies->first;
    copies->first = copy;
    return copy;
}

static int fill(struct query_copy *copy, const struct query_table *table,
                const struct query_request *request)
{
    struct cairn_query *query = table->query;
    int err = open_database(query);

    if (!err)
        err = choose_columns(copy, table);
    if (err)
        return err;
    copy->number = ++query->copy_count;
    err = execute(query, table_sql(copy, table));
    if (!err)
        err = execute(query, sqlite3_mprintf("BEGIN"));
    if (!err)
        err = insert_rows(copy, table);
    if (!err)
        err = execute(query, index_sql(copy, request));
    if (!sqlite3_get_autocommit(query->copies))
        (void)execute(query, sqlite3_mprintf("COMMIT"));
    find_interval(copy, table, request);
    if (!err)
        err = measure_disorder(copy, table);
    copy->lookup = err ? NULL : lookup_sql(copy, request);
    copy->is_complete = copy->lookup != NULL;
    return err || copy->lookup ? err : ENOMEM;
}

static bool has_equality(const struct query_request *request)
{
    for (unsigned n = 0; n < request->condition_count; n++) {
        if (request->conditions[n].compare == QUERY_EQUAL)
            return true;
    }
    return false;
}

/* Removes copies of recordings that have changed since. */
static void remove_old(struct query_copies *copies, struct cairn_query *query)
{
    if (copies->first && copies->first->run != query->run)
        query_copies_free(copies, query);
}

int query_copies_find(struct query_copies *copies, const struct query_table *table,
                      const char *plan, const struct query_request *request,
                      struct query_copy **ret_copy)
{
    struct query_copy *copy;
    int err = 0;

    *ret_copy = NULL;
    remove_old(copies, table->query);
    if (!has_equality(request))
        return 0;
    copy = copies->first;
    while (copy && strcmp(copy->plan, plan) != 0)
        copy = copy->next;
    if (!copy)
        copy = create(copies, table->query, plan, request->used);
    if (!copy)
        return ENOMEM;
    if (copy->scans++ && !copy->is_complete)
        err = fill(copy, table, request);
    if (!err && copy->is_complete)
        *ret_copy = copy;
    return err;
}

/* ---- lookups ---- */

static int bind_all(const struct query_copy *copy, sqlite3_stmt *rows,
                    const struct query_request *request)
{
    int err = 0;

    for (unsigned n = 0; n < request->condition_count && !err; n++) {
        if (request->conditions[n].compare != QUERY_IN && (int)n != copy->interval_end)
            err = sqlite3_bind_value(rows, (int)n + 1, request->conditions[n].value);
    }
    return err;
}

/* The beginning of an interval after which none follows that is wanted. */
static int64_t start_max_of(const struct query_copy *copy, const struct query_request *request)
{
    sqlite3_value *value;
    int64_t start_max;

    if (copy->interval_end < 0)
        return INT64_MAX;
    value = request->conditions[copy->interval_end].value;
    if (sqlite3_value_type(value) != SQLITE_INTEGER ||
        __builtin_add_overflow(sqlite3_value_int64(value), copy->disorder_ns, &start_max))
        return INT64_MAX;
    return start_max;
}

int query_lookup_begin(struct query_copy *copy, const struct cairn_query *query,
                       const struct query_request *request, struct query_lookup *ret_lookup)
{
    sqlite3_stmt *rows = copy->idle;
    int err = 0;

    copy->idle = NULL;
    if (!rows)
        err = sqlite3_prepare_v2(query->copies, copy->lookup, -1, &rows, NULL);
    if (!err)
        err = bind_all(copy, rows, request);
    if (err) {
        sqlite3_finalize(rows);
        return ENOMEM;
    }
    *ret_lookup = (struct query_lookup){copy, rows, start_max_of(copy, request)};
    return 0;
}

int query_lookup_next(struct query_lookup *lookup)
{
    const struct query_copy *copy = lookup->copy;
    int code = sqlite3_step(lookup->rows);

    if (code == SQLITE_DONE)
        return ENODATA;
    if (code != SQLITE_ROW)
        return ENOMEM;
    if (lookup->start_max == INT64_MAX)
        return 0;
    return sqlite3_column_int64(lookup->rows, copy->column_of[copy->interval_start]) >
                   lookup->start_max
               ? ENODATA
               : 0;
}

void query_lookup_end(struct query_lookup *lookup)
{
    if (!lookup->copy)
        return;
    (void)sqlite3_reset(lookup->rows);
    if (lookup->copy->idle)
        sqlite3_finalize(lookup->rows);
    else
        lookup->copy->idle = lookup->rows;
    lookup->copy = NULL;
}

int query_copy_column(const struct query_copy *copy, unsigned column)
{
    return column < copy->column_count ? copy->column_of[column] : -1;
}
