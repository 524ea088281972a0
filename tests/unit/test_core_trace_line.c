/* SPDX-License-Identifier: MIT */
/*
 * Test of text lines of records. Those in `kernel_lines` were read from the `trace` of Linux
 * 6.12.117, to which the same payloads had been written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace_record.h"

#include <cairn/kernel/host.h>
#include <stdio.h>
#include <stdlib.h>

static struct test_event event;
static char line[8192];
static uint64_t record_memory[CAIRN_RECORD_MAX_BYTES / 8];

/* Adds the line of a record to an empty text. */
static int print_record(const void *record, size_t size_bytes)
{
    struct cairn_trace_names names = test_event_names(&event);
    struct cairn_text text = cairn_text(line, sizeof(line) - 1);
    int err = cairn_trace_line(&names, record, size_bytes, &text);

    line[cairn_text_length(&text)] = '\0';
    return err;
}

static const char *print_head(struct cairn_record_head head, const void *payload,
                              uint32_t payload_bytes)
{
    size_t size = test_record(record_memory, head, payload, payload_bytes);

    assert_int_equal(print_record(record_memory, size), 0);
    return line;
}

/* The part of the line after the time. */
static const char *print_payload(const char *command, const void *payload, uint32_t payload_bytes)
{
    struct cairn_record_head head = {.common_type = 1500, .common_pid = 53};
    const char *text;

    test_event_init(&event, command);
    text = strstr(print_head(head, payload, payload_bytes), ": ");
    assert_non_null(text);
    return text + 2;
}

#define PAYLOAD(bytes) bytes, sizeof(bytes) - 1

static const struct {
    const char *command;
    const char *payload;
    uint32_t payload_bytes;
    const char *text;
} kernel_lines[] = {
    {"e_none", PAYLOAD(""), "e_none:No fields found\n"},
    {"e_ints s8 a; u8 b; s16 c; u16 d; s32 e; u32 f; s64 g; u64 h",
     PAYLOAD(
         "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
         "\xff\xff\xff\xff\xff\xff\xff\xff"),
     "e_ints: a='\xff'(255) b='\xff'(255) c=0xffff (65535) d=0xffff (65535) e=0xffffffff (-1) "
     "f=0xffffffff (-1) g=0xffffffffffffffff (-1) h=0xffffffffffffffff (-1)\n"},
    {"e_ints2 s8 a; u8 b; s16 c; u16 d; s32 e; u32 f; s64 g; u64 h",
     PAYLOAD("A\x07\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14"
             "\x15\x16\x17\x18\x19\x1a\x1b\x1c"),
     "e_ints2: a='A'(65) b=(7) c=0x201 (513) d=0x403 (1027) e=0x8070605 (134678021) f=0xc0b0a09 "
     "(202050057) g=0x14131211100f0e0d (1446519769809227277) h=0x1c1b1a1918171615 "
     "(2025241152513840661)\n"},
    {"e_bool2 char c; unsigned char d; int i; unsigned int u; short s; unsigned short w",
     PAYLOAD("z \xfe\xff\xff\xff\xfe\xff\xff\xff\xfe\xff\xfe\xff"),
     "e_bool2: c='z'(122) d=' '(32) i=0xfffffffe (-2) u=0xfffffffe (-2) s=0xfffe (65534) w=0xfffe "
     "(65534)\n"},
    {"e_chars char a; char b; char c; char d; char e; char f", PAYLOAD("\x7f\xa0\xff\x80~\x1f"),
     "e_chars: a=(127) b='\xa0'(160) c='\xff'(255) d=(128) e='~'(126) f=(31)\n"},
    {"e_static char[8] a; char[4] b; unsigned char[4] c", PAYLOAD("abc\0defgwxyz\x41\x42\0\x44"),
     "e_static: a=abc b=wxyz c=AB\n"},
    {"e_dyn __data_loc char[] s", PAYLOAD("\x0c\0\x06\0hello\0"), "e_dyn: s=hello\n"},
    {"e_dynarr __data_loc u8[] s", PAYLOAD("\x0c\0\x05\0\1\2\xff\0\x10"),
     "e_dynarr: s=01,02,ff,00,10\n"},
    {"e_rel __rel_loc char[] s", PAYLOAD("\0\0\6\0there\0"), "e_rel: s=there\n"},
    {"e_relarr __rel_loc u8[] s", PAYLOAD("\0\0\4\0\x09\x08\x07\x06"), "e_relarr: s=09,08,07,06\n"},
    {"e_relmid __rel_loc u8[] s; u32 b", PAYLOAD("\4\0\4\0\x4d\0\0\0\x09\x08\x07\x06"),
     "e_relmid: s=09,08,07,06 b=0x4d (77)\n"},
    {"e_mask __data_loc cpumask_t m", PAYLOAD("\x0c\0\4\0\x09\x08\x07\x06"),
     "e_mask: m=<INVALID-TYPE>\n"},
    {"e_dynempty __data_loc u8[] s", PAYLOAD("\x0c\0\0\0"), "e_dynempty: s=\n"},
    {"e_struct8 struct foo a 8; struct bar b 5; u32 c", PAYLOAD("\1\2\3\4\5\6\7\x8zzzzz\1\0\0\0"),
     "e_struct8: a=0x807060504030201 (578437695752307201) b=<INVALID-SIZE> c=0x1 (1)\n"},
    {"e_struct124 struct foo a 1; struct bar b 2; struct baz c 4; struct char_x d 3",
     PAYLOAD("\1\2\3\4\5\6\7xyz"),
     "e_struct124: a=(1) b=0x302 (770) c=0x7060504 (117835012) d=<INVALID-SIZE>\n"},
    {"e_nl char[6] a; u8 b", PAYLOAD("a\nb\x1b\tc\n"), "e_nl: a=a\nb\x1b\tc b=(10)\n"},
    {"e_longer u32 a", PAYLOAD("\1\0\0\0\2\0\0\0\3\0\0\0"), "e_longer: a=0x1 (1)\n"},
};

static void fields_are_printed_as_by_the_kernel(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(kernel_lines) / sizeof(*kernel_lines); i++)
        assert_string_equal(print_payload(kernel_lines[i].command, kernel_lines[i].payload,
                                          kernel_lines[i].payload_bytes),
                            kernel_lines[i].text);
}

/* Prints as the TP_printk of the kernel's softirq_raise. */
static void print_softirq(struct cairn_text *to, const void *raw, size_t raw_bytes)
{
    static const struct cairn_text_name actions[] = {
        {0, "HI"}, {1, "TIMER"}, {7, "SCHED"}, {9, "RCU"}, {0, NULL}};
    uint32_t vector;

    assert_true(raw_bytes >= 12);
    memcpy(&vector, (const char *)raw + 8, sizeof(vector));
    cairn_text_printf(to, "vec=%u [action=%s]", vector, cairn_text_symbolic(to, vector, actions));
}

/* Lines of the same kernel: in interrupts and soft interrupts, with and without need to
 * reschedule. */
static void contexts_are_printed_as_by_the_kernel(void **state)
{
    static const struct {
        const char *comm;
        int32_t tid;
        uint32_t cpu, vector;
        uint8_t flags;
        uint64_t time_ns;
        const char *line;
    } lines[] = {
        {NULL, 0, 1, 1, CAIRN_TRACE_FLAG_IRQS_OFF | CAIRN_TRACE_FLAG_HARDIRQ, 4006040499,
         "          <idle>-0       [001] d.h..     4.006040: softirq_raise: vec=1 "
         "[action=TIMER]\n"},
        {NULL, 0, 1, 1, CAIRN_TRACE_FLAG_SOFTIRQ, 4006214000,
         "          <idle>-0       [001] ..s..     4.006214: softirq_raise: vec=1 "
         "[action=TIMER]\n"},
        {NULL, 0, 1, 7,
         CAIRN_TRACE_FLAG_SOFTIRQ | CAIRN_TRACE_FLAG_NEED_RESCHED |
             CAIRN_TRACE_FLAG_PREEMPT_RESCHED,
         4006321001,
         "          <idle>-0       [001] .Ns..     4.006321: softirq_raise: vec=7 "
         "[action=SCHED]\n"},
        {"", 53, 0, 9, CAIRN_TRACE_FLAG_IRQS_OFF | CAIRN_TRACE_FLAG_HARDIRQ, 4006510123,
         "                -53      [000] d.h..     4.006510: softirq_raise: vec=9 [action=RCU]\n"},
        {NULL, 0, 1, 1,
         CAIRN_TRACE_FLAG_IRQS_OFF | CAIRN_TRACE_FLAG_HARDIRQ | CAIRN_TRACE_FLAG_NEED_RESCHED |
             CAIRN_TRACE_FLAG_PREEMPT_RESCHED,
         4010611000,
         "          <idle>-0       [001] dNh..     4.010611: softirq_raise: vec=1 "
         "[action=TIMER]\n"},
        {"kworker/1:1", 37, 1, 5, CAIRN_TRACE_FLAG_IRQS_OFF, 4006459000,
         "     kworker/1:1-37      [001] d....     4.006459: softirq_raise: vec=5 [action=0x5]\n"},
        {NULL, 53, 0, 5, 0, 3950629000,
         "           <...>-53      [000] .....     3.950629: softirq_raise: vec=5 [action=0x5]\n"},
    };

    (void)state;
    test_event_init(&event, "softirq_raise u32 vec");
    event.print = print_softirq;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        struct cairn_record_head head = {.common_type = 1500,
                                         .common_pid = lines[i].tid,
                                         .cpu = lines[i].cpu,
                                         .common_flags = lines[i].flags,
                                         .time_ns = lines[i].time_ns};

        event.comm = lines[i].comm;
        assert_string_equal(print_head(head, &lines[i].vector, 4), lines[i].line);
    }
}

/* By the rules of trace_print_lat_fmt; a small virtual machine cannot reach these states. */
static void every_state_of_interrupts_and_preemption_has_its_letters(void **state)
{
    static const struct {
        uint8_t flags, preempt_count;
        const char *letters;
    } states[] = {
        {0x00, 0x00, "....."}, {0x01, 0x01, "d..1."}, {0x80, 0x0f, "b..f."}, {0x81, 0x10, "D...1"},
        {0x04, 0xf0, ".n..f"}, {0x20, 0x2c, ".p.c2"}, {0x24, 0x00, ".N..."}, {0x02, 0x00, ".l..."},
        {0x06, 0x00, ".b..."}, {0x22, 0x00, ".L..."}, {0x26, 0x00, ".B..."}, {0x08, 0x00, "..h.."},
        {0x10, 0x00, "..s.."}, {0x18, 0x00, "..H.."}, {0x40, 0x00, "..z.."}, {0x48, 0x00, "..Z.."},
        {0x50, 0x00, "..z.."}, {0x58, 0x00, "..Z.."}, {0xff, 0xff, "DBZff"},
    };

    (void)state;
    test_event_init(&event, "e u8 a");
    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
        struct cairn_record_head head = {.common_type = 1500,
                                         .common_flags = states[i].flags,
                                         .common_preempt_count = states[i].preempt_count};
        const char *text = print_head(head, "x", 1);

        assert_memory_equal(strstr(text, "] ") + 2, states[i].letters, 5);
    }
}

static void large_numbers_move_the_rest_to_the_right(void **state)
{
    struct cairn_record_head head = {
        .common_type = 1500, .common_pid = 123456789, .cpu = 12345, .time_ns = UINT64_MAX - 500};

    (void)state;
    test_event_init(&event, "e u8 a");
    event.comm = "0123456789abcde";
    assert_string_equal(
        print_head(head, "x", 1),
        " 0123456789abcde-123456789 [12345] ..... 18446744073.709551: e: a='x'(120)\n");
    head.common_pid = -5;
    head.time_ns = 499;
    assert_string_equal(print_head(head, "x", 1),
                        "           <XXX>--5      [12345] .....     0.000000: e: a='x'(120)\n");
    head.time_ns = 999999500;
    assert_string_equal(print_head(head, "x", 1),
                        "           <XXX>--5      [12345] .....     1.000000: e: a='x'(120)\n");
    head.time_ns = UINT64_MAX;
    assert_string_equal(print_head(head, "x", 1),
                        "           <XXX>--5      [12345] .....     0.000000: e: a='x'(120)\n");
}

static void an_unknown_event_is_printed_with_its_number(void **state)
{
    struct cairn_record_head head = {.common_type = 65535};

    (void)state;
    test_event_init(&event, "e u8 a");
    assert_string_equal(print_head(head, "x", 1),
                        "          <idle>-0       [000] .....     0.000000: Unknown type 65535\n");
}

static void without_a_comm_function_names_are_unknown(void **state)
{
    struct cairn_trace_names names = test_event_names(&event);
    struct cairn_record_head head = {.common_type = 1500, .common_pid = 1};
    struct cairn_text text = cairn_text(line, sizeof(line));
    size_t size;

    (void)state;
    test_event_init(&event, "e");
    names.comm = NULL;
    size = test_record(record_memory, head, "", 0);
    assert_int_equal(cairn_trace_line(&names, record_memory, size, &text), 0);
    assert_memory_equal(line, "           <...>-1 ", 18);
}

static void fields_missing_in_a_short_record_are_printed_as_overflow(void **state)
{
    (void)state;
    assert_string_equal(
        print_payload("e u32 a; u32 b; u64 c; char[4] d; __data_loc char[] s", "\1\0\0\0", 4),
        "e: a=0x1 (1) b=<OVERFLOW> c=<OVERFLOW> d=<OVERFLOW> s=<OVERFLOW>\n");
    assert_string_equal(print_payload("e u32 a", "", 0), "e: a=0x0 (0)\n"); /* padding */
    assert_string_equal(print_payload("e u64 a", "", 0), "e: a=<OVERFLOW>\n");
}

static void a_print_function_is_not_called_for_a_short_record(void **state)
{
    struct cairn_record_head head = {.common_type = 1500};

    (void)state;
    test_event_init(&event, "softirq_raise u32 vec; u64 more");
    event.print = print_softirq;
    assert_non_null(
        strstr(print_head(head, "\7\0\0\0", 4), ": softirq_raise: vec=0x7 (7) more=<OVERFLOW>\n"));
}

/* Bytes other than 0 and 1 in a bool are undefined behaviour, which a sanitizer reports. */
static void print_bools(struct cairn_text *to, const void *raw, size_t raw_bytes)
{
    const bool *bools = (const bool *)((const char *)raw + CAIRN_COMMON_BYTES);
    const uint8_t *bytes = (const uint8_t *)bools;

    assert_true(raw_bytes >= 20);
    cairn_text_printf(to, "%d %d %d %d, %d %d, %u", bools[0], bools[1], bools[2], bools[3],
                      bools[9], bools[10], bytes[11]);
}

static void a_print_function_gets_only_valid_bools(void **state)
{
    static const char payload[] = "\x0f\0\x80\2" /* one, pair, three */
                                  "\1\0\2\0"     /* two bytes, beginning one byte after this */
                                  "\7\x0f\2\x0f";
    struct cairn_record_head head = {.common_type = 1500};

    (void)state;
    test_event_init(&event, "e u8 one; struct pair pair 2; u8 three; __rel_loc u8[] two; u32 far");
    event.print = print_bools;
    for (uint32_t i = 0; i < event.schema.field_count; i++)
        event.schema.fields[i].kind = CAIRN_FIELD_BOOL;
    event.schema.fields[4].offset = 0xfffffffe; /* points outside the record */
    assert_non_null(strstr(print_head(head, PAYLOAD(payload)), ": 1 0 1 1, 1 1, 15\n"));
    assert_memory_equal((const char *)record_memory + sizeof(head), payload, sizeof(payload) - 1);
}

static void invalid_locations_of_bools_are_harmless(void **state)
{
    struct cairn_record_head head = {.common_type = 1500};
    uint8_t payload[12];

    (void)state;
    test_event_init(&event, "e __rel_loc u8[] a; __data_loc u8[] b; u32 c");
    event.print = print_softirq;
    for (uint32_t i = 0; i < 2; i++)
        event.schema.fields[i].kind = CAIRN_FIELD_BOOL;
    for (uint32_t i = 0; i < 256; i++) {
        memset(payload, (int)i, sizeof(payload));
        print_head(head, payload, sizeof(payload));
    }
}

static void fields_that_point_outside_are_printed_as_overflow(void **state)
{
    (void)state;
    assert_string_equal(print_payload("e __data_loc char[] s", PAYLOAD("\x0c\0\6\0hell")),
                        "e: s=hell\n"); /* up to the end of the padding */
    assert_string_equal(print_payload("e __data_loc char[] s", PAYLOAD("\x0c\0\x0d\0hell")),
                        "e: s=<OVERFLOW>\n");
    assert_string_equal(print_payload("e __data_loc u8[] s", PAYLOAD("\xff\xff\1\0hell")),
                        "e: s=<OVERFLOW>\n");
    assert_string_equal(print_payload("e __rel_loc u8[] s", PAYLOAD("\xff\xff\xff\xffhell")),
                        "e: s=<OVERFLOW>\n");
    assert_string_equal(print_payload("e __data_loc u8[] s", PAYLOAD("\x0c\0\xff\xffhell")),
                        "e: s=<OVERFLOW>\n");
}

static void records_can_be_printed_by_format_texts_of_the_kernel(void **state)
{
    static const char format[] =
        "name: modload\nID: 1500\nformat:\n"
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
        "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
        "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
        "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
        "\tfield:const char * name;\toffset:8;\tsize:8;\tsigned:0;\n"
        "\tfield:void * ip;\toffset:16;\tsize:8;\tsigned:0;\n"
        "\tfield:u32 a[2];\toffset:24;\tsize:8;\tsigned:0;\n"
        "\tfield:char comm[4];\toffset:32;\tsize:4;\tsigned:0;\n"
        "\nprint fmt: \"%s\", REC->name\n";
    struct cairn_record_head head = {.common_type = 1500};

    (void)state;
    event = (struct test_event){.id = 1500};
    assert_int_equal(cairn_schema_parse_format(format, strlen(format), 8, event.fields,
                                               CAIRN_FIELDS_MAX, &event.schema),
                     0);
    assert_non_null(
        strstr(print_head(head, PAYLOAD("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0init")),
               ": modload: name=(0x0000000000000001) ip=0x2 (2) a=0x3 (3) comm=init\n"));
}

static void an_invalid_record_has_no_line(void **state)
{
    struct cairn_record_head head = {.common_type = 1500};
    size_t size;

    (void)state;
    test_event_init(&event, "e u8 a");
    size = test_record(record_memory, head, "x", 1);
    for (size_t less = 1; less <= size; less++)
        assert_int_equal(print_record(record_memory, size - less), EBADMSG);
    ((struct cairn_record_head *)record_memory)->raw_size_bytes++;
    assert_int_equal(print_record(record_memory, size), EBADMSG);
    assert_string_equal(line, "");
}

static void a_record_may_have_any_address(void **state)
{
    struct cairn_record_head head = {.common_type = 1500};
    char moved[256];
    size_t size;

    (void)state;
    test_event_init(&event, "e u16 a; u32 b; u64 c");
    size = test_record(record_memory, head, "\1\0\2\0\0\0\3\0\0\0\0\0\0\0", 14);
    for (size_t by = 0; by < 8; by++) {
        memcpy(moved + by, record_memory, size);
        assert_int_equal(print_record(moved + by, size), 0);
        assert_non_null(strstr(line, ": e: a=0x1 (1) b=0x2 (2) c=0x3 (3)\n"));
    }
}

static void a_line_ends_before_the_first_part_that_does_not_fit(void **state)
{
    struct cairn_trace_names names = test_event_names(&event);
    struct cairn_record_head head = {.common_type = 1500};
    char memory[256], whole[256];
    size_t size, length;

    (void)state;
    test_event_init(&event, "e u32 a; char[4] b");
    size = test_record(record_memory, head, "\1\0\0\0abcd", 8);
    assert_int_equal(print_record(record_memory, size), 0);
    length = strlen(line);
    memcpy(whole, line, length);
    for (size_t bytes = 0; bytes <= length; bytes++) {
        struct cairn_text text = cairn_text(memory, bytes);

        memset(memory, '~', sizeof(memory));
        assert_int_equal(cairn_trace_line(&names, record_memory, size, &text),
                         bytes < length ? ENOSPC : 0);
        assert_memory_equal(memory, whole, cairn_text_length(&text));
        assert_int_equal(memory[bytes], '~');
    }
}

static void print_text(struct cairn_text *to, const void *raw, size_t raw_bytes)
{
    const char *zeros = (const char *)raw + raw_bytes;

    assert_int_equal((uintptr_t)raw % 8, 0);
    for (size_t i = 0; i < CAIRN_TRACE_PRINT_SLACK_BYTES; i++)
        assert_int_equal(zeros[i], 0);
    cairn_text_printf(to, "%s", (const char *)raw + 8);
}

static void a_print_function_may_read_a_few_bytes_after_the_record(void **state)
{
    struct cairn_record_head head = {.common_type = 1500};

    (void)state;
    test_event_init(&event, "e char[12] a");
    event.print = print_text;
    assert_non_null(strstr(print_head(head, "no NUL in it", 12), ": e: no NUL in it\n"));
}

static void a_print_function_is_not_called_without_memory_for_a_copy(void **state)
{
    struct cairn_trace_names names = test_event_names(&event);
    struct cairn_record_head head = {.common_type = 1500};
    size_t size;

    (void)state;
    test_event_init(&event, "e char[12] a");
    event.print = print_text;
    size = test_record(record_memory, head, "no NUL in it", 12);
    for (size_t bytes = 0; bytes < 200; bytes++) {
        char *memory = malloc(bytes + 1);
        struct cairn_text text = cairn_text(memory, bytes);
        int err = cairn_trace_line(&names, record_memory, size, &text);

        assert_true(err == 0 || err == ENOSPC);
        assert_int_equal(cairn_text_length(&text) + text.left, bytes);
        if (err == 0)
            assert_true(bytes >= cairn_text_length(&text) + CAIRN_TRACE_PRINT_SLACK_BYTES);
        if (bytes == 199)
            assert_int_equal(err, 0);
        free(memory);
    }
}

static void strings_of_a_print_function_leave_memory_for_the_next_line(void **state)
{
    struct cairn_trace_names names = test_event_names(&event);
    struct cairn_record_head head = {.common_type = 1500};
    struct cairn_text text = cairn_text(line, 500);
    size_t size;

    (void)state;
    test_event_init(&event, "softirq_raise u32 vec");
    event.print = print_softirq;
    size = test_record(record_memory, head, "\1\0\0\0", 4);
    for (size_t i = 1; i <= 3; i++) {
        assert_int_equal(cairn_trace_line(&names, record_memory, size, &text), 0);
        assert_int_equal(text.left, 500 - cairn_text_length(&text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_printed_as_by_the_kernel),
        cmocka_unit_test(contexts_are_printed_as_by_the_kernel),
        cmocka_unit_test(every_state_of_interrupts_and_preemption_has_its_letters),
        cmocka_unit_test(large_numbers_move_the_rest_to_the_right),
        cmocka_unit_test(an_unknown_event_is_printed_with_its_number),
        cmocka_unit_test(without_a_comm_function_names_are_unknown),
        cmocka_unit_test(fields_missing_in_a_short_record_are_printed_as_overflow),
        cmocka_unit_test(a_print_function_is_not_called_for_a_short_record),
        cmocka_unit_test(a_print_function_gets_only_valid_bools),
        cmocka_unit_test(invalid_locations_of_bools_are_harmless),
        cmocka_unit_test(fields_that_point_outside_are_printed_as_overflow),
        cmocka_unit_test(records_can_be_printed_by_format_texts_of_the_kernel),
        cmocka_unit_test(an_invalid_record_has_no_line),
        cmocka_unit_test(a_record_may_have_any_address),
        cmocka_unit_test(a_line_ends_before_the_first_part_that_does_not_fit),
        cmocka_unit_test(a_print_function_may_read_a_few_bytes_after_the_record),
        cmocka_unit_test(a_print_function_is_not_called_without_memory_for_a_copy),
        cmocka_unit_test(strings_of_a_print_function_leave_memory_for_the_next_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
