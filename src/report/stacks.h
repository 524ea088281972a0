/* SPDX-License-Identifier: MIT */
/* Stacks of events in a report: the tree of their calls, and the call of each event, in blocks. */
#ifndef REPORT_STACKS_H
#define REPORT_STACKS_H

#include "report/columns.h"
#include "timeline/calls.h"

struct report_stacks {
    struct timeline_calls calls;
    uint32_t written;                /* calls that are in rows */
    struct report_columns node_rows; /* callers + 1, functions */
    struct report_blocks node_blocks;
    struct report_columns rows; /* of events: times, numbers, threads, kinds, calls + 1 */
    struct report_blocks row_blocks;
};

/* The event that a stack is of. */
struct report_stack_event {
    uint64_t number;
    uint64_t time_ns;
    uint32_t thread;
    uint32_t kind;
};

/* Adds the stack of an event, which has one. Returns 0, ENOMEM. */
int report_stacks_add(struct report_stacks *stacks, struct report_output *output,
                      const struct cairn_event *event, const struct report_stack_event *of);

/* Writes what is not written. */
void report_stacks_write(struct report_stacks *stacks, struct report_output *output);

/* Accepts zeros. */
void report_stacks_free(struct report_stacks *stacks);

#endif
