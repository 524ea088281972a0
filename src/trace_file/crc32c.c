/* SPDX-License-Identifier: MIT */
/* CRC-32C: with the processor's instruction if it has one, otherwise with a table of 256 entries.
 */
#include "trace_file/crc32c.h"
#include "core/atomic.h"

#include <string.h>

#define POLYNOMIAL 0x82f63b78u /* with the lowest bit first */

static uint32_t of_byte(uint32_t crc)
{
    for (int bit = 0; bit < 8; bit++)
        crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
    return crc;
}

static uint32_t by_table(uint32_t crc, const uint8_t *at, size_t size)
{
    static uint32_t table[256];
    static uint32_t is_filled; /* several threads may fill it, all with the same values */

    if (!core_load_acquire(&is_filled)) {
        for (uint32_t n = 0; n < 256; n++)
            core_store_relaxed(&table[n], of_byte(n));
        core_store_release(&is_filled, 1);
    }
    while (size--)
        crc = crc >> 8 ^ core_load_relaxed(&table[(crc ^ *at++) & 0xff]);
    return crc;
}

#ifdef __x86_64__

__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const uint8_t *at,
                                                                 size_t size)
{
    uint64_t wide = crc;

    for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), at += sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, at, sizeof(word));
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = (uint32_t)wide;
    while (size--)
        crc = __builtin_ia32_crc32qi(crc, *at++);
    return crc;
}

static uint32_t update(uint32_t crc, const uint8_t *at, size_t size)
{
    return __builtin_cpu_supports("sse4.2") ? by_instruction(crc, at, size)
                                            : by_table(crc, at, size);
}

#else

static uint32_t update(uint32_t crc, const uint8_t *at, size_t size)
{
    return by_table(crc, at, size);
}

#endif

uint32_t trace_file_crc32c(const void *data, size_t size_bytes)
{
    return ~update(UINT32_MAX, (const uint8_t *)data, size_bytes);
}
