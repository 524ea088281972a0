/* SPDX-License-Identifier: MIT */
/* Test of decoding EventHeader events, well-formed and malformed. */
#include "decode_test.h"

static struct bytes fields;
static struct bytes data;

static int start(void **state)
{
    (void)state;
    fields = (struct bytes){0};
    data = (struct bytes){0};
    return 0;
}

static void assert_json(const char *expected)
{
    assert_fields(CAIRN_STYLE_JSON, &fields, &data, expected, CAIRN_EVENT_WHOLE);
}

static void assert_damaged(const char *expected, enum cairn_event_error error)
{
    assert_fields(CAIRN_STYLE_JSON, &fields, &data, expected, error);
}

static void fields_follow_one_another(void **state)
{
    (void)state;
    PUT(&fields, "text\0\x0a"
                 "number\0\x04"
                 "flag\0\x82\x07");
    put_number(&data, 5, 2);
    PUT(&data, "hello");
    put_number(&data, 42, 4);
    put_number(&data, 1, 1);
    assert_json(",\"text\":\"hello\",\"number\":42,\"flag\":true");
    assert_fields(CAIRN_STYLE_TEXT, &fields, &data, " text=hello number=42 flag=true",
                  CAIRN_EVENT_WHOLE);
    assert_fields(CAIRN_STYLE_JSONL, &fields, &data,
                  "\"text\":\"hello\",\"number\":42,\"flag\":true}", CAIRN_EVENT_WHOLE);
}

static void a_big_endian_event_is_decoded(void **state)
{
    (void)state;
    fields.big_endian = data.big_endian = true;
    PUT(&fields, "u16\0\x03"
                 "tagged\0\x84\x82");
    put_number(&fields, 0xbeef, 2);
    PUT(&fields, "array\0\x23");
    put_number(&fields, 2, 2);
    PUT(&fields, "wide\0\x0b");
    put_number(&data, 258, 2);
    put_number(&data, (uint32_t)-5, 4);
    put_number(&data, 1, 2);
    put_number(&data, 2, 2);
    put_number(&data, 1, 2);
    put_number(&data, 0x4e16, 2);
    assert_json(",\"u16\":258,\"tagged;tag=0xBEEF\":-5,\"array\":[1,2],\"wide\":\"世\"");
}

static void tags_and_attributes_are_printed_in_json_only(void **state)
{
    (void)state;
    PUT(&fields, "f;unit=ms\0\x84\x81\x34\x12");
    put_number(&data, 7, 4);
    assert_json(",\"f;unit=ms;tag=0x1234\":7");
    assert_fields(CAIRN_STYLE_JSONL, &fields, &data, "\"f\":7}", CAIRN_EVENT_WHOLE);
    assert_fields(CAIRN_STYLE_TEXT, &fields, &data, " f=7", CAIRN_EVENT_WHOLE);
}

static void strings_end_at_zero_or_by_length(void **state)
{
    (void)state;
    PUT(&fields, "z8\0\x07"
                 "z16\0\x08"
                 "z32\0\x09"
                 "l8\0\x0a"
                 "l16\0\x0b"
                 "l32\0\x0c"
                 "b\0\x0d");
    PUT(&data, "ab\0");
    PUT(&data, "a\0b\0\0\0");
    PUT(&data, "a\0\0\0b\0\0\0\0\0\0\0");
    PUT(&data, "\x02\0ab");
    PUT(&data, "\x02\0a\0b\0");
    PUT(&data, "\x02\0a\0\0\0b\0\0\0");
    PUT(&data, "\x02\0ab");
    assert_json(",\"z8\":\"ab\",\"z16\":\"ab\",\"z32\":\"ab\",\"l8\":\"ab\",\"l16\":\"ab\","
                "\"l32\":\"ab\",\"b\":\"61 62\"");
}

static void arrays_are_of_constant_or_of_varying_length(void **state)
{
    (void)state;
    PUT(&fields, "c\0\x22\x03\0"
                 "v\0\x43"
                 "none\0\x44"
                 "s\0\x47");
    PUT(&data, "\1\2\3");
    PUT(&data, "\2\0\1\0\2\0");
    PUT(&data, "\0\0");
    PUT(&data, "\2\0a\0\0");
    assert_json(",\"c\":[1,2,3],\"v\":[1,2],\"none\":[],\"s\":[\"a\",\"\"]");
    assert_fields(CAIRN_STYLE_TEXT, &fields, &data, " c=[1,2,3] v=[1,2] none=[] s=[a,]",
                  CAIRN_EVENT_WHOLE);
}

static void structs_contain_fields_and_structs(void **state)
{
    (void)state;
    PUT(&fields, "s\0\x81\x03"
                 "a\0\x02"
                 "t\0\x81\x01"
                 "b\0\x02"
                 "c\0\x02"
                 "after\0\x02");
    PUT(&data, "\1\2\3\4");
    assert_json(",\"s\":{\"a\":1,\"t\":{\"b\":2},\"c\":3},\"after\":4");
    assert_fields(CAIRN_STYLE_TEXT, &fields, &data, " s={a=1 t={b=2} c=3} after=4",
                  CAIRN_EVENT_WHOLE);
}

static void arrays_of_structs_repeat_their_members(void **state)
{
    (void)state;
    PUT(&fields, "s\0\xc1\x02"
                 "a\0\x02"
                 "b\0\x42"
                 "after\0\x02");
    PUT(&data, "\2\0"
               "\1\1\0\x0a"
               "\2\2\0\x0b\x0c"
               "\7");
    assert_json(",\"s\":[{\"a\":1,\"b\":[10]},{\"a\":2,\"b\":[11,12]}],\"after\":7");
}

static void an_empty_array_of_structs_skips_their_members(void **state)
{
    (void)state;
    PUT(&fields, "s\0\xc1\x02"
                 "a\0\x02"
                 "t\0\x81\x01"
                 "b\0\x02"
                 "after\0\x02");
    PUT(&data, "\0\0\7");
    assert_json(",\"s\":[],\"after\":7");
}

static void a_struct_may_end_with_the_metadata(void **state)
{
    (void)state;
    PUT(&fields, "s\0\x81\x09"
                 "a\0\x02");
    PUT(&data, "\1");
    assert_json(",\"s\":{\"a\":1}");
}

static void bytes_after_the_last_field_are_ignored(void **state)
{
    (void)state;
    PUT(&fields, "a\0\x02");
    PUT(&data, "\1\0\0\0\0");
    assert_json(",\"a\":1");
}

static void an_event_without_fields_has_none(void **state)
{
    (void)state;
    assert_json("");
    assert_fields(CAIRN_STYLE_JSONL, &fields, &data, "}", CAIRN_EVENT_WHOLE);
    assert_fields(CAIRN_STYLE_TEXT, &fields, &data, "", CAIRN_EVENT_WHOLE);
}

static void names_are_escaped_and_made_valid_utf8(void **state)
{
    (void)state;
    PUT(&fields, "a\"\n\xff\0\x02");
    PUT(&data, "\1");
    assert_json(",\"a\\\"\\n\xc3\xbf\":1");
    assert_fields(CAIRN_STYLE_JSONL, &fields, &data, "\"a\\\"\\n\xef\xbf\xbd\":1}",
                  CAIRN_EVENT_WHOLE);
    assert_fields(CAIRN_STYLE_TEXT, &fields, &data, " a\"\\n\xef\xbf\xbd=1", CAIRN_EVENT_WHOLE);
}

static void names_may_repeat(void **state)
{
    (void)state;
    PUT(&fields, "a\0\x02"
                 "a\0\x02"
                 "meta\0\x02");
    PUT(&data, "\1\2\3");
    assert_json(",\"a\":1,\"a\":2,\"meta\":3");
}

static void truncated_data_is_printed_up_to_its_end(void **state)
{
    (void)state;
    PUT(&fields, "a\0\x02"
                 "b\0\x04");
    PUT(&data, "\1\2\3");
    assert_damaged(",\"a\":1", CAIRN_EVENT_CUT_SHORT);
}

static void brackets_are_closed_at_the_end_of_truncated_data(void **state)
{
    (void)state;
    PUT(&fields, "s\0\x81\x01"
                 "t\0\xc1\x01"
                 "v\0\x43"
                 "after\0\x02");
    PUT(&data, "\2\0"
               "\2\0\1\0");
    assert_damaged(",\"s\":{\"t\":[{\"v\":[1]}]}", CAIRN_EVENT_CUT_SHORT);
}

static void a_string_longer_than_the_data_is_not_printed(void **state)
{
    (void)state;
    PUT(&fields, "a\0\x02"
                 "s\0\x0a");
    PUT(&data, "\1\xff\xffx");
    assert_damaged(",\"a\":1", CAIRN_EVENT_CUT_SHORT);
    data.size = 2;
    assert_damaged(",\"a\":1", CAIRN_EVENT_CUT_SHORT);
}

static void a_string_without_its_nul_is_not_printed(void **state)
{
    (void)state;
    PUT(&fields, "a\0\x02"
                 "s\0\x08");
    PUT(&data, "\1a\0b\0\0");
    assert_damaged(",\"a\":1", CAIRN_EVENT_CUT_SHORT);
}

/* The field before the bad definition is printed. */
static void assert_bad_metadata(const char *definition, size_t size)
{
    start(NULL);
    PUT(&fields, "a\0\x02");
    put_bytes(&fields, definition, size);
    PUT(&data, "\1\2\3\4\5\6\7\x08");
    assert_damaged(",\"a\":1", CAIRN_EVENT_BAD_METADATA);
}

#define ASSERT_BAD_METADATA(literal) assert_bad_metadata(literal, sizeof(literal) - 1)

static void malformed_metadata_is_printed_up_to_the_error(void **state)
{
    (void)state;
    ASSERT_BAD_METADATA("b");             /* a name without its NUL */
    ASSERT_BAD_METADATA("b\0");           /* no encoding */
    ASSERT_BAD_METADATA("b\0\x84");       /* no format */
    ASSERT_BAD_METADATA("b\0\x84\x81");   /* no tag */
    ASSERT_BAD_METADATA("b\0\x84\x81\1"); /* half a tag */
    ASSERT_BAD_METADATA("b\0\x24\1");     /* half an array length */
    ASSERT_BAD_METADATA("b\0\x24\0\0");   /* a constant array of no elements */
    ASSERT_BAD_METADATA("b\0\x64\1\0");   /* an array of both kinds */
    ASSERT_BAD_METADATA("b\0\x00");       /* encoding 0 */
    ASSERT_BAD_METADATA("b\0\x0e");       /* an encoding that is not defined */
    ASSERT_BAD_METADATA("b\0\x1f");
    ASSERT_BAD_METADATA("b\0\x01");     /* a struct without a number of members */
    ASSERT_BAD_METADATA("b\0\x81\x80"); /* a struct without members */
    ASSERT_BAD_METADATA("b\0\x81\x80\1\0");
}

static void members_before_bad_metadata_are_printed(void **state)
{
    (void)state;
    PUT(&fields, "s\0\x81\x03"
                 "a\0\x02"
                 "b\0\x1e");
    PUT(&data, "\1\2");
    assert_damaged(",\"s\":{\"a\":1}", CAIRN_EVENT_BAD_METADATA);
}

/* If elements had no data, a few bytes could require billions of elements. */
static void arrays_of_empty_elements_are_bad_metadata(void **state)
{
    (void)state;
    PUT(&fields, "a\0\x02"
                 "s\0\xa1\x7f\xff\xff"
                 "t\0\xa1\x7f\xff\xff");
    PUT(&data, "\1");
    assert_damaged(",\"a\":1", CAIRN_EVENT_BAD_METADATA);
}

static void structs_nest_up_to_a_limit(void **state)
{
    (void)state;
    for (unsigned depth = 0; depth < CAIRN_ITEM_STRUCT_DEPTH_MAX; depth++)
        PUT(&fields, "\0\x81\x01");
    PUT(&fields, "a\0\x02");
    PUT(&data, "\1");
    assert_json(",\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{"
                "\"\":{\"\":{\"\":{\"a\":1}}}}}}}}}}}}}}}}");
    start(NULL);
    for (unsigned depth = 0; depth <= CAIRN_ITEM_STRUCT_DEPTH_MAX; depth++)
        PUT(&fields, "\0\x81\x01");
    PUT(&fields, "a\0\x02");
    PUT(&data, "\1");
    assert_damaged(",\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{"
                   "\"\":{\"\":{\"\":{}}}}}}}}}}}}}}}}",
                   CAIRN_EVENT_BAD_METADATA);
}

/* ---- headers ---- */

static void assert_event(enum cairn_style style, const struct bytes *event, const char *expected,
                         enum cairn_event_error error)
{
    struct printed printed =
        print_one(style, EVENTHEADER_FORMAT, event->data, event->size, NULL, false);

    assert_string_equal(printed.text, expected);
    assert_int_equal(printed.error, error);
    free(printed.text);
}

static const char activity[] = "0123456789abcdefFEDCBA9876543210";

static void activities_are_printed(void **state)
{
    struct bytes event = {0};

    (void)state;
    put_header(&event, CAIRN_EVENTHEADER_EXTENSION);
    put_extension(&event, CAIRN_EXTENSION_ACTIVITY_ID | CAIRN_EXTENSION_CHAIN, activity, 32);
    put_extension(&event, 0x1234 | CAIRN_EXTENSION_CHAIN, "not known", 9);
    put_extension(&event, CAIRN_EXTENSION_METADATA, "E\0", 2);
    assert_event(CAIRN_STYLE_JSON, &event,
                 "\n {\"n\":\"P:E\",\"meta\":{\"id\":1,\"version\":2,\"level\":5,"
                 "\"keyword\":\"0x2A\",\"tag\":\"0x3\","
                 "\"activity\":\"30313233-3435-3637-3839-616263646566\","
                 "\"relatedActivity\":\"46454443-4241-3938-3736-353433323130\"}}",
                 CAIRN_EVENT_WHOLE);
    assert_event(CAIRN_STYLE_TEXT, &event,
                 "P:E: (level=verbose keyword=0x2A activity=30313233-3435-3637-3839-616263646566 "
                 "related=46454443-4241-3938-3736-353433323130)\n",
                 CAIRN_EVENT_WHOLE);
}

#define HEADER_FIELDS(flags)                                 \
    "\n {\"n\":\"sys:P_L5K2a\",\"eventheader_flags\":" flags \
    ",\"version\":2,\"id\":1,\"tag\":3,\"opcode\":0,\"level\":5,\"meta\":{"
#define BAD_HEADER "\"error\":\"the event's header is invalid\"}}"

static void the_header_of_an_event_without_metadata_is_printed(void **state)
{
    struct bytes event = {0};

    (void)state;
    put_header(&event, 0);
    PUT(&event, "payload of a manifest");
    assert_event(CAIRN_STYLE_JSON, &event, HEADER_FIELDS("2") "}}", CAIRN_EVENT_WHOLE);
}

static void with_bad_extensions_only_the_header_is_printed(void **state)
{
    static const struct {
        uint16_t kind;
        size_t size;
    } bad[][2] = {
        {{CAIRN_EXTENSION_INVALID, 2}},
        {{CAIRN_EXTENSION_ACTIVITY_ID, 15}},
        {{CAIRN_EXTENSION_ACTIVITY_ID, 17}},
        {{CAIRN_EXTENSION_ACTIVITY_ID, 0}},
        {{CAIRN_EXTENSION_ACTIVITY_ID | CAIRN_EXTENSION_CHAIN, 16},
         {CAIRN_EXTENSION_ACTIVITY_ID, 16}},
        {{CAIRN_EXTENSION_METADATA | CAIRN_EXTENSION_CHAIN, 16}, {CAIRN_EXTENSION_METADATA, 16}},
        {{CAIRN_EXTENSION_METADATA | CAIRN_EXTENSION_CHAIN, 16}}, /* the chain ends here */
    };

    (void)state;
    for (size_t n = 0; n < sizeof(bad) / sizeof(bad[0]); n++) {
        struct bytes event = {0};

        put_header(&event, CAIRN_EVENTHEADER_EXTENSION);
        for (size_t k = 0; k < 2 && (bad[n][k].kind || bad[n][k].size); k++)
            put_extension(&event, bad[n][k].kind, activity, bad[n][k].size);
        assert_event(CAIRN_STYLE_JSON, &event, HEADER_FIELDS("6") BAD_HEADER,
                     CAIRN_EVENT_BAD_HEADER);
    }
}

static void with_an_extension_beyond_the_event_only_the_header_is_printed(void **state)
{
    struct bytes event = {0};

    (void)state;
    put_header(&event, CAIRN_EVENTHEADER_EXTENSION);
    put_number(&event, 3, 2);
    put_number(&event, CAIRN_EXTENSION_METADATA, 2);
    PUT(&event, "E\0");
    assert_event(CAIRN_STYLE_JSON, &event, HEADER_FIELDS("6") BAD_HEADER, CAIRN_EVENT_BAD_HEADER);
    event.size -= 4;
    assert_event(CAIRN_STYLE_JSON, &event, HEADER_FIELDS("6") BAD_HEADER, CAIRN_EVENT_BAD_HEADER);
}

static void with_unknown_flags_only_the_header_is_printed(void **state)
{
    struct bytes event = {0};

    (void)state;
    put_header(&event, 0x10);
    assert_event(CAIRN_STYLE_JSON, &event, HEADER_FIELDS("18") BAD_HEADER, CAIRN_EVENT_BAD_HEADER);
}

static void a_level_other_than_the_tracepoints_is_a_bad_header(void **state)
{
    struct bytes event = {0};
    struct printed printed;

    (void)state;
    put_event(&event, &fields, &data);
    event.data[15] = 4;
    printed = print_one(CAIRN_STYLE_JSON, EVENTHEADER_FORMAT, event.data, event.size, NULL, false);
    assert_int_equal(printed.error, CAIRN_EVENT_BAD_HEADER);
    assert_non_null(strstr(printed.text, "\"level\":4"));
    free(printed.text);
}

static void with_metadata_without_an_event_name_only_the_header_is_printed(void **state)
{
    struct bytes event = {0};

    (void)state;
    put_header(&event, CAIRN_EVENTHEADER_EXTENSION);
    put_extension(&event, CAIRN_EXTENSION_METADATA, "E", 1);
    assert_event(CAIRN_STYLE_JSON, &event,
                 HEADER_FIELDS("6") "\"error\":\"the metadata is invalid\"}}",
                 CAIRN_EVENT_BAD_METADATA);
}

static void a_truncated_header_is_printed_up_to_its_end(void **state)
{
    struct bytes event = {0};

    (void)state;
    put_header(&event, 0);
    event.size = 12;
    assert_event(CAIRN_STYLE_JSON, &event,
                 "\n {\"n\":\"sys:P_L5K2a\",\"eventheader_flags\":2,\"version\":2,\"id\":1,"
                 "\"meta\":{" BAD_HEADER,
                 CAIRN_EVENT_BAD_HEADER);
    event.size = 3;
    assert_event(CAIRN_STYLE_JSON, &event, "\n {\"n\":\"sys:P_L5K2a\",\"meta\":{" BAD_HEADER,
                 CAIRN_EVENT_BAD_HEADER);
}

/* Each truncation of a valid event: no byte beyond it is read, and brackets are balanced. */
static void a_truncated_event_is_harmless(void **state)
{
    struct bytes event = {0};

    (void)state;
    PUT(&fields, "s\0\xc1\x02"
                 "a\0\x0a"
                 "b\0\x47"
                 "after\0\x05");
    PUT(&data, "\2\0"
               "\2\0ab"
               "\1\0x\0"
               "\0\0"
               "\0\0"
               "12345678");
    put_event(&event, &fields, &data);
    for (size_t size = 0; size < event.size; size++) {
        for (int style = 0; style < CAIRN_STYLE_COUNT; style++) {
            struct printed printed = print_one((enum cairn_style)style, EVENTHEADER_FORMAT,
                                               event.data, size, NULL, false);

            assert_int_not_equal(printed.error, CAIRN_EVENT_WHOLE);
            free(printed.text);
        }
    }
}

/* ---- tracepoint names ---- */

static void assert_name(const char *text, uint8_t level, uint64_t keyword, const char *options)
{
    struct decode_tracepoint_name name;

    assert_int_equal(decode_tracepoint_name_parse(slice(text), &name), 0);
    assert_int_equal(name.level, level);
    assert_int_equal(name.keyword, keyword);
    assert_int_equal(name.options.length, strlen(options));
    assert_memory_equal(name.options.text, options, name.options.length);
    assert_memory_equal(name.provider.text, "My_Provider", name.provider.length);
}

static void tracepoint_names_contain_level_and_keyword(void **state)
{
    (void)state;
    assert_name("My_Provider_L5K1", 5, 1, "");
    assert_name("My_Provider_LffKffffffffffffffff", 255, UINT64_MAX, "");
    assert_name("My_Provider_L1K0Gmygroup", 1, 0, "Gmygroup");
    assert_name("My_Provider_L1K2aA1Bb", 1, 0x2a, "A1Bb");
}

static void other_names_are_not_eventheader_tracepoints(void **state)
{
    static const char *const names[] = {
        "",         "P",      "PL5K1",    "P_",      "P_L",    "P_L5",
        "P_L5K",    "P_LK1",  "P_K1L5",   "P_L5K1_", "P_l5K1", "P_L5K1g",
        "P_L100K1", "P_L5KG", "P_L5K1G-", "P_L5k1",  "P_LAK1", "P_L5K10000000000000000",
    };
    struct decode_tracepoint_name name;

    (void)state;
    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
        assert_int_not_equal(decode_tracepoint_name_parse(slice(names[n]), &name), 0);
}

#define TEST(name) cmocka_unit_test_setup(name, start)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(fields_follow_one_another),
        TEST(a_big_endian_event_is_decoded),
        TEST(tags_and_attributes_are_printed_in_json_only),
        TEST(strings_end_at_zero_or_by_length),
        TEST(arrays_are_of_constant_or_of_varying_length),
        TEST(structs_contain_fields_and_structs),
        TEST(arrays_of_structs_repeat_their_members),
        TEST(an_empty_array_of_structs_skips_their_members),
        TEST(a_struct_may_end_with_the_metadata),
        TEST(bytes_after_the_last_field_are_ignored),
        TEST(an_event_without_fields_has_none),
        TEST(names_are_escaped_and_made_valid_utf8),
        TEST(names_may_repeat),
        TEST(truncated_data_is_printed_up_to_its_end),
        TEST(brackets_are_closed_at_the_end_of_truncated_data),
        TEST(a_string_longer_than_the_data_is_not_printed),
        TEST(a_string_without_its_nul_is_not_printed),
        TEST(malformed_metadata_is_printed_up_to_the_error),
        TEST(members_before_bad_metadata_are_printed),
        TEST(arrays_of_empty_elements_are_bad_metadata),
        TEST(structs_nest_up_to_a_limit),
        TEST(activities_are_printed),
        TEST(the_header_of_an_event_without_metadata_is_printed),
        TEST(with_bad_extensions_only_the_header_is_printed),
        TEST(with_an_extension_beyond_the_event_only_the_header_is_printed),
        TEST(with_unknown_flags_only_the_header_is_printed),
        TEST(a_level_other_than_the_tracepoints_is_a_bad_header),
        TEST(with_metadata_without_an_event_name_only_the_header_is_printed),
        TEST(a_truncated_header_is_printed_up_to_its_end),
        TEST(a_truncated_event_is_harmless),
        TEST(tracepoint_names_contain_level_and_keyword),
        TEST(other_names_are_not_eventheader_tracepoints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
