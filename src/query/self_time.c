/* SPDX-License-Identifier: MIT */
/*
 * self_time(start, stop, child_start, child_stop): an aggregate. The ns from start to stop that no
 * child covers; children may overlap. Rows without a child, as LEFT JOIN makes them, have NULL.
 */
#include "query/functions.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

struct child {
    int64_t start;
    int64_t stop;
};

struct self_time_state {
    struct child *children;
    size_t count;
    size_t space;
    int64_t start;
    int64_t stop;
    int is_known;
};

static void step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    struct self_time_state *state =
        (struct self_time_state *)sqlite3_aggregate_context(context, sizeof(*state));

    (void)argc;
    if (!state)
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_NULL && sqlite3_value_type(argv[1]) != SQLITE_NULL) {
        state->start = sqlite3_value_int64(argv[0]);
        state->stop = sqlite3_value_int64(argv[1]);
        state->is_known = 1;
    }
    if (sqlite3_value_type(argv[2]) == SQLITE_NULL || sqlite3_value_type(argv[3]) == SQLITE_NULL)
        return;
    if (state->count == state->space) {
        size_t space = state->space ? 2 * state->space : 8;
        void *bigger = realloc(state->children, space * sizeof(*state->children));

        if (!bigger) {
            sqlite3_result_error_nomem(context);
            return;
        }
        state->children = (struct child *)bigger;
        state->space = space;
    }
    state->children[state->count++] =
        (struct child){sqlite3_value_int64(argv[2]), sqlite3_value_int64(argv[3])};
}

static int by_start(const void *a, const void *b)
{
    const struct child *x = (const struct child *)a;
    const struct child *y = (const struct child *)b;

    return x->start < y->start ? -1 : x->start > y->start;
}

static int64_t uncovered(struct self_time_state *state)
{
    int64_t ns = 0;
    int64_t at = state->start; /* all before it is counted */

    if (state->count)
        qsort(state->children, state->count, sizeof(*state->children), by_start);
    for (size_t n = 0; n < state->count; n++) {
        const struct child *child = &state->children[n];
        int64_t start = child->start < state->stop ? child->start : state->stop;

        if (start > at)
            ns += start - at;
        if (child->stop > at)
            at = child->stop;
    }
    return state->stop > at ? ns + state->stop - at : ns;
}

static void final(sqlite3_context *context)
{
    struct self_time_state *state = (struct self_time_state *)sqlite3_aggregate_context(context, 0);

    if (!state)
        return;
    if (state->is_known)
        sqlite3_result_int64(context, uncovered(state));
    free(state->children);
}

int query_self_time_register(sqlite3 *db)
{
    return sqlite3_create_function_v2(db, "self_time", 4, SQLITE_UTF8 | SQLITE_INNOCUOUS, NULL,
                                      NULL, step, final, NULL)
               ? ENOMEM
               : 0;
}
