/* SPDX-License-Identifier: MIT */
/* Open files: sizes, memory, open-file-description locks. */
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that grows beyond the limit costs the program its life. */
static bool may_be_so_long(int fd, size_t size_bytes)
{
    struct rlimit limit;
    struct stat st;

    return (!fstat(fd, &st) && (size_t)st.st_size >= size_bytes) ||
           getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur >= size_bytes;
}

int os_file_back(int fd, size_t offset, size_t size_bytes)
{
    int error;

    if (!may_be_so_long(fd, offset + size_bytes))
        return EFBIG;
    do
        error = posix_fallocate(fd, (off_t)offset, (off_t)size_bytes);
    while (error == EINTR);
    return error;
}

int os_file_lift(int *fd, int least)
{
    int lifted = fcntl(*fd, F_DUPFD_CLOEXEC, least);

    if (lifted < 0 && *fd > STDERR_FILENO)
        return 0;
    if (lifted < 0)
        lifted = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (lifted < 0)
        return errno;
    close(*fd);
    *fd = lifted;
    return 0;
}

int os_file_extend(int fd, size_t size_bytes)
{
    if (!may_be_so_long(fd, size_bytes))
        return EFBIG;
    return ftruncate(fd, (off_t)size_bytes) ? errno : 0;
}

void os_file_release(int fd, uint64_t offset, size_t size_bytes)
{
    (void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
                    (off_t)size_bytes);
}

int os_file_lock(int fd, enum os_file_lock lock)
{
    static const short types[] = {
        [OS_FILE_UNLOCKED] = F_UNLCK,
        [OS_FILE_SHARED] = F_RDLCK,
        [OS_FILE_EXCLUSIVE] = F_WRLCK,
    };
    struct flock whole = {.l_type = types[lock], .l_whence = SEEK_SET};

    return fcntl(fd, F_OFD_SETLK, &whole) ? errno : 0;
}

bool os_file_is_locked(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(fd, F_OFD_GETLK, &whole) || whole.l_type != F_UNLCK;
}
