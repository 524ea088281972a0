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

/* So many arguments come in registers. */
#define FIRST_COUNT 3

struct event {
    const struct cairn_i_event *constant;
    uint32_t constant_bytes; /* header, metadata extension */
    const char *plan;
    uint64_t first[FIRST_COUNT];
    va_list *rest;
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

static inline uint8_t *put_number(uint8_t *to, uint64_t value, uint32_t bytes)
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

/* Where a block can be loaded without reaching into another page. */
static inline bool is_within_page(const void *from)
{
    return cairn_likely((uintptr_t)from % 4096 <= 4096 - 16);
}

static inline void store_block(uint8_t *to, __m128i block)
{
    _mm_storeu_si128((__m128i *)(void *)to, block);
}
#endif

/*
 * A string of less than SHORT_BYTES, without a call. It is loaded and measured in blocks: what lies
 * behind it is loaded too, as strlen does, but not from another page, and goes no further than
 * here. NULL: no such string, or it ends near the end of a page; or there is no room, which for the
 * shortest may be seen afterwards.
 */
static inline __attribute__((always_inline)) uint8_t *put_string(uint8_t *to, uint8_t *limit,
                                                                 const char *text)
{
#if LOADS_BLOCKS
    __m128i block;
    uint32_t length = 0;
    uint32_t zeros;

    if (cairn_unlikely(!text || !is_within_page(text)))
        return NULL;
    block = load_block(text);
    zeros = zeros_of(block);
    while (!zeros) {
        store_block(to + 2 + length, block);
        length += 16;
        if (to + 2 + length > limit || length >= SHORT_BYTES || !is_within_page(text + length))
            return NULL;
        block = load_block(text + length);
        zeros = zeros_of(block);
    }
    store_block(to + 2 + length, block);
    length += (uint32_t)__builtin_ctz(zeros);
    store_block(to + 2 + length, _mm_setzero_si128()); /* over what is not the string */
    __builtin_memcpy(to, &(uint16_t){(uint16_t)length}, 2);
    return to + 2 + length;
#else
    size_t length = text ? strlen(text) : 0;

    if (length + 2 > (size_t)(limit - to) || length >= SHORT_BYTES)
        return NULL;
    __builtin_memcpy(to, &(uint16_t){(uint16_t)length}, 2);
    copy_short(to + 2, (const uint8_t *)text, (uint32_t)length);
    return to + 2 + length;
#endif
}

/* NULL: neither number nor short string, or no room. */
static inline __attribute__((always_inline)) uint8_t *put_simple(uint8_t *to, uint8_t *limit,
                                                                 uint32_t kind, uint64_t value)
{
    if (cairn_likely(kind <= '8'))
        to = put_number(to, value, kind - '0');
    else if (cairn_likely(kind == 't'))
        to = put_string(to, limit, pointer_of(value));
    else
        return NULL;
    return cairn_likely(to <= limit) ? to : NULL;
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

static inline uint8_t *put_constant(uint8_t *to, const struct event *e)
{
    const uint8_t *from = (const uint8_t *)e->constant;
    uint32_t bytes = e->constant_bytes;

    if (cairn_unlikely(bytes < 16)) { /* a name of up to two letters, and no field */
        copy_short(to, from, bytes);
    } else if (bytes <= 32) {
        copy_16(to, from);
        copy_16(to + bytes - 16, from + bytes - 16);
    } else {
        copy_16(to, from);
        copy_blocks(to + 16, from + 16, bytes - 16);
    }
    return to + bytes;
}

/* Events of nothing but numbers and short strings. Written out: each place of the plan has branches
 * of its own, that are foreseen. */
static inline __attribute__((always_inline)) uint8_t *fill_simple(uint8_t *to, uint8_t *limit,
                                                                  const void *arg)
{
    const struct event *e = arg;
    const uint8_t *plan = (const uint8_t *)e->plan;

    to = put_constant(to, e);
    if (!plan[0])
        return to;
    to = put_simple(to, limit, plan[0], e->first[0]);
    if (cairn_unlikely(!to) || !plan[1])
        return to;
    to = put_simple(to, limit, plan[1], e->first[1]);
    if (cairn_unlikely(!to) || !plan[2])
        return to;
    to = put_simple(to, limit, plan[2], e->first[2]);
    for (plan += 3; e->rest && cairn_likely(to) && *plan; plan++)
        to = put_simple(to, limit, *plan, va_arg(*e->rest, uint64_t));
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
        return put_number(to, value, (uint32_t)(*plan - '0'));
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
                                    uint64_t a, uint64_t b, uint64_t c, va_list *rest)
{
    uint32_t constant_bytes = (uint32_t)sizeof(*constant) + constant->extension.size_bytes;

    return (struct event){constant, constant_bytes, plan, {a, b, c}, rest};
}

static __attribute__((noinline)) int write_any(const struct cairn_tracepoint *tracepoint,
                                               const void *event, const char *plan, uint64_t a,
                                               uint64_t b, uint64_t c)
{
    struct event e = event_of(event, plan, a, b, c, NULL);

    return cairn_user_event_emit(tracepoint, e.constant_bytes, fill_any, &e);
}

int cairn_i_eventheader_write(const struct cairn_tracepoint *tracepoint, const void *event,
                              const char *plan, uint64_t a, uint64_t b, uint64_t c)
{
    struct event e = event_of(event, plan, a, b, c, NULL);
    int error = cairn_user_event_emit_hot(tracepoint, e.constant_bytes, fill_simple, &e);

    if (cairn_unlikely(error == EAGAIN))
        return write_any(tracepoint, event, plan, a, b, c);
    return error;
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
    struct event e = event_of(event, plan, a, b, c, &rest);
    int error;

    va_start(rest, c);
    error = cairn_user_event_emit_hot(tracepoint, e.constant_bytes, fill_simple, &e);
    if (cairn_unlikely(error == EAGAIN)) {
        va_end(rest);
        va_start(rest, c);
        error = write_any_more(tracepoint, &e);
    }
    va_end(rest);
    return error;
}
