/* SPDX-License-Identifier: MIT */
/*
 * directives = [directive] {"," [directive]}
 * directive  = level | target ["=" [level]] | [target] "[" [span] [fields] "]" ["=" [level]]
 * fields     = "{" field {"," field} "}"
 * field      = name ["=" (value | '"' text '"')]
 */
#include "tracing/directives_internal.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What is left of the text. The first failure is remembered, and nothing is left then. */
struct parser {
    struct cairn_slice left;
    const char *begin;
    size_t error_at;
    const char *reason; /* NULL: none */
};

static void fail(struct parser *p, const char *at, const char *reason)
{
    if (p->reason)
        return;
    p->error_at = (size_t)(at - p->begin);
    p->reason = reason;
    p->left.length = 0;
}

static void skip_spaces(struct parser *p)
{
    p->left = cairn_slice_skip_spaces(p->left);
}

static bool take(struct parser *p, char c)
{
    skip_spaces(p);
    if (!p->left.length || p->left.text[0] != c)
        return false;
    p->left = cairn_slice_after(p->left, 1);
    return true;
}

/* What is before the first of the characters in `ends`, without spaces around. */
static struct cairn_slice take_word(struct parser *p, const char *ends)
{
    struct cairn_slice word;
    uint32_t at = 0;

    skip_spaces(p);
    while (at < p->left.length && !strchr(ends, p->left.text[at]))
        at++;
    word = cairn_slice_trim(cairn_slice_first(p->left, at));
    p->left = cairn_slice_after(p->left, at);
    return word;
}

static bool level_of(struct cairn_slice word, uint8_t *ret_level)
{
    static const char *const names[] = {"off", "error", "warn", "info", "debug", "trace"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if ((word.length == strlen(names[i]) && !strncasecmp(word.text, names[i], word.length)) ||
            (word.length == 1 && word.text[0] == (char)('0' + i))) {
            *ret_level = (uint8_t)(CAIRN_TRACING_OFF + i);
            return true;
        }
    }
    return false;
}

/* Without one the directive lets all through. */
static void parse_level(struct parser *p, struct cairn_directive *directive)
{
    struct cairn_slice word = take_word(p, ",");

    if (word.length && !level_of(word, &directive->level))
        fail(p, word.text, "a level is off, error, warn, info, debug, trace, or 0 to 5");
}

static struct cairn_slice parse_value(struct parser *p)
{
    struct cairn_slice value;

    if (!take(p, '"'))
        return take_word(p, ",{}[]\"");
    value = cairn_slice_first(p->left, cairn_slice_find(p->left, '"'));
    p->left = cairn_slice_after(p->left, value.length);
    if (!take(p, '"'))
        fail(p, value.text - 1, "a quote has no end");
    return value;
}

/* For fields that are floating point: 1 is 1.0 there, whatever the locale's point is. */
static void read_number(struct cairn_directive_field *field)
{
    char text[64];
    char *end = text;
    locale_t c_locale;

    if (!field->value.length || field->value.length >= sizeof(text))
        return;
    memcpy(text, field->value.text, field->value.length);
    text[field->value.length] = '\0';
    c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!c_locale)
        return;
    field->number = strtod_l(text, &end, c_locale);
    field->is_number = end != text && !*end;
    freelocale(c_locale);
}

static void parse_field(struct parser *p, struct cairn_directive *directive)
{
    struct cairn_directive_field *field = &directive->fields[directive->field_count];

    if (directive->field_count == CAIRN_DIRECTIVE_FIELDS_MAX) {
        fail(p, p->left.text, "a directive has at most 8 fields");
        return;
    }
    field->name = take_word(p, "=,{}[]\"");
    if (!field->name.length)
        fail(p, p->left.text, "a field has a name");
    field->has_value = take(p, '=');
    if (field->has_value) {
        field->value = parse_value(p);
        read_number(field);
        directive->is_of_fields = false;
    }
    directive->field_count++;
}

static void parse_fields(struct parser *p, struct cairn_directive *directive)
{
    const char *begin = p->left.text - 1;

    do
        parse_field(p, directive);
    while (take(p, ','));
    if (!take(p, '}'))
        fail(p, begin, "a { has no }");
}

static void parse_span(struct parser *p, struct cairn_directive *directive)
{
    const char *begin = p->left.text - 1;

    directive->is_of_spans = true;
    directive->span = take_word(p, "{}[],=\"");
    if (take(p, '{')) {
        directive->is_of_fields = !directive->span.length;
        parse_fields(p, directive);
    }
    if (!take(p, ']'))
        fail(p, begin, "a [ has no ]");
}

static void parse_directive(struct parser *p, struct cairn_directive *directive)
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
        fail(p, p->left.text, "there should be a comma");
}

static void parse_all(struct parser *p, struct cairn_directives *directives)
{
    do {
        skip_spaces(p);
        if (p->left.length && p->left.text[0] != ',')
            parse_directive(p, &directives->list[directives->count++]);
    } while (take(p, ','));
}

/* At most so many directives: one more than there are commas. */
static size_t count_at_most(const char *text)
{
    size_t count = 1;

    for (; *text; text++)
        count += *text == ',';
    return count;
}

void cairn_directives_free(struct cairn_directives *directives)
{
    if (!directives)
        return;
    free(directives->text);
    free(directives);
}

static int parse(const char *text, struct cairn_directives **ret_directives,
                 struct cairn_directives_error *ret_error)
{
    struct cairn_directives *directives =
        calloc(1, sizeof(*directives) + count_at_most(text) * sizeof(struct cairn_directive));
    struct parser p = {.reason = NULL};

    if (directives)
        directives->text = strdup(text);
    if (!directives || !directives->text) {
        cairn_directives_free(directives);
        return ENOMEM;
    }
    p.begin = directives->text;
    p.left = cairn_slice_of(directives->text);
    parse_all(&p, directives);
    if (p.reason) {
        if (ret_error)
            *ret_error = (struct cairn_directives_error){p.error_at, p.reason};
        cairn_directives_free(directives);
        return EINVAL;
    }
    *ret_directives = directives;
    return 0;
}

int cairn_directives_parse(const char *text, struct cairn_directives **ret_directives,
                           struct cairn_directives_error *ret_error)
{
    if (text)
        return parse(text, ret_directives, ret_error);
    if (ret_error)
        *ret_error = (struct cairn_directives_error){0, "there is no text"};
    return EINVAL;
}
