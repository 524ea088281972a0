/* SPDX-License-Identifier: MIT */
/* Clock and statistics of the harness. */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include <stdint.h>

#define BENCH_NS_PER_S 1000000000u

uint64_t bench_now_ns(void);
void bench_sleep_until(uint64_t time_ns);

/* Ends the program if a measurement cannot begin. */
void bench_check(int err, const char *what);

/* Zeros; freed by the caller. */
double *bench_samples(uint64_t count);

/* These sort the samples. `part` of them are at most the quantile. */
double bench_median(double *samples, uint64_t count);
double bench_quantile(double *samples, uint64_t count, double part);

#endif
