/* SPDX-License-Identifier: MIT */
/*
 * The fast path of CAIRN_WRITE_EVENT: arguments become data. There is a function for each number of
 * arguments.
 *
 * Most events have only numbers and short strings. fill_simple handles these without calling a
 * function, so that all its variables stay in registers. Other events take the general path
 * (write_any.c).
 *
 * While the time stamp counter is read a processor can do little else, so the rest of the cost of
 * an event is its number of instructions: each of them counts.
 */
#define CAIRN_I_COLD

#include "eventheader/encode_string.h"
#include "user_events/emit.h"

/* The largest size of a number or a short string, including its length. */
#define SIMPLE_BYTES (2 + EVENTHEADER_SHORT_BYTES)

/* NULL: neither a number nor a short string. The caller has provided the space. */
static inline __attribute__((always_inline)) uint8_t *encode_simple(uint8_t *to, char letter,
                                                                    uint64_t value)
{
    size_t kind = (uint8_t)letter;
    size_t size_less_1 = kind - '1';

    if (size_less_1 < 8)
        return eventheader_encode_number(to, value, size_less_1 + 1);
    return cairn_likely(kind == 't') ? eventheader_encode_string(to, value) : NULL;
}

/* Fills in an event of numbers and short strings. NULL: it has other fields, or there is not enough
 * space. Each of the first arguments has a letter of the signature, space, and branches of its own,
 * which the processor can predict. */
static inline __attribute__((always_inline)) uint8_t *fill_simple(uint8_t *to, uint8_t *limit,
                                                                  const void *arg)
{
    const struct eventheader_write *e = arg;

    if (e->rest && limit - to > (ptrdiff_t)CAIRN_PAYLOAD_MAX_BYTES)
        limit = to + CAIRN_PAYLOAD_MAX_BYTES;
    to = eventheader_encode_constant(to, e);
    if (e->first_count > 0)
        to = encode_simple(to, e->signature[0], e->first[0]);
    if (e->first_count > 1 && cairn_likely(to))
        to = encode_simple(to, e->signature[1], e->first[1]);
    if (e->first_count > 2 && cairn_likely(to))
        to = encode_simple(to, e->signature[2], e->first[2]);
    if (!e->rest)
        return to;
    for (const char *signature = e->signature + EVENTHEADER_WRITE_FIRST_COUNT;
         cairn_likely(to) && *signature; signature++) {
        if (cairn_unlikely(limit - to < SIMPLE_BYTES))
            return NULL;
        to = encode_simple(to, *signature, va_arg(*e->rest, uint64_t));
    }
    return to;
}

/* Enough space that fill_simple does not need to compare with the limit. */
static inline uint32_t simple_space(const struct eventheader_write *e)
{
    return e->constant_bytes + e->first_count * SIMPLE_BYTES;
}

static inline __attribute__((always_inline)) int
write_first(const struct cairn_tracepoint *tracepoint, const void *event, const char *signature,
            uint32_t count, uint64_t a, uint64_t b, uint64_t c)
{
    struct eventheader_write e = eventheader_write_of(event, signature, count, a, b, c);
    /* Only the general path needs these again. In memory they occupy no register, which would have
     * to be saved around the fast path. */
    const struct cairn_tracepoint *volatile tracepoint_again = tracepoint;
    const void *volatile event_again = event;
    int error = user_events_emit_hot(tracepoint, simple_space(&e), fill_simple, &e);

    if (cairn_unlikely(error == EAGAIN))
        return eventheader_write_any(tracepoint_again, event_again, signature, a, b, c);
    return error;
}

int cairn_i_eventheader_write_0(const struct cairn_tracepoint *tracepoint, const void *event,
                                const char *signature)
{
    return write_first(tracepoint, event, signature, 0, 0, 0, 0);
}

int cairn_i_eventheader_write_1(const struct cairn_tracepoint *tracepoint, const void *event,
                                const char *signature, uint64_t a)
{
    return write_first(tracepoint, event, signature, 1, a, 0, 0);
}

int cairn_i_eventheader_write_2(const struct cairn_tracepoint *tracepoint, const void *event,
                                const char *signature, uint64_t a, uint64_t b)
{
    return write_first(tracepoint, event, signature, 2, a, b, 0);
}

int cairn_i_eventheader_write_3(const struct cairn_tracepoint *tracepoint, const void *event,
                                const char *signature, uint64_t a, uint64_t b, uint64_t c)
{
    return write_first(tracepoint, event, signature, 3, a, b, c);
}

int cairn_i_eventheader_write_more(const struct cairn_tracepoint *tracepoint, const void *event,
                                   const char *signature, uint64_t a, uint64_t b, uint64_t c, ...)
{
    va_list rest;
    struct eventheader_write e =
        eventheader_write_of(event, signature, EVENTHEADER_WRITE_FIRST_COUNT, a, b, c);
    int error;

    e.rest = &rest;
    va_start(rest, c);
    error = user_events_emit_hot(tracepoint, simple_space(&e), fill_simple, &e);
    if (cairn_unlikely(error == EAGAIN)) {
        va_end(rest);
        va_start(rest, c);
        error = eventheader_write_any_more(tracepoint, &e);
    }
    va_end(rest);
    return error;
}
