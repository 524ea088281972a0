/* SPDX-License-Identifier: MIT */
/* Filters of events, from the conditions of a query: events that do not pass need not be decoded.
 */
#ifndef QUERY_FILTER_H
#define QUERY_FILTER_H

#include "query/columns.h"
#include "query/table.h"

#include <cairn/decode.h>

/* Numbers of which one must match. */
struct query_numbers {
    int64_t *numbers;
    size_t count;
    bool is_set; /* otherwise all match */
};

/* Texts of which one must match. */
struct query_texts {
    char **texts;
    size_t count;
    bool is_set;
};

struct query_filter {
    struct query_range range;
    struct query_numbers pids;
    struct query_numbers tids;
    struct query_numbers cpus;
    struct query_texts events;
    struct query_texts providers;
    uint8_t activity[16];
    bool has_activity;
};

/*
 * source  the enum query_event_column of each column of the table; negative: it is none of them
 *
 * Returns 0, ENOMEM. Free it also on failure.
 */
int query_filter_make(const struct query_request *request, const int16_t *source,
                      struct query_filter *ret_filter);

void query_filter_free(struct query_filter *filter);

/* Time, thread, CPU, and activity. */
bool query_filter_passes(const struct query_filter *filter, const struct cairn_event *event);

/* Names. */
bool query_filter_has_name(const struct query_filter *filter, const char *provider,
                           const char *event);

#endif
