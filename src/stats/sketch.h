/* SPDX-License-Identifier: MIT */
/*
 * A sketch of the distribution of numbers: count, least and greatest exactly, and the sum of
 * integers; quantiles with a relative error of at most 1/128.
 *
 * It is a logarithmic-linear histogram, as HdrHistogram has: each power of two is divided into 64
 * buckets of equal width. The bucket of a number is in the bits of its double: exponent and the
 * first 6 bits of the mantissa. Buckets are allocated from the least to the greatest that is used:
 * 512 bytes for each power of two between them, at most 2 MiB.
 */
#ifndef STATS_SKETCH_H
#define STATS_SKETCH_H

#include <cairn/stats.h>
#include <stdbool.h>
#include <stdint.h>

struct stats_buckets {
    uint64_t *counts;
    uint32_t first; /* number of the first bucket */
    uint32_t count;
};

struct stats_sketch {
    uint64_t count;
    uint64_t zeros;
    __int128 integers;  /* the sum of the integers, */
    long double others; /* and that of other numbers */
    bool has_others;
    long double min;
    long double max;
    struct stats_buckets positive;
    struct stats_buckets negative; /* of the absolute value */
};

/* Adds a number that is finite. Returns 0, ENOMEM: it was not added. */
int stats_sketch_add(struct stats_sketch *sketch, long double number);

/* Adds an integer of up to 64 bits, signed or not, whose sum is exact. Returns as above. */
int stats_sketch_add_integer(struct stats_sketch *sketch, __int128 number);

/* The sum of all numbers. */
long double stats_sketch_sum(const struct stats_sketch *sketch);

/*
 * The rank, from 0 on, of a quantile among sorted numbers: of the least number of which at least
 * this part (0 to 1) of them are less or equal.
 *
 * count  of the numbers: at least 1
 */
uint64_t stats_rank(double part, uint64_t count);

/* The number at the rank of a quantile; 0 if there are none. */
double stats_sketch_quantile(const struct stats_sketch *sketch, double part);

/*
 * Calls a function for each bucket that is not empty, from the least number on: numbers from `low`
 * up to `high`, which are equal for zeros.
 */
void stats_sketch_each(const struct stats_sketch *sketch,
                       void (*bucket)(void *context, double low, double high, uint64_t count),
                       void *context);

/* Accepts zeros. */
void stats_sketch_free(struct stats_sketch *sketch);

#endif
