/* SPDX-License-Identifier: MIT */
/* Compiles a format text's fields to a layout. */
#include "decode/field_look.h"
#include "decode/origin.h"

#include <string.h>

/*
 * The format of an integer in styles that need no compatibility: by its declared kind; only
 * addresses in hexadecimal. /
 */
static uint8_t natural_format(const struct cairn_field *field)
{
    bool is_signed = field->location == CAIRN_FIELD_INLINE ? field->is_signed
                                                           : field->kind == CAIRN_FIELD_SIGNED;

    switch (field->kind) {
    case CAIRN_FIELD_POINTER:
    case CAIRN_FIELD_BYTES:
        return CAIRN_FORMAT_HEX_INT;
    case CAIRN_FIELD_BOOL:
        return CAIRN_FORMAT_BOOLEAN;
    default:
        return is_signed ? CAIRN_FORMAT_SIGNED_INT : CAIRN_FORMAT_UNSIGNED_INT;
    }
}

static uint8_t encoding_of_size(uint32_t size_bytes)
{
    switch (size_bytes) {
    case 1:
        return CAIRN_ENCODING_VALUE8;
    case 2:
        return CAIRN_ENCODING_VALUE16;
    case 4:
        return CAIRN_ENCODING_VALUE32;
    default:
        return CAIRN_ENCODING_VALUE64;
    }
}

/* For perf-decode a single char is a text; in kernels' events each one is a number. */
static enum decode_value value_of_look(enum decode_look_kind kind)
{
    switch (kind) {
    case DECODE_LOOK_TEXT:
        return DECODE_VALUE_CHAR8;
    case DECODE_LOOK_HEX:
        return DECODE_VALUE_HEX_INT;
    case DECODE_LOOK_SIGNED:
        return DECODE_VALUE_SIGNED_INT;
    default:
        return DECODE_VALUE_UNSIGNED_INT;
    }
}

static void set_integer(struct decode_layout_field *to, const struct cairn_field *from,
                        struct decode_look look)
{
    enum decode_value value;

    to->item.encoding = encoding_of_size(look.element_bytes);
    to->item.format = natural_format(from);
    to->extent = DECODE_LAYOUT_FIXED;
    to->unit_bytes = (uint8_t)look.element_bytes;
    if (from->is_array) {
        to->item.is_array = true;
        to->array = DECODE_LAYOUT_FILLED;
    }
    value = decode_value_of(to->item.encoding, to->item.format, look.element_bytes);
    memset(to->value, (int)value, sizeof(to->value));
    to->value[DECODE_LAYOUT_PERF_DECODE] = (uint8_t)value_of_look(look.kind);
}

static void set_text(struct decode_layout_field *to)
{
    to->item.encoding = CAIRN_ENCODING_STRING_LENGTH16_CHAR8;
    to->item.format = CAIRN_FORMAT_STRING_UTF;
    to->extent = DECODE_LAYOUT_ALL_TEXT;
    memset(to->value, DECODE_VALUE_UTF8, sizeof(to->value));
}

void decode_layout_set_bytes(struct decode_layout_field *to)
{
    to->item.encoding = CAIRN_ENCODING_BINARY_LENGTH16_CHAR8;
    to->item.format = CAIRN_FORMAT_HEX_BYTES;
    to->extent = DECODE_LAYOUT_ALL;
    memset(to->value, DECODE_VALUE_BYTES, sizeof(to->value));
}

static uint8_t location_of(const struct cairn_field *field)
{
    switch (field->location) {
    case CAIRN_FIELD_DATA_LOC:
        return DECODE_LAYOUT_DATA_LOC;
    case CAIRN_FIELD_REL_LOC:
        return DECODE_LAYOUT_REL_LOC;
    default:
        return DECODE_LAYOUT_INLINE;
    }
}

static void set_field(struct decode_layout_field *to, const struct cairn_field *from,
                      uint32_t long_size_bytes)
{
    struct decode_look look = decode_look_of_field(from, long_size_bytes);
    bool is_text = look.kind == DECODE_LOOK_TEXT && (from->is_array || from->size_bytes != 1);
    bool is_odd = !from->is_array && from->size_bytes != look.element_bytes;

    to->item.name = from->name;
    to->location = location_of(from);
    to->offset = from->offset;
    to->size_bytes = from->size_bytes;
    if (is_text)
        set_text(to);
    else if (look.kind == DECODE_LOOK_BYTES || is_odd)
        decode_layout_set_bytes(to);
    else
        set_integer(to, from, look);
}

int decode_layout_compile_format(struct decode_layout *layout, const struct cairn_schema *schema,
                                 uint32_t long_size_bytes)
{
    int err = 0;

    for (uint32_t n = schema->common_count; n < schema->field_count && !err; n++) {
        struct decode_layout_field *field;

        err = decode_layout_add(layout, &field);
        if (!err)
            set_field(field, &schema->fields[n], long_size_bytes);
    }
    return err;
}

int decode_layout_compile_raw(struct decode_layout *layout)
{
    struct decode_layout_field *field;
    int err = decode_layout_add(layout, &field);

    if (err)
        return err;
    field->item.name = (struct cairn_slice){"raw", 3};
    field->location = DECODE_LAYOUT_INLINE;
    decode_layout_set_bytes(field);
    return 0;
}
