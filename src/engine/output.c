/* SPDX-License-Identifier: MIT */
/* Text that grows. */
#include "engine/output.h"
#include "engine/command_words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES ((size_t)16 << 10)

static void grow(struct engine_output *output, size_t least)
{
    size_t space = output->space_bytes ? output->space_bytes : FIRST_BYTES;
    char *bytes;

    while (space < least)
        space *= 2;
    bytes = realloc(output->bytes, space);
    if (!bytes) {
        output->error = ENOMEM;
        return;
    }
    output->bytes = bytes;
    output->space_bytes = space;
}

void engine_output_write(struct engine_output *output, const void *bytes, size_t size_bytes)
{
    if (size_bytes > output->space_bytes - output->size_bytes)
        grow(output, output->size_bytes + size_bytes);
    if (output->error || !size_bytes)
        return;
    memcpy(output->bytes + output->size_bytes, bytes, size_bytes);
    output->size_bytes += size_bytes;
}

void engine_output_print(struct engine_output *output, const char *format, ...)
{
    char text[ENGINE_WORDS_MAX_BYTES + CAIRN_NAME_MAX_BYTES];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (length > 0)
        engine_output_write(output, text,
                            (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1);
}

size_t engine_output_read(const struct engine_output *output, size_t offset, size_t wanted,
                          const char **ret_from)
{
    size_t size = offset < output->size_bytes ? output->size_bytes - offset : 0;

    *ret_from = size ? output->bytes + offset : "";
    return size < wanted ? size : wanted;
}

void engine_output_free(struct engine_output *output)
{
    free(output->bytes);
    *output = (struct engine_output){0};
}
