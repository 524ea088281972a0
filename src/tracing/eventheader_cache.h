/* SPDX-License-Identifier: MIT */
/* A cache of the metadata that a builder has made for events: the names and types of a call site's
 * fields are mostly the same for each event, so that only the values are new. */
#ifndef TRACING_EVENTHEADER_CACHE_H
#define TRACING_EVENTHEADER_CACHE_H

#include "tracing/provider.h"

#include <cairn/eventheader_dynamic.h>

struct tracing_cached_event;

/* The entry for this call site, event set, opcode, and kinds of fields; NULL: none yet. */
struct tracing_cached_event *tracing_cached_event_find(const struct cairn_event_set *set,
                                                       const struct tracing_provider_event *event);

/* Adds what the builder has just made of the event. Without memory, or if there are too many
 * entries, it adds nothing, and the builder makes the next event again. */
void tracing_cached_event_add(const struct cairn_event_set *set,
                              const struct tracing_provider_event *event,
                              const struct cairn_builder *builder);

/* Returns 0; EBADF no backend is enabled; E2BIG; ENOSPC; or the kernel's error. */
int tracing_cached_event_write(struct tracing_cached_event *cached,
                               const struct tracing_provider_event *event);

/* Remembers the entry in its call site, for events of its values alone. */
void tracing_cached_event_remember(struct tracing_cached_event *cached);

/*
 * Writes an event of values alone with the entry that its call site remembers for this set. Returns
 * 0; EAGAIN nothing was done, and tracing_cached_event_write may succeed, since there is no such
 * entry, or the event needs more than a copy of short values into one buffer.
 */
int tracing_cached_event_write_values(const struct cairn_callsite *site,
                                      const struct cairn_event_set *set,
                                      const struct cairn_tracing_value *values);

/* Makes an entry that is not in the cache; the caller frees it with free(). NULL: no memory. */
struct tracing_cached_event *tracing_cached_event_make(const struct cairn_event_set *set,
                                                       const struct tracing_provider_event *event,
                                                       const struct cairn_builder *builder);

/* Size of the event's payload, at most UINT32_MAX; and its size with all counted values empty. */
uint32_t tracing_cached_event_bytes(const struct tracing_cached_event *cached,
                                    const struct tracing_provider_event *event);
uint32_t tracing_cached_event_least_bytes(const struct tracing_cached_event *cached,
                                          const struct tracing_provider_event *event);

/* Writes an event to one of the backends, whose limit it does not exceed. Returns the result of the
 * backend. */
int tracing_cached_event_write_local(const struct tracing_cached_event *cached,
                                     const struct tracing_provider_event *event);
int tracing_cached_event_write_kernel(const struct tracing_cached_event *cached,
                                      const struct tracing_provider_event *event);

/* Invalidates all entries. A shared object is unloaded with its call sites: others may get their
 * addresses. */
void tracing_cached_events_invalidate(void);

#endif
