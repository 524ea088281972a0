/* SPDX-License-Identifier: MIT */
/*
 * Lines of JSON. The members, in one line:
 *
 * {"time":"2026-01-31T12:00:00.123456789Z","pid":7,"tid":7,"level":"INFO","target":"net",
 *  "file":"conn.c","line":12,"message":"...","fields":{...},
 *  "spans":[{"name":"request","fields":{"id":7}}],"trace_id":"...","span_id":"...",
 *  "parent_span_id":"...","follows_from":[{"trace_id":"...","span_id":"..."}]}
 *
 * The outermost span is first. Members that would be empty are left out, and so are fields of spans
 * that have no value. No two members of an object have the same name.
 */
#include "core/atomic.h"
#include "tracing/line_values.h"
#include "tracing/span.h"
#include "tracing/stderr_layer.h"
#include "tracing/thread.h"
#include "tracing/value_text.h"

#include <string.h>

/* `head` precedes the text: a separator and the member's name. */
static void add_text_member(struct tracing_line *line, const char *head, const char *text,
                            size_t length)
{
    tracing_line_add(line, head, strlen(head));
    tracing_line_json_text(line, text, length);
}

static void add_number_member(struct tracing_line *line, const char *head, uint64_t number)
{
    tracing_line_add(line, head, strlen(head));
    tracing_line_add_number(line, number);
}

/* `head` includes the opening quote. */
static void add_id(struct tracing_line *line, const char *head, const uint8_t *id, size_t bytes)
{
    char digits[2 * sizeof(((struct cairn_trace_context *)0)->trace_id) + 1];

    tracing_hex_text(id, bytes, digits);
    tracing_line_add(line, head, strlen(head));
    tracing_line_add(line, digits, 2 * bytes);
    tracing_line_add_char(line, '"');
}

/* Many JSON readers keep only one of two members with the same name: the second is `name#2`. */
static void add_name(struct tracing_line *line, const struct cairn_callsite *site, uint32_t index)
{
    const char *name = site->fields[index];
    uint32_t number = 1;

    for (uint32_t i = 0; i < index; i++)
        number += !strcmp(site->fields[i], name);
    tracing_line_json_name(line, name, number);
}

/* Adds the values of an event or, if `values` is NULL, those of a span. */
static void add_fields(struct tracing_line *line, const struct cairn_callsite *site,
                       const struct cairn_tracing_value *values, const struct cairn_span *span)
{
    bool is_first = true;

    for (uint32_t i = 0; i < site->field_count; i++) {
        struct cairn_tracing_value value = values ? values[i] : cairn_span_value(span, i);

        if (!values && value.kind == CAIRN_KIND_NONE)
            continue;
        if (is_first)
            tracing_line_add_literal(line, ",\"fields\":{");
        else
            tracing_line_add_char(line, ',');
        is_first = false;
        add_name(line, site, i);
        tracing_line_json_value(line, &value);
    }
    if (!is_first)
        tracing_line_add_char(line, '}');
}

static void add_span(struct tracing_line *line, const struct cairn_span *span)
{
    const struct cairn_callsite *site = cairn_span_callsite(span);

    add_text_member(line, "{\"name\":", site->name, strlen(site->name));
    add_fields(line, site, NULL, span);
    tracing_line_add_char(line, '}');
}

static void add_cause(struct tracing_line *line, const uint8_t trace_id[16],
                      const uint8_t span_id[8])
{
    add_id(line, "{\"trace_id\":\"", trace_id, 16);
    add_id(line, ",\"span_id\":\"", span_id, 8);
    tracing_line_add_char(line, '}');
}

/* Limit for a line; the last line of a span contains all. */
#define CAUSES_SHOWN 8u

/* Adds the spans that the line's span follows from. */
static void add_causes(struct tracing_line *line, const struct tracing_line_source *source)
{
    const struct tracing_span_link *links[TRACING_SPAN_LINKS_MAX];
    uint32_t count = tracing_span_links(source->span, links);
    uint32_t shown = count > CAUSES_SHOWN && !source->is_end ? CAUSES_SHOWN : count;
    uint64_t left_out = count - shown + core_load_relaxed(&source->span->links_left_out);

    if (shown)
        tracing_line_add_literal(line, ",\"follows_from\":[");
    for (uint32_t i = 0; i < shown; i++) {
        if (i)
            tracing_line_add_char(line, ',');
        add_cause(line, links[i]->trace_id, links[i]->span_id);
    }
    if (shown)
        tracing_line_add_char(line, ']');
    if (left_out)
        add_number_member(line, ",\"follows_from_left_out\":", left_out);
}

static void add_spans(struct tracing_line *line, const struct stderr_layer *layer,
                      const struct tracing_line_source *source)
{
    struct cairn_span *spans[TRACING_SHOWN_SPANS_MAX];
    bool is_cut;

    tracing_line_add_literal(line, ",\"spans\":[");
    for (uint32_t count = tracing_shown_spans(layer, source->span, spans, &is_cut), i = count;
         i--;) {
        if (i + 1 < count)
            tracing_line_add_char(line, ',');
        add_span(line, spans[i]);
    }
    tracing_line_add_char(line, ']');
    if (is_cut)
        tracing_line_add_literal(line, ",\"spans_left_out\":true");
}

static void add_ids(struct tracing_line *line, const struct stderr_layer *layer,
                    const struct cairn_span *span)
{
    struct cairn_trace_context context;
    uint8_t parent_id[8];

    (void)cairn_span_context(span, &context);
    add_id(line, ",\"trace_id\":\"", context.trace_id, sizeof(context.trace_id));
    add_id(line, ",\"span_id\":\"", context.span_id, sizeof(context.span_id));
    if (tracing_layer_parent_id(&layer->base, span, parent_id))
        add_id(line, ",\"parent_span_id\":\"", parent_id, sizeof(parent_id));
}

static void add_site(struct tracing_line *line, const struct cairn_callsite *site)
{
    const char *level = tracing_level_name(site->level);

    add_text_member(line, ",\"level\":", level, strlen(level));
    add_text_member(line, ",\"target\":", site->target, site->target_bytes);
    if (!*site->file) /* an event of another logger */
        return;
    add_text_member(line, ",\"file\":", site->file, strlen(site->file));
    add_number_member(line, ",\"line\":", site->line);
}

void tracing_line_format_json(struct tracing_line *line, const struct stderr_layer *layer,
                              const struct tracing_line_source *source)
{
    char time[TRACING_VALUE_TEXT_BYTES];

    tracing_line_add_literal(line, "{\"time\":\"");
    tracing_line_add(line, time, tracing_time_text(tracing_now_ns(), 9, time));
    add_number_member(line, "\",\"pid\":", tracing_process_id());
    add_number_member(line, ",\"tid\":", tracing_thread_self->id);
    add_site(line, source->site);
    if (source->message_bytes)
        add_text_member(line, ",\"message\":", source->message, source->message_bytes);
    if (source->values)
        add_fields(line, source->site, source->values, NULL);
    if (source->is_end)
        add_number_member(line, ",\"duration_ns\":", source->duration_ns);
    if (source->cause) {
        tracing_line_add_literal(line, ",\"cause\":");
        add_cause(line, source->cause->context.trace_id, source->cause->context.span_id);
    }
    if (source->span) {
        add_spans(line, layer, source);
        add_ids(line, layer, source->span);
        add_causes(line, source);
    }
    tracing_line_add_char(line, '}');
}
