/* SPDX-License-Identifier: MIT */
#include "engine/upgrade.h"
#include "engine/life.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Calls visit for each file of a folder until it says true. Returns that, or false at the end. */
static bool each_file(const struct cairn_directory *directory, const char *name,
                      bool (*visit)(int folder, const char *name))
{
    int fd = cairn_directory_open(directory, name, O_RDONLY | O_DIRECTORY);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    bool stopped = false;

    if (!folder) {
        if (fd >= 0)
            close(fd);
        return fd >= 0 || errno != ENOENT; /* what cannot be looked into is in use */
    }
    for (struct dirent *item; !stopped && (item = readdir(folder));)
        stopped = item->d_name[0] != '.' && visit(dirfd(folder), item->d_name);
    closedir(folder);
    return stopped;
}

/* The head of a process's file is the same in all versions, and so are locks. */
static bool lives(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool alive;

    if (fd < 0)
        return errno != ENOENT;
    alive = cairn_life_is_locked(fd) || cairn_life_of_process_file(fd);
    close(fd);
    return alive;
}

static bool take_away(int folder, const char *name)
{
    (void)unlinkat(folder, name, 0);
    return false;
}

int cairn_directory_clear_old(const struct cairn_directory *directory)
{
    static const char *const folders[] = {"processes", "sessions", "pools"};
    static const char *const files[] = {"registry", "user_events_status"};

    if (each_file(directory, "processes", lives) || each_file(directory, "sessions", lives))
        return EPROTONOSUPPORT;
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        (void)each_file(directory, folders[i], take_away);
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        if (cairn_directory_remove(directory, files[i]))
            return EPROTONOSUPPORT;
    }
    return 0;
}
