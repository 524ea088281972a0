/* SPDX-License-Identifier: MIT */
/*
 * The destination of a page's data: one stream of bytes, in base64 within the page, in elements of
 * REPORT_SINK_PART_BYTES each so that the page finds any byte; or as it is to a file, for a server.
 */
#ifndef REPORT_SINK_H
#define REPORT_SINK_H

#include "report/bytes.h"

#define REPORT_SINK_PART_BYTES (3u << 20) /* a multiple of 3: base64 needs no padding inside */

struct report_sink {
    int fd;
    bool is_page;  /* base64, in elements */
    int error;     /* 0, or the first failure */
    uint64_t size; /* of the data so far */
    struct report_bytes part;
    struct report_bytes text; /* scratch: a part in base64 */
    uint64_t written;         /* to the fd */
};

/* Adds data. A failure is remembered. */
void report_sink_add(struct report_sink *sink, const void *data, size_t size);

/* Adds text of the page, after all data so far. */
void report_sink_text(struct report_sink *sink, const void *text, size_t size);

/* Writes what is left. Returns 0, or the first failure. */
int report_sink_flush(struct report_sink *sink);

/* Does not flush, and does not close the fd. */
void report_sink_free(struct report_sink *sink);

#endif
