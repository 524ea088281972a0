/* SPDX-License-Identifier: MIT */
/*
 * Prints floating-point numbers as the shortest decimal that reads back as the same number.
 *
 * Most recorded numbers have few decimals. For these a division tests if digits / 10^n is the
 * number: both are exact as doubles, so the quotient is rounded once, as reading the decimal would
 * round it. Other numbers are printed with printf and read back.
 */
#include "export/number.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double powers_of_ten[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

static char *put_fixed_point(char *to, uint64_t digits, unsigned decimals)
{
    uint64_t power = (uint64_t)powers_of_ten[decimals];

    to = export_put_unsigned(to, digits / power);
    if (!decimals)
        return to;
    *to++ = '.';
    return export_put_digits(to, digits % power, decimals);
}

/* Returns NULL if the number does not have few digits. */
static char *put_few_decimals(char *to, double value, bool single)
{
    double limit = single ? 1e9 : 1e15;
    unsigned decimals_max = single ? 8 : 15; /* 25 bits times 10^8 is exact in a double */

    for (unsigned n = 0; n <= decimals_max; n++) {
        double scaled = value * powers_of_ten[n];
        double quotient;

        if (scaled >= limit)
            break;
        quotient = (double)(uint64_t)(scaled + 0.5) / powers_of_ten[n];
        if (single ? (float)quotient == (float)value : quotient == value)
            return put_fixed_point(to, (uint64_t)(scaled + 0.5), n);
    }
    return NULL;
}

/*
 * Up to this number of digits every decimal is a distinct number, except for subnormal numbers. /
 */
static int certain_digits(double value, bool single)
{
    if (value < (single ? (double)FLT_MIN : DBL_MIN))
        return 1;
    return single ? FLT_DIG : DBL_DIG;
}

/* The exponent of ten; `digits` gets as many as are needed. */
static int shortest_digits(double value, bool single, char *digits, int *ret_count)
{
    int count = certain_digits(value, single);
    int count_max = single ? 9 : 17;
    char text[64];
    char *exponent;

    for (;; count++) {
        snprintf(text, sizeof(text), "%.*e", count - 1, value);
        if (count == count_max ||
            (single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value))
            break;
    }
    exponent = strchr(text, 'e');
    digits[0] = text[0]; /* the decimal point depends on the locale */
    memcpy(digits + 1, exponent - (count - 1), (size_t)count - 1);
    while (count > 1 && digits[count - 1] == '0')
        count--;
    *ret_count = count;
    return (int)strtol(exponent + 1, NULL, 10);
}

static char *put_zeros(char *to, int count)
{
    while (count-- > 0)
        *to++ = '0';
    return to;
}

/* 0.00123, 12.3, 12300 */
static char *put_plain(char *to, const char *digits, int count, int exponent)
{
    int whole = exponent < 0 ? 0 : exponent < count ? exponent + 1 : count;

    if (exponent < 0)
        *to++ = '0';
    to = (char *)mempcpy(to, digits, (size_t)whole);
    to = put_zeros(to, exponent + 1 - count);
    if (whole == count)
        return to;
    *to++ = '.';
    to = put_zeros(to, -1 - exponent);
    return (char *)mempcpy(to, digits + whole, (size_t)(count - whole));
}

/* 1.23e-07 */
static char *put_scientific(char *to, const char *digits, int count, int exponent)
{
    unsigned magnitude = (unsigned)abs(exponent);

    *to++ = digits[0];
    if (count > 1) {
        *to++ = '.';
        to = (char *)mempcpy(to, digits + 1, (size_t)count - 1);
    }
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    return export_put_digits(to, magnitude, magnitude < 100 ? 2 : 3);
}

static char *put_shortest(char *to, double value, bool single)
{
    char digits[20];
    int count;
    int exponent = shortest_digits(value, single, digits, &count);

    if (exponent >= -5 && exponent < 17)
        return put_plain(to, digits, count, exponent);
    return put_scientific(to, digits, count, exponent);
}

static char *put_number(char *to, double value, bool single)
{
    char *end = NULL;

    if (signbit(value)) {
        *to++ = '-';
        value = -value;
    }
    if (isnan(value))
        return stpcpy(to, "nan");
    if (isinf(value))
        return stpcpy(to, "inf");
    if (value == 0 || (value >= 1e-5 && value < 1e15))
        end = put_few_decimals(to, value, single);
    return end ? end : put_shortest(to, value, single);
}

char *export_put_float(char *to, float value)
{
    return put_number(to, (double)value, true);
}

char *export_put_double(char *to, double value)
{
    return put_number(to, value, false);
}
