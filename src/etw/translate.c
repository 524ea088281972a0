/* SPDX-License-Identifier: MIT */
/*
 * An event of the builder, in EventHeader's format, becomes a TraceLogging event: definitions by
 * the same table as at call sites (cairn/eventheader/etw_form.h), values one by one, because those
 * of arrays and structs may need a conversion.
 */
#include "etw/translate.h"
#include "core/cursor.h"
#include "etw/traits.h"
#include "eventheader/etw.h"

#include <cairn/eventheader.h>
#include <errno.h>
#include <string.h>

#define DEPTH_MAX  16u
#define OUT_SIGNED 17u
#define IDLE_MAX   65536u /* elements that take no data */

struct translation {
    struct core_cursor metadata; /* the definitions not yet translated */
    struct core_cursor data;
    struct etw_copy *to_metadata;
    struct etw_copy *to_data;
    uint32_t depth;
    uint32_t idle;
    int error;
};

/* ---- definitions ---- */

static struct etw_definition take_definition(struct core_cursor *c)
{
    struct etw_definition field = {0};

    field.name = core_cursor_string(c, &field.name_length);
    field.encoding = core_cursor_u8(c);
    if (field.encoding & CAIRN_ENCODING_CHAIN) {
        field.format = core_cursor_u8(c);
        if (field.format & CAIRN_FORMAT_CHAIN)
            field.tag = core_cursor_u16(c);
    }
    if (field.encoding & CAIRN_ENCODING_CARRAY)
        field.length = core_cursor_u16(c);
    field.encoding &= (uint8_t)~CAIRN_ENCODING_CHAIN;
    field.format &= CAIRN_FORMAT_VALUE_MASK;
    return field;
}

static uint32_t base_of(const struct etw_definition *field)
{
    return field->encoding & CAIRN_ENCODING_VALUE_MASK;
}

static bool is_time(const struct etw_definition *field)
{
    return field->format == CAIRN_FORMAT_TIME &&
           (base_of(field) == CAIRN_ENCODING_VALUE32 || base_of(field) == CAIRN_ENCODING_VALUE64);
}

/* 16 bytes after their size, other than a UUID. */
static bool is_bytes16(const struct etw_definition *field)
{
    return base_of(field) == CAIRN_ENCODING_VALUE128 && field->format != CAIRN_FORMAT_UUID;
}

static void put_u8(struct etw_copy *to, uint32_t value)
{
    const uint8_t byte = (uint8_t)value;

    etw_copy_add(to, &byte, 1);
}

static void put_tag(struct etw_copy *to, uint32_t tag)
{
    uint32_t count = CAIRN_I_TAG_BYTES(tag);

    for (uint32_t i = 0; i < count; i++)
        put_u8(to, CAIRN_I_TAG_GROUP(tag, i));
}

void etw_definition_add(struct etw_copy *to, const struct etw_definition *field)
{
    const uint32_t format = field->format;
    uint32_t encoding = field->encoding;
    uint32_t in;
    uint32_t out;

    if (is_time(field))
        encoding |= CAIRN_I_FORCED_TIME;
    else if (is_bytes16(field))
        encoding |= CAIRN_I_FORCED_ADDRESS;
    in = CAIRN_I_TL_IN(encoding, format);
    out = format == EVENTHEADER_ETW_FORMAT_SIGNED && encoding == CAIRN_ENCODING_VALUE16
              ? OUT_SIGNED
              : CAIRN_I_OUT(encoding, format);
    etw_copy_add(to, field->name, field->name_length);
    put_u8(to, 0);
    put_u8(to, out || field->tag || base_of(field) == CAIRN_ENCODING_STRUCT ? in | 0x80 : in);
    if (out || field->tag || base_of(field) == CAIRN_ENCODING_STRUCT)
        put_u8(to, field->tag ? out | 0x80 : out);
    if (field->tag)
        put_tag(to, field->tag);
    if (field->encoding & CAIRN_ENCODING_CARRAY)
        etw_copy_add_u16(to, field->length);
}

void etw_definitions_begin(struct etw_copy *to, const char *name, size_t name_length, uint16_t tag)
{
    etw_copy_begin(to);
    etw_copy_add_u16(to, 0);
    if (tag)
        put_tag(to, tag);
    else
        put_u8(to, 0);
    etw_copy_add(to, name, name_length);
    put_u8(to, 0);
}

int etw_definitions_end(struct etw_copy *metadata)
{
    if (metadata->is_full || metadata->length > UINT16_MAX)
        return E2BIG;
    metadata->bytes[0] = (uint8_t)metadata->length;
    metadata->bytes[1] = (uint8_t)(metadata->length >> 8);
    return 0;
}

/* ---- values ---- */

/* Adds bytes of the data as they are. */
static void add_plain(struct translation *t, size_t size)
{
    const void *from = core_cursor_take(&t->data, size);

    if (from)
        etw_copy_add(t->to_data, from, size);
}

static void add_time(struct translation *t, uint32_t base)
{
    bool is_short = base == CAIRN_ENCODING_VALUE32;
    int64_t seconds =
        is_short ? (int32_t)core_cursor_u32(&t->data) : (int64_t)core_cursor_u64(&t->data);
    uint64_t time = cairn_i_etw_filetime(seconds, 0);

    if (!t->data.error)
        etw_copy_add(t->to_data, &time, sizeof(time));
}

static void add_16_bytes(struct translation *t, const struct etw_definition *field)
{
    const void *from = core_cursor_take(&t->data, 16);
    struct etw_guid guid;

    if (!from)
        return;
    if (field->format == CAIRN_FORMAT_UUID) {
        etw_guid_convert(from, &guid);
        etw_copy_add(t->to_data, guid.bytes, sizeof(guid.bytes));
    } else {
        etw_copy_add_u16(t->to_data, 16);
        etw_copy_add(t->to_data, from, 16);
    }
}

/* Units after their count, which becomes a number of bytes. */
static void add_counted(struct translation *t, const struct etw_definition *field, uint32_t unit)
{
    uint16_t count = core_cursor_u16(&t->data);
    const void *from = core_cursor_take(&t->data, (size_t)count * unit);

    if (!from)
        return;
    if (unit == 4) {
        etw_copy_add_utf32(t->to_data, from, count, false, true);
    } else if (field->format == CAIRN_FORMAT_IP_ADDRESS && unit == 1) {
        etw_copy_add_address(t->to_data, from, count);
    } else if (count > UINT16_MAX / unit) {
        t->error = E2BIG;
    } else {
        etw_copy_add_u16(t->to_data, count * unit);
        etw_copy_add(t->to_data, from, (size_t)count * unit);
    }
}

/* Units up to a zero. */
static void add_terminated(struct translation *t, uint32_t unit)
{
    static const uint8_t zero[4];
    size_t size = 0;

    while (size + unit <= t->data.left && memcmp(t->data.at + size, zero, unit) != 0)
        size += unit;
    if (unit < 4) {
        add_plain(t, size + unit);
    } else {
        const void *from = core_cursor_take(&t->data, size + unit);

        if (from)
            etw_copy_add_utf32(t->to_data, from, size / unit, true, false);
    }
}

static void add_value(struct translation *t, const struct etw_definition *field)
{
    uint32_t base = base_of(field);

    if (is_time(field))
        add_time(t, base);
    else if (base == CAIRN_ENCODING_VALUE128)
        add_16_bytes(t, field);
    else if (base >= CAIRN_ENCODING_VALUE8 && base <= CAIRN_ENCODING_VALUE64)
        add_plain(t, (size_t)1 << (base - CAIRN_ENCODING_VALUE8));
    else if (base <= CAIRN_ENCODING_ZSTRING_CHAR32)
        add_terminated(t, 1u << (base - CAIRN_ENCODING_ZSTRING_CHAR8));
    else if (base <= CAIRN_ENCODING_STRING_LENGTH16_CHAR32)
        add_counted(t, field, 1u << (base - CAIRN_ENCODING_STRING_LENGTH16_CHAR8));
    else if (base == CAIRN_ENCODING_BINARY_LENGTH16_CHAR8)
        add_counted(t, field, 1);
    else
        t->error = EINVAL;
}

static void add_field(struct translation *t);

/* Adds this number of fields, whose definitions are next. */
static void add_fields(struct translation *t, uint32_t count)
{
    for (uint32_t i = 0; i < count && !t->error && !t->metadata.error; i++)
        add_field(t);
}

/* The fields of a struct: each element begins with the same definitions, which are translated for
 * the first one alone. */
static void add_structs(struct translation *t, const struct etw_definition *field, uint32_t count)
{
    const struct core_cursor first = t->metadata;
    struct etw_copy *to_metadata = t->to_metadata;
    const uint8_t *before;

    if (t->depth == DEPTH_MAX) {
        t->error = EINVAL;
        return;
    }
    t->depth++;
    if (!count) { /* the definitions alone */
        struct core_cursor data = t->data;
        struct etw_copy *to_data = t->to_data;

        t->data = core_cursor(NULL, 0, false);
        t->data.error = EBADMSG;
        add_fields(t, field->format);
        t->data = data;
        t->to_data = to_data;
    }
    for (uint32_t i = 0; i < count && !t->error && !t->metadata.error; i++) {
        before = t->data.at;
        if (i) {
            t->metadata = first;
            t->to_metadata = NULL;
        }
        add_fields(t, field->format);
        if (t->data.at == before && ++t->idle > IDLE_MAX)
            t->error = EINVAL;
        if (t->data.error)
            break;
    }
    t->to_metadata = to_metadata;
    t->depth--;
}

static void add_field(struct translation *t)
{
    struct etw_definition field = take_definition(&t->metadata);
    uint32_t count = 1;

    if (t->metadata.error)
        return;
    if (t->to_metadata)
        etw_definition_add(t->to_metadata, &field);
    if (field.encoding & CAIRN_ENCODING_CARRAY)
        count = field.length;
    if (field.encoding & CAIRN_ENCODING_VARRAY) {
        count = core_cursor_u16(&t->data);
        if (!t->data.error)
            etw_copy_add_u16(t->to_data, count);
    }
    if (base_of(&field) == CAIRN_ENCODING_STRUCT) {
        add_structs(t, &field, count);
        return;
    }
    for (uint32_t i = 0; i < count && !t->error && !t->data.error; i++)
        add_value(t, &field);
}

int etw_translate(const void *metadata, size_t metadata_bytes, uint16_t tag, const void *data,
                  size_t data_bytes, struct etw_copy *ret_metadata, struct etw_copy *ret_data)
{
    struct translation t = {
        .metadata = core_cursor(metadata, metadata_bytes, false),
        .data = core_cursor(data, data_bytes, false),
        .to_metadata = ret_metadata,
        .to_data = ret_data,
    };
    size_t length;
    const char *name = core_cursor_string(&t.metadata, &length);

    etw_definitions_begin(ret_metadata, name, length, tag);
    etw_copy_begin(ret_data);
    while (t.metadata.left && !t.metadata.error && !t.error)
        add_field(&t);
    if (t.error || t.metadata.error)
        return t.error ? t.error : EINVAL;
    if (!t.data.error) /* raw data after those of the fields */
        etw_copy_add(ret_data, t.data.at, t.data.left);
    return ret_data->is_full ? E2BIG : etw_definitions_end(ret_metadata);
}
