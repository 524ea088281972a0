/* SPDX-License-Identifier: MIT */
/* cairn doctor: what works here; for what does not, why, and the command that mends it. */
#include "cli/cli.h"
#include "local/clock.h"
#include "local/registry.h"
#include "user_events/backend.h"
#include "user_events/kernel.h"

#include <cairn/session.h>
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};

static const char help[] =
    "Says which backends can take events from programs of this user, and for each that\n"
    "cannot, why, and the command that mends it.\n"
    "\n"
    "  -h, --help   print this\n"
    "\n"
    "Exit status: 0 when events can be recorded, 1 when no backend works.\n";

static void print_good(const char *what, const char *text)
{
    printf("[ok] %-12s %s\n", what, text);
}

static void print_bad(const char *what, const char *text)
{
    printf("[--] %-12s %s\n", what, text);
}

static void print_remedy(const char *text)
{
    printf("     %-12s mend it: %s\n", "", text);
}

/* ---- users and groups ---- */

#define NAME_SIZE 64

/* Names, or numbers of those that have none. */
static const char *name_of_user(char text[NAME_SIZE])
{
    const struct passwd *user = getpwuid(geteuid());

    (void)snprintf(text, NAME_SIZE, "%u", geteuid());
    return user ? user->pw_name : text;
}

static const char *name_of_group(gid_t group, char text[NAME_SIZE])
{
    const struct group *found = getgrgid(group);

    (void)snprintf(text, NAME_SIZE, "%u", group);
    return found ? found->gr_name : text;
}

/* ---- the local engine ---- */

#define SHARED_FOLDER "as root: groupadd -rf tracers; install -d -g tracers -m 2770 /run/cairn"

/* A folder that is shared already wants its group joined; another one of root's is to be shared
 * first. One of another user's would not be trusted then either. */
static void print_sharing(const char *path)
{
    const mode_t shared = S_ISGID | S_IWGRP;
    char text[2 * CAIRN_PATH_MAX + 256];
    char user[NAME_SIZE];
    char group[NAME_SIZE];
    struct stat st;

    if (stat(path, &st))
        return;
    if (st.st_uid && st.st_uid != geteuid())
        (void)snprintf(text, sizeof(text),
                       "unset CAIRN_TRACING_DIR; to share events, " SHARED_FOLDER);
    else if ((st.st_mode & shared) == shared)
        (void)snprintf(text, sizeof(text), "as root: usermod -a -G %s %s; then log in again",
                       name_of_group(st.st_gid, group), name_of_user(user));
    else
        (void)snprintf(text, sizeof(text),
                       "as root: groupadd -rf tracers; chgrp tracers '%s'; chmod 2770 '%s'; "
                       "usermod -a -G tracers %s; then log in again",
                       path, path, name_of_user(user));
    print_remedy(text);
}

static void explain_directory(const struct cairn_directory *directory)
{
    static const struct {
        const char *why;
        const char *remedy; /* with the directory's path for its %s; NULL: to share it */
    } texts[] = {
        [CAIRN_DIRECTORY_FINE] = {"cannot be used", "export CAIRN_TRACING_DIR=/tmp/cairn-$UID"},
        [CAIRN_DIRECTORY_MISSING] = {"cannot be made", "mkdir -m 700 -p '%s'"},
        [CAIRN_DIRECTORY_NO_WAY] = {"is in a folder that is not open to you",
                                    "unset CAIRN_TRACING_DIR; to share events, " SHARED_FOLDER},
        [CAIRN_DIRECTORY_NO_DIRECTORY] = {"is no directory (symlinks are not followed)",
                                          "export CAIRN_TRACING_DIR=\"$HOME/.cairn\"  (not '%s')"},
        [CAIRN_DIRECTORY_FOREIGN] = {"belongs to another user",
                                     "export CAIRN_TRACING_DIR=\"$HOME/.cairn\"  (not '%s')"},
        [CAIRN_DIRECTORY_OPEN_TO_OTHERS] = {"can be written to by anybody", "chmod o-w '%s'"},
        [CAIRN_DIRECTORY_NO_ACCESS] = {"is not open to you", NULL},
        [CAIRN_DIRECTORY_TOO_LONG] = {"has too long a path", "unset CAIRN_TRACING_DIR"},
    };
    char text[CAIRN_PATH_MAX + 128];

    (void)snprintf(text, sizeof(text), "%s %s: %s", directory->path, texts[directory->fault].why,
                   strerror(directory->error));
    print_bad("local", text);
    if (!texts[directory->fault].remedy) {
        print_sharing(directory->path);
        return;
    }
    (void)snprintf(text, sizeof(text), texts[directory->fault].remedy, directory->path);
    print_remedy(text);
}

/* The folder itself stays: it may have been made for a group. */
static void print_removal(const struct cairn_local *local)
{
    char text[CAIRN_PATH_MAX + 192];

    (void)snprintf(text, sizeof(text),
                   "end the programs that use it, then: cd '%s' && rm -rf registry "
                   "user_events_status lock processes sessions pools",
                   local->directory.path);
    print_remedy(text);
}

static void explain_failure(const struct cairn_local *local, int error)
{
    const char *path = local->directory.path;
    char text[CAIRN_PATH_MAX + 128];

    if (local->directory.fault != CAIRN_DIRECTORY_FINE) {
        explain_directory(&local->directory);
        return;
    }
    if (error == EPROTONOSUPPORT)
        (void)snprintf(text, sizeof(text),
                       "%s was made by another version: its layout is %" PRIu32 ", ours %u", path,
                       local->found_version, CAIRN_REGISTRY_VERSION);
    else if (error == EBADMSG || error == EISDIR || error == ELOOP)
        (void)snprintf(text, sizeof(text), "%s has damaged files: %s", path, strerror(error));
    else
        (void)snprintf(text, sizeof(text), "%s: %s", path, strerror(error));
    print_bad("local", text);
    if (error == EPROTONOSUPPORT || error == EBADMSG || error == EISDIR || error == ELOOP)
        print_removal(local);
    else if (error == ENOSPC)
        print_remedy("free some memory there (df shows how much is left)");
    else if (error == EBUSY)
        print_remedy(
            "a stopped process holds the lock: fuser -v lock finds it, kill -CONT wakes it");
    else
        print_remedy("export CAIRN_TRACING_DIR=\"$HOME/.cairn\"");
}

static void print_space(const struct cairn_local *local)
{
    struct statvfs space;
    char bytes[CLI_NUMBER_SIZE];
    char text[CAIRN_PATH_MAX + 96];
    uint64_t free_bytes;

    if (statvfs(local->directory.path, &space))
        return;
    free_bytes = (uint64_t)space.f_bavail * space.f_frsize;
    (void)snprintf(text, sizeof(text), "%s free for buffers", cli_bytes(free_bytes, bytes));
    if (free_bytes >= CAIRN_SESSION_BUFFER_MIN_BYTES) {
        print_good("space", text);
        return;
    }
    print_bad("space", text);
    (void)snprintf(text, sizeof(text), "remove what is not needed there: df '%s' tells where",
                   local->directory.path);
    print_remedy(text);
}

static void print_clock(struct cairn_local *local)
{
    struct cairn_clock_publisher publisher = {0};

    cairn_clock_publish(&publisher, &local->registry->clock);
    if (publisher.usable > 0)
        print_good("clock", "CLOCK_MONOTONIC, from the time stamp counter");
    else
        print_good("clock", "CLOCK_MONOTONIC, from the system: the time stamp counter cannot be "
                            "trusted here (slower)");
}

static bool examine_local(void)
{
    struct cairn_local local = {.lock_fd = -1};
    char text[CAIRN_PATH_MAX + 2 * NAME_SIZE];
    char group[NAME_SIZE];
    int error = cairn_local_open(&local);

    if (error) {
        explain_failure(&local, error);
    } else {
        if (local.directory.is_shared)
            (void)snprintf(text, sizeof(text), "%s (shared with its group, %s)",
                           local.directory.path, name_of_group(local.directory.group, group));
        else
            (void)snprintf(text, sizeof(text), "%s (yours alone)", local.directory.path);
        print_good("local", text);
        print_space(&local);
        print_clock(&local);
    }
    cairn_local_close(&local);
    return !error;
}

/* ---- the kernel ---- */

static void print_access_remedy(const char *folder)
{
    char text[4 * PATH_MAX + 256];
    char user[NAME_SIZE];

    (void)snprintf(text, sizeof(text),
                   "as root: groupadd -rf tracers; chgrp tracers %s %s/user_events_data && chmod "
                   "g+x %s && chmod g+w %s/user_events_data; usermod -a -G tracers %s; then log in "
                   "again",
                   folder, folder, folder, folder, name_of_user(user));
    print_remedy(text);
}

static void explain_kernel(const struct cairn_kernel_probe *probe)
{
    char text[PATH_MAX + 128];

    switch (probe->reason) {
    case CAIRN_KERNEL_USABLE:
        (void)snprintf(text, sizeof(text), "user_events in %s", probe->folder);
        print_good("kernel", text);
        break;
    case CAIRN_KERNEL_NO_TRACEFS:
        print_bad("kernel", "this kernel was built without tracing");
        print_remedy("none needed: the local engine takes the events");
        break;
    case CAIRN_KERNEL_NOT_MOUNTED:
        print_bad("kernel", "tracefs is not mounted");
        print_remedy("as root: mount -t tracefs tracefs /sys/kernel/tracing");
        break;
    case CAIRN_KERNEL_NO_USER_EVENTS:
        print_bad("kernel", "this kernel has no user_events");
        print_remedy("a kernel of 6.4 or later built with CONFIG_USER_EVENTS=y");
        break;
    case CAIRN_KERNEL_NO_ACCESS:
    case CAIRN_KERNEL_NOT_WRITABLE:
        (void)snprintf(text, sizeof(text), "%s/user_events_data is not open to you", probe->folder);
        print_bad("kernel", text);
        print_access_remedy(probe->folder);
        break;
    case CAIRN_KERNEL_OTHER_INTERFACE:
        print_bad("kernel", "its user_events speaks another interface than this program");
        print_remedy("a kernel of 6.4 or later, and a program of the kernel's word size");
        break;
    case CAIRN_KERNEL_FAILED:
        (void)snprintf(text, sizeof(text), "%s: %s", probe->folder, strerror(probe->error));
        print_bad("kernel", text);
        break;
    }
}

static bool examine_kernel(void)
{
    struct cairn_kernel_probe probe;
    int error = cairn_kernel_probe(&probe);

    if (error) {
        print_bad("kernel", strerror(error));
        return false;
    }
    explain_kernel(&probe);
    return probe.reason == CAIRN_KERNEL_USABLE;
}

static void examine_choice(struct cairn_backends chosen, bool works)
{
    const char *value = secure_getenv("CAIRN_BACKEND");
    char text[96];

    (void)snprintf(text, sizeof(text), "CAIRN_BACKEND=%.40s%s", value ? value : "auto",
                   value && *value ? "" : " (the default)");
    if (chosen.unknown) {
        print_bad("choice", text);
        print_remedy("it is auto, kernel, local, both or none; taken as auto");
    } else if (!works && !(chosen.local && chosen.kernel)) {
        print_bad("choice", text);
        print_remedy("unset CAIRN_BACKEND: the others may work");
    } else {
        print_good("choice", text);
    }
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct cairn_backends chosen = cairn_backends_chosen();
    bool local;
    bool kernel;
    bool works;
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1)
        return option == 'h' ? cli_print_help(verb) : cli_bad_option(verb, option, argv);
    if (optind < argc) {
        cli_error(verb, "takes no arguments: %s", argv[optind]);
        return CLI_USAGE;
    }
    local = examine_local();
    kernel = examine_kernel();
    works = (local && chosen.local) || (kernel && chosen.kernel);
    examine_choice(chosen, works);
    if (works)
        return CLI_OK;
    cli_error(verb, "no backend works: programs run on, untraced");
    return CLI_FAILED;
}

const struct cli_verb cli_doctor = {
    .name = "doctor",
    .summary = "say which backends work here, and mend those that do not",
    .usage = "doctor",
    .help = help,
    .run = run,
};
