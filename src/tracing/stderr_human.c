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

static void colour(struct tracing_line *line, const struct stderr_layer *layer, const char *escape)
{
    if (layer->has_colours)
        tracing_line_add(line, escape, strlen(escape));
}

static void add_target(struct tracing_line *line, const struct stderr_layer *layer,
                       const struct cairn_callsite *site)
{
    colour(line, layer, DIM);
    tracing_line_human_text(line, site->target, site->target_bytes);
    tracing_line_add_char(line, ':');
    colour(line, layer, RESET);
}

/* Adds the fields that have a value. Returns `shown` plus their number. */
static uint32_t add_span_fields(struct tracing_line *line, const struct cairn_span *span,
                                char separator, uint32_t shown)
{
    const struct cairn_callsite *site = cairn_span_callsite(span);

    for (uint32_t i = 0; i < site->field_count; i++) {
        struct cairn_tracing_value value = cairn_span_value(span, i);

        if (value.kind == CAIRN_KIND_NONE)
            continue;
        tracing_line_add_char(line, shown++ ? ' ' : separator);
        tracing_line_human_field(line, site->fields[i], &value);
    }
    return shown;
}

static void add_spans(struct tracing_line *line, const struct stderr_layer *layer,
                      struct cairn_span *innermost)
{
    struct cairn_span *spans[TRACING_SHOWN_SPANS_MAX];
    bool is_cut;
    uint32_t count = tracing_shown_spans(layer, innermost, spans, &is_cut);

    if (is_cut)
        tracing_line_add_literal(line, "...:");
    for (uint32_t i = count; i--;) {
        const char *name = cairn_span_callsite(spans[i])->name;

        colour(line, layer, BOLD);
        tracing_line_human_text(line, name, strlen(name));
        colour(line, layer, RESET);
        if (add_span_fields(line, spans[i], '{', 0))
            tracing_line_add_char(line, '}');
        tracing_line_add_char(line, ':');
        if (!i)
            tracing_line_add_char(line, ' ');
    }
}

static void add_digits(struct tracing_line *line, const char *name, const uint8_t *id, size_t bytes)
{
    char digits[2 * sizeof(((struct cairn_trace_context *)0)->trace_id) + 1];

    tracing_hex_text(id, bytes, digits);
    tracing_line_printf(line, " %s=%s", name, digits);
}

/* Adds the connections of a span that the line's list of spans does not show. */
static void add_links(struct tracing_line *line, const struct tracing_line_source *source)
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

        tracing_line_add_literal(line, " cause=");
        tracing_line_human_text(line, name, strlen(name));
        add_digits(line, "trace_id", context.trace_id, sizeof(context.trace_id));
        add_digits(line, "span_id", context.span_id, sizeof(context.span_id));
    }
}

static void add_message(struct tracing_line *line, const struct tracing_line_source *source)
{
    if (source->message_bytes) {
        tracing_line_add_char(line, ' ');
        tracing_line_human_text(line, source->message, source->message_bytes);
    }
    for (uint32_t i = 0; source->values && i < source->site->field_count; i++) {
        if (source->values[i].kind == CAIRN_KIND_NONE)
            continue;
        tracing_line_add_char(line, ' ');
        tracing_line_human_field(line, source->site->fields[i], &source->values[i]);
    }
    if (source->is_end)
        tracing_line_printf(line, " duration_ns=%" PRIu64, source->duration_ns);
    add_links(line, source);
}

/* Right-aligned in a column of five. */
static void add_level(struct tracing_line *line, const char *name)
{
    size_t length = strlen(name);

    tracing_line_add(line, "     ", length < 5 ? 5 - length : 0);
    tracing_line_add(line, name, length);
}

void tracing_line_format_human(struct tracing_line *line, const struct stderr_layer *layer,
                               const struct tracing_line_source *source)
{
    char time[TRACING_VALUE_TEXT_BYTES];

    colour(line, layer, DIM);
    tracing_line_add(line, time, tracing_time_text(tracing_now_ns(), 6, time));
    colour(line, layer, RESET);
    tracing_line_add_char(line, ' ');
    colour(line, layer, colour_of(source->site->level));
    add_level(line, tracing_level_name(source->site->level));
    colour(line, layer, RESET);
    tracing_line_add_char(line, ' ');
    add_spans(line, layer, source->span);
    add_target(line, layer, source->site);
    add_message(line, source);
}

void tracing_line_format_compact(struct tracing_line *line, const struct stderr_layer *layer,
                                 const struct tracing_line_source *source)
{
    struct cairn_span *spans[TRACING_SHOWN_SPANS_MAX];
    bool is_cut;
    uint32_t count = tracing_shown_spans(layer, source->span, spans, &is_cut);
    char time[TRACING_VALUE_TEXT_BYTES];
    size_t length = tracing_time_text(tracing_now_ns(), 3, time);
    const char *clock = memchr(time, 'T', length);

    if (clock) /* without the date and the Z */
        tracing_line_add(line, clock + 1, length - (size_t)(clock + 1 - time) - 1);
    tracing_line_add_char(line, ' ');
    colour(line, layer, colour_of(source->site->level));
    tracing_line_add(line, tracing_level_name(source->site->level), 1);
    colour(line, layer, RESET);
    tracing_line_add_char(line, ' ');
    add_target(line, layer, source->site);
    add_message(line, source);
    for (uint32_t i = 0; i < count; i++)
        (void)add_span_fields(line, spans[i], ' ', 1);
    if (is_cut)
        tracing_line_add_literal(line, " ...");
}
