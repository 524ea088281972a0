/* SPDX-License-Identifier: MIT */
/*
 * The parts of the exporter for OpenTelemetry's protocol: spans and log records are collected in
 * batches, which are requests; a request is encoded as protobuf or JSON, and written or sent.
 */
#ifndef EXCHANGE_OTLP_H
#define EXCHANGE_OTLP_H

#include "exchange/arena.h"
#include "exchange/format.h"
#include "exchange/pack.h"

#include "exchange/otlp.pb-c.h"

/* ---- values: otlp_values.c ---- */

/* Memory of messages. `error` is ENOMEM after a failure. */
struct exchange_otlp_memory {
    struct cairn_exporter *exporter;
    struct exchange_arena arena;
    int error;
};

/* Returns NULL after a failure. */
void *exchange_otlp_take(struct exchange_otlp_memory *memory, size_t size_bytes);
ProtobufCBinaryData exchange_otlp_bytes(struct exchange_otlp_memory *memory, const void *data,
                                        size_t size_bytes);
ProtobufCBinaryData exchange_otlp_text(struct exchange_otlp_memory *memory,
                                       struct cairn_slice text);

/* Attributes that are made one by one, before they are an array. */
struct exchange_otlp_list {
    struct exchange_otlp_node *first;
    struct exchange_otlp_node *last;
    size_t count;
};

void exchange_otlp_add_text(struct exchange_otlp_memory *memory, struct exchange_otlp_list *list,
                            const char *key, struct cairn_slice text);
void exchange_otlp_add_number(struct exchange_otlp_memory *memory, struct exchange_otlp_list *list,
                              const char *key, uint64_t number);
void exchange_otlp_add_flag(struct exchange_otlp_memory *memory, struct exchange_otlp_list *list,
                            const char *key);

/* The ids that the facade's events have as fields. A field of another size is an attribute. */
struct exchange_otlp_ids {
    bool has_trace;
    bool has_span;
    bool has_parent;
    bool has_link;
    uint8_t trace[16];
    uint8_t span[8];
    uint8_t parent[8];
    uint8_t link_trace[16];
    uint8_t link_span[8];
};

/* Adds the fields of an event, and with_header what its header has; takes the ids from them. */
void exchange_otlp_add_event(struct exchange_otlp_memory *memory, struct exchange_otlp_list *list,
                             const struct cairn_event *event, bool with_header,
                             struct exchange_otlp_ids *ret_ids);

/* Returns the list as an array of list->count, NULL after a failure. */
ExchangeOtlp__KeyValue **exchange_otlp_array(struct exchange_otlp_memory *memory,
                                             const struct exchange_otlp_list *list);

/* ---- batches: otlp_batch.c ---- */

enum exchange_otlp_kind {
    EXCHANGE_OTLP_SPANS,
    EXCHANGE_OTLP_LOGS,
};

/* A process and a provider: what the following items have in common. */
struct exchange_otlp_origin {
    bool has_pid;
    uint32_t pid;
    const char *comm; /* NULL: unknown */
    struct cairn_slice provider;
};

struct exchange_otlp_batch {
    enum exchange_otlp_kind kind;
    struct exchange_otlp_memory memory;
    struct exchange_otlp_group *first;
    struct exchange_otlp_group *last;
    size_t count; /* of items */
    size_t group_count;
};

/* Items in a request at most. */
#define EXCHANGE_OTLP_ITEMS_MAX 512u

/* Adds a Span or a LogRecord that is in the batch's memory. Returns 0, ENOMEM. */
int exchange_otlp_batch_add(struct exchange_otlp_batch *batch,
                            const struct exchange_otlp_origin *origin, ProtobufCMessage *item);

/* Returns the request in the batch's memory; NULL after a failure. `hostname` may be NULL. */
ProtobufCMessage *exchange_otlp_batch_request(struct exchange_otlp_batch *batch,
                                              const char *hostname);

void exchange_otlp_batch_clear(struct exchange_otlp_batch *batch);
void exchange_otlp_batch_free(struct exchange_otlp_batch *batch);

/* ---- protobuf: otlp_pack.c ---- */

/* For struct exchange_pack. */
bool exchange_otlp_pack_own(struct exchange_pack *pack, const ProtobufCMessage *message);

/* ---- JSON: otlp_json.c ---- */

/* Adds a message as JSON: ids in hexadecimal, integers of 64 bits as texts. */
void exchange_otlp_json(struct export_print_output *out, const ProtobufCMessage *message);

/* ---- HTTP: otlp_http.c ---- */

struct exchange_otlp_http;

/*
 * url  "/v1/traces" and "/v1/logs" are added
 *
 * Returns 0; ENOMEM; EOPNOTSUPP no libcurl, or it is not installed; EINVAL invalid settings in the
 * environment.
 */
int exchange_otlp_http_open(const char *url, bool is_json, struct exchange_otlp_http **ret_http);

/* Accepts NULL. */
void exchange_otlp_http_close(struct exchange_otlp_http *http);

struct exchange_otlp_result {
    bool is_delivered;
    uint64_t rejected;
    char problem[256]; /* why not, or why some were rejected; "": neither */
};

/* Sends a request, again after temporary failures. Returns 0, also if it was not delivered; ENOMEM.
 */
int exchange_otlp_http_send(struct exchange_otlp_http *http, enum exchange_otlp_kind kind,
                            const void *body, size_t size_bytes,
                            struct exchange_otlp_result *ret_result);

#endif
