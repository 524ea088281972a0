/* SPDX-License-Identifier: MIT */
/* Test of filters on the fields of events that a format text describes. */
#include "decode_test.h"

#include <cairn/select.h>

static const char format[] =
    "name: e\nID: 7\n" COMMON_FIELDS "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
    "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n"
    "\tfield:s16 pair[2];\toffset:64;\tsize:4;\tsigned:1;\n"
    "\tfield:char text[4];\toffset:68;\tsize:4;\tsigned:0;\n"
    "\tfield:char state;\toffset:72;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char flag;\toffset:73;\tsize:1;\tsigned:0;\n"
    "\tfield:__data_loc u32[] list;\toffset:76;\tsize:4;\tsigned:0;\n"
    "\tfield:struct pair pairs[2];\toffset:80;\tsize:10;\tsigned:0;\n" PRINT_FMT;

static void put_record(struct bytes *b)
{
    put_common(b);
    put_number(b, 17, 8);
    for (uint64_t n = 0; n < 6; n++)
        put_number(b, 100 + n, 8);
    put_number(b, 3, 2);
    put_number(b, (uint64_t)-4, 2);
    PUT(b, "ab\0\0"
           "S\x05\0\0");
    put_number(b, 4u << 16 | 90, 4);
    PUT(b, "0123456789");
    put_number(b, 1, 4);
}

/* Returns if the filter selects an event; *ret_problem: it could not be applied. */
static bool is_selected_of(const char *text, const struct bytes *record, uint32_t long_size_bytes,
                           const char *filter, bool *ret_problem)
{
    struct cairn_selection_options options = CAIRN_SELECTION_OPTIONS_INIT;
    struct cairn_selection *selection;
    struct cairn_decoder *decoder;
    struct cairn_event event = {0};
    bool is_match;

    options.filter = filter;
    assert_int_equal(cairn_selection_create(&options, NULL, &selection), 0);
    assert_int_equal(cairn_decoder_create(&decoder), 0);
    assert_int_equal(cairn_decoder_event(decoder,
                                         add_tracepoint_of(decoder, text, false, long_size_bytes),
                                         record->data, record->size, &event),
                     0);
    assert_int_equal(cairn_selection_match(selection, &event, &is_match), 0);
    *ret_problem = cairn_selection_problem(selection) != NULL;
    cairn_selection_destroy(selection);
    cairn_decoder_destroy(decoder);
    return is_match;
}

static bool is_selected(const char *filter, bool *ret_problem)
{
    struct bytes record = {0};

    put_record(&record);
    return is_selected_of(format, &record, 8, filter, ret_problem);
}

static void assert_match(const char *filter, bool expected)
{
    bool has_problem;

    if (is_selected(filter, &has_problem) != expected || has_problem)
        fail_msg("%s: %s", filter, has_problem ? "not applied" : "wrong");
}

static void assert_problem(const char *filter)
{
    bool has_problem;

    if (is_selected(filter, &has_problem) || !has_problem)
        fail_msg("%s is applied", filter);
}

static void elements_of_arrays_are_compared(void **state)
{
    (void)state;
    assert_match("args[0] == 100", true);
    assert_match("args[0] == 101", false);
    assert_match("args[5]==105 && id == 17", true);
    assert_match("args[1] & 1 && !(args[2] & 1)", true);
    assert_match("args[05] == 105 || args[0] > 1000", true);
    assert_match("pair[0] == 3 && pair[1] == -4", true);
    assert_match("pair[1] < -4", false);
    assert_match("text[0] == 97 && text[2] == 0", true);
    assert_match("text == \"ab\"", true);
}

static void elements_have_the_size_of_the_recording(void **state)
{
    static const char of_32_bits[] =
        "name: e\nID: 7\n" COMMON_FIELDS
        "\tfield:unsigned long args[6];\toffset:8;\tsize:24;\tsigned:0;\n" PRINT_FMT;
    struct bytes record = {0};
    bool has_problem;

    (void)state;
    put_common(&record);
    for (uint64_t n = 0; n < 6; n++)
        put_number(&record, 100 + n, 4);
    assert_true(
        is_selected_of(of_32_bits, &record, 4, "args[0] == 100 && args[5] == 105", &has_problem));
    assert_false(has_problem);
}

static void elements_that_do_not_exist_are_reported(void **state)
{
    (void)state;
    assert_problem("args[6] == 1");
    assert_problem("args[99999999999999999999] == 1");
    assert_problem("args[0][0] == 1");
    assert_problem("args[0].x == 1");
    assert_problem("id[0] == 17");
    assert_problem("list[0] == 1");
    assert_problem("pairs[0] == 1");
    assert_problem("nothing[0] == 1");
}

static void a_char_is_a_number_or_a_text(void **state)
{
    (void)state;
    assert_match("state == 83", true);
    assert_match("state == 'S'", true);
    assert_match("state == \"T\"", false);
    assert_match("state != \"T\" && text ~ \"a*\" && args[3] == 103", true);
    assert_match("state ~ \"[RS]\"", true);
    assert_match("flag == 5", true);
    assert_problem("flag == \"5\"");
    assert_problem("state == 83 && flag == \"5\"");
}

static void the_ids_of_process_and_thread_are_no_fields(void **state)
{
    (void)state;
    assert_problem("pid == 1234");
    assert_problem("tid == 1234");
    assert_match("common_pid == 1234", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_arrays_are_compared),
        cmocka_unit_test(elements_have_the_size_of_the_recording),
        cmocka_unit_test(elements_that_do_not_exist_are_reported),
        cmocka_unit_test(a_char_is_a_number_or_a_text),
        cmocka_unit_test(the_ids_of_process_and_thread_are_no_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
