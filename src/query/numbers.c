/* SPDX-License-Identifier: MIT */
/* Arrays of numbers, and the statements that they are right for. */
#include "query/numbers.h"

#include "query/program.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- arrays ---- */

#define FIRST_SPACE 4096u

static int grow(struct query_number_array *numbers)
{
    size_t space = numbers->space ? 2 * numbers->space : FIRST_SPACE;
    double *bigger = (double *)realloc(numbers->all, space * sizeof(*bigger));

    if (!bigger)
        return ENOMEM;
    numbers->all = bigger;
    numbers->space = space;
    return 0;
}

int query_numbers_add(struct query_number_array *numbers, const struct query_cell *cell)
{
    double number;

    if (cell->kind == CAIRN_QUERY_INTEGER)
        number = (double)cell->integer;
    else if (cell->kind == CAIRN_QUERY_REAL && isfinite(cell->real))
        number = cell->real;
    else
        return 0;
    if (cairn_unlikely(numbers->count == numbers->space) && grow(numbers))
        return ENOMEM;
    numbers->all[numbers->count++] = number;
    return 0;
}

/* ---- values ---- */

/* SQLite gives a pointer only to a function that asks for this type; for others it is NULL. */
#define POINTER_TYPE "cairn numbers"

void query_numbers_set(sqlite3_context *to, const struct query_number_array *numbers)
{
    sqlite3_result_pointer(to, (void *)numbers, POINTER_TYPE, NULL);
}

const struct query_number_array *query_numbers_of(sqlite3_value *value)
{
    return (const struct query_number_array *)sqlite3_value_pointer(value, POINTER_TYPE);
}

bool query_numbers_are_all(const struct query_table *table, uint64_t used)
{
    for (unsigned n = 0; n < table->column_count; n++) {
        if (query_is_used(used, n) && strcmp(table->columns[n].type, "INTEGER") != 0 &&
            strcmp(table->columns[n].type, "REAL") != 0)
            return false;
    }
    return true;
}

/* ---- programs ---- */

static const char *const distributions[] = {
    "median(1)",          "percentile(2)", "percentile_cont(2)",
    "percentile_disc(2)", "histogram(1)",  "histogram(2)",
};

/* The operations of a loop that make the second argument of an aggregate. */
static const char *const constants[] = {"Integer", "Int64", "Real"};

/* The parts of a loop that were found so far. */
struct numbers_loop {
    bool has_distribution;
    int column; /* the register of a column that no aggregate has taken; 0: none */
};

/* Each column is taken by the next aggregate, as its first argument. */
static bool is_right(void *context, const struct query_operation *operation)
{
    struct numbers_loop *loop = (struct numbers_loop *)context;
    int column = loop->column;

    if (!strcmp(operation->opcode, "VColumn")) {
        loop->column = operation->p3;
        return !column;
    }
    if (QUERY_PROGRAM_IS_ONE_OF(operation->opcode, constants))
        return operation->p2 != column;
    if (strcmp(operation->opcode, "AggStep") != 0)
        return !strcmp(operation->opcode, "VNext");
    loop->column = 0;
    if (operation->p4 && !strcmp(operation->p4, "count(0)"))
        return !column;
    loop->has_distribution = true;
    return column && operation->p2 == column &&
           QUERY_PROGRAM_IS_ONE_OF(operation->p4, distributions);
}

bool query_numbers_fit(sqlite3 *db, sqlite3_stmt *statement)
{
    struct numbers_loop loop = {0};

    return query_program_is_loop(db, statement, is_right, &loop) && loop.has_distribution;
}
