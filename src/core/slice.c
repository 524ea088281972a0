/* SPDX-License-Identifier: MIT */
#include "core/slice.h"

struct cairn_slice cairn_slice_written(struct cairn_slice s)
{
    s.length = cairn_slice_find(s, '\0');
    while (s.length && cairn_is_kernel_space(s.text[s.length - 1]))
        s.length--;
    return s;
}

struct cairn_slice cairn_slice_stripped(struct cairn_slice s)
{
    s = cairn_slice_written(s);
    while (s.length && cairn_is_kernel_space(s.text[0]))
        s = cairn_slice_after(s, 1);
    return s;
}

static unsigned digit_value(char c)
{
    char lower = (char)(c | 0x20);

    if (cairn_is_digit(c))
        return (unsigned)(c - '0');
    if (lower >= 'a' && lower <= 'f')
        return (unsigned)(lower - 'a') + 10;
    return 16;
}

static unsigned take_base(struct cairn_slice *s)
{
    if (!cairn_slice_starts(*s, CAIRN_SLICE("0")))
        return 10;
    /* "0x" without a digit behind it is an octal zero and a stray x, so not a number either way. */
    if (cairn_slice_take(s, CAIRN_SLICE("0x")) || cairn_slice_take(s, CAIRN_SLICE("0X")))
        return 16;
    return 8;
}

bool cairn_slice_number_u64(struct cairn_slice s, unsigned base, uint64_t *ret_value)
{
    uint64_t value = 0;

    cairn_slice_take(&s, CAIRN_SLICE("+"));
    if (cairn_slice_ends(s, CAIRN_SLICE("\n")))
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

bool cairn_slice_number(struct cairn_slice s, unsigned base, uint32_t *ret_value)
{
    uint64_t value;

    if (!cairn_slice_number_u64(s, base, &value) || value > UINT32_MAX)
        return false;
    *ret_value = (uint32_t)value;
    return true;
}
