/* SPDX-License-Identifier: MIT */
/* Finds events by their names. */
#ifndef KERNEL_EVENT_TABLE_H
#define KERNEL_EVENT_TABLE_H

#include <cairn/kernel/control.h>

#include "core/slice.h"

/* The event of a system and a name, or NULL. */
struct cairn_trace_event *kernel_trace_find(const struct cairn_trace *trace,
                                            struct cairn_slice system, struct cairn_slice name);

#endif
