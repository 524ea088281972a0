/* SPDX-License-Identifier: MIT */
#include "perf_data/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 1024u

/* More runs than this cannot wait: each is more than twice as long as the one after it. */
#define RUNS_MAX 64u

static int grow(struct cairn_order *order)
{
    size_t capacity = order->capacity ? 2 * order->capacity : FIRST_CAPACITY;
    struct cairn_order_entry *entries;
    struct cairn_order_entry *scratch;

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
    order->capacity = capacity;
    return 0;
}

int cairn_order_add(struct cairn_order *order, uint64_t time_ns, const uint8_t *data)
{
    if (order->count == order->capacity) {
        int err = grow(order);

        if (err)
            return err;
    }
    order->entries[order->count++] = (struct cairn_order_entry){.time_ns = time_ns, .data = data};
    if (time_ns > order->latest_ns)
        order->latest_ns = time_ns;
    return 0;
}

/* How many of the sorted entries are not later than time_ns. */
static size_t count_up_to(const struct cairn_order_entry *entries, size_t count, uint64_t time_ns)
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

/* Merges two sorted neighbours; of equal times the left ones come first. */
static void merge(struct cairn_order_entry *left, size_t left_count, size_t right_count,
                  struct cairn_order_entry *scratch)
{
    const struct cairn_order_entry *right = left + left_count;
    const struct cairn_order_entry *right_end = right + right_count;
    size_t in_place = count_up_to(left, left_count, right->time_ns);
    const struct cairn_order_entry *from = scratch;
    const struct cairn_order_entry *from_end = scratch + (left_count - in_place);
    struct cairn_order_entry *to = left + in_place;

    memcpy(scratch, to, (left_count - in_place) * sizeof(*to));
    while (from < from_end && right < right_end) {
        bool take_right = right->time_ns < from->time_ns;
        const struct cairn_order_entry *taken = take_right ? right : from;

        *to++ = *taken;
        right += take_right;
        from += !take_right;
    }
    memcpy(to, from, (size_t)(from_end - from) * sizeof(*to));
}

/* The length of the sorted run at the beginning. */
static size_t run_length(const struct cairn_order_entry *entries, size_t count)
{
    size_t length = 1;

    while (length < count && entries[length - 1].time_ns <= entries[length].time_ns)
        length++;
    return length;
}

/*
 * A stable merge sort of the runs that are there: each CPU's buffer is sorted, so there are few.
 * Runs wait on a stack, each more than twice as long as the next; what breaks that is merged.
 */
static void sort(struct cairn_order_entry *entries, size_t count, struct cairn_order_entry *scratch)
{
    size_t lengths[RUNS_MAX];
    size_t runs = 0;
    size_t done = 0; /* sum of lengths */

    while (done < count || runs > 1) {
        if (done < count) {
            lengths[runs] = run_length(entries + done, count - done);
            done += lengths[runs++];
        }
        while (runs > 1 && (done == count || lengths[runs - 2] <= 2 * lengths[runs - 1])) {
            size_t both = lengths[runs - 2] + lengths[runs - 1];

            merge(entries + done - both, lengths[runs - 2], lengths[runs - 1], scratch);
            lengths[--runs - 1] = both;
        }
    }
}

/* Forgets those that were handed out and sorts the others. */
static void settle(struct cairn_order *order)
{
    order->count -= order->next;
    if (order->next && order->count)
        memmove(order->entries, order->entries + order->next,
                order->count * sizeof(*order->entries));
    order->next = 0;
    order->ready = 0;
    sort(order->entries, order->count, order->scratch);
}

void cairn_order_end_round(struct cairn_order *order)
{
    settle(order);
    if (!order->count)
        return;
    if (order->limit_ns)
        order->ready = count_up_to(order->entries, order->count, order->limit_ns);
    order->limit_ns = order->latest_ns;
}

void cairn_order_half(struct cairn_order *order)
{
    uint64_t first;
    uint64_t last;

    settle(order);
    if (!order->count)
        return;
    first = order->entries[0].time_ns;
    last = order->entries[order->count - 1].time_ns;
    order->ready = count_up_to(order->entries, order->count, first + (last - first) / 2);
}

void cairn_order_all(struct cairn_order *order)
{
    settle(order);
    order->ready = order->count;
}

void cairn_order_free(struct cairn_order *order)
{
    free(order->entries);
    free(order->scratch);
    *order = (struct cairn_order){0};
}
