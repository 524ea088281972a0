/* SPDX-License-Identifier: MIT */
/* Events by name. A trace file lists its types itself; other recordings are read once. */
#include "query/catalog.h"

#include "decode/reader_survey.h"
#include "query/fields.h"

#include <cairn/export.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- names ---- */

char *query_utf8(struct cairn_slice bytes)
{
    char *text;
    char *to;

    if (cairn_style_text(CAIRN_STYLE_CSV, bytes.text, bytes.length, &text))
        return NULL;
    to = text;
    for (const char *from = text; *from; from++) { /* CSV doubles quotes */
        *to++ = *from;
        from += from[0] == '"' && from[1] == '"';
    }
    *to = 0;
    return text;
}

static struct query_event *make_event(const struct cairn_event_type *type)
{
    struct query_event *event = (struct query_event *)calloc(1, sizeof(*event));

    if (!event)
        return NULL;
    event->provider = query_utf8(type->provider);
    event->event = query_utf8(type->name);
    if (event->provider && event->event)
        event->name = (char *)malloc(strlen(event->provider) + strlen(event->event) + 2);
    if (!event->name) {
        free((void *)event->provider);
        free((void *)event->event);
        free(event);
        return NULL;
    }
    (void)stpcpy(stpcpy(stpcpy(event->name, event->provider), ":"), event->event);
    return event;
}

static void free_event(struct query_event *event)
{
    query_fields_free(event->fields, event->field_count);
    free(event->name);
    free(event->table);
    free((void *)event->provider);
    free((void *)event->event);
    free(event);
}

/* ---- fields ---- */

/* SQLite does not distinguish upper and lower case in names of columns. */
static struct query_field *find_field(const struct query_event *event, const char *name)
{
    for (unsigned n = 0; n < event->field_count; n++) {
        if (!strcasecmp(event->fields[n].name, name))
            return &event->fields[n];
    }
    return NULL;
}

/* Adds a field, whose name it then owns. Returns 0, ENOMEM. */
static int add_field(struct query_event *event, struct query_field *field)
{
    void *bigger = realloc(event->fields, (event->field_count + 1) * sizeof(*event->fields));

    if (!bigger)
        return ENOMEM;
    event->fields = (struct query_field *)bigger;
    event->fields[event->field_count++] = *field;
    field->name = NULL;
    return 0;
}

/* Adds the fields of a layout that events of this name had not so far. */
static int add_fields(struct query_event *event, const struct decode_layout *layout)
{
    struct query_field *fields;
    unsigned count;
    int err = query_fields_of(layout, &fields, &count);

    if (err)
        return err;
    for (unsigned n = 0; n < count && !err; n++) {
        struct query_field *same = find_field(event, fields[n].name);

        if (!same && event->field_count < QUERY_FIELDS_MAX)
            err = add_field(event, &fields[n]);
        else if (same && strcmp(same->type, fields[n].type) != 0)
            same->type = ""; /* values of any type */
    }
    query_fields_free(fields, count);
    return err;
}

/* ---- the hash table of layouts ---- */

static size_t slot_of(const struct query_catalog *catalog, uint64_t serial)
{
    size_t at = (size_t)(serial * 0x9e3779b97f4a7c15u >> 32) & (catalog->slot_count - 1);

    while (catalog->serials[at] && catalog->serials[at] != serial)
        at = (at + 1) & (catalog->slot_count - 1);
    return at;
}

static int grow(struct query_catalog *catalog)
{
    size_t old_count = catalog->slot_count;
    uint64_t *old_serials = catalog->serials;
    struct query_event **old_events = catalog->by_serial;
    size_t count = old_count ? 2 * old_count : 256;
    uint64_t *serials = (uint64_t *)calloc(count, sizeof(*serials));
    struct query_event **events = (struct query_event **)calloc(count, sizeof(*events));

    if (!serials || !events) {
        free(serials);
        free((void *)events);
        return ENOMEM;
    }
    catalog->serials = serials;
    catalog->by_serial = events;
    catalog->slot_count = count;
    for (size_t n = 0; n < old_count; n++) {
        if (old_serials[n]) {
            size_t at = slot_of(catalog, old_serials[n]);

            serials[at] = old_serials[n];
            events[at] = old_events[n];
        }
    }
    free(old_serials);
    free((void *)old_events);
    return 0;
}

/* ---- adding ---- */

static int find_or_make(struct query_catalog *catalog, const struct cairn_event_type *type,
                        struct query_event **ret_event)
{
    struct query_event *made = make_event(type);
    void *bigger;

    if (!made)
        return ENOMEM;
    for (size_t n = 0; n < catalog->count; n++) {
        if (!strcmp(catalog->events[n]->name, made->name)) {
            free_event(made);
            *ret_event = catalog->events[n];
            return 0;
        }
    }
    bigger = realloc((void *)catalog->events, (catalog->count + 1) * sizeof(*catalog->events));
    if (!bigger) {
        free_event(made);
        return ENOMEM;
    }
    catalog->events = (struct query_event **)bigger;
    catalog->events[catalog->count++] = made;
    *ret_event = made;
    return 0;
}

static int add_type(void *context, const struct cairn_event_type *type, uint64_t events)
{
    struct query_catalog *catalog = (struct query_catalog *)context;
    const struct decode_layout *layout = decode_layout_of(type);
    struct query_event *event;
    size_t slot;
    int err = 0;

    if (2 * catalog->used_slots >= catalog->slot_count)
        err = grow(catalog);
    if (err)
        return err;
    slot = slot_of(catalog, layout->serial);
    if (!catalog->serials[slot]) {
        err = find_or_make(catalog, type, &event);
        if (!err)
            err = add_fields(event, layout);
        if (err)
            return err;
        catalog->serials[slot] = layout->serial;
        catalog->by_serial[slot] = event;
        catalog->used_slots++;
    }
    catalog->by_serial[slot]->events += events;
    catalog->total += events;
    return 0;
}

/* ---- reading ---- */

static int read_all(struct query_catalog *catalog, struct query_recording *recording,
                    struct cairn_reader *reader)
{
    const struct cairn_event *event;
    int err;

    recording->has_wall = true;
    while (!(err = cairn_reader_next(reader, &event))) {
        err = add_type(catalog, event->type, 1);
        if (err)
            return err;
        if (!(event->has & CAIRN_EVENT_WALL))
            recording->has_wall = false;
    }
    return err;
}

static int fill_from(struct query_catalog *catalog, struct query_recordings *recordings,
                     size_t index)
{
    struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    struct query_recording *recording = &recordings->all[index];
    struct decode_reader_shift shift;
    struct cairn_reader *reader;
    struct cairn_perf_error error = {0};
    int err;

    options.without_comm = true;
    options.without_raw = true;
    options.in_file_order = true; /* sorting would take time */
    err = query_recording_open(recording, &options, NULL, &error, &reader);
    if (err)
        return err;
    err = decode_reader_survey(reader, add_type, catalog, &shift);
    if (!err || err == EBADMSG) {
        recording->has_wall = recording->has_shift = shift.is_known;
        recording->shift_min_ns = shift.min_ns;
        recording->shift_max_ns = shift.max_ns;
    } else if (err == EINVAL || err == EOPNOTSUPP) {
        err = read_all(catalog, recording, reader);
        query_recording_note(recordings, index, reader, err);
    }
    cairn_reader_close(reader);
    if (err && err != ENODATA)
        catalog->is_partial = true;
    return err == ENOMEM ? ENOMEM : 0;
}

static int by_name(const void *a, const void *b)
{
    const struct query_event *x = *(const struct query_event *const *)a;
    const struct query_event *y = *(const struct query_event *const *)b;

    return strcmp(x->name, y->name);
}

/* ---- names of tables ---- */

static int by_table(const void *a, const void *b)
{
    const struct query_event *x = *(const struct query_event *const *)a;
    const struct query_event *y = *(const struct query_event *const *)b;
    int is_more = strcasecmp(x->name, y->name);

    return is_more ? is_more : strcmp(x->name, y->name);
}

static int by_folded_name(const void *name, const void *event)
{
    return strcasecmp((const char *)name, (*(const struct query_event *const *)event)->name);
}

/* Names a table NAME_2, NAME_3, ..., unless an event has this name. *number is that of the table
 * before, and then its own. Returns 0, ENOMEM. */
static int name_table(struct query_event *event, struct query_event *const *sorted, size_t count,
                      unsigned *number)
{
    do {
        free(event->table);
        event->table = NULL;
        if (asprintf(&event->table, "%s_%u", event->name, ++*number) < 0) {
            event->table = NULL;
            return ENOMEM;
        }
    } while (bsearch(event->table, (const void *)sorted, count, sizeof(struct query_event *),
                     by_folded_name));
    return 0;
}

/* SQLite does not distinguish upper and lower case in names of tables: of such names only the first
 * remains as it is. */
static int name_tables(struct query_catalog *catalog)
{
    size_t size_bytes = catalog->count * sizeof(struct query_event *);
    struct query_event **sorted = (struct query_event **)malloc(size_bytes + 1);
    unsigned number = 1;
    int err = sorted ? 0 : ENOMEM;

    if (!err && catalog->count) {
        memcpy((void *)sorted, (const void *)catalog->events, size_bytes);
        qsort((void *)sorted, catalog->count, sizeof(*sorted), by_table);
    }
    for (size_t n = 1; n < catalog->count && !err; n++) {
        if (strcasecmp(sorted[n]->name, sorted[n - 1]->name) != 0)
            number = 1;
        else
            err = name_table(sorted[n], sorted, catalog->count, &number);
    }
    free((void *)sorted);
    return err;
}

int query_catalog_fill(struct query_catalog *catalog, struct query_recordings *recordings,
                       struct cairn_query_error *error)
{
    int err = 0;

    for (size_t n = 0; n < recordings->count && !err; n++) {
        err = fill_from(catalog, recordings, n);
        if (err)
            (void)snprintf(error->text, sizeof(error->text), "%s: %s", recordings->all[n].path,
                           strerror(err));
    }
    if (catalog->count)
        qsort((void *)catalog->events, catalog->count, sizeof(*catalog->events), by_name);
    return err ? err : name_tables(catalog);
}

void query_catalog_free(struct query_catalog *catalog)
{
    for (size_t n = 0; n < catalog->count; n++)
        free_event(catalog->events[n]);
    free((void *)catalog->events);
    free(catalog->serials);
    free((void *)catalog->by_serial);
    *catalog = (struct query_catalog){0};
}
