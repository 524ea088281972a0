/* SPDX-License-Identifier: MIT */
/* Text to a descriptor: the C library writes it by itself, past our write. */
#include "preload/hook.h"

#include <stdarg.h>
#include <stdlib.h>

static int print(struct preload_served *file, int fd, const char *format, va_list arguments)
{
    char *text;
    int length = vasprintf(&text, format, arguments);
    ssize_t size;

    if (length < 0)
        return -1;
    size = preload_hook_write(file, fd, text, (size_t)length);
    free(text);
    return (int)size;
}

PRELOAD_HOOK int vdprintf(int fd, const char *format, va_list arguments)
{
    struct preload_served *file = preload_hook_served(fd);

    return file ? print(file, fd, format, arguments)
                : PRELOAD_NEXT(vdprintf)(fd, format, arguments);
}

PRELOAD_HOOK int dprintf(int fd, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vdprintf(fd, format, arguments);
    va_end(arguments);
    return length;
}

/* The names of these calls with _FORTIFY_SOURCE. */
PRELOAD_HOOK int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments);
PRELOAD_HOOK int __dprintf_chk(int fd, int flag, const char *format, ...);

PRELOAD_HOOK int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments)
{
    struct preload_served *file = preload_hook_served(fd);

    return file ? print(file, fd, format, arguments)
                : PRELOAD_NEXT(__vdprintf_chk)(fd, flag, format, arguments);
}

PRELOAD_HOOK int __dprintf_chk(int fd, int flag, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = __vdprintf_chk(fd, flag, format, arguments);
    va_end(arguments);
    return length;
}
