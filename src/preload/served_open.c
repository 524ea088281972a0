/* SPDX-License-Identifier: MIT */
/* Opening what is served: a descriptor of its own, with its content in it where it is read. */
#include "preload/served.h"
#include "engine/engine.h"
#include "tracefs/content.h"
#include "tracefs/control.h"
#include "preload/follow.h"
#include "preload/memory_file.h"
#include "preload/mounts.h"
#include "preload/next.h"
#include "preload/pipe.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static bool is_writable(int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY;
}

int preload_served_renew(const struct tracefs_place *place, int fd)
{
    struct tracefs_output output = {.fd = fd};

    if (place->kind != PRELOAD_PLACE_MOUNTS)
        return tracefs_content_renew(place, fd);
    preload_mounts_print(place->system, &output);
    return tracefs_output_finish(&output);
}

/*
 * A file that is opened for reading has its content in the memory file. user_events_data is opened
 * read-only, so that a write that does not pass the library fails, and is not lost silently.
 */
static int fill(struct preload_served *file, int *fd)
{
    char link[32];
    int reopened;

    if (file->place.kind != TRACEFS_PLACE_DATA)
        return (file->flags & O_ACCMODE) == O_WRONLY ? 0 : preload_served_renew(&file->place, *fd);
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", *fd);
    reopened = PRELOAD_NEXT(openat)(AT_FDCWD, link, O_RDONLY | O_CLOEXEC);
    if (reopened < 0)
        return errno;
    (void)PRELOAD_NEXT(close)(*fd);
    *fd = reopened;
    return 0;
}

static int open_locked(const struct tracefs_place *place, int flags, int *ret_fd)
{
    struct preload_served *file = preload_served_take();
    int error = 0;
    int fd;

    if (!file)
        return ENFILE;
    file->place = *place;
    file->flags = flags & (O_ACCMODE | O_APPEND);
    if (place->kind == TRACEFS_PLACE_PIPE)
        fd = preload_pipe_open(flags, &file->spare_fd);
    else
        fd = preload_memory_file_make(place, flags);
    if (fd < 0)
        return errno;
    if (place->kind != TRACEFS_PLACE_PIPE)
        error = fill(file, &fd);
    if (!error && is_writable(flags) && flags & O_TRUNC)
        error = tracefs_control_truncate(place);
    if (!error)
        error = preload_served_take_on(file, fd);
    if (error) {
        (void)PRELOAD_NEXT(close)(fd);
        return error;
    }
    *ret_fd = fd;
    return 0;
}

int preload_served_open(const struct tracefs_place *place, int flags)
{
    engine_lock_state lock_state;
    int fd = -1;
    int error;

    if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
        error = EEXIST;
    else if (flags & O_DIRECTORY)
        error = ENOTDIR;
    else {
        engine_lock(&lock_state);
        preload_follow_join();
        error = open_locked(place, flags, &fd);
        engine_unlock(&lock_state);
    }
    if (error) {
        errno = error;
        return -1;
    }
    if (!(flags & O_CLOEXEC))
        (void)PRELOAD_NEXT(fcntl)(fd, F_SETFD, 0);
    if (flags & O_NONBLOCK && place->kind != TRACEFS_PLACE_PIPE)
        (void)PRELOAD_NEXT(fcntl)(fd, F_SETFL, O_NONBLOCK); /* of no effect, but it can be asked */
    return fd;
}
