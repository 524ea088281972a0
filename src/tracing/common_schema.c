/* SPDX-License-Identifier: MIT */
/* Events of the Common Schema 4.0, with the members and the order that microsoft/tracing-etw
 * writes: a version, PartA (time and span), PartB (kind of event), PartC (fields; a message is
 * "Body" there). A span is written as one event, when it ends. */
#include "tracing/provider.h"

#include "engine/clock.h"
#include "tracing/span.h"
#include "tracing/stderr_layer.h"
#include "tracing/value_text.h"

#include <string.h>

#define SCHEMA_VERSION 0x0401

/* Buffers for the texts that an event refers to. */
struct common_schema_texts {
    char time[TRACING_VALUE_TEXT_BYTES];
    char begin_time[TRACING_VALUE_TEXT_BYTES];
    char trace_id[33];
    char span_id[17];
    char parent_id[17];
};

static struct cairn_tracing_value count(uint64_t fields)
{
    return cairn_i_value_bits(TRACING_KIND_STRUCT, fields);
}

static void set_time(char text[TRACING_VALUE_TEXT_BYTES], int64_t time_ns)
{
    size_t length = tracing_time_text(time_ns, 9, text);

    memcpy(text + length - 1, "+00:00", sizeof("+00:00")); /* replaces the Z */
}

static void add_text(struct tracing_provider_event *event, const char *name, const char *text)
{
    tracing_provider_add(event, name, cairn_i_value_text(text));
}

/* As in the Rust crates, a field named "message" is the message if there is no other. */
static void rename_message(struct tracing_provider_event *event, uint32_t first)
{
    for (uint32_t i = first; i < event->field_count; i++) {
        if (!strcmp(event->fields[i].name, "Body"))
            return;
        if (!strcmp(event->fields[i].name, "message")) {
            event->fields[i].name = "Body";
            return;
        }
    }
}

static void add_part_a(struct tracing_provider_event *event, struct common_schema_texts *texts,
                       const struct cairn_span *span)
{
    struct cairn_trace_context context;
    bool is_in_span = cairn_span_context(span, &context);

    tracing_provider_add(event, "__csver__",
                         cairn_i_value_bits(TRACING_KIND_SCHEMA_VERSION, SCHEMA_VERSION));
    tracing_provider_add(event, "PartA", count(is_in_span ? 2 : 1));
    add_text(event, "time", texts->time);
    if (!is_in_span)
        return;
    tracing_hex_text(context.trace_id, sizeof(context.trace_id), texts->trace_id);
    tracing_hex_text(context.span_id, sizeof(context.span_id), texts->span_id);
    tracing_provider_add(event, "ext_dt", count(2));
    add_text(event, "traceId", texts->trace_id);
    add_text(event, "spanId", texts->span_id);
}

/* Formats the causes as the schema has them: a text that is a JSON array, in the thread's line. */
static bool set_links(const struct cairn_span *span, struct cairn_tracing_value *ret_links)
{
    const struct tracing_span_link *links[TRACING_SPAN_LINKS_MAX];
    struct tracing_line *line = &tracing_thread_self->line;
    uint32_t count = tracing_span_links(span, links);
    char trace_id[33];
    char span_id[17];

    line->length = 0;
    for (uint32_t i = 0; i < count; i++) {
        tracing_hex_text(links[i]->trace_id, sizeof(links[i]->trace_id), trace_id);
        tracing_hex_text(links[i]->span_id, sizeof(links[i]->span_id), span_id);
        tracing_line_printf(line, "%c{\"toTraceId\":\"%s\",\"toSpanId\":\"%s\"}", i ? ',' : '[',
                            trace_id, span_id);
    }
    if (count)
        tracing_line_add_char(line, ']');
    *ret_links = cairn_i_value_data(CAIRN_KIND_TEXT, line->text, line->length);
    return line->length;
}

void tracing_common_schema_event(struct cairn_layer *base, const struct cairn_tracing_event *from)
{
    struct provider_layer *layer = (struct provider_layer *)base;
    uint32_t fields = from->site->field_count + (from->message_bytes != 0);
    struct tracing_provider_event event;
    struct common_schema_texts texts;
    uint32_t first;

    tracing_provider_begin(layer, from->site, &event);
    event.site = NULL;
    set_time(texts.time, tracing_now_ns());
    add_part_a(&event, &texts, cairn_layer_span(base, from->span));
    tracing_provider_add(&event, "PartB", count(3));
    add_text(&event, "_typeName", "Log");
    add_text(&event, "name", from->site->name);
    add_text(&event, "eventTime", texts.time);
    if (fields)
        tracing_provider_add(&event, "PartC", count(fields));
    first = event.field_count;
    if (from->message_bytes)
        tracing_provider_add(
            &event, "Body",
            cairn_i_value_data(CAIRN_KIND_TEXT, from->message, from->message_bytes));
    tracing_provider_add_values(&event, from);
    rename_message(&event, first);
    tracing_provider_write(layer, &event);
}

void tracing_common_schema_span_close(struct cairn_layer *base, struct cairn_span *span)
{
    struct provider_layer *layer = (struct provider_layer *)base;
    const struct cairn_callsite *site = cairn_span_callsite(span);
    int64_t now_ns = tracing_now_ns();
    uint8_t parent_id[8];
    bool has_parent = tracing_layer_parent_id(base, span, parent_id);
    struct cairn_tracing_value links;
    bool has_links = set_links(span, &links);
    struct tracing_provider_event event;
    struct common_schema_texts texts;
    uint32_t first;

    if (cairn_span_is_inherited(span))
        return;
    tracing_provider_begin(layer, site, &event);
    event.site = NULL;
    set_time(texts.time, now_ns);
    set_time(texts.begin_time, now_ns - (int64_t)(os_clock_ns() - cairn_span_begin_ns(span)));
    add_part_a(&event, &texts, span);
    tracing_provider_add(&event, "PartB", count(3 + has_parent + has_links));
    add_text(&event, "_typeName", "Span");
    if (has_parent) {
        tracing_hex_text(parent_id, sizeof(parent_id), texts.parent_id);
        add_text(&event, "parentId", texts.parent_id);
    }
    add_text(&event, "name", site->name);
    add_text(&event, "startTime", texts.begin_time);
    if (has_links)
        tracing_provider_add(&event, "links", links);
    if (site->field_count)
        tracing_provider_add(&event, "PartC", count(site->field_count));
    first = event.field_count;
    tracing_provider_add_span_values(&event, span);
    rename_message(&event, first);
    tracing_provider_write(layer, &event);
}
