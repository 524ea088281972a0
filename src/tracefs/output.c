/* SPDX-License-Identifier: MIT */
/* Text on its way into a file: gathered, and written in blocks. */
#include "tracefs/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void flush(struct tracefs_output *output)
{
    ssize_t size = pwrite(output->fd, output->bytes, output->used, output->offset);

    if (size != (ssize_t)output->used && !output->error)
        output->error = size < 0 ? errno : EIO;
    output->offset += (off_t)output->used;
    output->used = 0;
}

void tracefs_output_write(struct tracefs_output *output, const void *bytes, size_t size_bytes)
{
    const char *from = bytes;

    while (size_bytes) {
        size_t space = sizeof(output->bytes) - output->used;
        size_t part = size_bytes < space ? size_bytes : space;

        memcpy(output->bytes + output->used, from, part);
        output->used += part;
        from += part;
        size_bytes -= part;
        if (output->used == sizeof(output->bytes))
            flush(output);
    }
}

void tracefs_output_print(struct tracefs_output *output, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (length > 0)
        tracefs_output_write(output, text,
                             (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1);
}

int tracefs_output_finish(struct tracefs_output *output)
{
    if (output->used)
        flush(output);
    if (!output->error && ftruncate(output->fd, output->offset))
        output->error = errno;
    return output->error;
}
