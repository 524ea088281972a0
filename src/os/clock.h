/* SPDX-License-Identifier: MIT */
/* The system's clock, and the processor's counter that it may be computed from. */
#ifndef OS_CLOCK_H
#define OS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* The monotonic clock in ns: the time of events. */
static inline uint64_t os_clock_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Sleeps for a time, or until a signal handler has run. A cancellation point. */
static inline void os_sleep(uint64_t ns)
{
    const struct timespec pause = {.tv_sec = (time_t)(ns / 1000000000u),
                                   .tv_nsec = (long)(ns % 1000000000u)};

    (void)nanosleep(&pause, NULL);
}

#if defined(__x86_64__)
#define OS_HAS_TICKS

static inline uint64_t os_ticks(void)
{
    return __rdtsc();
}
#elif defined(__aarch64__)
#define OS_HAS_TICKS

/* The generic timer. The barrier: without it the counter may be read before earlier instructions,
 * and time could go back. */
static inline uint64_t os_ticks(void)
{
    uint64_t ticks;

    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
#else
/* Not called, because no counter is reported. */
static inline uint64_t os_ticks(void)
{
    return 0;
}
#endif

#if defined(OS_HAS_TICKS)
/* True if the counter has one constant rate, and the system itself keeps time by it on all CPUs. */
bool os_ticks_are_trusted(void);
#endif

#endif
