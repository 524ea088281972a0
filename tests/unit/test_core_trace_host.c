/* SPDX-License-Identifier: MIT */
/*
 * Test of the core's use of its host: no waiting where the caller cannot wait, one grace period for
 * a change of many events, no ring for records that only callbacks get, ids that are not reused
 * while records with them exist, and an error for static keys that were not initialized.
 */
#define CAIRN_KERNEL
#include <cairn/typed_tracepoint.h>

#include "core_host.h"

#include <cairn/kernel/trace_text.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

/* clang-format off */
CAIRN_TRACEPOINT_CLASS(number, TP_SYSTEM(host), TP_PROTO(uint32_t n), TP_ARGS(n),
    TP_STRUCT__entry(__field(uint32_t, n)), TP_fast_assign(__entry->n = n;), TP_printk("n=%u", __entry->n));
CAIRN_TRACEPOINT_EVENT(number, one, TP_SYSTEM(host), TP_PROTO(uint32_t n), TP_ARGS(n));
CAIRN_TRACEPOINT_EVENT(number, two, TP_SYSTEM(host), TP_PROTO(uint32_t n), TP_ARGS(n));
CAIRN_TRACEPOINT_EVENT(number, three, TP_SYSTEM(host), TP_PROTO(uint32_t n), TP_ARGS(n));
CAIRN_TRACEPOINT(word, TP_SYSTEM(text), TP_PROTO(const char *text), TP_ARGS(text),
    TP_STRUCT__entry(__string(text, text)), TP_fast_assign(__assign_str(text);), TP_printk("%s", __get_str(text)));
/* clang-format on */

#define START __start_cairn_trace_events
#define STOP  __stop_cairn_trace_events

static struct core_host core;
static uint32_t grace_periods, switches, mistakes, calls;

static bool may_wait(void)
{
    return !core_host_cpu.entered && !(core_host_cpu.flags & ~CAIRN_TRACE_FLAG_NEED_RESCHED) &&
           !(core_host_cpu.preempt_count & 0x0f);
}

static void synchronize(void)
{
    grace_periods++;
    mistakes += !may_wait();
}

static void release(void *memory)
{
    mistakes += !may_wait();
    core_host_release(memory);
}

static void switch_event(struct cairn_trace_event *event, bool on)
{
    (void)event, (void)on;
    switches++;
    mistakes += !may_wait();
}

static int open_core(void **state)
{
    (void)state;
    core.host = (struct cairn_host)CORE_HOST_INIT;
    core.host.synchronize = synchronize;
    core.host.release = release;
    core.host.switch_event = switch_event;
    core_host_cpu = (struct core_host_cpu){.tid = 77, .comm = "one"};
    core_host_time_ns = 1000000;
    grace_periods = switches = mistakes = calls = 0;
    return core_host_open(&core, 1, 64 << 10, CAIRN_TRACE_DISCARD, START, STOP);
}

static int close_core(void **state)
{
    (void)state;
    core_host_close(&core, START, STOP);
    return core_host_cpu.entered != 0 || core_host_allocated != 0 || mistakes != 0;
}

static int put(const char *path, const char *text)
{
    return cairn_trace_file_write(&core.trace, path, text, strlen(text));
}

static struct cairn_trace_stats stats(void)
{
    struct cairn_trace_stats now;

    assert_int_equal(cairn_trace_buffer_stats(&core.buffer, 0, &now), 0);
    return now;
}

static void count_record(void *data, const struct cairn_trace_event *event,
                         const struct cairn_record_head *record)
{
    (void)data;
    mistakes += record->common_type != event->id;
    calls++;
}

static int add_record(struct cairn_trace_event *event)
{
    return cairn_trace_event_callback_add(event, CAIRN_TRACE_RECORD, (void (*)(void))count_record,
                                          NULL, 10);
}

static void ignore(void *data, uint32_t n)
{
    (void)data, (void)n;
}

/* ---- contexts in which waiting is impossible ---- */

struct context {
    uint8_t flags, preempt_count;
};

static void change_everything(void)
{
    struct cairn_trace_event *const all[] = {&cairn_event_one};

    assert_int_equal(register_trace_one(ignore, NULL), 0);
    assert_int_equal(cairn_trace_event_enable(&cairn_event_two, true), 0);
    assert_int_equal(cairn_trace_enable(&core.trace, "host:*", true, NULL), 0);
    assert_int_equal(put("events/host/filter", "n > 1"), 0);
    assert_int_equal(put("events/host/one/filter", "nosuch"), EINVAL);
    assert_int_equal(put("set_event", "!host:two text:word"), 0);
    assert_int_equal(cairn_trace_file_truncate(&core.trace, "error_log"), 0);
    assert_int_equal(put("events/host/filter", "0"), 0);
    assert_int_equal(unregister_trace_one(ignore, NULL), EINPROGRESS);
    trace_three(1);
    assert_int_equal(cairn_trace_synchronize(&core.trace), EINPROGRESS);
    assert_int_equal(cairn_trace_remove(&core.trace, all, all + 1), EINPROGRESS);
    assert_int_equal(cairn_trace_file_truncate(&core.trace, "set_event"), 0);
    assert_int_equal(cairn_trace_enable(&core.trace, "host:three", true, NULL), 0);
}

static void test_nothing_waits_in_a_context_that_cannot_wait(void **state)
{
    static const struct context contexts[] = {
        {CAIRN_TRACE_FLAG_IRQS_OFF, 0},   {CAIRN_TRACE_FLAG_HARDIRQ, 0},
        {CAIRN_TRACE_FLAG_SOFTIRQ, 0},    {CAIRN_TRACE_FLAG_NMI, 0},
        {CAIRN_TRACE_FLAG_BH_OFF, 0},     {0, 1},
        {CAIRN_TRACE_FLAG_BH_OFF, 0x0f},  {0, 0x11},
        {CAIRN_TRACE_FLAG_HARDIRQ, 0x12},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++) {
        core_host_cpu.flags = contexts[i].flags;
        core_host_cpu.preempt_count = contexts[i].preempt_count;
        change_everything();
        assert_int_equal(mistakes, 0);
        assert_int_equal(grace_periods, 0);
        core_host_cpu.flags = core_host_cpu.preempt_count = 0;
        /* The first caller that can wait does the deferred work. */
        assert_int_equal(cairn_trace_synchronize(&core.trace), 0);
        assert_true(trace_three_enabled());
        assert_false(trace_one_enabled());
        assert_int_equal(core_host_allocated, 0);
        assert_int_equal(cairn_trace_enable(&core.trace, "*:*", false, NULL), 0);
        grace_periods = 0;
    }
}

static void test_a_task_with_migration_disabled_may_wait(void **state)
{
    (void)state;
    core_host_cpu.preempt_count = 0x30;
    core_host_cpu.flags = CAIRN_TRACE_FLAG_NEED_RESCHED;
    assert_int_equal(cairn_trace_synchronize(&core.trace), 0);
    assert_int_equal(grace_periods, 1);
    core_host_cpu.preempt_count = core_host_cpu.flags = 0;
}

/* ---- one grace period for many events ---- */

static void expect_graces(int err, uint32_t most)
{
    assert_int_equal(err, 0);
    assert_in_range(grace_periods, 0, most);
    grace_periods = 0;
}

static void test_a_change_of_many_events_takes_one_grace_period(void **state)
{
    (void)state;
    /* With callbacks, each event has a state of its own, which is replaced. */
    assert_int_equal(add_record(&cairn_event_one), 0);
    assert_int_equal(add_record(&cairn_event_two), 0);
    assert_int_equal(add_record(&cairn_event_three), 0);
    expect_graces(0, 0);
    expect_graces(put("events/host/filter", "n > 1"), 1);
    expect_graces(put("events/host/filter", "n > 2"), 1);
    expect_graces(put("events/host/filter", "nosuch > 2"), 1);
    expect_graces(put("events/host/filter", "0"), 1);
    expect_graces(put("events/host/enable", "1"), 1);
    expect_graces(put("events/enable", "0"), 1);
    expect_graces(put("set_event", "host:one host:two three !host:one text"), 1);
    expect_graces(cairn_trace_enable(&core.trace, "!*:*", true, NULL), 1);
    expect_graces(put("set_event", "one two three"), 1);
    expect_graces(cairn_trace_file_truncate(&core.trace, "set_event"), 1);
    expect_graces(cairn_trace_remove(&core.trace, START, STOP), 1);
}

static void test_memory_that_was_never_published_needs_no_grace_period(void **state)
{
    (void)state;
    expect_graces(put("events/host/one/filter", "n > 1"), 0);
    assert_int_equal(add_record(&cairn_event_two), 0);
    expect_graces(0, 0);
    assert_int_equal(add_record(&cairn_event_two), EEXIST);
    expect_graces(0, 0);
}

/* ---- callbacks need no ring ---- */

static void fill_rings(void)
{
    assert_int_equal(cairn_trace_event_enable(&cairn_event_three, true), 0);
    while (!stats().dropped)
        trace_three(1);
    assert_int_equal(cairn_trace_event_enable(&cairn_event_three, false), 0);
}

static void test_record_callbacks_are_called_when_the_rings_are_full(void **state)
{
    uint64_t dropped;

    (void)state;
    fill_rings();
    dropped = stats().dropped;
    assert_int_equal(add_record(&cairn_event_one), 0);
    for (uint32_t i = 0; i < 1000; i++)
        trace_one(i);
    assert_int_equal(calls, 1000);
    assert_int_equal(stats().dropped, dropped); /* recording of it was not enabled */
    /* An event that is recorded as well: the callback gets it, and the ring counts a drop. */
    assert_int_equal(cairn_trace_event_enable(&cairn_event_one, true), 0);
    trace_one(1);
    assert_int_equal(calls, 1001);
    assert_int_equal(stats().dropped, dropped + 1);
    assert_int_equal(core.buffer.cpus[0].aside_bytes, 0);
}

static void test_record_callbacks_do_not_overwrite_events(void **state)
{
    struct cairn_trace_stats before;

    (void)state;
    fill_rings();
    cairn_trace_buffer_set_mode(&core.buffer, CAIRN_TRACE_OVERWRITE);
    before = stats();
    assert_int_equal(add_record(&cairn_event_one), 0);
    for (uint32_t level = 0; level < CAIRN_TRACE_LEVELS; level++) {
        trace_one(level);
        cairn_trace_cpu_enter(&core.buffer.cpus[0]);
    }
    for (uint32_t level = CAIRN_TRACE_LEVELS; level-- > 0;)
        cairn_trace_cpu_leave(&core.buffer.cpus[0], level);
    assert_int_equal(calls, CAIRN_TRACE_LEVELS);
    assert_int_equal(stats().overruns, before.overruns);
    assert_int_equal(stats().entries, before.entries);
}

static void hit_two(void *data, const struct cairn_trace_event *event,
                    const struct cairn_record_head *record)
{
    uint32_t n = *(const uint32_t *)(const void *)(record + 1);

    count_record(data, event, record);
    trace_two(n + 1);
    mistakes += *(const uint32_t *)(const void *)(record + 1) != n;
}

static void test_callbacks_that_hit_other_events_have_records_of_their_own(void **state)
{
    (void)state;
    fill_rings();
    assert_int_equal(cairn_trace_event_callback_add(&cairn_event_one, CAIRN_TRACE_RECORD,
                                                    (void (*)(void))hit_two, NULL, 10),
                     0);
    assert_int_equal(add_record(&cairn_event_two), 0);
    for (uint32_t i = 0; i < 10; i++)
        trace_one(i);
    assert_int_equal(calls, 20);
    assert_int_equal(mistakes, 0);
}

static uint32_t pushed;

static int push(const void *record, size_t size_bytes)
{
    (void)record, (void)size_bytes;
    pushed++;
    return 0;
}

static void test_a_host_that_receives_the_records_needs_no_ring(void **state)
{
    (void)state;
    pushed = 0;
    core.host.push_record = push;
    assert_int_equal(cairn_trace_event_enable(&cairn_event_one, true), 0);
    for (uint32_t i = 0; i < 100; i++) {
        for (uint32_t level = 0; level < CAIRN_TRACE_LEVELS; level++) {
            trace_one(i);
            cairn_trace_cpu_enter(&core.buffer.cpus[0]);
        }
        for (uint32_t level = CAIRN_TRACE_LEVELS; level-- > 0;)
            cairn_trace_cpu_leave(&core.buffer.cpus[0], level);
    }
    assert_int_equal(pushed, 100 * CAIRN_TRACE_LEVELS);
    assert_int_equal(stats().dropped, 0);
}

static void test_a_record_too_large_for_callbacks_is_counted(void **state)
{
    static char text[5000];

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    assert_int_equal(add_record(&cairn_event_word), 0);
    trace_word(text);
    assert_int_equal(calls, 0);
    assert_int_equal(stats().dropped, 1);
    text[3000] = '\0';
    trace_word(text);
    assert_int_equal(calls, 1);
}

/* ---- ids ---- */

static struct cairn_trace_event modules[2];

static struct cairn_trace_event *const *module(uint32_t which, const char *name)
{
    static struct cairn_trace_event *sections[2];

    modules[which] = cairn_event_one;
    modules[which].name = name;
    modules[which].trace = NULL;
    modules[which].id = 0;
    sections[which] = &modules[which];
    return &sections[which];
}

static void test_an_id_is_reused_after_all_others(void **state)
{
    struct cairn_trace_event *const *a = module(0, "a");
    struct cairn_trace_event *const *b = module(1, "b");
    uint16_t last = 0;

    (void)state;
    for (uint32_t i = 0; i < 3 * core.trace.capacity; i++) {
        assert_int_equal(cairn_trace_add(&core.trace, a, a + 1), 0);
        assert_int_not_equal(modules[0].id, last);
        last = modules[0].id;
        assert_int_equal(cairn_trace_remove(&core.trace, a, a + 1), 0);
        assert_int_equal(cairn_trace_add(&core.trace, b, b + 1), 0);
        assert_int_not_equal(modules[1].id, last);
        last = modules[1].id;
        assert_int_equal(cairn_trace_remove(&core.trace, b, b + 1), 0);
    }
}

static const char *shown(void)
{
    static char line[256];
    size_t memory_bytes = cairn_trace_text_memory_bytes(&core.buffer);
    void *memory = core_host_memory(memory_bytes);
    struct cairn_trace_names names;
    struct cairn_trace_text text;
    size_t length = 0;

    cairn_trace_names_fill(&core.trace, &names);
    assert_int_equal(
        cairn_trace_text_open(&text, &names, &core.buffer, 0, true, memory, memory_bytes), 0);
    assert_int_equal(cairn_trace_text_read(&text, line, sizeof(line) - 1, &length), 0);
    line[length] = '\0';
    cairn_trace_text_close(&text);
    free(memory);
    return line;
}

static void test_an_old_record_does_not_belong_to_the_new_owner_of_its_id(void **state)
{
    struct cairn_trace_event *const *a = module(0, "a");
    struct cairn_trace_event *const *b = module(1, "b");
    uint16_t id;

    (void)state;
    assert_int_equal(cairn_trace_add(&core.trace, a, a + 1), 0);
    id = modules[0].id;
    assert_int_equal(cairn_trace_event_enable(&modules[0], true), 0);
    cairn_i_write_number(7, &modules[0]);
    assert_int_equal(cairn_trace_remove(&core.trace, a, a + 1), 0);
    do { /* until the id is assigned again */
        assert_int_equal(cairn_trace_remove(&core.trace, b, b + 1), 0);
        assert_int_equal(cairn_trace_add(&core.trace, b, b + 1), 0);
    } while (modules[1].id != id);
    assert_non_null(strstr(shown(), "Unknown type"));
    assert_int_equal(cairn_trace_event_enable(&modules[1], true), 0);
    cairn_i_write_number(8, &modules[1]);
    assert_non_null(strstr(shown(), ": b: n=8"));
    assert_int_equal(cairn_trace_remove(&core.trace, b, b + 1), 0);
}

/* ---- static keys that were not initialized ---- */

static void test_keys_that_were_never_initialized_are_refused(void **state)
{
    struct cairn_static_keys never = {0};
    struct cairn_static_key key = CAIRN_STATIC_KEY_INIT;
    uint64_t memory[16];
    struct cairn_trace_config config = {.host = &core.host,
                                        .buffer = &core.buffer,
                                        .keys = &never,
                                        .table_memory = memory,
                                        .table_bytes = sizeof(memory)};
    struct cairn_trace trace;

    (void)state;
    assert_int_equal(cairn_trace_init(&trace, &config, NULL, NULL), EINVAL);
    assert_int_equal(cairn_static_keys_enable(&never, &key), EINPROGRESS);
    assert_int_equal(cairn_static_keys_disable(&never, &key), EINPROGRESS);
    assert_int_equal(cairn_static_keys_disable(&never, &key), EINVAL);
    assert_int_equal(cairn_static_keys_init(&never, NULL, NULL, NULL), 0);
    assert_int_equal(cairn_static_keys_enable(&never, &key), 0);
    assert_int_equal(cairn_trace_init(&trace, &config, NULL, NULL), 0);
}

static void test_an_event_whose_sites_cannot_be_patched_is_refused(void **state)
{
    static struct cairn_static_branch site;
    struct cairn_trace_event *const *a = module(0, "a");

    (void)state;
    modules[0].sites = &site;
    modules[0].sites_end = &site + 1;
    assert_int_equal(cairn_trace_add(&core.trace, a, a + 1), 0); /* a site of another key */
    assert_int_equal(cairn_trace_remove(&core.trace, a, a + 1), 0);
    site.key = (int32_t)((intptr_t)&modules[0].key - (intptr_t)&site.key);
    assert_int_equal(cairn_trace_add(&core.trace, a, a + 1), EOPNOTSUPP);
    assert_int_equal(cairn_trace_event_enable(&modules[0], true), ENODEV);
    modules[0].sites = modules[0].sites_end = NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_core, close_core)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_nothing_waits_in_a_context_that_cannot_wait),
        TEST(test_a_task_with_migration_disabled_may_wait),
        TEST(test_a_change_of_many_events_takes_one_grace_period),
        TEST(test_memory_that_was_never_published_needs_no_grace_period),
        TEST(test_record_callbacks_are_called_when_the_rings_are_full),
        TEST(test_record_callbacks_do_not_overwrite_events),
        TEST(test_callbacks_that_hit_other_events_have_records_of_their_own),
        TEST(test_a_host_that_receives_the_records_needs_no_ring),
        TEST(test_a_record_too_large_for_callbacks_is_counted),
        TEST(test_an_id_is_reused_after_all_others),
        TEST(test_an_old_record_does_not_belong_to_the_new_owner_of_its_id),
        TEST(test_keys_that_were_never_initialized_are_refused),
        TEST(test_an_event_whose_sites_cannot_be_patched_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
