/* SPDX-License-Identifier: MIT */
/* The processor's time stamp counter. */
#ifndef BENCH_COUNTER_H
#define BENCH_COUNTER_H

#include <stdint.h>

static inline uint64_t bench_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t counter;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(counter));
    return counter;
#else
#error "the bench needs this processor's time stamp counter"
#endif
}

/* The same after all instructions before, and before all after. */
static inline uint64_t bench_counter_in_order(void)
{
    uint64_t counter;

#if defined(__x86_64__)
    __asm__ volatile("lfence" : : : "memory");
    counter = bench_counter();
    __asm__ volatile("lfence" : : : "memory");
#else
    __asm__ volatile("isb" : : : "memory");
    counter = bench_counter();
    __asm__ volatile("isb" : : : "memory");
#endif
    return counter;
}

#endif
