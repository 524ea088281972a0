/* SPDX-License-Identifier: MIT */
/*
 * The harness of the writers: measures the loops of a tracer's program.
 *
 * usage: writer-TRACER burst EVENTS ROUNDS      one thread, then two, in turn
 *        writer-TRACER disabled STEPS ROUNDS    work without events, then with, in turn
 *        writer-TRACER paced THREADS RATE SECONDS
 *        writer-TRACER latency RATE SECONDS     one thread; see single.h
 *        writer-TRACER first THREADS            the same
 *
 * Prints lines `name value`: the number of events, and medians over the rounds. bench/README.md
 * explains the kinds.
 */
#include "writer.h"

#include "samples.h"
#include "single.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX         2u
/* The reader empties the buffers during a pause. Pauses are longer by a part of
 * BURST_PAUSE_MORE_NS, so that bursts are not in step with its looks. */
#define BURST_PAUSE_NS      12000000u
#define BURST_PAUSE_MORE_NS 6000000u
#define PACE_TICK_NS        1000000u
#define STATE_WAIT_NS       3000000000u

/* Pins a thread to a processor: two threads on one would measure the scheduler. */
static void pin_to_nth_processor(unsigned n)
{
    cpu_set_t allowed;
    cpu_set_t one;

    sched_getaffinity(0, sizeof(allowed), &allowed);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &allowed) && n-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof(one), &one);
            return;
        }
    }
}

/* ---- burst: full speed, for fewer events than the buffers hold ---- */

struct burst {
    const struct bench_tracer *tracer;
    uint64_t events;
    uint64_t rounds;
    pthread_barrier_t gate;
    atomic_uint running; /* threads that reached the start of this round's burst */
};

struct burst_thread {
    struct burst *burst;
    unsigned index;
    uint64_t start_ns;
    uint64_t end_ns;
};

static unsigned threads_in_round(uint64_t round)
{
    return 1 + (unsigned)(round % THREADS_MAX);
}

/* Threads leave a barrier at different times: they spin until all have left it. */
static void start_together(struct burst *burst, unsigned threads)
{
    atomic_fetch_add(&burst->running, 1);
    while (atomic_load(&burst->running) < threads)
        ;
}

static void *burst_thread_main(void *argument)
{
    struct burst_thread *thread = argument;
    struct burst *burst = thread->burst;

    pin_to_nth_processor(thread->index);
    for (uint64_t round = 0; round < burst->rounds; round++) {
        pthread_barrier_wait(&burst->gate);
        if (thread->index < threads_in_round(round)) {
            start_together(burst, threads_in_round(round));
            thread->start_ns = bench_now_ns();
            burst->tracer->emit(burst->events);
            thread->end_ns = bench_now_ns();
        }
        pthread_barrier_wait(&burst->gate);
    }
    return NULL;
}

/* After some rounds the pauses are spread evenly. */
static uint64_t pause_ns(uint64_t round)
{
    const double golden_ratio = 0.6180339887;
    double turn = (double)round * golden_ratio;

    return BURST_PAUSE_NS + (uint64_t)((turn - (double)(uint64_t)turn) * BURST_PAUSE_MORE_NS);
}

/* The rate from the first thread's start to the last one's end. */
static double burst_rate(const struct burst_thread *threads, unsigned count, uint64_t events)
{
    uint64_t start_ns = threads[0].start_ns;
    uint64_t end_ns = threads[0].end_ns;

    for (unsigned i = 1; i < count; i++) {
        start_ns = threads[i].start_ns < start_ns ? threads[i].start_ns : start_ns;
        end_ns = threads[i].end_ns > end_ns ? threads[i].end_ns : end_ns;
    }
    return (double)(count * events) * BENCH_NS_PER_S / (double)(end_ns - start_ns);
}

static void burst_rounds(struct burst *burst, struct burst_thread *threads,
                         double *rates[THREADS_MAX])
{
    uint64_t written = 0;

    for (uint64_t round = 0; round < burst->rounds; round++) {
        unsigned count = threads_in_round(round);

        atomic_store(&burst->running, 0);
        pthread_barrier_wait(&burst->gate);
        pthread_barrier_wait(&burst->gate);
        rates[count - 1][round / THREADS_MAX] = burst_rate(threads, count, burst->events);
        written += count * burst->events;
        bench_sleep_until(bench_now_ns() + pause_ns(round));
    }
    printf("written %" PRIu64 "\n", written);
}

static void run_burst(const struct bench_tracer *tracer, char **argv)
{
    struct burst burst = {.tracer = tracer,
                          .events = strtoull(argv[0], NULL, 10),
                          .rounds = strtoull(argv[1], NULL, 10) * THREADS_MAX};
    struct burst_thread threads[THREADS_MAX];
    pthread_t handles[THREADS_MAX];
    double *rates[THREADS_MAX];

    pthread_barrier_init(&burst.gate, NULL, THREADS_MAX + 1);
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        threads[i] = (struct burst_thread){.burst = &burst, .index = i};
        rates[i] = bench_samples(burst.rounds);
        bench_check(pthread_create(&handles[i], NULL, burst_thread_main, &threads[i]), "thread");
    }
    burst_rounds(&burst, threads, rates);
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        pthread_join(handles[i], NULL);
        printf("rate_%u %.0f\n", i + 1, bench_median(rates[i], burst.rounds / THREADS_MAX));
        free(rates[i]);
    }
}

/* ---- disabled: the cost of disabled events in a program that does other work ---- */

static double step_ns(uint64_t (*loop)(uint64_t), uint64_t steps)
{
    static volatile uint64_t result
        __attribute__((unused)); /* otherwise the compiler removes the work */
    uint64_t start_ns = bench_now_ns();

    result = loop(steps);
    return (double)(bench_now_ns() - start_ns) / (double)steps;
}

static void run_disabled(const struct bench_tracer *tracer, char **argv)
{
    uint64_t steps = strtoull(argv[0], NULL, 10);
    uint64_t rounds = strtoull(argv[1], NULL, 10);
    double *without = bench_samples(rounds);
    double *with = bench_samples(rounds);
    double *difference = bench_samples(rounds);

    for (uint64_t i = 0; i < rounds; i++) {
        without[i] = step_ns(tracer->work, steps);
        with[i] = step_ns(tracer->work_and_emit, steps);
        difference[i] = (with[i] - without[i]) / BENCH_EVENTS_PER_STEP;
    }
    printf("work_ns %.4f\nwork_and_event_ns %.4f\nevent_ns %.4f\n", bench_median(without, rounds),
           bench_median(with, rounds), bench_median(difference, rounds));
    free(without);
    free(with);
    free(difference);
}

/* ---- paced: a given rate ---- */

struct pace {
    const struct bench_tracer *tracer;
    double rate; /* of one thread */
    uint64_t start_ns;
    uint64_t ticks;
    uint64_t written;
    uint64_t end_ns;
};

/* Writes the events of late ticks at once, as a program with work to do does. */
static void *pace_thread_main(void *argument)
{
    struct pace *pace = argument;

    for (uint64_t tick = 0; tick < pace->ticks; tick++) {
        uint64_t due = (uint64_t)(pace->rate * (double)(tick + 1) * PACE_TICK_NS / BENCH_NS_PER_S);

        bench_sleep_until(pace->start_ns + tick * PACE_TICK_NS);
        pace->tracer->emit(due - pace->written);
        pace->written = due;
    }
    pace->end_ns = bench_now_ns();
    return NULL;
}

static void run_paced(const struct bench_tracer *tracer, char **argv)
{
    unsigned count = (unsigned)strtoul(argv[0], NULL, 10);
    double rate = strtod(argv[1], NULL) / count;
    uint64_t ticks = (uint64_t)(strtod(argv[2], NULL) * BENCH_NS_PER_S / PACE_TICK_NS);
    uint64_t start_ns = bench_now_ns() + PACE_TICK_NS;
    uint64_t written = 0;
    uint64_t end_ns = 0;
    struct pace paces[THREADS_MAX];
    pthread_t handles[THREADS_MAX];

    bench_check(count && count <= THREADS_MAX ? 0 : EINVAL, "THREADS");
    for (unsigned i = 0; i < count; i++) {
        paces[i] = (struct pace){tracer, rate, start_ns, ticks, 0, 0};
        bench_check(pthread_create(&handles[i], NULL, pace_thread_main, &paces[i]), "thread");
    }
    for (unsigned i = 0; i < count; i++) {
        pthread_join(handles[i], NULL);
        written += paces[i].written;
        end_ns = paces[i].end_ns > end_ns ? paces[i].end_ns : end_ns;
    }
    printf("written %" PRIu64 "\nseconds %.6f\n", written,
           (double)(end_ns - start_ns) / BENCH_NS_PER_S);
}

/* ---- the kinds of measurements ---- */

static const struct kind {
    const char *name;
    int arguments;
    bool enabled; /* the required state of the event */
    void (*run)(const struct bench_tracer *tracer, char **argv);
} kinds[] = {
    {"burst", 2, true, run_burst},       {"disabled", 2, false, run_disabled},
    {"paced", 3, true, run_paced},       {"latency", 2, true, bench_run_latency},
    {"first", 1, true, bench_run_first},
};

static const struct kind *find_kind(int argc, char **argv)
{
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (argc == 2 + kinds[i].arguments && !strcmp(argv[1], kinds[i].name))
            return &kinds[i];
    }
    return NULL;
}

/* Waits for the state: a recorder that began before this program notices it after some time. */
static bool wait_for_state(const struct bench_tracer *tracer, bool enabled)
{
    uint64_t end_ns = bench_now_ns() + STATE_WAIT_NS;

    while (tracer->enabled() != enabled) {
        if (bench_now_ns() > end_ns)
            return false;
        bench_sleep_until(bench_now_ns() + PACE_TICK_NS);
    }
    return true;
}

int bench_main(const struct bench_tracer *tracer, int argc, char **argv)
{
    const struct kind *kind = find_kind(argc, argv);

    if (!kind) {
        fprintf(stderr,
                "usage: %s burst EVENTS ROUNDS | disabled STEPS ROUNDS | "
                "paced THREADS RATE SECONDS | latency RATE SECONDS | first THREADS\n",
                argv[0]);
        return 2;
    }
    bench_check(tracer->open ? tracer->open() : 0, "event");
    if (!wait_for_state(tracer, kind->enabled)) {
        fprintf(stderr, "%s: the event is %s\n", argv[0], kind->enabled ? "disabled" : "enabled");
        return 1;
    }
    kind->run(tracer, argv + 2);
    if (tracer->close)
        tracer->close();
    return 0;
}
