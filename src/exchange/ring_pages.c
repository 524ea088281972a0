/* SPDX-License-Identifier: MIT */
/* Writes pages of a ring buffer. */
#include "exchange/ring_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DATA_BYTES (EXCHANGE_RING_PAGE_BYTES - EXCHANGE_RING_HEAD_BYTES)

/* The kinds of entries: 1 to 28 are the number of words of an event. */
#define KIND_LONG   0u
#define KIND_EXTEND 30u
#define WORDS_MAX   28u

#define DELTA_BITS 27u
#define TIME_BITS  (DELTA_BITS + 32) /* of a longer delta */
#define KIND_BITS  5u

/* Bits of the size in a page's head. */
#define EVENTS_LOST  0x80000000u
#define LOST_COUNTED 0x40000000u /* their number is after the data */

static uint32_t entry_of(uint32_t kind, uint32_t delta)
{
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        return kind << DELTA_BITS | delta;
    return kind | delta << KIND_BITS;
}

static char *put_word(char *to, uint32_t word)
{
    return (char *)mempcpy(to, &word, sizeof(word));
}

/* The rest of the page is zeros: a page has no older contents. */
static int write_page(struct exchange_spool *spool, struct exchange_ring *ring)
{
    uint64_t head[2] = {ring->page_ns, ring->used};
    int err;

    if (ring->lost)
        head[1] |= EVENTS_LOST;
    if (ring->lost && DATA_BYTES - ring->used >= sizeof(ring->lost)) {
        head[1] |= LOST_COUNTED;
        memcpy(ring->page + EXCHANGE_RING_HEAD_BYTES + ring->used, &ring->lost, sizeof(ring->lost));
    }
    memcpy(ring->page, head, sizeof(head));
    err = exchange_stream_add(spool, &ring->stream, ring->page, EXCHANGE_RING_PAGE_BYTES);
    memset(ring->page, 0, EXCHANGE_RING_PAGE_BYTES);
    ring->used = 0;
    ring->lost = 0;
    ring->page_count++;
    return err;
}

int exchange_ring_finish(struct exchange_spool *spool, struct exchange_ring *ring)
{
    return ring->used ? write_page(spool, ring) : 0;
}

int exchange_ring_lose(struct exchange_spool *spool, struct exchange_ring *ring, uint64_t count)
{
    int err = exchange_ring_finish(spool, ring);

    ring->lost += count;
    return err;
}

int exchange_ring_add(struct exchange_spool *spool, struct exchange_ring *ring, uint64_t ns,
                      const void *data, uint32_t size_bytes)
{
    uint32_t padded_bytes = (size_bytes + 3) & ~3u;
    uint32_t words = padded_bytes / 4;
    int err = 0;
    uint64_t delta;
    char *to;

    if (!ring->page)
        ring->page = (char *)calloc(1, EXCHANGE_RING_PAGE_BYTES);
    if (!ring->page)
        return ENOMEM;
    /* an entry, a size, a longer delta */
    if (DATA_BYTES - ring->used < padded_bytes + 16 || (ns - ring->last_ns) >> TIME_BITS)
        err = exchange_ring_finish(spool, ring);
    if (!ring->used)
        ring->page_ns = ring->last_ns = ns;
    to = ring->page + EXCHANGE_RING_HEAD_BYTES + ring->used;
    delta = ns - ring->last_ns;
    if (delta >> DELTA_BITS) {
        to = put_word(to, entry_of(KIND_EXTEND, delta & ((1u << DELTA_BITS) - 1)));
        to = put_word(to, (uint32_t)(delta >> DELTA_BITS));
        delta = 0;
    }
    to = put_word(to, entry_of(words && words <= WORDS_MAX ? words : KIND_LONG, (uint32_t)delta));
    if (!words || words > WORDS_MAX)
        to = put_word(to, padded_bytes + 4);
    memcpy(to, data, size_bytes);
    ring->used = (uint32_t)(to + padded_bytes - ring->page) - EXCHANGE_RING_HEAD_BYTES;
    ring->last_ns = ns;
    return err;
}

void exchange_ring_free(struct exchange_ring *ring)
{
    free(ring->page);
    exchange_stream_free(&ring->stream);
    *ring = (struct exchange_ring){0};
}
