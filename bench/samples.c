/* SPDX-License-Identifier: MIT */
/* Clock and statistics of the harness. */
#include "samples.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t bench_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * BENCH_NS_PER_S + (uint64_t)t.tv_nsec;
}

void bench_sleep_until(uint64_t time_ns)
{
    struct timespec t = {(time_t)(time_ns / BENCH_NS_PER_S), (long)(time_ns % BENCH_NS_PER_S)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

void bench_check(int err, const char *what)
{
    if (err) {
        fprintf(stderr, "bench: %s: %s\n", what, strerror(err));
        exit(1);
    }
}

double *bench_samples(uint64_t count)
{
    double *samples = calloc(count, sizeof(*samples));

    bench_check(samples ? 0 : ENOMEM, "samples");
    return samples;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

double bench_median(double *samples, uint64_t count)
{
    qsort(samples, count, sizeof(*samples), compare_doubles);
    return count % 2 ? samples[count / 2] : (samples[count / 2 - 1] + samples[count / 2]) / 2;
}

double bench_quantile(double *samples, uint64_t count, double part)
{
    uint64_t at = (uint64_t)(part * (double)count);

    qsort(samples, count, sizeof(*samples), compare_doubles);
    return samples[at < count ? at : count - 1];
}
