/* SPDX-License-Identifier: MIT */
/* count() with weights, and the statements that it is right for. */
#include "query/weights.h"

#include <errno.h>
#include <stddef.h>
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
    "VColumn", "Compare", "Jump",   "Move",    "Goto",    "Gosub",    "IfPos",    "If",   "IfNot",
    "AggStep", "Integer", "Null",   "String8", "Copy",    "SCopy",    "Eq",       "Ne",   "Lt",
    "Le",      "Gt",      "Ge",     "IsNull",  "NotNull", "Not",      "And",      "Or",   "Noop",
    "CollSeq", "VNext",   "ElseEq", "Once",    "Int64",   "Variable", "Affinity", "Real",
};

static const char *const allowed_functions[] = {"like(2)", "like(3)", "glob(2)"};
static const char *const allowed_aggregates[] = {"count(0)", "count(1)"};

#define COUNT_OF(list) (sizeof(list) / sizeof(*(list)))

static bool is_one_of(const char *word, const char *const *list, size_t count)
{
    for (size_t n = 0; word && n < count; n++) {
        if (!strcmp(word, list[n]))
            return true;
    }
    return false;
}

/* The parts of a program that were found so far. */
struct program {
    unsigned opens;
    unsigned loops;
    bool is_in_loop;
    bool counts;
    bool is_wrong;
};

static bool is_allowed(const char *opcode, const char *operand)
{
    if (!strcmp(opcode, "Function"))
        return is_one_of(operand, allowed_functions, COUNT_OF(allowed_functions));
    return is_one_of(opcode, allowed, COUNT_OF(allowed));
}

static void examine(struct program *program, const char *opcode, const char *operand)
{
    if (!strcmp(opcode, "AggStep")) {
        program->counts = true;
        if (!program->is_in_loop ||
            !is_one_of(operand, allowed_aggregates, COUNT_OF(allowed_aggregates)))
            program->is_wrong = true;
    }
    if (program->is_in_loop && !is_allowed(opcode, operand))
        program->is_wrong = true;
    if (!strcmp(opcode, "VOpen"))
        program->opens++;
    if (!strcmp(opcode, "VFilter")) {
        program->loops++;
        program->is_in_loop = true;
    }
    if (!strcmp(opcode, "VNext"))
        program->is_in_loop = false;
}

bool query_weights_fit(sqlite3 *db, sqlite3_stmt *statement)
{
    char *sql = sqlite3_mprintf("EXPLAIN %s", sqlite3_sql(statement));
    struct program program = {0};
    sqlite3_stmt *lines = NULL;
    int code = sql ? sqlite3_prepare_v2(db, sql, -1, &lines, NULL) : SQLITE_NOMEM;

    if (!code) {
        while ((code = sqlite3_step(lines)) == SQLITE_ROW) {
            const char *opcode = (const char *)sqlite3_column_text(lines, 1);

            if (opcode)
                examine(&program, opcode, (const char *)sqlite3_column_text(lines, 5));
        }
    }
    (void)sqlite3_finalize(lines);
    sqlite3_free(sql);
    return code == SQLITE_DONE && program.counts && !program.is_wrong && program.opens == 1 &&
           program.loops == 1;
}
