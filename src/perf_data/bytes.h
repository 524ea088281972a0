/* SPDX-License-Identifier: MIT */
/* A growing sequence of bytes. The first failure is remembered: add everything, then check it. */
#ifndef PERF_DATA_BYTES_H
#define PERF_DATA_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* All zeros is an empty one. */
struct cairn_bytes {
    uint8_t *data;
    size_t size;
    size_t capacity;
    int error; /* 0; ENOMEM; E2BIG a record became too large */
};

/* Memory for `size` bytes at the end, which are not added: the caller may write some of them, and
 * add to b->size. Returns NULL on failure. */
uint8_t *perf_data_bytes_room(struct cairn_bytes *b, size_t size);

void perf_data_bytes_put(struct cairn_bytes *b, const void *data, size_t size);
void perf_data_bytes_put_u32(struct cairn_bytes *b, uint32_t value);
void perf_data_bytes_put_u64(struct cairn_bytes *b, uint64_t value);
void perf_data_bytes_put_zeros(struct cairn_bytes *b, size_t count);

/* Adds zeros up to a multiple of 8. */
void perf_data_bytes_align(struct cairn_bytes *b);

/* Adds a string of features: its size, padded to 64, then its bytes with NULs. */
void perf_data_bytes_put_string(struct cairn_bytes *b, const char *text);

/*
 * Begins a record. Returns its position, for perf_data_bytes_end_record, which aligns it and sets
 * its size.
 */
size_t perf_data_bytes_begin_record(struct cairn_bytes *b, uint32_t type);
void perf_data_bytes_end_record(struct cairn_bytes *b, size_t begin);

void perf_data_bytes_free(struct cairn_bytes *b);

#endif
