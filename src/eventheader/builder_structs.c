/* SPDX-License-Identifier: MIT */
/* Structs, and arrays of structs: fields that have fields. */
#include "eventheader/builder.h"

/*
 * The number of fields is where others have their format. In a further element of an array around
 * us it is there, and only looked at in the end.
 */
static size_t define_struct(struct cairn_builder *builder, const char *name, uint8_t encoding,
                            uint16_t tag)
{
    uint8_t count_byte = tag ? CAIRN_FORMAT_CHAIN : 0;
    size_t count_at;

    cairn_builder_count_field(builder);
    cairn_builder_add_metadata(builder, name, strlen(name) + 1);
    cairn_builder_add_metadata(builder, &(uint8_t){encoding | CAIRN_ENCODING_CHAIN}, 1);
    count_at = builder->at;
    if (!builder->error && count_at < builder->metadata.size)
        count_byte |= builder->metadata.bytes[count_at] & CAIRN_FORMAT_VALUE_MASK;
    cairn_builder_add_metadata(builder, &count_byte, 1);
    if (tag)
        cairn_builder_add_metadata(builder, &tag, sizeof(tag));
    return count_at;
}

static void begin_struct(struct cairn_builder *builder, const char *name, uint8_t encoding,
                         uint16_t tag, size_t elements)
{
    bool is_array = encoding & CAIRN_ENCODING_VARRAY;
    bool is_known = builder->at < builder->metadata.size;
    size_t count_at;

    if (!name)
        cairn_builder_fail(builder, EINVAL, CAIRN_BUILDER_NO_NAME);
    if (builder->depth == CAIRN_BUILDER_DEPTH_MAX)
        cairn_builder_fail(builder, E2BIG, "structs are at most 8 deep in one another");
    if (builder->error)
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
    if (count > CAIRN_BUILDER_COUNT_MAX)
        cairn_builder_fail(builder, E2BIG, CAIRN_BUILDER_TOO_LONG);
    cairn_builder_add_count(builder, count);
    begin_struct(builder, name, CAIRN_ENCODING_STRUCT | CAIRN_ENCODING_VARRAY, tag, count);
}

/* The innermost struct at the end of an element; NULL after a failure. */
static struct builder_struct *end_element(struct cairn_builder *builder)
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

void cairn_builder_structs_next(struct cairn_builder *builder)
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

void cairn_builder_struct_end(struct cairn_builder *builder)
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
