/* SPDX-License-Identifier: MIT */
/* The rules of a session, compiled for a descriptor. */
#ifndef ENGINE_FILTER_PROGRAM_H
#define ENGINE_FILTER_PROGRAM_H

#include "condition/condition.h"
#include "engine/rules.h"

/* Memory for programs, in this process alone; a program begins at a multiple of a unit. */
#define ENGINE_FILTER_MEMORY_BYTES ((size_t)1 << 20)
#define ENGINE_FILTER_UNIT_BYTES   16u
#define ENGINE_FILTER_PROGRAMS     (ENGINE_FILTER_MEMORY_BYTES / ENGINE_FILTER_UNIT_BYTES)

enum engine_filter_kind {
    ENGINE_FILTER_ALL,        /* all events are wanted, or it cannot be decided here */
    ENGINE_FILTER_NONE,       /* no event is wanted */
    ENGINE_FILTER_CONDITIONS, /* those that one of the rules selects, by its condition */
    ENGINE_FILTER_DIRECT,     /* the same, if all of them compare values at fixed positions */
    ENGINE_FILTER_TYPED, /* those of a typed tracepoint that one of the rules selects, by its filter
                          */
};

/* Rules of a session that may apply to an event. */
#define ENGINE_FILTER_RULES_MAX 16u

/* A rule that names the event. */
struct engine_filter_rule {
    union {
        struct condition *condition; /* NULL: it selects all events */
        struct cairn_filter *filter;
    };
    uint32_t every; /* as in struct engine_rule */
    uint32_t rate;
    uint32_t number; /* of the session's rules */
};

struct engine_filter_program {
    uint64_t hash; /* of what it was compiled from */
    uint32_t next; /* program with such a hash; 0: none */
    uint16_t kind; /* enum engine_filter_kind */
    uint16_t count;
    uint16_t common_type;
    bool with_stack; /* of those that are wanted */
    struct engine_filter_rule rules[ENGINE_FILTER_RULES_MAX];
};

/* Finds the program of the session in a slot for the descriptor of a unit, or compiles it. Returns
 * 0, and its number; number 0 is a program that wants all events. EBUSY: another thread, or what a
 * signal handler has interrupted, compiles at this moment. */
int engine_filter_program_of(uint32_t slot, uint64_t session, uint32_t unit, uint32_t *ret_number);

/* In a forked child: no other thread compiles. */
void engine_filter_forget_others(void);

const struct engine_filter_program *engine_filter_program_at(uint32_t number);

#endif
