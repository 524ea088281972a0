/* SPDX-License-Identifier: MIT */
/* A hash for finding what was seen before: a multiplication for every 16 bytes. Not secure against
 * chosen keys.
 */
#ifndef PERF_DATA_HASH_H
#define PERF_DATA_HASH_H

#include "core/load.h"

#include <stddef.h>

/* Odd numbers without a pattern in their bits. */
#define PERF_DATA_HASH_K1 0x9e3779b97f4a7c15u /* the golden ratio's */
#define PERF_DATA_HASH_K2 0xd6e8feb86659fd93u

static inline uint64_t perf_data_hash_mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t perf_data_hash(const uint8_t *data, size_t size_bytes, uint64_t seed)
{
    uint64_t a = 0;
    uint64_t b = 0;
    size_t left = size_bytes;

    for (; left > 16; left -= 16, data += 16)
        seed = perf_data_hash_mix(core_load64(data, false) ^ PERF_DATA_HASH_K1,
                                  core_load64(data + 8, false) ^ seed);
    if (left >= 8) {
        a = core_load64(data, false);
        b = core_load64(data + left - 8, false);
    } else {
        for (size_t n = 0; n < left; n++)
            a = a << 8 | data[n];
    }
    return perf_data_hash_mix(a ^ PERF_DATA_HASH_K2 ^ size_bytes, b ^ seed);
}

#endif
