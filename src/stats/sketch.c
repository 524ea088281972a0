/* SPDX-License-Identifier: MIT */
/* Counts numbers in buckets whose width is a fixed part of the numbers. */
#include "stats/sketch.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SUB_BITS 6u                        /* log2 of the buckets of a power of two */
#define SHIFT    (52u - SUB_BITS)          /* of a double's mantissa */
#define GROW_MIN ((uint32_t)1 << SUB_BITS) /* buckets are added by powers of two */

/* The bucket of a number greater than 0. */
static uint32_t bucket_of(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof(bits));
    return (uint32_t)(bits >> SHIFT);
}

static double lower_bound(uint32_t bucket)
{
    uint64_t bits = (uint64_t)bucket << SHIFT;
    double number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}

/* The bucket after the last one would begin with infinity. */
static double upper_bound(uint32_t bucket)
{
    double bound = lower_bound(bucket + 1);

    return bound > DBL_MAX ? DBL_MAX : bound;
}

static double middle(uint32_t bucket)
{
    double low = lower_bound(bucket);

    return low + (upper_bound(bucket) - low) / 2;
}

/* Allocates memory for a bucket, and for all buckets between it and the others. */
static int make_space(struct stats_buckets *buckets, uint32_t bucket)
{
    uint32_t first = bucket / GROW_MIN * GROW_MIN;
    uint32_t end = first + GROW_MIN;
    uint64_t *counts;

    if (buckets->count && buckets->first < first)
        first = buckets->first;
    if (buckets->count && buckets->first + buckets->count > end)
        end = buckets->first + buckets->count;
    if (end - first == buckets->count)
        return 0;
    counts = (uint64_t *)calloc(end - first, sizeof(*counts));
    if (!counts)
        return ENOMEM;
    if (buckets->count)
        memcpy(counts + (buckets->first - first), buckets->counts,
               buckets->count * sizeof(*counts));
    free(buckets->counts);
    *buckets = (struct stats_buckets){counts, first, end - first};
    return 0;
}

static int count_in(struct stats_buckets *buckets, double number)
{
    uint32_t bucket = bucket_of(number);
    int err = 0;

    if (bucket - buckets->first >= buckets->count)
        err = make_space(buckets, bucket);
    if (!err)
        buckets->counts[bucket - buckets->first]++;
    return err;
}

/* Adds a number to all but the sum. */
static int add(struct stats_sketch *sketch, long double number)
{
    double rounded = (double)number;
    int err = 0;

    if (fabs(rounded) < DBL_MIN) /* has fewer digits than a bucket */
        sketch->zeros++;
    else if (rounded > 0)
        err = count_in(&sketch->positive, rounded);
    else
        err = count_in(&sketch->negative, -rounded);
    if (err)
        return err;
    if (!sketch->count || number < sketch->min)
        sketch->min = number;
    if (!sketch->count || number > sketch->max)
        sketch->max = number;
    sketch->count++;
    return 0;
}

int stats_sketch_add(struct stats_sketch *sketch, long double number)
{
    int err = add(sketch, number);

    if (err)
        return err;
    sketch->others += number;
    sketch->has_others = true;
    return 0;
}

int stats_sketch_add_integer(struct stats_sketch *sketch, __int128 number)
{
    int err = add(sketch, (long double)number);

    if (!err)
        sketch->integers += number;
    return err;
}

long double stats_sketch_sum(const struct stats_sketch *sketch)
{
    return (long double)sketch->integers + sketch->others;
}

/* Iterates over buckets, from the least number on, until `left` numbers were passed. */
static bool find(const struct stats_sketch *sketch, uint64_t left, double *ret_number)
{
    const struct stats_buckets *negative = &sketch->negative;
    const struct stats_buckets *positive = &sketch->positive;

    for (uint32_t n = negative->count; n-- > 0;) {
        if (left < negative->counts[n]) {
            *ret_number = -middle(negative->first + n);
            return true;
        }
        left -= negative->counts[n];
    }
    if (left < sketch->zeros) {
        *ret_number = 0;
        return true;
    }
    left -= sketch->zeros;
    for (uint32_t n = 0; n < positive->count; n++) {
        if (left < positive->counts[n]) {
            *ret_number = middle(positive->first + n);
            return true;
        }
        left -= positive->counts[n];
    }
    return false;
}

/* The product is rounded: 0.07 of 100 numbers are 7, not 7.000000000000001. */
uint64_t stats_rank(double part, uint64_t count)
{
    double rank = part * (double)count * (1 - 2 * DBL_EPSILON);
    uint64_t whole;

    if (!(rank > 0))
        return 0;
    if (rank >= (double)count)
        return count - 1;
    whole = (uint64_t)rank;
    return (double)whole < rank ? whole : whole - 1; /* rounded up, and counted from 0 */
}

double stats_sketch_quantile(const struct stats_sketch *sketch, double part)
{
    double number = 0;

    if (!sketch->count)
        return 0;
    if (!find(sketch, stats_rank(part, sketch->count), &number) || number > (double)sketch->max)
        return (double)sketch->max;
    return number < (double)sketch->min ? (double)sketch->min : number;
}

void stats_sketch_each(const struct stats_sketch *sketch,
                       void (*bucket)(void *context, double low, double high, uint64_t count),
                       void *context)
{
    const struct stats_buckets *negative = &sketch->negative;
    const struct stats_buckets *positive = &sketch->positive;

    for (uint32_t n = negative->count; n-- > 0;) {
        if (negative->counts[n])
            bucket(context, -upper_bound(negative->first + n), -lower_bound(negative->first + n),
                   negative->counts[n]);
    }
    if (sketch->zeros)
        bucket(context, 0, 0, sketch->zeros);
    for (uint32_t n = 0; n < positive->count; n++) {
        if (positive->counts[n])
            bucket(context, lower_bound(positive->first + n), upper_bound(positive->first + n),
                   positive->counts[n]);
    }
}

void stats_sketch_free(struct stats_sketch *sketch)
{
    free(sketch->positive.counts);
    free(sketch->negative.counts);
    *sketch = (struct stats_sketch){0};
}
