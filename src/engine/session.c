/* SPDX-License-Identifier: MIT */
/* Sessions in the registry: begin, heartbeat, end. */
#include "engine/session.h"
#include "core/atomic.h"
#include "core/glob.h"
#include "engine/clock.h"
#include "engine/liveness.h"
#include "engine/loss.h"
#include "engine/pending.h"
#include "engine/pool_range.h"
#include "engine/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Time between two attempts to create pools. */
#define PROVIDE_NS UINT64_C(1000000000)

/* The event's name, NUL-terminated: patterns are matched against it. */
static void name_of(const struct engine_event_entry *entry, char name[CAIRN_COMMAND_MAX_BYTES])
{
    uint32_t length = engine_command_name_length(entry->command);

    memcpy(name, entry->command, length);
    name[length] = 0;
}

/* Patterns are shared memory: each is copied, and none ends after the slot. */
static bool wants(const struct engine_session_slot *slot, const char *name)
{
    char pattern[ENGINE_SESSION_PATTERNS];
    size_t length;

    for (size_t at = 0; at < ENGINE_SESSION_PATTERNS; at += length + 1) {
        length = strnlen(slot->patterns + at, ENGINE_SESSION_PATTERNS - at);
        if (length == 0 || length == ENGINE_SESSION_PATTERNS - at)
            return false;
        memcpy(pattern, slot->patterns + at, length);
        pattern[length] = 0;
        if (core_glob_match(pattern, name))
            return true;
    }
    return false;
}

/* The event of a session that is silenced is enabled when its recorder continues. */
static void match_slot(struct engine_registry *local, uint32_t index, uint32_t slot,
                       const char *name)
{
    const struct engine_session_slot *session = &local->slots[slot];

    if (session->generation && !(session->flags & ENGINE_SESSION_REPLACED) && wants(session, name))
        core_fetch_or_release(&local->entries[index].sessions, UINT64_C(1) << slot);
}

void engine_session_match_entry(struct engine_registry *local, uint32_t index)
{
    char name[CAIRN_COMMAND_MAX_BYTES];

    name_of(&local->entries[index], name);
    for (uint64_t used = engine_registry_slots_used(local); used; used &= used - 1)
        match_slot(local, index, (uint32_t)__builtin_ctzll(used), name);
    engine_registry_refresh_status(local, index);
}

static int find_slot(const struct engine_registry *local, uint32_t *ret_slot)
{
    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        if (!local->slots[i].generation) {
            *ret_slot = i;
            return 0;
        }
    }
    return ENOSPC;
}

static int make_liveness_file(const struct engine_registry *local, uint64_t generation, int *ret_fd)
{
    char name[40];
    int error;
    int fd;

    (void)snprintf(name, sizeof(name), "sessions/%" PRIu64, generation);
    fd = engine_directory_open(&local->directory, name, O_RDWR | O_CREAT | O_EXCL);
    if (fd < 0)
        return errno;
    error = engine_liveness_lock(fd);
    if (error) {
        close(fd);
        return error;
    }
    *ret_fd = fd;
    return 0;
}

static uint32_t flags_of(const struct engine_session_request *request)
{
    return request->block_ms << ENGINE_SESSION_BLOCK_SHIFT |
           (request->is_kept ? ENGINE_SESSION_KEPT : 0);
}

/* This process is the recorder. */
static void set_recorder(struct engine_session_slot *slot)
{
    struct engine_liveness liveness = engine_liveness_of_self();

    slot->pid = liveness.pid;
    slot->pid_start = liveness.pid_start;
    slot->pid_namespace = liveness.pid_namespace;
}

static void fill_slot(struct engine_session_slot *slot,
                      const struct engine_session_request *request, uint64_t former,
                      uint64_t generation)
{
    core_store_relaxed(&slot->lost, engine_loss_begin(generation));
    for (uint32_t i = 0; i < CAIRN_LOSS_CAUSES; i++)
        core_store_relaxed(&slot->lost_by_cause[i], engine_loss_begin(generation));
    slot->chunk_bytes = request->chunk_bytes;
    slot->chunk_count = request->chunk_count;
    set_recorder(slot);
    slot->status_bit = request->status_bit;
    slot->small_chunks = request->small_chunks;
    /* One that is kept is missed from the beginning. */
    slot->heartbeat_ns = request->is_kept ? os_clock_ns() : 0;
    core_store_relaxed(&slot->flags, flags_of(request));
    slot->doorbell = 0;
    slot->former = former;
    core_store_relaxed(&slot->awake, generation);
    core_store_release(&slot->generation, generation);
}

/* Adds and removes bits of an entry's mask by one store. */
static void change_mask(struct engine_registry *local, uint32_t index, uint64_t add,
                        uint64_t remove)
{
    uint64_t *mask = &local->entries[index].sessions;
    uint64_t before = core_load_relaxed(mask);

    while (!core_compare_exchange_acq_rel(mask, &before, (before & ~remove) | add))
        ;
    engine_registry_refresh_status(local, index);
}

/* Marks the session whose place this one takes. Returns its bit, or 0. */
static uint64_t mark_former(struct engine_registry *local, uint32_t slot)
{
    const uint64_t former = local->slots[slot].former;

    for (uint32_t i = 0; former && i < ENGINE_SESSION_MAX; i++) {
        if (local->slots[i].generation != former)
            continue;
        core_fetch_or_release(&local->slots[i].flags, ENGINE_SESSION_REPLACED);
        return UINT64_C(1) << i;
    }
    return 0;
}

/* Pools come first: a thread that finds an event enabled finds its pool. `former`: as mark_former
 * returns it. */
static int enable_matching(struct engine_registry *local, uint32_t slot, uint64_t former,
                           bool *ret_lacks_pools)
{
    uint64_t *wanted = calloc(ENGINE_EVENT_MAX / 64, sizeof(*wanted));
    char name[CAIRN_COMMAND_MAX_BYTES];

    if (!wanted)
        return ENOMEM;
    for (uint32_t i = 1; i < engine_registry_end(local); i++) {
        if (!local->entries[i].generation)
            continue;
        name_of(&local->entries[i], name);
        if (wants(&local->slots[slot], name))
            wanted[i / 64] |= UINT64_C(1) << i % 64;
    }
    *ret_lacks_pools = !engine_pool_ranges_provide(local, slot, wanted);
    for (uint32_t i = 1; i < engine_registry_end(local); i++) {
        bool is_wanted = wanted[i / 64] >> i % 64 & 1;

        if (is_wanted || local->entries[i].sessions & former)
            change_mask(local, i, is_wanted ? UINT64_C(1) << slot : 0, former);
    }
    free(wanted);
    return 0;
}

/* Once the slot has its generation, a death does not undo it: engine_session_complete does the
 * rest. `former`: the session whose place this one takes, or NULL. */
static int begin_locked(struct engine_registry *local, const struct engine_session_request *request,
                        const struct engine_session *former, struct engine_session *ret_session)
{
    struct engine_session session = {.liveness_fd = -1};
    uint64_t former_bit;
    int error;

    engine_registry_sweep(local);
    error = find_slot(local, &session.slot);
    if (!error)
        error = engine_rules_put(request->patterns, request->rules, request->pattern_count,
                                 local->slots[session.slot].patterns);
    if (error)
        return error;
    session.generation = local->registry->next_generation++;
    error = make_liveness_file(local, session.generation, &session.liveness_fd);
    if (error)
        return error;
    session.status_bit = request->status_bit;
    fill_slot(&local->slots[session.slot], request, former ? former->generation : 0,
              session.generation);
    local->slots_known = false;
    former_bit = mark_former(local, session.slot);
    error = request->pattern_count
                ? enable_matching(local, session.slot, former_bit, &session.lacks_pools)
                : 0;
    if (error) {
        if (former_bit)
            core_fetch_and_relaxed(&local->slots[former->slot].flags, ~ENGINE_SESSION_REPLACED);
        engine_session_release(local, session.slot);
        close(session.liveness_fd);
        return error;
    }
    engine_pending_enable(local);
    engine_registry_notify(local);
    *ret_session = session;
    return 0;
}

int engine_session_begin(struct engine_registry *local,
                         const struct engine_session_request *request,
                         struct engine_session *ret_session)
{
    int error = engine_registry_lock(local);

    if (error)
        return error;
    error = begin_locked(local, request, NULL, ret_session);
    engine_registry_unlock(local);
    return error;
}

int engine_session_replace(struct engine_registry *local, const struct engine_session *former,
                           const struct engine_session_request *request,
                           struct engine_session *ret_session)
{
    int error = engine_registry_lock(local);

    if (error)
        return error;
    error = begin_locked(local, request, former, ret_session);
    engine_registry_unlock(local);
    return error;
}

void engine_session_complete(struct engine_registry *local)
{
    uint64_t formers[ENGINE_SESSION_MAX];
    bool lacks_pools;

    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++)
        formers[i] = local->slots[i].generation ? mark_former(local, i) : 0;
    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        if (local->slots[i].generation && !(local->slots[i].flags & ENGINE_SESSION_REPLACED))
            (void)enable_matching(local, i, formers[i], &lacks_pools);
    }
}

/* ---- in the place of a killed recorder ---- */

static void provide_again(struct engine_registry *local, struct engine_session *session)
{
    uint64_t *wanted = calloc(ENGINE_EVENT_MAX / 64, sizeof(*wanted));

    if (!wanted)
        return;
    for (uint32_t i = 1; i < engine_registry_end(local); i++) {
        if (local->entries[i].sessions >> session->slot & 1)
            wanted[i / 64] |= UINT64_C(1) << i % 64;
    }
    session->lacks_pools = !engine_pool_ranges_provide(local, session->slot, wanted);
    free(wanted);
}

static bool is_as_requested(const struct engine_session_slot *slot,
                            const struct engine_session_request *request,
                            const char patterns[ENGINE_SESSION_PATTERNS])
{
    return slot->flags == flags_of(request) && slot->chunk_bytes == request->chunk_bytes &&
           slot->chunk_count == request->chunk_count &&
           slot->small_chunks == request->small_chunks &&
           !memcmp(slot->patterns, patterns, ENGINE_SESSION_PATTERNS);
}

static void enable_adopted(struct engine_registry *local, struct engine_session *session)
{
    struct engine_session_slot *slot = &local->slots[session->slot];

    set_recorder(slot);
    core_store_relaxed(&slot->heartbeat_ns, os_clock_ns());
    core_store_relaxed(&slot->awake, session->generation);
    core_store_relaxed(&slot->doorbell, 0);
    provide_again(local, session); /* to programs that have come meanwhile */
    core_store_relaxed(&slot->status_bit, session->status_bit);
    for (uint32_t i = 1; i < engine_registry_end(local); i++) {
        if (local->entries[i].sessions >> session->slot & 1)
            engine_registry_refresh_status(local, i);
    }
    engine_pending_enable(local);
    engine_registry_notify(local);
}

static int adopt_locked(struct engine_registry *local, const struct engine_session_request *request,
                        struct engine_session *session, bool *ret_is_same)
{
    const struct engine_session_slot *slot = &local->slots[session->slot];
    char patterns[ENGINE_SESSION_PATTERNS];
    char name[40];
    int error =
        engine_rules_put(request->patterns, request->rules, request->pattern_count, patterns);

    if (error)
        return error;
    if (slot->generation != session->generation || !(slot->flags & ENGINE_SESSION_KEPT))
        return ENOENT;
    (void)snprintf(name, sizeof(name), "sessions/%" PRIu64, session->generation);
    session->liveness_fd = engine_directory_open(&local->directory, name, O_RDWR);
    if (session->liveness_fd < 0)
        return errno;
    error = engine_liveness_lock(session->liveness_fd);
    if (error) {
        close(session->liveness_fd);
        return error == EAGAIN || error == EACCES ? EBUSY : error;
    }
    *ret_is_same = is_as_requested(slot, request, patterns);
    enable_adopted(local, session);
    return 0;
}

int engine_session_adopt(struct engine_registry *local,
                         const struct engine_session_request *request, uint32_t slot,
                         uint64_t generation, struct engine_session *ret_session, bool *ret_is_same)
{
    struct engine_session session = {.slot = slot,
                                     .generation = generation,
                                     .status_bit = request->status_bit,
                                     .liveness_fd = -1};
    int error = slot < ENGINE_SESSION_MAX && generation ? engine_registry_lock(local) : ENOENT;

    if (error)
        return error;
    error = adopt_locked(local, request, &session, ret_is_same);
    engine_registry_unlock(local);
    if (!error)
        *ret_session = session;
    return error;
}

/* ---- shared ---- */

uint64_t engine_session_shared(const struct engine_registry *local)
{
    uint64_t slots = 0;

    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        if (local->slots[i].generation && local->slots[i].flags & ENGINE_SESSION_SHARED)
            slots |= UINT64_C(1) << i;
    }
    return slots;
}

/* Finds the shared session, if it exists and its file can be opened. */
static int join_locked(struct engine_registry *local, struct engine_session *ret_session)
{
    struct engine_session session = {.liveness_fd = -1};
    char name[40];

    for (uint64_t slots = engine_session_shared(local); slots && session.liveness_fd < 0;
         slots &= slots - 1) {
        session.slot = (uint32_t)__builtin_ctzll(slots);
        session.generation = local->slots[session.slot].generation;
        (void)snprintf(name, sizeof(name), "sessions/%" PRIu64, session.generation);
        session.liveness_fd = engine_directory_open(&local->directory, name, O_RDWR);
    }
    if (session.liveness_fd < 0)
        return ENOENT;
    *ret_session = session;
    return 0;
}

/* No event is chosen by a pattern. */
static int share_locked(struct engine_registry *local, struct engine_session *ret_session)
{
    static const struct engine_session_request request = {
        .status_bit = ENGINE_STATUS_TEXT,
        .chunk_bytes = ENGINE_SHARED_CHUNK_BYTES,
        .chunk_count = ENGINE_SHARED_CHUNKS,
        .small_chunks = ENGINE_SHARED_SMALL_CHUNKS,
    };
    struct engine_session session;
    int error;

    engine_registry_sweep(local);
    error = join_locked(local, &session);
    if (error == ENOENT) {
        error = begin_locked(local, &request, NULL, &session);
        if (!error)
            local->slots[session.slot].flags = ENGINE_SESSION_SHARED;
    }
    if (error)
        return error;
    error = engine_liveness_share(session.liveness_fd);
    if (error)
        close(session.liveness_fd);
    else
        *ret_session = session;
    return error;
}

int engine_session_share(struct engine_registry *local, struct engine_session *ret_session)
{
    int error = engine_registry_lock(local);

    if (error)
        return error;
    error = share_locked(local, ret_session);
    engine_registry_unlock(local);
    return error;
}

static void provide_for(struct engine_registry *local, uint32_t slot, uint32_t index)
{
    uint64_t *wanted = calloc(ENGINE_EVENT_MAX / 64, sizeof(*wanted));

    if (!wanted)
        return;
    wanted[index / 64] = UINT64_C(1) << index % 64;
    (void)engine_pool_ranges_provide(local, slot, wanted);
    free(wanted);
}

void engine_session_choose(struct engine_registry *local, uint32_t slot, uint32_t index,
                           bool wanted)
{
    uint64_t bit = UINT64_C(1) << slot;

    if (wanted)
        provide_for(local, slot, index);
    if (wanted)
        core_fetch_or_release(&local->entries[index].sessions, bit);
    else
        core_fetch_and_relaxed(&local->entries[index].sessions, ~bit);
    engine_registry_refresh_status(local, index);
    engine_registry_collect(local, index);
    if (wanted)
        engine_pending_enable(local);
    engine_registry_notify(local);
}

bool engine_session_beat(struct engine_registry *local, const struct engine_session *session)
{
    struct engine_session_slot *slot = &local->slots[session->slot];

    core_store_relaxed(&slot->heartbeat_ns, os_clock_ns());
    if (cairn_likely(core_load_relaxed(&slot->status_bit)) ||
        core_load_relaxed(&slot->generation) != session->generation ||
        engine_registry_lock_now(local))
        return false;
    core_store_relaxed(&slot->status_bit, session->status_bit);
    for (uint32_t i = 1; i < engine_registry_end(local); i++) {
        if (local->entries[i].sessions >> session->slot & 1)
            engine_registry_refresh_status(local, i);
    }
    engine_pending_enable(local);
    engine_registry_notify(local);
    engine_registry_unlock(local);
    return true;
}

void engine_session_provide_again(struct engine_registry *local, struct engine_session *session)
{
    uint64_t now_ns = os_clock_ns();

    if (now_ns < session->provide_ns || engine_registry_lock_now(local))
        return;
    session->provide_ns = now_ns + PROVIDE_NS;
    if (local->slots[session->slot].generation == session->generation)
        provide_again(local, session);
    engine_registry_unlock(local);
}

int engine_session_disable(struct engine_registry *local, const struct engine_session *session)
{
    int error = engine_registry_lock(local);

    if (error)
        return error;
    engine_registry_silence(local, UINT64_C(1) << session->slot);
    engine_registry_unlock(local);
    return 0;
}

void engine_session_end(struct engine_registry *local, struct engine_session *session)
{
    char name[40];

    if (!engine_registry_lock(local)) {
        engine_session_release(local, session->slot);
        engine_registry_unlock(local);
    } else { /* the next process frees the slot, because its file is gone */
        if (local->slots[session->slot].generation == session->generation)
            core_fetch_and_relaxed(&local->slots[session->slot].flags, ~ENGINE_SESSION_KEPT);
        (void)snprintf(name, sizeof(name), "sessions/%" PRIu64, session->generation);
        engine_directory_remove(&local->directory, name);
    }
    close(session->liveness_fd);
    session->liveness_fd = -1;
}
