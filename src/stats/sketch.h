/* SPDX-License-Identifier: MIT */
/*
 * A sketch of the distribution of numbers: count, sum, least and greatest exactly, quantiles with a
 * relative error of at most 1/128.
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
    long double sum;
    long double min;
    long double max;
    struct stats_buckets positive;
    struct stats_buckets negative; /* of the absolute value */
};

/* Adds a number that is finite. Returns 0, ENOMEM: it was not added. */
int stats_sketch_add(struct stats_sketch *sketch, long double number);

/* The number below which this part (0 to 1) of the numbers are; 0 if there are none. */
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
