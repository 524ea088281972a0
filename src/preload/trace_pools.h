/* SPDX-License-Identifier: MIT */
/* From the pools of the shared session to the buffer of lines. Under the registry's lock. */
#ifndef PRELOAD_TRACE_POOLS_H
#define PRELOAD_TRACE_POOLS_H

#include "preload/trace_buffer.h"

/* Moves what all pools of the file's session hold, in the order of time. Pools of the dead go. */
void cairn_trace_pools_drain(struct cairn_trace_file *file);

#endif
