/* SPDX-License-Identifier: MIT */
/* Typed tracepoints on Windows: each system is a provider, and each tracepoint a TraceLogging
 * event. */
#ifndef ETW_TYPED_H
#define ETW_TYPED_H

#include "etw/copy.h"

#include <cairn/eventheader.h>
#include <cairn/typed_tracepoint.h>

/* Tracepoints have no level: INFORMATION. */
#define ETW_TYPED_LEVEL 4u

/* Bits of a status. */
enum etw_typed_status {
    ETW_TYPED_SESSIONS = 1,  /* sessions want the provider's events */
    ETW_TYPED_CALLBACKS = 2, /* the process itself has callbacks */
};

/* The registration of a tracepoint, to which its `local` points. It is never freed, because a
 * thread may still read it; it is used again for a tracepoint with the same metadata. */
struct etw_typed {
    struct etw_typed *next;          /* of the provider: a list that only grows */
    struct etw_typed_system *system; /* its provider */
    struct cairn_trace_event *event; /* NULL: it is not registered now */
    unsigned char status;            /* enum etw_typed_status */
    uint8_t metadata[];              /* its size, then as in TraceLogging */
};

/* A provider of tracepoints, which is never freed. */
struct etw_typed_system {
    struct cairn_provider provider; /* its reserved_state[1] leads to the registrations */
    struct etw_typed_system *next;
    uint32_t used; /* registrations in use; 0: the provider is not registered */
    char name[];
};

/* All tracepoints of the process are in this trace. */
extern struct cairn_trace etw_typed_trace;

/* Prepares it, once. */
void etw_typed_prepare(void);

/* Writes the metadata of a TraceLogging event with the fields of a tracepoint. E2BIG: it is too
 * large. */
int etw_typed_write_metadata(const struct cairn_trace_event *event, struct etw_copy *ret_metadata);

/* Sets the bits of a provider's tracepoints to what its sessions want. Takes no lock. */
void etw_typed_update(struct cairn_provider *provider);

#endif
