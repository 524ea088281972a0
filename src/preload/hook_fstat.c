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

static_assert(STATUS_BLOCK_BYTES >= ENGINE_EVENT_MAX, "the page is less than a block");

/* Its path in the real directory; false: it has none, because its event is gone. */
static bool find_real_path(const struct tracefs_place *place, preload_real_path text)
{
    engine_lock_state lock_state;
    tracefs_place_path ours;
    bool found;

    engine_lock(&lock_state);
    found = tracefs_place_find_path(place, ours) && !preload_tree_renew(ours, PRELOAD_TREE_PLACE);
    engine_unlock(&lock_state);
    if (found)
        (void)snprintf(text, sizeof(preload_real_path), "%s/%s", preload_place_root(), ours);
    return found;
}

int preload_hook_fstat(const struct preload_served *file, int fd, struct stat *st)
{
    preload_real_path path;
    struct stat real;
    int error = errno;
    int result = PRELOAD_NEXT(fstat)(fd, st);

    if (result)
        return result;
    if (find_real_path(&file->place, path) && !PRELOAD_NEXT(fstatat)(AT_FDCWD, path, &real, 0)) {
        real.st_size = st->st_size;
        real.st_blocks = st->st_blocks;
        *st = real;
    }
    errno = error;
    if (file->place.kind == TRACEFS_PLACE_STATUS) {
        st->st_size = ENGINE_EVENT_MAX;
        st->st_blocks = ENGINE_EVENT_MAX / 512;
        st->st_blksize = STATUS_BLOCK_BYTES;
    }
    return 0;
}

int preload_hook_correct_statx(const struct preload_served *file, int fd, unsigned int mask,
                               struct statx *st)
{
    struct stat plain;
    preload_real_path path;
    int result = preload_hook_fstat(file, fd, &plain);

    if (result)
        return result;
    if (find_real_path(&file->place, path))
        (void)PRELOAD_NEXT(statx)(AT_FDCWD, path, 0, mask, st);
    st->stx_size = (uint64_t)plain.st_size;
    st->stx_blocks = (uint64_t)plain.st_blocks;
    st->stx_blksize = (uint32_t)plain.st_blksize;
    return 0;
}

static PRELOAD_HOOK_REST int fstat_rest(int fd, struct stat *st)
{
    const struct preload_served *file = preload_hook_served(fd);

    return file ? preload_hook_fstat(file, fd, st) : PRELOAD_NEXT(fstat)(fd, st);
}

PRELOAD_HOOK int fstat(int fd, struct stat *st)
{
    PRELOAD_HOOK_PASS(fd, fstat, fd, st);
    return fstat_rest(fd, st);
}

PRELOAD_HOOK int fstat64(int fd, struct stat64 *st)
{
    struct stat *same = (struct stat *)st;

    PRELOAD_HOOK_PASS(fd, fstat, fd, same);
    return fstat_rest(fd, same);
}

/* The names of these calls before glibc 2.33. */
PRELOAD_HOOK int __fxstat(int version, int fd, struct stat *st);

PRELOAD_HOOK int __fxstat(int version, int fd, struct stat *st)
{
    const struct preload_served *file = preload_hook_served(fd);

    return file ? preload_hook_fstat(file, fd, st) : PRELOAD_NEXT(__fxstat)(version, fd, st);
}

PRELOAD_HOOK_ALIAS("__fxstat") int __fxstat64(int version, int fd, struct stat *st);
