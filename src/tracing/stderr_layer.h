/* SPDX-License-Identifier: MIT */
/* The layer that writes lines, and the functions that format a line in each style. */
#ifndef TRACING_STDERR_LAYER_H
#define TRACING_STDERR_LAYER_H

#include "tracing/line.h"

#include <cairn/tracing/layers.h>

/* The contents of a line. */
struct tracing_line_source {
    const struct cairn_callsite *site;
    const struct cairn_tracing_value *values; /* NULL: the line is about the span itself */
    const char *message;
    size_t message_bytes;
    struct cairn_span *span; /* innermost one that the layer has taken, or NULL */
    bool is_begin;           /* the span begins */
    bool is_end;             /* the span ends, after duration_ns */
    uint64_t duration_ns;
    const struct cairn_span *cause; /* the span follows from it, or NULL */
};

struct stderr_layer;
typedef void (*tracing_line_format)(struct tracing_line *line, const struct stderr_layer *layer,
                                    const struct tracing_line_source *source);

struct stderr_layer {
    struct cairn_layer base; /* first: a layer is cast to this */
    int fd;
    bool has_colours;
    bool is_torn; /* the last line has no end yet */
    tracing_line_format format;
};

void tracing_line_format_human(struct tracing_line *line, const struct stderr_layer *layer,
                               const struct tracing_line_source *source);
void tracing_line_format_compact(struct tracing_line *line, const struct stderr_layer *layer,
                                 const struct tracing_line_source *source);
void tracing_line_format_json(struct tracing_line *line, const struct stderr_layer *layer,
                              const struct tracing_line_source *source);

const char *tracing_level_name(uint8_t level);

/* Reads CLOCK_REALTIME. */
int64_t tracing_now_ns(void);

/* Maximal number of spans in a line; of more the innermost are shown. */
#define TRACING_SHOWN_SPANS_MAX 64u

/* Collects the span and its ancestors that the layer has taken, innermost first; returns their
 * number. The outermost are left out if there are too many; ret_is_cut is set then. */
static inline uint32_t tracing_shown_spans(const struct stderr_layer *layer,
                                           struct cairn_span *span,
                                           struct cairn_span *ret_spans[TRACING_SHOWN_SPANS_MAX],
                                           bool *ret_is_cut)
{
    uint32_t count = 0;

    for (; span && count < TRACING_SHOWN_SPANS_MAX; count++) {
        ret_spans[count] = span;
        span = cairn_layer_span(&layer->base, cairn_span_parent(span));
    }
    *ret_is_cut = span != NULL;
    return count;
}

#endif
