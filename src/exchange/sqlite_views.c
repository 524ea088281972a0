/* SPDX-License-Identifier: MIT */
/*
 * The views of an SQLite database. SQLite does not distinguish upper and lower case in their names:
 * of names that differ in nothing else, and of those that a table has, the others become NAME_2,
 * NAME_3...
 */
#include "exchange/sqlite_views.h"

#include "exchange/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NUMBER_TEXT_BYTES 24u

/* Offsets in the text, each of a string. */
struct exchange_sqlite_view {
    size_t name;
    size_t query;
};

/* A view whose name is searched or compared. */
struct named {
    const char *name;
    const char *query;
};

int exchange_sqlite_views_open(struct exchange_sqlite_views *views)
{
    return export_output_open(&views->text, -1);
}

void exchange_sqlite_views_close(struct exchange_sqlite_views *views)
{
    export_output_close(&views->text);
    free(views->all);
    views->all = NULL;
}

/* ---- queries ---- */

static void put_quoted(struct export_print_output *out, char quote, const char *text, size_t length)
{
    export_output_byte(out, quote);
    for (size_t n = 0; n < length; n++) {
        if (text[n] == quote)
            export_output_byte(out, quote);
        export_output_byte(out, text[n]);
    }
    export_output_byte(out, quote);
}

static void put_name(struct cairn_exporter *exporter, struct export_print_output *out,
                     struct cairn_slice name)
{
    struct export_print_output *text = &exporter->text;

    text->at = text->begin;
    exchange_put_text(exporter, text, name);
    put_quoted(out, '\'', text->begin, (size_t)(text->at - text->begin));
}

/* A path of JSON cannot have these. */
static bool is_path(const char *name, size_t length)
{
    for (size_t n = 0; n < length; n++) {
        if ((unsigned char)name[n] < ' ' || name[n] == '"' || name[n] == '\\')
            return false;
    }
    return length;
}

/* A path names the first of the fields of a name. */
static bool is_repeated(const struct decode_layout *layout, uint32_t field)
{
    struct cairn_slice name = decode_name_without_attributes(layout->fields[field].item.name);

    for (uint32_t n = 0; n < field;) {
        const struct decode_layout_field *before = &layout->fields[n];

        if (core_slice_equal(decode_name_without_attributes(before->item.name), name))
            return true;
        n = before->kind == DECODE_LAYOUT_STRUCT ? before->end : n + 1;
    }
    return false;
}

static void put_column(struct cairn_exporter *exporter, struct export_print_output *out,
                       const struct decode_layout *layout, uint32_t field)
{
    struct export_print_output *text = &exporter->text;
    size_t length;

    text->at = text->begin;
    exchange_put_text(exporter, text,
                      decode_name_without_attributes(layout->fields[field].item.name));
    length = (size_t)(text->at - text->begin);
    if (!is_path(text->begin, length) || is_repeated(layout, field)) {
        exchange_note(exporter, CAIRN_EXPORTER_NAMES);
        return;
    }
    export_output_string(out, ", json_extract(fields, '$.\"");
    for (size_t n = 0; n < length; n++) {
        if (text->begin[n] == '\'')
            export_output_byte(out, '\'');
        export_output_byte(out, text->begin[n]);
    }
    export_output_string(out, "\"') AS ");
    put_quoted(out, '"', text->begin, length);
}

static void put_query(struct cairn_exporter *exporter, struct export_print_output *out,
                      const struct decode_layout *layout)
{
    export_output_string(out, " AS SELECT id, time_ns, clock_ns, cpu, pid, tid, comm, activity");
    for (uint32_t n = 0; n < layout->field_count;) {
        const struct decode_layout_field *field = &layout->fields[n];

        if (field->kind == DECODE_LAYOUT_BROKEN)
            break;
        put_column(exporter, out, layout, n);
        n = field->kind == DECODE_LAYOUT_STRUCT ? field->end : n + 1;
    }
    export_output_string(out, " FROM events WHERE provider = ");
    put_name(exporter, out, layout->type.provider);
    export_output_string(out, " AND event = ");
    put_name(exporter, out, layout->type.name);
    export_output_byte(out, 0);
}

/* ---- adding ---- */

/* SQLite refuses tables and views of these names. */
static bool is_reserved(const char *name, size_t length)
{
    static const char prefix[] = "sqlite_";

    return length >= sizeof(prefix) - 1 && !strncasecmp(name, prefix, sizeof(prefix) - 1);
}

static struct exchange_sqlite_view *add(struct exchange_sqlite_views *views)
{
    size_t count = views->count;

    if (!(count & (count - 1))) {
        struct exchange_sqlite_view *more = (struct exchange_sqlite_view *)reallocarray(
            views->all, count ? 2 * count : 1, sizeof(*more));

        if (!more)
            return NULL;
        views->all = more;
    }
    return &views->all[views->count++];
}

int exchange_sqlite_views_add(struct cairn_exporter *exporter, struct exchange_sqlite_views *views,
                              const struct decode_layout *layout)
{
    struct export_print_output *out = &views->text;
    struct export_print_output *text = &exporter->text;
    struct exchange_sqlite_view *view;
    size_t length;

    text->at = text->begin;
    exchange_put_event_name(exporter, text, &layout->type);
    length = (size_t)(text->at - text->begin);
    if (is_reserved(text->begin, length) || memchr(text->begin, 0, length)) {
        exchange_note(exporter, CAIRN_EXPORTER_NAMES);
        return 0;
    }
    view = add(views);
    if (!view)
        return ENOMEM;
    view->name = (size_t)(out->at - out->begin);
    export_output_bytes(out, text->begin, length);
    export_output_byte(out, 0);
    view->query = (size_t)(out->at - out->begin);
    put_query(exporter, out, layout);
    return out->error;
}

/* ---- creating ---- */

static int by_name(const void *a, const void *b)
{
    const struct named *x = (const struct named *)a;
    const struct named *y = (const struct named *)b;
    int is_more = strcasecmp(x->name, y->name);

    if (!is_more)
        is_more = strcmp(x->name, y->name);
    return is_more ? is_more : (x->query > y->query) - (x->query < y->query);
}

static int by_folded_name(const void *name, const void *view)
{
    return strcasecmp((const char *)name, ((const struct named *)view)->name);
}

static int create(sqlite3 *database, const char *name, const char *query)
{
    char *statement = sqlite3_mprintf("CREATE VIEW \"%w\"%s", name, query);
    int result = statement ? sqlite3_exec(database, statement, NULL, NULL, NULL) : SQLITE_NOMEM;

    sqlite3_free(statement);
    return result;
}

/* Creates a view with the next number after its name that no other name has. */
static int create_numbered(sqlite3 *database, const struct named *sorted, size_t count,
                           const struct named *view, unsigned *number)
{
    size_t size = strlen(view->name) + NUMBER_TEXT_BYTES;
    char *name = (char *)malloc(size);
    int result = SQLITE_NOMEM;

    if (name) {
        do
            (void)snprintf(name, size, "%s_%u", view->name, ++*number);
        while (bsearch(name, sorted, count, sizeof(*sorted), by_folded_name));
        result = create(database, name, view->query);
    }
    free(name);
    return result;
}

static bool is_table(const char *name)
{
    return !strcasecmp(name, "events") || !strcasecmp(name, "spans");
}

static int create_sorted(sqlite3 *database, const struct named *sorted, size_t count)
{
    unsigned number = 1;
    int result = SQLITE_OK;

    for (size_t n = 0; n < count && result == SQLITE_OK; n++) {
        const char *before = n ? sorted[n - 1].name : "";
        bool is_first = strcasecmp(sorted[n].name, before) != 0;

        if (is_first)
            number = 1;
        else if (!strcmp(sorted[n].name, before))
            continue;
        if (is_first && !is_table(sorted[n].name))
            result = create(database, sorted[n].name, sorted[n].query);
        else
            result = create_numbered(database, sorted, count, &sorted[n], &number);
    }
    return result;
}

int exchange_sqlite_views_create(struct exchange_sqlite_views *views, sqlite3 *database)
{
    struct named *sorted = (struct named *)calloc(views->count + 1, sizeof(*sorted));
    int result;

    if (!sorted)
        return SQLITE_NOMEM;
    for (size_t n = 0; n < views->count; n++)
        sorted[n] = (struct named){views->text.begin + views->all[n].name,
                                   views->text.begin + views->all[n].query};
    qsort(sorted, views->count, sizeof(*sorted), by_name);
    result = create_sorted(database, sorted, views->count);
    free(sorted);
    return result;
}
