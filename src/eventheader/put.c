/* SPDX-License-Identifier: MIT */
/*
 * The values of variable size of CAIRN_WRITE_EVENT. A short value is copied without a comparison
 * with what is left, which begin has compared with the space for all of them. For a longer one the
 * values may have to move.
 */
#define CAIRN_I_HOT

#include "eventheader/copy.h"
#include "eventheader/encode_string.h"
#include "eventheader/scratch.h"
#include "eventheader/write.h"
#include "user_events/emit.h"

#include <arpa/inet.h>
#include <string.h>

/* Larger than any event. */
#define TOO_LARGE EVENTHEADER_SCRATCH_BYTES

static uint32_t shift_of(uint32_t form)
{
    return form & CAIRN_I_SHIFT;
}

/* Number of units before the zero, at most `limit`; of a negative limit, which is too large here,
 * the limit. */
static uint64_t length_of(const void *text, uint32_t shift, uint64_t limit)
{
    uint64_t n = 0;

    if (limit > CAIRN_I_NO_LIMIT)
        return limit;
    if (shift == 0)
        return limit == CAIRN_I_NO_LIMIT ? strlen(text) : strnlen(text, limit);
    if (shift == 1) {
        while (n < limit && ((const uint16_t *)text)[n])
            n++;
    } else {
        while (n < limit && ((const uint32_t *)text)[n])
            n++;
    }
    return n;
}

static void copy_network_order(uint8_t *to, const uint8_t *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 2) {
        uint16_t unit;

        __builtin_memcpy(&unit, from + at, 2);
        unit = htons(unit);
        __builtin_memcpy(to + at, &unit, 2);
    }
}

/* True if this number of bytes, and all that is reserved for other values, have space after `to`.
 */
static bool has_space(const struct engine_thread *thread, const uint8_t *to, size_t bytes)
{
    const struct eventheader_aside *aside;
    size_t reserved;
    ptrdiff_t left;

    if (eventheader_is_in_buffer(thread, to)) {
        reserved = thread->event.room_bytes;
        left = engine_emit_limit(thread) - to;
        if (eventheader_bytes_in_buffer(thread, to) + bytes + reserved >
            EVENTHEADER_BUFFER_MAX_BYTES)
            return false;
    } else {
        aside = eventheader_aside_of(to);
        reserved = aside->event.room_bytes;
        left = aside->values + EVENTHEADER_SCRATCH_BYTES - to;
    }
    return left >= (ptrdiff_t)(bytes + reserved);
}

/* Finds space for a value that is longer than what is reserved for it: *to may move. False: there
 * is none, now or for a value before it, and the event will not be written. */
static bool make_space(uint8_t **to, size_t bytes)
{
    struct engine_thread *thread = engine_thread_self;
    uint8_t *moved;

    if (has_space(thread, *to, bytes))
        return true;
    if (eventheader_is_in_buffer(thread, *to)) {
        if (thread->event.descriptor == ENGINE_ID_NONE)
            return false;
        moved = eventheader_move_aside(thread, *to);
        if (!moved) {
            engine_emit_refuse(thread);
            thread->event.descriptor = ENGINE_ID_NONE;
            return false;
        }
        *to = moved;
        if (has_space(thread, moved, bytes))
            return true;
    }
    eventheader_aside_of(*to)->error = E2BIG;
    return false;
}

static void copy(uint8_t *to, const void *from, size_t bytes, uint32_t form)
{
    if (!from)
        memset(to, 0, bytes);
    else if (form & CAIRN_I_NETWORK)
        copy_network_order(to, from, bytes);
    else if (bytes < EVENTHEADER_SHORT_BYTES)
        eventheader_copy_short(to, from, (uint32_t)bytes);
    else
        memcpy(to, from, bytes);
}

static inline uint8_t *put_count(uint8_t *to, uint64_t count)
{
    __builtin_memcpy(to, &(uint16_t){(uint16_t)count}, 2);
    return to + 2;
}

uint8_t *cairn_i_put_units(uint8_t *to, const void *from, uint64_t count, uint32_t form)
{
    uint32_t shift = shift_of(form);
    size_t bytes;

    if (!from && !(form & CAIRN_I_CONSTANT))
        count = 0;
    else if (form & CAIRN_I_UP_TO)
        count = length_of(from, shift, count);
    bytes = count > UINT16_MAX ? TOO_LARGE : (size_t)count << shift;
    if ((bytes >= EVENTHEADER_SHORT_BYTES || form & CAIRN_I_CHECKED) && !make_space(&to, bytes))
        return to;
    if (form & CAIRN_I_COUNT)
        to = put_count(to, count);
    copy(to, from, bytes, form);
    to += bytes;
    if (form & CAIRN_I_ZERO) {
        __builtin_memset(to, 0, 4);
        to += (size_t)1 << shift;
    }
    return to;
}

uint8_t *cairn_i_put_slice(uint8_t *to, const void *from, uint64_t count, uint32_t form)
{
    /* A count so large that it is no number of bytes below takes the general path, too. */
    uint64_t bytes = count << shift_of(form);

    if (cairn_unlikely(!from || (count | bytes) >= EVENTHEADER_SHORT_BYTES ||
                       form & CAIRN_I_CHECKED))
        return cairn_i_put_units(to, from, count, form);
    to = put_count(to, count);
    eventheader_copy_short(to, from, (uint32_t)bytes);
    return to + bytes;
}

uint8_t *cairn_i_put_text(uint8_t *to, const char *text)
{
    uint8_t *end = eventheader_encode_string(to, text);

    if (cairn_likely(end))
        return end;
    return cairn_i_put_units(to, text, CAIRN_I_NO_LIMIT, CAIRN_I_COUNT | CAIRN_I_UP_TO);
}
