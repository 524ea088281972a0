/* SPDX-License-Identifier: MIT */
/*
 * A text that is being built in the caller's memory. It remembers that it ran full: add everything,
 * then look once, at what cairn_text_end says.
 */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include "core/errno.h"
#include "core/slice.h"

#include <stddef.h>

struct cairn_text {
    char *begin;
    char *at;    /* next byte */
    size_t left; /* bytes from `at` to the end */
    bool full;
};

static inline struct cairn_text cairn_text(char *memory, size_t size_bytes)
{
    return (struct cairn_text){.begin = memory, .at = memory, .left = size_bytes};
}

static inline void cairn_text_add(struct cairn_text *t, struct cairn_slice s)
{
    if (t->full || t->left < s.length) {
        t->full = true;
        return;
    }
    if (s.length)
        __builtin_memcpy(t->at, s.text, s.length);
    t->at += s.length;
    t->left -= s.length;
}

/* A number, with `fill` in front where it has less than `columns`, 20 at most. */
static inline void cairn_text_add_number(struct cairn_text *t, uint64_t value, uint32_t columns,
                                         char fill)
{
    char digits[20];
    uint32_t first = sizeof(digits);

    do {
        digits[--first] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while (sizeof(digits) - first < columns)
        digits[--first] = fill;
    cairn_text_add(t, (struct cairn_slice){digits + first, (uint32_t)sizeof(digits) - first});
}

static inline void cairn_text_add_u32(struct cairn_text *t, uint32_t value)
{
    cairn_text_add_number(t, value, 1, ' ');
}

/* Ends the text with a NUL that its length does not count. Returns 0; ENOSPC. */
static inline int cairn_text_end(struct cairn_text *t, size_t *ret_length)
{
    cairn_text_add(t, (struct cairn_slice){"", 1});
    if (t->full)
        return ENOSPC;
    if (ret_length)
        *ret_length = (size_t)(t->at - t->begin) - 1;
    return 0;
}

#endif
