/* SPDX-License-Identifier: MIT */
#include "core/glob.h"

#include <stddef.h>

/*
 * Matches c against the set that begins behind '['. Returns the position behind its ']', or NULL
 * when it has none: then '[' is a character like others.
 */
static const char *match_set(const char *set, unsigned char c, bool *ret_match)
{
    bool inverted = *set == '!' || *set == '^';
    bool match = false;
    const char *p = set + inverted;

    do {
        unsigned char first = (unsigned char)*p;
        unsigned char last = first;

        if (!first)
            return NULL;
        p++;
        if (p[0] == '-' && p[1] && p[1] != ']') {
            last = (unsigned char)p[1];
            p += 2;
        }
        match |= first <= c && c <= last;
    } while (*p != ']');
    *ret_match = match != inverted;
    return p + 1;
}

/* Matches one character and moves the pattern on. */
static bool match_one(const char **pattern, unsigned char c)
{
    const char *p = *pattern;
    bool match = false;

    if (*p == '?') {
        *pattern = p + 1;
        return true;
    }
    if (*p == '[') {
        const char *behind = match_set(p + 1, c, &match);

        if (behind) {
            *pattern = behind;
            return match;
        }
    }
    if (*p == '\\' && p[1])
        p++;
    *pattern = p + 1;
    return (unsigned char)*p == c;
}

bool cairn_glob_match(const char *pattern, const char *text)
{
    const char *star = NULL; /* pattern behind the last '*', to which a mismatch returns */
    const char *star_text = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            star_text = text;
        } else if (*pattern && match_one(&pattern, (unsigned char)*text)) {
            text++;
        } else if (star) {
            pattern = star;
            text = ++star_text;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}
