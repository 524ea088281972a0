/* SPDX-License-Identifier: MIT */
/* Formats integers as text. */
#include "export/number.h"

#include <endian.h>
#include <string.h>

static const char digit_pairs[] = "00010203040506070809"
                                  "10111213141516171819"
                                  "20212223242526272829"
                                  "30313233343536373839"
                                  "40414243444546474849"
                                  "50515253545556575859"
                                  "60616263646566676869"
                                  "70717273747576777879"
                                  "80818283848586878889"
                                  "90919293949596979899";

static void put_two(char *to, uint32_t below_100)
{
    memcpy(to, &digit_pairs[2 * below_100], 2);
}

static void put_four(char *to, uint32_t below_10000)
{
    put_two(to, below_10000 / 100);
    put_two(to + 2, below_10000 % 100);
}

#define BELOW_EIGHT_DIGITS 100000000u

/*
 * The digits of a number below 10^8 as eight bytes of 0 to 9, the first digit in the lowest byte.
 * The halves of the number, their halves and theirs are divided in parallel: for numbers this
 * small, a multiplication and a shift divide exactly by 100 and by 10.
 */
static uint64_t eight_digits(uint32_t value)
{
    uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t hundreds = fours * 10486 >> 20 & 0x0000007f0000007f;
    uint64_t pairs = hundreds | (fours - hundreds * 100) << 16;
    uint64_t tens = pairs * 103 >> 10 & 0x000f000f000f000f;

    return tens | (pairs - tens * 10) << 8;
}

static void put_eight(char *to, uint64_t digits)
{
    digits = htole64(digits);
    memcpy(to, &digits, sizeof(digits));
}

#define EIGHT_ZEROS 0x3030303030303030u /* "00000000" */

/* Eight or four digits at a time: the divisions depend on one another. */
char *export_put_digits(char *to, uint64_t value, unsigned width)
{
    char *at = to + width;

    for (; at - to >= 8; value /= BELOW_EIGHT_DIGITS)
        put_eight(at -= 8, eight_digits((uint32_t)(value % BELOW_EIGHT_DIGITS)) | EIGHT_ZEROS);
    for (; at - to >= 4; value /= 10000)
        put_four(at -= 4, (uint32_t)(value % 10000));
    if (at - to >= 2) {
        put_two(at -= 2, (uint32_t)(value % 100));
        value /= 100;
    }
    if (at > to)
        *to = (char)('0' + value % 10);
    return to + width;
}

char *export_put_nine_digits(char *to, uint32_t value)
{
    uint32_t first = value / BELOW_EIGHT_DIGITS;

    *to = (char)('0' + first);
    put_eight(to + 1, eight_digits(value - first * BELOW_EIGHT_DIGITS) | EIGHT_ZEROS);
    return to + 9;
}

static unsigned count_digits(uint64_t value)
{
    static const uint64_t powers[] = {
        0,
        10,
        100,
        1000,
        10000,
        100000,
        1000000,
        10000000,
        100000000,
        1000000000,
        10000000000,
        100000000000,
        1000000000000,
        10000000000000,
        100000000000000,
        1000000000000000,
        10000000000000000,
        100000000000000000,
        1000000000000000000,
        10000000000000000000u,
    };
    unsigned width = 64 - (unsigned)__builtin_clzll(value | 1);
    unsigned guess = width * 1233 >> 12; /* log10(2) for each bit, rounded down */

    return guess + (value >= powers[guess]);
}

char *export_put_unsigned(char *to, uint64_t value)
{
    if (value < 10) {
        *to = (char)('0' + value);
        return to + 1;
    }
    if (value < BELOW_EIGHT_DIGITS) {
        uint64_t digits = eight_digits((uint32_t)value);
        unsigned zeros = (unsigned)__builtin_ctzll(digits) / 8; /* before the first digit */

        put_eight(to, (digits | EIGHT_ZEROS) >> 8 * zeros);
        return to + 8 - zeros;
    }
    return export_put_digits(to, value, count_digits(value));
}

char *export_put_signed(char *to, int64_t value)
{
    if (value >= 0)
        return export_put_unsigned(to, (uint64_t)value);
    *to = '-';
    return export_put_unsigned(to + 1, 0 - (uint64_t)value);
}

char *export_put_hex(char *to, uint64_t value)
{
    unsigned digits = (67 - (unsigned)__builtin_clzll(value | 1)) / 4;

    *to++ = '0';
    *to++ = 'x';
    for (unsigned n = digits; n > 0; n--) {
        to[n - 1] = "0123456789ABCDEF"[value & 15];
        value >>= 4;
    }
    return to + digits;
}

char *export_put_hex_byte(char *to, uint8_t value)
{
    static const char digits[] = "0123456789abcdef";

    *to++ = digits[value >> 4];
    *to++ = digits[value & 15];
    return to;
}
