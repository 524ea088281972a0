/* SPDX-License-Identifier: MIT */
/* The CPU that this thread is on: one load if the C library has a restartable-sequences area. */
#ifndef OS_CPU_H
#define OS_CPU_H

#include "core/atomic.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GLIBC__) && defined(__x86_64__) && __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

/* The word in which the kernel keeps this thread's CPU: negative if it does not, or no longer does.
 */
static inline const int32_t *os_cpu_area(void)
{
    static const int32_t nowhere = -1;

#if defined(__GLIBC__) && defined(__x86_64__) && __has_include(<sys/rseq.h>)
    const uint8_t *thread_pointer;

    if (__rseq_size) {
        __asm__("movq %%fs:0, %0" : "=r"(thread_pointer));
        return (const int32_t *)(const void *)(thread_pointer + __rseq_offset +
                                               offsetof(struct rseq, cpu_id));
    }
#endif
    return &nowhere;
}

static inline bool os_cpu_is_kept(const int32_t *area)
{
    return core_load_relaxed(area) >= 0;
}

static inline uint32_t os_cpu_now(const int32_t *area)
{
    int32_t cpu = core_load_relaxed(area);

    return (uint32_t)(cpu >= 0 ? cpu : sched_getcpu());
}

#endif
