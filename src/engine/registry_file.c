/* SPDX-License-Identifier: MIT */
/* Opening, making and locking the registry. */
#include "core/atomic.h"
#include "engine/pending.h"
#include "engine/registry.h"
#include "engine/sweep.h"
#include "engine/upgrade.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_PAUSE_NS 1000000

/* Everything before the entries has its memory from the start. */
static int make_registry(int fd)
{
    struct engine_registry_file registry = {
        .magic = ENGINE_REGISTRY_MAGIC,
        .version = ENGINE_REGISTRY_VERSION,
        .registry_bytes = sizeof(registry),
        .event_max = ENGINE_EVENT_MAX,
        .session_max = ENGINE_SESSION_MAX,
        .entry_bytes = sizeof(struct engine_event_entry),
        .next_generation = 1,
        .first_unused = 1,
    };
    int error = os_file_back(fd, 0, ENGINE_REGISTRY_ENTRIES);

    if (!error)
        error = os_file_extend(fd, ENGINE_REGISTRY_BYTES);
    if (error)
        return error;
    if (pwrite(fd, &registry, sizeof(registry), 0) != (ssize_t)sizeof(registry))
        return errno ? errno : EIO;
    return 0;
}

/*
 * A registry file that was created completely, by any process, has a magic. Under the lock one that
 * was not is created now.
 */
static int prepare_registry(const struct engine_registry *local, int fd)
{
    uint64_t magic = 0;
    struct stat st;

    if (fstat(fd, &st))
        return errno;
    if (st.st_size >= (off_t)sizeof(magic) && pread(fd, &magic, sizeof(magic), 0) < 0)
        return errno;
    if (magic == 0 && local->directory.is_others)
        return EBADMSG;
    if (magic == 0)
        return local->lock_fd < 0 ? EBUSY : make_registry(fd);
    return magic == ENGINE_REGISTRY_MAGIC ? 0 : EBADMSG;
}

static int check_version(struct engine_registry *local, int fd)
{
    struct engine_registry_file registry;
    struct stat st;

    if (pread(fd, &registry, sizeof(registry), 0) != (ssize_t)sizeof(registry) || fstat(fd, &st))
        return EBADMSG;
    local->found_version = registry.version;
    if (registry.version != ENGINE_REGISTRY_VERSION ||
        registry.registry_bytes != sizeof(registry) || registry.event_max != ENGINE_EVENT_MAX ||
        registry.session_max != ENGINE_SESSION_MAX ||
        registry.entry_bytes != sizeof(struct engine_event_entry))
        return EPROTONOSUPPORT;
    return st.st_size >= (off_t)ENGINE_REGISTRY_BYTES ? 0 : EBADMSG;
}

static int open_registry(struct engine_registry *local)
{
    const int may_create = local->lock_fd < 0 ? 0 : O_CREAT;
    int fd = engine_directory_open(&local->directory, "registry", O_RDWR | may_create);
    uint8_t *bytes;
    void *memory;
    struct stat st;
    int error;

    if (fd < 0)
        return errno;
    error = prepare_registry(local, fd);
    if (!error)
        error = check_version(local, fd);
    if (!error && fstat(fd, &st))
        error = errno;
    if (!error)
        error = os_memory_map(fd, 0, ENGINE_REGISTRY_BYTES, &memory);
    close(fd);
    if (error)
        return error;
    local->device = st.st_dev;
    local->inode = st.st_ino;
    bytes = memory;
    local->registry = memory;
    local->slots = (void *)(bytes + ENGINE_REGISTRY_SLOTS);
    local->buckets = (void *)(bytes + ENGINE_REGISTRY_HASH);
    local->entries = (void *)(bytes + ENGINE_REGISTRY_ENTRIES);
    return 0;
}

static int open_status(struct engine_registry *local)
{
    int fd = engine_directory_open(&local->directory, "user_events_status", O_RDWR | O_CREAT);
    void *memory;
    int error;

    if (fd < 0)
        return errno;
    error = os_file_back(fd, 0, ENGINE_EVENT_MAX);
    if (!error)
        error = os_memory_map(fd, 0, ENGINE_EVENT_MAX, &memory);
    if (!error)
        local->status = memory;
    close(fd);
    return error;
}

static int make_directories(const struct engine_directory *directory)
{
    static const char *const names[] = {"processes", "sessions", "pools"};
    int error = 0;

    for (size_t i = 0; !error && i < sizeof(names) / sizeof(*names); i++)
        error = engine_directory_make(directory, names[i]);
    return error;
}

/* A millisecond between tries: the lock is held for microseconds, unless its holder was stopped. */
static int take_file_lock(int fd, uint32_t tries)
{
    for (;;) {
        int error = os_file_lock(fd, OS_FILE_EXCLUSIVE);

        if (error != EAGAIN && error != EACCES)
            return error;
        if (--tries == 0)
            return EBUSY;
        os_sleep(LOCK_PAUSE_NS);
    }
}

/* It nearly always exists: O_CREAT would need a second call, to set its mode. */
static int open_lock(const struct engine_directory *directory)
{
    int fd = engine_directory_open(directory, "lock", O_RDWR);

    return fd >= 0 || errno != ENOENT ? fd
                                      : engine_directory_open(directory, "lock", O_RDWR | O_CREAT);
}

static int take_lock(struct engine_registry *local, bool may_wait)
{
    uint32_t tries = local->lock_tries ? local->lock_tries : ENGINE_LOCK_TRIES;
    int error;

    local->lock_fd = open_lock(&local->directory);
    if (local->lock_fd < 0)
        return errno;
    /* Another user may hold the lock permanently. */
    if (!may_wait || local->impatient || local->directory.is_others)
        tries = 1;
    error = take_file_lock(local->lock_fd, tries);
    local->impatient = error == EBUSY && (may_wait || local->impatient);
    if (error) {
        close(local->lock_fd);
        local->lock_fd = -1;
    }
    return error;
}

/* Unlocks first: a child of a clone() in another thread has a copy of the descriptor. */
static void drop_lock(struct engine_registry *local)
{
    (void)os_file_lock(local->lock_fd, OS_FILE_UNLOCKED);
    close(local->lock_fd);
    local->lock_fd = -1;
}

static int open_own(struct engine_registry *local)
{
    int error = make_directories(&local->directory);

    if (!error)
        error = open_registry(local);
    if (error == EPROTONOSUPPORT && local->found_version < ENGINE_REGISTRY_VERSION &&
        !engine_directory_clear_old(&local->directory))
        error = open_registry(local);
    return error;
}

static int open_found(struct engine_registry *local)
{
    int error = take_lock(local, true);

    if (error)
        return error;
    error = local->directory.is_others ? open_registry(local) : open_own(local);
    if (!error)
        error = open_status(local);
    drop_lock(local);
    return error;
}

static void clear(struct engine_registry *local)
{
    memset(local, 0, offsetof(struct engine_registry, lock_fd));
    local->lock_fd = -1;
}

/* Under another name first: the process that has the lock may be creating one. */
static int make_registry_aside(const struct engine_registry *local)
{
    const struct engine_directory *directory = &local->directory;
    char name[32];
    int error;
    int fd;

    (void)snprintf(name, sizeof(name), "registry.%d", getpid());
    fd = engine_directory_open(directory, name, O_RDWR | O_CREAT | O_EXCL);
    if (fd < 0)
        return errno;
    error = make_registry(fd);
    close(fd);
    if (!error)
        error = engine_directory_rename(directory, name, "registry");
    (void)engine_directory_remove(directory, name);
    return error == EEXIST ? 0 : error;
}

int engine_local_open_unlocked(struct engine_registry *local)
{
    int error;

    clear(local);
    error = engine_directory_find(&local->directory);
    if (!error)
        error = make_directories(&local->directory);
    if (!error)
        error = open_registry(local);
    if (error == ENOENT) {
        error = make_registry_aside(local);
        if (!error)
            error = open_registry(local);
    }
    if (error == EPROTONOSUPPORT && local->found_version < ENGINE_REGISTRY_VERSION)
        error = EBUSY; /* the process that has the lock may be removing the old one */
    return error ? error : open_status(local);
}

int engine_registry_open(struct engine_registry *local)
{
    int error;

    clear(local);
    error = engine_directory_find(&local->directory);
    return error ? error : open_found(local);
}

int engine_registry_open_other(struct engine_registry *local, const struct engine_directory *own,
                               const char *name)
{
    int error;

    clear(local);
    error = engine_directory_of_other(own, name, &local->directory);
    return error ? error : open_found(local);
}

int engine_registry_open_descriptor(struct engine_registry *local, int fd)
{
    int error;

    clear(local);
    error = engine_directory_of_descriptor(fd, &local->directory);
    return error ? error : open_found(local);
}

void engine_registry_close(struct engine_registry *local)
{
    if (local->registry)
        os_memory_unmap(local->registry, ENGINE_REGISTRY_BYTES);
    if (local->status)
        os_memory_unmap(local->status, ENGINE_EVENT_MAX);
    local->registry = NULL;
    local->status = NULL;
}

static bool is_half_changed(const struct engine_registry *local)
{
    return core_load_relaxed(&local->registry->changing);
}

static void begin_change(struct engine_registry *local)
{
    local->slots_known = false;
    local->is_changed = false;
    core_store_relaxed(&local->registry->changing, 1);
    /* The mark is set before the change, so a process that is killed in between has set it. */
    core_interrupt_barrier();
}

static int lock(struct engine_registry *local, bool may_wait)
{
    int error = take_lock(local, may_wait);

    if (error)
        return error;
    if (is_half_changed(local))
        engine_registry_recover(local);
    begin_change(local);
    engine_pending_take_over(local);
    return 0;
}

int engine_registry_lock(struct engine_registry *local)
{
    return lock(local, true);
}

int engine_registry_lock_now(struct engine_registry *local)
{
    return lock(local, false);
}

int engine_registry_try_lock(struct engine_registry *local)
{
    int error = take_lock(local, false);

    if (error)
        return error;
    if (is_half_changed(local)) {
        drop_lock(local);
        return EBUSY;
    }
    begin_change(local);
    return 0;
}

/* Publishes the changes that registrations have noted. Pairs with the acquire of processes that
 * wait for the number. */
static void announce_change(struct engine_registry *local)
{
    if (!local->is_changed)
        return;
    if (engine_registry_slots_used(local))
        engine_registry_notify(local);
    else
        core_fetch_add_release(&local->registry->changes, 1);
}

void engine_registry_unlock(struct engine_registry *local)
{
    announce_change(local);
    core_store_release(&local->registry->changing, 0);
    drop_lock(local);
}

int engine_registry_check_path(const struct engine_registry *local)
{
    char path[ENGINE_PATH_MAX + 16];
    struct stat st;

    (void)snprintf(path, sizeof(path), "%s/registry", local->directory.path);
    if (lstat(path, &st))
        return errno == ENOTDIR ? ENOENT : errno;
    return st.st_dev == local->device && st.st_ino == local->inode ? 0 : ENOENT;
}
