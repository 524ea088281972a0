/* SPDX-License-Identifier: MIT */
/*
 * The slow half of CAIRN_WRITE_EVENT: arguments become data. A function for each number of them.
 *
 * Most events have nothing but numbers and short strings: fill_simple does these, and calls no
 * function, so that all it has stays in registers. Others go the long way (write_any.c).
 *
 * Reading the time stamp counter keeps a processor from doing much else: what an event takes
 * besides is the number of its instructions, and each of them counts.
 */
#define CAIRN_I_COLD

#include "eventheader/put_string.h"
#include "user_events/emit.h"

/* What a number or a short string takes at most, with its length. */
#define SIMPLE_BYTES (2 + CAIRN_SHORT_BYTES)

/* NULL: neither number nor short string. There is room for one. */
static inline __attribute__((always_inline)) uint8_t *put_simple(uint8_t *to, char letter,
                                                                 uint64_t value)
{
    size_t kind = (uint8_t)letter;
    size_t size_less_1 = kind - '1';

    if (size_less_1 < 8)
        return cairn_put_number(to, value, size_less_1 + 1);
    return cairn_likely(kind == 't') ? cairn_put_string(to, value) : NULL;
}

/*
 * Events of nothing but numbers and short strings; NULL: it is none, or there is no room. Each of
 * the first arguments has a letter of the plan, for which there is room, and branches of its own,
 * that are foreseen.
 */
static inline __attribute__((always_inline)) uint8_t *fill_simple(uint8_t *to, uint8_t *limit,
                                                                  const void *arg)
{
    const struct cairn_write *e = arg;

    if (e->rest && limit - to > (ptrdiff_t)CAIRN_PAYLOAD_MAX_BYTES)
        limit = to + CAIRN_PAYLOAD_MAX_BYTES;
    to = cairn_put_constant(to, e);
    if (e->first_count > 0)
        to = put_simple(to, e->plan[0], e->first[0]);
    if (e->first_count > 1 && cairn_likely(to))
        to = put_simple(to, e->plan[1], e->first[1]);
    if (e->first_count > 2 && cairn_likely(to))
        to = put_simple(to, e->plan[2], e->first[2]);
    if (!e->rest)
        return to;
    for (const char *plan = e->plan + CAIRN_WRITE_FIRST_COUNT; cairn_likely(to) && *plan; plan++) {
        if (cairn_unlikely(limit - to < SIMPLE_BYTES))
            return NULL;
        to = put_simple(to, *plan, va_arg(*e->rest, uint64_t));
    }
    return to;
}

/* So that fill_simple need not look at the limit. */
static inline uint32_t simple_room(const struct cairn_write *e)
{
    return e->constant_bytes + e->first_count * SIMPLE_BYTES;
}

static inline __attribute__((always_inline)) int
write_first(const struct cairn_tracepoint *tracepoint, const void *event, const char *plan,
            uint32_t count, uint64_t a, uint64_t b, uint64_t c)
{
    struct cairn_write e = cairn_write_of(event, plan, count, a, b, c);
    /* Needed once more for the long way alone: in memory they take up no register, which would have
     * to be saved for that. */
    const struct cairn_tracepoint *volatile tracepoint_again = tracepoint;
    const void *volatile event_again = event;
    int error = cairn_user_event_emit_hot(tracepoint, simple_room(&e), fill_simple, &e);

    if (cairn_unlikely(error == EAGAIN))
        return cairn_write_any(tracepoint_again, event_again, plan, a, b, c);
    return error;
}

int cairn_i_eventheader_write_0(const struct cairn_tracepoint *tracepoint, const void *event,
                                const char *plan)
{
    return write_first(tracepoint, event, plan, 0, 0, 0, 0);
}

int cairn_i_eventheader_write_1(const struct cairn_tracepoint *tracepoint, const void *event,
                                const char *plan, uint64_t a)
{
    return write_first(tracepoint, event, plan, 1, a, 0, 0);
}

int cairn_i_eventheader_write_2(const struct cairn_tracepoint *tracepoint, const void *event,
                                const char *plan, uint64_t a, uint64_t b)
{
    return write_first(tracepoint, event, plan, 2, a, b, 0);
}

int cairn_i_eventheader_write_3(const struct cairn_tracepoint *tracepoint, const void *event,
                                const char *plan, uint64_t a, uint64_t b, uint64_t c)
{
    return write_first(tracepoint, event, plan, 3, a, b, c);
}

int cairn_i_eventheader_write_more(const struct cairn_tracepoint *tracepoint, const void *event,
                                   const char *plan, uint64_t a, uint64_t b, uint64_t c, ...)
{
    va_list rest;
    struct cairn_write e = cairn_write_of(event, plan, CAIRN_WRITE_FIRST_COUNT, a, b, c);
    int error;

    e.rest = &rest;
    va_start(rest, c);
    error = cairn_user_event_emit_hot(tracepoint, simple_room(&e), fill_simple, &e);
    if (cairn_unlikely(error == EAGAIN)) {
        va_end(rest);
        va_start(rest, c);
        error = cairn_write_any_more(tracepoint, &e);
    }
    va_end(rest);
    return error;
}
