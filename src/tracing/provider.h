/* SPDX-License-Identifier: MIT */
/* The interface between the layer that converts events and spans into events of a provider, and the
 * backends that write those: EventHeader (eventheader_backend.c) now, ETW later. The layer knows
 * the contents of an event; a backend knows the bytes. */
#ifndef TRACING_PROVIDER_H
#define TRACING_PROVIDER_H

#include "tracing/recorders.h"
#include "tracing/thread.h"

#include <cairn/tracing/layers.h>

/* Kinds that values of users do not have. */
enum tracing_provider_kind {
    TRACING_KIND_SCHEMA_VERSION = 64, /* value in `bits` */
    TRACING_KIND_STRUCT, /* number of members in `bits`: the next fields. Only the last can be a
                          struct */
};

struct tracing_provider_field {
    const char *name;
    struct cairn_tracing_value value;
};

/* The event's fields, those that the layer adds, and the one that marks a truncated event. */
#define TRACING_PROVIDER_FIELDS_MAX (CAIRN_TRACING_FIELDS_MAX + 16u)

struct tracing_provider_event {
    /* NULL unless the call site, the opcode and the number of fields determine all names. */
    const struct cairn_callsite *site;
    const char *name;
    uint64_t keyword;
    uint16_t tag;
    uint8_t level;
    uint8_t opcode;
    uint32_t field_count;
    bool has_values_alone; /* the fields are those of the call site, and there are no ids */
    const struct cairn_guid *activity; /* NULL: none */
    const struct cairn_guid *related;
    struct tracing_provider_field fields[TRACING_PROVIDER_FIELDS_MAX];
};

struct tracing_provider_backend {
    /* The tracepoint that a call site of this level and keyword checks; NULL: it can never be
     * enabled. Requires the registry's lock. */
    const struct cairn_tracepoint *(*gate)(struct tracing_provider_backend *backend, uint8_t level,
                                           uint64_t keyword);
    /* True if it is enabled. Its gate was requested before. */
    bool (*enabled)(struct tracing_provider_backend *backend, uint8_t level, uint64_t keyword);
    /* True if recorders in these slots want its events (recorders.h). */
    bool (*wanted_by)(struct tracing_provider_backend *backend, uint8_t level, uint64_t keyword,
                      uint64_t slots);
    /* Truncates and marks an event that is too large. Returns 0 or an errno code: EBADF not
     * enabled. Preserves errno. */
    int (*write)(struct tracing_provider_backend *backend, struct tracing_thread *thread,
                 const struct tracing_provider_event *event);
    /* The short way for an event that has the fields of its call site and nothing else: no message,
     * no ids. Returns 0 or an errno code: EAGAIN nothing was done, and `write` is needed. */
    int (*write_values)(struct tracing_provider_backend *backend, const struct cairn_callsite *site,
                        uint64_t keyword, const struct cairn_tracing_value *values);
    void (*destroy)(struct tracing_provider_backend *backend);
};

struct provider_layer {
    struct cairn_layer base; /* first: a layer is cast to this */
    struct tracing_provider_backend *backend;
    uint64_t default_keyword;
    struct cairn_guid id;
    bool keeps_spans; /* spans begin also while nobody records */
    struct tracing_recorders recorders;
};

/* Adds a field. There is space for every field; one that would not fit is left out. */
static inline void tracing_provider_add(struct tracing_provider_event *event, const char *name,
                                        struct cairn_tracing_value value)
{
    if (event->field_count < TRACING_PROVIDER_FIELDS_MAX)
        event->fields[event->field_count++] = (struct tracing_provider_field){name, value};
}

/* Fills in what the call site determines. */
void tracing_provider_begin(const struct provider_layer *layer, const struct cairn_callsite *site,
                            struct tracing_provider_event *event);
void tracing_provider_add_values(struct tracing_provider_event *event,
                                 const struct cairn_tracing_event *from);
void tracing_provider_add_span_values(struct tracing_provider_event *event,
                                      const struct cairn_span *span);
void tracing_provider_write(struct provider_layer *layer,
                            const struct tracing_provider_event *event);

/* Times in the event are whole seconds, rounded down. */
static inline uint64_t tracing_wire_seconds(int64_t time_ns)
{
    return (uint64_t)(time_ns / 1000000000 - (time_ns % 1000000000 < 0));
}

/* Callbacks for events of the Common Schema. */
void tracing_common_schema_event(struct cairn_layer *base, const struct cairn_tracing_event *from);
void tracing_common_schema_span_close(struct cairn_layer *base, struct cairn_span *span);

/* Creates the EventHeader backend, or finds that of the name and group; `id` is that of the new
 * one, where providers have one; errors are those of cairn_dynamic_provider_create. */
int tracing_eventheader_backend_create(const char *name, const char *group,
                                       const struct cairn_guid *id,
                                       struct tracing_provider_backend **ret_backend);

#endif
