/* SPDX-License-Identifier: MIT */
/* Conversion of counters to times. */
#include "trace_file/clock.h"

#include "trace_file/entry.h"

#include <stdlib.h>

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
    if (entry.error || pair.counter_kind > TRACE_FILE_COUNTER_CYCLES)
        return EBADMSG;
    return add((struct trace_file_clocks *)context, &pair);
}

int trace_file_clocks_add(struct trace_file_clocks *clocks, struct core_cursor c)
{
    return trace_file_each_entry(c, add_entry, clocks);
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

/* The line through two pairs; the counter may be on either side of them. */
static uint64_t on_line(const struct trace_file_clock_pair *a,
                        const struct trace_file_clock_pair *b, uint64_t counter)
{
    __int128 ns = (__int128)b->time_ns - a->time_ns;
    __int128 cycles = (__int128)b->counter - a->counter;
    __int128 distance = (__int128)counter - a->counter;

    return cycles ? (uint64_t)((__int128)a->time_ns + distance * ns / cycles) : a->time_ns;
}

uint64_t trace_file_clocks_time(const struct trace_file_clocks *clocks, uint32_t domain,
                                uint64_t counter)
{
    const struct trace_file_clock_pair *before;
    const struct trace_file_clock_pair *after;
    const struct trace_file_clock_pair *one;

    find(clocks, domain, counter, &before, &after);
    one = before ? before : after;
    if (!one || one->counter_kind == TRACE_FILE_COUNTER_NS)
        return counter;
    if (!after)
        after = neighbour(clocks, before, false);
    else if (!before)
        before = neighbour(clocks, after, true);
    return before && after ? on_line(before, after, counter) : one->time_ns;
}

bool trace_file_clocks_wall(const struct trace_file_clocks *clocks, uint32_t domain,
                            uint64_t time_ns, uint64_t *ret_wall_ns)
{
    const struct trace_file_clock_pair *best = NULL;

    for (uint32_t n = 0; n < clocks->count; n++) {
        const struct trace_file_clock_pair *pair = &clocks->pairs[n];

        if (pair->domain != domain || !pair->wall_ns)
            continue;
        if (!best || (pair->time_ns <= time_ns && pair->time_ns >= best->time_ns))
            best = pair;
    }
    if (best)
        *ret_wall_ns = best->wall_ns + (time_ns - best->time_ns);
    return best != NULL;
}

void trace_file_clocks_free(struct trace_file_clocks *clocks)
{
    free(clocks->pairs);
    *clocks = (struct trace_file_clocks){0};
}
