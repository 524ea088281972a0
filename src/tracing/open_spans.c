/* SPDX-License-Identifier: MIT */
/* Spans that are open when a recorder begins: a layer takes those that it would have taken then. */
#include "tracing/span.h"

#include "core/atomic.h"
#include "tracing/dispatch.h"
#include "tracing/span_filter.h"
#include "tracing/subscriber.h"

/* Deeper spans follow in no order. */
#define ORDERED_DEPTHS 64u

struct taking {
    struct cairn_layer *layer;
    void (*opened)(struct cairn_layer *layer, struct cairn_span *span, void *arg);
    void *arg;
    uint32_t deepest; /* maximal number of ancestors of a span that was taken */
    uint32_t depth;   /* of the spans that are reported now */
};

/* Which subscriber a span's thread was in is not known: only the global one's layers take it. */
static bool is_wanted(const struct cairn_layer *layer, const struct cairn_span *span)
{
    const struct cairn_subscriber *global = core_load_acquire(&tracing_global_subscriber);
    uint32_t bit = UINT32_C(1) << layer->slot;

    if (!global ||
        !(core_load_acquire(&global->layers) & core_load_acquire(&span->site->wanted) & bit))
        return false;
    return !(core_load_relaxed(&span->site->maybe) & bit) ||
           tracing_span_filter_slots(span->parent, span->site->level) & bit;
}

static bool is_taken(const struct taking *taking, const struct cairn_span *span)
{
    return core_load_relaxed(&span->layers) >> taking->layer->slot & 1 &&
           span->begin_ns >= taking->layer->since_ns && !cairn_span_is_inherited(span);
}

static void take(struct cairn_span *span, void *arg)
{
    struct taking *taking = arg;

    if (is_wanted(taking->layer, span))
        core_fetch_or_relaxed(&span->layers, UINT32_C(1) << taking->layer->slot);
    if (is_taken(taking, span) && span->depth > taking->deepest)
        taking->deepest = span->depth;
}

/* A span that the layer has not taken finds its nearest ancestor that it has, which may be nearer
 * now. */
static void relate(struct cairn_span *span, void *arg)
{
    const struct taking *taking = arg;
    uint32_t bit = UINT32_C(1) << taking->layer->slot;
    uint32_t layers = core_load_relaxed(&span->layers);
    struct cairn_span *above = span->parent;

    if (layers & bit)
        return;
    while (above && !(core_load_relaxed(&above->layers) & bit))
        above = above->parent;
    if (!above)
        return;
    above = span->parent;
    while (!(core_load_relaxed(&above->layers) & ~layers))
        above = above->parent;
    core_store_relaxed(&span->skip, above);
    core_fetch_or_release(&span->layers_above, bit);
}

static void report(struct cairn_span *span, void *arg)
{
    const struct taking *taking = arg;

    if (is_taken(taking, span) &&
        (span->depth == taking->depth ||
         (taking->depth == ORDERED_DEPTHS && span->depth > taking->depth)))
        taking->opened(taking->layer, span, taking->arg);
}

void tracing_open_spans_take(struct cairn_layer *layer,
                             void (*opened)(struct cairn_layer *layer, struct cairn_span *span,
                                            void *arg),
                             void *arg)
{
    struct taking taking = {layer, opened, arg, 0, 0};

    tracing_span_each(take, &taking);
    tracing_span_each(relate, &taking);
    for (; taking.depth <= taking.deepest && taking.depth <= ORDERED_DEPTHS; taking.depth++)
        tracing_span_each(report, &taking);
}
