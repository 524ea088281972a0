/* SPDX-License-Identifier: MIT */
/*
 * Parses directives:
 *
 * directives = [directive] {"," [directive]}
 * directive  = level | target ["=" [level]] | [target] "[" [span] [fields] "]" ["=" [level]]
 * fields     = "{" field {"," field} "}"
 * field      = name ["=" (value | '"' text '"')]
 */
#include "os/number.h"
#include "tracing/directives_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A cursor over the text. It stores the first failure, after which nothing is left to parse; a
 * lossy parser continues with the next directive. */
struct directives_parser {
    struct cairn_slice left;
    const char *begin;
    size_t error_at;
    const char *reason; /* NULL: none */
    bool is_lossy;
    cairn_directives_warn warn;
    void *arg;
};

static void fail(struct directives_parser *p, const char *at, const char *reason)
{
    if (p->reason)
        return;
    p->error_at = (size_t)(at - p->begin);
    p->reason = reason;
    p->left.length = 0;
}

static void skip_spaces(struct directives_parser *p)
{
    p->left = core_slice_skip_spaces(p->left);
}

static bool take(struct directives_parser *p, char c)
{
    skip_spaces(p);
    if (!p->left.length || p->left.text[0] != c)
        return false;
    p->left = core_slice_after(p->left, 1);
    return true;
}

/* Takes the text before the first of the characters in `ends`, without the spaces around it. */
static struct cairn_slice take_word(struct directives_parser *p, const char *ends)
{
    struct cairn_slice word;
    uint32_t at = 0;

    skip_spaces(p);
    while (at < p->left.length && !strchr(ends, p->left.text[at]))
        at++;
    word = core_slice_trim(core_slice_first(p->left, at));
    p->left = core_slice_after(p->left, at);
    return word;
}

static bool level_of(struct cairn_slice word, uint8_t *ret_level)
{
    static const char *const names[] = {"off", "error", "warn", "info", "debug", "trace"};

    uint32_t number;
    bool is_number = core_slice_number(word, 10, &number);

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if ((word.length == strlen(names[i]) && !strncasecmp(word.text, names[i], word.length)) ||
            (is_number && number == i)) {
            *ret_level = (uint8_t)(CAIRN_TRACING_OFF + i);
            return true;
        }
    }
    return false;
}

/* Without a level the directive lets everything through. */
static void parse_level(struct directives_parser *p, struct tracing_directive *directive)
{
    struct cairn_slice word = take_word(p, ",");

    directive->has_level = word.length != 0;
    if (word.length && !level_of(word, &directive->level))
        fail(p, word.text, "a level is off, error, warn, info, debug, trace, or 0 to 5");
}

static struct cairn_slice parse_value(struct directives_parser *p)
{
    struct cairn_slice value;

    if (!take(p, '"'))
        return take_word(p, ",{}[]\"");
    value = core_slice_first(p->left, core_slice_find(p->left, '"'));
    p->left = core_slice_after(p->left, value.length);
    if (!take(p, '"'))
        fail(p, value.text - 1, "a quote is not closed");
    return value;
}

/* Parses digits with an optional sign, of at most 64 bits. */
static void read_integer(struct tracing_directive_field *field)
{
    struct cairn_slice digits = field->value;

    field->is_negative = core_slice_take(&digits, "-");
    if (!field->is_negative)
        (void)core_slice_take(&digits, "+");
    field->is_integer = digits.length && core_is_digit(digits.text[0]) &&
                        core_is_digit(digits.text[digits.length - 1]) &&
                        core_slice_number_u64(digits, 10, &field->magnitude);
}

/* For floating-point fields: 1 means 1.0 there. Independent of the locale's decimal point. */
static void read_float(struct tracing_directive_field *field)
{
    char text[64];
    char *end = text;

    if (!field->value.length || field->value.length >= sizeof(text))
        return;
    memcpy(text, field->value.text, field->value.length);
    text[field->value.length] = '\0';
    field->is_number = os_number_parse(text, &end, &field->number) && end != text && !*end;
}

static void parse_field(struct directives_parser *p, struct tracing_directive *directive)
{
    struct tracing_directive_field *field = &directive->fields[directive->field_count];

    if (directive->field_count == TRACING_DIRECTIVE_FIELDS_MAX) {
        fail(p, p->left.text, "a directive has at most 8 fields");
        return;
    }
    field->name = take_word(p, "=,{}[]\"");
    if (!field->name.length)
        fail(p, p->left.text, "a field needs a name");
    field->has_value = take(p, '=');
    if (field->has_value) {
        field->value = parse_value(p);
        read_integer(field);
        read_float(field);
        directive->is_of_fields = false;
    }
    directive->field_count++;
}

static void parse_fields(struct directives_parser *p, struct tracing_directive *directive)
{
    const char *begin = p->left.text - 1;

    do
        parse_field(p, directive);
    while (take(p, ','));
    if (!take(p, '}'))
        fail(p, begin, "a { is not closed");
}

static void parse_span(struct directives_parser *p, struct tracing_directive *directive)
{
    const char *begin = p->left.text - 1;

    directive->is_of_spans = true;
    directive->span = take_word(p, "{}[],=\"");
    if (take(p, '{')) {
        directive->is_of_fields = !directive->span.length;
        parse_fields(p, directive);
    }
    if (!take(p, ']'))
        fail(p, begin, "a [ is not closed");
}

static void parse_directive(struct directives_parser *p, struct tracing_directive *directive)
{
    directive->level = CAIRN_TRACING_TRACE;
    directive->target = take_word(p, ",=[]{}\"");
    if (take(p, '['))
        parse_span(p, directive);
    else if (!directive->target.length)
        fail(p, p->left.text, "a directive begins with a level, a target or a [");
    if (take(p, '='))
        parse_level(p, directive);
    else if (!directive->is_of_spans && level_of(directive->target, &directive->level))
        directive->target.length = 0;
    skip_spaces(p);
    if (p->left.length && p->left.text[0] != ',')
        fail(p, p->left.text, "expected a comma");
}

/* Offset of the end of a directive that could not be parsed. */
static uint32_t end_of_wrong(struct cairn_slice s)
{
    bool is_quoted = false;
    uint32_t open = 0;

    for (uint32_t i = 0; i < s.length; i++) {
        char c = s.text[i];

        if (c == '"')
            is_quoted = !is_quoted;
        else if (is_quoted)
            continue;
        else if (c == ',' && !open)
            return i;
        else if (c == '[' || c == '{')
            open++;
        else if ((c == ']' || c == '}') && open)
            open--;
    }
    return is_quoted || open ? core_slice_find(s, ',') : s.length;
}

/* Skips the directive that begins at `from`, and reports it. */
static void leave_out(struct directives_parser *p, struct cairn_slice from)
{
    struct cairn_slice whole = core_slice_first(from, end_of_wrong(from));
    const struct cairn_directives_warning warning = {
        .directive_at = (size_t)(from.text - p->begin),
        .directive_bytes = core_slice_trim(whole).length,
        .at = p->error_at,
        .reason = p->reason,
    };

    if (p->warn)
        p->warn(p->arg, &warning);
    p->reason = NULL;
    p->left = core_slice_after(from, whole.length);
}

static void parse_one(struct directives_parser *p, struct cairn_directives *directives)
{
    struct tracing_directive *directive = &directives->list[directives->count];
    struct cairn_slice from = p->left;

    parse_directive(p, directive);
    if (!p->reason) {
        directive->whole =
            core_slice_trim(core_slice_first(from, (uint32_t)(p->left.text - from.text)));
        directives->count++;
        directives->are_of_spans |= directive->is_of_spans;
        for (uint32_t i = 0; i < directive->field_count; i++)
            directives->ask_values |= directive->fields[i].has_value;
    } else if (p->is_lossy) {
        *directive = (struct tracing_directive){.level = 0};
        leave_out(p, from);
    }
}

static void parse_all(struct directives_parser *p, struct cairn_directives *directives)
{
    do {
        skip_spaces(p);
        if (p->left.length && p->left.text[0] != ',')
            parse_one(p, directives);
    } while (take(p, ','));
}

/* Upper limit of the number of directives: one more than there are commas. */
static size_t count_at_most(const char *text)
{
    size_t count = 1;

    for (; *text; text++)
        count += *text == ',';
    return count;
}

void cairn_directives_destroy(struct cairn_directives *directives)
{
    if (!directives)
        return;
    free(directives->text);
    free(directives);
}

/* `p` contains the options. */
static int parse(struct directives_parser *p, const char *text,
                 struct cairn_directives **ret_directives)
{
    struct cairn_directives *directives =
        calloc(1, sizeof(*directives) + count_at_most(text) * sizeof(struct tracing_directive));

    if (directives)
        directives->text = strdup(text);
    if (!directives || !directives->text) {
        cairn_directives_destroy(directives);
        return ENOMEM;
    }
    p->begin = directives->text;
    p->left = core_slice_of(directives->text);
    parse_all(p, directives);
    if (p->reason) {
        cairn_directives_destroy(directives);
        return EINVAL;
    }
    *ret_directives = directives;
    return 0;
}

int cairn_directives_parse(const char *text, struct cairn_directives **ret_directives,
                           struct cairn_directives_error *ret_error)
{
    struct directives_parser p = {.reason = "the text is NULL"};
    int error = EINVAL;

    if (text) {
        p.reason = NULL;
        error = parse(&p, text, ret_directives);
    }
    if (error == EINVAL && ret_error)
        *ret_error = (struct cairn_directives_error){p.error_at, p.reason};
    return error;
}

int cairn_directives_parse_lossy(const char *text, struct cairn_directives **ret_directives,
                                 cairn_directives_warn warn, void *arg)
{
    struct directives_parser p = {.is_lossy = true, .warn = warn, .arg = arg};

    return text ? parse(&p, text, ret_directives) : EINVAL;
}
