/* SPDX-License-Identifier: MIT */
/* From one program to the next: descriptors of ours that another program has opened. */
#include "preload/served.h"
#include "engine/engine.h"
#include "preload/follow.h"
#include "preload/memory_file.h"
#include "preload/next.h"
#include "preload/pipe.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INHERITED_MAX 32 /* a shell's redirections are below */

/* Parses the name of the descriptor's file. */
static bool read_name(int fd, struct tracefs_place *place, int *flags)
{
    char link[32];
    char name[ENGINE_PATH_MAX];
    ssize_t size;

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    size = readlink(link, name, sizeof(name) - 1);
    if (size <= 0)
        return false;
    name[size] = 0;
    if (!preload_pipe_is_name(name))
        return preload_memory_file_parse(name, place, flags);
    *place = (struct tracefs_place){.kind = TRACEFS_PLACE_PIPE};
    *flags = O_RDONLY;
    return true;
}

static void inherit(int fd)
{
    struct preload_served *file;
    struct tracefs_place place;
    engine_lock_state lock_state;
    int flags;

    if (!read_name(fd, &place, &flags) || !preload_served_is_table_ours())
        return;
    engine_lock(&lock_state);
    file = engine_attach() ? NULL : preload_served_take();
    if (file) {
        preload_follow_join();
        file->place = place;
        file->flags = flags;
        if (place.kind == TRACEFS_PLACE_PIPE)
            file->spare_fd = preload_pipe_feed(fd);
        (void)preload_served_take_on(file, fd);
    }
    engine_unlock(&lock_state);
}

/* Adopts a directory: relative paths begin there. */
static void adopt_directory(int fd)
{
    tracefs_place_path ours;
    char name[ENGINE_PATH_MAX];
    char link[32];
    ssize_t size;

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    size = PRELOAD_NEXT(readlink)(link, name, sizeof(name) - 1);
    name[size > 0 ? size : 0] = 0;
    if (preload_place_resolve_from(name, "", ours))
        preload_served_add_directory(fd);
}

void preload_served_adopt(int fd)
{
    struct stat st;

    if (PRELOAD_NEXT(fstat)(fd, &st))
        return;
    if (S_ISDIR(st.st_mode))
        adopt_directory(fd);
    /* Ours have no name in any directory, and others mostly have: few are looked at further. */
    if (st.st_nlink)
        return;
    if (S_ISFIFO(st.st_mode) || preload_memory_file_may_be(&st))
        inherit(fd);
}

/* A shell has opened it, and executed this program. One system call returns the open ones. */
void preload_served_inherit(void)
{
    struct timespec no_time = {0};
    struct pollfd fds[INHERITED_MAX];

    for (int fd = 0; fd < INHERITED_MAX; fd++)
        fds[fd] = (struct pollfd){.fd = fd};
    if (PRELOAD_NEXT(syscall)(SYS_ppoll, fds, (long)INHERITED_MAX, &no_time, NULL, 0L) < 0)
        memset(fds, 0, sizeof(fds)); /* by some limit, perhaps */
    for (int fd = 0; fd < INHERITED_MAX; fd++) {
        if (!(fds[fd].revents & POLLNVAL))
            preload_served_adopt(fd);
    }
}
