/* SPDX-License-Identifier: MIT */
/*
 * Losses of events by thread and type of event: writers that find their pool full count them there
 * (struct engine_pool_loss). Those that do not reach a pool are counted by tracepoint, in the
 * entry.
 */
#include "core/atomic.h"
#include "engine/loss.h"
#include "session/expand.h"
#include "session/numbers.h"
#include "session/rules.h"

#include <stdlib.h>
#include <string.h>

/* A process can claim any number of threads; the losses of more are only in the sum. */
#define LOSSES_MAX 65536u

/* The part of a pool that was counted. */
struct session_pool_losses {
    struct {
        uint64_t key;
        uint64_t seen;
        uint32_t number; /* of session->losses, from 1; 0: none */
    } of[ENGINE_POOL_LOSSES];
};

struct session_loss {
    struct cairn_session_loss shown;
    char *provider;
    char *event;
    char comm[CAIRN_COMM_BYTES];
};

/* ---- names ---- */

/* True: the loss has memory of its own for both. */
static bool set_names(struct session_loss *loss, struct cairn_slice provider,
                      struct cairn_slice event)
{
    loss->provider = strndup(provider.text, provider.length);
    loss->event = strndup(event.text, event.length);
    loss->shown.provider = loss->provider;
    loss->shown.event = loss->event;
    return loss->provider && loss->event;
}

/* As readers name them: "Provider" and "Event". Without a descriptor both are empty. */
static bool name_event(struct cairn_session *session, struct session_pool *pool, uint32_t unit,
                       struct session_loss *loss)
{
    const struct engine_descriptor *descriptor =
        unit ? session_find_descriptor(session, pool, unit * ENGINE_ID_VARIANTS) : NULL;
    const struct session_tracepoint *tp =
        descriptor ? session_find_tracepoint(session, pool->directory, descriptor->sample_id)
                   : NULL;
    struct session_tracepoint named; /* the slices are parts of it */
    struct cairn_slice provider = {"", 0};
    struct cairn_slice event = {"", 0};

    if (tp) {
        named = *tp;
        session_name_tracepoint(&named);
        provider = named.full_name.system;
        event = named.full_name.tracepoint;
        if (tp->is_eventheader && descriptor->kind == ENGINE_DESCRIPTOR_EVENTHEADER &&
            descriptor->metadata_bytes >= ENGINE_EXTENSION_BYTES) {
            provider = named.full_name.provider;
            event = session_event_name(&(struct session_type){
                descriptor->header, descriptor->texts + ENGINE_EXTENSION_BYTES,
                (size_t)descriptor->metadata_bytes - ENGINE_EXTENSION_BYTES});
        }
    }
    return set_names(loss, provider, event);
}

/* The tracepoint alone: an EventHeader event's own name is only known in a buffer. */
static bool name_tracepoint(const struct session_tracepoint *tp, struct session_loss *loss)
{
    struct session_tracepoint named = *tp; /* the slices are parts of it */

    session_name_tracepoint(&named);
    return set_names(loss, tp->is_eventheader ? named.full_name.provider : named.full_name.system,
                     named.full_name.tracepoint);
}

static void name_thread(struct session_pool *pool, const struct engine_pool_loss *loss,
                        struct session_loss *to)
{
    struct cairn_chunk ids = {.pid = core_load_relaxed(&loss->pid),
                              .tid = (uint32_t)(core_load_relaxed(&loss->key) >> 32)};
    uint32_t index;

    if (!ids.pid)
        ids.pid = (uint32_t)strtoul(pool->name, NULL, 10);
    session_translate_numbers(pool, &ids);
    to->shown.pid = ids.pid;
    to->shown.tid = ids.tid;
    index = perf_data_map_get(&pool->thread_of_tid, ids.tid);
    if (index != PERF_DATA_MAP_NONE)
        memcpy(to->comm, pool->threads[index].name, sizeof(to->comm));
}

/* ---- counting ---- */

/* Returns the loss's number, from 1; 0: there are too many, or there is no memory. The names are
 * the session's then, or freed. */
static uint32_t keep(struct cairn_session *session, struct session_loss *loss, bool is_named)
{
    uint32_t count = session->loss_count;
    struct session_loss *more = session->losses;

    if (is_named && count < LOSSES_MAX && !(count & (count - 1)))
        more = reallocarray(session->losses, count ? 2 * (size_t)count : 1, sizeof(*more));
    if (!is_named || count == LOSSES_MAX || !more) {
        free(loss->provider);
        free(loss->event);
        return 0;
    }
    session->losses = more;
    session->losses[count] = *loss;
    return ++session->loss_count;
}

static uint32_t add(struct cairn_session *session, struct session_pool *pool, uint64_t key)
{
    struct session_loss loss = {0};
    bool is_named =
        session->loss_count < LOSSES_MAX && name_event(session, pool, (uint32_t)key, &loss);

    return keep(session, &loss, is_named);
}

static uint32_t add_tracepoint(struct cairn_session *session, const struct session_tracepoint *tp)
{
    struct session_loss loss = {0};
    bool is_named = session->loss_count < LOSSES_MAX && name_tracepoint(tp, &loss);

    return keep(session, &loss, is_named);
}

static struct session_pool_losses *losses_of(struct session_pool *pool, uint64_t counted_before)
{
    const struct engine_pool_loss *losses = engine_pool_losses(pool->reader.pool.large.header);

    if (pool->losses)
        return pool->losses;
    pool->losses = calloc(1, sizeof(*pool->losses));
    /* Those that a killed recorder has counted are not counted again. */
    for (uint32_t i = 0; counted_before && pool->losses && i < ENGINE_POOL_LOSSES; i++) {
        uint64_t value =
            engine_loss_value(core_load_relaxed(&losses[i].count), pool->reader.session);

        pool->losses->of[i].seen = value == UINT64_MAX ? 0 : value;
        pool->losses->of[i].key = core_load_relaxed(&losses[i].key);
    }
    return pool->losses;
}

/* Shared memory may contain anything: a place keeps its thread and type, and no thread has the
 * number 0. */
static bool is_possible(uint64_t key, uint64_t key_before)
{
    return key >> 32 && (!key_before || key == key_before);
}

/* The parts are never more than the sum. */
void session_divide_losses(struct cairn_session *session, struct session_pool *pool, uint64_t lost)
{
    const struct engine_pool_loss *losses = engine_pool_losses(pool->reader.pool.large.header);
    struct session_pool_losses *known = losses_of(pool, pool->lost - lost);

    for (uint32_t i = 0; known && lost && i < ENGINE_POOL_LOSSES; i++) {
        uint64_t key = core_load_relaxed(&losses[i].key);
        /* Pairs with the release in counting: the key and the pid come before. */
        uint64_t value =
            engine_loss_value(core_load_acquire(&losses[i].count), pool->reader.session);
        uint64_t more = value - known->of[i].seen;

        if (value == UINT64_MAX || value <= known->of[i].seen ||
            !is_possible(key, known->of[i].key))
            continue;
        if (!known->of[i].number)
            known->of[i].number = add(session, pool, key);
        if (more > lost)
            more = lost; /* the rest is part of the next sum */
        known->of[i].key = key;
        known->of[i].seen += more;
        lost -= more;
        if (!known->of[i].number)
            continue;
        name_thread(pool, &losses[i], &session->losses[known->of[i].number - 1]);
        session->losses[known->of[i].number - 1].shown.lost += more;
    }
}

static void divide_entry(struct cairn_session *session, struct session_source *source,
                         uint64_t value, uint64_t *lost)
{
    uint64_t more = value - source->lost;

    if (value <= source->lost)
        return;
    if (more > *lost)
        more = *lost; /* the rest is part of the next sum */
    if (!source->loss_of_1)
        source->loss_of_1 = add_tracepoint(session, &session->tracepoints[source->number_of_1 - 1]);
    source->lost += more;
    *lost -= more;
    if (source->loss_of_1)
        session->losses[source->loss_of_1 - 1].shown.lost += more;
}

void session_divide_slot_losses(struct cairn_session *session, struct session_directory *directory,
                                uint64_t lost)
{
    for (uint32_t i = 1; i < engine_registry_end(&directory->local) && lost; i++) {
        const struct engine_event_entry *entry = &directory->local.entries[i];
        struct session_source *source = &directory->sources[i];

        if (source->number_of_1 && core_load_acquire(&entry->generation) == source->generation)
            divide_entry(session, source, core_load_relaxed(&entry->lost), &lost);
    }
}

/* ---- results ---- */

void cairn_session_each_loss(const struct cairn_session *session,
                             void (*each)(void *context, const struct cairn_session_loss *loss),
                             void *context)
{
    struct cairn_session_loss others = {
        .provider = "", .event = "", .comm = "", .lost = session->counts.lost};

    for (uint32_t i = 0; i < session->loss_count; i++) {
        struct session_loss *loss = &session->losses[i];

        loss->shown.comm = loss->comm;
        others.lost -= loss->shown.lost;
        each(context, &loss->shown);
    }
    each(context, &others);
}

void session_free_losses(struct cairn_session *session)
{
    for (uint32_t i = 0; i < session->loss_count; i++) {
        free(session->losses[i].provider);
        free(session->losses[i].event);
    }
    free(session->losses);
}
