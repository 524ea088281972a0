/* SPDX-License-Identifier: MIT */
#include "core/text.h"

#include "core/errno.h"

/* Takes room for a piece, or NULL. */
static char *take(struct cairn_text *t, size_t size_bytes)
{
    char *piece = t->at;

    if (t->full || t->left < size_bytes) {
        t->full = true;
        return NULL;
    }
    t->at += size_bytes;
    t->left -= size_bytes;
    return piece;
}

void cairn_text_add(struct cairn_text *t, struct cairn_slice s)
{
    char *piece = take(t, s.length);

    if (piece && s.length)
        __builtin_memcpy(piece, s.text, s.length);
}

void cairn_text_fill(struct cairn_text *t, char c, size_t count)
{
    char *piece = take(t, count);

    if (piece && count)
        __builtin_memset(piece, c, count);
}

void cairn_text_add_u32(struct cairn_text *t, uint32_t value)
{
    cairn_text_printf(t, "%u", value);
}

int cairn_text_end(struct cairn_text *t, size_t *ret_length)
{
    cairn_text_fill(t, '\0', 1);
    if (t->full)
        return ENOSPC;
    if (ret_length)
        *ret_length = cairn_text_length(t) - 1;
    return 0;
}
