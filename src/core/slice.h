/* SPDX-License-Identifier: MIT */
/* Slices: parts of a text that is being parsed, without copies. */
#ifndef CORE_SLICE_H
#define CORE_SLICE_H

#include "core/private_api.h"

#include <cairn/schema.h>

#include <stdbool.h>
#include <stdint.h>

/* Makes a slice of a string literal. */
#define CORE_SLICE(literal) ((struct cairn_slice){(literal), sizeof(literal) - 1})

static inline bool core_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* As for the kernel's isspace(), Latin-1's no-break space is a space. */
static inline bool core_is_kernel_space(char c)
{
    return core_is_space(c) || c == '\xa0';
}

static inline bool core_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool core_is_alphanumeric(char c);

/* True for a byte of an identifier. */
bool core_is_word_byte(char c) CORE_PRIVATE_API(core_is_word_byte);

bool core_slice_equal(struct cairn_slice a, struct cairn_slice b)
    CORE_PRIVATE_API(core_slice_equal);

static inline struct cairn_slice core_slice_first(struct cairn_slice s, uint32_t count)
{
    return (struct cairn_slice){s.text, count};
}

/* Returns s without its first `count` bytes. */
static inline struct cairn_slice core_slice_after(struct cairn_slice s, uint32_t count)
{
    return (struct cairn_slice){s.text + count, s.length - count};
}

/* The position of the first c, or the length. */
static inline uint32_t core_slice_find(struct cairn_slice s, char c)
{
    uint32_t at = 0;

    while (at < s.length && s.text[at] != c)
        at++;
    return at;
}

/* Makes a slice of a NUL-terminated text of less than 4 GiB. */
struct cairn_slice core_slice_of(const char *text) CORE_PRIVATE_API(core_slice_of);

/* The texts to compare with are NUL-terminated, which keeps the many calls small. */
bool core_slice_is(struct cairn_slice s, const char *text) CORE_PRIVATE_API(core_slice_is);
bool core_slice_starts(struct cairn_slice s, const char *prefix)
    CORE_PRIVATE_API(core_slice_starts);
bool core_slice_ends(struct cairn_slice s, const char *suffix) CORE_PRIVATE_API(core_slice_ends);

/*
 * Lists of words are one text each, "red\0green\0": every word ends with a NUL, the last with two.
 * So they are small, and contain no addresses.
 */

/* The index of the word that equals s; the count if none does. */
uint32_t core_slice_which(struct cairn_slice s, const char *words)
    CORE_PRIVATE_API(core_slice_which);

/* A word by its index, which is below the count. */
const char *core_word(const char *words, uint32_t index);

/* The position of the first `part`, or the length. */
uint32_t core_slice_find_text(struct cairn_slice s, const char *part);

bool core_slice_contains(struct cairn_slice s, const char *part)
    CORE_PRIVATE_API(core_slice_contains);

/* Takes the prefix off the front; false, and nothing taken, when s does not start with it. */
bool core_slice_take(struct cairn_slice *s, const char *prefix) CORE_PRIVATE_API(core_slice_take);

/* Takes the text before the first `separator`, and the separator; all of it if there is none. */
struct cairn_slice core_slice_take_until(struct cairn_slice *s, char separator)
    CORE_PRIVATE_API(core_slice_take_until);

/*
 * Removes leading spaces: those of a format text, and those that the kernel skips in a program's
 * text.
 */
struct cairn_slice core_slice_skip_spaces(struct cairn_slice s)
    CORE_PRIVATE_API(core_slice_skip_spaces);
struct cairn_slice core_slice_skip_kernel_spaces(struct cairn_slice s);

/* Removes leading and trailing spaces. */
struct cairn_slice core_slice_trim(struct cairn_slice s) CORE_PRIVATE_API(core_slice_trim);

/* The text that was written to a file: up to its first NUL, without trailing spaces. */
struct cairn_slice core_slice_written(struct cairn_slice s);

/* The same, without leading spaces. */
struct cairn_slice core_slice_stripped(struct cairn_slice s);

/*
 * A number as the kernel's kstrtouint() reads it: `base` 10, or 0 for decimal, 0x hexadecimal and 0
 * octal; a leading plus sign and one trailing newline are allowed, nothing else.
 */
bool core_slice_number(struct cairn_slice s, unsigned base, uint32_t *ret_value)
    CORE_PRIVATE_API(core_slice_number);

/* The same as kstrtoull(). */
bool core_slice_number_u64(struct cairn_slice s, unsigned base, uint64_t *ret_value);

#endif
