/* SPDX-License-Identifier: MIT */
/* The ring of a CPU, into which the kernel writes records of perf events. */
#ifndef PERF_EVENTS_RING_H
#define PERF_EVENTS_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct perf_events_ring {
    int fd; /* of the event whose ring it is */
    uint32_t cpu;
    size_t size_bytes; /* of the data: a power of two */
    struct perf_event_mmap_page *page;
    const uint8_t *data;
    uint8_t *joined; /* a record that begins at the end and continues at the beginning */
};

/*
 * Maps the ring of an event; a smaller one if the memory that may be locked is not enough.
 *
 * size_bytes  at most this number of bytes
 *
 * Returns 0; EPERM not even the smallest may be mapped; or the error of mmap.
 */
int perf_events_ring_map(int fd, uint32_t cpu, size_t size_bytes,
                         struct perf_events_ring *ret_ring);

void perf_events_ring_unmap(struct perf_events_ring *ring);

/* Takes whole records of a ring. Returns 0, or an error that ends the reading. */
typedef int perf_events_receive(void *context, uint32_t cpu, const uint8_t *records,
                                size_t size_bytes);

/*
 * Passes on what the kernel has written, and frees the space.
 *
 * ret_moved  added to: the number of bytes
 *
 * Returns 0; or what `receive` returned. The records are taken in any case.
 */
int perf_events_ring_drain(struct perf_events_ring *ring, perf_events_receive *receive,
                           void *context, size_t *ret_moved);

#endif
