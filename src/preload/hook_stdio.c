/* SPDX-License-Identifier: MIT */
/*
 * Streams. The C library reads and writes a stream's descriptor by itself, past our functions: so a
 * stream of a served file is one with functions of ours, and a descriptor that fileno knows.
 */
#undef _FILE_OFFSET_BITS
#include "core/atomic.h"
#include "preload/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STREAMS_MAX 256

struct stream {
    FILE *file;
    int fd;
    bool used;
};

/* Under the engine's lock; count says whether to look at all. */
static struct stream streams[STREAMS_MAX];
static uint32_t stream_count;

/* ---- the functions of a stream ---- */

static ssize_t read_stream(void *cookie, char *to, size_t size_bytes)
{
    const struct stream *stream = cookie;

    return read(stream->fd, to, size_bytes);
}

/* Nothing is what the C library takes for a failure. */
static ssize_t write_stream(void *cookie, const char *from, size_t size_bytes)
{
    const struct stream *stream = cookie;
    ssize_t size = write(stream->fd, from, size_bytes);

    return size < 0 ? 0 : size;
}

/* To the end the C library goes by the file's size: these have none to the kernel. */
static int seek_stream(void *cookie, off_t *offset, int whence)
{
    const struct stream *stream = cookie;
    off_t at = lseek(stream->fd, *offset, whence == SEEK_END ? SEEK_SET : whence);

    if (at < 0)
        return -1;
    *offset = at;
    return 0;
}

static int close_stream(void *cookie)
{
    struct stream *stream = cookie;
    engine_lock_state lock_state;
    int fd = stream->fd;

    engine_lock(&lock_state);
    *stream = (struct stream){0};
    stream_count--;
    engine_unlock(&lock_state);
    return close(fd);
}

static struct stream *new_stream(int fd)
{
    struct stream *stream = NULL;
    engine_lock_state lock_state;

    engine_lock(&lock_state);
    for (uint32_t i = 0; i < STREAMS_MAX && !stream; i++) {
        if (!streams[i].used)
            stream = &streams[i];
    }
    if (stream) {
        *stream = (struct stream){.used = true, .fd = fd};
        stream_count++;
    }
    engine_unlock(&lock_state);
    return stream;
}

/* The descriptor is the stream's. */
static FILE *open_stream(int fd, const char *mode)
{
    static const cookie_io_functions_t functions = {read_stream, write_stream, seek_stream,
                                                    close_stream};
    struct stream *stream = new_stream(fd);
    FILE *file = stream ? fopencookie(stream, mode, functions) : NULL;

    if (stream && file)
        stream->file = file;
    else if (stream)
        (void)close_stream(stream);
    else
        errno = EMFILE;
    return file;
}

/* ---- opening ---- */

/* The C library handles an invalid mode. */
static int flags_of(const char *mode)
{
    int flags = *mode == 'r' ? O_RDONLY : *mode == 'w' ? O_WRONLY | O_TRUNC : O_WRONLY | O_APPEND;

    if (!strchr("rwa", *mode) || !*mode)
        return -1;
    if (strchr(mode, '+'))
        flags = (flags & ~O_ACCMODE) | O_RDWR;
    if (strchr(mode, 'e'))
        flags |= O_CLOEXEC;
    if (strchr(mode, 'x'))
        flags |= O_EXCL;
    return flags | (*mode == 'r' ? 0 : O_CREAT);
}

static bool is_served_path(const char *path)
{
    struct tracefs_place mounts;
    tracefs_place_path ours;

    return preload_hook_side(AT_FDCWD, path, ours) ||
           (preload_hook_may_be_mounts(path) && preload_hook_is_mounts(path, &mounts)) ||
           preload_hook_find_detour(AT_FDCWD, path, ours);
}

/* A stream that appends seeks to the end first: a file without an end cannot be opened so. */
static bool is_endless(int fd, const char *mode)
{
    return *mode == 'a' && !strchr(mode, '+') && lseek(fd, 0, SEEK_END) < 0 && errno != ESPIPE;
}

static FILE *open_served(const char *path, const char *mode)
{
    int fd = preload_hook_open(AT_FDCWD, path, flags_of(mode), 0666);
    FILE *file;

    if (fd < 0)
        return NULL;
    if (is_endless(fd, mode)) {
        close(fd);
        errno = EINVAL;
        return NULL;
    }
    file = preload_hook_served(fd) ? open_stream(fd, mode) : PRELOAD_NEXT(fdopen)(fd, mode);
    if (!file) {
        int error = errno;

        close(fd);
        errno = error;
    }
    return file;
}

PRELOAD_HOOK FILE *fopen(const char *path, const char *mode)
{
    preload_real_path text;
    int directory = AT_FDCWD;
    FILE *file;

    if (is_served_path(path) && flags_of(mode) >= 0)
        return open_served(path, mode);
    file = PRELOAD_NEXT(fopen)(path, mode);
    if (!file && flags_of(mode) >= 0 && preload_hook_redirect_missed(&directory, &path, text))
        return open_served(path, mode);
    return file;
}

PRELOAD_HOOK_ALIAS("fopen") FILE *fopen64(const char *path, const char *mode);

PRELOAD_HOOK FILE *setmntent(const char *path, const char *mode)
{
    if (is_served_path(path) && flags_of(mode) >= 0)
        return open_served(path, mode);
    return PRELOAD_NEXT(setmntent)(path, mode);
}

PRELOAD_HOOK FILE *fdopen(int fd, const char *mode)
{
    return preload_hook_served(fd) ? open_stream(fd, mode) : PRELOAD_NEXT(fdopen)(fd, mode);
}

/* ---- streams that have come to a served descriptor: a shell's standard output ---- */

/* The descriptor of such a stream, or -1. */
static int descriptor_of(FILE *file)
{
    int error = errno;
    int fd = preload_served_any() && !engine_is_locked_by_self() ? PRELOAD_NEXT(fileno)(file) : -1;

    errno = error;
    return fd >= 0 && preload_hook_served(fd) ? fd : -1;
}

/* Executes the bytes that the C library has written itself; an error is the stream's. */
static int flush_served(FILE *file, int fd)
{
    int error = PRELOAD_NEXT(fflush)(file) ? errno : preload_served_flush(fd);

    if (!error)
        return 0;
    file->_flags |= _IO_ERR_SEEN;
    errno = error;
    return EOF;
}

static __attribute__((noinline)) int flush_if_served(FILE *file)
{
    int fd = descriptor_of(file);

    return fd >= 0 ? flush_served(file, fd) : PRELOAD_NEXT(fflush)(file);
}

PRELOAD_HOOK int fflush(FILE *file)
{
    if (__builtin_expect(file && preload_served_any(), 0))
        return flush_if_served(file);
    return PRELOAD_NEXT(fflush)(file);
}

/* The C library closes a stream's descriptor by itself. Returns what is wrong with what was written
 * last. */
static int leave(FILE *file)
{
    int before = errno;
    int fd = descriptor_of(file);
    int error = fd >= 0 && flush_served(file, fd) ? errno : 0;

    if (fd >= 0)
        preload_served_forget(fd);
    errno = before;
    return error;
}

PRELOAD_HOOK int fclose(FILE *file)
{
    int error = leave(file);
    int result = PRELOAD_NEXT(fclose)(file);

    if (!error)
        return result;
    errno = error;
    return EOF;
}

/*
 * The stream stays what it is, and gets another opening of the memory file: what is written there
 * is looked at when the program closes it, or ends. Not so user_events_data, whose writes are
 * events.
 */
static FILE *reopen_served(const char *path, const char *mode, FILE *file)
{
    int fd = preload_hook_open(AT_FDCWD, path, flags_of(mode), 0666);
    const struct preload_served *served = fd < 0 ? NULL : preload_hook_served(fd);
    bool cannot = served && served->place.kind == TRACEFS_PLACE_DATA;
    char link[32];

    if (fd < 0)
        return NULL;
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    if (!cannot)
        file = PRELOAD_NEXT(freopen)(link, mode, file);
    if (!cannot && file)
        preload_served_dup(fd, PRELOAD_NEXT(fileno)(file));
    close(fd);
    if (cannot) {
        errno = EOPNOTSUPP;
        return NULL;
    }
    return file;
}

PRELOAD_HOOK FILE *freopen(const char *path, const char *mode, FILE *file)
{
    if (is_served_path(path) && flags_of(mode) >= 0)
        return reopen_served(path, mode, file);
    (void)leave(file);
    return PRELOAD_NEXT(freopen)(path, mode, file);
}

PRELOAD_HOOK_ALIAS("freopen") FILE *freopen64(const char *path, const char *mode, FILE *file);

PRELOAD_HOOK int fileno(FILE *file)
{
    for (uint32_t i = 0; core_load_relaxed(&stream_count) && i < STREAMS_MAX; i++) {
        if (streams[i].file == file)
            return streams[i].fd;
    }
    return PRELOAD_NEXT(fileno)(file);
}

PRELOAD_HOOK_ALIAS("fileno") int fileno_unlocked(FILE *file);
