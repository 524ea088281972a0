/* SPDX-License-Identifier: MIT */
/* The general path of CAIRN_WRITE_EVENT: any event, whatever its fields, to all backends that are
 * enabled. */
#include "eventheader/write.h"
#include "user_events/emit.h"

#include <arpa/inet.h>
#include <string.h>

/* Units to copy. */
struct units {
    const uint8_t *from;
    uint64_t count;
    uint32_t shift;
};

static inline void copy(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    if (bytes < EVENTHEADER_SHORT_BYTES)
        eventheader_copy_short(to, from, bytes);
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

/* Number of units before the zero, at most `limit`. */
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

/* True for arrays of constant length: their count is in the metadata. */
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

static struct units units_of(const char *signature, uint64_t value, uint64_t count)
{
    const uint8_t *from = eventheader_pointer_of(value);
    uint32_t shift = *signature == 't' ? 0 : (uint32_t)(signature[1] - '0');
    struct units units = {from, from || is_array(*signature) ? count : 0, shift};

    if (*signature == 't' || *signature == 's' || *signature == 'z')
        units.count = length_of(units.from, units.shift, UINT64_MAX);
    else if (*signature == 'y')
        units.count = length_of(units.from, units.shift, count);
    else if (*signature == 'm' || *signature == 'j')
        units = (struct units){from, from ? UINT64_C(1) << shift : 0, 0};
    return units;
}

static uint8_t *encode_units(uint8_t *to, uint8_t *limit, char kind, const struct units *units)
{
    bool has_zero = kind == 'z' || kind == 'y';
    uint32_t before = has_zero || kind == 'r' || is_array(kind) ? 0 : 2;
    uint32_t after = has_zero ? 1u << units->shift : 0;
    uint32_t bytes;

    if (units->count > UINT16_MAX)
        return NULL;
    bytes = (uint32_t)units->count << units->shift;
    if ((size_t)before + bytes + after > (size_t)(limit - to))
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
    return to + after;
}

static uint8_t *encode_guid(uint8_t *to, const uint8_t *from)
{
    static const uint8_t nothing[16];

    eventheader_copy_16(to, from ? from : nothing);
    return to + 16;
}

/* Inserts the activity's extension between header and metadata. */
static uint8_t *encode_activity(uint8_t *start, uint8_t *end, uint8_t *limit,
                                const uint8_t *activity, const uint8_t *related)
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
    eventheader_copy_16(to + sizeof(extension), activity);
    if (related)
        eventheader_copy_16(to + sizeof(extension) + CAIRN_ACTIVITY_ID_BYTES, related);
    return end + bytes;
}

/* An iterator over the arguments. */
struct arguments {
    const uint64_t *first;
    uint32_t taken;
    va_list rest;
};

static uint64_t next_of(struct arguments *arguments)
{
    return arguments->taken < EVENTHEADER_WRITE_FIRST_COUNT ? arguments->first[arguments->taken++]
                                                            : va_arg(arguments->rest, uint64_t);
}

/* Encodes the field of the next part of the signature. */
static uint8_t *encode_any(uint8_t *to, uint8_t *limit, const char *signature, uint64_t value,
                           struct arguments *arguments)
{
    uint64_t count = takes_count(*signature) ? next_of(arguments) : 0;
    struct units units;

    if (*signature <= '8')
        return eventheader_encode_number(to, value, (size_t)(*signature - '0'));
    if (*signature == 'g')
        return encode_guid(to, eventheader_pointer_of(value));
    units = units_of(signature, value, count);
    return encode_units(to, limit, *signature, &units);
}

/* Fills in any event; called again for each backend. */
static uint8_t *fill_any(uint8_t *to, uint8_t *limit, const void *arg)
{
    const struct eventheader_write *e = arg;
    struct arguments arguments = {.first = e->first};
    const uint8_t *activity = NULL;
    const uint8_t *related = NULL;
    uint8_t *start = to;

    if (e->rest)
        va_copy(arguments.rest, *e->rest);
    to = eventheader_encode_constant(to, e);
    for (const char *signature = e->signature; to && *signature;
         signature += is_one_letter(*signature) ? 1 : 2) {
        uint64_t value = next_of(&arguments);

        if (*signature == 'a' || *signature == 'b')
            *(*signature == 'a' ? &activity : &related) = eventheader_pointer_of(value);
        else
            to = encode_any(to, limit, signature, value, &arguments);
        if (to > limit)
            to = NULL;
    }
    if (e->rest)
        va_end(arguments.rest);
    return to && activity ? encode_activity(start, to, limit, activity, related) : to;
}

int eventheader_write_any(const struct cairn_tracepoint *tracepoint, const void *event,
                          const char *signature, uint64_t a, uint64_t b, uint64_t c)
{
    struct eventheader_write e =
        eventheader_write_of(event, signature, EVENTHEADER_WRITE_FIRST_COUNT, a, b, c);

    return user_events_emit(tracepoint, e.constant_bytes, fill_any, &e);
}

int eventheader_write_any_more(const struct cairn_tracepoint *tracepoint,
                               const struct eventheader_write *e)
{
    return user_events_emit(tracepoint, e->constant_bytes, fill_any, e);
}
