/* SPDX-License-Identifier: MIT */
/* The first pass over a filter: checks and counts its parentheses and quotes. */
#include "core/filter.h"

struct filter_scan {
    uint32_t open; /* the text itself is in a pair */
    uint32_t max_open;
    uint32_t terms;
    bool in_term;
};

/* Everything but spaces and quoted text. False: a parenthesis is closed that was not opened. */
static bool scan_byte(struct filter_scan *scan, const char *at)
{
    switch (*at) {
    case '(':
        scan->open++;
        if (scan->open > scan->max_open)
            scan->max_open = scan->open;
        scan->in_term = false;
        return true;
    case ')':
        scan->open--;
        scan->in_term = false;
        return scan->open;
    case '&':
    case '|':
        /*
         * The second byte of an operator comes here too: the byte after it decides if it belongs to
         * a term.
         */
        if (at[1] == at[0]) {
            scan->in_term = false;
            return true;
        }
        break;
    default:
        break;
    }
    scan->terms += !scan->in_term;
    scan->in_term = true;
    return true;
}

/* The last parenthesis that is not closed; position 0 if there is none. */
static uint32_t find_unclosed(struct cairn_slice text)
{
    uint32_t closed = 0;
    char quote = '\0';

    for (uint32_t i = text.length - 1; i; i--) {
        char c = text.text[i];

        if (quote) {
            if (c == quote)
                quote = '\0';
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == ')') {
            closed++;
        } else if (c == '(' && !closed--) {
            return i;
        }
    }
    return 0;
}

int core_filter_scan(struct filter_build *build, uint32_t *ret_depth, uint32_t *ret_terms)
{
    struct cairn_slice text = build->text;
    struct filter_scan scan = {.open = 1, .max_open = 1};
    uint32_t quote_at = 0;
    char quote = '\0';

    for (uint32_t i = 0; i < text.length; i++) {
        char c = text.text[i];

        if (core_is_kernel_space(c))
            continue;
        if (quote) {
            if (c == quote)
                quote = '\0';
            continue;
        }
        if (c == '\'' || c == '"') {
            quote = c;
            quote_at = i;
        }
        if (!scan_byte(&scan, text.text + i))
            return core_filter_fail(build, CAIRN_FILTER_TOO_MANY_CLOSE, i);
    }
    if (quote)
        return core_filter_fail(build, CAIRN_FILTER_MISSING_QUOTE, quote_at);
    if (scan.open != 1)
        return core_filter_fail(build, CAIRN_FILTER_TOO_MANY_OPEN, find_unclosed(text));
    if (!scan.terms)
        return core_filter_fail(build, CAIRN_FILTER_UNSPECIFIC, 0);
    *ret_depth = scan.max_open;
    *ret_terms = scan.terms;
    return 0;
}
