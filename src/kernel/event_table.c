/* SPDX-License-Identifier: MIT */
/* The table of a trace's events, by id and by name. */
#include "kernel/event_table.h"

#include "core/atomic.h"
#include "kernel/event_state.h"
#include "kernel/section.h"
#include "kernel/static_key_batch.h"

/* ---- names: open addressing, at most half full ---- */

static uint32_t name_slots(uint32_t event_count)
{
    uint32_t slots = 2;

    while (slots < 2 * event_count)
        slots *= 2;
    return slots;
}

/* FNV-1a, continued from `hash`. */
static uint32_t hash_slice(uint32_t hash, struct cairn_slice s)
{
    for (uint32_t i = 0; i < s.length; i++)
        hash = (hash ^ (unsigned char)s.text[i]) * 16777619u;
    return hash;
}

static bool has_name(const struct cairn_trace_event *event, struct cairn_slice system,
                     struct cairn_slice name)
{
    return event && core_slice_equal(core_slice_of(event->system), system) &&
           core_slice_equal(core_slice_of(event->name), name);
}

/* The slot of a name, or the free slot to insert it. */
static uint16_t *find_slot(const struct cairn_trace *trace, struct cairn_slice system,
                           struct cairn_slice name)
{
    uint32_t at = hash_slice(hash_slice(2166136261u, system), name);

    for (;; at++) {
        uint16_t *slot = &trace->names[at & (trace->name_slots - 1)];

        if (!*slot || has_name(trace->events[*slot - 1], system, name))
            return slot;
    }
}

static uint16_t *slot_of(const struct cairn_trace *trace, const struct cairn_trace_event *event)
{
    return find_slot(trace, core_slice_of(event->system), core_slice_of(event->name));
}

/* Rebuilds the names without those of removed events. */
static void index_names(struct cairn_trace *trace)
{
    __builtin_memset(trace->names, 0, trace->name_slots * sizeof(*trace->names));
    for (uint32_t i = 0; i < trace->end; i++) {
        if (trace->events[i])
            *slot_of(trace, trace->events[i]) = (uint16_t)(i + 1);
    }
}

/* ---- events ---- */

/*
 * Index for a new event: the free one that was used longest ago, because its records are the
 * oldest.
 */
static bool find_index(const struct cairn_trace *trace, uint32_t *ret_index)
{
    uint32_t index = trace->next;

    for (uint32_t i = 0; i < trace->capacity; i++, index++) {
        if (index >= trace->capacity)
            index = 0;
        if (!trace->events[index]) {
            *ret_index = index;
            return true;
        }
    }
    return false;
}

static int insert(struct cairn_trace *trace, struct cairn_trace_event *event)
{
    uint16_t *slot = slot_of(trace, event);
    uint32_t index;

    if (*slot)
        return EEXIST;
    if (kernel_static_key_is_stranded(trace->keys, &event->key, event->sites, event->sites_end))
        return EOPNOTSUPP;
    if (!find_index(trace, &index))
        return ENOSPC;
    /* The rings may contain records of the id's previous event. */
    event->since_ns = index < trace->end ? kernel_trace_now_ns(trace) : 0;
    *slot = (uint16_t)(index + 1);
    event->id = (uint16_t)(trace->first_id + index);
    /* Pairs with the acquire in cairn_trace_find_id. */
    core_store_release(&trace->events[index], event);
    trace->next = index + 1;
    if (index >= trace->end)
        trace->end = index + 1;
    return 0;
}

static void take_out(struct cairn_trace *trace, struct cairn_trace_event *event)
{
    core_store_release(&trace->events[event->id - trace->first_id], NULL);
    event->id = 0;
    core_store_relaxed(&event->trace, NULL);
}

/* Undoes cairn_trace_add: removes events that have an id but belong to no trace yet. */
static void undo(struct cairn_trace *trace, struct cairn_trace_event *const *start,
                 struct cairn_trace_event *const *stop)
{
    for (struct cairn_trace_event *const *at = start; at != stop; at++) {
        if (*at && !(*at)->trace && (*at)->id)
            take_out(trace, *at);
    }
    index_names(trace);
}

int cairn_trace_add(struct cairn_trace *trace, struct cairn_trace_event *const *start,
                    struct cairn_trace_event *const *stop)
{
    struct cairn_trace_event *const *at;
    int err = 0;

    for (at = start; at != stop && !err; at++) {
        if (*at && (*at)->trace && (*at)->trace != trace)
            err = EBUSY;
        else if (*at && !(*at)->id)
            err = insert(trace, *at);
    }
    if (err) {
        undo(trace, start, stop);
        return err;
    }
    for (at = start; at != stop; at++) {
        if (*at)
            core_store_relaxed(&(*at)->trace, trace);
    }
    return 0;
}

int cairn_trace_remove(struct cairn_trace *trace, struct cairn_trace_event *const *start,
                       struct cairn_trace_event *const *stop)
{
    struct cairn_trace_event *const *at;

    if (!kernel_trace_can_wait(trace))
        return EINPROGRESS;
    for (at = start; at != stop; at++) {
        if (!*at || (*at)->trace != trace)
            continue;
        kernel_state_drop(*at);
        kernel_trace_defer(*at);
    }
    (void)cairn_trace_synchronize(trace);
    for (at = start; at != stop; at++) {
        if (!*at || (*at)->trace != trace)
            continue;
        kernel_trace_wait_for_switches(*at);
        take_out(trace, *at);
    }
    index_names(trace);
    return 0;
}

struct cairn_trace_event *cairn_trace_find_id(const struct cairn_trace *trace, uint32_t id)
{
    if (id < trace->first_id || id - trace->first_id >= trace->end)
        return NULL;
    return core_load_acquire(&trace->events[id - trace->first_id]);
}

struct cairn_trace_event *kernel_trace_find(const struct cairn_trace *trace,
                                            struct cairn_slice system, struct cairn_slice name)
{
    uint16_t slot = *find_slot(trace, system, name);

    return slot ? trace->events[slot - 1] : NULL;
}

struct cairn_trace_event *cairn_trace_find(const struct cairn_trace *trace,
                                           const char *system_and_name)
{
    struct cairn_slice name = core_slice_of(system_and_name);
    struct cairn_slice system = core_slice_take_until(&name, ':');

    return kernel_trace_find(trace, system, name);
}

struct cairn_trace_event *cairn_trace_next(const struct cairn_trace *trace,
                                           const struct cairn_trace_event *event)
{
    for (uint32_t i = event ? event->id - trace->first_id + 1 : 0; i < trace->end; i++) {
        struct cairn_trace_event *next = core_load_acquire(&trace->events[i]);

        if (next)
            return next;
    }
    return NULL;
}

/* ---- the trace ---- */

size_t cairn_trace_table_memory_bytes(uint32_t event_count)
{
    if (event_count > CAIRN_TRACE_ID_MAX)
        return 0;
    return ((size_t)event_count * sizeof(struct cairn_trace_event *) +
            name_slots(event_count) * sizeof(uint16_t) + 7) &
           ~(size_t)7;
}

/* The number of events that fit into the table. */
static uint32_t table_capacity(size_t table_bytes, uint32_t id_count)
{
    size_t most = table_bytes / sizeof(struct cairn_trace_event *);
    uint32_t capacity = most < id_count ? (uint32_t)most : id_count;

    while (capacity && cairn_trace_table_memory_bytes(capacity) > table_bytes)
        capacity--;
    return capacity;
}

static void use_table(struct cairn_trace *trace, const struct cairn_trace_config *config)
{
    trace->capacity = table_capacity(config->table_bytes, CAIRN_TRACE_ID_MAX - trace->first_id + 1);
    trace->name_slots = name_slots(trace->capacity);
    trace->events = config->table_memory;
    trace->names = (uint16_t *)(void *)(trace->events + trace->capacity);
    __builtin_memset(config->table_memory, 0, config->table_bytes);
}

int cairn_trace_init(struct cairn_trace *trace, const struct cairn_trace_config *config,
                     struct cairn_trace_event *const *start, struct cairn_trace_event *const *stop)
{
    const struct cairn_host *host = config->host;

    if (!host || !host->enter || !host->allocate != !host->release ||
        config->first_id > CAIRN_TRACE_ID_MAX ||
        !(config->buffer || (host->synchronize && host->entered)) ||
        (config->keys && !config->keys->ready))
        return EINVAL;
    if (config->table_bytes < cairn_trace_table_memory_bytes(0))
        return ENOSPC;
    *trace = (struct cairn_trace){
        .host = host,
        .buffer = config->buffer,
        .comms = config->comms,
        .enter = host->enter,
        .leave = host->leave,
        .cpus = config->buffer ? config->buffer->cpus : NULL,
        .fence = !host->synchronize && !host->keys.sync_cores && config->buffer->cpu_count > 1,
        .own_keys = {.ready = true},
        .record_comms = true,
        .first_id = config->first_id ? config->first_id : 1,
    };
    trace->keys = config->keys ? config->keys : &trace->own_keys;
    use_table(trace, config);
    return cairn_trace_add(trace, start, stop);
}
