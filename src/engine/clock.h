/* SPDX-License-Identifier: MIT */
/*
 * Time: CLOCK_MONOTONIC in ns, computed from the processor's counter (the time stamp counter, or
 * ARM's generic timer) if that can be trusted. Recorders publish the calibration in the registry
 * repeatedly while they run, so that it follows the clock when that is slewed; writers only read
 * it.
 */
#ifndef ENGINE_CLOCK_H
#define ENGINE_CLOCK_H

#include "core/atomic.h"
#include "core/private_api.h"
#include "engine/abi.h"
#include "os/clock.h"

#include <stdbool.h>

/* True if writers use the counter as it is, and leave it to the recorders to convert it. */
static inline bool engine_clock_uses_ticks(const struct engine_clock *clock)
{
#if defined(OS_HAS_TICKS)
    return core_load_relaxed(&clock->usable) != 0;
#else
    (void)clock;
    return false;
#endif
}

/* True if recorders renew the calibration; false if the counter cannot be trusted, too. */
static inline bool engine_clock_is_kept(const struct engine_clock *clock)
{
#if defined(OS_HAS_TICKS)
    uint64_t passed = os_ticks() - core_load_relaxed(&clock->tsc_base);

    /* The base may be newer than our reading of the counter. */
    return core_load_relaxed(&clock->usable) && (passed >> 32 == 0 || -passed >> 32 == 0);
#else
    (void)clock;
    return false;
#endif
}

/* Time as a linear function of the counter, valid from a value of the counter on. */
struct engine_clock_line {
    uint64_t ticks; /* 0: none */
    uint64_t time_ns;
    uint64_t mult; /* ns for 2^32 ticks */
};

/* A recorder's state of the calibration. Starts as zeros. */
struct engine_clock_publisher {
    uint64_t anchor_tsc; /* the slope is measured from here */
    uint64_t anchor_ns;
    uint64_t next_tsc; /* the anchor to come */
    uint64_t next_ns;
    double slope; /* ns for a tick, as measured last; 0: not yet */
    int usable;   /* 0 not known yet, 1, or -1 */
    struct engine_clock_line
        line;                /* the last line of this recorder, which continues the previous one */
    uint32_t stuck_sequence; /* an odd sequence that did not change: its writer died */
    uint32_t stuck_times;
};

/*
 * Publishes the calibration of this moment. Call it every few milliseconds while events are
 * recorded; the first call takes about 2 ms. Any number of recorders may do so at once.
 */
void engine_clock_publish(struct engine_clock_publisher *publisher, struct engine_clock *clock)
    CORE_PRIVATE_API(engine_clock_publish);

#endif
