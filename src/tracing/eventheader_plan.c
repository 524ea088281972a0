/* SPDX-License-Identifier: MIT */
#include "tracing/eventheader_plan.h"

#include "eventheader/builder.h"
#include "user_events/emit.h"

#include <cairn/record.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS    1024u
#define VARIANTS   8u /* of a bucket: spans whose fields change their kinds again and again */
#define TEXT_MAX   UINT16_MAX
#define HEAD_BYTES sizeof(struct cairn_eventheader)
#define EXTENSION  sizeof(struct cairn_eventheader_extension)
#define ID_BYTES   CAIRN_ACTIVITY_ID_BYTES

#define COUNT_BYTES 2u

/* Place, opcode and number of fields tell the names; the kinds are compared. */
struct cairn_plan {
    struct cairn_plan *next;
    const struct cairn_callsite *site;
    uint32_t generation;
    uint32_t field_count;
    uint32_t metadata_bytes;
    uint32_t least_bytes; /* of an event without ids whose counted values are all empty */
    uint32_t rank;        /* how many plans its bucket had before */
    uint64_t counted;     /* a bit for each value with a count and that many bytes */
    uint8_t opcode;
    uint8_t kinds[CAIRN_PROVIDER_FIELDS_MAX];
    uint8_t metadata[];
};

static struct cairn_plan *buckets[BUCKETS];
static uint32_t generation;

static struct cairn_plan **bucket_of(const struct cairn_provider_event *event)
{
    uintptr_t place = (uintptr_t)event->site;

    return &buckets[(place >> 5 ^ place >> 15 ^ event->opcode * 37u ^ event->field_count) %
                    BUCKETS];
}

static bool is_of(const struct cairn_plan *plan, const struct cairn_provider_event *event)
{
    uint32_t different = 0;

    if (plan->site != event->site || plan->opcode != event->opcode ||
        plan->field_count != event->field_count ||
        plan->generation != __atomic_load_n(&generation, __ATOMIC_RELAXED))
        return false;
    for (uint32_t i = 0; i < event->field_count; i++)
        different |= plan->kinds[i] ^ event->fields[i].value.kind;
    return !different;
}

const struct cairn_plan *cairn_plan_find(const struct cairn_provider_event *event)
{
    /* Pairs with keep's release. */
    const struct cairn_plan *plan =
        event->site ? __atomic_load_n(bucket_of(event), __ATOMIC_ACQUIRE) : NULL;

    while (plan && !is_of(plan, event))
        plan = plan->next;
    return plan;
}

/* Bytes of a value of fixed size, as eventheader_backend.c encodes it; 0: counted bytes. */
static uint32_t fixed_bytes(uint32_t kind)
{
    switch (kind) {
    case CAIRN_KIND_BOOL:
    case CAIRN_KIND_CHAR:
        return 1;
    case CAIRN_KIND_ERRNO:
    case CAIRN_KIND_SIGNED32:
        return 4;
    case CAIRN_KIND_UUID:
        return 16;
    case CAIRN_KIND_NONE:
    case CAIRN_KIND_TEXT:
    case CAIRN_KIND_BYTES:
        return 0;
    default:
        return 8;
    }
}

static void keep_values(struct cairn_plan *plan, const struct cairn_provider_event *event)
{
    plan->least_bytes = (uint32_t)(HEAD_BYTES + EXTENSION) + plan->metadata_bytes;
    for (uint32_t i = 0; i < event->field_count; i++) {
        uint32_t kind = event->fields[i].value.kind;
        uint32_t size = fixed_bytes(kind);

        plan->kinds[i] = (uint8_t)kind;
        plan->least_bytes += size ? size : COUNT_BYTES;
        if (!size && kind != CAIRN_KIND_NONE)
            plan->counted |= UINT64_C(1) << i;
    }
}

struct cairn_plan *cairn_plan_make(const struct cairn_provider_event *event,
                                   const struct cairn_builder *builder)
{
    struct cairn_plan *plan = malloc(sizeof(*plan) + builder->metadata.size);

    if (!plan)
        return NULL;
    *plan = (struct cairn_plan){
        .site = event->site,
        .generation = __atomic_load_n(&generation, __ATOMIC_RELAXED),
        .field_count = event->field_count,
        .metadata_bytes = (uint32_t)builder->metadata.size,
        .opcode = event->opcode,
    };
    keep_values(plan, event);
    memcpy(plan->metadata, builder->metadata.bytes, builder->metadata.size);
    return plan;
}

void cairn_plan_keep(const struct cairn_provider_event *event, const struct cairn_builder *builder)
{
    struct cairn_plan **bucket = bucket_of(event);
    struct cairn_plan *first = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
    struct cairn_plan *plan;

    if (!event->site || (first && first->rank + 1 >= VARIANTS))
        return;
    plan = cairn_plan_make(event, builder);
    if (!plan)
        return;
    plan->next = first;
    plan->rank = first ? first->rank + 1 : 0;
    /* Somebody else was faster: theirs will do, or the next event tries again. */
    if (!__atomic_compare_exchange_n(bucket, &first, plan, false, __ATOMIC_RELEASE,
                                     __ATOMIC_RELAXED))
        free(plan);
}

void cairn_plan_forget_all(void)
{
    __atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED);
}

/* ---- writing ---- */

struct written {
    const struct cairn_plan *plan;
    const struct cairn_provider_event *event;
    uint32_t activity_bytes; /* with its extension; 0: none */
};

static inline uint8_t *put(uint8_t *to, const void *bytes, size_t size)
{
    memcpy(to, bytes, size);
    return to + size;
}

static inline uint8_t *put_extension(uint8_t *to, uint32_t size_bytes, uint32_t kind)
{
    const struct cairn_eventheader_extension extension = {(uint16_t)size_bytes, (uint16_t)kind};

    return put(to, &extension, sizeof(extension));
}

/* The lowest bytes of a number, which is in the machine's byte order. */
static inline uint8_t *put_number(uint8_t *to, uint64_t bits, uint32_t size)
{
    const uint32_t low = (uint32_t)bits;

    if (size == 8)
        return put(to, &bits, 8);
    if (size == 4)
        return put(to, &low, 4);
    *to = (uint8_t)bits;
    return to + 1;
}

static inline __attribute__((always_inline)) uint8_t *
put_counted(uint8_t *to, const struct cairn_tracing_value *value)
{
    uint32_t bytes = value->kind == CAIRN_KIND_NONE ? 0 : value->data_bytes;
    const uint16_t count = (uint16_t)bytes;

    to = put(to, &count, sizeof(count));
    return bytes ? put(to, value->of.data, bytes) : to;
}

static inline __attribute__((always_inline)) uint8_t *
put_value(uint8_t *to, const struct cairn_tracing_value *value)
{
    static const uint8_t no_uuid[16];
    uint64_t bits = value->of.bits;
    uint32_t size = fixed_bytes(value->kind);

    if (!size)
        return put_counted(to, value);
    if (size == 16)
        return put(to, value->of.data ? value->of.data : no_uuid, 16);
    if (value->kind == CAIRN_KIND_TIME)
        bits = cairn_wire_seconds((int64_t)bits);
    return put_number(to, bits, size);
}

/* There is room: the sum was asked for. */
static inline __attribute__((always_inline)) uint8_t *fill(uint8_t *to, uint8_t *limit,
                                                           const void *arg)
{
    const struct written *w = arg;
    const struct cairn_provider_event *event = w->event;
    const struct cairn_eventheader header = {
        .flags = (uint8_t)(CAIRN_EVENTHEADER_NATIVE_FLAGS | CAIRN_EVENTHEADER_EXTENSION),
        .tag = event->tag,
        .opcode = event->opcode,
        .level = event->level,
    };

    (void)limit;
    to = put(to, &header, HEAD_BYTES);
    if (w->activity_bytes) {
        to = put_extension(to, w->activity_bytes - EXTENSION,
                           CAIRN_EXTENSION_ACTIVITY_ID | CAIRN_EXTENSION_CHAIN);
        to = put(to, event->activity->bytes, ID_BYTES);
        if (event->related)
            to = put(to, event->related->bytes, ID_BYTES);
    }
    to = put_extension(to, w->plan->metadata_bytes, CAIRN_EXTENSION_METADATA);
    to = put(to, w->plan->metadata, w->plan->metadata_bytes);
    for (uint32_t i = 0; i < event->field_count; i++)
        to = put_value(to, &event->fields[i].value);
    return to;
}

/* UINT32_MAX: a value is too large for its count. */
static uint32_t sum_of(const struct cairn_plan *plan, const struct cairn_provider_event *event,
                       uint32_t activity_bytes)
{
    uint32_t sum = plan->least_bytes + activity_bytes;

    for (uint64_t left = plan->counted; left; left &= left - 1) {
        uint32_t bytes = event->fields[__builtin_ctzll(left)].value.data_bytes;

        if (bytes > TEXT_MAX)
            return UINT32_MAX;
        sum += bytes;
    }
    return sum;
}

static __attribute__((noinline)) int write_slowly(const struct cairn_event_set *set,
                                                  const struct written *w, uint32_t sum)
{
    int saved_errno = errno;
    int error = cairn_user_event_emit(&set->tracepoint, sum, fill, w);

    errno = saved_errno;
    return error;
}

static uint32_t activity_bytes_of(const struct cairn_provider_event *event)
{
    if (!event->activity)
        return 0;
    return (uint32_t)(EXTENSION + ID_BYTES * (event->related ? 2u : 1u));
}

int cairn_plan_write(const struct cairn_plan *plan, const struct cairn_event_set *set,
                     const struct cairn_provider_event *event)
{
    const struct written w = {plan, event, activity_bytes_of(event)};
    uint32_t sum = sum_of(plan, event, w.activity_bytes);
    int error;

    if (sum > CAIRN_PAYLOAD_MAX_BYTES)
        return E2BIG;
    error = cairn_user_event_emit_hot(&set->tracepoint, sum, fill, &w);
    return error == EAGAIN ? write_slowly(set, &w, sum) : error;
}

/* ---- to one backend ---- */

uint32_t cairn_plan_bytes(const struct cairn_plan *plan, const struct cairn_provider_event *event)
{
    uint64_t sum = cairn_plan_least_bytes(plan, event);

    for (uint64_t left = plan->counted; left; left &= left - 1)
        sum += event->fields[__builtin_ctzll(left)].value.data_bytes;
    return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

uint32_t cairn_plan_least_bytes(const struct cairn_plan *plan,
                                const struct cairn_provider_event *event)
{
    return plan->least_bytes + activity_bytes_of(event);
}

int cairn_plan_write_local(const struct cairn_plan *plan, const struct cairn_event_set *set,
                           const struct cairn_provider_event *event)
{
    const struct written w = {plan, event, activity_bytes_of(event)};

    return cairn_local_emit(&set->tracepoint, sum_of(plan, event, w.activity_bytes), fill, &w);
}

int cairn_plan_write_kernel(const struct cairn_plan *plan, const struct cairn_event_set *set,
                            const struct cairn_provider_event *event)
{
    const struct written w = {plan, event, activity_bytes_of(event)};

    return cairn_user_event_emit_kernel(&set->tracepoint, sum_of(plan, event, w.activity_bytes),
                                        fill, &w);
}
