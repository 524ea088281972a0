/* SPDX-License-Identifier: MIT */
/*
 * The slow half of CAIRN_WRITE_EVENT: arguments become data.
 *
 * A place in the program passes a plan, a letter or two for each field, and its arguments as u64:
 *
 *   1 2 4 8   the argument's low bytes
 *   g         16 bytes that it points to
 *   nK        pointer, count: a u16 count, then as many units of 1 << K bytes
 *   pK        the same, units of two bytes, turned into network byte order
 *   t         pointer to bytes ended by a zero: a u16 count, then these without the zero
 *   sK        the same for units of 1 << K bytes
 *   zK        the same: these and the zero
 *   yK        pointer, limit: units up to a zero or the limit, then a zero
 *   rK        pointer, count: units as they are
 *   vK        the same; NULL: zeros
 *   wK        the same, units of two bytes, turned into network byte order
 *   mK        pointer to 1 << K bytes: a u16 count of bytes, and these; NULL: none
 *   jK        the same, two bytes, turned into network byte order
 *   a b       the activity's id, the related one's
 *
 * Data is written in one pass where it stays, as long as there is room. Most events have nothing
 * but numbers and short strings: fill_simple does these, and calls no function, so that all it has
 * stays in registers. fill_any does all events.
 *
 * Reading the time stamp counter keeps a processor from doing much else: what an event takes
 * besides is the number of its instructions, and each of them counts.
 */
#define CAIRN_I_COLD

#include "user_events/emit.h"

#include <cairn/eventheader.h>

#include <arpa/inet.h>
#include <stdarg.h>
#include <string.h>

/* Strings are loaded in blocks, unless a sanitizer would mind what lies behind them. */
#if defined(__has_feature) /* clang */
#define IS_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif
#if defined(__SSE2__) && !IS_SANITIZED
#include <emmintrin.h>
#define LOADS_BLOCKS 1
#else
#define LOADS_BLOCKS 0
#endif

/* Longer strings go the long way: the length of that does not matter then. */
#define SHORT_BYTES 256

/* What a number or a short string takes at most, with its length. */
#define SIMPLE_BYTES (2 + SHORT_BYTES)

/* So many arguments come in registers. */
#define FIRST_COUNT 3

struct event {
    const struct cairn_i_event *constant;
    uint32_t constant_bytes; /* header, metadata extension */
    const char *plan;
    uint32_t first_count;
    uint64_t first[FIRST_COUNT];
    va_list *rest; /* or NULL */
};

/* Units to be copied. */
struct units {
    const uint8_t *from;
    uint64_t count;
    uint32_t shift;
};

static inline const void *pointer_of(uint64_t value)
{
    uintptr_t pointer = (uintptr_t)value;

    /* gcc 12 takes what strlen says of a pointer that was a number in an array to be less than the
     * size of the array. */
    __asm__("" : "+r"(pointer));
    return (const void *)pointer;
}

/* ---- copies: the destination has slack for 40 bytes, the source has none ---- */

static inline void copy_16(uint8_t *to, const uint8_t *from)
{
    __builtin_memcpy(to, from, 16);
}

/* At least 16 bytes: the last block overlaps the one before it. */
static inline void copy_blocks(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    uint32_t at = 0;

    for (; at + 16 < bytes; at += 16)
        copy_16(to + at, from + at);
    copy_16(to + bytes - 16, from + bytes - 16);
}

static inline void copy_short(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    if (bytes >= 16) {
        copy_blocks(to, from, bytes);
    } else if (bytes >= 8) {
        __builtin_memcpy(to, from, 8);
        __builtin_memcpy(to + bytes - 8, from + bytes - 8, 8);
    } else if (bytes >= 4) {
        __builtin_memcpy(to, from, 4);
        __builtin_memcpy(to + bytes - 4, from + bytes - 4, 4);
    } else if (bytes) {
        to[0] = from[0];
        to[bytes / 2] = from[bytes / 2];
        to[bytes - 1] = from[bytes - 1];
    }
}

static inline void copy(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    if (bytes < SHORT_BYTES)
        copy_short(to, from, bytes);
    else
        memcpy(to, from, bytes);
}

static void copy_network_order(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at += 2) {
        uint16_t unit;

        __builtin_memcpy(&unit, from + at, 2);
        unit = htons(unit);
        __builtin_memcpy(to + at, &unit, 2);
    }
}

/* ---- numbers and strings ---- */

static inline uint8_t *put_number(uint8_t *to, uint64_t value, size_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    __builtin_memcpy(to, &value, 8);
#else
    __builtin_memcpy(to, (const uint8_t *)&value + 8 - bytes, bytes);
#endif
    return to + bytes;
}

#if LOADS_BLOCKS

static inline __m128i load_block(const void *from)
{
    return _mm_loadu_si128((const __m128i *)from);
}

/* A bit for each byte that is zero. */
static inline uint32_t zeros_of(__m128i block)
{
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_setzero_si128()));
}

/* Where a block can be loaded without reaching into another page. Not where a page begins: NULL
 * does. */
static inline bool is_within_page(const void *from)
{
    return cairn_likely(((uintptr_t)from - 1) % 4096 < 4096 - 16);
}

static inline void store_block(uint8_t *to, __m128i block)
{
    _mm_storeu_si128((__m128i *)(void *)to, block);
}
#endif

/*
 * A string of less than SHORT_BYTES, without a call; there is room for it. It is loaded and
 * measured in blocks: what lies behind it is loaded too, as strlen does, but not from another page,
 * and goes no further than here. NULL: no such string, or it ends near the end of a page.
 */
#if LOADS_BLOCKS

static inline uint8_t *end_string(uint8_t *to, size_t length)
{
    __builtin_memcpy(to, &(uint16_t){(uint16_t)length}, 2);
    store_block(to + 2 + length, _mm_setzero_si128()); /* over what is not the string */
    return to + 2 + length;
}

/* Of 16 bytes and more: the first of these are in place. */
static inline __attribute__((always_inline)) uint8_t *put_rest_of_string(uint8_t *to,
                                                                         const char *text)
{
    for (size_t at = 16; at < SHORT_BYTES && is_within_page(text + at); at += 16) {
        __m128i block = load_block(text + at);
        uint32_t zeros = zeros_of(block);

        store_block(to + 2 + at, block);
        if (zeros)
            return end_string(to, at + (size_t)__builtin_ctzll(zeros));
    }
    return NULL;
}

static inline __attribute__((always_inline)) uint8_t *put_string(uint8_t *to, uint64_t pointer)
{
    const char *text = (const char *)(uintptr_t)pointer;
    __m128i block;
    uint32_t zeros;

    if (cairn_unlikely(!is_within_page(text)))
        return NULL;
    block = load_block(text);
    store_block(to + 2, block);
    zeros = zeros_of(block);
    return cairn_likely(zeros) ? end_string(to, (size_t)__builtin_ctzll(zeros))
                               : put_rest_of_string(to, text);
}
#else

static inline __attribute__((always_inline)) uint8_t *put_string(uint8_t *to, uint64_t pointer)
{
    const char *text = pointer_of(pointer);
    size_t length = text ? strlen(text) : SHORT_BYTES;

    if (length >= SHORT_BYTES)
        return NULL;
    __builtin_memcpy(to, &(uint16_t){(uint16_t)length}, 2);
    copy_short(to + 2, (const uint8_t *)text, (uint32_t)length);
    return to + 2 + length;
}
#endif

/* NULL: neither number nor short string. There is room for one. */
static inline __attribute__((always_inline)) uint8_t *put_simple(uint8_t *to, char letter,
                                                                 uint64_t value)
{
    size_t kind = (uint8_t)letter;
    size_t size_less_1 = kind - '1';

    if (size_less_1 < 8)
        return put_number(to, value, size_less_1 + 1);
    return cairn_likely(kind == 't') ? put_string(to, value) : NULL;
}

/* ---- whatever else there is ---- */

/* Units before the zero, at most `limit`. */
static uint64_t length_of(const void *text, uint32_t shift, uint64_t limit)
{
    uint64_t n = 0;

    if (!text)
        return 0;
    if (shift == 0)
        return limit == UINT64_MAX ? strlen(text) : strnlen(text, limit);
    if (shift == 1) {
        while (n < limit && ((const uint16_t *)text)[n])
            n++;
    } else {
        while (n < limit && ((const uint32_t *)text)[n])
            n++;
    }
    return n;
}

static bool is_one_letter(char kind)
{
    return kind <= 'g' || kind == 't';
}

/* Of constant length: its count is in the metadata. */
static bool is_array(char kind)
{
    return kind == 'v' || kind == 'w';
}

static bool takes_count(char kind)
{
    return kind == 'n' || kind == 'p' || kind == 'y' || kind == 'r' || is_array(kind);
}

static bool is_in_network_order(char kind)
{
    return kind == 'p' || kind == 'w' || kind == 'j';
}

static struct units units_of(const char *plan, uint64_t value, uint64_t count)
{
    const uint8_t *from = pointer_of(value);
    uint32_t shift = *plan == 't' ? 0 : (uint32_t)(plan[1] - '0');
    struct units units = {from, from || is_array(*plan) ? count : 0, shift};

    if (*plan == 't' || *plan == 's' || *plan == 'z')
        units.count = length_of(units.from, units.shift, UINT64_MAX);
    else if (*plan == 'y')
        units.count = length_of(units.from, units.shift, count);
    else if (*plan == 'm' || *plan == 'j')
        units = (struct units){from, from ? UINT64_C(1) << shift : 0, 0};
    return units;
}

static uint8_t *put_units(uint8_t *to, uint8_t *limit, char kind, const struct units *units)
{
    bool has_zero = kind == 'z' || kind == 'y';
    uint32_t before = has_zero || kind == 'r' || is_array(kind) ? 0 : 2;
    uint32_t behind = has_zero ? 1u << units->shift : 0;
    uint32_t bytes;

    if (units->count > UINT16_MAX)
        return NULL;
    bytes = (uint32_t)units->count << units->shift;
    if ((size_t)before + bytes + behind > (size_t)(limit - to))
        return NULL;
    __builtin_memcpy(to, &(uint16_t){(uint16_t)units->count}, 2);
    to += before;
    if (!units->from)
        memset(to, 0, bytes);
    else if (is_in_network_order(kind))
        copy_network_order(to, units->from, bytes);
    else
        copy(to, units->from, bytes);
    to += bytes;
    __builtin_memset(to, 0, 4);
    return to + behind;
}

static uint8_t *put_guid(uint8_t *to, const uint8_t *from)
{
    static const uint8_t nothing[16];

    copy_16(to, from ? from : nothing);
    return to + 16;
}

/* The activity's extension goes in between header and metadata. */
static uint8_t *put_activity(uint8_t *start, uint8_t *end, uint8_t *limit, const uint8_t *activity,
                             const uint8_t *related)
{
    struct cairn_eventheader_extension extension = {
        .size_bytes = related ? 2 * CAIRN_ACTIVITY_ID_BYTES : CAIRN_ACTIVITY_ID_BYTES,
        .kind = CAIRN_EXTENSION_ACTIVITY_ID | CAIRN_EXTENSION_CHAIN,
    };
    uint32_t bytes = (uint32_t)sizeof(extension) + extension.size_bytes;
    uint8_t *to = start + sizeof(struct cairn_eventheader);

    if (bytes > (size_t)(limit - end))
        return NULL;
    memmove(to + bytes, to, (size_t)(end - to));
    __builtin_memcpy(to, &extension, sizeof(extension));
    copy_16(to + sizeof(extension), activity);
    if (related)
        copy_16(to + sizeof(extension) + CAIRN_ACTIVITY_ID_BYTES, related);
    return end + bytes;
}

/* ---- the event ---- */

static inline __attribute__((always_inline)) uint8_t *put_constant(uint8_t *to,
                                                                   const struct event *e)
{
    const uint8_t *from = (const uint8_t *)e->constant;
    size_t bytes = e->constant_bytes;

    if (cairn_likely(bytes - 16 <= 16)) {
        copy_16(to, from);
        copy_16(to + bytes - 16, from + bytes - 16);
        return to + bytes;
    }
    if (cairn_unlikely(bytes < 16)) { /* a name of up to two letters, and no field */
        copy_short(to, from, (uint32_t)bytes);
        return to + bytes;
    }
    for (; bytes > 16; bytes -= 16, to += 16, from += 16)
        copy_16(to, from);
    copy_16(to + bytes - 16, from + bytes - 16);
    return to + bytes;
}

/*
 * Events of nothing but numbers and short strings; NULL: it is none, or there is no room. Each of
 * the first arguments has a letter of the plan, for which there is room, and branches of its own,
 * that are foreseen.
 */
static inline __attribute__((always_inline)) uint8_t *fill_simple(uint8_t *to, uint8_t *limit,
                                                                  const void *arg)
{
    const struct event *e = arg;

    if (e->rest && limit - to > (ptrdiff_t)CAIRN_PAYLOAD_MAX_BYTES)
        limit = to + CAIRN_PAYLOAD_MAX_BYTES;
    to = put_constant(to, e);
    if (e->first_count > 0)
        to = put_simple(to, e->plan[0], e->first[0]);
    if (e->first_count > 1 && cairn_likely(to))
        to = put_simple(to, e->plan[1], e->first[1]);
    if (e->first_count > 2 && cairn_likely(to))
        to = put_simple(to, e->plan[2], e->first[2]);
    if (!e->rest)
        return to;
    for (const char *plan = e->plan + FIRST_COUNT; cairn_likely(to) && *plan; plan++) {
        if (cairn_unlikely(limit - to < SIMPLE_BYTES))
            return NULL;
        to = put_simple(to, *plan, va_arg(*e->rest, uint64_t));
    }
    return to;
}

/* The arguments one after the other. */
struct arguments {
    const uint64_t *first;
    uint32_t taken;
    va_list rest;
};

static uint64_t next_of(struct arguments *arguments)
{
    return arguments->taken < FIRST_COUNT ? arguments->first[arguments->taken++]
                                          : va_arg(arguments->rest, uint64_t);
}

/* The next of the plan that is data. */
static uint8_t *put_any(uint8_t *to, uint8_t *limit, const char *plan, uint64_t value,
                        struct arguments *arguments)
{
    uint64_t count = takes_count(*plan) ? next_of(arguments) : 0;
    struct units units;

    if (*plan <= '8')
        return put_number(to, value, (size_t)(*plan - '0'));
    if (*plan == 'g')
        return put_guid(to, pointer_of(value));
    units = units_of(plan, value, count);
    return put_units(to, limit, *plan, &units);
}

/* Any event. For each listener anew. */
static uint8_t *fill_any(uint8_t *to, uint8_t *limit, const void *arg)
{
    const struct event *e = arg;
    struct arguments arguments = {.first = e->first};
    const uint8_t *activity = NULL;
    const uint8_t *related = NULL;
    uint8_t *start = to;

    if (e->rest)
        va_copy(arguments.rest, *e->rest);
    to = put_constant(to, e);
    for (const char *plan = e->plan; to && *plan; plan += is_one_letter(*plan) ? 1 : 2) {
        uint64_t value = next_of(&arguments);

        if (*plan == 'a' || *plan == 'b')
            *(*plan == 'a' ? &activity : &related) = pointer_of(value);
        else
            to = put_any(to, limit, plan, value, &arguments);
        if (to > limit)
            to = NULL;
    }
    if (e->rest)
        va_end(arguments.rest);
    return to && activity ? put_activity(start, to, limit, activity, related) : to;
}

static inline struct event event_of(const struct cairn_i_event *constant, const char *plan,
                                    uint32_t first_count, uint64_t a, uint64_t b, uint64_t c)
{
    return (struct event){
        .constant = constant,
        .constant_bytes = (uint32_t)sizeof(*constant) + constant->extension.size_bytes,
        .plan = plan,
        .first_count = first_count,
        .first = {a, b, c},
    };
}

/* So that fill_simple need not look at the limit. */
static inline uint32_t simple_room(const struct event *e)
{
    return e->constant_bytes + e->first_count * SIMPLE_BYTES;
}

static __attribute__((noinline)) int write_any(const struct cairn_tracepoint *tracepoint,
                                               const void *event, const char *plan, uint64_t a,
                                               uint64_t b, uint64_t c)
{
    struct event e = event_of(event, plan, FIRST_COUNT, a, b, c);

    return cairn_user_event_emit(tracepoint, e.constant_bytes, fill_any, &e);
}

static inline __attribute__((always_inline)) int
write_first(const struct cairn_tracepoint *tracepoint, const void *event, const char *plan,
            uint32_t count, uint64_t a, uint64_t b, uint64_t c)
{
    struct event e = event_of(event, plan, count, a, b, c);
    /* Needed once more for the long way alone: in memory they take up no register, which would have
     * to be saved for that. */
    const struct cairn_tracepoint *volatile tracepoint_again = tracepoint;
    const void *volatile event_again = event;
    int error = cairn_user_event_emit_hot(tracepoint, simple_room(&e), fill_simple, &e);

    if (cairn_unlikely(error == EAGAIN))
        return write_any(tracepoint_again, event_again, plan, a, b, c);
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

static __attribute__((noinline)) int write_any_more(const struct cairn_tracepoint *tracepoint,
                                                    const struct event *e)
{
    return cairn_user_event_emit(tracepoint, e->constant_bytes, fill_any, e);
}

int cairn_i_eventheader_write_more(const struct cairn_tracepoint *tracepoint, const void *event,
                                   const char *plan, uint64_t a, uint64_t b, uint64_t c, ...)
{
    va_list rest;
    struct event e = event_of(event, plan, FIRST_COUNT, a, b, c);
    int error;

    e.rest = &rest;
    va_start(rest, c);
    error = cairn_user_event_emit_hot(tracepoint, simple_room(&e), fill_simple, &e);
    if (cairn_unlikely(error == EAGAIN)) {
        va_end(rest);
        va_start(rest, c);
        error = write_any_more(tracepoint, &e);
    }
    va_end(rest);
    return error;
}
