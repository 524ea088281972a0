/* SPDX-License-Identifier: MIT */
/* Removal of what dead processes registered, and repairs of the registry. */
#include "engine/sweep.h"
#include "core/atomic.h"
#include "engine/liveness.h"
#include "engine/pending.h"
#include "engine/pool_range.h"
#include "engine/session.h"
#include "os/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_in(DIR *directory, const char *name, int flags)
{
    return openat(dirfd(directory), name, flags | O_CLOEXEC | O_NOFOLLOW);
}

/* ---- processes ---- */

static bool read_process(int fd, struct engine_process_file *file)
{
    return pread(fd, file, sizeof(*file), 0) == (ssize_t)sizeof(*file) &&
           file->magic == ENGINE_PROCESS_MAGIC && file->version == ENGINE_REGISTRY_VERSION;
}

/* The pools of a dead process stay until those who collect them have read them. */
static void remove_pools_of(const struct engine_registry *local, DIR *pools, const char *name)
{
    struct engine_pool_file *file;
    int fd;
    int error = pools ? engine_pool_file_open(dirfd(pools), name, &fd, &file) : ENOENT;

    if (error == EBADMSG) /* the process was killed while it created the file */
        (void)unlinkat(dirfd(pools), name, 0);
    if (error)
        return;
    engine_pool_file_remove(local, dirfd(pools), name, file);
    engine_pool_file_close(fd, file);
}

/* Removes the files of dead processes; returns how many there were. */
static uint32_t remove_dead(const struct engine_registry *local, DIR *directory, DIR *pools)
{
    uint32_t dead = 0;
    uint32_t count = 0;
    const char *name;

    while ((name = engine_directory_next(&local->directory, directory, &count))) {
        int fd = open_in(directory, name, O_RDWR);

        if (fd < 0)
            continue;
        if (!engine_liveness_of_process_file(fd)) {
            (void)unlinkat(dirfd(directory), name, 0);
            remove_pools_of(local, pools, name);
            dead++;
        }
        close(fd);
    }
    return dead;
}

/* If an existing file cannot be opened (no descriptors left), the sum is invalid. */
static int add_references(const struct engine_registry *local, DIR *directory,
                          struct engine_process_file *file, uint32_t *totals)
{
    uint32_t count = 0;
    const char *name;

    rewinddir(directory);
    while ((name = engine_directory_next(&local->directory, directory, &count))) {
        int fd = open_in(directory, name, O_RDWR);

        if (fd < 0)
            return errno;
        if (read_process(fd, file)) {
            for (uint32_t i = 1; i < ENGINE_EVENT_MAX; i++)
                totals[i] += file->references[i];
        }
        close(fd);
    }
    return 0;
}

/* References are counted again from the living processes, so they cannot drift. */
static void recount(struct engine_registry *local, DIR *directory)
{
    uint32_t *totals = calloc(ENGINE_EVENT_MAX, sizeof(*totals));
    struct engine_process_file *file = malloc(sizeof(*file));

    if (totals && file && !add_references(local, directory, file, totals)) {
        for (uint32_t i = 1; i < engine_registry_end(local); i++) {
            local->entries[i].references = totals[i];
            engine_registry_collect(local, i);
        }
        engine_registry_notify(local);
    }
    free(file);
    free(totals);
}

static void sweep_processes(struct engine_registry *local, bool force)
{
    DIR *directory = engine_directory_list(&local->directory, "processes");
    DIR *pools = engine_directory_list(&local->directory, "pools");

    if (directory && (remove_dead(local, directory, pools) || force))
        recount(local, directory);
    if (pools)
        closedir(pools);
    if (directory)
        closedir(directory);
}

/* ---- sessions ---- */

static bool is_there(const struct engine_registry *local, uint64_t session)
{
    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        if (local->slots[i].generation == session)
            return session != 0;
    }
    return false;
}

/* Files of sessions are named after their generation: those of no session are removed. */
static void remove_strays(struct engine_registry *local)
{
    DIR *directory = engine_directory_list(&local->directory, "sessions");
    uint32_t count = 0;
    const char *name;

    if (!directory)
        return;
    while ((name = engine_directory_next(&local->directory, directory, &count))) {
        if (!is_there(local, strtoull(name, NULL, 10)))
            (void)unlinkat(dirfd(directory), name, 0);
    }
    closedir(directory);
}

void engine_session_release(struct engine_registry *local, uint32_t slot)
{
    uint64_t session = local->slots[slot].generation;
    uint64_t bit = UINT64_C(1) << slot;

    for (uint32_t i = 1; i < engine_registry_end(local); i++) {
        if (!(local->entries[i].sessions & bit))
            continue;
        core_fetch_and_relaxed(&local->entries[i].sessions, ~bit);
        engine_registry_refresh_status(local, i);
        engine_registry_collect(local, i);
    }
    /* From here on no writer makes a pool for it. */
    core_store_relaxed(&local->slots[slot].awake, 0);
    core_store_release(&local->slots[slot].generation, 0);
    local->slots_known = false;
    core_store_relaxed(&local->slots[slot].status_bit, 0);
    engine_pool_ranges_retire(local, slot, session);
    remove_strays(local);
    engine_registry_notify(local);
}

/* True if a killed recorder's session waits for the one that takes its place; `for_ns` since its
 * last heartbeat. A heartbeat that is later than now is one of before the machine was started. */
static bool is_kept(const struct engine_session_slot *slot, uint64_t for_ns)
{
    uint64_t beat_ns = core_load_relaxed(&slot->heartbeat_ns);
    uint64_t now_ns = os_clock_ns();

    return core_load_relaxed(&slot->flags) & ENGINE_SESSION_KEPT && beat_ns && now_ns >= beat_ns &&
           now_ns - beat_ns < for_ns;
}

/* With its events enabled, because its recorder has not been missed yet. */
static bool session_lives(const struct engine_registry *local, uint32_t slot)
{
    const struct engine_session_slot *s = &local->slots[slot];
    struct engine_liveness liveness = {s->pid, s->pid_start, s->pid_namespace};
    char name[32];
    bool alive;
    int fd;

    (void)snprintf(name, sizeof(name), "sessions/%" PRIu64, s->generation);
    fd = engine_directory_open(&local->directory, name, O_RDWR);
    if (fd < 0)
        return errno != ENOENT; /* a session does not end because there are no descriptors left */
    alive = engine_liveness_is_alive(fd, &liveness);
    close(fd);
    return alive || is_kept(s, ENGINE_HEARTBEAT_NS);
}

static void sweep_sessions(struct engine_registry *local)
{
    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        const struct engine_session_slot *slot = &local->slots[i];

        if (!slot->generation || session_lives(local, i))
            continue;
        if (!is_kept(slot, ENGINE_KEPT_NS))
            engine_session_release(local, i);
        else if (slot->status_bit)
            engine_registry_silence(local, UINT64_C(1) << i);
    }
}

/* Those whose events are enabled although nobody collects them. */
static uint64_t find_dead(const struct engine_registry *local)
{
    uint64_t dead = 0;

    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        if (core_load_acquire(&local->slots[i].generation) &&
            core_load_relaxed(&local->slots[i].status_bit) && !session_lives(local, i))
            dead |= UINT64_C(1) << i;
    }
    return dead;
}

bool engine_registry_any_dead(const struct engine_registry *local)
{
    return find_dead(local) != 0;
}

void engine_registry_silence(struct engine_registry *local, uint64_t sessions)
{
    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        if (sessions >> i & 1)
            core_store_relaxed(&local->slots[i].status_bit, 0);
    }
    for (uint32_t i = 1; i < engine_registry_end(local); i++) {
        if (local->entries[i].sessions & sessions)
            engine_registry_refresh_status(local, i);
    }
    engine_registry_notify(local);
}

void engine_registry_silence_dead(struct engine_registry *local)
{
    engine_registry_silence(local, find_dead(local));
}

void engine_registry_sweep(struct engine_registry *local)
{
    sweep_sessions(local);
    sweep_processes(local, false);
}

/* ---- after a death under the lock ---- */

/* Links each entry into its bucket or into the list of free entries. */
static void relink(struct engine_registry *local)
{
    local->registry->first_free = 0;
    local->registry->first_free_high = 0;
    memset(local->buckets, 0, ENGINE_REGISTRY_BUCKETS * sizeof(*local->buckets));
    for (uint32_t i = 1; i < engine_registry_end(local); i++) {
        struct engine_event_entry *entry = &local->entries[i];
        uint32_t *head = entry->generation ? &local->buckets[entry->hash % ENGINE_REGISTRY_BUCKETS]
                                           : engine_registry_free_list(local, i);

        entry->next = *head;
        *head = i;
    }
}

void engine_registry_recover(struct engine_registry *local)
{
    relink(local);
    sweep_sessions(local);
    remove_strays(local); /* of a session that was about to begin, or to end */
    sweep_processes(local, true);
    engine_pool_ranges_retire_gone(local);
    engine_session_complete(local);
    for (uint32_t i = 1; i < engine_registry_end(local); i++)
        engine_registry_refresh_status(local, i);
    engine_pending_enable(local);
}
