/* SPDX-License-Identifier: MIT */
/* Test of parsing user_events' command text: what the kernel (6.12) accepts and refuses, and where
 * cairn differs, with the reason. */
#include "schema_test.h"

static int try_command(const char *command, uint32_t *ret_position)
{
    struct parsed parsed;
    char *copy = strdup(command);
    int err;

    assert_non_null(copy);
    err = cairn_schema_parse_command(copy, parsed.fields, CAIRN_FIELDS_MAX, &parsed.schema,
                                     ret_position);
    free(copy);
    return err;
}

static void assert_taken(const char *command)
{
    if (try_command(command, NULL))
        fail_msg("refused: %s", command);
}

static void assert_refused(const char *command, uint32_t position)
{
    uint32_t at = UINT32_MAX;

    if (try_command(command, &at) != EINVAL)
        fail_msg("not refused: %s", command);
    if (at != position)
        fail_msg("wrong at %u, not at %u: %s", at, position, command);
}

static void one_field(const char *command, struct cairn_field *ret_field)
{
    struct parsed parsed;

    parse_command(command, &parsed);
    assert_int_equal(parsed.schema.field_count, 1);
    *ret_field = parsed.fields[0];
}

static void an_event_may_have_no_fields(void **state)
{
    static const char *const commands[] = {"test", "test ", "test ;", "test  ;\t; \n"};

    (void)state;
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        struct parsed parsed;

        parse_command(commands[i], &parsed);
        assert_slice(parsed.schema.name, "test");
        assert_slice(parsed.schema.flags, "");
        assert_slice(parsed.schema.system, "");
        assert_slice(parsed.schema.print_fmt, "");
        assert_int_equal(parsed.schema.field_count, 0);
        assert_int_equal(parsed.schema.common_count, 0);
        assert_int_equal(parsed.schema.fixed_size_bytes, CAIRN_COMMON_BYTES);
    }
}

static void fields_follow_one_another_without_padding(void **state)
{
    struct parsed parsed;

    (void)state;
    parse_command("test u8 a; u64 b;char[5] c; struct s d 7;__rel_loc char[] e;", &parsed);
    assert_int_equal(parsed.schema.field_count, 5);
    assert_int_equal(parsed.fields[0].offset, 8);
    assert_int_equal(parsed.fields[1].offset, 9);
    assert_int_equal(parsed.fields[2].offset, 17);
    assert_int_equal(parsed.fields[3].offset, 22);
    assert_int_equal(parsed.fields[4].offset, 29);
    assert_int_equal(parsed.schema.fixed_size_bytes, 33);
    assert_slice(parsed.fields[4].name, "e");
}

static void every_basic_type_has_its_size_and_kind(void **state)
{
    static const struct {
        const char *type;
        uint32_t size_bytes;
        enum cairn_field_kind kind;
        bool is_signed;
    } types[] = {
        {"u64", 8, CAIRN_FIELD_UNSIGNED, false}, {"s64", 8, CAIRN_FIELD_SIGNED, true},
        {"u32", 4, CAIRN_FIELD_UNSIGNED, false}, {"s32", 4, CAIRN_FIELD_SIGNED, true},
        {"int", 4, CAIRN_FIELD_SIGNED, true},    {"unsigned int", 4, CAIRN_FIELD_UNSIGNED, false},
        {"u16", 2, CAIRN_FIELD_UNSIGNED, false}, {"s16", 2, CAIRN_FIELD_SIGNED, true},
        {"short", 2, CAIRN_FIELD_SIGNED, true},  {"unsigned short", 2, CAIRN_FIELD_UNSIGNED, false},
        {"u8", 1, CAIRN_FIELD_UNSIGNED, false},  {"s8", 1, CAIRN_FIELD_SIGNED, true},
        {"char", 1, CAIRN_FIELD_STRING, true},   {"unsigned char", 1, CAIRN_FIELD_UNSIGNED, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        struct cairn_field field;
        char command[64];

        (void)snprintf(command, sizeof(command), "test %s a", types[i].type);
        one_field(command, &field);
        assert_int_equal(field.type.length, strlen(types[i].type));
        assert_int_equal(field.size_bytes, types[i].size_bytes);
        assert_int_equal(field.element_size_bytes, types[i].size_bytes);
        assert_int_equal(field.element_count, 0);
        assert_int_equal(field.kind, types[i].kind);
        assert_int_equal(field.location, CAIRN_FIELD_INLINE);
        assert_int_equal(field.is_signed, types[i].is_signed);
        assert_false(field.is_array);
    }
}

static void types_unknown_to_the_kernel_are_refused(void **state)
{
    static const char *const types[] = {
        "long",         "unsigned long", "long long",   "unsigned",
        "signed char",  "uint32_t",      "__u32",       "size_t",
        "bool",         "float",         "double",      "const char",
        "char*",        "void *",        "u32[4]",      "int[4]",
        "u8[16]",       "s128",          "U32",         "charx",
        "signed",       "unsigned u32",  "unsigned s8", "unsigned __data_loc",
        "__data_loc_x", "structs",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        char command[64];

        (void)snprintf(command, sizeof(command), "test %s a", types[i]);
        if (try_command(command, NULL) != EINVAL)
            fail_msg("not refused: %s", command);
    }
}

static void a_char_array_is_text_and_an_unsigned_char_array_is_numbers(void **state)
{
    struct cairn_field field;

    (void)state;
    one_field("test char[20] a", &field);
    assert_slice(field.type, "char");
    assert_int_equal(field.kind, CAIRN_FIELD_STRING);
    assert_int_equal(field.size_bytes, 20);
    assert_int_equal(field.element_size_bytes, 1);
    assert_int_equal(field.element_count, 20);
    assert_true(field.is_array);
    assert_true(field.is_signed);

    one_field("test unsigned char[0x14] a", &field);
    assert_slice(field.type, "unsigned char");
    assert_int_equal(field.kind, CAIRN_FIELD_UNSIGNED);
    assert_int_equal(field.element_count, 20);
    assert_true(field.is_array);
    assert_false(field.is_signed);
}

static void array_sizes_are_read_as_the_kernel_reads_numbers(void **state)
{
    struct cairn_field field;

    (void)state;
    one_field("test char[024] a", &field);
    assert_int_equal(field.size_bytes, 20);
    one_field("test char[+7] a", &field);
    assert_int_equal(field.size_bytes, 7);
    one_field("test char[0X1f] a", &field);
    assert_int_equal(field.size_bytes, 31);
    one_field("test char[1024] a", &field);
    assert_int_equal(field.size_bytes, 1024);
    one_field("test char[5]x a", &field);
    assert_int_equal(field.size_bytes, 5);
    one_field("test char[5][6] a", &field);
    assert_int_equal(field.size_bytes, 5);
    assert_slice(field.type, "char");
    one_field("test char[000020] a", &field);
    assert_int_equal(field.size_bytes, 16);

    assert_refused("test char[] a", 5);
    assert_refused("test char[0] a", 5);
    assert_refused("test char[ a", 5);
    assert_refused("test char[20 a", 5);
    assert_refused("test char[1025] a", 5);
    assert_refused("test char[aa] a", 5);
    assert_refused("test char[08] a", 5);
    assert_refused("test char[0x] a", 5);
    assert_refused("test char[-1] a", 5);
    assert_refused("test char[1 ] a", 14); /* three words */
    assert_refused("test char[9999] a", 5);
    assert_refused("test char[0000020] a", 5); /* more than seven characters from the bracket on */
    assert_refused("test char[20]xyzuv a", 5);
}

static void dynamic_fields_are_a_u32_at_their_offset(void **state)
{
    static const struct {
        const char *command;
        const char *type;
        enum cairn_field_location location;
        enum cairn_field_kind kind;
        uint16_t element_size_bytes;
    } cases[] = {
        {"t __data_loc char[] a", "__data_loc char[]", CAIRN_FIELD_DATA_LOC, CAIRN_FIELD_STRING, 1},
        {"t __rel_loc char[] a", "__rel_loc char[]", CAIRN_FIELD_REL_LOC, CAIRN_FIELD_STRING, 1},
        {"t __rel_loc char a", "__rel_loc char", CAIRN_FIELD_REL_LOC, CAIRN_FIELD_STRING, 1},
        {"t __data_loc unsigned char[] a", "__data_loc unsigned char[]", CAIRN_FIELD_DATA_LOC,
         CAIRN_FIELD_UNSIGNED, 1},
        {"t __rel_loc unsigned int[] a", "__rel_loc unsigned int[]", CAIRN_FIELD_REL_LOC,
         CAIRN_FIELD_UNSIGNED, 4},
        {"t __rel_loc u8[] a", "__rel_loc u8[]", CAIRN_FIELD_REL_LOC, CAIRN_FIELD_UNSIGNED, 1},
        {"t __data_loc s64[] a", "__data_loc s64[]", CAIRN_FIELD_DATA_LOC, CAIRN_FIELD_SIGNED, 8},
        {"t __data_loc long[] a", "__data_loc long[]", CAIRN_FIELD_DATA_LOC, CAIRN_FIELD_SIGNED,
         sizeof(long)},
        {"t __data_loc whatever a", "__data_loc whatever", CAIRN_FIELD_DATA_LOC, CAIRN_FIELD_BYTES,
         0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cairn_field field;

        one_field(cases[i].command, &field);
        assert_slice(field.type, cases[i].type);
        assert_int_equal(field.size_bytes, 4);
        assert_int_equal(field.location, cases[i].location);
        assert_int_equal(field.kind, cases[i].kind);
        assert_int_equal(field.element_size_bytes, cases[i].element_size_bytes);
        assert_int_equal(field.element_count, 0);
        assert_true(field.is_array);
        assert_true(field.is_signed);
    }
}

static void only_a_struct_has_a_size(void **state)
{
    struct cairn_field field;

    (void)state;
    one_field("test struct mytype myname 20", &field);
    assert_slice(field.type, "struct mytype");
    assert_slice(field.name, "myname");
    assert_int_equal(field.kind, CAIRN_FIELD_STRUCT);
    assert_int_equal(field.size_bytes, 20);
    assert_int_equal(field.element_size_bytes, 0);
    assert_true(field.is_signed);
    assert_false(field.is_array);
    one_field("test struct list[3] a +12", &field);
    assert_slice(field.type, "struct list");
    assert_int_equal(field.size_bytes, 12);
    assert_true(field.is_array);

    assert_refused("test struct mytype a", 20);
    assert_refused("test struct mytype a ", 21);
    assert_refused("test struct mytype a x", 21);
    assert_refused("test struct mytype a 0", 21);
    assert_refused("test struct mytype a 0x10", 21);
    assert_refused("test struct mytype a -4", 21);
    assert_refused("test struct mytype a 4 4", 21);
    assert_refused("test struct mytype a 4294967296", 21);
    assert_refused("test struct mytype", 18);
    assert_refused("test struct", 11);
    assert_refused("test char a 20", 12);
}

static void the_fixed_part_stays_below_two_gibibytes(void **state)
{
    (void)state;
    assert_taken("test struct s a 2147483639");
    assert_refused("test struct s a 2147483640", 16);
    assert_refused("test struct s a 2147483639;u8 b", 27);
}

static void single_spaces_separate_the_words_of_a_field(void **state)
{
    (void)state;
    assert_taken("test  u32 a");
    assert_taken("test u32 a;u32 b");
    assert_taken("test u32 a;\n\t \v\f\ru32 b;\n");
    assert_taken("test u32 a;\xa0u32 b"); /* a space for the kernel's isspace() */
    assert_refused("test u32  a", 10);
    assert_refused("test u32 a ", 11);
    assert_refused("test u32 a ;u32 b", 11);
    assert_refused("test u32\ta", 10);
    assert_refused("test u32", 8);
    assert_refused("test u32;", 8);
    assert_refused("test u32 a b", 11);
    assert_refused("test unsigned  int a", 19);
    assert_refused("test u32 a;u32;u32 c", 14);
}

static void odd_names_that_the_kernel_accepts_are_accepted(void **state)
{
    struct parsed parsed;

    (void)state;
    parse_command("My/Event.1-x%s char a[20];u8 b,c;u8 \xc3\xa0;u8 x;u8 x;u8 *p", &parsed);
    assert_slice(parsed.schema.name, "My/Event.1-x%s");
    assert_slice(parsed.fields[0].name, "a[20]");
    assert_int_equal(parsed.fields[0].size_bytes, 1);
    assert_slice(parsed.fields[1].name, "b,c");
    assert_slice(parsed.fields[2].name, "\xc3\xa0");
    assert_slice(parsed.fields[5].name, "*p");
}

static void names_that_a_format_text_cannot_express_are_refused(void **state)
{
    (void)state;
    assert_refused("", 0);
    assert_refused(" u32 a", 0);
    assert_refused(":FLAG u32 a", 0);
    assert_refused("test\n", 4);
    assert_refused("te\tst u32 a", 2);
    assert_refused("test\x7f u32 a", 4);
    assert_refused("test u32 a\n", 10);
    assert_refused("test u32 a\tb", 10);
    assert_refused("test u32 ", 9);
    assert_refused("test u32 ;u32 b", 9);
    assert_refused("test __data_loc a\nb c", 17);
    assert_refused("test __data_loc  a", 17);
    assert_refused("test struct  a 4", 13);
    assert_refused("test struct t  4", 14);
}

static void flags_are_returned_and_must_not_be_empty(void **state)
{
    struct parsed parsed;

    (void)state;
    parse_command("test:BPF_ITER,OTHER u32 a:b", &parsed);
    assert_slice(parsed.schema.name, "test");
    assert_slice(parsed.schema.flags, "BPF_ITER,OTHER");
    assert_slice(parsed.fields[0].name, "a:b");
    assert_taken("test:A");
    assert_refused("test: u32 a", 5);
    assert_refused("test:", 5);
    assert_refused("test:A, u32 a", 7);
    assert_refused("test:,A u32 a", 5);
    assert_refused("test:A\nB u32 a", 6);
}

static void a_command_has_at_most_511_bytes(void **state)
{
    char tag[600];
    char command[600];
    uint32_t position;

    (void)state;
    memset(tag, 's', sizeof(tag));
    (void)snprintf(command, sizeof(command), "test struct %.495s a 4", tag);
    assert_int_equal(strlen(command), 511);
    assert_taken(command);
    (void)snprintf(command, sizeof(command), "test struct %.496s a 4", tag);
    assert_refused(command, 511);

    /* A text without a NUL is not read beyond the limit. */
    memset(command, 'x', sizeof(command));
    assert_int_equal(cairn_schema_parse_command(command, NULL, 0, NULL, &position), EINVAL);
    assert_int_equal(position, 511);
}

static void an_event_name_has_at_most_255_bytes(void **state)
{
    char command[300];
    uint32_t position;

    (void)state;
    memset(command, 'n', sizeof(command));
    memcpy(command + 255, " u8 a", sizeof(" u8 a"));
    assert_taken(command);
    memcpy(command + 255, "n u8 a", sizeof("n u8 a"));
    assert_int_equal(try_command(command, &position), E2BIG);
    assert_int_equal(position, 255);
}

static void more_fields_than_the_memory_holds_are_an_error(void **state)
{
    struct cairn_field fields[2];
    struct cairn_schema schema = {.id = 77};
    uint32_t position = 99;

    (void)state;
    assert_int_equal(cairn_schema_parse_command("t u8 a;u8 b;u8 c", fields, 2, &schema, &position),
                     ENOSPC);
    assert_int_equal(position, 12);
    assert_int_equal(schema.id, 77);
    assert_int_equal(cairn_schema_parse_command("t u8 a", NULL, 0, &schema, NULL), ENOSPC);
    assert_int_equal(cairn_schema_parse_command("t u8 a;u8 b;", fields, 2, &schema, &position), 0);
    assert_int_equal(position, 12);
    assert_int_equal(schema.field_count, 2);
    assert_ptr_equal(schema.fields, fields);
}

static void every_command_fits_in_the_largest_number_of_fields(void **state)
{
    struct parsed parsed;
    char command[CAIRN_COMMAND_MAX_BYTES];

    (void)state;
    repeat_field("u8 a;", command);
    parse_command(command, &parsed);
    assert_int_equal(parsed.schema.field_count, 101);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_may_have_no_fields),
        cmocka_unit_test(fields_follow_one_another_without_padding),
        cmocka_unit_test(every_basic_type_has_its_size_and_kind),
        cmocka_unit_test(types_unknown_to_the_kernel_are_refused),
        cmocka_unit_test(a_char_array_is_text_and_an_unsigned_char_array_is_numbers),
        cmocka_unit_test(array_sizes_are_read_as_the_kernel_reads_numbers),
        cmocka_unit_test(dynamic_fields_are_a_u32_at_their_offset),
        cmocka_unit_test(only_a_struct_has_a_size),
        cmocka_unit_test(the_fixed_part_stays_below_two_gibibytes),
        cmocka_unit_test(single_spaces_separate_the_words_of_a_field),
        cmocka_unit_test(odd_names_that_the_kernel_accepts_are_accepted),
        cmocka_unit_test(names_that_a_format_text_cannot_express_are_refused),
        cmocka_unit_test(flags_are_returned_and_must_not_be_empty),
        cmocka_unit_test(a_command_has_at_most_511_bytes),
        cmocka_unit_test(an_event_name_has_at_most_255_bytes),
        cmocka_unit_test(more_fields_than_the_memory_holds_are_an_error),
        cmocka_unit_test(every_command_fits_in_the_largest_number_of_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
