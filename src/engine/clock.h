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
#include "os/clock.h"

#include <stdbool.h>

/* A reader's copy of a calibration: valid while the clock's sequence is unchanged. */
struct engine_clock_copy {
    uint64_t sequence; /* ENGINE_CLOCK_NONE to begin with */
    uint32_t base_low; /* the counter at time_ns */
    uint32_t base_high;
    uint64_t time_ns;
    uint64_t half_mult; /* ns for 2^31 ticks, below 2^32: no counter is slower than 0.5 GHz */
};

#define ENGINE_CLOCK_NONE UINT64_MAX /* as no clock's sequence is */

static inline void engine_clock_take(const struct engine_clock *clock,
                                     struct engine_clock_copy *copy)
{
    /* Pairs with the publisher's releases: an even, unchanged sequence means one calibration. */
    uint32_t sequence = core_load_acquire(&clock->sequence);
    uint32_t usable = core_load_relaxed(&clock->usable);
    uint64_t tsc_base = core_load_relaxed(&clock->tsc_base);

    copy->base_low = (uint32_t)tsc_base;
    copy->base_high = (uint32_t)(tsc_base >> 32);
    copy->time_ns = core_load_relaxed(&clock->time_ns);
    copy->half_mult = core_load_relaxed(&clock->mult) / 2;
    core_fence_acquire();
    core_interrupt_barrier(); /* the sequence last: a signal handler may read the copy */
    if (!usable || sequence % 2 || copy->half_mult > UINT32_MAX ||
        core_load_relaxed(&clock->sequence) != sequence)
        copy->sequence = ENGINE_CLOCK_NONE;
    else
        copy->sequence = sequence;
}

#if defined(OS_HAS_TICKS)
struct engine_clock_ticks {
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
static inline struct engine_clock_ticks
engine_clock_ticks_since(const struct engine_clock_copy *copy)
{
    struct engine_clock_ticks passed;

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
static inline bool engine_clock_is_copied(const struct engine_clock *clock,
                                          const struct engine_clock_copy *copy)
{
    return core_load_relaxed(&clock->sequence) == copy->sequence;
}

/* Time by the copy of a calibration. False: it is too old. */
static inline bool engine_clock_of_copy(const struct engine_clock_copy *copy, uint64_t *ret_ns)
{
#if defined(OS_HAS_TICKS)
    struct engine_clock_ticks passed = engine_clock_ticks_since(copy);

    *ret_ns = copy->time_ns + (passed.low * copy->half_mult >> 31);
    return __builtin_expect(passed.high == 0, 1);
#else
    (void)copy;
    (void)ret_ns;
    return false;
#endif
}

static inline uint64_t engine_clock_now(const struct engine_clock *clock,
                                        struct engine_clock_copy *copy)
{
    uint64_t now;

    if (!engine_clock_is_copied(clock, copy))
        engine_clock_take(clock, copy);
    return copy->sequence != ENGINE_CLOCK_NONE && engine_clock_of_copy(copy, &now) ? now
                                                                                   : os_clock_ns();
}

/* True if recorders renew the calibration; false if the counter cannot be trusted, too. */
static inline bool engine_clock_is_kept(const struct engine_clock *clock)
{
#if defined(OS_HAS_TICKS)
    uint64_t passed = os_ticks() - core_load_relaxed(&clock->tsc_base);

    /* The base may be younger than our look at the counter. */
    return core_load_relaxed(&clock->usable) && (passed >> 32 == 0 || -passed >> 32 == 0);
#else
    (void)clock;
    return false;
#endif
}

/* A recorder's state of the calibration. Starts as zeros. */
struct engine_clock_publisher {
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
void engine_clock_publish(struct engine_clock_publisher *publisher, struct engine_clock *clock)
    CORE_PRIVATE_API(engine_clock_publish);

#endif
