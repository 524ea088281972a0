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
        cairn_served_adopt(fd);
    }
}

static void adopt_from(struct msghdr *message)
{
    int error = errno;

    if (cairn_engine_is_locked_by_self())
        return;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
            c->cmsg_len >= CMSG_LEN(sizeof(int)))
            adopt_of(c);
    }
    errno = error;
}

CAIRN_HOOK ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    ssize_t size = CAIRN_NEXT(recvmsg)(fd, message, flags);

    if (size >= 0 && message->msg_controllen)
        adopt_from(message);
    return size;
}

CAIRN_HOOK int recvmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags,
                        struct timespec *timeout)
{
    int received = CAIRN_NEXT(recvmmsg)(fd, messages, count, flags, timeout);

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
    cairn_engine_lock_state lock_state;
    int error = ENOMEM;

    cairn_engine_lock(&lock_state);
    for (uint32_t i = 0; i < KEPT_MAX && error; i++) {
        if (kept[i].actions)
            continue;
        kept[i] = (struct kept){actions, fd};
        kept_count++;
        error = 0;
    }
    cairn_engine_unlock(&lock_state);
    return error;
}

/* One of a list, or -1. */
static int take_kept(const posix_spawn_file_actions_t *actions)
{
    cairn_engine_lock_state lock_state;
    int fd = -1;

    cairn_engine_lock(&lock_state);
    for (uint32_t i = 0; i < KEPT_MAX && fd < 0; i++) {
        if (kept[i].actions != actions)
            continue;
        fd = kept[i].fd;
        kept[i] = (struct kept){0};
        kept_count--;
    }
    cairn_engine_unlock(&lock_state);
    return fd;
}

/* Out of the way of numbers that the program gives its own descriptors. */
static int open_kept(const char *path, int flags)
{
    int fd = cairn_hook_open(AT_FDCWD, path, flags | O_CLOEXEC, 0);
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
    const struct cairn_served *file = fd < 0 ? NULL : cairn_hook_served(fd);
    char link[32];
    int error = fd < 0 ? errno : keep(actions, fd);

    if (error) {
        if (fd >= 0)
            close(fd);
        return error;
    }
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    flags &= O_ACCMODE | O_APPEND | O_NONBLOCK | O_CLOEXEC;
    if (file && file->place.kind == CAIRN_PLACE_DATA)
        flags &= ~O_ACCMODE; /* as for those who open it themselves */
    return CAIRN_NEXT(posix_spawn_file_actions_addopen)(actions, as, link, flags, 0);
}

/* The child reports a file that does not exist. */
CAIRN_HOOK int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *actions, int as,
                                                const char *path, int flags, mode_t mode)
{
    cairn_place_path ours;
    struct cairn_place place;
    cairn_real_path text;
    int directory = AT_FDCWD;
    int error;

    if (cairn_hook_side(directory, path, ours) == CAIRN_PLACE_OURS ||
        cairn_hook_find_detour(AT_FDCWD, path, ours)) {
        error = cairn_hook_find(ours, &place);
        if (!error && place.kind != CAIRN_PLACE_NONE)
            return add_served(actions, as, path, flags);
    }
    (void)cairn_hook_redirect(&directory, &path, text);
    return CAIRN_NEXT(posix_spawn_file_actions_addopen)(actions, as, path, flags, mode);
}

CAIRN_HOOK int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions,
                                                    const char *path)
{
    cairn_real_path text;
    int directory = AT_FDCWD;

    (void)cairn_hook_redirect_to(CAIRN_TREE_DIRECTORY, &directory, &path, text);
    return CAIRN_NEXT(posix_spawn_file_actions_addchdir_np)(actions, path);
}

CAIRN_HOOK int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *actions)
{
    int fd;

    while (cairn_load_relaxed(&kept_count) && (fd = take_kept(actions)) >= 0)
        close(fd);
    return CAIRN_NEXT(posix_spawn_file_actions_destroy)(actions);
}
