/* SPDX-License-Identifier: MIT */
/* The columns of the tables of events. */
#include "query/event_table.h"

#include "query/events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define COLUMN(NAME, name, type, is_pushed) {#name, #type, false, is_pushed},

static const struct query_column event_columns[] = {QUERY_EVENT_COLUMNS(COLUMN)};

/* The columns that SELECT * has before the fields of an event. */
static const uint8_t first_columns[] = {QUERY_EVENT_TIME_NS, QUERY_EVENT_CPU, QUERY_EVENT_PID,
                                        QUERY_EVENT_TID, QUERY_EVENT_COMM};

#define FIRST_COUNT (sizeof(first_columns) / sizeof(*first_columns))

static bool is_first(unsigned column)
{
    for (size_t n = 0; n < FIRST_COUNT; n++) {
        if (first_columns[n] == column)
            return true;
    }
    return false;
}

static bool is_field(const struct query_event *event, const char *name)
{
    for (unsigned n = 0; n < event->field_count; n++) {
        if (!strcasecmp(event->fields[n].name, name))
            return true;
    }
    return false;
}

/* A field has its own name. What the event has of that name is "event_NAME" then, or the next one
 * that is free. Returns a name, owned by the caller; NULL: no memory. */
static char *free_name(const struct query_event *event, const char *name)
{
    char *text = strdup(name);

    while (text && is_field(event, text)) {
        char *longer;

        if (asprintf(&longer, "event_%s", text) < 0)
            longer = NULL;
        free(text);
        text = longer;
    }
    return text;
}

/* A table whose columns are being made. */
struct making {
    struct query_event_table *made;
    struct query_column *columns;
    unsigned count;
};

static int add_common(struct making *making, unsigned column, bool is_hidden)
{
    struct query_column *to = &making->columns[making->count];

    *to = event_columns[column];
    to->is_hidden = is_hidden;
    to->name = free_name(making->made->event, event_columns[column].name);
    making->made->source[making->count++] = (int16_t)column;
    return to->name ? 0 : ENOMEM;
}

static void add_fields(struct making *making)
{
    const struct query_event *event = making->made->event;

    for (unsigned n = 0; n < event->field_count; n++) {
        making->columns[making->count] =
            (struct query_column){event->fields[n].name, event->fields[n].type, false, false};
        making->made->source[making->count++] = (int16_t)~n;
    }
}

static int make_columns(struct making *making)
{
    int err = 0;

    for (size_t n = 0; n < FIRST_COUNT && !err; n++)
        err = add_common(making, first_columns[n], false);
    if (!err)
        add_fields(making);
    for (unsigned n = 0; n < QUERY_EVENT_COLUMN_COUNT && !err; n++) {
        if (!is_first(n))
            err = add_common(making, n, true);
    }
    return err;
}

static void describe(struct query_event_table *made, struct cairn_query *query,
                     const struct query_column *columns, unsigned count)
{
    const struct query_event *event = made->event;
    uint64_t rows = event ? event->events : query->catalog.total;

    made->table = (struct query_table){
        .name = !event         ? "events"
                : event->table ? event->table
                               : event->name,
        .kind = &query_events_kind,
        .query = query,
        .columns = columns,
        .column_count = count,
        .rows = rows ? rows : 1,
        .context = made,
    };
}

static int create_for_all(struct cairn_query *query, struct query_event_table *made)
{
    for (int16_t n = 0; n < QUERY_EVENT_COLUMN_COUNT; n++)
        made->source[n] = n;
    describe(made, query, event_columns, QUERY_EVENT_COLUMN_COUNT);
    return 0;
}

static int create_for_one(struct cairn_query *query, struct query_event_table *made)
{
    struct making making = {.made = made};
    int err;

    made->own_columns = making.columns = (struct query_column *)calloc(
        QUERY_EVENT_COLUMN_COUNT + made->event->field_count, sizeof(*making.columns));
    if (!making.columns)
        return ENOMEM;
    err = make_columns(&making);
    describe(made, query, making.columns, making.count);
    return err;
}

int query_event_table_create(struct cairn_query *query, const struct query_event *event,
                             struct query_table **ret_table)
{
    size_t count = QUERY_EVENT_COLUMN_COUNT + (event ? event->field_count : 0);
    struct query_event_table *made =
        (struct query_event_table *)calloc(1, sizeof(*made) + count * sizeof(*made->source));
    int err;

    if (!made)
        return ENOMEM;
    made->event = event;
    err = event ? create_for_one(query, made) : create_for_all(query, made);
    if (err) {
        query_event_table_destroy(&made->table);
        return err;
    }
    *ret_table = &made->table;
    return 0;
}

void query_event_table_destroy(struct query_table *table)
{
    struct query_event_table *made = (struct query_event_table *)table;

    if (!table)
        return;
    for (unsigned n = 0; made->own_columns && n < made->table.column_count; n++) {
        if (made->source[n] >= 0)
            free((void *)made->own_columns[n].name);
    }
    free(made->own_columns);
    free(made);
}
