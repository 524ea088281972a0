/* SPDX-License-Identifier: MIT */
/* Test of parsing the format text of tracefs, as old and new kernels write it. */
#include "schema_test.h"

#define HEAD "name: wakeup\nID: 312\nformat:\n"
#define COMMON                                                                     \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
#define FIELD(declaration, offset, size, is_signed) \
    "\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

/* The expected properties of one field. */
struct expected {
    const char *line;
    const char *type;
    const char *name;
    uint32_t size_bytes;
    enum cairn_field_kind kind;
    uint16_t element_size_bytes;
    uint16_t element_count;
    bool is_array;
};

static void parse_line(const char *line, uint32_t long_size_bytes, struct parsed *parsed)
{
    static char text[1024];

    (void)snprintf(text, sizeof(text), "%s%s", HEAD, line);
    assert_int_equal(cairn_schema_parse_format(text, strlen(text), long_size_bytes, parsed->fields,
                                               CAIRN_FIELDS_MAX, &parsed->schema),
                     0);
    assert_int_equal(parsed->schema.field_count, 1);
}

static void assert_fields(const struct expected *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct expected *e = &expected[i];
        struct parsed parsed;

        parse_line(e->line, 8, &parsed);
        assert_slice(parsed.fields[0].type, e->type);
        assert_slice(parsed.fields[0].name, e->name);
        assert_int_equal(parsed.fields[0].size_bytes, e->size_bytes);
        if (parsed.fields[0].kind != e->kind)
            fail_msg("kind %d, not %d: %s", parsed.fields[0].kind, e->kind, e->line);
        assert_int_equal(parsed.fields[0].element_size_bytes, e->element_size_bytes);
        assert_int_equal(parsed.fields[0].element_count, e->element_count);
        assert_int_equal(parsed.fields[0].is_array, e->is_array);
    }
}

#define ASSERT_FIELDS(expected) assert_fields(expected, sizeof(expected) / sizeof((expected)[0]))

static void a_complete_text_is_parsed(void **state)
{
    struct parsed parsed;

    (void)state;
    parse_format(HEAD COMMON "\n" FIELD("char comm[16]", 8, 16, 0) FIELD("pid_t pid", 24, 4, 1)
                     FIELD("long load", 32, 8, 1) "\nprint fmt: \"comm=%s\npid=%d\", REC->comm,\n"
                                                  " REC->pid\n",
                 &parsed);
    assert_slice(parsed.schema.name, "wakeup");
    assert_slice(parsed.schema.system, "");
    assert_slice(parsed.schema.flags, "");
    assert_slice(parsed.schema.print_fmt, "\"comm=%s\npid=%d\", REC->comm,\n REC->pid");
    assert_int_equal(parsed.schema.id, 312);
    assert_int_equal(parsed.schema.common_count, 4);
    assert_int_equal(parsed.schema.field_count, 7);
    assert_int_equal(parsed.schema.fixed_size_bytes, 40);
    assert_slice(parsed.fields[0].name, "common_type");
    assert_int_equal(parsed.fields[3].offset, 4);
    assert_true(parsed.fields[3].is_signed);
    assert_int_equal(parsed.fields[4].offset, 8);
    assert_false(parsed.fields[4].is_signed);
    assert_slice(parsed.fields[6].name, "load");
    assert_int_equal(parsed.fields[6].offset, 32);
}

static void a_number_is_identified_by_size_and_sign_not_by_type_name(void **state)
{
    static const struct expected expected[] = {
        {FIELD("u8 a", 8, 1, 0), "u8", "a", 1, CAIRN_FIELD_UNSIGNED, 1, 0, false},
        {FIELD("unsigned long a", 8, 8, 0), "unsigned long", "a", 8, CAIRN_FIELD_UNSIGNED, 8, 0,
         false},
        {FIELD("unsigned a", 8, 4, 0), "unsigned", "a", 4, CAIRN_FIELD_UNSIGNED, 4, 0, false},
        {FIELD("signed char a", 8, 1, 1), "signed char", "a", 1, CAIRN_FIELD_SIGNED, 1, 0, false},
        {FIELD("dev_t dev", 8, 4, 0), "dev_t", "dev", 4, CAIRN_FIELD_UNSIGNED, 4, 0, false},
        {FIELD("loff_t pos", 8, 8, 1), "loff_t", "pos", 8, CAIRN_FIELD_SIGNED, 8, 0, false},
        {FIELD("enum migrate_mode mode", 8, 4, 0), "enum migrate_mode", "mode", 4,
         CAIRN_FIELD_UNSIGNED, 4, 0, false},
        {FIELD("gfp_t flags", 8, 4, 0), "gfp_t", "flags", 4, CAIRN_FIELD_UNSIGNED, 4, 0, false},
        {FIELD("const clockid_t which", 8, 8, 0), "const clockid_t", "which", 8,
         CAIRN_FIELD_UNSIGNED, 8, 0, false},
        /* System calls keep every argument in a long, whatever its declared type. */
        {FIELD("int fd", 16, 8, 0), "int", "fd", 8, CAIRN_FIELD_UNSIGNED, 8, 0, false},
        {FIELD("char c", 16, 8, 0), "char", "c", 8, CAIRN_FIELD_UNSIGNED, 8, 0, false},
        {FIELD("bool a", 8, 1, 0), "bool", "a", 1, CAIRN_FIELD_BOOL, 1, 0, false},
        {FIELD("_Bool a", 8, 1, 0), "_Bool", "a", 1, CAIRN_FIELD_BOOL, 1, 0, false},
        {FIELD("__int128 a", 16, 16, 1), "__int128", "a", 16, CAIRN_FIELD_BYTES, 0, 0, false},
        {FIELD("odd_t a", 8, 3, 0), "odd_t", "a", 3, CAIRN_FIELD_BYTES, 0, 0, false},
    };

    (void)state;
    ASSERT_FIELDS(expected);
}

static void a_star_at_any_position_makes_a_pointer(void **state)
{
    static const struct expected expected[] = {
        {FIELD("void * p", 8, 8, 0), "void *", "p", 8, CAIRN_FIELD_POINTER, 8, 0, false},
        {FIELD("const void* p", 8, 8, 0), "const void*", "p", 8, CAIRN_FIELD_POINTER, 8, 0, false},
        {FIELD("char *p", 8, 8, 0), "char *", "p", 8, CAIRN_FIELD_POINTER, 8, 0, false},
        {FIELD("struct iocb * * p", 8, 8, 0), "struct iocb * *", "p", 8, CAIRN_FIELD_POINTER, 8, 0,
         false},
        {FIELD("const char *const * p", 8, 8, 0), "const char *const *", "p", 8,
         CAIRN_FIELD_POINTER, 8, 0, false},
        {FIELD("void *caller[8]", 8, 64, 0), "void *", "caller", 64, CAIRN_FIELD_POINTER, 8, 8,
         true},
        {FIELD("const char __attribute__((btf_type_tag(\"user\"))) * name", 8, 8, 0),
         "const char __attribute__((btf_type_tag(\"user\"))) *", "name", 8, CAIRN_FIELD_POINTER, 8,
         0, false},
    };

    (void)state;
    ASSERT_FIELDS(expected);
}

static void the_name_of_a_function_pointer_is_inside_its_type(void **state)
{
    static const struct expected expected[] = {
        {FIELD("void (*func)(struct work_struct *work)", 8, 8, 0),
         "void (*func)(struct work_struct *work)", "func", 8, CAIRN_FIELD_POINTER, 8, 0, false},
        {FIELD("int (*ops[2])(char buf[4])", 8, 16, 0), "int (*ops[2])(char buf[4])", "ops", 16,
         CAIRN_FIELD_POINTER, 8, 2, true},
        {FIELD("int (*op)(char buf[4])", 8, 8, 0), "int (*op)(char buf[4])", "op", 8,
         CAIRN_FIELD_POINTER, 8, 0, false},
    };

    (void)state;
    ASSERT_FIELDS(expected);
}

static void attributes_are_ignored(void **state)
{
    static const struct expected expected[] = {
        {FIELD("int __attribute__((aligned(8))) a", 8, 4, 1), "int __attribute__((aligned(8)))",
         "a", 4, CAIRN_FIELD_SIGNED, 4, 0, false},
        {FIELD("char __attribute__((x)) a[4]", 8, 4, 1), "char __attribute__((x))", "a", 4,
         CAIRN_FIELD_STRING, 1, 4, true},
    };

    (void)state;
    ASSERT_FIELDS(expected);
}

static void an_array_size_may_follow_the_name_or_the_type(void **state)
{
    static const struct expected expected[] = {
        {FIELD("char comm[16]", 8, 16, 0), "char", "comm", 16, CAIRN_FIELD_STRING, 1, 16, true},
        {FIELD("char[16] comm", 8, 16, 0), "char", "comm", 16, CAIRN_FIELD_STRING, 1, 16, true},
        {FIELD("char comm[TASK_COMM_LEN]", 8, 16, 0), "char", "comm", 16, CAIRN_FIELD_STRING, 1, 16,
         true},
        {FIELD("char buf[16 + 1]", 8, 17, 0), "char", "buf", 17, CAIRN_FIELD_STRING, 1, 17, true},
        {FIELD("__u8 mac[6]", 8, 6, 0), "__u8", "mac", 6, CAIRN_FIELD_UNSIGNED, 1, 6, true},
        {FIELD("unsigned char id[8]", 8, 8, 0), "unsigned char", "id", 8, CAIRN_FIELD_UNSIGNED, 1,
         8, true},
        {FIELD("uint16_t parts[4]", 8, 8, 0), "uint16_t", "parts", 8, CAIRN_FIELD_UNSIGNED, 2, 4,
         true},
        {FIELD("long args[3]", 8, 24, 1), "long", "args", 24, CAIRN_FIELD_SIGNED, 8, 3, true},
        {FIELD("bool set[3]", 8, 3, 0), "bool", "set", 3, CAIRN_FIELD_BOOL, 1, 3, true},
        {FIELD("dev_t devs[3]", 8, 12, 0), "dev_t", "devs", 12, CAIRN_FIELD_UNSIGNED, 4, 3, true},
        {FIELD("dev_t devs[0x3]", 8, 12, 0), "dev_t", "devs", 12, CAIRN_FIELD_UNSIGNED, 4, 3, true},
        {FIELD("dev_t devs[DEVS]", 8, 12, 0), "dev_t", "devs", 12, CAIRN_FIELD_BYTES, 0, 0, true},
        {FIELD("dev_t devs[5]", 8, 12, 0), "dev_t", "devs", 12, CAIRN_FIELD_BYTES, 0, 0, true},
        {FIELD("guid_t ids[2]", 8, 32, 0), "guid_t", "ids", 32, CAIRN_FIELD_BYTES, 0, 0, true},
        {FIELD("u8 rows[4][6]", 8, 24, 0), "u8", "rows", 24, CAIRN_FIELD_UNSIGNED, 1, 24, true},
        {FIELD("char all[70000]", 8, 70000, 0), "char", "all", 70000, CAIRN_FIELD_BYTES, 0, 0,
         true},
    };

    (void)state;
    ASSERT_FIELDS(expected);
}

static void an_array_without_size_extends_to_the_end_of_the_record(void **state)
{
    static const struct expected expected[] = {
        {FIELD("char buf[]", 16, 0, 0), "char", "buf", 0, CAIRN_FIELD_STRING, 1, 0, true},
        {FIELD("u32 buf[]", 16, 0, 0), "u32", "buf", 0, CAIRN_FIELD_UNSIGNED, 4, 0, true},
        {FIELD("what_t buf[]", 16, 0, 0), "what_t", "buf", 0, CAIRN_FIELD_BYTES, 0, 0, true},
    };

    (void)state;
    ASSERT_FIELDS(expected);
}

static void a_random_array_count_in_a_user_event_is_ignored(void **state)
{
    static const struct expected expected[] = {
        {FIELD("char a[]", 8, 20, 1), "char", "a", 20, CAIRN_FIELD_STRING, 1, 20, true},
        {FIELD("char a[5]", 8, 20, 1), "char", "a", 20, CAIRN_FIELD_STRING, 1, 20, true},
        {FIELD("char a[-559038737]", 8, 20, 1), "char", "a", 20, CAIRN_FIELD_STRING, 1, 20, true},
        {FIELD("unsigned char a[1802201963]", 8, 20, 0), "unsigned char", "a", 20,
         CAIRN_FIELD_UNSIGNED, 1, 20, true},
    };

    (void)state;
    ASSERT_FIELDS(expected);
}

static void structs_and_unions_are_opaque(void **state)
{
    static const struct expected expected[] = {
        {FIELD("struct in6_addr addr", 8, 16, 0), "struct in6_addr", "addr", 16, CAIRN_FIELD_STRUCT,
         0, 0, false},
        {FIELD("struct small a", 8, 4, 0), "struct small", "a", 4, CAIRN_FIELD_STRUCT, 0, 0, false},
        {FIELD("union either e[2]", 8, 16, 0), "union either", "e", 16, CAIRN_FIELD_STRUCT, 0, 0,
         true},
        {FIELD("struct { int a; int b; } pair", 8, 8, 0), "struct { int a; int b; }", "pair", 8,
         CAIRN_FIELD_STRUCT, 0, 0, false},
    };

    (void)state;
    ASSERT_FIELDS(expected);
}

static void dynamic_fields_are_recognized_in_each_spelling(void **state)
{
    static const struct {
        const char *line;
        const char *type;
        enum cairn_field_location location;
        enum cairn_field_kind kind;
        uint16_t element_size_bytes;
    } cases[] = {
        {FIELD("__data_loc char[] a", 8, 4, 0), "__data_loc char[]", CAIRN_FIELD_DATA_LOC,
         CAIRN_FIELD_STRING, 1},
        {FIELD("__data_loc char[] a", 8, 4, 1), "__data_loc char[]", CAIRN_FIELD_DATA_LOC,
         CAIRN_FIELD_STRING, 1},
        {FIELD("__data_loc unsigned char[] a", 8, 4, 1), "__data_loc unsigned char[]",
         CAIRN_FIELD_DATA_LOC, CAIRN_FIELD_UNSIGNED, 1},
        {FIELD("__data_loc u8[] a", 8, 4, 1), "__data_loc u8[]", CAIRN_FIELD_DATA_LOC,
         CAIRN_FIELD_UNSIGNED, 1},
        {FIELD("__data_loc unsigned long[] a", 8, 4, 0), "__data_loc unsigned long[]",
         CAIRN_FIELD_DATA_LOC, CAIRN_FIELD_UNSIGNED, 8},
        {FIELD("__data_loc cpumask_t a", 8, 4, 0), "__data_loc cpumask_t", CAIRN_FIELD_DATA_LOC,
         CAIRN_FIELD_BYTES, 0},
        {FIELD("__rel_loc char a[]", 8, 4, 1), "__rel_loc char", CAIRN_FIELD_REL_LOC,
         CAIRN_FIELD_STRING, 1},
        {FIELD("__rel_loc char[] a", 8, 4, 1), "__rel_loc char[]", CAIRN_FIELD_REL_LOC,
         CAIRN_FIELD_STRING, 1},
        {FIELD("__rel_loc __u16 a[]", 8, 4, 0), "__rel_loc __u16", CAIRN_FIELD_REL_LOC,
         CAIRN_FIELD_UNSIGNED, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct parsed parsed;

        parse_line(cases[i].line, 8, &parsed);
        assert_slice(parsed.fields[0].type, cases[i].type);
        assert_slice(parsed.fields[0].name, "a");
        assert_int_equal(parsed.fields[0].location, cases[i].location);
        assert_int_equal(parsed.fields[0].kind, cases[i].kind);
        assert_int_equal(parsed.fields[0].element_size_bytes, cases[i].element_size_bytes);
        assert_int_equal(parsed.fields[0].element_count, 0);
        assert_true(parsed.fields[0].is_array);
    }
}

static void long_and_pointer_have_the_size_of_the_recorded_machine(void **state)
{
    struct parsed parsed;

    (void)state;
    parse_line(FIELD("__data_loc unsigned long[] a", 8, 4, 0), 4, &parsed);
    assert_int_equal(parsed.fields[0].element_size_bytes, 4);
    parse_line(FIELD("unsigned long a[]", 8, 16, 0), 4, &parsed);
    assert_int_equal(parsed.fields[0].element_count, 4);
    parse_line(FIELD("void *a[4]", 8, 16, 0), 4, &parsed);
    assert_int_equal(parsed.fields[0].element_size_bytes, 4);
    parse_line(FIELD("unsigned long long a[]", 8, 16, 0), 4, &parsed);
    assert_int_equal(parsed.fields[0].element_count, 2);
    parse_line(FIELD("unsigned short int a[]", 8, 16, 0), 4, &parsed);
    assert_int_equal(parsed.fields[0].element_count, 8);

    assert_int_equal(parse_format_bytes(HEAD, strlen(HEAD), 0, &parsed), EBADMSG);
    assert_int_equal(parse_format_bytes(HEAD, strlen(HEAD), 16, &parsed), EBADMSG);
}

static void texts_of_old_and_future_kernels_are_parsed(void **state)
{
    struct parsed parsed;

    (void)state;
    parse_line("\tfield:int a;\toffset:8;\tsize:4;\n", 8, &parsed);
    assert_true(parsed.fields[0].is_signed);
    parse_line("\tfield:u32 a;\toffset:8;\tsize:4;\n", 8, &parsed);
    assert_false(parsed.fields[0].is_signed);
    parse_line("\tfield special:char buf[];\toffset:12;\tsize:0;\n", 8, &parsed);
    assert_int_equal(parsed.fields[0].kind, CAIRN_FIELD_STRING);
    parse_line("\tfield: u64 a;\toffset:8;\tsize:8;\tsigned:0;\tunit:ns;\n", 8, &parsed);
    assert_slice(parsed.fields[0].name, "a");
    parse_line("\tfield:u64 a;\toffset:8;\tsize:8;\tsigned:0;", 8, &parsed);
    parse_line("\tfield:u64 a;\toffset:8;\tsize:8;\tsigned:0;\r\n", 8, &parsed);
    assert_slice(parsed.schema.print_fmt, "");
}

/* The last byte of this letter is a no-break space in Latin-1. */
static void a_name_may_end_in_any_letter(void **state)
{
    struct parsed parsed;

    (void)state;
    parse_format("name: voil\xc3\xa0\nID: 1\nformat:\n" FIELD("char voil\xc3\xa0[4]", 8, 4, 1),
                 &parsed);
    assert_slice(parsed.schema.name, "voil\xc3\xa0");
    assert_slice(parsed.fields[0].name, "voil\xc3\xa0");
}

/* user_events accepts these names: unclosed brackets and stars in a name have no meaning. */
static void a_name_may_contain_any_byte(void **state)
{
    static const char *const names[] = {
        "a*b", "c(d", "e)f", "g]h", "(*i",      "e[f", "x{", "y}",
        "a-b", "a:b", "\"",  "%s",  "offset:8", "a.b", "]",  "[",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct parsed parsed;
        char line[128];

        (void)snprintf(line, sizeof(line), "\tfield:u32 %s;\toffset:8;\tsize:4;\tsigned:0;\n",
                       names[i]);
        parse_line(line, 8, &parsed);
        assert_slice(parsed.fields[0].name, names[i]);
        assert_slice(parsed.fields[0].type, "u32");
        assert_int_equal(parsed.fields[0].kind, CAIRN_FIELD_UNSIGNED);
        (void)snprintf(line, sizeof(line),
                       "\tfield:struct t%s name;\toffset:8;\tsize:4;\tsigned:0;\n", names[i]);
        parse_line(line, 8, &parsed);
        assert_slice(parsed.fields[0].name, "name");
    }
}

static void common_fields_are_those_before_the_empty_line(void **state)
{
    struct parsed parsed;

    (void)state;
    parse_format(HEAD COMMON "\n" FIELD("u8 common_sense", 8, 1, 0) "\nprint fmt: \"\"\n", &parsed);
    assert_int_equal(parsed.schema.common_count, 4);
    parse_format(HEAD COMMON FIELD("u8 own", 8, 1, 0) FIELD("u8 common_sense", 9, 1, 0), &parsed);
    assert_int_equal(parsed.schema.common_count, 4);
    parse_format(HEAD "\n" COMMON "\n\nprint fmt: \"\"\n", &parsed);
    assert_int_equal(parsed.schema.common_count, 4);
    assert_int_equal(parsed.schema.field_count, 4);
    assert_int_equal(parsed.schema.fixed_size_bytes, 8);
}

static void an_invalid_format_text_is_an_error(void **state)
{
    static const char *const texts[] = {
        "",
        "\n",
        "hello\n",
        "ID: 312\nname: wakeup\nformat:\n",
        "name: \nID: 312\nformat:\n",
        "name: a\nID: x\nformat:\n",
        "name: a\nID: -1\nformat:\n",
        "name: a\nID: 4294967296\nformat:\n",
        "name: a\nID: 1\n",
        "name: a\nID: 1\nformat: what\n",
        HEAD "something:else\n",
        HEAD "\tfields:int a;\toffset:8;\tsize:4;\tsigned:1;\n",
        HEAD "\tfield int a;\toffset:8;\tsize:4;\tsigned:1;\n",
        HEAD "\tfield:int a;\tsize:4;\tsigned:1;\n",
        HEAD "\tfield:int a;\toffset:8;\tsigned:1;\n",
        HEAD "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1\n",
        HEAD "\tfield:int a;\toffset:8;\tsize:4;\tsigned:yes;\n",
        HEAD "\tfield:int a;\toffset:;\tsize:4;\tsigned:1;\n",
        HEAD "\tfield:int a;\toffset:8;\tsize:four;\tsigned:1;\n",
        HEAD "\tfield:int a\n",
        HEAD "\tfield:a;\toffset:8;\tsize:4;\tsigned:1;\n",
        HEAD "\tfield:;\toffset:8;\tsize:4;\tsigned:1;\n",
        HEAD "\tfield:int [4];\toffset:8;\tsize:4;\tsigned:1;\n",
        HEAD "\tfield:int (*)(int);\toffset:8;\tsize:8;\tsigned:0;\n",
        HEAD "\tfield:int a;\toffset:4294967295;\tsize:1;\tsigned:1;\n",
        HEAD "\tfield:int a;\toffset:8;\tsize:4294967296;\tsigned:1;\n",
        HEAD "\tfield:__data_loc char[] a;\toffset:8;\tsize:2;\tsigned:1;\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct parsed parsed = {.schema = {.id = 77}};

        if (parse_format_bytes(texts[i], strlen(texts[i]), 8, &parsed) != EBADMSG)
            fail_msg("taken: %s", texts[i]);
        assert_int_equal(parsed.schema.id, 77);
    }
}

static void a_truncated_text_is_never_read_beyond_its_end(void **state)
{
    static const char text[] =
        HEAD COMMON "\n" FIELD("char comm[16]", 8, 16, 0) FIELD("void (*f)(int)", 24, 8, 0)
            FIELD("__rel_loc u8 a[]", 32, 4, 1) "\nprint fmt: \"%s\", REC->comm\n";

    (void)state;
    for (size_t size = 0; size < sizeof(text); size++) {
        struct parsed parsed;
        int err = parse_format_bytes(text, size, 8, &parsed);

        assert_true(err == 0 || err == EBADMSG);
    }
}

static void more_fields_than_the_memory_holds_are_an_error(void **state)
{
    struct cairn_schema schema = {.id = 77};
    struct cairn_field fields[4];
    const char *more = HEAD COMMON FIELD("u8 a", 8, 1, 0);

    (void)state;
    assert_int_equal(
        cairn_schema_parse_format(HEAD COMMON, strlen(HEAD COMMON), 8, fields, 4, &schema), 0);
    schema.id = 77;
    assert_int_equal(cairn_schema_parse_format(more, strlen(more), 8, fields, 4, &schema), ENOSPC);
    assert_int_equal(schema.id, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_complete_text_is_parsed),
        cmocka_unit_test(a_number_is_identified_by_size_and_sign_not_by_type_name),
        cmocka_unit_test(a_star_at_any_position_makes_a_pointer),
        cmocka_unit_test(the_name_of_a_function_pointer_is_inside_its_type),
        cmocka_unit_test(attributes_are_ignored),
        cmocka_unit_test(an_array_size_may_follow_the_name_or_the_type),
        cmocka_unit_test(an_array_without_size_extends_to_the_end_of_the_record),
        cmocka_unit_test(a_random_array_count_in_a_user_event_is_ignored),
        cmocka_unit_test(structs_and_unions_are_opaque),
        cmocka_unit_test(dynamic_fields_are_recognized_in_each_spelling),
        cmocka_unit_test(long_and_pointer_have_the_size_of_the_recorded_machine),
        cmocka_unit_test(texts_of_old_and_future_kernels_are_parsed),
        cmocka_unit_test(a_name_may_end_in_any_letter),
        cmocka_unit_test(a_name_may_contain_any_byte),
        cmocka_unit_test(common_fields_are_those_before_the_empty_line),
        cmocka_unit_test(an_invalid_format_text_is_an_error),
        cmocka_unit_test(a_truncated_text_is_never_read_beyond_its_end),
        cmocka_unit_test(more_fields_than_the_memory_holds_are_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
