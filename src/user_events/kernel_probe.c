/* SPDX-License-Identifier: MIT */
#include "user_events/kernel.h"

#include "engine/kernel_abi.h"
#include "user_events/kernel_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Whether a tracefs could be mounted. */
static bool kernel_knows_tracefs(void)
{
    FILE *types = fopen("/proc/filesystems", "re");
    bool found = false;
    char line[128];

    if (!types)
        return true; /* benefit of the doubt */
    while (!found && fgets(line, sizeof(line), types))
        found = strcmp(line, "nodev\ttracefs\n") == 0;
    fclose(types);
    return found;
}

/*
 * A registration that says of itself that it has no bytes. The interface refuses it with EINVAL
 * before it looks further; any other answer is another interface's.
 */
static int try_interface(int fd)
{
    struct cairn_user_reg empty = {.size = 0};

    if (ioctl(fd, CAIRN_USER_EVENTS_REG, &empty) < 0 && errno == EINVAL)
        return 0;
    return ENOTTY;
}

static enum cairn_kernel_reason reason_of(int error, const char *folder)
{
    switch (error) {
    case 0:
        return CAIRN_KERNEL_USABLE;
    case ENODEV:
        return kernel_knows_tracefs() ? CAIRN_KERNEL_NOT_MOUNTED : CAIRN_KERNEL_NO_TRACEFS;
    case ENOENT:
        return CAIRN_KERNEL_NO_USER_EVENTS;
    case EACCES:
        return faccessat(AT_FDCWD, folder, X_OK, AT_EACCESS) == 0 ? CAIRN_KERNEL_NOT_WRITABLE
                                                                  : CAIRN_KERNEL_NO_ACCESS;
    case ENOTTY:
        return CAIRN_KERNEL_OTHER_INTERFACE;
    default:
        return CAIRN_KERNEL_FAILED;
    }
}

void cairn_kernel_probe_mounts(FILE *mounts, struct cairn_kernel_probe *ret_probe)
{
    int fd;

    ret_probe->error = cairn_kernel_file_find(mounts, ret_probe->directory, &fd);
    if (!ret_probe->error) {
        ret_probe->error = try_interface(fd);
        close(fd);
    }
    ret_probe->reason = reason_of(ret_probe->error, ret_probe->directory);
}

int cairn_kernel_probe(struct cairn_kernel_probe *ret_probe)
{
    FILE *mounts = fopen("/proc/self/mounts", "re");

    if (!mounts)
        return errno;
    cairn_kernel_probe_mounts(mounts, ret_probe);
    fclose(mounts);
    return 0;
}
