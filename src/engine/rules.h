/* SPDX-License-Identifier: MIT */
/*
 * The rules of a session: which events it wants, more precisely than by patterns of tracepoints. An
 * event is wanted if one of the rules that name it has no filter, or a filter that selects it.
 *
 * They are in the session's slot, after the empty pattern that ends its patterns: texts like these,
 * each
 * '=', the pattern, a separator, the filter, a separator, both numbers, and a NUL. After them are
 * the patterns of events whose stacks are wanted, each after a '+'. Programs of older builds do not
 * read them, and write all events of the patterns; so the recorder applies the rules again.
 */
#ifndef ENGINE_RULES_H
#define ENGINE_RULES_H

#include "core/private_api.h"
#include "core/slice.h"
#include "engine/abi.h"

#include <stdbool.h>

#define ENGINE_RULE_MARK      '='
#define ENGINE_RULE_STACK     '+'
#define ENGINE_RULE_SEPARATOR '\x01'

struct engine_rule {
    struct cairn_slice pattern; /* TRACEPOINT, SYSTEM:TRACEPOINT or PROVIDER:EVENT */
    struct cairn_slice filter;  /* after condition_mark_names; "": none */
    /* Sampling: each thread writes one of `every` events that the rule selects, and at most `rate`
     * per second; 0: all. */
    uint32_t every;
    uint32_t rate;
    bool with_stack; /* with each event the stack of its thread */
};

/* The names of an event. */
struct engine_event_name {
    struct cairn_slice system;
    struct cairn_slice tracepoint;
    struct cairn_slice provider; /* of an EventHeader event; "" */
    struct cairn_slice event;
};

/* Writes the patterns of tracepoints, and after them the rules if there is space; the rest of the
 * area has zeros. rules may be NULL, or be an array of as many. Returns 0; E2BIG the patterns are
 * too long, or the rules are, and one of them samples or wants stacks. */
int engine_rules_put(const char *const *patterns, const struct engine_rule *rules, uint32_t count,
                     char area[ENGINE_SESSION_PATTERNS]);

/* True if a slot has rules. */
bool engine_rules_exist(const char area[ENGINE_SESSION_PATTERNS]);

/* Takes the next rule of a private copy of the area; *at is 0 before the first. False: no more. */
bool engine_rules_next(const char area[ENGINE_SESSION_PATTERNS], size_t *at,
                       struct engine_rule *ret_rule);

/* Takes the next pattern of events whose stacks are wanted; *at is 0 before the first. False: no
 * more. */
bool engine_rules_next_stack(const char area[ENGINE_SESSION_PATTERNS], size_t *at,
                             struct cairn_slice *ret_pattern);

/* True if a pattern names an event. */
bool engine_rule_names(struct cairn_slice pattern, const struct engine_event_name *name)
    CORE_PRIVATE_API(engine_rule_names);

/* True if it may name an event of a tracepoint, whose `event` is not looked at. */
bool engine_rule_names_tracepoint(struct cairn_slice pattern, const struct engine_event_name *name)
    CORE_PRIVATE_API(engine_rule_names_tracepoint);

/* True if it names all events of the tracepoints that it names. */
bool engine_rule_is_whole(struct cairn_slice pattern) CORE_PRIVATE_API(engine_rule_is_whole);

/* The parts of the name of an EventHeader tracepoint, "PROVIDER_L5K1"; false: it is none. */
bool engine_rule_split_tracepoint(struct cairn_slice name, struct cairn_slice *ret_provider,
                                  uint64_t *ret_keyword)
    CORE_PRIVATE_API(engine_rule_split_tracepoint);

/* The glob of the tracepoints that a pattern may name, in memory of at least its length and
 * ENGINE_RULE_GLOB_MORE. */
#define ENGINE_RULE_GLOB_MORE 8u
void engine_rule_glob(const char *pattern, char *glob) CORE_PRIVATE_API(engine_rule_glob);

#endif
