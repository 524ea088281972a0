/* SPDX-License-Identifier: MIT */
/* The public interface: a mount for all programs; a mount namespace with a mount and a server, for
 * one command. */
#include "core/options.h"
#include "run/fuse.h"
#include "run/server.h"

#include <cairn/mount.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define OLD_PARENT "/sys/kernel/debug"

struct cairn_mount {
    int fd; /* of the connection */
    char directory[PATH_MAX];
};

/* Returns 0; EINVAL there is no directory; EINVAL, E2BIG as core_options_copy. */
static int copy_options(const struct cairn_mount_options *given,
                        struct cairn_mount_options *ret_options)
{
    const struct cairn_mount_options defaults = CAIRN_MOUNT_OPTIONS_INIT;
    int error;

    *ret_options = defaults;
    error = core_options_copy(given, CORE_OPTIONS_BYTES_TO(struct cairn_mount_options, directory),
                              sizeof(*ret_options), ret_options);
    return !error && !ret_options->directory ? EINVAL : error;
}

/* ---- for all programs ---- */

int cairn_mount_create(const struct cairn_mount_options *options, struct cairn_mount **ret_mount)
{
    struct cairn_mount_options own;
    struct cairn_mount *mount;
    int error = copy_options(options, &own);

    if (error)
        return error;
    if (strlen(own.directory) >= sizeof(mount->directory))
        return ENAMETOOLONG;
    mount = calloc(1, sizeof(*mount));
    if (!mount)
        return ENOMEM;
    (void)snprintf(mount->directory, sizeof(mount->directory), "%s", own.directory);
    error = run_fuse_mount(own.directory, &mount->fd);
    if (error)
        free(mount);
    else
        *ret_mount = mount;
    return error;
}

int cairn_mount_serve(struct cairn_mount *mount, void (*ready)(void *context), void *context)
{
    return run_server_serve(mount->fd, ready, context);
}

int cairn_mount_serve_in_background(struct cairn_mount *mount)
{
    return run_server_start(mount->fd, mount->directory, NULL);
}

void cairn_mount_destroy(struct cairn_mount *mount)
{
    if (!mount)
        return;
    close(mount->fd);
    free(mount);
}

int cairn_mount_remove(const char *directory)
{
    return run_fuse_unmount(directory);
}

static bool is_ours(const struct mntent *mount)
{
    return !strcmp(mount->mnt_type, RUN_FUSE_TYPE) ||
           (!strcmp(mount->mnt_type, "tracefs") && !strcmp(mount->mnt_fsname, RUN_FUSE_SOURCE));
}

/* Our mounts at a directory. */
enum mount_place { NOTHING, LAST, COVERED };

static enum mount_place look_up(const char *directory)
{
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    enum mount_place place = NOTHING;
    char buffer[PATH_MAX + 512];
    struct mntent mount;

    while (mounts && getmntent_r(mounts, &mount, buffer, sizeof(buffer))) {
        if (!strcmp(mount.mnt_dir, directory))
            place = is_ours(&mount) ? LAST : place ? COVERED : NOTHING;
    }
    if (mounts)
        (void)endmntent(mounts);
    return place;
}

bool cairn_mount_is_at(const char *directory)
{
    return look_up(directory) == LAST;
}

bool cairn_mount_is_covered(const char *directory)
{
    return look_up(directory) == COVERED;
}

/* ---- namespaces for one command ---- */

static int put_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int error = fd < 0 || write(fd, text, strlen(text)) < 0 ? errno : 0;

    if (fd >= 0)
        close(fd);
    return error;
}

/* Without privileges only one's own ids can be mapped, and no group can be dropped. */
static int map_self(uid_t uid, gid_t gid)
{
    char text[64];
    int error;

    (void)put_text("/proc/self/setgroups", "deny");
    (void)snprintf(text, sizeof(text), "%u %u 1", uid, uid);
    error = put_text("/proc/self/uid_map", text);
    if (error)
        return error;
    (void)snprintf(text, sizeof(text), "%u %u 1", gid, gid);
    return put_text("/proc/self/gid_map", text);
}

static int enter(enum cairn_mount_step *ret_step)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();
    int error = 0;

    *ret_step = CAIRN_MOUNT_STEP_NAMESPACE;
    if (unshare(CLONE_NEWNS)) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
            return errno;
        *ret_step = CAIRN_MOUNT_STEP_IDS;
        error = map_self(uid, gid);
        if (error)
            return error;
    }
    *ret_step = CAIRN_MOUNT_STEP_MOUNT;
    /* Later mounts of the outside appear inside, and not the reverse. */
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL))
        error = errno;
    return error;
}

/* ---- the server in them ---- */

/* A server in the namespace would keep the mount, and the mount the server: it enters another
 * namespace, in which the mount is removed. */
static int leave_mount(const char *directory)
{
    sigset_t all;
    int error;

    (void)sigfillset(&all); /* signals to all processes of a session, or of a terminal */
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    (void)prctl(PR_SET_NAME, "cairn-mount");
    error = unshare(CLONE_NEWNS) ? errno : run_fuse_unmount(directory);
    (void)!chdir("/");
    return error;
}

/*
 * The former path, by which many programs open the files. If no debugfs is mounted, or this user
 * may not search it, a directory is mounted instead.
 */
static void mount_at_old_path(const char *directory)
{
    struct stat st;

    if (stat(OLD_PARENT "/tracing", &st) &&
        (mount("cairn", OLD_PARENT, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
               "mode=755,size=64k") ||
         mkdir(OLD_PARENT "/tracing", 0700)))
        return;
    (void)mount(directory, OLD_PARENT "/tracing", NULL, MS_BIND, NULL);
}

static int mount_inside(const char *directory, enum cairn_mount_step *ret_step, int *ret_fd)
{
    int error;

    /* Without the device nothing is changed. */
    if (access("/dev/fuse", R_OK | W_OK))
        return errno;
    error = enter(ret_step);
    return error ? error : run_fuse_mount(directory, ret_fd);
}

/* The result of an attempt in a child process. */
struct attempt {
    int error;
    enum cairn_mount_step step;
};

static void probe(int out, const void *directory)
{
    struct attempt attempt = {.step = CAIRN_MOUNT_STEP_MOUNT};
    int fd;

    attempt.error = mount_inside(directory, &attempt.step, &fd);
    (void)!write(out, &attempt, sizeof(attempt));
}

int cairn_mount_probe_unshare(const struct cairn_mount_options *options,
                              enum cairn_mount_step *ret_step)
{
    struct attempt attempt = {.step = CAIRN_MOUNT_STEP_MOUNT};
    struct cairn_mount_options own;
    int error = copy_options(options, &own);

    if (error)
        attempt.error = error;
    else if ((error = run_child_ask(probe, own.directory, &attempt, sizeof(attempt))))
        attempt = (struct attempt){error, CAIRN_MOUNT_STEP_SERVER};
    if (ret_step)
        *ret_step = attempt.step;
    return attempt.error;
}

int cairn_mount_unshare(const struct cairn_mount_options *options, enum cairn_mount_step *ret_step)
{
    enum cairn_mount_step step = CAIRN_MOUNT_STEP_MOUNT;
    struct cairn_mount_options own;
    int fd = -1;
    int error = copy_options(options, &own);

    if (!error)
        error = mount_inside(own.directory, &step, &fd);
    if (!error) {
        step = CAIRN_MOUNT_STEP_SERVER;
        error = run_server_start(fd, own.directory, leave_mount);
        close(fd);
    }
    if (!error)
        mount_at_old_path(own.directory);
    if (ret_step)
        *ret_step = step;
    return error;
}
