/* SPDX-License-Identifier: MIT */
/*
 * Records that wait to be handed out in the order of time.
 *
 * What perf guarantees of its files: a record written after a FINISHED_ROUND is not earlier than
 * the latest one written before the FINISHED_ROUND before that. So at the end of a round everything
 * up to the latest time of the rounds before it may go, sorted.
 */
#ifndef PERF_DATA_ORDER_H
#define PERF_DATA_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cairn_order_entry {
    uint64_t time_ns;
    const uint8_t *data;
};

/* All zeros is an empty one. */
struct cairn_order {
    struct cairn_order_entry *entries;
    struct cairn_order_entry *scratch; /* as large as entries */
    size_t capacity;
    size_t count;
    size_t next;        /* handed out so far */
    size_t ready;       /* those from next to here are sorted and may go */
    uint64_t latest_ns; /* of all that were added */
    uint64_t limit_ns;  /* `latest_ns` when the last round ended; 0: none did */
};

/* Adds a record. None may be ready. Returns 0; ENOMEM. */
int cairn_order_add(struct cairn_order *order, uint64_t time_ns, const uint8_t *data);

/* A round ended: makes ready what may go. */
void cairn_order_end_round(struct cairn_order *order);

/* Makes ready the half that is earlier in time. */
void cairn_order_half(struct cairn_order *order);

/* Makes everything ready. */
void cairn_order_all(struct cairn_order *order);

/* The next that is ready, or NULL. */
static inline const struct cairn_order_entry *cairn_order_next(struct cairn_order *order)
{
    return order->next < order->ready ? &order->entries[order->next++] : NULL;
}

void cairn_order_free(struct cairn_order *order);

#endif
