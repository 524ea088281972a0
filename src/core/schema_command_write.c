/* SPDX-License-Identifier: MIT */
/*
 * The command text that registers a schema's event with user_events. The kernel knows few types by
 * name: each field becomes the one of its size and sign, and what is none of them a struct.
 */
#include <cairn/schema.h>

#include "core/errno.h"
#include "core/text.h"

/* The kernel takes larger arrays of char as a struct only. */
#define CHAR_ARRAY_MAX_BYTES 1024u

static struct cairn_slice integer_type(const struct cairn_field *field)
{
    bool is_signed = field->kind == CAIRN_FIELD_SIGNED;

    switch (field->element_size_bytes) {
    case 1:
        return is_signed ? CAIRN_SLICE("s8") : CAIRN_SLICE("u8");
    case 2:
        return is_signed ? CAIRN_SLICE("s16") : CAIRN_SLICE("u16");
    case 4:
        return is_signed ? CAIRN_SLICE("s32") : CAIRN_SLICE("u32");
    case 8:
        return is_signed ? CAIRN_SLICE("s64") : CAIRN_SLICE("u64");
    default:
        return CAIRN_SLICE("");
    }
}

/* What one element is called; "" when it is none of the kernel's types. */
static struct cairn_slice element_type(const struct cairn_field *field)
{
    if (field->kind == CAIRN_FIELD_STRING)
        return CAIRN_SLICE("char");
    return integer_type(field);
}

/* A tag is one word: "struct a::b" and "point_t" become a__b and point_t. */
static void add_tag(struct cairn_text *t, struct cairn_slice type)
{
    cairn_slice_take(&type, CAIRN_SLICE("const "));
    if (!cairn_slice_take(&type, CAIRN_SLICE("struct ")))
        cairn_slice_take(&type, CAIRN_SLICE("union "));
    if (!type.length)
        type = CAIRN_SLICE("bytes");
    for (uint32_t i = 0; i < type.length; i++) {
        bool is_good = cairn_is_word_byte(type.text[i]);

        cairn_text_add(t, is_good ? (struct cairn_slice){type.text + i, 1} : CAIRN_SLICE("_"));
    }
}

/* "struct TAG NAME SIZE" */
static void add_opaque(struct cairn_text *t, const struct cairn_field *field)
{
    struct cairn_slice element = element_type(field);

    cairn_text_add(t, CAIRN_SLICE("struct "));
    if (element.length) {
        cairn_text_add(t, element);
        cairn_text_add(t, CAIRN_SLICE("_array"));
    } else {
        add_tag(t, field->type);
    }
    cairn_text_add(t, CAIRN_SLICE(" "));
    cairn_text_add(t, field->name);
    cairn_text_add(t, CAIRN_SLICE(" "));
    cairn_text_add_u32(t, field->size_bytes);
}

static void add_dynamic_type(struct cairn_text *t, const struct cairn_field *field)
{
    struct cairn_slice element = element_type(field);

    cairn_text_add(t, field->location == CAIRN_FIELD_DATA_LOC ? CAIRN_SLICE("__data_loc ")
                                                              : CAIRN_SLICE("__rel_loc "));
    cairn_text_add(t, element.length ? element : CAIRN_SLICE("u8"));
    cairn_text_add(t, CAIRN_SLICE("[]"));
}

static void add_char_array_type(struct cairn_text *t, const struct cairn_field *field)
{
    if (field->kind != CAIRN_FIELD_STRING)
        cairn_text_add(t, CAIRN_SLICE("unsigned "));
    cairn_text_add(t, CAIRN_SLICE("char["));
    cairn_text_add_u32(t, field->size_bytes);
    cairn_text_add(t, CAIRN_SLICE("]"));
}

static bool is_char_array(const struct cairn_field *field)
{
    return (field->kind == CAIRN_FIELD_STRING ||
            (field->kind == CAIRN_FIELD_UNSIGNED && field->element_size_bytes == 1)) &&
           field->size_bytes && field->size_bytes <= CHAR_ARRAY_MAX_BYTES;
}

static void add_field(struct cairn_text *t, const struct cairn_field *field)
{
    if (field->location != CAIRN_FIELD_INLINE) {
        add_dynamic_type(t, field);
    } else if (field->is_array && is_char_array(field)) {
        add_char_array_type(t, field);
    } else if (field->is_array || !element_type(field).length) {
        add_opaque(t, field);
        return;
    } else {
        cairn_text_add(t, element_type(field));
    }
    cairn_text_add(t, CAIRN_SLICE(" "));
    cairn_text_add(t, field->name);
}

int cairn_schema_write_command(const struct cairn_schema *schema, char *text, size_t size_bytes,
                               size_t *ret_length)
{
    struct cairn_text t = cairn_text(text, size_bytes);

    if (schema->name.length >= CAIRN_NAME_MAX_BYTES)
        return E2BIG;
    cairn_text_add(&t, schema->name);
    if (schema->flags.length) {
        cairn_text_add(&t, CAIRN_SLICE(":"));
        cairn_text_add(&t, schema->flags);
    }
    for (uint32_t i = schema->common_count; i < schema->field_count; i++) {
        cairn_text_add(&t, i > schema->common_count ? CAIRN_SLICE("; ") : CAIRN_SLICE(" "));
        add_field(&t, &schema->fields[i]);
    }
    if (!t.full && cairn_text_length(&t) >= CAIRN_COMMAND_MAX_BYTES)
        return E2BIG;
    return cairn_text_end(&t, ret_length);
}
