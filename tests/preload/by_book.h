/* SPDX-License-Identifier: MIT */
/* The event `by_book u32 a`, which each test registers anew. */
#ifndef TESTS_PRELOAD_BY_BOOK_H
#define TESTS_PRELOAD_BY_BOOK_H

#include "tracefs_test.h"

static uint32_t word;
static uint32_t index_of;
static int data;

static inline int set_up(void **state)
{
    (void)state;
    word = 0;
    data = open_data();
    if (data < 0 || clear_trace() || reg(data, "by_book u32 a", &word, &index_of))
        return -1;
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    (void)enable("by_book", false);
    (void)unreg(data, &word, 0);
    close(data);
    return !goes_away("by_book");
}

#endif
