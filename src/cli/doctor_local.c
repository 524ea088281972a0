/* SPDX-License-Identifier: MIT */
/* cairn doctor, the local engine: checks its directory, its memory and its clock. */
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

#define SHARED_DIRECTORY "as root: groupadd -rf tracers; install -d -g tracers -m 3770 /run/cairn"

/*
 * Prints how to get access: the user joins the group of a shared directory; another directory of
 * root's must be shared first. One of another user is not trusted even if it is shared.
 */
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
                       "unset CAIRN_TRACING_DIR; to share events, " SHARED_DIRECTORY);
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
        const char *fault;
        const char *remedy; /* %s is the directory's path; NULL: share it */
    } texts[] = {
        [CAIRN_DIRECTORY_FINE] = {"cannot be used", "export CAIRN_TRACING_DIR=/tmp/cairn-$UID"},
        [CAIRN_DIRECTORY_MISSING] = {"cannot be created", "mkdir -m 700 -p '%s'"},
        [CAIRN_DIRECTORY_NO_WAY] = {"is in a directory that is not accessible to you",
                                    "unset CAIRN_TRACING_DIR; to share events, " SHARED_DIRECTORY},
        [CAIRN_DIRECTORY_NO_DIRECTORY] = {"is not a directory (symbolic links are not followed)",
                                          "export CAIRN_TRACING_DIR=\"$HOME/.cairn\"  (not '%s')"},
        [CAIRN_DIRECTORY_FOREIGN] = {"belongs to another user",
                                     "export CAIRN_TRACING_DIR=\"$HOME/.cairn\"  (not '%s')"},
        [CAIRN_DIRECTORY_OPEN_TO_OTHERS] = {"is writable by all users", "chmod o-w '%s'"},
        [CAIRN_DIRECTORY_NO_ACCESS] = {"is not accessible to you", NULL},
        [CAIRN_DIRECTORY_TOO_LONG] = {"has a path that is too long", "unset CAIRN_TRACING_DIR"},
    };
    char text[CAIRN_PATH_MAX + 128];

    (void)snprintf(text, sizeof(text), "%s %s: %s", directory->path, texts[directory->fault].fault,
                   strerror(directory->error));
    cli_doctor_print_bad("local", text);
    if (!texts[directory->fault].remedy) {
        print_sharing(directory->path);
        return;
    }
    (void)snprintf(text, sizeof(text), texts[directory->fault].remedy, directory->path);
    cli_doctor_print_remedy(text);
}

/* The directory itself is not removed: it may be shared with a group. */
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
                       "%s was created by another version of cairn: its layout is version %" PRIu32
                       ", this program's is %u",
                       path, local->found_version, CAIRN_REGISTRY_VERSION);
    else if (error == EBADMSG || error == EISDIR || error == ELOOP)
        (void)snprintf(text, sizeof(text), "%s has damaged files: %s", path, strerror(error));
    else
        (void)snprintf(text, sizeof(text), "%s: %s", path, strerror(error));
    cli_doctor_print_bad("local", text);
    if (error == EPROTONOSUPPORT || error == EBADMSG || error == EISDIR || error == ELOOP)
        print_removal(local);
    else if (error == ENOSPC)
        cli_doctor_print_remedy("free memory in its file system (df prints what is left)");
    else if (error == EBUSY)
        cli_doctor_print_remedy(
            "a stopped process holds the lock: find it with fuser -v lock, continue it with kill "
            "-CONT");
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
    (void)snprintf(text, sizeof(text), "free space in its file system, which df '%s' prints",
                   local->directory.path);
    cli_doctor_print_remedy(text);
}

/* On a disk, everything that is written to the buffers is written to the disk. */
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
                              "CLOCK_MONOTONIC, from the system (slower): the time stamp counter "
                              "is not reliable on this machine");
}

/* Without the sticky bit, a member of the group can rename the directory of another. */
static void print_sticky_bit(const struct cairn_directory *directory)
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
        print_sticky_bit(directory);
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
