/* SPDX-License-Identifier: MIT */
/* The levels that filters select in a span: computed once and cached in the span. */
#include "tracing/span_filter.h"

#include "core/atomic.h"
#include "tracing/dispatch.h"

/* Maximal number of spans whose results one walk stores: the innermost. */
#define FILLED_AT_ONCE 64u

static uint64_t epoch = 2; /* even */
static bool asks_values;

/* Slots of layers, by level. */
struct found {
    uint32_t slots[TRACING_FILTERED_LEVELS];
};

void tracing_span_filter_change_all(void)
{
    /* A thread that sees the number sees what was changed before. */
    core_fetch_add_seq_cst(&epoch, 2);
}

void tracing_span_filter_ask_values(bool on)
{
    core_store_seq_cst(&asks_values, on);
}

bool tracing_span_filter_asks_values(void)
{
    return core_load_relaxed(&asks_values);
}

/* ---- the cached result ---- */

/* False: there is no valid result. */
static bool read_cached(const struct cairn_span *span, uint64_t now, struct found *ret_found)
{
    const struct tracing_span_filter *f = &span->filter;
    uint32_t found_with;

    /* Pairs with the last store of store(); the fence below pairs with its first. */
    if (core_load_acquire(&f->epoch) != now)
        return false;
    found_with = core_load_relaxed(&f->found_with);
    for (uint32_t i = 0; i < TRACING_FILTERED_LEVELS; i++)
        ret_found->slots[i] = core_load_relaxed(&f->slots[i]);
    core_fence_acquire();
    return core_load_relaxed(&f->epoch) == now && core_load_seq_cst(&f->version) == found_with;
}

/* If another thread is storing a result, this one is only used by the caller. */
static void store(struct cairn_span *span, uint64_t now, uint32_t version,
                  const struct found *found)
{
    struct tracing_span_filter *f = &span->filter;
    uint64_t old = core_load_relaxed(&f->epoch);

    if (old & 1 || !core_compare_exchange_acquire(&f->epoch, &old, now | 1))
        return;
    /* Pairs with the reader's fence: a reader that sees a new word sees the odd number. */
    core_fence_release();
    core_store_relaxed(&f->found_with, version);
    for (uint32_t i = 0; i < TRACING_FILTERED_LEVELS; i++)
        core_store_relaxed(&f->slots[i], found->slots[i]);
    core_store_release(&f->epoch, now);
}

/* ---- computing ---- */

/* Adds what a span lets through by itself. */
static void add_own(const struct cairn_span *span, struct found *found)
{
    for (uint32_t slot = 0; slot < CAIRN_LAYERS_MAX; slot++) {
        const struct tracing_installed_layer *installed = tracing_dispatch_slot(slot);
        uint8_t level = installed ? tracing_directives_level_in(installed->directives, span)
                                  : CAIRN_TRACING_OFF;

        for (uint32_t i = 0; i + CAIRN_TRACING_ERROR <= level; i++)
            found->slots[i] |= UINT32_C(1) << slot;
    }
}

static void add(struct found *found, const struct found *more)
{
    for (uint32_t i = 0; i < TRACING_FILTERED_LEVELS; i++)
        found->slots[i] |= more->slots[i];
}

/* A span, and a version that its values have at least. */
struct span_filter_step {
    struct cairn_span *span;
    uint32_t version;
};

static __attribute__((noinline)) struct found find(struct cairn_span *span, uint64_t now)
{
    struct span_filter_step steps[FILLED_AT_ONCE];
    struct found found = {{0}};
    struct found cached;
    uint32_t count = 0;

    for (; span && !read_cached(span, now, &cached); span = span->parent) {
        uint32_t version = core_load_seq_cst(&span->filter.version);

        if (count < FILLED_AT_ONCE)
            steps[count++] = (struct span_filter_step){span, version};
        else
            add_own(span, &found);
    }
    if (span)
        add(&found, &cached);
    while (count) {
        const struct span_filter_step *step = &steps[--count];

        add_own(step->span, &found);
        store(step->span, now, step->version, &found);
    }
    return found;
}

uint32_t tracing_span_filter_slots(struct cairn_span *span, uint8_t level)
{
    uint64_t now = core_load_seq_cst(&epoch);
    struct found found;

    if (!span || level < CAIRN_TRACING_ERROR || level > CAIRN_TRACING_TRACE)
        return 0;
    if (!read_cached(span, now, &found))
        found = find(span, now);
    return found.slots[level - CAIRN_TRACING_ERROR];
}

/* ---- changes of values ---- */

void tracing_span_filter_child(struct cairn_span *parent)
{
    /* Either a thread that changes a value of the parent sees this, or the child sees the new
     * value. */
    if (!core_load_relaxed(&parent->filter.has_children))
        core_store_seq_cst(&parent->filter.has_children, true);
}

bool tracing_span_filter_distinguishes(const struct cairn_span *span, uint32_t index,
                                       const struct cairn_tracing_value *old,
                                       const struct cairn_tracing_value *value)
{
    for (uint32_t slot = 0; slot < CAIRN_LAYERS_MAX; slot++) {
        const struct tracing_installed_layer *installed = tracing_dispatch_slot(slot);

        if (installed &&
            tracing_directives_distinguish(installed->directives, span->site, index, old, value))
            return true;
    }
    return false;
}

void tracing_span_filter_change(struct cairn_span *span)
{
    core_fetch_add_seq_cst(&span->filter.version, 1);
    if (core_load_seq_cst(&span->filter.has_children))
        tracing_span_filter_change_all();
}
