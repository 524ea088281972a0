/* SPDX-License-Identifier: MIT */
/* Maps and reads rings. */
#include "perf_events/ring.h"

#include "core/atomic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECORD_MAX_BYTES 65536u
#define LEAST_BYTES      65536u
#define PIECE_BYTES      (512u << 10) /* passed on at once */

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* The largest power of two that is not above the size. */
static size_t round_down(size_t size_bytes)
{
    size_t rounded = LEAST_BYTES;

    while (rounded <= size_bytes / 2)
        rounded *= 2;
    return rounded;
}

int perf_events_ring_map(int fd, uint32_t cpu, size_t size_bytes, struct perf_events_ring *ret_ring)
{
    uint8_t *joined = malloc(RECORD_MAX_BYTES);
    size_t size = round_down(size_bytes);
    void *memory = MAP_FAILED;
    int err = joined ? EPERM : ENOMEM;

    for (; err == EPERM && size >= LEAST_BYTES; size /= 2) {
        memory = mmap(NULL, page_bytes() + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (memory != MAP_FAILED)
            break;
        err = errno;
    }
    if (memory == MAP_FAILED) {
        free(joined);
        return err;
    }
    *ret_ring = (struct perf_events_ring){
        .fd = fd,
        .cpu = cpu,
        .size_bytes = size,
        .page = memory,
        .data = (const uint8_t *)memory + page_bytes(),
        .joined = joined,
    };
    return 0;
}

void perf_events_ring_unmap(struct perf_events_ring *ring)
{
    if (ring->page)
        munmap(ring->page, page_bytes() + ring->size_bytes);
    free(ring->joined);
    *ring = (struct perf_events_ring){.fd = -1};
}

/* The size of the record at a position of the ring; at most what there is. */
static size_t record_bytes(const struct perf_events_ring *ring, uint64_t at, uint64_t head)
{
    uint16_t size;

    /* Records begin at multiples of 8, so their heads are not divided. */
    memcpy(&size, ring->data + (at & (ring->size_bytes - 1)) + 6, sizeof(size));
    return size >= sizeof(uint64_t) && size <= head - at ? size : head - at;
}

/* The record at a position that crosses the ring's end, in one piece. */
static const uint8_t *join(struct perf_events_ring *ring, uint64_t at, size_t size)
{
    size_t offset = at & (ring->size_bytes - 1);
    size_t first = ring->size_bytes - offset;

    memcpy(ring->joined, ring->data + offset, first);
    memcpy(ring->joined + first, ring->data, size - first);
    return ring->joined;
}

/* Passes on the records from a position on: those up to the ring's end, or one that crosses it.
 * Returns their size. */
static size_t pass_on(struct perf_events_ring *ring, uint64_t at, uint64_t head,
                      perf_events_receive *receive, void *context, int *err)
{
    size_t offset = at & (ring->size_bytes - 1);
    size_t limit =
        ring->size_bytes - offset < PIECE_BYTES ? ring->size_bytes - offset : PIECE_BYTES;
    size_t size = 0;
    const uint8_t *records = ring->data + offset;

    while (at + size < head) {
        size_t next = record_bytes(ring, at + size, head);

        if (size + next > limit)
            break;
        size += next;
    }
    if (!size) {
        size = record_bytes(ring, at, head);
        records = size <= RECORD_MAX_BYTES ? join(ring, at, size) : NULL;
    }
    if (!*err)
        *err = records ? receive(context, ring->cpu, records, size) : EBADMSG;
    return size;
}

int perf_events_ring_drain(struct perf_events_ring *ring, perf_events_receive *receive,
                           void *context, size_t *ret_moved)
{
    /* Pairs with the kernel's release: records before the head. */
    uint64_t head = core_load_acquire(&ring->page->data_head);
    uint64_t at = ring->page->data_tail;
    int err = 0;

    while (at < head) {
        size_t size = pass_on(ring, at, head, receive, context, &err);

        at += size;
        *ret_moved += size;
        /* Pairs with the kernel's acquire: we have read before it writes again. */
        core_store_release(&ring->page->data_tail, at);
    }
    return err;
}
