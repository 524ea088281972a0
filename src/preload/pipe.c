/* SPDX-License-Identifier: MIT */
/* trace_pipe: a FIFO that the thread of the library feeds. */
#include "preload/pipe.h"
#include "engine/engine.h"
#include "preload/follow.h"
#include "tracefs/text_session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIPES_MAX     16
#define FEED_BYTES    4096
#define WRITER_FD_MIN 100

static const char prefix[] = "cairn-trace-pipe-";

static int writers[PIPES_MAX]; /* descriptors; 0: none */

static int add_writer(int fd)
{
    int lifted = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, WRITER_FD_MIN);

    if (fd >= 0)
        close(fd);
    for (uint32_t i = 0; lifted >= 0 && i < PIPES_MAX; i++) {
        if (writers[i])
            continue;
        writers[i] = lifted;
        preload_follow_start();
        return lifted;
    }
    if (lifted >= 0) {
        close(lifted);
        errno = EMFILE;
    }
    return -1;
}

static int open_ends(const char *path, int *ret_writer)
{
    int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    int writer = reader < 0 ? -1 : open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

    *ret_writer = add_writer(writer);
    if (*ret_writer < 0 && reader >= 0) {
        close(reader);
        reader = -1;
    }
    return reader;
}

int preload_pipe_open(int flags, int *ret_writer)
{
    static uint32_t number;
    char path[ENGINE_PATH_MAX + 64];
    int reader;

    if ((flags & O_ACCMODE) != O_RDONLY) {
        errno = EACCES;
        return -1;
    }
    (void)snprintf(path, sizeof(path), "%s/%s%d-%u", engine_self.local.directory.path, prefix,
                   getpid(), number++);
    if (mkfifo(path, 0600))
        return -1;
    reader = open_ends(path, ret_writer);
    (void)unlink(path);
    if (reader >= 0 && !(flags & O_NONBLOCK))
        (void)fcntl(reader, F_SETFL, 0);
    return reader;
}

int preload_pipe_feed(int reader)
{
    char link[32];

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", reader);
    return add_writer(open(link, O_WRONLY | O_NONBLOCK | O_CLOEXEC));
}

/* The caller that got the descriptor closes it. */
void preload_pipe_release(int writer)
{
    for (uint32_t i = 0; i < PIPES_MAX; i++) {
        if (writer > 0 && writers[i] == writer)
            writers[i] = 0;
    }
}

bool preload_pipe_is_name(const char *name)
{
    const char *file = strrchr(name, '/');

    return file && !strncmp(file + 1, prefix, sizeof(prefix) - 1);
}

bool preload_pipe_any(void)
{
    for (uint32_t i = 0; i < PIPES_MAX; i++) {
        if (writers[i])
            return true;
    }
    return false;
}

/* Only when all was read: what waits in a pipe is in nobody's `trace` any more. */
static void feed(int writer)
{
    char lines[FEED_BYTES];
    int waiting = 0;
    size_t size;

    if (ioctl(writer, FIONREAD, &waiting) || waiting)
        return;
    size = tracefs_text_session_take(lines, sizeof(lines));
    if (size && write(writer, lines, size) < 0)
        return; /* nobody reads any more: SIGPIPE is blocked here, as all signals are */
}

void preload_pipe_feed_all(void)
{
    if (preload_pipe_any())
        tracefs_text_session_drain();
    for (uint32_t i = 0; i < PIPES_MAX; i++) {
        if (writers[i])
            feed(writers[i]);
    }
}
