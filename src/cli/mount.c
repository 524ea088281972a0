/* SPDX-License-Identifier: MIT */
/* cairn mount, cairn umount: the kernel's files of user_events as a file system. */
#include "cli/cli.h"
#include "cli/notify.h"

#include <cairn/mount.h>
#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    "Mounts the files of the kernel's user_events, implemented by the local engine, at DIR,\n"
    "by default " DEFAULT_DIRECTORY ". Programs of any kind find user_events there;\n"
    "nothing is loaded into them. Runs until it is unmounted or a signal ends it. Needs\n"
    "/dev/fuse, and the right to mount: root, or a user namespace of one's own.\n"
    "\n"
    "  -d, --daemon  return as soon as it is mounted, and continue in the background\n"
    "  -h, --help    print this\n"
    "\n"
    "In the foreground the service manager is notified (NOTIFY_SOCKET) when it is mounted.\n"
    "Exit status: 0 if it was unmounted, or continues in the background; 1 if it cannot be\n"
    "mounted; 2 if the command line is invalid.\n"
    "\n"
    "  cairn mount --daemon /tmp/tracing && cat /tmp/tracing/user_events_status\n";

static const char umount_help[] =
    "Unmounts what cairn mount has mounted at DIR, by default " DEFAULT_DIRECTORY ".\n"
    "Programs that have files open there keep them until they close them.\n"
    "\n"
    "  -h, --help   print this\n"
    "\n"
    "Exit status: 0; 1 if cairn has mounted nothing there, another mount covers it, or it\n"
    "cannot be unmounted; 2 if the command line is invalid.\n";

static char directory[PATH_MAX];

/* ---- mounts ---- */

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

    if (stat(directory, &st) && errno == ENOTCONN && cairn_mount_is_at(directory))
        (void)cairn_mount_remove(directory);
}

/* ---- mounting ---- */

static void end_by_signal(int number)
{
    static const char covered[] = "cairn mount: another mount covers the directory: when that is "
                                  "unmounted, run cairn umount\n";
    const int error = cairn_mount_remove(directory);

    (void)number;
    if (error == EBUSY)
        (void)!write(STDERR_FILENO, covered, strlen(covered));
    _exit(error == EBUSY ? CLI_FAILED : CLI_OK);
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = end_by_signal};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        (void)sigaction(numbers[i], &action, NULL);
}

static void be_ready(void *is_ready)
{
    *(bool *)is_ready = true;
    cli_notify("READY=1");
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
    const struct cairn_mount_options options = {.size = sizeof(options), .directory = directory};
    struct cairn_mount *mount;
    bool is_ready = false;
    int error;

    remove_dead();
    error = cairn_mount_create(&options, &mount);
    if (error)
        return explain_mount(verb, error);
    catch_signals();
    error = in_background ? cairn_mount_serve_in_background(mount)
                          : cairn_mount_serve(mount, be_ready, &is_ready);
    cairn_mount_destroy(mount);
    if (!error)
        return CLI_OK;
    if (is_ready)
        cli_errno(verb, error, "cannot serve %s any more", directory);
    else
        cli_directory_error(verb, error, "cannot serve the tracing directory");
    (void)cairn_mount_remove(directory);
    return CLI_FAILED;
}

/* Prints why a mount at the default directory needs an explicit request: it would hide the kernel's
 * own tracing. Returns false if there is no reason. */
static bool hides_kernel(const struct cli_verb *verb, const char *name)
{
    struct statfs fs;

    if (statfs(name, &fs) || fs.f_type != TRACEFS_MAGIC || cairn_mount_is_at(name))
        return false;
    if (cairn_mount_is_covered(name))
        cli_error(verb, "the kernel's tracing is mounted over cairn's at %s\n(umount %s)", name,
                  name);
    else if (!access(DEFAULT_DIRECTORY "/user_events_data", F_OK))
        cli_error(verb,
                  "the kernel has user_events of its own at %s, and they would be hidden\n"
                  "(name the directory to do that)",
                  name);
    else
        cli_error(verb,
                  "the kernel's tracing is mounted at %s, and would be hidden\n"
                  "(name the directory to do that)",
                  name);
    return true;
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
    if (optind < argc)
        name = argv[optind];
    else if (hides_kernel(verb, name))
        return CLI_FAILED;
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

/* A mount below that of cairn may be of cairn, too. */
static int unmount(const struct cli_verb *verb)
{
    int error = 0;

    if (cairn_mount_is_covered(directory))
        cli_error(verb, "another mount covers that of cairn at %s: unmount it first (umount %s)",
                  directory, directory);
    else if (!cairn_mount_is_at(directory))
        cli_error(verb, "cairn has mounted nothing at %s", directory);
    else {
        while (!error && cairn_mount_is_at(directory))
            error = cairn_mount_remove(directory);
        if (!error)
            return CLI_OK;
        cli_errno(verb, error, "cannot unmount %s", directory);
    }
    return CLI_FAILED;
}

static int run_umount(const struct cli_verb *verb, int argc, char **argv)
{
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":h", umount_options, NULL)) != -1)
        return option == 'h' ? cli_print_help(verb) : cli_bad_option(verb, option, argv);
    if (optind + 1 < argc) {
        cli_error(verb, "takes one directory: %s", argv[optind + 1]);
        return CLI_USAGE;
    }
    if (find_directory(verb, optind < argc ? argv[optind] : DEFAULT_DIRECTORY))
        return CLI_FAILED;
    return unmount(verb);
}

const struct cli_verb cli_umount = {
    .name = "umount",
    .summary = "unmount what cairn mount has mounted",
    .usage = "umount [options] [DIR]",
    .help = umount_help,
    .run = run_umount,
};
