/* SPDX-License-Identifier: MIT */
/* Events of a provider on Windows: the builder makes each anew, and one that is too large for ETW
 * is truncated (eventheader_cache.h, eventheader_cut.h). */
#include "eventheader/etw.h"
#include "tracing/eventheader_cache.h"
#include "tracing/eventheader_cut.h"

#include <errno.h>

struct tracing_cached_event *tracing_cached_event_find(const struct cairn_event_set *set,
                                                       const struct tracing_provider_event *event)
{
    (void)set;
    (void)event;
    return NULL;
}

void tracing_cached_event_add(const struct cairn_event_set *set,
                              const struct tracing_provider_event *event,
                              const struct cairn_builder *builder)
{
    (void)set;
    (void)event;
    (void)builder;
}

int tracing_cached_event_write(struct tracing_cached_event *cached,
                               const struct tracing_provider_event *event)
{
    (void)cached;
    (void)event;
    return EBADF;
}

void tracing_cached_event_remember(struct tracing_cached_event *cached)
{
    (void)cached;
}

int tracing_cached_event_write_values(const struct cairn_callsite *site,
                                      const struct cairn_event_set *set,
                                      const struct cairn_tracing_value *values)
{
    (void)site;
    (void)set;
    (void)values;
    return EAGAIN;
}

void tracing_cached_events_invalidate(void)
{
}

/* Adds the field that says how much is missing, and returns the size of the event without texts and
 * counted bytes. UINT32_MAX: it is too large even then. */
static uint32_t mark(struct cairn_builder *builder, const struct cairn_event_set *set,
                     struct tracing_provider_event *event)
{
    struct tracing_provider_event empty;
    uint32_t bytes;

    tracing_provider_add(event, "truncated_bytes", cairn_i_value_bits(CAIRN_KIND_UNSIGNED, 0));
    empty = *event;
    (void)tracing_eventheader_cut_values(&empty, 0);
    if (tracing_eventheader_build(builder, &empty) ||
        eventheader_builder_etw_bytes(builder, set, event->related != NULL, &bytes))
        return UINT32_MAX;
    return bytes;
}

int tracing_eventheader_write_cut(struct cairn_builder *builder, const struct cairn_event_set *set,
                                  const struct tracing_provider_event *event)
{
    struct tracing_provider_event cut = *event;
    uint32_t least_bytes = mark(builder, set, &cut);
    uint64_t missing;
    int error;

    if (least_bytes > EVENTHEADER_ETW_MAX_BYTES)
        return E2BIG;
    missing = tracing_eventheader_cut_values(&cut, EVENTHEADER_ETW_MAX_BYTES - least_bytes);
    if (!missing) /* a session has no space for an event of this size: its buffers are smaller */
        return E2BIG;
    cut.fields[cut.field_count - 1].value.of.bits = missing;
    error = tracing_eventheader_build(builder, &cut);
    return error ? error : cairn_builder_write(builder, set, cut.activity, cut.related);
}
