/* SPDX-License-Identifier: MIT */
/*
 * Where a process looks for who listens: one mapping of two halves.
 *
 *   lower half   the status page of the tracing directory (zeros when there is none)
 *   upper half   ones, for the events that are registered with the kernel too
 *
 * A tracepoint's `enabled` points to its byte in the lower half. The kernel is told to set bit
 * CAIRN_STATUS_KERNEL_BIT of that pointer while it has a tracer for the event; the mapping is
 * aligned so that this leads to the same byte of the upper half. One load of the pointer and one of
 * the byte then answer for both backends. (docs/architecture.md, "One check, two backends")
 */
#ifndef LOCAL_STATUS_H
#define LOCAL_STATUS_H

#include <cairn/tracepoint.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_STATUS_KERNEL_BIT 16
#define CAIRN_STATUS_HALF_BYTES ((size_t)1 << CAIRN_STATUS_KERNEL_BIT)

/* The mapping; NULL before the first registration. Once set it stays. */
extern unsigned char *cairn_i_status;

/*
 * Makes the mapping. status_fd is an opening of the status page, or -1: all zeros then.
 * Returns 0 or what a system call said. Called once, under the engine's lock.
 */
int cairn_status_map(int status_fd);

/* Makes the upper half's byte of an event a one. */
void cairn_status_arm_kernel(uint32_t index);

/* What a tracepoint's pointer says. */
struct cairn_status_view {
    bool kernel; /* a tracer of the kernel listens */
    bool local;  /* somebody listens through the local engine */
};

static inline struct cairn_status_view cairn_status_of(const struct cairn_tracepoint *tracepoint)
{
    const unsigned char *byte = __atomic_load_n(&tracepoint->enabled, __ATOMIC_RELAXED);
    uintptr_t offset = (uintptr_t)byte - (uintptr_t)cairn_i_status;
    struct cairn_status_view view = {false, false};

    /* A tracepoint that is not registered points elsewhere. */
    if (cairn_likely(offset < 2 * CAIRN_STATUS_HALF_BYTES)) {
        view.kernel = offset >= CAIRN_STATUS_HALF_BYTES;
        view.local = __atomic_load_n(&cairn_i_status[offset & (CAIRN_STATUS_HALF_BYTES - 1)],
                                     __ATOMIC_RELAXED) != 0;
    }
    return view;
}

#endif
