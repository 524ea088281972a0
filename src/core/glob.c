/* SPDX-License-Identifier: MIT */
/* Matches glob patterns. */
#include "core/glob.h"

/* The byte at a position; NUL after the end, which no pattern contains. */
static unsigned char byte_at(struct cairn_slice s, uint32_t at)
{
    return at < s.length ? (unsigned char)s.text[at] : '\0';
}

/*
 * Matches c against the set that begins after '['. Returns the position after its ']', or 0 if
 * there is none: then '[' matches itself.
 */
static uint32_t match_set(struct cairn_slice pattern, uint32_t at, unsigned char c, bool *ret_match)
{
    bool inverted = byte_at(pattern, at) == '!';
    bool match = false;

    at += inverted;
    do {
        unsigned char first = byte_at(pattern, at++);
        unsigned char last = first;

        if (byte_at(pattern, at) == '-' && byte_at(pattern, at + 1) != ']') {
            last = byte_at(pattern, at + 1);
            at += 2;
        }
        if (!first || !last)
            return 0;
        match |= first <= c && c <= last;
    } while (byte_at(pattern, at) != ']');
    *ret_match = match != inverted;
    return at + 1;
}

/* Matches one character that is not NUL, and advances in the pattern. */
static bool match_one(struct cairn_slice pattern, uint32_t *at, unsigned char c)
{
    unsigned char wanted = byte_at(pattern, (*at)++);
    bool match = false;

    if (wanted == '?')
        return true;
    if (wanted == '[') {
        uint32_t after = match_set(pattern, *at, c, &match);

        if (after) {
            *at = after;
            return match;
        }
    }
    if (wanted == '\\')
        wanted = byte_at(pattern, (*at)++);
    return wanted == c;
}

/* At the end of the text the rest of the pattern may be stars, or a backslash at the end. */
static bool matches_nothing(struct cairn_slice rest)
{
    while (core_slice_take(&rest, "*"))
        ;
    return !rest.length || core_slice_is(rest, "\\");
}

bool core_glob_match_slice(struct cairn_slice pattern, struct cairn_slice text)
{
    bool has_star = false;
    uint32_t star = 0; /* the pattern after its last '*', to which a mismatch returns */
    uint32_t star_text = 0;
    uint32_t at = 0;
    uint32_t text_at = 0;
    unsigned char c;

    while ((c = byte_at(text, text_at))) {
        if (byte_at(pattern, at) == '*') {
            has_star = true;
            star = ++at;
            star_text = text_at;
        } else if (at < pattern.length && match_one(pattern, &at, c)) {
            text_at++;
        } else if (has_star) {
            at = star;
            text_at = ++star_text;
        } else {
            return false;
        }
    }
    return at >= pattern.length || matches_nothing(core_slice_after(pattern, at));
}

bool core_glob_match(const char *pattern, const char *text)
{
    return core_glob_match_slice(core_slice_of(pattern), core_slice_of(text));
}
