/* SPDX-License-Identifier: MIT */
/*
 * Streams. The C library's own call the kernel past our functions: those that only read find the
 * content of the moment of opening in the memory file; the others are made with our functions, and
 * have no descriptor (fileno). Standard output, to which a shell copies an opened file, is flushed
 * by fflush and fclose with our functions.
 */
#undef _FILE_OFFSET_BITS
#include "accelerator/next.h"
#include "preload/calls.h"
#include "preload/stream.h"
#include "preload/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS(FUNCTION)                               \
    FUNCTION(FILE *, fopen, (const char *, const char *)) \
    FUNCTION(FILE *, fdopen, (int, const char *))         \
    FUNCTION(int, fflush, (FILE *))                       \
    FUNCTION(int, fclose, (FILE *))

ACCELERATOR_NEXT_TABLE(FUNCTIONS)

static int fd_of(void *cookie)
{
    return (int)(intptr_t)cookie;
}

static ssize_t read_stream(void *cookie, char *to, size_t size_bytes)
{
    return read(fd_of(cookie), to, size_bytes);
}

static ssize_t write_stream(void *cookie, const char *from, size_t size_bytes)
{
    ssize_t size = write(fd_of(cookie), from, size_bytes);

    return size < 0 ? 0 : size; /* how the C library wants to hear of a failure */
}

static int seek_stream(void *cookie, off64_t *offset, int from)
{
    off64_t result = lseek(fd_of(cookie), *offset, from);

    if (result < 0)
        return -1;
    *offset = result;
    return 0;
}

static int close_stream(void *cookie)
{
    return close(fd_of(cookie));
}

static FILE *make_stream(int fd, const char *mode)
{
    const cookie_io_functions_t functions = {read_stream, write_stream, seek_stream, close_stream};

    return fopencookie((void *)(intptr_t)fd, mode, functions); // NOLINT(performance-no-int-to-ptr)
}

static bool writes(const char *mode)
{
    return *mode != 'r' || strchr(mode, '+');
}

ACCELERATOR_HOOK FILE *fdopen(int fd, const char *mode)
{
    return preload_needs_stream(fd, writes(mode)) ? make_stream(fd, mode)
                                                  : ACCELERATOR_NEXT(fdopen)(fd, mode);
}

/* The letters of fopen's mode that open knows. */
static int flags_of(const char *mode)
{
    int flags = strchr(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;

    if (*mode == 'w')
        flags |= O_CREAT | O_TRUNC;
    if (*mode == 'a')
        flags |= O_CREAT | O_APPEND;
    if (strchr(mode, 'x'))
        flags |= O_EXCL;
    if (strchr(mode, 'e'))
        flags |= O_CLOEXEC;
    return flags;
}

ACCELERATOR_HOOK FILE *fopen(const char *path, const char *mode)
{
    FILE *stream;
    int fd;

    if (!strchr("rwa", *mode) || !preload_open(path, flags_of(mode), &fd))
        return ACCELERATOR_NEXT(fopen)(path, mode);
    stream = fd < 0 ? NULL : fdopen(fd, mode);
    if (!stream && fd >= 0)
        (void)close(fd);
    return stream;
}

__attribute__((visibility("default"), alias("fopen"))) FILE *fopen64(const char *path,
                                                                     const char *mode);

/* ---- standard output ---- */

static bool was_line_buffered;

/* At the end of a line the C library would write past our functions. */
void preload_stream_hold(bool is_served)
{
    if (is_served && __flbf(stdout)) {
        was_line_buffered = true;
        (void)setvbuf(stdout, NULL, _IOFBF, 0);
    } else if (!is_served && was_line_buffered) {
        was_line_buffered = false;
        (void)setvbuf(stdout, NULL, _IOLBF, 0);
    }
}

/* Writes what is buffered. Returns 0 or EOF. */
static int flush_by_us(FILE *stream)
{
    size_t size = __fpending(stream);
    ssize_t result = size ? write(stream->_fileno, stream->_IO_write_base, size) : 0;

    __fpurge(stream);
    if (result >= 0)
        return 0;
    stream->_flags |= _IO_ERR_SEEN;
    return EOF;
}

static bool is_served(const FILE *stream)
{
    return preload_files_may_have(stream->_fileno) && preload_needs_stream(stream->_fileno, true);
}

/* The C library would write standard output past our functions. */
static int flush_all(void)
{
    int error = is_served(stdout) && flush_by_us(stdout) ? errno : 0;
    int result = ACCELERATOR_NEXT(fflush)(NULL);

    if (!error)
        return result;
    errno = error;
    return EOF;
}

ACCELERATOR_HOOK int fflush(FILE *stream)
{
    if (!stream)
        return flush_all();
    return is_served(stream) ? flush_by_us(stream) : ACCELERATOR_NEXT(fflush)(stream);
}

/* The C library closes the descriptor past our functions. */
ACCELERATOR_HOOK int fclose(FILE *stream)
{
    int error = is_served(stream) && flush_by_us(stream) ? errno : 0;
    int result;

    if (stream->_fileno >= 0)
        preload_closes((unsigned int)stream->_fileno, (unsigned int)stream->_fileno);
    result = ACCELERATOR_NEXT(fclose)(stream);
    if (!error)
        return result;
    errno = error;
    return EOF;
}

static __attribute__((destructor)) void flush_at_end(void)
{
    if (is_served(stdout))
        (void)flush_by_us(stdout);
}
