/* SPDX-License-Identifier: MIT */
/*
 * Test of typed tracepoints with both backends: perf, with a filter that the kernel applies, and
 * cairn, with the same filter, record the same events; and ftrace prints the fields.
 */
#include "guest.h"

#include <cairn/typed_tracepoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum colour { RED, GREEN = 7 };

/* clang-format off */
CAIRN_TRACEPOINT(typed, TP_SYSTEM(guest),
    TP_PROTO(int32_t number, const char *text, enum colour colour),
    TP_ARGS(number, text, colour),
    TP_STRUCT__entry(__field(int32_t, number) __string(text, text) __field(enum colour, colour)
                     __array(char, fixed, 12) __field(bool, even) __field(uint64_t, wide)),
    TP_fast_assign(
        __entry->number = number;
        __assign_str(text);
        __entry->colour = colour;
        (void)snprintf(__entry->fixed, sizeof(__entry->fixed), "f%d", number);
        __entry->even = number % 2 == 0;
        __entry->wide = (uint64_t)number << 40;),
    TP_printk("number=%d text=%s", __entry->number, __get_str(text)));
/* clang-format on */

#define FILTER "number > 3 && text ~ \"w*\" && wide < 0x6400000000000 || fixed == \"f-5\""

static void emit(void)
{
    static const char *const texts[] = {"wanted", "other", "what"};

    for (int i = -10; i < 200; i++)
        trace_typed(i, texts[(i + 12) % 3], i % 2 ? RED : GREEN);
}

static void both_backends_record_the_same_typed_events(void **state)
{
    (void)state;
    assert_int_equal(setenv("CAIRN_BACKEND", "kernel", 1), 0);
    guest_run("perf record -q -k CLOCK_MONOTONIC -e user_events:guest_typed --filter '" FILTER "' "
              "-o /tmp/kernel.data -- tests/kernel/test_kernel_trace emit");
    assert_int_equal(setenv("CAIRN_BACKEND", "local", 1), 0);
    guest_run("./cairn record -q -e 'guest_*' --filter '" FILTER "' -o /tmp/local.data -- "
              "tests/kernel/test_kernel_trace emit");
    guest_run("for f in kernel local; do ./cairn decode -f jsonl /tmp/$f.data | "
              "sed 's/.*\"event\"/\"event\"/' >/tmp/$f.events; done");
    guest_run("test $(wc -l </tmp/local.events) -gt 50");
    guest_run("cmp /tmp/kernel.events /tmp/local.events");
}

static void ftrace_prints_the_fields(void **state)
{
    (void)state;
    guest_run("echo 1 >/sys/kernel/tracing/events/user_events/guest_typed/enable");
    trace_typed(5, "shown", GREEN);
    guest_run("grep -q 'guest_typed: number=0x5 (5) text=shown colour=0x7 (7) fixed=f5 even=(0) "
              "wide=0x50000000000 (5497558138880)' /sys/kernel/tracing/trace");
    guest_run("echo 0 >/sys/kernel/tracing/events/user_events/guest_typed/enable");
    assert_false(trace_typed_enabled());
}

static void the_kernels_format_is_that_of_the_schema(void **state)
{
    char wanted[CAIRN_FORMAT_MAX_BYTES];
    char command[CAIRN_COMMAND_MAX_BYTES];
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
    char found[sizeof(wanted)];
    FILE *file = fopen("/sys/kernel/tracing/events/user_events/guest_typed/format", "re");
    size_t length;
    uint32_t id;

    (void)state;
    assert_non_null(file);
    length = fread(found, 1, sizeof(found) - 1, file);
    found[length] = '\0';
    (void)fclose(file);
    assert_int_equal(sscanf(found, "name: guest_typed\nID: %u", &id), 1);
    (void)snprintf(command, sizeof(command), "%s", cairn_event_typed.tracepoint.command);
    assert_int_equal(cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, NULL),
                     0);
    assert_int_equal(cairn_schema_write_format(&schema, id, wanted, sizeof(wanted), NULL), 0);
    assert_string_equal(found, wanted);
    /* The compiler has placed the fields at these offsets. */
    for (uint32_t i = 0; i < schema.field_count; i++) {
        const struct cairn_field *typed = &cairn_event_typed.event_class->schema.fields[i];

        assert_int_equal(fields[i].offset, typed->offset);
        assert_int_equal(fields[i].size_bytes, typed->size_bytes);
        /* Plain char has the signedness of the machine in one, and is unsigned in the other. */
        if (typed->kind != CAIRN_FIELD_STRING)
            assert_int_equal(fields[i].is_signed, typed->is_signed);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_backends_record_the_same_typed_events),
        cmocka_unit_test(ftrace_prints_the_fields),
        cmocka_unit_test(the_kernels_format_is_that_of_the_schema),
    };

    if (argc > 1 && strcmp(argv[1], "emit") == 0) {
        emit();
        return 0;
    }
    guest_go_to_build_directory();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
