/* SPDX-License-Identifier: MIT */
/*
 * The sections of a trace.dat of version 7: found by options, and compressed perhaps. Together they
 * have what a file of version 6 begins with, which is made of them. The bytes are untrusted.
 */
#ifndef DECODE_DAT_SECTIONS_H
#define DECODE_DAT_SECTIONS_H

#include "core/cursor.h"
#include "decode/dat_losses.h"
#include "perf_data/bytes.h"

#include <stdbool.h>

/* The data of a CPU in one of the file's buffers. */
struct decode_dat_cpu {
    uint32_t number;
    uint32_t page_bytes;
    uint64_t offset; /* in the file */
    uint64_t size_bytes;
    uint64_t buffer; /* decode_dat_buffer_of */
    bool is_packed;
};

struct decode_dat_sections {
    struct cairn_bytes head; /* the beginning of a file of version 6 */
    struct decode_dat_cpu *cpus;
    uint32_t cpu_count;
    struct decode_dat_losses losses;
    uint64_t error_offset; /* of what the error is about */
    const char *error;     /* a constant */
};

/*
 * Reads the sections of a file in memory, which begins with the magic of a trace.dat.
 *
 * ret_sections  freed with decode_dat_sections_free, also after a failure
 *
 * Returns 0; EBADMSG; EOPNOTSUPP a compression that this build lacks, or no buffer; ENOMEM.
 */
int decode_dat_sections_read(const uint8_t *begin, size_t size_bytes,
                             struct decode_dat_sections *ret_sections);

void decode_dat_sections_free(struct decode_dat_sections *sections);

/* The compressed pages of a CPU: chunks, each of whole pages. */
struct decode_dat_chunks {
    struct core_cursor c;
    uint32_t left;
    uint8_t *memory; /* the current chunk */
};

/* Begins with a CPU's data. Returns 0; EBADMSG. */
int decode_dat_chunks_begin(struct decode_dat_chunks *chunks, const void *data, size_t size_bytes,
                            bool swap);

/*
 * Decompresses the next chunk, in place of the one before.
 *
 * Returns 0; ENODATA the end; EBADMSG; EOPNOTSUPP; ENOMEM.
 */
int decode_dat_chunks_next(struct decode_dat_chunks *chunks, const uint8_t **ret_data,
                           size_t *ret_bytes);

void decode_dat_chunks_free(struct decode_dat_chunks *chunks);

#endif
