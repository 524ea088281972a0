/* SPDX-License-Identifier: MIT */
/*
 * syscall(): system calls by their number. One that has a function of ours, and a descriptor or a
 * path of ours, is that function's; a child that goes on in the same function is looked after.
 */
#undef _FILE_OFFSET_BITS
#include "preload/follow.h"
#include "preload/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum group {
    GROUP_NONE = 0,
    GROUP_IO,         /* a descriptor comes first, and is read or written */
    GROUP_DESCRIPTOR, /* a descriptor comes first, and it is about that */
    GROUP_TWO,        /* so does another one */
    GROUP_PATH,       /* a path comes first */
    GROUP_PATH_AT,    /* a directory's descriptor, then a path */
    GROUP_OTHER,
};

/* Becomes a look into a table. */
static enum group group_of(long number)
{
    switch (number) {
    case SYS_read:
    case SYS_pread64:
    case SYS_readv:
    case SYS_preadv:
    case SYS_preadv2:
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_pwritev:
    case SYS_pwritev2:
        return GROUP_IO;
    case SYS_ioctl:
    case SYS_close:
    case SYS_dup:
    case SYS_fcntl:
    case SYS_fstat:
    case SYS_fchdir:
    case SYS_lseek:
    case SYS_ftruncate:
        return GROUP_DESCRIPTOR;
#ifdef SYS_dup2
    case SYS_dup2:
#endif
    case SYS_dup3:
        return GROUP_TWO;
#ifdef SYS_open
    case SYS_open:
    case SYS_creat:
    case SYS_stat:
    case SYS_lstat:
    case SYS_access:
    case SYS_readlink:
#endif
    case SYS_chdir:
    case SYS_statfs:
        return GROUP_PATH;
    case SYS_openat:
    case SYS_openat2:
    case SYS_newfstatat:
    case SYS_statx:
    case SYS_faccessat:
    case SYS_faccessat2:
    case SYS_readlinkat:
        return GROUP_PATH_AT;
#ifdef SYS_fork
    case SYS_fork:
#endif
    case SYS_clone:
    case SYS_clone3:
    case SYS_close_range:
    case SYS_getcwd:
    case SYS_mmap:
        return GROUP_OTHER;
    default:
        return GROUP_NONE;
    }
}

struct call {
    long number;
    long a, b, c, d, e, f;
};

static void *pointer(long argument)
{
    return (void *)argument; // NOLINT(*-int-to-ptr)
}

/* True if a path is in the tracing directory, or leads out of it. */
static bool is_path_ours(int directory, const char *path)
{
    tracefs_place_path ours;

    return preload_hook_side(directory, path, ours) != PRELOAD_PLACE_OUTSIDE ||
           preload_hook_find_detour(directory, path, ours);
}

static bool is_ours(enum group group, const struct call *call)
{
    switch (group) {
    case GROUP_TWO:
        return preload_served_has((int)call->a) || preload_served_has((int)call->b);
    case GROUP_PATH:
        return is_path_ours(AT_FDCWD, pointer(call->a));
    case GROUP_PATH_AT:
        return is_path_ours((int)call->a, pointer(call->b)) || preload_hook_served((int)call->a);
    default:
        return preload_served_has((int)call->a);
    }
}

/* ---- what our functions do ---- */

/* On 64-bit machines the first of its two arguments contains the whole offset. */
static long call_io(const struct call *call)
{
    int fd = (int)call->a;
    void *data = pointer(call->b);
    size_t size = (size_t)call->c;
    int count = (int)call->c;

    switch (call->number) {
    case SYS_read:
        return read(fd, data, size);
    case SYS_pread64:
        return pread(fd, data, size, call->d);
    case SYS_readv:
        return readv(fd, data, count);
    case SYS_preadv:
        return preadv(fd, data, count, call->d);
    case SYS_preadv2:
        return preadv2(fd, data, count, call->d, (int)call->f);
    case SYS_write:
        return write(fd, data, size);
    case SYS_pwrite64:
        return pwrite(fd, data, size, call->d);
    case SYS_writev:
        return writev(fd, data, count);
    case SYS_pwritev:
        return pwritev(fd, data, count, call->d);
    default:
        return pwritev2(fd, data, count, call->d, (int)call->f);
    }
}

static long call_descriptor(const struct call *call)
{
    int fd = (int)call->a;

    switch (call->number) {
    case SYS_ioctl:
        return ioctl(fd, (unsigned long)call->b, pointer(call->c));
    case SYS_close:
        return close(fd);
    case SYS_dup:
        return dup(fd);
    case SYS_fcntl:
        return fcntl(fd, (int)call->b, pointer(call->c));
    case SYS_fstat:
        return fstat(fd, pointer(call->b));
    case SYS_fchdir:
        return fchdir(fd);
    case SYS_lseek:
        return lseek(fd, call->b, (int)call->c);
    case SYS_ftruncate:
        return ftruncate(fd, call->b);
    case SYS_dup3:
        return dup3(fd, (int)call->b, (int)call->c);
    default:
        return dup2(fd, (int)call->b);
    }
}

static long call_path(const struct call *call)
{
    const char *path = pointer(call->a);

    switch (call->number) {
    case SYS_chdir:
        return chdir(path);
#ifdef SYS_open
    case SYS_open:
        return preload_hook_open(AT_FDCWD, path, (int)call->b, (unsigned int)call->c);
    case SYS_creat:
        return creat(path, (mode_t)call->b);
    case SYS_stat:
        return stat(path, pointer(call->b));
    case SYS_lstat:
        return lstat(path, pointer(call->b));
    case SYS_access:
        return access(path, (int)call->b);
    case SYS_readlink:
        return readlink(path, pointer(call->b), (size_t)call->c);
#endif
    default:
        return statfs(path, pointer(call->b));
    }
}

/* How paths are to be resolved has no meaning in our directory. */
static long call_openat2(int directory, const char *path, const struct open_how *how,
                         size_t size_bytes)
{
    struct open_how wanted;

    if (size_bytes < sizeof(wanted) || (uintptr_t)how < 4096) {
        errno = size_bytes < sizeof(wanted) ? EINVAL : EFAULT;
        return -1;
    }
    memcpy(&wanted, how, sizeof(wanted));
    return preload_hook_open(directory, path, (int)wanted.flags, (unsigned int)wanted.mode);
}

static long call_path_at(const struct call *call)
{
    const char *path = pointer(call->b);
    int directory = (int)call->a;

    switch (call->number) {
    case SYS_openat:
        return preload_hook_open(directory, path, (int)call->c, (unsigned int)call->d);
    case SYS_openat2:
        return call_openat2(directory, path, pointer(call->c), (size_t)call->d);
    case SYS_newfstatat:
        return fstatat(directory, path, pointer(call->c), (int)call->d);
    case SYS_statx:
        return statx(directory, path, (int)call->c, (unsigned int)call->d, pointer(call->e));
    case SYS_faccessat:
        return faccessat(directory, path, (int)call->c, 0);
    case SYS_faccessat2:
        return faccessat(directory, path, (int)call->c, (int)call->d);
    default:
        return readlinkat(directory, path, pointer(call->c), (size_t)call->d);
    }
}

static long call_ours(enum group group, const struct call *call)
{
    switch (group) {
    case GROUP_IO:
        return call_io(call);
    case GROUP_PATH:
        return call_path(call);
    case GROUP_PATH_AT:
        return call_path_at(call);
    default:
        return call_descriptor(call);
    }
}

/* ---- the others ---- */

static long call_next(const struct call *call)
{
    return PRELOAD_NEXT(syscall)(call->number, call->a, call->b, call->c, call->d, call->e,
                                 call->f);
}

/* A child that goes on in the same function, with memory of its own. */
static bool makes_child(const struct call *call)
{
    const struct clone_args *arguments = pointer(call->a);

    switch (call->number) {
    case SYS_clone:
        return !(call->a & CLONE_VM);
    case SYS_clone3:
        return (uintptr_t)arguments >= 4096 && !(arguments->flags & CLONE_VM);
    default:
        return true; /* fork */
    }
}

static long call_maker(const struct call *call)
{
    bool is_maker = makes_child(call);
    long result = call_next(call);

    if (result == 0 && is_maker)
        preload_follow_check_process();
    return result;
}

/* The call contains the length. */
static long call_getcwd(const struct call *call)
{
    char *to = pointer(call->a);

    if (!preload_place_is_inside() || !to)
        return call_next(call);
    return getcwd(to, (size_t)call->b) ? (long)strlen(to) + 1 : -1;
}

static long call_other(const struct call *call)
{
    switch (call->number) {
    case SYS_close_range:
        return close_range((unsigned int)call->a, (unsigned int)call->b, (int)call->c);
    case SYS_getcwd:
        return call_getcwd(call);
    case SYS_mmap:
        return (long)mmap(pointer(call->a), (size_t)call->b, (int)call->c, (int)call->d,
                          (int)call->e, call->f);
    default:
        return call_maker(call);
    }
}

/* Arguments that were not given are whatever is there; the C library does the same. */
PRELOAD_HOOK long preload_hook_syscall(long number, long a, long b, long c, long d, long e,
                                       long f) __asm__("syscall");

PRELOAD_HOOK long preload_hook_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    enum group group = group_of(number);
    const struct call call = {number, a, b, c, d, e, f};

    if (__builtin_expect(group != GROUP_NONE, 0)) {
        if (group == GROUP_OTHER)
            return call_other(&call);
        if (is_ours(group, &call) && !engine_is_locked_by_self())
            return call_ours(group, &call);
    }
    return PRELOAD_NEXT(syscall)(number, a, b, c, d, e, f);
}
