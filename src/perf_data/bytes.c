/* SPDX-License-Identifier: MIT */
/* Builds a sequence of bytes in memory. */
#include "perf_data/bytes.h"

#include "perf_data/disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 256u
#define STRING_ALIGN   64u

uint8_t *perf_data_bytes_room(struct cairn_bytes *b, size_t size)
{
    size_t needed = b->size + size;

    if (b->error)
        return NULL;
    if (needed > b->capacity || !b->data) {
        size_t capacity = needed > SIZE_MAX / 2 ? 0 : 2 * needed + FIRST_CAPACITY;
        uint8_t *bigger = capacity ? realloc(b->data, capacity) : NULL;

        if (!bigger) {
            b->error = ENOMEM;
            return NULL;
        }
        b->data = bigger;
        b->capacity = capacity;
    }
    return b->data + b->size;
}

/* Adds `size` bytes, which are not set; returns NULL on failure. */
static uint8_t *extend(struct cairn_bytes *b, size_t size)
{
    uint8_t *to = perf_data_bytes_room(b, size);

    if (to)
        b->size += size;
    return to;
}

void perf_data_bytes_put(struct cairn_bytes *b, const void *data, size_t size)
{
    uint8_t *to = extend(b, size);

    if (to && size)
        memcpy(to, data, size);
}

void perf_data_bytes_put_u32(struct cairn_bytes *b, uint32_t value)
{
    perf_data_bytes_put(b, &value, sizeof(value));
}

void perf_data_bytes_put_u64(struct cairn_bytes *b, uint64_t value)
{
    perf_data_bytes_put(b, &value, sizeof(value));
}

void perf_data_bytes_put_zeros(struct cairn_bytes *b, size_t count)
{
    uint8_t *to = extend(b, count);

    if (to)
        memset(to, 0, count);
}

void perf_data_bytes_align(struct cairn_bytes *b)
{
    perf_data_bytes_put_zeros(b, -b->size & 7);
}

void perf_data_bytes_put_string(struct cairn_bytes *b, const char *text)
{
    size_t size = strlen(text) + 1;
    size_t padding = -size & (STRING_ALIGN - 1);

    perf_data_bytes_put_u32(b, (uint32_t)(size + padding));
    perf_data_bytes_put(b, text, size);
    perf_data_bytes_put_zeros(b, padding);
}

size_t perf_data_bytes_begin_record(struct cairn_bytes *b, uint32_t type)
{
    size_t begin = b->size;

    perf_data_bytes_put_u32(b, type);
    perf_data_bytes_put_u32(b, 0);
    return begin;
}

void perf_data_bytes_end_record(struct cairn_bytes *b, size_t begin)
{
    size_t size;
    uint16_t size_field;

    perf_data_bytes_put_zeros(b, -(b->size - begin) & 7);
    if (b->error)
        return;
    size = b->size - begin;
    if (size >= PERF_DATA_RECORD_LIMIT_BYTES) {
        b->error = E2BIG;
        return;
    }
    size_field = (uint16_t)size;
    memcpy(b->data + begin + 6, &size_field, sizeof(size_field));
}

void perf_data_bytes_free(struct cairn_bytes *b)
{
    free(b->data);
    *b = (struct cairn_bytes){0};
}
