/* SPDX-License-Identifier: MIT */
/* Test of decoding events that a format text describes. */
#include "core/slice.h"
#include "decode_test.h"

/* A format with one field at offset 8, after the common fields. */
static void make_format(char *text, size_t size, const char *declaration, unsigned bytes,
                        unsigned is_signed)
{
    snprintf(text, size,
             "name: e\nID: 7\n" COMMON_FIELDS
             "\tfield:%s;\toffset:8;\tsize:%u;\tsigned:%u;\n" PRINT_FMT,
             declaration, bytes, is_signed);
}

/* Compares the fields of an event of the tracepoint sys:e in a style with the expected text. */
static void assert_format(enum cairn_style style, const char *format, const struct bytes *record,
                          const char *expected, enum cairn_event_error error)
{
    static const char *const heads[] = {
        "\n {\"n\":\"sys:e\"",
        "{\"provider\":\"sys\",\"event\":\"e\",\"fields\":{",
        "e:",
    };
    static const char *const tails[] = {",\"meta\":{", "}", "\n"};
    struct printed printed =
        print_one(style, format, record->data, record->size, NULL, record->big_endian);
    size_t head = strlen(heads[style]);
    size_t length = strlen(expected);

    assert_memory_equal(printed.text, heads[style], head);
    if (strncmp(printed.text + head, expected, length) ||
        (!error && strncmp(printed.text + head + length, tails[style], strlen(tails[style]))))
        fail_msg("expected %s, got %s", expected, printed.text + head);
    assert_int_equal(printed.error, error);
    free(printed.text);
}

static const struct type {
    const char *declaration;
    unsigned size;
    unsigned is_signed;
    const char *json;  /* as perf-decode prints the bytes 01 02 03 ... */
    const char *jsonl; /* as cairn prints them */
} types[] = {
    {"int f", 4, 1, "67305985", "67305985"},
    {"unsigned int f", 4, 0, "67305985", "67305985"},
    {"u8 f", 1, 0, "1", "1"},
    {"s16 f", 2, 1, "513", "513"},
    {"__u64 f", 8, 0, "578437695752307201", "578437695752307201"},
    {"long f", 8, 1, "578437695752307201", "578437695752307201"},
    {"unsigned long f", 8, 0, "\"0x807060504030201\"", "578437695752307201"},
    {"unsigned long long f", 8, 0, "578437695752307201", "578437695752307201"},
    {"unsigned short f", 2, 0, "513", "513"},
    {"unsigned char f", 1, 0, "1", "1"},
    {"pid_t f", 4, 1, "\"0x4030201\"", "67305985"},
    {"gfp_t f", 4, 0, "\"0x4030201\"", "67305985"},
    {"enum zone_type f", 4, 0, "\"0x4030201\"", "67305985"},
    {"bool f", 1, 0, "\"0x1\"", "true"},
    {"void * f", 8, 0, "\"0x807060504030201\"", "\"0x807060504030201\""},
    {"const struct path * f", 8, 0, "\"0x807060504030201\"", "\"0x807060504030201\""},
    {"const char __attribute__((user)) * f", 8, 0, "\"0x807060504030201\"",
     "\"0x807060504030201\""},
    {"struct sockaddr f", 6, 0, "\"01 02 03 04 05 06\"", "\"01 02 03 04 05 06\""},
    {"guid_t f", 16, 0, "\"01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10\"",
     "\"01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10\""},
    {"u8 f[3]", 3, 0, "[1,2,3]", "[1,2,3]"},
    {"u16 f[2]", 4, 0, "[513,1027]", "[513,1027]"},
    {"unsigned long f[2]", 16, 0, "[\"0x807060504030201\",\"0x100F0E0D0C0B0A09\"]",
     "[578437695752307201,1157159078456920585]"},
    {"dev_t f[2]", 8, 0, "[\"0x4030201\",\"0x8070605\"]", "[67305985,134678021]"},
};

static void each_type_has_its_format(void **state)
{
    char format[2048];
    char expected[256];

    (void)state;
    for (size_t n = 0; n < sizeof(types) / sizeof(types[0]); n++) {
        struct bytes record = {0};

        make_format(format, sizeof(format), types[n].declaration, types[n].size,
                    types[n].is_signed);
        put_common(&record);
        for (unsigned byte = 1; byte <= 16; byte++)
            put_number(&record, byte, 1);
        snprintf(expected, sizeof(expected), ",\"f\":%s", types[n].json);
        assert_format(CAIRN_STYLE_JSON, format, &record, expected, CAIRN_EVENT_WHOLE);
        snprintf(expected, sizeof(expected), "\"f\":%s}", types[n].jsonl);
        assert_format(CAIRN_STYLE_JSONL, format, &record, expected, CAIRN_EVENT_WHOLE);
    }
}

static void negative_numbers_are_signed(void **state)
{
    char format[2048];
    struct bytes record = {0};

    (void)state;
    make_format(format, sizeof(format), "int f", 4, 1);
    put_common(&record);
    put_number(&record, (uint32_t)-2, 4);
    assert_format(CAIRN_STYLE_JSON, format, &record, ",\"f\":-2", CAIRN_EVENT_WHOLE);
    assert_format(CAIRN_STYLE_TEXT, format, &record, " f=-2", CAIRN_EVENT_WHOLE);
}

static void text_ends_at_its_nul_or_with_the_field(void **state)
{
    char format[2048];
    struct bytes record = {0};

    (void)state;
    make_format(format, sizeof(format), "char f[4]", 4, 0);
    put_common(&record);
    PUT(&record, "ab\0x");
    assert_format(CAIRN_STYLE_JSON, format, &record, ",\"f\":\"ab\"", CAIRN_EVENT_WHOLE);
    memcpy(record.data + 8, "abcd", 4);
    assert_format(CAIRN_STYLE_JSON, format, &record, ",\"f\":\"abcd\"", CAIRN_EVENT_WHOLE);
    assert_format(CAIRN_STYLE_TEXT, format, &record, " f=abcd", CAIRN_EVENT_WHOLE);
}

static void text_is_utf8(void **state)
{
    char format[2048];
    struct bytes record = {0};

    (void)state;
    make_format(format, sizeof(format), "char f[8]", 8, 0);
    put_common(&record);
    PUT(&record, "\xc3\xa9\xe9\0\0\0\0\0");
    assert_format(CAIRN_STYLE_JSON, format, &record, ",\"f\":\"é\xc3\xa9\"", CAIRN_EVENT_WHOLE);
    assert_format(CAIRN_STYLE_JSONL, format, &record, "\"f\":\"é\xef\xbf\xbd\"}",
                  CAIRN_EVENT_WHOLE);
}

static void dynamic_fields_are_at_their_location(void **state)
{
    char format[2048];
    struct bytes record = {0};

    (void)state;
    make_format(format, sizeof(format), "__data_loc char[] f", 4, 0);
    put_common(&record);
    put_number(&record, 3u << 16 | 12, 4);
    PUT(&record, "ab\0");
    assert_format(CAIRN_STYLE_JSON, format, &record, ",\"f\":\"ab\"", CAIRN_EVENT_WHOLE);
    make_format(format, sizeof(format), "__rel_loc char[] f", 4, 0);
    record.data[8] = 0;
    assert_format(CAIRN_STYLE_JSON, format, &record, ",\"f\":\"ab\"", CAIRN_EVENT_WHOLE);
    make_format(format, sizeof(format), "__data_loc u8[] f", 4, 0);
    record.data[8] = 12;
    assert_format(CAIRN_STYLE_JSON, format, &record, ",\"f\":[97,98,0]", CAIRN_EVENT_WHOLE);
}

/* For user_events the kernel writes `signed:1` for all of them. */
static void elements_of_dynamic_fields_have_the_sign_of_their_type(void **state)
{
    char format[2048];

    (void)state;
    for (unsigned is_signed = 0; is_signed < 2; is_signed++) {
        struct bytes record = {0};

        put_common(&record);
        put_number(&record, 4u << 16 | 12, 4);
        put_number(&record, 0xfffe0001, 4);
        make_format(format, sizeof(format), "__data_loc u16[] f", 4, is_signed);
        assert_format(CAIRN_STYLE_JSON, format, &record, ",\"f\":[1,65534]", CAIRN_EVENT_WHOLE);
        assert_format(CAIRN_STYLE_TEXT, format, &record, " f=[1,65534]", CAIRN_EVENT_WHOLE);
        make_format(format, sizeof(format), "__data_loc s16[] f", 4, is_signed);
        assert_format(CAIRN_STYLE_JSON, format, &record, ",\"f\":[1,-2]", CAIRN_EVENT_WHOLE);
        assert_format(CAIRN_STYLE_TEXT, format, &record, " f=[1,-2]", CAIRN_EVENT_WHOLE);
    }
}

static void a_dynamic_field_may_be_empty(void **state)
{
    char format[2048];
    struct bytes record = {0};

    (void)state;
    make_format(format, sizeof(format), "__data_loc char[] f", 4, 0);
    put_common(&record);
    put_number(&record, 0, 4);
    assert_format(CAIRN_STYLE_JSON, format, &record, ",\"f\":\"\"", CAIRN_EVENT_WHOLE);
    make_format(format, sizeof(format), "__data_loc u32[] f", 4, 0);
    assert_format(CAIRN_STYLE_JSON, format, &record, ",\"f\":[]", CAIRN_EVENT_WHOLE);
}

static void a_dynamic_field_that_points_outside_the_record_is_not_printed(void **state)
{
    char format[2048];
    static const uint32_t where[] = {3u << 16 | 13, 0xffffu << 16 | 12, 0xffff, 0xffffffff};

    (void)state;
    for (size_t n = 0; n < 4; n++) {
        struct bytes record = {0};

        put_common(&record);
        put_number(&record, where[n], 4);
        PUT(&record, "ab\0");
        make_format(format, sizeof(format), "__data_loc char[] f", 4, 0);
        assert_format(CAIRN_STYLE_JSON, format, &record, ",\"meta\":{\"error\"",
                      CAIRN_EVENT_CUT_SHORT);
        make_format(format, sizeof(format), "__rel_loc char[] f", 4, 0);
        assert_format(CAIRN_STYLE_JSON, format, &record, ",\"meta\":{\"error\"",
                      CAIRN_EVENT_CUT_SHORT);
    }
}

#define SWITCH_FORMAT                                               \
    "name: e\nID: 7\n" COMMON_FIELDS                                \
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n" \
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"     \
    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n" PRINT_FMT

static void a_truncated_record_is_printed_up_to_its_end(void **state)
{
    struct bytes record = {0};

    (void)state;
    put_common(&record);
    PUT(&record, "perf\0\0\0\0\0\0\0\0\0\0\0\0");
    put_number(&record, 2384, 4);
    put_number(&record, 120, 4);
    assert_format(CAIRN_STYLE_JSON, SWITCH_FORMAT, &record,
                  ",\"prev_comm\":\"perf\",\"prev_pid\":\"0x950\",\"prev_prio\":120",
                  CAIRN_EVENT_WHOLE);
    record.size = 31;
    assert_format(CAIRN_STYLE_JSON, SWITCH_FORMAT, &record,
                  ",\"prev_comm\":\"perf\",\"prev_pid\":\"0x950\",\"meta\":{"
                  "\"error\":\"the data ends before its fields do\"}}",
                  CAIRN_EVENT_CUT_SHORT);
    assert_format(CAIRN_STYLE_TEXT, SWITCH_FORMAT, &record,
                  " prev_comm=perf prev_pid=2384 <error: the data ends before its fields do>\n",
                  CAIRN_EVENT_CUT_SHORT);
    record.size = 0;
    assert_format(CAIRN_STYLE_JSON, SWITCH_FORMAT, &record, ",\"meta\":{\"error\"",
                  CAIRN_EVENT_CUT_SHORT);
}

static void a_record_of_the_other_byte_order_is_converted(void **state)
{
    struct bytes record = {.big_endian = true};

    (void)state;
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        skip();
    put_common(&record);
    PUT(&record, "perf\0\0\0\0\0\0\0\0\0\0\0\0");
    put_number(&record, 2384, 4);
    put_number(&record, 120, 4);
    assert_format(CAIRN_STYLE_JSON, SWITCH_FORMAT, &record,
                  ",\"prev_comm\":\"perf\",\"prev_pid\":\"0x950\",\"prev_prio\":120",
                  CAIRN_EVENT_WHOLE);
}

static void a_field_of_size_zero_is_the_rest_of_the_record(void **state)
{
    char format[2048];
    struct bytes record = {0};

    (void)state;
    make_format(format, sizeof(format), "char f[]", 0, 0);
    put_common(&record);
    PUT(&record, "all of it");
    assert_format(CAIRN_STYLE_JSON, format, &record, ",\"f\":\"all of it\"", CAIRN_EVENT_WHOLE);
}

/* A name that ends like an EventHeader tracepoint's is not enough: the first field must be
 * EventHeader's, too. */
static void an_eventheader_event_needs_an_eventheader_name_and_field(void **state)
{
    struct bytes record = {0};

    (void)state;
    put_header(&record, CAIRN_EVENTHEADER_EXTENSION);
    assert_format(CAIRN_STYLE_JSON,
                  "name: e\nID: 7\n" COMMON_FIELDS
                  "\tfield:u8 eventheader_flags;\toffset:8;\tsize:1;\tsigned:0;\n" PRINT_FMT,
                  &record, ",\"eventheader_flags\":6", CAIRN_EVENT_WHOLE);
}

static void an_event_without_description_is_printed_as_bytes(void **state)
{
    const struct cairn_decoder_format format = {.system = slice("cpu"), .name = slice("cycles")};
    struct cairn_decoder *decoder;
    struct cairn_printer *printer;
    struct cairn_event event = {0};
    uint32_t tracepoint;
    char *text;

    (void)state;
    assert_int_equal(cairn_decoder_create(&decoder), 0);
    assert_int_equal(cairn_printer_create(CAIRN_STYLE_TEXT, -1, &printer), 0);
    assert_int_equal(cairn_decoder_add(decoder, &format, &tracepoint), 0);
    assert_int_equal(cairn_decoder_event(decoder, tracepoint, "\1\xff", 2, &event), 0);
    assert_int_equal(cairn_printer_event(printer, &event), CAIRN_EVENT_WHOLE);
    assert_int_equal(cairn_decoder_event(decoder, tracepoint, NULL, 0, &event), 0);
    assert_int_equal(cairn_printer_event(printer, &event), CAIRN_EVENT_WHOLE);
    assert_null(event.raw);
    text = take_text(printer);
    assert_string_equal(text, "cycles: raw=01 ff\ncycles:\n");
    free(text);
    cairn_printer_destroy(printer);
    cairn_decoder_destroy(decoder);
}

static void an_event_has_its_tracepoint_and_its_bytes(void **state)
{
    const struct cairn_decoder_format formats[] = {
        {.system = slice("cpu"), .name = slice("cycles")},
        {.system = slice("user_events"), .text = slice(EVENTHEADER_FORMAT), .long_size_bytes = 8},
    };
    const char raw[] = "\7\0";
    struct cairn_decoder *decoder;
    struct cairn_event events[2] = {{0}};
    uint32_t tracepoint;

    (void)state;
    assert_int_equal(cairn_decoder_create(&decoder), 0);
    for (uint32_t n = 0; n < 2; n++) {
        assert_int_equal(cairn_decoder_add(decoder, &formats[n], &tracepoint), 0);
        assert_int_equal(cairn_decoder_event(decoder, tracepoint, raw, 2, &events[n]), 0);
        assert_int_equal(events[n].tracepoint->number, n);
        assert_ptr_equal(events[n].raw, raw);
        assert_int_equal(events[n].raw_bytes, 2);
    }
    assert_true(core_slice_is(events[0].tracepoint->name, "cycles"));
    assert_true(core_slice_is(events[1].tracepoint->name, "P_L5K2a"));
    assert_true(core_slice_is(events[1].tracepoint->system, "user_events"));
    assert_true(core_slice_is(events[1].tracepoint->format, EVENTHEADER_FORMAT));
    cairn_decoder_destroy(decoder);
}

static void an_invalid_format_text_is_refused(void **state)
{
    const struct cairn_decoder_format format = {.text = slice("nothing of the kind"),
                                                .long_size_bytes = 8};
    struct cairn_decoder *decoder;
    uint32_t tracepoint = 77;

    (void)state;
    assert_int_equal(cairn_decoder_create(&decoder), 0);
    assert_int_equal(cairn_decoder_add(decoder, &format, &tracepoint), EBADMSG);
    assert_int_equal(tracepoint, 77);
    cairn_decoder_destroy(decoder);
}

/* ---- events of ftrace ---- */

#define STACK_FORMAT                                                                   \
    "name: kernel_stack\nID: 4\n" COMMON_FIELDS                                        \
    "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"                               \
    "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\nprint fmt: " \
    "\"\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\", (void *)REC->caller[0], (void "    \
    "*)REC->caller[1], "                                                               \
    "(void *)REC->caller[2]\n"

#define RAW_DATA_FORMAT                                         \
    "name: raw_data\nID: 19\n" COMMON_FIELDS                    \
    "\tfield:unsigned int id;\toffset:8;\tsize:4;\tsigned:0;\n" \
    "\tfield:char buf[];\toffset:12;\tsize:0;\tsigned:0;\n\n"   \
    "print fmt: \"id:%04x %08x\", REC->id, (int)REC->buf[0]\n"

static void assert_ftrace(enum cairn_style style, const char *format, const struct bytes *record,
                          const char *expected)
{
    const struct cairn_decoder_format description = {.system = slice("ftrace"),
                                                     .text = slice(format),
                                                     .long_size_bytes = 8,
                                                     .swap = record->big_endian};
    struct cairn_decoder *decoder;
    struct cairn_printer *printer;
    struct cairn_event event = {0};
    uint32_t tracepoint;
    char *text;

    assert_int_equal(cairn_decoder_create(&decoder), 0);
    assert_int_equal(cairn_printer_create(style, -1, &printer), 0);
    assert_int_equal(cairn_decoder_add(decoder, &description, &tracepoint), 0);
    assert_int_equal(print_exact(printer, decoder, tracepoint, record->data, record->size, &event),
                     CAIRN_EVENT_WHOLE);
    text = take_text(printer);
    if (!strstr(text, expected))
        fail_msg("expected %s in %s", expected, text);
    free(text);
    cairn_printer_destroy(printer);
    cairn_decoder_destroy(decoder);
}

static struct bytes make_stack(uint32_t size, unsigned callers, bool big_endian)
{
    struct bytes record = {.big_endian = big_endian};

    put_common(&record);
    put_number(&record, size, 4);
    put_number(&record, 0, 4);
    for (unsigned n = 0; n < callers; n++)
        put_number(&record, n + 1, 8);
    return record;
}

static void a_kernel_stack_has_as_many_callers_as_its_size_says(void **state)
{
    for (unsigned big_endian = 0; big_endian < 2; big_endian++) {
        struct bytes few = make_stack(2, 2, big_endian);
        struct bytes many = make_stack(10, 10, big_endian);

        (void)state;
        assert_ftrace(CAIRN_STYLE_JSONL, STACK_FORMAT, &few, "{\"size\":2,\"caller\":[1,2]}}");
        assert_ftrace(CAIRN_STYLE_TEXT, STACK_FORMAT, &few,
                      "kernel_stack: \\t=> 0x1\\n\\t=> 0x2\n");
        assert_ftrace(CAIRN_STYLE_JSONL, STACK_FORMAT, &many,
                      "\"caller\":[1,2,3,4,5,6,7,8,9,10]}}");
        assert_ftrace(CAIRN_STYLE_TEXT, STACK_FORMAT, &many, "\\n\\t=> 0x9\\n\\t=> 0xa\n");
    }
}

static void a_kernel_stack_ends_with_its_record(void **state)
{
    static const uint32_t sizes[] = {3, INT32_MAX, UINT32_MAX};

    (void)state;
    for (size_t n = 0; n < 3; n++) {
        struct bytes record = make_stack(sizes[n], 2, false);

        assert_ftrace(CAIRN_STYLE_JSONL, STACK_FORMAT, &record, "\"caller\":[1,2]}}");
        assert_ftrace(CAIRN_STYLE_TEXT, STACK_FORMAT, &record,
                      "kernel_stack: \\t=> 0x1\\n\\t=> 0x2\n");
    }
}

static void raw_data_are_bytes_to_the_end_of_the_record(void **state)
{
    struct bytes record = {0};

    (void)state;
    put_common(&record);
    put_number(&record, 2, 4);
    PUT(&record, "\0\1a\xff");
    assert_ftrace(CAIRN_STYLE_JSONL, RAW_DATA_FORMAT, &record,
                  "{\"id\":2,\"buf\":\"00 01 61 ff\"}}");
    assert_ftrace(CAIRN_STYLE_TEXT, RAW_DATA_FORMAT, &record, "raw_data: id=2 buf=00 01 61 ff\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_has_its_format),
        cmocka_unit_test(negative_numbers_are_signed),
        cmocka_unit_test(text_ends_at_its_nul_or_with_the_field),
        cmocka_unit_test(text_is_utf8),
        cmocka_unit_test(dynamic_fields_are_at_their_location),
        cmocka_unit_test(elements_of_dynamic_fields_have_the_sign_of_their_type),
        cmocka_unit_test(a_dynamic_field_may_be_empty),
        cmocka_unit_test(a_dynamic_field_that_points_outside_the_record_is_not_printed),
        cmocka_unit_test(a_truncated_record_is_printed_up_to_its_end),
        cmocka_unit_test(a_record_of_the_other_byte_order_is_converted),
        cmocka_unit_test(a_field_of_size_zero_is_the_rest_of_the_record),
        cmocka_unit_test(an_eventheader_event_needs_an_eventheader_name_and_field),
        cmocka_unit_test(an_event_without_description_is_printed_as_bytes),
        cmocka_unit_test(an_event_has_its_tracepoint_and_its_bytes),
        cmocka_unit_test(an_invalid_format_text_is_refused),
        cmocka_unit_test(a_kernel_stack_has_as_many_callers_as_its_size_says),
        cmocka_unit_test(a_kernel_stack_ends_with_its_record),
        cmocka_unit_test(raw_data_are_bytes_to_the_end_of_the_record),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
