/* SPDX-License-Identifier: MIT */
/* Integers from unaligned bytes of either byte order. */
#ifndef CORE_LOAD_H
#define CORE_LOAD_H

#include <stdbool.h>
#include <stdint.h>

static inline uint16_t core_load16(const uint8_t *from, bool swap)
{
    uint16_t value;

    __builtin_memcpy(&value, from, sizeof(value));
    return swap ? __builtin_bswap16(value) : value;
}

static inline uint32_t core_load32(const uint8_t *from, bool swap)
{
    uint32_t value;

    __builtin_memcpy(&value, from, sizeof(value));
    return swap ? __builtin_bswap32(value) : value;
}

static inline uint64_t core_load64(const uint8_t *from, bool swap)
{
    uint64_t value;

    __builtin_memcpy(&value, from, sizeof(value));
    return swap ? __builtin_bswap64(value) : value;
}

/* size_bytes is 1, 2, 4 or 8. */
static inline uint64_t core_load_unsigned(const uint8_t *from, uint32_t size_bytes, bool swap)
{
    switch (size_bytes) {
    case 1:
        return *from;
    case 2:
        return core_load16(from, swap);
    case 4:
        return core_load32(from, swap);
    default:
        return core_load64(from, swap);
    }
}

static inline int64_t core_load_signed(const uint8_t *from, uint32_t size_bytes, bool swap)
{
    unsigned unused_bits = 64 - 8 * size_bytes;

    return (int64_t)(core_load_unsigned(from, size_bytes, swap) << unused_bits) >> unused_bits;
}

#endif
