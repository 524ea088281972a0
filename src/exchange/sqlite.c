/* SPDX-License-Identifier: MIT */
/*
 * An SQLite database: a table of events with their fields as JSON, a table of
 * spans, and for each name of an event a view whose columns are its fields.
 *
 * SQLite creates the tables, and at the end the views. The rows are written as pages of its file
 * format: inserting them by statements takes three times as long.
 */
#include "exchange/classes.h"
#include "exchange/json.h"
#include "exchange/sqlite_pages.h"
#include "exchange/sqlite_views.h"
#include "exchange/text.h"
#include "export/json_parts.h"
#include "export/names.h"
#include "export/number.h"
#include "export/value_print.h"
#include "timeline/spans.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static const char schema[] =
    "PRAGMA page_size = 32768; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
    "PRAGMA locking_mode = EXCLUSIVE;"
    "CREATE TABLE events (id INTEGER PRIMARY KEY, time_ns INTEGER, clock_ns "
    "INTEGER, provider TEXT,"
    " event TEXT, level TEXT, keyword TEXT, opcode TEXT, cpu INTEGER, pid "
    "INTEGER, tid INTEGER,"
    " comm TEXT, activity TEXT, related_activity TEXT, fields TEXT, error "
    "TEXT, stack TEXT);"
    "CREATE TABLE spans (id INTEGER PRIMARY KEY, name TEXT, start_ns INTEGER, "
    "stop_ns INTEGER,"
    " duration_ns INTEGER, pid INTEGER, tid INTEGER, stop_tid INTEGER, depth "
    "INTEGER,"
    " activity TEXT, parent_activity TEXT, start_event INTEGER, stop_event "
    "INTEGER);";

/* The first pages of the tables, and the number of pages. */
static const char pages_query[] =
    "SELECT (SELECT rootpage FROM sqlite_master WHERE name = 'events'),"
    " (SELECT rootpage FROM sqlite_master WHERE name = 'spans'),"
    " (SELECT page_count FROM pragma_page_count)";

/* The columns that all events of a kind have in common: class->data. */
#define CLASS_COLUMNS 5

struct sqlite_class {
    uint64_t types[CLASS_COLUMNS]; /* provider, event, level, keyword, opcode */
    size_t body_bytes;
    char body[];
};

struct sqlite {
    sqlite3 *database; /* NULL while rows are written */
    struct exchange_sqlite_file file;
    struct exchange_sqlite_table events;
    struct exchange_sqlite_table span_table;
    struct exchange_sqlite_row row;
    struct exchange_classes classes; /* data: struct sqlite_class */
    struct exchange_json json;
    struct exchange_sqlite_views views;
    struct timeline_spans *spans;
};

/* ---- errors ---- */

static int error_of(const struct sqlite *sqlite, int result)
{
    switch (result) {
    case SQLITE_OK:
    case SQLITE_DONE:
        return 0;
    case SQLITE_NOMEM:
        return ENOMEM;
    case SQLITE_FULL:
        return ENOSPC;
    case SQLITE_TOOBIG:
        return EFBIG;
    default:
        return sqlite->database && sqlite3_system_errno(sqlite->database)
                   ? sqlite3_system_errno(sqlite->database)
                   : EIO;
    }
}

static int execute(struct sqlite *sqlite, const char *text)
{
    return error_of(sqlite, sqlite3_exec(sqlite->database, text, NULL, NULL, NULL));
}

/* ---- values ---- */

/* Text of any bytes. */
static void put_text(struct cairn_exporter *exporter, struct sqlite *sqlite,
                     struct cairn_slice text)
{
    struct export_print_output *out = &exporter->text;

    if (exchange_is_plain(text.text, text.length)) {
        exchange_sqlite_put_text(&sqlite->row, text.text, text.length);
        return;
    }
    out->at = out->begin;
    exchange_put_text(exporter, out, text);
    exchange_sqlite_put_text(&sqlite->row, out->begin, (size_t)(out->at - out->begin));
}

static void put_string(struct cairn_exporter *exporter, struct sqlite *sqlite, const char *text)
{
    if (text)
        put_text(exporter, sqlite, (struct cairn_slice){text, (uint32_t)strlen(text)});
    else
        exchange_sqlite_put_null(&sqlite->row);
}

static void put_number_if(struct sqlite *sqlite, bool is_known, uint64_t number)
{
    if (is_known)
        exchange_sqlite_put_number(&sqlite->row, (int64_t)number);
    else
        exchange_sqlite_put_null(&sqlite->row);
}

static void put_task_if(struct sqlite *sqlite, bool is_known, uint32_t id)
{
    if (is_known)
        exchange_sqlite_put_number(&sqlite->row, export_task_number(id));
    else
        exchange_sqlite_put_null(&sqlite->row);
}

static void put_id(struct sqlite *sqlite, const uint8_t *id)
{
    char text[40];

    if (id)
        exchange_sqlite_put_text(&sqlite->row, text, (size_t)(export_put_uuid(text, id) - text));
    else
        exchange_sqlite_put_null(&sqlite->row);
}

/* A number that has a name perhaps: the column has texts. */
static void put_named(struct cairn_exporter *exporter, struct sqlite *sqlite, const char *name,
                      uint8_t number)
{
    char text[20];

    if (name)
        put_string(exporter, sqlite, name);
    else
        exchange_sqlite_put_text(&sqlite->row, text,
                                 (size_t)(export_put_unsigned(text, number) - text));
}

static void put_type(struct cairn_exporter *exporter, struct sqlite *sqlite,
                     const struct cairn_event_type *type)
{
    char keyword[20];

    put_text(exporter, sqlite, type->provider);
    put_text(exporter, sqlite, type->name);
    if (!type->is_eventheader) {
        for (int n = 2; n < CLASS_COLUMNS; n++)
            exchange_sqlite_put_null(&sqlite->row);
        return;
    }
    put_named(exporter, sqlite, export_level_name(type->level), type->level);
    exchange_sqlite_put_text(&sqlite->row, keyword,
                             (size_t)(export_put_hex(keyword, type->keyword) - keyword));
    if (type->opcode)
        put_named(exporter, sqlite, export_opcode_name(type->opcode), type->opcode);
    else
        exchange_sqlite_put_null(&sqlite->row);
}

/* Makes what all events of a type have. Returns NULL if there is no memory. */
static struct sqlite_class *create_class(struct cairn_exporter *exporter, struct sqlite *sqlite,
                                         const struct cairn_event_type *type)
{
    struct exchange_sqlite_row *row = &sqlite->row;
    struct sqlite_class *class;
    size_t body_bytes;

    exchange_sqlite_row_begin(row);
    put_type(exporter, sqlite, type);
    body_bytes = (size_t)(row->body.at - row->body.begin);
    class = row->body.error ? NULL : (struct sqlite_class *)malloc(sizeof(*class) + body_bytes);
    if (!class)
        return NULL;
    memcpy(class->types, row->types, sizeof(class->types));
    class->body_bytes = body_bytes;
    memcpy(class->body, row->body.begin, body_bytes);
    return class;
}

static void put_class(struct sqlite *sqlite, const struct sqlite_class *class)
{
    struct exchange_sqlite_row *row = &sqlite->row;

    memcpy(row->types + row->count, class->types, sizeof(class->types));
    row->count += CLASS_COLUMNS;
    export_output_bytes(&row->body, class->body, class->body_bytes);
}

/* The fields as a JSON object, and the error. A NUL is escaped in JSON. */
static void put_fields(struct cairn_exporter *exporter, struct sqlite *sqlite,
                       const struct cairn_event *event)
{
    struct exchange_sqlite_row *row = &sqlite->row;
    struct export_print_output *out = &row->body;
    size_t begin = (size_t)(out->at - out->begin);
    enum cairn_event_error error = exchange_json_fields(&sqlite->json, out, event);

    if (out->error)
        return;
    if (out->at == out->begin + begin)
        export_output_byte(out, '{');
    out->begin[begin] = '{'; /* the first member has a comma */
    export_output_byte(out, '}');
    row->types[row->count++] = 13 + 2 * (uint64_t)((size_t)(out->at - out->begin) - begin);
    if (error)
        exchange_note_damage(exporter);
    put_string(exporter, sqlite, error ? cairn_event_error_text(error) : NULL);
}

/* As JSON lines have it. */
static void put_stack(struct sqlite *sqlite, const struct cairn_event *event)
{
    struct exchange_sqlite_row *row = &sqlite->row;
    struct export_print_output *out = &row->body;
    size_t begin = (size_t)(out->at - out->begin);

    if (!event->stack) {
        exchange_sqlite_put_null(row);
        return;
    }
    export_put_stack(out, event);
    row->types[row->count++] = 13 + 2 * (uint64_t)((size_t)(out->at - out->begin) - begin);
}

/* ---- events ---- */

static int find_class(struct cairn_exporter *exporter, struct sqlite *sqlite,
                      const struct cairn_event *event, const struct sqlite_class **ret_class)
{
    const struct decode_layout *layout = decode_layout_of(event->type);
    struct exchange_class *class;
    int err = exchange_classes_of(&sqlite->classes, layout, &class);

    if (err)
        return err;
    if (!class->data) {
        class->data = create_class(exporter, sqlite, &layout->type);
        if (!class->data)
            return ENOMEM;
        err = exchange_sqlite_views_add(exporter, &sqlite->views, layout);
    }
    *ret_class = (const struct sqlite_class *)class->data;
    return err;
}

static int add_span(struct cairn_exporter *exporter, struct sqlite *sqlite,
                    const struct timeline_span *span, bool is_open)
{
    static const uint8_t none[TIMELINE_ID_BYTES];

    exchange_sqlite_row_begin(&sqlite->row);
    exchange_sqlite_put_null(&sqlite->row); /* the id */
    put_string(exporter, sqlite, span->name);
    put_number_if(sqlite, true, span->start.ns);
    put_number_if(sqlite, !is_open, span->stop_ns);
    put_number_if(sqlite, !is_open, span->stop_ns - span->start.ns);
    put_task_if(sqlite, true, span->pid);
    put_task_if(sqlite, true, span->tid);
    put_task_if(sqlite, !is_open, span->stop_tid);
    put_number_if(sqlite, true, span->depth);
    put_id(sqlite, span->id);
    put_id(sqlite, memcmp(span->parent_id, none, sizeof(none)) != 0 ? span->parent_id : NULL);
    put_number_if(sqlite, true, span->cookie);
    put_number_if(sqlite, !is_open, exporter->counts.events);
    return exchange_sqlite_add(&sqlite->file, &sqlite->span_table, &sqlite->row);
}

static int pair_spans(struct cairn_exporter *exporter, struct sqlite *sqlite,
                      const struct cairn_event *event)
{
    const struct timeline_span *span;
    enum timeline_change change;
    int err = timeline_spans_event(sqlite->spans, event, exporter->counts.events, &change, &span);

    if (err || change != TIMELINE_SPAN_STOPPED)
        return err;
    return add_span(exporter, sqlite, span, false);
}

static int add_event(struct cairn_exporter *exporter, const struct cairn_event *event)
{
    struct sqlite *sqlite = (struct sqlite *)exporter->state;
    const struct sqlite_class *class;
    int err = find_class(exporter, sqlite, event, &class);

    if (err)
        return err;
    exchange_sqlite_row_begin(&sqlite->row);
    exchange_sqlite_put_null(&sqlite->row); /* the id */
    put_number_if(sqlite, event->has & CAIRN_EVENT_WALL, event->wall_ns);
    put_number_if(sqlite, event->has & CAIRN_EVENT_TIME, event->time_ns);
    put_class(sqlite, class);
    put_number_if(sqlite, event->has & CAIRN_EVENT_CPU, event->cpu);
    put_task_if(sqlite, event->has & CAIRN_EVENT_TID, event->pid);
    put_task_if(sqlite, event->has & CAIRN_EVENT_TID, event->tid);
    put_string(exporter, sqlite, event->comm);
    put_id(sqlite, event->activity_id);
    put_id(sqlite, event->related_id);
    put_fields(exporter, sqlite, event);
    put_stack(sqlite, event);
    err = exchange_sqlite_add(&sqlite->file, &sqlite->events, &sqlite->row);
    return err ? err : pair_spans(exporter, sqlite, event);
}

/* ---- begin and end ---- */

static int open_database(struct sqlite *sqlite, const char *path)
{
    return error_of(sqlite, sqlite3_open_v2(path, &sqlite->database,
                                            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL));
}

static int close_database(struct sqlite *sqlite)
{
    int err = error_of(sqlite, sqlite3_close(sqlite->database));

    sqlite->database = NULL;
    return err;
}

/* Finds the pages of the tables that were created. */
static int find_pages(struct sqlite *sqlite)
{
    sqlite3_stmt *statement;
    int err =
        error_of(sqlite, sqlite3_prepare_v2(sqlite->database, pages_query, -1, &statement, NULL));

    if (err)
        return err;
    if (sqlite3_step(statement) == SQLITE_ROW) {
        sqlite->events.root = (uint32_t)sqlite3_column_int64(statement, 0);
        sqlite->span_table.root = (uint32_t)sqlite3_column_int64(statement, 1);
        sqlite->file.page_count = (uint32_t)sqlite3_column_int64(statement, 2);
    }
    err = error_of(sqlite, sqlite3_finalize(statement));
    return err || sqlite->file.page_count ? err : EIO;
}

static int create_tables(struct sqlite *sqlite, const char *path)
{
    int err = open_database(sqlite, path);

    if (!err)
        err = execute(sqlite, schema);
    if (!err)
        err = find_pages(sqlite);
    return err ? err : close_database(sqlite);
}

static int create_views(struct sqlite *sqlite, const char *path)
{
    int err = open_database(sqlite, path);

    if (!err)
        err = execute(sqlite, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
    if (!err)
        err = error_of(sqlite, exchange_sqlite_views_create(&sqlite->views, sqlite->database));
    if (!err)
        err = execute(sqlite, "COMMIT");
    return err ? err : close_database(sqlite);
}

static int begin(struct cairn_exporter *exporter)
{
    struct sqlite *sqlite;
    int err;

    if (!exporter->target.temporary)
        return ESPIPE; /* a database is written at many places */
    sqlite = (struct sqlite *)calloc(1, sizeof(*sqlite));
    if (!sqlite)
        return ENOMEM;
    exporter->state = sqlite;
    sqlite->file.fd = exporter->target.fd;
    err = exchange_json_open(&sqlite->json);
    if (!err)
        err = export_output_open(&sqlite->row.body, -1);
    if (!err)
        err = exchange_sqlite_views_open(&sqlite->views);
    if (!err)
        err = timeline_spans_create(&sqlite->spans);
    return err ? err : create_tables(sqlite, exporter->target.temporary);
}

static int finish(struct cairn_exporter *exporter)
{
    struct sqlite *sqlite = (struct sqlite *)exporter->state;
    const struct timeline_spans_counts *counts = timeline_spans_counts(sqlite->spans);
    const struct timeline_span *span;
    size_t cursor = 0;
    int err = 0;

    exporter->counts.notes[CAIRN_EXPORTER_UNFINISHED] += counts->open + counts->forgotten;
    while (!err && (span = timeline_spans_open(sqlite->spans, &cursor)))
        err = add_span(exporter, sqlite, span, true);
    if (!err)
        err = exchange_sqlite_finish_table(&sqlite->file, &sqlite->events);
    if (!err)
        err = exchange_sqlite_finish_table(&sqlite->file, &sqlite->span_table);
    if (!err)
        err = exchange_sqlite_finish_file(&sqlite->file);
    return err ? err : create_views(sqlite, exporter->target.temporary);
}

static void destroy(struct cairn_exporter *exporter)
{
    struct sqlite *sqlite = (struct sqlite *)exporter->state;

    if (!sqlite)
        return;
    (void)close_database(sqlite);
    exchange_json_close(&sqlite->json);
    exchange_sqlite_free_table(&sqlite->events);
    exchange_sqlite_free_table(&sqlite->span_table);
    export_output_close(&sqlite->row.body);
    exchange_sqlite_views_close(&sqlite->views);
    exchange_classes_free(&sqlite->classes);
    timeline_spans_destroy(sqlite->spans);
    free(sqlite);
}

const struct exchange_format exchange_format_sqlite = {
    .has_stacks = true,
    .begin = begin,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};
