/* SPDX-License-Identifier: MIT */
/* Namespaces for one command, and the server in them. */
#include "run/namespace.h"
#include "run/fuse.h"
#include "run/server.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OLD_PARENT "/sys/kernel/debug"

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

static int enter(enum run_namespace_step *ret_step)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();
    int error = 0;

    *ret_step = RUN_STEP_NAMESPACE;
    if (unshare(CLONE_NEWNS)) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
            return errno;
        *ret_step = RUN_STEP_IDS;
        error = map_self(uid, gid);
        if (error)
            return error;
    }
    *ret_step = RUN_STEP_MOUNT;
    /* Later mounts of the outside appear inside, and not the reverse. */
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL))
        error = errno;
    return error;
}

/* ---- the server ---- */

static int status_fd;

static void be_ready(void)
{
    int error = 0;

    (void)!write(status_fd, &error, sizeof(error));
    close(status_fd);
}

/* The server keeps no descriptor of the program: a pipe of its output must end with it. */
static void leave_descriptors(int *fd)
{
    run_server_leave_terminal();
    if (dup2(*fd, STDERR_FILENO + 1) >= 0 && dup2(status_fd, STDERR_FILENO + 2) >= 0) {
        *fd = STDERR_FILENO + 1;
        status_fd = STDERR_FILENO + 2;
        (void)close_range(STDERR_FILENO + 3, ~0u, 0);
    }
}

/* A server in the namespace would keep the mount, and the mount the server: it enters another
 * namespace, in which the mount is removed. */
static int leave_mount(const char *directory)
{
    return unshare(CLONE_NEWNS) ? errno : run_fuse_unmount(directory);
}

static _Noreturn void serve(const char *directory, int fd)
{
    sigset_t all;
    int error;

    (void)sigfillset(&all); /* signals to all processes of a session, or of a terminal */
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    (void)prctl(PR_SET_NAME, "cairn-mount");
    error = leave_mount(directory);
    (void)!chdir("/");
    leave_descriptors(&fd);
    if (!error)
        error = run_server_prepare();
    if (!error)
        error = run_server_serve(fd, be_ready);
    (void)!write(status_fd, &error, sizeof(error)); /* closed, if it was ready */
    _exit(error != 0);
}

/* The program must not find a child that it did not create: the server is a child of a child that
 * has ended. */
static int start(const char *directory, int fd)
{
    int ends[2];
    int error = EIO;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC))
        return errno;
    status_fd = ends[1];
    pid = fork();
    if (pid < 0)
        error = errno;
    if (pid == 0) {
        pid_t server = fork();

        if (server == 0)
            serve(directory, fd);
        _exit(server < 0);
    }
    close(ends[1]);
    close(fd);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    if (pid > 0 && read(ends[0], &error, sizeof(error)) != (ssize_t)sizeof(error))
        error = EIO; /* it was ended by a signal */
    close(ends[0]);
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

static int mount_inside(const char *directory, enum run_namespace_step *ret_step, int *ret_fd)
{
    int error;

    /* Without the device nothing is changed. */
    *ret_step = RUN_STEP_MOUNT;
    if (access("/dev/fuse", R_OK | W_OK))
        return errno;
    error = enter(ret_step);
    return error ? error : run_fuse_mount(directory, ret_fd);
}

struct attempt {
    int error;
    enum run_namespace_step step;
};

int run_namespace_probe(const char *directory, enum run_namespace_step *ret_step)
{
    struct attempt attempt = {EIO, RUN_STEP_SERVER};
    int ends[2];
    pid_t pid;

    *ret_step = RUN_STEP_SERVER;
    if (pipe2(ends, O_CLOEXEC))
        return errno;
    pid = fork();
    if (pid == 0) {
        int fd;

        attempt.error = mount_inside(directory, &attempt.step, &fd);
        _exit(write(ends[1], &attempt, sizeof(attempt)) != (ssize_t)sizeof(attempt));
    }
    close(ends[1]);
    if (pid < 0)
        attempt.error = errno;
    else if (read(ends[0], &attempt, sizeof(attempt)) != (ssize_t)sizeof(attempt))
        attempt = (struct attempt){EIO, RUN_STEP_SERVER};
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *ret_step = attempt.step;
    return attempt.error;
}

int run_namespace_enter(const char *directory, enum run_namespace_step *ret_step)
{
    int fd = -1;
    int error = mount_inside(directory, ret_step, &fd);

    if (error)
        return error;
    *ret_step = RUN_STEP_SERVER;
    error = start(directory, fd);
    if (!error)
        mount_at_old_path(directory);
    return error;
}
