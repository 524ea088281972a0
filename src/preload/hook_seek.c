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

static enum seeking seeking_of(const struct cairn_served *file)
{
    switch (file->place.kind) {
    case CAIRN_PLACE_DATA:
        return SEEKS_NOT;
    case CAIRN_PLACE_STATUS:
    case CAIRN_PLACE_DYNAMIC:
    case CAIRN_PLACE_EVENTS:
    case CAIRN_PLACE_SET:
    case CAIRN_PLACE_FORMAT:
        return SEEKS_NO_END;
    case CAIRN_PLACE_TRACE:
    case CAIRN_PLACE_ERRORS:
        return cairn_served_is_readable(file) ? SEEKS_NO_END : SEEKS_TO_START;
    case CAIRN_PLACE_PIPE:
    case CAIRN_PLACE_MOUNTS:
        return SEEKS_AS_IT_IS;
    default:
        return SEEKS_EMPTY;
    }
}

static __attribute__((noinline)) off_t seek_served(const struct cairn_served *file, int fd,
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
    return cairn_hook_fails(error) ? -1 : CAIRN_NEXT(lseek)(fd, offset, whence);
}

CAIRN_HOOK off_t lseek(int fd, off_t offset, int whence)
{
    struct cairn_served *file = cairn_hook_served(fd);

    return file ? seek_served(file, fd, offset, whence) : CAIRN_NEXT(lseek)(fd, offset, whence);
}

CAIRN_HOOK_ALIAS("lseek") off_t lseek64(int fd, off_t offset, int whence);

/* Opening with O_TRUNC has done what there is to do. */
CAIRN_HOOK int ftruncate(int fd, off_t size)
{
    CAIRN_HOOK_PASS(fd, ftruncate, fd, size);
    return cairn_hook_served(fd) ? 0 : CAIRN_NEXT(ftruncate)(fd, size);
}

CAIRN_HOOK_ALIAS("ftruncate") int ftruncate64(int fd, off_t size);
