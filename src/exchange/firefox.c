/* SPDX-License-Identifier: MIT */
/*
 * The processed format of the Firefox Profiler: one JSON document, in which
 * each thread has its markers by column. The columns are in a temporary file
 * until the end. Spans are markers with a duration. A marker's stack is its cause, and a sample.
 */
#include "exchange/classes.h"
#include "exchange/firefox_stacks.h"
#include "exchange/json.h"
#include "exchange/spool.h"
#include "exchange/threads.h"
#include "timeline/spans.h"

#include "export/number.h"
#include "export/utf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The version of the format: the profiler reads all older ones. */
#define FORMAT_VERSION 47u

enum column {
    COLUMN_NAME, /* an index in the thread's strings, which are the classes by
                    number */
    COLUMN_START,
    COLUMN_END,
    COLUMN_PHASE,
    COLUMN_DATA,
    COLUMN_COUNT,
};

/* Phases of markers. */
enum phase {
    PHASE_INSTANT = 0,
    PHASE_INTERVAL = 1,
    PHASE_INTERVAL_START = 2,
};

/* The data of a thread. */
struct firefox_thread {
    struct exchange_stream columns[COLUMN_COUNT];
    struct exchange_ff_stacks stacks;
    struct exchange_thread *thread;
    struct firefox_thread *next;
    uint64_t count;
};

/* The beginning of the data of a kind of events: a type, and the header as a text. */
struct firefox_class {
    uint32_t number;
    uint32_t length;
    bool has_header;
    char text[];
};

/* An open span: its cookie. */
struct firefox_open_span {
    struct firefox_thread *thread;
    uint32_t class;
    uint64_t start_ns;
    size_t data_bytes;
    char data[]; /* its marker's, without the bracket at the end */
};

struct firefox {
    struct cairn_exporter *exporter;
    struct exchange_classes classes; /* data: struct firefox_class */
    struct exchange_threads threads;
    struct exchange_json json;
    struct exchange_spool spool;
    struct timeline_spans *spans;
    struct export_print_output scratch; /* in memory */
    struct export_print_output schemas; /* in memory: an entry for each class */
    struct export_print_output names;   /* in memory: a string for each class */
    struct export_print_output joined;  /* in memory: the data of a marker */
    struct firefox_thread loose;        /* events without a thread */
    bool has_loose;
    struct firefox_thread *first;
    struct firefox_thread **end;
    uint64_t calls; /* of all threads' stacks */
    uint64_t first_ns;
    uint64_t first_wall_ns;
    bool has_events;
    size_t ended; /* open spans that were written at the end: a cursor */
    int error;
};

/* ---- classes ---- */

/* Members of a marker's data that are not fields. */
static const char *const reserved[] = {"type", "cairn", "stop", "cause", NULL};

static void write_key(struct export_print_output *out, const struct cairn_item_field *field)
{
    export_output_byte(out, ',');
    exchange_json_key(out, decode_name_without_attributes(field->name), reserved);
    export_output_byte(out, ':');
}

static void put_schema_field(struct export_print_output *out, struct cairn_slice name)
{
    export_output_string(out, ",{\"key\":");
    exchange_json_key(out, name, reserved);
    export_output_string(out, ",\"label\":");
    exchange_json_text(out, name);
    export_output_string(out, ",\"format\":\"string\",\"searchable\":true}");
}

/* The schema of a marker's data: `type` is "cairn-N". */
static void put_schema(struct export_print_output *out, const struct decode_layout *layout,
                       uint32_t number)
{
    export_output_string(out, number ? ",\n{\"name\":\"cairn-" : "{\"name\":\"cairn-");
    exchange_json_number(out, number);
    export_output_string(out, "\",\"display\":[\"marker-chart\",\"marker-table\"],"
                              "\"tooltipLabel\":");
    exchange_json_event_name(out, &layout->type);
    export_output_string(out, ",\"data\":[{\"key\":\"cairn\",\"label\":\"cairn\","
                              "\"format\":\"string\",\"searchable\":true}");
    for (uint32_t n = 0; n < layout->field_count;) {
        const struct decode_layout_field *field = &layout->fields[n];

        if (field->kind == DECODE_LAYOUT_BROKEN)
            break;
        put_schema_field(out, decode_name_without_attributes(field->item.name));
        n = field->kind == DECODE_LAYOUT_STRUCT ? field->end : n + 1;
    }
    export_output_string(out, ",{\"key\":\"stop\",\"label\":\"stop\",\"format\":\"string\"}]}");
}

/* The header is a text: a viewer prints no objects. */
static struct firefox_class *create_class(struct firefox *firefox,
                                          const struct cairn_event_type *type, uint32_t number)
{
    struct export_print_output *header = &firefox->scratch;
    struct export_print_output *out = &firefox->joined;
    struct firefox_class *class;

    header->at = header->begin;
    exchange_json_type(header, type);
    out->at = out->begin;
    export_output_string(out, "{\"type\":\"cairn-");
    exchange_json_number(out, number);
    export_output_string(out, "\",\"cairn\":\"");
    exchange_json_inside(out, header->begin, (size_t)(header->at - header->begin));
    if (out->error || header->error)
        return NULL;
    class = (struct firefox_class *)malloc(sizeof(*class) + (size_t)(out->at - out->begin));
    if (!class)
        return NULL;
    class->number = number;
    class->length = (uint32_t)(out->at - out->begin);
    class->has_header = header->at != header->begin;
    memcpy(class->text, out->begin, class->length);
    return class;
}

static int add_class(struct firefox *firefox, const struct decode_layout *layout,
                     struct exchange_class *class)
{
    class->data = create_class(firefox, &layout->type, class->number);
    if (!class->data)
        return ENOMEM;
    put_schema(&firefox->schemas, layout, class->number);
    if (class->number)
        export_output_byte(&firefox->names, ',');
    exchange_json_event_name(&firefox->names, &layout->type);
    return firefox->schemas.error ? firefox->schemas.error : firefox->names.error;
}

static int find_class(struct firefox *firefox, const struct cairn_event *event,
                      const struct firefox_class **ret_class)
{
    const struct decode_layout *layout = decode_layout_of(event->type);
    struct exchange_class *class;
    int err = exchange_classes_of(&firefox->classes, layout, &class);

    if (!err && !class->data)
        err = add_class(firefox, layout, class);
    if (!err)
        *ret_class = (const struct firefox_class *)class->data;
    return err;
}

/* ---- threads ---- */

static void add_thread(struct firefox *firefox, struct firefox_thread *thread)
{
    *firefox->end = thread;
    firefox->end = &thread->next;
}

static struct firefox_thread *loose_thread(struct firefox *firefox)
{
    exchange_note(firefox->exporter, CAIRN_EXPORTER_NO_THREAD);
    if (!firefox->has_loose)
        add_thread(firefox, &firefox->loose);
    firefox->has_loose = true;
    return &firefox->loose;
}

static struct firefox_thread *thread_of(struct firefox *firefox, struct exchange_thread *found)
{
    struct firefox_thread *thread;

    if (found->data)
        return (struct firefox_thread *)found->data;
    thread = (struct firefox_thread *)calloc(1, sizeof(*thread));
    if (!thread)
        return NULL;
    thread->thread = found;
    found->data = thread;
    add_thread(firefox, thread);
    return thread;
}

static struct firefox_thread *find_thread(struct firefox *firefox, const struct cairn_event *event)
{
    struct exchange_thread *found;

    if (!(event->has & CAIRN_EVENT_TID))
        return loose_thread(firefox);
    if (exchange_threads_of(&firefox->threads, event, &found))
        return NULL;
    return thread_of(firefox, found);
}

/* ---- markers ---- */

/* Appends a value to a column: text that begins with a comma, which the first value lacks. */
static int add_value(struct firefox *firefox, struct firefox_thread *thread, enum column column,
                     const char *text, const char *end)
{
    if (!thread->count)
        text++;
    return exchange_stream_add(&firefox->spool, &thread->columns[column], text,
                               (size_t)(end - text));
}

#define NUMBER_BYTES 32u

static int add_number(struct firefox *firefox, struct firefox_thread *thread, enum column column,
                      uint64_t number)
{
    char text[NUMBER_BYTES] = ",";

    return add_value(firefox, thread, column, text, export_put_unsigned(text + 1, number));
}

/* Milliseconds since the first event; 0: none. */
static int add_time(struct firefox *firefox, struct firefox_thread *thread, enum column column,
                    uint64_t ns)
{
    char text[NUMBER_BYTES] = ",null";
    char *end = text + 5;

    if (ns) {
        end = text + 1;
        if (ns < firefox->first_ns) /* a span that was open when its recorder began */
            *end++ = '-';
        ns = ns < firefox->first_ns ? firefox->first_ns - ns : ns - firefox->first_ns;
        end = export_put_unsigned(end, ns / 1000000);
        *end++ = '.';
        end = export_put_digits(end, ns % 1000000, 6);
    }
    return add_value(firefox, thread, column, text, end);
}

static int add_data(struct firefox *firefox, struct firefox_thread *thread, const char *data,
                    size_t size_bytes)
{
    struct exchange_stream *stream = &thread->columns[COLUMN_DATA];
    int err = thread->count ? exchange_stream_add(&firefox->spool, stream, ",", 1) : 0;

    if (!err)
        err = exchange_stream_add(&firefox->spool, stream, data, size_bytes);
    return err ? err : exchange_stream_add(&firefox->spool, stream, "}", 1);
}

struct marker {
    struct firefox_thread *thread;
    uint32_t class;
    enum phase phase;
    uint64_t start_ns;
    uint64_t stop_ns; /* 0: none */
    const char *data;
    size_t data_bytes;
};

static int add_marker(struct firefox *firefox, const struct marker *marker)
{
    struct firefox_thread *thread = marker->thread;
    int err = add_number(firefox, thread, COLUMN_NAME, marker->class);

    if (!err)
        err = add_number(firefox, thread, COLUMN_PHASE, marker->phase);
    if (!err)
        err = add_time(firefox, thread, COLUMN_START, marker->start_ns);
    if (!err)
        err = add_time(firefox, thread, COLUMN_END, marker->stop_ns);
    if (!err)
        err = add_data(firefox, thread, marker->data, marker->data_bytes);
    thread->count++;
    return err;
}

/* ---- stacks ---- */

/* Adds the cause of a marker to its data, and a sample. */
static int add_stack(struct firefox *firefox, const struct cairn_event *event,
                     struct firefox_thread *thread)
{
    struct export_print_output *scratch = &firefox->scratch;
    struct export_print_output *out = &firefox->exporter->text;
    struct timeline_calls *calls = &thread->stacks.calls;
    uint32_t call = 0;
    int err;

    if (firefox->calls >= TIMELINE_CALLS_MAX) {
        exchange_note(firefox->exporter, CAIRN_EXPORTER_STACKS_CUT);
        return 0;
    }
    firefox->calls -= calls->call_count;
    err = timeline_calls_enter_all(calls, event, &call);
    firefox->calls += calls->call_count;
    if (err || !call)
        return err;
    scratch->at = scratch->begin;
    exchange_json_decimal(scratch, firefox->exporter->last_ns - firefox->first_ns, 6);
    export_output_string(out, ",\"cause\":{\"time\":");
    export_output_bytes(out, scratch->begin, (size_t)(scratch->at - scratch->begin));
    export_output_string(out, ",\"stack\":");
    exchange_json_number(out, call - 1);
    export_output_byte(out, '}');
    return exchange_ff_stacks_add(
        &thread->stacks, &firefox->spool, call,
        (struct cairn_slice){scratch->begin, (uint32_t)(scratch->at - scratch->begin)});
}

/* ---- data ---- */

static void put_data(struct firefox *firefox, const struct cairn_event *event,
                     const struct firefox_class *class)
{
    struct export_print_output *header = &firefox->scratch;
    struct export_print_output *out = &firefox->exporter->text;
    enum cairn_event_error error;

    header->at = header->begin;
    exchange_json_sample(header, event, class->has_header);
    out->at = out->begin;
    export_output_bytes(out, class->text, class->length);
    exchange_json_inside(out, header->begin, (size_t)(header->at - header->begin));
    export_output_byte(out, '"');
    error = exchange_json_fields(&firefox->json, out, event);
    if (!error)
        return;
    exchange_note_damage(firefox->exporter);
    export_output_string(out, ",\"cairn.error\":");
    exchange_json_string(out, cairn_event_error_text(error));
}

/* ---- spans ---- */

/* Finds the thread and the time of a span's start: one that was open when its recorder began
 * started before the event, and perhaps in another thread. NULL: no memory. */
static struct firefox_thread *find_start(struct firefox *firefox, const struct cairn_event *event,
                                         struct firefox_thread *thread, uint64_t *ret_start_ns)
{
    struct exchange_thread *found;
    uint32_t tid;

    *ret_start_ns = timeline_start_of(event, firefox->exporter->last_ns, &tid);
    if (!(event->has & CAIRN_EVENT_TID) || tid == event->tid)
        return thread;
    if (exchange_threads_find(&firefox->threads, event->pid, tid, &found))
        return NULL;
    return thread_of(firefox, found);
}

static struct firefox_open_span *create_open(struct firefox *firefox,
                                             const struct cairn_event *event,
                                             struct firefox_thread *thread, uint32_t class)
{
    uint64_t start_ns;
    const struct export_print_output *text = &firefox->exporter->text;
    size_t size_bytes = (size_t)(text->at - text->begin);
    struct firefox_open_span *open = (struct firefox_open_span *)malloc(sizeof(*open) + size_bytes);

    thread = open ? find_start(firefox, event, thread, &start_ns) : NULL;
    if (!thread) {
        free(open);
        return NULL;
    }
    *open = (struct firefox_open_span){thread, class, start_ns, size_bytes};
    memcpy(open->data, text->begin, size_bytes);
    return open;
}

/* Adds the stop's data, as a text, to that of the start. */
static void join_data(struct firefox *firefox, const struct firefox_open_span *open)
{
    const struct export_print_output *text = &firefox->exporter->text;
    struct export_print_output *out = &firefox->joined;

    out->at = out->begin;
    export_output_bytes(out, open->data, open->data_bytes);
    export_output_string(out, ",\"stop\":\"");
    exchange_json_inside(out, text->begin, (size_t)(text->at - text->begin));
    export_output_string(out, "}\"");
}

/* A span that ends, with the stop's data; or one that does not, without. */
static int end_span(struct firefox *firefox, struct firefox_open_span *open, bool is_finished)
{
    const struct export_print_output *joined = &firefox->joined;
    struct marker marker = {
        .thread = open->thread,
        .class = open->class,
        .phase = is_finished ? PHASE_INTERVAL : PHASE_INTERVAL_START,
        .start_ns = open->start_ns,
        .stop_ns = is_finished ? firefox->exporter->last_ns : 0,
        .data = open->data,
        .data_bytes = open->data_bytes,
    };
    int err;

    if (is_finished) {
        join_data(firefox, open);
        marker.data = joined->begin;
        marker.data_bytes = (size_t)(joined->at - joined->begin);
    }
    err = joined->error ? joined->error : add_marker(firefox, &marker);
    free(open);
    return err;
}

static void forget(void *context, const struct timeline_span *span)
{
    struct firefox *firefox = (struct firefox *)context;
    int err = end_span(firefox, (struct firefox_open_span *)(uintptr_t)span->cookie, false);

    exchange_note(firefox->exporter, CAIRN_EXPORTER_UNFINISHED);
    if (!firefox->error)
        firefox->error = err;
}

/* ---- events ---- */

static int add_instant(struct firefox *firefox, struct firefox_thread *thread, uint32_t class)
{
    const struct export_print_output *text = &firefox->exporter->text;
    const struct marker marker = {
        .thread = thread,
        .class = class,
        .phase = PHASE_INSTANT,
        .start_ns = firefox->exporter->last_ns,
        .data = text->begin,
        .data_bytes = (size_t)(text->at - text->begin),
    };

    return text->error ? text->error : add_marker(firefox, &marker);
}

static int pair(struct firefox *firefox, const struct cairn_event *event,
                struct firefox_thread *thread, uint32_t class)
{
    bool is_start = event->activity_id && event->type->opcode == CAIRN_OPCODE_ACTIVITY_START;
    struct firefox_open_span *open = is_start ? create_open(firefox, event, thread, class) : NULL;
    const struct timeline_span *span;
    enum timeline_change change;
    int err = is_start && !open ? ENOMEM : 0;

    if (!err)
        err = timeline_spans_event(firefox->spans, event, (uintptr_t)open, &change, &span);
    if (err || change != TIMELINE_SPAN_STARTED)
        free(open);
    if (!err)
        err = firefox->error;
    if (err || change == TIMELINE_SPAN_STARTED)
        return err;
    if (change == TIMELINE_SPAN_STOPPED) {
        exchange_note_stop(firefox->exporter, span);
        return end_span(firefox, (struct firefox_open_span *)(uintptr_t)span->cookie, true);
    }
    if (change == TIMELINE_SPAN_STOP_ALONE)
        exchange_note(firefox->exporter, CAIRN_EXPORTER_STOPS_ALONE);
    return add_instant(firefox, thread, class);
}

/* The document's time begins just before the first event: a start of 0 would be none. */
static void begin_time(struct firefox *firefox, const struct cairn_event *event, uint64_t now_ns)
{
    uint32_t tid;
    uint64_t first_ns = timeline_start_of(event, now_ns, &tid);

    firefox->has_events = true;
    firefox->first_ns = first_ns ? first_ns - 1 : 0;
    firefox->first_wall_ns =
        event->has & CAIRN_EVENT_WALL ? event->wall_ns - (now_ns - first_ns) : 0;
}

static int add_event(struct cairn_exporter *exporter, const struct cairn_event *event)
{
    struct firefox *firefox = (struct firefox *)exporter->state;
    uint64_t now_ns = exchange_time_of(exporter, event);
    const struct firefox_class *class;
    struct firefox_thread *thread;
    int err = find_class(firefox, event, &class);

    if (err)
        return err;
    if (!firefox->has_events)
        begin_time(firefox, event, now_ns);
    thread = find_thread(firefox, event);
    if (!thread)
        return ENOMEM;
    put_data(firefox, event, class);
    if (event->stack)
        err = add_stack(firefox, event, thread);
    return err ? err : pair(firefox, event, thread, class->number);
}

/* ---- the document ---- */

static const char head[] = "{\"meta\":{\"interval\":1,\"processType\":0,\"product\":\"cairn\","
                           "\"stackwalk\":0,\"debug\":false,\"version\":29,\"symbolicated\":true,"
                           "\"categories\":[{\"name\":\"Other\",\"color\":\"grey\","
                           "\"subcategories\":[\"Other\"]}],\"preprocessedProfileVersion\":";

static int write_column(struct firefox *firefox, const struct firefox_thread *thread,
                        const char *name, enum column column)
{
    struct export_print_output *out = &firefox->exporter->out;
    int err;

    export_output_string(out, ",\"");
    export_output_string(out, name);
    export_output_string(out, "\":[");
    err = exchange_stream_copy(&firefox->spool, &thread->columns[column], out);
    export_output_byte(out, ']');
    return err;
}

static void write_thread_head(struct firefox *firefox, const struct firefox_thread *thread)
{
    struct export_print_output *out = &firefox->exporter->out;
    const struct exchange_thread *ids = thread->thread;
    bool is_main = ids && ids->pid == ids->tid;

    export_output_string(out, "{\"processType\":\"default\",\"processStartupTime\":0,"
                              "\"processShutdownTime\":null,\"registerTime\":0,"
                              "\"unregisterTime\":null,\"pausedRanges\":[],\"isMainThread\":");
    export_output_string(out, is_main ? "true" : "false");
    export_output_string(out, ",\"name\":");
    exchange_json_string(out, ids ? ids->comm : "events without a thread");
    export_output_string(out, ",\"pid\":\"");
    exchange_json_task(out, ids ? ids->pid : 0);
    export_output_string(out, "\",\"tid\":");
    exchange_json_task(out, ids ? ids->tid : 0);
    export_output_string(out, ",\n");
}

static int write_thread(struct firefox *firefox, struct firefox_thread *thread)
{
    static const char *const names[COLUMN_COUNT] = {"name", "startTime", "endTime", "phase",
                                                    "data"};
    struct export_print_output *out = &firefox->exporter->out;
    int err;

    write_thread_head(firefox, thread);
    err = exchange_ff_stacks_write(&thread->stacks, &firefox->spool, firefox->exporter,
                                   firefox->classes.count);
    export_output_string(out, "\"stringArray\":[");
    export_output_bytes(out, firefox->names.begin,
                        (size_t)(firefox->names.at - firefox->names.begin));
    exchange_ff_stacks_write_strings(&thread->stacks, firefox->exporter, firefox->classes.count);
    firefox->exporter->counts.notes[CAIRN_EXPORTER_STACKS_CUT] += thread->stacks.calls.cut;
    export_output_string(out, "],\n\"markers\":{\"length\":");
    exchange_json_number(out, thread->count);
    export_output_string(out, ",\"category\":[");
    for (uint64_t n = 0; n < thread->count; n++)
        export_output_string(out, n ? ",0" : "0");
    export_output_byte(out, ']');
    for (int column = 0; column < COLUMN_COUNT && !err; column++)
        err = write_column(firefox, thread, names[column], (enum column)column);
    export_output_string(out, "}}");
    return err;
}

static int write_document(struct firefox *firefox)
{
    struct export_print_output *out = &firefox->exporter->out;
    int err = 0;

    export_output_string(out, head);
    exchange_json_number(out, FORMAT_VERSION);
    export_output_string(out, ",\"startTime\":");
    exchange_json_decimal(out, firefox->first_wall_ns, 6);
    export_output_string(out, ",\n\"markerSchema\":[");
    export_output_bytes(out, firefox->schemas.begin,
                        (size_t)(firefox->schemas.at - firefox->schemas.begin));
    export_output_string(out, "]},\n\"libs\":[],\"threads\":[\n");
    for (struct firefox_thread *thread = firefox->first; thread && !err; thread = thread->next) {
        if (thread != firefox->first)
            export_output_string(out, ",\n");
        err = write_thread(firefox, thread);
    }
    export_output_string(out, "]}\n");
    return err;
}

/* ---- begin and end ---- */

static int begin(struct cairn_exporter *exporter)
{
    struct firefox *firefox = (struct firefox *)calloc(1, sizeof(*firefox));
    int err;

    if (!firefox)
        return ENOMEM;
    exporter->state = firefox;
    firefox->exporter = exporter;
    firefox->end = &firefox->first;
    err = exchange_spool_open(&firefox->spool);
    if (!err)
        err = exchange_json_open(&firefox->json);
    if (!err)
        exchange_json_set_key(&firefox->json, write_key);
    if (!err)
        err = export_output_open(&firefox->scratch, -1);
    if (!err)
        err = export_output_open(&firefox->schemas, -1);
    if (!err)
        err = export_output_open(&firefox->names, -1);
    if (!err)
        err = export_output_open(&firefox->joined, -1);
    if (!err)
        err = timeline_spans_create(&firefox->spans);
    if (!err)
        timeline_spans_set_forget(firefox->spans, forget, firefox);
    return err;
}

static int finish(struct cairn_exporter *exporter)
{
    struct firefox *firefox = (struct firefox *)exporter->state;
    const struct timeline_span *span;
    int err = 0;

    exporter->counts.notes[CAIRN_EXPORTER_UNFINISHED] +=
        timeline_spans_counts(firefox->spans)->open;
    while (!err && (span = timeline_spans_open(firefox->spans, &firefox->ended)))
        err = end_span(firefox, (struct firefox_open_span *)(uintptr_t)span->cookie, false);
    return err ? err : write_document(firefox);
}

static void destroy(struct cairn_exporter *exporter)
{
    struct firefox *firefox = (struct firefox *)exporter->state;
    const struct timeline_span *span;

    if (!firefox)
        return;
    while (firefox->spans && (span = timeline_spans_open(firefox->spans, &firefox->ended)))
        free((struct firefox_open_span *)(uintptr_t)span->cookie);
    timeline_spans_destroy(firefox->spans);
    for (struct firefox_thread *thread = firefox->first; thread; thread = thread->next) {
        for (int column = 0; column < COLUMN_COUNT; column++)
            exchange_stream_free(&thread->columns[column]);
        exchange_ff_stacks_free(&thread->stacks);
    }
    exchange_threads_free(&firefox->threads);
    exchange_classes_free(&firefox->classes);
    exchange_json_close(&firefox->json);
    exchange_spool_close(&firefox->spool);
    export_output_close(&firefox->scratch);
    export_output_close(&firefox->schemas);
    export_output_close(&firefox->names);
    export_output_close(&firefox->joined);
    free(firefox);
}

const struct exchange_format exchange_format_firefox = {
    .has_stacks = true,
    .begin = begin,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};
