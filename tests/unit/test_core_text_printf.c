/* SPDX-License-Identifier: MIT */
/* Test of the core's printf, which has Linux's conversions. Where Linux and the C library agree,
 * its output is compared with the C library's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/kernel/text.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char memory[1024];

static const char *ended(struct cairn_text *text)
{
    assert_false(text->full);
    assert_true(cairn_text_length(text) < sizeof(memory));
    memory[cairn_text_length(text)] = '\0';
    return memory;
}

#define assert_prints(expected, ...)                                  \
    do {                                                              \
        struct cairn_text text_ = cairn_text(memory, sizeof(memory)); \
        cairn_text_printf(&text_, __VA_ARGS__);                       \
        assert_string_equal(ended(&text_), expected);                 \
    } while (0)

/* A format that the compiler cannot check. */
__attribute__((noinline)) static const char *unseen(const char *format)
{
    const char *volatile same = format;

    return same;
}

/* Prints the same format and arguments with both functions. */
static void compare(const char *format, ...)
{
    struct cairn_text text = cairn_text(memory, sizeof(memory));
    char expected[1024];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(expected, sizeof(expected), format, arguments);
    va_end(arguments);
    va_start(arguments, format);
    cairn_text_vprintf(&text, format, arguments);
    va_end(arguments);

    assert_false(text.full);
    if (cairn_text_length(&text) != (size_t)length || memcmp(memory, expected, (size_t)length) != 0)
        fail_msg("format \"%s\": \"%.*s\" instead of \"%s\"", format, (int)cairn_text_length(&text),
                 memory, expected);
}

static uint32_t next_random(void)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static const char *one_of(const char *const *words, size_t count)
{
    return words[next_random() % count];
}

#define ONE_OF(...)                            \
    one_of((const char *const[]){__VA_ARGS__}, \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static uint64_t interesting_value(void)
{
    static const uint64_t values[] = {0,
                                      1,
                                      7,
                                      8,
                                      9,
                                      10,
                                      99,
                                      127,
                                      128,
                                      255,
                                      256,
                                      INT16_MAX,
                                      1u << 15,
                                      UINT16_MAX,
                                      INT32_MAX,
                                      1u << 31,
                                      UINT32_MAX,
                                      INT64_MAX,
                                      UINT64_MAX,
                                      1ull << 63,
                                      (uint64_t)-2,
                                      (uint64_t)-128};

    if (next_random() % 2)
        return values[next_random() % (sizeof(values) / sizeof(*values))];
    return ((uint64_t)next_random() << 33 | next_random()) >> next_random() % 64;
}

static void flags_and_width(char *format, const char *possible_flags)
{
    for (uint32_t left = next_random() % 4; left; left--) {
        const char flag[] = {possible_flags[next_random() % strlen(possible_flags)], '\0'};

        strcat(format, flag);
    }
    strcat(format, ONE_OF("", "", "1", "2", "5", "11", "20", "40"));
}

/* True if Linux prints something else; the test after the next one has the expected texts. */
static bool is_linuxs_own(const char *flags, const char *precision, char letter, bool is_zero)
{
    if (is_zero && (strchr(flags, '#') || !strcmp(precision, ".0")))
        return true;
    if (!*precision)
        return false;
    return (strchr(flags, '0') && !strchr(flags, '-')) || (strchr(flags, '#') && letter == 'o');
}

static void integers_are_printed_as_by_the_c_library(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++) {
        const char *letter = ONE_OF("d", "i", "u", "o", "x", "X");
        const char *length = ONE_OF("", "", "hh", "h", "l", "ll", "j", "z", "t");
        const char *precision = ONE_OF("", "", ".0", ".1", ".3", ".12", ".30");
        bool has_sign = *letter == 'd' || *letter == 'i';
        char format[64] = "<%";
        uint64_t value = interesting_value();
        uint64_t shown = !strcmp(length, "hh") ? (uint8_t)value
                         : *length == 'h'      ? (uint16_t)value
                         : !*length            ? (uint32_t)value
                                               : value;

        flags_and_width(format, has_sign ? "-+ 0" : *letter == 'u' ? "-0" : "-#0");
        if (is_linuxs_own(format, precision, *letter, !shown))
            continue;
        strcat(format, precision);
        strcat(format, length);
        strcat(format, letter);
        strcat(format, ">");
        if (strcmp(length, "") == 0 || *length == 'h')
            compare(format, (int)value);
        else
            compare(format, value);
    }
}

static void integers_are_printed_as_by_linux_where_the_c_library_differs(void **state)
{
    (void)state;
    assert_prints("0x0 0X0 0", "%#x %#X %#o", 0, 0, 0);
    assert_prints("0x00 |  0x0|0x0  ", "%#04x |%#5x|%-#5x", 0, 0, 0);
    assert_prints("0 0", unseen("%.0d %.0x"), 0, 0);
    assert_prints("0 7", unseen("%.d %.u"), 0, 7);
    assert_prints("00000012", unseen("%08.3d"), 12);
    assert_prints("-0000012", unseen("%08.3d"), -12);
    assert_prints("012     ", unseen("%-08.3d"), 12);
    assert_prints("0x000012", unseen("%#08.3x"), 0x12);
    assert_prints("0010 010", unseen("%#.3o %#o"), 8, 8);
    assert_prints("ffffffffffffffff -1 00000000000000ff", unseen("%Lx %Ld %016Lx"), -1ll, -1ll,
                  0xffll);
    assert_prints("whole", unseen("%.s"), "whole");
}

static void strings_and_letters_are_printed_as_by_the_c_library(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        char format[64] = "%";

        flags_and_width(format, "-");
        strcat(format, ONE_OF("", "", ".0", ".1", ".3", ".12", ".30"));
        strcat(format, "s|");
        compare(format, ONE_OF("", "a", "two", "a longer text, with %d in it"));

        strcpy(format, "%");
        flags_and_width(format, "-");
        strcat(format, "c|%%");
        compare(format, (int)(next_random() % 256));
    }
}

static void a_star_takes_its_number_from_the_arguments(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        int width = (int)(next_random() % 60) - 30, precision = (int)(next_random() % 40) - 10;

        compare("[%*.*d]", width, precision, (int)(interesting_value() | 1));
        compare("[%-0*.*llx]", width, precision, (unsigned long long)interesting_value() | 1);
        compare("[%*.*s]", width, precision, "something to be cut");
    }
}

static void several_conversions_make_one_text(void **state)
{
    (void)state;
    compare("no conversion at all");
    compare("%s", "");
    compare("%d%%%s%c%5u|%-5ld|%llx end", -1, "text", 'c', 42u, -7l, 0xfeedfacecafebeefull);
    compare("%hhd %hhu %hd %hu", 300, 300, 70000, 70000);
    compare("%zu %zd %td %jd %ju", (size_t)-1, (ssize_t)-1, (ptrdiff_t)-1, (intmax_t)-1,
            (uintmax_t)-1);
    compare("%16s-%-7d [%03d] %5lu.%06lu: ", "comm", 1, 2, 3ul, 4ul);
}

static void an_unknown_conversion_is_copied(void **state)
{
    (void)state;
    assert_prints("1 %f and %d", "%d %f and %d", 1, 2.0, 3);
    assert_prints("1 %y", unseen("%d %y"), 1);
    assert_prints("1%", unseen("%d%"), 1);
    assert_prints("%5.", unseen("%5."), 0);
}

static void a_null_string_is_printed_as_null(void **state)
{
    (void)state;
    assert_prints("(null)", unseen("%s"), NULL);
    assert_prints("  (null)", unseen("%8s"), NULL);
    assert_prints("(nu", unseen("%.3s"), NULL);
}

static void a_string_is_not_read_past_its_precision(void **state)
{
    const char unended[] = {'a', 'b', 'c'};

    (void)state;
    assert_prints("abc", "%.3s", unended);
    assert_prints("  ab", "%*.*s", 4, 2, unended);
}

static void an_address_is_printed_with_all_digits(void **state)
{
    (void)state;
    _Static_assert(sizeof(void *) == 8, "the texts below are of 64 bits");
    assert_prints("0000000000001234", "%p", (void *)0x1234);
    assert_prints("0000000000000000", "%p", NULL);
    assert_prints("ffff888003c1a000", "%p", (void *)0xffff888003c1a000);
    assert_prints("ffff888003c1a000,", "%px,", (void *)0xffff888003c1a000);
    assert_prints("    1234|1234    ", "%8p|%-8p", (void *)0x1234, (void *)0x1234);
    assert_prints("0x00000000001234", unseen("%#p"), (void *)0x1234);
    assert_prints("  0x1234 0x1234", unseen("%8pS %#1p"), (void *)0x1234, (void *)0x1234);
    assert_prints("0xffffffff81000000 ", "%pS ", (void *)0xffffffff81000000);
    assert_prints("0000000000001234.", "%pI4.", (void *)0x1234);
}

static void bytes_can_be_printed_in_hexadecimal(void **state)
{
    uint8_t bytes[70];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 17);
    assert_prints("00 11 22", "%3ph", bytes);
    assert_prints("00:11:22", "%*phC", 3, bytes);
    assert_prints("00-11-22!", "%*phD!", 3, bytes);
    assert_prints("001122", "%*phN", 3, bytes);
    assert_prints("00", "%ph", bytes);
    assert_prints("(null)", "%4ph", NULL);

    struct cairn_text text = cairn_text(memory, sizeof(memory));
    cairn_text_printf(&text, "%*phN", 70, bytes);
    assert_int_equal(cairn_text_length(&text), 128); /* 64 bytes, as in Linux */
}

static void a_conversion_that_does_not_fit_is_omitted(void **state)
{
    char small[8] = "~~~~~~~";
    struct cairn_text text = cairn_text(small, 6);

    (void)state;
    cairn_text_printf(&text, "%s", "abc");
    assert_false(text.full);
    cairn_text_printf(&text, "%d", 12345);
    assert_true(text.full);
    assert_int_equal(cairn_text_length(&text), 3);
    assert_int_equal(text.left, 3);
    cairn_text_printf(&text, "d");
    assert_int_equal(cairn_text_length(&text), 3); /* later parts are omitted, too */
    assert_memory_equal(small + 6, "~", 2);
}

static void a_text_may_fill_its_memory_to_the_last_byte(void **state)
{
    char small[4] = "";
    struct cairn_text text = cairn_text(small, 3);

    (void)state;
    cairn_text_printf(&text, "%3u", 7u);
    assert_false(text.full);
    assert_int_equal(text.left, 0);
    assert_string_equal(small, "  7");
    cairn_text_printf(&text, "%s", "");
    assert_false(text.full);
}

/* Reads parts of all sizes at all offsets; a part must not contain a byte of its neighbours. */
static void a_text_can_be_read_in_parts(void **state)
{
    static const char whole[] = "one 00000007 two      three|    4";

    (void)state;
    for (size_t size = 1; size <= sizeof(whole); size++) {
        for (size_t from = 0; from < sizeof(whole) + 2; from++) {
            struct cairn_text text = cairn_text(memory, size);
            size_t expected = from >= strlen(whole) ? 0 : strlen(whole) - from;

            text.skip = from;
            text.cut = true;
            cairn_text_printf(&text, "%s %08d %-8s ", "one", 7, "two");
            cairn_text_printf(&text, "%s%c%5u", "three", '|', 4u);
            assert_int_equal(text.full, expected > size);
            expected = expected < size ? expected : size;
            assert_int_equal(cairn_text_length(&text), expected);
            assert_memory_equal(memory, whole + (from < strlen(whole) ? from : 0), expected);
        }
    }
}

static void huge_widths_take_neither_time_nor_memory(void **state)
{
    struct cairn_text text;

    (void)state;
    for (int i = 0; i < 10000; i++) {
        text = cairn_text(memory, sizeof(memory));
        cairn_text_printf(&text, "%*d", i % 2 ? INT_MAX : INT_MIN, 1);
        assert_true(text.full);
        text = cairn_text(memory, sizeof(memory));
        cairn_text_printf(&text, "%.*x", INT_MAX, 1u);
        assert_true(text.full);
        text = cairn_text(memory, sizeof(memory));
        cairn_text_printf(&text, unseen("%99999999999999999999d"), 1);
        assert_true(text.full);
        assert_int_equal(cairn_text_length(&text), 0);
    }
}

static const struct cairn_text_name colours[] = {
    {1, "red"}, {2, "green"}, {4, "blue"}, {24, "both"}, {0, NULL}};

#define assert_value(expected, helper)                             \
    do {                                                           \
        struct cairn_text to = cairn_text(memory, sizeof(memory)); \
        cairn_text_printf(&to, "%s", helper);                      \
        assert_string_equal(ended(&to), expected);                 \
    } while (0)

static void flags_are_printed_by_name(void **state)
{
    (void)state;
    assert_value("", cairn_text_flags(&to, "|", 0, colours));
    assert_value("red", cairn_text_flags(&to, "|", 1, colours));
    assert_value("red|blue", cairn_text_flags(&to, "|", 5, colours));
    assert_value("redgreen", cairn_text_flags(&to, NULL, 3, colours));
    assert_value("both", cairn_text_flags(&to, "|", 24, colours));
    assert_value("red, 0x8", cairn_text_flags(&to, ", ", 9, colours));
    assert_value("0x8000000000000000", cairn_text_flags(&to, "|", 1ull << 63, colours));
}

static void values_are_printed_by_name(void **state)
{
    (void)state;
    assert_value("green", cairn_text_symbolic(&to, 2, colours));
    assert_value("0x3", cairn_text_symbolic(&to, 3, colours));
    assert_value("0x0", cairn_text_symbolic(&to, 0, colours));
    assert_value("0xffffffffffffffff", cairn_text_symbolic(&to, (uint64_t)-1, colours));
}

static void arrays_and_bytes_are_printed(void **state)
{
    const uint16_t shorts[] = {1, 0xffff, 0};
    const uint64_t longs[] = {UINT64_MAX, 5};
    const uint8_t bytes[] = {0, 0x1f, 0xff};

    (void)state;
    assert_value("{0x1,0xffff,0x0}", cairn_text_array(&to, shorts, 3, 2));
    assert_value("{0xffffffffffffffff,0x5}", cairn_text_array(&to, longs, 2, 8));
    assert_value("{0x0,0x1f,0xff}", cairn_text_array(&to, bytes, 3, 1));
    assert_value("{}", cairn_text_array(&to, bytes, 0, 1));
    assert_value("{}", cairn_text_array(&to, NULL, 3, 4));
    assert_value("00 1f ff", cairn_text_hex(&to, bytes, 3, ' '));
    assert_value("001fff", cairn_text_hex(&to, bytes, 3, '\0'));
    assert_value("", cairn_text_hex(&to, bytes, 0, ' '));
    assert_value("", cairn_text_hex(&to, NULL, 3, ' '));
}

static void bitmaps_are_printed(void **state)
{
    const unsigned long bits[] = {0xful | 1ul << 40, 0x80000001};

    (void)state;
    assert_value("00000100,0000000f", cairn_text_bitmask(&to, bits, 8));
    assert_value("00000000,80000001,00000100,0000000f", cairn_text_bitmask(&to, bits, 16));
    assert_value("0000000f", cairn_text_bitmask(&to, bits, 4));
    assert_value("000f", cairn_text_bitmask(&to, bits, 2));
    assert_value("00,0000000f", cairn_text_bitmask(&to, (const char[]){15, 0, 0, 0, 0}, 5));
    assert_value("", cairn_text_bitmask(&to, bits, 0));
    assert_value("", cairn_text_bitmask(&to, NULL, 8));
}

static void one_text_can_contain_several_values(void **state)
{
    struct cairn_text to = cairn_text(memory, sizeof(memory));
    const uint8_t bytes[] = {1, 2};

    (void)state;
    cairn_text_printf(&to, "%s %s %s %d", cairn_text_flags(&to, "|", 3, colours),
                      cairn_text_symbolic(&to, 4, colours), cairn_text_array(&to, bytes, 2, 1), 9);
    assert_true(to.left < sizeof(memory) - cairn_text_length(&to)); /* strings are at the end of the
                                                                     * memory */
    assert_string_equal(ended(&to), "red|green blue {0x1,0x2} 9");
}

static void a_value_without_memory_is_empty(void **state)
{
    struct cairn_text to = cairn_text(memory, 6);

    (void)state;
    assert_string_equal(cairn_text_flags(&to, "|", 3, colours), "");
    assert_true(to.full);
    assert_string_equal(cairn_text_symbolic(&to, 1, colours), "");
    assert_int_equal(cairn_text_length(&to), 0);

    to = cairn_text(memory, 4);
    assert_string_equal(cairn_text_symbolic(&to, 1, colours), "red");
    assert_int_equal(to.left, 0);
    assert_false(to.full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_printed_as_by_the_c_library),
        cmocka_unit_test(integers_are_printed_as_by_linux_where_the_c_library_differs),
        cmocka_unit_test(strings_and_letters_are_printed_as_by_the_c_library),
        cmocka_unit_test(a_star_takes_its_number_from_the_arguments),
        cmocka_unit_test(several_conversions_make_one_text),
        cmocka_unit_test(an_unknown_conversion_is_copied),
        cmocka_unit_test(a_null_string_is_printed_as_null),
        cmocka_unit_test(a_string_is_not_read_past_its_precision),
        cmocka_unit_test(an_address_is_printed_with_all_digits),
        cmocka_unit_test(bytes_can_be_printed_in_hexadecimal),
        cmocka_unit_test(a_conversion_that_does_not_fit_is_omitted),
        cmocka_unit_test(a_text_may_fill_its_memory_to_the_last_byte),
        cmocka_unit_test(a_text_can_be_read_in_parts),
        cmocka_unit_test(huge_widths_take_neither_time_nor_memory),
        cmocka_unit_test(flags_are_printed_by_name),
        cmocka_unit_test(values_are_printed_by_name),
        cmocka_unit_test(arrays_and_bytes_are_printed),
        cmocka_unit_test(bitmaps_are_printed),
        cmocka_unit_test(one_text_can_contain_several_values),
        cmocka_unit_test(a_value_without_memory_is_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
