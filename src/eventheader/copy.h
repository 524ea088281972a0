/* SPDX-License-Identifier: MIT */
/* Copies of up to EVENTHEADER_SHORT_BYTES without a call. */
#ifndef EVENTHEADER_COPY_H
#define EVENTHEADER_COPY_H

#include "core/copy.h"

#include <stdint.h>

/* Longer values are copied by the general path: its cost does not matter for them. */
#define EVENTHEADER_SHORT_BYTES 256

static inline void eventheader_copy_16(uint8_t *to, const uint8_t *from)
{
    __builtin_memcpy(to, from, 16);
}

/* At least 16 bytes: the last block overlaps the one before it. */
static inline void eventheader_copy_blocks(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    uint32_t at = 0;

    for (; at + 16 < bytes; at += 16)
        eventheader_copy_16(to + at, from + at);
    eventheader_copy_16(to + bytes - 16, from + bytes - 16);
}

static inline void eventheader_copy_short(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    if (bytes >= 16) {
        eventheader_copy_blocks(to, from, bytes);
    } else {
        core_copy_short(to, from, bytes);
    }
}

#endif
