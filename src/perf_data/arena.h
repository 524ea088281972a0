/* SPDX-License-Identifier: MIT */
/* An arena for names, ids and texts, which is freed all at once; and growing arrays. */
#ifndef PERF_DATA_ARENA_H
#define PERF_DATA_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct perf_data_arena_chunk;

/* All zeros is an empty one. */
struct perf_data_arena {
    struct perf_data_arena_chunk *chunks;
    size_t used; /* of the first chunk */
};

/* Allocates memory aligned for a u64; returns NULL on failure. Zero bytes have an address, too. */
void *perf_data_arena_alloc(struct perf_data_arena *arena, size_t size_bytes);

/* Copies a text and adds a NUL; returns NULL on failure. */
char *perf_data_arena_text(struct perf_data_arena *arena, const char *text, size_t length);

void perf_data_arena_free(struct perf_data_arena *arena);

/*
 * Reserves space for one more pointer in an array that has `count` of them: doubled whenever count
 * is a power of two. Returns 0; ENOMEM.
 */
int perf_data_array_grow(void ***array, uint32_t count);

#endif
