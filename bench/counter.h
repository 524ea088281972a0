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

#endif
