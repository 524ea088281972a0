/* SPDX-License-Identifier: MIT */
/* Publishing the calibration: time stamp counter to CLOCK_MONOTONIC. */
#include "engine/clock.h"

#include "core/atomic.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* The slope is measured over one to two times this period, to follow a clock that is slewed. */
#define ANCHOR_MAX_NS  UINT64_C(1000000000)
/* A deviation up to this is worked off smoothly until about the next publication. */
#define SMOOTH_MAX_NS  1000
#define SMOOTH_OVER_NS 100000000.0
/* A change that is seen in progress this many times: its maker counts as dead. */
#define STUCK_TIMES    10

/* The kernel trusts the counter on all CPUs: it keeps time by it, directly or through a
 * hypervisor's page. */
static bool kernel_trusts_tsc(void)
{
    static const char *const trusted[] = {"tsc\n", "kvm-clock\n", "hyperv_clocksource_tsc_page\n"};
    char name[64] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, name, sizeof(name) - 1);

    if (fd >= 0)
        close(fd);
    for (size_t i = 0; size > 0 && i < sizeof(trusted) / sizeof(*trusted); i++) {
        if (!strcmp(name, trusted[i]))
            return true;
    }
    return false;
}

static bool tsc_is_invariant(void)
{
    unsigned int a = 0, b = 0, c = 0, d = 0;

    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}

/* Reads both clocks at the same time: the fastest of several attempts. */
static void sample(uint64_t *ret_tsc, uint64_t *ret_ns)
{
    uint64_t best = 0;

    for (int i = 0; i < 8; i++) {
        uint64_t before = __rdtsc();
        uint64_t ns = cairn_os_clock_ns();
        uint64_t after = __rdtsc();

        if (i == 0 || after - before < best) {
            best = after - before;
            *ret_tsc = before + (after - before) / 2;
            *ret_ns = ns;
        }
    }
}

static void anchor(struct cairn_clock_publisher *p)
{
    const struct timespec pause = {.tv_nsec = 2000000};

    sample(&p->anchor_tsc, &p->anchor_ns);
    p->next_tsc = p->anchor_tsc;
    p->next_ns = p->anchor_ns;
    p->slope = 0;
    (void)nanosleep(&pause, NULL);
}

/* Makes the sequence odd. False: another recorder is changing it. */
static bool begin_change(struct cairn_clock_publisher *p, struct cairn_clock *clock)
{
    uint32_t sequence = cairn_load_relaxed(&clock->sequence);

    if (sequence & 1) {
        p->stuck_times = sequence == p->stuck_sequence ? p->stuck_times + 1 : 0;
        p->stuck_sequence = sequence;
        if (p->stuck_times < STUCK_TIMES)
            return false;
        p->stuck_times = 0;
        return cairn_compare_exchange_relaxed(&clock->sequence, &sequence, sequence + 2);
    }
    return cairn_compare_exchange_relaxed(&clock->sequence, &sequence, sequence + 1);
}

static void store(struct cairn_clock *clock, uint64_t tsc, uint64_t ns, uint64_t mult)
{
    cairn_fence_release(); /* readers of the new values see the odd sequence */
    cairn_store_relaxed(&clock->tsc_base, tsc);
    cairn_store_relaxed(&clock->time_ns, ns);
    cairn_store_relaxed(&clock->mult, mult);
    cairn_store_relaxed(&clock->usable, 1);
    cairn_fetch_add_release(&clock->sequence, 1);
}

static void move_anchor(struct cairn_clock_publisher *p, uint64_t tsc, uint64_t ns)
{
    if (ns - p->next_ns < ANCHOR_MAX_NS)
        return;
    p->anchor_tsc = p->next_tsc;
    p->anchor_ns = p->next_ns;
    p->next_tsc = tsc;
    p->next_ns = ns;
}

/* False: one of the clocks jumped, as they do when the computer sleeps. Nothing else bends the line
 * by a thousandth. */
static bool measure_slope(struct cairn_clock_publisher *p, uint64_t tsc, uint64_t ns)
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

/* Returns by how many ns the current calibration is late; another recorder may have published it
 * just now, after our sample. */
static double deviation(const struct cairn_clock *clock, uint64_t tsc, uint64_t ns)
{
    double passed = (double)(int64_t)(tsc - clock->tsc_base);

    return (double)(int64_t)(ns - clock->time_ns) - passed * (double)clock->mult / 4294967296.0;
}

static void calibrate(struct cairn_clock_publisher *p, struct cairn_clock *clock)
{
    uint64_t tsc;
    uint64_t ns;
    uint64_t start_ns;
    double slope;

    sample(&tsc, &ns);
    if (!measure_slope(p, tsc, ns)) {
        p->usable = 0; /* begin anew at the next call */
        return;
    }
    if (!begin_change(p, clock))
        return;
    slope = p->slope;
    start_ns = ns;
    if (clock->usable) {
        double late_ns = deviation(clock, tsc, ns);

        /* Go on where the line in force is now, a little steeper or flatter: time shall not jump.
         */
        if (late_ns < SMOOTH_MAX_NS && late_ns > -SMOOTH_MAX_NS) {
            start_ns = ns - (uint64_t)(int64_t)late_ns;
            slope *= 1 + late_ns / SMOOTH_OVER_NS;
        }
    }
    store(clock, tsc, start_ns, (uint64_t)(slope * 4294967296.0));
    move_anchor(p, tsc, ns);
}

/* Removes the calibration: copies of the last one are as outdated as those of an earlier
 * sequence. */
static void retire(struct cairn_clock *clock)
{
    if (cairn_exchange_relaxed(&clock->usable, 0))
        cairn_fetch_add_release(&clock->sequence, 2);
}

void cairn_clock_publish(struct cairn_clock_publisher *p, struct cairn_clock *clock)
{
    if (!p->usable) {
        p->usable = tsc_is_invariant() && kernel_trusts_tsc() ? 1 : -1;
        if (p->usable > 0)
            anchor(p);
    }
    if (p->usable < 0)
        retire(clock);
    else
        calibrate(p, clock);
}

#else

void cairn_clock_publish(struct cairn_clock_publisher *p, struct cairn_clock *clock)
{
    p->usable = -1;
    cairn_store_relaxed(&clock->usable, 0);
}

#endif
