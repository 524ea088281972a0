/* SPDX-License-Identifier: MIT */
/* Recorders that have begun to collect since a layer looked last: those of cairn's engine. The
 * kernel does not report when another one begins. */
#ifndef TRACING_RECORDERS_H
#define TRACING_RECORDERS_H

#include <cairn/tracepoint.h>
#include <stdbool.h>
#include <stdint.h>

struct tracing_recorders {
    bool has_begun;      /* under the registry's lock */
    uint32_t changes;    /* of the registry, at the last look */
    uint64_t generation; /* of the latest recorder that is known; 0: none */
};

/* Those that exist are known from the first call on. */
void tracing_recorders_begin(struct tracing_recorders *known);

/* True if there may be new ones: two loads. Any thread. */
bool tracing_recorders_have_changed(const struct tracing_recorders *known);

/* The slots of the new ones, which are known afterwards: only one of several threads gets them. */
uint64_t tracing_recorders_new(struct tracing_recorders *known);

/* True if one of these slots has a recorder that wants a tracepoint. */
bool tracing_recorders_want(const struct cairn_tracepoint *tp, uint64_t slots);

#endif
