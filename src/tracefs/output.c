/* SPDX-License-Identifier: MIT */
/* Text that a file shows, in pages of its own. */
#include "tracefs/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_BYTES ((size_t)16 << 10)

static void grow(struct tracefs_output *output, size_t least)
{
    size_t space = output->space_bytes ? output->space_bytes : FIRST_BYTES;
    void *bytes;

    while (space < least)
        space *= 2;
    if (output->bytes)
        bytes = mremap(output->bytes, output->space_bytes, space, MREMAP_MAYMOVE);
    else
        bytes = mmap(NULL, space, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) {
        output->error = ENOMEM;
        return;
    }
    output->bytes = bytes;
    output->space_bytes = space;
}

void tracefs_output_write(struct tracefs_output *output, const void *bytes, size_t size_bytes)
{
    if (size_bytes > output->space_bytes - output->size_bytes)
        grow(output, output->size_bytes + size_bytes);
    if (output->error || !size_bytes)
        return;
    memcpy(output->bytes + output->size_bytes, bytes, size_bytes);
    output->size_bytes += size_bytes;
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

size_t tracefs_output_read(const struct tracefs_output *output, size_t offset, size_t wanted,
                           const char **ret_from)
{
    size_t size = offset < output->size_bytes ? output->size_bytes - offset : 0;

    *ret_from = size ? output->bytes + offset : "";
    return size < wanted ? size : wanted;
}

void tracefs_output_free(struct tracefs_output *output)
{
    if (output->bytes)
        (void)munmap(output->bytes, output->space_bytes);
    *output = (struct tracefs_output){0};
}
