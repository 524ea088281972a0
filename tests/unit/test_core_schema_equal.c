/* SPDX-License-Identifier: MIT */
/* Test of comparing schemas: which commands describe the same event. Most cases are also in the
 * kernel's selftests (dyn_test.c). */
#include "schema_test.h"

static bool same(const char *a, const char *b)
{
    struct parsed first;
    struct parsed second;

    parse_command(a, &first);
    parse_command(b, &second);
    assert_true(cairn_schema_equal(&first.schema, &first.schema));
    assert_int_equal(cairn_schema_equal(&first.schema, &second.schema),
                     cairn_schema_equal(&second.schema, &first.schema));
    return cairn_schema_equal(&first.schema, &second.schema);
}

static void spaces_between_fields_do_not_count(void **state)
{
    (void)state;
    assert_true(same("e u32 a", "e u32 a"));
    assert_true(same("e", "e ;"));
    assert_true(same("e u32 a; u32 b", "e u32 a;u32 b;"));
    assert_true(same("e u32 a; u32 b", "e  u32 a;;\t u32 b; "));
    assert_true(same("e struct s a 20", "e struct s a 020"));
    assert_true(same("e char[20] a", "e char[0x14] a"));
}

static void flags_do_not_count(void **state)
{
    (void)state;
    assert_true(same("e:FLAG u32 a", "e u32 a"));
}

static void another_name_type_size_or_order_is_another_event(void **state)
{
    (void)state;
    assert_false(same("e u32 a", "f u32 a"));
    assert_false(same("e u32 a", "e"));
    assert_false(same("e u32 a", "e u32 a;u32 b"));
    assert_false(same("e u32 a", "e u32 b"));
    assert_false(same("e u32 a", "e u32 ab"));
    assert_false(same("e u32 a; u32 b", "e u32 b; u32 a"));
    assert_false(same("e u64 a; u64 b", "e u32 a; u32 b"));
    assert_false(same("e u32 a", "e s32 a"));
    assert_false(same("e int a", "e s32 a"));
    assert_false(same("e char a", "e char[1] a"));
    assert_false(same("e char[4] a", "e char[5] a"));
    assert_false(same("e char[4] a", "e unsigned char[4] a"));
    assert_false(same("e struct s a 20", "e struct t a 20"));
    assert_false(same("e struct s a 20", "e struct s b 20"));
    assert_false(same("e struct s a 20", "e struct s a 21"));
    assert_false(same("e __data_loc char[] a", "e __rel_loc char[] a"));
    assert_false(same("e __data_loc char[] a", "e __data_loc char a"));
}

static void a_type_with_another_signedness_is_another_event(void **state)
{
    struct parsed before;
    struct parsed after;

    (void)state;
    parse_format("name: e\nID: 5\nformat:\n\tfield:id_t a;\toffset:8;\tsize:4;\tsigned:0;\n",
                 &before);
    parse_format("name: e\nID: 5\nformat:\n\tfield:id_t a;\toffset:8;\tsize:4;\tsigned:1;\n",
                 &after);
    assert_false(cairn_schema_equal(&before.schema, &after.schema));
}

static void common_fields_and_ids_do_not_count(void **state)
{
    struct parsed command;
    struct parsed format;

    (void)state;
    parse_command("e u32 a", &command);
    parse_format("name: e\nID: 5\nformat:\n"
                 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
                 "\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n",
                 &format);
    assert_true(cairn_schema_equal(&command.schema, &format.schema));
    parse_format("name: e\nID: 5\nformat:\n"
                 "\tfield:u32 a;\toffset:12;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n",
                 &format);
    assert_false(cairn_schema_equal(&command.schema, &format.schema));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spaces_between_fields_do_not_count),
        cmocka_unit_test(flags_do_not_count),
        cmocka_unit_test(another_name_type_size_or_order_is_another_event),
        cmocka_unit_test(a_type_with_another_signedness_is_another_event),
        cmocka_unit_test(common_fields_and_ids_do_not_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
