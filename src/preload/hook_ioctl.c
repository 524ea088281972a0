/* SPDX-License-Identifier: MIT */
/* ioctl of what is served: user_events_data alone knows any. */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"
#include "preload/served_data.h"

static CAIRN_HOOK_REST int ioctl_rest(int fd, unsigned long request, void *argument)
{
    struct cairn_served *file = cairn_hook_served(fd);

    if (file && file->place.kind == CAIRN_PLACE_DATA)
        return cairn_served_ioctl(file, fd, request, (uintptr_t)argument);
    return CAIRN_NEXT(ioctl)(fd, request, argument);
}

/* An argument that was not given is whatever is there; the C library does the same. */
CAIRN_HOOK int cairn_hook_ioctl(int fd, unsigned long request, void *argument) __asm__("ioctl");

CAIRN_HOOK int cairn_hook_ioctl(int fd, unsigned long request, void *argument)
{
    CAIRN_HOOK_PASS(fd, ioctl, fd, request, argument);
    return ioctl_rest(fd, request, argument);
}
