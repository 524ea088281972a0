/* SPDX-License-Identifier: MIT */
/* Test of the `format` text of tracepoints, which is as Linux writes it, and of the command that
 * creates user_events of them. */
#include "trace_event_points.h"

#include <cairn/user_events.h>

#include <errno.h>

#define HEAD(name, id)                                                             \
    "name: " name "\nID: " #id "\nformat:\n"                                       \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static void assert_format(const struct cairn_trace_event *event, uint32_t id, const char *expected)
{
    char text[CAIRN_FORMAT_MAX_BYTES];
    struct cairn_schema schema;
    size_t length;

    cairn_trace_event_schema(event, &schema);
    assert_int_equal(cairn_schema_write_format(&schema, id, text, sizeof(text), &length), 0);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

/* From events/task/task_rename/format and others of Linux 6.12. */
static void formats_are_those_of_linux(void **state)
{
    (void)state;
    assert_format(
        &cairn_event_task_rename, 68,
        HEAD("task_rename", 68) "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
                                "\tfield:char oldcomm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
                                "\tfield:char newcomm[16];\toffset:28;\tsize:16;\tsigned:0;\n"
                                "\tfield:short oom_score_adj;\toffset:44;\tsize:2;\tsigned:1;\n"
                                "\nprint fmt: \"pid=%d oldcomm=%s newcomm=%s oom_score_adj=%hd\", "
                                "REC->pid, REC->oldcomm, REC->newcomm, REC->oom_score_adj\n");
    assert_format(
        &cairn_event_workqueue_queue_work, 85,
        HEAD("workqueue_queue_work",
             85) "\tfield:void * work;\toffset:8;\tsize:8;\tsigned:0;\n"
                 "\tfield:void * function;\toffset:16;\tsize:8;\tsigned:0;\n"
                 "\tfield:__data_loc char[] workqueue;\toffset:24;\tsize:4;\tsigned:0;\n"
                 "\tfield:int req_cpu;\toffset:28;\tsize:4;\tsigned:1;\n"
                 "\tfield:int cpu;\toffset:32;\tsize:4;\tsigned:1;\n"
                 "\nprint fmt: \"work struct=%p function=%ps workqueue=%s req_cpu=%d cpu=%d\", "
                 "REC->work, REC->function, __get_str(workqueue), REC->req_cpu, REC->cpu\n");
}

/* A reader of the text does not have the program's macros. */
static void macros_in_printk_are_expanded_except_printing_helpers(void **state)
{
    (void)state;
    assert_format(
        &cairn_event_softirq_raise, 75,
        HEAD("softirq_raise",
             75) "\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n"
                 "\nprint fmt: \"vec=%u [action=%s]\", REC->vec, __print_symbolic(REC->vec, "
                 "{ 0, \"HI\" }, { 1, \"TIMER\" }, { 2, \"NET_TX\" })\n");
}

static void every_type_has_a_format(void **state)
{
    (void)state;
    assert_format(
        &cairn_event_every_type, 1,
        HEAD(
            "every_type",
            1) "\tfield:uint8_t a8;\toffset:8;\tsize:1;\tsigned:0;\n"
               "\tfield:int8_t b8;\toffset:9;\tsize:1;\tsigned:1;\n"
               "\tfield:uint16_t a16;\toffset:10;\tsize:2;\tsigned:0;\n"
               "\tfield:short b16;\toffset:12;\tsize:2;\tsigned:1;\n"
               "\tfield:u32 a32;\toffset:14;\tsize:4;\tsigned:0;\n"
               "\tfield:int b32;\toffset:18;\tsize:4;\tsigned:1;\n"
               "\tfield:unsigned long a64;\toffset:22;\tsize:8;\tsigned:0;\n"
               "\tfield:long long b64;\toffset:30;\tsize:8;\tsigned:1;\n"
               "\tfield:size_t size;\toffset:38;\tsize:8;\tsigned:0;\n"
               "\tfield:bool flag;\toffset:46;\tsize:1;\tsigned:0;\n"
               "\tfield:char letter;\toffset:47;\tsize:1;\tsigned:0;\n"
               "\tfield:const void * where;\toffset:48;\tsize:8;\tsigned:0;\n"
               "\tfield:enum colour colour;\toffset:56;\tsize:4;\tsigned:0;\n"
               "\tfield:enum depth depth;\toffset:60;\tsize:4;\tsigned:1;\n"
               "\tfield:struct point point;\toffset:64;\tsize:8;\tsigned:0;\n"
               "\tfield:char comm[16];\toffset:72;\tsize:16;\tsigned:0;\n"
               "\tfield:unsigned char mac[6];\toffset:88;\tsize:6;\tsigned:0;\n"
               "\tfield:u32 words[3];\toffset:94;\tsize:12;\tsigned:0;\n"
               "\tfield:struct point points[2];\toffset:106;\tsize:16;\tsigned:0;\n"
               "\tfield:pid_t pid;\toffset:122;\tsize:4;\tsigned:1;\n"
               "\tfield:__data_loc char[] who;\toffset:126;\tsize:4;\tsigned:0;\n"
               "\tfield:__data_loc u32[] list;\toffset:130;\tsize:4;\tsigned:0;\n"
               "\tfield:__rel_loc char rel_who[];\toffset:134;\tsize:4;\tsigned:0;\n"
               "\tfield:__rel_loc struct point rel_points[];\toffset:138;\tsize:4;\tsigned:0;\n"
               "\tfield:__data_loc unsigned long[] bits;\toffset:142;\tsize:4;\tsigned:0;\n"
               "\nprint fmt: \"a8=%u b8=%d who=%s rel=%s list=%s mac=%s colour=%s flags=%s bits=%s "
               "rel_y=%zu\", REC->a8, REC->b8, __get_str(who), __get_rel_str(rel_who), "
               "__print_dynamic_array(list, sizeof(u32)), __print_hex(REC->mac, 6), "
               "__print_symbolic(REC->colour, {RED, \"red\"}, {GREEN, \"green\"}), "
               "__print_flags(REC->a16, \"|\", {0x8000, \"HIGH\"}, {0x2000, \"MIDDLE\"}), "
               "__get_bitmask(bits), (size_t)__get_rel_dynamic_array_len(rel_points)\n");
}

static void a_format_may_have_no_fields_and_arguments(void **state)
{
    (void)state;
    /* Linux leaves the comma there, too. */
    assert_format(&cairn_event_no_fields, 65535,
                  HEAD("no_fields", 65535) "\nprint fmt: \"nothing\", \n");
}

static void only_the_word_entry_is_replaced_by_rec(void **state)
{
    struct cairn_schema schema = {.name = {"e", 1}};
    const char *print_fmt = "\"__entry %d\", my__entry, __entry, __entry2, __entry_, (__entry->a)";
    char text[CAIRN_FORMAT_MAX_BYTES];

    (void)state;
    schema.print_fmt = (struct cairn_slice){print_fmt, (uint32_t)strlen(print_fmt)};
    assert_int_equal(cairn_schema_write_format(&schema, 1, text, sizeof(text), NULL), 0);
    assert_non_null(
        strstr(text, "\nprint fmt: \"REC %d\", my__entry, REC, __entry2, __entry_, (REC->a)\n"));
    schema.print_fmt.length = (uint32_t)strlen("\"__entry");
    assert_int_equal(cairn_schema_write_format(&schema, 1, text, sizeof(text), NULL), 0);
    assert_non_null(strstr(text, "\nprint fmt: \"REC\n"));
}

static void a_format_that_does_not_fit_is_an_error(void **state)
{
    char text[CAIRN_FORMAT_MAX_BYTES];
    struct cairn_schema schema;
    size_t length;

    (void)state;
    cairn_trace_event_schema(&cairn_event_task_rename, &schema);
    assert_int_equal(cairn_schema_write_format(&schema, 1, text, sizeof(text), &length), 0);
    assert_int_equal(cairn_schema_write_format(&schema, 1, text, length + 1, NULL), 0);
    for (size_t size = 0; size <= length; size++)
        assert_int_equal(cairn_schema_write_format(&schema, 1, text, size, NULL), ENOSPC);
}

static void assert_command(const struct cairn_trace_event *event, const char *expected)
{
    char text[CAIRN_COMMAND_MAX_BYTES];
    struct cairn_schema schema;
    size_t length;

    cairn_trace_event_schema(event, &schema);
    assert_int_equal(cairn_schema_write_command(&schema, text, sizeof(text), &length), 0);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    assert_int_equal(cairn_schema_write_command(&schema, text, length + 1, NULL), 0);
    assert_int_equal(cairn_schema_write_command(&schema, text, length, NULL), ENOSPC);
    assert_int_equal(cairn_schema_write_command(&schema, text, 0, NULL), ENOSPC);
}

static void each_event_has_a_command(void **state)
{
    (void)state;
    assert_command(&cairn_event_no_fields, "no_fields");
    assert_command(&cairn_event_task_rename, "task_rename s32 pid; char[16] oldcomm; "
                                             "char[16] newcomm; s16 oom_score_adj");
    assert_command(&cairn_event_texts,
                   "texts __data_loc char[] first; __data_loc char[] all; __data_loc char[] old; "
                   "__rel_loc char[] rel_first");
}

#define FIELD(name, type, size, element_size, count, kind, array)                               \
    {                                                                                           \
        {name, sizeof(name) - 1}, {type, sizeof(type) - 1}, 0, size, element_size, count, kind, \
            CAIRN_FIELD_INLINE, (kind) == CAIRN_FIELD_SIGNED, array                             \
    }

static void a_type_unknown_to_the_kernel_becomes_a_struct(void **state)
{
    struct cairn_field fields[] = {
        FIELD("a", "u32", 16, 4, 4, CAIRN_FIELD_UNSIGNED, true),
        FIELD("b", "long", 16, 8, 2, CAIRN_FIELD_SIGNED, true),
        FIELD("c", "char", 1025, 1, 1025, CAIRN_FIELD_STRING, true),
        FIELD("d", "u8", 1024, 1, 1024, CAIRN_FIELD_UNSIGNED, true),
        FIELD("e", "struct point", 24, 0, 3, CAIRN_FIELD_STRUCT, true),
        FIELD("f", "const struct point", 8, 0, 0, CAIRN_FIELD_STRUCT, false),
        FIELD("g", "union any", 8, 0, 0, CAIRN_FIELD_STRUCT, false),
        FIELD("h", "a::b<1>", 8, 0, 0, CAIRN_FIELD_STRUCT, false),
        FIELD("i", "", 3, 0, 0, CAIRN_FIELD_BYTES, false),
        FIELD("j", "bool", 2, 1, 2, CAIRN_FIELD_BOOL, true),
        FIELD("k", "bool", 1, 1, 0, CAIRN_FIELD_BOOL, false),
        FIELD("l", "void *", 8, 8, 0, CAIRN_FIELD_POINTER, false),
        FIELD("m", "char", 1, 1, 0, CAIRN_FIELD_STRING, false),
    };
    const struct cairn_schema schema = {.name = {"t", 1},
                                        .flags = {"F", 1},
                                        .field_count = sizeof(fields) / sizeof(fields[0]),
                                        .fields = fields};
    struct cairn_schema parsed;
    struct cairn_field parsed_fields[16];
    char text[CAIRN_COMMAND_MAX_BYTES];

    (void)state;
    assert_int_equal(cairn_schema_write_command(&schema, text, sizeof(text), NULL), 0);
    assert_string_equal(text, "t:F struct u32_array a 16; struct s64_array b 16; "
                              "struct char_array c 1025; unsigned char[1024] d; "
                              "struct point e 24; struct point f 8; struct any g 8; "
                              "struct a__b_1_ h 8; struct bytes i 3; struct u8_array j 2; "
                              "u8 k; u64 l; char m");
    assert_int_equal(cairn_schema_parse_command(text, parsed_fields, 16, &parsed, NULL), 0);
    assert_int_equal(parsed.field_count, schema.field_count);
    for (uint32_t i = 0; i < parsed.field_count; i++)
        assert_int_equal(parsed_fields[i].size_bytes, fields[i].size_bytes);
}

/* user_events places each field at the offset that it has in the tracepoint. */
static void a_command_describes_the_same_bytes(void **state)
{
    struct cairn_schema schema;
    struct cairn_schema parsed;
    struct cairn_field fields[64];
    char text[CAIRN_COMMAND_MAX_BYTES];
    uint32_t events = 0;

    (void)state;
    for (struct cairn_trace_event *const *event = __start_cairn_trace_events;
         event < __stop_cairn_trace_events; event++, events++) {
        cairn_trace_event_schema(*event, &schema);
        assert_int_equal(cairn_schema_write_command(&schema, text, sizeof(text), NULL), 0);
        assert_int_equal(cairn_schema_parse_command(text, fields, 64, &parsed, NULL), 0);
        assert_int_equal(parsed.field_count, schema.field_count);
        assert_int_equal(parsed.fixed_size_bytes, schema.fixed_size_bytes);
        for (uint32_t i = 0; i < parsed.field_count; i++) {
            assert_int_equal(fields[i].offset, schema.fields[i].offset);
            assert_int_equal(fields[i].size_bytes, schema.fields[i].size_bytes);
            assert_int_equal(fields[i].location, schema.fields[i].location);
        }
    }
    assert_true(events >= 9);
}

static void a_name_or_command_over_the_limit_is_an_error(void **state)
{
    char name[CAIRN_NAME_MAX_BYTES];
    char text[2 * CAIRN_COMMAND_MAX_BYTES];
    struct cairn_field field = FIELD("field", "u32", 4, 4, 0, CAIRN_FIELD_UNSIGNED, false);
    struct cairn_schema schema = {.name = {name, sizeof(name) - 1}};

    (void)state;
    memset(name, 'n', sizeof(name));
    assert_int_equal(cairn_schema_write_command(&schema, text, sizeof(text), NULL), 0);
    schema.name.length++;
    assert_int_equal(cairn_schema_write_command(&schema, text, sizeof(text), NULL), E2BIG);

    schema.name.length = 255;
    schema.fields = &field;
    schema.field_count = 1;
    field.name = (struct cairn_slice){name, 251};
    assert_int_equal(cairn_schema_write_command(&schema, text, sizeof(text), NULL), 0);
    assert_int_equal(strlen(text), CAIRN_COMMAND_MAX_BYTES - 1);
    field.name.length++;
    assert_int_equal(cairn_schema_write_command(&schema, text, sizeof(text), NULL), E2BIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_are_those_of_linux),
        cmocka_unit_test(macros_in_printk_are_expanded_except_printing_helpers),
        cmocka_unit_test(every_type_has_a_format),
        cmocka_unit_test(a_format_may_have_no_fields_and_arguments),
        cmocka_unit_test(only_the_word_entry_is_replaced_by_rec),
        cmocka_unit_test(a_format_that_does_not_fit_is_an_error),
        cmocka_unit_test(each_event_has_a_command),
        cmocka_unit_test(a_type_unknown_to_the_kernel_becomes_a_struct),
        cmocka_unit_test(a_command_describes_the_same_bytes),
        cmocka_unit_test(a_name_or_command_over_the_limit_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
