/* SPDX-License-Identifier: MIT */
/*
 * The records in a buffer. The third byte of each is its kind, the fourth has flags; where its size
 * is depends on the kind. All numbers are little-endian.
 */
#include "etl/record.h"
#include "core/cursor.h"

#include <errno.h>
#include <string.h>

enum header_type {
    SYSTEM32 = 1,
    SYSTEM64 = 2,
    COMPACT32 = 3,
    COMPACT64 = 4,
    FULL32 = 10,
    INSTANCE32 = 11,
    MESSAGE = 15,
    PERFINFO32 = 16,
    PERFINFO64 = 17,
    EVENT32 = 18,
    EVENT64 = 19,
    FULL64 = 20,
    INSTANCE64 = 21,
};

#define IS_RECORD 0x80 /* flag of each record */
#define FILLER    0xffffffffu

#define EVENT_HEADER_BYTES   80u
#define SYSTEM_HEADER_BYTES  32u
#define COMPACT_HEADER_BYTES 24u
#define PERF_HEADER_BYTES    16u
#define FULL_HEADER_BYTES    48u
#define INSTANCE_BYTES       72u
#define MESSAGE_HEADER_BYTES 8u

#define HAS_EXTENDED_DATA 0x0001 /* flags of an event */
#define HAS_32_BITS       0x0020
#define HAS_64_BITS       0x0040

#define EXTENDED_ITEM_BYTES 8u
#define EXTENDED_LINKAGE    1u /* another item follows */

static const bool swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

static size_t aligned(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

/* A GUID of zeros is none. */
static const uint8_t *guid_or_none(const uint8_t *guid)
{
    static const uint8_t none[16];

    return guid && memcmp(guid, none, sizeof(none)) != 0 ? guid : NULL;
}

static void add_item(struct etl_record *record, uint16_t type, const uint8_t *data, uint16_t size)
{
    if (type == ETL_RELATED_ID && size >= 16)
        record->related_id = guid_or_none(data);
    else if (type == ETL_SCHEMA)
        record->schema = (struct etl_bytes){data, size};
    else if (type == ETL_TRAITS)
        record->traits = (struct etl_bytes){data, size};
}

/* Items of extended data: u16 reserved, type, linkage, size, and the data, padded to 8 bytes. */
static void take_extended(struct core_cursor *c, struct etl_record *record)
{
    uint16_t linkage = EXTENDED_LINKAGE;

    while (linkage & EXTENDED_LINKAGE && !c->error) {
        uint16_t type;
        uint16_t size;
        const uint8_t *data;

        (void)core_cursor_u16(c);
        type = core_cursor_u16(c);
        linkage = core_cursor_u16(c);
        size = core_cursor_u16(c);
        data = core_cursor_take(c, size);
        if (data)
            add_item(record, type, data, size);
        /* The last one may end with the record. */
        if (data && c->left)
            (void)core_cursor_take(c,
                                   aligned(size) - size < c->left ? aligned(size) - size : c->left);
    }
}

static void parse_event(struct core_cursor *c, struct etl_record *record)
{
    uint16_t flags;

    record->kind = ETL_EVENT;
    (void)core_cursor_u32(c);
    flags = core_cursor_u16(c);
    (void)core_cursor_u16(c);
    record->tid = core_cursor_u32(c);
    record->pid = core_cursor_u32(c);
    record->ticks = core_cursor_u64(c);
    record->provider_id = core_cursor_take(c, 16);
    record->id = core_cursor_u16(c);
    record->version = core_cursor_u8(c);
    record->channel = core_cursor_u8(c);
    record->level = core_cursor_u8(c);
    record->opcode = core_cursor_u8(c);
    record->task = core_cursor_u16(c);
    record->keyword = core_cursor_u64(c);
    (void)core_cursor_u64(c); /* times of the processor */
    record->activity_id = guid_or_none(core_cursor_take(c, 16));
    record->has_thread = record->has_ticks = true;
    record->pointer_bytes = flags & HAS_32_BITS ? 4 : flags & HAS_64_BITS ? 8 : 0;
    if (flags & HAS_EXTENDED_DATA)
        take_extended(c, record);
}

/* The kernel's: a size, and which event it is; some have a thread, all have a time. */
static void parse_system(struct core_cursor *c, struct etl_record *record, uint32_t header_size)
{
    record->kind = ETL_SYSTEM;
    (void)core_cursor_u32(c);
    (void)core_cursor_u16(c);
    record->hook = core_cursor_u16(c);
    if (header_size != PERF_HEADER_BYTES) {
        record->tid = core_cursor_u32(c);
        record->pid = core_cursor_u32(c);
        record->has_thread = true;
    }
    record->ticks = core_cursor_u64(c);
    record->has_ticks = true;
    if (header_size == SYSTEM_HEADER_BYTES)
        (void)core_cursor_u64(c);
    record->opcode = (uint8_t)record->hook;
}

static void parse_classic(struct core_cursor *c, struct etl_record *record, uint32_t header_size)
{
    record->kind = header_size == INSTANCE_BYTES ? ETL_INSTANCE : ETL_CLASSIC;
    (void)core_cursor_u32(c);
    record->opcode = core_cursor_u8(c);
    record->level = core_cursor_u8(c);
    record->version = (uint8_t)core_cursor_u16(c);
    record->tid = core_cursor_u32(c);
    record->pid = core_cursor_u32(c);
    record->ticks = core_cursor_u64(c);
    record->has_thread = record->has_ticks = true;
    if (record->kind == ETL_CLASSIC)
        record->provider_id = core_cursor_take(c, 16);
    (void)core_cursor_take(c, header_size - (record->kind == ETL_CLASSIC ? 40 : 24));
}

/* Other data is there by flags, in this order. */
static void parse_message(struct core_cursor *c, struct etl_record *record)
{
    uint16_t flags;

    record->kind = ETL_MESSAGE;
    (void)core_cursor_u32(c);
    record->id = core_cursor_u16(c);
    flags = core_cursor_u16(c);
    if (flags & 0x1)
        (void)core_cursor_u32(c); /* a number in a sequence */
    if (flags & 0x2)
        record->provider_id = core_cursor_take(c, 16);
    else if (flags & 0x4)
        (void)core_cursor_u32(c); /* a component */
    if (flags & 0x8) {
        record->ticks = core_cursor_u64(c);
        record->has_ticks = true;
    }
    if (flags & 0x20) {
        record->tid = core_cursor_u32(c);
        record->pid = core_cursor_u32(c);
        record->has_thread = true;
    }
}

struct shape {
    uint32_t header_size; /* 0: an unknown kind */
    uint32_t size_at;
};

static struct shape shape_of(uint8_t type)
{
    switch (type) {
    case SYSTEM32:
    case SYSTEM64:
        return (struct shape){SYSTEM_HEADER_BYTES, 4};
    case COMPACT32:
    case COMPACT64:
        return (struct shape){COMPACT_HEADER_BYTES, 4};
    case PERFINFO32:
    case PERFINFO64:
        return (struct shape){PERF_HEADER_BYTES, 4};
    case FULL32:
    case FULL64:
        return (struct shape){FULL_HEADER_BYTES, 0};
    case INSTANCE32:
    case INSTANCE64:
        return (struct shape){INSTANCE_BYTES, 0};
    case MESSAGE:
        return (struct shape){MESSAGE_HEADER_BYTES, 0};
    case EVENT32:
    case EVENT64:
        return (struct shape){EVENT_HEADER_BYTES, 0};
    default:
        return (struct shape){0, 0};
    }
}

static void parse_by_type(struct core_cursor *c, uint8_t type, uint32_t header_size,
                          struct etl_record *record)
{
    if (header_size == EVENT_HEADER_BYTES)
        parse_event(c, record);
    else if (type == MESSAGE)
        parse_message(c, record);
    else if (header_size == FULL_HEADER_BYTES || header_size == INSTANCE_BYTES)
        parse_classic(c, record, header_size);
    else
        parse_system(c, record, header_size);
    if (type == SYSTEM64 || type == COMPACT64 || type == PERFINFO64 || type == FULL64 ||
        type == INSTANCE64)
        record->pointer_bytes = 8;
}

int etl_record_parse(const uint8_t *bytes, size_t left, struct etl_record *ret_record)
{
    struct etl_record record = {.bytes = bytes};
    struct core_cursor c;
    struct shape shape;

    if (left < 8 || core_load32(bytes, false) == FILLER || !(bytes[3] & IS_RECORD))
        return ENODATA;
    shape = shape_of(bytes[2]);
    record.size = core_load16(bytes + shape.size_at, swap);
    if (!shape.header_size || record.size < shape.header_size || record.size > left)
        return EBADMSG;
    c = core_cursor(bytes, record.size, swap);
    parse_by_type(&c, bytes[2], shape.header_size, &record);
    if (c.error)
        return EBADMSG;
    record.header_size = (uint32_t)(c.at - bytes);
    record.data = (struct etl_bytes){c.at, (uint32_t)c.left};
    *ret_record = record;
    return 0;
}
