/* SPDX-License-Identifier: MIT */
/* Fields: a definition for the metadata, and values for the data. */
#include "eventheader/builder.h"

#include <errno.h>

#define COUNT_MAX 65535u

static const char not_a_value[] = "the encoding is not that of a value of fixed size";
static const char not_a_text[] = "the encoding is not that of a text or of bytes";
static const char too_long[] = "an array or a text has at most 65535 units";
static const char no_length[] = "an array of constant length has 1 to 65535 values";

/* One field more in the struct that we are in. */
static void count_field(struct cairn_event_builder *builder)
{
    struct builder_struct *around;

    if (!builder->depth)
        return;
    around = &builder->structs[builder->depth - 1];
    if (around->fields == CAIRN_STRUCT_FIELDS_MAX)
        cairn_builder_fail(builder, E2BIG, "a struct has at most 127 fields");
    else
        around->fields++;
}

/* What follows a field's name: encoding [format [tag]] [length]. */
struct form {
    uint8_t bytes[6];
    uint32_t size;
};

static inline void add_to_form(struct form *form, const void *bytes, uint32_t size)
{
    memcpy(form->bytes + form->size, bytes, size);
    form->size += size;
}

static inline struct form make_form(uint8_t encoding, uint8_t format, uint16_t tag, uint16_t length)
{
    bool has_format = format || tag;
    struct form form = {
        .bytes = {(uint8_t)(encoding | (has_format ? CAIRN_ENCODING_CHAIN : 0)),
                  (uint8_t)(format | (tag ? CAIRN_FORMAT_CHAIN : 0))},
        .size = has_format ? 2 : 1,
    };

    if (tag)
        add_to_form(&form, &tag, sizeof(tag));
    if (encoding & CAIRN_ENCODING_CARRAY)
        add_to_form(&form, &length, sizeof(length));
    return form;
}

static void add_name_and_encoding(struct cairn_event_builder *builder, const char *name,
                                  uint8_t encoding)
{
    cairn_builder_add_metadata(builder, name, strlen(name) + 1);
    cairn_builder_add_metadata(builder, &encoding, 1);
}

/* At once where there is room. */
static void define(struct cairn_event_builder *builder, const char *name, uint8_t encoding,
                   uint8_t format, uint16_t tag, uint16_t length)
{
    struct form form = make_form(encoding, format, tag, length);
    size_t name_bytes = strlen(name) + 1;
    uint8_t *place;

    count_field(builder);
    place = cairn_builder_metadata_place(builder, name_bytes + sizeof(form.bytes));
    if (!place) {
        cairn_builder_add_metadata(builder, name, name_bytes);
        cairn_builder_add_metadata(builder, form.bytes, form.size);
        return;
    }
    memcpy(place, name, name_bytes);
    memcpy(place + name_bytes, form.bytes, sizeof(form.bytes)); /* what is not its own goes over */
    builder->metadata.size += name_bytes + form.size;
    builder->at = builder->metadata.size;
}

/* ---- values ---- */

/* Bytes of a value, or 0: another kind of encoding. */
static size_t value_size(uint8_t encoding)
{
    if (encoding < CAIRN_ENCODING_VALUE8 || encoding > CAIRN_ENCODING_VALUE128)
        return 0;
    return (size_t)1 << (encoding - CAIRN_ENCODING_VALUE8);
}

static void add_count(struct cairn_event_builder *builder, size_t count)
{
    uint16_t count16 = (uint16_t)count;

    cairn_builder_add_data(builder, &count16, sizeof(count16));
}

void cairn_builder_value(struct cairn_event_builder *builder, const char *name, uint8_t encoding,
                         uint8_t format, uint16_t tag, const void *value)
{
    size_t size = value_size(encoding);

    if (!size)
        cairn_builder_fail(builder, EINVAL, not_a_value);
    define(builder, name, encoding, format, tag, 0);
    cairn_builder_add_data(builder, value, size);
}

void cairn_builder_values(struct cairn_event_builder *builder, const char *name, uint8_t encoding,
                          uint8_t format, uint16_t tag, const void *values, size_t count)
{
    size_t size = value_size(encoding);

    if (!size)
        cairn_builder_fail(builder, EINVAL, not_a_value);
    if (count > COUNT_MAX) {
        cairn_builder_fail(builder, E2BIG, too_long);
        return;
    }
    define(builder, name, encoding | CAIRN_ENCODING_VARRAY, format, tag, 0);
    add_count(builder, count);
    cairn_builder_add_data(builder, values, count * size);
}

void cairn_builder_fixed_values(struct cairn_event_builder *builder, const char *name,
                                uint8_t encoding, uint8_t format, uint16_t tag, const void *values,
                                size_t count)
{
    size_t size = value_size(encoding);

    if (!size)
        cairn_builder_fail(builder, EINVAL, not_a_value);
    if (!count || count > COUNT_MAX) {
        cairn_builder_fail(builder, count ? E2BIG : EINVAL, no_length);
        return;
    }
    define(builder, name, encoding | CAIRN_ENCODING_CARRAY, format, tag, (uint16_t)count);
    cairn_builder_add_data(builder, values, count * size);
}

/* ---- texts ---- */

/* Bytes of a unit, or 0: another kind of encoding. */
static size_t unit_size(uint8_t encoding)
{
    switch (encoding) {
    case CAIRN_ENCODING_ZSTRING_CHAR8:
    case CAIRN_ENCODING_STRING_LENGTH16_CHAR8:
    case CAIRN_ENCODING_BINARY_LENGTH16_CHAR8:
        return 1;
    case CAIRN_ENCODING_ZSTRING_CHAR16:
    case CAIRN_ENCODING_STRING_LENGTH16_CHAR16:
        return 2;
    case CAIRN_ENCODING_ZSTRING_CHAR32:
    case CAIRN_ENCODING_STRING_LENGTH16_CHAR32:
        return 4;
    default:
        return 0;
    }
}

static bool ends_at_zero(uint8_t encoding)
{
    return encoding <= CAIRN_ENCODING_ZSTRING_CHAR32;
}

/* Units before the first zero. */
static size_t units_before_zero(const uint8_t *units, size_t count, size_t size)
{
    static const uint8_t zero[4];
    size_t n = 0;

    while (n < count && memcmp(units + n * size, zero, size) != 0)
        n++;
    return n;
}

static void add_text(struct cairn_event_builder *builder, uint8_t encoding, const void *units,
                     size_t count)
{
    size_t size = unit_size(encoding);

    if (!units)
        count = 0;
    /* In a mute struct the units may be anything. */
    if (builder->error || builder->mute)
        return;
    if (ends_at_zero(encoding))
        count = units_before_zero(units, count, size);
    if (count > COUNT_MAX) {
        cairn_builder_fail(builder, E2BIG, too_long);
        return;
    }
    if (!ends_at_zero(encoding))
        add_count(builder, count);
    cairn_builder_add_data(builder, units, count * size);
    if (ends_at_zero(encoding))
        cairn_builder_add_data(builder, NULL, size);
}

void cairn_builder_text(struct cairn_event_builder *builder, const char *name, uint8_t encoding,
                        uint8_t format, uint16_t tag, const void *units, size_t count)
{
    if (!unit_size(encoding))
        cairn_builder_fail(builder, EINVAL, not_a_text);
    define(builder, name, encoding, format, tag, 0);
    add_text(builder, encoding, units, count);
}

void cairn_builder_texts(struct cairn_event_builder *builder, const char *name, uint8_t encoding,
                         uint8_t format, uint16_t tag, const struct cairn_event_text *texts,
                         size_t count)
{
    if (!unit_size(encoding))
        cairn_builder_fail(builder, EINVAL, not_a_text);
    if (count > COUNT_MAX)
        cairn_builder_fail(builder, E2BIG, too_long);
    define(builder, name, encoding | CAIRN_ENCODING_VARRAY, format, tag, 0);
    add_count(builder, count);
    for (size_t i = 0; i < count && !builder->error && !builder->mute; i++)
        add_text(builder, encoding, texts[i].units, texts[i].count);
}

void cairn_builder_null(struct cairn_event_builder *builder, const char *name, uint8_t format,
                        uint16_t tag)
{
    cairn_builder_text(builder, name, CAIRN_ENCODING_BINARY_LENGTH16_CHAR8, format, tag, NULL, 0);
}

void cairn_builder_raw_definition(struct cairn_event_builder *builder, const char *name,
                                  uint8_t encoding, uint8_t format, uint16_t tag, uint16_t length)
{
    define(builder, name, encoding & (uint8_t)~CAIRN_ENCODING_CHAIN,
           format & CAIRN_FORMAT_VALUE_MASK, tag, length);
}

void cairn_builder_raw_data(struct cairn_event_builder *builder, const void *bytes,
                            size_t size_bytes)
{
    cairn_builder_add_data(builder, bytes, size_bytes);
}

/* ---- structs ---- */

/*
 * The number of fields is where others have their format. In a further element of an array around
 * us it is there, and only looked at in the end.
 */
static size_t define_struct(struct cairn_event_builder *builder, const char *name, uint8_t encoding,
                            uint16_t tag)
{
    uint8_t count_byte = tag ? CAIRN_FORMAT_CHAIN : 0;
    size_t count_at;

    count_field(builder);
    add_name_and_encoding(builder, name, encoding | CAIRN_ENCODING_CHAIN);
    count_at = builder->at;
    if (!builder->error && count_at < builder->metadata.size)
        count_byte |= builder->metadata.bytes[count_at] & CAIRN_FORMAT_VALUE_MASK;
    cairn_builder_add_metadata(builder, &count_byte, 1);
    if (tag)
        cairn_builder_add_metadata(builder, &tag, sizeof(tag));
    return count_at;
}

static void begin_struct(struct cairn_event_builder *builder, const char *name, uint8_t encoding,
                         uint16_t tag, size_t elements)
{
    bool is_array = encoding & CAIRN_ENCODING_VARRAY;
    bool is_known = builder->at < builder->metadata.size;
    size_t count_at;

    if (builder->depth == CAIRN_BUILDER_DEPTH_MAX)
        cairn_builder_fail(builder, E2BIG, "structs are at most 8 deep in one another");
    count_at = define_struct(builder, name, encoding, tag);
    if (builder->error)
        return;
    builder->structs[builder->depth++] = (struct builder_struct){
        .count_at = count_at,
        .first = builder->at,
        .elements = elements,
        .is_array = is_array,
        .is_known = is_known,
        .is_mute = !elements,
    };
    builder->mute += !elements;
}

void cairn_builder_struct_begin(struct cairn_event_builder *builder, const char *name, uint16_t tag)
{
    begin_struct(builder, name, CAIRN_ENCODING_STRUCT, tag, 1);
}

void cairn_builder_structs_begin(struct cairn_event_builder *builder, const char *name,
                                 uint16_t tag, size_t count)
{
    if (count > COUNT_MAX)
        cairn_builder_fail(builder, E2BIG, too_long);
    add_count(builder, count);
    begin_struct(builder, name, CAIRN_ENCODING_STRUCT | CAIRN_ENCODING_VARRAY, tag, count);
}

/* The innermost struct at the end of an element; NULL after a failure. */
static struct builder_struct *end_element(struct cairn_event_builder *builder)
{
    struct builder_struct *s = &builder->structs[builder->depth - 1];
    uint8_t *count;

    if (!s->fields)
        cairn_builder_fail(builder, EINVAL, "a struct has at least one field");
    if (builder->error)
        return NULL;
    count = &builder->metadata.bytes[s->count_at];
    if (!s->is_known)
        *count = (uint8_t)(*count | s->fields);
    else if ((*count & CAIRN_FORMAT_VALUE_MASK) != s->fields)
        cairn_builder_fail(builder, EINVAL, "the structs of an array have the same fields");
    s->is_known = true;
    return builder->error ? NULL : s;
}

void cairn_builder_structs_next(struct cairn_event_builder *builder)
{
    struct builder_struct *s;

    if (!builder->error && (!builder->depth || !builder->structs[builder->depth - 1].is_array ||
                            builder->structs[builder->depth - 1].elements < 2))
        cairn_builder_fail(builder, EINVAL, "there is no further struct in this array");
    if (builder->error)
        return;
    s = end_element(builder);
    if (!s)
        return;
    s->elements--;
    s->fields = 0;
    builder->at = s->first;
}

void cairn_builder_struct_end(struct cairn_event_builder *builder)
{
    struct builder_struct *s;

    if (!builder->error && !builder->depth)
        cairn_builder_fail(builder, EINVAL, "no struct has begun");
    if (builder->error)
        return;
    s = end_element(builder);
    if (!s)
        return;
    if (s->elements > 1)
        cairn_builder_fail(builder, EINVAL, "an array of structs has fewer than it said");
    builder->mute -= s->is_mute;
    builder->depth--;
}
