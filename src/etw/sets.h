/* SPDX-License-Identifier: MIT */
/* Event sets of a provider that is created at run time. */
#ifndef ETW_SETS_H
#define ETW_SETS_H

#include <cairn/eventheader.h>
#include <cairn/eventheader_dynamic.h>

/* The first of a provider's sets is in reserved_state[0]; a set's provider is its tracepoint's
 * `local`. */
static inline struct cairn_event_set **etw_sets_of(struct cairn_provider *provider)
{
    return (struct cairn_event_set **)(void *)&provider->reserved_state[0];
}

static inline const struct cairn_provider *etw_provider_of(const struct cairn_event_set *set)
{
    return set->tracepoint.local;
}

/* Enables and disables the sets by what the sessions want. Takes no lock. */
void etw_sets_update(struct cairn_provider *provider);

#endif
