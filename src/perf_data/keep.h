/* SPDX-License-Identifier: MIT */
/* An arena for names, ids and texts, which is freed all at once; and growing arrays. */
#ifndef PERF_DATA_KEEP_H
#define PERF_DATA_KEEP_H

#include <stddef.h>
#include <stdint.h>

struct cairn_keep_chunk;

/* All zeros is an empty one. */
struct cairn_keep {
    struct cairn_keep_chunk *chunks;
    size_t used; /* of the first chunk */
};

/* Allocates memory aligned for a u64; returns NULL on failure. Zero bytes have an address, too. */
void *cairn_keep_alloc(struct cairn_keep *keep, size_t size_bytes);

/* Copies a text and adds a NUL; returns NULL on failure. */
char *cairn_keep_text(struct cairn_keep *keep, const char *text, size_t length);

void cairn_keep_free(struct cairn_keep *keep);

/*
 * Makes room for one more pointer in an array that has `count` of them: doubled whenever count is
 * a power of two. Returns 0; ENOMEM.
 */
int cairn_array_grow(void ***array, uint32_t count);

#endif
