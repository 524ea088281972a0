/* SPDX-License-Identifier: MIT */
/*
 * The enabled state of events, as the process sees it: one mapping of four quarters.
 *
 *   0   the status page of the tracing directory (zeros if there is none); after it the bytes of
 *       pending events (pending.h)
 *   1   ones, for events that are registered with the kernel too
 *   2   ones, for events that have callbacks in the process
 *   3   ones, for events with both
 *
 * A tracepoint's `enabled` points to its byte in the first quarter. The kernel is registered to set
 * bit ENGINE_STATUS_KERNEL_BIT of that pointer while it has a tracer for the event; the mapping is
 * aligned so that the pointer then leads to the same byte of the second quarter. One load of the
 * pointer and one of the byte then answer for both backends. We set the bit above it while there
 * are callbacks. (docs/architecture.md, "One check, two backends")
 */
#ifndef ENGINE_STATUS_H
#define ENGINE_STATUS_H

#include "core/atomic.h"

#include <cairn/tracepoint.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ENGINE_STATUS_KERNEL_BIT 16
#define ENGINE_STATUS_PART_BYTES ((size_t)1 << ENGINE_STATUS_KERNEL_BIT)
#define ENGINE_STATUS_OWN_BYTES                                        \
    (2 * ENGINE_STATUS_PART_BYTES) /* from a byte to that of quarter 2 \
                                    */

/* The mapping; NULL before the first registration. Once set it stays. */
extern unsigned char *engine_status;

/*
 * Makes the mapping. status_fd is an opening of the status page, or -1: all zeros then. A mapping
 * that exists gets the status page. Returns 0 or what a system call returned. Under the engine's
 * lock.
 */
int engine_status_map(int status_fd);

/* Makes the second quarter's byte of an event a one. */
void engine_status_arm_kernel(uint32_t index);

/*
 * Points a tracepoint to the byte of an index, in the quarter for callbacks if it has any.
 * Under the engine's lock, after the mapping was made.
 */
void engine_status_point(struct cairn_tracepoint *tracepoint, uint32_t index);

/* The index of the byte that a tracepoint points to; 0 if it points elsewhere. */
uint32_t engine_status_index(const struct cairn_tracepoint *tracepoint);

/* Moves it to the byte of another index. The kernel and other threads may change the quarter at the
 * same time. */
void engine_status_move(struct cairn_tracepoint *tracepoint, uint32_t index);

/* Maps the ENGINE_PENDING_MAX bytes of a file as those of the indices from `index` on. Returns 0 or
 * what mmap returned. */
int engine_status_map_pending(uint32_t index, int fd, size_t offset);

/*
 * Sets whether the process has callbacks. Under the engine's lock; the kernel may set and clear its
 * bit of the pointer concurrently.
 */
void engine_status_set_own(struct cairn_tracepoint *tracepoint, bool on);

/* The backends that a tracepoint's pointer shows as enabled. */
struct engine_status_view {
    bool kernel; /* a tracer of the kernel wants it */
    bool local;  /* a session of the engine wants it */
};

static inline struct engine_status_view engine_status_of(const struct cairn_tracepoint *tracepoint)
{
    /* Pairs with the release of engine_status_point: a thread that finds a pointer finds the
     * mapping. */
    const unsigned char *byte = core_load_acquire(&tracepoint->enabled);
    uintptr_t offset = (uintptr_t)byte - (uintptr_t)engine_status;
    struct engine_status_view view = {false, false};

    /* A tracepoint that is not registered points elsewhere. */
    if (cairn_likely(offset < 4 * ENGINE_STATUS_PART_BYTES)) {
        view.kernel = (offset & ENGINE_STATUS_PART_BYTES) != 0;
        view.local =
            core_load_relaxed(&engine_status[offset & (ENGINE_STATUS_PART_BYTES - 1)]) != 0;
    }
    return view;
}

#endif
