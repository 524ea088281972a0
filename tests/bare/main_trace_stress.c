/* SPDX-License-Identifier: MIT */
/*
 * Tracing under fire: both CPUs, their timers and, on x86-64, NMIs hit tracepoints while CPU 0
 * enables and disables them, sets filters, adds and takes away callbacks, and reads; the timers
 * change one tracepoint themselves. In the end every event that was written was read or
 * overwritten, and counted as that.
 */
#define CAIRN_KERNEL
#include "bare.h"
#include "sites.h"
#include "trace_host.h"

#include "core/errno.h"

#include <cairn/record.h>
#include <cairn/typed_tracepoint.h>

#define TICK_US     150u
#define STRESS_NS   600000000u
#define ROUNDS      150u
#define ROUNDS_MIN  4u /* however busy the machine is */
#define PATIENCE_NS 60000000000u

#define EVENTS 4u
#define KNOCK  3u /* the last of them */

CAIRN_TRACEPOINT_CLASS(
    beat, TP_SYSTEM(stress), TP_PROTO(uint32_t cpu, uint64_t number), TP_ARGS(cpu, number),
    TP_STRUCT__entry(__field(uint32_t, cpu) __field(uint64_t, number) __field(uint64_t, check)),
    TP_fast_assign(__entry->cpu = cpu; __entry->number = number;
                   __entry->check = number * 2654435761u;),
    TP_printk("cpu=%u number=%llu", __entry->cpu, (unsigned long long)__entry->number));

#define BEAT(name)                                                                                 \
    CAIRN_TRACEPOINT_EVENT(beat, name, TP_SYSTEM(stress), TP_PROTO(uint32_t cpu, uint64_t number), \
                           TP_ARGS(cpu, number))

BEAT(work);  /* by both CPUs, all the time */
BEAT(tick);  /* by their timers */
BEAT(flip);  /* by their timers, which also enable it, filter it and give it callbacks */
BEAT(knock); /* by NMIs */

/* What all look like in the ring. */
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
static uint64_t flipped[BARE_CPUS];
static uint64_t knocked[BARE_CPUS];
static uint32_t flip_calls[BARE_CPUS];
static uint32_t flip_errors;

static void on_flip(void *data, uint32_t cpu, uint64_t number)
{
    (void)cpu, (void)number;
    ++*(uint32_t *)data;
}

/* Memory may be short for a moment: it is released when a task next changes something. */
static void check_flip(int err, int other)
{
    if (err && err != other && err != ENOMEM)
        __atomic_fetch_add(&flip_errors, 1, __ATOMIC_RELAXED);
}

/* In an interrupt: changes that take effect in part when it is over. */
static void flip(unsigned cpu)
{
    const char *filter = flipped[cpu] & 2 ? "number > 0" : "0";

    check_flip(cairn_trace_event_enable(&cairn_event_flip, flipped[cpu] & 1), 0);
    check_flip(cairn_trace_event_filter_set(&cairn_event_flip, filter, bare_length(filter), NULL),
               0);
    check_flip(register_trace_flip(on_flip, &flip_calls[cpu]), 0);
    trace_flip(cpu, ++flipped[cpu]);
    check_flip(unregister_trace_flip(on_flip, &flip_calls[cpu]), EINPROGRESS);
}

static void tick(void)
{
    unsigned cpu = bare_cpu();

    for (unsigned i = 0; i < 4; i++)
        trace_tick(cpu, ++ticked[cpu]);
    if (ticked[cpu] % 32 == 0)
        flip(cpu);
}

#if defined(__x86_64__)
static void knock(void)
{
    unsigned cpu = bare_cpu();

    trace_knock(cpu, ++knocked[cpu]);
}
#endif

static void work_once(void)
{
    unsigned cpu = bare_cpu();

    trace_work(cpu, ++worked[cpu]);
#if defined(__x86_64__)
    if (worked[cpu] % 64 == 0)
        bare_nmi(1 - cpu);
#endif
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
static uint64_t last_number[EVENTS][BARE_CPUS];
static uint8_t bytes[4096];

static void say(const char *what, uint64_t number)
{
    bare_print("# ");
    bare_print(what);
    bare_print(": ");
    bare_print_number(number);
    bare_put('\n');
}

/* The event's place in last_number; EVENTS: there is no such event. */
static unsigned index_of(const struct seen *seen)
{
    const struct cairn_trace_event *const events[EVENTS] = {&cairn_event_work, &cairn_event_tick,
                                                            &cairn_event_flip, &cairn_event_knock};
    unsigned index = 0;

    while (index < EVENTS && events[index]->id != seen->head.common_type)
        index++;
    return index;
}

/* Says of the first few what they are. */
static void count_bad(const struct seen *seen, uint32_t cpu)
{
    if (bad_records++ > 3)
        return;
    say("a bad record of CPU", cpu);
    say("type", seen->head.common_type);
    say("time", seen->head.time_ns);
    say("the last one's", last_ns[cpu]);
    say("number", seen->number);
    say("check", seen->check);
}

/*
 * Whole; of its CPU; in the order of times, and of each writer's numbers. Not of NMIs': the return
 * from a breakpoint lets the next NMI in, and trace_knock() may have one, between number and time.
 */
static bool is_good(const struct seen *seen, uint32_t cpu)
{
    unsigned index = index_of(seen);

    if (index == EVENTS || seen->cpu != cpu || seen->head.cpu != cpu ||
        seen->check != seen->number * 2654435761u || seen->head.time_ns < last_ns[cpu] ||
        (seen->number <= last_number[index][cpu] && index != KNOCK))
        return false;
    last_ns[cpu] = seen->head.time_ns;
    last_number[index][cpu] = seen->number;
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

    while (!bare_sites_hold(key, jump) && bare_now_ns() - start < PATIENCE_NS)
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
    CHECK_OK(cairn_trace_event_callback_add(&cairn_event_tick, CAIRN_TRACE_RECORD,
                                            (void (*)(void))on_record, &callback_data[1], 10));
    for (unsigned i = 0; i < 20; i++)
        work_once();
    read_all();
    CHECK_OK(unregister_trace_work(on_work, &callback_data[0]));
    __atomic_store_n(&callback_data[0].alive, 0, __ATOMIC_RELEASE);
    CHECK_OK(cairn_trace_event_callback_remove(&cairn_event_tick, CAIRN_TRACE_RECORD,
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
    say("hit by NMIs", knocked[0] + knocked[1]);
    say("changed by timers", flipped[0] + flipped[1]);
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
#if defined(__x86_64__)
    bare_nmi_hook = knock;
#endif
    bare_second_begin(second_works);
    bare_timer(TICK_US);
    start = bare_now_ns();
    for (; rounds < ROUNDS_MIN || (rounds < ROUNDS && bare_now_ns() - start < STRESS_NS);
         rounds++) {
        change_events();
        change_callbacks();
    }
    bare_timer(0);
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    bare_second_wait();
    bare_timer_hook = NULL;
    read_all();

    bare_check_equal(errors, 0,
                     "tracepoints are changed while they are hit, without an error, and sites are "
                     "what they should be");
    bare_check_equal(late_calls, 0, "nobody runs a callback that was taken away");
    bare_check(callback_data[0].calls && callback_data[1].calls, "callbacks were called");
    bare_check_equal(flip_errors, 0, "timers change a tracepoint too, without an error");
    bare_check(flip_calls[0] && flip_calls[1], "and call their callbacks");
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
