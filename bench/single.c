/* SPDX-License-Identifier: MIT */
/* Measurements of single events. */
#include "single.h"

#include "counter.h"
#include "samples.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SCALE_NS 20000000u

/* Until then the pages of the buffers are touched for the first time. */
#define WARM_UP_SECONDS 0.3

/* Nanoseconds of a tick of the counter. */
static double tick_ns(void)
{
    uint64_t start_ns = bench_now_ns();
    uint64_t start = bench_counter();

    bench_sleep_until(start_ns + SCALE_NS);
    return (double)(bench_now_ns() - start_ns) / (double)(bench_counter() - start);
}

/* ---- latency ---- */

static uint64_t event_ticks(const struct bench_tracer *tracer)
{
    uint64_t start = bench_counter_in_order();

    tracer->emit(1);
    return bench_counter_in_order() - start;
}

/* Waits by the counter: after sleeping, an event would measure how the processor wakes. */
static void spin_until(uint64_t counter)
{
    while ((int64_t)(bench_counter() - counter) < 0)
        ;
}

void bench_run_latency(const struct bench_tracer *tracer, char **argv)
{
    double rate = strtod(argv[0], NULL);
    uint64_t count = (uint64_t)(rate * strtod(argv[1], NULL));
    uint64_t before = (uint64_t)(rate * WARM_UP_SECONDS);
    double ns = tick_ns();
    uint64_t step = (uint64_t)(BENCH_NS_PER_S / rate / ns);
    double *samples = bench_samples(count);
    uint64_t due = bench_counter();

    bench_check(count ? 0 : EINVAL, "RATE SECONDS");
    for (uint64_t n = 0; n < before + count; n++, due += step) {
        double *sample = &samples[n < before ? 0 : n - before];

        spin_until(due);
        *sample = (double)event_ticks(tracer) * ns;
    }
    printf("written %" PRIu64 "\n", before + count);
    printf("median_ns %.2f\np999_ns %.2f\np9999_ns %.2f\n", bench_median(samples, count),
           bench_quantile(samples, count, 0.999), bench_quantile(samples, count, 0.9999));
    free(samples);
}

/* ---- first ---- */

struct first {
    const struct bench_tracer *tracer; /* NULL: the thread does nothing */
    uint64_t ticks;
};

static void *first_main(void *argument)
{
    struct first *first = argument;

    if (first->tracer)
        first->ticks = event_ticks(first->tracer);
    return NULL;
}

/* Returns the ticks of creating and joining the thread. */
static uint64_t run_thread(struct first *first)
{
    uint64_t start = bench_counter_in_order();
    pthread_t thread;

    bench_check(pthread_create(&thread, NULL, first_main, first), "thread");
    pthread_join(thread, NULL);
    return bench_counter_in_order() - start;
}

void bench_run_first(const struct bench_tracer *tracer, char **argv)
{
    uint64_t count = strtoull(argv[0], NULL, 10);
    double ns = tick_ns();
    double process_ns = (double)event_ticks(tracer) * ns;
    double *events = bench_samples(count);
    double *creations = bench_samples(count);

    bench_check(count ? 0 : EINVAL, "THREADS");
    for (uint64_t n = 0; n < count; n++) {
        struct first first = {.tracer = NULL};

        creations[n] = (double)run_thread(&first) * ns;
        first.tracer = tracer;
        (void)run_thread(&first);
        events[n] = (double)first.ticks * ns;
    }
    printf("written %" PRIu64 "\n", 1 + count);
    printf("process_ns %.0f\nthread_ns %.0f\ncreate_ns %.0f\n", process_ns,
           bench_median(events, count), bench_median(creations, count));
    free(events);
    free(creations);
}
