/* SPDX-License-Identifier: MIT */
/* Compresses the contents of blocks with zstd, each block by itself. Without zstd no block is
 * compressed. */
#ifndef TRACE_FILE_PACK_H
#define TRACE_FILE_PACK_H

#include "perf_data/bytes.h"

#include <stdbool.h>

/* True if this build can compress. */
bool trace_file_pack_is_supported(void);

/*
 * Compresses into `to`, whose contents are replaced.
 *
 * level  of zstd
 *
 * Returns 0; EAGAIN the result is not smaller: store the contents as they are; ENOMEM; EOPNOTSUPP.
 */
int trace_file_pack(const void *data, size_t size_bytes, int level, struct cairn_bytes *to);

/* Restores exactly size_bytes bytes. Returns 0; EBADMSG; EOPNOTSUPP; ENOMEM. */
int trace_file_pack_undo(const void *packed, size_t packed_bytes, void *to, size_t size_bytes);

#endif
