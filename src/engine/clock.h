/* SPDX-License-Identifier: MIT */
/*
 * Time: CLOCK_MONOTONIC in ns, computed from the time stamp counter if that can be trusted.
 * Recorders publish the calibration in the registry repeatedly while they run, so that it follows
 * the clock when that is slewed; writers only read it.
 */
#ifndef ENGINE_CLOCK_H
#define ENGINE_CLOCK_H

#include "core/atomic.h"
#include "core/private_api.h"
#include "engine/abi.h"

#include <stdbool.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

static inline uint64_t cairn_os_clock_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A reader's copy of a calibration: valid while the clock's sequence is unchanged. */
struct cairn_clock_copy {
    uint64_t sequence; /* CAIRN_CLOCK_NONE to begin with */
    uint32_t base_low; /* the counter at time_ns */
    uint32_t base_high;
    uint64_t time_ns;
    uint64_t half_mult; /* ns for 2^31 ticks, below 2^32: no counter is slower than 0.5 GHz */
};

#define CAIRN_CLOCK_NONE UINT64_MAX /* as no clock's sequence is */

static inline void cairn_clock_take(const struct cairn_clock *clock, struct cairn_clock_copy *copy)
{
    /* Pairs with the publisher's releases: an even, unchanged sequence means one calibration. */
    uint32_t sequence = cairn_load_acquire(&clock->sequence);
    uint32_t usable = cairn_load_relaxed(&clock->usable);
    uint64_t tsc_base = cairn_load_relaxed(&clock->tsc_base);

    copy->base_low = (uint32_t)tsc_base;
    copy->base_high = (uint32_t)(tsc_base >> 32);
    copy->time_ns = cairn_load_relaxed(&clock->time_ns);
    copy->half_mult = cairn_load_relaxed(&clock->mult) / 2;
    cairn_fence_acquire();
    cairn_interrupt_barrier(); /* the sequence last: a signal handler may read the copy */
    if (!usable || sequence % 2 || copy->half_mult > UINT32_MAX ||
        cairn_load_relaxed(&clock->sequence) != sequence)
        copy->sequence = CAIRN_CLOCK_NONE;
    else
        copy->sequence = sequence;
}

#if defined(__x86_64__)
struct cairn_clock_ticks {
    uint64_t low; /* 32 bits */
    uint32_t high;
};

/*
 * The counter comes in two halves of 32 bits. Combining them takes as long as subtracting.
 *
 * A calibration is valid for 2^32 ticks, a second or two; recorders renew it every few
 * milliseconds. An older one was left by a recorder that has stopped, or the computer slept
 * meanwhile: the counter went on and the clock did not, or the counter restarted and is less than
 * the base. Then the upper half is not zero.
 */
static inline struct cairn_clock_ticks cairn_clock_ticks_since(const struct cairn_clock_copy *copy)
{
    struct cairn_clock_ticks passed;

    __asm__ volatile("rdtsc\n\t"
                     "subl %[low], %%eax\n\t"
                     "sbbl %[high], %%edx"
                     : "=&a"(passed.low), "=&d"(passed.high)
                     : [low] "m"(copy->base_low), [high] "m"(copy->base_high)
                     : "cc");
    return passed;
}
#endif

/* False: there is a newer calibration than the copy, or none. */
static inline bool cairn_clock_is_copied(const struct cairn_clock *clock,
                                         const struct cairn_clock_copy *copy)
{
    return cairn_load_relaxed(&clock->sequence) == copy->sequence;
}

/* Time by the copy of a calibration. False: it is too old. */
static inline bool cairn_clock_of_copy(const struct cairn_clock_copy *copy, uint64_t *ret_ns)
{
#if defined(__x86_64__)
    struct cairn_clock_ticks passed = cairn_clock_ticks_since(copy);

    *ret_ns = copy->time_ns + (passed.low * copy->half_mult >> 31);
    return __builtin_expect(passed.high == 0, 1);
#else
    (void)copy;
    (void)ret_ns;
    return false;
#endif
}

static inline uint64_t cairn_clock_now(const struct cairn_clock *clock,
                                       struct cairn_clock_copy *copy)
{
    uint64_t now;

    if (!cairn_clock_is_copied(clock, copy))
        cairn_clock_take(clock, copy);
    return copy->sequence != CAIRN_CLOCK_NONE && cairn_clock_of_copy(copy, &now)
               ? now
               : cairn_os_clock_ns();
}

/* True if recorders renew the calibration; false if the counter cannot be trusted, too. */
static inline bool cairn_clock_is_kept(const struct cairn_clock *clock)
{
#if defined(__x86_64__)
    uint64_t passed = __rdtsc() - cairn_load_relaxed(&clock->tsc_base);

    /* The base may be younger than our look at the counter. */
    return cairn_load_relaxed(&clock->usable) && (passed >> 32 == 0 || -passed >> 32 == 0);
#else
    (void)clock;
    return false;
#endif
}

/* A recorder's state of the calibration. Starts as zeros. */
struct cairn_clock_publisher {
    uint64_t anchor_tsc; /* the slope is measured from here */
    uint64_t anchor_ns;
    uint64_t next_tsc; /* the anchor to come */
    uint64_t next_ns;
    double slope;            /* ns for a tick, as measured last; 0: not yet */
    int usable;              /* 0 not known yet, 1, or -1 */
    uint32_t stuck_sequence; /* an odd sequence that was seen again and again: its maker died */
    uint32_t stuck_times;
};

/*
 * Publishes the calibration of this moment. To be called every few milliseconds while events are
 * recorded; the first call takes about 2 ms. Any number of recorders may do so at once.
 */
CAIRN_PRIVATE_API void cairn_clock_publish(struct cairn_clock_publisher *publisher,
                                           struct cairn_clock *clock);

#endif
