/* SPDX-License-Identifier: MIT */
#include "preload/served.h"
#include "local/engine.h"
#include "preload/content.h"
#include "preload/control.h"
#include "preload/data_uses.h"
#include "preload/follow.h"
#include "preload/memory.h"
#include "preload/next.h"
#include "preload/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of a memory file: what stands there, and how it was opened. */
#define NAME_FORMAT     "cairn:%x:%x:%x:%" PRIx64 ":%x"
#define NAME_NUMBERS    5
#define SPARE_FD_MIN    100
#define INHERITED_MAX   32 /* a shell's redirections are below */
#define CAIRN_NAME_ROOM 80

uint32_t cairn_i_served_end;

/*
 * Most programs have none, and are left without the memory for them. It stays: who writes while
 * another thread closes finds a file.
 */
struct tables {
    uint16_t numbers[CAIRN_SERVED_FD_MAX];            /* of files, by descriptor; 0 is none */
    struct cairn_served files[CAIRN_SERVED_FILE_MAX]; /* 0 is none */
};

static struct tables *tables;

/* Behind the highest number of a file that was ever given. */
static uint32_t file_end = 1;

static dev_t memory_device; /* of all memory files; 0: not known yet */

/* A child that shares our memory has descriptors of its own: the table is not of them. */
static bool is_table_ours(void)
{
    return cairn_follow_pid() == getpid();
}

/* Where the end is raised, the tables are there: pairs with the release in set_table. */
static uint16_t number_of(int fd)
{
    if ((unsigned int)fd >= __atomic_load_n(&cairn_i_served_end, __ATOMIC_ACQUIRE))
        return 0;
    return __atomic_load_n(&tables->numbers[fd], __ATOMIC_RELAXED);
}

bool cairn_served_is_listed(int fd)
{
    return number_of(fd) != 0;
}

bool cairn_served_is_folder(int fd)
{
    return number_of(fd) == CAIRN_SERVED_FOLDER;
}

bool cairn_served_any(void)
{
    return __atomic_load_n(&file_end, __ATOMIC_RELAXED) > 1;
}

static bool is_same(int fd, const struct cairn_served *file)
{
    struct stat st;

    return !CAIRN_NEXT(fstat)(fd, &st) && st.st_ino == file->inode && st.st_dev == file->device;
}

struct cairn_served *cairn_served_of(int fd)
{
    uint16_t number = number_of(fd);
    int error = errno;
    struct cairn_served *file;

    if (number == 0 || number == CAIRN_SERVED_FOLDER)
        return NULL;
    cairn_follow_check_process();
    file = &tables->files[number];
    if (!is_same(fd, file)) {
        cairn_served_forget(fd);
        file = NULL;
    }
    errno = error;
    return file;
}

/* ---- under the engine's lock ---- */

static bool have_tables(void)
{
    if (!tables)
        tables = cairn_memory_take(sizeof(*tables));
    return tables != NULL;
}

static struct cairn_served *take_file(void)
{
    struct cairn_served *files = have_tables() ? tables->files : NULL;

    for (uint32_t i = 1; files && i < CAIRN_SERVED_FILE_MAX; i++) {
        struct cairn_data *data = files[i].data;

        if (files[i].descriptors)
            continue;
        if (i >= file_end)
            __atomic_store_n(&file_end, i + 1, __ATOMIC_RELAXED);
        files[i] = (struct cairn_served){.spare_fd = -1, .data = data};
        return &files[i];
    }
    return NULL;
}

/* The end is raised before anybody can know the descriptor. */
static void set_table(int fd, uint16_t number)
{
    uint32_t end = cairn_i_served_end;

    __atomic_store_n(&tables->numbers[fd], number, __ATOMIC_RELEASE);
    if (number && (uint32_t)fd >= end)
        end = (uint32_t)fd + 1;
    while (end && !tables->numbers[end - 1])
        end--;
    __atomic_store_n(&cairn_i_served_end, end, __ATOMIC_RELEASE);
}

/* The number is of a descriptor that is closed, or leads elsewhere now. */
static void drop_locked(int fd)
{
    uint16_t number = number_of(fd);
    struct cairn_served *file;

    if (number == 0)
        return;
    set_table(fd, 0);
    if (number == CAIRN_SERVED_FOLDER)
        return;
    file = &tables->files[number];
    if (--file->descriptors)
        return;
    if (file->place.kind == CAIRN_PLACE_DATA)
        cairn_data_release(file->data);
    else if (file->place.kind == CAIRN_PLACE_PIPE)
        cairn_pipe_release(file->spare_fd);
    else if (file->spare_fd >= 0)
        (void)cairn_control_finish(&file->place, file->spare_fd);
    if (file->spare_fd >= 0)
        (void)CAIRN_NEXT(close)(file->spare_fd);
    file->spare_fd = -1;
}

static bool is_writable(int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY;
}

static int make_memory_file(const struct cairn_place *place, int flags)
{
    char name[CAIRN_NAME_ROOM];
    int fd;

    (void)snprintf(name, sizeof(name), NAME_FORMAT, place->kind, place->system, place->index,
                   place->generation, (unsigned int)flags & (O_ACCMODE | O_APPEND));
    fd = memfd_create(name, MFD_CLOEXEC);
    if (fd >= 0)
        (void)fchmod(fd, cairn_place_mode(place->kind));
    return fd;
}

/*
 * What only reads is read as a file: its content is in it. Of data the program gets an opening that
 * cannot be written to, so that what does not come through us fails, and is not lost without a
 * word.
 */
static int fill(struct cairn_served *file, int *fd)
{
    char link[32];
    int reopened;

    if (file->place.kind != CAIRN_PLACE_DATA)
        return (file->flags & O_ACCMODE) == O_WRONLY ? 0 : cairn_content_renew(&file->place, *fd);
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", *fd);
    reopened = CAIRN_NEXT(openat)(AT_FDCWD, link, O_RDONLY | O_CLOEXEC);
    if (reopened < 0)
        return errno;
    (void)CAIRN_NEXT(close)(*fd);
    *fd = reopened;
    return 0;
}

static int adopt_locked(struct cairn_served *file, int fd)
{
    struct stat st;

    if (fd >= (int)CAIRN_SERVED_FD_MAX)
        return EMFILE;
    if (CAIRN_NEXT(fstat)(fd, &st))
        return errno;
    file->device = st.st_dev;
    file->inode = st.st_ino;
    if (file->place.kind == CAIRN_PLACE_DATA) {
        int error = cairn_data_take(&file->data, fd);

        if (error)
            return error;
    } else if (file->place.kind != CAIRN_PLACE_PIPE && (file->flags & O_ACCMODE) == O_WRONLY) {
        file->spare_fd = CAIRN_NEXT(fcntl)(fd, F_DUPFD_CLOEXEC, SPARE_FD_MIN);
    }
    if (number_of(fd))
        drop_locked(fd); /* it was closed behind our back */
    file->descriptors = 1;
    set_table(fd, (uint16_t)(file - tables->files));
    return 0;
}

static int open_locked(const struct cairn_place *place, int flags, int *ret_fd)
{
    struct cairn_served *file = take_file();
    int error = 0;
    int fd;

    if (!file)
        return ENFILE;
    file->place = *place;
    file->flags = flags & (O_ACCMODE | O_APPEND);
    if (place->kind == CAIRN_PLACE_PIPE)
        fd = cairn_pipe_open(flags, &file->spare_fd);
    else
        fd = make_memory_file(place, flags);
    if (fd < 0)
        return errno;
    if (place->kind != CAIRN_PLACE_PIPE)
        error = fill(file, &fd);
    if (!error && is_writable(flags) && flags & O_TRUNC)
        error = cairn_control_truncate(place);
    if (!error)
        error = adopt_locked(file, fd);
    if (error) {
        (void)CAIRN_NEXT(close)(fd);
        return error;
    }
    *ret_fd = fd;
    return 0;
}

int cairn_served_open(const struct cairn_place *place, int flags)
{
    cairn_engine_guard guard;
    int fd = -1;
    int error;

    if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
        error = EEXIST;
    else if (flags & O_DIRECTORY)
        error = ENOTDIR;
    else {
        cairn_engine_lock(&guard);
        cairn_follow_join();
        error = open_locked(place, flags, &fd);
        cairn_engine_unlock(&guard);
    }
    if (error) {
        errno = error;
        return -1;
    }
    if (!(flags & O_CLOEXEC))
        (void)CAIRN_NEXT(fcntl)(fd, F_SETFD, 0);
    if (flags & O_NONBLOCK && place->kind != CAIRN_PLACE_PIPE)
        (void)CAIRN_NEXT(fcntl)(fd, F_SETFL, O_NONBLOCK); /* of no effect, but it can be asked */
    return fd;
}

void cairn_served_add_folder(int fd)
{
    cairn_engine_guard guard;

    if ((unsigned int)fd >= CAIRN_SERVED_FD_MAX || !is_table_ours())
        return;
    cairn_engine_lock(&guard);
    if (have_tables())
        set_table(fd, CAIRN_SERVED_FOLDER);
    cairn_engine_unlock(&guard);
}

void cairn_served_dup(int from, int to)
{
    cairn_engine_guard guard;
    uint16_t number;

    if (!is_table_ours() || (unsigned int)to >= CAIRN_SERVED_FD_MAX || from == to)
        return;
    cairn_engine_lock(&guard);
    number = number_of(from);
    if (number && number != CAIRN_SERVED_FOLDER)
        tables->files[number].descriptors++;
    drop_locked(to);
    if (number)
        set_table(to, number);
    cairn_engine_unlock(&guard);
}

int cairn_served_flush(int fd)
{
    const struct cairn_served *file = cairn_served_of(fd);
    cairn_engine_guard guard;
    int error = 0;

    if (!file)
        return 0;
    cairn_engine_lock(&guard);
    if (file->spare_fd >= 0 && file->place.kind != CAIRN_PLACE_PIPE)
        error = cairn_control_finish(&file->place, file->spare_fd);
    cairn_engine_unlock(&guard);
    return error;
}

void cairn_served_forget(int fd)
{
    cairn_engine_guard guard;

    if (!is_table_ours())
        return;
    cairn_engine_lock(&guard);
    drop_locked(fd);
    cairn_engine_unlock(&guard);
}

void cairn_served_forget_range(unsigned int first, unsigned int last)
{
    for (unsigned int fd = first; fd <= last && cairn_served_may_be((int)fd); fd++) {
        if (cairn_served_is_listed((int)fd))
            cairn_served_forget((int)fd);
    }
}

/* ---- from one program to the next ---- */

static dev_t find_memory_device(void)
{
    int fd = memfd_create("cairn", MFD_CLOEXEC);
    struct stat st = {0};

    if (fd < 0)
        return 0;
    (void)CAIRN_NEXT(fstat)(fd, &st);
    (void)CAIRN_NEXT(close)(fd);
    return st.st_dev;
}

/* What the descriptor's name says that it is. */
static bool read_name(int fd, struct cairn_place *place, int *flags)
{
    static const char memory[] = "/memfd:cairn:";
    unsigned long long numbers[NAME_NUMBERS];
    char link[32];
    char name[CAIRN_PATH_MAX];
    const char *at;
    char *end;
    ssize_t size;

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    size = readlink(link, name, sizeof(name) - 1);
    if (size <= 0)
        return false;
    name[size] = 0;
    if (cairn_pipe_is_name(name)) {
        *place = (struct cairn_place){.kind = CAIRN_PLACE_PIPE};
        *flags = O_RDONLY;
        return true;
    }
    if (strncmp(name, memory, sizeof(memory) - 1) != 0)
        return false;
    at = name + sizeof(memory) - 1;
    for (size_t i = 0; i < NAME_NUMBERS; i++) {
        numbers[i] = strtoull(at, &end, 16);
        if (end == at || (*end != ':' && i + 1 < NAME_NUMBERS))
            return false;
        at = end + 1;
    }
    *place = (struct cairn_place){(uint32_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2],
                                  numbers[3]};
    *flags = (int)numbers[4];
    return place->kind > CAIRN_PLACE_NONE && place->kind < CAIRN_PLACE_KINDS;
}

static void inherit(int fd)
{
    struct cairn_served *file;
    struct cairn_place place;
    cairn_engine_guard guard;
    int flags;

    if (!read_name(fd, &place, &flags) || !is_table_ours())
        return;
    cairn_engine_lock(&guard);
    file = cairn_engine_attach() ? NULL : take_file();
    if (file) {
        cairn_follow_join();
        file->place = place;
        file->flags = flags;
        if (place.kind == CAIRN_PLACE_PIPE)
            file->spare_fd = cairn_pipe_feed(fd);
        (void)adopt_locked(file, fd);
    }
    cairn_engine_unlock(&guard);
}

/* Of a folder: relative paths begin there. */
static void adopt_folder(int fd)
{
    cairn_place_path ours;
    char name[CAIRN_PATH_MAX];
    char link[32];
    ssize_t size;

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    size = CAIRN_NEXT(readlink)(link, name, sizeof(name) - 1);
    name[size > 0 ? size : 0] = 0;
    if (cairn_place_resolve_from(name, "", ours))
        cairn_served_add_folder(fd);
}

void cairn_served_adopt(int fd)
{
    struct stat st;

    if (CAIRN_NEXT(fstat)(fd, &st))
        return;
    if (S_ISDIR(st.st_mode))
        adopt_folder(fd);
    /* Ours have no name in any folder, and others mostly have: few are looked at further. */
    if (st.st_nlink)
        return;
    if (S_ISREG(st.st_mode) && !memory_device)
        memory_device = find_memory_device();
    if (S_ISFIFO(st.st_mode) || (memory_device && st.st_dev == memory_device))
        inherit(fd);
}

/* A shell has opened it, and become this program. One system call tells which there are. */
void cairn_served_inherit(void)
{
    struct timespec no_time = {0};
    struct pollfd fds[INHERITED_MAX];

    for (int fd = 0; fd < INHERITED_MAX; fd++)
        fds[fd] = (struct pollfd){.fd = fd};
    if (CAIRN_NEXT(syscall)(SYS_ppoll, fds, (long)INHERITED_MAX, &no_time, NULL, 0L) < 0)
        memset(fds, 0, sizeof(fds)); /* by some limit, perhaps */
    for (int fd = 0; fd < INHERITED_MAX; fd++) {
        if (!(fds[fd].revents & POLLNVAL))
            cairn_served_adopt(fd);
    }
}

void cairn_served_finish(void)
{
    cairn_engine_guard guard;

    if (!cairn_served_any() || !is_table_ours())
        return;
    cairn_engine_lock(&guard);
    for (uint32_t i = 1; i < file_end; i++) {
        struct cairn_served *file = &tables->files[i];

        if (file->descriptors && file->spare_fd >= 0 && file->place.kind != CAIRN_PLACE_PIPE)
            (void)cairn_control_finish(&file->place, file->spare_fd);
    }
    cairn_engine_unlock(&guard);
}
