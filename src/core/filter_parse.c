/* SPDX-License-Identifier: MIT */
/*
 * Compiles a filter's text to its tests.
 *
 * Terms become tests in the order of the text. While compiling, a test's target is the previous
 * test of a chain whose tests will all branch to the same later test: at first the test directly
 * before. So the tests that wait for an `||`, on each level of parentheses, form a linked list, and
 * no search is needed.
 */
#include "core/filter.h"

/* State of a level of parentheses. */
#define LEVEL_INVERT 1u /* an odd number of `!` is in front of it */
#define LEVEL_AND    2u /* `&&` was the last operator */
#define LEVEL_OR     4u /* `||` waits for its right operand */

/* Values of a test's `when` while compiling. */
#define TEST_WHEN   1u
#define TEST_INVERT 2u

struct filter_parser {
    struct filter_build *build;
    uint8_t *levels; /* LEVEL_ bits of each open parenthesis; the first is the text itself */
    uint32_t depth;  /* levels that fit */
    uint32_t top;
    uint32_t at; /* next byte of the text */
    uint32_t terms_max;
    bool invert;
    bool ended;
};

/*
 * The last test takes the place of the test that it waits for, which then branches to the test
 * after the last.
 */
static void resolve(struct filter_build *build, bool when)
{
    uint32_t last = build->test_count - 1;
    struct filter_test *waiting = &build->tests[build->tests[last].target];

    build->tests[last].target = waiting->target;
    waiting->target = (uint16_t)last;
    waiting->when = (uint8_t)((waiting->when & TEST_INVERT) | (when ? TEST_WHEN : 0));
}

static int parse_term(struct filter_parser *parser)
{
    struct filter_build *build = parser->build;
    struct filter_test *test = &build->tests[build->test_count];
    bool invert;
    int err;

    if (build->test_count == parser->terms_max)
        return core_filter_fail(build, CAIRN_FILTER_TOO_MANY_TERMS, parser->at);
    if ((size_t)((char *)(test + 1) - (char *)build->filter) > build->sets_at)
        return ENOSPC;
    *test = (struct filter_test){.target = (uint16_t)(build->test_count - 1)};
    err = core_filter_parse_term(build, parser->at, test, &invert, &parser->at);
    if (err)
        return err;
    test->when = parser->invert != invert ? TEST_INVERT : 0;
    build->test_count++;
    return 0;
}

/* "&&", "||", ")" or the end: its first byte. "&" and "|" must be doubled. */
static int take_operator(struct filter_parser *parser, char *ret_sign)
{
    const char *text = parser->build->text.text;
    char c;

    while (core_is_kernel_space(text[parser->at]))
        parser->at++;
    c = text[parser->at];
    if (c == '&' || c == '|') {
        if (text[parser->at + 1] != c)
            return core_filter_fail(parser->build, CAIRN_FILTER_TOO_MANY_TERMS, parser->at);
        parser->at++;
    } else if (c && c != ')') {
        return core_filter_fail(parser->build, CAIRN_FILTER_TOO_MANY_TERMS, parser->at);
    }
    parser->at++;
    *ret_sign = c;
    return 0;
}

/* Parses the operators after a term, up to the next term or the end. */
static int parse_operators(struct filter_parser *parser)
{
    for (;;) {
        uint8_t *level = &parser->levels[parser->top];
        char sign = '\0';
        int err = take_operator(parser, &sign);

        if (err)
            return err;
        parser->invert = *level & LEVEL_INVERT;
        if (*level & LEVEL_AND)
            resolve(parser->build, parser->invert);
        *level &= (uint8_t)~LEVEL_AND;
        if (sign == '&') {
            *level |= LEVEL_AND;
            return 0;
        }
        if (*level & LEVEL_OR)
            resolve(parser->build, !parser->invert);
        *level &= (uint8_t)~LEVEL_OR;
        if (sign == '|') {
            *level |= LEVEL_OR;
            return 0;
        }
        if (!sign) {
            parser->ended = true;
            return 0;
        }
        if (!parser->top)
            return core_filter_fail(parser->build, CAIRN_FILTER_TOO_MANY_CLOSE, parser->at);
        parser->top--;
    }
}

static int parse_next(struct filter_parser *parser)
{
    const char *text = parser->build->text.text;
    char c = text[parser->at];
    int err;

    if (c == '(') {
        if (parser->top + 1 == parser->depth)
            return core_filter_fail(parser->build, CAIRN_FILTER_UNSPECIFIC, 0);
        parser->levels[++parser->top] = parser->invert ? LEVEL_INVERT : 0;
    } else if (c == '!' && text[parser->at + 1] != '=' && text[parser->at + 1] != '~') {
        parser->invert = !parser->invert;
    } else if (!core_is_kernel_space(c)) {
        err = parse_term(parser);
        return err ? err : parse_operators(parser);
    }
    parser->at++;
    return 0;
}

static int parse_text(struct filter_parser *parser)
{
    struct filter_build *build = parser->build;
    int err = 0;

    while (!err && !parser->ended && build->text.text[parser->at])
        err = parse_next(parser);
    if (err)
        return err;
    if (build->test_count && !parser->ended)
        return core_filter_fail(build, CAIRN_FILTER_MEANINGLESS, parser->at);
    if (parser->top)
        return core_filter_fail(build, CAIRN_FILTER_TOO_MANY_OPEN, parser->at);
    if (!build->test_count)
        return core_filter_fail(build, CAIRN_FILTER_NO_FILTER, parser->at);
    return 0;
}

/*
 * If a branch leads to a test that branches on the same value, it can go directly to that test's
 * target.
 */
static void finish_tests(struct filter_build *build)
{
    struct filter_test *tests = build->tests;
    uint32_t count = build->test_count;

    tests[count - 1].target = (uint16_t)count;
    tests[count - 1].when &= TEST_INVERT;
    for (uint32_t i = count - 1; i--;) {
        const struct filter_test *target = &tests[tests[i].target];

        if ((tests[i].when ^ target->when) & TEST_WHEN)
            continue;
        tests[i].target = target->target;
    }
    build->filter->numbers_only = true;
    for (uint32_t i = 0; i < count; i++) {
        if (!filter_is_of_number((enum filter_code)tests[i].code))
            build->filter->numbers_only = false;
        tests[i].when = (tests[i].when & TEST_WHEN) != (tests[i].when & TEST_INVERT) >> 1;
        tests[i].target++;
    }
}

int core_filter_parse(struct filter_build *build, uint8_t *levels, uint32_t depth,
                      uint32_t terms_max)
{
    struct filter_parser parser = {
        .build = build, .levels = levels, .depth = depth, .terms_max = terms_max};
    int err;

    levels[0] = 0;
    err = parse_text(&parser);
    if (!err)
        finish_tests(build);
    return err;
}
