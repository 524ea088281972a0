/* SPDX-License-Identifier: MIT */
/*
 * Pages of the kernel's ring buffers, as in trace_pipe_raw and trace.dat: a head with the page's
 * time, then events, each with the time since the previous one. The bytes are untrusted.
 */
#ifndef DECODE_RING_PAGE_H
#define DECODE_RING_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Properties of the machine that was recorded. */
struct decode_ring_format {
    uint32_t page_bytes;
    uint32_t long_bytes;
    bool swap;          /* its byte order is not this machine's */
    bool is_big_endian; /* which also determines the order of bits */
};

/* A greater number of lost events is not believed: it is unknown. */
#define DECODE_LOST_MAX (UINT64_C(1) << 48)

struct decode_ring_page {
    const struct decode_ring_format *format;
    const uint8_t *at;
    const uint8_t *end; /* of the events */
    uint64_t time_ns;   /* of the last one */
    uint64_t lost;      /* number of lost events before the page, if it is known */
    bool has_lost;      /* events were lost before it */
};

struct decode_ring_event {
    const uint8_t *data; /* common fields first */
    uint32_t size_bytes;
    uint64_t time_ns;
};

/* Begins a page of format->page_bytes bytes. Returns 0; EBADMSG. */
int decode_ring_page_begin(struct decode_ring_page *page, const struct decode_ring_format *format,
                           const uint8_t *data);

/* Returns 0; ENODATA the page's end; EBADMSG an event leads out of the page. */
int decode_ring_page_next(struct decode_ring_page *page, struct decode_ring_event *ret_event);

#endif
