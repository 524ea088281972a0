/* SPDX-License-Identifier: MIT */
/* Memory that is freed all at once, and growing arrays of pointers. */
#include "perf_data/arena.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 16384u

struct perf_data_arena_chunk {
    struct perf_data_arena_chunk *next;
    size_t size_bytes;
    uint64_t bytes[];
};

static struct perf_data_arena_chunk *add_chunk(struct perf_data_arena *arena, size_t size_bytes)
{
    struct perf_data_arena_chunk *chunk = malloc(sizeof(*chunk) + size_bytes);

    if (!chunk)
        return NULL;
    chunk->size_bytes = size_bytes;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->used = 0;
    return chunk;
}

void *perf_data_arena_alloc(struct perf_data_arena *arena, size_t size_bytes)
{
    struct perf_data_arena_chunk *chunk = arena->chunks;
    void *taken;

    if (size_bytes > SIZE_MAX / 2)
        return NULL;
    size_bytes = (size_bytes + 7) & ~(size_t)7;
    if (!chunk || chunk->size_bytes - arena->used < size_bytes)
        chunk = add_chunk(arena, size_bytes > CHUNK_BYTES ? size_bytes : CHUNK_BYTES);
    if (!chunk)
        return NULL;
    taken = (char *)chunk->bytes + arena->used;
    arena->used += size_bytes;
    return taken;
}

char *perf_data_arena_text(struct perf_data_arena *arena, const char *text, size_t length)
{
    char *copy = perf_data_arena_alloc(arena, length + 1);

    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void perf_data_arena_free(struct perf_data_arena *arena)
{
    while (arena->chunks) {
        struct perf_data_arena_chunk *next = arena->chunks->next;

        free(arena->chunks);
        arena->chunks = next;
    }
}

int perf_data_array_grow(void ***array, uint32_t count)
{
    void **bigger;

    if (count & (count - 1))
        return 0;
    bigger = realloc(*array, (count ? 2 * (size_t)count : 1) * sizeof(**array));
    if (!bigger)
        return ENOMEM;
    *array = bigger;
    return 0;
}
