/* SPDX-License-Identifier: MIT */
/*
 * Pages of a ring buffer as the kernel's are: a head with the time of the first event, then events,
 * each with the time since the one before. Of one CPU.
 */
#ifndef EXCHANGE_RING_PAGES_H
#define EXCHANGE_RING_PAGES_H

#include "exchange/spool.h"

#include <stdint.h>

#define EXCHANGE_RING_PAGE_BYTES 65536u
#define EXCHANGE_RING_HEAD_BYTES 16u

/* The largest event: with its head and its size in a page. */
#define EXCHANGE_RING_EVENT_MAX (EXCHANGE_RING_PAGE_BYTES - EXCHANGE_RING_HEAD_BYTES - 16u)

/* Begins with zeros. */
struct exchange_ring {
    struct exchange_stream stream; /* of full pages */
    char *page;
    uint32_t used; /* of its data */
    uint64_t page_ns;
    uint64_t last_ns;
    uint64_t page_count;
    uint64_t lost; /* events before the current page */
};

/* Says that events were lost before the next one. Returns 0, or the error of writing. */
int exchange_ring_lose(struct exchange_spool *spool, struct exchange_ring *ring, uint64_t count);

/*
 * Adds an event; ns is not less than that of the event before.
 *
 * size_bytes  at most EXCHANGE_RING_EVENT_MAX
 *
 * Returns 0, ENOMEM, or the error of writing.
 */
int exchange_ring_add(struct exchange_spool *spool, struct exchange_ring *ring, uint64_t ns,
                      const void *data, uint32_t size_bytes);

/* Completes the last page. Returns 0, or the error of writing. */
int exchange_ring_finish(struct exchange_spool *spool, struct exchange_ring *ring);

void exchange_ring_free(struct exchange_ring *ring);

#endif
