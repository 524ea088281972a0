/* SPDX-License-Identifier: MIT */
/*
 * An SQLite database: a table of events with their fields as JSON, a table of
 * spans, and for each name of an event a view whose columns are its fields.
 */
#include "exchange/classes.h"
#include "exchange/json.h"
#include "exchange/text.h"
#include "export/names.h"
#include "export/number.h"
#include "export/value_print.h"
#include "timeline/spans.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static const char schema[] =
    "PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
    "PRAGMA locking_mode = EXCLUSIVE;"
    "CREATE TABLE events (id INTEGER PRIMARY KEY, time_ns INTEGER, clock_ns "
    "INTEGER, provider TEXT,"
    " event TEXT, level TEXT, keyword TEXT, opcode TEXT, cpu INTEGER, pid "
    "INTEGER, tid INTEGER,"
    " comm TEXT, activity TEXT, related_activity TEXT, fields TEXT, error "
    "TEXT);"
    "CREATE TABLE spans (id INTEGER PRIMARY KEY, name TEXT, start_ns INTEGER, "
    "stop_ns INTEGER,"
    " duration_ns INTEGER, pid INTEGER, tid INTEGER, stop_tid INTEGER, depth "
    "INTEGER,"
    " activity TEXT, parent_activity TEXT, start_event INTEGER, stop_event "
    "INTEGER);"
    "BEGIN;";

/* The id is not bound: the database counts rows, as the exporter counts events, and needs not
 * search for the number then. */
enum {
    EVENT_TIME = 2,
    EVENT_CLOCK,
    EVENT_PROVIDER,
    EVENT_NAME,
    EVENT_LEVEL,
    EVENT_KEYWORD,
    EVENT_OPCODE,
    EVENT_CPU,
    EVENT_PID,
    EVENT_TID,
    EVENT_COMM,
    EVENT_ACTIVITY,
    EVENT_RELATED,
    EVENT_FIELDS,
    EVENT_ERROR,
};

static const char insert_event[] =
    "INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
    "?12, ?13, ?14, ?15,"
    " ?16)";
static const char insert_span[] =
    "INSERT INTO spans (name, start_ns, stop_ns, duration_ns, pid, tid, "
    "stop_tid, depth, activity,"
    " parent_activity, start_event, stop_event) VALUES (?1, ?2, ?3, ?4, ?5, "
    "?6, ?7, ?8, ?9, ?10,"
    " ?11, ?12)";

struct sqlite {
    sqlite3 *database;
    sqlite3_stmt *event;
    sqlite3_stmt *span;
    uint64_t serial; /* of the layout whose names are bound to `event`; 0: none are */
    char activity[40];
    char related[40];
    struct exchange_classes classes; /* data: unused */
    struct exchange_json json;
    struct export_print_output fields; /* in memory */
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

/* Inserts a row of values that were bound, and forgets them. */
static int run(struct sqlite *sqlite, sqlite3_stmt *statement)
{
    int err = error_of(sqlite, sqlite3_step(statement));

    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
    return err;
}

/* ---- values ---- */

/* Text of any bytes. Values that were not bound are NULL. */
static void bind_text(struct cairn_exporter *exporter, sqlite3_stmt *statement, int column,
                      struct cairn_slice text)
{
    struct export_print_output *out = &exporter->text;

    out->at = out->begin;
    exchange_put_text(exporter, out, text);
    (void)sqlite3_bind_text64(statement, column, out->begin, (uint64_t)(out->at - out->begin),
                              SQLITE_TRANSIENT, SQLITE_UTF8);
}

static void bind_string(struct cairn_exporter *exporter, sqlite3_stmt *statement, int column,
                        const char *text)
{
    if (text)
        bind_text(exporter, statement, column, (struct cairn_slice){text, (uint32_t)strlen(text)});
}

static void bind_number(sqlite3_stmt *statement, int column, uint64_t number)
{
    (void)sqlite3_bind_int64(statement, column, (sqlite3_int64)number);
}

/* `text` stays until the statement has run. */
static void bind_id_at(sqlite3_stmt *statement, int column, const uint8_t *id, char *text)
{
    if (id)
        (void)sqlite3_bind_text(statement, column, text, (int)(export_put_uuid(text, id) - text),
                                SQLITE_STATIC);
    else
        (void)sqlite3_bind_null(statement, column);
}

static void bind_id(sqlite3_stmt *statement, int column, const uint8_t *id)
{
    char text[40];

    if (id)
        (void)sqlite3_bind_text(statement, column, text, (int)(export_put_uuid(text, id) - text),
                                SQLITE_TRANSIENT);
}

static void bind_eventheader(struct cairn_exporter *exporter, sqlite3_stmt *statement,
                             const struct cairn_event_type *type)
{
    const char *level = export_level_name(type->level);
    const char *opcode = export_opcode_name(type->opcode);
    char keyword[20];

    (void)sqlite3_bind_text(statement, EVENT_KEYWORD, keyword,
                            (int)(export_put_hex(keyword, type->keyword) - keyword),
                            SQLITE_TRANSIENT);
    if (level)
        bind_string(exporter, statement, EVENT_LEVEL, level);
    else
        bind_number(statement, EVENT_LEVEL, type->level);
    if (type->opcode && opcode)
        bind_string(exporter, statement, EVENT_OPCODE, opcode);
    else if (type->opcode)
        bind_number(statement, EVENT_OPCODE, type->opcode);
}

/* Values that all events of a type have in common stay bound. */
static void bind_type(struct cairn_exporter *exporter, struct sqlite *sqlite,
                      const struct decode_layout *layout)
{
    if (sqlite->serial == layout->serial)
        return;
    sqlite->serial = layout->serial;
    (void)sqlite3_clear_bindings(sqlite->event);
    bind_text(exporter, sqlite->event, EVENT_PROVIDER, layout->type.provider);
    bind_text(exporter, sqlite->event, EVENT_NAME, layout->type.name);
    if (layout->type.is_eventheader)
        bind_eventheader(exporter, sqlite->event, &layout->type);
}

static void bind_number_if(sqlite3_stmt *statement, int column, bool is_known, uint64_t number)
{
    if (is_known)
        bind_number(statement, column, number);
    else
        (void)sqlite3_bind_null(statement, column);
}

static void bind_comm(struct cairn_exporter *exporter, sqlite3_stmt *statement, const char *comm)
{
    size_t length = comm ? strlen(comm) : 0;

    if (!comm)
        (void)sqlite3_bind_null(statement, EVENT_COMM);
    else if (exchange_is_plain(comm, length))
        (void)sqlite3_bind_text(statement, EVENT_COMM, comm, (int)length, SQLITE_STATIC);
    else
        bind_string(exporter, statement, EVENT_COMM, comm);
}

static void bind_sample(struct cairn_exporter *exporter, struct sqlite *sqlite,
                        const struct cairn_event *event)
{
    sqlite3_stmt *to = sqlite->event;

    bind_number_if(to, EVENT_TIME, event->has & CAIRN_EVENT_WALL, event->wall_ns);
    bind_number_if(to, EVENT_CLOCK, event->has & CAIRN_EVENT_TIME, event->time_ns);
    bind_number_if(to, EVENT_CPU, event->has & CAIRN_EVENT_CPU, event->cpu);
    bind_number_if(to, EVENT_PID, event->has & CAIRN_EVENT_TID, event->pid);
    bind_number_if(to, EVENT_TID, event->has & CAIRN_EVENT_TID, event->tid);
    bind_comm(exporter, to, event->comm);
    bind_id_at(to, EVENT_ACTIVITY, event->activity_id, sqlite->activity);
    bind_id_at(to, EVENT_RELATED, event->related_id, sqlite->related);
}

/* The fields as a JSON object. A NUL is escaped in it. */
static void bind_fields(struct cairn_exporter *exporter, struct sqlite *sqlite,
                        const struct cairn_event *event)
{
    struct export_print_output *out = &sqlite->fields;
    enum cairn_event_error error;
    char *begin;

    out->at = out->begin;
    export_output_byte(out, '{');
    error = exchange_json_fields(&sqlite->json, out, event);
    export_output_byte(out, '}');
    begin = out->begin;
    if (out->at - begin > 2) { /* the first member has a comma */
        begin++;
        *begin = '{';
    }
    (void)sqlite3_bind_text64(sqlite->event, EVENT_FIELDS, begin, (uint64_t)(out->at - begin),
                              SQLITE_STATIC, SQLITE_UTF8);
    (void)sqlite3_bind_null(sqlite->event, EVENT_ERROR);
    if (!error)
        return;
    exchange_note_damage(exporter);
    bind_string(exporter, sqlite->event, EVENT_ERROR, cairn_event_error_text(error));
}

/* ---- views ---- */

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

/* A column of a field. A path of JSON cannot have a quote in it. */
static void put_column(struct cairn_exporter *exporter, struct export_print_output *out,
                       struct cairn_slice name)
{
    struct export_print_output *text = &exporter->text;
    size_t length;

    text->at = text->begin;
    exchange_put_text(exporter, text, decode_name_without_attributes(name));
    length = (size_t)(text->at - text->begin);
    if (!length || memchr(text->begin, '"', length) || memchr(text->begin, '\\', length)) {
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

static void put_name(struct cairn_exporter *exporter, struct export_print_output *out, char quote,
                     struct cairn_slice name)
{
    struct export_print_output *text = &exporter->text;

    text->at = text->begin;
    exchange_put_text(exporter, text, name);
    put_quoted(out, quote, text->begin, (size_t)(text->at - text->begin));
}

/* Its columns are those of the first class of the name. */
static int create_view(struct cairn_exporter *exporter, struct sqlite *sqlite,
                       const struct decode_layout *layout)
{
    struct export_print_output *out = &sqlite->fields;
    struct export_print_output *text = &exporter->text;

    out->at = out->begin;
    export_output_string(out, "CREATE VIEW IF NOT EXISTS ");
    text->at = text->begin;
    exchange_put_event_name(exporter, text, &layout->type);
    put_quoted(out, '"', text->begin, (size_t)(text->at - text->begin));
    export_output_string(out, " AS SELECT id, time_ns, clock_ns, cpu, pid, tid, comm, activity");
    for (uint32_t n = 0; n < layout->field_count;) {
        const struct decode_layout_field *field = &layout->fields[n];

        if (field->kind == DECODE_LAYOUT_BROKEN)
            break;
        put_column(exporter, out, field->item.name);
        n = field->kind == DECODE_LAYOUT_STRUCT ? field->end : n + 1;
    }
    export_output_string(out, " FROM events WHERE provider = ");
    put_name(exporter, out, '\'', layout->type.provider);
    export_output_string(out, " AND event = ");
    put_name(exporter, out, '\'', layout->type.name);
    export_output_byte(out, 0);
    return out->error ? out->error : execute(sqlite, out->begin);
}

static int note_class(struct cairn_exporter *exporter, struct sqlite *sqlite,
                      const struct cairn_event *event)
{
    const struct decode_layout *layout = decode_layout_of(event->type);
    uint32_t known = sqlite->classes.count;
    struct exchange_class *class;
    int err = exchange_classes_of(&sqlite->classes, layout, &class);

    return err || class->number != known ? err : create_view(exporter, sqlite, layout);
}

/* ---- events ---- */

static int add_span(struct cairn_exporter *exporter, struct sqlite *sqlite,
                    const struct timeline_span *span, bool is_open)
{
    static const uint8_t none[TIMELINE_ID_BYTES];
    sqlite3_stmt *to = sqlite->span;

    bind_string(exporter, to, 1, span->name);
    bind_number(to, 2, span->start_ns);
    bind_number(to, 5, span->pid);
    bind_number(to, 6, span->tid);
    bind_number(to, 8, span->depth);
    bind_id(to, 9, span->id);
    bind_id(to, 10, memcmp(span->parent_id, none, sizeof(none)) != 0 ? span->parent_id : NULL);
    bind_number(to, 11, span->cookie);
    if (!is_open) {
        bind_number(to, 3, span->stop_ns);
        bind_number(to, 4, span->stop_ns - span->start_ns);
        bind_number(to, 7, span->stop_tid);
        bind_number(to, 12, exporter->counts.events);
    }
    return run(sqlite, to);
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
    sqlite3_stmt *to = sqlite->event;
    int err = note_class(exporter, sqlite, event);

    if (err)
        return err;
    bind_type(exporter, sqlite, decode_layout_of(event->type));
    bind_sample(exporter, sqlite, event);
    bind_fields(exporter, sqlite, event);
    if (sqlite->fields.error)
        return sqlite->fields.error;
    err = error_of(sqlite, sqlite3_step(to));
    (void)sqlite3_reset(to);
    return err ? err : pair_spans(exporter, sqlite, event);
}

/* ---- begin and end ---- */

static int prepare(struct sqlite *sqlite, const char *text, sqlite3_stmt **ret_statement)
{
    return error_of(sqlite, sqlite3_prepare_v2(sqlite->database, text, -1, ret_statement, NULL));
}

static int open_database(struct sqlite *sqlite, const char *path)
{
    int err = error_of(sqlite, sqlite3_open_v2(path, &sqlite->database,
                                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL));

    if (!err)
        err = execute(sqlite, schema);
    if (!err)
        err = prepare(sqlite, insert_event, &sqlite->event);
    return err ? err : prepare(sqlite, insert_span, &sqlite->span);
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
    err = exchange_json_open(&sqlite->json);
    if (!err)
        err = export_output_open(&sqlite->fields, -1);
    if (!err)
        err = timeline_spans_create(&sqlite->spans);
    return err ? err : open_database(sqlite, exporter->target.temporary);
}

static int close_database(struct sqlite *sqlite)
{
    int err;

    (void)sqlite3_finalize(sqlite->event);
    (void)sqlite3_finalize(sqlite->span);
    err = error_of(sqlite, sqlite3_close(sqlite->database));
    sqlite->event = sqlite->span = NULL;
    sqlite->database = NULL;
    return err;
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
        err = execute(sqlite, "CREATE INDEX events_time ON events (time_ns);"
                              "CREATE INDEX events_name ON events (provider, event); COMMIT;");
    return err ? err : close_database(sqlite);
}

static void destroy(struct cairn_exporter *exporter)
{
    struct sqlite *sqlite = (struct sqlite *)exporter->state;

    if (!sqlite)
        return;
    (void)close_database(sqlite);
    exchange_json_close(&sqlite->json);
    export_output_close(&sqlite->fields);
    exchange_classes_free(&sqlite->classes);
    timeline_spans_destroy(sqlite->spans);
    free(sqlite);
}

const struct exchange_format exchange_format_sqlite = {
    .begin = begin,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};
