/* SPDX-License-Identifier: MIT */
/* The table: which descriptors are ours, and of which files. */
#include "preload/served.h"
#include "core/atomic.h"
#include "engine/engine.h"
#include "tracefs/control.h"
#include "preload/data_lines.h"
#include "preload/follow.h"
#include "tracefs/memory.h"
#include "preload/next.h"
#include "preload/pipe.h"
#include "preload/served_data.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPARE_FD_MIN 100

uint32_t preload_served_end;

/*
 * Most programs have none, and are left without the memory for them. It stays: who writes while
 * another thread closes finds a file.
 */
struct tables {
    uint16_t numbers[PRELOAD_SERVED_FD_MAX];              /* of files, by descriptor; 0 is none */
    struct preload_served files[PRELOAD_SERVED_FILE_MAX]; /* 0 is none */
};

static struct tables *tables;

/* One more than the highest descriptor that was returned. */
static uint32_t file_end = 1;

bool preload_served_is_table_ours(void)
{
    return preload_follow_pid() == getpid();
}

/* The tables exist before the end is raised: pairs with the release in set_table. */
static uint16_t number_of(int fd)
{
    if ((unsigned int)fd >= core_load_acquire(&preload_served_end))
        return 0;
    return core_load_relaxed(&tables->numbers[fd]);
}

bool preload_served_is_listed(int fd)
{
    return number_of(fd) != 0;
}

bool preload_served_is_directory(int fd)
{
    return number_of(fd) == PRELOAD_SERVED_DIRECTORY;
}

bool preload_served_any(void)
{
    return core_load_relaxed(&file_end) > 1;
}

static bool is_same(int fd, const struct preload_served *file)
{
    struct stat st;

    return !PRELOAD_NEXT(fstat)(fd, &st) && st.st_ino == file->inode && st.st_dev == file->device;
}

struct preload_served *preload_served_of(int fd)
{
    uint16_t number = number_of(fd);
    int error = errno;
    struct preload_served *file;

    if (number == 0 || number == PRELOAD_SERVED_DIRECTORY)
        return NULL;
    preload_follow_check_process();
    file = &tables->files[number];
    if (!is_same(fd, file)) {
        preload_served_forget(fd);
        file = NULL;
    }
    errno = error;
    return file;
}

/* ---- under the engine's lock ---- */

static bool have_tables(void)
{
    if (!tables)
        tables = tracefs_memory_take(sizeof(*tables));
    return tables != NULL;
}

struct preload_served *preload_served_take(void)
{
    struct preload_served *files = have_tables() ? tables->files : NULL;

    for (uint32_t i = 1; files && i < PRELOAD_SERVED_FILE_MAX; i++) {
        struct tracefs_data *data = files[i].data;

        if (files[i].descriptors)
            continue;
        if (i >= file_end)
            core_store_relaxed(&file_end, i + 1);
        files[i] = (struct preload_served){.spare_fd = -1, .data = data};
        return &files[i];
    }
    return NULL;
}

/* The end is raised before anybody can know the descriptor. */
static void set_table(int fd, uint16_t number)
{
    uint32_t end = preload_served_end;

    core_store_release(&tables->numbers[fd], number);
    if (number && (uint32_t)fd >= end)
        end = (uint32_t)fd + 1;
    while (end && !tables->numbers[end - 1])
        end--;
    core_store_release(&preload_served_end, end);
}

/* Does what the C library wrote to the file by itself, and empties it. Returns 0, or as
 * tracefs_control_write. */
static int do_what_was_written(const struct tracefs_place *place, int fd)
{
    char text[ENGINE_PAGE_BYTES];
    ssize_t size = pread(fd, text, sizeof(text), 0);
    struct iovec part = {text, (size_t)size};

    if (size <= 0)
        return 0;
    (void)ftruncate(fd, 0);
    (void)lseek(fd, 0, SEEK_SET);
    return tracefs_control_write(place, &preload_own_program, &part, 1, &part.iov_len);
}

/* The number is of a descriptor that is closed, or leads elsewhere now. */
static void drop_locked(int fd)
{
    uint16_t number = number_of(fd);
    struct preload_served *file;

    if (number == 0)
        return;
    set_table(fd, 0);
    if (number == PRELOAD_SERVED_DIRECTORY)
        return;
    file = &tables->files[number];
    if (--file->descriptors)
        return;
    if (file->place.kind == TRACEFS_PLACE_DATA)
        tracefs_data_release(file->data);
    else if (file->place.kind == TRACEFS_PLACE_PIPE)
        preload_pipe_release(file->spare_fd);
    else if (file->spare_fd >= 0)
        (void)do_what_was_written(&file->place, file->spare_fd);
    if (file->spare_fd >= 0)
        (void)PRELOAD_NEXT(close)(file->spare_fd);
    file->spare_fd = -1;
}

int preload_served_take_on(struct preload_served *file, int fd)
{
    struct stat st;

    if (fd >= (int)PRELOAD_SERVED_FD_MAX)
        return EMFILE;
    if (PRELOAD_NEXT(fstat)(fd, &st))
        return errno;
    file->device = st.st_dev;
    file->inode = st.st_ino;
    if (file->place.kind == TRACEFS_PLACE_DATA) {
        int error = preload_data_lines_take(&file->data, fd);

        if (error)
            return error;
    } else if (file->place.kind != TRACEFS_PLACE_PIPE && (file->flags & O_ACCMODE) == O_WRONLY) {
        file->spare_fd = PRELOAD_NEXT(fcntl)(fd, F_DUPFD_CLOEXEC, SPARE_FD_MIN);
    }
    if (number_of(fd))
        drop_locked(fd); /* it was closed unseen */
    file->descriptors = 1;
    set_table(fd, (uint16_t)(file - tables->files));
    return 0;
}

/* ---- without it ---- */

void preload_served_add_directory(int fd)
{
    engine_lock_state lock_state;

    if ((unsigned int)fd >= PRELOAD_SERVED_FD_MAX || !preload_served_is_table_ours())
        return;
    engine_lock(&lock_state);
    if (have_tables())
        set_table(fd, PRELOAD_SERVED_DIRECTORY);
    engine_unlock(&lock_state);
}

void preload_served_dup(int from, int to)
{
    engine_lock_state lock_state;
    uint16_t number;

    if (!preload_served_is_table_ours() || (unsigned int)to >= PRELOAD_SERVED_FD_MAX || from == to)
        return;
    engine_lock(&lock_state);
    number = number_of(from);
    if (number && number != PRELOAD_SERVED_DIRECTORY)
        tables->files[number].descriptors++;
    drop_locked(to);
    if (number)
        set_table(to, number);
    engine_unlock(&lock_state);
}

int preload_served_flush(int fd)
{
    const struct preload_served *file = preload_served_of(fd);
    engine_lock_state lock_state;
    int error = 0;

    if (!file)
        return 0;
    engine_lock(&lock_state);
    if (file->spare_fd >= 0 && file->place.kind != TRACEFS_PLACE_PIPE)
        error = do_what_was_written(&file->place, file->spare_fd);
    engine_unlock(&lock_state);
    return error;
}

void preload_served_forget(int fd)
{
    engine_lock_state lock_state;

    if (!preload_served_is_table_ours())
        return;
    engine_lock(&lock_state);
    drop_locked(fd);
    engine_unlock(&lock_state);
}

void preload_served_forget_range(unsigned int first, unsigned int last)
{
    for (unsigned int fd = first; fd <= last && preload_served_may_be((int)fd); fd++) {
        if (preload_served_is_listed((int)fd))
            preload_served_forget((int)fd);
    }
}

void preload_served_finish(void)
{
    engine_lock_state lock_state;

    if (!preload_served_any() || !preload_served_is_table_ours())
        return;
    engine_lock(&lock_state);
    for (uint32_t i = 1; i < file_end; i++) {
        struct preload_served *file = &tables->files[i];

        if (file->descriptors && file->spare_fd >= 0 && file->place.kind != TRACEFS_PLACE_PIPE)
            (void)do_what_was_written(&file->place, file->spare_fd);
    }
    engine_unlock(&lock_state);
}
