/* SPDX-License-Identifier: MIT */
/* count() with weights, and the statements that it is right for. */
#include "query/weights.h"

#include "query/program.h"

#include <errno.h>
#include <string.h>

/* ---- count ---- */

static void step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const struct query_weights *weights = (const struct query_weights *)sqlite3_user_data(context);
    int64_t *count = (int64_t *)sqlite3_aggregate_context(context, sizeof(*count));

    if (!count)
        sqlite3_result_error_nomem(context);
    else if (!argc || sqlite3_value_type(argv[0]) != SQLITE_NULL)
        *count += (int64_t)weights->weight;
}

/* Windows have no weights: all are 1. */
static void inverse(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    int64_t *count = (int64_t *)sqlite3_aggregate_context(context, sizeof(*count));

    if (count && (!argc || sqlite3_value_type(argv[0]) != SQLITE_NULL))
        *count -= 1;
}

static void value(sqlite3_context *context)
{
    const int64_t *count = (const int64_t *)sqlite3_aggregate_context(context, 0);

    sqlite3_result_int64(context, count ? *count : 0);
}

int query_weights_register(sqlite3 *db, struct query_weights *weights)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int err = 0;

    weights->weight = 1;
    for (int argc = 0; argc <= 1 && !err; argc++)
        err = sqlite3_create_window_function(db, "count", argc, flags, weights, step, value, value,
                                             inverse, NULL);
    return err ? ENOMEM : 0;
}

/* ---- programs ---- */

/* The operations that a loop may have: none keeps a row, returns it, or calls what is not known. */
static const char *const allowed[] = {
    "VColumn", "Compare", "Jump",    "Move",    "Goto",     "Gosub",    "IfPos", "If",   "IfNot",
    "Integer", "Null",    "String8", "Copy",    "SCopy",    "Eq",       "Ne",    "Lt",   "Le",
    "Gt",      "Ge",      "IsNull",  "NotNull", "Not",      "And",      "Or",    "Noop", "CollSeq",
    "VNext",   "ElseEq",  "Once",    "Int64",   "Variable", "Affinity", "Real",
};

static const char *const allowed_functions[] = {"like(2)", "like(3)", "glob(2)"};
static const char *const allowed_aggregates[] = {"count(0)", "count(1)"};

static bool is_right(void *context, const struct query_operation *operation)
{
    bool *counts = (bool *)context;

    if (!strcmp(operation->opcode, "AggStep")) {
        *counts = true;
        return QUERY_PROGRAM_IS_ONE_OF(operation->p4, allowed_aggregates);
    }
    if (!strcmp(operation->opcode, "Function"))
        return QUERY_PROGRAM_IS_ONE_OF(operation->p4, allowed_functions);
    return QUERY_PROGRAM_IS_ONE_OF(operation->opcode, allowed);
}

bool query_weights_fit(sqlite3 *db, sqlite3_stmt *statement)
{
    bool counts = false;

    return query_program_is_loop(db, statement, is_right, &counts) && counts;
}
