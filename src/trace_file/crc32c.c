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

/* The instruction's result comes after three cycles, and each cycle one can begin: so three streams
 * of this length are computed at the same time, and then joined. */
#define STREAM_BYTES 4096u
#define STREAMS      3u

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

/* By byte of a checksum: what becomes of it by the zeros of a stream's length. */
static uint32_t shifts[sizeof(uint32_t)][256];

static void fill_shifts(void)
{
    static const uint8_t zeros[STREAM_BYTES];
    uint32_t of_bit[32];

    for (unsigned bit = 0; bit < 32; bit++)
        of_bit[bit] = by_instruction(UINT32_C(1) << bit, zeros, sizeof(zeros));
    for (unsigned byte = 0; byte < sizeof(uint32_t); byte++) {
        for (unsigned value = 0; value < 256; value++) {
            uint32_t shifted = 0;

            for (unsigned bit = 0; bit < 8; bit++)
                shifted ^= value >> bit & 1 ? of_bit[8 * byte + bit] : 0;
            core_store_relaxed(&shifts[byte][value], shifted);
        }
    }
}

static uint32_t shift(uint32_t crc)
{
    uint32_t shifted = 0;

    for (unsigned byte = 0; byte < sizeof(uint32_t); byte++)
        shifted ^= core_load_relaxed(&shifts[byte][crc >> 8 * byte & 0xff]);
    return shifted;
}

__attribute__((target("sse4.2"))) static uint32_t of_streams(uint32_t crc, const uint8_t *at)
{
    uint64_t first = crc;
    uint64_t second = 0;
    uint64_t third = 0;

    for (size_t n = 0; n < STREAM_BYTES; n += sizeof(uint64_t)) {
        uint64_t parts[STREAMS];

        memcpy(&parts[0], at + n, sizeof(uint64_t));
        memcpy(&parts[1], at + n + STREAM_BYTES, sizeof(uint64_t));
        memcpy(&parts[2], at + n + (size_t)2 * STREAM_BYTES, sizeof(uint64_t));
        first = __builtin_ia32_crc32di(first, parts[0]);
        second = __builtin_ia32_crc32di(second, parts[1]);
        third = __builtin_ia32_crc32di(third, parts[2]);
    }
    return shift(shift((uint32_t)first) ^ (uint32_t)second) ^ (uint32_t)third;
}

static uint32_t by_streams(uint32_t crc, const uint8_t *at, size_t size)
{
    static uint32_t is_filled; /* as above */

    if (size >= (size_t)STREAMS * STREAM_BYTES && !core_load_acquire(&is_filled)) {
        fill_shifts();
        core_store_release(&is_filled, 1);
    }
    for (; size >= (size_t)STREAMS * STREAM_BYTES; size -= (size_t)STREAMS * STREAM_BYTES) {
        crc = of_streams(crc, at);
        at += (size_t)STREAMS * STREAM_BYTES;
    }
    return by_instruction(crc, at, size);
}

static uint32_t update(uint32_t crc, const uint8_t *at, size_t size)
{
    return __builtin_cpu_supports("sse4.2") ? by_streams(crc, at, size) : by_table(crc, at, size);
}

#else

static uint32_t update(uint32_t crc, const uint8_t *at, size_t size)
{
    return by_table(crc, at, size);
}

#endif

uint32_t trace_file_crc32c_more(uint32_t crc, const void *data, size_t size_bytes)
{
    return ~update(~crc, (const uint8_t *)data, size_bytes);
}

uint32_t trace_file_crc32c(const void *data, size_t size_bytes)
{
    return trace_file_crc32c_more(0, data, size_bytes);
}
