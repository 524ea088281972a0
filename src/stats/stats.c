/* SPDX-License-Identifier: MIT */
/* The interface of statistics: counts each event in its group. */
#include "cairn/stats.h"

#include "core/options.h"
#include "stats/groups.h"
#include "stats/key.h"
#include "timeline/spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cairn_stats {
    enum cairn_stats_key key;
    bool durations;
    struct stats_field by;
    struct stats_field of; /* name NULL: events are counted */
    char *by_name;
    char *of_name;
    struct stats_groups groups;
    struct timeline_spans *spans;
    struct export_print_output key_text;
    struct cairn_stats_totals totals;
    const struct cairn_stats_group **list; /* what cairn_stats_list returned last */
    struct cairn_stats_span *open;         /* and cairn_stats_spans */
};

/* ---- create and destroy ---- */

static int copy_name(const char *name, char **ret_copy, struct stats_field *field)
{
    if (!name)
        return 0;
    *ret_copy = strdup(name);
    field->name = *ret_copy;
    return *ret_copy ? 0 : ENOMEM;
}

static int fill(struct cairn_stats *stats, const struct cairn_stats_options *options)
{
    int err;

    stats->key = options->key;
    stats->durations = options->durations;
    err = copy_name(options->key_field, &stats->by_name, &stats->by);
    if (!err)
        err = copy_name(options->value_field, &stats->of_name, &stats->of);
    if (!err)
        err = timeline_spans_create(&stats->spans);
    return err ? err : export_output_open(&stats->key_text, -1);
}

int cairn_stats_create(const struct cairn_stats_options *options, struct cairn_stats **ret_stats)
{
    struct cairn_stats_options own = CAIRN_STATS_OPTIONS_INIT;
    struct cairn_stats *stats;
    int err = core_options_copy(
        options, CORE_OPTIONS_BYTES_TO(struct cairn_stats_options, durations), sizeof(own), &own);

    if (err)
        return err;
    if (own.key > CAIRN_STATS_BY_FIELD || (own.key == CAIRN_STATS_BY_FIELD && !own.key_field) ||
        (own.value_field && own.durations))
        return EINVAL;
    stats = (struct cairn_stats *)calloc(1, sizeof(*stats));
    if (!stats)
        return ENOMEM;
    err = fill(stats, &own);
    if (err)
        cairn_stats_destroy(stats);
    else
        *ret_stats = stats;
    return err;
}

void cairn_stats_destroy(struct cairn_stats *stats)
{
    if (!stats)
        return;
    stats_groups_free(&stats->groups);
    timeline_spans_destroy(stats->spans);
    export_output_close(&stats->key_text);
    free((void *)stats->list);
    free(stats->open);
    free(stats->by_name);
    free(stats->of_name);
    free(stats);
}

/* ---- events ---- */

/* The group whose key is the text that was put. `comm` may be NULL. */
static int find_put(struct cairn_stats *stats, const char *comm, struct stats_group **ret_group)
{
    struct export_print_output *text = &stats->key_text;
    struct cairn_stats_group *result;
    int err;

    if (text->error)
        return text->error;
    err =
        stats_groups_find(&stats->groups, text->begin, (size_t)(text->at - text->begin), ret_group);
    if (err)
        return err;
    result = &(*ret_group)->result;
    if (stats->key == CAIRN_STATS_BY_PROCESS && comm && !*result->comm)
        (void)strncpy(result->comm, comm, sizeof(result->comm) - 1);
    return 0;
}

/* Sets *ret_group to NULL if the event is not counted, as it lacks the field of the key. */
static int find_group(struct cairn_stats *stats, const struct cairn_event *event,
                      struct stats_group **ret_group)
{
    stats->key_text.at = stats->key_text.begin;
    *ret_group = NULL;
    if (!stats_key_put(stats->key, &stats->by, event, &stats->key_text))
        return 0;
    return find_put(stats, event->comm, ret_group);
}

/* Notes whether an event that is not counted has the field of the key. */
static void note_key(struct cairn_stats *stats, const struct cairn_event *event)
{
    if (stats->key == CAIRN_STATS_BY_FIELD)
        stats_field_note(&stats->by, event);
}

static int count_event(struct cairn_stats *stats, const struct cairn_event *event)
{
    struct stats_number number = {.is_integer = true};
    struct stats_group *group;
    int err;

    if (stats->of.name && !stats_field_number(&stats->of, event, &number)) {
        note_key(stats, event);
        return 0;
    }
    err = find_group(stats, event, &group);
    if (err || !group)
        return err;
    group->result.count++;
    group->result.bytes += event->raw_bytes;
    if (!stats->of.name)
        return 0;
    return number.is_integer ? stats_sketch_add_integer(&group->sketch, number.integer)
                             : stats_sketch_add(&group->sketch, number.other);
}

/* A span belongs to the group of its start. */
static int count_duration(struct cairn_stats *stats, const struct cairn_event *event)
{
    struct stats_group *group = NULL;
    const struct timeline_span *span;
    enum timeline_change change;
    int err = 0;

    if (event->activity_id && event->type->opcode == CAIRN_OPCODE_ACTIVITY_START)
        err = find_group(stats, event, &group);
    else
        note_key(stats, event);
    if (!err)
        err = timeline_spans_event(stats->spans, event, (uintptr_t)group, &change, &span);
    if (err || change != TIMELINE_SPAN_STOPPED)
        return err;
    group = (struct stats_group *)(uintptr_t)span->cookie;
    if (!group)
        return 0;
    group->result.count++;
    return stats_sketch_add_integer(&group->sketch, span->stop_ns - span->start.ns);
}

static void widen(uint64_t time_ns, uint64_t *count, uint64_t *first_ns, uint64_t *last_ns)
{
    if (!*count || time_ns < *first_ns)
        *first_ns = time_ns;
    if (time_ns > *last_ns)
        *last_ns = time_ns;
    (*count)++;
}

static void note_time(struct cairn_stats_totals *totals, const struct cairn_event *event)
{
    if (event->has & CAIRN_EVENT_TIME)
        widen(event->time_ns, &totals->times, &totals->first_ns, &totals->last_ns);
    if (event->has & CAIRN_EVENT_WALL)
        widen(event->wall_ns, &totals->walls, &totals->first_wall_ns, &totals->last_wall_ns);
}

int cairn_stats_event(struct cairn_stats *stats, const struct cairn_event *event)
{
    stats->totals.events++;
    stats->totals.bytes += event->raw_bytes;
    note_time(&stats->totals, event);
    return stats->durations ? count_duration(stats, event) : count_event(stats, event);
}

int cairn_stats_lost(struct cairn_stats *stats, const struct cairn_stats_loss *loss)
{
    struct stats_group *group;
    int err;

    stats->key_text.at = stats->key_text.begin;
    stats_key_put_loss(stats->key, loss, &stats->key_text);
    err = find_put(stats, loss->comm, &group);
    if (!err)
        group->result.lost += loss->count;
    return err;
}

/* ---- results ---- */

const struct cairn_stats_totals *cairn_stats_totals(struct cairn_stats *stats)
{
    const struct timeline_spans_counts *spans = timeline_spans_counts(stats->spans);
    struct cairn_stats_totals *totals = &stats->totals;

    totals->key_was_found = stats->by.was_found;
    totals->value_was_found = stats->of.was_found;
    totals->value_was_number = stats->of.was_number;
    totals->has_others = stats->groups.others != NULL;
    totals->unfinished = spans->open + spans->forgotten;
    totals->ends_without_begin = spans->stops_alone;
    return totals;
}

static const struct cairn_stats_group *result_of(struct stats_group *group)
{
    group->result.sum = stats_sketch_sum(&group->sketch);
    group->result.min = group->sketch.min;
    group->result.max = group->sketch.max;
    return &group->result;
}

int cairn_stats_list(struct cairn_stats *stats, const struct cairn_stats_group *const **ret_groups,
                     size_t *ret_count)
{
    struct stats_group **groups;
    const struct cairn_stats_group **list;
    size_t count;
    size_t used = 0;
    int err = stats_groups_list(&stats->groups, &groups, &count);

    if (err)
        return err;
    list = (const struct cairn_stats_group **)calloc(count + 1, sizeof(*list));
    for (size_t n = 0; list && n < count; n++) {
        if (groups[n]->result.count || groups[n]->result.lost)
            list[used++] = result_of(groups[n]);
    }
    free((void *)groups);
    if (!list)
        return ENOMEM;
    free((void *)stats->list);
    stats->list = list;
    *ret_groups = list;
    *ret_count = used;
    return 0;
}

static int by_start(const void *a, const void *b)
{
    const struct cairn_stats_span *first = (const struct cairn_stats_span *)a;
    const struct cairn_stats_span *second = (const struct cairn_stats_span *)b;

    return (first->start_ns > second->start_ns) - (first->start_ns < second->start_ns);
}

static struct cairn_stats_span describe_span(const struct timeline_span *span)
{
    return (struct cairn_stats_span){
        .name = span->name,
        .start_ns = span->start.clock_ns,
        .pid = span->pid,
        .tid = span->tid,
    };
}

int cairn_stats_spans(struct cairn_stats *stats, const struct cairn_stats_span **ret_spans,
                      size_t *ret_count)
{
    uint64_t most = timeline_spans_counts(stats->spans)->open;
    struct cairn_stats_span *list =
        (struct cairn_stats_span *)calloc((size_t)most + 1, sizeof(*list));
    const struct timeline_span *span;
    size_t count = 0;
    size_t cursor = 0;

    if (!list)
        return ENOMEM;
    while (count < most && (span = timeline_spans_open(stats->spans, &cursor))) {
        if (!span->missed)
            list[count++] = describe_span(span);
    }
    qsort(list, count, sizeof(*list), by_start);
    free(stats->open);
    stats->open = list;
    *ret_spans = list;
    *ret_count = count;
    return 0;
}

void cairn_stats_look_for_ended(struct cairn_stats *stats,
                                bool (*has_process)(void *context, uint32_t pid), void *context)
{
    timeline_spans_look_for_ended(stats->spans, has_process, context);
}

/* A group of the interface is the first member of ours. */
static const struct stats_sketch *sketch_of(const struct cairn_stats_group *group)
{
    return &((const struct stats_group *)group)->sketch;
}

bool cairn_stats_group_exact_sum(const struct cairn_stats_group *group,
                                 char text[CAIRN_STATS_SUM_BYTES])
{
    const struct stats_sketch *sketch = sketch_of(group);
    bool is_negative = sketch->integers < 0;
    unsigned __int128 left = (unsigned __int128)sketch->integers;
    char digits[CAIRN_STATS_SUM_BYTES];
    char *first = digits + sizeof(digits) - 1;

    *first = 0;
    if (is_negative)
        left = -left;
    do
        *--first = (char)('0' + (int)(left % 10));
    while (left /= 10);
    if (is_negative)
        *--first = '-';
    memcpy(text, first, (size_t)(digits + sizeof(digits) - first));
    return !sketch->has_others;
}

double cairn_stats_group_quantile(const struct cairn_stats_group *group, double part)
{
    return stats_sketch_quantile(sketch_of(group), part);
}

void cairn_stats_group_each_bucket(const struct cairn_stats_group *group,
                                   void (*bucket)(void *context, double low, double high,
                                                  uint64_t count),
                                   void *context)
{
    stats_sketch_each(sketch_of(group), bucket, context);
}
