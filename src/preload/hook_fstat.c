/* SPDX-License-Identifier: MIT */
/*
 * fstat of an open file of the mount. The descriptor refers to a memory file; a program that
 * compares (cp, tail -F) must find the file that stands at the path, and no other. Of the status
 * page the size is returned that can be mapped, as the first design's document has it.
 */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>

/* So long a block that nobody takes the size for that of the text. */
#define STATUS_BLOCK_BYTES 65536

static_assert(STATUS_BLOCK_BYTES >= CAIRN_EVENT_MAX, "the page is less than a block");

/* Its path in the real directory; false: it has none, because its event is gone. */
static bool find_real_path(const struct cairn_place *place, cairn_real_path text)
{
    cairn_engine_lock_state lock_state;
    cairn_place_path ours;
    bool found;

    cairn_engine_lock(&lock_state);
    found = cairn_place_find_path(place, ours) && !cairn_tree_renew(ours, CAIRN_TREE_PLACE);
    cairn_engine_unlock(&lock_state);
    if (found)
        (void)snprintf(text, sizeof(cairn_real_path), "%s/%s", cairn_place_root(), ours);
    return found;
}

int cairn_hook_fstat(const struct cairn_served *file, int fd, struct stat *st)
{
    cairn_real_path path;
    struct stat real;
    int error = errno;
    int result = CAIRN_NEXT(fstat)(fd, st);

    if (result)
        return result;
    if (find_real_path(&file->place, path) && !CAIRN_NEXT(fstatat)(AT_FDCWD, path, &real, 0)) {
        real.st_size = st->st_size;
        real.st_blocks = st->st_blocks;
        *st = real;
    }
    errno = error;
    if (file->place.kind == CAIRN_PLACE_STATUS) {
        st->st_size = CAIRN_EVENT_MAX;
        st->st_blocks = CAIRN_EVENT_MAX / 512;
        st->st_blksize = STATUS_BLOCK_BYTES;
    }
    return 0;
}

int cairn_hook_correct_statx(const struct cairn_served *file, int fd, unsigned int mask,
                             struct statx *st)
{
    struct stat plain;
    cairn_real_path path;
    int result = cairn_hook_fstat(file, fd, &plain);

    if (result)
        return result;
    if (find_real_path(&file->place, path))
        (void)CAIRN_NEXT(statx)(AT_FDCWD, path, 0, mask, st);
    st->stx_size = (uint64_t)plain.st_size;
    st->stx_blocks = (uint64_t)plain.st_blocks;
    st->stx_blksize = (uint32_t)plain.st_blksize;
    return 0;
}

static CAIRN_HOOK_REST int fstat_rest(int fd, struct stat *st)
{
    const struct cairn_served *file = cairn_hook_served(fd);

    return file ? cairn_hook_fstat(file, fd, st) : CAIRN_NEXT(fstat)(fd, st);
}

CAIRN_HOOK int fstat(int fd, struct stat *st)
{
    CAIRN_HOOK_PASS(fd, fstat, fd, st);
    return fstat_rest(fd, st);
}

CAIRN_HOOK int fstat64(int fd, struct stat64 *st)
{
    struct stat *same = (struct stat *)st;

    CAIRN_HOOK_PASS(fd, fstat, fd, same);
    return fstat_rest(fd, same);
}

/* The names of these calls before glibc 2.33. */
CAIRN_HOOK int __fxstat(int version, int fd, struct stat *st);

CAIRN_HOOK int __fxstat(int version, int fd, struct stat *st)
{
    const struct cairn_served *file = cairn_hook_served(fd);

    return file ? cairn_hook_fstat(file, fd, st) : CAIRN_NEXT(__fxstat)(version, fd, st);
}

CAIRN_HOOK_ALIAS("__fxstat") int __fxstat64(int version, int fd, struct stat *st);
