/* SPDX-License-Identifier: MIT */
/*
 * Where a process looks for who listens: one mapping of four quarters.
 *
 *   0   the status page of the tracing directory (zeros when there is none)
 *   1   ones, for the events that are registered with the kernel too
 *   2   ones, for the events that the process itself listens to, by callbacks
 *   3   ones, for those of which both is true
 *
 * A tracepoint's `enabled` points to its byte in the first quarter. The kernel is told to set bit
 * CAIRN_STATUS_KERNEL_BIT of that pointer while it has a tracer for the event; the mapping is
 * aligned so that this leads to the same byte of the second quarter. One load of the pointer and
 * one of the byte then answer for both backends. We set the bit above it while there are callbacks.
 * (docs/architecture.md, "One check, two backends")
 */
#ifndef ENGINE_STATUS_H
#define ENGINE_STATUS_H

#include "core/atomic.h"

#include <cairn/tracepoint.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_STATUS_KERNEL_BIT 16
#define CAIRN_STATUS_PART_BYTES ((size_t)1 << CAIRN_STATUS_KERNEL_BIT)
#define CAIRN_STATUS_OWN_BYTES                                        \
    (2 * CAIRN_STATUS_PART_BYTES) /* from a byte to that of quarter 2 \
                                   */

/* The mapping; NULL before the first registration. Once set it stays. */
extern unsigned char *cairn_i_status;

/*
 * Makes the mapping. status_fd is an opening of the status page, or -1: all zeros then.
 * Made already, it gets the status page. Returns 0 or what a system call said. Under the engine's
 * lock.
 */
int cairn_status_map(int status_fd);

/* Makes the second quarter's byte of an event a one. */
void cairn_status_arm_kernel(uint32_t index);

/*
 * Points a tracepoint to the byte of an index: to that of its own listening, when it has any.
 * Under the engine's lock, after the mapping was made.
 */
void cairn_status_point(struct cairn_tracepoint *tracepoint, uint32_t index);

/*
 * Whether the process itself listens. Under the engine's lock; the kernel may set and clear its bit
 * of the pointer meanwhile.
 */
void cairn_status_set_own(struct cairn_tracepoint *tracepoint, bool on);

/* What a tracepoint's pointer says. */
struct cairn_status_view {
    bool kernel; /* a tracer of the kernel listens */
    bool local;  /* somebody listens through the local engine */
};

static inline struct cairn_status_view cairn_status_of(const struct cairn_tracepoint *tracepoint)
{
    /* Pairs with the release of cairn_status_point: who finds a pointer finds the mapping. */
    const unsigned char *byte = cairn_load_acquire(&tracepoint->enabled);
    uintptr_t offset = (uintptr_t)byte - (uintptr_t)cairn_i_status;
    struct cairn_status_view view = {false, false};

    /* A tracepoint that is not registered points elsewhere. */
    if (cairn_likely(offset < 4 * CAIRN_STATUS_PART_BYTES)) {
        view.kernel = (offset & CAIRN_STATUS_PART_BYTES) != 0;
        view.local =
            cairn_load_relaxed(&cairn_i_status[offset & (CAIRN_STATUS_PART_BYTES - 1)]) != 0;
    }
    return view;
}

#endif
