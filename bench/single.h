/* SPDX-License-Identifier: MIT */
/* Measurements of single events, each timed by the counter. */
#ifndef BENCH_SINGLE_H
#define BENCH_SINGLE_H

#include "writer.h"

/* argv: RATE SECONDS. The time of an event of a thread that does little else, and the quantiles of
 * it that few events exceed. */
void bench_run_latency(const struct bench_tracer *tracer, char **argv);

/* argv: THREADS. The first event of the process, the first events of threads, and what creating and
 * joining a thread that does nothing takes. */
void bench_run_first(const struct bench_tracer *tracer, char **argv);

#endif
