/* SPDX-License-Identifier: MIT */
/*
 * The metadata of an event, kept after the builder made it for the first time: names and types of a
 * place's fields are mostly the same each time, and then only the values are new.
 */
#ifndef TRACING_EVENTHEADER_PLAN_H
#define TRACING_EVENTHEADER_PLAN_H

#include "tracing/provider.h"

#include <cairn/eventheader_dynamic.h>

struct cairn_plan;

/* The plan of an event of this place, opcode, and kinds of fields; NULL: none yet. */
const struct cairn_plan *cairn_plan_find(const struct cairn_provider_event *event);

/* Keeps what the builder has just made of the event. No memory, or too many: the builder does. */
void cairn_plan_keep(const struct cairn_provider_event *event, const struct cairn_builder *builder);

/* Returns 0; EBADF nobody listens; E2BIG; ENOSPC; or what the kernel said. */
int cairn_plan_write(const struct cairn_plan *plan, const struct cairn_event_set *set,
                     const struct cairn_provider_event *event);

/* The same, for nobody to find: free() lets go of it. NULL: no memory. */
struct cairn_plan *cairn_plan_make(const struct cairn_provider_event *event,
                                   const struct cairn_builder *builder);

/* Bytes of the event's payload, as far as 32 bits count them; and of it with all counted values
 * empty. */
uint32_t cairn_plan_bytes(const struct cairn_plan *plan, const struct cairn_provider_event *event);
uint32_t cairn_plan_least_bytes(const struct cairn_plan *plan,
                                const struct cairn_provider_event *event);

/* Writes an event to one of the backends, whose limit it is known to be within. Returns what the
 * backend said. */
int cairn_plan_write_local(const struct cairn_plan *plan, const struct cairn_event_set *set,
                           const struct cairn_provider_event *event);
int cairn_plan_write_kernel(const struct cairn_plan *plan, const struct cairn_event_set *set,
                            const struct cairn_provider_event *event);

/* A shared object goes, and with it places: others may come to where they were. */
void cairn_plan_forget_all(void);

#endif
