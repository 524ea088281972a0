/* SPDX-License-Identifier: MIT */
/* Requests: spans or log records, by process and provider. */
#include "exchange/otlp.h"

#include <errno.h>
#include <string.h>

/* Items of one process and one provider that came one after the other. */
struct exchange_otlp_group {
    struct exchange_otlp_group *next;
    struct exchange_otlp_origin origin; /* in the batch's memory */
    struct item *first;
    struct item *last;
    size_t count;
};

struct item {
    struct item *next;
    ProtobufCMessage *message;
};

/* ---- adding ---- */

static bool is_of(const struct exchange_otlp_group *group,
                  const struct exchange_otlp_origin *origin)
{
    return group->origin.has_pid == origin->has_pid && group->origin.pid == origin->pid &&
           group->origin.provider.length == origin->provider.length &&
           (!origin->provider.length ||
            !memcmp(group->origin.provider.text, origin->provider.text, origin->provider.length));
}

static struct exchange_otlp_group *add_group(struct exchange_otlp_batch *batch,
                                             const struct exchange_otlp_origin *origin)
{
    struct exchange_otlp_memory *memory = &batch->memory;
    struct exchange_otlp_group *group =
        (struct exchange_otlp_group *)exchange_otlp_take(memory, sizeof(*group));
    ProtobufCBinaryData comm = {0};

    if (!group)
        return NULL;
    *group = (struct exchange_otlp_group){.origin = *origin};
    group->origin.provider.text =
        (const char *)exchange_otlp_bytes(memory, origin->provider.text, origin->provider.length)
            .data;
    if (origin->comm)
        comm = exchange_otlp_bytes(memory, origin->comm, strlen(origin->comm) + 1);
    group->origin.comm = (const char *)comm.data;
    if (memory->error)
        return NULL;
    if (batch->last)
        batch->last->next = group;
    else
        batch->first = group;
    batch->last = group;
    batch->group_count++;
    return group;
}

int exchange_otlp_batch_add(struct exchange_otlp_batch *batch,
                            const struct exchange_otlp_origin *origin, ProtobufCMessage *message)
{
    struct exchange_otlp_group *group = batch->last;
    struct item *item = (struct item *)exchange_otlp_take(&batch->memory, sizeof(*item));

    if (!group || !is_of(group, origin))
        group = add_group(batch, origin);
    if (!item || !group)
        return ENOMEM;
    *item = (struct item){.message = message};
    if (group->last)
        group->last->next = item;
    else
        group->first = item;
    group->last = item;
    group->count++;
    batch->count++;
    return 0;
}

/* ---- requests ---- */

static ExchangeOtlp__Resource *resource_of(struct exchange_otlp_memory *memory,
                                           const struct exchange_otlp_origin *origin,
                                           const char *hostname)
{
    ExchangeOtlp__Resource *resource =
        (ExchangeOtlp__Resource *)exchange_otlp_take(memory, sizeof(*resource));
    const char *service = origin->comm && *origin->comm ? origin->comm : "unknown_service";
    struct exchange_otlp_list list = {0};

    if (!resource)
        return NULL;
    exchange_otlp__resource__init(resource);
    exchange_otlp_add_text(memory, &list, "service.name",
                           (struct cairn_slice){service, (uint32_t)strlen(service)});
    if (origin->has_pid)
        exchange_otlp_add_number(memory, &list, "process.pid", origin->pid);
    if (hostname)
        exchange_otlp_add_text(memory, &list, "host.name",
                               (struct cairn_slice){hostname, (uint32_t)strlen(hostname)});
    resource->attributes = exchange_otlp_array(memory, &list);
    resource->n_attributes = resource->attributes ? list.count : 0;
    return resource;
}

static ExchangeOtlp__Scope *scope_of(struct exchange_otlp_memory *memory,
                                     const struct exchange_otlp_origin *origin)
{
    ExchangeOtlp__Scope *scope = (ExchangeOtlp__Scope *)exchange_otlp_take(memory, sizeof(*scope));

    if (!scope)
        return NULL;
    exchange_otlp__scope__init(scope);
    scope->has_name = true;
    scope->name = exchange_otlp_text(memory, origin->provider);
    return scope;
}

static void **items_of(struct exchange_otlp_memory *memory, const struct exchange_otlp_group *group)
{
    void **array = (void **)exchange_otlp_take(memory, group->count * sizeof(*array));
    const struct item *item = group->first;

    for (size_t n = 0; array && item; n++, item = item->next)
        array[n] = item->message;
    return array;
}

/* A resource with one scope, and a pointer to each: they are lists. */
struct spans {
    ExchangeOtlp__ResourceSpans resource;
    ExchangeOtlp__ScopeSpans scope;
    ExchangeOtlp__ScopeSpans *scopes;
};

struct logs {
    ExchangeOtlp__ResourceLogs resource;
    ExchangeOtlp__ScopeLogs scope;
    ExchangeOtlp__ScopeLogs *scopes;
};

static ExchangeOtlp__ResourceSpans *spans_of(struct exchange_otlp_memory *memory,
                                             const struct exchange_otlp_group *group,
                                             const char *hostname)
{
    struct spans *spans = (struct spans *)exchange_otlp_take(memory, sizeof(*spans));

    if (!spans)
        return NULL;
    exchange_otlp__resource_spans__init(&spans->resource);
    exchange_otlp__scope_spans__init(&spans->scope);
    spans->scopes = &spans->scope;
    spans->resource.resource = resource_of(memory, &group->origin, hostname);
    spans->resource.n_scope_spans = 1;
    spans->resource.scope_spans = &spans->scopes;
    spans->scope.scope = scope_of(memory, &group->origin);
    spans->scope.n_spans = group->count;
    spans->scope.spans = (ExchangeOtlp__Span **)items_of(memory, group);
    return &spans->resource;
}

static ExchangeOtlp__ResourceLogs *logs_of(struct exchange_otlp_memory *memory,
                                           const struct exchange_otlp_group *group,
                                           const char *hostname)
{
    struct logs *logs = (struct logs *)exchange_otlp_take(memory, sizeof(*logs));

    if (!logs)
        return NULL;
    exchange_otlp__resource_logs__init(&logs->resource);
    exchange_otlp__scope_logs__init(&logs->scope);
    logs->scopes = &logs->scope;
    logs->resource.resource = resource_of(memory, &group->origin, hostname);
    logs->resource.n_scope_logs = 1;
    logs->resource.scope_logs = &logs->scopes;
    logs->scope.scope = scope_of(memory, &group->origin);
    logs->scope.n_log_records = group->count;
    logs->scope.log_records = (ExchangeOtlp__LogRecord **)items_of(memory, group);
    return &logs->resource;
}

static ProtobufCMessage *traces_request(struct exchange_otlp_batch *batch, const char *hostname)
{
    struct exchange_otlp_memory *memory = &batch->memory;
    ExchangeOtlp__TracesRequest *request =
        (ExchangeOtlp__TracesRequest *)exchange_otlp_take(memory, sizeof(*request));
    ExchangeOtlp__ResourceSpans **list = (ExchangeOtlp__ResourceSpans **)exchange_otlp_take(
        memory, batch->group_count * sizeof(*list));

    if (!request || !list)
        return NULL;
    exchange_otlp__traces_request__init(request);
    request->resource_spans = list;
    for (const struct exchange_otlp_group *group = batch->first; group; group = group->next)
        list[request->n_resource_spans++] = spans_of(memory, group, hostname);
    return &request->base;
}

static ProtobufCMessage *logs_request(struct exchange_otlp_batch *batch, const char *hostname)
{
    struct exchange_otlp_memory *memory = &batch->memory;
    ExchangeOtlp__LogsRequest *request =
        (ExchangeOtlp__LogsRequest *)exchange_otlp_take(memory, sizeof(*request));
    ExchangeOtlp__ResourceLogs **list = (ExchangeOtlp__ResourceLogs **)exchange_otlp_take(
        memory, batch->group_count * sizeof(*list));

    if (!request || !list)
        return NULL;
    exchange_otlp__logs_request__init(request);
    request->resource_logs = list;
    for (const struct exchange_otlp_group *group = batch->first; group; group = group->next)
        list[request->n_resource_logs++] = logs_of(memory, group, hostname);
    return &request->base;
}

ProtobufCMessage *exchange_otlp_batch_request(struct exchange_otlp_batch *batch,
                                              const char *hostname)
{
    ProtobufCMessage *request = batch->kind == EXCHANGE_OTLP_SPANS ? traces_request(batch, hostname)
                                                                   : logs_request(batch, hostname);

    return batch->memory.error ? NULL : request;
}

void exchange_otlp_batch_clear(struct exchange_otlp_batch *batch)
{
    exchange_arena_reset(&batch->memory.arena);
    batch->first = batch->last = NULL;
    batch->count = batch->group_count = 0;
}

void exchange_otlp_batch_free(struct exchange_otlp_batch *batch)
{
    exchange_arena_free(&batch->memory.arena);
    batch->first = batch->last = NULL;
}
