/* SPDX-License-Identifier: MIT */
/* Makes two mounts that nobody serves, and removes each. usage: two_mounts DIRECTORY DIRECTORY */
#include <cairn/mount.h>

#include <stdio.h>
#include <string.h>

static int make(const char *directory)
{
    struct cairn_mount_options options = CAIRN_MOUNT_OPTIONS_INIT;
    struct cairn_mount *mount = NULL;
    int error;

    options.directory = directory;
    error = cairn_mount_create(&options, &mount);
    cairn_mount_destroy(mount);
    return error;
}

int main(int argc, char **argv)
{
    int error = argc == 3 ? 0 : -1;

    for (int i = 1; !error && i < argc; i++)
        error = make(argv[i]);
    for (int i = 1; !error && i < argc; i++)
        error = cairn_mount_remove(argv[i]);
    if (error)
        fprintf(stderr, "two_mounts: %s\n", strerror(error));
    return error != 0;
}
