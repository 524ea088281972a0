/* SPDX-License-Identifier: MIT */
/* Descriptors that go to other programs, and come from them, otherwise than by fork and exec. */
#undef _FILE_OFFSET_BITS
#include "core/atomic.h"
#include "preload/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define KEPT_MAX    64
#define KEPT_FD_MIN 100

/* ---- by a socket ---- */

static void adopt_of(const struct cmsghdr *control)
{
    size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);

    for (size_t i = 0; i < count; i++) {
        int fd;

        memcpy(&fd, CMSG_DATA(control) + i * sizeof(fd), sizeof(fd));
        preload_served_adopt(fd);
    }
}

static void adopt_from(struct msghdr *message)
{
    int error = errno;

    if (engine_is_locked_by_self())
        return;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
            c->cmsg_len >= CMSG_LEN(sizeof(int)))
            adopt_of(c);
    }
    errno = error;
}

PRELOAD_HOOK ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    ssize_t size = PRELOAD_NEXT(recvmsg)(fd, message, flags);

    if (size >= 0 && message->msg_controllen)
        adopt_from(message);
    return size;
}

PRELOAD_HOOK int recvmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags,
                          struct timespec *timeout)
{
    int received = PRELOAD_NEXT(recvmmsg)(fd, messages, count, flags, timeout);

    for (int i = 0; i < received; i++) {
        if (messages[i].msg_hdr.msg_controllen)
            adopt_from(&messages[i].msg_hdr);
    }
    return received;
}

/* ---- by posix_spawn ---- */

/*
 * The C library opens the files of a list by itself, in the child. For one of ours it opens again
 * what we have opened, and keep as long as there is the list; the program that is started finds by
 * its name what it is.
 */
struct kept {
    const posix_spawn_file_actions_t *actions; /* NULL: free */
    int fd;
};

static struct kept kept[KEPT_MAX];
static uint32_t kept_count;

static int keep(const posix_spawn_file_actions_t *actions, int fd)
{
    engine_lock_state lock_state;
    int error = ENOMEM;

    engine_lock(&lock_state);
    for (uint32_t i = 0; i < KEPT_MAX && error; i++) {
        if (kept[i].actions)
            continue;
        kept[i] = (struct kept){actions, fd};
        kept_count++;
        error = 0;
    }
    engine_unlock(&lock_state);
    return error;
}

/* One of a list, or -1. */
static int take_kept(const posix_spawn_file_actions_t *actions)
{
    engine_lock_state lock_state;
    int fd = -1;

    engine_lock(&lock_state);
    for (uint32_t i = 0; i < KEPT_MAX && fd < 0; i++) {
        if (kept[i].actions != actions)
            continue;
        fd = kept[i].fd;
        kept[i] = (struct kept){0};
        kept_count--;
    }
    engine_unlock(&lock_state);
    return fd;
}

/* Out of the way of numbers that the program gives its own descriptors. */
static int open_kept(const char *path, int flags)
{
    int fd = preload_hook_open(AT_FDCWD, path, flags | O_CLOEXEC, 0);
    int lifted = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, KEPT_FD_MIN);
    int error = errno;

    if (fd >= 0)
        close(fd);
    errno = error;
    return lifted;
}

static int add_served(posix_spawn_file_actions_t *actions, int as, const char *path, int flags)
{
    int fd = open_kept(path, flags);
    const struct preload_served *file = fd < 0 ? NULL : preload_hook_served(fd);
    char link[32];
    int error = fd < 0 ? errno : keep(actions, fd);

    if (error) {
        if (fd >= 0)
            close(fd);
        return error;
    }
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    flags &= O_ACCMODE | O_APPEND | O_NONBLOCK | O_CLOEXEC;
    if (file && file->place.kind == TRACEFS_PLACE_DATA)
        flags &= ~O_ACCMODE; /* as for those who open it themselves */
    return PRELOAD_NEXT(posix_spawn_file_actions_addopen)(actions, as, link, flags, 0);
}

/* The child reports a file that does not exist. */
PRELOAD_HOOK int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *actions, int as,
                                                  const char *path, int flags, mode_t mode)
{
    tracefs_place_path ours;
    struct tracefs_place place;
    preload_real_path text;
    int directory = AT_FDCWD;
    int error;

    if (preload_hook_side(directory, path, ours) == PRELOAD_PLACE_OURS ||
        preload_hook_find_detour(AT_FDCWD, path, ours)) {
        error = preload_hook_find(ours, &place);
        if (!error && place.kind != TRACEFS_PLACE_NONE)
            return add_served(actions, as, path, flags);
    }
    (void)preload_hook_redirect(&directory, &path, text);
    return PRELOAD_NEXT(posix_spawn_file_actions_addopen)(actions, as, path, flags, mode);
}

PRELOAD_HOOK int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions,
                                                      const char *path)
{
    preload_real_path text;
    int directory = AT_FDCWD;

    (void)preload_hook_redirect_to(PRELOAD_TREE_DIRECTORY, &directory, &path, text);
    return PRELOAD_NEXT(posix_spawn_file_actions_addchdir_np)(actions, path);
}

PRELOAD_HOOK int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *actions)
{
    int fd;

    while (core_load_relaxed(&kept_count) && (fd = take_kept(actions)) >= 0)
        close(fd);
    return PRELOAD_NEXT(posix_spawn_file_actions_destroy)(actions);
}
