/* SPDX-License-Identifier: MIT */
/* Diagnosis of the local engine: its directory, its memory, its clock. */
#include "engine/clock.h"
#include "inspect/diagnosis.h"

#include <cairn/session.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define SHARED_DIRECTORY "as root: groupadd -rf tracers; install -d -g tracers -m 3770 /run/cairn"

/* Advises how to get access: the user joins the group of a shared directory; another directory of
 * root's must be shared first. One of another user is not trusted even if it is shared. */
static void advise_sharing(struct cairn_diagnosis *diagnosis, const char *path)
{
    const mode_t shared = S_ISGID | S_IWGRP;
    char user[INSPECT_NAME_BYTES];
    char group[INSPECT_NAME_BYTES];
    struct stat st;

    if (stat(path, &st))
        return;
    if (st.st_uid && st.st_uid != geteuid())
        inspect_advise(diagnosis, "unset CAIRN_TRACING_DIR; to share events, " SHARED_DIRECTORY);
    else if ((st.st_mode & shared) == shared)
        inspect_advise(diagnosis, "as root: usermod -a -G %s %s; then log in again",
                       inspect_group_name(st.st_gid, group), inspect_user_name(user));
    else
        inspect_advise(diagnosis,
                       "as root: groupadd -rf tracers; chgrp tracers '%s'; chmod 3770 '%s'; "
                       "usermod -a -G tracers %s; then log in again",
                       path, path, inspect_user_name(user));
}

/* The fault of a directory, and the advice: a text around its path, or NULLs, to share it. */
struct directory_fault {
    const char *why;
    const char *before_path;
    const char *after_path; /* NULL: the path is not part of the advice */
};

static const struct directory_fault *fault_of(const struct engine_directory *directory)
{
    static const struct directory_fault faults[] = {
        [ENGINE_DIRECTORY_FINE] = {"cannot be used", "export CAIRN_TRACING_DIR=/tmp/cairn-$UID",
                                   NULL},
        [ENGINE_DIRECTORY_MISSING] = {"cannot be created", "mkdir -m 700 -p '", "'"},
        [ENGINE_DIRECTORY_NO_WAY] = {"is in a directory that is not accessible to you",
                                     "unset CAIRN_TRACING_DIR; to share events, " SHARED_DIRECTORY,
                                     NULL},
        [ENGINE_DIRECTORY_NO_DIRECTORY] = {"is not a directory (symbolic links are not followed)",
                                           "export CAIRN_TRACING_DIR=\"$HOME/.cairn\"  (not '",
                                           "')"},
        [ENGINE_DIRECTORY_FOREIGN] = {"belongs to another user",
                                      "export CAIRN_TRACING_DIR=\"$HOME/.cairn\"  (not '", "')"},
        [ENGINE_DIRECTORY_OPEN_TO_OTHERS] = {"is writable by all users", "chmod o-w '", "'"},
        [ENGINE_DIRECTORY_NO_ACCESS] = {"is not accessible to you", NULL, NULL},
        [ENGINE_DIRECTORY_TOO_LONG] = {"has a path that is too long", "unset CAIRN_TRACING_DIR",
                                       NULL},
    };

    return &faults[directory->fault];
}

static void explain_directory(struct cairn_diagnosis *diagnosis,
                              const struct engine_directory *directory)
{
    const struct directory_fault *fault = fault_of(directory);

    inspect_problem(diagnosis, "local", "%s %s: %s", directory->path, fault->why,
                    strerror(directory->error));
    if (!fault->before_path)
        advise_sharing(diagnosis, directory->path);
    else if (fault->after_path)
        inspect_advise(diagnosis, "%s%s%s", fault->before_path, directory->path, fault->after_path);
    else
        inspect_advise(diagnosis, "%s", fault->before_path);
}

/* The directory itself is not removed: it may be shared with a group. */
static void advise_removal(struct cairn_diagnosis *diagnosis, const struct engine_registry *local)
{
    inspect_advise(diagnosis,
                   "end the programs that use it, then: cd '%s' && rm -rf registry "
                   "user_events_status lock processes sessions pools",
                   local->directory.path);
}

static void advise_failure(struct cairn_diagnosis *diagnosis, const struct engine_registry *local,
                           int error)
{
    if (error == EPROTONOSUPPORT || error == EBADMSG || error == EISDIR || error == ELOOP)
        advise_removal(diagnosis, local);
    else if (error == ENOSPC)
        inspect_advise(diagnosis, "free memory in its file system (df prints what is left)");
    else if (error == EBUSY)
        inspect_advise(diagnosis, "a stopped process holds the lock: find it with fuser -v lock, "
                                  "continue it with kill -CONT");
    else
        inspect_advise(diagnosis, "export CAIRN_TRACING_DIR=\"$HOME/.cairn\"");
}

static void explain_failure(struct cairn_diagnosis *diagnosis, const struct engine_registry *local,
                            int error)
{
    const char *path = local->directory.path;
    char text[PATH_MAX + 128];

    if (local->directory.fault != ENGINE_DIRECTORY_FINE) {
        explain_directory(diagnosis, &local->directory);
        return;
    }
    if (error == EPROTONOSUPPORT) {
        inspect_describe_version(local, text, sizeof(text));
        inspect_problem(diagnosis, "local", "%s", text);
    } else if (error == EBADMSG || error == EISDIR || error == ELOOP) {
        inspect_problem(diagnosis, "local", "%s has damaged files: %s", path, strerror(error));
    } else {
        inspect_problem(diagnosis, "local", "%s: %s", path, strerror(error));
    }
    advise_failure(diagnosis, local, error);
}

static void check_space(struct cairn_diagnosis *diagnosis, const struct engine_registry *local)
{
    struct statvfs space;
    char bytes[CAIRN_NUMBER_TEXT_BYTES];
    uint64_t free_bytes;

    if (statvfs(local->directory.path, &space))
        return;
    free_bytes = (uint64_t)space.f_bavail * space.f_frsize;
    (void)cairn_size_text(free_bytes, bytes);
    if (free_bytes >= CAIRN_SESSION_BUFFER_MIN_BYTES) {
        inspect_fine(diagnosis, "space", "%s free for buffers", bytes);
        return;
    }
    inspect_problem(diagnosis, "space", "%s free for buffers", bytes);
    inspect_advise(diagnosis, "free space in its file system, which df '%s' prints",
                   local->directory.path);
}

/* If buffers are files on a disk, all events are written to the disk. */
static void check_storage(struct cairn_diagnosis *diagnosis, const struct engine_registry *local)
{
    if (inspect_is_in_memory(local->directory.path))
        return;
    inspect_problem(diagnosis, "storage",
                    "%s is on a disk: the first event of a program takes milliseconds, and all "
                    "buffers are written to the disk",
                    local->directory.path);
    inspect_advise(diagnosis, "unset CAIRN_TRACING_DIR, or name a directory in /run or /dev/shm");
}

static void check_clock(struct cairn_diagnosis *diagnosis, struct engine_registry *local)
{
    struct engine_clock_publisher publisher = {0};

    engine_clock_publish(&publisher, &local->registry->clock);
    if (publisher.usable > 0)
        inspect_fine(diagnosis, "clock", "CLOCK_MONOTONIC, from the processor's counter");
    else
        inspect_fine(
            diagnosis, "clock",
            "CLOCK_MONOTONIC, from the system: events take several times as long; the kernel "
            "does not keep time by the processor's counter, or /sys is not mounted");
}

/* Without the sticky bit one member of the group can rename another one's directory. */
static void check_stickiness(struct cairn_diagnosis *diagnosis,
                             const struct engine_directory *directory)
{
    struct stat st;
    int fd = engine_directory_open_shared(directory, O_PATH);
    bool is_sticky = fd < 0 || fstat(fd, &st) || st.st_mode & S_ISVTX || !(st.st_mode & S_IWGRP);

    if (fd >= 0)
        close(fd);
    if (is_sticky)
        return;
    inspect_problem(diagnosis, "sharing", "users can rename each other's directories in %.*s",
                    (int)directory->shared_length, directory->path);
    inspect_advise(diagnosis, "as root: chmod +t '%.*s'", (int)directory->shared_length,
                   directory->path);
}

static void check_directory(struct cairn_diagnosis *diagnosis,
                            const struct engine_directory *directory)
{
    char group[INSPECT_NAME_BYTES];

    if (directory->is_shared)
        inspect_fine(diagnosis, "local", "%s (yours, open to its group, %s)", directory->path,
                     inspect_group_name(directory->group, group));
    else
        inspect_fine(diagnosis, "local", "%s (yours alone%s)", directory->path,
                     directory->shared_length ? ", in a shared directory" : "");
    if (directory->shared_length)
        check_stickiness(diagnosis, directory);
}

bool inspect_diagnose_local(struct cairn_diagnosis *diagnosis)
{
    struct engine_registry local = {.lock_fd = -1};
    int error = engine_registry_open(&local);

    if (error) {
        explain_failure(diagnosis, &local, error);
    } else {
        check_directory(diagnosis, &local.directory);
        check_storage(diagnosis, &local);
        check_space(diagnosis, &local);
        check_clock(diagnosis, &local);
        inspect_diagnose_losses(diagnosis, &local);
    }
    engine_registry_close(&local);
    return !error;
}
