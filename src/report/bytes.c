/* SPDX-License-Identifier: MIT */
/* Grows buffers. */
#include "report/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES 4096u

bool report_bytes_grow(struct report_bytes *bytes, size_t more)
{
    size_t capacity = bytes->capacity ? bytes->capacity : FIRST_BYTES;
    uint8_t *data;

    while (capacity - bytes->size < more)
        capacity *= 2;
    data = (uint8_t *)realloc(bytes->data, capacity);
    if (!data) {
        bytes->error = ENOMEM;
        return false;
    }
    bytes->data = data;
    bytes->capacity = capacity;
    return true;
}

void report_bytes_free(struct report_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct report_bytes){0};
}

void report_bytes_add(struct report_bytes *bytes, const void *data, size_t size)
{
    if (!size || !report_bytes_reserve(bytes, size))
        return;
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}
