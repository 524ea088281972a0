/* SPDX-License-Identifier: MIT */
/*
 * Writes the format text of an event, byte for byte as Linux 6.12 does: f_show of
 * kernel/trace/trace_events.c. For user_events the text after "print fmt:" is generated from the
 * fields (user_event_set_print_fmt of trace_events_user.c); for tracepoints it is given.
 */
#include "core/schema_format.h"

#define COMMON_FIELDS                                                              \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"

static bool is_tracepoint(const struct cairn_schema *schema)
{
    return schema->print_fmt.length != 0;
}

/*
 * The brackets of an array follow the name. For user_events they are empty: the kernel prints the
 * count from a member that user_events does not set. (It is 0 where memory is cleared on
 * allocation, as in Debian's kernels, and undefined elsewhere.) Of dynamic fields, __data_loc does
 * not have this problem, __rel_loc does.
 */
static void add_declaration(struct cairn_text *t, const struct cairn_field *field, bool show_count)
{
    struct cairn_slice type = field->type;
    bool is_array = field->is_array && field->location == CAIRN_FIELD_INLINE;

    if (field->location == CAIRN_FIELD_REL_LOC) {
        type.length = core_slice_find(type, '[');
        is_array = type.length < field->type.length;
    }
    core_text_add(t, type);
    core_text_put(t, " ");
    core_text_add(t, field->name);
    if (!is_array)
        return;
    cairn_text_printf(t, show_count && field->element_count ? "[%u]" : "[]", field->element_count);
}

static void add_field(struct cairn_text *t, const struct cairn_field *field, bool show_count)
{
    core_text_put(t, "\tfield:");
    add_declaration(t, field, show_count);
    cairn_text_printf(t, ";\toffset:%u;\tsize:%u;\tsigned:%u;\n", field->offset, field->size_bytes,
                      field->is_signed);
}

/* The kernel looks for "char[" in the type; it shows unknown types as a u64. */
static const char *conversion(const struct cairn_field *field)
{
    bool is_text = field->location == CAIRN_FIELD_INLINE
                       ? field->is_array && core_slice_ends(field->type, "char")
                       : core_slice_contains(field->type, "char[");

    if (is_text)
        return "%s";
    if (field->location != CAIRN_FIELD_INLINE || field->kind == CAIRN_FIELD_STRUCT)
        return "%llu";
    if (field->size_bytes == 8)
        return field->is_signed ? "%lld" : "%llu";
    return field->is_signed ? "%d" : "%u";
}

static void add_argument(struct cairn_text *t, const struct cairn_field *field)
{
    bool is_text =
        field->location != CAIRN_FIELD_INLINE && core_slice_contains(field->type, "char");

    if (!is_text)
        core_text_put(t, ", REC->");
    else if (field->location == CAIRN_FIELD_DATA_LOC)
        core_text_put(t, ", __get_str(");
    else
        core_text_put(t, ", __get_rel_str(");
    core_text_add(t, field->name);
    if (is_text)
        core_text_put(t, ")");
}

static bool starts_with_word(struct cairn_slice text, const char *word)
{
    return core_slice_take(&text, word) && (!text.length || !core_is_word_byte(text.text[0]));
}

/* Converts "CAIRN_I_WORD(__get_str, _, name)", after its parenthesis: "__get_str(name)". */
static struct cairn_slice add_word(struct cairn_text *t, struct cairn_slice text)
{
    uint32_t comma = core_slice_find(text, ',');

    core_text_add(t, core_slice_first(text, comma));
    core_text_put(t, "(");
    text = core_slice_after(text, comma);
    core_slice_take(&text, ", _, ");
    return text;
}

/* Takes a name off the front of the text, and returns its number. */
static bool take_enum(const struct core_enums *enums, struct cairn_slice *text, int64_t *ret_value)
{
    for (const struct cairn_trace_enum *const *at = enums->start; at != enums->stop; at++) {
        if (core_slice_is(enums->system, (*at)->system) && starts_with_word(*text, (*at)->name)) {
            core_slice_take(text, (*at)->name);
            *ret_value = (*at)->value;
            return true;
        }
    }
    return false;
}

/* Members are not enums. */
static bool is_member(struct cairn_slice all, struct cairn_slice rest)
{
    all.length -= rest.length;
    return core_slice_ends(all, ".") || core_slice_ends(all, "->");
}

/* Writes the text with REC instead of __entry, and words as in the source. */
static void add_given_print_fmt(struct cairn_text *t, struct cairn_slice all,
                                const struct core_enums *enums)
{
    struct cairn_slice text = all;
    bool quoted = false, in_word = false;
    int64_t value;

    while (text.length) {
        bool begins = !in_word;
        uint32_t count = text.text[0] == '\\' && text.length > 1 ? 2 : 1;

        quoted ^= text.text[0] == '"';
        in_word = core_is_word_byte(text.text[count - 1]);
        if (begins && starts_with_word(text, "__entry")) {
            core_text_put(t, "REC");
            text = core_slice_after(text, sizeof("__entry") - 1);
        } else if (begins && core_slice_take(&text, "CAIRN_I_WORD(")) {
            text = add_word(t, text);
            in_word = false;
        } else if (begins && !quoted && !is_member(all, text) && take_enum(enums, &text, &value)) {
            cairn_text_printf(t, "%lld", (long long)value);
        } else {
            core_text_add(t, core_slice_first(text, count));
            text = core_slice_after(text, count);
        }
    }
}

static void add_made_print_fmt(struct cairn_text *t, const struct cairn_schema *schema)
{
    core_text_put(t, "\"");
    for (uint32_t i = 0; i < schema->field_count; i++) {
        if (i)
            core_text_put(t, " ");
        core_text_add(t, schema->fields[i].name);
        core_text_put(t, "=");
        core_text_put(t, conversion(&schema->fields[i]));
    }
    core_text_put(t, "\"");
    for (uint32_t i = 0; i < schema->field_count; i++)
        add_argument(t, &schema->fields[i]);
}

void core_schema_add_format(struct cairn_text *t, const struct cairn_schema *schema, uint32_t id,
                            const struct core_enums *enums)
{
    core_text_put(t, "name: ");
    core_text_add(t, schema->name);
    cairn_text_printf(t, "\nID: %u\nformat:\n" COMMON_FIELDS "\n", id);
    for (uint32_t i = 0; i < schema->field_count; i++)
        add_field(t, &schema->fields[i], is_tracepoint(schema));
    core_text_put(t, "\nprint fmt: ");
    if (is_tracepoint(schema))
        add_given_print_fmt(t, schema->print_fmt, enums);
    else
        add_made_print_fmt(t, schema);
    core_text_put(t, "\n");
}

int cairn_schema_write_format(const struct cairn_schema *schema, uint32_t id, char *text,
                              size_t size_bytes, size_t *ret_length)
{
    const struct core_enums none = {0};
    struct cairn_text t = cairn_text(text, size_bytes);

    core_schema_add_format(&t, schema, id, &none);
    return core_text_end(&t, ret_length);
}
