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
void cairn_plan_keep(const struct cairn_provider_event *event,
                     const struct cairn_event_builder *builder);

/* Returns 0; EBADF nobody listens; E2BIG; ENOSPC; or what the kernel said. */
int cairn_plan_write(const struct cairn_plan *plan, const struct cairn_event_set *set,
                     const struct cairn_provider_event *event);

/* A shared object goes, and with it places: others may come to where they were. */
void cairn_plan_forget_all(void);

#endif
