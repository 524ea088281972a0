/* SPDX-License-Identifier: MIT */
/*
 * Stacks of events as a tree: a node is a function, called by that of the node before it. An event
 * refers to the node of its innermost function. Nodes that begin with the same functions share
 * them, so that a recording has few.
 */
#ifndef REPORT_STACKS_H
#define REPORT_STACKS_H

#include "report/columns.h"

#include <cairn/decode.h>

#define REPORT_FRAMES_MAX      (1u << 18)
#define REPORT_NODES_MAX       (1u << 20) /* further functions are left out of their stacks */
#define REPORT_STACK_DEPTH_MAX 512u       /* the innermost ones */

struct report_frame {
    char *text; /* "symbol\0object"; owned */
    uint32_t hash;
    uint32_t symbol_bytes;
    uint32_t object_bytes;
    bool is_kernel;
};

struct report_node {
    uint32_t parent; /* number + 1; 0: none called it */
    uint32_t frame;
};

/* A hash table of numbers + 1. */
struct report_slots {
    uint32_t *list;
    uint32_t count; /* a power of two */
};

struct report_stacks {
    struct report_frame *frames;
    uint32_t frame_count;
    uint32_t frame_capacity;
    struct report_slots frame_slots;
    struct report_node *nodes;
    uint32_t node_count;
    uint32_t node_capacity;
    struct report_slots node_slots;
    uint64_t cut; /* stacks that lack functions: there are too many */

    struct report_columns node_rows; /* parents, frames */
    struct report_blocks node_blocks;
    struct report_columns rows; /* of events: times, numbers, threads, kinds, nodes + 1 */
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
