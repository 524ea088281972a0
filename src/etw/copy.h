/* SPDX-License-Identifier: MIT */
/* A copy of values in ETW's form, on the stack. */
#ifndef ETW_COPY_H
#define ETW_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ETW_COPY_MAX_BYTES 0x10000u /* of an event with its metadata, in ETW */

struct etw_copy {
    size_t length;
    bool is_full; /* something had no space */
    uint8_t bytes[ETW_COPY_MAX_BYTES];
};

static inline void etw_copy_begin(struct etw_copy *copy)
{
    copy->length = 0;
    copy->is_full = false;
}

/* Returns the address for this number of bytes, or NULL: there is no space. */
uint8_t *etw_copy_take(struct etw_copy *copy, size_t bytes);

/* Adds bytes; NULL: zeros. */
void etw_copy_add(struct etw_copy *copy, const void *from, size_t bytes);

/* Adds two bytes, the low one first. */
void etw_copy_add_u16(struct etw_copy *copy, uint32_t value);

/*
 * Adds text of UTF-32 as UTF-16.
 *
 * units         of any alignment; NULL: none
 * ends_at_zero  the text ends at a zero, or after `count` units
 * has_size      its size in bytes is before it; otherwise a zero is after it
 */
void etw_copy_add_utf32(struct etw_copy *copy, const void *units, size_t count, bool ends_at_zero,
                        bool has_size);

/* Adds an address after its size: one of IPv4 as the one of IPv6 that stands for it. */
void etw_copy_add_address(struct etw_copy *copy, const void *address, size_t size);

#endif
