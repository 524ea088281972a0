/* SPDX-License-Identifier: MIT */
/* The names in a filter: words outside of quotes. */
#include "condition/names.h"

#include "condition/condition.h"
#include "core/slice.h"

static bool is_marked(char c)
{
    return c == CONDITION_DOT || c == CONDITION_OPEN || c == CONDITION_CLOSE;
}

static bool is_name_byte(char c)
{
    return core_is_word_byte(c) || is_marked(c);
}

/* ---- marking ---- */

static bool is_function(const char *at)
{
    static const char name[] = ".ustring";

    for (uint32_t i = 0; name[i]; i++) {
        if (at[i] != name[i])
            return false;
    }
    return true;
}

/* Marks "[17]" at `at`. */
static void mark_index(char *at)
{
    char *end = at + 1;

    while (core_is_digit(*end))
        end++;
    if (end == at + 1 || *end != ']')
        return;
    *at = CONDITION_OPEN;
    *end = CONDITION_CLOSE;
}

void condition_mark_names(char *text)
{
    char quote = 0;

    for (char *at = text; *at; at++) {
        bool is_in_name = at > text && is_name_byte(at[-1]);

        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if (*at == '[' && is_in_name)
            mark_index(at);
        else if (*at == '.' && is_in_name && is_name_byte(at[1]) && !core_is_digit(at[1]) &&
                 !is_function(at))
            *at = CONDITION_DOT;
    }
}

/* ---- finding ---- */

static bool add(struct condition_names *names, struct cairn_slice name)
{
    for (uint32_t i = 0; i < names->count; i++) {
        if (core_slice_equal(names->names[i], name))
            return true;
    }
    if (names->count == CONDITION_NAMES_MAX)
        return false;
    names->names[names->count++] = name;
    return true;
}

/* The position after a quoted text. */
static uint32_t after_quote(struct cairn_slice text, uint32_t at)
{
    uint32_t length = core_slice_find(core_slice_after(text, at + 1), text.text[at]);

    at += length + 2;
    return at < text.length ? at : text.length;
}

bool condition_find_names(struct cairn_slice text, struct condition_names *names)
{
    uint32_t at = 0;

    names->count = 0;
    while (at < text.length) {
        uint32_t begin = at;

        if (text.text[at] == '"' || text.text[at] == '\'') {
            at = after_quote(text, at);
            continue;
        }
        while (at < text.length && is_name_byte(text.text[at]))
            at++;
        if (at == begin)
            at++;
        else if (!core_is_digit(text.text[begin]) &&
                 !add(names, (struct cairn_slice){text.text + begin, at - begin}))
            return false;
    }
    return true;
}

/* ---- comparing ---- */

uint32_t condition_name_match(struct cairn_slice word, uint32_t at, const char *name, size_t length)
{
    if (length > word.length - at)
        return CONDITION_NO_MATCH;
    for (size_t i = 0; i < length; i++) {
        char c = name[i] == '.' ? CONDITION_DOT : name[i];

        if (word.text[at + i] != c)
            return CONDITION_NO_MATCH;
    }
    return at + (uint32_t)length;
}

uint32_t condition_name_index(struct cairn_slice word, uint32_t at, uint32_t *ret_index)
{
    uint32_t index = 0;

    if (at == word.length || word.text[at] != CONDITION_OPEN)
        return CONDITION_NO_MATCH;
    for (at++; at < word.length && core_is_digit(word.text[at]); at++)
        index = index > UINT16_MAX ? index : index * 10 + (uint32_t)(word.text[at] - '0');
    if (at == word.length || word.text[at] != CONDITION_CLOSE || index > UINT16_MAX)
        return CONDITION_NO_MATCH;
    *ret_index = index;
    return at + 1;
}

uint32_t condition_name_member(struct cairn_slice word, uint32_t at)
{
    return at < word.length && word.text[at] == CONDITION_DOT ? at + 1 : CONDITION_NO_MATCH;
}
