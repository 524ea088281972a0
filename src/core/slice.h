/* SPDX-License-Identifier: MIT */
/* Slices: the words of a text that is being parsed, taken from its front. Nothing is copied. */
#ifndef CORE_SLICE_H
#define CORE_SLICE_H

#include "core/private_api.h"

#include <cairn/schema.h>

#include <stdbool.h>
#include <stdint.h>

/* Of a string literal. */
#define CAIRN_SLICE(literal) ((struct cairn_slice){(literal), sizeof(literal) - 1})

static inline bool cairn_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* To the kernel's isspace(), Latin-1's no-break space is one too. */
static inline bool cairn_is_kernel_space(char c)
{
    return cairn_is_space(c) || c == '\xa0';
}

static inline bool cairn_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool cairn_is_alphanumeric(char c);

/* Of an identifier. */
CAIRN_PRIVATE_API bool cairn_is_word_byte(char c);

bool cairn_slice_equal(struct cairn_slice a, struct cairn_slice b);

static inline struct cairn_slice cairn_slice_first(struct cairn_slice s, uint32_t count)
{
    return (struct cairn_slice){s.text, count};
}

/* All but the first `count` bytes. */
static inline struct cairn_slice cairn_slice_after(struct cairn_slice s, uint32_t count)
{
    return (struct cairn_slice){s.text + count, s.length - count};
}

/* Where c is first, or the length. */
static inline uint32_t cairn_slice_find(struct cairn_slice s, char c)
{
    uint32_t at = 0;

    while (at < s.length && s.text[at] != c)
        at++;
    return at;
}

/* Of a NUL-terminated text of less than 4 GiB. */
CAIRN_PRIVATE_API struct cairn_slice cairn_slice_of(const char *text);

/* What s is compared with below is NUL-terminated: calls of these are many, and so are short. */
CAIRN_PRIVATE_API bool cairn_slice_is(struct cairn_slice s, const char *text);
CAIRN_PRIVATE_API bool cairn_slice_starts(struct cairn_slice s, const char *prefix);
CAIRN_PRIVATE_API bool cairn_slice_ends(struct cairn_slice s, const char *suffix);

/*
 * Lists of words are one text each, "red\0green\0": every word ends with a NUL, the last with two.
 * So they are small, and have no addresses in them.
 */

/* Which word s is; their count when it is none. */
CAIRN_PRIVATE_API uint32_t cairn_slice_which(struct cairn_slice s, const char *words);

/* A word by its index, which is below the count. */
const char *cairn_word(const char *words, uint32_t index);

/* Where `part` is first, or the length. */
uint32_t cairn_slice_find_text(struct cairn_slice s, const char *part);

CAIRN_PRIVATE_API bool cairn_slice_contains(struct cairn_slice s, const char *part);

/* Takes the prefix off the front; false, and nothing taken, when s does not start with it. */
CAIRN_PRIVATE_API bool cairn_slice_take(struct cairn_slice *s, const char *prefix);

/* Takes what is before the first `separator`, and the separator too; all when there is none. */
CAIRN_PRIVATE_API struct cairn_slice cairn_slice_take_until(struct cairn_slice *s, char separator);

/* Without the spaces at its front: those of a format text, and those of a program's text to the
 * kernel. */
CAIRN_PRIVATE_API struct cairn_slice cairn_slice_skip_spaces(struct cairn_slice s);
struct cairn_slice cairn_slice_skip_kernel_spaces(struct cairn_slice s);

/* Without the spaces at both ends. */
CAIRN_PRIVATE_API struct cairn_slice cairn_slice_trim(struct cairn_slice s);

/* What was written to a file: up to its first NUL, without the spaces at its end. */
struct cairn_slice cairn_slice_written(struct cairn_slice s);

/* The same, and without the spaces at its front. */
struct cairn_slice cairn_slice_stripped(struct cairn_slice s);

/*
 * A number as the kernel's kstrtouint() reads it: `base` 10, or 0 for decimal, 0x hexadecimal and
 * 0 octal; a plus sign in front and one newline behind are allowed, nothing else is.
 */
CAIRN_PRIVATE_API bool cairn_slice_number(struct cairn_slice s, unsigned base, uint32_t *ret_value);

/* The same as kstrtoull(). */
bool cairn_slice_number_u64(struct cairn_slice s, unsigned base, uint64_t *ret_value);

#endif
