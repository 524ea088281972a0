/* SPDX-License-Identifier: MIT */
/*
 * The parts of the exporter for OpenTelemetry's protocol. Spans and log records are encoded at
 * once, as protobuf or JSON, and collected in batches, which are requests. What is the same in all
 * events of a layout is encoded once.
 */
#ifndef EXCHANGE_OTLP_H
#define EXCHANGE_OTLP_H

#include "exchange/classes.h"
#include "exchange/format.h"

enum exchange_otlp_kind {
    EXCHANGE_OTLP_SPANS,
    EXCHANGE_OTLP_LOGS,
};

/* ---- parts of messages: otlp_parts.c ---- */

/* The place of attributes: the tag of their field in protobuf. JSON needs none. */
enum exchange_otlp_place {
    EXCHANGE_OTLP_IN_MESSAGE = 0x0a, /* field 1: of a resource, of a list of keys and values */
    EXCHANGE_OTLP_IN_LOG = 0x32,     /* field 6 */
    EXCHANGE_OTLP_IN_SPAN = 0x4a,    /* field 9 */
};

/* Keys that are not names of fields. */
#define EXCHANGE_OTLP_NAMES(X)           \
    X(SERVICE, "service.name")           \
    X(PID, "process.pid")                \
    X(HOST, "host.name")                 \
    X(KEYWORD, "cairn.keyword")          \
    X(OPCODE, "cairn.opcode")            \
    X(ID, "cairn.id")                    \
    X(VERSION, "cairn.version")          \
    X(TAG, "cairn.tag")                  \
    X(ACTIVITY, "cairn.activity")        \
    X(RELATED, "cairn.related_activity") \
    X(CPU, "cpu.logical_number")         \
    X(TID, "thread.id")                  \
    X(COMM, "thread.name")               \
    X(STACK, "code.stacktrace")          \
    X(ERROR, "cairn.error")              \
    X(UNFINISHED, "cairn.unfinished")

#define EXCHANGE_OTLP_NAME_OF(NAME, text) EXCHANGE_OTLP_NAME_##NAME,

enum exchange_otlp_name { EXCHANGE_OTLP_NAMES(EXCHANGE_OTLP_NAME_OF) EXCHANGE_OTLP_NAME_COUNT };

/* Encodes in one of the two forms. A key is encoded once: as what is before the value. */
struct exchange_otlp_coder {
    struct cairn_exporter *exporter;
    bool is_json;
    struct cairn_slice names[EXCHANGE_OTLP_NAME_COUNT]; /* in `literals` */
    struct export_print_output literals;                /* in memory */
    struct export_print_output scratch;                 /* in memory: a layout's, or a longer key */
    struct export_print_output stack;                   /* in memory: of an event */
    struct exchange_classes classes[2]; /* by enum exchange_otlp_kind; data: exchange_otlp_texts */
};

/* Returns 0, ENOMEM. Close it also after a failure. */
int exchange_otlp_coder_open(struct exchange_otlp_coder *coder, struct cairn_exporter *exporter,
                             bool is_json);
void exchange_otlp_coder_close(struct exchange_otlp_coder *coder);

static inline size_t exchange_otlp_position(const struct export_print_output *out)
{
    return (size_t)(out->at - out->begin);
}

/* Sets the bytes that are copied with a text but are not part of it: export_output_padded. */
static inline void exchange_otlp_pad(struct export_print_output *out)
{
    memset(export_output_reserve(out, EXPORT_OUTPUT_PADDING_BYTES), 0, EXPORT_OUTPUT_PADDING_BYTES);
}

/* Adds a number of protobuf: seven bits in each byte. */
void exchange_otlp_put_varint(struct export_print_output *out, uint64_t value);
size_t exchange_otlp_varint_bytes(uint64_t value);

/* Adds a tag and a size of protobuf before what was added since `begin`. */
void exchange_otlp_wrap(struct export_print_output *out, size_t begin, uint8_t tag);

/* Adds a text as a field of a message: in quotes, or with its tag and its size. */
void exchange_otlp_put_text(struct exchange_otlp_coder *coder, struct export_print_output *out,
                            uint8_t tag, struct cairn_slice text);

/* Adds the key of an attribute, as far as its value. */
void exchange_otlp_put_key(struct exchange_otlp_coder *coder, struct export_print_output *out,
                           struct cairn_slice name);

/* Adds an attribute. In JSON each begins with a comma. A key has bytes after it:
 * export_output_padded. */
void exchange_otlp_add_value(struct exchange_otlp_coder *coder, struct export_print_output *out,
                             enum exchange_otlp_place place, struct cairn_slice key,
                             enum decode_value value, struct decode_value_data data);
void exchange_otlp_add_text(struct exchange_otlp_coder *coder, struct export_print_output *out,
                            enum exchange_otlp_place place, enum exchange_otlp_name name,
                            struct cairn_slice text);
void exchange_otlp_add_number(struct exchange_otlp_coder *coder, struct export_print_output *out,
                              enum exchange_otlp_place place, enum exchange_otlp_name name,
                              int64_t number);
void exchange_otlp_add_flag(struct exchange_otlp_coder *coder, struct export_print_output *out,
                            enum exchange_otlp_place place, enum exchange_otlp_name name);

/* Adds an element of an array. */
void exchange_otlp_add_element(struct exchange_otlp_coder *coder, struct export_print_output *out,
                               enum decode_value value, struct decode_value_data data);

/* A list of JSON whose elements begin with commas: replaces the first one by a bracket, and adds
 * the other bracket. Removes the member's name if there are no elements. Nothing in protobuf. */
size_t exchange_otlp_begin_list(const struct exchange_otlp_coder *coder,
                                struct export_print_output *out, const char *name);
void exchange_otlp_end_list(const struct exchange_otlp_coder *coder,
                            struct export_print_output *out, const char *name, size_t begin);

/* ---- the constant parts of a layout's events: otlp_texts.c ---- */

/* Which id of the facade a field may be, by its name. */
enum exchange_otlp_id {
    EXCHANGE_OTLP_NO_ID,
    EXCHANGE_OTLP_TRACE_ID,
    EXCHANGE_OTLP_SPAN_ID,
    EXCHANGE_OTLP_PARENT_ID,
    EXCHANGE_OTLP_LINK_TRACE_ID,
    EXCHANGE_OTLP_LINK_SPAN_ID,
};

struct exchange_otlp_key {
    struct cairn_slice text; /* with bytes after it: export_output_padded */
    enum exchange_otlp_id id;
    bool is_replaced; /* it has characters in the place of others */
};

struct exchange_otlp_texts {
    struct cairn_slice head; /* of a record: severity, body, name; of a span: name, kind */
    struct cairn_slice tail; /* attributes of the header */
    uint64_t replaced;       /* texts in these that have characters in the place of others */
    struct exchange_otlp_key keys[];
};

/* Returns NULL if there is no memory. */
const struct exchange_otlp_texts *exchange_otlp_texts_of(struct exchange_otlp_coder *coder,
                                                         enum exchange_otlp_kind kind,
                                                         const struct decode_layout *layout);

/* ---- events: otlp_values.c ---- */

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

/* The keys of a span's start, one after the other, each after its length in four bytes. */
struct exchange_otlp_keys {
    const char *text;
    size_t size_bytes;
};

/*
 * Adds the fields of an event as attributes, and takes the ids from them.
 *
 * taken  NULL, or keys that get the prefix "stop."
 * keys   NULL, or an output that the keys are added to
 */
void exchange_otlp_add_fields(struct exchange_otlp_coder *coder, struct export_print_output *out,
                              enum exchange_otlp_kind kind, const struct cairn_event *event,
                              const struct exchange_otlp_texts *texts,
                              const struct exchange_otlp_keys *taken,
                              struct export_print_output *keys, struct exchange_otlp_ids *ret_ids);

/* Adds what its header has. */
void exchange_otlp_add_header(struct exchange_otlp_coder *coder, struct export_print_output *out,
                              enum exchange_otlp_kind kind, const struct cairn_event *event,
                              const struct exchange_otlp_texts *texts,
                              struct export_print_output *keys);

/* ---- batches: otlp_batch.c ---- */

/* A process and a provider: what items have in common. */
struct exchange_otlp_origin {
    bool has_pid;
    uint32_t pid;
    const char *comm; /* NULL: unknown */
    struct cairn_slice provider;
};

/* Items in a request at most. */
#define EXCHANGE_OTLP_ITEMS_MAX 512u
#define EXCHANGE_OTLP_BUCKETS   64u

/* Items of one process and one provider. Numbers of items and groups are from 1 on; 0: none. */
struct exchange_otlp_group {
    bool has_pid;
    uint32_t pid;
    uint32_t first;
    uint32_t last;
    uint32_t next_in_bucket;
    uint32_t provider_bytes;
    size_t items_bytes; /* with tags and sizes, in protobuf */
    size_t provider;    /* positions in `heads` */
    size_t resource;
    size_t scope;
    size_t end;
};

struct exchange_otlp_item {
    uint32_t next;
    uint32_t size_bytes;
    size_t begin; /* in `items` */
};

/* Begins as zeros, but for what exchange_otlp_batch_open sets. */
struct exchange_otlp_batch {
    enum exchange_otlp_kind kind;
    struct exchange_otlp_coder *coder;
    struct export_print_output out;   /* in memory: items, the last one not added perhaps */
    struct export_print_output heads; /* in memory: of groups */
    size_t begin;                     /* of an item that is not added */
    uint32_t count;
    uint32_t group_count;
    uint32_t buckets[EXCHANGE_OTLP_BUCKETS];
    struct exchange_otlp_item items[EXCHANGE_OTLP_ITEMS_MAX];
    struct exchange_otlp_group groups[EXCHANGE_OTLP_ITEMS_MAX];
};

/* Returns 0, ENOMEM. Close it also after a failure. */
int exchange_otlp_batch_open(struct exchange_otlp_batch *batch, enum exchange_otlp_kind kind,
                             struct exchange_otlp_coder *coder);

/* Adds what was written to batch->out since the item before, as a span or a log record. `hostname`
 * may be NULL. */
void exchange_otlp_batch_add(struct exchange_otlp_batch *batch,
                             const struct exchange_otlp_origin *origin, const char *hostname);

/* Forgets what was written to batch->out since the item before. */
void exchange_otlp_batch_drop(struct exchange_otlp_batch *batch);

bool exchange_otlp_batch_is_full(const struct exchange_otlp_batch *batch);

/* Writes the request, and empties the batch. */
void exchange_otlp_batch_write(struct exchange_otlp_batch *batch, struct export_print_output *out);

void exchange_otlp_batch_close(struct exchange_otlp_batch *batch);

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
