/* SPDX-License-Identifier: MIT */
/*
 * Lines for people, in two styles:
 *
 * human:    2026-01-31T12:00:00.123456Z  INFO conn{peer="::1"}:request{id=7}: net: message a=1
 * compact:  12:00:00.123 I net: message a=1 id=7 peer="::1"
 *
 * The begin of a span whose parent is in another program shows the ids of trace and parent.
 */
#include "tracing/line_values.h"
#include "tracing/span.h"
#include "tracing/stderr_layer.h"
#include "tracing/value_text.h"

#include <inttypes.h>
#include <string.h>

#define RESET "\x1b[0m"
#define DIM   "\x1b[2m"
#define BOLD  "\x1b[1m"

/* Red, yellow, green, blue, purple. */
static const char *colour_of(uint8_t level)
{
    static const char *const colours[] = {[CAIRN_TRACING_ERROR] = "\x1b[31m",
                                          [CAIRN_TRACING_WARN] = "\x1b[33m",
                                          [CAIRN_TRACING_INFO] = "\x1b[32m",
                                          [CAIRN_TRACING_DEBUG] = "\x1b[34m",
                                          [CAIRN_TRACING_TRACE] = "\x1b[35m"};

    return level >= CAIRN_TRACING_ERROR && level <= CAIRN_TRACING_TRACE ? colours[level] : "";
}

static void colour(struct cairn_line *line, const struct stderr_layer *layer, const char *escape)
{
    if (layer->has_colours)
        cairn_line_add(line, escape, strlen(escape));
}

static void add_target(struct cairn_line *line, const struct stderr_layer *layer,
                       const struct cairn_callsite *site)
{
    colour(line, layer, DIM);
    cairn_line_human_text(line, site->target, site->target_bytes);
    cairn_line_add_char(line, ':');
    colour(line, layer, RESET);
}

/* Adds the fields that have a value. Returns `shown` plus their number. */
static uint32_t add_span_fields(struct cairn_line *line, const struct cairn_span *span,
                                char separator, uint32_t shown)
{
    const struct cairn_callsite *site = cairn_span_callsite(span);

    for (uint32_t i = 0; i < site->field_count; i++) {
        struct cairn_tracing_value value = cairn_span_value(span, i);

        if (value.kind == CAIRN_KIND_NONE)
            continue;
        cairn_line_add_char(line, shown++ ? ' ' : separator);
        cairn_line_human_field(line, site->fields[i], &value);
    }
    return shown;
}

static void add_spans(struct cairn_line *line, const struct stderr_layer *layer,
                      struct cairn_span *innermost)
{
    struct cairn_span *spans[CAIRN_SHOWN_SPANS_MAX];
    bool is_cut;
    uint32_t count = cairn_shown_spans(layer, innermost, spans, &is_cut);

    if (is_cut)
        cairn_line_add_literal(line, "...:");
    for (uint32_t i = count; i--;) {
        const char *name = cairn_span_callsite(spans[i])->name;

        colour(line, layer, BOLD);
        cairn_line_human_text(line, name, strlen(name));
        colour(line, layer, RESET);
        if (add_span_fields(line, spans[i], '{', 0))
            cairn_line_add_char(line, '}');
        cairn_line_add_char(line, ':');
        if (!i)
            cairn_line_add_char(line, ' ');
    }
}

static void add_digits(struct cairn_line *line, const char *name, const uint8_t *id, size_t bytes)
{
    char digits[2 * sizeof(((struct cairn_trace_context *)0)->trace_id) + 1];

    cairn_hex_text(id, bytes, digits);
    cairn_line_printf(line, " %s=%s", name, digits);
}

/* Adds the connections of a span that the line's list of spans does not show. */
static void add_links(struct cairn_line *line, const struct cairn_line_source *source)
{
    struct cairn_trace_context context;
    uint8_t parent_id[8];

    if (source->is_begin && source->span->remote == source->span &&
        cairn_span_context(source->span, &context) &&
        cairn_span_parent_id(source->span, parent_id)) {
        add_digits(line, "trace_id", context.trace_id, sizeof(context.trace_id));
        add_digits(line, "parent_span_id", parent_id, sizeof(parent_id));
    }
    if (cairn_span_context(source->cause, &context)) {
        const char *name = cairn_span_callsite(source->cause)->name;

        cairn_line_add_literal(line, " cause=");
        cairn_line_human_text(line, name, strlen(name));
        add_digits(line, "trace_id", context.trace_id, sizeof(context.trace_id));
        add_digits(line, "span_id", context.span_id, sizeof(context.span_id));
    }
}

static void add_message(struct cairn_line *line, const struct cairn_line_source *source)
{
    if (source->message_bytes) {
        cairn_line_add_char(line, ' ');
        cairn_line_human_text(line, source->message, source->message_bytes);
    }
    for (uint32_t i = 0; source->values && i < source->site->field_count; i++) {
        if (source->values[i].kind == CAIRN_KIND_NONE)
            continue;
        cairn_line_add_char(line, ' ');
        cairn_line_human_field(line, source->site->fields[i], &source->values[i]);
    }
    if (source->is_end)
        cairn_line_printf(line, " duration_ns=%" PRIu64, source->duration_ns);
    add_links(line, source);
}

/* Right-aligned in a column of five. */
static void add_level(struct cairn_line *line, const char *name)
{
    size_t length = strlen(name);

    cairn_line_add(line, "     ", length < 5 ? 5 - length : 0);
    cairn_line_add(line, name, length);
}

void cairn_line_format_human(struct cairn_line *line, const struct stderr_layer *layer,
                             const struct cairn_line_source *source)
{
    char time[CAIRN_VALUE_TEXT_BYTES];

    colour(line, layer, DIM);
    cairn_line_add(line, time, cairn_time_text(cairn_tracing_now_ns(), 6, time));
    colour(line, layer, RESET);
    cairn_line_add_char(line, ' ');
    colour(line, layer, colour_of(source->site->level));
    add_level(line, cairn_tracing_level_name(source->site->level));
    colour(line, layer, RESET);
    cairn_line_add_char(line, ' ');
    add_spans(line, layer, source->span);
    add_target(line, layer, source->site);
    add_message(line, source);
}

void cairn_line_format_compact(struct cairn_line *line, const struct stderr_layer *layer,
                               const struct cairn_line_source *source)
{
    struct cairn_span *spans[CAIRN_SHOWN_SPANS_MAX];
    bool is_cut;
    uint32_t count = cairn_shown_spans(layer, source->span, spans, &is_cut);
    char time[CAIRN_VALUE_TEXT_BYTES];
    size_t length = cairn_time_text(cairn_tracing_now_ns(), 3, time);
    const char *clock = memchr(time, 'T', length);

    if (clock) /* without the date and the Z */
        cairn_line_add(line, clock + 1, length - (size_t)(clock + 1 - time) - 1);
    cairn_line_add_char(line, ' ');
    colour(line, layer, colour_of(source->site->level));
    cairn_line_add(line, cairn_tracing_level_name(source->site->level), 1);
    colour(line, layer, RESET);
    cairn_line_add_char(line, ' ');
    add_target(line, layer, source->site);
    add_message(line, source);
    for (uint32_t i = 0; i < count; i++)
        (void)add_span_fields(line, spans[i], ' ', 1);
    if (is_cut)
        cairn_line_add_literal(line, " ...");
}
