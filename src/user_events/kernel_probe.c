/* SPDX-License-Identifier: MIT */
/* The reason why the kernel backend does not work on this machine. */
#include "user_events/kernel.h"

#include "engine/kernel_abi.h"
#include "user_events/kernel_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* True if a tracefs could be mounted. */
static bool kernel_knows_tracefs(void)
{
    FILE *types = fopen("/proc/filesystems", "re");
    bool found = false;
    char line[128];

    if (!types)
        return true; /* unknown: assume that it has */
    while (!found && fgets(line, sizeof(line), types))
        found = strcmp(line, "nodev\ttracefs\n") == 0;
    fclose(types);
    return found;
}

/* Registers with a struct whose size is 0. The interface refuses it with EINVAL before it checks
 * anything else; any other answer comes from another interface. */
static int try_interface(int fd)
{
    struct engine_user_reg empty = {.size = 0};

    if (ioctl(fd, ENGINE_USER_EVENTS_REG, &empty) < 0 && errno == EINVAL)
        return 0;
    return ENOTTY;
}

static enum user_events_kernel_reason reason_of(int error, const char *directory)
{
    switch (error) {
    case 0:
        return USER_EVENTS_KERNEL_USABLE;
    case ENODEV:
        return kernel_knows_tracefs() ? USER_EVENTS_KERNEL_NOT_MOUNTED
                                      : USER_EVENTS_KERNEL_NO_TRACEFS;
    case ENOENT:
        return USER_EVENTS_KERNEL_NO_USER_EVENTS;
    case EACCES:
        return faccessat(AT_FDCWD, directory, X_OK, AT_EACCESS) == 0
                   ? USER_EVENTS_KERNEL_NOT_WRITABLE
                   : USER_EVENTS_KERNEL_NO_ACCESS;
    case ENOTTY:
        return USER_EVENTS_KERNEL_OTHER_INTERFACE;
    default:
        return USER_EVENTS_KERNEL_FAILED;
    }
}

void user_events_kernel_probe_mounts(FILE *mounts, struct user_events_kernel_probe *ret_probe)
{
    int fd;

    ret_probe->error = user_events_kernel_file_find(mounts, ret_probe->directory, &fd);
    if (!ret_probe->error) {
        ret_probe->error = try_interface(fd);
        close(fd);
    }
    ret_probe->reason = reason_of(ret_probe->error, ret_probe->directory);
}

int user_events_kernel_probe(struct user_events_kernel_probe *ret_probe)
{
    FILE *mounts = fopen("/proc/self/mounts", "re");

    if (!mounts)
        return errno;
    user_events_kernel_probe_mounts(mounts, ret_probe);
    fclose(mounts);
    return 0;
}
