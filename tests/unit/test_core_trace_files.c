/* SPDX-License-Identifier: MIT */
/* Test of the table of tracepoints, and of the files of tracefs: contents, accepted and refused
 * input. */
#define CAIRN_KERNEL
#include <cairn/typed_tracepoint.h>

#include "core_host.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <setjmp.h>
#include <cmocka.h>

CAIRN_TRACEPOINT(pair, TP_SYSTEM(demo), TP_PROTO(uint32_t a, uint32_t b), TP_ARGS(a, b),
                 TP_STRUCT__entry(__field(uint32_t, a) __array(char, comm, 16)
                                      __string(text, "text")),
                 TP_fast_assign(__entry->a = a + b; memset(__entry->comm, 0, 16);
                                __assign_str(text);),
                 TP_printk("a=%u comm=%s text=%s", __entry->a, __entry->comm, __get_str(text)));

CAIRN_TRACEPOINT(other, TP_SYSTEM(demo), TP_PROTO(int64_t n), TP_ARGS(n),
                 TP_STRUCT__entry(__field(int64_t, n)), TP_fast_assign(__entry->n = n;),
                 TP_printk("n=%lld", (long long)__entry->n));

/* An event with the name of a system, and one of another system with that name. */
CAIRN_TRACEPOINT(demo, TP_SYSTEM(odd), TP_PROTO(int64_t n), TP_ARGS(n),
                 TP_STRUCT__entry(__field(int64_t, n)), TP_fast_assign(__entry->n = n;),
                 TP_printk("n=%lld", (long long)__entry->n));
CAIRN_TRACEPOINT_CLASS(class, TP_SYSTEM(odd), TP_PROTO(int64_t n), TP_ARGS(n),
                       TP_STRUCT__entry(__field(int64_t, m)), TP_fast_assign(__entry->m = n;),
                       TP_printk("m=%lld", (long long)__entry->m));
CAIRN_TRACEPOINT_EVENT(class, alone, TP_SYSTEM(last), TP_PROTO(int64_t n), TP_ARGS(n));

/* Not sorted, one twice, and a gap: as a linker may place them. */
static struct cairn_trace_event *const events[] = {
    &cairn_event_pair, &cairn_event_other, NULL,
    &cairn_event_demo, &cairn_event_pair,  &cairn_event_alone,
};
#define STOP (events + sizeof(events) / sizeof(events[0]))

static struct core_host core;

static int open_core(void **state)
{
    (void)state;
    core.host = (struct cairn_host)CORE_HOST_INIT;
    core_host_cpu = (struct core_host_cpu){.tid = 77, .comm = "one"};
    core_host_time_ns = 12345678000;
    return core_host_open(&core, 2, 256 << 10, CAIRN_TRACE_OVERWRITE, events, STOP);
}

static int close_core(void **state)
{
    (void)state;
    core_host_close(&core, events, STOP);
    return core_host_cpu.entered != 0 || core_host_allocated != 0;
}

/* ---- files ---- */

static char shown[4096];

static const char *show(const char *path)
{
    size_t length = 0;
    int err = cairn_trace_file_read(&core.trace, path, 0, shown, sizeof(shown) - 1, &length);

    shown[length] = 0;
    if (err)
        snprintf(shown, sizeof(shown), "errno %d", err);
    return shown;
}

static int put(const char *path, const char *text)
{
    return cairn_trace_file_write(&core.trace, path, text, strlen(text));
}

static bool enabled(struct cairn_trace_event *event)
{
    return cairn_trace_event_is_enabled(event);
}

static void enable_only(const char *pattern)
{
    assert_int_equal(cairn_trace_file_truncate(&core.trace, "set_event"), 0);
    assert_int_equal(put("set_event", pattern), 0);
}

/* ---- the table ---- */

static void test_ids_are_assigned_in_order_and_once(void **state)
{
    (void)state;
    assert_int_equal(cairn_event_pair.id, 1);
    assert_int_equal(cairn_event_other.id, 2);
    assert_int_equal(cairn_event_demo.id, 3);
    assert_int_equal(cairn_event_alone.id, 4);
    assert_ptr_equal(cairn_trace_find_id(&core.trace, 3), &cairn_event_demo);
    assert_null(cairn_trace_find_id(&core.trace, 0));
    assert_null(cairn_trace_find_id(&core.trace, 5));
    assert_null(cairn_trace_find_id(&core.trace, UINT32_MAX));
}

static void test_events_are_found_by_system_and_name(void **state)
{
    (void)state;
    assert_ptr_equal(cairn_trace_find(&core.trace, "demo:pair"), &cairn_event_pair);
    assert_ptr_equal(cairn_trace_find(&core.trace, "last:alone"), &cairn_event_alone);
    assert_null(cairn_trace_find(&core.trace, "odd:alone"));
    assert_null(cairn_trace_find(&core.trace, "demopair"));
    assert_null(cairn_trace_find(&core.trace, "pair"));
    assert_null(cairn_trace_find(&core.trace, ""));
    assert_ptr_equal(cairn_trace_next(&core.trace, NULL), &cairn_event_pair);
    assert_ptr_equal(cairn_trace_next(&core.trace, &cairn_event_demo), &cairn_event_alone);
    assert_null(cairn_trace_next(&core.trace, &cairn_event_alone));
}

static struct cairn_trace_event made[16];
static char names[16][8];

static struct cairn_trace_event *make(uint32_t number, const char *name)
{
    snprintf(names[number], sizeof(names[number]), "%s", name);
    made[number] = (struct cairn_trace_event){
        .name = names[number], .system = "made", .event_class = cairn_event_other.event_class};
    return &made[number];
}

static void test_events_of_modules_can_be_added_and_removed(void **state)
{
    struct cairn_trace_event *first[] = {make(0, "a"), make(1, "b")};
    struct cairn_trace_event *second[] = {make(2, "a"), make(3, "c")};

    (void)state;
    assert_int_equal(cairn_trace_add(&core.trace, first, first + 2), 0);
    assert_int_equal(made[0].id, 5);
    assert_int_equal(made[1].id, 6);
    assert_int_equal(cairn_trace_add(&core.trace, first, first + 2), 0);
    assert_int_equal(made[0].id, 5);
    assert_int_equal(put("set_event", "made:a"), 0);
    assert_int_equal(cairn_trace_remove(&core.trace, first, first + 1), 0);
    assert_int_equal(made[0].id, 0);
    assert_null(made[0].state);
    assert_null(made[0].trace);
    assert_null(cairn_trace_find_id(&core.trace, 5));
    assert_null(cairn_trace_find(&core.trace, "made:a"));
    assert_ptr_equal(cairn_trace_find(&core.trace, "made:b"), &made[1]);
    assert_ptr_equal(cairn_trace_next(&core.trace, &cairn_event_alone), &made[1]);
    assert_int_equal(cairn_trace_add(&core.trace, second, second + 2), 0);
    assert_int_equal(made[2].id, 7);
    assert_int_equal(cairn_trace_remove(&core.trace, first, first + 2), 0);
    assert_int_equal(cairn_trace_remove(&core.trace, second, second + 2), 0);
}

/* The state that a caller sees when the event is removed at the same time: it has a state but no
 * trace. */
static void test_an_event_removed_during_a_hit_writes_nothing(void **state)
{
    (void)state;
    assert_int_equal(cairn_trace_event_enable(&cairn_event_other, true), 0);
    cairn_event_other.trace = NULL;
    trace_other(1);
    cairn_event_other.trace = &core.trace;
    assert_int_equal(core_host_cpu.entered, 0);
    assert_non_null(strstr(show("per_cpu/cpu0/stats"), "entries: 0\n"));
    trace_other(1);
    assert_non_null(strstr(show("per_cpu/cpu0/stats"), "entries: 1\n"));
}

/* ---- a CPU switches a key that was left to it, while the event is removed ---- */

static struct {
    bool begun, removing, done;
} slow_switch;

static void switch_slowly(struct cairn_trace_event *event, bool on)
{
    if (event != &cairn_event_other || on)
        return;
    __atomic_store_n(&slow_switch.begun, true, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&slow_switch.removing, __ATOMIC_SEQ_CST))
        sched_yield();
    usleep(20000);
    __atomic_store_n(&slow_switch.done, true, __ATOMIC_SEQ_CST);
}

static void disable_other(void *data, uint32_t a, uint32_t b)
{
    (void)data, (void)a, (void)b;
    (void)cairn_trace_event_enable(&cairn_event_other, false);
}

static void *hit_pair_on_cpu_1(void *data)
{
    core_host_cpu = (struct core_host_cpu){.cpu = 1, .tid = 2};
    trace_pair(1, 2);
    return data;
}

static void test_removing_waits_for_a_cpu_that_switches_the_key(void **state)
{
    struct cairn_trace_event *other[] = {&cairn_event_other};
    pthread_t thread;

    (void)state;
    core.host.switch_event = switch_slowly;
    assert_int_equal(cairn_trace_event_enable(&cairn_event_other, true), 0);
    assert_int_equal(register_trace_pair(disable_other, NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, hit_pair_on_cpu_1, NULL), 0);
    while (!__atomic_load_n(&slow_switch.begun, __ATOMIC_SEQ_CST))
        sched_yield();
    __atomic_store_n(&slow_switch.removing, true, __ATOMIC_SEQ_CST);
    assert_int_equal(cairn_trace_remove(&core.trace, other, other + 1), 0);
    assert_true(__atomic_load_n(&slow_switch.done, __ATOMIC_SEQ_CST));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(unregister_trace_pair(disable_other, NULL), 0);
}

static void test_events_are_added_all_or_none(void **state)
{
    struct cairn_trace_event *clash[] = {make(0, "a"), &cairn_event_pair, make(1, "b"),
                                         make(2, "a")};
    struct cairn_trace_event *many[16];

    (void)state;
    assert_int_equal(cairn_trace_add(&core.trace, clash, clash + 4), EEXIST);
    assert_null(cairn_trace_find(&core.trace, "made:a"));
    assert_null(cairn_trace_find(&core.trace, "made:b"));
    assert_int_equal(made[0].id, 0);
    assert_ptr_equal(cairn_trace_find(&core.trace, "demo:pair"), &cairn_event_pair);
    for (uint32_t i = 0; i < 16; i++) {
        char name[8];

        snprintf(name, sizeof(name), "e%u", i);
        many[i] = make(i, name);
    }
    assert_int_equal(cairn_trace_add(&core.trace, many, many + 16), ENOSPC);
    assert_null(cairn_trace_find(&core.trace, "made:e0"));
    /* Ids are reused when no others are left. */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(cairn_trace_add(&core.trace, many, many + 8), 0);
        assert_ptr_equal(cairn_trace_find(&core.trace, "made:e7"), &made[7]);
        assert_int_equal(cairn_trace_remove(&core.trace, many, many + 8), 0);
    }
}

static void test_an_event_is_in_one_trace_at_a_time(void **state)
{
    struct cairn_trace_event *own[] = {make(0, "a"), make(1, "b")};
    struct cairn_trace_event *mixed[] = {make(2, "c"), own[1]};
    uint64_t memory[16];
    struct cairn_trace_config config = {.host = &core.host,
                                        .buffer = &core.buffer,
                                        .table_memory = memory,
                                        .table_bytes = cairn_trace_table_memory_bytes(4)};
    struct cairn_trace trace;

    (void)state;
    assert_int_equal(cairn_trace_add(&core.trace, own, own + 2), 0);
    assert_int_equal(cairn_trace_init(&trace, &config, own, own + 1), EBUSY);
    assert_int_equal(cairn_trace_init(&trace, &config, NULL, NULL), 0);
    /* No event is added, and each stays in its trace. */
    assert_int_equal(cairn_trace_add(&trace, mixed, mixed + 2), EBUSY);
    assert_null(cairn_trace_next(&trace, NULL));
    assert_int_equal(made[2].id, 0);
    assert_null(made[2].trace);
    assert_ptr_equal(made[1].trace, &core.trace);
    assert_ptr_equal(cairn_trace_find(&core.trace, "made:b"), &made[1]);
    /* An event that was removed from one trace can be added to another. */
    assert_int_equal(cairn_trace_remove(&core.trace, own, own + 2), 0);
    assert_int_equal(cairn_trace_add(&trace, mixed, mixed + 2), 0);
    assert_ptr_equal(made[1].trace, &trace);
    assert_ptr_equal(cairn_trace_find(&trace, "made:b"), &made[1]);
    assert_int_equal(cairn_trace_remove(&trace, mixed, mixed + 2), 0);
}

static void wait_for_no_section(void)
{
}

static bool is_entered(void)
{
    return false;
}

static void test_an_incomplete_host_is_refused(void **state)
{
    struct cairn_host host = CORE_HOST_INIT;
    uint64_t memory[16];
    struct cairn_trace_config config = {.host = &host,
                                        .buffer = &core.buffer,
                                        .table_memory = memory,
                                        .table_bytes = sizeof(memory)};
    struct cairn_trace trace;

    (void)state;
    assert_int_equal(cairn_trace_init(&trace, &config, events, events), 0);
    host.enter = NULL;
    assert_int_equal(cairn_trace_init(&trace, &config, events, events), EINVAL);
    host = (struct cairn_host)CORE_HOST_INIT;
    host.release = NULL;
    assert_int_equal(cairn_trace_init(&trace, &config, events, events), EINVAL);
    host = (struct cairn_host)CORE_HOST_INIT;
    config.buffer = NULL; /* without rings nothing reports the end of a section */
    assert_int_equal(cairn_trace_init(&trace, &config, events, events), EINVAL);
    host.synchronize = wait_for_no_section; /* nothing reports that a section is running */
    assert_int_equal(cairn_trace_init(&trace, &config, events, events), EINVAL);
    host.entered = is_entered;
    assert_int_equal(cairn_trace_init(&trace, &config, events, events), 0);
    config.buffer = &core.buffer;
    config.first_id = 65536;
    assert_int_equal(cairn_trace_init(&trace, &config, events, events), EINVAL);
    config.first_id = 0;
    config.table_bytes = 7;
    assert_int_equal(cairn_trace_init(&trace, &config, events, events), ENOSPC);
    config.host = NULL;
    assert_int_equal(cairn_trace_init(&trace, &config, events, events), EINVAL);
    assert_int_equal(cairn_trace_table_memory_bytes(65536), 0);
}

static void test_ids_begin_at_the_number_of_the_host(void **state)
{
    struct cairn_trace_event *own[] = {make(0, "a"), make(1, "b")};
    uint64_t memory[16];
    struct cairn_trace_config config = {.host = &core.host,
                                        .buffer = &core.buffer,
                                        .table_memory = memory,
                                        .table_bytes = cairn_trace_table_memory_bytes(2),
                                        .first_id = 65534};
    struct cairn_trace trace;

    (void)state;
    assert_int_equal(cairn_trace_init(&trace, &config, own, own + 2), ENOSPC);
    config.first_id = 65533;
    assert_int_equal(cairn_trace_init(&trace, &config, own, own + 2), 0);
    assert_int_equal(made[1].id, 65534);
    assert_ptr_equal(cairn_trace_find_id(&trace, 65533), &made[0]);
    assert_null(cairn_trace_find_id(&trace, 65532));
    assert_ptr_equal(cairn_trace_find(&trace, "made:b"), &made[1]);
    assert_int_equal(cairn_trace_remove(&trace, own, own + 2), 0);
}

/* ---- patterns ---- */

struct pattern {
    const char *text;
    const char *enabled; /* 1 or 0 for each: pair, other, demo, alone */
};

static void test_patterns_select_the_same_events_as_in_linux(void **state)
{
    static const struct pattern patterns[] = {
        {"demo:pair", "1000"},  {"demo:*", "1100"}, {"demo:", "1100"}, {"*:pair", "1000"},
        {":pair", "1000"},      {"pair", "1000"},   {"demo", "1110"},  {"odd", "0010"},
        {"*:*", "1111"},        {":", "1111"},      {"last", "0001"},  {"*:demo", "0010"},
        {"last:alone", "0001"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        char found[5] = "";

        enable_only(patterns[i].text);
        snprintf(found, sizeof(found), "%d%d%d%d", enabled(&cairn_event_pair),
                 enabled(&cairn_event_other), enabled(&cairn_event_demo),
                 enabled(&cairn_event_alone));
        assert_string_equal(found, patterns[i].enabled);
    }
}

static void test_patterns_without_a_match_are_refused(void **state)
{
    static const char *const patterns[] = {
        "nosuch", "demo:nosuch", "nosuch:pair", "demo:pai*", "p*",
        "*",      "!",           "demo:pair:x", "!!demo",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
        assert_int_equal(put("set_event", patterns[i]), EINVAL);
    assert_string_equal(show("set_event"), "");
}

static void test_a_pattern_can_disable_events(void **state)
{
    uint32_t count = 99;

    (void)state;
    assert_int_equal(cairn_trace_enable(&core.trace, "*:*", true, &count), 0);
    assert_int_equal(count, 4);
    assert_int_equal(cairn_trace_enable(&core.trace, "!demo:*", true, &count), 0);
    assert_int_equal(count, 2);
    assert_string_equal(show("set_event"), "odd:demo\nlast:alone\n");
    assert_int_equal(cairn_trace_enable(&core.trace, "nosuch", true, &count), EINVAL);
    assert_int_equal(count, 0);
}

/* ---- set_event ---- */

static void test_set_event_applies_words_in_order(void **state)
{
    char long_word[200];

    (void)state;
    assert_int_equal(put("set_event", " demo:pair\n\tlast !demo:pair\n"), 0);
    assert_string_equal(show("set_event"), "last:alone\n");
    assert_int_equal(put("set_event", ""), 0);
    assert_int_equal(put("set_event", " \n"), 0);
    /* The words before the invalid one take effect. */
    assert_int_equal(put("set_event", "demo:pair nosuch demo:other"), EINVAL);
    assert_string_equal(show("set_event"), "demo:pair\nlast:alone\n");
    memset(long_word, 'x', sizeof(long_word));
    assert_int_equal(cairn_trace_file_write(&core.trace, "set_event", long_word, 128), EINVAL);
    assert_int_equal(cairn_trace_file_write(&core.trace, "set_event", "odd\0last", 8), 0);
    assert_string_equal(show("set_event"), "demo:pair\nodd:demo\nlast:alone\n");
    assert_int_equal(cairn_trace_file_truncate(&core.trace, "set_event"), 0);
    assert_string_equal(show("set_event"), "");
}

static void test_available_events_are_listed_in_order_of_ids(void **state)
{
    (void)state;
    assert_string_equal(show("available_events"), "demo:pair\ndemo:other\nodd:demo\nlast:alone\n");
    assert_int_equal(put("available_events", "demo:pair"), EINVAL);
}

/* ---- enable ---- */

static void test_enable_shows_all_some_or_none(void **state)
{
    (void)state;
    assert_string_equal(show("events/enable"), "0\n");
    assert_int_equal(put("events/demo/pair/enable", "1\n"), 0);
    assert_string_equal(show("events/demo/pair/enable"), "1\n");
    assert_string_equal(show("events/demo/other/enable"), "0\n");
    assert_string_equal(show("events/demo/enable"), "X\n");
    assert_string_equal(show("events/odd/enable"), "0\n");
    assert_int_equal(put("events/demo/enable", "1"), 0);
    assert_string_equal(show("events/demo/enable"), "1\n");
    assert_string_equal(show("events/enable"), "X\n");
    assert_int_equal(put("events/enable", "1\n"), 0);
    assert_string_equal(show("events/enable"), "1\n");
    assert_int_equal(put("events/enable", "0"), 0);
    assert_string_equal(show("set_event"), "");
}

struct number {
    const char *text;
    int err;
};

static void test_enable_parses_numbers_as_the_kernel_does(void **state)
{
    static const struct number numbers[] = {
        {"1", 0},
        {"+1", 0},
        {"0001", 0},
        {"1\n", 0},
        {"0\n", 0},
        {"2", EINVAL},
        {"", EINVAL},
        {"\n", EINVAL},
        {"-1", EINVAL},
        {" 1", EINVAL},
        {"1 ", EINVAL},
        {"1\n\n", EINVAL},
        {"x", EINVAL},
        {"0x1", EINVAL},
        {"18446744073709551615", EINVAL},
        {"+", EINVAL},
        {"1x", EINVAL},
        {"18446744073709551616", ERANGE},
        {"+18446744073709551616x", ERANGE},
        {"-18446744073709551616", EINVAL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        assert_int_equal(put("events/demo/pair/enable", numbers[i].text), numbers[i].err);
        assert_int_equal(put("events/demo/enable", numbers[i].text), numbers[i].err);
        assert_int_equal(put("options/overwrite", numbers[i].text), numbers[i].err);
    }
    assert_int_equal(cairn_trace_file_write(&core.trace, "events/enable", "1\0x", 3), 0);
}

/* ---- id, format ---- */

static void test_id_and_format_describe_the_event(void **state)
{
    (void)state;
    assert_string_equal(show("events/last/alone/id"), "4\n");
    assert_string_equal(
        show("events/last/alone/format"),
        "name: alone\n"
        "ID: 4\n"
        "format:\n"
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
        "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
        "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
        "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
        "\n"
        "\tfield:int64_t m;\toffset:8;\tsize:8;\tsigned:1;\n"
        "\n"
        "print fmt: \"m=%lld\", (long long)REC->m\n");
    assert_int_equal(put("events/last/alone/id", "5"), EINVAL);
    assert_int_equal(put("events/last/alone/format", "x"), EINVAL);
    assert_non_null(strstr(show("events/demo/pair/format"), "\tfield:char comm[16];\toffset:12;"));
    assert_non_null(strstr(shown, "\tfield:__data_loc char[] text;\toffset:28;\tsize:4;"));
}

static void test_a_file_can_be_read_in_parts(void **state)
{
    static const char *const paths[] = {"events/demo/pair/format", "available_events",
                                        "events/demo/filter", "per_cpu/cpu0/stats"};

    (void)state;
    core_host_time_ns = 0; /* the contents would differ between reads */
    for (size_t i = 0; i < 3; i++) {
        char whole[4096], parts[4096];
        size_t length = 1, at = 0;

        strcpy(whole, show(paths[i]));
        while (length) {
            assert_int_equal(
                cairn_trace_file_read(&core.trace, paths[i], at, parts + at, 7, &length), 0);
            at += length;
        }
        parts[at] = 0;
        assert_string_equal(parts, whole);
        assert_int_equal(cairn_trace_file_read(&core.trace, paths[i], 99999, parts, 7, &length), 0);
        assert_int_equal(length, 0);
    }
}

/* ---- filter ---- */

static void test_filter_shows_the_text_or_its_error(void **state)
{
    char long_text[5000];

    (void)state;
    assert_string_equal(show("events/demo/pair/filter"), "none\n");
    assert_int_equal(put("events/demo/pair/filter", "a > 8 && comm ~ \"x*\"\n"), 0);
    assert_string_equal(show("events/demo/pair/filter"), "a > 8 && comm ~ \"x*\"\n");
    memset(long_text, ' ', sizeof(long_text));
    assert_int_equal(
        cairn_trace_file_write(&core.trace, "events/demo/pair/filter", long_text, 4096), EINVAL);
    assert_string_equal(show("events/demo/pair/filter"), "a > 8 && comm ~ \"x*\"\n");
    assert_int_equal(put("events/demo/pair/filter", "nosuch == 1"), EINVAL);
    assert_string_equal(show("events/demo/pair/filter"),
                        "nosuch == 1\n       ^\nparse_error: Field not found\n\n");
    assert_int_equal(put("events/demo/pair/filter", " 0\n"), 0);
    assert_string_equal(show("events/demo/pair/filter"), "none\n");
}

static void test_disabling_keeps_the_filter(void **state)
{
    (void)state;
    assert_int_equal(put("events/demo/other/filter", "n > 5"), 0);
    assert_false(trace_other_enabled());
    put("events/demo/other/enable", "1");
    trace_other(5);
    trace_other(6);
    put("events/demo/other/enable", "0");
    assert_string_equal(show("events/demo/other/filter"), "n > 5\n");
    assert_non_null(strstr(show("per_cpu/cpu0/stats"), "entries: 1\n"));
}

#define GLOBAL_FILTER                                         \
    "### global filter ###\n"                                 \
    "# Use this to set filters for multiple events.\n"        \
    "# Only events with the given fields will be affected.\n" \
    "# If no events are modified, an error message will be displayed here\n"

static void test_a_filter_of_a_system_is_set_for_all_its_events(void **state)
{
    (void)state;
    assert_string_equal(show("events/demo/filter"), GLOBAL_FILTER);
    assert_int_equal(put("events/demo/filter", "n > 5"), 0);
    assert_string_equal(show("events/demo/other/filter"), "n > 5\n");
    assert_string_equal(show("events/demo/pair/filter"),
                        "n > 5\n^\nparse_error: Couldn't find or set field in one of a subsystem's "
                        "events\n\n");
    assert_string_equal(show("events/odd/demo/filter"), "none\n");
    assert_string_equal(show("events/demo/filter"), GLOBAL_FILTER);
    assert_int_equal(put("events/demo/filter", "0"), 0);
    assert_string_equal(show("events/demo/other/filter"), "none\n");
    assert_string_equal(show("events/demo/pair/filter"), "none\n");
    assert_string_equal(show("events/filter"), "errno 2");
}

static void test_the_error_log_holds_the_last_eight(void **state)
{
    char text[32];

    (void)state;
    assert_string_equal(show("error_log"), "");
    core_host_time_ns = 12345678000;
    assert_int_equal(put("events/demo/other/filter", "n > 5 && x < 3\n"), EINVAL);
    assert_non_null(strstr(show("error_log"), "[   12.3456"));
    assert_non_null(strstr(shown, "] event filter parse error: error: Field not found\n"
                                  "  Command: n > 5 && x < 3\n"
                                  "                      ^\n"));
    for (int i = 0; i < 8; i++) {
        snprintf(text, sizeof(text), "bad%d == 1", i);
        put("events/demo/other/filter", text);
    }
    assert_null(strstr(show("error_log"), "x < 3"));
    assert_true(strstr(shown, "bad0") < strstr(shown, "bad7"));
    assert_non_null(strstr(shown, "bad0"));
    assert_int_equal(put("error_log", "anything"), 0);
    assert_int_equal(cairn_trace_file_truncate(&core.trace, "error_log"), 0);
    assert_string_equal(show("error_log"), "");
}

/* ---- rings ---- */

static void test_counts_are_shown_and_cleared(void **state)
{
    (void)state;
    put("set_event", "demo:other");
    trace_other(1);
    trace_other(2);
    show("per_cpu/cpu0/stats");
    assert_non_null(strstr(shown, "entries: 2\noverrun: 0\ncommit overrun: 0\nbytes: 48\n"
                                  "oldest event ts:    12.34"));
    assert_non_null(strstr(shown, "\nnow ts:    12.34"));
    assert_non_null(strstr(shown, "\ndropped events: 0\nread events: 0\n"));
    assert_int_equal(cairn_trace_file_truncate(&core.trace, "per_cpu/cpu1/trace"), 0);
    assert_non_null(strstr(show("per_cpu/cpu0/stats"), "entries: 2\n"));
    assert_int_equal(put("trace", ""), 0);
    assert_int_equal(cairn_trace_file_truncate(&core.trace, "trace"), 0);
    assert_non_null(strstr(show("per_cpu/cpu0/stats"), "entries: 0\n"));
    assert_non_null(strstr(shown, "oldest event ts:     0.000000\n"));
    assert_string_equal(show("trace"), "errno 22");
    assert_string_equal(show("trace_pipe"), "errno 22");
    assert_string_equal(show("per_cpu/cpu1/trace_pipe"), "errno 22");
    assert_string_equal(show("per_cpu/cpu2/trace_pipe"), "errno 2");
    assert_int_equal(put("trace_pipe", "x"), EINVAL);
    assert_int_equal(cairn_trace_file_truncate(&core.trace, "trace_pipe"), 0);
}

static void test_tracing_on_accepts_any_number(void **state)
{
    (void)state;
    assert_string_equal(show("tracing_on"), "1\n");
    assert_int_equal(put("tracing_on", "0"), 0);
    assert_string_equal(show("tracing_on"), "0\n");
    assert_int_equal(core.buffer.on, 0);
    assert_int_equal(put("tracing_on", "5\n"), 0);
    assert_string_equal(show("tracing_on"), "1\n");
    assert_int_equal(put("tracing_on", "yes"), EINVAL);
}

static void test_options_are_set_one_by_one_and_together(void **state)
{
    (void)state;
    assert_string_equal(show("trace_options"), "record-cmd\noverwrite\n");
    assert_int_equal(put("trace_options", "nooverwrite\n"), 0);
    assert_string_equal(show("options/overwrite"), "0\n");
    assert_int_equal(core.buffer.mode, CAIRN_TRACE_DISCARD);
    assert_int_equal(put("options/overwrite", "1"), 0);
    assert_int_equal(core.buffer.mode, CAIRN_TRACE_OVERWRITE);
    assert_int_equal(put("options/record-cmd", "0"), 0);
    assert_string_equal(show("trace_options"), "norecord-cmd\noverwrite\n");
    put("set_event", "demo:other");
    trace_other(1);
    assert_string_equal(show("saved_cmdlines"), "");
    assert_int_equal(put("trace_options", " record-cmd "), 0);
    core_host_cpu.tid = 78;
    trace_other(1);
    assert_string_equal(show("saved_cmdlines"), "78 one\n");
    assert_int_equal(put("trace_options", "nosuch"), EINVAL);
    assert_int_equal(put("trace_options", ""), EINVAL);
    /* As in Linux, at most 63 bytes are accepted. */
    assert_int_equal(
        put("trace_options", "overwrite                                                      "), 0);
    assert_int_equal(
        put("trace_options", "overwrite                                                       "),
        EINVAL);
}

static void test_sizes_are_those_of_the_memory(void **state)
{
    unsigned kb, total;
    char text[32];

    (void)state;
    assert_int_equal(sscanf(show("buffer_size_kb"), "%u\n", &kb), 1);
    assert_int_equal(sscanf(show("buffer_total_size_kb"), "%u\n", &total), 1);
    assert_true(kb > 128 && kb <= 256);
    assert_int_equal(total, 2 * kb);
    snprintf(text, sizeof(text), "%u\n", kb);
    assert_string_equal(show("per_cpu/cpu1/buffer_size_kb"), text);
    assert_int_equal(put("buffer_size_kb", text), 0);
    assert_int_equal(put("buffer_size_kb", "0"), EINVAL);
    assert_int_equal(put("buffer_size_kb", "1000000"), ENOMEM);
}

static void test_nop_is_the_only_tracer(void **state)
{
    (void)state;
    assert_string_equal(show("current_tracer"), "nop\n");
    assert_string_equal(show("available_tracers"), "nop\n");
    assert_int_equal(put("current_tracer", "nop\n"), 0);
    assert_int_equal(put("current_tracer", " \tnop \xa0"), 0);
    assert_int_equal(put("current_tracer", "function"), EINVAL);
}

/* ---- paths ---- */

static void test_paths_are_files_directories_or_unknown(void **state)
{
    static const struct number paths[] = {
        {"", EISDIR},
        {"events", EISDIR},
        {"events/demo", EISDIR},
        {"events/demo/pair", EISDIR},
        {"options", EISDIR},
        {"per_cpu/cpu1", EISDIR},
        {"per_cpu/cpu2", ENOENT},
        {"per_cpu/cpu2/stats", ENOENT},
        {"per_cpu/cpu01/stats", ENOENT},
        {"per_cpu/cpu+1/stats", ENOENT},
        {"per_cpu/cpu/stats", ENOENT},
        {"per_cpu/cpu1\n/stats", ENOENT},
        {"/tracing_on", ENOENT},
        {"tracing_on/x", ENOENT},
        {"tracing_o", ENOENT},
        {"events//enable", ENOENT},
        {"events/nosuch/enable", ENOENT},
        {"events/demo/nosuch/enable", ENOENT},
        {"events/odd/alone/enable", ENOENT},
        {"events/demo/pair/nosuch", ENOENT},
        {"events/demo/pair/id/x", ENOENT},
    };
    char text[8];
    size_t length = 77;

    (void)state;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        const char *path = paths[i].text;

        assert_int_equal(cairn_trace_file_read(&core.trace, path, 0, text, 8, &length),
                         paths[i].err);
        assert_int_equal(put(path, "1"), paths[i].err);
        assert_int_equal(cairn_trace_file_truncate(&core.trace, path), paths[i].err);
    }
    assert_int_equal(length, 77);
}

static void test_without_rings_files_of_rings_report_an_error(void **state)
{
    uint64_t memory[16];
    struct cairn_host host = CORE_HOST_INIT;
    struct cairn_trace_config config = {
        .host = &host, .table_memory = memory, .table_bytes = sizeof(memory)};
    struct cairn_trace trace;
    char text[8];
    size_t length;

    (void)state;
    host.synchronize = wait_for_no_section;
    host.entered = is_entered;
    assert_int_equal(cairn_trace_init(&trace, &config, events, events), 0);
    assert_int_equal(cairn_trace_file_read(&trace, "buffer_size_kb", 0, text, 8, &length), ENODEV);
    assert_int_equal(cairn_trace_file_read(&trace, "buffer_total_size_kb", 0, text, 8, &length),
                     ENODEV);
    assert_int_equal(cairn_trace_file_write(&trace, "tracing_on", "1", 1), ENODEV);
    assert_int_equal(cairn_trace_file_write(&trace, "options/overwrite", "1", 1), ENODEV);
    assert_int_equal(cairn_trace_file_read(&trace, "per_cpu/cpu0/stats", 0, text, 8, &length),
                     ENOENT);
    assert_int_equal(cairn_trace_file_truncate(&trace, "trace"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_core, close_core)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ids_are_assigned_in_order_and_once),
        TEST(test_events_are_found_by_system_and_name),
        TEST(test_events_of_modules_can_be_added_and_removed),
        TEST(test_an_event_removed_during_a_hit_writes_nothing),
        TEST(test_removing_waits_for_a_cpu_that_switches_the_key),
        TEST(test_events_are_added_all_or_none),
        TEST(test_an_event_is_in_one_trace_at_a_time),
        TEST(test_an_incomplete_host_is_refused),
        TEST(test_ids_begin_at_the_number_of_the_host),
        TEST(test_patterns_select_the_same_events_as_in_linux),
        TEST(test_patterns_without_a_match_are_refused),
        TEST(test_a_pattern_can_disable_events),
        TEST(test_set_event_applies_words_in_order),
        TEST(test_available_events_are_listed_in_order_of_ids),
        TEST(test_enable_shows_all_some_or_none),
        TEST(test_enable_parses_numbers_as_the_kernel_does),
        TEST(test_id_and_format_describe_the_event),
        TEST(test_a_file_can_be_read_in_parts),
        TEST(test_filter_shows_the_text_or_its_error),
        TEST(test_disabling_keeps_the_filter),
        TEST(test_a_filter_of_a_system_is_set_for_all_its_events),
        TEST(test_the_error_log_holds_the_last_eight),
        TEST(test_counts_are_shown_and_cleared),
        TEST(test_tracing_on_accepts_any_number),
        TEST(test_options_are_set_one_by_one_and_together),
        TEST(test_sizes_are_those_of_the_memory),
        TEST(test_nop_is_the_only_tracer),
        TEST(test_paths_are_files_directories_or_unknown),
        TEST(test_without_rings_files_of_rings_report_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
