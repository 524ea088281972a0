/* SPDX-License-Identifier: MIT */
/* Adds pieces to a text, without a printf. */
#include "core/text.h"

#include "core/errno.h"

/*
 * Reserves memory for a piece, or for the wanted part of it: the returned length, starting at
 * *ret_skipped.
 */
static size_t take(struct cairn_text *t, size_t size_bytes, size_t *ret_skipped)
{
    size_t skipped = size_bytes < t->skip ? size_bytes : t->skip;

    t->skip -= skipped;
    *ret_skipped = skipped;
    size_bytes -= skipped;
    if (t->full)
        return 0;
    if (t->left < size_bytes) {
        t->full = true;
        size_bytes = t->cut ? t->left : 0;
    }
    t->at += size_bytes;
    t->left -= size_bytes;
    return size_bytes;
}

void core_text_add(struct cairn_text *t, struct cairn_slice s)
{
    size_t skipped, size_bytes = take(t, s.length, &skipped);

    if (size_bytes)
        __builtin_memcpy(t->at - size_bytes, s.text + skipped, size_bytes);
}

void core_text_put(struct cairn_text *t, const char *text)
{
    core_text_add(t, core_slice_of(text));
}

void core_text_fill(struct cairn_text *t, char c, size_t count)
{
    size_t skipped, size_bytes = take(t, count, &skipped);

    if (size_bytes)
        __builtin_memset(t->at - size_bytes, c, size_bytes);
}

void core_text_add_time(struct cairn_text *t, uint64_t time_ns)
{
    unsigned long long time_us = time_ns / 1000;

    cairn_text_printf(t, "%5llu.%06llu", time_us / 1000000, time_us % 1000000);
}

int core_text_end(struct cairn_text *t, size_t *ret_length)
{
    core_text_fill(t, '\0', 1);
    if (t->full)
        return ENOSPC;
    if (ret_length)
        *ret_length = cairn_text_length(t) - 1;
    return 0;
}
