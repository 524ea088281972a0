/* SPDX-License-Identifier: MIT */
/* A cache of the metadata of EventHeader events, and writing events with it. */
#include "tracing/eventheader_cache.h"

#include "core/atomic.h"
#include "eventheader/builder.h"
#include "eventheader/copy.h"
#include "eventheader/emit.h"
#include "user_events/emit.h"

#include <cairn/record.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS    1024u
#define VARIANTS   16u /* of a bucket: the kinds of a span's fields may change again and again */
#define TEXT_MAX   UINT16_MAX
#define HEAD_BYTES sizeof(struct cairn_eventheader)
#define EXTENSION  sizeof(struct cairn_eventheader_extension)
#define ID_BYTES   CAIRN_ACTIVITY_ID_BYTES

#define COUNT_BYTES 2u

#define SHORT_BYTES 64u /* space that is reserved for each counted value */

/* Values that a record can have together in every case: with a head and constants of any size. */
#define SHORT_MAX_BYTES 4096u
_Static_assert(TRACING_PROVIDER_FIELDS_MAX *(COUNT_BYTES + SHORT_BYTES) <= SHORT_MAX_BYTES,
               "they have space for all short values");

/* Call site, opcode and number of fields determine the names; the kinds are compared. */
struct tracing_cached_event {
    struct tracing_cached_event *next;
    const struct cairn_callsite *site;
    const struct cairn_event_set *set; /* that writes its events */
    uint32_t generation;
    uint32_t field_count;
    uint32_t metadata_bytes;
    uint32_t least_bytes;    /* size of an event without ids whose counted values are all empty */
    uint32_t reserved_bytes; /* for the values of an event without ids */
    uint32_t rank;           /* number of entries that its bucket had before */
    uint64_t counted;        /* one bit for each value that has a count followed by data */
    uint64_t sample_id;      /* of the tracepoint that wrote it first; 0: none yet */
    uint32_t descriptor;     /* of its events with this sample id; ENGINE_ID_NONE: none */
    uint8_t opcode;
    uint8_t kinds[TRACING_PROVIDER_FIELDS_MAX];
    _Alignas(struct cairn_i_event) uint8_t constant[];
};

static const struct cairn_i_event *constant_of(const struct tracing_cached_event *cached)
{
    return (const void *)cached->constant;
}

static struct tracing_cached_event *buckets[BUCKETS];
static uint32_t generation;

static struct tracing_cached_event **bucket_of(const struct tracing_provider_event *event)
{
    uintptr_t address = (uintptr_t)event->site;

    return &buckets[(address >> 5 ^ address >> 15 ^ event->opcode * 37u ^ event->field_count) %
                    BUCKETS];
}

static bool is_valid(const struct tracing_cached_event *cached)
{
    return core_load_relaxed(&cached->generation) == core_load_relaxed(&generation);
}

static bool is_of(const struct tracing_cached_event *cached, const struct cairn_event_set *set,
                  const struct tracing_provider_event *event)
{
    uint32_t different = 0;

    if (cached->site != event->site || cached->set != set || cached->opcode != event->opcode ||
        cached->field_count != event->field_count)
        return false;
    for (uint32_t i = 0; i < event->field_count; i++)
        different |= cached->kinds[i] ^ event->fields[i].value.kind;
    return !different;
}

struct tracing_cached_event *tracing_cached_event_find(const struct cairn_event_set *set,
                                                       const struct tracing_provider_event *event)
{
    /* Pairs with the release that adds an entry. */
    struct tracing_cached_event *cached = event->site ? core_load_acquire(bucket_of(event)) : NULL;

    while (cached && !(is_of(cached, set, event) && is_valid(cached)))
        cached = cached->next;
    return cached;
}

/* Values of the kinds that are the most frequent, which are written as they are. */
static inline bool is_number(uint32_t kind)
{
    return kind == CAIRN_KIND_SIGNED || kind == CAIRN_KIND_UNSIGNED || kind == CAIRN_KIND_FLOAT;
}

/* Values that are written as counted bytes; without a value there are none. */
static inline bool is_counted(uint32_t kind)
{
    return kind == CAIRN_KIND_TEXT || kind == CAIRN_KIND_BYTES || kind == CAIRN_KIND_NONE;
}

static inline uint32_t counted_bytes(const struct cairn_tracing_value *value)
{
    return value->kind == CAIRN_KIND_NONE ? 0 : value->data_bytes;
}

/* Size of another value as eventheader_backend.c encodes it. */
static uint32_t fixed_bytes(uint32_t kind)
{
    switch (kind) {
    case CAIRN_KIND_BOOL:
    case CAIRN_KIND_CHAR:
        return 1;
    case CAIRN_KIND_ERRNO:
    case TRACING_KIND_SCHEMA_VERSION:
        return 4;
    case CAIRN_KIND_UUID:
        return 16;
    case TRACING_KIND_STRUCT:
        return 0;
    default:
        return 8;
    }
}

static void set_values(struct tracing_cached_event *cached,
                       const struct tracing_provider_event *event)
{
    cached->least_bytes = (uint32_t)(HEAD_BYTES + EXTENSION) + cached->metadata_bytes;
    for (uint32_t i = 0; i < event->field_count; i++) {
        uint32_t kind = event->fields[i].value.kind;
        uint32_t bytes = is_counted(kind) ? COUNT_BYTES : fixed_bytes(kind);

        cached->kinds[i] = (uint8_t)kind;
        cached->least_bytes += bytes;
        cached->reserved_bytes += is_counted(kind) ? bytes + SHORT_BYTES : bytes;
        if (is_counted(kind) && kind != CAIRN_KIND_NONE)
            cached->counted |= UINT64_C(1) << i;
    }
}

static inline struct cairn_eventheader header_of(const struct tracing_provider_event *event)
{
    return (struct cairn_eventheader){
        .flags = (uint8_t)(CAIRN_EVENTHEADER_NATIVE_FLAGS | CAIRN_EVENTHEADER_EXTENSION),
        .tag = event->tag,
        .opcode = event->opcode,
        .level = event->level,
    };
}

struct tracing_cached_event *tracing_cached_event_make(const struct cairn_event_set *set,
                                                       const struct tracing_provider_event *event,
                                                       const struct cairn_builder *builder)
{
    size_t constant_bytes = builder->metadata.size;
    struct tracing_cached_event *cached = malloc(sizeof(*cached) + constant_bytes);
    struct cairn_i_event *constant;

    if (!cached)
        return NULL;
    *cached = (struct tracing_cached_event){
        .site = event->site,
        .set = set,
        .generation = core_load_relaxed(&generation),
        .field_count = event->field_count,
        .metadata_bytes = (uint32_t)(constant_bytes - sizeof(*constant)),
        .opcode = event->opcode,
    };
    set_values(cached, event);
    memcpy(cached->constant, builder->metadata.bytes, constant_bytes);
    constant = (void *)cached->constant;
    constant->header = header_of(event);
    constant->extension = (struct cairn_eventheader_extension){(uint16_t)cached->metadata_bytes,
                                                               CAIRN_EXTENSION_METADATA};
    return cached;
}

static bool is_made_of(const struct tracing_cached_event *cached,
                       const struct tracing_provider_event *event,
                       const struct cairn_builder *builder)
{
    const struct cairn_i_event *constant = constant_of(cached);
    const struct cairn_eventheader header = header_of(event);

    return builder->metadata.size == sizeof(*constant) + cached->metadata_bytes &&
           !memcmp(&constant->header, &header, sizeof(header)) &&
           !memcmp(constant->metadata, builder->metadata.bytes + sizeof(*constant),
                   cached->metadata_bytes);
}

/* A shared object that is loaded again mostly gets its former addresses: its entries, which threads
 * may be reading and are therefore never freed, become valid again. Returns false: there is none.
 */
static bool revive(struct tracing_cached_event *cached, const struct cairn_event_set *set,
                   const struct tracing_provider_event *event, const struct cairn_builder *builder)
{
    uint32_t now =
        core_load_relaxed(&generation); /* before it is compared with what is there now */

    while (cached && !(is_of(cached, set, event) && is_made_of(cached, event, builder)))
        cached = cached->next;
    if (cached)
        core_store_relaxed(&cached->generation, now);
    return cached != NULL;
}

void tracing_cached_event_add(const struct cairn_event_set *set,
                              const struct tracing_provider_event *event,
                              const struct cairn_builder *builder)
{
    struct tracing_cached_event **bucket = bucket_of(event);
    struct tracing_cached_event *first = core_load_acquire(bucket);
    struct tracing_cached_event *cached;

    if (!event->site || revive(first, set, event, builder) ||
        (first && first->rank + 1 >= VARIANTS))
        return;
    cached = tracing_cached_event_make(set, event, builder);
    if (!cached)
        return;
    cached->next = first;
    cached->rank = first ? first->rank + 1 : 0;
    /* Another thread was faster: its entry is used, or the next event tries again. */
    if (!core_compare_exchange_release(bucket, &first, cached))
        free(cached);
}

void tracing_cached_events_invalidate(void)
{
    core_fetch_add_relaxed(&generation, 1);
}

/* The entries of a call site for other event sets are in the same bucket: all are found from the
 * latest one. */
void tracing_cached_event_remember(struct tracing_cached_event *cached)
{
    /* A call site is the program's static object, const only for layers. */
    struct cairn_callsite *site = (struct cairn_callsite *)cached->site;
    const struct tracing_cached_event *known = core_load_acquire(&site->state);

    if (!known || known->rank < cached->rank)
        core_store_release(&site->state, cached);
}

/* ---- writing ---- */

struct written {
    const struct tracing_cached_event *cached;
    const struct tracing_provider_event *event;
    uint32_t activity_bytes; /* including its extension; 0: none */
};

static inline uint8_t *append(uint8_t *to, const void *bytes, size_t size)
{
    memcpy(to, bytes, size);
    return to + size;
}

static inline uint8_t *encode_extension(uint8_t *to, uint32_t size_bytes, uint32_t kind)
{
    const struct cairn_eventheader_extension extension = {(uint16_t)size_bytes, (uint16_t)kind};

    return append(to, &extension, sizeof(extension));
}

/* Writes the lowest bytes of a number, in the machine's byte order. */
static inline uint8_t *encode_number(uint8_t *to, uint64_t bits, uint32_t size)
{
    const uint32_t low = (uint32_t)bits;

    if (size == 8)
        return append(to, &bits, 8);
    if (size == 4)
        return append(to, &low, 4);
    *to = (uint8_t)bits;
    return to + 1;
}

/* Copies the data without a call: a function without calls needs to save fewer registers. */
static inline __attribute__((always_inline)) uint8_t *encode_short(uint8_t *to, const void *data,
                                                                   uint32_t bytes)
{
    const uint16_t count = (uint16_t)bytes;

    to = append(to, &count, sizeof(count));
    eventheader_copy_short(to, data, bytes);
    return to + bytes;
}

static inline uint8_t *encode_counted(uint8_t *to, const void *data, uint32_t bytes)
{
    const uint16_t count = (uint16_t)bytes;

    if (cairn_likely(bytes <= SHORT_BYTES))
        return encode_short(to, data, bytes);
    return append(append(to, &count, sizeof(count)), data, bytes);
}

static inline __attribute__((always_inline)) uint8_t *
encode_fixed(uint8_t *to, const struct cairn_tracing_value *value)
{
    static const uint8_t no_uuid[16];
    uint64_t bits = value->of.bits;
    uint32_t size = fixed_bytes(value->kind);

    if (!size)
        return to;
    if (size == 16)
        return append(to, value->of.data ? value->of.data : no_uuid, 16);
    if (value->kind == CAIRN_KIND_TIME)
        bits = tracing_wire_seconds((int64_t)bits);
    return encode_number(to, bits, size);
}

static inline __attribute__((always_inline)) uint8_t *
encode_value(uint8_t *to, const struct cairn_tracing_value *value)
{
    return is_counted(value->kind) ? encode_counted(to, value->of.data, counted_bytes(value))
                                   : encode_fixed(to, value);
}

static inline __attribute__((always_inline)) uint8_t *
encode_values(uint8_t *to, const struct tracing_provider_event *event)
{
    for (uint32_t i = 0; i < event->field_count; i++)
        to = encode_value(to, &event->fields[i].value);
    return to;
}

/* In both the caller has requested enough space for the sum. */
static uint8_t *fill_values(uint8_t *to, uint8_t *limit, const void *arg)
{
    const struct written *w = arg;

    (void)limit;
    return encode_values(eventheader_put_ids(to, w->event->activity, w->event->related), w->event);
}

static uint8_t *fill(uint8_t *to, uint8_t *limit, const void *arg)
{
    const struct written *w = arg;
    const struct tracing_provider_event *event = w->event;
    const struct cairn_eventheader header = header_of(event);

    (void)limit;
    to = append(to, &header, HEAD_BYTES);
    if (w->activity_bytes) {
        to = encode_extension(to, w->activity_bytes - EXTENSION,
                              CAIRN_EXTENSION_ACTIVITY_ID | CAIRN_EXTENSION_CHAIN);
        to = eventheader_put_ids(to, event->activity, event->related);
    }
    to = append(to, &constant_of(w->cached)->extension, EXTENSION + w->cached->metadata_bytes);
    return encode_values(to, event);
}

/* Size of the payload; UINT32_MAX: a value is too large for its count. */
static uint32_t sum_of(const struct tracing_cached_event *cached,
                       const struct tracing_provider_event *event, uint32_t activity_bytes)
{
    uint32_t sum = cached->least_bytes + activity_bytes;

    for (uint64_t left = cached->counted; left; left &= left - 1) {
        uint32_t bytes = event->fields[__builtin_ctzll(left)].value.data_bytes;

        if (bytes > TEXT_MAX)
            return UINT32_MAX;
        sum += bytes;
    }
    return sum;
}

static uint32_t activity_bytes_of(const struct tracing_provider_event *event)
{
    if (!event->activity)
        return 0;
    return (uint32_t)(EXTENSION + ID_BYTES * (event->related ? 2u : 1u));
}

/* ---- descriptors ---- */

static bool has_header(const struct tracing_cached_event *cached,
                       const struct tracing_provider_event *event)
{
    const struct cairn_eventheader header = header_of(event);

    return !memcmp(&constant_of(cached)->header, &header, HEAD_BYTES);
}

/* The id of the event's descriptor, if it has one. */
static inline uint32_t descriptor_of(const struct tracing_cached_event *cached, uint64_t sample_id,
                                     const struct tracing_provider_event *event)
{
    /* Pairs with the release in make_descriptor: the sample id comes before. */
    uint32_t descriptor = core_load_acquire(&cached->descriptor);

    return core_load_relaxed(&cached->sample_id) == sample_id && has_header(cached, event)
               ? descriptor
               : ENGINE_ID_NONE;
}

/* Makes the descriptor. One thread does that, once; others write whole events meanwhile. */
static uint32_t make_descriptor(struct tracing_cached_event *cached, uint64_t sample_id,
                                const struct tracing_provider_event *event)
{
    const struct cairn_i_event *constant = constant_of(cached);
    uint64_t none = 0;
    uint32_t descriptor;

    if (!sample_id || !has_header(cached, event) ||
        !core_compare_exchange_relaxed(&cached->sample_id, &none, sample_id))
        return ENGINE_ID_NONE;
    descriptor = engine_descriptor_make(
        sample_id, &(struct engine_constants){
                       .header = &constant->header,
                       .metadata = &constant->extension,
                       .metadata_bytes = (uint32_t)EXTENSION + cached->metadata_bytes,
                       .file = cached->site->file,
                       .line = cached->site->line,
                   });
    core_store_release(&cached->descriptor, descriptor);
    return descriptor;
}

/* Describes how the event is written by the general path, with a descriptor if there is one. */
static struct engine_writing writing_of(const struct written *w, uint32_t sum,
                                        struct engine_constants *constants, uint32_t descriptor)
{
    const struct cairn_i_event *constant = constant_of(w->cached);
    struct engine_writing writing = {.fill = fill, .least_bytes = sum};

    if (descriptor == ENGINE_ID_NONE)
        return writing;
    *constants = (struct engine_constants){
        .header = &constant->header,
        .metadata = &constant->extension,
        .metadata_bytes = (uint32_t)EXTENSION + w->cached->metadata_bytes,
    };
    writing.constants = constants;
    writing.fill_values = fill_values;
    writing.variant = eventheader_variant_of(w->event->activity, w->event->related);
    writing.descriptor = descriptor;
    return writing;
}

/* ---- writing to all backends ---- */

static __attribute__((noinline)) int write_slowly(struct tracing_cached_event *cached,
                                                  const struct written *w, uint32_t sum)
{
    const struct cairn_tracepoint *tracepoint = &cached->set->tracepoint;
    uint64_t sample_id = core_load_relaxed(&tracepoint->sample_id);
    uint32_t descriptor = descriptor_of(cached, sample_id, w->event);
    struct engine_constants constants;
    struct engine_writing writing;
    int saved_errno = errno;
    int error;

    if (descriptor == ENGINE_ID_NONE)
        descriptor = make_descriptor(cached, sample_id, w->event);
    writing = writing_of(w, sum, &constants, descriptor);
    error = user_events_emit_by(tracepoint, &writing, w);
    errno = saved_errno;
    return error;
}

int tracing_cached_event_write(struct tracing_cached_event *cached,
                               const struct tracing_provider_event *event)
{
    const struct written w = {cached, event, activity_bytes_of(event)};
    const struct cairn_tracepoint *tracepoint = &cached->set->tracepoint;
    uint32_t sum = sum_of(cached, event, w.activity_bytes);
    struct engine_thread *thread;
    uint32_t descriptor;
    uint8_t *to = NULL;

    if (sum > CAIRN_PAYLOAD_MAX_BYTES)
        return E2BIG;
    descriptor = descriptor_of(cached, core_load_relaxed(&tracepoint->sample_id), event);
    if (cairn_likely(user_events_is_local(tracepoint)))
        to = engine_emit_begin(tracepoint, descriptor, sum, &thread);
    if (cairn_unlikely(!to))
        return write_slowly(cached, &w, sum);
    to = eventheader_put_ids(to, event->activity, event->related);
    return engine_emit_commit(thread, encode_values(to, event),
                              descriptor + eventheader_variant_of(event->activity, event->related));
}

/* ---- values alone ---- */

/* The entry for events of a call site's values alone in this set; NULL: none is remembered. */
static inline const struct tracing_cached_event *find_remembered(const struct cairn_callsite *site,
                                                                 const struct cairn_event_set *set)
{
    /* Pairs with the release in tracing_cached_event_remember: the entry comes before. */
    const struct tracing_cached_event *cached = core_load_acquire(&site->state);

    while (cached && (cairn_unlikely(cached->set != set) || cached->site != site))
        cached = cached->next;
    return cached;
}

/* True if there is space for a counted value and for the rest of the event. */
static inline bool has_space(const struct tracing_cached_event *cached, uint32_t bytes,
                             ptrdiff_t space)
{
    return cairn_likely(bytes <= SHORT_BYTES) ||
           (int64_t)bytes + (int64_t)cached->reserved_bytes <= space;
}

/* Encodes values that are of the kinds that the entry has. Returns NULL if one is of another kind,
 * or too long. */
static inline __attribute__((always_inline)) uint8_t *
encode_values_alone(const struct tracing_cached_event *cached,
                    const struct cairn_tracing_value *values, uint8_t *to, const uint8_t *limit)
{
    const uint32_t field_count = cached->field_count;

    for (uint32_t i = 0; i < field_count; i++) {
        const struct cairn_tracing_value *value = &values[i];

        if (cairn_unlikely(value->kind != cached->kinds[i]))
            return NULL;
        if (cairn_likely(is_number(value->kind)))
            to = append(to, &value->of.bits, sizeof(value->of.bits));
        else if (!is_counted(value->kind))
            to = encode_fixed(to, value);
        else if (has_space(cached, counted_bytes(value), limit - to))
            to = encode_short(to, value->of.data, counted_bytes(value));
        else
            return NULL;
    }
    return to;
}

int tracing_cached_event_write_values(const struct cairn_callsite *site,
                                      const struct cairn_event_set *set,
                                      const struct cairn_tracing_value *values)
{
    const struct cairn_tracepoint *tracepoint = &set->tracepoint;
    const struct tracing_cached_event *cached = find_remembered(site, set);
    struct engine_thread *thread;
    const uint8_t *limit;
    uint32_t descriptor;
    uint8_t *to;

    if (cairn_unlikely(!cached))
        return EAGAIN;
    descriptor = core_load_acquire(&cached->descriptor);
    if (core_load_relaxed(&cached->sample_id) != core_load_relaxed(&tracepoint->sample_id) ||
        !is_valid(cached) || !user_events_is_local(tracepoint))
        return EAGAIN;
    to = engine_emit_begin(tracepoint, descriptor, cached->reserved_bytes, &thread);
    if (cairn_unlikely(!to))
        return EAGAIN;
    limit = engine_emit_limit(thread);
    if (limit - to > SHORT_MAX_BYTES)
        limit = to + SHORT_MAX_BYTES;
    to = encode_values_alone(cached, values, to, limit);
    if (cairn_likely(to))
        return engine_emit_commit(thread, to, descriptor);
    engine_emit_abandon(thread);
    return EAGAIN;
}

/* ---- writing to one backend ---- */

uint32_t tracing_cached_event_bytes(const struct tracing_cached_event *cached,
                                    const struct tracing_provider_event *event)
{
    uint64_t sum = tracing_cached_event_least_bytes(cached, event);

    for (uint64_t left = cached->counted; left; left &= left - 1)
        sum += event->fields[__builtin_ctzll(left)].value.data_bytes;
    return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

uint32_t tracing_cached_event_least_bytes(const struct tracing_cached_event *cached,
                                          const struct tracing_provider_event *event)
{
    return cached->least_bytes + activity_bytes_of(event);
}

int tracing_cached_event_write_local(const struct tracing_cached_event *cached,
                                     const struct tracing_provider_event *event)
{
    const struct written w = {cached, event, activity_bytes_of(event)};

    const struct engine_writing writing = {.fill = fill,
                                           .least_bytes = sum_of(cached, event, w.activity_bytes)};

    return engine_emit(&cached->set->tracepoint, &writing, &w);
}

int tracing_cached_event_write_kernel(const struct tracing_cached_event *cached,
                                      const struct tracing_provider_event *event)
{
    const struct written w = {cached, event, activity_bytes_of(event)};

    return user_events_emit_kernel(&cached->set->tracepoint,
                                   sum_of(cached, event, w.activity_bytes), fill, &w);
}
