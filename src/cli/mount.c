/* SPDX-License-Identifier: MIT */
/* cairn mount, cairn umount: the kernel's files of user_events as a file system. */
#include "cli/cli.h"
#include "run/fuse.h"
#include "run/notify.h"
#include "run/server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <mntent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define DEFAULT_DIRECTORY "/sys/kernel/tracing"

static const struct option mount_options[] = {
    {"daemon", no_argument, NULL, 'd'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const struct option umount_options[] = {{"help", no_argument, NULL, 'h'}, {0}};

static const char mount_help[] =
    "Mounts the files of the kernel's user_events, served by the local engine, at DIR, by\n"
    "default " DEFAULT_DIRECTORY ": programs of any kind find user_events there, with\n"
    "nothing preloaded. Serves it until it is unmounted or a signal ends it. Needs\n"
    "/dev/fuse, and the right to mount: root, or a user namespace of one's own.\n"
    "\n"
    "  -d, --daemon  return when it is mounted, and serve it in the background\n"
    "  -h, --help    print this\n"
    "\n"
    "In the foreground the service manager is notified (NOTIFY_SOCKET) when it is mounted.\n"
    "Exit status: 0 it was unmounted, or is served in the background; 1 it cannot be\n"
    "mounted or served.\n"
    "\n"
    "  cairn mount --daemon /tmp/tracing && cat /tmp/tracing/user_events_status\n";

static const char umount_help[] =
    "Unmounts what cairn mount has mounted at DIR, by default " DEFAULT_DIRECTORY ".\n"
    "Programs that have files open there keep them until they close them.\n"
    "\n"
    "  -h, --help   print this\n"
    "\n"
    "Exit status: 0; 1 nothing of cairn's is mounted there, or it cannot be unmounted.\n";

static char directory[PATH_MAX];

/* ---- mounts ---- */

/* True if the last mount at a directory is cairn's. */
static bool is_ours(const char *path)
{
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    const struct mntent *mount;
    bool found = false;

    while (mounts && (mount = getmntent(mounts))) {
        if (!strcmp(mount->mnt_dir, path))
            found = !strcmp(mount->mnt_type, RUN_FUSE_TYPE);
    }
    if (mounts)
        (void)endmntent(mounts);
    return found;
}

/* A server that was killed leaves its mount: calls return ENOTCONN there. realpath does too, so
 * the path is taken as it is. */
static int find_directory(const struct cli_verb *verb, const char *name)
{
    if (realpath(name, directory))
        return CLI_OK;
    if (errno == ENOTCONN) {
        (void)snprintf(directory, sizeof(directory), "%s", name);
        return CLI_OK;
    }
    cli_errno(verb, errno, "cannot use %s", name);
    return CLI_FAILED;
}

/* Removes the mount of a server that has died. */
static void remove_dead(void)
{
    struct stat st;

    if (stat(directory, &st) && errno == ENOTCONN && is_ours(directory))
        (void)run_fuse_unmount(directory);
}

/* ---- mounting ---- */

static void end_by_signal(int number)
{
    (void)number;
    (void)run_fuse_unmount(directory);
    _exit(CLI_OK);
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = end_by_signal};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        (void)sigaction(numbers[i], &action, NULL);
}

static int ready_fd = -1; /* of the process that waits for the background; -1: none */

static void be_ready(void)
{
    run_notify("READY=1");
    if (ready_fd < 0)
        return;
    (void)!write(ready_fd, "", 1);
    close(ready_fd);
}

/* Returns in the server; the calling process ends when the server is ready. */
static int go_to_background(const struct cli_verb *verb)
{
    char byte;
    int ends[2];
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) || (pid = fork()) < 0) {
        cli_errno(verb, errno, "cannot start the server");
        return CLI_FAILED;
    }
    if (pid > 0) {
        close(ends[1]);
        if (read(ends[0], &byte, 1) == 1)
            _exit(CLI_OK);
        cli_error(verb, "the server has ended");
        (void)run_fuse_unmount(directory);
        _exit(CLI_FAILED);
    }
    ready_fd = ends[1];
    run_server_leave_terminal();
    return CLI_OK;
}

static int explain_mount(const struct cli_verb *verb, int error)
{
    if (error == EPERM || error == EACCES)
        cli_errno(verb, error,
                  "cannot mount at %s; root may, and in a user namespace each user who may open\n"
                  "/dev/fuse: unshare -Urm cairn mount, or cairn run --fuse",
                  directory);
    else if (error == ENOENT || error == ENODEV || error == ENXIO)
        cli_errno(verb, error, "cannot mount at %s: is /dev/fuse there? (modprobe fuse)",
                  directory);
    else
        cli_errno(verb, error, "cannot mount at %s", directory);
    return CLI_FAILED;
}

static int serve(const struct cli_verb *verb, bool in_background)
{
    int status;
    int error;
    int fd;

    remove_dead();
    error = run_fuse_mount(directory, &fd);
    if (error)
        return explain_mount(verb, error);
    catch_signals();
    status = in_background ? go_to_background(verb) : CLI_OK;
    error = status ? 0 : run_server_prepare();
    if (error) {
        cli_directory_error(verb, error, "cannot use the tracing directory");
    } else if (!status) {
        error = run_server_serve(fd, be_ready);
        if (error)
            cli_errno(verb, error, "cannot serve %s any more", directory);
    }
    if (status || error)
        (void)run_fuse_unmount(directory);
    return status || error ? CLI_FAILED : CLI_OK;
}

/* True if a mount would hide the kernel's own tracing: it needs an explicit request. */
static bool hides_kernel(const char *name)
{
    struct statfs fs;

    return !statfs(name, &fs) && fs.f_type == TRACEFS_MAGIC;
}

static int run_mount(const struct cli_verb *verb, int argc, char **argv)
{
    const char *name = DEFAULT_DIRECTORY;
    bool in_background = false;
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":dh", mount_options, NULL)) != -1) {
        if (option == 'h')
            return cli_print_help(verb);
        if (option != 'd')
            return cli_bad_option(verb, option, argv);
        in_background = true;
    }
    if (optind + 1 < argc) {
        cli_error(verb, "takes one directory: %s", argv[optind + 1]);
        return CLI_USAGE;
    }
    if (optind < argc) {
        name = argv[optind];
    } else if (hides_kernel(name)) {
        cli_error(verb,
                  "the kernel's tracing is mounted at %s, and would be hidden\n"
                  "(name the directory to do that)",
                  name);
        return CLI_FAILED;
    }
    return find_directory(verb, name) ? CLI_FAILED : serve(verb, in_background);
}

const struct cli_verb cli_mount = {
    .name = "mount",
    .summary = "mount the kernel's files of user_events, for all programs",
    .usage = "mount [options] [DIR]",
    .help = mount_help,
    .run = run_mount,
};

/* ---- unmounting ---- */

static int run_umount(const struct cli_verb *verb, int argc, char **argv)
{
    int option;
    int error;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":h", umount_options, NULL)) != -1)
        return option == 'h' ? cli_print_help(verb) : cli_bad_option(verb, option, argv);
    if (optind + 1 < argc) {
        cli_error(verb, "takes one directory: %s", argv[optind + 1]);
        return CLI_USAGE;
    }
    if (find_directory(verb, optind < argc ? argv[optind] : DEFAULT_DIRECTORY))
        return CLI_FAILED;
    if (!is_ours(directory)) {
        cli_error(verb, "nothing of cairn's is mounted at %s", directory);
        return CLI_FAILED;
    }
    error = run_fuse_unmount(directory);
    if (!error)
        return CLI_OK;
    cli_errno(verb, error, "cannot unmount %s", directory);
    return CLI_FAILED;
}

const struct cli_verb cli_umount = {
    .name = "umount",
    .summary = "unmount what cairn mount has mounted",
    .usage = "umount [options] [DIR]",
    .help = umount_help,
    .run = run_umount,
};
