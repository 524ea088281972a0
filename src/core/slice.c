/* SPDX-License-Identifier: MIT */
/* Parses and compares slices. */
#include "core/slice.h"

bool core_is_alphanumeric(char c)
{
    char lower = (char)(c | 0x20);

    return core_is_digit(c) || (lower >= 'a' && lower <= 'z');
}

bool core_is_word_byte(char c)
{
    return core_is_alphanumeric(c) || c == '_';
}

bool core_slice_equal(struct cairn_slice a, struct cairn_slice b)
{
    return a.length == b.length && (!a.length || !__builtin_memcmp(a.text, b.text, a.length));
}

struct cairn_slice core_slice_of(const char *text)
{
    struct cairn_slice s = {text, UINT32_MAX};

    return core_slice_first(s, core_slice_find(s, '\0'));
}

bool core_slice_is(struct cairn_slice s, const char *text)
{
    return core_slice_take(&s, text) && !s.length;
}

bool core_slice_starts(struct cairn_slice s, const char *prefix)
{
    return core_slice_take(&s, prefix);
}

bool core_slice_ends(struct cairn_slice s, const char *suffix)
{
    struct cairn_slice end = core_slice_of(suffix);

    return s.length >= end.length &&
           core_slice_is(core_slice_after(s, s.length - end.length), suffix);
}

uint32_t core_slice_which(struct cairn_slice s, const char *words)
{
    uint32_t index = 0;

    for (; *words && !core_slice_is(s, words); words = core_word(words, 1))
        index++;
    return index;
}

const char *core_word(const char *words, uint32_t index)
{
    while (index--)
        words += core_slice_of(words).length + 1;
    return words;
}

uint32_t core_slice_find_text(struct cairn_slice s, const char *part)
{
    uint32_t at = 0;

    while (at < s.length && !core_slice_starts(core_slice_after(s, at), part))
        at++;
    return at;
}

bool core_slice_contains(struct cairn_slice s, const char *part)
{
    return core_slice_find_text(s, part) < s.length;
}

bool core_slice_take(struct cairn_slice *s, const char *prefix)
{
    uint32_t length = core_slice_of(prefix).length;

    if (s->length < length || __builtin_memcmp(s->text, prefix, length) != 0)
        return false;
    *s = core_slice_after(*s, length);
    return true;
}

struct cairn_slice core_slice_take_until(struct cairn_slice *s, char separator)
{
    uint32_t at = core_slice_find(*s, separator);
    struct cairn_slice taken = core_slice_first(*s, at);

    *s = core_slice_after(*s, at < s->length ? at + 1 : at);
    return taken;
}

struct cairn_slice core_slice_skip_spaces(struct cairn_slice s)
{
    while (s.length && core_is_space(s.text[0]))
        s = core_slice_after(s, 1);
    return s;
}

struct cairn_slice core_slice_skip_kernel_spaces(struct cairn_slice s)
{
    while (s.length && core_is_kernel_space(s.text[0]))
        s = core_slice_after(s, 1);
    return s;
}

struct cairn_slice core_slice_trim(struct cairn_slice s)
{
    s = core_slice_skip_spaces(s);
    while (s.length && core_is_space(s.text[s.length - 1]))
        s.length--;
    return s;
}

struct cairn_slice core_slice_written(struct cairn_slice s)
{
    s.length = core_slice_find(s, '\0');
    while (s.length && core_is_kernel_space(s.text[s.length - 1]))
        s.length--;
    return s;
}

struct cairn_slice core_slice_stripped(struct cairn_slice s)
{
    return core_slice_skip_kernel_spaces(core_slice_written(s));
}

static unsigned digit_value(char c)
{
    char lower = (char)(c | 0x20);

    if (core_is_digit(c))
        return (unsigned)(c - '0');
    if (lower >= 'a' && lower <= 'f')
        return (unsigned)(lower - 'a') + 10;
    return 16;
}

static unsigned take_base(struct cairn_slice *s)
{
    if (!core_slice_starts(*s, "0"))
        return 10;
    /* "0x" without a digit is an octal zero followed by an x: not a number. */
    if (core_slice_take(s, "0x") || core_slice_take(s, "0X"))
        return 16;
    return 8;
}

bool core_slice_number_u64(struct cairn_slice s, unsigned base, uint64_t *ret_value)
{
    uint64_t value = 0;

    core_slice_take(&s, "+");
    if (core_slice_ends(s, "\n"))
        s.length--;
    if (!base)
        base = take_base(&s);
    if (!s.length)
        return false;
    for (uint32_t i = 0; i < s.length; i++) {
        unsigned digit = digit_value(s.text[i]);

        if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return false;
    }
    *ret_value = value;
    return true;
}

bool core_slice_number(struct cairn_slice s, unsigned base, uint32_t *ret_value)
{
    uint64_t value;

    if (!core_slice_number_u64(s, base, &value) || value > UINT32_MAX)
        return false;
    *ret_value = (uint32_t)value;
    return true;
}
