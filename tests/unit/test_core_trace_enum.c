/* SPDX-License-Identifier: MIT */
/* Test of names that `format` shows as numbers: TRACE_DEFINE_ENUM and TRACE_DEFINE_SIZEOF. */
#define CAIRN_KERNEL
#define CREATE_TRACE_POINTS
#include <cairn/linux_trace_event.h>

#include "core_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Definitions as in headers of Linux: in lists, one of another system, and one that the compiler
 * evaluates. */
enum speed { SLOW, FAST = 1000000, FASTER = -3, FAST_LANE = 8 };
enum { LEFT = 1, level = 6 };
typedef struct {
    char bytes[24];
} lane_t;

/* clang-format off */
#define TRACE_SYSTEM other-road
TRACE_DEFINE_ENUM(LEFT);
#undef TRACE_SYSTEM
#define TRACE_SYSTEM road

#define SPEEDS EM(SLOW, "slow") EM(FAST, "FAST") EM(FASTER, "say \"FASTER\"") EMe(FAST_LANE, "lane")
#define EM(a, b)  TRACE_DEFINE_ENUM(a);
#define EMe(a, b) TRACE_DEFINE_ENUM(a);
SPEEDS
#undef EM
#undef EMe
#define EM(a, b)  {a, b},
#define EMe(a, b) {a, b}
TRACE_DEFINE_ENUM(level); /* a member of an event has this name, too */
TRACE_DEFINE_SIZEOF(lane_t);

TRACE_EVENT(drive,
    TP_PROTO(int level),
    TP_ARGS(level),
    TP_STRUCT__entry(
        __field(int, level)
    ),
    TP_fast_assign(
        __entry->level = level;
    ),
    TP_printk("FAST \\%s %d %d %d", __print_symbolic(__entry->level, SPEEDS), __entry->level > FAST_LANE,
              (int)(__entry->level / sizeof(lane_t)), LEFT + level + 0xFA + (int)FASTER)
);
/* clang-format on */

#define FIELDS                                                                     \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                   \
    "\tfield:int level;\toffset:8;\tsize:4;\tsigned:1;\n\n"

static struct core_host core;

static int open_core(void **state)
{
    (void)state;
    core.host = (struct cairn_host)CORE_HOST_INIT;
    return core_host_open(&core, 1, 256 << 10, CAIRN_TRACE_OVERWRITE, __start_cairn_trace_events,
                          __stop_cairn_trace_events);
}

static int close_core(void **state)
{
    (void)state;
    core_host_close(&core, __start_cairn_trace_events, __stop_cairn_trace_events);
    return core_host_allocated != 0;
}

static void test_format_shows_names_as_numbers(void **state)
{
    char shown[2048] = "";
    size_t length;

    (void)state;
    assert_int_equal(cairn_trace_file_read(&core.trace, "events/road/drive/format", 0, shown,
                                           sizeof(shown) - 1, &length),
                     0);
    shown[length] = '\0';
    assert_string_equal(
        shown, "name: drive\nID: 1\nformat:\n" FIELDS
               "print fmt: \"FAST \\%s %d %d %d\", __print_symbolic(REC->level, {0, \"slow\"}, "
               "{1000000, \"FAST\"}, {-3, \"say \\\"FASTER\\\"\"}, {8, \"lane\"}), REC->level > 8, "
               "(int)(REC->level / 24), LEFT + 6 + 0xFA + (int)-3\n");
}

/* A schema without a trace has no values for names. */
static void test_a_schema_without_a_trace_keeps_names(void **state)
{
    struct cairn_schema schema;
    char shown[2048];

    (void)state;
    cairn_trace_event_schema(&cairn_event_drive, &schema);
    assert_int_equal(cairn_schema_write_format(&schema, 1, shown, sizeof(shown), NULL), 0);
    assert_non_null(strstr(shown, "{FAST_LANE, \"lane\"}), REC->level > FAST_LANE, "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format_shows_names_as_numbers),
        cmocka_unit_test(test_a_schema_without_a_trace_keeps_names),
    };

    return cmocka_run_group_tests(tests, open_core, close_core);
}
