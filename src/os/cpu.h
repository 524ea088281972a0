/* SPDX-License-Identifier: MIT */
/* The CPU that this thread is on: one load if the C library has a restartable-sequences area. */
#ifndef OS_CPU_H
#define OS_CPU_H

#include "core/atomic.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__)) && __has_include(<sys/rseq.h>)
#define OS_CPU_HAS_AREA
#include <sys/rseq.h>

static inline const uint8_t *os_cpu_thread_pointer(void)
{
    const uint8_t *pointer;

#if defined(__x86_64__)
    __asm__("movq %%fs:0, %0" : "=r"(pointer));
#else
    __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#endif
    return pointer;
}
#endif

/* The word in which the kernel keeps this thread's CPU: negative if it does not, or no longer does.
 */
static inline const int32_t *os_cpu_area(void)
{
    static const int32_t nowhere = -1;

#if defined(OS_CPU_HAS_AREA)
    if (__rseq_size)
        return (const int32_t *)(const void *)(os_cpu_thread_pointer() + __rseq_offset +
                                               offsetof(struct rseq, cpu_id));
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
