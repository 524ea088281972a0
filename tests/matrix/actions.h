/* SPDX-License-Identifier: MIT */
/* Every public function of libcairn, in a few actions that any thread may do at any time. */
#ifndef TESTS_MATRIX_ACTIONS_H
#define TESTS_MATRIX_ACTIONS_H

#include <stddef.h>

/* What it does is undone when it returns. It is no cancellation point, if the library is none. */
struct action {
    const char *name;
    void (*run)(void);
};

extern const struct action actions[];
extern const size_t action_count;

/* Results do not matter: another thread may have done the same a moment before. */
#define TRY(call) ((void)(call))

/* typed.c */
void call_back(void);
void register_typed(void);

/* Spans that layers of one thread were told of: begun, and over. */
extern int spans_begun;
extern int spans_over;

#endif
