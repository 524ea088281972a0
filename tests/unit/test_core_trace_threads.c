/* SPDX-License-Identifier: MIT */
/*
 * Everything at once: on each CPU events are hit, callbacks come and go with the memory that they
 * use, filters and switches change, and rings and files are read. Whoever runs a callback that was
 * taken away finds that its data are dead.
 */
#define CAIRN_KERNEL
#include <cairn/typed_tracepoint.h>

#include "core_host.h"

#include <cairn/kernel/trace_text.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* clang-format off */
CAIRN_TRACEPOINT(number, TP_SYSTEM(busy), TP_PROTO(uint32_t n), TP_ARGS(n),
    TP_STRUCT__entry(__field(uint32_t, n)),
    TP_fast_assign(__entry->n = n;),
    TP_printk("n=%u", __entry->n));

CAIRN_TRACEPOINT(word, TP_SYSTEM(busy), TP_PROTO(uint32_t n), TP_ARGS(n),
    TP_STRUCT__entry(__field(uint32_t, n) __string(text, n % 2 ? "odd" : "even")),
    TP_fast_assign(__entry->n = n; __assign_str(text);),
    TP_printk("n=%u text=%s", __entry->n, __get_str(text)));
/* clang-format on */

#define START __start_cairn_trace_events
#define STOP  __stop_cairn_trace_events

#define CPUS   4u
#define ROUNDS 800u
#define HITS   20u

#define ALIVE 0xa11f7eedu
#define DEAD  0xdeadbeefu

static struct core_host core;
static uint32_t calls, mistakes;

static void count(uint32_t *counter)
{
    __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static void expect(bool condition)
{
    if (!condition)
        count(&mistakes);
}

/* ---- callbacks: the mark is where their data is ---- */

/* Some stay for a while, so that others have the time to take them away. */
static void on_arguments(void *data, uint32_t n)
{
    const uint32_t *mark = data;

    count(&calls);
    expect(__atomic_load_n(mark, __ATOMIC_RELAXED) == ALIVE);
    if (n % 16 == 0)
        sched_yield();
    expect(__atomic_load_n(mark, __ATOMIC_RELAXED) == ALIVE);
}

static void on_record(void *data, const struct cairn_trace_event *event,
                      const struct cairn_record_head *record)
{
    expect(record->common_type == event->id);
    on_arguments(data, 0);
}

static void on_raw(void *data, const struct cairn_trace_event *event, const uint64_t *arguments,
                   uint32_t argument_count)
{
    (void)event, (void)arguments;
    expect(argument_count == 1);
    on_arguments(data, 0);
}

static void (*const functions[])(void) = {
    [CAIRN_TRACE_TYPED] = (void (*)(void))on_arguments,
    [CAIRN_TRACE_RECORD] = (void (*)(void))on_record,
    [CAIRN_TRACE_RAW] = (void (*)(void))on_raw,
};

static void hit(uint32_t round)
{
    for (uint32_t i = 0; i < HITS; i++) {
        trace_number(round + i);
        trace_word(round + i);
    }
}

static void listen_for_a_while(struct cairn_trace_event *event, uint32_t round, uint32_t *mark)
{
    enum cairn_trace_callback_kind kind = (enum cairn_trace_callback_kind)(round % 3);

    *mark = ALIVE;
    expect(
        !cairn_trace_event_callback_add(event, kind, functions[kind], mark, (int32_t)(round % 5)));
    hit(round);
    expect(!cairn_trace_event_callback_remove(event, kind, functions[kind], mark));
    __atomic_store_n(mark, DEAD, __ATOMIC_RELAXED);
}

/* ---- what else happens ---- */

static void change_filter(struct cairn_trace_event *event, uint32_t round)
{
    static const char *const texts[] = {"n > 7", "n &", "COMM == 'busy' || n < 3", "0", "CPU == 1"};
    const char *text = texts[round % 5];
    int err = cairn_trace_event_filter_set(event, text, strlen(text), NULL);

    expect(err == (round % 5 == 1 ? EINVAL : 0));
}

static void read_file(uint32_t round)
{
    static const char *const paths[] = {"set_event", "events/busy/number/filter", "events/enable",
                                        "error_log", "per_cpu/cpu1/stats",        "saved_cmdlines"};
    char text[4096];
    size_t length;

    expect(!cairn_trace_file_read(&core.trace, paths[round % 6], 0, text, sizeof(text), &length));
}

static void read_text(bool consume)
{
    size_t memory_bytes = cairn_trace_text_memory_bytes(&core.buffer);
    void *memory = core_host_memory(memory_bytes);
    struct cairn_trace_names names;
    struct cairn_trace_text text;
    char piece[512];
    size_t length;

    cairn_trace_names_fill(&core.trace, &names);
    expect(!cairn_trace_text_open(&text, &names, &core.buffer, CAIRN_TRACE_ALL_CPUS, consume,
                                  memory, memory_bytes));
    for (uint32_t i = 0; i < 50; i++) {
        if (cairn_trace_text_read(&text, piece, sizeof(piece), &length) || !length)
            break;
    }
    cairn_trace_text_close(&text);
    free(memory);
}

static void *run(void *cpu)
{
    uint32_t *marks = calloc(ROUNDS, sizeof(*marks));

    core_host_cpu =
        (struct core_host_cpu){.cpu = (uint32_t)(uintptr_t)cpu, .tid = 100, .comm = "busy"};
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t round = i + (uint32_t)(uintptr_t)cpu;
        struct cairn_trace_event *event = round % 2 ? &cairn_event_number : &cairn_event_word;

        listen_for_a_while(event, i, &marks[i]);
        if (i % 3 == 0)
            change_filter(event, round);
        if (i % 5 == 0)
            expect(!cairn_trace_event_enable(event, round % 3));
        if (i % 7 == 0)
            read_file(round);
        if (i % 31 == 0)
            read_text(round % 2);
        if (i % 61 == 0)
            expect(!cairn_trace_file_truncate(&core.trace, round % 2 ? "trace" : "error_log"));
    }
    free(marks);
    return NULL;
}

static void all_may_be_done_at_once(void **state)
{
    pthread_t threads[CPUS];

    (void)state;
    core.host = (struct cairn_host)CORE_HOST_INIT;
    assert_int_equal(core_host_open(&core, CPUS, 64 << 10, CAIRN_TRACE_OVERWRITE, START, STOP), 0);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++)
        assert_int_equal(pthread_create(&threads[cpu], NULL, run, (void *)(uintptr_t)cpu), 0);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++)
        pthread_join(threads[cpu], NULL);
    assert_int_equal(mistakes, 0);
    assert_true(calls >= CPUS * ROUNDS / 3 * HITS); /* the filter keeps some from one kind */

    assert_int_equal(cairn_trace_file_write(&core.trace, "events/enable", "0", 1), 0);
    assert_false(trace_number_enabled());
    assert_false(trace_word_enabled());
    core_host_close(&core, START, STOP);
    assert_int_equal(core_host_allocated, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_may_be_done_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
