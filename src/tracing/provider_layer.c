/* SPDX-License-Identifier: MIT */
/* The layer that converts events and spans into events of a provider. An event carries the activity
 * id of its span and that of the span's parent. A span is a pair of events, ACTIVITY_START when it
 * begins and ACTIVITY_STOP when it ends, however often it is entered and left in between. */
#include "tracing/provider.h"

#include "core/options.h"
#include "core/slice.h"
#include "engine/clock.h"
#include "tracing/dispatch.h"
#include "tracing/reserve.h"
#include "tracing/span.h"
#include "tracing/value_text.h"

#include <cairn/eventheader_dynamic.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t keyword_of(const struct provider_layer *layer, const struct cairn_callsite *site)
{
    return site->keyword ? site->keyword : layer->default_keyword;
}

static const struct cairn_tracepoint *interest(struct cairn_layer *base,
                                               const struct cairn_callsite *site)
{
    struct provider_layer *layer = (struct provider_layer *)base;
    const struct cairn_tracepoint *gate =
        layer->backend->gate(layer->backend, site->level, keyword_of(layer, site));

    tracing_recorders_begin(&layer->recorders); /* there is an engine now */
    return gate && layer->keeps_spans && site->kind == CAIRN_CALLSITE_SPAN ? CAIRN_ALWAYS : gate;
}

static bool is_recorded(const struct provider_layer *layer, const struct cairn_callsite *site)
{
    return layer->backend->enabled(layer->backend, site->level, keyword_of(layer, site));
}

/* For a span, whose end is written if the layer has taken it. For an event, the call site has
 * checked the gate, and the backend checks again. */
static bool enabled(struct cairn_layer *base, const struct cairn_callsite *site,
                    struct cairn_span *span)
{
    struct provider_layer *layer = (struct provider_layer *)base;

    (void)span;
    return layer->keeps_spans || is_recorded(layer, site);
}

void tracing_provider_begin(const struct provider_layer *layer, const struct cairn_callsite *site,
                            struct tracing_provider_event *event)
{
    event->site = site;
    event->name = site->name;
    event->keyword = keyword_of(layer, site);
    event->tag = site->tag;
    event->level = site->level;
    event->opcode = CAIRN_OPCODE_INFO;
    event->field_count = 0;
    event->has_values_alone = false;
    event->activity = NULL;
    event->related = NULL;
}

void tracing_provider_add_values(struct tracing_provider_event *event,
                                 const struct cairn_tracing_event *from)
{
    for (uint32_t i = 0; i < from->site->field_count; i++)
        tracing_provider_add(event, from->site->fields[i], from->values[i]);
}

void tracing_provider_add_span_values(struct tracing_provider_event *event,
                                      const struct cairn_span *span)
{
    const struct cairn_callsite *site = cairn_span_callsite(span);

    for (uint32_t i = 0; i < site->field_count; i++)
        tracing_provider_add(event, site->fields[i], cairn_span_value(span, i));
}

/* A backend counts the events that it drops, except those that it cannot write at all: they are
 * counted here. */
void tracing_provider_write(struct provider_layer *layer,
                            const struct tracing_provider_event *event)
{
    int error = layer->backend->write(layer->backend, tracing_thread_self, event);

    if (error && error != EBADF && error != ENOSPC)
        tracing_dispatch_count_lost();
}

/* ---- ids ---- */

#define TRACE_DIGITS 32u
#define SPAN_DIGITS  16u

/* The ids of a span. The id of an activity is the second half of the trace id, followed by the id
 * of the span, so that another program derives the same related id from a traceparent. */
struct ids {
    struct cairn_trace_context context;
    struct cairn_guid activity;
    struct cairn_guid related;
    uint8_t parent_id[8];
    bool has_parent;
    char trace_text[TRACE_DIGITS + 1];
    char span_text[SPAN_DIGITS + 1];
    char parent_text[SPAN_DIGITS + 1];
};

static void make_activity(const uint8_t trace_id[16], const uint8_t span_id[8],
                          struct cairn_guid *ret_activity)
{
    memcpy(ret_activity->bytes, trace_id + 8, 8);
    memcpy(ret_activity->bytes + 8, span_id, 8);
}

static bool find_ids(const struct cairn_layer *layer, const struct cairn_span *span,
                     struct ids *ids)
{
    if (!cairn_span_context(span, &ids->context))
        return false;
    ids->has_parent = tracing_layer_parent_id(layer, span, ids->parent_id);
    make_activity(ids->context.trace_id, ids->context.span_id, &ids->activity);
    if (ids->has_parent)
        make_activity(ids->context.trace_id, ids->parent_id, &ids->related);
    return true;
}

/* As other tools show them: lower-case digits. */
static void add_ids(struct tracing_provider_event *event, struct ids *ids)
{
    event->activity = &ids->activity;
    event->related = ids->has_parent ? &ids->related : NULL;
    tracing_hex_text(ids->context.trace_id, sizeof(ids->context.trace_id), ids->trace_text);
    tracing_hex_text(ids->context.span_id, sizeof(ids->context.span_id), ids->span_text);
    tracing_provider_add(event, "trace_id",
                         cairn_i_value_data(CAIRN_KIND_TEXT, ids->trace_text, TRACE_DIGITS));
    tracing_provider_add(event, "span_id",
                         cairn_i_value_data(CAIRN_KIND_TEXT, ids->span_text, SPAN_DIGITS));
}

static void add_parent_id(struct tracing_provider_event *event, struct ids *ids)
{
    tracing_hex_text(ids->parent_id, sizeof(ids->parent_id), ids->parent_text);
    tracing_provider_add(event, "parent_span_id",
                         cairn_i_value_data(CAIRN_KIND_TEXT, ids->parent_text, SPAN_DIGITS));
}

/* ---- spans that are open when a recorder begins ---- */

struct late_starts {
    uint64_t slots;                  /* of the recorders */
    const struct cairn_span *begins; /* its start is written next, as that of any; or NULL */
};

/* The start of a span that began before: also the thread that began it, and its age. */
static void write_late_start(struct cairn_layer *base, struct cairn_span *span, void *arg)
{
    struct provider_layer *layer = (struct provider_layer *)base;
    const struct late_starts *late = arg;
    struct tracing_provider_event event;
    struct ids ids;

    tracing_provider_begin(layer, cairn_span_callsite(span), &event);
    if (span == late->begins ||
        !layer->backend->wanted_by(layer->backend, event.level, event.keyword, late->slots) ||
        !find_ids(base, span, &ids))
        return;
    tracing_scratch_reset(tracing_thread_self);
    event.site = NULL; /* its names differ from those of the site's other events */
    event.opcode = CAIRN_OPCODE_ACTIVITY_START;
    tracing_provider_add_span_values(&event, span);
    add_ids(&event, &ids);
    if (ids.has_parent)
        add_parent_id(&event, &ids);
    tracing_provider_add(&event, "thread_id", cairn_i_value_bits(CAIRN_KIND_UNSIGNED, span->tid));
    tracing_provider_add(
        &event, "age_ns",
        cairn_i_value_bits(CAIRN_KIND_UNSIGNED, os_clock_ns() - cairn_span_begin_ns(span)));
    tracing_provider_write(layer, &event);
}

/* A span that ends now is not among the open ones. Nothing is allocated: an event may be one of a
 * signal handler. If another thread is writing open spans, the next event looks again. */
static __attribute__((noinline)) void write_open_spans(struct provider_layer *layer,
                                                       const struct cairn_span *begins,
                                                       struct cairn_span *ends)
{
    struct tracing_thread *thread = tracing_thread_self;
    struct late_starts late = {0, begins};

    if (!tracing_reserve_take(thread))
        return;
    late.slots = tracing_recorders_new(&layer->recorders);
    if (late.slots) {
        tracing_open_spans_take(&layer->base, write_late_start, &late);
        if (ends)
            write_late_start(&layer->base, ends, &late);
    }
    tracing_reserve_give(thread);
}

/* Before each event: the first one after a recorder has begun is preceded by the open spans. */
static inline void look_for_recorders(struct provider_layer *layer, const struct cairn_span *begins,
                                      struct cairn_span *ends)
{
    if (cairn_unlikely(tracing_recorders_have_changed(&layer->recorders)))
        write_open_spans(layer, begins, ends);
}

/* ---- callbacks ---- */

/* `span` is the nearest that the layer has got, or NULL. */
static __attribute__((noinline)) void write_event(struct provider_layer *layer,
                                                  const struct cairn_tracing_event *from,
                                                  struct cairn_span *span)
{
    struct tracing_provider_event event;
    struct ids ids;

    tracing_provider_begin(layer, from->site, &event);
    if (from->message_bytes)
        tracing_provider_add(
            &event, "message",
            cairn_i_value_data(CAIRN_KIND_TEXT, from->message, from->message_bytes));
    tracing_provider_add_values(&event, from);
    if (find_ids(&layer->base, span, &ids))
        add_ids(&event, &ids);
    else
        event.has_values_alone = !from->message_bytes;
    tracing_provider_write(layer, &event);
}

static void on_event(struct cairn_layer *base, const struct cairn_tracing_event *from)
{
    struct provider_layer *layer = (struct provider_layer *)base;
    struct cairn_span *span;

    look_for_recorders(layer, NULL, NULL);
    span = from->span ? cairn_layer_span(base, from->span) : NULL;
    if (!span && !from->message_bytes &&
        layer->backend->write_values(layer->backend, from->site, keyword_of(layer, from->site),
                                     from->values) != EAGAIN)
        return;
    write_event(layer, from, span);
}

static void on_span(struct cairn_layer *base, struct cairn_span *span, uint8_t opcode)
{
    struct provider_layer *layer = (struct provider_layer *)base;
    struct tracing_provider_event event;
    struct ids ids;

    if (opcode == CAIRN_OPCODE_ACTIVITY_START)
        look_for_recorders(layer, span, NULL);
    else
        look_for_recorders(layer, NULL, span);
    if (!is_recorded(layer, cairn_span_callsite(span)))
        return;
    tracing_provider_begin(layer, cairn_span_callsite(span), &event);
    event.opcode = opcode;
    tracing_provider_add_span_values(&event, span);
    if (find_ids(base, span, &ids))
        add_ids(&event, &ids);
    if (opcode == CAIRN_OPCODE_ACTIVITY_STOP)
        tracing_provider_add(
            &event, "duration_ns",
            cairn_i_value_bits(CAIRN_KIND_UNSIGNED, os_clock_ns() - cairn_span_begin_ns(span)));
    else if (ids.has_parent)
        add_parent_id(&event, &ids);
    tracing_provider_write(layer, &event);
}

/* A separate event, related to the cause. */
static void on_span_follows_from(struct cairn_layer *base, struct cairn_span *span,
                                 struct cairn_span *cause)
{
    struct provider_layer *layer = (struct provider_layer *)base;
    struct tracing_provider_event event;
    struct ids cause_ids;
    struct ids ids;

    tracing_provider_begin(layer, cairn_span_callsite(span), &event);
    event.site = NULL; /* its names differ from those of the site's other events */
    event.name = "follows_from";
    tracing_provider_add(&event, "span", cairn_i_value_text(cairn_span_callsite(span)->name));
    if (!find_ids(base, span, &ids) || !find_ids(base, cause, &cause_ids))
        return;
    add_ids(&event, &ids);
    event.related = &cause_ids.activity;
    tracing_hex_text(cause_ids.context.trace_id, 16, cause_ids.trace_text);
    tracing_hex_text(cause_ids.context.span_id, 8, cause_ids.span_text);
    tracing_provider_add(&event, "follows_from_trace_id", cairn_i_value_text(cause_ids.trace_text));
    tracing_provider_add(&event, "follows_from_span_id", cairn_i_value_text(cause_ids.span_text));
    tracing_provider_write(layer, &event);
}

static void on_span_new(struct cairn_layer *base, struct cairn_span *span)
{
    on_span(base, span, CAIRN_OPCODE_ACTIVITY_START);
}

static void on_span_close(struct cairn_layer *base, struct cairn_span *span)
{
    if (!cairn_span_is_inherited(span))
        on_span(base, span, CAIRN_OPCODE_ACTIVITY_STOP);
}

static void destroy(struct cairn_layer *base)
{
    struct provider_layer *layer = (struct provider_layer *)base;

    layer->backend->destroy(layer->backend);
    free(layer);
}

/* ---- creating a layer ---- */

/* Allows only the characters that perf accepts in names, independently of the locale. */
static int check_name(const char *name, const char *group)
{
    size_t length = 0;

    for (; name && name[length]; length++)
        if (!core_is_word_byte(name[length]))
            return EINVAL;
    if (!length)
        return EINVAL;
    return length + (group ? strlen(group) : 0) >= 234 ? E2BIG : 0;
}

static void fill(struct provider_layer *layer, const struct cairn_eventheader_options *options)
{
    layer->base = (struct cairn_layer){
        .interest = interest,
        .enabled = enabled,
        .event = on_event,
        .span_new = on_span_new,
        .span_follows_from = on_span_follows_from,
        .span_close = on_span_close,
        .destroy = destroy,
        .is_ours = true,
    };
    if (options->common_schema) {
        layer->base.event = tracing_common_schema_event;
        layer->base.span_new = NULL;
        layer->base.span_follows_from = NULL;
        layer->base.span_close = tracing_common_schema_span_close;
    }
    layer->keeps_spans = options->keeps_spans && !options->common_schema;
    layer->default_keyword = options->default_keyword ? options->default_keyword : 1;
    if (options->provider_id)
        layer->id = *options->provider_id;
    else
        cairn_guid_from_name(options->name, &layer->id);
}

int cairn_eventheader_layer_create(const struct cairn_eventheader_options *given,
                                   struct cairn_layer **ret_layer)
{
    struct cairn_eventheader_options options = CAIRN_EVENTHEADER_OPTIONS_INIT;
    struct provider_layer *layer;
    int error = core_options_copy(
        given, CORE_OPTIONS_BYTES_TO(struct cairn_eventheader_options, common_schema),
        sizeof(options), &options);

    if (!error)
        error = check_name(options.name, options.group);
    if (error)
        return error;
    layer = calloc(1, sizeof(*layer));
    if (!layer)
        return ENOMEM;
    fill(layer, &options);
    error = tracing_eventheader_backend_create(options.name, options.group, &layer->id,
                                               &layer->backend);
    if (error) {
        free(layer);
        return error;
    }
    *ret_layer = &layer->base;
    return 0;
}

void cairn_eventheader_layer_id(const struct cairn_layer *layer, struct cairn_guid *ret_id)
{
    *ret_id = ((const struct provider_layer *)layer)->id;
}
