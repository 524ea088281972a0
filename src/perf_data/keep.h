/* SPDX-License-Identifier: MIT */
/* Memory that is kept until everything is freed at once: names, ids, texts. */
#ifndef PERF_DATA_KEEP_H
#define PERF_DATA_KEEP_H

#include <stddef.h>

struct cairn_keep_chunk;

/* All zeros is an empty one. */
struct cairn_keep {
    struct cairn_keep_chunk *chunks;
    size_t used; /* of the first chunk */
};

/* Memory aligned for a u64, or NULL. Zero bytes are given an address too. */
void *cairn_keep_alloc(struct cairn_keep *keep, size_t size_bytes);

/* A copy of a text with a NUL behind it, or NULL. */
char *cairn_keep_text(struct cairn_keep *keep, const char *text, size_t length);

void cairn_keep_free(struct cairn_keep *keep);

#endif
