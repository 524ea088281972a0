/* SPDX-License-Identifier: MIT */
/* Test of printing text: UTF-8, UTF-16, UTF-32 and Latin-1 in each style. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "export/utf.h"

#include <errno.h>
#include <stdlib.h>

/* Checks what one call of a print function has written. */
static void assert_output(struct export_print_output *out, const char *expected)
{
    export_output_byte(out, 0);
    assert_string_equal(out->begin, expected);
    export_output_close(out);
}

static struct export_print_output open_output(void)
{
    struct export_print_output out;

    assert_int_equal(export_output_open(&out, -1), 0);
    return out;
}

static void assert_utf8(enum cairn_style style, const char *text, const char *expected)
{
    struct export_print_output out = open_output();

    export_print_utf8(&out, style, text, strlen(text));
    assert_output(&out, expected);
}

static void utf8_stays_as_it_is(void **state)
{
    (void)state;
    assert_utf8(CAIRN_STYLE_JSON, "plain ASCII, longer than a word of 8 bytes",
                "plain ASCII, longer than a word of 8 bytes");
    assert_utf8(CAIRN_STYLE_JSON, "Grüße, 世界, \xf0\x9f\x98\x80", "Grüße, 世界, \xf0\x9f\x98\x80");
    assert_utf8(CAIRN_STYLE_TEXT, "\xef\xbf\xbd", "\xef\xbf\xbd");
    assert_utf8(CAIRN_STYLE_JSONL, "", "");
}

static void json_escapes_what_the_format_requires(void **state)
{
    (void)state;
    assert_utf8(CAIRN_STYLE_JSON, "\"\\\b\f\n\r\t\x01\x1f\x7f/",
                "\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\x7f/");
    assert_utf8(CAIRN_STYLE_JSONL, "12345678\n12345678\"", "12345678\\n12345678\\\"");
}

static void characters_to_escape_are_found_at_any_offset(void **state)
{
    (void)state;
    for (size_t length = 1; length <= 40; length++) {
        for (size_t place = 0; place < length; place++) {
            char text[41] = {0};
            char expected[42] = {0};

            memset(text, 'a', length);
            memset(expected, 'a', length + 1);
            text[place] = '"';
            memcpy(expected + place, "\\\"", 2);
            assert_utf8(CAIRN_STYLE_JSON, text, expected);
        }
    }
}

static void text_escapes_control_characters_of_terminals(void **state)
{
    (void)state;
    assert_utf8(CAIRN_STYLE_TEXT, "a\nb\x1b[31m\x7f\xc2\x9b \"c:\\d\"",
                "a\\nb\\x1b[31m\\x7f\\x9b \"c:\\d\"");
    assert_utf8(EXPORT_STYLE_QUOTED, "a\n\x1b\x7f\xc2\x9b\xc3\xa9\"",
                "a\\n\\u001b\\u007f\\u009b\xc3\xa9\\\"");
}

static void bad_utf8_becomes_replacement_characters(void **state)
{
    (void)state;
    assert_utf8(CAIRN_STYLE_JSONL,
                "a\xff"
                "b",
                "a\xef\xbf\xbd"
                "b");
    assert_utf8(CAIRN_STYLE_JSONL, "\x80", "\xef\xbf\xbd");
    /* overlong, a surrogate, above U+10FFFF, truncated: one replacement character for each maximal
     * valid prefix */
    assert_utf8(CAIRN_STYLE_JSONL, "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");
    assert_utf8(CAIRN_STYLE_JSONL, "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_utf8(CAIRN_STYLE_JSONL, "\xf4\x90\x80\x80",
                "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_utf8(CAIRN_STYLE_JSONL, "\xf0\x9f\x98", "\xef\xbf\xbd");
    assert_utf8(CAIRN_STYLE_JSONL, "\xe4\xb8x", "\xef\xbf\xbdx");
}

static void in_json_bad_utf8_is_latin1_as_in_perf_decode(void **state)
{
    (void)state;
    assert_utf8(CAIRN_STYLE_JSON, "a\xe9z", "a\xc3\xa9z");
    assert_utf8(CAIRN_STYLE_JSON, "\xe4\xb8", "\xc3\xa4\xc2\xb8");
}

static void latin1_becomes_utf8(void **state)
{
    struct export_print_output out = open_output();

    (void)state;
    export_print_latin1(&out, CAIRN_STYLE_JSON, "\xfe\"a", 3);
    assert_output(&out, "\xc3\xbe\\\"a");
}

static void surrogate_pairs_of_both_byte_orders_are_combined(void **state)
{
    const uint16_t text[] = {'h', 0xd83d, 0xde00, 0xe9, 0x4e16};
    uint16_t swapped[5];
    struct export_print_output out = open_output();

    (void)state;
    for (int n = 0; n < 5; n++)
        swapped[n] = __builtin_bswap16(text[n]);
    export_print_utf16(&out, CAIRN_STYLE_JSON, text, sizeof(text), false);
    export_print_utf16(&out, CAIRN_STYLE_JSON, swapped, sizeof(swapped), true);
    assert_output(&out, "h\xf0\x9f\x98\x80é世h\xf0\x9f\x98\x80é世");
}

static void unpaired_surrogates_become_replacement_characters(void **state)
{
    const uint16_t text[] = {0xd83d, 'a', 0xde00, 0xd83d};
    struct export_print_output out = open_output();

    (void)state;
    export_print_utf16(&out, CAIRN_STYLE_JSON, text, sizeof(text), false);
    assert_output(&out, "\xef\xbf\xbd"
                        "a\xef\xbf\xbd\xef\xbf\xbd");
}

static void invalid_utf32_is_replaced(void **state)
{
    const uint32_t text[] = {'a', 0x10ffff, 0x110000, 0xd800, UINT32_MAX, 0};
    struct export_print_output out = open_output();

    (void)state;
    export_print_utf32(&out, CAIRN_STYLE_JSON, text, sizeof(text), false);
    assert_output(&out, "a\xf4\x8f\xbf\xbf\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\\u0000");
}

static void a_byte_order_mark_selects_the_encoding(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
    } marked[] = {
        {"\xef\xbb\xbfhi", 5},
        {"\xff\xfeh\0i\0", 6},
        {"\xfe\xff\0h\0i", 6},
        {"\xff\xfe\0\0h\0\0\0i\0\0\0", 12},
        {"\0\0\xfe\xff\0\0\0h\0\0\0i", 12},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(marked) / sizeof(marked[0]); n++) {
        struct export_print_output out = open_output();

        assert_true(export_print_by_mark(&out, CAIRN_STYLE_JSON, marked[n].bytes, marked[n].size));
        assert_output(&out, "hi");
    }
}

static void without_a_mark_nothing_is_printed(void **state)
{
    struct export_print_output out = open_output();

    (void)state;
    assert_false(export_print_by_mark(&out, CAIRN_STYLE_JSON, "hi", 2));
    assert_false(export_print_by_mark(&out, CAIRN_STYLE_JSON, "", 0));
    assert_false(export_print_by_mark(&out, CAIRN_STYLE_JSON, "\xef\xbb", 2));
    assert_output(&out, "");
}

/* Longer than what is reserved at a time, and each byte becomes six. */
static void long_text_is_printed_whole(void **state)
{
    enum { LENGTH = 10007 };
    struct export_print_output out = open_output();
    char *text = (char *)malloc(LENGTH);

    (void)state;
    memset(text, 1, LENGTH);
    export_print_utf8(&out, CAIRN_STYLE_JSON, text, LENGTH);
    assert_int_equal(out.at - out.begin, 6 * LENGTH);
    for (int n = 0; n < LENGTH; n++)
        assert_memory_equal(out.begin + 6 * n, "\\u0001", 6);
    export_output_close(&out);
    free(text);
}

/* A multi-byte character must not be split where a piece of the text ends. */
static void characters_across_pieces_are_not_split(void **state)
{
    enum { COUNT = 3000 };
    char *text = (char *)malloc(3 * COUNT + 1);

    (void)state;
    for (int shift = 0; shift < 3; shift++) {
        struct export_print_output out = open_output();
        size_t size = 0;

        for (int n = 0; n < shift; n++)
            text[size++] = 'x';
        for (; size + 3 <= 3 * COUNT; size += 3)
            memcpy(text + size, "世", 3);
        export_print_utf8(&out, CAIRN_STYLE_JSONL, text, size);
        assert_int_equal(out.at - out.begin, size);
        assert_memory_equal(out.begin, text, size);
        export_output_close(&out);
    }
    free(text);
}

static void text_is_escaped_for_a_style(void **state)
{
    char *text = NULL;

    (void)state;
    assert_int_equal(cairn_style_text(CAIRN_STYLE_JSONL, "a\"\n\xff", 4, &text), 0);
    assert_string_equal(text, "a\\\"\\n\xef\xbf\xbd");
    free(text);
    assert_int_equal(cairn_style_text(CAIRN_STYLE_JSON, "\xff", 1, &text), 0);
    assert_string_equal(text, "\xc3\xbf");
    free(text);
    assert_int_equal(cairn_style_text(CAIRN_STYLE_TEXT, "", 0, &text), 0);
    assert_string_equal(text, "");
    free(text);
    text = NULL;
    assert_int_equal(cairn_style_text((enum cairn_style)CAIRN_STYLE_COUNT, "", 0, &text), EINVAL);
    assert_null(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_stays_as_it_is),
        cmocka_unit_test(json_escapes_what_the_format_requires),
        cmocka_unit_test(characters_to_escape_are_found_at_any_offset),
        cmocka_unit_test(text_escapes_control_characters_of_terminals),
        cmocka_unit_test(bad_utf8_becomes_replacement_characters),
        cmocka_unit_test(in_json_bad_utf8_is_latin1_as_in_perf_decode),
        cmocka_unit_test(latin1_becomes_utf8),
        cmocka_unit_test(surrogate_pairs_of_both_byte_orders_are_combined),
        cmocka_unit_test(unpaired_surrogates_become_replacement_characters),
        cmocka_unit_test(invalid_utf32_is_replaced),
        cmocka_unit_test(a_byte_order_mark_selects_the_encoding),
        cmocka_unit_test(without_a_mark_nothing_is_printed),
        cmocka_unit_test(long_text_is_printed_whole),
        cmocka_unit_test(characters_across_pieces_are_not_split),
        cmocka_unit_test(text_is_escaped_for_a_style),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
