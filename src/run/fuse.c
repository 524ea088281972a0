/* SPDX-License-Identifier: MIT */
/* The kernel's FUSE protocol. */
#include "run/answers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#define UNMOUNT_FLAGS (MNT_DETACH | UMOUNT_NOFOLLOW)

#define PAGES_MAX 256 /* of a write: the maximum of parts of a writev */

uint32_t run_fuse_device[2];
int run_fuse_connection;

/* The last mount of this process that it has not removed: where it is, or "". */
static char mounted_at[PATH_MAX];
static bool has_mounted_below;

/* Without a request, which nobody would answer yet. glibc's function could make one. */
static int find_device(const char *directory, uint32_t ret_device[2])
{
    struct statx st;

    if (syscall(SYS_statx, AT_FDCWD, directory, AT_STATX_DONT_SYNC, 0, &st))
        return errno;
    ret_device[0] = st.stx_dev_major;
    ret_device[1] = st.stx_dev_minor;
    return 0;
}

static void mount_below(const char *directory)
{
    struct statfs fs;

    has_mounted_below =
        !statfs(directory, &fs) && fs.f_type == SYSFS_MAGIC &&
        !mount(RUN_FUSE_SOURCE, directory, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

static int mount_at(const char *directory, int fd)
{
    char options[160];
    int error;

    (void)snprintf(options, sizeof(options),
                   "fd=%d,rootmode=40000,user_id=%u,group_id=%u,allow_other,default_permissions",
                   fd, geteuid(), getegid());
    if (mount(RUN_FUSE_SOURCE, directory, RUN_FUSE_TYPE, MS_NOSUID | MS_NODEV | MS_NOEXEC, options))
        return errno;
    error = find_device(directory, run_fuse_device);
    if (error)
        (void)umount2(directory, UNMOUNT_FLAGS);
    return error;
}

int run_fuse_mount(const char *directory, int *ret_fd)
{
    int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    int error;

    if (fd < 0)
        return errno;
    mount_below(directory);
    error = mount_at(directory, fd);
    if (error) {
        close(fd);
        if (has_mounted_below)
            (void)umount2(directory, UNMOUNT_FLAGS);
        return error;
    }
    (void)snprintf(mounted_at, sizeof(mounted_at), "%s", directory);
    *ret_fd = fd;
    return 0;
}

/* True if another mount covers that of this process. */
static bool is_covered(const char *directory)
{
    uint32_t device[2] = {0};

    return !find_device(directory, device) && memcmp(device, run_fuse_device, sizeof(device)) != 0;
}

int run_fuse_unmount(const char *directory)
{
    const bool is_ours = *mounted_at && !strcmp(directory, mounted_at);

    if (is_ours && is_covered(directory))
        return EBUSY;
    if (umount2(directory, UNMOUNT_FLAGS))
        return errno;
    if (is_ours && has_mounted_below)
        (void)umount2(directory, UNMOUNT_FLAGS);
    if (is_ours)
        *mounted_at = 0;
    return 0;
}

int run_fuse_receive(void *buffer, struct run_request *ret_request)
{
    ssize_t size = read(run_fuse_connection, buffer, RUN_BUFFER_MAX_BYTES);

    if (size < 0)
        return errno == EINTR || errno == ENOENT ? EAGAIN : errno; /* ENOENT: it was aborted */
    if ((size_t)size < sizeof(struct fuse_in_header))
        return EIO;
    *ret_request = (struct run_request){
        .head = buffer,
        .arg = (const struct fuse_in_header *)buffer + 1,
        .arg_bytes = (size_t)size - sizeof(struct fuse_in_header),
    };
    return 0;
}

/* A reply with an errno code, or a notification, whose `unique` is 0, in two parts. */
static void send(uint64_t unique, int32_t code, const void *a, size_t a_bytes, const void *b,
                 size_t b_bytes)
{
    struct fuse_out_header head = {
        .len = (uint32_t)(sizeof(head) + a_bytes + b_bytes),
        .error = code,
        .unique = unique,
    };
    struct iovec parts[] = {
        {&head, sizeof(head)},
        {(void *)(uintptr_t)a, a_bytes},
        {(void *)(uintptr_t)b, b_bytes},
    };

    /* A request may have been aborted, and the mount may be gone: then no process waits for the
     * reply. */
    (void)!writev(run_fuse_connection, parts, 3);
}

void run_fuse_reply_later(uint64_t unique, int error, const void *data, size_t size_bytes)
{
    send(unique, -error, data, error ? 0 : size_bytes, NULL, 0);
}

void run_fuse_reply(const struct run_request *request, int error, const void *data,
                    size_t size_bytes)
{
    run_fuse_reply_later(request->head->unique, error, data, size_bytes);
}

void run_fuse_begin(const struct run_request *request)
{
    const struct fuse_init_in *in = request->arg;
    const uint32_t wanted = FUSE_ASYNC_READ | FUSE_BIG_WRITES | FUSE_ATOMIC_O_TRUNC |
                            FUSE_MAX_PAGES | FUSE_PARALLEL_DIROPS | FUSE_INIT_EXT;
    struct fuse_init_out out = {
        .major = FUSE_KERNEL_VERSION,
        .minor = FUSE_KERNEL_MINOR_VERSION,
        .max_background = 64,
        .congestion_threshold = 48,
        .max_write = RUN_WRITE_MAX_BYTES,
        .max_pages = PAGES_MAX,
        .time_gran = 1,
    };

    /* Kernels before 5.4 have another layout of some structs. */
    if (in->major != FUSE_KERNEL_VERSION || in->minor < 31) {
        run_fuse_reply(request, EPROTO, NULL, 0);
        return;
    }
    if (in->minor < out.minor)
        out.minor = in->minor;
    out.flags = in->flags & wanted;
    if (out.flags & FUSE_INIT_EXT)
        out.flags2 = in->flags2 & (uint32_t)(RUN_FUSE_DIRECT_IO_ALLOW_MMAP >> 32);
    run_fuse_reply(request, 0, &out, sizeof(out));
}

void run_fuse_notify_poll(uint64_t handle)
{
    const struct fuse_notify_poll_wakeup_out out = {.kh = handle};

    send(0, FUSE_NOTIFY_POLL, &out, sizeof(out), NULL, 0);
}

void run_fuse_notify_store(uint64_t node, uint64_t offset, const void *bytes, uint32_t size_bytes)
{
    const struct fuse_notify_store_out out = {
        .nodeid = node,
        .offset = offset,
        .size = size_bytes,
    };

    send(0, FUSE_NOTIFY_STORE, &out, sizeof(out), bytes, size_bytes);
}
