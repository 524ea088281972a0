/* SPDX-License-Identifier: MIT */
/*
 * Records of switches (PERF_RECORD_SWITCH) as events `perf:context_switch`: a thread left its CPU,
 * or continued. A reader has them if its options ask for them.
 */
#ifndef DECODE_SWITCHES_H
#define DECODE_SWITCHES_H

#include "perf_data/sample_layout.h"

#include <stdbool.h>

struct cairn_reader;

/* The data of such an event. */
struct decode_switch_data {
    uint8_t in;        /* 1: it continued */
    uint8_t preempted; /* 1: it left, and could have continued */
};

struct decode_switches {
    bool has_tracepoint;
    uint32_t tracepoint; /* the decoder's number */
    struct decode_switch_data data;
};

/*
 * Sets the reader's record, and the event's process, thread and CPU. The time is the caller's.
 *
 * layout  of the attr
 *
 * Returns 0; ENOENT it is another record, lacks the thread, or is of an idle CPU; ENOMEM.
 */
int decode_switches_fill(struct cairn_reader *reader, const struct perf_data_sample_layout *layout,
                         const uint8_t *record, uint16_t size_bytes, bool swap);

#endif
