/* SPDX-License-Identifier: MIT */
/* The public interface of a mount for all programs. */
#include "run/background.h"
#include "run/fuse.h"
#include "run/options.h"
#include "run/server.h"

#include <errno.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cairn_mount {
    int fd; /* of the connection */
    char directory[PATH_MAX];
};

int cairn_mount_create(const struct cairn_mount_options *options, struct cairn_mount **ret_mount)
{
    struct cairn_mount_options own;
    struct cairn_mount *mount;
    int error = run_options_copy(options, &own);

    if (error)
        return error;
    if (strlen(own.directory) >= sizeof(mount->directory))
        return ENAMETOOLONG;
    mount = calloc(1, sizeof(*mount));
    if (!mount)
        return ENOMEM;
    (void)snprintf(mount->directory, sizeof(mount->directory), "%s", own.directory);
    error = run_fuse_mount(own.directory, &mount->fd);
    if (error)
        free(mount);
    else
        *ret_mount = mount;
    return error;
}

int cairn_mount_serve(struct cairn_mount *mount, void (*ready)(void *context), void *context)
{
    return run_server_serve(mount->fd, ready, context);
}

int cairn_mount_serve_in_background(struct cairn_mount *mount)
{
    return run_background_start(mount->fd, mount->directory, NULL);
}

void cairn_mount_destroy(struct cairn_mount *mount)
{
    if (!mount)
        return;
    close(mount->fd);
    free(mount);
}

int cairn_mount_remove(const char *directory)
{
    return run_fuse_unmount(directory);
}

static bool is_ours(const struct mntent *mount)
{
    return !strcmp(mount->mnt_type, RUN_FUSE_TYPE) ||
           (!strcmp(mount->mnt_type, "tracefs") && !strcmp(mount->mnt_fsname, RUN_FUSE_SOURCE));
}

/* Our mounts at a directory. */
enum mount_place { NOTHING, LAST, COVERED };

static enum mount_place look_up(const char *directory)
{
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    enum mount_place place = NOTHING;
    char buffer[PATH_MAX + 512];
    struct mntent mount;

    while (mounts && getmntent_r(mounts, &mount, buffer, sizeof(buffer))) {
        if (!strcmp(mount.mnt_dir, directory))
            place = is_ours(&mount) ? LAST : place ? COVERED : NOTHING;
    }
    if (mounts)
        (void)endmntent(mounts);
    return place;
}

bool cairn_mount_is_at(const char *directory)
{
    return look_up(directory) == LAST;
}

bool cairn_mount_is_covered(const char *directory)
{
    return look_up(directory) == COVERED;
}
