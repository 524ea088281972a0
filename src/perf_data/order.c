/* SPDX-License-Identifier: MIT */
/* Sorts records by time, round by round. */
#include "perf_data/order.h"

#include "perf_data/large_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 1024u
#define RECORDS_AHEAD  8u

/*
 * Millions of records wait in some files: page faults of small pages would take a tenth of the time
 * of printing.
 */
#define LARGE_BYTES ((size_t)4 << 20)

static int grow(struct perf_data_order *order)
{
    size_t capacity = order->capacity ? 2 * order->capacity : FIRST_CAPACITY;
    struct perf_data_order_entry *entries;
    struct perf_data_order_entry *scratch;

    if (capacity > SIZE_MAX / sizeof(*entries))
        return ENOMEM;
    entries = realloc(order->entries, capacity * sizeof(*entries));
    if (!entries)
        return ENOMEM;
    order->entries = entries;
    scratch = realloc(order->scratch, capacity * sizeof(*scratch));
    if (!scratch)
        return ENOMEM;
    order->scratch = scratch;
    if (capacity * sizeof(*entries) >= LARGE_BYTES) {
        perf_data_large_prefer(entries, capacity * sizeof(*entries));
        perf_data_large_prefer(scratch, capacity * sizeof(*scratch));
    }
    order->capacity = capacity;
    return 0;
}

/* Moves all entries to the front, over the entries that were returned. */
static void compact(struct perf_data_order *order)
{
    size_t to = 0;
    size_t fresh_count = order->count - order->fresh;

    for (size_t i = 0; i < order->run_count; i++) {
        struct perf_data_order_run *run = &order->runs[i];
        size_t length = run->end - run->begin;

        memmove(order->entries + to, order->entries + run->begin, length * sizeof(*order->entries));
        *run = (struct perf_data_order_run){to, to + length};
        to += length;
    }
    memmove(order->entries + to, order->entries + order->fresh,
            fresh_count * sizeof(*order->entries));
    order->fresh = to;
    order->count = to + fresh_count;
}

/* Reserves space for another entry. */
static int make_room(struct perf_data_order *order)
{
    size_t held = order->count - order->fresh;

    for (size_t i = 0; i < order->run_count; i++)
        held += order->runs[i].end - order->runs[i].begin;
    if (!order->capacity || held > order->capacity / 2)
        return grow(order);
    compact(order);
    return 0;
}

int perf_data_order_add(struct perf_data_order *order, const struct perf_data_order_entry *entry)
{
    if (order->count == order->capacity) {
        int err = make_room(order);

        if (err)
            return err;
    }
    order->entries[order->count++] = *entry;
    if (entry->time_ns > order->latest_ns)
        order->latest_ns = entry->time_ns;
    return 0;
}

/* The number of sorted entries that are not later than time_ns. */
static size_t count_up_to(const struct perf_data_order_entry *entries, size_t count,
                          uint64_t time_ns)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;

        if (entries[middle].time_ns <= time_ns)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* Merges two sorted neighbours; entries of equal times stay in order. */
static void merge(struct perf_data_order_entry *left, size_t left_count, size_t right_count,
                  struct perf_data_order_entry *scratch)
{
    const struct perf_data_order_entry *right = left + left_count;
    const struct perf_data_order_entry *right_end = right + right_count;
    size_t in_place = count_up_to(left, left_count, right->time_ns);
    const struct perf_data_order_entry *from = scratch;
    const struct perf_data_order_entry *from_end = scratch + (left_count - in_place);
    struct perf_data_order_entry *to = left + in_place;

    memcpy(scratch, to, (left_count - in_place) * sizeof(*to));
    while (from < from_end && right < right_end) {
        bool take_right = right->time_ns < from->time_ns;
        const struct perf_data_order_entry *taken = take_right ? right : from;

        *to++ = *taken;
        right += take_right;
        from += !take_right;
    }
    memcpy(to, from, (size_t)(from_end - from) * sizeof(*to));
}

/* The length of the sorted run at the beginning. */
static size_t run_length(const struct perf_data_order_entry *entries, size_t count)
{
    size_t length = 1;

    while (length < count && entries[length - 1].time_ns <= entries[length].time_ns)
        length++;
    return length;
}

/*
 * Merges the last two runs; the entries of the last run that were returned are a gap between them.
 */
static void merge_last(struct perf_data_order *order)
{
    struct perf_data_order_run *left = &order->runs[order->run_count - 2];
    const struct perf_data_order_run *right = left + 1;
    size_t right_count = right->end - right->begin;

    if (right->begin != left->end)
        memmove(order->entries + left->end, order->entries + right->begin,
                right_count * sizeof(*order->entries));
    merge(order->entries + left->begin, left->end - left->begin, right_count, order->scratch);
    left->end += right_count;
    order->run_count--;
}

/* Merges the last run with the runs before it that are not twice as long, down to the given one. */
static void merge_short(struct perf_data_order *order, size_t from)
{
    while (order->run_count > from + 1) {
        const struct perf_data_order_run *last = &order->runs[order->run_count - 1];

        if (last[-1].end - last[-1].begin > 2 * (last->end - last->begin))
            break;
        merge_last(order);
    }
}

static void drop_empty_runs(struct perf_data_order *order)
{
    size_t kept = 0;

    for (size_t i = 0; i < order->run_count; i++) {
        if (order->runs[i].begin < order->runs[i].end)
            order->runs[kept++] = order->runs[i];
    }
    order->run_count = kept;
}

/*
 * Sorts new entries by merging their runs: each CPU's buffer is sorted, so there are few. All of it
 * becomes one run, or part of the run before.
 */
static void merge_fresh(struct perf_data_order *order)
{
    size_t older;

    drop_empty_runs(order);
    older = order->run_count;
    for (size_t at = order->fresh; at < order->count;) {
        size_t end = at + run_length(order->entries + at, order->count - at);

        order->runs[order->run_count++] = (struct perf_data_order_run){at, end};
        merge_short(order, older);
        at = end;
    }
    while (order->run_count > older + 1)
        merge_last(order);
    merge_short(order, 0);
    order->count = order->run_count ? order->runs[order->run_count - 1].end : 0;
    order->fresh = order->count;
}

static bool is_empty(const struct perf_data_order *order)
{
    return !order->run_count;
}

void perf_data_order_end_round(struct perf_data_order *order)
{
    merge_fresh(order);
    if (is_empty(order))
        return;
    order->release_ns = order->limit_ns;
    order->limit_ns = order->latest_ns;
}

void perf_data_order_half(struct perf_data_order *order)
{
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;

    merge_fresh(order);
    if (is_empty(order))
        return;
    for (size_t i = 0; i < order->run_count; i++) {
        uint64_t begins = order->entries[order->runs[i].begin].time_ns;
        uint64_t ends = order->entries[order->runs[i].end - 1].time_ns;

        first = begins < first ? begins : first;
        last = ends > last ? ends : last;
    }
    order->release_ns = first + (last - first) / 2;
}

void perf_data_order_until(struct perf_data_order *order, uint64_t time_ns)
{
    merge_fresh(order);
    order->release_ns = time_ns;
}

void perf_data_order_all(struct perf_data_order *order)
{
    perf_data_order_until(order, UINT64_MAX);
}

/* Prefetches records that are returned soon: they were read long ago, and are not in the cache. */
static void prefetch(const struct perf_data_order *order, const struct perf_data_order_run *run)
{
    size_t ahead = run->begin + RECORDS_AHEAD;

    if (ahead < run->end) {
        __builtin_prefetch(order->entries[ahead].data);
        __builtin_prefetch(order->entries[ahead].data + 64);
    }
}

bool perf_data_order_next(struct perf_data_order *order, struct perf_data_order_entry *ret_entry)
{
    struct perf_data_order_run *earliest = NULL;

    for (size_t i = 0; i < order->run_count; i++) {
        struct perf_data_order_run *run = &order->runs[i];
        uint64_t time_ns;

        if (run->begin == run->end)
            continue;
        time_ns = order->entries[run->begin].time_ns;
        if (time_ns <= order->release_ns &&
            (!earliest || time_ns < order->entries[earliest->begin].time_ns))
            earliest = run;
    }
    if (!earliest)
        return false;
    *ret_entry = order->entries[earliest->begin++];
    prefetch(order, earliest);
    return true;
}

void perf_data_order_free(struct perf_data_order *order)
{
    free(order->entries);
    free(order->scratch);
    *order = (struct perf_data_order){0};
}
