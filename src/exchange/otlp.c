/* SPDX-License-Identifier: MIT */
/*
 * OpenTelemetry's protocol: activities are spans, other events are log records of the span that
 * they belong to.
 *
 * The facade's events have the ids of OpenTelemetry as fields. For other activities the trace is
 * that of the outermost activity, by its id, and the span's id is made of the activity's.
 */
#include "exchange/otlp.h"

#include "export/number.h"
#include "timeline/spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As the facade: later links are left out. */
#define LINKS_MAX 128u

/* Tags of Span, LogRecord and Link. */
#define SPAN_TRACE   0x0a
#define SPAN_SPAN    0x12
#define SPAN_PARENT  0x22
#define SPAN_START   0x39
#define SPAN_END     0x41
#define SPAN_LINK    0x6a
#define LOG_TIME     0x09
#define LOG_TRACE    0x4a
#define LOG_SPAN     0x52
#define LOG_OBSERVED 0x59
#define LINK_TRACE   0x0a
#define LINK_SPAN    0x12

/* An open span: its cookie. The start's part of the message is encoded. */
struct otlp_open_span {
    uint8_t trace[16];
    uint8_t span[8];
    uint32_t link_count;
    uint8_t (*links)[24]; /* trace, span */
    bool has_pid;
    uint32_t pid;
    char comm[16];
    uint64_t start_ns;
    size_t provider_bytes;
    size_t keys_bytes;
    size_t start_bytes;
    char memory[]; /* the provider, the keys of the start's attributes, the start */
};

struct otlp {
    struct cairn_exporter *exporter;
    struct timeline_spans *spans;
    struct exchange_otlp_coder coder;
    struct exchange_otlp_batch batches[2]; /* by enum exchange_otlp_kind */
    struct exchange_otlp_http *http;       /* NULL: to files */
    struct export_print_output body;       /* in memory: a request */
    struct export_print_output start;      /* in memory: the start of a span */
    struct export_print_output keys;       /* in memory: of its attributes */
    int fds[2];                            /* of files of protobuf, by kind; -1: none */
    size_t ended;                          /* open spans that were ended at the end: a cursor */
    int error;
};

/* ---- sending ---- */

static int write_all(int fd, const void *data, size_t size_bytes)
{
    const char *at = (const char *)data;

    while (size_bytes) {
        ssize_t n = write(fd, at, size_bytes);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        at += n;
        size_bytes -= (size_t)n;
    }
    return 0;
}

/* A file of protobuf: the size in four bytes, the first one the highest, before each request. */
static int write_frame(const struct otlp *otlp, int fd)
{
    size_t size_bytes = exchange_otlp_position(&otlp->body);
    const uint8_t head[4] = {(uint8_t)(size_bytes >> 24), (uint8_t)(size_bytes >> 16),
                             (uint8_t)(size_bytes >> 8), (uint8_t)size_bytes};
    int err = write_all(fd, head, sizeof(head));

    return err ? err : write_all(fd, otlp->body.begin, size_bytes);
}

static int send_by_http(struct otlp *otlp, enum exchange_otlp_kind kind, uint32_t count)
{
    struct cairn_exporter *exporter = otlp->exporter;
    struct exchange_otlp_result result;
    int err = exchange_otlp_http_send(otlp->http, kind, otlp->body.begin,
                                      exchange_otlp_position(&otlp->body), &result);

    if (err)
        return err;
    if (!result.is_delivered)
        exporter->counts.notes[CAIRN_EXPORTER_UNDELIVERED] += count;
    exporter->counts.notes[CAIRN_EXPORTER_REJECTED] += result.rejected;
    if (*result.problem && !*exporter->problem)
        memcpy(exporter->problem, result.problem, sizeof(exporter->problem));
    return 0;
}

static int flush_batch(struct otlp *otlp, enum exchange_otlp_kind kind)
{
    struct exchange_otlp_batch *batch = &otlp->batches[kind];
    struct export_print_output *out = &otlp->exporter->out;
    uint32_t count = batch->count;

    if (batch->out.error)
        return batch->out.error;
    if (!count)
        return 0;
    if (otlp->coder.is_json && !otlp->http) { /* a line of a file */
        exchange_otlp_batch_write(batch, out);
        export_output_byte(out, '\n');
        return out->error;
    }
    otlp->body.at = otlp->body.begin;
    exchange_otlp_batch_write(batch, &otlp->body);
    if (otlp->body.error)
        return otlp->body.error;
    return otlp->http ? send_by_http(otlp, kind, count) : write_frame(otlp, otlp->fds[kind]);
}

static const char *hostname_of(const struct cairn_exporter *exporter)
{
    const struct cairn_perf_file *file =
        exporter->reader ? cairn_reader_file(exporter->reader) : NULL;

    return file ? cairn_perf_file_host(file)->hostname : NULL;
}

/* Adds the item that was written to the batch. */
static int add_item(struct otlp *otlp, enum exchange_otlp_kind kind,
                    const struct exchange_otlp_origin *origin)
{
    struct exchange_otlp_batch *batch = &otlp->batches[kind];

    exchange_otlp_batch_add(batch, origin, hostname_of(otlp->exporter));
    if (batch->out.error || batch->heads.error)
        return ENOMEM;
    return exchange_otlp_batch_is_full(batch) ? flush_batch(otlp, kind) : 0;
}

/* ---- members ---- */

/* Adds bytes as an id: hexadecimal in JSON. `name` begins with a separator. */
static void put_id(const struct otlp *otlp, struct export_print_output *out, const char *name,
                   uint8_t tag, const uint8_t *id, uint8_t size_bytes)
{
    char *to;

    if (!otlp->coder.is_json) {
        to = export_output_reserve(out, 2u + size_bytes);
        *to++ = (char)tag;
        *to++ = (char)size_bytes;
        out->at = (char *)mempcpy(to, id, size_bytes);
        return;
    }
    export_output_string(out, name);
    to = export_output_reserve(out, 2u + 2u * size_bytes);
    *to++ = '"';
    for (uint8_t n = 0; n < size_bytes; n++)
        to = export_put_hex_byte(to, id[n]);
    *to++ = '"';
    out->at = to;
}

static void put_time(const struct otlp *otlp, struct export_print_output *out, const char *name,
                     uint8_t tag, uint64_t ns)
{
    char *to;

    if (otlp->coder.is_json)
        export_output_string(out, name);
    to = export_output_reserve(out, 24);
    if (otlp->coder.is_json) {
        *to++ = '"';
        to = export_put_unsigned(to, ns);
        *to++ = '"';
    } else {
        *to++ = (char)tag;
        for (unsigned n = 0; n < sizeof(ns); n++)
            *to++ = (char)(ns >> (8 * n));
    }
    out->at = to;
}

/* ---- ids ---- */

static struct otlp_open_span *find_open(const struct otlp *otlp, const uint8_t *id)
{
    const struct timeline_span *span = id ? timeline_spans_find(otlp->spans, id) : NULL;

    return span ? (struct otlp_open_span *)(uintptr_t)span->cookie : NULL;
}

/* The span id of an activity that does not have one as a field. */
static void make_span_id(const uint8_t *activity, uint8_t span[8])
{
    uint64_t halves[2];
    uint64_t hash;

    memcpy(halves, activity, sizeof(halves));
    hash = (halves[0] ^ halves[1] * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu | 1;
    memcpy(span, &hash, sizeof(hash));
}

/* A trace's id is not zero. */
static void make_trace_id(const uint8_t *activity, uint8_t trace[16])
{
    static const uint8_t zeros[16];

    memcpy(trace, activity, 16);
    if (!memcmp(trace, zeros, sizeof(zeros)))
        trace[15] = 1;
}

/* Completes the ids of an event that has an activity. */
static void complete_ids(const struct otlp *otlp, const struct cairn_event *event,
                         struct exchange_otlp_ids *ids)
{
    const struct otlp_open_span *parent = find_open(otlp, event->related_id);
    const uint8_t *root = event->related_id ? event->related_id : event->activity_id;

    if (!ids->has_span)
        make_span_id(event->activity_id, ids->span);
    if (!ids->has_trace && parent)
        memcpy(ids->trace, parent->trace, sizeof(ids->trace));
    else if (!ids->has_trace)
        make_trace_id(root, ids->trace);
    if (ids->has_parent)
        return;
    ids->has_parent = event->related_id != NULL;
    if (parent)
        memcpy(ids->parent, parent->span, sizeof(ids->parent));
    else if (event->related_id)
        make_span_id(event->related_id, ids->parent);
}

static struct exchange_otlp_origin origin_of(const struct cairn_event *event)
{
    return (struct exchange_otlp_origin){
        .has_pid = event->has & CAIRN_EVENT_TID,
        .pid = event->has & CAIRN_EVENT_TID ? event->pid : 0,
        .comm = event->comm,
        .provider = event->type->provider,
    };
}

/* ---- spans ---- */

static void free_open(struct otlp_open_span *open)
{
    if (!open)
        return;
    free((void *)open->links);
    free(open);
}

/* Copies what was encoded of a span: the ids are in `body`, the attributes in `start`. */
static struct otlp_open_span *create_open(const struct otlp *otlp, const struct cairn_event *event,
                                          const struct exchange_otlp_ids *ids)
{
    struct cairn_slice provider = event->type->provider;
    size_t ids_bytes = exchange_otlp_position(&otlp->body);
    size_t start_bytes = exchange_otlp_position(&otlp->start);
    size_t keys_bytes = exchange_otlp_position(&otlp->keys);
    struct otlp_open_span *open = (struct otlp_open_span *)calloc(
        1, sizeof(*open) + provider.length + keys_bytes + ids_bytes + start_bytes);
    char *to;

    if (!open)
        return NULL;
    memcpy(open->trace, ids->trace, sizeof(open->trace));
    memcpy(open->span, ids->span, sizeof(open->span));
    open->has_pid = event->has & CAIRN_EVENT_TID;
    open->pid = open->has_pid ? event->pid : 0;
    if (event->comm)
        memcpy(open->comm, event->comm, strnlen(event->comm, sizeof(open->comm) - 1));
    open->provider_bytes = provider.length;
    open->keys_bytes = keys_bytes;
    open->start_bytes = ids_bytes + start_bytes;
    to = open->memory;
    if (provider.length)
        to = (char *)mempcpy(to, provider.text, provider.length);
    to = (char *)mempcpy(to, otlp->keys.begin, keys_bytes);
    to = (char *)mempcpy(to, otlp->body.begin, ids_bytes);
    memcpy(to, otlp->start.begin, start_bytes);
    return open;
}

static void put_link(const struct otlp *otlp, struct export_print_output *out,
                     const uint8_t link[24])
{
    size_t begin;

    if (otlp->coder.is_json)
        export_output_byte(out, ',');
    begin = exchange_otlp_position(out);
    put_id(otlp, out, "{\"traceId\":", LINK_TRACE, link, 16);
    put_id(otlp, out, ",\"spanId\":", LINK_SPAN, link + 16, 8);
    if (otlp->coder.is_json)
        export_output_byte(out, '}');
    else
        exchange_otlp_wrap(out, begin, SPAN_LINK);
}

static void put_links(const struct otlp *otlp, struct export_print_output *out,
                      const struct otlp_open_span *open)
{
    static const char name[] = ",\"links\":";
    size_t list = exchange_otlp_begin_list(&otlp->coder, out, name);

    for (uint32_t n = 0; n < open->link_count; n++)
        put_link(otlp, out, open->links[n]);
    exchange_otlp_end_list(&otlp->coder, out, name, list);
}

/* Begins a span's message with what was stored of it: in JSON up to the last attribute of the
 * start, which has some. */
static struct export_print_output *begin_end(struct otlp *otlp, const struct otlp_open_span *open)
{
    struct export_print_output *out = &otlp->batches[EXCHANGE_OTLP_SPANS].out;

    export_output_bytes(out, open->memory + open->provider_bytes + open->keys_bytes,
                        open->start_bytes);
    return out;
}

/* Adds a span that ends, after its last attribute, and frees what was stored of it. */
static int end_span(struct otlp *otlp, struct otlp_open_span *open, uint64_t stop_ns)
{
    struct export_print_output *out = &otlp->batches[EXCHANGE_OTLP_SPANS].out;
    const struct exchange_otlp_origin origin = {
        open->has_pid,
        open->pid,
        *open->comm ? open->comm : NULL,
        {open->memory, (uint32_t)open->provider_bytes},
    };
    int err;

    put_time(otlp, out, "],\"endTimeUnixNano\":", SPAN_END, stop_ns);
    put_links(otlp, out, open);
    if (otlp->coder.is_json)
        export_output_byte(out, '}');
    err = add_item(otlp, EXCHANGE_OTLP_SPANS, &origin);
    free_open(open);
    return err;
}

/* A span that does not end, or whose end will not be known: it ends now. */
static int end_unfinished(struct otlp *otlp, struct otlp_open_span *open)
{
    exchange_note(otlp->exporter, CAIRN_EXPORTER_UNFINISHED);
    exchange_otlp_add_flag(&otlp->coder, begin_end(otlp, open), EXCHANGE_OTLP_IN_SPAN,
                           EXCHANGE_OTLP_NAME_UNFINISHED);
    return end_span(otlp, open, otlp->exporter->last_ns);
}

static void forget(void *context, const struct timeline_span *span)
{
    struct otlp *otlp = (struct otlp *)context;
    int err = end_unfinished(otlp, (struct otlp_open_span *)(uintptr_t)span->cookie);

    if (!otlp->error)
        otlp->error = err;
}

/* Encodes the part of a span that its start has. */
static void put_start(struct otlp *otlp, const struct cairn_event *event,
                      const struct exchange_otlp_texts *texts, struct exchange_otlp_ids *ret_ids)
{
    static const char name[] = "\"attributes\":";
    struct export_print_output *out = &otlp->start;
    size_t list;

    out->at = out->begin;
    otlp->keys.at = otlp->keys.begin;
    if (otlp->coder.is_json)
        export_output_byte(out, '{');
    list = exchange_otlp_begin_list(&otlp->coder, out, name);
    exchange_otlp_add_fields(&otlp->coder, out, EXCHANGE_OTLP_SPANS, event, texts, NULL,
                             &otlp->keys, ret_ids);
    exchange_otlp_add_header(&otlp->coder, out, EXCHANGE_OTLP_SPANS, event, texts, &otlp->keys);
    if (otlp->coder.is_json && !out->error)
        out->begin[list] = '[';
}

/* Encodes what comes before: the ids are known after the fields. */
static void put_ids(struct otlp *otlp, const struct exchange_otlp_texts *texts,
                    const struct exchange_otlp_ids *ids, uint64_t start_ns,
                    struct export_print_output *out)
{
    put_id(otlp, out, "{\"traceId\":", SPAN_TRACE, ids->trace, sizeof(ids->trace));
    put_id(otlp, out, ",\"spanId\":", SPAN_SPAN, ids->span, sizeof(ids->span));
    if (ids->has_parent)
        put_id(otlp, out, ",\"parentSpanId\":", SPAN_PARENT, ids->parent, sizeof(ids->parent));
    export_output_bytes(out, texts->head.text, texts->head.length);
    put_time(otlp, out, ",\"startTimeUnixNano\":", SPAN_START, start_ns);
}

/* Returns the span that an event begins; NULL: no memory. */
static struct otlp_open_span *begin_span(struct otlp *otlp, const struct cairn_event *event)
{
    const struct exchange_otlp_texts *texts =
        exchange_otlp_texts_of(&otlp->coder, EXCHANGE_OTLP_SPANS, decode_layout_of(event->type));
    struct export_print_output *ids_out = &otlp->body; /* free between two requests */
    struct exchange_otlp_ids ids;
    struct otlp_open_span *open;
    uint64_t start_ns;
    uint32_t tid;

    if (!texts)
        return NULL;
    start_ns = timeline_start_of(event, otlp->exporter->last_ns, &tid);
    put_start(otlp, event, texts, &ids);
    complete_ids(otlp, event, &ids);
    ids_out->at = ids_out->begin;
    put_ids(otlp, texts, &ids, start_ns, ids_out);
    if (otlp->start.error || otlp->keys.error || ids_out->error)
        return NULL;
    if (otlp->coder.is_json)
        *otlp->start.begin = ',';
    open = create_open(otlp, event, &ids);
    if (open)
        open->start_ns = start_ns;
    return open;
}

static int stop_span(struct otlp *otlp, const struct cairn_event *event,
                     const struct timeline_span *span)
{
    struct otlp_open_span *open = (struct otlp_open_span *)(uintptr_t)span->cookie;
    const struct exchange_otlp_texts *texts =
        exchange_otlp_texts_of(&otlp->coder, EXCHANGE_OTLP_SPANS, decode_layout_of(event->type));
    const struct exchange_otlp_keys taken = {open->memory + open->provider_bytes, open->keys_bytes};
    struct exchange_otlp_ids ids;

    exchange_note_stop(otlp->exporter, span);
    if (!texts) {
        free_open(open);
        return ENOMEM;
    }
    exchange_otlp_add_fields(&otlp->coder, begin_end(otlp, open), EXCHANGE_OTLP_SPANS, event, texts,
                             &taken, NULL, &ids);
    return end_span(otlp, open, open->start_ns + (span->stop_ns - span->start.ns));
}

/* ---- links ---- */

/* True: the event is the facade's for a link, and its span has it. */
static bool add_link(const struct otlp *otlp, const struct cairn_event *event,
                     const struct exchange_otlp_ids *ids)
{
    struct otlp_open_span *open = ids->has_link ? find_open(otlp, event->activity_id) : NULL;
    void *bigger;

    if (!open || open->link_count == LINKS_MAX)
        return false;
    bigger = realloc((void *)open->links, (open->link_count + 1) * sizeof(*open->links));
    if (!bigger)
        return false;
    open->links = (uint8_t(*)[24])bigger;
    memcpy(open->links[open->link_count], ids->link_trace, 16);
    memcpy(open->links[open->link_count++] + 16, ids->link_span, 8);
    return true;
}

/* ---- log records ---- */

/* A record belongs to the span of its activity, whether that is open or not. */
static void put_span_of(const struct otlp *otlp, const struct cairn_event *event,
                        struct exchange_otlp_ids *ids, struct export_print_output *out)
{
    const struct otlp_open_span *open = find_open(otlp, event->activity_id);

    if (!event->activity_id)
        return;
    if (open) {
        memcpy(ids->trace, open->trace, sizeof(ids->trace));
        memcpy(ids->span, open->span, sizeof(ids->span));
    } else {
        complete_ids(otlp, event, ids);
    }
    put_id(otlp, out, ",\"traceId\":", LOG_TRACE, ids->trace, sizeof(ids->trace));
    put_id(otlp, out, ",\"spanId\":", LOG_SPAN, ids->span, sizeof(ids->span));
}

static int add_record(struct otlp *otlp, const struct cairn_event *event)
{
    static const char name[] = ",\"attributes\":";
    struct exchange_otlp_batch *batch = &otlp->batches[EXCHANGE_OTLP_LOGS];
    struct export_print_output *out = &batch->out;
    const struct exchange_otlp_origin origin = origin_of(event);
    const struct exchange_otlp_texts *texts =
        exchange_otlp_texts_of(&otlp->coder, EXCHANGE_OTLP_LOGS, decode_layout_of(event->type));
    struct exchange_otlp_ids ids;
    size_t list;

    if (!texts)
        return ENOMEM;
    put_time(otlp, out, "{\"timeUnixNano\":", LOG_TIME, otlp->exporter->last_ns);
    put_time(otlp, out, ",\"observedTimeUnixNano\":", LOG_OBSERVED, otlp->exporter->last_ns);
    export_output_padded(out, texts->head.text, texts->head.length);
    list = exchange_otlp_begin_list(&otlp->coder, out, name);
    exchange_otlp_add_fields(&otlp->coder, out, EXCHANGE_OTLP_LOGS, event, texts, NULL, NULL, &ids);
    if (add_link(otlp, event, &ids)) {
        exchange_otlp_batch_drop(batch);
        return out->error;
    }
    exchange_otlp_add_header(&otlp->coder, out, EXCHANGE_OTLP_LOGS, event, texts, NULL);
    exchange_otlp_end_list(&otlp->coder, out, name, list);
    put_span_of(otlp, event, &ids, out);
    if (otlp->coder.is_json)
        export_output_byte(out, '}');
    return add_item(otlp, EXCHANGE_OTLP_LOGS, &origin);
}

/* ---- events ---- */

static int add_event(struct cairn_exporter *exporter, const struct cairn_event *event)
{
    struct otlp *otlp = (struct otlp *)exporter->state;
    bool is_start = event->activity_id && event->type->opcode == CAIRN_OPCODE_ACTIVITY_START;
    enum timeline_change change = TIMELINE_SPAN_UNCHANGED;
    const struct timeline_span *span = NULL;
    struct otlp_open_span *open = NULL;
    int err = 0;

    (void)exchange_time_of(exporter, event);
    if (!(event->has & CAIRN_EVENT_WALL))
        exchange_note(exporter, CAIRN_EXPORTER_NO_WALL);
    if (is_start) {
        open = begin_span(otlp, event);
        err = open ? 0 : ENOMEM;
    }
    if (!err)
        err = timeline_spans_event(otlp->spans, event, (uintptr_t)open, &change, &span);
    if (err || change != TIMELINE_SPAN_STARTED)
        free_open(open);
    if (!err)
        err = otlp->error; /* of a span that was forgotten */
    if (err || change == TIMELINE_SPAN_STARTED)
        return err;
    if (change == TIMELINE_SPAN_STOPPED)
        return stop_span(otlp, event, span);
    if (change == TIMELINE_SPAN_STOP_ALONE)
        exchange_note(exporter, CAIRN_EXPORTER_STOPS_ALONE);
    return add_record(otlp, event);
}

/* ---- begin and end ---- */

static int open_output(struct otlp *otlp)
{
    struct cairn_exporter *exporter = otlp->exporter;
    int err = 0;

    if (exporter->url)
        return exchange_otlp_http_open(exporter->url, otlp->coder.is_json, &otlp->http);
    if (otlp->coder.is_json)
        return 0;
    err = exchange_target_create(&exporter->target, "traces.otlp", &otlp->fds[EXCHANGE_OTLP_SPANS]);
    return err ? err
               : exchange_target_create(&exporter->target, "logs.otlp",
                                        &otlp->fds[EXCHANGE_OTLP_LOGS]);
}

static int open_memory(struct otlp *otlp, bool is_json)
{
    int err = exchange_otlp_coder_open(&otlp->coder, otlp->exporter, is_json);

    for (int kind = 0; kind < 2 && !err; kind++)
        err = exchange_otlp_batch_open(&otlp->batches[kind], (enum exchange_otlp_kind)kind,
                                       &otlp->coder);
    if (!err)
        err = export_output_open(&otlp->body, -1);
    if (!err)
        err = export_output_open(&otlp->start, -1);
    return err ? err : export_output_open(&otlp->keys, -1);
}

static int begin(struct cairn_exporter *exporter, bool is_json)
{
    struct otlp *otlp = (struct otlp *)calloc(1, sizeof(*otlp));
    int err;

    if (!otlp)
        return ENOMEM;
    exporter->state = otlp;
    exporter->by_wall = true;
    otlp->exporter = exporter;
    otlp->fds[EXCHANGE_OTLP_SPANS] = otlp->fds[EXCHANGE_OTLP_LOGS] = -1;
    err = open_memory(otlp, is_json);
    if (!err)
        err = timeline_spans_create(&otlp->spans);
    if (err)
        return err;
    timeline_spans_set_forget(otlp->spans, forget, otlp);
    return open_output(otlp);
}

static int begin_protobuf(struct cairn_exporter *exporter)
{
    return begin(exporter, false);
}

static int begin_json(struct cairn_exporter *exporter)
{
    return begin(exporter, true);
}

static int end_open_spans(struct otlp *otlp)
{
    const struct timeline_span *span;
    int err = 0;

    while (!err && (span = timeline_spans_open(otlp->spans, &otlp->ended)))
        err = end_unfinished(otlp, (struct otlp_open_span *)(uintptr_t)span->cookie);
    return err;
}

static int finish(struct cairn_exporter *exporter)
{
    struct otlp *otlp = (struct otlp *)exporter->state;
    int err = end_open_spans(otlp);

    if (!err)
        err = flush_batch(otlp, EXCHANGE_OTLP_SPANS);
    if (!err)
        err = flush_batch(otlp, EXCHANGE_OTLP_LOGS);
    for (int kind = 0; kind < 2; kind++) {
        if (!err && otlp->fds[kind] >= 0 && close(otlp->fds[kind]) < 0)
            err = errno;
        else if (err)
            break;
        otlp->fds[kind] = -1;
    }
    return err;
}

static void destroy(struct cairn_exporter *exporter)
{
    struct otlp *otlp = (struct otlp *)exporter->state;
    const struct timeline_span *span;

    if (!otlp)
        return;
    while (otlp->spans && (span = timeline_spans_open(otlp->spans, &otlp->ended)))
        free_open((struct otlp_open_span *)(uintptr_t)span->cookie);
    timeline_spans_destroy(otlp->spans);
    for (int kind = 0; kind < 2; kind++) {
        exchange_otlp_batch_close(&otlp->batches[kind]);
        if (otlp->fds[kind] >= 0)
            close(otlp->fds[kind]);
    }
    exchange_otlp_coder_close(&otlp->coder);
    exchange_otlp_http_close(otlp->http);
    export_output_close(&otlp->body);
    export_output_close(&otlp->start);
    export_output_close(&otlp->keys);
    free(otlp);
}

const struct exchange_format exchange_format_otlp = {
    .has_stacks = true,
    .is_directory = true,
    .takes_url = true,
    .begin = begin_protobuf,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};

const struct exchange_format exchange_format_otlp_json = {
    .has_stacks = true,
    .takes_url = true,
    .begin = begin_json,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};
