/* SPDX-License-Identifier: MIT */
/* The part of cmocka that engine_test.h uses, for machines without cmocka: a failure ends the test.
 */
#ifndef STANDALONE_CMOCKA_H
#define STANDALONE_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>

static inline void standalone_check(int holds, const char *what, const char *file, int line)
{
    if (holds)
        return;
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    abort();
}

#define STANDALONE_CHECK(x)           standalone_check(!!(x), #x, __FILE__, __LINE__)
#define assert_non_null(x)            STANDALONE_CHECK((x) != NULL)
#define assert_true(x)                STANDALONE_CHECK(x)
#define assert_int_equal(a, b)        STANDALONE_CHECK((long long)(a) == (long long)(b))
#define assert_int_not_equal(a, b)    STANDALONE_CHECK((long long)(a) != (long long)(b))
#define assert_in_range(x, low, high) STANDALONE_CHECK((x) >= (low) && (x) <= (high))

#endif
