/* SPDX-License-Identifier: MIT */
/*
 * Test of interrupts at every instruction of a tracepoint that is hit, from the call to the return
 * of the host's `leave`: each interrupt hits tracepoints itself, and is interrupted by one more.
 * test_core_trace_buffer_nesting.c explains the method, and tests the rings alone.
 */
#define CAIRN_KERNEL
#include <cairn/typed_tracepoint.h>

#include "single_step.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>

#ifdef CAN_STEP

#include "core_host.h"

CAIRN_TRACEPOINT(pair, TP_SYSTEM(demo), TP_PROTO(uint32_t a, uint32_t b), TP_ARGS(a, b),
                 TP_STRUCT__entry(__field(uint32_t, a) __field(uint32_t, b)),
                 TP_fast_assign(__entry->a = a; __entry->b = b;),
                 TP_printk("a=%u b=%u", __entry->a, __entry->b));

/* The same numbers, in a record whose size is known only while it is written. */
CAIRN_TRACEPOINT(late, TP_SYSTEM(demo), TP_PROTO(uint32_t a, uint32_t b), TP_ARGS(a, b),
                 TP_STRUCT__entry(__field(uint32_t, a) __field(uint32_t, b)
                                      __dynamic_array(uint8_t, rest, a % 8)),
                 TP_fast_assign(__entry->a = a; __entry->b = b;),
                 TP_printk("a=%u b=%u", __entry->a, __entry->b));

#define START __start_cairn_trace_events
#define STOP  __stop_cairn_trace_events

#define EVENTS_MAX 64u

/* An instrumented writer has ten times as many instructions. */
#ifdef __SANITIZE_ADDRESS__
#define STRIDES ((const uint32_t[2]){97, 389})
#else
#define STRIDES ((const uint32_t[2]){1, 29})
#endif

static struct core_host core;
static uint32_t number;         /* number in the last event */
static volatile uint32_t depth; /* number of nested interrupts */
static uint32_t at[2], steps[2], interrupted[2];

static void hit(void)
{
    uint32_t mine = __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED);

    if (mine % 3)
        trace_pair(mine, ~mine);
    else
        trace_late(mine, ~mine);
}

static void trap(int signal, siginfo_t *info, void *context)
{
    uint32_t mine = depth;

    (void)signal, (void)info;
    if (++steps[mine] != at[mine])
        return;
    interrupted[mine]++;
    if (mine) {
        hit();
    } else {
        depth = 1;
        step_begin();
        hit();
        step_end();
        hit();
        depth = 0;
    }
    step_no_more(context);
}

/* Each event is found once, whole, and in time order. */
static void check(uint32_t first)
{
    uint32_t times_seen[EVENTS_MAX] = {0};
    uint64_t last_ns = 0;
    uint8_t bytes[256];
    size_t length;

    while (!cairn_trace_buffer_read(&core.buffer, 0, bytes, 72, &length)) {
        struct cairn_record_head head;
        uint32_t pair[2];

        memcpy(&head, bytes, sizeof(head));
        memcpy(pair, bytes + sizeof(head), sizeof(pair));
        assert_int_equal(head.size_bytes, length);
        assert_true(head.time_ns >= last_ns);
        last_ns = head.time_ns;
        assert_int_equal(pair[1], ~pair[0]);
        assert_in_range(pair[0], first + 1, number);
        assert_int_equal(times_seen[pair[0] - first - 1]++, 0);
        assert_int_equal(head.common_type, pair[0] % 3 ? cairn_event_pair.id : cairn_event_late.id);
    }
    for (uint32_t i = 0; i < number - first; i++)
        assert_int_equal(times_seen[i], 1);
    assert_int_equal(core.buffer.cpus[0].nest, 0);
    assert_int_equal(core.buffer.cpus[0].dirty, 0);
    assert_int_equal(core_host_cpu.entered, 0);
}

/* The next event needs a new chunk. */
static void fill_chunk(void)
{
    const struct cairn_writer *writer = &core.buffer.cpus[0].levels[0].writer;

    do
        hit();
    while (writer->end - writer->next >= 36);
    while (number % 3)
        number++;
}

static void change_task(void)
{
    core_host_cpu.tid++;
}

static void nothing_special(void)
{
    while (number % 3)
        number++;
}

static void late_event(void)
{
    while (number % 3 != 2)
        number++;
}

/* Hits an event that is interrupted at instruction `at0` by an event that is interrupted at
 * `at1`. */
static void hit_stepping(uint32_t at0, uint32_t at1)
{
    at[0] = at0;
    at[1] = at1;
    memset(steps, 0, sizeof(steps));
    memset(interrupted, 0, sizeof(interrupted));
    step_begin();
    hit();
    step_end();
}

/* Interrupts at each `stride`-th instruction. */
static void interrupt_each(void (*prepare)(void), uint32_t stride)
{
    uint32_t runs = 0;
    uint32_t at1 = 0;

    do {
        uint32_t first;

        prepare();
        assert_int_equal(cairn_trace_buffer_reset(&core.buffer, 0), 0);
        first = number;
        hit_stepping(1 + runs * stride, at1 + 1);
        at1 = interrupted[1] ? at1 + STRIDES[1] : 0;
        check(first);
        runs++;
    } while (interrupted[0]);
    printf("%u events of %u instructions\n", runs, steps[0]);
    assert_true(steps[0] > 50 && runs > steps[0] / (stride + 1));
}

/* Events that need a name or a chunk take `rare_stride` times fewer interrupts: those are long. */
static void run_all(const char *filter, uint32_t stride, uint32_t rare_stride)
{
    struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_NODEFER | SA_SIGINFO};

    core.host = (struct cairn_host)CORE_HOST_INIT;
    core_host_cpu = (struct core_host_cpu){.tid = 77, .comm = "one"};
    core_host_time_ns = 1000000;
    assert_int_equal(core_host_open(&core, 1, 64 << 10, CAIRN_TRACE_DISCARD, START, STOP), 0);
    assert_int_equal(cairn_trace_enable(&core.trace, "demo", true, NULL), 0);
    assert_int_equal(cairn_trace_event_filter_set(&cairn_event_pair, filter, strlen(filter), NULL),
                     0);
    assert_int_equal(cairn_trace_event_filter_set(&cairn_event_late, filter, strlen(filter), NULL),
                     0);
    assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
    interrupt_each(nothing_special, STRIDES[0] * stride);
    interrupt_each(late_event, STRIDES[0] * stride);
    interrupt_each(change_task, STRIDES[0] * rare_stride);
    interrupt_each(fill_chunk, STRIDES[0] * rare_stride);
    assert_true(signal(SIGTRAP, SIG_DFL) != SIG_ERR);
    core_host_close(&core, START, STOP);
}

static void interrupts_at_any_instruction_lose_nothing_and_keep_the_order(void **state)
{
    (void)state;
    run_all("0", 1, getenv("CAIRN_TEST_ALL") ? 1 : 17);
}

static void interrupts_with_filters_lose_nothing_and_keep_the_order(void **state)
{
    (void)state;
    /* The filter is evaluated outside of the code for names and chunks, which the other test
     * interrupts at each instruction. */
    run_all("a != 0 && b != 0", getenv("CAIRN_TEST_ALL") ? 1 : 3,
            getenv("CAIRN_TEST_ALL") ? 3 : 17);
}

#else

static void interrupts_at_any_instruction_lose_nothing_and_keep_the_order(void **state)
{
    (void)state;
    skip();
}

static void interrupts_with_filters_lose_nothing_and_keep_the_order(void **state)
{
    (void)state;
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupts_at_any_instruction_lose_nothing_and_keep_the_order),
        cmocka_unit_test(interrupts_with_filters_lose_nothing_and_keep_the_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
