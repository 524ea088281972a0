/* SPDX-License-Identifier: MIT */
/*
 * Stacks of events as a tree: a call is a function that was called by the one of the call before
 * it. An event is at the call of its innermost function. Stacks that begin with the same functions
 * share their calls, so that a recording has few.
 */
#ifndef TIMELINE_CALLS_H
#define TIMELINE_CALLS_H

#include <cairn/decode.h>

#define TIMELINE_FUNCTIONS_MAX   (1u << 18)
#define TIMELINE_CALLS_MAX       (1u << 20) /* further functions are left out of their stacks */
#define TIMELINE_CALLS_DEPTH_MAX 512u       /* the innermost functions are kept */

struct timeline_function {
    char *text; /* "symbol\0object"; owned */
    uint32_t hash;
    uint32_t symbol_bytes; /* 0: unknown */
    uint32_t object_bytes; /* 0: unknown */
    bool is_kernel;
    uint64_t object_offset; /* of an address in it, the first that was seen */
};

struct timeline_call {
    uint32_t caller; /* number + 1; 0: none */
    uint32_t function;
};

/* A hash table of numbers + 1. */
struct timeline_call_slots {
    uint32_t *list;
    uint32_t count; /* a power of two */
};

/* Begins as zeros. Functions and calls keep their numbers; new ones are at the end. */
struct timeline_calls {
    struct timeline_function *functions;
    uint32_t function_count;
    struct timeline_call_slots function_slots;
    struct timeline_call *calls;
    uint32_t call_count;
    struct timeline_call_slots call_slots;
    uint64_t cut; /* stacks that lack functions: there are too many */
};

/*
 * Finds the call of a frame, or adds it.
 *
 * call  the caller's number + 1, or 0: none; then the call's
 *
 * Returns 0, ENOMEM. If there are too many it counts that, and the call is still the caller's.
 */
int timeline_calls_enter(struct timeline_calls *calls, const struct cairn_frame *frame,
                         uint32_t *call);

/* The same for all frames of an event, from the outermost one on. */
int timeline_calls_enter_all(struct timeline_calls *calls, const struct cairn_event *event,
                             uint32_t *call);

/* The path of its file; "": unknown. */
static inline const char *timeline_function_object(const struct timeline_function *function)
{
    return function->text + function->symbol_bytes + 1;
}

/* Accepts zeros. */
void timeline_calls_free(struct timeline_calls *calls);

#endif
