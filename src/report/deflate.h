/* SPDX-License-Identifier: MIT */
/* Compression that browsers decode (zlib's format), or none if the build lacks zlib. */
#ifndef REPORT_DEFLATE_H
#define REPORT_DEFLATE_H

#include "report/bytes.h"

struct report_deflate {
    void *stream; /* zlib's; NULL: none yet */
    struct report_bytes out;
};

/*
 * Compresses data.
 *
 * ret_data, ret_size  valid until the next call; `data` and `size` if compression does not make
 * them smaller
 *
 * Returns 0, ENOMEM.
 */
int report_deflate(struct report_deflate *packer, const void *data, size_t size,
                   const void **ret_data, size_t *ret_size);

/* True if the build has zlib. */
bool report_deflate_is_there(void);

/* Accepts zeros. */
void report_deflate_free(struct report_deflate *packer);

#endif
