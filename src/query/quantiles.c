/* SPDX-License-Identifier: MIT */
/*
 * Aggregates of distributions: median, percentile, percentile_cont, percentile_disc, histogram.
 *
 * Up to EXACT_MAX numbers are stored, and results are exact. Beyond, they are those of a sketch,
 * with an error of at most 1/128, in bounded memory.
 */
#include "query/functions.h"
#include "query/numbers.h"
#include "stats/sketch.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MAX (12u << 20) /* 96 MiB */

/* The results that functions have. */
enum kind {
    MEDIAN,          /* median(x) */
    PERCENTILE,      /* percentile(x, 0 to 100), between two numbers */
    PERCENTILE_CONT, /* the same, 0 to 1 */
    PERCENTILE_DISC, /* percentile_disc(x, 0 to 1), one of the numbers */
    HISTOGRAM,       /* histogram(x), or histogram(x, width) */
};

struct quantiles_state {
    double *numbers;
    size_t count;
    size_t space;
    struct stats_sketch *sketch; /* instead */
    double argument;             /* part, or width */
};

/* ---- collecting ---- */

/* Replaces the numbers by a sketch of them. */
static int begin_sketch(struct quantiles_state *state)
{
    int err = 0;

    state->sketch = (struct stats_sketch *)calloc(1, sizeof(*state->sketch));
    if (!state->sketch)
        return ENOMEM;
    for (size_t n = 0; n < state->count && !err; n++)
        err = stats_sketch_add(state->sketch, (long double)state->numbers[n]);
    free(state->numbers);
    state->numbers = NULL;
    return err;
}

/* Makes space for some more numbers, as far as EXACT_MAX. Returns 0, ENOMEM. */
static int reserve(struct quantiles_state *state, size_t more)
{
    size_t space = state->space ? state->space : 64;
    void *bigger;

    while (space < state->count + more && space < EXACT_MAX)
        space *= 2;
    if (space > EXACT_MAX)
        space = EXACT_MAX;
    bigger = realloc(state->numbers, space * sizeof(*state->numbers));
    if (!bigger)
        return ENOMEM;
    state->numbers = (double *)bigger;
    state->space = space;
    return 0;
}

static int add(struct quantiles_state *state, const double *numbers, size_t count)
{
    int err = 0;

    if (!state->sketch && state->count + count <= EXACT_MAX) {
        err = state->count + count > state->space ? reserve(state, count) : 0;
        if (!err && count)
            memcpy(&state->numbers[state->count], numbers, count * sizeof(*numbers));
        state->count += err ? 0 : count;
        return err;
    }
    if (!state->sketch)
        err = begin_sketch(state);
    for (size_t n = 0; n < count && !err; n++)
        err = stats_sketch_add(state->sketch, (long double)numbers[n]);
    return err;
}

static int add_value(struct quantiles_state *state, sqlite3_value *value)
{
    const struct query_number_array *numbers = query_numbers_of(value);
    int type;
    double number;

    if (numbers)
        return add(state, numbers->all, numbers->count);
    type = sqlite3_value_numeric_type(value);
    number = sqlite3_value_double(value);
    if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || !isfinite(number))
        return 0; /* NULL and text are not counted */
    return add(state, &number, 1);
}

static void step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    struct quantiles_state *state =
        (struct quantiles_state *)sqlite3_aggregate_context(context, sizeof(*state));

    if (state && argc > 1)
        state->argument = sqlite3_value_double(argv[1]);
    if (!state || add_value(state, argv[0]))
        sqlite3_result_error_nomem(context);
}

/* ---- quantiles ---- */

static void swap(double *a, double *b)
{
    double old = *a;

    *a = *b;
    *b = old;
}

/* Puts the number of a rank to its place, and smaller ones before it: quickselect. */
static double select_rank(double *numbers, size_t count, size_t rank)
{
    size_t low = 0;
    size_t high = count - 1;

    while (low < high) {
        double pivot = numbers[low + (high - low) / 2];
        size_t i = low;
        size_t j = high;

        while (i <= j) {
            while (numbers[i] < pivot)
                i++;
            while (numbers[j] > pivot)
                j--;
            if (i <= j) {
                swap(&numbers[i++], &numbers[j]);
                if (!j)
                    break;
                j--;
            }
        }
        if (rank <= j)
            high = j;
        else if (rank >= i)
            low = i;
        else
            break;
    }
    return numbers[rank];
}

/* Between the two numbers that are next to the rank. */
static double continuous(struct quantiles_state *state, double part)
{
    double rank = part * (double)(state->count - 1);
    size_t below = (size_t)rank;
    double low = select_rank(state->numbers, state->count, below);
    double high = low;

    if (below + 1 < state->count && rank > (double)below) {
        high = state->numbers[below + 1]; /* the least of those after it */
        for (size_t n = below + 2; n < state->count; n++) {
            if (state->numbers[n] < high)
                high = state->numbers[n];
        }
    }
    return low + (high - low) * (rank - (double)below);
}

/* The first number of which at least this part is less or equal. */
static double discrete(struct quantiles_state *state, double part)
{
    return select_rank(state->numbers, state->count, (size_t)stats_rank(part, state->count));
}

static void set_quantile(sqlite3_context *context, struct quantiles_state *state, enum kind kind)
{
    double part = kind == MEDIAN       ? 0.5
                  : kind == PERCENTILE ? state->argument / 100
                                       : state->argument;

    if (!(part >= 0 && part <= 1)) {
        sqlite3_result_error(context,
                             kind == PERCENTILE ? "percentile: the second argument is 0 to 100"
                                                : "the second argument is a part, 0 to 1",
                             -1);
        return;
    }
    if (state->sketch)
        sqlite3_result_double(context, stats_sketch_quantile(state->sketch, part));
    else if (state->count)
        sqlite3_result_double(context, kind == PERCENTILE_DISC ? discrete(state, part)
                                                               : continuous(state, part));
}

/* ---- the histogram ---- */

struct histogram {
    sqlite3_str *text;
    double width; /* 0: powers of two */
    double low;   /* of the bucket that is counted */
    double high;
    uint64_t count;
    int has_bucket;
};

static void end_bucket(struct histogram *histogram)
{
    if (histogram->count)
        sqlite3_str_appendf(histogram->text, "%s[%!.17g,%!.17g,%llu]",
                            sqlite3_str_length(histogram->text) > 1 ? "," : "", histogram->low,
                            histogram->high, (unsigned long long)histogram->count);
    histogram->count = 0;
}

/* Infinity is no number of JSON. */
static double limited(double number)
{
    return fmax(-DBL_MAX, fmin(number, DBL_MAX));
}

static void begin_bucket(struct histogram *histogram, double number)
{
    double width = histogram->width;
    int exponent;

    if (width > 0) {
        double before = floor(number / width);

        /* A number that has more buckets before it than a double can count has its own. */
        histogram->low = isinf(before) ? number : limited(before * width);
        histogram->high = limited(histogram->low + width);
    } else if (number == 0) {
        histogram->low = histogram->high = 0;
    } else {
        (void)frexp(number, &exponent);
        histogram->low = number > 0 ? ldexp(1, exponent - 1) : limited(-ldexp(1, exponent));
        histogram->high = number > 0 ? limited(ldexp(1, exponent)) : -ldexp(1, exponent - 1);
    }
}

static void count_in_histogram(void *context, double low, double high, uint64_t count)
{
    struct histogram *histogram = (struct histogram *)context;
    double number = low < 0 ? high : low; /* the end of the sketch's bucket next to zero */
    struct histogram other = *histogram;

    begin_bucket(&other, number);
    if (histogram->has_bucket && other.low != histogram->low) {
        end_bucket(histogram);
        histogram->has_bucket = 0;
    }
    if (!histogram->has_bucket)
        begin_bucket(histogram, number);
    histogram->has_bucket = 1;
    histogram->count += count;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* "[[low,high,count],...]" */
static void set_histogram(sqlite3_context *context, struct quantiles_state *state)
{
    struct histogram histogram = {.text = sqlite3_str_new(NULL), .width = limited(state->argument)};
    char *text;

    sqlite3_str_appendall(histogram.text, "[");
    if (state->sketch) {
        stats_sketch_each(state->sketch, count_in_histogram, &histogram);
    } else if (state->count) {
        qsort(state->numbers, state->count, sizeof(*state->numbers), compare);
        for (size_t n = 0; n < state->count; n++)
            count_in_histogram(&histogram, state->numbers[n], state->numbers[n], 1);
    }
    end_bucket(&histogram);
    sqlite3_str_appendall(histogram.text, "]");
    text = sqlite3_str_finish(histogram.text);
    if (text)
        sqlite3_result_text(context, text, -1, sqlite3_free);
    else
        sqlite3_result_error_nomem(context);
}

static void final(sqlite3_context *context)
{
    struct quantiles_state *state = (struct quantiles_state *)sqlite3_aggregate_context(context, 0);
    const enum kind *kind = (const enum kind *)sqlite3_user_data(context);

    if (!state)
        return;
    if (*kind == HISTOGRAM)
        set_histogram(context, state);
    else
        set_quantile(context, state, *kind);
    if (state->sketch)
        stats_sketch_free(state->sketch);
    free(state->sketch);
    free(state->numbers);
}

static const struct function {
    const char *name;
    int arguments;
    enum kind kind;
} functions[] = {
    {"median", 1, MEDIAN},
    {"percentile", 2, PERCENTILE},
    {"percentile_cont", 2, PERCENTILE_CONT},
    {"percentile_disc", 2, PERCENTILE_DISC},
    {"histogram", 1, HISTOGRAM},
    {"histogram", 2, HISTOGRAM},
};

int query_quantiles_register(sqlite3 *db)
{
    int err = 0;

    for (size_t n = 0; n < sizeof(functions) / sizeof(*functions) && !err; n++)
        err = sqlite3_create_function_v2(db, functions[n].name, functions[n].arguments,
                                         SQLITE_UTF8 | SQLITE_INNOCUOUS, (void *)&functions[n].kind,
                                         NULL, step, final, NULL);
    return err ? ENOMEM : 0;
}
