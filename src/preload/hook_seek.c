/* SPDX-License-Identifier: MIT */
/* Seeking in what is served, and cutting it short. */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"

#include <errno.h>
#include <unistd.h>

/* How files seek, as in the kernel: none has a size. */
enum seeking {
    SEEKS_AS_IT_IS = 0,
    SEEKS_NOT,      /* ESPIPE */
    SEEKS_NO_END,   /* EINVAL for the end: it has places only of what was read so far */
    SEEKS_TO_START, /* wherever it is sent */
    SEEKS_EMPTY,    /* the end is the start */
};

static enum seeking seeking_of(const struct preload_served *file)
{
    switch (file->place.kind) {
    case TRACEFS_PLACE_DATA:
        return SEEKS_NOT;
    case TRACEFS_PLACE_STATUS:
    case TRACEFS_PLACE_DYNAMIC:
    case TRACEFS_PLACE_EVENTS:
    case TRACEFS_PLACE_SET:
    case TRACEFS_PLACE_FORMAT:
        return SEEKS_NO_END;
    case TRACEFS_PLACE_TRACE:
    case TRACEFS_PLACE_ERRORS:
        return preload_served_is_readable(file) ? SEEKS_NO_END : SEEKS_TO_START;
    case TRACEFS_PLACE_PIPE:
    case PRELOAD_PLACE_MOUNTS:
        return SEEKS_AS_IT_IS;
    default:
        return SEEKS_EMPTY;
    }
}

static __attribute__((noinline)) off_t seek_served(const struct preload_served *file, int fd,
                                                   off_t offset, int whence)
{
    enum seeking seeking = seeking_of(file);
    int error = 0;

    if ((unsigned int)whence > SEEK_HOLE)
        error = EINVAL;
    else if (seeking == SEEKS_NOT)
        error = ESPIPE;
    else if (seeking == SEEKS_NO_END && whence != SEEK_SET && whence != SEEK_CUR)
        error = EINVAL;
    else if (seeking == SEEKS_EMPTY && whence == SEEK_END)
        whence = SEEK_SET;
    if (!error && seeking == SEEKS_TO_START) {
        offset = 0;
        whence = SEEK_SET;
    }
    return preload_hook_fails(error) ? -1 : PRELOAD_NEXT(lseek)(fd, offset, whence);
}

PRELOAD_HOOK off_t lseek(int fd, off_t offset, int whence)
{
    struct preload_served *file = preload_hook_served(fd);

    return file ? seek_served(file, fd, offset, whence) : PRELOAD_NEXT(lseek)(fd, offset, whence);
}

PRELOAD_HOOK_ALIAS("lseek") off_t lseek64(int fd, off_t offset, int whence);

/* Opening with O_TRUNC has done what there is to do. */
PRELOAD_HOOK int ftruncate(int fd, off_t size)
{
    PRELOAD_HOOK_PASS(fd, ftruncate, fd, size);
    return preload_hook_served(fd) ? 0 : PRELOAD_NEXT(ftruncate)(fd, size);
}

PRELOAD_HOOK_ALIAS("ftruncate") int ftruncate64(int fd, off_t size);
