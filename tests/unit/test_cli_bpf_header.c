/* SPDX-License-Identifier: MIT */
/* Test of the C header that `cairn register --bpf` writes: each event's struct, id, and offsets. */
#include "cli/bpf_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void assert_header(const char *command, const char *expected)
{
    char *text = NULL;
    size_t size;
    FILE *header = open_memstream(&text, &size);

    assert_non_null(header);
    assert_int_equal(cli_bpf_header_add(header, command, 1471), 0);
    assert_int_equal(fclose(header), 0);
    assert_string_equal(text, expected);
    free(text);
}

static void fields_have_c_types_at_the_offsets_of_the_kernel(void **state)
{
    (void)state;
    assert_header(
        "all u8 a; s8 b; u16 c; s16 d; u32 e; s32 f; u64 g; s64 h; int i; unsigned int j; "
        "short k; unsigned short l; unsigned char m; char n; char[6] o; "
        "unsigned char[3] p; struct point q 8",
        "\nenum { all_id = 1471 };\n"
        "struct all_event {\n"
        "    unsigned char common[8];\n"
        "    unsigned char a;\n"
        "    signed char b;\n"
        "    unsigned short c;\n"
        "    short d;\n"
        "    unsigned int e;\n"
        "    int f;\n"
        "    unsigned long long g;\n"
        "    long long h;\n"
        "    int i;\n"
        "    unsigned int j;\n"
        "    short k;\n"
        "    unsigned short l;\n"
        "    unsigned char m;\n"
        "    char n;\n"
        "    char o[6];\n"
        "    unsigned char p[3];\n"
        "    unsigned char q[8];\n"
        "} __attribute__((packed));\n");
}

static void dynamic_fields_have_a_base_for_their_offset(void **state)
{
    (void)state;
    assert_header("sent u16 a; __data_loc char[] b; __rel_loc u32[] c",
                  "\nenum { sent_id = 1471, sent_b_base = 0, sent_c_base = 18 };\n"
                  "struct sent_event {\n"
                  "    unsigned char common[8];\n"
                  "    unsigned short a;\n"
                  "    unsigned int b; /* __data_loc char[] */\n"
                  "    unsigned int c; /* __rel_loc u32[] */\n"
                  "} __attribute__((packed));\n");
}

static void an_event_may_have_no_fields(void **state)
{
    (void)state;
    assert_header("bare:flag", "\nenum { bare_id = 1471 };\n"
                               "struct bare_event {\n"
                               "    unsigned char common[8];\n"
                               "} __attribute__((packed));\n");
}

static void names_that_are_not_c_identifiers_are_replaced(void **state)
{
    (void)state;
    assert_header("a-b.c u8 int; u8 while; u8 2nd; u8 in-out; u8 integer",
                  "\nenum { a_b_c_id = 1471 };\n"
                  "struct a_b_c_event {\n"
                  "    unsigned char common[8];\n"
                  "    unsigned char int_;\n"
                  "    unsigned char while_;\n"
                  "    unsigned char _2nd;\n"
                  "    unsigned char in_out;\n"
                  "    unsigned char integer;\n"
                  "} __attribute__((packed));\n");
}

static void an_invalid_command_is_refused(void **state)
{
    FILE *header = fopen("/dev/null", "we");

    (void)state;
    assert_non_null(header);
    assert_int_equal(cli_bpf_header_add(header, "one u33 a", 1), EINVAL);
    assert_int_equal(fclose(header), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_have_c_types_at_the_offsets_of_the_kernel),
        cmocka_unit_test(dynamic_fields_have_a_base_for_their_offset),
        cmocka_unit_test(an_event_may_have_no_fields),
        cmocka_unit_test(names_that_are_not_c_identifiers_are_replaced),
        cmocka_unit_test(an_invalid_command_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
