/* SPDX-License-Identifier: MIT */
/* Checks UTF-8: words of ASCII at once, other characters one by one. */
#include "query/utf8.h"

#include <stdint.h>
#include <string.h>

#define HIGH_BITS UINT64_C(0x8080808080808080)
#define LOW_BITS  UINT64_C(0x0101010101010101)

/* Returns the size of a character of more than one byte; 0: it is none. */
static size_t character_bytes(const uint8_t *at, size_t left)
{
    uint8_t lead = at[0];
    uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;

    if (lead < 0xc2 || lead > 0xf4 || left < size || at[1] < low || at[1] > high)
        return 0;
    for (size_t n = 2; n < size; n++) {
        if ((at[n] & 0xc0) != 0x80)
            return 0;
    }
    return size;
}

bool query_is_utf8(const char *text, size_t size_bytes)
{
    const uint8_t *at = (const uint8_t *)text;
    size_t left = size_bytes;

    while (left) {
        uint64_t word;
        size_t size = 1;

        if (left >= sizeof(word)) {
            memcpy(&word, at, sizeof(word));
            if (!((word | (word - LOW_BITS)) & HIGH_BITS)) { /* no high bit, no zero byte */
                at += sizeof(word);
                left -= sizeof(word);
                continue;
            }
        }
        if (*at >= 0x80)
            size = character_bytes(at, left);
        if (!size || !*at)
            return false;
        at += size;
        left -= size;
    }
    return true;
}
