/* SPDX-License-Identifier: MIT */
/* Structs and arrays of structs in a builder: fields that contain fields. */
#include "eventheader/builder.h"

/* Defines a struct. Its number of fields has the position of the format of other fields. In a later
 * element of an enclosing array the number exists already, and end_element compares with it. */
static size_t define_struct(struct cairn_builder *builder, const char *name, uint8_t encoding,
                            uint16_t tag)
{
    uint8_t count_byte = tag ? CAIRN_FORMAT_CHAIN : 0;
    size_t count_at;

    eventheader_builder_count_field(builder);
    eventheader_builder_add_metadata(builder, name, strlen(name) + 1);
    eventheader_builder_add_metadata(builder, &(uint8_t){encoding | CAIRN_ENCODING_CHAIN}, 1);
    count_at = builder->at;
    if (!builder->error && count_at < builder->metadata.size)
        count_byte |= builder->metadata.bytes[count_at] & CAIRN_FORMAT_VALUE_MASK;
    eventheader_builder_add_metadata(builder, &count_byte, 1);
    if (tag)
        eventheader_builder_add_metadata(builder, &tag, sizeof(tag));
    return count_at;
}

static void begin_struct(struct cairn_builder *builder, const char *name, uint8_t encoding,
                         uint16_t tag, size_t elements)
{
    bool is_array = encoding & CAIRN_ENCODING_VARRAY;
    bool is_known = builder->at < builder->metadata.size;
    size_t count_at;

    if (!name)
        eventheader_builder_fail(builder, EINVAL, EVENTHEADER_BUILDER_NO_NAME);
    if (builder->depth == CAIRN_BUILDER_DEPTH_MAX)
        eventheader_builder_fail(builder, E2BIG, "structs are nested at most 8 deep");
    if (!name || builder->error)
        return;
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

void cairn_builder_struct_begin(struct cairn_builder *builder, const char *name, uint16_t tag)
{
    begin_struct(builder, name, CAIRN_ENCODING_STRUCT, tag, 1);
}

void cairn_builder_structs_begin(struct cairn_builder *builder, const char *name, uint16_t tag,
                                 size_t count)
{
    if (count > EVENTHEADER_BUILDER_COUNT_MAX)
        eventheader_builder_fail(builder, E2BIG, EVENTHEADER_BUILDER_TOO_LONG);
    eventheader_builder_add_count(builder, count);
    begin_struct(builder, name, CAIRN_ENCODING_STRUCT | CAIRN_ENCODING_VARRAY, tag, count);
}

/* Ends an element of the innermost struct, and returns it. NULL: a failure. */
static struct builder_struct *end_element(struct cairn_builder *builder)
{
    struct builder_struct *s = &builder->structs[builder->depth - 1];
    uint8_t *count;

    if (!s->fields)
        eventheader_builder_fail(builder, EINVAL, "a struct has at least one field");
    if (builder->error)
        return NULL;
    count = &builder->metadata.bytes[s->count_at];
    if (!s->is_known)
        *count = (uint8_t)(*count | s->fields);
    else if ((*count & CAIRN_FORMAT_VALUE_MASK) != s->fields)
        eventheader_builder_fail(builder, EINVAL, "the structs of an array have the same fields");
    s->is_known = true;
    return builder->error ? NULL : s;
}

void cairn_builder_structs_next(struct cairn_builder *builder)
{
    struct builder_struct *s;

    if (!builder->error && (!builder->depth || !builder->structs[builder->depth - 1].is_array ||
                            builder->structs[builder->depth - 1].elements < 2))
        eventheader_builder_fail(builder, EINVAL, "there is no further struct in this array");
    if (builder->error)
        return;
    s = end_element(builder);
    if (!s)
        return;
    s->elements--;
    s->fields = 0;
    builder->at = s->first;
}

void cairn_builder_struct_end(struct cairn_builder *builder)
{
    struct builder_struct *s;

    if (!builder->error && !builder->depth)
        eventheader_builder_fail(builder, EINVAL, "no struct has begun");
    if (builder->error)
        return;
    s = end_element(builder);
    if (!s)
        return;
    if (s->elements > 1)
        eventheader_builder_fail(builder, EINVAL,
                                 "an array of structs has fewer elements than declared");
    builder->mute -= s->is_mute;
    builder->depth--;
}
