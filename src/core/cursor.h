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

struct core_cursor {
    const uint8_t *at; /* next byte */
    size_t left;       /* bytes from `at` to the end */
    int error;         /* 0, or the errno code of the first failure */
    bool swap;         /* the bytes are of the other byte order */
};

static inline struct core_cursor core_cursor(const void *data, size_t size_bytes, bool swap)
{
    return (struct core_cursor){.at = (const uint8_t *)data, .left = size_bytes, .swap = swap};
}

static inline void core_cursor_fail(struct core_cursor *c, int error)
{
    if (!c->error)
        c->error = error;
    c->left = 0;
}

/* The next `size_bytes` bytes, or NULL. */
static inline const void *core_cursor_take(struct core_cursor *c, size_t size_bytes)
{
    const uint8_t *taken = c->at;

    if (c->error || c->left < size_bytes) {
        core_cursor_fail(c, EBADMSG);
        return NULL;
    }
    c->at += size_bytes;
    c->left -= size_bytes;
    return taken;
}

static inline uint8_t core_cursor_u8(struct core_cursor *c)
{
    const uint8_t *p = (const uint8_t *)core_cursor_take(c, 1);

    return p ? *p : 0;
}

static inline uint16_t core_cursor_u16(struct core_cursor *c)
{
    const uint8_t *p = (const uint8_t *)core_cursor_take(c, sizeof(uint16_t));

    return p ? core_load16(p, c->swap) : 0;
}

static inline uint32_t core_cursor_u32(struct core_cursor *c)
{
    const uint8_t *p = (const uint8_t *)core_cursor_take(c, sizeof(uint32_t));

    return p ? core_load32(p, c->swap) : 0;
}

static inline uint64_t core_cursor_u64(struct core_cursor *c)
{
    const uint8_t *p = (const uint8_t *)core_cursor_take(c, sizeof(uint64_t));

    return p ? core_load64(p, c->swap) : 0;
}

/*
 * The bytes up to the next NUL, which is taken too; `ret_length` does not count it. NULL when there
 * is none.
 */
static inline const char *core_cursor_string(struct core_cursor *c, size_t *ret_length)
{
    for (size_t n = 0; n < c->left; n++) {
        if (!c->at[n]) {
            *ret_length = n;
            return (const char *)core_cursor_take(c, n + 1);
        }
    }
    core_cursor_fail(c, EBADMSG);
    *ret_length = 0;
    return NULL;
}

#endif
