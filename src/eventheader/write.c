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
 *   sK        pointer to units ended by a zero: a u16 count, then these without the zero
 *   zK        the same: these and the zero
 *   yK        pointer, limit: units up to a zero or the limit, then a zero
 *   rK        pointer, count: units as they are
 *   a b       the activity's id, the related one's
 *
 * Lengths are found out once; then each listener gets its copy.
 */
#define CAIRN_I_COLD

#include "user_events/emit.h"

#include <cairn/eventheader.h>

#include <arpa/inet.h>
#include <stdarg.h>
#include <string.h>

/* The preprocessor gives up before an event has so many. */
#define PARTS_MAX 512

/* Most have no more than these: a signal handler's stack may be small. */
#define PARTS_FEW 24

/* A piece of data: where it comes from, how long it is. */
struct part {
    uint64_t value; /* of a scalar; else a pointer */
    uint32_t bytes; /* without the count */
    uint16_t units; /* the count before it */
    uint8_t kind;   /* of a scalar, its bytes; else the plan's letter */
    uint8_t shift;  /* of units */
};

struct event {
    const struct cairn_i_event *constant;
    uint32_t constant_bytes; /* header, metadata extension */
    uint32_t total_bytes;
    const void *activity;
    const void *related;
    struct part *parts;
    const struct part *end;
};

/* ---- lengths ---- */

static inline const void *pointer_of(uint64_t value)
{
    return (const void *)(uintptr_t)value;
}

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

/* Units that a part has; more than an event can hold are as bad as one more than that. */
static uint64_t units_of(const struct part *part, uint64_t count)
{
    const void *from = pointer_of(part->value);

    switch (part->kind) {
    case 's':
    case 'z':
        return length_of(from, part->shift, UINT64_MAX);
    case 'y':
        return length_of(from, part->shift, count);
    default:
        return from ? count : 0;
    }
}

/* Bytes that a part takes, its count and its zero included; UINT32_MAX: too many. */
static uint32_t measure(struct part *part, uint64_t units)
{
    uint32_t unit_bytes = 1u << part->shift;
    uint32_t more = part->kind == 'r' ? 0 : part->kind == 'z' || part->kind == 'y' ? unit_bytes : 2;

    if (units > UINT16_MAX || units << part->shift > CAIRN_PAYLOAD_MAX_BYTES)
        return UINT32_MAX;
    part->units = (uint16_t)units;
    part->bytes = (uint32_t)units << part->shift;
    return part->bytes + more;
}

static inline bool takes_count(char kind)
{
    return kind == 'n' || kind == 'p' || kind == 'y' || kind == 'r';
}

/* What the loop below does not do itself. Returns the plan behind it, or NULL: too large. */
static const char *gather_other(struct event *e, struct part *part, const char *plan,
                                uint64_t value, va_list *args)
{
    uint64_t count;
    uint32_t bytes;

    *part = (struct part){.value = value, .kind = (uint8_t)*plan};
    if (*plan == 'a' || *plan == 'b') {
        *(*plan == 'a' ? &e->activity : &e->related) = pointer_of(value);
        part->kind = 0; /* no bytes of its own */
        return plan + 1;
    }
    if (*plan == 'g') {
        e->total_bytes += 16;
        return plan + 1;
    }
    part->shift = (uint8_t)(plan[1] - '0');
    count = takes_count(*plan) ? va_arg(*args, uint64_t) : 0;
    bytes = measure(part, units_of(part, count));
    if (bytes > CAIRN_PAYLOAD_MAX_BYTES)
        return NULL;
    e->total_bytes += bytes;
    return plan + 2;
}

/* A string of bytes. False: too long. */
static inline bool gather_string(struct part *part, uint64_t value, uint32_t *total_bytes)
{
    const char *text = pointer_of(value);
    size_t length = text ? strlen(text) : 0;

    if (cairn_unlikely(length > UINT16_MAX))
        return false;
    part->value = value;
    part->bytes = (uint32_t)length;
    part->units = (uint16_t)length;
    part->kind = 's';
    *total_bytes += 2 + (uint32_t)length;
    return true;
}

/* Goes along the plan. Returns 0; E2BIG; ENOBUFS there are more than part_max parts. */
static inline int gather(struct event *e, uint32_t part_max, const char *plan, va_list *args)
{
    struct part *part = e->parts;
    uint32_t total_bytes = 0;

    for (; *plan; part++) {
        uint64_t value;

        if (cairn_unlikely(part == e->parts + part_max))
            return ENOBUFS;
        value = va_arg(*args, uint64_t);
        if (cairn_likely(*plan <= '8')) {
            part->value = value;
            part->kind = (uint8_t)(*plan - '0');
            total_bytes += part->kind;
            plan++;
        } else if (cairn_likely(plan[0] == 's' && plan[1] == '0')) {
            if (!gather_string(part, value, &total_bytes))
                return E2BIG;
            plan += 2;
        } else {
            plan = gather_other(e, part, plan, value, args);
            if (!plan)
                return E2BIG;
        }
        if (cairn_unlikely(total_bytes + e->total_bytes > CAIRN_PAYLOAD_MAX_BYTES))
            return E2BIG;
    }
    e->total_bytes += total_bytes;
    e->end = part;
    return 0;
}

/* ---- copies: the destination has slack for 32 bytes, the source has none ---- */

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

static inline void copy(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    if (bytes >= 256) {
        memcpy(to, from, bytes);
    } else if (bytes >= 16) {
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

static void copy_network_order(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at += 2) {
        uint16_t unit;

        __builtin_memcpy(&unit, from + at, 2);
        unit = htons(unit);
        __builtin_memcpy(to + at, &unit, 2);
    }
}

static inline uint8_t *fill_units(uint8_t *to, const struct part *part)
{
    const uint8_t *from = pointer_of(part->value);

    if (part->kind == 'n' || part->kind == 's' || part->kind == 'p') {
        __builtin_memcpy(to, &part->units, 2);
        to += 2;
    }
    if (part->kind == 'p')
        copy_network_order(to, from, part->bytes);
    else
        copy(to, from, part->bytes);
    to += part->bytes;
    if (part->kind == 'z' || part->kind == 'y') {
        __builtin_memset(to, 0, 4);
        to += 1u << part->shift;
    }
    return to;
}

static inline uint8_t *fill_part(uint8_t *to, const struct part *part)
{
    static const uint8_t nothing[16];

    if (cairn_likely(part->kind <= 8)) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        __builtin_memcpy(to, &part->value, 8);
#else
        __builtin_memcpy(to, (const uint8_t *)&part->value + 8 - part->kind, part->kind);
#endif
        return to + part->kind;
    }
    if (part->kind == 'g') {
        copy_16(to, part->value ? pointer_of(part->value) : nothing);
        return to + 16;
    }
    return fill_units(to, part);
}

/* The activity's extension goes before that of the metadata. */
static uint8_t *fill_activity(uint8_t *to, const struct event *e)
{
    struct cairn_eventheader_extension extension = {
        .size_bytes = e->related ? 2 * CAIRN_ACTIVITY_ID_BYTES : CAIRN_ACTIVITY_ID_BYTES,
        .kind = CAIRN_EXTENSION_ACTIVITY_ID | CAIRN_EXTENSION_CHAIN,
    };

    __builtin_memcpy(to, &e->constant->header, sizeof(e->constant->header));
    to += sizeof(e->constant->header);
    __builtin_memcpy(to, &extension, sizeof(extension));
    to += sizeof(extension);
    copy_16(to, e->activity);
    to += CAIRN_ACTIVITY_ID_BYTES;
    if (e->related) {
        copy_16(to, e->related);
        to += CAIRN_ACTIVITY_ID_BYTES;
    }
    return to;
}

static inline __attribute__((always_inline)) void fill_event(void *payload, const void *arg)
{
    const struct event *e = arg;
    const uint8_t *constant = (const uint8_t *)e->constant;
    uint32_t bytes = e->constant_bytes;
    uint8_t *to = payload;

    if (cairn_unlikely(e->activity)) {
        to = fill_activity(to, e);
        constant += sizeof(e->constant->header);
        bytes -= (uint32_t)sizeof(e->constant->header);
    }
    if (cairn_likely(bytes >= 16))
        copy_blocks(to, constant, bytes);
    else
        copy(to, constant, bytes); /* a name of up to two letters, and no field */
    to += bytes;
    for (const struct part *part = e->parts; part < e->end; part++)
        to = fill_part(to, part);
}

static inline __attribute__((always_inline)) int
write_parts(const struct cairn_tracepoint *tracepoint, const void *event, const char *plan,
            va_list *args, struct part *parts, uint32_t part_max)
{
    struct event e = {.constant = event, .parts = parts};
    int error;

    e.constant_bytes = (uint32_t)(sizeof(*e.constant) + e.constant->extension.size_bytes);
    e.total_bytes = e.constant_bytes;
    error = gather(&e, part_max, plan, args);
    if (cairn_unlikely(error))
        return error;
    if (e.activity)
        e.total_bytes += (uint32_t)sizeof(struct cairn_eventheader_extension) +
                         CAIRN_ACTIVITY_ID_BYTES * (e.related ? 2u : 1u);
    return cairn_user_event_emit(tracepoint, e.total_bytes, fill_event, &e);
}

static __attribute__((noinline)) int write_many(const struct cairn_tracepoint *tracepoint,
                                                const void *event, const char *plan, va_list *args)
{
    struct part parts[PARTS_MAX];
    int error = write_parts(tracepoint, event, plan, args, parts, PARTS_MAX);

    return error == ENOBUFS ? E2BIG : error;
}

int cairn_i_eventheader_write(const struct cairn_tracepoint *tracepoint, const void *event,
                              const char *plan, ...)
{
    struct part parts[PARTS_FEW];
    va_list args;
    int error;

    va_start(args, plan);
    error = write_parts(tracepoint, event, plan, &args, parts, PARTS_FEW);
    va_end(args);
    if (cairn_unlikely(error == ENOBUFS)) {
        va_start(args, plan);
        error = write_many(tracepoint, event, plan, &args);
        va_end(args);
    }
    return error;
}
