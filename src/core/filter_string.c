/* SPDX-License-Identifier: MIT */
/* Terms whose value is a quoted text. */
#include "core/filter_term.h"

#define PATTERN_MAX_BYTES 255 /* of a quoted text */

/*
 * Chooses the comparison of a quoted text, and the part to compare. Only `~` interprets wildcards;
 * Linux treats a text that begins with a digit as no pattern.
 */
static enum filter_pattern parse_pattern(struct cairn_slice *pattern)
{
    bool star_first = core_slice_starts(*pattern, "*");
    bool star_last = pattern->length > 1 && core_slice_ends(*pattern, "*");
    struct cairn_slice middle = core_slice_after(*pattern, star_first);

    middle.length -= star_last;
    if (pattern->length && core_is_digit(pattern->text[0]))
        return FILTER_WHOLE;
    for (uint32_t i = 0; i < middle.length; i++) {
        char c = middle.text[i];

        if (c == '*' || c == '[' || c == '?' || c == '\\')
            return FILTER_GLOB;
    }
    *pattern = middle;
    if (star_first)
        return star_last ? FILTER_MIDDLE : FILTER_END;
    return star_last ? FILTER_FRONT : FILTER_WHOLE;
}

static void set_string(struct filter_term *term, struct cairn_slice pattern)
{
    struct filter_test *test = term->test;

    test->string.pattern = FILTER_WHOLE;
    if (term->op == OP_GLOB) {
        term->invert = core_slice_take(&pattern, "!");
        test->string.pattern = (uint8_t)parse_pattern(&pattern);
    }
    test->string.pattern_at = (uint16_t)(pattern.text - (const char *)term->build->filter);
    test->string.pattern_bytes = (uint8_t)pattern.length;
    test->string.size_bytes = term->field.size_bytes;
    if (term->field.kind == FILTER_CLASS_STRING_POINTER) {
        /* The pointer may be invalid. Linux's error for bad pointers is the same. */
        core_filter_term_set_never(term);
        term->invert = false;
        return;
    }
    test->code = (uint8_t)(FILTER_STRING + (term->field.kind - FILTER_CLASS_STRING));
    if (test->code == FILTER_COMM)
        term->build->filter->needs_task = true;
}

int core_filter_term_parse_string(struct filter_term *term)
{
    char quote = filter_term_peek(term);
    const char *begin;

    if (!filter_is_equality(term->op) && term->op != OP_GLOB)
        return core_filter_term_fail(term, CAIRN_FILTER_ILLEGAL_FIELD_OPERATION);
    if (!filter_class_is_string(term->field.kind))
        return core_filter_term_fail(term, CAIRN_FILTER_EXPECT_DIGIT);
    begin = ++term->at;
    term->at += core_slice_find(core_filter_term_rest(term), quote);
    if (!filter_term_peek(term))
        return core_filter_term_fail(term, CAIRN_FILTER_MISSING_QUOTE);
    if (term->at - begin > PATTERN_MAX_BYTES)
        return core_filter_term_fail(term, CAIRN_FILTER_OPERAND_TOO_LONG);
    term->invert = term->op == OP_NE;
    set_string(term, filter_term_taken_from(term, begin));
    term->at++;
    return 0;
}
