/* SPDX-License-Identifier: MIT */
/*
 * A cursor over untrusted bytes. It remembers its first failure: take everything, then check
 * `error` once. After a failure every take yields zeros and an empty range.
 */
#ifndef CORE_CURSOR_H
#define CORE_CURSOR_H

#include "core/errno.h"
#include "core/load.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cairn_cursor {
    const uint8_t *at; /* next byte */
    size_t left;       /* bytes from `at` to the end */
    int error;         /* 0, or the errno code of the first failure */
    bool swap;         /* the bytes are of the other byte order */
};

static inline struct cairn_cursor cairn_cursor(const void *data, size_t size_bytes, bool swap)
{
    return (struct cairn_cursor){.at = (const uint8_t *)data, .left = size_bytes, .swap = swap};
}

static inline void cairn_cursor_fail(struct cairn_cursor *c, int error)
{
    if (!c->error)
        c->error = error;
    c->left = 0;
}

/* The next `size_bytes` bytes, or NULL. */
static inline const void *cairn_cursor_take(struct cairn_cursor *c, size_t size_bytes)
{
    const uint8_t *taken = c->at;

    if (c->error || c->left < size_bytes) {
        cairn_cursor_fail(c, EBADMSG);
        return NULL;
    }
    c->at += size_bytes;
    c->left -= size_bytes;
    return taken;
}

static inline uint8_t cairn_cursor_u8(struct cairn_cursor *c)
{
    const uint8_t *p = (const uint8_t *)cairn_cursor_take(c, 1);

    return p ? *p : 0;
}

static inline uint16_t cairn_cursor_u16(struct cairn_cursor *c)
{
    const uint8_t *p = (const uint8_t *)cairn_cursor_take(c, sizeof(uint16_t));

    return p ? cairn_load16(p, c->swap) : 0;
}

static inline uint32_t cairn_cursor_u32(struct cairn_cursor *c)
{
    const uint8_t *p = (const uint8_t *)cairn_cursor_take(c, sizeof(uint32_t));

    return p ? cairn_load32(p, c->swap) : 0;
}

static inline uint64_t cairn_cursor_u64(struct cairn_cursor *c)
{
    const uint8_t *p = (const uint8_t *)cairn_cursor_take(c, sizeof(uint64_t));

    return p ? cairn_load64(p, c->swap) : 0;
}

/*
 * The bytes up to the next NUL, which is taken too; `ret_length` does not count it. NULL when there
 * is none.
 */
static inline const char *cairn_cursor_string(struct cairn_cursor *c, size_t *ret_length)
{
    for (size_t n = 0; n < c->left; n++) {
        if (!c->at[n]) {
            *ret_length = n;
            return (const char *)cairn_cursor_take(c, n + 1);
        }
    }
    cairn_cursor_fail(c, EBADMSG);
    *ret_length = 0;
    return NULL;
}

#endif
