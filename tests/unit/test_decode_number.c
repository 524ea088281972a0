/* SPDX-License-Identifier: MIT */
/* Test of printing numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "export/number.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void unsigned_numbers_are_decimal(void **state)
{
    uint64_t value = 1;
    char expected[32];
    char text[32];

    (void)state;
    for (int digits = 1; digits <= 20; digits++, value *= 10) {
        for (int64_t near = -1; near <= 1; near++) {
            snprintf(expected, sizeof(expected), "%" PRIu64, value + (uint64_t)near);
            *export_put_unsigned(text, value + (uint64_t)near) = 0;
            assert_string_equal(text, expected);
        }
    }
    *export_put_unsigned(text, UINT64_MAX) = 0;
    assert_string_equal(text, "18446744073709551615");
}

static void signed_numbers_have_a_sign(void **state)
{
    char text[32];

    (void)state;
    *export_put_signed(text, INT64_MIN) = 0;
    assert_string_equal(text, "-9223372036854775808");
    *export_put_signed(text, -1) = 0;
    assert_string_equal(text, "-1");
    *export_put_signed(text, INT64_MAX) = 0;
    assert_string_equal(text, "9223372036854775807");
}

static void numbers_are_padded_with_zeros(void **state)
{
    char text[32];

    (void)state;
    *export_put_digits(text, 7, 1) = 0;
    assert_string_equal(text, "7");
    *export_put_digits(text, 42, 9) = 0;
    assert_string_equal(text, "000000042");
    *export_put_digits(text, 123456789, 9) = 0;
    assert_string_equal(text, "123456789");
    for (uint64_t value = 1; value < UINT64_MAX / 7; value = value * 7 + 3) {
        char expected[32];

        snprintf(expected, sizeof(expected), "%020" PRIu64, value);
        *export_put_digits(text, value, 20) = 0;
        assert_string_equal(text, expected);
        *export_put_unsigned(text, value) = 0;
        assert_string_equal(text, expected + strspn(expected, "0"));
    }
}

static void hexadecimal_is_upper_case_without_leading_zeros(void **state)
{
    char text[32];

    (void)state;
    *export_put_hex(text, 0) = 0;
    assert_string_equal(text, "0x0");
    *export_put_hex(text, 0xbeef) = 0;
    assert_string_equal(text, "0xBEEF");
    *export_put_hex(text, 0x10) = 0;
    assert_string_equal(text, "0x10");
    *export_put_hex(text, UINT64_MAX) = 0;
    assert_string_equal(text, "0xFFFFFFFFFFFFFFFF");
    *export_put_hex_byte(text, 0x0f) = 0;
    assert_string_equal(text, "0f");
}

static void assert_double(double value, const char *expected)
{
    char text[40];

    *export_put_double(text, value) = 0;
    assert_string_equal(text, expected);
}

static void assert_float(float value, const char *expected)
{
    char text[40];

    *export_put_float(text, value) = 0;
    assert_string_equal(text, expected);
}

static void floats_have_the_shortest_exact_text(void **state)
{
    (void)state;
    assert_double(0, "0");
    assert_double(-0.0, "-0");
    assert_double(1, "1");
    assert_double(0.1, "0.1");
    assert_double(-6.28, "-6.28");
    assert_double(1.0 / 3, "0.3333333333333333");
    assert_double(0.1 + 0.2, "0.30000000000000004");
    assert_double(123456.789, "123456.789");
    assert_double(1e15, "1000000000000000");
    assert_double(1e17, "1e+17");
    assert_double(1.25e-7, "1.25e-07");
    assert_double(DBL_MAX, "1.7976931348623157e+308");
    assert_double(5e-324, "5e-324");
    assert_float(3.14f, "3.14");
    assert_float(1.0f / 3, "0.33333334");
    assert_float(FLT_MAX, "3.4028235e+38");
    assert_float(16777216, "16777216");
}

static void infinity_and_nan_have_names(void **state)
{
    (void)state;
    assert_double(INFINITY, "inf");
    assert_double(-INFINITY, "-inf");
    assert_double(copysign(NAN, 1), "nan");
    assert_double(copysign(NAN, -1), "-nan");
    assert_float(-INFINITY, "-inf");
}

/* A simple generator of random numbers (xorshift). */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void any_double_parses_to_the_same_value(void **state)
{
    uint64_t seed = 88172645463325252u;
    char text[40];

    (void)state;
    for (int n = 0; n < 20000; n++) {
        uint64_t bits = next_random(&seed);
        uint32_t bits32 = (uint32_t)bits;
        double value;
        float single;

        memcpy(&value, &bits, sizeof(value));
        memcpy(&single, &bits32, sizeof(single));
        if (n % 2)
            value = (double)(int64_t)(bits % 1000000000000) / 1e6;
        if (!isnan(value)) {
            *export_put_double(text, value) = 0;
            assert_true(strtod(text, NULL) == value);
        }
        if (!isnan(single)) {
            *export_put_float(text, single) = 0;
            assert_true(strtof(text, NULL) == single);
        }
    }
}

/* The host program may have called setlocale: JSON always uses a decimal point. */
static void the_locale_does_not_matter(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        skip();
    assert_double(1.0 / 3, "0.3333333333333333");
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsigned_numbers_are_decimal),
        cmocka_unit_test(signed_numbers_have_a_sign),
        cmocka_unit_test(numbers_are_padded_with_zeros),
        cmocka_unit_test(hexadecimal_is_upper_case_without_leading_zeros),
        cmocka_unit_test(floats_have_the_shortest_exact_text),
        cmocka_unit_test(infinity_and_nan_have_names),
        cmocka_unit_test(any_double_parses_to_the_same_value),
        cmocka_unit_test(the_locale_does_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
