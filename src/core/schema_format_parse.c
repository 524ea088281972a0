/* SPDX-License-Identifier: MIT */
/*
 * Parses the format text of tracefs, the contents of events/SYSTEM/NAME/format:
 *
 *     name: NAME
 *     ID: NUMBER
 *     format:
 *             field:DECLARATION;      offset:N;       size:N; signed:N;
 *     (an empty line between the common fields and the event's own)
 *
 *     print fmt: "FORMAT", ARGUMENTS
 */
#include "core/errno.h"
#include "core/field_type.h"
#include "core/slice.h"

#include <cairn/schema.h>

struct format {
    struct cairn_schema schema;
    uint32_t field_max;
    uint32_t long_size_bytes;
    bool in_common; /* still among the common fields, which an empty line ends */
};

/* "KEY: VALUE" without the spaces around the value. */
static bool take_property(struct cairn_slice *text, const char *key, struct cairn_slice *ret_value)
{
    struct cairn_slice line = core_slice_take_until(text, '\n');

    if (!core_slice_take(&line, key))
        return false;
    *ret_value = core_slice_trim(line);
    return true;
}

static int parse_head(struct format *format, struct cairn_slice *text)
{
    struct cairn_slice id;
    struct cairn_slice nothing;

    if (!take_property(text, "name:", &format->schema.name) || !take_property(text, "ID:", &id) ||
        !take_property(text, "format:", &nothing))
        return EBADMSG;
    if (!format->schema.name.length || nothing.length ||
        !core_slice_number(id, 10, &format->schema.id))
        return EBADMSG;
    return 0;
}

/* n of "[n]" at the front of text; 0 if it is not a number, as in "[]" and "[TASK_COMM_LEN]". */
static uint32_t bracketed_count(struct cairn_slice text)
{
    uint32_t count;

    core_slice_take(&text, "[");
    if (!core_slice_number(core_slice_first(text, core_slice_find(text, ']')), 0, &count))
        return 0;
    return count;
}

/* The position of brackets at the end of the text; its length if there are none. */
static uint32_t bracket_position(struct cairn_slice text)
{
    return core_slice_ends(text, "]") ? core_slice_find(text, '[') : text.length;
}

/*
 * The position of the declared name: after the last space that is not in brackets at the end, and
 * after any stars. Names of user_events may contain any other byte.
 */
static uint32_t name_position(struct cairn_slice declaration)
{
    uint32_t position = bracket_position(declaration);

    while (position && !core_is_space(declaration.text[position - 1]))
        position--;
    while (position < declaration.length && declaration.text[position] == '*')
        position++;
    return position;
}

static bool is_function_pointer(struct cairn_slice declaration)
{
    return core_slice_ends(declaration, ")") && core_slice_contains(declaration, "(*");
}

/* Cuts off the brackets at the end. */
static struct cairn_slice take_brackets(struct cairn_slice *s)
{
    struct cairn_slice brackets = core_slice_after(*s, bracket_position(*s));

    s->length -= brackets.length;
    return brackets;
}

/*
 * "type name", "type name[n]", "type[n] name", "type *name". For a function pointer, "type
 * (*name)(arguments)", the type is the whole declaration, because the name is in its middle.
 */
static void split_declaration(struct cairn_slice declaration, struct cairn_field *field,
                              uint32_t *ret_count)
{
    uint32_t position = name_position(declaration);
    struct cairn_slice brackets;

    if (is_function_pointer(declaration)) {
        position = core_slice_find_text(declaration, "(*") + 2;
        field->type = declaration;
        field->name = core_slice_after(declaration, position);
        field->name.length = core_slice_find(field->name, ')');
    } else {
        field->type = core_slice_trim(core_slice_first(declaration, position));
        field->name = core_slice_after(declaration, position);
    }

    brackets = take_brackets(&field->name);
    if (!brackets.length && core_slice_ends(field->type, "]") &&
        core_type_location(field->type) == CAIRN_FIELD_INLINE)
        brackets = take_brackets(&field->type);
    field->is_array = brackets.length != 0;
    *ret_count = bracketed_count(brackets);
}

/* "offset:N; size:N; signed:N;". The oldest kernels have no `signed`; a later one may have more. */
static int parse_attributes(struct cairn_slice text, struct cairn_field *field)
{
    uint32_t is_signed = core_type_is_signed(field->type);
    bool has_offset = false;
    bool has_size = false;

    for (text = core_slice_skip_spaces(text); text.length; text = core_slice_skip_spaces(text)) {
        bool valid = core_slice_find(text, ';') < text.length;
        struct cairn_slice value = core_slice_take_until(&text, ';');
        struct cairn_slice key = core_slice_take_until(&value, ':');

        if (core_slice_is(key, "offset")) {
            has_offset = true;
            valid &= core_slice_number(value, 10, &field->offset);
        } else if (core_slice_is(key, "size")) {
            has_size = true;
            valid &= core_slice_number(value, 10, &field->size_bytes);
        } else if (core_slice_is(key, "signed")) {
            valid &= core_slice_number(value, 10, &is_signed);
        }
        if (!valid)
            return EBADMSG;
    }
    field->is_signed = is_signed != 0;
    return has_offset && has_size ? 0 : EBADMSG;
}

/* The declaration may have semicolons, in a struct's body: it ends before "offset:". */
static uint32_t declaration_length(struct cairn_slice line)
{
    uint32_t at = 0;

    for (;;) {
        struct cairn_slice rest;

        at += core_slice_find(core_slice_after(line, at), ';');
        if (at == line.length)
            return at;
        rest = core_slice_skip_spaces(core_slice_after(line, at + 1));
        if (core_slice_starts(rest, "offset:"))
            return at;
        at++;
    }
}

static int add_field(struct format *format, const struct cairn_field *field)
{
    struct cairn_schema *schema = &format->schema;

    if (schema->field_count == format->field_max)
        return ENOSPC;
    if (format->in_common && core_slice_starts(field->name, "common_"))
        schema->common_count++;
    else
        format->in_common = false;
    schema->fields[schema->field_count++] = *field;
    if (schema->fixed_size_bytes < field->offset + field->size_bytes)
        schema->fixed_size_bytes = field->offset + field->size_bytes;
    return 0;
}

/* The rest of a line after "field". Old events of ftrace itself have "field special:". */
static int parse_field(struct format *format, struct cairn_slice line)
{
    struct cairn_field field = {.size_bytes = 0};
    struct cairn_slice declaration;
    uint32_t count;
    int err;

    core_slice_take(&line, " special");
    if (!core_slice_take(&line, ":"))
        return EBADMSG;
    declaration = core_slice_first(line, declaration_length(line));
    line = core_slice_after(line, declaration.length);
    if (!core_slice_take(&line, ";"))
        return EBADMSG;

    split_declaration(core_slice_trim(declaration), &field, &count);
    err = parse_attributes(line, &field);
    if (err)
        return err;
    if (!field.name.length || !field.type.length || field.offset > UINT32_MAX - field.size_bytes)
        return EBADMSG;
    if (core_type_location(field.type) != CAIRN_FIELD_INLINE && field.size_bytes != 4)
        return EBADMSG;
    core_field_classify(&field, count, format->long_size_bytes);
    return add_field(format, &field);
}

/*
 * Everything after "format:". An unknown line is an error: it might change the meaning of others.
 */
static int parse_body(struct format *format, struct cairn_slice text)
{
    int err = 0;

    while (!err && text.length) {
        struct cairn_slice rest = text;
        struct cairn_slice line = core_slice_trim(core_slice_take_until(&text, '\n'));

        if (!line.length) {
            format->in_common = format->schema.field_count == 0;
        } else if (core_slice_take(&rest, "print fmt:")) {
            /* It may have several lines, and is the last part. */
            format->schema.print_fmt = core_slice_trim(rest);
            break;
        } else {
            err = core_slice_take(&line, "field") ? parse_field(format, line) : EBADMSG;
        }
    }
    return err;
}

int cairn_schema_parse_format(const char *text, size_t size_bytes, uint32_t long_size_bytes,
                              struct cairn_field *fields, uint32_t field_max,
                              struct cairn_schema *ret_schema)
{
    struct format format = {
        .schema = {.system = CORE_SLICE(""),
                   .flags = CORE_SLICE(""),
                   .print_fmt = CORE_SLICE(""),
                   .fields = fields},
        .field_max = field_max,
        .long_size_bytes = long_size_bytes,
        .in_common = true,
    };
    struct cairn_slice left;
    int err;

    if (!size_bytes || size_bytes > UINT32_MAX || (long_size_bytes != 4 && long_size_bytes != 8))
        return EBADMSG;
    left = (struct cairn_slice){text, (uint32_t)size_bytes};
    err = parse_head(&format, &left);
    if (!err)
        err = parse_body(&format, left);
    if (!err)
        *ret_schema = format.schema;
    return err;
}
