/* SPDX-License-Identifier: MIT */
/* Functions of spans for layers: properties of a span, and data that layers attach to it. */
#include "core/atomic.h"
#include "engine/locks.h"
#include "tracing/span.h"

#include <cairn/tracing/layer.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint64_t cairn_span_id(const struct cairn_span *span)
{
    return span ? span->id : 0;
}

const struct cairn_callsite *cairn_span_callsite(const struct cairn_span *span)
{
    return span ? span->site : NULL;
}

struct cairn_span *cairn_span_parent(const struct cairn_span *span)
{
    return span ? span->parent : NULL;
}

uint64_t cairn_span_begin_ns(const struct cairn_span *span)
{
    return span ? span->begin_ns : 0;
}

bool cairn_span_is_inherited(const struct cairn_span *span)
{
    engine_locks_check_process();
    return span && span->forks != engine_forks;
}

bool cairn_span_context(const struct cairn_span *span, struct cairn_trace_context *ret_context)
{
    if (!span)
        return false;
    *ret_context = span->context;
    return true;
}

bool cairn_span_parent_id(const struct cairn_span *span, uint8_t ret_span_id[8])
{
    static const uint8_t none[8];

    if (!span || !memcmp(span->parent_id, none, sizeof(none)))
        return false;
    memcpy(ret_span_id, span->parent_id, sizeof(none));
    return true;
}

/* ---- spans and data of a layer ---- */

/* The slot may have belonged to another layer when the span began. */
static bool has_taken(const struct cairn_layer *layer, const struct cairn_span *span)
{
    return core_load_relaxed(&span->layers) >> layer->slot & 1 && span->begin_ns >= layer->since_ns;
}

/* A span never began before its ancestors. */
struct cairn_span *cairn_layer_span(const struct cairn_layer *layer, struct cairn_span *span)
{
    while (span && !has_taken(layer, span)) {
        bool is_above = core_load_acquire(&span->layers_above) >> layer->slot & 1;

        span =
            is_above && span->begin_ns >= layer->since_ns ? core_load_relaxed(&span->skip) : NULL;
    }
    return span;
}

bool tracing_layer_parent_id(const struct cairn_layer *layer, const struct cairn_span *span,
                             uint8_t ret_span_id[8])
{
    const struct cairn_span *nearest = cairn_layer_span(layer, span->parent);
    const struct cairn_span *remote = span->remote;
    const uint8_t *id = NULL;

    if (remote && (remote == span || !nearest || nearest->depth < remote->depth))
        id = remote->parent_id;
    else if (nearest)
        id = nearest->context.span_id;
    if (id)
        memcpy(ret_span_id, id, sizeof(nearest->context.span_id));
    return id;
}

int cairn_layer_keep(const struct cairn_layer *layer, struct cairn_span *span, void *kept)
{
    void **all;
    void **created;

    if (!span || !has_taken(layer, span))
        return EINVAL;
    all = core_load_acquire(&span->kept);
    if (!all) {
        created = calloc(CAIRN_LAYERS_MAX, sizeof(void *));
        if (!created)
            return ENOMEM;
        /* Pairs with the acquire of readers: zeros are visible before the address. */
        if (!core_compare_exchange_release(&span->kept, &all, created))
            free(created);
        all = core_load_acquire(&span->kept);
    }
    core_store_release(&all[layer->slot], kept);
    return 0;
}

void *cairn_layer_kept(const struct cairn_layer *layer, const struct cairn_span *span)
{
    void **all = span ? core_load_acquire(&span->kept) : NULL;

    return all && has_taken(layer, span) ? core_load_acquire(&all[layer->slot]) : NULL;
}
