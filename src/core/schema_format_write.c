/* SPDX-License-Identifier: MIT */
/*
 * The format text of a user_event, byte for byte as Linux 6.12 makes it: f_show of
 * kernel/trace/trace_events.c and user_event_set_print_fmt of trace_events_user.c.
 */
#include <cairn/schema.h>

#include "core/slice.h"
#include "core/text.h"

#define COMMON_FIELDS                                                              \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"

/*
 * An array's brackets go behind the name, and empty: the kernel prints the count from a member that
 * user_events does not set. (It is 0 where memory is cleared on allocation, as in Debian's kernels,
 * and accidental elsewhere.) Of dynamic fields __data_loc is spared this, __rel_loc is not.
 */
static void add_declaration(struct cairn_text *t, const struct cairn_field *field)
{
    struct cairn_slice type = field->type;
    bool is_array = field->is_array && field->location == CAIRN_FIELD_INLINE;

    if (field->location == CAIRN_FIELD_REL_LOC) {
        type.length = cairn_slice_find(type, '[');
        is_array = type.length < field->type.length;
    }
    cairn_text_add(t, type);
    cairn_text_add(t, CAIRN_SLICE(" "));
    cairn_text_add(t, field->name);
    if (is_array)
        cairn_text_add(t, CAIRN_SLICE("[]"));
}

static void add_field(struct cairn_text *t, const struct cairn_field *field)
{
    cairn_text_add(t, CAIRN_SLICE("\tfield:"));
    add_declaration(t, field);
    cairn_text_add(t, CAIRN_SLICE(";\toffset:"));
    cairn_text_add_u32(t, field->offset);
    cairn_text_add(t, CAIRN_SLICE(";\tsize:"));
    cairn_text_add_u32(t, field->size_bytes);
    cairn_text_add(t, CAIRN_SLICE(";\tsigned:"));
    cairn_text_add_u32(t, field->is_signed);
    cairn_text_add(t, CAIRN_SLICE(";\n"));
}

/* The kernel looks for "char[" in the type; whatever it does not know it shows as a u64. */
static struct cairn_slice conversion(const struct cairn_field *field)
{
    bool is_text = field->location == CAIRN_FIELD_INLINE
                       ? field->is_array && cairn_slice_ends(field->type, CAIRN_SLICE("char"))
                       : cairn_slice_contains(field->type, CAIRN_SLICE("char["));

    if (is_text)
        return CAIRN_SLICE("%s");
    if (field->location != CAIRN_FIELD_INLINE || field->kind == CAIRN_FIELD_STRUCT)
        return CAIRN_SLICE("%llu");
    if (field->size_bytes == 8)
        return field->is_signed ? CAIRN_SLICE("%lld") : CAIRN_SLICE("%llu");
    return field->is_signed ? CAIRN_SLICE("%d") : CAIRN_SLICE("%u");
}

static void add_argument(struct cairn_text *t, const struct cairn_field *field)
{
    bool is_text = field->location != CAIRN_FIELD_INLINE &&
                   cairn_slice_contains(field->type, CAIRN_SLICE("char"));

    if (!is_text) {
        cairn_text_add(t, CAIRN_SLICE(", REC->"));
        cairn_text_add(t, field->name);
        return;
    }
    cairn_text_add(t, field->location == CAIRN_FIELD_DATA_LOC ? CAIRN_SLICE(", __get_str(")
                                                              : CAIRN_SLICE(", __get_rel_str("));
    cairn_text_add(t, field->name);
    cairn_text_add(t, CAIRN_SLICE(")"));
}

static void add_print_fmt(struct cairn_text *t, const struct cairn_schema *schema)
{
    cairn_text_add(t, CAIRN_SLICE("\nprint fmt: \""));
    for (uint32_t i = 0; i < schema->field_count; i++) {
        if (i)
            cairn_text_add(t, CAIRN_SLICE(" "));
        cairn_text_add(t, schema->fields[i].name);
        cairn_text_add(t, CAIRN_SLICE("="));
        cairn_text_add(t, conversion(&schema->fields[i]));
    }
    cairn_text_add(t, CAIRN_SLICE("\""));
    for (uint32_t i = 0; i < schema->field_count; i++)
        add_argument(t, &schema->fields[i]);
    cairn_text_add(t, CAIRN_SLICE("\n"));
}

int cairn_schema_write_format(const struct cairn_schema *schema, uint32_t id, char *text,
                              size_t size_bytes, size_t *ret_length)
{
    struct cairn_text t = cairn_text(text, size_bytes);

    cairn_text_add(&t, CAIRN_SLICE("name: "));
    cairn_text_add(&t, schema->name);
    cairn_text_add(&t, CAIRN_SLICE("\nID: "));
    cairn_text_add_u32(&t, id);
    cairn_text_add(&t, CAIRN_SLICE("\nformat:\n" COMMON_FIELDS "\n"));
    for (uint32_t i = 0; i < schema->field_count; i++)
        add_field(&t, &schema->fields[i]);
    add_print_fmt(&t, schema);
    return cairn_text_end(&t, ret_length);
}
