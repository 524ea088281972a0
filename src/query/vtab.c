/* SPDX-License-Identifier: MIT */
/*
 * SQLite's interface of virtual tables, the same for all kinds.
 *
 * A plan is a text: the columns that are used, then the conditions that SQLite offers. A scan makes
 * use of those that it can; SQLite checks all of them again. A table that is scanned more than once
 * with an equality, as the inner one of a join is, is copied with the columns that are used, and
 * the rows are found by an index (copy.c).
 */
#include "query/copy.h"
#include "query/numbers.h"
#include "query/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define CONDITIONS_MAX 16u

struct vtab {
    sqlite3_vtab base; /* first, so that it can be converted to this */
    const struct query_table *table;
    struct query_copies copies;
};

struct cursor {
    sqlite3_vtab_cursor base; /* first */
    void *scan;               /* or */
    struct query_lookup lookup;
    sqlite3_int64 row;
    bool is_at_end;
    bool has_conditions; /* rows are numbered without those that are left out */
};

/* ---- the table ---- */

char *query_table_schema(const struct query_table *table)
{
    sqlite3_str *text = sqlite3_str_new(NULL);

    sqlite3_str_appendf(text, "CREATE TABLE \"%w\" (", table->name);
    for (unsigned n = 0; n < table->column_count; n++) {
        const struct query_column *column = &table->columns[n];

        sqlite3_str_appendf(text, "%s\"%w\" %s%s", n ? ", " : "", column->name, column->type,
                            column->is_hidden ? " HIDDEN" : "");
    }
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

static int connect(sqlite3 *db, void *context, int argc, const char *const *argv,
                   sqlite3_vtab **ret_vtab, char **ret_error)
{
    const struct query_table *table = (const struct query_table *)context;
    char *schema = query_table_schema(table);
    struct vtab *vtab = (struct vtab *)calloc(1, sizeof(*vtab));
    int err = schema && vtab ? sqlite3_declare_vtab(db, schema) : SQLITE_NOMEM;

    (void)argc;
    (void)argv;
    sqlite3_free(schema);
    if (err) {
        if (err != SQLITE_NOMEM)
            *ret_error = sqlite3_mprintf("%s: %s", table->name, sqlite3_errmsg(db));
        free(vtab);
        return err;
    }
    vtab->table = table;
    *ret_vtab = &vtab->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base)
{
    struct vtab *vtab = (struct vtab *)base;

    query_copies_free(&vtab->copies, vtab->table->query);
    free(vtab);
    return SQLITE_OK;
}

/* ---- plans ---- */

/* False: conditions of this kind are SQLite's alone. */
static bool compare_of(unsigned char op, enum query_compare *ret_compare)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        *ret_compare = QUERY_EQUAL;
        return true;
    case SQLITE_INDEX_CONSTRAINT_GT:
        *ret_compare = QUERY_GREATER;
        return true;
    case SQLITE_INDEX_CONSTRAINT_GE:
        *ret_compare = QUERY_GREATER_EQUAL;
        return true;
    case SQLITE_INDEX_CONSTRAINT_LT:
        *ret_compare = QUERY_LESS;
        return true;
    case SQLITE_INDEX_CONSTRAINT_LE:
        *ret_compare = QUERY_LESS_EQUAL;
        return true;
    default:
        return false;
    }
}

/* The cost of a plan, and the rows that it returns. */
struct estimate {
    double rows;
    double cost;
    bool is_lookup;
};

static double whole_cost(const struct query_table *table)
{
    return 2 * (double)table->rows;
}

/*
 * SQLite may evaluate "a OR b" by a scan for each, and leave out rows of the second whose row ids
 * the first had. Scans with conditions number their rows differently, so each must cost more than
 * half of the one scan that evaluates both.
 */
#define CONDITIONS_COST_LEAST 0.75

static void add_condition(struct estimate *estimate, const struct query_column *column,
                          enum query_compare compare, bool is_lookup)
{
    bool is_equal = compare == QUERY_EQUAL || compare == QUERY_IN;

    estimate->rows /= is_equal ? 25 : 3;
    if (is_equal && is_lookup) {
        estimate->is_lookup = true;
        estimate->cost = 30; /* more often than once, the table has been copied */
    } else if (column->is_pushed) {
        estimate->cost /= is_equal ? 4 : 2;
    }
}

/* Takes over the order of rows that need no reading. Returns the request's order. */
static int take_order(const struct query_table *table, sqlite3_index_info *info)
{
    uint32_t order = 0;
    int distinct;

    if (!table->kind->needs_no_reading || !info->nOrderBy ||
        info->nOrderBy > (int)QUERY_ORDER_COLUMNS ||
        !table->kind->needs_no_reading(table, info->colUsed))
        return 0;
    for (int n = info->nOrderBy; n--;) {
        int column = info->aOrderBy[n].iColumn;

        if (column < 0 || column >= (int)QUERY_ORDER_DESCENDING - 1)
            return 0;
        order = order << QUERY_ORDER_BITS | ((uint32_t)column + 1) |
                (info->aOrderBy[n].desc ? QUERY_ORDER_DESCENDING : 0);
    }
    distinct = sqlite3_vtab_distinct(info);
    info->orderByConsumed = 1;
    return (int)(distinct >= 2 ? order | QUERY_ORDER_DISTINCT : order);
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct query_table *table = ((const struct vtab *)base)->table;
    struct estimate estimate = {.rows = (double)table->rows, .cost = whole_cost(table)};
    sqlite3_str *plan = sqlite3_str_new(NULL);
    int argument = 0;

    sqlite3_str_appendf(plan, "%llx", (unsigned long long)info->colUsed);
    for (int n = 0; n < info->nConstraint && argument < (int)CONDITIONS_MAX; n++) {
        const struct sqlite3_index_constraint *one = &info->aConstraint[n];
        enum query_compare compare;
        sqlite3_value *constant;

        if (!one->usable || one->iColumn < 0 || !compare_of(one->op, &compare) ||
            sqlite3_stricmp(sqlite3_vtab_collation(info, n), "BINARY") != 0)
            continue;
        if (compare == QUERY_EQUAL && sqlite3_vtab_in(info, n, -1)) {
            sqlite3_vtab_in(info, n, 1);
            compare = QUERY_IN;
        }
        add_condition(&estimate, &table->columns[one->iColumn], compare,
                      compare == QUERY_EQUAL && sqlite3_vtab_rhs_value(info, n, &constant));
        info->aConstraintUsage[n].argvIndex = ++argument;
        sqlite3_str_appendf(plan, ";%d,%d", one->iColumn, (int)compare);
    }
    info->idxNum = take_order(table, info);
    info->idxStr = sqlite3_str_finish(plan);
    info->needToFreeIdxStr = 1;
    if (!estimate.is_lookup && estimate.cost < CONDITIONS_COST_LEAST * whole_cost(table))
        estimate.cost = CONDITIONS_COST_LEAST * whole_cost(table);
    info->estimatedCost = estimate.cost;
    info->estimatedRows = estimate.rows < 1 ? 1 : (sqlite3_int64)estimate.rows;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* Reads a plan that best_index wrote. */
static void read_plan(const char *plan, sqlite3_value **values, struct query_condition *conditions,
                      struct query_request *ret_request)
{
    char *at;

    ret_request->used = strtoull(plan, &at, 16);
    ret_request->conditions = conditions;
    ret_request->condition_count = 0;
    while (*at == ';') {
        struct query_condition *condition = &conditions[ret_request->condition_count];

        condition->column = (unsigned)strtoul(at + 1, &at, 10);
        condition->compare = (enum query_compare)strtoul(at + 1, &at, 10);
        condition->value = values[ret_request->condition_count++];
    }
}

/* ---- cursors ---- */

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **ret_cursor)
{
    struct cursor *cursor = (struct cursor *)calloc(1, sizeof(*cursor));

    (void)base;
    if (!cursor)
        return SQLITE_NOMEM;
    *ret_cursor = &cursor->base;
    return SQLITE_OK;
}

static void reset(struct cursor *cursor)
{
    const struct vtab *vtab = (const struct vtab *)cursor->base.pVtab;

    if (cursor->scan)
        vtab->table->kind->end(cursor->scan);
    query_lookup_end(&cursor->lookup);
    cursor->scan = NULL;
    cursor->row = 0;
    cursor->is_at_end = false;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;

    reset(cursor);
    free(cursor);
    return SQLITE_OK;
}

static int sqlite_error(struct vtab *vtab, int err)
{
    if (err == ECANCELED)
        return SQLITE_INTERRUPT;
    if (err == ENOMEM)
        return SQLITE_NOMEM;
    sqlite3_free(vtab->base.zErrMsg);
    vtab->base.zErrMsg = sqlite3_mprintf("%s: %s", vtab->table->name, strerror(err));
    return SQLITE_ERROR;
}

static int next_row(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;
    struct vtab *vtab = (struct vtab *)base->pVtab;
    int err;

    err = cursor->lookup.copy ? query_lookup_next(&cursor->lookup)
                              : vtab->table->kind->next(cursor->scan);
    cursor->is_at_end = err != 0;
    cursor->row++;
    return !err || err == ENODATA ? SQLITE_OK : sqlite_error(vtab, err);
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
                  sqlite3_value **argv)
{
    struct cursor *cursor = (struct cursor *)base;
    struct vtab *vtab = (struct vtab *)base->pVtab;
    struct query_condition conditions[CONDITIONS_MAX];
    struct query_request request = {.order = (uint32_t)number};
    struct query_copy *copy;
    int err;

    (void)argc;
    reset(cursor);
    read_plan(plan, argv, conditions, &request);
    cursor->has_conditions = request.condition_count != 0;
    request.may_have_numbers = vtab->table->query->are_numbers_allowed && !request.condition_count;
    err = query_copies_find(&vtab->copies, vtab->table, plan, &request, &copy);
    if (!err && copy)
        err = query_lookup_begin(copy, vtab->table->query, &request, &cursor->lookup);
    else if (!err)
        err = vtab->table->kind->begin(vtab->table, &request, &cursor->scan);
    return err ? sqlite_error(vtab, err) : next_row(base);
}

static int at_end(sqlite3_vtab_cursor *base)
{
    return ((const struct cursor *)base)->is_at_end;
}

static void set_result(sqlite3_context *to, const struct query_cell *cell)
{
    switch (cell->kind) {
    case CAIRN_QUERY_INTEGER:
        sqlite3_result_int64(to, cell->integer);
        break;
    case CAIRN_QUERY_REAL:
        sqlite3_result_double(to, cell->real);
        break;
    case CAIRN_QUERY_TEXT:
        sqlite3_result_text64(to, cell->text, cell->size_bytes,
                              cell->lasts ? SQLITE_STATIC : SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
    default:
        if (cell->numbers)
            query_numbers_set(to, cell->numbers);
        break;
    }
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *to, int number)
{
    struct cursor *cursor = (struct cursor *)base;
    const struct vtab *vtab = (const struct vtab *)base->pVtab;
    struct query_cell cell = {.kind = CAIRN_QUERY_NULL};

    if (cursor->lookup.copy) {
        int at = query_copy_column(cursor->lookup.copy, (unsigned)number);

        if (at >= 0)
            sqlite3_result_value(to, sqlite3_column_value(cursor->lookup.rows, at));
        return SQLITE_OK;
    }
    vtab->table->kind->cell(cursor->scan, (unsigned)number, &cell);
    set_result(to, &cell);
    return SQLITE_OK;
}

/* Rows are numbered as they come: the number is the row's in a scan of the whole table only. */
static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *ret_row)
{
    const struct cursor *cursor = (const struct cursor *)base;
    struct vtab *vtab = (struct vtab *)base->pVtab;

    if (cursor->has_conditions) {
        sqlite3_free(vtab->base.zErrMsg);
        vtab->base.zErrMsg = sqlite3_mprintf(
            "%s: rows have no rowid; write conditions with OR as a UNION", vtab->table->name);
        return SQLITE_ERROR;
    }
    *ret_row = cursor->row;
    return SQLITE_OK;
}

/* xCreate is NULL: the table exists without CREATE VIRTUAL TABLE. */
static const sqlite3_module module = {
    .iVersion = 0,
    .xConnect = connect,
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next_row,
    .xEof = at_end,
    .xColumn = column,
    .xRowid = row_id,
};

int query_vtab_register(const struct query_table *table)
{
    return sqlite3_create_module_v2(table->query->db, table->name, &module, (void *)table, NULL)
               ? ENOMEM
               : 0;
}
