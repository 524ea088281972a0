/* SPDX-License-Identifier: MIT */
/* The metadata of typed tracepoints: a field becomes what the builder's field of the same encoding
 * and format is. typed_write.c writes the values. */
#include "etw/translate.h"
#include "etw/typed.h"

#include <errno.h>

/* A value of an integer's size. */
static uint8_t value_encoding(uint32_t bytes)
{
    return (uint8_t)(CAIRN_ENCODING_VALUE8 + __builtin_ctz(bytes));
}

static uint8_t format_of(const struct cairn_field *field)
{
    switch (field->kind) {
    case CAIRN_FIELD_SIGNED:
        return CAIRN_FORMAT_SIGNED_INT;
    case CAIRN_FIELD_BOOL:
        return CAIRN_FORMAT_BOOLEAN;
    case CAIRN_FIELD_POINTER:
        return CAIRN_FORMAT_HEX_INT;
    case CAIRN_FIELD_STRING:
        return CAIRN_FORMAT_STRING8;
    default:
        return CAIRN_FORMAT_DEFAULT;
    }
}

static struct etw_definition definition_of(const struct cairn_field *field)
{
    struct etw_definition is = {.name = field->name.text, .name_length = field->name.length};
    bool is_inline = field->location == CAIRN_FIELD_INLINE;

    if (field->is_array && field->kind == CAIRN_FIELD_STRING) {
        is.encoding = CAIRN_ENCODING_STRING_LENGTH16_CHAR8;
    } else if (!field->element_size_bytes && is_inline) { /* a struct: its bytes */
        is.encoding = CAIRN_ENCODING_VALUE8 | CAIRN_ENCODING_CARRAY;
        is.format = CAIRN_FORMAT_HEX_INT;
        is.length = (uint16_t)field->size_bytes;
    } else if (!field->element_size_bytes) {
        is.encoding = CAIRN_ENCODING_BINARY_LENGTH16_CHAR8;
    } else {
        is.encoding = value_encoding(field->element_size_bytes);
        is.format = format_of(field);
        if (field->is_array)
            is.encoding |= is_inline ? CAIRN_ENCODING_CARRAY : CAIRN_ENCODING_VARRAY;
        is.length = is_inline ? field->element_count : 0;
    }
    return is;
}

int etw_typed_write_metadata(const struct cairn_trace_event *event, struct etw_copy *ret_metadata)
{
    struct cairn_schema schema;

    cairn_trace_event_schema(event, &schema);
    etw_definitions_begin(ret_metadata, schema.name.text, schema.name.length, 0);
    for (uint32_t i = 0; i < schema.field_count; i++) {
        const struct etw_definition field = definition_of(&schema.fields[i]);

        etw_definition_add(ret_metadata, &field);
    }
    return etw_definitions_end(ret_metadata);
}
