/* SPDX-License-Identifier: MIT */
/*
 * {"time":"2026-01-31T12:00:00.123456789Z","level":"INFO","target":"net","file":"conn.c","line":12,
 *  "message":"...","fields":{...},"spans":[{"name":"request","id":7}],"trace_id":"...","span_id":"..."}
 * in one line. The outermost span is first. Members that would be empty are left out; so are spans'
 * fields without a value.
 */
#include "tracing/line_values.h"
#include "tracing/stderr_layer.h"
#include "tracing/value_text.h"

#include <inttypes.h>
#include <string.h>

static void add_text_member(struct cairn_line *line, const char *name, const char *text,
                            size_t length)
{
    cairn_line_printf(line, "\"%s\":", name);
    cairn_line_json_text(line, text, length);
}

static void add_fields(struct cairn_line *line, const struct cairn_line_source *source)
{
    if (!source->values || !source->site->field_count)
        return;
    cairn_line_add_literal(line, ",\"fields\":{");
    for (uint32_t i = 0; i < source->site->field_count; i++) {
        if (i)
            cairn_line_add_char(line, ',');
        cairn_line_json_field(line, source->site->fields[i], &source->values[i]);
    }
    cairn_line_add_char(line, '}');
}

static void add_span(struct cairn_line *line, const struct cairn_span *span)
{
    const struct cairn_callsite *site = cairn_span_callsite(span);

    cairn_line_add_char(line, '{');
    add_text_member(line, "name", site->name, strlen(site->name));
    for (uint32_t i = 0; i < site->field_count; i++) {
        struct cairn_tracing_value value = cairn_span_value(span, i);

        if (value.kind == CAIRN_KIND_NONE)
            continue;
        cairn_line_add_char(line, ',');
        cairn_line_json_field(line, site->fields[i], &value);
    }
    cairn_line_add_char(line, '}');
}

static void add_spans(struct cairn_line *line, const struct stderr_layer *layer,
                      struct cairn_span *innermost)
{
    struct cairn_span *spans[CAIRN_SHOWN_SPANS_MAX];
    struct cairn_trace_context context;
    char digits[2 * sizeof(context.trace_id) + 1];

    if (!cairn_span_context(innermost, &context))
        return;
    cairn_line_add_literal(line, ",\"spans\":[");
    for (uint32_t count = cairn_shown_spans(layer, innermost, spans), i = count; i--;) {
        if (i + 1 < count)
            cairn_line_add_char(line, ',');
        add_span(line, spans[i]);
    }
    cairn_hex_text(context.trace_id, sizeof(context.trace_id), digits);
    cairn_line_printf(line, "],\"trace_id\":\"%s\"", digits);
    cairn_hex_text(context.span_id, sizeof(context.span_id), digits);
    cairn_line_printf(line, ",\"span_id\":\"%s\"", digits);
}

void cairn_line_format_json(struct cairn_line *line, const struct stderr_layer *layer,
                            const struct cairn_line_source *source)
{
    const struct cairn_callsite *site = source->site;
    char time[CAIRN_VALUE_TEXT_BYTES];

    (void)cairn_time_text(cairn_tracing_now_ns(), 9, time);
    cairn_line_printf(line, "{\"time\":\"%s\",\"level\":\"%s\",", time,
                      cairn_tracing_level_name(site->level));
    add_text_member(line, "target", site->target, site->target_bytes);
    if (*site->file) { /* another logger's event has none */
        cairn_line_add_char(line, ',');
        add_text_member(line, "file", site->file, strlen(site->file));
        cairn_line_printf(line, ",\"line\":%u", site->line);
    }
    if (source->message_bytes) {
        cairn_line_add_char(line, ',');
        add_text_member(line, "message", source->message, source->message_bytes);
    }
    add_fields(line, source);
    if (source->is_end)
        cairn_line_printf(line, ",\"duration_ns\":%" PRIu64, source->duration_ns);
    add_spans(line, layer, source->span);
    cairn_line_add_char(line, '}');
}
