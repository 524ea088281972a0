/* SPDX-License-Identifier: MIT */
/*
 * Test of rings with interrupts at every instruction of a writer. The processor's trap flag raises
 * a signal after each instruction; the signal's handler is the interrupt: it writes an event of its
 * own, and is itself interrupted at each of its instructions by one more. At any instruction, no
 * event may be lost, duplicated, torn, or visible out of time order, also to a reader that reads at
 * every instruction.
 */
#include "single_step.h"
#include "trace_ring.h"

#include <signal.h>
#include <stdio.h>

#define NEVER  UINT32_MAX
#define ALWAYS 0u

/*
 * Each step is a signal, and all combinations would take minutes. So the simplest case is
 * interrupted at each of its instructions, and the long ones at every n-th; CAIRN_TEST_STRIDE in
 * the environment is n for the interrupts of an interrupt (1: each instruction). An instrumented
 * writer has ten times as many instructions.
 */
#define STRIDE 499u
#ifdef __SANITIZE_ADDRESS__
#define STRIDE_FAST       307u
#define OUTER_STRIDE      503u
#define OUTER_STRIDE_LONG 3001u
#else
#define STRIDE_FAST       11u
#define OUTER_STRIDE      1u
#define OUTER_STRIDE_LONG 37u
#endif

#ifdef CAN_STEP

static struct {
    struct ring ring;
    struct cairn_trace_cpu *cpu;
    struct cairn_trace_cursor reader;
    uint32_t stamp;   /* time and number of the last event */
    uint32_t written; /* number of successful puts */
    uint32_t seen;
    uint64_t last_ns; /* time of the last event that was read */
    uint32_t bad;     /* number of torn, duplicated or unordered events */
    bool read_at_each;
    /* interrupts: the instruction of the level below at which each comes, and the number of its
     * instructions */
    volatile uint32_t depth;
    uint32_t at[2];
    uint32_t steps[2];
    uint32_t interrupts[2];
    uint8_t times_seen[1 << 20];
} t;

static void put(void)
{
    uint32_t stamp = __atomic_add_fetch(&t.stamp, 1, __ATOMIC_RELAXED);

    if (ring_put(t.cpu, stamp, stamp))
        __atomic_add_fetch(&t.written, 1, __ATOMIC_RELAXED);
}

/* Reads all visible events, as a reader on another CPU would. Contains no assertions: the caller
 * may be a signal handler. */
static void drain(void)
{
    const struct cairn_record_head *record;

    while (!cairn_trace_cursor_peek(&t.reader, &record)) {
        struct ring_payload payload;

        memcpy(&payload, record + 1, sizeof(payload));
        t.bad += payload.number != ~payload.complement || payload.number > t.stamp ||
                 t.times_seen[payload.number % sizeof(t.times_seen)]++ ||
                 record->time_ns < t.last_ns || record->time_ns < payload.number ||
                 cairn_trace_cursor_pop(&t.reader);
        t.last_ns = record->time_ns;
        t.seen++;
    }
}

/* The trap flag is off in the handler, except for the part that the handler itself steps
 * through. */
static void trap(int signal, siginfo_t *info, void *context)
{
    uint32_t depth = t.depth;
    uint32_t step = ++t.steps[depth];

    (void)signal;
    (void)info;
    if (t.read_at_each)
        drain();
    if (step != t.at[depth] && t.at[depth] != ALWAYS)
        return;
    t.interrupts[depth]++;
    if (depth) {
        put();
    } else {
        t.depth = 1;
        t.steps[1] = 0;
        step_begin();
        put();
        step_end();
        t.depth = 0;
    }
    if (t.at[depth] != ALWAYS && !t.read_at_each) /* the rest runs without stepping */
        step_no_more(context);
}

/* Writes an event that is interrupted at instruction `at0`, by an event that is interrupted at
 * `at1`. */
static void put_stepping(uint32_t at0, uint32_t at1)
{
    t.at[0] = at0;
    t.at[1] = at1;
    t.depth = 0;
    memset(t.steps, 0, sizeof(t.steps));
    memset(t.interrupts, 0, sizeof(t.interrupts));
    step_begin();
    put();
    step_end();
}

/* ---- states of the rings when stepping begins ---- */

static void nothing_special(void)
{
    put();
    cairn_trace_cpu_enter(t.cpu);
    put();
    cairn_trace_cpu_leave(t.cpu, 0);
}

/* The next event at this level needs a new chunk. */
static void fill_level(uint32_t level)
{
    const struct cairn_writer *writer = &t.cpu->levels[level].writer;

    for (uint32_t i = 0; i < level; i++)
        cairn_trace_cpu_enter(t.cpu);
    do
        put();
    while (writer->end - writer->next >= 64);
    for (uint32_t i = level; i-- > 0;)
        cairn_trace_cpu_leave(t.cpu, i);
}

static void chunks_end(void)
{
    fill_level(1);
    fill_level(2);
    fill_level(0);
}

/* No chunk is free: the next chunk is the oldest one of some level. */
static void chunks_end_and_all_are_full(void)
{
    while (!t.cpu->pool.header->overwritten)
        put();
    fill_level(2);
    fill_level(1);
    fill_level(0);
}

/* The next event releases the chunks that the levels above it have held for a full round of the
 * pool. */
static void chunks_have_become_stale(void)
{
    const struct cairn_pool *pool = &t.cpu->pool;

    fill_level(2);
    cairn_trace_cpu_enter(t.cpu);
    put();
    cairn_trace_cpu_leave(t.cpu, 0);
    do
        fill_level(0);
    while (pool->header->last_sequence - t.cpu->levels[1].writer.chunk->sequence <
           pool->chunk_count);
}

static void no_level_has_a_chunk(void)
{
}

/* ---- */

static void begin(void (*prepare)(void), enum cairn_trace_mode mode)
{
    assert_int_equal(
        cairn_trace_buffer_init(&t.ring.buffer, t.ring.memory, t.ring.memory_bytes, 1, mode), 0);
    t.cpu = &t.ring.buffer.cpus[0];
    t.reader = ring_open(&t.ring, 0, true);
    t.stamp = 0;
    t.written = 0;
    t.seen = 0;
    t.last_ns = 0;
    t.bad = 0;
    memset(t.times_seen, 0, 1 << 12);
    prepare();
}

static void check(void)
{
    struct cairn_trace_stats stats;

    assert_int_equal(t.cpu->nest, 0);
    assert_int_equal(t.cpu->dirty, 0);
    stats = ring_stats(&t.ring, 0);
    assert_int_equal(stats.dropped, t.stamp - t.written);
    assert_int_equal(stats.read_events, t.seen);
    assert_int_equal(stats.entries + stats.overruns + t.seen, t.written);
    assert_int_equal(stats.bytes, stats.entries * RING_RECORD_BYTES);
    drain();
    stats = ring_stats(&t.ring, 0);
    assert_int_equal(t.bad, 0);
    assert_int_equal(stats.entries, 0);
    assert_int_equal(t.seen + stats.overruns, t.written);
}

/* Number of instructions of an event that interrupts another at its first instruction. */
static uint32_t count_steps(void (*prepare)(void), enum cairn_trace_mode mode)
{
    begin(prepare, mode);
    put_stepping(1, NEVER);
    check();
    return t.steps[1];
}

/* Interrupts at one instruction after another, and the interrupt at every n-th of its own. */
static void interrupt_each(void (*prepare)(void), enum cairn_trace_mode mode, uint32_t stride,
                           uint32_t outer_stride)
{
    uint32_t steps1 = count_steps(prepare, mode);
    uint32_t runs = 0;
    uint32_t at1 = 0;

    stride = stride < steps1 ? stride : steps1 - 1;
    for (uint32_t at0 = 1;; at0 += outer_stride) {
        for (at1 = at1 % stride + 1; at1 <= steps1; at1 += stride, runs++) {
            begin(prepare, mode);
            put_stepping(at0, at1);
            check();
        }
        if (!t.interrupts[0])
            break;
    }
    printf("%u events of %u instructions, interrupted and that interrupted\n", runs, t.steps[0]);
    assert_true(runs > t.steps[0] / outer_stride);
}

/* Interrupts at every instruction, and each interrupt at all of its own. */
static void interrupt_always(void (*prepare)(void), enum cairn_trace_mode mode)
{
    static const uint32_t at1[] = {23, 71};

    if (OUTER_STRIDE != 1 && prepare != nothing_special)
        return;
    for (int i = 0; i < 2; i++) {
        if (i != (t.read_at_each ^ (int)mode) && !getenv("CAIRN_TEST_ALL"))
            continue;
        begin(prepare, mode);
        put_stepping(ALWAYS, at1[i]);
        check();
        assert_int_equal(t.interrupts[0], t.steps[0]);
        assert_true(t.interrupts[0] > 50 && t.interrupts[1] > 50);
    }
}

static void make(void)
{
    struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_NODEFER | SA_SIGINFO};

    memset(&t, 0, sizeof(t));
    ring_make(&t.ring, 1, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
}

static void unmake(void)
{
    assert_int_equal(signal(SIGTRAP, SIG_DFL) == SIG_ERR, 0);
    ring_unmake(&t.ring);
}

static void with_each_preparation(void (*run)(void (*)(void), enum cairn_trace_mode))
{
    make();
    for (int each = 0; each < 2; each++) {
        t.read_at_each = each;
        for (int mode = 0; mode < 2; mode++) {
            run(nothing_special, mode);
            run(no_level_has_a_chunk, mode);
            run(chunks_end, mode);
        }
        run(chunks_end_and_all_are_full, CAIRN_TRACE_OVERWRITE);
        run(chunks_have_become_stale, CAIRN_TRACE_OVERWRITE);
    }
    unmake();
}

static uint32_t stride_of(void (*prepare)(void))
{
    const char *text = getenv("CAIRN_TEST_STRIDE");

    if (text)
        return (uint32_t)strtoul(text, NULL, 10);
    if (prepare != nothing_special || t.read_at_each)
        return getenv("CAIRN_TEST_ALL") ? STRIDE : 3 * STRIDE;
    return getenv("CAIRN_TEST_ALL") ? STRIDE_FAST : 9 * STRIDE_FAST;
}

static void run_each(void (*prepare)(void), enum cairn_trace_mode mode)
{
    bool plain = prepare == nothing_special && !t.read_at_each;

    interrupt_each(prepare, mode, stride_of(prepare),
                   plain || getenv("CAIRN_TEST_STRIDE") ? OUTER_STRIDE : OUTER_STRIDE_LONG);
}

static void interrupts_at_any_instruction_lose_nothing_and_keep_the_order(void **state)
{
    (void)state;
    with_each_preparation(run_each);
}

static void interrupts_at_every_instruction_lose_nothing_and_keep_the_order(void **state)
{
    (void)state;
    with_each_preparation(interrupt_always);
}

#else

static void interrupts_at_any_instruction_lose_nothing_and_keep_the_order(void **state)
{
    (void)state;
    skip();
}

static void interrupts_at_every_instruction_lose_nothing_and_keep_the_order(void **state)
{
    (void)state;
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupts_at_any_instruction_lose_nothing_and_keep_the_order),
        cmocka_unit_test(interrupts_at_every_instruction_lose_nothing_and_keep_the_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
