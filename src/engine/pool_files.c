/* SPDX-License-Identifier: MIT */
/* Pool files of all processes: when a session begins, is read by its programs, or has ended. */
#include "core/atomic.h"
#include "engine/liveness.h"
#include "engine/pool_range.h"
#include "os/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The events that a process has adopted are not known. */
static bool is_wanted(const uint64_t *wanted, const struct engine_process_file *file)
{
    for (uint32_t word = 0; word < ENGINE_EVENT_MAX / 64; word++) {
        for (uint64_t set = wanted[word]; set; set &= set - 1) {
            if (file->has_adopted || file->references[word * 64 + (uint32_t)__builtin_ctzll(set)])
                return true;
        }
    }
    return false;
}

/* True if a process lives, and has registered an event of the bitmap, or may have adopted one. */
static bool uses_any(int fd, struct engine_process_file *file, const uint64_t *wanted)
{
    return pread(fd, file, sizeof(*file), 0) == (ssize_t)sizeof(*file) &&
           file->magic == ENGINE_PROCESS_MAGIC && file->version == ENGINE_REGISTRY_VERSION &&
           is_wanted(wanted, file) && engine_liveness_of_process_file(fd);
}

/* Chunks that threads may keep from the others for a moment, because they were preempted while they
 * divided them. */
#define DIVIDERS 4u

/* Memory for the threads that a process has, when each of them has written: a small chunk each.
 * A hint only, because the number may be that of a process of another pid namespace. */
static size_t bytes_of_threads(const struct engine_session_slot *slot, uint32_t pid)
{
    uint32_t small_chunks = core_load_relaxed(&slot->small_chunks);
    uint32_t chunk_bytes = core_load_relaxed(&slot->chunk_bytes);
    size_t threads = small_chunks ? os_process_threads(pid) : 0;

    return threads ? threads * (chunk_bytes / small_chunks) + (1 + DIVIDERS) * (size_t)chunk_bytes
                   : 0;
}

static int provide(const struct engine_registry *local, int pools,
                   const struct engine_process_file *of, uint32_t slot)
{
    size_t first_bytes = bytes_of_threads(&local->slots[slot], of->pid);
    char name[sizeof(of->pool_name)];
    struct engine_pool_file *file;
    int error;
    int fd;

    memcpy(name, of->pool_name, sizeof(name));
    name[sizeof(name) - 1] = 0;
    error = engine_pool_file_open(pools, name, &fd, &file);
    if (error)
        return error;
    if (first_bytes < ENGINE_POOL_WAITING_BYTES)
        first_bytes = ENGINE_POOL_WAITING_BYTES;
    error = engine_pool_range_provide(local, fd, file, slot, first_bytes);
    engine_pool_file_close(fd, file);
    return error;
}

bool engine_pool_ranges_provide(struct engine_registry *local, uint32_t slot,
                                const uint64_t *wanted)
{
    struct engine_process_file *file = malloc(sizeof(*file));
    DIR *processes = engine_directory_list(&local->directory, "processes");
    DIR *pools = engine_directory_list(&local->directory, "pools");
    bool all = file && processes && pools;
    const char *name;
    uint32_t count = 0;

    while (file && processes && pools &&
           (name = engine_directory_next(&local->directory, processes, &count))) {
        int fd = openat(dirfd(processes), name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

        if (fd < 0) {
            all &= errno == ENOENT;
            continue;
        }
        if (uses_any(fd, file, wanted))
            all &= !provide(local, dirfd(pools), file, slot);
        close(fd);
    }
    if (pools)
        closedir(pools);
    if (processes)
        closedir(processes);
    free(file);
    return all;
}

void engine_pool_ranges_provide_to(const struct engine_registry *local,
                                   const struct engine_process_file *process, uint64_t sessions)
{
    int pools =
        sessions ? engine_directory_open(&local->directory, "pools", O_RDONLY | O_DIRECTORY) : -1;

    for (; pools >= 0 && sessions; sessions &= sessions - 1)
        (void)provide(local, pools, process, (uint32_t)__builtin_ctzll(sessions));
    if (pools >= 0)
        close(pools);
}

bool engine_pool_file_is_left(const struct engine_registry *local, const char *name)
{
    char path[64];
    bool ended;
    int fd;

    (void)snprintf(path, sizeof(path), "processes/%.48s", name);
    fd = engine_directory_open(&local->directory, path, O_RDWR);
    if (fd < 0)
        return errno ==
               ENOENT; /* a process is not considered dead because no descriptors are left */
    ended = !engine_liveness_of_process_file(fd);
    close(fd);
    return ended;
}

void engine_pool_files_visit(const struct engine_registry *local,
                             void (*visit)(const struct engine_pool_visit *of, void *arg),
                             void *arg)
{
    DIR *pools = engine_directory_list(&local->directory, "pools");
    struct engine_pool_visit of = {.local = local};
    uint32_t count = 0;

    while (pools && (of.name = engine_directory_next(&local->directory, pools, &count))) {
        of.directory = dirfd(pools);
        if (engine_pool_file_open(of.directory, of.name, &of.fd, &of.file))
            continue;
        visit(&of, arg);
        engine_pool_file_close(of.fd, of.file);
    }
    if (pools)
        closedir(pools);
}

struct retiring {
    uint32_t slot;
    uint64_t session;
};

static void retire(const struct engine_pool_visit *of, void *arg)
{
    const struct retiring *retiring = arg;

    if (engine_pool_file_is_left(of->local, of->name))
        engine_pool_file_remove(of->local, of->directory, of->name, of->file);
    else if (of->file->ranges[retiring->slot].session == retiring->session)
        engine_pool_range_retire(of->fd, of->file, retiring->slot);
}

void engine_pool_ranges_retire(struct engine_registry *local, uint32_t slot, uint64_t session)
{
    struct retiring retiring = {slot, session};

    engine_pool_files_visit(local, retire, &retiring);
}

static void retire_gone(const struct engine_pool_visit *of, void *arg)
{
    (void)arg;
    if (engine_pool_file_is_left(of->local, of->name)) {
        engine_pool_file_remove(of->local, of->directory, of->name, of->file);
        return;
    }
    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        uint64_t session = core_load_relaxed(&of->file->ranges[i].session);

        if (session && session != of->local->slots[i].generation)
            engine_pool_range_retire(of->fd, of->file, i);
    }
}

void engine_pool_ranges_retire_gone(struct engine_registry *local)
{
    engine_pool_files_visit(local, retire_gone, NULL);
}
