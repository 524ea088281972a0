/* SPDX-License-Identifier: MIT */
/*
 * Between the layer that turns events and spans into events of a provider, and who writes those:
 * EventHeader (eventheader_backend.c) now, ETW later. The layer knows what an event has; a backend
 * knows bytes.
 */
#ifndef TRACING_PROVIDER_H
#define TRACING_PROVIDER_H

#include "tracing/thread.h"

#include <cairn/tracing/layers.h>

/* Kinds that no user's value has. */
enum cairn_provider_kind {
    CAIRN_KIND_SIGNED32 = 64, /* bits */
    CAIRN_KIND_STRUCT,        /* bits: so many of the next fields are in it; no struct is among them
                                 unless it is the last */
};

struct cairn_provider_field {
    const char *name;
    struct cairn_tracing_value value;
};

/* An event's own, what the layer adds, and what says that it was cut. */
#define CAIRN_PROVIDER_FIELDS_MAX (CAIRN_TRACING_FIELDS_MAX + 16u)

struct cairn_provider_event {
    /* The place, when that, the opcode and the number of fields tell all names; else NULL. */
    const struct cairn_callsite *site;
    const char *name;
    uint64_t keyword;
    uint16_t tag;
    uint8_t level;
    uint8_t opcode;
    uint32_t field_count;
    const struct cairn_guid *activity; /* NULL: none */
    const struct cairn_guid *related;
    struct cairn_provider_field fields[CAIRN_PROVIDER_FIELDS_MAX];
};

struct cairn_backend {
    /* What a place of this level and keyword looks at; NULL: nobody can ever listen. Under the
     * registry's lock. */
    const struct cairn_tracepoint *(*gate)(struct cairn_backend *backend, uint8_t level,
                                           uint64_t keyword);
    /* Whether somebody listens. A gate was asked for before. */
    bool (*enabled)(struct cairn_backend *backend, uint8_t level, uint64_t keyword);
    /* An event that is too large is cut, and marked. Returns 0 or an errno code: EBADF nobody
     * listens. errno stays what it was. */
    int (*write)(struct cairn_backend *backend, struct cairn_tracing_thread *thread,
                 const struct cairn_provider_event *event);
    void (*destroy)(struct cairn_backend *backend);
};

struct provider_layer {
    struct cairn_layer base; /* first: a layer is cast to this */
    struct cairn_backend *backend;
    uint64_t default_keyword;
    struct cairn_guid id;
};

/* Fields are added one by one; what there is no room for is left out (there is). */
static inline void cairn_provider_add(struct cairn_provider_event *event, const char *name,
                                      struct cairn_tracing_value value)
{
    if (event->field_count < CAIRN_PROVIDER_FIELDS_MAX)
        event->fields[event->field_count++] = (struct cairn_provider_field){name, value};
}

/* What an event has of its place. */
void cairn_provider_begin(const struct provider_layer *layer, const struct cairn_callsite *site,
                          struct cairn_provider_event *event);
void cairn_provider_add_values(struct cairn_provider_event *event,
                               const struct cairn_tracing_event *from);
void cairn_provider_add_span_values(struct cairn_provider_event *event,
                                    const struct cairn_span *span);
void cairn_provider_write(struct provider_layer *layer, const struct cairn_provider_event *event);

/* The wire's times are whole seconds, rounded down. */
static inline uint64_t cairn_wire_seconds(int64_t time_ns)
{
    return (uint64_t)(time_ns / 1000000000 - (time_ns % 1000000000 < 0));
}

/* The callbacks for events of the Common Schema. */
void cairn_common_schema_event(struct cairn_layer *base, const struct cairn_tracing_event *from);
void cairn_common_schema_span_close(struct cairn_layer *base, struct cairn_span *span);

/* The backend of EventHeader; errors as cairn_dynamic_provider_create's. */
int cairn_eventheader_backend_create(const char *name, const char *group,
                                     struct cairn_backend **ret_backend);

#endif
