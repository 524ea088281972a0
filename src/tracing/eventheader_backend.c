/* SPDX-License-Identifier: MIT */
/* Writes a provider's events as EventHeader events. Providers and their event sets are never freed:
 * call sites read their tracepoints, independently of the layers that are added and removed. */
#include "core/atomic.h"
#include "tracing/eventheader_cut.h"
#include "tracing/eventheader_cache.h"

#include "engine/locks.h"
#include "eventheader/etw.h"

#include <cairn/eventheader_dynamic.h>
#include <cairn/record.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 64u

/* The call sites of each level and keyword share a set: there may be hundreds of sets. */
struct known_set {
    struct known_set *next;
    struct cairn_event_set *set;
};

struct eventheader_backend {
    struct tracing_provider_backend base; /* first: a backend is cast to this */
    struct eventheader_backend *next;
    struct cairn_dynamic_provider *provider;
    /* The sets of the keyword that was used first, by level: often the only keyword. */
    struct cairn_event_set *sets[CAIRN_TRACING_TRACE + 1];
    struct known_set *buckets[BUCKETS]; /* all sets */
    const char *group;
    char name[];
};

static struct eventheader_backend *backends;

static struct known_set **bucket_of(struct eventheader_backend *backend, uint8_t level,
                                    uint64_t keyword)
{
    uint64_t hash = (keyword + level) * 0x9e3779b97f4a7c15u;

    return &backend->buckets[hash >> 58];
}

_Static_assert(BUCKETS == 1u << (64 - 58), "a bucket for each number of the hash");

static struct cairn_event_set *find_known(struct eventheader_backend *backend, uint8_t level,
                                          uint64_t keyword)
{
    /* Pairs with the release in add_set. */
    const struct known_set *known = core_load_acquire(bucket_of(backend, level, keyword));

    while (known && (known->set->keyword != keyword || known->set->level != level))
        known = known->next;
    return known ? known->set : NULL;
}

static struct cairn_event_set *find_set(struct eventheader_backend *backend, uint8_t level,
                                        uint64_t keyword)
{
    struct cairn_event_set *set = NULL;

    if (level <= CAIRN_TRACING_TRACE)
        set = core_load_acquire(&backend->sets[level]);
    if (set && set->keyword == keyword)
        return set;
    return find_known(backend, level, keyword);
}

/* Requires the registry's lock. */
static bool add_set(struct eventheader_backend *backend, struct cairn_event_set *set)
{
    struct known_set **bucket = bucket_of(backend, set->level, set->keyword);
    struct known_set *known = malloc(sizeof(*known));
    struct cairn_event_set *none = NULL;

    if (!known)
        return false;
    *known = (struct known_set){*bucket, set};
    core_store_release(bucket, known);
    if (set->level <= CAIRN_TRACING_TRACE)
        (void)core_compare_exchange_release(&backend->sets[set->level], &none, set);
    return true;
}

static const struct cairn_tracepoint *gate(struct tracing_provider_backend *base, uint8_t level,
                                           uint64_t keyword)
{
    struct eventheader_backend *backend = (struct eventheader_backend *)base;
    struct cairn_event_set *set = find_known(backend, level, keyword);

    if (set)
        return &set->tracepoint;
    if (cairn_event_set_register(backend->provider, level, keyword, &set) || !add_set(backend, set))
        return NULL;
    return &set->tracepoint;
}

static bool enabled(struct tracing_provider_backend *base, uint8_t level, uint64_t keyword)
{
    struct cairn_event_set *set = find_set((struct eventheader_backend *)base, level, keyword);

    return set && cairn_event_set_is_enabled(set);
}

static bool wanted_by(struct tracing_provider_backend *base, uint8_t level, uint64_t keyword,
                      uint64_t slots)
{
    const struct cairn_event_set *set =
        find_set((struct eventheader_backend *)base, level, keyword);

    return set && tracing_recorders_want(&set->tracepoint, slots);
}

/* ---- fields ---- */

struct eventheader_backend_wire {
    uint8_t encoding;
    uint8_t format;
};

/* As microsoft/tracing-etw writes it on each system. */
static const struct eventheader_backend_wire schema_version_wire =
#ifdef _WIN32
    {CAIRN_ENCODING_VALUE16, EVENTHEADER_ETW_FORMAT_SIGNED};
#else
    {CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_SIGNED_INT};
#endif

/* Encoding and format of values of fixed size. */
static struct eventheader_backend_wire wire_of(uint32_t kind)
{
    switch (kind) {
    case CAIRN_KIND_BOOL:
        return (struct eventheader_backend_wire){CAIRN_ENCODING_VALUE8, CAIRN_FORMAT_BOOLEAN};
    case CAIRN_KIND_CHAR:
        return (struct eventheader_backend_wire){CAIRN_ENCODING_VALUE8, CAIRN_FORMAT_STRING8};
    case CAIRN_KIND_SIGNED:
        return (struct eventheader_backend_wire){CAIRN_ENCODING_VALUE64, CAIRN_FORMAT_SIGNED_INT};
    case TRACING_KIND_SCHEMA_VERSION:
        return schema_version_wire;
    case CAIRN_KIND_FLOAT:
        return (struct eventheader_backend_wire){CAIRN_ENCODING_VALUE64, CAIRN_FORMAT_FLOAT};
    case CAIRN_KIND_ERRNO:
        return (struct eventheader_backend_wire){CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_ERRNO};
    case CAIRN_KIND_POINTER:
        return (struct eventheader_backend_wire){CAIRN_ENCODING_VALUE64, CAIRN_FORMAT_HEX_INT};
    case CAIRN_KIND_TIME:
        return (struct eventheader_backend_wire){CAIRN_ENCODING_VALUE64, CAIRN_FORMAT_TIME};
    default:
        return (struct eventheader_backend_wire){CAIRN_ENCODING_VALUE64, CAIRN_FORMAT_DEFAULT};
    }
}

static void add_bits(struct cairn_builder *builder, const struct tracing_provider_field *field)
{
    struct eventheader_backend_wire wire = wire_of(field->value.kind);
    uint64_t bits = field->value.of.bits;
    uint32_t low = (uint32_t)bits;
    uint16_t lower = (uint16_t)bits;
    uint8_t lowest = (uint8_t)bits;
    const void *value = &bits;

    if (field->value.kind == CAIRN_KIND_TIME)
        bits = tracing_wire_seconds((int64_t)bits);
    if (wire.encoding == CAIRN_ENCODING_VALUE32)
        value = &low;
    else if (wire.encoding == CAIRN_ENCODING_VALUE16)
        value = &lower;
    else if (wire.encoding == CAIRN_ENCODING_VALUE8)
        value = &lowest;
    cairn_builder_value(builder, field->name, wire.encoding, wire.format, 0, value);
}

/* No bytes are null if the format is one of fixed size, and an empty value by the default one. */
#define FORMAT_OF_NONE CAIRN_FORMAT_UNSIGNED_INT

static void add_field(struct cairn_builder *builder, const struct tracing_provider_field *field)
{
    const struct cairn_tracing_value *value = &field->value;

    switch (value->kind) {
    case CAIRN_KIND_NONE:
        cairn_builder_null(builder, field->name, FORMAT_OF_NONE, 0);
        break;
    case CAIRN_KIND_TEXT:
        cairn_builder_text(builder, field->name, CAIRN_ENCODING_STRING_LENGTH16_CHAR8,
                           CAIRN_FORMAT_DEFAULT, 0, value->of.data, value->data_bytes);
        break;
    case CAIRN_KIND_BYTES:
        cairn_builder_binary(builder, field->name, value->of.data, value->data_bytes);
        break;
    case CAIRN_KIND_UUID:
        cairn_builder_value(builder, field->name, CAIRN_ENCODING_VALUE128, CAIRN_FORMAT_UUID, 0,
                            value->of.data);
        break;
    case TRACING_KIND_STRUCT:
        /* Its fields follow; the builder does not need to know where it ends. */
        cairn_builder_raw_definition(builder, field->name, CAIRN_ENCODING_STRUCT,
                                     (uint8_t)value->of.bits, 0, 0);
        break;
    default:
        add_bits(builder, field);
    }
}

int tracing_eventheader_build(struct cairn_builder *builder,
                              const struct tracing_provider_event *event)
{
    cairn_builder_begin(builder, event->name, event->tag);
    cairn_builder_opcode(builder, event->opcode);
    for (uint32_t i = 0; i < event->field_count; i++)
        add_field(builder, &event->fields[i]);
    return cairn_builder_error(builder);
}

static int build_and_write(struct cairn_builder *builder, const struct cairn_event_set *set,
                           const struct tracing_provider_event *event)
{
    if (!tracing_eventheader_build(builder, event) && !tracing_thread_self->may_not_allocate)
        tracing_cached_event_add(set, event, builder);
    return cairn_builder_write(builder, set, event->activity, event->related);
}

static int get_builder(struct tracing_thread *thread)
{
    return thread->builder ? 0 : cairn_builder_create(&thread->builder);
}

/* Used for the first event of its kind. */
static int write_by_builder(struct tracing_thread *thread, const struct cairn_event_set *set,
                            const struct tracing_provider_event *event)
{
    int saved_errno = errno;
    int error = get_builder(thread);

    if (!error)
        error = build_and_write(thread->builder, set, event);
    errno = saved_errno;
    return error;
}

/* Without measuring it: half of a record for its values leaves enough for its names. */
static int write_half(struct tracing_thread *thread, const struct cairn_event_set *set,
                      const struct tracing_provider_event *event)
{
    struct tracing_provider_event cut = *event;
    uint64_t missing = tracing_eventheader_cut_values(&cut, CAIRN_PAYLOAD_MAX_BYTES / 2);

    tracing_provider_add(&cut, "truncated_bytes", cairn_i_value_bits(CAIRN_KIND_UNSIGNED, missing));
    return write_by_builder(thread, set, &cut);
}

static __attribute__((noinline)) int write_cut(struct tracing_thread *thread,
                                               const struct cairn_event_set *set,
                                               const struct tracing_provider_event *event)
{
    int error = get_builder(thread);

    if (thread->may_not_allocate)
        return write_half(thread, set, event);
    return error ? error : tracing_eventheader_write_cut(thread->builder, set, event);
}

static int write_event(struct tracing_provider_backend *base, struct tracing_thread *thread,
                       const struct tracing_provider_event *event)
{
    struct cairn_event_set *set =
        find_set((struct eventheader_backend *)base, event->level, event->keyword);
    struct tracing_cached_event *cached;
    int error;

    if (!set || !cairn_event_set_is_enabled(set))
        return EBADF;
    cached = tracing_cached_event_find(set, event);
    if (cached && event->has_values_alone)
        tracing_cached_event_remember(cached);
    error =
        cached ? tracing_cached_event_write(cached, event) : write_by_builder(thread, set, event);
    return error == E2BIG ? write_cut(thread, set, event) : error;
}

static int write_values(struct tracing_provider_backend *base, const struct cairn_callsite *site,
                        uint64_t keyword, const struct cairn_tracing_value *values)
{
    struct cairn_event_set *set =
        find_set((struct eventheader_backend *)base, site->level, keyword);

    return set ? tracing_cached_event_write_values(site, set, values) : EBADF;
}

/* ---- creating a backend ---- */

static void never_destroy(struct tracing_provider_backend *base)
{
    (void)base;
}

static int make(const char *name, const char *group, const struct cairn_guid *id,
                struct eventheader_backend **ret_backend)
{
    size_t name_size = strlen(name) + 1;
    size_t group_size = strlen(group) + 1;
    struct eventheader_backend *backend = calloc(1, sizeof(*backend) + name_size + group_size);
    int error = backend ? cairn_dynamic_provider_create(name, group, &backend->provider) : ENOMEM;

    if (error) {
        free(backend);
        return error;
    }
    eventheader_provider_identify(backend->provider, id);
    backend->base = (struct tracing_provider_backend){
        .gate = gate,
        .enabled = enabled,
        .wanted_by = wanted_by,
        .write = write_event,
        .write_values = write_values,
        .destroy = never_destroy,
    };
    memcpy(backend->name, name, name_size);
    memcpy(backend->name + name_size, group, group_size);
    backend->group = backend->name + name_size;
    *ret_backend = backend;
    return 0;
}

int tracing_eventheader_backend_create(const char *name, const char *group,
                                       const struct cairn_guid *id,
                                       struct tracing_provider_backend **ret_backend)
{
    struct eventheader_backend *backend;
    int error = 0;

    group = group ? group : "";
    engine_lock_take(ENGINE_LOCK_BACKENDS);
    backend = backends;
    while (backend && (strcmp(backend->name, name) != 0 || strcmp(backend->group, group) != 0))
        backend = backend->next;
    if (!backend) {
        error = make(name, group, id, &backend);
        if (!error) {
            backend->next = backends;
            backends = backend;
        }
    }
    engine_lock_release(ENGINE_LOCK_BACKENDS);
    if (!error)
        *ret_backend = &backend->base;
    return error;
}
