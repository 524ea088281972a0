/* SPDX-License-Identifier: MIT */
/* ioctl of what is served: user_events_data alone knows any. */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"
#include "preload/served_data.h"

static PRELOAD_HOOK_REST int ioctl_rest(int fd, unsigned long request, void *argument)
{
    struct preload_served *file = preload_hook_served(fd);

    if (file && file->place.kind == TRACEFS_PLACE_DATA)
        return preload_served_ioctl(file, fd, request, (uintptr_t)argument);
    return PRELOAD_NEXT(ioctl)(fd, request, argument);
}

/* An argument that was not given is whatever is there; the C library does the same. */
PRELOAD_HOOK int preload_hook_ioctl(int fd, unsigned long request, void *argument) __asm__("ioctl");

PRELOAD_HOOK int preload_hook_ioctl(int fd, unsigned long request, void *argument)
{
    PRELOAD_HOOK_PASS(fd, ioctl, fd, request, argument);
    return ioctl_rest(fd, request, argument);
}
