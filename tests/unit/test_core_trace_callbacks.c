/* SPDX-License-Identifier: MIT */
/* Tracepoints of a kernel: enabling, callbacks, their order, and what they may do themselves. */
#define CAIRN_KERNEL
#include <cairn/typed_tracepoint.h>

#include "core_host.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <setjmp.h>
#include <sys/time.h>
#include <cmocka.h>

CAIRN_TRACEPOINT(pair, TP_SYSTEM(demo), TP_PROTO(uint32_t a, uint32_t b), TP_ARGS(a, b),
                 TP_STRUCT__entry(__field(uint32_t, a) __field(uint32_t, b)),
                 TP_fast_assign(__entry->a = a; __entry->b = b;),
                 TP_printk("a=%u b=%u", __entry->a, __entry->b));

CAIRN_TRACEPOINT(other, TP_SYSTEM(demo), TP_PROTO(int64_t n), TP_ARGS(n),
                 TP_STRUCT__entry(__field(int64_t, n)), TP_fast_assign(__entry->n = n;),
                 TP_printk("n=%lld", (long long)__entry->n));

CAIRN_TRACEPOINT(word, TP_SYSTEM(text), TP_PROTO(const char *text), TP_ARGS(text),
                 TP_STRUCT__entry(__string(text, text)), TP_fast_assign(__assign_str(text);),
                 TP_printk("%s", __get_str(text)));

#define START __start_cairn_trace_events
#define STOP  __stop_cairn_trace_events

static struct core_host core;

static int open_core(void **state)
{
    (void)state;
    core.host = (struct cairn_host)CORE_HOST_INIT;
    core_host_cpu = (struct core_host_cpu){.tid = 77, .comm = "one"};
    core_host_allocations_left = -1;
    core_host_time_ns = 1000000;
    return core_host_open(&core, 2, 256 << 10, CAIRN_TRACE_DISCARD, START, STOP);
}

/* Whatever a test did: nobody is in a section, and all memory has come back. */
static int close_core(void **state)
{
    (void)state;
    core_host_allocations_left = -1;
    core_host_close(&core, START, STOP);
    return core_host_cpu.entered != 0 || core_host_allocated != 0;
}

/* ---- what was written ---- */

struct seen {
    struct cairn_record_head head;
    uint32_t a, b;
};

/* The next record of CPU 0, or false. */
static bool take(struct seen *ret_seen)
{
    uint8_t bytes[512];
    size_t length;
    int err = cairn_trace_buffer_read(&core.buffer, 0, bytes, sizeof(struct seen) + 4, &length);

    if (err)
        assert_int_equal(err, EAGAIN);
    else
        memcpy(ret_seen, bytes, sizeof(*ret_seen));
    return !err;
}

static uint32_t record_count(void)
{
    struct cairn_trace_stats stats;

    assert_int_equal(cairn_trace_buffer_stats(&core.buffer, 0, &stats), 0);
    return (uint32_t)stats.entries;
}

static uint64_t drop_count(void)
{
    struct cairn_trace_stats stats;

    assert_int_equal(cairn_trace_buffer_stats(&core.buffer, 0, &stats), 0);
    return stats.dropped;
}

/* ---- callbacks that note that they were called ---- */

static char calls[64];

static void note(void *data, uint32_t a, uint32_t b)
{
    (void)a, (void)b;
    strcat(calls, data);
}

static void count_up(void *data, uint32_t a, uint32_t b)
{
    (void)a, (void)b;
    __atomic_add_fetch((uint64_t *)data, 1, __ATOMIC_RELAXED);
}

static void note_record(void *data, const struct cairn_trace_event *event,
                        const struct cairn_record_head *record)
{
    assert_ptr_equal(event, &cairn_event_pair);
    assert_int_equal(record->common_type, cairn_event_pair.id);
    strcat(calls, data);
}

static void note_raw(void *data, const struct cairn_trace_event *event, const uint64_t *arguments,
                     uint32_t count)
{
    assert_ptr_equal(event, &cairn_event_pair);
    assert_int_equal(count, 2);
    assert_int_equal(arguments[0], 1);
    assert_int_equal(arguments[1], 2);
    strcat(calls, data);
}

static void hit(void)
{
    calls[0] = 0;
    trace_pair(1, 2);
}

static int add_record(cairn_trace_record_function *function, void *data)
{
    return cairn_trace_event_callback_add(&cairn_event_pair, CAIRN_TRACE_RECORD,
                                          (void (*)(void))function, data, 10);
}

static int remove_record(cairn_trace_record_function *function, void *data)
{
    return cairn_trace_event_callback_remove(&cairn_event_pair, CAIRN_TRACE_RECORD,
                                             (void (*)(void))function, data);
}

static int add_raw(cairn_trace_raw_function *function, void *data)
{
    return cairn_trace_event_callback_add(&cairn_event_pair, CAIRN_TRACE_RAW,
                                          (void (*)(void))function, data, 10);
}

static int remove_raw(cairn_trace_raw_function *function, void *data)
{
    return cairn_trace_event_callback_remove(&cairn_event_pair, CAIRN_TRACE_RAW,
                                             (void (*)(void))function, data);
}

static int set_filter(struct cairn_trace_event *event, const char *text)
{
    return cairn_trace_event_filter_set(event, text, strlen(text), NULL);
}

/* ---- recording ---- */

static void test_a_disabled_event_writes_nothing(void **state)
{
    (void)state;
    assert_false(trace_pair_enabled());
    trace_pair(1, 2);
    assert_int_equal(record_count(), 0);
}

static void test_an_enabled_event_is_a_whole_record(void **state)
{
    struct seen seen;

    (void)state;
    core_host_cpu.flags = CAIRN_TRACE_FLAG_IRQS_OFF | CAIRN_TRACE_FLAG_NEED_RESCHED;
    core_host_cpu.preempt_count = 0x12;
    assert_int_equal(cairn_trace_event_enable(&cairn_event_pair, true), 0);
    assert_true(trace_pair_enabled());
    trace_pair(3, 4);
    core_host_cpu.flags = 0;
    core_host_cpu.preempt_count = 0;
    assert_true(take(&seen));
    assert_int_equal(seen.head.type, CAIRN_RECORD_SAMPLE);
    assert_int_equal(seen.head.size_bytes, 64);
    assert_int_equal(seen.head.raw_size_bytes, 20);
    assert_int_equal(seen.head.id, cairn_event_pair.id);
    assert_int_equal(seen.head.common_type, cairn_event_pair.id);
    assert_int_equal(seen.head.pid, 77);
    assert_int_equal(seen.head.tid, 77);
    assert_int_equal(seen.head.common_pid, 77);
    assert_int_equal(seen.head.common_flags, 0x05);
    assert_int_equal(seen.head.common_preempt_count, 0x12);
    assert_int_equal(seen.head.cpu, 0);
    assert_true(seen.head.time_ns >= 1000000);
    assert_int_equal(seen.a, 3);
    assert_int_equal(seen.b, 4);
    assert_false(take(&seen));
}

static void test_enabling_takes_no_memory(void **state)
{
    (void)state;
    core_host_allocations_left = 0;
    assert_int_equal(cairn_trace_event_enable(&cairn_event_pair, true), 0);
    hit();
    assert_int_equal(cairn_trace_event_enable(&cairn_event_pair, false), 0);
    hit();
    assert_int_equal(record_count(), 1);
}

static void test_nothing_is_recorded_while_tracing_is_off(void **state)
{
    (void)state;
    cairn_trace_event_enable(&cairn_event_pair, true);
    add_record(note_record, "r");
    core.buffer.on = 0;
    hit();
    assert_string_equal(calls, "r");
    assert_int_equal(record_count(), 0);
    core.buffer.on = 1;
    hit();
    assert_int_equal(record_count(), 1);
}

static void test_names_of_tasks_are_remembered(void **state)
{
    char comm[16];

    (void)state;
    cairn_trace_event_enable(&cairn_event_pair, true);
    hit();
    core_host_cpu.tid = 78;
    core_host_cpu.comm = "two";
    hit();
    assert_int_equal(cairn_comm_cache_find(&core.comms, 77, comm), 0);
    assert_string_equal(comm, "one");
    assert_int_equal(cairn_comm_cache_find(&core.comms, 78, comm), 0);
    assert_string_equal(comm, "two");
}

static uint8_t pushed[512];
static size_t pushed_bytes;
static int push_result;

static int push(const void *record, size_t size_bytes)
{
    memcpy(pushed, record, size_bytes);
    pushed_bytes = size_bytes;
    return push_result;
}

static void test_a_host_may_take_the_records(void **state)
{
    (void)state;
    core.host.push_record = push;
    cairn_trace_event_enable(&cairn_event_pair, true);
    hit();
    assert_int_equal(pushed_bytes, 64);
    assert_int_equal(((struct seen *)(void *)pushed)->b, 2);
    assert_int_equal(record_count(), 0);
    assert_int_equal(drop_count(), 0);
    push_result = ENOSPC;
    hit();
    push_result = 0;
    assert_int_equal(drop_count(), 1);
}

static void test_an_event_that_is_too_large_is_dropped_and_counted(void **state)
{
    static char text[70000];

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    cairn_trace_event_enable(&cairn_event_word, true);
    trace_word(text);
    assert_int_equal(drop_count(), 1);
    assert_int_equal(record_count(), 0);
}

/* ---- callbacks ---- */

static void test_callbacks_are_called_by_kind_priority_and_age(void **state)
{
    (void)state;
    assert_int_equal(add_raw(note_raw, "w"), 0);
    assert_int_equal(add_record(note_record, "r"), 0);
    assert_int_equal(register_trace_pair(note, "b"), 0);
    assert_int_equal(register_trace_prio_pair(note, "e", -5), 0);
    assert_int_equal(register_trace_pair(note, "c"), 0);
    assert_int_equal(register_trace_prio_pair(note, "a", 11), 0);
    assert_int_equal(register_trace_prio_pair(note, "d", 9), 0);
    hit();
    assert_string_equal(calls, "abcderw");
    assert_int_equal(record_count(), 0);
    assert_int_equal(unregister_trace_pair(note, "c"), 0);
    hit();
    assert_string_equal(calls, "abderw");
}

static void test_a_callback_is_there_once(void **state)
{
    (void)state;
    assert_int_equal(register_trace_pair(note, "a"), 0);
    assert_int_equal(register_trace_pair(note, "a"), EEXIST);
    hit();
    assert_string_equal(calls, "a");
    assert_int_equal(unregister_trace_pair(note, "a"), 0);
    assert_int_equal(unregister_trace_pair(note, "a"), ENOENT);
    assert_int_equal(register_trace_pair(NULL, "a"), EINVAL);
    assert_false(trace_pair_enabled());
}

static void test_record_callbacks_see_what_the_filter_takes(void **state)
{
    (void)state;
    add_record(note_record, "r");
    add_raw(note_raw, "w");
    register_trace_pair(note, "t");
    assert_int_equal(set_filter(&cairn_event_pair, "a == 1 && b > 1"), 0);
    hit();
    assert_string_equal(calls, "trw");
    assert_int_equal(set_filter(&cairn_event_pair, "a == 2"), 0);
    hit();
    assert_string_equal(calls, "tw");
    assert_int_equal(set_filter(&cairn_event_pair, "COMM == \"one\" && CPU == 0"), 0);
    hit();
    assert_string_equal(calls, "trw");
    assert_int_equal(set_filter(&cairn_event_pair, "0"), 0);
    cairn_trace_event_enable(&cairn_event_pair, true);
    hit();
    assert_string_equal(calls, "trw");
    assert_int_equal(record_count(), 1);
}

static void test_a_filter_chooses_what_is_recorded(void **state)
{
    struct seen seen;

    (void)state;
    cairn_trace_event_enable(&cairn_event_pair, true);
    assert_int_equal(set_filter(&cairn_event_pair, "a > 8 && b > 5"), 0);
    for (uint32_t a = 7; a < 11; a++)
        trace_pair(a, 6);
    assert_true(take(&seen));
    assert_int_equal(seen.a, 9);
    assert_true(take(&seen));
    assert_int_equal(seen.a, 10);
    assert_false(take(&seen));
    assert_int_equal(drop_count(), 0);
}

/* ---- what callbacks may do: the document's list of deadlocks ---- */

static int result;

static void unregister_itself(void *data, uint32_t a, uint32_t b)
{
    (void)a, (void)b;
    strcat(calls, data);
    result = unregister_trace_pair(unregister_itself, data);
}

static void test_a_callback_may_take_itself_away(void **state)
{
    (void)state;
    register_trace_pair(unregister_itself, "u");
    register_trace_pair(note, "n");
    hit();
    assert_string_equal(calls, "un");
    assert_int_equal(result, EINPROGRESS);
    hit();
    assert_string_equal(calls, "n");
    assert_int_equal(cairn_trace_synchronize(&core.trace), 0);
}

static void unregister_next(void *data, uint32_t a, uint32_t b)
{
    (void)a, (void)b;
    strcat(calls, "u");
    result = unregister_trace_pair(note, data);
}

static void test_a_callback_that_was_taken_away_is_not_called_any_more(void **state)
{
    (void)state;
    register_trace_pair(unregister_next, "n");
    register_trace_pair(note, "n");
    hit();
    assert_string_equal(calls, "u");
    assert_int_equal(result, EINPROGRESS);
}

static void register_more(void *data, uint32_t a, uint32_t b)
{
    (void)a, (void)b;
    strcat(calls, "m");
    result = register_trace_pair(note, data);
}

static void test_a_callback_may_add_callbacks(void **state)
{
    (void)state;
    register_trace_pair(register_more, "n");
    hit();
    assert_string_equal(calls, "m");
    assert_int_equal(result, 0);
    hit();
    assert_string_equal(calls, "mn");
    assert_int_equal(result, EEXIST);
}

static void set_a_filter(void *data, uint32_t a, uint32_t b)
{
    (void)a, (void)b;
    result = set_filter(&cairn_event_pair, data);
}

static void test_a_callback_may_set_filters(void **state)
{
    (void)state;
    register_trace_pair(set_a_filter, "a == 7");
    cairn_trace_event_enable(&cairn_event_pair, true);
    hit(); /* the event that is being hit goes by the old one */
    assert_int_equal(result, 0);
    hit();
    assert_int_equal(record_count(), 1);
}

static void set_a_bad_filter_of_another(void *data, const struct cairn_trace_event *event,
                                        const struct cairn_record_head *record)
{
    (void)data, (void)event, (void)record;
    result = set_filter(&cairn_event_other, "nosuch == 1");
}

static void test_a_callback_may_set_a_filter_that_is_wrong(void **state)
{
    char text[256];
    size_t length;

    (void)state;
    add_record(set_a_bad_filter_of_another, NULL);
    hit();
    assert_int_equal(result, EINVAL);
    assert_int_equal(cairn_trace_file_read(&core.trace, "error_log", 0, text, 255, &length), 0);
    text[length] = 0;
    assert_non_null(strstr(text, "Field not found"));
}

static void switch_all(void *data, uint32_t a, uint32_t b)
{
    (void)data, (void)a, (void)b;
    result = cairn_trace_enable(&core.trace, "demo:*", true, NULL);
}

static void test_a_callback_may_enable_events(void **state)
{
    (void)state;
    register_trace_pair(switch_all, NULL);
    assert_false(trace_other_enabled());
    hit();
    assert_int_equal(result, 0);
    assert_true(trace_other_enabled()); /* its key was switched when the event was over */
    hit();
    assert_int_equal(record_count(), 1);
}

static void read_files(void *data, uint32_t a, uint32_t b)
{
    char text[512];
    size_t length;

    (void)a, (void)b;
    result = cairn_trace_file_read(&core.trace, "events/demo/pair/filter", 0, text, 512, &length);
    strncat(data, text, length);
}

static void test_a_callback_may_read_and_write_files(void **state)
{
    char text[64] = "";

    (void)state;
    set_filter(&cairn_event_pair, "a==1");
    register_trace_pair(read_files, text);
    hit();
    assert_int_equal(result, 0);
    assert_string_equal(text, "a==1\n");
}

static void hit_another(void *data, uint32_t a, uint32_t b)
{
    (void)data;
    trace_other((int64_t)a + b);
}

static void test_a_callback_may_hit_tracepoints(void **state)
{
    (void)state;
    cairn_trace_enable(&core.trace, "*:*", true, NULL);
    register_trace_pair(hit_another, NULL);
    hit();
    assert_int_equal(record_count(), 2);
}

static uint32_t depth;

static void hit_itself(void *data, uint32_t a, uint32_t b)
{
    (void)data;
    depth++;
    trace_pair(a + 1, b);
}

static void test_a_callback_that_hits_its_own_tracepoint_ends_at_the_last_level(void **state)
{
    struct seen seen;

    (void)state;
    depth = 0;
    cairn_trace_event_enable(&cairn_event_pair, true);
    register_trace_pair(hit_itself, NULL);
    hit();
    assert_int_equal(depth, CAIRN_TRACE_LEVELS);
    assert_int_equal(record_count(), CAIRN_TRACE_LEVELS);
    assert_int_equal(drop_count(), 1);
    for (uint32_t i = 0; i < CAIRN_TRACE_LEVELS; i++)
        assert_true(take(&seen));
    assert_false(take(&seen));
}

static void synchronize(void *data, uint32_t a, uint32_t b)
{
    (void)data, (void)a, (void)b;
    result = cairn_trace_synchronize(&core.trace);
}

static void test_a_callback_cannot_wait_and_is_told(void **state)
{
    (void)state;
    register_trace_pair(synchronize, NULL);
    hit();
    assert_int_equal(result, EINPROGRESS);
    result = 0;
    core_host_cpu.flags = CAIRN_TRACE_FLAG_HARDIRQ;
    assert_int_equal(cairn_trace_synchronize(&core.trace), EINPROGRESS);
    core_host_cpu.flags = 0;
    assert_int_equal(cairn_trace_synchronize(&core.trace), 0);
}

/* ---- interrupts ---- */

static void in_interrupt(int signal)
{
    uint8_t flags = core_host_cpu.flags;

    (void)signal;
    core_host_cpu.flags |= CAIRN_TRACE_FLAG_HARDIRQ;
    trace_other(5);
    result = cairn_trace_event_enable(&cairn_event_word, true);
    core_host_cpu.flags = flags;
}

static void interrupt(void *data, const struct cairn_trace_event *event,
                      const struct cairn_record_head *record)
{
    (void)data, (void)event, (void)record;
    raise(SIGUSR1);
}

static void test_an_interrupt_may_write_and_enable(void **state)
{
    struct seen seen;

    (void)state;
    signal(SIGUSR1, in_interrupt);
    cairn_trace_enable(&core.trace, "demo", true, NULL);
    add_record(interrupt, NULL);
    hit();
    assert_int_equal(result, 0);
    assert_true(trace_word_enabled());
    assert_int_equal(record_count(), 2);
    assert_true(take(&seen));
    assert_true(take(&seen));
    assert_false(take(&seen));
    remove_record(interrupt, NULL);
    cairn_trace_enable(&core.trace, "!text", true, NULL);
    assert_false(trace_word_enabled());
    raise(SIGUSR1); /* interrupts no event */
    assert_true(trace_word_enabled());
}

/* Memory that an interrupt may take at any instruction: malloc is not. */
#define SLOTS      256u
#define SLOT_BYTES 8192u

static _Alignas(16) uint8_t slots[SLOTS][SLOT_BYTES];
static uint8_t slot_used[SLOTS];

static void *allocate_slot(size_t size_bytes)
{
    for (uint32_t i = 0; i < SLOTS && size_bytes <= SLOT_BYTES; i++) {
        if (!__atomic_exchange_n(&slot_used[i], 1, __ATOMIC_ACQUIRE))
            return slots[i];
    }
    return NULL;
}

/* While the interrupts come nothing is asserted: cmocka takes memory, which an interrupt may not.
 */
static uint32_t interrupts;
static int interrupt_errors;

static void release_slot(void *memory)
{
    size_t slot = (size_t)((uint8_t *)memory - slots[0]) / SLOT_BYTES;

    interrupt_errors += (core_host_cpu.flags & CAIRN_TRACE_FLAG_HARDIRQ) || core_host_cpu.entered;
    __atomic_store_n(&slot_used[slot], 0, __ATOMIC_RELEASE);
}

static void ignore(void *data, uint32_t a, uint32_t b)
{
    (void)data, (void)a, (void)b;
}

/* What it finds it puts back, whatever it has interrupted. ENOMEM: much waits to be released. */
static void change_in_interrupt(int signal)
{
    static int own;
    struct core_host_cpu before = core_host_cpu;
    int err;

    (void)signal;
    core_host_cpu.flags |= CAIRN_TRACE_FLAG_HARDIRQ;
    interrupts++;
    trace_pair(9, 9);
    err = register_trace_pair(ignore, &own);
    if (!err)
        err = unregister_trace_pair(ignore, &own);
    if (err != EINPROGRESS && err != ENOMEM)
        interrupt_errors++;
    err = set_filter(&cairn_event_other, interrupts % 2 ? "n == 1" : "0");
    if (err && err != ENOMEM)
        interrupt_errors++;
    if (cairn_trace_event_enable(&cairn_event_word, interrupts % 2) > ENOMEM)
        interrupt_errors++;
    trace_pair(9, 9);
    core_host_cpu.flags = before.flags;
    interrupt_errors += core_host_cpu.entered != before.entered;
}

/* What interrupts have left to be released may be what is missing. */
static bool is_without_memory(int err)
{
    return err == ENOMEM && !cairn_trace_synchronize(&core.trace);
}

static void test_interrupts_at_any_instruction_may_change_everything(void **state)
{
    const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    uint64_t count, before;
    int err;

    core.host.allocate = allocate_slot;
    core.host.release = release_slot;
    interrupts = 0;
    interrupt_errors = 0;
    core.buffer.on = 0; /* nobody reads the rings */
    cairn_trace_event_enable(&cairn_event_pair, true);
    signal(SIGALRM, change_in_interrupt);
    setitimer(ITIMER_REAL, &often, NULL);
    while (interrupts < 1000) {
        count = 0;
        do
            err = register_trace_pair(count_up, &count);
        while (is_without_memory(err));
        interrupt_errors += err != 0;
        do
            err = set_filter(&cairn_event_pair, "a == 1");
        while (is_without_memory(err));
        interrupt_errors += err != 0;
        while (!__atomic_load_n(
            &count,
            __ATOMIC_RELAXED)) /* the key is switched by now, or by what the interrupt left */
            trace_pair(1, 2);
        interrupt_errors += unregister_trace_pair(count_up, &count) != 0;
        before = __atomic_load_n(&count, __ATOMIC_RELAXED);
        trace_pair(1, 2);
        interrupt_errors += __atomic_load_n(&count, __ATOMIC_RELAXED) != before;
        do
            err = set_filter(&cairn_event_pair, "0");
        while (is_without_memory(err));
        interrupt_errors += err != 0;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    usleep(1000); /* ThreadSanitizer delivers late signals in calls that block */
    signal(SIGALRM, SIG_IGN);
    assert_int_equal(interrupt_errors, 0);
    set_filter(&cairn_event_other, "0");
    cairn_trace_enable(&core.trace, "*:*", false, NULL);
    assert_int_equal(cairn_trace_synchronize(&core.trace), 0);
    assert_false(trace_pair_enabled());
    assert_false(trace_word_enabled());
    for (uint32_t i = 0; i < SLOTS; i++)
        assert_int_equal(slot_used[i], 0);
    core.buffer.on = 1;
    (void)state;
}

static void test_a_key_that_cannot_be_switched_is_told(void **state)
{
    (void)state;
    cairn_event_pair.key.count = UINT32_MAX;
    assert_int_equal(cairn_trace_event_enable(&cairn_event_pair, true), E2BIG);
    assert_true(cairn_trace_event_is_enabled(&cairn_event_pair));
    cairn_event_pair.key.count = 0;
    assert_int_equal(cairn_trace_event_enable(&cairn_event_pair, true), 0); /* once more */
    assert_true(trace_pair_enabled());
    hit();
    assert_int_equal(record_count(), 1);
}

/* ---- memory ---- */

static void test_without_memory_nothing_changes(void **state)
{
    (void)state;
    register_trace_pair(note, "a");
    cairn_trace_event_enable(&cairn_event_pair, true);
    for (int left = 0; left < 2; left++) {
        core_host_allocations_left = left;
        assert_int_equal(register_trace_pair(note, "b"), ENOMEM);
        core_host_allocations_left = left;
        assert_int_equal(set_filter(&cairn_event_pair, "a == 1"), ENOMEM);
        core_host_allocations_left = left;
        assert_int_equal(set_filter(&cairn_event_pair, "b =="), ENOMEM);
    }
    core_host_allocations_left = 0;
    assert_int_equal(cairn_trace_event_enable(&cairn_event_pair, false), ENOMEM);
    assert_true(cairn_trace_event_is_enabled(&cairn_event_pair));
    hit();
    assert_string_equal(calls, "a");
    core_host_allocations_left = 2;
    assert_int_equal(register_trace_pair(note, "b"), 0);
    hit();
    assert_string_equal(calls, "ab");
    assert_int_equal(record_count(), 2);
}

static void test_a_callback_is_taken_away_without_memory(void **state)
{
    (void)state;
    register_trace_pair(note, "a");
    register_trace_pair(note, "b");
    add_record(note_record, "r");
    add_raw(note_raw, "w");
    core_host_allocations_left = 0;
    assert_int_equal(unregister_trace_pair(note, "a"), 0);
    hit();
    assert_string_equal(calls, "brw");
    assert_int_equal(remove_raw(note_raw, "w"), 0);
    assert_int_equal(remove_record(note_record, "r"), 0);
    hit();
    assert_string_equal(calls, "b");
    assert_int_equal(unregister_trace_pair(note, "b"), 0);
    assert_false(trace_pair_enabled());
    core_host_allocations_left = -1;
    assert_int_equal(register_trace_pair(note, "a"), 0);
    hit();
    assert_string_equal(calls, "a");
}

static void test_memory_comes_back(void **state)
{
    long before = core_host_allocated;

    (void)state;
    for (int i = 0; i < 50; i++) {
        assert_int_equal(register_trace_pair(note, "a"), 0);
        assert_int_equal(set_filter(&cairn_event_pair, "a == 1"), 0);
        assert_int_equal(set_filter(&cairn_event_pair, "a = 1"), EINVAL);
        assert_int_equal(set_filter(&cairn_event_pair, "0"), 0);
        assert_int_equal(unregister_trace_pair(note, "a"), 0);
        cairn_trace_file_truncate(&core.trace, "error_log");
    }
    assert_int_equal(cairn_trace_synchronize(&core.trace), 0);
    assert_int_equal(core_host_allocated, before);
}

static void test_a_host_without_memory_can_enable_events(void **state)
{
    (void)state;
    core.host.allocate = NULL;
    core.host.release = NULL;
    assert_int_equal(cairn_trace_enable(&core.trace, "demo:pair", true, NULL), 0);
    hit();
    assert_int_equal(register_trace_pair(note, "a"), ENOMEM);
    assert_int_equal(set_filter(&cairn_event_pair, "a == 1"), ENOMEM);
    assert_int_equal(set_filter(&cairn_event_pair, "0"), 0);
    assert_int_equal(cairn_trace_enable(&core.trace, "!demo:pair", true, NULL), 0);
    assert_int_equal(record_count(), 1);
}

/* ---- several CPUs ---- */

#define ROUNDS 300

static bool stop;

static void *hit_for_ever(void *cpu)
{
    core_host_cpu = (struct core_host_cpu){.cpu = (uint32_t)(uintptr_t)cpu, .tid = 80};
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        trace_pair(1, 2);
    return NULL;
}

static void test_who_is_unregistered_is_not_called_again(void **state)
{
    pthread_t thread;

    (void)state;
    stop = false;
    cairn_trace_event_enable(&cairn_event_pair, true);
    assert_int_equal(pthread_create(&thread, NULL, hit_for_ever, (void *)1), 0);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t *count = calloc(1, sizeof(*count));

        assert_int_equal(register_trace_pair(count_up, count), 0);
        while (i % 8 == 0 && !__atomic_load_n(count, __ATOMIC_RELAXED))
            sched_yield();
        assert_int_equal(set_filter(&cairn_event_pair, i % 2 ? "a == 1" : "b == 1"), 0);
        assert_int_equal(unregister_trace_pair(count_up, count), 0);
        free(count); /* ASan and TSan tell if anybody still counts */
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
}

static uint64_t counts[2];

static void *change_for_ever(void *cpu)
{
    uintptr_t index = (uintptr_t)cpu;

    core_host_cpu = (struct core_host_cpu){.cpu = (uint32_t)index, .tid = 80};
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t before = __atomic_load_n(&counts[index], __ATOMIC_RELAXED);
        int err = register_trace_pair(count_up, &counts[index]);

        /* The other one may be about to switch the key for both. */
        while (!err && __atomic_load_n(&counts[index], __ATOMIC_RELAXED) == before)
            trace_pair(1, 2);
        if (!err)
            err = cairn_trace_event_enable(&cairn_event_pair, i % 2);
        if (!err)
            err = set_filter(&cairn_event_pair, i % 3 ? "a == 1" : "0");
        if (!err)
            err = unregister_trace_pair(count_up, &counts[index]);
        if (err)
            return (void *)(intptr_t)err;
    }
    return NULL;
}

static void test_changes_from_two_cpus_are_all_made(void **state)
{
    pthread_t thread;
    void *theirs;

    (void)state;
    counts[0] = counts[1] = 0;
    assert_int_equal(pthread_create(&thread, NULL, change_for_ever, (void *)1), 0);
    assert_null(change_for_ever((void *)0));
    pthread_join(thread, &theirs);
    assert_null(theirs);
    assert_true(counts[0] >= ROUNDS);
    assert_true(counts[1] >= ROUNDS);
    cairn_trace_event_enable(&cairn_event_pair, false);
    set_filter(&cairn_event_pair, "0");
    assert_int_equal(cairn_trace_synchronize(&core.trace), 0);
    assert_false(trace_pair_enabled());
}

static uint32_t inside;

static void stay_inside(void *data, uint32_t a, uint32_t b)
{
    (void)data, (void)a, (void)b;
    __atomic_store_n(&inside, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&inside, __ATOMIC_ACQUIRE) != 2)
        sched_yield();
    usleep(1000);
    __atomic_store_n(&inside, 3, __ATOMIC_RELEASE);
}

static void *hit_once(void *cpu)
{
    core_host_cpu = (struct core_host_cpu){.cpu = (uint32_t)(uintptr_t)cpu, .tid = 80};
    trace_pair(1, 2);
    return NULL;
}

static void test_unregistering_waits_for_who_runs_the_callback(void **state)
{
    pthread_t thread;

    (void)state;
    inside = 0;
    register_trace_pair(stay_inside, NULL);
    assert_int_equal(pthread_create(&thread, NULL, hit_once, (void *)1), 0);
    while (!__atomic_load_n(&inside, __ATOMIC_ACQUIRE))
        sched_yield();
    __atomic_store_n(&inside, 2, __ATOMIC_RELEASE);
    assert_int_equal(unregister_trace_pair(stay_inside, NULL), 0);
    assert_int_equal(__atomic_load_n(&inside, __ATOMIC_ACQUIRE), 3);
    pthread_join(thread, NULL);
}

static void test_without_help_of_the_host_events_have_a_barrier(void **state)
{
    (void)state;
    core_host_close(&core, START, STOP);
    core.host.keys.sync_cores = NULL;
    assert_int_equal(core_host_open(&core, 2, 256 << 10, CAIRN_TRACE_DISCARD, START, STOP), 0);
    assert_true(core.trace.fence);
    test_who_is_unregistered_is_not_called_again(state);
    core_host_close(&core, START, STOP);
    assert_int_equal(core_host_open(&core, 1, 256 << 10, CAIRN_TRACE_DISCARD, START, STOP), 0);
    assert_false(core.trace.fence); /* one CPU is in order with itself */
}

/* ---- the host's own grace period, and its hook ---- */

static uint32_t synchronized;

static void host_synchronize(void)
{
    assert_int_equal(core_host_cpu.entered, 0);
    synchronized++;
}

static int32_t switched;

static void host_switch(struct cairn_trace_event *event, bool on)
{
    assert_int_equal(core_host_cpu.entered, 0);
    assert_ptr_equal(event, &cairn_event_pair);
    switched += on ? 1 : -1;
}

static void test_the_host_is_told_and_asked(void **state)
{
    (void)state;
    synchronized = 0;
    switched = 0;
    core.host.synchronize = host_synchronize;
    core.host.switch_event = host_switch;
    register_trace_pair(unregister_itself, "u");
    assert_int_equal(switched, 1);
    cairn_trace_event_enable(&cairn_event_pair, true);
    assert_int_equal(switched, 1);
    cairn_trace_event_enable(&cairn_event_pair, false);
    hit();
    assert_int_equal(switched, 0);
    assert_int_equal(cairn_trace_synchronize(&core.trace), 0);
    assert_true(synchronized >= 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_core, close_core)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_disabled_event_writes_nothing),
        TEST(test_an_enabled_event_is_a_whole_record),
        TEST(test_enabling_takes_no_memory),
        TEST(test_nothing_is_recorded_while_tracing_is_off),
        TEST(test_names_of_tasks_are_remembered),
        TEST(test_a_host_may_take_the_records),
        TEST(test_an_event_that_is_too_large_is_dropped_and_counted),
        TEST(test_callbacks_are_called_by_kind_priority_and_age),
        TEST(test_a_callback_is_there_once),
        TEST(test_record_callbacks_see_what_the_filter_takes),
        TEST(test_a_filter_chooses_what_is_recorded),
        TEST(test_a_callback_may_take_itself_away),
        TEST(test_a_callback_that_was_taken_away_is_not_called_any_more),
        TEST(test_a_callback_may_add_callbacks),
        TEST(test_a_callback_may_set_filters),
        TEST(test_a_callback_may_set_a_filter_that_is_wrong),
        TEST(test_a_callback_may_enable_events),
        TEST(test_a_callback_may_read_and_write_files),
        TEST(test_a_callback_may_hit_tracepoints),
        TEST(test_a_callback_that_hits_its_own_tracepoint_ends_at_the_last_level),
        TEST(test_a_callback_cannot_wait_and_is_told),
        TEST(test_an_interrupt_may_write_and_enable),
        TEST(test_interrupts_at_any_instruction_may_change_everything),
        TEST(test_a_key_that_cannot_be_switched_is_told),
        TEST(test_without_memory_nothing_changes),
        TEST(test_a_callback_is_taken_away_without_memory),
        TEST(test_memory_comes_back),
        TEST(test_a_host_without_memory_can_enable_events),
        TEST(test_who_is_unregistered_is_not_called_again),
        TEST(test_changes_from_two_cpus_are_all_made),
        TEST(test_unregistering_waits_for_who_runs_the_callback),
        TEST(test_without_help_of_the_host_events_have_a_barrier),
        TEST(test_the_host_is_told_and_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
