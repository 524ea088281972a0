/* SPDX-License-Identifier: MIT */
/* Opening, making and locking the registry. */
#include "core/atomic.h"
#include "engine/registry.h"
#include "engine/sweep.h"
#include "engine/upgrade.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_TRIES 2000

/* Everything before the entries has its memory from the start. */
static int make_registry(int fd)
{
    struct cairn_registry registry = {
        .magic = CAIRN_REGISTRY_MAGIC,
        .version = CAIRN_REGISTRY_VERSION,
        .registry_bytes = sizeof(registry),
        .event_max = CAIRN_EVENT_MAX,
        .session_max = CAIRN_SESSION_MAX,
        .entry_bytes = sizeof(struct cairn_event_entry),
        .next_generation = 1,
        .first_unused = 1,
    };
    int error = cairn_os_file_back(fd, 0, CAIRN_REGISTRY_ENTRIES);

    if (!error)
        error = cairn_os_file_extend(fd, CAIRN_REGISTRY_BYTES);
    if (error)
        return error;
    if (pwrite(fd, &registry, sizeof(registry), 0) != (ssize_t)sizeof(registry))
        return errno ? errno : EIO;
    return 0;
}

/* A registry file that was created completely, by any process, has a magic. */
static int prepare_registry(int fd, bool is_others)
{
    uint64_t magic = 0;
    struct stat st;

    if (fstat(fd, &st))
        return errno;
    if (st.st_size >= (off_t)sizeof(magic) && pread(fd, &magic, sizeof(magic), 0) < 0)
        return errno;
    if (magic == 0)
        return is_others ? EBADMSG : make_registry(fd);
    return magic == CAIRN_REGISTRY_MAGIC ? 0 : EBADMSG;
}

static int check_version(struct cairn_engine_registry *local, int fd)
{
    struct cairn_registry registry;
    struct stat st;

    if (pread(fd, &registry, sizeof(registry), 0) != (ssize_t)sizeof(registry) || fstat(fd, &st))
        return EBADMSG;
    local->found_version = registry.version;
    if (registry.version != CAIRN_REGISTRY_VERSION || registry.registry_bytes != sizeof(registry) ||
        registry.event_max != CAIRN_EVENT_MAX || registry.session_max != CAIRN_SESSION_MAX ||
        registry.entry_bytes != sizeof(struct cairn_event_entry))
        return EPROTONOSUPPORT;
    return st.st_size >= (off_t)CAIRN_REGISTRY_BYTES ? 0 : EBADMSG;
}

/* NULL with errno set when it cannot be mapped. */
static void *map_file(int fd, size_t size_bytes)
{
    void *memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

static int open_registry(struct cairn_engine_registry *local)
{
    int fd = cairn_directory_open(&local->directory, "registry", O_RDWR | O_CREAT);
    uint8_t *memory = NULL;
    struct stat st;
    int error;

    if (fd < 0)
        return errno;
    error = prepare_registry(fd, local->directory.is_others);
    if (!error)
        error = check_version(local, fd);
    if (!error && fstat(fd, &st))
        error = errno;
    if (!error && !(memory = map_file(fd, CAIRN_REGISTRY_BYTES)))
        error = errno;
    close(fd);
    if (error)
        return error;
    local->device = st.st_dev;
    local->inode = st.st_ino;
    local->registry = (void *)memory;
    local->slots = (void *)(memory + CAIRN_REGISTRY_SLOTS);
    local->buckets = (void *)(memory + CAIRN_REGISTRY_HASH);
    local->entries = (void *)(memory + CAIRN_REGISTRY_ENTRIES);
    return 0;
}

static int open_status(struct cairn_engine_registry *local)
{
    int fd = cairn_directory_open(&local->directory, "user_events_status", O_RDWR | O_CREAT);
    int error;

    if (fd < 0)
        return errno;
    error = cairn_os_file_back(fd, 0, CAIRN_EVENT_MAX);
    if (!error && !(local->status = map_file(fd, CAIRN_EVENT_MAX)))
        error = errno;
    close(fd);
    return error;
}

static int make_directories(const struct cairn_directory *directory)
{
    static const char *const names[] = {"processes", "sessions", "pools"};
    int error = 0;

    for (size_t i = 0; !error && i < sizeof(names) / sizeof(*names); i++)
        error = cairn_directory_make(directory, names[i]);
    return error;
}

/* A millisecond between tries: the lock is held for microseconds, unless its holder was stopped. */
static int take_file_lock(int fd, int tries)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct timespec pause = {.tv_nsec = 1000000};

    for (;;) {
        if (!fcntl(fd, F_OFD_SETLK, &lock))
            return 0;
        if (errno != EAGAIN && errno != EACCES)
            return errno;
        if (--tries <= 0)
            return EBUSY;
        (void)nanosleep(&pause, NULL);
    }
}

/* It is nearly always there: O_CREAT would cost a second call, for its mode. */
static int open_lock(const struct cairn_directory *directory)
{
    int fd = cairn_directory_open(directory, "lock", O_RDWR);

    return fd >= 0 || errno != ENOENT ? fd
                                      : cairn_directory_open(directory, "lock", O_RDWR | O_CREAT);
}

static int take_lock(struct cairn_engine_registry *local, int tries)
{
    bool may_wait = tries > 1;
    int error;

    local->lock_fd = open_lock(&local->directory);
    if (local->lock_fd < 0)
        return errno;
    /* Another user may hold the lock permanently. */
    if (local->impatient || local->directory.is_others)
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
static void drop_lock(struct cairn_engine_registry *local)
{
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

    (void)fcntl(local->lock_fd, F_OFD_SETLK, &lock);
    close(local->lock_fd);
    local->lock_fd = -1;
}

static int open_own(struct cairn_engine_registry *local)
{
    int error = make_directories(&local->directory);

    if (!error)
        error = open_registry(local);
    if (error == EPROTONOSUPPORT && local->found_version < CAIRN_REGISTRY_VERSION &&
        !cairn_directory_clear_old(&local->directory))
        error = open_registry(local);
    return error;
}

static int open_found(struct cairn_engine_registry *local)
{
    int error = take_lock(local, LOCK_TRIES);

    if (error)
        return error;
    error = local->directory.is_others ? open_registry(local) : open_own(local);
    if (!error)
        error = open_status(local);
    drop_lock(local);
    return error;
}

static void clear(struct cairn_engine_registry *local)
{
    memset(local, 0, offsetof(struct cairn_engine_registry, lock_fd));
    local->lock_fd = -1;
}

int cairn_engine_registry_open(struct cairn_engine_registry *local)
{
    int error;

    clear(local);
    error = cairn_directory_find(&local->directory);
    return error ? error : open_found(local);
}

int cairn_engine_registry_open_other(struct cairn_engine_registry *local, const struct cairn_directory *own,
                           const char *name)
{
    int error;

    clear(local);
    error = cairn_directory_of_other(own, name, &local->directory);
    return error ? error : open_found(local);
}

void cairn_engine_registry_close(struct cairn_engine_registry *local)
{
    if (local->registry)
        munmap(local->registry, CAIRN_REGISTRY_BYTES);
    if (local->status)
        munmap(local->status, CAIRN_EVENT_MAX);
    local->registry = NULL;
    local->status = NULL;
}

static bool is_half_changed(const struct cairn_engine_registry *local)
{
    return cairn_load_relaxed(&local->registry->changing);
}

static void begin_change(struct cairn_engine_registry *local)
{
    local->slots_known = false;
    local->is_changed = false;
    cairn_store_relaxed(&local->registry->changing, 1);
    /* The mark is set before the change, so a process that is killed in between has set it. */
    cairn_interrupt_barrier();
}

int cairn_engine_registry_lock(struct cairn_engine_registry *local)
{
    int error = take_lock(local, LOCK_TRIES);

    if (error)
        return error;
    if (is_half_changed(local))
        cairn_registry_recover(local);
    begin_change(local);
    return 0;
}

int cairn_engine_registry_try_lock(struct cairn_engine_registry *local)
{
    int error = take_lock(local, 1);

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
static void announce_change(struct cairn_engine_registry *local)
{
    if (!local->is_changed)
        return;
    if (cairn_registry_slots_used(local))
        cairn_registry_notify(local);
    else
        cairn_fetch_add_release(&local->registry->changes, 1);
}

void cairn_engine_registry_unlock(struct cairn_engine_registry *local)
{
    announce_change(local);
    cairn_store_release(&local->registry->changing, 0);
    drop_lock(local);
}

bool cairn_engine_registry_is_at_its_path(const struct cairn_engine_registry *local)
{
    int fd = cairn_directory_open(&local->directory, "registry", O_RDONLY);
    struct stat st;
    bool is_there =
        fd >= 0 && !fstat(fd, &st) && st.st_dev == local->device && st.st_ino == local->inode;

    if (fd >= 0)
        close(fd);
    return is_there;
}
