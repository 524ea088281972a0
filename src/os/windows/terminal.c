/* SPDX-License-Identifier: MIT */
/* Consoles. */
#include "os/terminal.h"

#include <errno.h>
#include <io.h>
#include <windows.h>

#define UNITS_MAX  2048 /* of one call: a console takes a limited number */
#define COLOURS_ON 0x4  /* ENABLE_VIRTUAL_TERMINAL_PROCESSING */

/* Returns the console, or NULL: the descriptor is something else. */
static HANDLE console_of(int fd, DWORD *ret_mode)
{
    HANDLE handle = (HANDLE)_get_osfhandle(fd);

    return handle != INVALID_HANDLE_VALUE && GetConsoleMode(handle, ret_mode) ? handle : NULL;
}

bool os_terminal_shows_colours(int fd)
{
    DWORD mode;
    HANDLE console = console_of(fd, &mode);

    return console && ((mode & COLOURS_ON) || SetConsoleMode(console, mode | COLOURS_ON));
}

/* The length of the text's beginning that has at most `most` bytes and ends with a whole
 * character. */
static size_t whole_characters(const char *text, size_t bytes, size_t most)
{
    size_t length = most;

    if (bytes <= most)
        return bytes;
    while (length > most - 3 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    return length;
}

/* A character of UTF-8 has at least as many bytes as units of UTF-16. */
static bool write_units(HANDLE console, const char *text, size_t bytes)
{
    wchar_t units[UNITS_MAX];
    DWORD count = (DWORD)MultiByteToWideChar(CP_UTF8, 0, text, (int)bytes, units, UNITS_MAX);
    DWORD done = 0;

    while (done < count) {
        DWORD written = 0;

        if (!WriteConsoleW(console, units + done, count - done, &written, NULL) || !written)
            return false;
        done += written;
    }
    return count != 0;
}

static ssize_t write_console(HANDLE console, const char *text, size_t bytes)
{
    size_t done = 0;

    while (done < bytes) {
        size_t part = whole_characters(text + done, bytes - done, UNITS_MAX);

        if (!write_units(console, text + done, part))
            break;
        done += part;
    }
    if (done || !bytes)
        return (ssize_t)done;
    errno = EIO;
    return -1;
}

ssize_t os_terminal_write(int fd, const char *text, size_t bytes)
{
    DWORD mode;
    HANDLE console = console_of(fd, &mode);

    return console ? write_console(console, text, bytes) : write(fd, text, (unsigned)bytes);
}
