/* SPDX-License-Identifier: MIT */
/* Requests: spans or log records, by process and provider. */
#include "exchange/otlp.h"

#include "exchange/text.h"
#include "export/number.h"

#include <errno.h>
#include <string.h>

/* A request ends with the item that reaches this size. */
#define BATCH_BYTES_MAX (1u << 20)

/* Tags of requests, ResourceSpans, ScopeSpans and Scope; those of log records are the same. */
#define REQUEST_RESOURCE  0x0a
#define RESOURCE_RESOURCE 0x0a
#define RESOURCE_SCOPE    0x12
#define SCOPE_SCOPE       0x0a
#define SCOPE_ITEM        0x12
#define SCOPE_NAME        0x0a

int exchange_otlp_batch_open(struct exchange_otlp_batch *batch, enum exchange_otlp_kind kind,
                             struct exchange_otlp_coder *coder)
{
    int err = export_output_open(&batch->out, -1);

    batch->kind = kind;
    batch->coder = coder;
    return err ? err : export_output_open(&batch->heads, -1);
}

void exchange_otlp_batch_close(struct exchange_otlp_batch *batch)
{
    export_output_close(&batch->out);
    export_output_close(&batch->heads);
}

/* ---- groups ---- */

static void put_resource(struct exchange_otlp_batch *batch,
                         const struct exchange_otlp_origin *origin, const char *hostname)
{
    static const char json[] = "{\"resource\":{", name[] = "\"attributes\":";
    struct exchange_otlp_coder *coder = batch->coder;
    struct export_print_output *out = &batch->heads;
    const char *service = origin->comm && *origin->comm ? origin->comm : "unknown_service";
    size_t begin = exchange_otlp_position(out);
    size_t list;

    if (coder->is_json)
        export_output_string(out, json);
    list = exchange_otlp_begin_list(coder, out, name);
    exchange_otlp_add_text(coder, out, EXCHANGE_OTLP_IN_MESSAGE, EXCHANGE_OTLP_NAME_SERVICE,
                           (struct cairn_slice){service, (uint32_t)strlen(service)});
    if (origin->has_pid)
        exchange_otlp_add_number(coder, out, EXCHANGE_OTLP_IN_MESSAGE, EXCHANGE_OTLP_NAME_PID,
                                 export_task_number(origin->pid));
    if (hostname)
        exchange_otlp_add_text(coder, out, EXCHANGE_OTLP_IN_MESSAGE, EXCHANGE_OTLP_NAME_HOST,
                               (struct cairn_slice){hostname, (uint32_t)strlen(hostname)});
    exchange_otlp_end_list(coder, out, name, list);
    if (!coder->is_json)
        exchange_otlp_wrap(out, begin, RESOURCE_RESOURCE);
}

static void put_scope(struct exchange_otlp_batch *batch, struct cairn_slice provider)
{
    struct exchange_otlp_coder *coder = batch->coder;
    struct export_print_output *out = &batch->heads;
    bool is_spans = batch->kind == EXCHANGE_OTLP_SPANS;
    size_t begin = exchange_otlp_position(out);

    if (!coder->is_json) {
        exchange_otlp_put_text(coder, out, SCOPE_NAME, provider);
        exchange_otlp_wrap(out, begin, SCOPE_SCOPE);
        return;
    }
    export_output_string(out, is_spans ? "},\"scopeSpans\":[{\"scope\":{\"name\":"
                                       : "},\"scopeLogs\":[{\"scope\":{\"name\":");
    exchange_otlp_put_text(coder, out, SCOPE_NAME, provider);
    export_output_string(out, is_spans ? "},\"spans\":[" : "},\"logRecords\":[");
}

/* The provider's first letter differs often enough. */
static uint32_t *bucket_of(struct exchange_otlp_batch *batch,
                           const struct exchange_otlp_origin *origin)
{
    struct cairn_slice provider = origin->provider;
    uint32_t hash = origin->pid + (provider.length ? provider.length + (uint8_t)*provider.text : 0);

    return &batch->buckets[hash & (EXCHANGE_OTLP_BUCKETS - 1)];
}

static bool is_of(const struct exchange_otlp_batch *batch, const struct exchange_otlp_group *group,
                  const struct exchange_otlp_origin *origin)
{
    struct cairn_slice provider = origin->provider;

    return group->has_pid == origin->has_pid && group->pid == origin->pid &&
           group->provider_bytes == provider.length &&
           (!provider.length ||
            !memcmp(batch->heads.begin + group->provider, provider.text, provider.length));
}

/* Each item adds a group at most: there is space. */
static struct exchange_otlp_group *add_group(struct exchange_otlp_batch *batch,
                                             const struct exchange_otlp_origin *origin,
                                             const char *hostname)
{
    struct exchange_otlp_group *group = &batch->groups[batch->group_count++];
    struct export_print_output *heads = &batch->heads;
    uint32_t *bucket = bucket_of(batch, origin);

    *group = (struct exchange_otlp_group){
        .has_pid = origin->has_pid,
        .pid = origin->pid,
        .next_in_bucket = *bucket,
        .provider_bytes = origin->provider.length,
        .provider = exchange_otlp_position(heads),
    };
    *bucket = batch->group_count;
    export_output_bytes(heads, origin->provider.text, origin->provider.length);
    group->resource = exchange_otlp_position(heads);
    put_resource(batch, origin, hostname);
    group->scope = exchange_otlp_position(heads);
    put_scope(batch, origin->provider);
    group->end = exchange_otlp_position(heads);
    return group;
}

static struct exchange_otlp_group *find_group(struct exchange_otlp_batch *batch,
                                              const struct exchange_otlp_origin *origin,
                                              const char *hostname)
{
    uint32_t n = *bucket_of(batch, origin);

    while (n && !is_of(batch, &batch->groups[n - 1], origin))
        n = batch->groups[n - 1].next_in_bucket;
    return n ? &batch->groups[n - 1] : add_group(batch, origin, hostname);
}

/* ---- items ---- */

void exchange_otlp_batch_add(struct exchange_otlp_batch *batch,
                             const struct exchange_otlp_origin *origin, const char *hostname)
{
    struct exchange_otlp_item *item;
    struct exchange_otlp_group *group;
    size_t size_bytes = exchange_otlp_position(&batch->out) - batch->begin;

    if (batch->out.error || batch->heads.error)
        return;
    group = find_group(batch, origin, hostname);
    item = &batch->items[batch->count++];
    *item = (struct exchange_otlp_item){0, (uint32_t)size_bytes, batch->begin};
    if (group->last)
        batch->items[group->last - 1].next = batch->count;
    else
        group->first = batch->count;
    group->last = batch->count;
    group->items_bytes += 1 + exchange_otlp_varint_bytes(size_bytes) + size_bytes;
    batch->begin += size_bytes;
}

void exchange_otlp_batch_drop(struct exchange_otlp_batch *batch)
{
    if (!batch->out.error)
        batch->out.at = batch->out.begin + batch->begin;
}

bool exchange_otlp_batch_is_full(const struct exchange_otlp_batch *batch)
{
    return batch->count == EXCHANGE_OTLP_ITEMS_MAX || batch->begin >= BATCH_BYTES_MAX;
}

/* ---- requests ---- */

static void put_head(const struct exchange_otlp_batch *batch, size_t begin, size_t end,
                     struct export_print_output *out)
{
    export_output_bytes(out, batch->heads.begin + begin, end - begin);
}

static void write_json_group(const struct exchange_otlp_batch *batch,
                             const struct exchange_otlp_group *group,
                             struct export_print_output *out)
{
    put_head(batch, group->resource, group->end, out);
    for (uint32_t n = group->first; n; n = batch->items[n - 1].next) {
        const struct exchange_otlp_item *item = &batch->items[n - 1];

        if (n != group->first)
            export_output_byte(out, ',');
        export_output_bytes(out, batch->out.begin + item->begin, item->size_bytes);
    }
    export_output_string(out, "]}]}");
}

static void put_tag(struct export_print_output *out, uint8_t tag, size_t size_bytes)
{
    export_output_byte(out, (char)tag);
    exchange_otlp_put_varint(out, size_bytes);
}

static void write_group(const struct exchange_otlp_batch *batch,
                        const struct exchange_otlp_group *group, struct export_print_output *out)
{
    size_t scope_bytes = group->end - group->scope + group->items_bytes;
    size_t size_bytes =
        group->scope - group->resource + 1 + exchange_otlp_varint_bytes(scope_bytes) + scope_bytes;

    put_tag(out, REQUEST_RESOURCE, size_bytes);
    put_head(batch, group->resource, group->scope, out);
    put_tag(out, RESOURCE_SCOPE, scope_bytes);
    put_head(batch, group->scope, group->end, out);
    for (uint32_t n = group->first; n; n = batch->items[n - 1].next) {
        const struct exchange_otlp_item *item = &batch->items[n - 1];

        put_tag(out, SCOPE_ITEM, item->size_bytes);
        export_output_bytes(out, batch->out.begin + item->begin, item->size_bytes);
    }
}

static void empty(struct exchange_otlp_batch *batch)
{
    batch->out.at = batch->out.begin;
    batch->heads.at = batch->heads.begin;
    batch->begin = 0;
    batch->count = batch->group_count = 0;
    memset(batch->buckets, 0, sizeof(batch->buckets));
}

void exchange_otlp_batch_write(struct exchange_otlp_batch *batch, struct export_print_output *out)
{
    bool is_json = batch->coder->is_json;

    if (is_json)
        export_output_string(out, batch->kind == EXCHANGE_OTLP_SPANS ? "{\"resourceSpans\":["
                                                                     : "{\"resourceLogs\":[");
    for (uint32_t n = 0; n < batch->group_count; n++) {
        if (is_json && n)
            export_output_byte(out, ',');
        if (is_json)
            write_json_group(batch, &batch->groups[n], out);
        else
            write_group(batch, &batch->groups[n], out);
    }
    if (is_json)
        export_output_string(out, "]}");
    export_output_fail(out, batch->out.error ? batch->out.error : batch->heads.error);
    empty(batch);
}
