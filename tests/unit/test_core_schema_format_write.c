/* SPDX-License-Identifier: MIT */
/* Test of writing format texts: they are byte for byte those that the kernel writes for a
 * user_event. */
#include "schema_test.h"

#define HEAD(name, id)                                                             \
    "name: " name "\nID: " #id "\nformat:\n"                                       \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static void assert_format(const char *command, uint32_t id, const char *expected)
{
    char text[CAIRN_FORMAT_MAX_BYTES];
    struct parsed parsed;
    size_t length = 0;

    parse_command(command, &parsed);
    assert_int_equal(cairn_schema_write_format(&parsed.schema, id, text, sizeof(text), &length), 0);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void an_event_without_fields(void **state)
{
    (void)state;
    assert_format("test", 0, HEAD("test", 0) "\nprint fmt: \"\"\n");
}

static void an_eventheader_tracepoint(void **state)
{
    (void)state;
    assert_format(
        "MyProvider_L5K1 u8 eventheader_flags; u8 version; u16 id; u16 tag; u8 opcode; u8 level",
        2749,
        HEAD("MyProvider_L5K1",
             2749) "\tfield:u8 eventheader_flags;\toffset:8;\tsize:1;\tsigned:0;\n"
                   "\tfield:u8 version;\toffset:9;\tsize:1;\tsigned:0;\n"
                   "\tfield:u16 id;\toffset:10;\tsize:2;\tsigned:0;\n"
                   "\tfield:u16 tag;\toffset:12;\tsize:2;\tsigned:0;\n"
                   "\tfield:u8 opcode;\toffset:14;\tsize:1;\tsigned:0;\n"
                   "\tfield:u8 level;\toffset:15;\tsize:1;\tsigned:0;\n"
                   "\nprint fmt: \"eventheader_flags=%u version=%u id=%u tag=%u opcode=%u "
                   "level=%u\", "
                   "REC->eventheader_flags, REC->version, REC->id, REC->tag, REC->opcode, "
                   "REC->level\n");
}

static void every_basic_type(void **state)
{
    (void)state;
    assert_format(
        "all s64 a;u64 b;s32 c;u32 d;int e;unsigned int f;s16 g;u16 h;short i;"
        "unsigned short j;s8 k;u8 l;char m;unsigned char n",
        4294967295,
        HEAD("all", 4294967295) "\tfield:s64 a;\toffset:8;\tsize:8;\tsigned:1;\n"
                                "\tfield:u64 b;\toffset:16;\tsize:8;\tsigned:0;\n"
                                "\tfield:s32 c;\toffset:24;\tsize:4;\tsigned:1;\n"
                                "\tfield:u32 d;\toffset:28;\tsize:4;\tsigned:0;\n"
                                "\tfield:int e;\toffset:32;\tsize:4;\tsigned:1;\n"
                                "\tfield:unsigned int f;\toffset:36;\tsize:4;\tsigned:0;\n"
                                "\tfield:s16 g;\toffset:40;\tsize:2;\tsigned:1;\n"
                                "\tfield:u16 h;\toffset:42;\tsize:2;\tsigned:0;\n"
                                "\tfield:short i;\toffset:44;\tsize:2;\tsigned:1;\n"
                                "\tfield:unsigned short j;\toffset:46;\tsize:2;\tsigned:0;\n"
                                "\tfield:s8 k;\toffset:48;\tsize:1;\tsigned:1;\n"
                                "\tfield:u8 l;\toffset:49;\tsize:1;\tsigned:0;\n"
                                "\tfield:char m;\toffset:50;\tsize:1;\tsigned:1;\n"
                                "\tfield:unsigned char n;\toffset:51;\tsize:1;\tsigned:0;\n"
                                "\nprint fmt: \"a=%lld b=%llu c=%d d=%u e=%d f=%u g=%d h=%u i=%d "
                                "j=%u k=%d l=%u "
                                "m=%d n=%u\", REC->a, REC->b, REC->c, REC->d, REC->e, REC->f, "
                                "REC->g, REC->h, "
                                "REC->i, REC->j, REC->k, REC->l, REC->m, REC->n\n");
}

static void arrays_and_structs(void **state)
{
    (void)state;
    assert_format(
        "test char[20] a;unsigned char[0x4] b;struct my_struct c 8;struct list[2] d 4", 7,
        HEAD("test",
             7) "\tfield:char a[];\toffset:8;\tsize:20;\tsigned:1;\n"
                "\tfield:unsigned char b[];\toffset:28;\tsize:4;\tsigned:0;\n"
                "\tfield:struct my_struct c;\toffset:32;\tsize:8;\tsigned:1;\n"
                "\tfield:struct list d[];\toffset:40;\tsize:4;\tsigned:1;\n"
                "\nprint fmt: \"a=%s b=%s c=%llu d=%llu\", REC->a, REC->b, REC->c, REC->d\n");
}

static void dynamic_fields(void **state)
{
    (void)state;
    assert_format(
        "test __data_loc char[] a;__rel_loc char[] b;__data_loc unsigned char[] c;"
        "__rel_loc u8[] d;__data_loc char e;__rel_loc char f;__data_loc u32[] g",
        7,
        HEAD("test",
             7) "\tfield:__data_loc char[] a;\toffset:8;\tsize:4;\tsigned:1;\n"
                "\tfield:__rel_loc char b[];\toffset:12;\tsize:4;\tsigned:1;\n"
                "\tfield:__data_loc unsigned char[] c;\toffset:16;\tsize:4;\tsigned:1;\n"
                "\tfield:__rel_loc u8 d[];\toffset:20;\tsize:4;\tsigned:1;\n"
                "\tfield:__data_loc char e;\toffset:24;\tsize:4;\tsigned:1;\n"
                "\tfield:__rel_loc char f;\toffset:28;\tsize:4;\tsigned:1;\n"
                "\tfield:__data_loc u32[] g;\toffset:32;\tsize:4;\tsigned:1;\n"
                "\nprint fmt: \"a=%s b=%s c=%s d=%llu e=%llu f=%llu g=%llu\", __get_str(a), "
                "__get_rel_str(b), __get_str(c), REC->d, __get_str(e), __get_rel_str(f), "
                "REC->g\n");
}

static void a_text_that_does_not_fit_is_an_error_at_every_size(void **state)
{
    struct parsed parsed;
    char text[1024];
    size_t length;
    size_t untouched = 77;

    (void)state;
    parse_command("test u32 a; __data_loc char[] b", &parsed);
    assert_int_equal(cairn_schema_write_format(&parsed.schema, 1, text, sizeof(text), &length), 0);
    for (size_t size = 0; size <= length; size++) {
        char *exact = malloc(size ? size : 1);

        assert_non_null(exact);
        assert_int_equal(cairn_schema_write_format(&parsed.schema, 1, exact, size, &untouched),
                         ENOSPC);
        assert_int_equal(untouched, 77);
        free(exact);
    }
    assert_int_equal(cairn_schema_write_format(&parsed.schema, 1, text, length + 1, NULL), 0);
    assert_int_equal(strlen(text), length);
}

/* Short fields produce the most text for each byte of the command. */
static void the_text_of_every_command_fits_the_promised_size(void **state)
{
    static const char *const fields[] = {"u8 a;", "__rel_loc char a;", "struct s a 9999999;"};

    (void)state;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        char command[CAIRN_COMMAND_MAX_BYTES];
        char text[CAIRN_FORMAT_MAX_BYTES];
        struct parsed parsed;

        repeat_field(fields[i], command);
        parse_command(command, &parsed);
        assert_int_equal(
            cairn_schema_write_format(&parsed.schema, UINT32_MAX, text, sizeof(text), NULL), 0);
    }
}

static void a_written_text_parses_to_the_same_fields(void **state)
{
    struct parsed written;
    struct parsed read;
    char text[CAIRN_FORMAT_MAX_BYTES];

    (void)state;
    parse_command("test u8 a; char[20] b; struct s c 5; __data_loc u16[] d; unsigned int e; char f;"
                  "unsigned char[3] g",
                  &written);
    assert_int_equal(cairn_schema_write_format(&written.schema, 9, text, sizeof(text), NULL), 0);
    parse_format(text, &read);
    assert_int_equal(read.schema.id, 9);
    assert_int_equal(read.schema.common_count, 4);
    assert_int_equal(read.schema.fixed_size_bytes, written.schema.fixed_size_bytes);
    assert_true(cairn_schema_equal(&written.schema, &read.schema));
    for (uint32_t i = 0; i < written.schema.field_count; i++) {
        assert_int_equal(read.fields[4 + i].kind, written.fields[i].kind);
        assert_int_equal(read.fields[4 + i].location, written.fields[i].location);
        assert_int_equal(read.fields[4 + i].element_count, written.fields[i].element_count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_without_fields),
        cmocka_unit_test(an_eventheader_tracepoint),
        cmocka_unit_test(every_basic_type),
        cmocka_unit_test(arrays_and_structs),
        cmocka_unit_test(dynamic_fields),
        cmocka_unit_test(a_text_that_does_not_fit_is_an_error_at_every_size),
        cmocka_unit_test(the_text_of_every_command_fits_the_promised_size),
        cmocka_unit_test(a_written_text_parses_to_the_same_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
