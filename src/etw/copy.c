/* SPDX-License-Identifier: MIT */
/* A copy of values in ETW's form. */
#include "etw/copy.h"

#include <string.h>

#define UTF16_REPLACEMENT 0xfffd

uint8_t *etw_copy_take(struct etw_copy *copy, size_t bytes)
{
    uint8_t *to = copy->bytes + copy->length;

    if (copy->is_full || bytes > sizeof(copy->bytes) - copy->length) {
        copy->is_full = true;
        return NULL;
    }
    copy->length += bytes;
    return to;
}

void etw_copy_add(struct etw_copy *copy, const void *from, size_t bytes)
{
    uint8_t *to = etw_copy_take(copy, bytes);

    if (!to || !bytes)
        return;
    if (from)
        memcpy(to, from, bytes);
    else
        memset(to, 0, bytes);
}

void etw_copy_add_u16(struct etw_copy *copy, uint32_t value)
{
    uint8_t *to = etw_copy_take(copy, 2);

    if (to) {
        to[0] = (uint8_t)value;
        to[1] = (uint8_t)(value >> 8);
    }
}

static void add_character(struct etw_copy *copy, uint32_t c)
{
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        c = UTF16_REPLACEMENT;
    if (c < 0x10000) {
        etw_copy_add_u16(copy, c);
        return;
    }
    etw_copy_add_u16(copy, 0xd800 + ((c - 0x10000) >> 10));
    etw_copy_add_u16(copy, 0xdc00 + ((c - 0x10000) & 0x3ff));
}

void etw_copy_add_utf32(struct etw_copy *copy, const void *units, size_t count, bool ends_at_zero,
                        bool has_size)
{
    uint8_t *size = has_size ? etw_copy_take(copy, 2) : NULL;
    size_t begin = copy->length;

    for (size_t i = 0; units && i < count && !copy->is_full; i++) {
        uint32_t c;

        memcpy(&c, (const uint8_t *)units + 4 * i, sizeof(c));
        if (ends_at_zero && !c)
            break;
        add_character(copy, c);
    }
    if (!has_size) {
        etw_copy_add_u16(copy, 0);
    } else if (copy->length - begin > UINT16_MAX) {
        copy->is_full = true;
    } else if (size) {
        size[0] = (uint8_t)(copy->length - begin);
        size[1] = (uint8_t)((copy->length - begin) >> 8);
    }
}

void etw_copy_add_address(struct etw_copy *copy, const void *address, size_t size)
{
    static const uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    size_t prefix_bytes = size == 4 ? sizeof(prefix) : 0;

    etw_copy_add_u16(copy, (uint32_t)(size + prefix_bytes));
    etw_copy_add(copy, prefix, prefix_bytes);
    etw_copy_add(copy, address, size);
}
