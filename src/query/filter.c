/* SPDX-License-Identifier: MIT */
/* Conditions as filters of events. A condition that is not understood is left to SQLite. */
#include "query/filter.h"

#include "export/number.h"
#include "timeline/time.h"

#include <errno.h>
#include <stdlib.h>

/* ---- lists ---- */

static int add_number(struct query_numbers *numbers, sqlite3_value *value)
{
    void *bigger = realloc(numbers->numbers, (numbers->count + 1) * sizeof(*numbers->numbers));

    if (!bigger)
        return ENOMEM;
    numbers->numbers = (int64_t *)bigger;
    numbers->numbers[numbers->count++] = sqlite3_value_int64(value);
    return 0;
}

static int add_text(struct query_texts *texts, sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    void *bigger = realloc((void *)texts->texts, (texts->count + 1) * sizeof(*texts->texts));

    if (!bigger)
        return ENOMEM;
    texts->texts = (char **)bigger;
    texts->texts[texts->count] = text ? strdup(text) : NULL;
    return texts->texts[texts->count] ? (texts->count++, 0) : ENOMEM;
}

static void free_texts(struct query_texts *texts)
{
    for (size_t n = 0; n < texts->count; n++)
        free(texts->texts[n]);
    free((void *)texts->texts);
}

/* Goes through the values of a condition: one, or those of a list. */
struct each {
    sqlite3_value *list; /* NULL: one value */
    sqlite3_value *value;
};

static struct each first_value(const struct query_condition *condition)
{
    struct each each = {.value = condition->value};

    if (condition->compare == QUERY_IN) {
        each.list = condition->value;
        if (sqlite3_vtab_in_first(each.list, &each.value))
            each.value = NULL;
    }
    return each;
}

static void next_value(struct each *each)
{
    if (!each->list || sqlite3_vtab_in_next(each->list, &each->value))
        each->value = NULL;
}

static bool is_equality(const struct query_condition *condition)
{
    return condition->compare == QUERY_EQUAL || condition->compare == QUERY_IN;
}

/* True if all values of a condition have a type: otherwise SQLite may convert them. */
static bool have_type(const struct query_condition *condition, int type)
{
    for (struct each each = first_value(condition); each.value; next_value(&each)) {
        if (sqlite3_value_type(each.value) != type)
            return false;
    }
    return true;
}

static int take_numbers(const struct query_condition *condition, struct query_numbers *numbers)
{
    int err = 0;

    if (!is_equality(condition) || numbers->is_set || !have_type(condition, SQLITE_INTEGER))
        return 0;
    numbers->is_set = true;
    for (struct each each = first_value(condition); each.value && !err; next_value(&each))
        err = add_number(numbers, each.value);
    return err;
}

static int take_texts(const struct query_condition *condition, struct query_texts *texts)
{
    int err = 0;

    if (!is_equality(condition) || texts->is_set || !have_type(condition, SQLITE_TEXT))
        return 0;
    texts->is_set = true;
    for (struct each each = first_value(condition); each.value && !err; next_value(&each))
        err = add_text(texts, each.value);
    return err;
}

/* ---- times ---- */

/* A time as an integer, rounded so that no event is left out. */
static bool time_of(sqlite3_value *value, bool up, uint64_t *ret_ns)
{
    double real;

    if (sqlite3_value_type(value) == SQLITE_INTEGER) {
        *ret_ns = sqlite3_value_int64(value) < 0 ? 0 : (uint64_t)sqlite3_value_int64(value);
        return true;
    }
    if (sqlite3_value_type(value) != SQLITE_FLOAT)
        return false;
    real = sqlite3_value_double(value);
    if (real >= 9e18)
        *ret_ns = up ? UINT64_MAX : (uint64_t)INT64_MAX;
    else
        *ret_ns = real < 0 ? 0 : (uint64_t)real + up;
    return true;
}

static void take_time(const struct query_condition *condition, struct query_range *range)
{
    bool is_since = condition->compare == QUERY_GREATER ||
                    condition->compare == QUERY_GREATER_EQUAL || condition->compare == QUERY_EQUAL;
    bool is_until = condition->compare == QUERY_LESS || condition->compare == QUERY_LESS_EQUAL ||
                    condition->compare == QUERY_EQUAL;
    uint64_t ns;

    if (is_since && time_of(condition->value, false, &ns) && ns > range->since_ns)
        range->since_ns = ns;
    if (is_until && time_of(condition->value, true, &ns) && ns < range->until_ns)
        range->until_ns = ns;
}

/* ---- activities ---- */

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Lower case only, as the column has it. */
static bool parse_uuid(const char *text, uint8_t id[16])
{
    for (unsigned n = 0; n < 16; n++) {
        int high;
        int low;

        if (n == 4 || n == 6 || n == 8 || n == 10) {
            if (*text++ != '-')
                return false;
        }
        high = digit(text[0]);
        low = high < 0 ? -1 : digit(text[1]);
        if (low < 0)
            return false;
        id[n] = (uint8_t)(high << 4 | low);
        text += 2;
    }
    return !*text;
}

static void take_activity(const struct query_condition *condition, struct query_filter *filter)
{
    if (condition->compare == QUERY_EQUAL && sqlite3_value_type(condition->value) == SQLITE_TEXT)
        filter->has_activity =
            parse_uuid((const char *)sqlite3_value_text(condition->value), filter->activity);
}

/* ---- the filter ---- */

static int take(const struct query_condition *condition, int16_t column,
                struct query_filter *filter)
{
    switch (column) {
    case QUERY_EVENT_TIME_NS:
        if (condition->compare != QUERY_IN)
            take_time(condition, &filter->range);
        return 0;
    case QUERY_EVENT_ACTIVITY:
        take_activity(condition, filter);
        return 0;
    case QUERY_EVENT_PID:
        return take_numbers(condition, &filter->pids);
    case QUERY_EVENT_TID:
        return take_numbers(condition, &filter->tids);
    case QUERY_EVENT_CPU:
        return take_numbers(condition, &filter->cpus);
    case QUERY_EVENT_EVENT:
        return take_texts(condition, &filter->events);
    case QUERY_EVENT_PROVIDER:
        return take_texts(condition, &filter->providers);
    default:
        return 0;
    }
}

int query_filter_make(const struct query_request *request, const int16_t *source,
                      struct query_filter *ret_filter)
{
    int err = 0;

    *ret_filter = (struct query_filter){.range = QUERY_RANGE_ALL};
    for (unsigned n = 0; n < request->condition_count && !err; n++)
        err = take(&request->conditions[n], source[request->conditions[n].column], ret_filter);
    return err;
}

void query_filter_free(struct query_filter *filter)
{
    free(filter->pids.numbers);
    free(filter->tids.numbers);
    free(filter->cpus.numbers);
    free_texts(&filter->events);
    free_texts(&filter->providers);
}

static bool has_number(const struct query_numbers *numbers, int64_t number)
{
    for (size_t n = 0; n < numbers->count; n++) {
        if (numbers->numbers[n] == number)
            return true;
    }
    return !numbers->is_set;
}

static bool has_text(const struct query_texts *texts, const char *text)
{
    for (size_t n = 0; n < texts->count; n++) {
        if (!strcmp(texts->texts[n], text))
            return true;
    }
    return !texts->is_set;
}

static bool has_task(const struct query_numbers *numbers, uint32_t id)
{
    return has_number(numbers, export_task_number(id));
}

bool query_filter_passes(const struct query_filter *filter, const struct cairn_event *event)
{
    bool has_range = filter->range.since_ns || filter->range.until_ns != UINT64_MAX;

    if (has_range) {
        uint64_t ns = timeline_time_of(event);

        if (ns < filter->range.since_ns || ns > filter->range.until_ns)
            return false;
    }
    if (filter->has_activity && (!event->activity_id || memcmp(event->activity_id, filter->activity,
                                                               sizeof(filter->activity)) != 0))
        return false;
    return has_task(&filter->tids, event->tid) && has_task(&filter->pids, event->pid) &&
           has_number(&filter->cpus, event->cpu);
}

bool query_filter_has_name(const struct query_filter *filter, const char *provider,
                           const char *event)
{
    return has_text(&filter->events, event) && has_text(&filter->providers, provider);
}
