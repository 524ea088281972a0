/* SPDX-License-Identifier: MIT */
/*
 * wordexp: the C library looks for what matches by itself, past our functions. It is given the real
 * directory's name in place of ours, and the program gets the names that it knows.
 */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

/* The length of the name that a text begins with, or 0. */
static size_t name_at(const char *text)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        size_t length = strlen(names[i]);

        if (!strncmp(text, names[i], length) && !isalnum((unsigned char)text[length]))
            return length;
    }
    return 0;
}

static size_t count_names(const char *words)
{
    size_t count = 0;

    for (const char *at = words; *at; at++)
        count += name_at(at) != 0;
    return count;
}

/* NULL: there is no memory. */
static char *replace_names(const char *words, size_t count)
{
    const char *root = preload_place_root();
    char *text = malloc(strlen(words) + count * strlen(root) + 1);
    char *to = text;

    for (const char *at = words; text && *at;) {
        size_t length = name_at(at);

        if (length)
            to = stpcpy(to, root);
        else
            *to++ = *at;
        at += length ? length : 1;
    }
    if (text)
        *to = 0;
    return text;
}

static void show_words(wordexp_t *found, size_t first)
{
    for (size_t i = first; i < found->we_wordc; i++) {
        char **word = &found->we_wordv[found->we_offs + i];
        char text[ENGINE_PATH_MAX];
        char *shown;

        if (strlen(*word) >= sizeof(text))
            continue;
        memcpy(text, *word, strlen(*word) + 1);
        shown = preload_hook_show(text, sizeof(text)) ? strdup(text) : NULL;
        if (!shown)
            continue;
        free(*word);
        *word = shown;
    }
}

/* A name that the shell's language would take for something else stays as it is. */
static bool is_plain(const char *path)
{
    return path[strspn(path,
                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")] == 0;
}

PRELOAD_HOOK int wordexp(const char *words, wordexp_t *found, int flags)
{
    size_t first = flags & WRDE_APPEND ? found->we_wordc : 0;
    size_t count = *preload_place_root() && is_plain(preload_place_root()) ? count_names(words) : 0;
    char *text;
    int result;

    if (!count && !preload_place_is_inside())
        return PRELOAD_NEXT(wordexp)(words, found, flags);
    preload_hook_renew_all();
    text = replace_names(words, count);
    if (!text)
        return WRDE_NOSPACE;
    if (!(flags & WRDE_DOOFFS) && !(flags & WRDE_APPEND))
        found->we_offs = 0;
    result = PRELOAD_NEXT(wordexp)(text, found, flags);
    free(text);
    if (!result)
        show_words(found, first);
    return result;
}
