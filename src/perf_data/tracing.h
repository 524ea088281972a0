/* SPDX-License-Identifier: MIT */
/* A file that begins with tracing data, as a trace.dat does: formats, names of threads, the rest.
 */
#ifndef PERF_DATA_TRACING_H
#define PERF_DATA_TRACING_H

#include "perf_data/source.h"

#include <cairn/perf_data.h>

/*
 * Reads tracing data. A stream is copied to a temporary file first. The source, with its pool, is
 * then the file's, also on failure; closed by cairn_perf_file_close.
 *
 * Returns 0; EBADMSG; ENOMEM; or the error of read.
 */
int perf_data_file_open_tracing(struct perf_data_source *source, struct perf_data_block_pool *pool,
                                struct cairn_perf_error *ret_error,
                                struct cairn_perf_file **ret_file);

/* The data that follow the tracing data, and their properties. */
struct perf_data_tracing_rest {
    const uint8_t *begin; /* of the file */
    size_t size_bytes;
    size_t offset;                         /* of the rest */
    bool swap;                             /* it is of the other byte order */
    const struct perf_data_source *source; /* of the bytes */
};

struct perf_data_tracing_rest perf_data_tracing_rest(const struct cairn_perf_file *file);

/* A format by its id: its index, system, name and text. False: there is none. */
bool perf_data_tracing_find(const struct cairn_perf_file *file, uint32_t id, uint32_t *ret_index,
                            struct cairn_slice *ret_system, struct cairn_slice *ret_name,
                            struct cairn_slice *ret_text);

#endif
