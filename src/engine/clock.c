/* SPDX-License-Identifier: MIT */
/* Publishing the calibration: time stamp counter to CLOCK_MONOTONIC. */
#include "engine/clock.h"

#include "core/atomic.h"

#include <stdbool.h>

#if defined(OS_HAS_TICKS)

/* The slope is measured over one to two times this period, to follow a clock that is slewed. */
#define ANCHOR_MAX_NS   UINT64_C(1000000000)
/* The two samples of the first slope are at least so far apart. */
#define ANCHOR_PAUSE_NS 2000000
/* A deviation up to this is corrected gradually, until about the next publication. A recorder that
 * stands still publishes none, and the correction goes too far: it must be small. */
#define SMOOTH_MAX_NS   1000000
#define SMOOTH_OVER_NS  100000000.0
#define SMOOTH_MAX      0.00001
/* A line stays in force until time deviates from it by this, or this has passed. */
#define LINE_OFF_NS     100
#define LINE_MAX_NS     UINT64_C(10000000000)
/* If a change is seen in progress this many times, the process that makes it counts as dead. */
#define STUCK_TIMES     10

/* Reads both clocks at the same time: the fastest of several attempts. */
static void sample(uint64_t *ret_tsc, uint64_t *ret_ns)
{
    uint64_t best = 0;

    for (int i = 0; i < 8; i++) {
        uint64_t before = os_ticks();
        uint64_t ns = os_clock_ns();
        uint64_t after = os_ticks();

        if (i == 0 || after - before < best) {
            best = after - before;
            *ret_tsc = before + (after - before) / 2;
            *ret_ns = ns;
        }
    }
}

static void anchor(struct engine_clock_publisher *p)
{
    sample(&p->anchor_tsc, &p->anchor_ns);
    p->next_tsc = p->anchor_tsc;
    p->next_ns = p->anchor_ns;
    p->slope = 0;
    os_sleep(ANCHOR_PAUSE_NS);
}

/* Makes the sequence odd. False: another recorder is changing it. */
static bool begin_change(struct engine_clock_publisher *p, struct engine_clock *clock)
{
    uint32_t sequence = core_load_relaxed(&clock->sequence);

    if (sequence & 1) {
        p->stuck_times = sequence == p->stuck_sequence ? p->stuck_times + 1 : 0;
        p->stuck_sequence = sequence;
        if (p->stuck_times < STUCK_TIMES)
            return false;
        p->stuck_times = 0;
        return core_compare_exchange_relaxed(&clock->sequence, &sequence, sequence + 2);
    }
    return core_compare_exchange_relaxed(&clock->sequence, &sequence, sequence + 1);
}

static void store(struct engine_clock *clock, uint64_t tsc, uint64_t ns, uint64_t mult)
{
    core_fence_release(); /* readers of the new values see the odd sequence */
    core_store_relaxed(&clock->tsc_base, tsc);
    core_store_relaxed(&clock->time_ns, ns);
    core_store_relaxed(&clock->mult, mult);
    core_store_relaxed(&clock->usable, 1);
    core_fetch_add_release(&clock->sequence, 1);
}

static void move_anchor(struct engine_clock_publisher *p, uint64_t tsc, uint64_t ns)
{
    if (ns - p->next_ns < ANCHOR_MAX_NS)
        return;
    p->anchor_tsc = p->next_tsc;
    p->anchor_ns = p->next_ns;
    p->next_tsc = tsc;
    p->next_ns = ns;
}

/* False: one of the clocks jumped, as it does when the computer sleeps. Nothing else changes the
 * slope by a thousandth. */
static bool measure_slope(struct engine_clock_publisher *p, uint64_t tsc, uint64_t ns)
{
    double slope;

    if (tsc <= p->next_tsc || ns <= p->next_ns)
        return false;
    slope = (double)(ns - p->anchor_ns) / (double)(tsc - p->anchor_tsc);
    if (p->slope != 0 && (slope > p->slope * 1.001 || slope < p->slope * 0.999))
        return false;
    p->slope = slope;
    return true;
}

static double deviation(const struct engine_clock_line *line, uint64_t tsc, uint64_t ns)
{
    return (double)(int64_t)(ns - line->time_ns) -
           (double)(int64_t)(tsc - line->ticks) * (double)line->mult / 4294967296.0;
}

/* The change of the slope that corrects a deviation. */
static double correction(double late_ns)
{
    double change = late_ns / SMOOTH_OVER_NS;

    if (change > SMOOTH_MAX)
        return SMOOTH_MAX;
    return change < -SMOOTH_MAX ? -SMOOTH_MAX : change;
}

/* Continues from the current value of the published line with a slightly different slope, so that
 * time does not jump. */
static struct engine_clock_line next_line(const struct engine_clock_line *current, uint64_t tsc,
                                          uint64_t ns, double slope)
{
    struct engine_clock_line next = {.ticks = tsc, .time_ns = ns};

    if (current->mult) {
        /* Another recorder may have published its line after our sample. */
        double late_ns = deviation(current, tsc, ns);

        if (late_ns < SMOOTH_MAX_NS && late_ns > -SMOOTH_MAX_NS) {
            next.time_ns = ns - (uint64_t)(int64_t)late_ns;
            slope *= 1 + correction(late_ns);
        }
    }
    next.mult = (uint64_t)(slope * 4294967296.0);
    return next;
}

/* Lines are few, because recorders write them to their files. */
static bool is_line_due(const struct engine_clock_line *line, uint64_t tsc, uint64_t ns)
{
    double late_ns;

    if (!line->mult || ns - line->time_ns > LINE_MAX_NS)
        return true;
    late_ns = deviation(line, tsc, ns);
    return late_ns > LINE_OFF_NS || late_ns < -LINE_OFF_NS;
}

static void calibrate(struct engine_clock_publisher *p, struct engine_clock *clock)
{
    struct engine_clock_line shared;
    uint64_t tsc;
    uint64_t ns;

    sample(&tsc, &ns);
    if (!measure_slope(p, tsc, ns)) {
        p->usable = 0; /* start again at the next call */
        return;
    }
    if (is_line_due(&p->line, tsc, ns))
        p->line = next_line(&p->line, tsc, ns, p->slope);
    if (!begin_change(p, clock))
        return;
    shared = (struct engine_clock_line){clock->tsc_base, clock->time_ns,
                                        clock->usable ? clock->mult : 0};
    shared = next_line(&shared, tsc, ns, p->slope);
    store(clock, shared.ticks, shared.time_ns, shared.mult);
    move_anchor(p, tsc, ns);
}

/* Removes the calibration. */
static void retire(struct engine_clock *clock)
{
    if (core_exchange_relaxed(&clock->usable, 0))
        core_fetch_add_release(&clock->sequence, 2);
}

void engine_clock_publish(struct engine_clock_publisher *p, struct engine_clock *clock)
{
    if (!p->usable) {
        p->usable = os_ticks_are_trusted() ? 1 : -1;
        if (p->usable > 0)
            anchor(p);
    }
    if (p->usable < 0)
        retire(clock);
    else
        calibrate(p, clock);
}

#else

void engine_clock_publish(struct engine_clock_publisher *p, struct engine_clock *clock)
{
    p->usable = -1;
    core_store_relaxed(&clock->usable, 0);
}

#endif
