/* SPDX-License-Identifier: MIT */
/* The engine of a process: attaching, locking, forking. */
#include "engine/engine.h"

#include "engine/doorbell.h"
#include "engine/clock.h"
#include "engine/facade.h"
#include "engine/family.h"
#include "engine/filter_program.h"
#include "engine/pending.h"
#include "engine/refused.h"
#include "engine/status.h"
#include "engine/sweep.h"
#include "engine/thread.h"
#include "engine/users.h"
#include "os/file.h"
#include "os/memory.h"
#include "os/process.h"
#include "os/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Attempts to create a file that others remove because it is not locked yet. */
#define NAME_TRIES 8

/* All zeros: it takes no memory in a program that never attaches. */
struct engine engine_self;

void engine_lock(engine_lock_state *lock_state)
{
    os_signals_block(&lock_state->signals);
    engine_lock_take(ENGINE_LOCK_ENGINE);
}

void engine_unlock(const engine_lock_state *lock_state)
{
    engine_lock_release(ENGINE_LOCK_ENGINE);
    os_signals_restore(&lock_state->signals);
}

bool engine_is_locked_by_self(void)
{
    return engine_lock_is_mine(ENGINE_LOCK_ENGINE);
}

/* ---- the process file ---- */

static void fill_process_file(struct engine_process_file *file)
{
    struct engine_liveness liveness = engine_liveness_of_self();

    file->version = ENGINE_REGISTRY_VERSION;
    file->pid = liveness.pid;
    file->pid_namespace = liveness.pid_namespace;
    os_thread_name(file->comm);
    memcpy(file->pool_name, engine_self.pool_name, sizeof(file->pool_name));
    file->magic = ENGINE_PROCESS_MAGIC;
}

static int map_process_file(int fd)
{
    const size_t head = offsetof(struct engine_process_file, references);
    void *memory;
    int error = os_file_back(fd, 0, head);

    if (!error)
        error = os_file_extend(fd, sizeof(struct engine_process_file));
    if (!error)
        error = engine_liveness_lock(fd);
    if (!error)
        error = os_memory_map(fd, 0, sizeof(struct engine_process_file), &memory);
    if (error)
        return error;
    fill_process_file(memory);
    engine_self.process = memory;
    return 0;
}

/*
 * The mapping keeps the file open, and with it the lock, even if the program closes all
 * descriptors: so the descriptor is closed. If a file system maps another file than it opens
 * (overlayfs), the descriptor stays open; should the program close it, pid and start time identify
 * the process.
 */
static int leave_lock_to_mapping(int *fd)
{
    struct engine *e = &engine_self;

    close(*fd);
    *fd = engine_directory_open(&e->local.directory, e->process_name, O_RDWR);
    if (*fd < 0)
        return errno;
    if (engine_liveness_is_locked(*fd)) {
        close(*fd);
        *fd = -1;
        return 0;
    }
    e->process->pid_start = engine_liveness_of_self().pid_start;
    return engine_liveness_lock(*fd);
}

static int create_process_file(const char *name)
{
    struct engine *e = &engine_self;
    int fd = engine_directory_open(&e->local.directory, name, O_RDWR | O_CREAT | O_EXCL);
    int error = fd < 0 ? errno : map_process_file(fd);

    if (!error && name != e->process_name) {
        error = engine_directory_rename(&e->local.directory, name, e->process_name);
        if (error)
            os_memory_unmap(e->process, sizeof(*e->process));
    }
    if (!error)
        error = leave_lock_to_mapping(&fd);
    if (error && fd >= 0)
        close(fd);
    if (!error)
        e->process_fd = fd;
    return error;
}

/*
 * Before the file is locked, another process may take it for that of a dead process and remove it;
 * so it is renamed to its final name after that. The time makes the name unique among processes of
 * this pid.
 */
static int make_process_file(bool has_lock)
{
    struct engine *e = &engine_self;
    uint64_t number = has_lock ? e->local.registry->next_generation++ : os_clock_ns();
    char name[sizeof(e->process_name)];
    int error = ENOENT;

    (void)snprintf(e->process_name, sizeof(e->process_name), "processes/%u.%" PRIu64,
                   os_process_self(), number);
    if (has_lock)
        return create_process_file(e->process_name);
    (void)snprintf(name, sizeof(name), "processes/%u.%" PRIu64 ".new", os_process_self(), number);
    for (int tries = 0; tries < NAME_TRIES && error == ENOENT; tries++)
        error = create_process_file(name);
    return error;
}

/*
 * The parent's file stays mapped: it keeps the parent's registrations from before the fork, and the
 * family's pool file, alive.
 */
int engine_leave_parents_file(bool has_lock)
{
    struct engine *e = &engine_self;
    struct engine_process_file *parents = e->process;
    char parents_name[sizeof(e->process_name)];
    int parents_fd = e->process_fd;
    int error;

    memcpy(parents_name, e->process_name, sizeof(parents_name));
    e->process_fd = -1;
    error = make_process_file(has_lock);
    if (error) {
        memcpy(e->process_name, parents_name, sizeof(parents_name));
        e->process = parents;
        e->process_fd = parents_fd;
        return error;
    }
    e->is_inherited = false;
    e->backed_pages = 0;
    engine_facade_move(e->process);
    return 0;
}

/* ---- attaching ---- */

static int map_status(void)
{
    int fd = engine_directory_open(&engine_self.local.directory, "user_events_status", O_RDONLY);
    int error = fd < 0 ? errno : engine_status_map(fd);

    if (fd >= 0)
        close(fd);
    return error;
}

static int join_directory(void)
{
    struct engine_registry *local = &engine_self.local;
    int error = engine_registry_lock(local);
    bool has_lock = !error;

    if (error && error != EBUSY)
        return error;
    if (has_lock)
        engine_registry_sweep(local);
    error = make_process_file(has_lock);
    if (!error)
        error = engine_make_pool_file();
    if (has_lock)
        engine_registry_unlock(local);
    return error;
}

static void become_child(void);

int engine_attach(void)
{
    static struct engine_fork_hook fork_hook = {.in_child = become_child,
                                                .before = engine_family_before_fork,
                                                .in_parent = engine_family_after_fork};
    struct engine *e = &engine_self;
    bool is_first;

    if (e->attached && e->error != EBUSY)
        return e->error;
    is_first = !e->attached;
    e->attached = true;
    e->local.lock_fd = -1;
    e->process_fd = -1;
    e->pid = os_process_self();
    e->owner = CAIRN_OWNER_IS_KNOWN;
    e->tid_is_told = true;
    e->pid_is_known = true;
    e->error = engine_registry_open(&e->local);
    if (e->error == EBUSY)
        e->error = engine_local_open_unlocked(&e->local);
    if (!e->error)
        engine_users_wait_for_recorder(&e->local);
    if (!e->error)
        e->error = map_status();
    if (!e->error)
        e->error = engine_thread_prepare();
    if (!e->error)
        e->error = join_directory();
    if (!e->error)
        engine_fork_hook_add(&fork_hook);
    if (e->error && is_first && !e->local.directory.fault)
        engine_refused_note(&e->local.directory, e->error);
    if (e->error)
        engine_registry_close(&e->local);
    return e->error;
}

/*
 * ---- forking ----
 *
 * The child does no expensive work. It inherits the mappings of the process file, which holds the
 * liveness lock, and of the pool file: it writes to the same pools, into chunks of its own, and its
 * parent's registrations are its own, too.
 */

/*
 * If the parent's pid differs, the parent has ended already, or the child is in another pid
 * namespace, whose pids mean nothing to a recorder outside. The C library knows the number of its
 * own children's threads, but not of those that clone() itself made.
 */
static void become_child(void)
{
    struct engine *e = &engine_self;

    e->tid_is_told = os_tid_self() == os_process_self();
    e->pid_is_known = e->pid_is_known && os_process_parent() == e->pid;
    e->owner = e->pid_is_known && e->tid_is_told ? CAIRN_OWNER_IS_KNOWN : 0;
    e->pid = os_process_self();
    if (e->process && !e->is_inherited)
        engine_family_inherit(e->process);
    e->is_inherited = e->process != NULL;
    engine_family_join(e->pid, e->pid_is_known);
    engine_thread_forget();
    engine_filter_forget_others();
    engine_pending_become_child();
    if (!e->error)
        engine_doorbell_ring_all(&e->local);
}

void engine_check_process(void)
{
    engine_locks_check_process();
    if (engine_self.any_late)
        engine_register_late();
}
