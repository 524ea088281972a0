/* SPDX-License-Identifier: MIT */
/* Terminals, and writing text of UTF-8 to them and to other files. */
#ifndef OS_TERMINAL_H
#define OS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#ifdef _WIN32
/* True if the descriptor is a console, which then shows colours. */
bool os_terminal_shows_colours(int fd);

/* As write(2). A console gets UTF-16, whatever its code page is. */
ssize_t os_terminal_write(int fd, const char *text, size_t bytes);
#else
static inline bool os_terminal_shows_colours(int fd)
{
    return isatty(fd);
}

static inline ssize_t os_terminal_write(int fd, const char *text, size_t bytes)
{
    return write(fd, text, bytes);
}
#endif

#endif
