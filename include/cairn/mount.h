/* SPDX-License-Identifier: MIT */
/*
 * Mounts: the files of the kernel's user_events, served by the local engine through FUSE, for
 * programs of any kind. `cairn mount` and `cairn run` are made of these functions.
 *
 *   cairn_mount_create   mounts the files at a directory, for all programs that see it
 *   cairn_mount_serve    serves them until they are unmounted
 *   cairn_mount_unshare  does both for this process and what it executes, alone
 *
 * The server uses the engine of its process, so a process serves one mount. Functions are called by
 * one thread at a time, if they do not say otherwise.
 */
#ifndef CAIRN_MOUNT_H
#define CAIRN_MOUNT_H

#include <cairn/api.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The mount. Begins with CAIRN_MOUNT_OPTIONS_INIT, or with zeros and a size. Everything is copied.
 * Members are added at the end; zero is then the behaviour before.
 */
struct cairn_mount_options {
    size_t size;           /* of this struct, as the caller was compiled */
    const char *directory; /* an absolute path: where the files are mounted */
};

#define CAIRN_MOUNT_OPTIONS_INIT                 \
    {                                            \
        sizeof(struct cairn_mount_options), NULL \
    }

/* ---- Mounts for all programs ---- */

struct cairn_mount;

/*
 * Mounts the files at a directory; accesses wait until the server runs. All users may use them,
 * as the files' modes permit. Needs the right to mount in the mount namespace. If nothing is
 * mounted at /sys/kernel/tracing, root mounts the kernel's tracefs there first, below.
 *
 * ret_mount  destroyed by the caller
 *
 * Returns 0; EPERM, EACCES this process may not mount, or not open /dev/fuse; ENOENT, ENODEV, ENXIO
 * there is no such directory, or no FUSE; EINVAL no directory is set, or the options have a wrong
 * size; E2BIG options that this version lacks are set; ENAMETOOLONG; ENOMEM; or what a system call
 * returned.
 */
CAIRN_API int cairn_mount_create(const struct cairn_mount_options *options,
                                 struct cairn_mount **ret_mount);

/*
 * Serves the mount until it is unmounted. Attaches to the tracing directory of this process, starts
 * a thread, and raises the limit of descriptors to its maximum: each program takes one.
 *
 * ready    called once, when the first request was answered: the mount works; may be NULL
 * context  passed to it
 *
 * Returns 0 if it was unmounted; EPROTONOSUPPORT the tracing directory was made by another version
 * of cairn; EBADMSG it is damaged; EACCES, ENOENT, ENOTDIR... it cannot be used; or what a system
 * call returned. If `ready` was not called, the mount was never served.
 */
CAIRN_API int cairn_mount_serve(struct cairn_mount *mount, void (*ready)(void *context),
                                void *context);

/*
 * Does the same in a new process, which is no child of this one, and has none of its descriptors
 * and no terminal; its signal handlers are those of this process. Returns when the mount works.
 * This process must have one thread. Returns as cairn_mount_serve; EIO the new process has ended.
 */
CAIRN_API int cairn_mount_serve_in_background(struct cairn_mount *mount);

/* Frees the object. The mount remains while a process serves it. Accepts NULL. */
CAIRN_API void cairn_mount_destroy(struct cairn_mount *mount);

/* Unmounts the last mount at a directory, an absolute path; files that are open there remain until
 * they are closed. Any thread, and signal handlers. Returns 0; EBUSY this process has made a mount,
 * and another one covers it: nothing was done; or an errno code. */
CAIRN_API int cairn_mount_remove(const char *directory);

/* True if the last mount at a directory, an absolute path, was made by these functions. Any thread.
 */
CAIRN_API bool cairn_mount_is_at(const char *directory);

/* True if these functions have made a mount there that another one covers, which was made later by
 * others. Any thread. */
CAIRN_API bool cairn_mount_is_covered(const char *directory);

/* ---- A mount for one program ---- */

/* The step at which cairn_mount_unshare failed. */
enum cairn_mount_step {
    CAIRN_MOUNT_STEP_NAMESPACE = 0, /* namespaces cannot be created */
    CAIRN_MOUNT_STEP_IDS,           /* the user namespace has no ids: the process cannot continue */
    CAIRN_MOUNT_STEP_MOUNT,         /* there is no /dev/fuse, or nothing can be mounted there */
    CAIRN_MOUNT_STEP_SERVER,        /* the tracing directory cannot be used */
};

/*
 * Moves the process, which has one thread, into a mount namespace of its own, if need be in a user
 * namespace in which its ids are the same. Mounts at a directory, and at
 * /sys/kernel/debug/tracing if that is possible. Starts a server: a process that is no child of
 * this one, and ends when the last process has left the namespace.
 *
 * ret_step  the step that failed; may be NULL
 *
 * Returns 0; EINVAL, E2BIG the options, as in cairn_mount_create, and the step is
 * CAIRN_MOUNT_STEP_MOUNT; EPERM, EACCES, ENOSPC, ENOENT... a step failed, and the process may be in
 * the namespaces.
 */
CAIRN_API int cairn_mount_unshare(const struct cairn_mount_options *options,
                                  enum cairn_mount_step *ret_step);

/*
 * Finds out, in a child process, whether that is possible, as far as the mount. Changes nothing.
 * Returns as cairn_mount_unshare; the error of creating the child has the step
 * CAIRN_MOUNT_STEP_SERVER.
 */
CAIRN_API int cairn_mount_probe_unshare(const struct cairn_mount_options *options,
                                        enum cairn_mount_step *ret_step);

#ifdef __cplusplus
}
#endif

#endif
