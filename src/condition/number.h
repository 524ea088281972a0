/* SPDX-License-Identifier: MIT */
/* Numbers that a filter compares and that may be missing, or out of the range of integers. */
#ifndef CONDITION_NUMBER_H
#define CONDITION_NUMBER_H

#include "core/filter.h"
#include "core/load.h"

static inline struct filter_number_or_none condition_integer(uint64_t number)
{
    return (struct filter_number_or_none){number, FILTER_NUMBER_WITHIN};
}

/* The integral part of a floating-point number of 4 or 8 bytes. */
static inline struct filter_number_or_none condition_integral(const uint8_t *data,
                                                              uint32_t size_bytes, bool swap)
{
    uint64_t bits = core_load_unsigned(data, size_bytes, swap);
    uint32_t bits32 = (uint32_t)bits;
    float single;
    double value;

    __builtin_memcpy(&value, &bits, sizeof(value));
    __builtin_memcpy(&single, &bits32, sizeof(single));
    if (size_bytes == sizeof(single))
        value = (double)single;
    if (__builtin_isnan(value))
        return (struct filter_number_or_none){0, FILTER_NUMBER_NONE};
    if (value >= 0x1p63)
        return (struct filter_number_or_none){0, FILTER_NUMBER_ABOVE};
    if (value < -0x1p63)
        return (struct filter_number_or_none){0, FILTER_NUMBER_BELOW};
    return condition_integer((uint64_t)(int64_t)value);
}

#endif
