/* SPDX-License-Identifier: MIT */
/*
 * Format texts for perf.
 *
 * user_events takes any printable byte in the name of an event, in names of fields and in types.
 * libtraceevent, which reads format texts for perf, takes identifiers. If an event's name has other
 * bytes, perf refuses the whole recording; if a field's name has, the event's fields. So perf gets
 * a text in which each other byte of a name is "_x" and two hexadecimal digits, and the fields are
 * printed as user_events prints them. A description (disk.h) has the original name and text.
 */
#include "core/slice.h"
#include "perf_data/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- checking if perf accepts a text ---- */

static struct cairn_slice take_word(struct cairn_slice *text)
{
    uint32_t length = 0;

    while (length < text->length && core_is_word_byte(text->text[length]))
        length++;
    *text = core_slice_after(*text, length);
    return (struct cairn_slice){text->text - length, length};
}

/* libtraceevent replaces these by strings, for old kernels whose texts had macros in them. */
static bool is_macro(struct cairn_slice word)
{
    return core_slice_which(word, "LOCAL_PR_FMT\0STA_PR_FMT\0VIF_PR_FMT\0") < 3;
}

static bool is_identifier(struct cairn_slice name)
{
    struct cairn_slice rest = name;
    struct cairn_slice word = take_word(&rest);

    return word.length && !rest.length && !is_macro(word);
}

/* Skips the parentheses after __attribute__. False: they are not closed. */
static bool skip_parentheses(struct cairn_slice *text)
{
    uint32_t depth = 0;
    uint32_t at = 0;

    do {
        if (at == text->length)
            return false;
        depth += text->text[at] == '(';
        depth -= text->text[at] == ')';
        at++;
    } while (depth);
    *text = core_slice_after(*text, at);
    return true;
}

/* "[n]" and what may come after it: the name, when the brackets are the type's. */
static bool takes_brackets(struct cairn_slice text)
{
    core_slice_take(&text, "[");
    take_word(&text);
    if (!core_slice_take(&text, "]"))
        return false;
    text = core_slice_trim(text);
    return !text.length || is_identifier(text);
}

/* Words and stars, the last word is the name; brackets after the name or after the type. */
static bool takes_declaration(struct cairn_slice text)
{
    struct cairn_slice word = {"", 0};
    uint32_t count = 0;

    for (text = core_slice_trim(text); text.length && text.text[0] != '[';
         text = core_slice_skip_spaces(text)) {
        bool is_attribute = core_slice_is(word, "__attribute__");

        word = take_word(&text);
        if (is_macro(word) || (!word.length && count < 1))
            return false;
        if (!word.length && text.text[0] == '(' && is_attribute && count > 1) {
            if (!skip_parentheses(&text))
                return false;
        } else if (!word.length && !core_slice_take(&text, "*")) {
            return false;
        }
        count++;
    }
    return count > 1 && word.length && (!text.length || takes_brackets(text));
}

/* Without its common fields an event makes perf crash. */
static bool takes_fields(struct cairn_slice text)
{
    bool has_type = false;

    while (text.length) {
        struct cairn_slice line = core_slice_take_until(&text, '\n');

        if (core_slice_starts(line, "print fmt:"))
            break;
        line = core_slice_skip_spaces(line);
        if (!core_slice_take(&line, "field:"))
            continue;
        line.length = core_slice_find(line, ';');
        has_type |= core_slice_ends(line, " common_type");
        if (!takes_declaration(line))
            return false;
    }
    return has_type;
}

/* Without name and number perf refuses the whole text. */
static bool takes_head(struct cairn_slice *text)
{
    struct cairn_slice name = core_slice_take_until(text, '\n');
    struct cairn_slice id = core_slice_take_until(text, '\n');
    uint32_t number;

    return core_slice_take(&name, "name:") && is_identifier(core_slice_trim(name)) &&
           core_slice_take(&id, "ID:") && core_slice_number(core_slice_trim(id), 10, &number);
}

static bool takes(struct cairn_slice text)
{
    return takes_head(&text) && takes_fields(text);
}

/* ---- the text for perf ---- */

static bool is_hex(char c)
{
    return core_is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Bytes that look like an escape are escaped, too: different names stay different. */
static bool looks_escaped(struct cairn_slice s)
{
    return s.length >= 4 && s.text[0] == '_' && s.text[1] == 'x' && is_hex(s.text[2]) &&
           is_hex(s.text[3]);
}

/* The first byte of a macro is escaped: perf does not recognize it any more. */
static bool stays(struct cairn_slice rest, bool begins, const char *kept)
{
    struct cairn_slice after = rest;
    char c = rest.text[0];

    if (!core_is_word_byte(c))
        return c && strchr(kept, c);
    return !looks_escaped(rest) && !(begins && is_macro(take_word(&after)));
}

/* `kept`: bytes that are not escaped, besides those of identifiers. */
static void put_escaped(struct cairn_bytes *b, struct cairn_slice name, const char *kept)
{
    bool begins = true; /* a word */

    for (; name.length; name = core_slice_after(name, 1)) {
        char c = name.text[0];
        char escaped[5];

        if (stays(name, begins, kept)) {
            perf_data_bytes_put(b, &c, 1);
        } else {
            (void)snprintf(escaped, sizeof(escaped), "_x%02x", (unsigned char)c);
            perf_data_bytes_put(b, escaped, 4);
        }
        begins = !core_is_word_byte(c) && strchr(kept, c);
    }
}

static void put_slice(struct cairn_bytes *b, struct cairn_slice text)
{
    perf_data_bytes_put(b, text.text, text.length);
}

/* Removes "[]" or "[n]" from the end of a text, unless it is the whole text. */
static struct cairn_slice take_count(struct cairn_slice *text)
{
    uint32_t at = text->length;
    struct cairn_slice count = {"", 0};

    if (!core_slice_ends(*text, "]"))
        return count;
    for (at--; at && core_is_word_byte(text->text[at - 1]);)
        at--;
    if (at < 2 || text->text[at - 1] != '[' || text->text[at - 2] == ' ')
        return count;
    count = core_slice_after(*text, at - 1);
    text->length = at - 1;
    return count;
}

/* "type name[n]", or "type[n] name" with a type of two words: the name is after the last space. */
static void put_declaration(struct cairn_bytes *b, struct cairn_slice declaration)
{
    struct cairn_slice count = take_count(&declaration);
    struct cairn_slice type_count;
    struct cairn_slice type;
    uint32_t name_at = declaration.length;

    while (name_at && declaration.text[name_at - 1] != ' ')
        name_at--;
    while (name_at + 1 < declaration.length && declaration.text[name_at] == '*')
        name_at++;
    type = core_slice_trim(core_slice_first(declaration, name_at));
    type_count = take_count(&type);
    if (type_count.length && !core_slice_contains(core_slice_trim(type), " ")) {
        type.length += type_count.length;
        type_count.length = 0;
    }
    put_escaped(b, type, " *");
    put_slice(b, type_count);
    perf_data_bytes_put(b, " ", 1);
    put_escaped(b, core_slice_after(declaration, name_at), "");
    put_slice(b, count);
}

/* Writes the text up to its `print fmt`, with identifiers as names. */
static void put_escaped_text(struct cairn_bytes *b, struct cairn_slice text)
{
    while (text.length) {
        struct cairn_slice line = core_slice_take_until(&text, '\n');

        if (core_slice_starts(line, "print fmt:"))
            break;
        if (core_slice_take(&line, "name:")) {
            perf_data_bytes_put(b, "name: ", 6);
            put_escaped(b, core_slice_trim(line), "");
        } else if (core_slice_take(&line, "\tfield:")) {
            uint32_t end = core_slice_find(line, ';');

            perf_data_bytes_put(b, "\tfield:", 7);
            put_declaration(b, core_slice_first(line, end));
            put_slice(b, core_slice_after(line, end));
        } else {
            put_slice(b, line);
        }
        perf_data_bytes_put(b, "\n", 1);
    }
}

/* Returns 0; EBADMSG not a format text; ENOMEM. The caller frees the fields. */
static int parse(const struct cairn_bytes *text, struct cairn_schema *schema,
                 struct cairn_field **ret_fields)
{
    uint32_t max = CAIRN_FIELDS_MAX;
    int err;

    *ret_fields = NULL;
    do {
        max *= 2;
        free(*ret_fields);
        *ret_fields = calloc(max, sizeof(**ret_fields));
        err = *ret_fields ? cairn_schema_parse_format((const char *)text->data, text->size,
                                                      sizeof(long), *ret_fields, max, schema)
                          : ENOMEM;
    } while (err == ENOSPC);
    return err;
}

/*
 * cairn_schema_write_format needs the brackets of __rel_loc in the type; the text has them after
 * the name. /
 */
static int move_brackets(struct perf_data_arena *arena, struct cairn_schema *schema)
{
    for (uint32_t i = 0; i < schema->field_count; i++) {
        struct cairn_field *field = &schema->fields[i];
        uint32_t length = field->type.length;
        char *type;

        if (field->location != CAIRN_FIELD_REL_LOC || field->name.text[field->name.length] != '[')
            continue;
        type = perf_data_arena_alloc(arena, length + 2);
        if (!type)
            return ENOMEM;
        memcpy(type, field->type.text, length);
        type[length] = '[';
        type[length + 1] = ']';
        field->type = (struct cairn_slice){type, length + 2};
    }
    return 0;
}

static int write_schema(struct perf_data_arena *arena, const struct cairn_schema *schema,
                        uint32_t id, struct cairn_slice *ret_text)
{
    size_t size_bytes = CAIRN_FORMAT_MAX_BYTES / 2;
    size_t length = 0;
    char *text;
    int err;

    do {
        size_bytes *= 2;
        text = perf_data_arena_alloc(arena, size_bytes);
        err = text ? cairn_schema_write_format(schema, id, text, size_bytes, &length) : ENOMEM;
    } while (err == ENOSPC);
    if (!err)
        *ret_text = (struct cairn_slice){text, (uint32_t)length};
    return err;
}

/*
 * Replaces an invalid text: only the name and the number remain. Its `print fmt` is omitted,
 * because it would use the original names of fields; cairn_schema_write_format adds the common
 * fields, without which perf crashes.
 */
static int rewrite(struct perf_data_arena *arena, const struct perf_data_written_event *event,
                   struct cairn_slice *ret_text)
{
    struct cairn_schema schema = {.system = CORE_SLICE("")};
    struct cairn_field *fields = NULL;
    struct cairn_bytes escaped = {0};
    int err;

    put_escaped_text(&escaped, (struct cairn_slice){event->format, event->format_bytes});
    err = escaped.error ? escaped.error : parse(&escaped, &schema, &fields);
    if (err == EBADMSG) {
        escaped.size = 0;
        put_escaped(&escaped, core_slice_of(event->name + event->system_bytes + 1), "");
        schema.name = (struct cairn_slice){(const char *)escaped.data, (uint32_t)escaped.size};
        err = escaped.error;
    } else if (!err) {
        schema.fields += schema.common_count;
        schema.field_count -= schema.common_count;
        schema.print_fmt = CORE_SLICE("");
        err = move_brackets(arena, &schema);
    }
    if (!err)
        err = write_schema(arena, &schema, (uint32_t)event->config, ret_text);
    free(fields);
    perf_data_bytes_free(&escaped);
    return err;
}

int perf_data_format_for_perf(struct perf_data_arena *arena,
                              const struct perf_data_written_event *event,
                              struct cairn_slice *ret_text)
{
    *ret_text = (struct cairn_slice){event->format, event->format_bytes};
    return takes(*ret_text) ? 0 : rewrite(arena, event, ret_text);
}
