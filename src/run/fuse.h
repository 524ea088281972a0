/* SPDX-License-Identifier: MIT */
/*
 * The kernel's FUSE protocol: a mount, its requests, replies. The protocol is used as it is, by
 * <linux/fuse.h>: the flags that these files need (streams without a position, a mapped file whose
 * reads are served) are not in libfuse before 3.17.
 */
#ifndef RUN_FUSE_H
#define RUN_FUSE_H

#include <linux/fuse.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Constants that headers before Linux 6.6 lack. */
#define RUN_FUSE_DIRECT_IO_ALLOW_MMAP (UINT64_C(1) << 36)
#define RUN_FOPEN_STREAM              (1u << 4)
#define RUN_FOPEN_PARALLEL_WRITES     (1u << 6)

/* The type and the source of the mounts in the tables of mounts. */
#define RUN_FUSE_TYPE   "fuse.cairn"
#define RUN_FUSE_SOURCE "cairn"

#define RUN_WRITE_MAX_BYTES  (128u << 10)
#define RUN_BUFFER_MAX_BYTES (RUN_WRITE_MAX_BYTES + 4096u)

/* The device of the files of this process's mount: major and minor number; zeros: there is none. */
extern uint32_t run_fuse_device[2];

/* The connection that requests come from: a process serves one mount. */
extern int run_fuse_connection;

struct run_request {
    const struct fuse_in_header *head;
    const void *arg; /* what follows the head */
    size_t arg_bytes;
};

/*
 * Mounts at a directory; all users in the user namespace may use it, as the files' modes permit. If
 * the directory is one of sysfs, without a mount, root mounts the kernel's tracefs first: programs
 * that use libtracefs would mount it later, above ours. Returns 0 and the connection; or the error
 * of a system call.
 */
int run_fuse_mount(const char *directory, int *ret_fd);

/* Removes the last mount at a directory, and what was mounted below; files that are open stay
 * usable. Returns 0; EBUSY it covers that of this process, which has made one there; or an errno
 * code. Any signal handler. */
int run_fuse_unmount(const char *directory);

/* Waits for a request, and reads it into a buffer of RUN_BUFFER_MAX_BYTES, aligned for the structs.
 * Returns 0; ENODEV the mount is gone; EAGAIN try again; or the error of the system call. */
int run_fuse_receive(void *buffer, struct run_request *ret_request);

/* Each request but FUSE_FORGET gets one reply: data, or an errno code. */
void run_fuse_reply(const struct run_request *request, int error, const void *data,
                    size_t size_bytes);

/* The same for a request of which only its number was kept. */
void run_fuse_reply_later(uint64_t unique, int error, const void *data, size_t size_bytes);

/* Notifications, which answer no request. */
void run_fuse_notify_poll(uint64_t handle);

/* Stores bytes in the kernel's cache of a file: mappings show them. Not by the thread that answers
 * requests: the kernel may be waiting for it. */
void run_fuse_notify_store(uint64_t node, uint64_t offset, const void *bytes, uint32_t size_bytes);

#endif
