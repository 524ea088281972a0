/* SPDX-License-Identifier: MIT */
/* Text to a descriptor: the C library writes it by itself, past our write. */
#include "preload/hook.h"

#include <stdarg.h>
#include <stdlib.h>

static int print(struct cairn_served *file, int fd, const char *format, va_list arguments)
{
    char *text;
    int length = vasprintf(&text, format, arguments);
    ssize_t size;

    if (length < 0)
        return -1;
    size = cairn_hook_write(file, fd, text, (size_t)length);
    free(text);
    return (int)size;
}

CAIRN_HOOK int vdprintf(int fd, const char *format, va_list arguments)
{
    struct cairn_served *file = cairn_hook_served(fd);

    return file ? print(file, fd, format, arguments) : CAIRN_NEXT(vdprintf)(fd, format, arguments);
}

CAIRN_HOOK int dprintf(int fd, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vdprintf(fd, format, arguments);
    va_end(arguments);
    return length;
}

/* The names of these calls with _FORTIFY_SOURCE. */
CAIRN_HOOK int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments);
CAIRN_HOOK int __dprintf_chk(int fd, int flag, const char *format, ...);

CAIRN_HOOK int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments)
{
    struct cairn_served *file = cairn_hook_served(fd);

    return file ? print(file, fd, format, arguments)
                : CAIRN_NEXT(__vdprintf_chk)(fd, flag, format, arguments);
}

CAIRN_HOOK int __dprintf_chk(int fd, int flag, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = __vdprintf_chk(fd, flag, format, arguments);
    va_end(arguments);
    return length;
}
