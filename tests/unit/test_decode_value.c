/* SPDX-License-Identifier: MIT */
/* Test of printing values: every encoding in every format, with the content that perf-decode
 * prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "export/value_print.h"

#include <stdlib.h>
#include <time.h>

#define FORMATS 21 /* two more than are defined: unknown formats are like the default */

#define UNSIGNED  CAIRN_FORMAT_UNSIGNED_INT
#define SIGNED    CAIRN_FORMAT_SIGNED_INT
#define HEX       CAIRN_FORMAT_HEX_INT
#define ERRNO     CAIRN_FORMAT_ERRNO
#define PID       CAIRN_FORMAT_PID
#define TIME      CAIRN_FORMAT_TIME
#define BOOLEAN   CAIRN_FORMAT_BOOLEAN
#define FLOAT     CAIRN_FORMAT_FLOAT
#define BYTES     CAIRN_FORMAT_HEX_BYTES
#define STRING8   CAIRN_FORMAT_STRING8
#define UTF       CAIRN_FORMAT_STRING_UTF
#define UTF_BOM   CAIRN_FORMAT_STRING_UTF_BOM
#define XML       CAIRN_FORMAT_STRING_XML
#define JSON      CAIRN_FORMAT_STRING_JSON
#define UUID      CAIRN_FORMAT_UUID
#define PORT      CAIRN_FORMAT_PORT
#define IP        CAIRN_FORMAT_IP_ADDRESS
#define IP_OLD    CAIRN_FORMAT_IP_ADDRESS_OBSOLETE
#define STRING_L8 CAIRN_ENCODING_STRING_LENGTH16_CHAR8
#define BINARY_L8 CAIRN_ENCODING_BINARY_LENGTH16_CHAR8

static const struct row {
    uint8_t encoding;
    uint32_t size;
    const char *data;
    const char *otherwise;       /* in formats that are not listed, in JSON */
    const char *listed[FORMATS]; /* in formats that change the output of the encoding */
} rows[] = {
    {CAIRN_ENCODING_VALUE8,
     1,
     "\xc8",
     "200",
     {[SIGNED] = "-56", [HEX] = "\"0xC8\"", [BYTES] = "\"c8\"", [STRING8] = "\"È\""}},
    {CAIRN_ENCODING_VALUE16,
     2,
     "AP",
     "20545",
     {[HEX] = "\"0x5041\"", [BYTES] = "\"41 50\"", [UTF] = "\"偁\"", [PORT] = "16720"}},
    {CAIRN_ENCODING_VALUE32,
     4,
     "\xfe\xff\xff\xff",
     "4294967294",
     {[SIGNED] = "-2",
      [HEX] = "\"0xFFFFFFFE\"",
      [ERRNO] = "\"ERRNO(-2)\"",
      [PID] = "-2",
      [TIME] = "\"1969-12-31T23:59:58\"",
      [BOOLEAN] = "-2",
      [FLOAT] = "\"-nan\"",
      [BYTES] = "\"fe ff ff ff\"",
      [UTF] = "\"\xef\xbf\xbd\"",
      [IP] = "\"254.255.255.255\"",
      [IP_OLD] = "\"254.255.255.255\""}},
    {CAIRN_ENCODING_VALUE64,
     8,
     "AAAAAAA\xc1",
     "13925483271329759553",
     {[SIGNED] = "-4521260802379792063",
      [HEX] = "\"0xC141414141414141\"",
      [TIME] = "\"TIME(-4521260802379792063)\"",
      [FLOAT] = "-2261634.5098039214",
      [BYTES] = "\"41 41 41 41 41 41 41 c1\""}},
    {CAIRN_ENCODING_VALUE128,
     16,
     "0123456789abcdef",
     "\"30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66\"",
     {[UUID] = "\"30313233-3435-3637-3839-616263646566\"",
      [IP] = "\"3031:3233:3435:3637:3839:6162:6364:6566\"",
      [IP_OLD] = "\"3031:3233:3435:3637:3839:6162:6364:6566\""}},
    {CAIRN_ENCODING_ZSTRING_CHAR8,
     3,
     "a\xc3\xa9",
     "\"aé\"",
     {[BYTES] = "\"61 c3 a9\"", [STRING8] = "\"aÃ©\""}},
    {CAIRN_ENCODING_ZSTRING_CHAR16, 4, "a\0\xe9\0", "\"aé\"", {[BYTES] = "\"61 00 e9 00\""}},
    {CAIRN_ENCODING_ZSTRING_CHAR32,
     8,
     "a\0\0\0\xe9\0\0\0",
     "\"aé\"",
     {[BYTES] = "\"61 00 00 00 e9 00 00 00\""}},
    {STRING_L8,
     0,
     "",
     "\"\"",
     {[UNSIGNED] = "null",
      [SIGNED] = "null",
      [HEX] = "null",
      [ERRNO] = "null",
      [PID] = "null",
      [TIME] = "null",
      [BOOLEAN] = "null",
      [FLOAT] = "null",
      [UUID] = "null",
      [PORT] = "null",
      [IP] = "null",
      [IP_OLD] = "null"}},
    {STRING_L8,
     1,
     "A",
     "\"A\"",
     {[UNSIGNED] = "65",
      [SIGNED] = "65",
      [HEX] = "\"0x41\"",
      [BOOLEAN] = "65",
      [BYTES] = "\"41\""}},
    {STRING_L8,
     2,
     "PQ",
     "\"PQ\"",
     {[UNSIGNED] = "20816",
      [SIGNED] = "20816",
      [HEX] = "\"0x5150\"",
      [BOOLEAN] = "20816",
      [BYTES] = "\"50 51\"",
      [PORT] = "20561"}},
    {STRING_L8, 3, "abc", "\"abc\"", {[BYTES] = "\"61 62 63\""}},
    {STRING_L8,
     4,
     "ABCD",
     "\"ABCD\"",
     {[UNSIGNED] = "1145258561",
      [SIGNED] = "1145258561",
      [HEX] = "\"0x44434241\"",
      [ERRNO] = "\"ERRNO(1145258561)\"",
      [PID] = "1145258561",
      [TIME] = "\"2006-04-17T07:22:41\"",
      [BOOLEAN] = "1145258561",
      [FLOAT] = "781.0352",
      [BYTES] = "\"41 42 43 44\"",
      [IP] = "\"65.66.67.68\"",
      [IP_OLD] = "\"65.66.67.68\""}},
    {STRING_L8,
     8,
     "AAAAAAAA",
     "\"AAAAAAAA\"",
     {[UNSIGNED] = "4702111234474983745",
      [SIGNED] = "4702111234474983745",
      [HEX] = "\"0x4141414141414141\"",
      [TIME] = "\"TIME(4702111234474983745)\"",
      [FLOAT] = "2261634.5098039214",
      [BYTES] = "\"41 41 41 41 41 41 41 41\""}},
    {STRING_L8,
     16,
     "0123456789abcdef",
     "\"0123456789abcdef\"",
     {[BYTES] = "\"30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66\"",
      [UUID] = "\"30313233-3435-3637-3839-616263646566\"",
      [IP] = "\"3031:3233:3435:3637:3839:6162:6364:6566\"",
      [IP_OLD] = "\"3031:3233:3435:3637:3839:6162:6364:6566\""}},
    {CAIRN_ENCODING_STRING_LENGTH16_CHAR16,
     4,
     "a\0\xe9\0",
     "\"aé\"",
     {[BYTES] = "\"61 00 e9 00\""}},
    {CAIRN_ENCODING_STRING_LENGTH16_CHAR32,
     8,
     "a\0\0\0\xe9\0\0\0",
     "\"aé\"",
     {[BYTES] = "\"61 00 00 00 e9 00 00 00\""}},
    {BINARY_L8,
     0,
     "",
     "\"\"",
     {[UNSIGNED] = "null",
      [SIGNED] = "null",
      [HEX] = "null",
      [ERRNO] = "null",
      [PID] = "null",
      [TIME] = "null",
      [BOOLEAN] = "null",
      [FLOAT] = "null",
      [UUID] = "null",
      [PORT] = "null",
      [IP] = "null",
      [IP_OLD] = "null"}},
    {BINARY_L8,
     3,
     "abc",
     "\"61 62 63\"",
     {[STRING8] = "\"abc\"",
      [UTF] = "\"abc\"",
      [UTF_BOM] = "\"abc\"",
      [XML] = "\"abc\"",
      [JSON] = "\"abc\""}},
    {BINARY_L8,
     4,
     "ABCD",
     "\"41 42 43 44\"",
     {[UNSIGNED] = "1145258561",
      [SIGNED] = "1145258561",
      [HEX] = "\"0x44434241\"",
      [ERRNO] = "\"ERRNO(1145258561)\"",
      [PID] = "1145258561",
      [TIME] = "\"2006-04-17T07:22:41\"",
      [BOOLEAN] = "1145258561",
      [FLOAT] = "781.0352",
      [STRING8] = "\"ABCD\"",
      [UTF] = "\"ABCD\"",
      [UTF_BOM] = "\"ABCD\"",
      [XML] = "\"ABCD\"",
      [JSON] = "\"ABCD\"",
      [IP] = "\"65.66.67.68\"",
      [IP_OLD] = "\"65.66.67.68\""}},
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static char *print(enum cairn_style style, uint8_t encoding, uint8_t format, const void *data,
                   uint32_t size, bool swap)
{
    struct decode_value_data value = {(const uint8_t *)data, size, swap};
    struct export_print_output out;
    char *text;

    assert_int_equal(export_output_open(&out, -1), 0);
    export_value_print(&out, style, decode_value_of(encoding, format, size), value);
    text = strndup(out.begin, (size_t)(out.at - out.begin));
    export_output_close(&out);
    return text;
}

static void assert_print(enum cairn_style style, uint8_t encoding, uint8_t format, const void *data,
                         uint32_t size, bool swap, const char *expected)
{
    char *text = print(style, encoding, format, data, size, swap);

    if (strcmp(text, expected))
        fail_msg("encoding %d, format %d: %s, not %s", encoding, format, text, expected);
    free(text);
}

static void every_encoding_is_printed_in_every_format(void **state)
{
    (void)state;
    for (size_t n = 0; n < ROW_COUNT; n++) {
        for (uint8_t format = 0; format < FORMATS; format++)
            assert_print(CAIRN_STYLE_JSON, rows[n].encoding, format, rows[n].data, rows[n].size,
                         false,
                         rows[n].listed[format] ? rows[n].listed[format] : rows[n].otherwise);
    }
}

static void text_is_json_without_quotes(void **state)
{
    (void)state;
    for (size_t n = 0; n < ROW_COUNT; n++) {
        for (uint8_t format = 0; format < FORMATS; format++) {
            const char *json = rows[n].listed[format] ? rows[n].listed[format] : rows[n].otherwise;
            bool quotes = json[0] == '"';
            char *expected = strndup(json + quotes, strlen(json) - 2 * (size_t)quotes);

            if (format != STRING8) /* text escapes characters of these that JSON need not escape */
                assert_print(CAIRN_STYLE_TEXT, rows[n].encoding, format, rows[n].data, rows[n].size,
                             false, expected);
            free(expected);
        }
    }
}

static void a_size_that_is_not_known_yet_is_requested_if_needed(void **state)
{
    (void)state;
    for (uint8_t format = 0; format < FORMATS; format++) {
        bool is_sized = format != 0 && format <= FLOAT;

        is_sized |= format >= UUID && format <= IP_OLD;
        assert_int_equal(decode_value_of(BINARY_L8, format, DECODE_SIZE_UNKNOWN) ==
                             DECODE_VALUE_BY_SIZE,
                         is_sized);
        assert_int_not_equal(
            decode_value_of(CAIRN_ENCODING_ZSTRING_CHAR8, format, DECODE_SIZE_UNKNOWN),
            DECODE_VALUE_BY_SIZE);
    }
}

static void numbers_of_the_other_byte_order_are_converted(void **state)
{
    static const uint8_t two[] = {1, 2};
    static const uint8_t four[] = {0x3f, 0xc0, 0, 0};
    static const uint8_t eight[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe};

    (void)state;
    assert_print(CAIRN_STYLE_JSON, CAIRN_ENCODING_VALUE16, UNSIGNED, two, 2,
                 __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "258");
    assert_print(CAIRN_STYLE_JSON, CAIRN_ENCODING_VALUE32, FLOAT, four, 4,
                 __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "1.5");
    assert_print(CAIRN_STYLE_JSON, CAIRN_ENCODING_VALUE64, SIGNED, eight, 8,
                 __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "-2");
    assert_print(CAIRN_STYLE_JSON, BINARY_L8, HEX, two, 2,
                 __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "\"0x102\"");
}

static void network_byte_order_is_not_converted(void **state)
{
    (void)state;
    assert_print(CAIRN_STYLE_JSON, CAIRN_ENCODING_VALUE16, PORT, "\0P", 2, true, "80");
    assert_print(CAIRN_STYLE_JSON, CAIRN_ENCODING_VALUE32, IP, "\x7f\0\0\1", 4, true,
                 "\"127.0.0.1\"");
    assert_print(CAIRN_STYLE_JSON, CAIRN_ENCODING_VALUE128, IP, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1",
                 16, true, "\"::1\"");
}

static void errno_values_have_their_names(void **state)
{
    const uint32_t codes[] = {0, 2, 41, 133, 134};
    const char *const names[] = {"\"ERRNO(0)\"", "\"ENOENT(2)\"", "\"ERRNO(41)\"",
                                 "\"EHWPOISON(133)\"", "\"ERRNO(134)\""};

    (void)state;
    for (size_t n = 0; n < 5; n++)
        assert_print(CAIRN_STYLE_JSON, CAIRN_ENCODING_VALUE32, ERRNO, &codes[n], 4, false,
                     names[n]);
}

static void only_the_booleans_zero_and_one_are_words(void **state)
{
    const uint32_t values[] = {0, 1, 2, UINT32_MAX};
    const char *const words[] = {"false", "true", "2", "-1"};

    (void)state;
    for (size_t n = 0; n < 4; n++)
        assert_print(CAIRN_STYLE_JSON, CAIRN_ENCODING_VALUE32, BOOLEAN, &values[n], 4, false,
                     words[n]);
    assert_print(CAIRN_STYLE_JSON, CAIRN_ENCODING_VALUE8, BOOLEAN, "\xff", 1, false, "255");
}

static void jsonl_has_numbers_whatever_their_size(void **state)
{
    const int64_t exact = (1ll << 53) - 1;
    const int64_t large = 1ll << 53;
    const int64_t small = -(1ll << 53);

    (void)state;
    assert_print(CAIRN_STYLE_JSONL, CAIRN_ENCODING_VALUE64, UNSIGNED, &exact, 8, false,
                 "9007199254740991");
    assert_print(CAIRN_STYLE_JSONL, CAIRN_ENCODING_VALUE64, UNSIGNED, &large, 8, false,
                 "9007199254740992");
    assert_print(CAIRN_STYLE_JSONL, CAIRN_ENCODING_VALUE64, SIGNED, &small, 8, false,
                 "-9007199254740992");
    assert_print(CAIRN_STYLE_JSON, CAIRN_ENCODING_VALUE64, UNSIGNED, &large, 8, false,
                 "9007199254740992");
}

static void jsonl_marks_times_as_utc(void **state)
{
    const int64_t time = 1700000000;
    const int64_t no_time = INT64_MAX;

    (void)state;
    assert_print(CAIRN_STYLE_JSONL, CAIRN_ENCODING_VALUE64, TIME, &time, 8, false,
                 "\"2023-11-14T22:13:20Z\"");
    assert_print(CAIRN_STYLE_JSONL, CAIRN_ENCODING_VALUE64, TIME, &no_time, 8, false,
                 "\"TIME(9223372036854775807)\"");
}

static void text_prints_kernel_addresses_in_hexadecimal(void **state)
{
    const uint64_t address = 0xffffffff81000000u;

    (void)state;
    assert_print(CAIRN_STYLE_TEXT, CAIRN_ENCODING_VALUE64, UNSIGNED, &address, 8, false,
                 "0xFFFFFFFF81000000");
    assert_print(CAIRN_STYLE_JSON, CAIRN_ENCODING_VALUE64, UNSIGNED, &address, 8, false,
                 "18446744071578845184");
}

static void assert_time(int64_t seconds, const char *expected)
{
    char text[40];

    *export_put_time(text, seconds) = 0;
    assert_string_equal(text, expected);
}

static void the_calendar_is_gregorian(void **state)
{
    (void)state;
    assert_time(0, "1970-01-01T00:00:00");
    assert_time(-1, "1969-12-31T23:59:59");
    assert_time(951782399, "2000-02-28T23:59:59");
    assert_time(951782400, "2000-02-29T00:00:00");
    assert_time(4107542400, "2100-03-01T00:00:00");
    assert_time(-11644473601, "1600-12-31T23:59:59");
    assert_time(910692730085, "30828-09-14T02:48:05");
    assert_time(-62135596801, "0000-12-31T23:59:59");
    assert_time(-62167219201, "-001-12-31T23:59:59");
}

static void every_day_is_one_day_after_the_day_before(void **state)
{
    (void)state;
    for (int64_t day = -200000; day < 200000; day += 7) {
        time_t seconds = (time_t)(day * 86400 + 3723);
        struct tm tm;
        char expected[64];

        gmtime_r(&seconds, &tm);
        strftime(expected, sizeof(expected), "%Y-%m-%dT%H:%M:%S", &tm);
        assert_time(seconds, expected);
    }
}

static void times_outside_the_calendar_are_numbers(void **state)
{
    (void)state;
    assert_time(67768036191676799, "2147485547-12-31T23:59:59");
    assert_time(67768036191676800, "TIME(67768036191676800)");
    assert_time(INT64_MIN, "TIME(-9223372036854775808)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_encoding_is_printed_in_every_format),
        cmocka_unit_test(text_is_json_without_quotes),
        cmocka_unit_test(a_size_that_is_not_known_yet_is_requested_if_needed),
        cmocka_unit_test(numbers_of_the_other_byte_order_are_converted),
        cmocka_unit_test(network_byte_order_is_not_converted),
        cmocka_unit_test(errno_values_have_their_names),
        cmocka_unit_test(only_the_booleans_zero_and_one_are_words),
        cmocka_unit_test(jsonl_has_numbers_whatever_their_size),
        cmocka_unit_test(jsonl_marks_times_as_utc),
        cmocka_unit_test(text_prints_kernel_addresses_in_hexadecimal),
        cmocka_unit_test(the_calendar_is_gregorian),
        cmocka_unit_test(every_day_is_one_day_after_the_day_before),
        cmocka_unit_test(times_outside_the_calendar_are_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
