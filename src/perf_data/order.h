/* SPDX-License-Identifier: MIT */
/*
 * Records that wait to be returned in the order of time.
 *
 * perf guarantees for its files: a record written after a FINISHED_ROUND is not earlier than the
 * latest one written before the FINISHED_ROUND before that. So at the end of a round everything up
 * to the latest time of the rounds before it can be sorted and returned.
 *
 * Sorted entries form runs, each more than twice as long as the next when that was added: so there
 * are few runs, and no entry is merged often, however many entries wait for long.
 */
#ifndef PERF_DATA_ORDER_H
#define PERF_DATA_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cairn_attr;

struct cairn_order_entry {
    uint64_t time_ns;
    const uint8_t *data;
    struct cairn_attr *attr; /* found when the record was read */
};

/* A sorted part of the entries. */
struct cairn_order_run {
    size_t begin;
    size_t end;
};

/*
 * An upper bound: twice the number of times that a size can be halved, while new entries are
 * sorted.
 */
#define CAIRN_ORDER_RUNS_MAX 128u

/* All zeros is an empty one. */
struct cairn_order {
    struct cairn_order_entry *entries;
    struct cairn_order_entry *scratch; /* as large as entries */
    size_t capacity;
    size_t count;
    struct cairn_order_run runs[CAIRN_ORDER_RUNS_MAX];
    size_t run_count;
    size_t fresh;        /* from here to count: added since, not sorted */
    uint64_t release_ns; /* sorted entries up to this time are ready */
    uint64_t latest_ns;  /* the latest time of all entries */
    uint64_t limit_ns;   /* `latest_ns` when the last round ended; 0: none did */
};

/* Adds a record. Returns 0; ENOMEM. */
int cairn_order_add(struct cairn_order *order, const struct cairn_order_entry *entry);

/* Ends a round: makes entries ready that no later record can precede. */
void cairn_order_end_round(struct cairn_order *order);

/* Makes the earlier half of the entries ready. */
void cairn_order_half(struct cairn_order *order);

/* Makes entries ready that are not later than time_ns. */
void cairn_order_until(struct cairn_order *order, uint64_t time_ns);

/* Makes everything ready. */
void cairn_order_all(struct cairn_order *order);

/*
 * Takes the next ready entry: the earliest, and of equal times the one that was added first.
 * Returns false if there is none.
 */
bool cairn_order_next(struct cairn_order *order, struct cairn_order_entry *ret_entry);

void cairn_order_free(struct cairn_order *order);

#endif
