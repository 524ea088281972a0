/* SPDX-License-Identifier: MIT */
/* Events of a provider on Windows: the builder makes each anew, and one that is too large is not
 * written (eventheader_cache.h, eventheader_cut.h). */
#include "tracing/eventheader_cache.h"
#include "tracing/eventheader_cut.h"

#include <errno.h>

struct tracing_cached_event *tracing_cached_event_find(const struct tracing_provider_event *event)
{
    (void)event;
    return NULL;
}

void tracing_cached_event_add(const struct tracing_provider_event *event,
                              const struct cairn_builder *builder)
{
    (void)event;
    (void)builder;
}

int tracing_cached_event_write(struct tracing_cached_event *cached,
                               const struct cairn_event_set *set,
                               const struct tracing_provider_event *event)
{
    (void)cached;
    (void)set;
    (void)event;
    return EBADF;
}

void tracing_cached_event_remember(struct tracing_cached_event *cached,
                                   const struct tracing_provider_event *event)
{
    (void)cached;
    (void)event;
}

bool tracing_cached_event_write_values(const struct tracing_cached_event *cached,
                                       const struct cairn_event_set *set,
                                       const struct cairn_tracing_value *values)
{
    (void)cached;
    (void)set;
    (void)values;
    return false;
}

void tracing_cached_events_invalidate(void)
{
}

int tracing_eventheader_write_cut(struct cairn_builder *builder, const struct cairn_event_set *set,
                                  const struct tracing_provider_event *event)
{
    (void)builder;
    (void)set;
    (void)event;
    return E2BIG;
}
