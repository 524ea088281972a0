/* SPDX-License-Identifier: MIT */
/* Mapping of the status page, the one file of ours that can be mapped. */
#undef _FILE_OFFSET_BITS
#include "preload/bits.h"
#include "preload/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

/* The status page itself: a byte an event. Returns 0 or an errno code. */
static int map_bytes(void *address, size_t size_bytes, int protection, int flags, off_t offset,
                     void **ret_memory)
{
    int fd = engine_directory_open(&engine_self.local.directory, "user_events_status", O_RDONLY);
    int error = fd < 0 ? errno : 0;
    void *memory;

    if (error)
        return error;
    memory = PRELOAD_NEXT(mmap)(address, size_bytes, protection, flags, fd, offset);
    if (memory == MAP_FAILED)
        error = errno;
    else
        *ret_memory = memory;
    (void)PRELOAD_NEXT(close)(fd);
    return error;
}

static void *map_status(void *address, size_t size_bytes, int protection, int flags, off_t offset)
{
    void *memory = MAP_FAILED;
    engine_lock_state lock_state;
    int error;

    /* After the page nothing is mapped: an access would raise SIGBUS. */
    if (offset < 0 || offset > ENGINE_EVENT_MAX || size_bytes > ENGINE_EVENT_MAX - (size_t)offset) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    engine_lock(&lock_state);
    error = preload_bits_any() ? preload_bits_map(address, size_bytes, protection, flags, &memory)
                               : map_bytes(address, size_bytes, protection, flags, offset, &memory);
    engine_unlock(&lock_state);
    (void)preload_hook_fails(error);
    return memory;
}

/* The status page is the one file that can be mapped. */
static void *map_served(const struct preload_served *file, void *address, size_t size_bytes,
                        int protection, int flags, off_t offset)
{
    if (preload_served_is_readable(file) && file->place.kind == TRACEFS_PLACE_STATUS)
        return map_status(address, size_bytes, protection, flags, offset);
    (void)preload_hook_fails(preload_served_is_readable(file) ? ENODEV : EACCES);
    return MAP_FAILED;
}

static PRELOAD_HOOK_REST void *mmap_rest(void *address, size_t size_bytes, int protection,
                                         int flags, int fd, off_t offset)
{
    struct preload_served *file = flags & MAP_ANONYMOUS ? NULL : preload_hook_served(fd);

    if (file)
        return map_served(file, address, size_bytes, protection, flags, offset);
    return PRELOAD_NEXT(mmap)(address, size_bytes, protection, flags, fd, offset);
}

PRELOAD_HOOK void *mmap(void *address, size_t size_bytes, int protection, int flags, int fd,
                        off_t offset)
{
    PRELOAD_HOOK_PASS(fd, mmap, address, size_bytes, protection, flags, fd, offset);
    return mmap_rest(address, size_bytes, protection, flags, fd, offset);
}

PRELOAD_HOOK_ALIAS("mmap")
void *mmap64(void *address, size_t size_bytes, int protection, int flags, int fd, off_t offset);
