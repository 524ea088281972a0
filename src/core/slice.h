/* SPDX-License-Identifier: MIT */
/* Slices: the words of a text that is being parsed, taken from its front. Nothing is copied. */
#ifndef CORE_SLICE_H
#define CORE_SLICE_H

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

static inline bool cairn_is_alphanumeric(char c)
{
    return cairn_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Of an identifier. */
static inline bool cairn_is_word_byte(char c)
{
    return cairn_is_alphanumeric(c) || c == '_';
}

static inline bool cairn_slice_equal(struct cairn_slice a, struct cairn_slice b)
{
    return a.length == b.length && (!a.length || !__builtin_memcmp(a.text, b.text, a.length));
}

#define cairn_slice_is(s, literal) cairn_slice_equal((s), CAIRN_SLICE(literal))

static inline struct cairn_slice cairn_slice_first(struct cairn_slice s, uint32_t count)
{
    return (struct cairn_slice){s.text, count};
}

/* All but the first `count` bytes. */
static inline struct cairn_slice cairn_slice_after(struct cairn_slice s, uint32_t count)
{
    return (struct cairn_slice){s.text + count, s.length - count};
}

static inline bool cairn_slice_starts(struct cairn_slice s, struct cairn_slice prefix)
{
    return s.length >= prefix.length &&
           cairn_slice_equal(cairn_slice_first(s, prefix.length), prefix);
}

static inline bool cairn_slice_ends(struct cairn_slice s, struct cairn_slice suffix)
{
    return s.length >= suffix.length &&
           cairn_slice_equal(cairn_slice_after(s, s.length - suffix.length), suffix);
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
static inline struct cairn_slice cairn_slice_of(const char *text)
{
    struct cairn_slice s = {text, UINT32_MAX};

    return cairn_slice_first(s, cairn_slice_find(s, '\0'));
}

/* Where `part` is first, or the length. */
static inline uint32_t cairn_slice_find_slice(struct cairn_slice s, struct cairn_slice part)
{
    uint32_t at = 0;

    while (at < s.length && !cairn_slice_starts(cairn_slice_after(s, at), part))
        at++;
    return at;
}

static inline bool cairn_slice_contains(struct cairn_slice s, struct cairn_slice part)
{
    return cairn_slice_find_slice(s, part) < s.length;
}

/* Takes the prefix off the front; false, and nothing taken, when s does not start with it. */
static inline bool cairn_slice_take(struct cairn_slice *s, struct cairn_slice prefix)
{
    if (!cairn_slice_starts(*s, prefix))
        return false;
    *s = cairn_slice_after(*s, prefix.length);
    return true;
}

/* Takes what is before the first `separator`, and the separator too; all when there is none. */
static inline struct cairn_slice cairn_slice_take_until(struct cairn_slice *s, char separator)
{
    uint32_t at = cairn_slice_find(*s, separator);
    struct cairn_slice taken = cairn_slice_first(*s, at);

    *s = cairn_slice_after(*s, at < s->length ? at + 1 : at);
    return taken;
}

/* Without the spaces at its front. */
static inline struct cairn_slice cairn_slice_skip_spaces(struct cairn_slice s)
{
    while (s.length && cairn_is_space(s.text[0]))
        s = cairn_slice_after(s, 1);
    return s;
}

/* Without the spaces at both ends. */
static inline struct cairn_slice cairn_slice_trim(struct cairn_slice s)
{
    s = cairn_slice_skip_spaces(s);
    while (s.length && cairn_is_space(s.text[s.length - 1]))
        s.length--;
    return s;
}

/* What was written to a file: up to its first NUL, without the spaces at its end. */
struct cairn_slice cairn_slice_written(struct cairn_slice s);

/* The same, and without the spaces at its front. */
struct cairn_slice cairn_slice_stripped(struct cairn_slice s);

/*
 * A number as the kernel's kstrtouint() reads it: `base` 10, or 0 for decimal, 0x hexadecimal and
 * 0 octal; a plus sign in front and one newline behind are allowed, nothing else is.
 */
bool cairn_slice_number(struct cairn_slice s, unsigned base, uint32_t *ret_value);

/* The same as kstrtoull(). */
bool cairn_slice_number_u64(struct cairn_slice s, unsigned base, uint64_t *ret_value);

#endif
