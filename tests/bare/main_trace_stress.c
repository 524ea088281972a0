/* SPDX-License-Identifier: MIT */
/*
 * Tracing under fire: both CPUs and their timers hit tracepoints while CPU 0 enables and disables
 * them, sets filters, adds and takes away callbacks, and reads. In the end every event that was
 * written was read, overwritten or dropped, and counted as that.
 */
#define CAIRN_KERNEL
#include "bare.h"
#include "sites.h"
#include "trace_host.h"

#include "core/errno.h"

#include <cairn/record.h>
#include <cairn/trace_event.h>

#define TICK_US   150u
#define STRESS_NS 600000000u
#define ROUNDS    150u

CAIRN_TRACEPOINT(
    work, TP_SYSTEM(stress), TP_PROTO(uint32_t cpu, uint64_t number), TP_ARGS(cpu, number),
    TP_STRUCT__entry(__field(uint32_t, cpu) __field(uint64_t, number) __field(uint64_t, check)),
    TP_fast_assign(__entry->cpu = cpu; __entry->number = number;
                   __entry->check = number * 2654435761u;),
    TP_printk("cpu=%u number=%llu", __entry->cpu, (unsigned long long)__entry->number));

CAIRN_TRACEPOINT(
    tick, TP_SYSTEM(stress), TP_PROTO(uint32_t cpu, uint64_t number), TP_ARGS(cpu, number),
    TP_STRUCT__entry(__field(uint32_t, cpu) __field(uint64_t, number) __field(uint64_t, check)),
    TP_fast_assign(__entry->cpu = cpu; __entry->number = number;
                   __entry->check = number * 2654435761u;),
    TP_printk("cpu=%u number=%llu", __entry->cpu, (unsigned long long)__entry->number));

/* What both look like in the ring. */
struct seen {
    struct cairn_record_head head;
    uint32_t cpu;
    uint64_t number;
    uint64_t check;
} __attribute__((packed, aligned(4)));

/* ---- writing ---- */

static uint32_t done;
static uint64_t worked[BARE_CPUS];
static uint64_t ticked[BARE_CPUS];

static void tick(void)
{
    unsigned cpu = bare_cpu();

    for (unsigned i = 0; i < 4; i++)
        trace_tick(cpu, ++ticked[cpu]);
}

static void work_once(void)
{
    unsigned cpu = bare_cpu();

    trace_work(cpu, ++worked[cpu]);
}

static void second_works(void)
{
    bare_timer(TICK_US);
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
        work_once();
    bare_timer(0);
}

/* ---- reading ---- */

static uint64_t read_count[BARE_CPUS];
static uint64_t bad_records;
static uint64_t last_ns[BARE_CPUS];
static uint64_t last_number[2][BARE_CPUS]; /* of work, of ticks */
static uint8_t bytes[4096];

static void say(const char *what, uint64_t number)
{
    bare_print("# ");
    bare_print(what);
    bare_print(": ");
    bare_print_number(number);
    bare_put('\n');
}

/* Says of the first few what they are. */
static void count_bad(const struct seen *seen, uint32_t cpu)
{
    bool is_tick = seen->head.common_type == cairn_event_tick.id;

    if (bad_records++ > 3)
        return;
    say("a bad record of CPU", cpu);
    say("type", seen->head.common_type);
    say("time", seen->head.time_ns);
    say("the last one's", last_ns[cpu]);
    say("number", seen->number);
    say("the last one's", last_number[is_tick][cpu]);
    say("check", seen->check);
}

/* Whole; of its CPU; in the order of times, and of each writer's numbers. */
static bool is_good(const struct seen *seen, uint32_t cpu)
{
    bool is_tick = seen->head.common_type == cairn_event_tick.id;

    if ((!is_tick && seen->head.common_type != cairn_event_work.id) || seen->cpu != cpu ||
        seen->head.cpu != cpu || seen->check != seen->number * 2654435761u ||
        seen->head.time_ns < last_ns[cpu] || seen->number <= last_number[is_tick][cpu])
        return false;
    last_ns[cpu] = seen->head.time_ns;
    last_number[is_tick][cpu] = seen->number;
    return true;
}

static void read_cpu(uint32_t cpu)
{
    size_t length;

    while (!cairn_trace_buffer_read(&bare_trace_buffer, cpu, bytes, sizeof(bytes), &length)) {
        for (size_t at = 0; at < length;) {
            uint32_t size = cairn_record_check(bytes + at, length - at);
            struct seen seen;

            if (size < sizeof(seen)) {
                bad_records++;
                break;
            }
            __builtin_memcpy(&seen, bytes + at, sizeof(seen));
            if (!is_good(&seen, cpu))
                count_bad(&seen, cpu);
            read_count[cpu]++;
            at += size;
        }
    }
}

static void read_all(void)
{
    for (uint32_t cpu = 0; cpu < BARE_CPUS; cpu++)
        read_cpu(cpu);
}

/* ---- changing ---- */

/* A callback's data: alive from its registration to the return of its unregistration. */
static struct {
    uint32_t alive;
    uint32_t calls;
} callback_data[2];
static uint32_t late_calls; /* of callbacks that had been taken away */
static uint32_t errors;
static uint32_t rounds;

static void on_work(void *data, uint32_t cpu, uint64_t number)
{
    uint32_t *alive = data;

    (void)cpu, (void)number;
    /* It takes a while, so that others come in between. */
    for (unsigned i = 0; i < 20; i++)
        bare_relax();
    if (!__atomic_load_n(alive, __ATOMIC_ACQUIRE))
        __atomic_fetch_add(&late_calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(alive + 1, 1, __ATOMIC_RELAXED);
}

static void on_record(void *data, const struct cairn_trace_event *event,
                      const struct cairn_record_head *record)
{
    uint32_t *alive = data;

    if (!__atomic_load_n(alive, __ATOMIC_ACQUIRE) || record->common_type != event->id)
        __atomic_fetch_add(&late_calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(alive + 1, 1, __ATOMIC_RELAXED);
}

/* Says of the first few what they were. */
static void count_error(bool wrong, int err, unsigned line)
{
    if (!wrong || errors++ > 3)
        return;
    bare_print("# error ");
    bare_print_number((uint64_t)err);
    bare_print(" in line ");
    bare_print_number(line);
    bare_put('\n');
}

#define CHECK_OK(call)         check_ok(call, __LINE__)
#define CHECK_SITES(key, jump) check_sites(key, jump, __LINE__)

static void check_ok(int err, unsigned line)
{
    count_error(err != 0, err, line);
}

/* Soon: the other CPU may be at patching, and does this too before it ends. */
static void check_sites(const struct cairn_static_key *key, bool jump, unsigned line)
{
    uint64_t start = bare_now_ns();

    while (!bare_sites_hold(key, jump) && bare_now_ns() - start < 100000000u)
        bare_relax();
    count_error(!bare_sites_hold(key, jump), 0, line);
}

/* In every other round the events are enabled all the while, so that no patching of their sites
 * makes the CPUs wait for each other. */
static void change_callbacks(void)
{
    if (rounds & 1)
        CHECK_OK(cairn_trace_enable(&bare_trace, "stress:", true, NULL));
    __atomic_store_n(&callback_data[0].alive, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&callback_data[1].alive, 1, __ATOMIC_RELEASE);
    CHECK_OK(register_trace_work(on_work, &callback_data[0]));
    CHECK_OK(cairn_trace_callback_add(&cairn_event_tick, CAIRN_TRACE_RECORD,
                                      (void (*)(void))on_record, &callback_data[1], 10));
    for (unsigned i = 0; i < 20; i++)
        work_once();
    read_all();
    CHECK_OK(unregister_trace_work(on_work, &callback_data[0]));
    __atomic_store_n(&callback_data[0].alive, 0, __ATOMIC_RELEASE);
    CHECK_OK(cairn_trace_callback_remove(&cairn_event_tick, CAIRN_TRACE_RECORD,
                                         (void (*)(void))on_record, &callback_data[1]));
    __atomic_store_n(&callback_data[1].alive, 0, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < 20; i++)
        work_once();
    CHECK_OK(cairn_trace_enable(&bare_trace, "stress:", false, NULL));
}

static void change_events(void)
{
    CHECK_OK(bare_trace_write_file("set_event", "stress:*"));
    CHECK_SITES(&cairn_event_work.key, true);
    for (unsigned i = 0; i < 20; i++)
        work_once();
    CHECK_OK(bare_trace_write_file("events/stress/work/filter", "number & 1 && cpu >= 0"));
    CHECK_OK(bare_trace_write_file("events/stress/tick/filter", "CPU == 1"));
    for (unsigned i = 0; i < 20; i++)
        work_once();
    read_all();
    CHECK_OK(bare_trace_write_file("events/stress/filter", "0"));
    CHECK_OK(bare_trace_write_file("set_event", "!stress:tick"));
    CHECK_SITES(&cairn_event_tick.key, false);
    CHECK_OK(bare_trace_write_file("events/enable", "0"));
    CHECK_SITES(&cairn_event_work.key, false);
}

/* ---- the end ---- */

static uint64_t written(void)
{
    uint64_t all = 0;

    for (uint32_t cpu = 0; cpu < BARE_CPUS; cpu++) {
        const struct cairn_trace_cpu *its = &bare_trace_buffer.cpus[cpu];

        for (unsigned level = 0; level < CAIRN_TRACE_LEVELS; level++)
            all += its->levels[level].events;
    }
    return all;
}

static void check_counts(void)
{
    uint64_t nested =
        bare_trace_buffer.cpus[0].levels[1].events + bare_trace_buffer.cpus[1].levels[1].events;
    uint64_t reads = 0;
    uint64_t overruns = 0;
    uint64_t drops = 0;
    uint64_t left = 0;

    for (uint32_t cpu = 0; cpu < BARE_CPUS; cpu++) {
        struct cairn_trace_stats stats;

        bare_check_equal((uint64_t)cairn_trace_buffer_stats(&bare_trace_buffer, cpu, &stats), 0,
                         "there are counts of a CPU");
        bare_check_equal(stats.read_events, read_count[cpu], "what was read is counted");
        reads += read_count[cpu];
        overruns += stats.overruns;
        drops += stats.dropped;
        left += stats.entries + stats.damaged;
    }
    say("rounds", rounds);
    say("read", reads);
    say("overwritten", overruns);
    say("dropped", drops);
    say("written in the middle of another", nested);
    say("calls of a callback", callback_data[0].calls);
    bare_check(reads > 0, "events were read");
    bare_check_equal(left, 0, "and none is left, or was damaged");
    bare_check_equal(written(), reads + overruns, "what was written was read, or overwritten");
    bare_check_equal(bad_records, 0, "records are whole and in order");
}

static void stress(enum cairn_trace_mode mode, bool own_grace)
{
    uint64_t start;

    bare_check_equal((uint64_t)bare_trace_open(mode, own_grace), 0, "a trace is made");
    rounds = errors = late_calls = done = 0;
    for (uint32_t cpu = 0; cpu < BARE_CPUS; cpu++)
        read_count[cpu] = last_ns[cpu] = 0;
    bare_timer_hook = tick;
    bare_second_begin(second_works);
    bare_timer(TICK_US);
    start = bare_now_ns();
    for (; rounds < ROUNDS && bare_now_ns() - start < STRESS_NS; rounds++) {
        change_events();
        change_callbacks();
    }
    bare_timer(0);
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    bare_second_wait();
    bare_timer_hook = NULL;
    read_all();

    bare_check(rounds > 3, "tracepoints are changed while they are hit");
    bare_check_equal(errors, 0, "without an error, and sites are what they should be");
    bare_check_equal(late_calls, 0, "nobody runs a callback that was taken away");
    bare_check(callback_data[0].calls && callback_data[1].calls, "callbacks were called");
    check_counts();
    bare_check_equal((uint64_t)bare_trace_close(), 0, "events are taken out");
    bare_check_equal(bare_trace_allocated(), 0, "and all memory has come back");
}

void bare_main(void)
{
    bare_print("# overwriting, the core's grace period\n");
    stress(CAIRN_TRACE_OVERWRITE, false);
    bare_print("# discarding, the host's grace period\n");
    stress(CAIRN_TRACE_DISCARD, true);
}
