/* SPDX-License-Identifier: MIT */
/* The metadata of a TraceLogging event. */
#include "etl/schema.h"
#include "core/cursor.h"

#include <errno.h>

/* Flags of an in-type. Both flags of arrays together: data of the program's own form. */
#define IS_FIXED  0x20
#define IS_ARRAY  0x40
#define HAS_MORE  0x80
#define TYPE_MASK 0x1f

static uint32_t take_tag(struct core_cursor *c)
{
    uint32_t tag = 0;
    int shift = 21;
    uint8_t group;

    do {
        group = core_cursor_u8(c);
        if (shift >= 0)
            tag |= (uint32_t)(group & 0x7f) << shift;
        shift -= 7;
    } while (group & HAS_MORE && !c->error);
    return tag;
}

static void take_field(struct core_cursor *c, struct etl_field *field)
{
    size_t length;
    uint8_t in;
    uint8_t out = 0;

    *field = (struct etl_field){0};
    field->name = core_cursor_string(c, &length);
    field->name_length = (uint32_t)length;
    in = core_cursor_u8(c);
    if (in & HAS_MORE) {
        out = core_cursor_u8(c);
        if (out & HAS_MORE)
            field->tag = take_tag(c);
    }
    field->in = in & TYPE_MASK;
    field->out = out & 0x7f;
    field->is_fixed = in & IS_FIXED;
    field->is_array = in & IS_ARRAY;
    if (field->is_fixed)
        field->length = core_cursor_u16(c);
    if ((field->is_fixed && (field->is_array || !field->length)) || !field->in ||
        field->in > ETL_IN_COUNTED_BINARY)
        core_cursor_fail(c, EBADMSG);
}

int etl_schema_parse(struct etl_bytes metadata, struct etl_schema *ret_schema)
{
    struct core_cursor c =
        core_cursor(metadata.data, metadata.size, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    uint16_t size = core_cursor_u16(&c);
    size_t length;

    if (c.error || size < 2 || size - 2u > c.left)
        return EBADMSG;
    c.left = size - 2u;
    ret_schema->tag = take_tag(&c);
    ret_schema->name = core_cursor_string(&c, &length);
    ret_schema->name_length = (uint32_t)length;
    ret_schema->field_count = 0;
    while (c.left && !c.error && ret_schema->field_count < ETL_FIELDS_MAX)
        take_field(&c, &ret_schema->fields[ret_schema->field_count++]);
    return c.error || c.left ? EBADMSG : 0;
}
