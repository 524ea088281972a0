/* SPDX-License-Identifier: MIT */
/* A buffer that grows, and remembers its first failure: what is added after it is lost. */
#ifndef REPORT_BYTES_H
#define REPORT_BYTES_H

#include <cairn/tracepoint.h>
#include <stddef.h>
#include <stdint.h>

struct report_bytes {
    uint8_t *data;
    size_t size;
    size_t capacity;
    int error; /* 0, ENOMEM */
};

#define REPORT_VARINT_MAX_BYTES 10u

/* Makes space for more bytes: the slow path of report_bytes_reserve. False: no memory. */
bool report_bytes_grow(struct report_bytes *bytes, size_t more);

/* Accepts zeros. */
void report_bytes_free(struct report_bytes *bytes);

static inline bool report_bytes_reserve(struct report_bytes *bytes, size_t more)
{
    return cairn_likely(bytes->capacity - bytes->size >= more) || report_bytes_grow(bytes, more);
}

void report_bytes_add(struct report_bytes *bytes, const void *data, size_t size);

/* Seven bits in each byte, the low ones first; the last byte has no high bit. */
static inline void report_bytes_varint(struct report_bytes *bytes, uint64_t number)
{
    if (!report_bytes_reserve(bytes, REPORT_VARINT_MAX_BYTES))
        return;
    for (; number >= 0x80; number >>= 7)
        bytes->data[bytes->size++] = (uint8_t)(number | 0x80);
    bytes->data[bytes->size++] = (uint8_t)number;
}

/* A difference: small ones of either sign are short. */
static inline void report_bytes_difference(struct report_bytes *bytes, uint64_t now,
                                           uint64_t before)
{
    uint64_t d = now - before;

    report_bytes_varint(bytes, d << 1 ^ (d >> 63 ? ~UINT64_C(0) : 0));
}

#endif
