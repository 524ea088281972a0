/* SPDX-License-Identifier: MIT */
/* Memory for one event: allocated piece by piece, released at once. */
#ifndef EXCHANGE_ARENA_H
#define EXCHANGE_ARENA_H

#include <stddef.h>

struct exchange_arena_block;

struct exchange_arena {
    struct exchange_arena_block *blocks; /* the newest first */
    struct exchange_arena_block *spare;  /* released ones */
    unsigned spare_count;
    char *at;
    size_t left;
};

/* Returns memory of any alignment, or NULL. Begin with zeros. */
void *exchange_arena_take(struct exchange_arena *arena, size_t size_bytes);

/* Releases all; keeps some memory for what comes next. */
void exchange_arena_reset(struct exchange_arena *arena);

/* Accepts zeros. */
void exchange_arena_free(struct exchange_arena *arena);

#endif
