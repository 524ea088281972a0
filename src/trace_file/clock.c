/* SPDX-License-Identifier: MIT */
/* Conversion of counters to times. */
#include "trace_file/clock.h"

#include "trace_file/entry.h"

#include <stdlib.h>

/* Two pairs make a line. Another one, which is known later, makes times differ by about this much.
 * Pairs with rates do not depend on later ones, except for rounding, when the counters of two
 * processors differ a little: less than the time between two events, or blocks without events of
 * the range are read. */
#define CLOCKS_DIFFER_NS UINT64_C(10000000)
#define CLOCKS_ROUND_NS  UINT64_C(4)

static int add(struct trace_file_clocks *clocks, const struct trace_file_clock_pair *pair)
{
    if (clocks->count == clocks->capacity) {
        uint32_t capacity = clocks->capacity ? 2 * clocks->capacity : 8;
        void *bigger = realloc(clocks->pairs, capacity * sizeof(*clocks->pairs));

        if (!bigger)
            return ENOMEM;
        clocks->pairs = (struct trace_file_clock_pair *)bigger;
        clocks->capacity = capacity;
    }
    clocks->pairs[clocks->count++] = *pair;
    return 0;
}

static int add_entry(void *context, struct core_cursor entry)
{
    struct trace_file_clock_pair pair = {.domain = core_cursor_u32(&entry)};

    pair.counter_kind = core_cursor_u32(&entry);
    pair.clockid = (int32_t)core_cursor_u32(&entry);
    pair.counter = core_cursor_u64(&entry);
    pair.time_ns = core_cursor_u64(&entry);
    pair.wall_ns = core_cursor_u64(&entry);
    pair.resolution_ns = core_cursor_u64(&entry);
    pair.rate = entry.left >= sizeof(pair.rate) ? core_cursor_u64(&entry) : 0;
    if (entry.error || pair.counter_kind > TRACE_FILE_COUNTER_CYCLES ||
        pair.rate > TRACE_FILE_RATE_MAX)
        return EBADMSG;
    return add((struct trace_file_clocks *)context, &pair);
}

int trace_file_clocks_add(struct trace_file_clocks *clocks, struct core_cursor c)
{
    return trace_file_each_entry(c, add_entry, clocks);
}

uint64_t trace_file_clocks_margin_ns(const struct trace_file_clocks *clocks)
{
    uint64_t margin_ns = 0;

    for (uint32_t n = 0; n < clocks->count; n++) {
        if (clocks->pairs[n].counter_kind == TRACE_FILE_COUNTER_NS)
            continue;
        if (!clocks->pairs[n].rate)
            return CLOCKS_DIFFER_NS;
        margin_ns = CLOCKS_ROUND_NS;
    }
    return margin_ns;
}

/* Finds the last pair at or before a counter, and the one after it; either may be missing. */
static void find(const struct trace_file_clocks *clocks, uint32_t domain, uint64_t counter,
                 const struct trace_file_clock_pair **before,
                 const struct trace_file_clock_pair **after)
{
    *before = *after = NULL;
    for (uint32_t n = 0; n < clocks->count; n++) {
        const struct trace_file_clock_pair *pair = &clocks->pairs[n];

        if (pair->domain != domain)
            continue;
        if (pair->counter <= counter && (!*before || pair->counter >= (*before)->counter))
            *before = pair;
        if (pair->counter > counter && (!*after || pair->counter < (*after)->counter))
            *after = pair;
    }
}

/* The pair of a domain that is next to another one, on the given side; NULL: there is none. */
static const struct trace_file_clock_pair *neighbour(const struct trace_file_clocks *clocks,
                                                     const struct trace_file_clock_pair *of,
                                                     bool later)
{
    const struct trace_file_clock_pair *before;
    const struct trace_file_clock_pair *after;

    if (later) {
        find(clocks, of->domain, of->counter, &before, &after);
        return after;
    }
    if (!of->counter)
        return NULL;
    find(clocks, of->domain, of->counter - 1, &before, &after);
    return before;
}

/* A counter that is ns itself is on the line with one ns for each. */
static void set_ns(struct trace_file_clock_span *span)
{
    span->first = 0;
    span->last = UINT64_MAX;
    span->rate = UINT64_C(1) << 32;
}

static void set_line(struct trace_file_clock_span *span, const struct trace_file_clocks *clocks,
                     const struct trace_file_clock_pair *before,
                     const struct trace_file_clock_pair *after)
{
    const struct trace_file_clock_pair *a = before ? before : after;

    span->first = before ? before->counter : 0;
    span->last = after ? after->counter - 1 : UINT64_MAX;
    span->counter = a->counter;
    span->time_ns = a->time_ns;
    span->rate = a->rate;
    if (a->rate)
        return;
    if (before && !after) {
        span->b = before;
        a = neighbour(clocks, before, false);
    } else {
        span->b = before ? after : neighbour(clocks, after, true);
    }
    if (!a || !span->b) {
        span->b = NULL; /* one pair: all times are its own */
        return;
    }
    span->counter = a->counter;
    span->time_ns = a->time_ns;
}

bool trace_file_clocks_span(const struct trace_file_clocks *clocks, uint32_t domain,
                            uint64_t counter, struct trace_file_clock_span *ret_span)
{
    const struct trace_file_clock_pair *before;
    const struct trace_file_clock_pair *after;

    *ret_span = (struct trace_file_clock_span){.domain = domain, .pair_count = clocks->count};
    find(clocks, domain, counter, &before, &after);
    if ((!before && !after) || (before ? before : after)->counter_kind == TRACE_FILE_COUNTER_NS)
        set_ns(ret_span);
    else
        set_line(ret_span, clocks, before, after);
    return before || after;
}

uint64_t trace_file_clock_span_time(const struct trace_file_clock_span *span, uint64_t counter)
{
    __int128 distance = (__int128)counter - span->counter;
    __int128 ns;
    __int128 cycles;

    if (!span->b)
        return (uint64_t)((__int128)span->time_ns + (distance * (__int128)span->rate >> 32));
    ns = (__int128)span->b->time_ns - span->time_ns;
    cycles = (__int128)span->b->counter - span->counter;
    /* Only damaged pairs are so far apart that the product is too large. */
    if (__builtin_mul_overflow(distance, ns, &ns) || !cycles)
        return span->time_ns;
    return span->time_ns + (uint64_t)(ns / cycles);
}

uint64_t trace_file_clocks_time(const struct trace_file_clocks *clocks, uint32_t domain,
                                uint64_t counter)
{
    struct trace_file_clock_span span;

    (void)trace_file_clocks_span(clocks, domain, counter, &span);
    return trace_file_clock_span_time(&span, counter);
}

/* True if a pair is of use, and later than another one. */
static bool is_between(const struct trace_file_clock_pair *pair, uint32_t domain, uint64_t time_ns)
{
    return pair->domain == domain && pair->wall_ns && pair->time_ns > time_ns;
}

static void find_day(const struct trace_file_clocks *clocks, uint32_t domain, uint64_t time_ns,
                     struct trace_file_day *day)
{
    const struct trace_file_clock_pair *best = NULL;

    *day = (struct trace_file_day){
        .domain = domain, .pair_count = clocks->count, .last_ns = UINT64_MAX};
    for (uint32_t n = 0; n < clocks->count; n++) {
        const struct trace_file_clock_pair *pair = &clocks->pairs[n];

        if (pair->domain != domain || !pair->wall_ns)
            continue;
        if (!best || (pair->time_ns <= time_ns &&
                      (best->time_ns > time_ns || pair->time_ns >= best->time_ns)))
            best = pair;
    }
    if (!best)
        return;
    day->is_known = true;
    day->shift_ns = best->wall_ns - best->time_ns;
    day->first_ns = best->time_ns <= time_ns ? best->time_ns : 0;
    for (uint32_t n = 0; n < clocks->count; n++) {
        if (is_between(&clocks->pairs[n], domain, time_ns) &&
            clocks->pairs[n].time_ns - 1 < day->last_ns)
            day->last_ns = clocks->pairs[n].time_ns - 1;
    }
}

bool trace_file_clocks_wall(const struct trace_file_clocks *clocks, uint32_t domain,
                            uint64_t time_ns, struct trace_file_day *day, uint64_t *ret_wall_ns)
{
    if (day->pair_count != clocks->count || day->domain != domain || time_ns < day->first_ns ||
        time_ns > day->last_ns)
        find_day(clocks, domain, time_ns, day);
    if (day->is_known)
        *ret_wall_ns = time_ns + day->shift_ns;
    return day->is_known;
}

void trace_file_clocks_free(struct trace_file_clocks *clocks)
{
    free(clocks->pairs);
    *clocks = (struct trace_file_clocks){0};
}
