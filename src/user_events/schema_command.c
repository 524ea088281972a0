/* SPDX-License-Identifier: MIT */
/* Writes the command text that registers an event with a given schema. The kernel has few types:
 * each field gets the type of its size and signedness, or a struct if there is none. */
#include <cairn/user_events.h>

#include "core/text.h"

#include <errno.h>

/* The kernel takes larger arrays of char as a struct only. */
#define CHAR_ARRAY_MAX_BYTES 1024u

/* Name of the type of one element; "" if the kernel has no such type. */
static const char *element_type(const struct cairn_field *field)
{
    bool is_signed = field->kind == CAIRN_FIELD_SIGNED;

    if (field->kind == CAIRN_FIELD_STRING)
        return "char";
    switch (field->element_size_bytes) {
    case 1:
        return is_signed ? "s8" : "u8";
    case 2:
        return is_signed ? "s16" : "u16";
    case 4:
        return is_signed ? "s32" : "u32";
    case 8:
        return is_signed ? "s64" : "u64";
    default:
        return "";
    }
}

/* A tag is one word: "struct a::b" becomes a__b, and "point_t" is kept. */
static void add_tag(struct cairn_text *t, struct cairn_slice type)
{
    core_slice_take(&type, "const ");
    if (!core_slice_take(&type, "struct "))
        core_slice_take(&type, "union ");
    if (!type.length)
        type = CORE_SLICE("bytes");
    for (uint32_t i = 0; i < type.length; i++) {
        bool is_good = core_is_word_byte(type.text[i]);

        core_text_add(t, is_good ? (struct cairn_slice){type.text + i, 1} : CORE_SLICE("_"));
    }
}

/* "struct TAG NAME SIZE" */
static void add_opaque(struct cairn_text *t, const struct cairn_field *field)
{
    const char *element = element_type(field);

    core_text_put(t, "struct ");
    if (*element) {
        core_text_put(t, element);
        core_text_put(t, "_array");
    } else {
        add_tag(t, field->type);
    }
    core_text_put(t, " ");
    core_text_add(t, field->name);
    cairn_text_printf(t, " %u", field->size_bytes);
}

static void add_dynamic_type(struct cairn_text *t, const struct cairn_field *field)
{
    const char *element = element_type(field);

    core_text_put(t, field->location == CAIRN_FIELD_DATA_LOC ? "__data_loc " : "__rel_loc ");
    core_text_put(t, *element ? element : "u8");
    core_text_put(t, "[]");
}

static void add_char_array_type(struct cairn_text *t, const struct cairn_field *field)
{
    if (field->kind != CAIRN_FIELD_STRING)
        core_text_put(t, "unsigned ");
    cairn_text_printf(t, "char[%u]", field->size_bytes);
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
    } else if (field->is_array || !*element_type(field)) {
        add_opaque(t, field);
        return;
    } else {
        core_text_put(t, element_type(field));
    }
    core_text_put(t, " ");
    core_text_add(t, field->name);
}

int cairn_schema_write_command(const struct cairn_schema *schema, char *text, size_t size_bytes,
                               size_t *ret_length)
{
    struct cairn_text t = cairn_text(text, size_bytes);

    if (schema->name.length >= CAIRN_NAME_MAX_BYTES)
        return E2BIG;
    core_text_add(&t, schema->name);
    if (schema->flags.length) {
        core_text_put(&t, ":");
        core_text_add(&t, schema->flags);
    }
    for (uint32_t i = schema->common_count; i < schema->field_count; i++) {
        core_text_put(&t, i > schema->common_count ? "; " : " ");
        add_field(&t, &schema->fields[i]);
    }
    if (!t.full && cairn_text_length(&t) >= CAIRN_COMMAND_MAX_BYTES)
        return E2BIG;
    return core_text_end(&t, ret_length);
}
