/* SPDX-License-Identifier: MIT */
/* Removal of a tracing directory of an older version. */
#include "engine/upgrade.h"
#include "engine/liveness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Calls visit for each file of a directory until it returns true. Returns that, or false at the
 * end. */
static bool each_file(const struct engine_directory *directory, const char *name,
                      bool (*visit)(int directory_fd, const char *name))
{
    int fd = engine_directory_open(directory, name, O_RDONLY | O_DIRECTORY);
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    bool stopped = false;

    if (!listing) {
        if (fd >= 0)
            close(fd);
        return fd >= 0 || errno != ENOENT; /* a directory that cannot be listed is in use */
    }
    for (struct dirent *item; !stopped && (item = readdir(listing));)
        stopped = item->d_name[0] != '.' && visit(dirfd(listing), item->d_name);
    closedir(listing);
    return stopped;
}

/* The head of a process's file is the same in all versions, and so are locks. */
static bool lives(int directory_fd, const char *name)
{
    int fd = openat(directory_fd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool alive;

    if (fd < 0)
        return errno != ENOENT;
    alive = engine_liveness_is_locked(fd) || engine_liveness_of_process_file(fd);
    close(fd);
    return alive;
}

static bool remove_file(int directory_fd, const char *name)
{
    (void)unlinkat(directory_fd, name, 0);
    return false;
}

int engine_directory_clear_old(const struct engine_directory *directory)
{
    static const char *const directories[] = {"processes", "sessions", "pools"};
    static const char *const files[] = {"registry", "user_events_status"};

    if (each_file(directory, "processes", lives) || each_file(directory, "sessions", lives))
        return EPROTONOSUPPORT;
    for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++)
        (void)each_file(directory, directories[i], remove_file);
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        if (engine_directory_remove(directory, files[i]))
            return EPROTONOSUPPORT;
    }
    return 0;
}
