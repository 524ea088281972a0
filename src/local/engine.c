/* SPDX-License-Identifier: MIT */
/* The engine's life: attaching, locking, forking. */
#include "local/engine.h"
#include "local/refused.h"
#include "local/status.h"
#include "local/sweep.h"
#include "local/thread.h"

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

/* All zeros: a program that never attaches has no memory of it. */
struct cairn_engine cairn_i_engine = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void cairn_engine_lock(cairn_engine_guard *guard)
{
    sigset_t all;

    guard->error_number = errno;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &guard->signals);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel_state);
    pthread_mutex_lock(&cairn_i_engine.mutex);
    __atomic_store_n(&cairn_i_engine.holder, (uintptr_t)pthread_self(), __ATOMIC_RELAXED);
}

void cairn_engine_unlock(const cairn_engine_guard *guard)
{
    __atomic_store_n(&cairn_i_engine.holder, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&cairn_i_engine.mutex);
    pthread_setcancelstate(guard->cancel_state, NULL);
    pthread_sigmask(SIG_SETMASK, &guard->signals, NULL);
    errno = guard->error_number;
}

void cairn_engine_forget_lock(void)
{
    cairn_i_engine.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    cairn_i_engine.holder = 0;
}

/* Another thread may take it while we look; that this one does, it would know. */
bool cairn_engine_is_locked_by_self(void)
{
    return __atomic_load_n(&cairn_i_engine.holder, __ATOMIC_RELAXED) == (uintptr_t)pthread_self();
}

/* ---- the process file ---- */

static void fill_process_file(struct cairn_process_file *file)
{
    struct cairn_life life = cairn_life_of_self();

    file->version = CAIRN_REGISTRY_VERSION;
    file->pid = life.pid;
    file->pid_namespace = life.pid_namespace;
    (void)prctl(PR_GET_NAME, file->comm);
    file->magic = CAIRN_PROCESS_MAGIC;
}

static int map_process_file(int fd)
{
    const size_t head = offsetof(struct cairn_process_file, references);
    struct cairn_process_file *file;
    int error = cairn_file_back(fd, 0, head);

    if (!error)
        error = cairn_file_extend(fd, sizeof(*file));
    if (!error)
        error = cairn_life_lock(fd);
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
 * The mapping keeps the file open, and with it the lock, whatever descriptors the program closes:
 * the program is left none of ours. Not so where a file system maps another file than it opens
 * (overlayfs): the descriptor stays open there, and should it be closed, pid and start time tell.
 */
static int settle_lock(int *fd)
{
    struct cairn_engine *e = &cairn_i_engine;

    close(*fd);
    *fd = cairn_directory_open(&e->local.directory, e->process_name, O_RDWR);
    if (*fd < 0)
        return errno;
    if (cairn_life_is_locked(*fd)) {
        close(*fd);
        *fd = -1;
        return 0;
    }
    e->process->pid_start = cairn_life_of_self().pid_start;
    return cairn_life_lock(*fd);
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
    if (error) {
        if (e->process)
            munmap(e->process, sizeof(*e->process));
        e->process = NULL;
        if (fd >= 0)
            close(fd);
        return error;
    }
    e->process_fd = fd;
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
    struct cairn_local *local = &cairn_i_engine.local;
    int error = cairn_local_lock(local);

    if (error)
        return error;
    cairn_registry_sweep(local);
    error = make_process_file();
    cairn_local_unlock(local);
    return error;
}

/* A word that reads as 0 in a child: also in one that was made by clone() itself, and not in one
 * that shares our memory (vfork) and is, for us, the same process. */
static int mark_as_own(void)
{
    uint32_t *own =
        mmap(NULL, sizeof(*own), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (own == MAP_FAILED)
        return errno;
    (void)madvise(own, sizeof(*own), MADV_WIPEONFORK);
    *own = 1;
    cairn_i_engine.own = own;
    return 0;
}

static void before_fork(void);
static void after_fork(void);
static void after_fork_in_child(void);

int cairn_engine_attach(void)
{
    struct cairn_engine *e = &cairn_i_engine;
    bool is_first;

    if (e->attached && e->error != EBUSY)
        return e->error;
    is_first = !e->attached;
    e->attached = true;
    e->local.lock_fd = -1;
    e->process_fd = -1;
    e->error = cairn_local_open(&e->local);
    if (!e->error)
        e->error = map_status();
    if (!e->error && !e->own)
        e->error = mark_as_own();
    if (!e->error)
        e->error = join_directory();
    if (!e->error)
        e->error = pthread_atfork(before_fork, after_fork, after_fork_in_child);
    if (e->error && is_first && !e->local.directory.fault)
        cairn_refused_note(&e->local.directory, e->error);
    if (e->error)
        cairn_local_close(&e->local);
    return e->error;
}

/* ---- forking: the child gets its own file, registrations and pools ---- */

static cairn_engine_guard fork_guard; /* of the thread that holds the lock and forks */

static void before_fork(void)
{
    cairn_engine_guard guard;

    cairn_engine_lock(&guard);
    fork_guard = guard;
}

static void after_fork(void)
{
    cairn_engine_guard guard = fork_guard;

    cairn_engine_unlock(&guard);
}

/* The parent's file is not ours to close if the program has closed it and uses the number itself.
 */
static bool is_process_fd(int fd)
{
    struct stat ours;
    struct stat st;
    char path[CAIRN_PATH_MAX + 64];

    (void)snprintf(path, sizeof(path), "%s/%s", cairn_i_engine.local.directory.path,
                   cairn_i_engine.process_name);
    return fd >= 0 && !fstat(fd, &st) && !stat(path, &ours) && st.st_dev == ours.st_dev &&
           st.st_ino == ours.st_ino;
}

/*
 * The parent's lock, which we share, is let go only when we have references of our own: else a
 * sweep might find the parent dead and nobody in its place.
 */
static void become_child(void)
{
    struct cairn_engine *e = &cairn_i_engine;
    struct cairn_process_file *parent = e->process;
    int parent_fd = is_process_fd(e->process_fd) ? e->process_fd : -1;

    *e->own = 1;
    e->process = NULL;
    e->process_fd = -1;
    /* The pools' mappings are not inherited. */
    memset(e->pools, 0, sizeof(e->pools));
    cairn_thread_forget();
    if (!cairn_local_lock(&e->local)) {
        if (!make_process_file())
            cairn_engine_register_all();
        cairn_local_unlock(&e->local);
    }
    if (parent_fd >= 0)
        close(parent_fd);
    if (parent)
        munmap(parent, sizeof(*parent));
}

static void after_fork_in_child(void)
{
    become_child();
    after_fork();
}

/* In a process that was made by clone() itself, without the handlers above. */
void cairn_engine_check_process(void)
{
    const struct cairn_engine *e = &cairn_i_engine;

    if (e->attached && !e->error && (!e->process || !*e->own))
        become_child();
    if (e->any_late)
        cairn_engine_register_late();
}
