/* SPDX-License-Identifier: MIT */
/* Every public function of libcairn, in a few actions that any thread can run at any time. */
#ifndef TESTS_MATRIX_ACTIONS_H
#define TESTS_MATRIX_ACTIONS_H

#include <stddef.h>

/* An action undoes its effects before it returns. It contains no cancellation point, unless the
 * library has one. */
struct action {
    const char *name;
    void (*run)(void);
};

extern const struct action actions[];
extern const size_t action_count;

/* Results are ignored: another thread may have done the same before. */
#define TRY(call) ((void)(call))

/* in typed.c */
void call_back(void);
void register_typed(void);

/* Spans that layers of one thread were called for: begun, and ended. */
extern int spans_begun;
extern int spans_over;

#endif
