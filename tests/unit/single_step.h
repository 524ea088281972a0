/* SPDX-License-Identifier: MIT */
/*
 * Interrupts at any instruction: the processor's trap flag raises SIGTRAP after each. CAN_STEP is
 * defined where that is possible: not without a trap flag, nor with a run-time library that delays
 * signals.
 */
#ifndef TESTS_SINGLE_STEP_H
#define TESTS_SINGLE_STEP_H

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SIGNALS_ARE_DELAYED 1
#endif
#endif
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(SIGNALS_ARE_DELAYED)

#define CAN_STEP 1

#include <ucontext.h>

#define TRAP_FLAG 0x100

/* The stack pointer is moved below the caller's red zone. */
static inline __attribute__((always_inline)) void step_begin(void)
{
    __asm__ volatile(
        "lea -128(%%rsp), %%rsp\n\tpushf\n\torl %0, (%%rsp)\n\tpopf\n\tlea 128(%%rsp), %%rsp"
        :
        : "i"(TRAP_FLAG)
        : "memory", "cc");
}

static inline __attribute__((always_inline)) void step_end(void)
{
    __asm__ volatile(
        "lea -128(%%rsp), %%rsp\n\tpushf\n\tandl %0, (%%rsp)\n\tpopf\n\tlea 128(%%rsp), %%rsp"
        :
        : "i"(~TRAP_FLAG)
        : "memory", "cc");
}

/* For the signal's handler: ends single-stepping of the code that was interrupted. */
static inline void step_no_more(void *context)
{
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

#endif

#endif
