/* SPDX-License-Identifier: MIT */
/*
 * OpenTelemetry's protocol: activities are spans, other events are log records of the span that
 * they belong to.
 *
 * The facade's events have the ids of OpenTelemetry as fields. For other activities the trace is
 * that of the outermost activity, by its id, and the span's id is made of the activity's.
 */
#include "exchange/otlp.h"

#include "exchange/text.h"
#include "export/names.h"
#include "timeline/spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPAN_KIND_INTERNAL 1

/* A request ends with the item that reaches this size, in bytes of events. */
#define BATCH_BYTES_MAX (1u << 20)

/* As the facade: later links are left out. */
#define LINKS_MAX 128u

/* The memory that an event with a link takes of its batch, which does not contain it; about. */
#define LINK_BYTES 4096u

/* An open span: its cookie. The start's part of the message is packed. */
struct otlp_open_span {
    uint8_t trace[16];
    uint8_t span[8];
    size_t packed_bytes;
    uint8_t *packed;
    uint32_t link_count;
    uint8_t (*links)[24]; /* trace, span */
    bool has_pid;
    uint32_t pid;
    char comm[16];
    size_t provider_bytes;
    char provider[];
};

struct otlp {
    struct cairn_exporter *exporter;
    struct timeline_spans *spans;
    struct exchange_otlp_batch batches[2]; /* by enum exchange_otlp_kind */
    size_t batch_bytes[2];
    struct exchange_otlp_memory memory; /* for one event */
    struct exchange_otlp_http *http;    /* NULL: to files */
    struct export_print_output body;    /* in memory, of a request in JSON */
    const void *request;                /* the bytes of one */
    size_t request_bytes;
    struct exchange_pack pack;
    int fds[2]; /* of files of protobuf, by kind; -1: none */
    bool is_json;
    size_t ended; /* open spans that were ended at the end: a cursor */
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
    size_t size_bytes = otlp->request_bytes;
    const uint8_t head[4] = {(uint8_t)(size_bytes >> 24), (uint8_t)(size_bytes >> 16),
                             (uint8_t)(size_bytes >> 8), (uint8_t)size_bytes};
    int err = write_all(fd, head, sizeof(head));

    return err ? err : write_all(fd, otlp->request, size_bytes);
}

static int encode_json(struct otlp *otlp, const ProtobufCMessage *request)
{
    otlp->body.at = otlp->body.begin;
    exchange_otlp_json(&otlp->body, request);
    otlp->request = otlp->body.begin;
    otlp->request_bytes = (size_t)(otlp->body.at - otlp->body.begin);
    return otlp->body.error;
}

/* Encodes a request that is sent, or one of a file of protobuf. */
static int encode(struct otlp *otlp, const ProtobufCMessage *request)
{
    const uint8_t *bytes;
    int err;

    if (otlp->is_json)
        return encode_json(otlp, request);
    err = exchange_pack(&otlp->pack, request, &bytes, &otlp->request_bytes);
    otlp->request = bytes;
    return err;
}

static int send_by_http(struct otlp *otlp, const struct exchange_otlp_batch *batch)
{
    struct cairn_exporter *exporter = otlp->exporter;
    struct exchange_otlp_result result;
    int err = exchange_otlp_http_send(otlp->http, batch->kind, otlp->request, otlp->request_bytes,
                                      &result);

    if (err)
        return err;
    if (!result.is_delivered)
        exporter->counts.notes[CAIRN_EXPORTER_UNDELIVERED] += batch->count;
    exporter->counts.notes[CAIRN_EXPORTER_REJECTED] += result.rejected;
    if (*result.problem && !*exporter->problem)
        memcpy(exporter->problem, result.problem, sizeof(exporter->problem));
    return 0;
}

/* A line of a file. */
static int write_json(struct otlp *otlp, const ProtobufCMessage *request)
{
    struct export_print_output *out = &otlp->exporter->out;

    exchange_otlp_json(out, request);
    export_output_byte(out, '\n');
    return out->error;
}

static int write_request(struct otlp *otlp, const struct exchange_otlp_batch *batch,
                         const ProtobufCMessage *request)
{
    int err;

    if (otlp->is_json && !otlp->http)
        return write_json(otlp, request);
    err = encode(otlp, request);
    if (err)
        return err;
    return otlp->http ? send_by_http(otlp, batch) : write_frame(otlp, otlp->fds[batch->kind]);
}

static const char *hostname_of(const struct cairn_exporter *exporter)
{
    const struct cairn_perf_file *file =
        exporter->reader ? cairn_reader_file(exporter->reader) : NULL;

    return file ? cairn_perf_file_host(file)->hostname : NULL;
}

static int flush_batch(struct otlp *otlp, enum exchange_otlp_kind kind)
{
    struct exchange_otlp_batch *batch = &otlp->batches[kind];
    const ProtobufCMessage *request;
    int err;

    if (!batch->count) { /* there may have been links */
        exchange_otlp_batch_clear(batch);
        otlp->batch_bytes[kind] = 0;
        return 0;
    }
    request = exchange_otlp_batch_request(batch, hostname_of(otlp->exporter));
    if (!request)
        return ENOMEM;
    err = write_request(otlp, batch, request);
    exchange_otlp_batch_clear(batch);
    otlp->batch_bytes[kind] = 0;
    return err;
}

static int flush_if_full(struct otlp *otlp, enum exchange_otlp_kind kind)
{
    if (otlp->batches[kind].count < EXCHANGE_OTLP_ITEMS_MAX &&
        otlp->batch_bytes[kind] < BATCH_BYTES_MAX)
        return 0;
    return flush_batch(otlp, kind);
}

static int add_item(struct otlp *otlp, enum exchange_otlp_kind kind,
                    const struct exchange_otlp_origin *origin, ProtobufCMessage *item,
                    size_t size_bytes)
{
    int err = exchange_otlp_batch_add(&otlp->batches[kind], origin, item);

    otlp->batch_bytes[kind] += size_bytes;
    return err ? err : flush_if_full(otlp, kind);
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
    free(open->packed);
    free((void *)open->links);
    free(open);
}

static struct otlp_open_span *create_open(const struct cairn_event *event,
                                          const struct exchange_otlp_ids *ids)
{
    struct cairn_slice provider = event->type->provider;
    struct otlp_open_span *open =
        (struct otlp_open_span *)calloc(1, sizeof(*open) + provider.length);

    if (!open)
        return NULL;
    memcpy(open->trace, ids->trace, sizeof(open->trace));
    memcpy(open->span, ids->span, sizeof(open->span));
    open->has_pid = event->has & CAIRN_EVENT_TID;
    open->pid = open->has_pid ? event->pid : 0;
    if (event->comm)
        memcpy(open->comm, event->comm, strnlen(event->comm, sizeof(open->comm) - 1));
    open->provider_bytes = provider.length;
    if (provider.length)
        memcpy(open->provider, provider.text, provider.length);
    return open;
}

/* Packs the part of a span that its start has. Returns 0, ENOMEM. */
static int pack_start(struct otlp *otlp, const struct cairn_event *event,
                      const struct exchange_otlp_list *list, const struct exchange_otlp_ids *ids,
                      struct otlp_open_span *open)
{
    struct exchange_otlp_memory *memory = &otlp->memory;
    ExchangeOtlp__Span span = EXCHANGE_OTLP__SPAN__INIT;
    const uint8_t *bytes;

    span.has_trace_id = span.has_span_id = true;
    span.trace_id = (ProtobufCBinaryData){sizeof(open->trace), open->trace};
    span.span_id = (ProtobufCBinaryData){sizeof(open->span), open->span};
    span.has_parent_span_id = ids->has_parent;
    span.parent_span_id = (ProtobufCBinaryData){sizeof(ids->parent), (uint8_t *)ids->parent};
    span.has_name = true;
    span.name = exchange_otlp_text(memory, event->type->name);
    span.has_kind = true;
    span.kind = SPAN_KIND_INTERNAL;
    span.has_start_time_unix_nano = true;
    span.start_time_unix_nano = otlp->exporter->last_ns;
    span.attributes = exchange_otlp_array(memory, list);
    span.n_attributes = span.attributes ? list->count : 0;
    if (memory->error || exchange_pack(&otlp->pack, &span.base, &bytes, &open->packed_bytes))
        return ENOMEM;
    open->packed = (uint8_t *)malloc(open->packed_bytes);
    if (!open->packed)
        return ENOMEM;
    memcpy(open->packed, bytes, open->packed_bytes);
    return 0;
}

/* Unpacked messages are in a batch's memory too. */
static void *allocate(void *context, size_t size_bytes)
{
    return exchange_otlp_take((struct exchange_otlp_memory *)context, size_bytes);
}

static void free_nothing(void *context, void *memory)
{
    (void)context;
    (void)memory;
}

static int set_links(struct exchange_otlp_memory *memory, const struct otlp_open_span *open,
                     ExchangeOtlp__Span *span)
{
    ExchangeOtlp__Link *links =
        (ExchangeOtlp__Link *)exchange_otlp_take(memory, open->link_count * sizeof(*links));

    span->links =
        (ExchangeOtlp__Link **)exchange_otlp_take(memory, open->link_count * sizeof(*span->links));
    if (!links || !span->links)
        return ENOMEM;
    for (uint32_t n = 0; n < open->link_count; n++) {
        exchange_otlp__link__init(&links[n]);
        links[n].has_trace_id = links[n].has_span_id = true;
        links[n].trace_id = exchange_otlp_bytes(memory, open->links[n], 16);
        links[n].span_id = exchange_otlp_bytes(memory, open->links[n] + 16, 8);
        span->links[n] = &links[n];
    }
    span->n_links = open->link_count;
    return memory->error;
}

static bool has_key(const ExchangeOtlp__Span *span, ProtobufCBinaryData key)
{
    for (size_t n = 0; n < span->n_attributes; n++) {
        ProtobufCBinaryData other = span->attributes[n]->key;

        if (other.len == key.len && (!key.len || !memcmp(other.data, key.data, key.len)))
            return true;
    }
    return false;
}

/* A key of the stop that the start has too is "stop.KEY": keys differ. */
static int make_keys_differ(struct exchange_otlp_memory *memory, const ExchangeOtlp__Span *span,
                            ExchangeOtlp__KeyValue **added, size_t count)
{
    static const char prefix[5] = {'s', 't', 'o', 'p', '.'};

    for (size_t n = 0; n < count; n++) {
        ProtobufCBinaryData *key = &added[n]->key;
        uint8_t *longer;

        if (!has_key(span, *key))
            continue;
        longer = (uint8_t *)exchange_otlp_take(memory, sizeof(prefix) + key->len);
        if (!longer)
            return ENOMEM;
        memcpy(longer, prefix, sizeof(prefix));
        memcpy(longer + sizeof(prefix), key->data, key->len);
        key->data = longer;
        key->len += sizeof(prefix);
    }
    return 0;
}

/* Adds attributes of the stop after those of the start. */
static int add_attributes(struct exchange_otlp_memory *memory,
                          const struct exchange_otlp_list *list, ExchangeOtlp__Span *span)
{
    ExchangeOtlp__KeyValue **added = exchange_otlp_array(memory, list);
    ExchangeOtlp__KeyValue **all = (ExchangeOtlp__KeyValue **)exchange_otlp_take(
        memory, (span->n_attributes + list->count) * sizeof(*all));

    if (!added || !all || make_keys_differ(memory, span, added, list->count))
        return ENOMEM;
    if (span->n_attributes)
        memcpy((void *)all, (const void *)span->attributes, span->n_attributes * sizeof(*all));
    if (list->count)
        memcpy((void *)(all + span->n_attributes), (const void *)added, list->count * sizeof(*all));
    span->attributes = all;
    span->n_attributes += list->count;
    return 0;
}

/* Adds a span that ends, and frees what was stored of it. `list` is in the batch's memory. */
static int end_span(struct otlp *otlp, struct otlp_open_span *open,
                    const struct exchange_otlp_list *list)
{
    struct exchange_otlp_memory *memory = &otlp->batches[EXCHANGE_OTLP_SPANS].memory;
    ProtobufCAllocator allocator = {allocate, free_nothing, memory};
    const struct exchange_otlp_origin origin = {
        open->has_pid,
        open->pid,
        *open->comm ? open->comm : NULL,
        {open->provider, (uint32_t)open->provider_bytes},
    };
    ExchangeOtlp__Span *span =
        exchange_otlp__span__unpack(&allocator, open->packed_bytes, open->packed);
    int err = span ? 0 : ENOMEM;

    if (!err) {
        span->has_end_time_unix_nano = true;
        span->end_time_unix_nano = otlp->exporter->last_ns;
        err = add_attributes(memory, list, span);
    }
    if (!err)
        err = set_links(memory, open, span);
    if (!err)
        err = add_item(otlp, EXCHANGE_OTLP_SPANS, &origin, &span->base, open->packed_bytes);
    free_open(open);
    return err;
}

/* A span that does not end, or whose end will not be known: it ends now. */
static int end_unfinished(struct otlp *otlp, struct otlp_open_span *open)
{
    struct exchange_otlp_list list = {0};

    exchange_note(otlp->exporter, CAIRN_EXPORTER_UNFINISHED);
    exchange_otlp_add_flag(&otlp->batches[EXCHANGE_OTLP_SPANS].memory, &list, "cairn.unfinished");
    return end_span(otlp, open, &list);
}

static void forget(void *context, const struct timeline_span *span)
{
    struct otlp *otlp = (struct otlp *)context;
    int err = end_unfinished(otlp, (struct otlp_open_span *)(uintptr_t)span->cookie);

    if (!otlp->error)
        otlp->error = err;
}

/* Returns the span that an event begins; NULL: no memory. */
static struct otlp_open_span *begin_span(struct otlp *otlp, const struct cairn_event *event)
{
    struct exchange_otlp_list list = {0};
    struct exchange_otlp_ids ids;
    struct otlp_open_span *open;

    exchange_arena_reset(&otlp->memory.arena);
    exchange_otlp_add_event(&otlp->memory, &list, event, true, &ids);
    complete_ids(otlp, event, &ids);
    open = create_open(event, &ids);
    if (open && pack_start(otlp, event, &list, &ids, open)) {
        free_open(open);
        open = NULL;
    }
    return open;
}

static int stop_span(struct otlp *otlp, const struct cairn_event *event,
                     const struct timeline_span *span)
{
    struct exchange_otlp_list list = {0};
    struct exchange_otlp_ids ids;

    exchange_otlp_add_event(&otlp->batches[EXCHANGE_OTLP_SPANS].memory, &list, event, false, &ids);
    return end_span(otlp, (struct otlp_open_span *)(uintptr_t)span->cookie, &list);
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

/* OpenTelemetry's numbers: 5 debug, 9 info, 13 warn, 17 error, 21 fatal. */
static int32_t severity_of(uint8_t level)
{
    static const uint8_t severities[] = {0, 21, 17, 13, 9, 5};

    return level < sizeof(severities) ? severities[level] : 0;
}

static void set_severity(struct exchange_otlp_memory *memory, const struct cairn_event_type *type,
                         ExchangeOtlp__LogRecord *record)
{
    const char *name = export_level_name(type->level);

    if (!type->is_eventheader)
        return;
    record->has_severity_number = true;
    record->severity_number = severity_of(type->level);
    record->has_severity_text = name != NULL;
    if (name)
        record->severity_text =
            exchange_otlp_text(memory, (struct cairn_slice){name, (uint32_t)strlen(name)});
}

static void set_body(struct exchange_otlp_memory *memory, const struct cairn_event *event,
                     ExchangeOtlp__LogRecord *record)
{
    struct export_print_output *text = &memory->exporter->text;

    record->body = (ExchangeOtlp__AnyValue *)exchange_otlp_take(memory, sizeof(*record->body));
    if (!record->body)
        return;
    exchange_otlp__any_value__init(record->body);
    text->at = text->begin;
    exchange_put_event_name(memory->exporter, text, event->type);
    record->body->value_case = EXCHANGE_OTLP__ANY_VALUE__VALUE_STRING_VALUE;
    record->body->string_value =
        exchange_otlp_bytes(memory, text->begin, (size_t)(text->at - text->begin));
    record->has_event_name = true;
    record->event_name = exchange_otlp_text(memory, event->type->name);
}

/* A record belongs to the span of its activity, whether that is open or not. */
static void set_span(const struct otlp *otlp, const struct cairn_event *event,
                     struct exchange_otlp_ids *ids, struct exchange_otlp_memory *memory,
                     ExchangeOtlp__LogRecord *record)
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
    record->has_trace_id = record->has_span_id = true;
    record->trace_id = exchange_otlp_bytes(memory, ids->trace, sizeof(ids->trace));
    record->span_id = exchange_otlp_bytes(memory, ids->span, sizeof(ids->span));
}

static int add_record(struct otlp *otlp, const struct cairn_event *event)
{
    struct exchange_otlp_memory *memory = &otlp->batches[EXCHANGE_OTLP_LOGS].memory;
    ExchangeOtlp__LogRecord *record =
        (ExchangeOtlp__LogRecord *)exchange_otlp_take(memory, sizeof(*record));
    const struct exchange_otlp_origin origin = origin_of(event);
    struct exchange_otlp_list list = {0};
    struct exchange_otlp_ids ids;

    if (!record)
        return ENOMEM;
    exchange_otlp__log_record__init(record);
    exchange_otlp_add_event(memory, &list, event, true, &ids);
    if (add_link(otlp, event, &ids)) {
        otlp->batch_bytes[EXCHANGE_OTLP_LOGS] += LINK_BYTES;
        return memory->error ? memory->error : flush_if_full(otlp, EXCHANGE_OTLP_LOGS);
    }
    record->has_time_unix_nano = record->has_observed_time_unix_nano = true;
    record->time_unix_nano = record->observed_time_unix_nano = otlp->exporter->last_ns;
    set_severity(memory, event->type, record);
    set_body(memory, event, record);
    set_span(otlp, event, &ids, memory, record);
    record->attributes = exchange_otlp_array(memory, &list);
    record->n_attributes = record->attributes ? list.count : 0;
    if (memory->error)
        return ENOMEM;
    return add_item(otlp, EXCHANGE_OTLP_LOGS, &origin, &record->base, event->data_bytes);
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
        return exchange_otlp_http_open(exporter->url, otlp->is_json, &otlp->http);
    if (otlp->is_json)
        return 0;
    err = exchange_target_create(&exporter->target, "traces.otlp", &otlp->fds[EXCHANGE_OTLP_SPANS]);
    return err ? err
               : exchange_target_create(&exporter->target, "logs.otlp",
                                        &otlp->fds[EXCHANGE_OTLP_LOGS]);
}

static int begin(struct cairn_exporter *exporter, bool is_json)
{
    struct otlp *otlp = (struct otlp *)calloc(1, sizeof(*otlp));
    int err;

    if (!otlp)
        return ENOMEM;
    exporter->state = otlp;
    exporter->by_wall = true;
    otlp->exporter = otlp->memory.exporter = exporter;
    otlp->is_json = is_json;
    otlp->pack.own = exchange_otlp_pack_own;
    for (int kind = 0; kind < 2; kind++) {
        otlp->batches[kind].kind = (enum exchange_otlp_kind)kind;
        otlp->batches[kind].memory.exporter = exporter;
        otlp->fds[kind] = -1;
    }
    err = timeline_spans_create(&otlp->spans);
    if (err)
        return err;
    timeline_spans_set_forget(otlp->spans, forget, otlp);
    err = export_output_open(&otlp->body, -1);
    return err ? err : open_output(otlp);
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
        exchange_otlp_batch_free(&otlp->batches[kind]);
        if (otlp->fds[kind] >= 0)
            close(otlp->fds[kind]);
    }
    exchange_arena_free(&otlp->memory.arena);
    exchange_otlp_http_close(otlp->http);
    export_output_close(&otlp->body);
    exchange_pack_free(&otlp->pack);
    free(otlp);
}

const struct exchange_format exchange_format_otlp = {
    .is_directory = true,
    .takes_url = true,
    .begin = begin_protobuf,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};

const struct exchange_format exchange_format_otlp_json = {
    .takes_url = true,
    .begin = begin_json,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};
