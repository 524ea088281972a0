/* SPDX-License-Identifier: MIT */
/*
 * The harness of all measured tracers: threads, pacing, clock and statistics, so that the programs
 * differ only in the event that they emit. loops.h defines the three loops.
 */
#ifndef BENCH_WRITER_H
#define BENCH_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The short string of every event: ten characters, the length of a name or an address. */
#define BENCH_TEXT "10.0.12.34"

#define BENCH_EVENTS_PER_STEP 16

struct bench_tracer {
    int (*open)(void); /* makes the event known to the tracer: 0 or an errno code; may be NULL */
    bool (*enabled)(void); /* true if a recorder collects it */
    void (*close)(void);   /* reverses open; may be NULL */

    void (*emit)(uint64_t count);              /* events and nothing else */
    uint64_t (*work)(uint64_t count);          /* a program's own work, no events */
    uint64_t (*work_and_emit)(uint64_t count); /* the same work, sixteen events at each step */
};

/* The main function of each program: runs the measurement that argv names, prints `name value`
 * lines. */
int bench_main(const struct bench_tracer *tracer, int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
