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

struct perf_data_attr;

struct perf_data_order_entry {
    uint64_t time_ns;
    const uint8_t *data;
    struct perf_data_attr *attr; /* found when the record was read */
};

/* A sorted part of the entries. */
struct perf_data_order_run {
    size_t begin;
    size_t end;
};

/*
 * An upper bound: twice the number of times that a size can be halved, while new entries are
 * sorted.
 */
#define PERF_DATA_ORDER_RUNS_MAX 128u

/* All zeros is an empty one. */
struct perf_data_order {
    struct perf_data_order_entry *entries;
    struct perf_data_order_entry *scratch; /* as large as entries */
    size_t capacity;
    size_t count;
    struct perf_data_order_run runs[PERF_DATA_ORDER_RUNS_MAX];
    size_t run_count;
    size_t fresh;        /* from here to count: added since, not sorted */
    uint64_t release_ns; /* sorted entries up to this time are ready */
    uint64_t latest_ns;  /* the latest time of all entries */
    uint64_t limit_ns;   /* `latest_ns` when the last round ended; 0: none did */
};

/* Adds a record. Returns 0; ENOMEM. */
int perf_data_order_add(struct perf_data_order *order, const struct perf_data_order_entry *entry);

/* Ends a round: makes entries ready that no later record can precede. */
void perf_data_order_end_round(struct perf_data_order *order);

/* Makes the earlier half of the entries ready. */
void perf_data_order_half(struct perf_data_order *order);

/* Makes entries ready that are not later than time_ns. */
void perf_data_order_until(struct perf_data_order *order, uint64_t time_ns);

/* Makes everything ready. */
void perf_data_order_all(struct perf_data_order *order);

/*
 * Takes the next ready entry: the earliest, and of equal times the one that was added first.
 * Returns false if there is none.
 */
bool perf_data_order_next(struct perf_data_order *order, struct perf_data_order_entry *ret_entry);

void perf_data_order_free(struct perf_data_order *order);

#endif
