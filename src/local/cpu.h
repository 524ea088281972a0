/* SPDX-License-Identifier: MIT */
/* Which CPU this thread is on: one load where the C library keeps a restartable-sequences area. */
#ifndef LOCAL_CPU_H
#define LOCAL_CPU_H

#include <sched.h>
#include <stdint.h>

#if defined(__GLIBC__) && defined(__x86_64__) && __has_include(<sys/rseq.h>)
#include <sys/rseq.h>

static inline uint32_t cairn_cpu_now(void)
{
    uint32_t cpu;

    if (__builtin_expect(__rseq_size != 0, 1)) {
        __asm__ volatile("movl %%fs:%c2(%1), %0"
                         : "=r"(cpu)
                         : "r"(__rseq_offset), "i"(offsetof(struct rseq, cpu_id)));
        if (__builtin_expect((int32_t)cpu >= 0, 1))
            return cpu;
    }
    return (uint32_t)sched_getcpu();
}

#else

static inline uint32_t cairn_cpu_now(void)
{
    return (uint32_t)sched_getcpu();
}

#endif

#endif
