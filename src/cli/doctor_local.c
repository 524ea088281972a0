/* SPDX-License-Identifier: MIT */
/* cairn doctor on the local engine: its directory, its memory, its clock. */
#include "cli/doctor.h"
#include "cli/storage.h"
#include "engine/clock.h"
#include "engine/registry.h"

#include <cairn/session.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define SHARED_FOLDER "as root: groupadd -rf tracers; install -d -g tracers -m 3770 /run/cairn"

/* A folder that is shared already wants its group joined; another one of root's is to be shared
 * first. One of another user's would not be trusted then either. */
static void print_sharing(const char *path)
{
    const mode_t shared = S_ISGID | S_IWGRP;
    char text[2 * CAIRN_PATH_MAX + 256];
    char user[CLI_DOCTOR_NAME_SIZE];
    char group[CLI_DOCTOR_NAME_SIZE];
    struct stat st;

    if (stat(path, &st))
        return;
    if (st.st_uid && st.st_uid != geteuid())
        (void)snprintf(text, sizeof(text),
                       "unset CAIRN_TRACING_DIR; to share events, " SHARED_FOLDER);
    else if ((st.st_mode & shared) == shared)
        (void)snprintf(text, sizeof(text), "as root: usermod -a -G %s %s; then log in again",
                       cli_doctor_name_of_group(st.st_gid, group), cli_doctor_name_of_user(user));
    else
        (void)snprintf(text, sizeof(text),
                       "as root: groupadd -rf tracers; chgrp tracers '%s'; chmod 3770 '%s'; "
                       "usermod -a -G tracers %s; then log in again",
                       path, path, cli_doctor_name_of_user(user));
    cli_doctor_print_remedy(text);
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
    cli_doctor_print_bad("local", text);
    if (!texts[directory->fault].remedy) {
        print_sharing(directory->path);
        return;
    }
    (void)snprintf(text, sizeof(text), texts[directory->fault].remedy, directory->path);
    cli_doctor_print_remedy(text);
}

/* The folder itself stays: it may have been made for a group. */
static void print_removal(const struct cairn_engine_registry *local)
{
    char text[CAIRN_PATH_MAX + 192];

    (void)snprintf(text, sizeof(text),
                   "end the programs that use it, then: cd '%s' && rm -rf registry "
                   "user_events_status lock processes sessions pools",
                   local->directory.path);
    cli_doctor_print_remedy(text);
}

static void explain_failure(const struct cairn_engine_registry *local, int error)
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
    cli_doctor_print_bad("local", text);
    if (error == EPROTONOSUPPORT || error == EBADMSG || error == EISDIR || error == ELOOP)
        print_removal(local);
    else if (error == ENOSPC)
        cli_doctor_print_remedy("free some memory there (df shows how much is left)");
    else if (error == EBUSY)
        cli_doctor_print_remedy(
            "a stopped process holds the lock: fuser -v lock finds it, kill -CONT wakes it");
    else
        cli_doctor_print_remedy("export CAIRN_TRACING_DIR=\"$HOME/.cairn\"");
}

static void print_space(const struct cairn_engine_registry *local)
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
        cli_doctor_print_good("space", text);
        return;
    }
    cli_doctor_print_bad("space", text);
    (void)snprintf(text, sizeof(text), "remove what is not needed there: df '%s' tells where",
                   local->directory.path);
    cli_doctor_print_remedy(text);
}

/* Where buffers are files on a disk, all that is written to them is written there. */
static void print_storage(const struct cairn_engine_registry *local)
{
    char text[CAIRN_PATH_MAX + 160];

    if (cli_storage_is_memory(local->directory.path))
        return;
    (void)snprintf(text, sizeof(text),
                   "%s is on a disk: the first event of a program takes milliseconds, and all "
                   "buffers are written to the disk",
                   local->directory.path);
    cli_doctor_print_bad("storage", text);
    cli_doctor_print_remedy("unset CAIRN_TRACING_DIR, or name a directory in /run or /dev/shm");
}

static void print_clock(struct cairn_engine_registry *local)
{
    struct cairn_clock_publisher publisher = {0};

    cairn_clock_publish(&publisher, &local->registry->clock);
    if (publisher.usable > 0)
        cli_doctor_print_good("clock", "CLOCK_MONOTONIC, from the time stamp counter");
    else
        cli_doctor_print_good("clock",
                              "CLOCK_MONOTONIC, from the system: the time stamp counter cannot be "
                              "trusted here (slower)");
}

/* Without the sticky bit one member of the group can rename another one's directory. */
static void print_stickiness(const struct cairn_directory *directory)
{
    char text[CAIRN_PATH_MAX + 64];
    struct stat st;
    int fd = cairn_directory_open_shared(directory, O_PATH);
    bool is_sticky = fd < 0 || fstat(fd, &st) || st.st_mode & S_ISVTX || !(st.st_mode & S_IWGRP);

    if (fd >= 0)
        close(fd);
    if (is_sticky)
        return;
    (void)snprintf(text, sizeof(text), "users can rename each other's directories in %.*s",
                   (int)directory->shared_length, directory->path);
    cli_doctor_print_bad("sharing", text);
    (void)snprintf(text, sizeof(text), "as root: chmod +t '%.*s'", (int)directory->shared_length,
                   directory->path);
    cli_doctor_print_remedy(text);
}

static void print_directory(const struct cairn_directory *directory)
{
    char text[CAIRN_PATH_MAX + 2 * CLI_DOCTOR_NAME_SIZE];
    char group[CLI_DOCTOR_NAME_SIZE];

    if (directory->is_shared)
        (void)snprintf(text, sizeof(text), "%s (yours, open to its group, %s)", directory->path,
                       cli_doctor_name_of_group(directory->group, group));
    else
        (void)snprintf(text, sizeof(text), "%s (yours alone%s)", directory->path,
                       directory->shared_length ? ", in a shared directory" : "");
    cli_doctor_print_good("local", text);
    if (directory->shared_length)
        print_stickiness(directory);
}

bool cli_doctor_examine_local(void)
{
    struct cairn_engine_registry local = {.lock_fd = -1};
    int error = cairn_engine_registry_open(&local);

    if (error) {
        explain_failure(&local, error);
    } else {
        print_directory(&local.directory);
        print_storage(&local);
        print_space(&local);
        print_clock(&local);
        cli_doctor_examine_losses(&local);
    }
    cairn_engine_registry_close(&local);
    return !error;
}
