/* SPDX-License-Identifier: MIT */
/* Compiles one term of a filter, "field operator value", to one test. */
#include "core/filter_term.h"

static uint32_t position(const struct filter_term *term)
{
    return (uint32_t)(term->at - term->build->text.text);
}

struct cairn_slice core_filter_term_rest(const struct filter_term *term)
{
    return core_slice_after(term->build->text, position(term));
}

bool core_filter_term_take(struct filter_term *term, const char *word)
{
    struct cairn_slice left = core_filter_term_rest(term);
    bool is_there = core_slice_take(&left, word);

    term->at = left.text;
    return is_there;
}

static void skip_spaces(struct filter_term *term)
{
    while (core_is_kernel_space(filter_term_peek(term)))
        term->at++;
}

void core_filter_term_skip_alnum(struct filter_term *term)
{
    while (filter_is_alnum(filter_term_peek(term)))
        term->at++;
}

/* Linux counts from the byte after the term's first. */
int core_filter_term_fail(const struct filter_term *term, enum cairn_filter_error_kind kind)
{
    return core_filter_fail(term->build, kind, position(term) + 1);
}

void core_filter_term_set_never(struct filter_term *term)
{
    term->test->code = FILTER_NEVER;
}

static int parse_field(struct filter_term *term)
{
    const char *begin = term->at;

    while (filter_is_alnum(filter_term_peek(term)) || filter_term_peek(term) == '_')
        term->at++;
    if (term->at == begin)
        return core_filter_fail(term->build, CAIRN_FILTER_UNSPECIFIC, 0);
    if (!core_filter_find_field(term->build->schema, filter_term_taken_from(term, begin),
                                &term->field))
        return core_filter_term_fail(term, CAIRN_FILTER_FIELD_NOT_FOUND);
    core_filter_term_take(term, ".ustring");
    term->is_function = core_filter_term_take(term, ".function");
    term->test->offset = term->field.offset;
    skip_spaces(term);
    return 0;
}

static int parse_operator(struct filter_term *term)
{
    /* "<=" goes before "<". */
    static const char texts[][3] = {"~", "!=", "==", "<=", "<", ">=", ">", "&"};

    for (uint32_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (core_filter_term_take(term, texts[i])) {
            term->op = (enum filter_comparison)i;
            skip_spaces(term);
            return 0;
        }
    }
    return core_filter_term_fail(term, CAIRN_FILTER_INVALID_OPERATOR);
}

static int parse_value(struct filter_term *term)
{
    char c = filter_term_peek(term);

    if (term->is_function)
        return core_filter_term_parse_function(term);
    if (core_slice_starts(core_filter_term_rest(term), "CPUS"))
        return core_filter_term_parse_cpus(term);
    if (c == '\'' || c == '"')
        return core_filter_term_parse_string(term);
    if (core_is_digit(c) || c == '-')
        return core_filter_term_parse_number(term);
    return core_filter_term_fail(term, CAIRN_FILTER_INVALID_VALUE);
}

int core_filter_parse_term(struct filter_build *build, uint32_t at, struct filter_test *test,
                           bool *ret_invert, uint32_t *ret_end)
{
    struct filter_term term = {.build = build, .test = test, .at = build->text.text + at};
    int err = parse_field(&term);

    if (!err)
        err = parse_operator(&term);
    if (!err)
        err = parse_value(&term);
    if (err)
        return err;
    *ret_invert = term.invert;
    *ret_end = position(&term);
    return 0;
}
