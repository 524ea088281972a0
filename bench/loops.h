/* SPDX-License-Identifier: MIT */
/*
 * The measured loops. They are compiled into each program, and emit_event, which the program
 * defines, is inlined into them, so that the tracer's macro is expanded as in a user's code.
 */
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

#include "writer.h"

/*
 * After a guard the compiler must assume that the pointer and all of memory changed: each step
 * loads the event's enabled state and the string again.
 */
#define BENCH_GUARD(pointer) __asm__ volatile("" : "+r"(pointer) : : "memory")

static inline __attribute__((always_inline)) void emit_event(uint32_t number, const char *text);

static void emit_events(uint64_t count)
{
    const char *text = BENCH_TEXT;

    for (uint64_t i = 0; i < count; i++) {
        BENCH_GUARD(text);
        emit_event((uint32_t)i, text);
    }
}

/* Hashes a message of 32 bytes: loads, shifts and multiplies that keep a core's units busy. */
static inline uint64_t work_step(const uint64_t *message, uint64_t hash)
{
    for (int i = 0; i < 4; i++) {
        uint64_t word = message[i] * 0x9e3779b97f4a7c15u;

        hash ^= word ^ (word >> 32);
    }
    return hash;
}

static const uint64_t *work_message(uint64_t step)
{
    static const uint64_t messages[64 + 4] = {1, 2, 3, 5, 8, 13, 21, 34};

    return messages + step % 64;
}

#define BENCH_FOUR_TIMES(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__

static uint64_t work(uint64_t count)
{
    uint64_t hash = count;
    const char *text = BENCH_TEXT;

    for (uint64_t i = 0; i < count; i++) {
        BENCH_GUARD(text);
        hash = work_step(work_message(i), hash);
    }
    return hash;
}

static inline void emit_guarded(uint32_t number, const char **text)
{
    BENCH_GUARD(*text);
    emit_event(number, *text);
}

/* Sixteen events for each step: the cost of one is far below the influence of the loop's alignment.
 */
static uint64_t work_and_emit(uint64_t count)
{
    uint64_t hash = count;
    const char *text = BENCH_TEXT;

    for (uint64_t i = 0; i < count; i++) {
        BENCH_GUARD(text);
        hash = work_step(work_message(i), hash);
        BENCH_FOUR_TIMES(BENCH_FOUR_TIMES(emit_guarded((uint32_t)hash, &text);))
    }
    return hash;
}

#define BENCH_LOOPS .emit = emit_events, .work = work, .work_and_emit = work_and_emit

#endif
