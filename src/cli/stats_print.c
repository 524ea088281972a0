/* SPDX-License-Identifier: MIT */
/* Prints what cairn stats counted: a table, or an object for each line of it. */
#include "cli/stats.h"

#include <cairn/export.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BAR_WIDTH 40

#define NUMBER_BYTES 64u

static bool is_integer(long double number)
{
    if (number >= 0x1p64L || number < -0x1p63L)
        return false;
    return number == (number < 0 ? (long double)(int64_t)number : (long double)(uint64_t)number);
}

/* An integer of 64 bits as one, another number as the shortest text that reads back as the same
 * double. A sum of doubles may be greater than they can be. */
static void format(char *to, size_t size_bytes, long double number)
{
    double rounded = (double)number;

    if (is_integer(number)) {
        (void)snprintf(to, size_bytes, "%.0Lf", number);
    } else if (isinf(rounded)) {
        (void)snprintf(to, size_bytes, "%.17Lg", number);
    } else {
        for (int digits = 6; digits <= 17; digits++) {
            (void)snprintf(to, size_bytes, "%.*g", digits, rounded);
            if (strtod(to, NULL) == rounded)
                break;
        }
    }
}

static void print_number(long double number, const char *before)
{
    char text[NUMBER_BYTES];

    format(text, sizeof(text), number);
    printf("%s%s", before, text);
}

static void print_cell(long double number)
{
    char text[NUMBER_BYTES];

    format(text, sizeof(text), number);
    printf("%12s ", text);
}

/* A sum of integers has all digits. */
static void format_sum(char to[CAIRN_STATS_SUM_BYTES], const struct cairn_stats_group *group)
{
    if (!cairn_stats_group_exact_sum(group, to))
        format(to, CAIRN_STATS_SUM_BYTES, group->sum);
}

/* A quantile is the middle of a range of numbers, and a double: the least and the greatest number
 * may be between. */
static long double quantile_of(const struct cairn_stats_group *group, double part)
{
    long double number = (long double)cairn_stats_group_quantile(group, part);

    return number < group->min ? group->min : number > group->max ? group->max : number;
}

/* Recordings of several machines, or starts of one, have the time of day in common only. */
static uint64_t duration_of(const struct cli_stats *stats)
{
    const struct cairn_stats_totals *totals = cairn_stats_totals(stats->stats);
    bool is_by_day = stats->inputs.count > 1 && totals->walls == totals->times;

    return is_by_day ? totals->last_wall_ns - totals->first_wall_ns
                     : totals->last_ns - totals->first_ns;
}

static double rate_of(const struct cli_stats *stats, uint64_t count)
{
    uint64_t duration_ns = duration_of(stats);

    return duration_ns ? (double)count * 1e9 / (double)duration_ns : 0;
}

static bool has_values(const struct cli_stats *stats)
{
    return stats->options.value_field || stats->options.durations;
}

/* Prints text of any bytes: in text with escapes for the terminal, in JSON with those of strings.
 */
static int print_escaped(const struct cli_stats *stats, const char *text)
{
    enum cairn_style style = stats->as_json ? CAIRN_STYLE_JSONL : CAIRN_STYLE_TEXT;
    char *escaped;
    int err = cairn_style_text(style, text, strlen(text), &escaped);

    if (err)
        return err;
    (void)fputs(escaped, stdout);
    free(escaped);
    return 0;
}

static int print_key(const struct cli_stats *stats, const struct cairn_stats_group *group)
{
    int err = print_escaped(stats, group->key);

    if (err || !*group->comm)
        return err;
    (void)fputs(stats->as_json ? "\",\"comm\":\"" : " (", stdout);
    err = print_escaped(stats, group->comm);
    if (!stats->as_json)
        putchar(')');
    return err;
}

/* ---- text ---- */

static void print_bar(void *context, double low, double high, uint64_t count)
{
    const struct cairn_stats_group *group = (const struct cairn_stats_group *)context;
    int width = (int)((count * BAR_WIDTH + group->count - 1) / group->count);

    print_cell((long double)low);
    printf("..");
    print_cell((long double)high);
    printf("%10llu %.*s\n", (unsigned long long)count, width,
           "########################################");
}

static void print_head(const struct cli_stats *stats)
{
    if (has_values(stats))
        printf("%12s %12s %12s %12s %12s %12s %12s ", "count", "sum", "min", "p50", "p90", "p99",
               "max");
    else
        printf("%12s %12s %12s ", "count", "bytes", "per second");
    printf("%s\n", stats->key_name);
}

static int print_line(const struct cli_stats *stats, const struct cairn_stats_group *group)
{
    char sum[CAIRN_STATS_SUM_BYTES];
    int err;

    printf("%12llu ", (unsigned long long)group->count);
    if (has_values(stats)) {
        format_sum(sum, group);
        printf("%12s ", sum);
        print_cell(group->min);
        print_cell(quantile_of(group, 0.5));
        print_cell(quantile_of(group, 0.9));
        print_cell(quantile_of(group, 0.99));
        print_cell(group->max);
    } else {
        printf("%12llu %12.1f ", (unsigned long long)group->bytes, rate_of(stats, group->count));
    }
    err = print_key(stats, group);
    putchar('\n');
    if (stats->histogram)
        cairn_stats_group_each_bucket(group, print_bar, (void *)(uintptr_t)group);
    return err;
}

static void print_total(const struct cli_stats *stats)
{
    const struct cairn_stats_totals *totals = cairn_stats_totals(stats->stats);

    printf("%llu events, %llu bytes, %.6f s, %.1f events per second, %llu lost\n",
           (unsigned long long)totals->events, (unsigned long long)totals->bytes,
           (double)duration_of(stats) / 1e9, rate_of(stats, totals->events),
           (unsigned long long)stats->lost);
}

/* ---- JSON ---- */

static void print_bucket(void *context, double low, double high, uint64_t count)
{
    bool *is_first = (bool *)context;

    print_number((long double)low, *is_first ? "[" : ",[");
    print_number((long double)high, ",");
    printf(",%llu]", (unsigned long long)count);
    *is_first = false;
}

static int print_object(const struct cli_stats *stats, const struct cairn_stats_group *group)
{
    char sum[CAIRN_STATS_SUM_BYTES];
    bool is_first = true;
    int err;

    printf("{\"key\":\"");
    err = print_key(stats, group);
    printf("\",\"count\":%llu", (unsigned long long)group->count);
    if (has_values(stats)) {
        format_sum(sum, group);
        printf(",\"sum\":%s", sum);
        print_number(group->min, ",\"min\":");
        print_number(quantile_of(group, 0.5), ",\"p50\":");
        print_number(quantile_of(group, 0.9), ",\"p90\":");
        print_number(quantile_of(group, 0.99), ",\"p99\":");
        print_number(group->max, ",\"max\":");
    } else {
        printf(",\"bytes\":%llu,\"per_second\":%.1f", (unsigned long long)group->bytes,
               rate_of(stats, group->count));
    }
    if (stats->histogram) {
        printf(",\"histogram\":[");
        cairn_stats_group_each_bucket(group, print_bucket, &is_first);
        putchar(']');
    }
    puts("}");
    return err;
}

int cli_stats_print(const struct cli_stats *stats)
{
    const struct cairn_stats_group *const *list;
    size_t count;
    int err = cairn_stats_list(stats->stats, &list, &count);

    if (err)
        return err;
    if (!stats->as_json)
        print_head(stats);
    for (size_t n = 0; n < count && !err; n++)
        err = stats->as_json ? print_object(stats, list[n]) : print_line(stats, list[n]);
    if (!stats->as_json)
        print_total(stats);
    return err;
}
