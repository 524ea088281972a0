/* SPDX-License-Identifier: MIT */
/* The engine of a process: attaching, locking, forking. */
#include "engine/engine.h"
#include "engine/family.h"
#include "engine/refused.h"
#include "engine/status.h"
#include "engine/sweep.h"
#include "engine/thread.h"
#include "engine/tid.h"
#include "engine/users.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* All zeros: it takes no memory in a program that never attaches. */
struct cairn_engine cairn_i_engine;

void cairn_engine_lock(cairn_engine_lock_state *lock_state)
{
    sigset_t all;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &lock_state->signals);
    cairn_lock(CAIRN_LOCK_ENGINE);
}

void cairn_engine_unlock(const cairn_engine_lock_state *lock_state)
{
    cairn_unlock(CAIRN_LOCK_ENGINE);
    (void)pthread_sigmask(SIG_SETMASK, &lock_state->signals, NULL);
}

bool cairn_engine_is_locked_by_self(void)
{
    return cairn_lock_is_mine(CAIRN_LOCK_ENGINE);
}

/* ---- the process file ---- */

static void fill_process_file(struct cairn_process_file *file)
{
    struct cairn_liveness liveness = cairn_liveness_of_self();

    file->version = CAIRN_REGISTRY_VERSION;
    file->pid = liveness.pid;
    file->pid_namespace = liveness.pid_namespace;
    (void)prctl(PR_GET_NAME, file->comm);
    memcpy(file->pool_name, cairn_i_engine.pool_name, sizeof(file->pool_name));
    file->magic = CAIRN_PROCESS_MAGIC;
}

static int map_process_file(int fd)
{
    const size_t head = offsetof(struct cairn_process_file, references);
    struct cairn_process_file *file;
    int error = cairn_os_file_back(fd, 0, head);

    if (!error)
        error = cairn_os_file_extend(fd, sizeof(*file));
    if (!error)
        error = cairn_liveness_lock(fd);
    if (error)
        return error;
    file = mmap(NULL, sizeof(*file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED)
        return errno;
    fill_process_file(file);
    cairn_i_engine.process = file;
    return 0;
}

/*
 * The mapping keeps the file open, and with it the lock, even if the program closes all
 * descriptors: so the descriptor is closed. If a file system maps another file than it opens
 * (overlayfs), the descriptor stays open; should the program close it, pid and start time identify
 * the process.
 */
static int settle_lock(int *fd)
{
    struct cairn_engine *e = &cairn_i_engine;

    close(*fd);
    *fd = cairn_directory_open(&e->local.directory, e->process_name, O_RDWR);
    if (*fd < 0)
        return errno;
    if (cairn_liveness_is_locked(*fd)) {
        close(*fd);
        *fd = -1;
        return 0;
    }
    e->process->pid_start = cairn_liveness_of_self().pid_start;
    return cairn_liveness_lock(*fd);
}

static int make_process_file(void)
{
    struct cairn_engine *e = &cairn_i_engine;
    int error;
    int fd;

    (void)snprintf(e->process_name, sizeof(e->process_name), "processes/%d.%" PRIu64, getpid(),
                   e->local.registry->next_generation++);
    fd = cairn_directory_open(&e->local.directory, e->process_name, O_RDWR | O_CREAT | O_EXCL);
    if (fd < 0)
        return errno;
    error = map_process_file(fd);
    if (!error)
        error = settle_lock(&fd);
    if (error && fd >= 0)
        close(fd);
    if (!error)
        e->process_fd = fd;
    return error;
}

/*
 * The parent's stays mapped: it keeps alive what the parent registered before the fork, and the
 * family's pool file.
 */
int cairn_engine_leave_parents_file(void)
{
    struct cairn_engine *e = &cairn_i_engine;
    struct cairn_process_file *parents = e->process;
    char parents_name[sizeof(e->process_name)];
    int parents_fd = e->process_fd;
    int error;

    memcpy(parents_name, e->process_name, sizeof(parents_name));
    e->process_fd = -1;
    error = make_process_file();
    if (error) {
        memcpy(e->process_name, parents_name, sizeof(parents_name));
        e->process = parents;
        e->process_fd = parents_fd;
        return error;
    }
    e->is_inherited = false;
    e->backed_pages = 0;
    return 0;
}

/* ---- attaching ---- */

static int map_status(void)
{
    int fd = cairn_directory_open(&cairn_i_engine.local.directory, "user_events_status", O_RDONLY);
    int error = fd < 0 ? errno : cairn_status_map(fd);

    if (fd >= 0)
        close(fd);
    return error;
}

static int join_directory(void)
{
    struct cairn_engine_registry *local = &cairn_i_engine.local;
    int error = cairn_engine_registry_lock(local);

    if (error)
        return error;
    cairn_registry_sweep(local);
    error = make_process_file();
    if (!error)
        error = cairn_engine_make_pool_file();
    cairn_engine_registry_unlock(local);
    return error;
}

static void become_child(void);

int cairn_engine_attach(void)
{
    static struct cairn_fork_hook fork_hook = {.in_child = become_child,
                                               .before = cairn_family_before_fork,
                                               .in_parent = cairn_family_after_fork};
    struct cairn_engine *e = &cairn_i_engine;
    bool is_first;

    if (e->attached && e->error != EBUSY)
        return e->error;
    is_first = !e->attached;
    e->attached = true;
    e->local.lock_fd = -1;
    e->process_fd = -1;
    e->pid = (uint32_t)getpid();
    e->owner = CAIRN_OWNER_IS_KNOWN;
    e->tid_is_told = true;
    e->pid_is_known = true;
    e->error = cairn_engine_registry_open(&e->local);
    if (!e->error)
        cairn_users_wait_for_recorder(&e->local);
    if (!e->error)
        e->error = map_status();
    if (!e->error)
        e->error = cairn_thread_prepare();
    if (!e->error)
        e->error = join_directory();
    if (!e->error)
        cairn_fork_hook_add(&fork_hook);
    if (e->error && is_first && !e->local.directory.fault)
        cairn_refused_note(&e->local.directory, e->error);
    if (e->error)
        cairn_engine_registry_close(&e->local);
    return e->error;
}

/*
 * ---- forking ----
 *
 * The child does nothing that costs. It inherits the mappings of the process file, which holds the
 * liveness lock, and of the pool file: it writes to the same pools, into chunks of its own, and its
 * parent's registrations are its own, too.
 */

/*
 * A parent of another number has ended already, or the child is in a pid namespace of its own,
 * where numbers say nothing to a recorder outside. The C library knows the number of its own
 * children's threads, but not of those that clone() itself made.
 */
static void become_child(void)
{
    struct cairn_engine *e = &cairn_i_engine;

    e->tid_is_told = cairn_os_tid_self() == (uint32_t)getpid();
    e->pid_is_known = e->pid_is_known && (uint32_t)getppid() == e->pid;
    e->owner = e->pid_is_known && e->tid_is_told ? CAIRN_OWNER_IS_KNOWN : 0;
    e->pid = (uint32_t)getpid();
    if (e->process && !e->is_inherited)
        cairn_family_inherit(e->process);
    e->is_inherited = e->process != NULL;
    cairn_family_join(e->pid, e->pid_is_known);
    cairn_thread_forget();
}

void cairn_engine_check_process(void)
{
    cairn_locks_check_process();
    if (cairn_i_engine.any_late)
        cairn_engine_register_late();
}
