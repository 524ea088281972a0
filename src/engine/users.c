/* SPDX-License-Identifier: MIT */
/* A shared directory: its users' tracing directories, and who records all of them. */
#include "engine/users.h"
#include "core/atomic.h"
#include "engine/liveness.h"
#include "os/clock.h"
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORDER "recorder."

/* Attempts while waiting for a recorder, and the time between them. */
#define WAIT_TRIES 250
#define WAIT_NS    2000000

static DIR *list_shared(const struct engine_directory *own)
{
    return own->shared_length
               ? engine_directory_list_fd(engine_directory_open_shared(own, O_RDONLY))
               : NULL;
}

/* True if a name is that of a user, other than the one whose directory this is. */
static bool is_other(const struct engine_directory *own, int shared, const char *name)
{
    struct stat st;
    char *end;
    unsigned long number = strtoul(name, &end, 10);

    return *name >= '0' && *name <= '9' && !*end &&
           strcmp(name, own->path + own->shared_length + 1) != 0 &&
           !fstatat(shared, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode) &&
           st.st_uid == number;
}

void engine_users_each(const struct engine_directory *own,
                       void (*visit)(void *arg, const char *name), void *arg)
{
    DIR *list = list_shared(own);

    for (struct dirent *item; list && (item = readdir(list));) {
        if (is_other(own, dirfd(list), item->d_name))
            visit(arg, item->d_name);
    }
    if (list)
        closedir(list);
}

/* ---- recorders of all users ---- */

static void name_of_self(char name[32])
{
    (void)snprintf(name, 32, RECORDER "%u", os_process_self());
}

/* Checks whether a file is an announcement by root. */
static bool read_recorder(int shared, const char *name, struct engine_liveness *ret_liveness)
{
    struct stat st;
    bool is_read;
    int fd;

    if (strncmp(name, RECORDER, strlen(RECORDER)) != 0)
        return false;
    fd = openat(shared, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    is_read = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == 0 &&
              read(fd, ret_liveness, sizeof(*ret_liveness)) == (ssize_t)sizeof(*ret_liveness);
    close(fd);
    return is_read;
}

static bool is_recorded(const struct engine_directory *own)
{
    DIR *list = list_shared(own);
    struct engine_liveness liveness;
    bool recorded = false;

    for (struct dirent *item; list && !recorded && (item = readdir(list));)
        recorded = read_recorder(dirfd(list), item->d_name, &liveness) &&
                   engine_liveness_is_here(&liveness);
    if (list)
        closedir(list);
    return recorded;
}

/* Removes the announcements of killed recorders. Those of another pid namespace are left: it is
 * unknown if they live. */
static void remove_dead(DIR *list, uint64_t pid_namespace)
{
    struct engine_liveness liveness;

    for (struct dirent *item; (item = readdir(list));) {
        if (read_recorder(dirfd(list), item->d_name, &liveness) &&
            liveness.pid_namespace == pid_namespace && !engine_liveness_is_here(&liveness))
            (void)unlinkat(dirfd(list), item->d_name, 0);
    }
}

void engine_users_announce(const struct engine_directory *own)
{
    struct engine_liveness liveness = engine_liveness_of_self();
    DIR *list = geteuid() ? NULL : list_shared(own);
    char name[32];
    int fd;

    if (!list)
        return;
    remove_dead(list, liveness.pid_namespace);
    name_of_self(name);
    fd = openat(dirfd(list), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0) {
        (void)!write(fd, &liveness, sizeof(liveness));
        (void)fchmod(fd, 0644); /* a process that can open it finds it complete */
        close(fd);
    }
    closedir(list);
}

void engine_users_withdraw(const struct engine_directory *own)
{
    int shared = geteuid() || !own->shared_length ? -1 : engine_directory_open_shared(own, O_PATH);
    char name[32];

    if (shared < 0)
        return;
    name_of_self(name);
    (void)unlinkat(shared, name, 0);
    close(shared);
}

static bool has_session(const struct engine_registry *local)
{
    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        if (core_load_acquire(&local->slots[i].generation))
            return true;
    }
    return false;
}

void engine_users_wait_for_recorder(const struct engine_registry *local)
{
    if (!local->directory.shared_length || has_session(local) || !is_recorded(&local->directory))
        return;
    for (int i = 0; i < WAIT_TRIES && !has_session(local); i++)
        os_sleep(WAIT_NS);
}
