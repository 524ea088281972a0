/* SPDX-License-Identifier: MIT */
/* Reading, writing, ioctl and mapping of what is served. */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"
#include "preload/bits.h"
#include "preload/content.h"
#include "preload/control.h"
#include "preload/data.h"
#include "preload/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

/* ---- reading ---- */

/* Who reads from the beginning reads what is there now. Returns 0 or an errno code. */
static int renew(struct cairn_served *file, int fd, off_t offset)
{
    cairn_engine_guard guard;
    int error = 0;

    if (!cairn_served_is_readable(file))
        return EBADF;
    if (file->place.kind == CAIRN_PLACE_DATA)
        return EINVAL;
    if (file->place.kind == CAIRN_PLACE_PIPE || offset != 0)
        return 0;
    cairn_engine_lock(&guard);
    error = cairn_content_renew(&file->place, fd);
    cairn_engine_unlock(&guard);
    return error;
}

static int before_read(struct cairn_served *file, int fd)
{
    return renew(file, fd,
                 file->place.kind == CAIRN_PLACE_PIPE ? 0 : CAIRN_NEXT(lseek)(fd, 0, SEEK_CUR));
}

static bool fails(int error)
{
    if (error)
        errno = error;
    return error != 0;
}

ssize_t cairn_hook_read(struct cairn_served *file, int fd, void *to, size_t size_bytes)
{
    return fails(before_read(file, fd)) ? -1 : CAIRN_NEXT(read)(fd, to, size_bytes);
}

static CAIRN_HOOK_REST ssize_t read_rest(int fd, void *to, size_t size_bytes)
{
    struct cairn_served *file = cairn_hook_served(fd);

    return file ? cairn_hook_read(file, fd, to, size_bytes) : CAIRN_NEXT(read)(fd, to, size_bytes);
}

CAIRN_HOOK ssize_t read(int fd, void *to, size_t size_bytes)
{
    CAIRN_HOOK_PASS(fd, read, fd, to, size_bytes);
    return read_rest(fd, to, size_bytes);
}

static CAIRN_HOOK_REST ssize_t pread_rest(int fd, void *to, size_t size_bytes, off_t offset)
{
    struct cairn_served *file = cairn_hook_served(fd);

    if (file && fails(renew(file, fd, offset)))
        return -1;
    return CAIRN_NEXT(pread)(fd, to, size_bytes, offset);
}

CAIRN_HOOK ssize_t pread(int fd, void *to, size_t size_bytes, off_t offset)
{
    CAIRN_HOOK_PASS(fd, pread, fd, to, size_bytes, offset);
    return pread_rest(fd, to, size_bytes, offset);
}

CAIRN_HOOK_ALIAS("pread") ssize_t pread64(int fd, void *to, size_t size_bytes, off_t offset);

static CAIRN_HOOK_REST ssize_t readv_rest(int fd, const struct iovec *parts, int count)
{
    struct cairn_served *file = cairn_hook_served(fd);

    if (file && fails(before_read(file, fd)))
        return -1;
    return CAIRN_NEXT(readv)(fd, parts, count);
}

CAIRN_HOOK ssize_t readv(int fd, const struct iovec *parts, int count)
{
    CAIRN_HOOK_PASS(fd, readv, fd, parts, count);
    return readv_rest(fd, parts, count);
}

static CAIRN_HOOK_REST ssize_t preadv_rest(int fd, const struct iovec *parts, int count,
                                           off_t offset)
{
    struct cairn_served *file = cairn_hook_served(fd);

    if (file && fails(renew(file, fd, offset)))
        return -1;
    return CAIRN_NEXT(preadv)(fd, parts, count, offset);
}

CAIRN_HOOK ssize_t preadv(int fd, const struct iovec *parts, int count, off_t offset)
{
    CAIRN_HOOK_PASS(fd, preadv, fd, parts, count, offset);
    return preadv_rest(fd, parts, count, offset);
}

CAIRN_HOOK_ALIAS("preadv")
ssize_t preadv64(int fd, const struct iovec *parts, int count, off_t offset);

static CAIRN_HOOK_REST ssize_t preadv2_rest(int fd, const struct iovec *parts, int count,
                                            off_t offset, int flags)
{
    struct cairn_served *file = cairn_hook_served(fd);

    if (file && fails(offset == -1 ? before_read(file, fd) : renew(file, fd, offset)))
        return -1;
    return CAIRN_NEXT(preadv2)(fd, parts, count, offset, flags);
}

CAIRN_HOOK ssize_t preadv2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
    CAIRN_HOOK_PASS(fd, preadv2, fd, parts, count, offset, flags);
    return preadv2_rest(fd, parts, count, offset, flags);
}

CAIRN_HOOK_ALIAS("preadv2")
ssize_t preadv64v2(int fd, const struct iovec *parts, int count, off_t offset, int flags);

/* What calls become with _FORTIFY_SOURCE. */
CAIRN_HOOK ssize_t __read_chk(int fd, void *to, size_t size_bytes, size_t room);
CAIRN_HOOK ssize_t __pread_chk(int fd, void *to, size_t size_bytes, off_t offset, size_t room);

static CAIRN_HOOK_REST ssize_t read_chk_rest(int fd, void *to, size_t size_bytes, size_t room)
{
    struct cairn_served *file = cairn_hook_served(fd);

    if (file && fails(before_read(file, fd)))
        return -1;
    return CAIRN_NEXT(__read_chk)(fd, to, size_bytes, room);
}

CAIRN_HOOK ssize_t __read_chk(int fd, void *to, size_t size_bytes, size_t room)
{
    CAIRN_HOOK_PASS(fd, __read_chk, fd, to, size_bytes, room);
    return read_chk_rest(fd, to, size_bytes, room);
}

static CAIRN_HOOK_REST ssize_t pread_chk_rest(int fd, void *to, size_t size_bytes, off_t offset,
                                              size_t room)
{
    struct cairn_served *file = cairn_hook_served(fd);

    if (file && fails(renew(file, fd, offset)))
        return -1;
    return CAIRN_NEXT(__pread_chk)(fd, to, size_bytes, offset, room);
}

CAIRN_HOOK ssize_t __pread_chk(int fd, void *to, size_t size_bytes, off_t offset, size_t room)
{
    CAIRN_HOOK_PASS(fd, __pread_chk, fd, to, size_bytes, offset, room);
    return pread_chk_rest(fd, to, size_bytes, offset, room);
}

CAIRN_HOOK_ALIAS("__pread_chk")
ssize_t __pread64_chk(int fd, void *to, size_t size_bytes, off_t offset, size_t room);

/* ---- writing ---- */

/* What is said before anybody looks at what is written. */
static int check_writable(const struct cairn_served *file)
{
    if (!cairn_served_is_writable(file))
        return EBADF;
    return cairn_control_takes_writes(&file->place) ? 0 : EINVAL;
}

static ssize_t write_control(struct cairn_served *file, const struct iovec *parts, int count)
{
    cairn_engine_guard guard;
    size_t size = 0;
    int error;

    cairn_engine_lock(&guard);
    error = cairn_control_write(&file->place, parts, count, &size);
    cairn_engine_unlock(&guard);
    return fails(error) ? -1 : (ssize_t)size;
}

ssize_t cairn_hook_write(struct cairn_served *file, int fd, const void *from, size_t size_bytes)
{
    struct iovec part = {(void *)(uintptr_t)from, size_bytes};
    int error;

    if (file->place.kind == CAIRN_PLACE_DATA)
        return cairn_data_write(file, fd, from, size_bytes);
    error = check_writable(file);
    if (!error && size_bytes > SSIZE_MAX)
        error = EFAULT;
    return fails(error) ? -1 : write_control(file, &part, 1);
}

/* Whether nothing is in any part. The list is looked at by the kernel first, which says why not. */
static int find_empty(const struct iovec *parts, int count, bool *ret_empty)
{
    uint8_t byte;
    size_t size = 0;
    int error = cairn_memory_gather(&byte, sizeof(byte), parts, count, &size);

    for (int i = 0; i < count && !error && !size; i++)
        size = parts[i].iov_len;
    *ret_empty = size == 0;
    return error;
}

/* Of nothing at all the file itself hears nothing. */
static ssize_t write_parts(struct cairn_served *file, int fd, const struct iovec *parts, int count)
{
    bool is_empty = false;
    int error;

    if (file->place.kind == CAIRN_PLACE_DATA)
        return cairn_data_writev(file, fd, parts, count);
    error = check_writable(file);
    if (!error)
        error = find_empty(parts, count, &is_empty);
    if (fails(error))
        return -1;
    return is_empty ? 0 : write_control(file, parts, count);
}

static CAIRN_HOOK_REST ssize_t write_rest(int fd, const void *from, size_t size_bytes)
{
    struct cairn_served *file = cairn_hook_served(fd);

    return file ? cairn_hook_write(file, fd, from, size_bytes)
                : CAIRN_NEXT(write)(fd, from, size_bytes);
}

CAIRN_HOOK ssize_t write(int fd, const void *from, size_t size_bytes)
{
    CAIRN_HOOK_PASS(fd, write, fd, from, size_bytes);
    return write_rest(fd, from, size_bytes);
}

/* The kernel takes an event at no place but the file's beginning. */
static CAIRN_HOOK_REST ssize_t pwrite_rest(int fd, const void *from, size_t size_bytes,
                                           off_t offset)
{
    struct cairn_served *file = cairn_hook_served(fd);

    if (!file)
        return CAIRN_NEXT(pwrite)(fd, from, size_bytes, offset);
    if (fails(offset < 0 ? EINVAL : file->place.kind == CAIRN_PLACE_DATA && offset ? EFAULT : 0))
        return -1;
    return cairn_hook_write(file, fd, from, size_bytes);
}

CAIRN_HOOK ssize_t pwrite(int fd, const void *from, size_t size_bytes, off_t offset)
{
    CAIRN_HOOK_PASS(fd, pwrite, fd, from, size_bytes, offset);
    return pwrite_rest(fd, from, size_bytes, offset);
}

CAIRN_HOOK_ALIAS("pwrite")
ssize_t pwrite64(int fd, const void *from, size_t size_bytes, off_t offset);

static CAIRN_HOOK_REST ssize_t writev_rest(int fd, const struct iovec *parts, int count)
{
    struct cairn_served *file = cairn_hook_served(fd);

    return file ? write_parts(file, fd, parts, count) : CAIRN_NEXT(writev)(fd, parts, count);
}

CAIRN_HOOK ssize_t writev(int fd, const struct iovec *parts, int count)
{
    CAIRN_HOOK_PASS(fd, writev, fd, parts, count);
    return writev_rest(fd, parts, count);
}

static CAIRN_HOOK_REST ssize_t pwritev_rest(int fd, const struct iovec *parts, int count,
                                            off_t offset)
{
    struct cairn_served *file = cairn_hook_served(fd);

    if (!file)
        return CAIRN_NEXT(pwritev)(fd, parts, count, offset);
    return fails(offset < 0 ? EINVAL : 0) ? -1 : write_parts(file, fd, parts, count);
}

CAIRN_HOOK ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    CAIRN_HOOK_PASS(fd, pwritev, fd, parts, count, offset);
    return pwritev_rest(fd, parts, count, offset);
}

static CAIRN_HOOK_REST ssize_t pwritev2_rest(int fd, const struct iovec *parts, int count,
                                             off_t offset, int flags)
{
    struct cairn_served *file = cairn_hook_served(fd);

    if (!file)
        return CAIRN_NEXT(pwritev2)(fd, parts, count, offset, flags);
    return fails(offset < -1 ? EINVAL : 0) ? -1 : write_parts(file, fd, parts, count);
}

CAIRN_HOOK ssize_t pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
    CAIRN_HOOK_PASS(fd, pwritev2, fd, parts, count, offset, flags);
    return pwritev2_rest(fd, parts, count, offset, flags);
}

CAIRN_HOOK_ALIAS("pwritev")
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset);
CAIRN_HOOK_ALIAS("pwritev2")
ssize_t pwritev64v2(int fd, const struct iovec *parts, int count, off_t offset, int flags);

/* ---- where in a file ---- */

/* What a file's end is to the kernel: none has a size. */
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
    return fails(error) ? -1 : CAIRN_NEXT(lseek)(fd, offset, whence);
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

/* Nothing is taken but what is written: programs that are told so write it, as to a tracefs. */
static bool takes_no_copy(int fd)
{
    return cairn_hook_served(fd) && fails(EINVAL);
}

CAIRN_HOOK ssize_t sendfile(int to, int from, off_t *offset, size_t size_bytes)
{
    return takes_no_copy(to) ? -1 : CAIRN_NEXT(sendfile)(to, from, offset, size_bytes);
}

CAIRN_HOOK_ALIAS("sendfile")
ssize_t sendfile64(int to, int from, off_t *offset, size_t size_bytes);

CAIRN_HOOK ssize_t copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset,
                                   size_t size_bytes, unsigned int flags)
{
    return takes_no_copy(to)
               ? -1
               : CAIRN_NEXT(copy_file_range)(from, from_offset, to, to_offset, size_bytes, flags);
}

CAIRN_HOOK ssize_t splice(int from, off_t *from_offset, int to, off_t *to_offset, size_t size_bytes,
                          unsigned int flags)
{
    return takes_no_copy(to)
               ? -1
               : CAIRN_NEXT(splice)(from, from_offset, to, to_offset, size_bytes, flags);
}

/* ---- ioctl and mmap ---- */

static CAIRN_HOOK_REST int ioctl_rest(int fd, unsigned long request, void *argument)
{
    struct cairn_served *file = cairn_hook_served(fd);

    if (file && file->place.kind == CAIRN_PLACE_DATA)
        return cairn_data_ioctl(file, fd, request, (uintptr_t)argument);
    return CAIRN_NEXT(ioctl)(fd, request, argument);
}

/* An argument that was not given is whatever is there; the C library does the same. */
CAIRN_HOOK int cairn_hook_ioctl(int fd, unsigned long request, void *argument) __asm__("ioctl");

CAIRN_HOOK int cairn_hook_ioctl(int fd, unsigned long request, void *argument)
{
    CAIRN_HOOK_PASS(fd, ioctl, fd, request, argument);
    return ioctl_rest(fd, request, argument);
}

/* The status page itself: a byte an event. Returns 0 or an errno code. */
static int map_bytes(void *address, size_t size_bytes, int protection, int flags, off_t offset,
                     void **ret_memory)
{
    int fd = cairn_directory_open(&cairn_i_engine.local.directory, "user_events_status", O_RDONLY);
    int error = fd < 0 ? errno : 0;
    void *memory;

    if (error)
        return error;
    memory = CAIRN_NEXT(mmap)(address, size_bytes, protection, flags, fd, offset);
    if (memory == MAP_FAILED)
        error = errno;
    else
        *ret_memory = memory;
    (void)CAIRN_NEXT(close)(fd);
    return error;
}

static void *map_status(void *address, size_t size_bytes, int protection, int flags, off_t offset)
{
    void *memory = MAP_FAILED;
    cairn_engine_guard guard;
    int error;

    /* Behind the page there is nothing, and looking there would be a signal. */
    if (offset < 0 || offset > CAIRN_EVENT_MAX || size_bytes > CAIRN_EVENT_MAX - (size_t)offset) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    cairn_engine_lock(&guard);
    error = cairn_bits_any() ? cairn_bits_map(address, size_bytes, protection, flags, &memory)
                             : map_bytes(address, size_bytes, protection, flags, offset, &memory);
    cairn_engine_unlock(&guard);
    (void)fails(error);
    return memory;
}

/* The status page is the one file that can be mapped. */
static void *map_served(const struct cairn_served *file, void *address, size_t size_bytes,
                        int protection, int flags, off_t offset)
{
    if (cairn_served_is_readable(file) && file->place.kind == CAIRN_PLACE_STATUS)
        return map_status(address, size_bytes, protection, flags, offset);
    (void)fails(cairn_served_is_readable(file) ? ENODEV : EACCES);
    return MAP_FAILED;
}

static CAIRN_HOOK_REST void *mmap_rest(void *address, size_t size_bytes, int protection, int flags,
                                       int fd, off_t offset)
{
    struct cairn_served *file = flags & MAP_ANONYMOUS ? NULL : cairn_hook_served(fd);

    if (file)
        return map_served(file, address, size_bytes, protection, flags, offset);
    return CAIRN_NEXT(mmap)(address, size_bytes, protection, flags, fd, offset);
}

CAIRN_HOOK void *mmap(void *address, size_t size_bytes, int protection, int flags, int fd,
                      off_t offset)
{
    CAIRN_HOOK_PASS(fd, mmap, address, size_bytes, protection, flags, fd, offset);
    return mmap_rest(address, size_bytes, protection, flags, fd, offset);
}

CAIRN_HOOK_ALIAS("mmap")
void *mmap64(void *address, size_t size_bytes, int protection, int flags, int fd, off_t offset);
