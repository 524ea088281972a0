/* SPDX-License-Identifier: MIT */
/*
 * The arguments of a call site, and what the fast path (write.c) and the general path (write_any.c)
 * of writing an event share.
 *
 * A call site passes a signature, a letter or two for each field, and its arguments as u64:
 *
 *   1 2 4 8   the argument's low bytes
 *   g         16 bytes that it points to
 *   nK        pointer, count: a u16 count, then as many units of 1 << K bytes
 *   pK        as n, units of two bytes, converted to network byte order
 *   t         pointer to a zero-terminated text: a u16 count, then its bytes without the zero
 *   sK        as t, for units of 1 << K bytes
 *   zK        as s, but without the count and with the zero
 *   yK        pointer, limit: units up to a zero or the limit, then a zero
 *   rK        pointer, count: units without a count
 *   vK        as r; NULL: zeros
 *   wK        as v, units of two bytes, converted to network byte order
 *   mK        pointer to 1 << K bytes: a u16 count of bytes, and these; NULL: count 0
 *   jK        as m, two bytes, converted to network byte order
 *   a b       the id of the activity, of the related activity
 *
 * Data is written in one pass to its final address, as long as there is space.
 */
#ifndef EVENTHEADER_WRITE_H
#define EVENTHEADER_WRITE_H

#include "eventheader/copy.h"

#include <cairn/eventheader.h>
#include <stdarg.h>

/* Longer strings take the general path: its cost does not matter for them. */
#define EVENTHEADER_SHORT_BYTES 256

/* Number of arguments that are passed in registers. */
#define EVENTHEADER_WRITE_FIRST_COUNT 3

struct eventheader_write {
    const struct cairn_i_event *constant;
    uint32_t constant_bytes; /* header, metadata extension */
    const char *signature;
    uint32_t first_count;
    uint64_t first[EVENTHEADER_WRITE_FIRST_COUNT];
    va_list *rest; /* or NULL */
};

static inline struct eventheader_write eventheader_write_of(const struct cairn_i_event *constant,
                                                            const char *signature,
                                                            uint32_t first_count, uint64_t a,
                                                            uint64_t b, uint64_t c)
{
    return (struct eventheader_write){
        .constant = constant,
        .constant_bytes = (uint32_t)sizeof(*constant) + constant->extension.size_bytes,
        .signature = signature,
        .first_count = first_count,
        .first = {a, b, c},
    };
}

static inline const void *eventheader_pointer_of(uint64_t value)
{
    uintptr_t pointer = (uintptr_t)value;

    /* gcc 12 assumes that a pointer which was a number in an array points into this array, and that
     * strlen of it is less than the size of the array. */
    __asm__("" : "+r"(pointer));
    return (const void *)pointer;
}

static inline uint8_t *eventheader_encode_number(uint8_t *to, uint64_t value, size_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    __builtin_memcpy(to, &value, 8);
#else
    __builtin_memcpy(to, (const uint8_t *)&value + 8 - bytes, bytes);
#endif
    return to + bytes;
}

static inline __attribute__((always_inline)) uint8_t *
eventheader_encode_constant(uint8_t *to, const struct eventheader_write *e)
{
    const uint8_t *from = (const uint8_t *)e->constant;
    size_t bytes = e->constant_bytes;

    if (cairn_likely(bytes - 16 <= 16)) {
        eventheader_copy_16(to, from);
        eventheader_copy_16(to + bytes - 16, from + bytes - 16);
        return to + bytes;
    }
    if (cairn_unlikely(bytes < 16)) { /* a name of up to two letters, and no field */
        eventheader_copy_short(to, from, (uint32_t)bytes);
        return to + bytes;
    }
    for (; bytes > 16; bytes -= 16, to += 16, from += 16)
        eventheader_copy_16(to, from);
    eventheader_copy_16(to + bytes - 16, from + bytes - 16);
    return to + bytes;
}

/* Writes any event. Both return what user_events_emit does. */
int eventheader_write_any(const struct cairn_tracepoint *tracepoint, const void *event,
                          const char *signature, uint64_t a, uint64_t b, uint64_t c);
int eventheader_write_any_more(const struct cairn_tracepoint *tracepoint,
                               const struct eventheader_write *e);

#endif
