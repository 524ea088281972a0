/* SPDX-License-Identifier: MIT */
/*
 * Conditions on the fields of EventHeader events: filters in the language of cairn/filter.h,
 * compiled for one type of event, and applied to the values as they are encoded.
 *
 *     Size > 4096 && Owner.User == 0 && Counts[2] != 0 && level <= 3
 *
 * Compiling uses the caller's memory only; matching uses a few hundred bytes of stack. Neither
 * calls the system, allocates or recurses, so both may run in a signal handler of a traced program.
 * The number of steps of a match is limited by the number of bytes of the event.
 */
#ifndef CONDITION_CONDITION_H
#define CONDITION_CONDITION_H

#include "core/private_api.h"

#include <cairn/filter.h>

/* The number of different names in one filter. */
#define CONDITION_NAMES_MAX 32u

/* In names of a filter that is being compiled these replace '.', '[' and ']': the filter's parser
 * takes them for letters, and UTF-8 does not contain them. */
#define CONDITION_DOT   ((char)0xf8)
#define CONDITION_OPEN  ((char)0xf9)
#define CONDITION_CLOSE ((char)0xfa)

/* Data that the events of a type have in common. */
struct condition_type {
    const void *header;   /* struct cairn_eventheader */
    const void *metadata; /* the name of the event, and the definitions of its fields */
    size_t metadata_bytes;
    uint64_t keyword; /* of the tracepoint */
};

struct condition;

/* An event. */
struct condition_event {
    const uint8_t *values;
    size_t values_bytes;
    uint16_t common_type;
    uint32_t cpu;
    uint32_t pid;
    uint32_t tid;
    const char *comm; /* CAIRN_FILTER_COMM_BYTES */
    /* Memory for texts that are compared in another encoding than they have, and a limit of the
     * length of others. */
    char *scratch;
    size_t scratch_bytes;
    size_t text_max_bytes;
};

enum condition_verdict {
    CONDITION_FALSE,
    CONDITION_TRUE,
    CONDITION_UNDECIDED, /* a text is longer than the event's limits */
};

/* Replaces dots and brackets within names. The length does not change. */
void condition_mark_names(char *text) CORE_PRIVATE_API(condition_mark_names);

/* Memory that is enough for every filter of `length` bytes, for every type with such metadata. */
size_t condition_memory_bytes(size_t length, size_t metadata_bytes)
    CORE_PRIVATE_API(condition_memory_bytes);

/*
 * Compiles a filter for a type of events of this machine's byte order. Invalid metadata ends the
 * fields where it is invalid.
 *
 * text        after condition_mark_names
 * memory      at a multiple of 8; becomes the condition, which is not moved
 * ret_error   set when EINVAL is returned
 *
 * Returns 0; EINVAL the filter is invalid for the type; EOPNOTSUPP it names a field whose values
 * have no one type, or too many fields; E2BIG, ENOSPC the filter is too long, or does not fit in
 * memory.
 */
int condition_compile(const struct condition_type *type, const char *text, size_t length,
                      void *memory, size_t memory_bytes, struct condition **ret_condition,
                      struct cairn_filter_error *ret_error) CORE_PRIVATE_API(condition_compile);

/* The bytes of its memory that a compiled condition needs: less than it was compiled in. */
size_t condition_bytes(const struct condition *condition);

/* True if it compares only numbers, and a text, at fixed positions: then condition_match_direct may
 * be used, which is faster than condition_match, and needs no memory. */
bool condition_is_direct(const struct condition *condition);

/* As condition_match. */
enum condition_verdict condition_match_direct(const struct condition *condition,
                                              const uint8_t *values, size_t values_bytes,
                                              size_t text_max_bytes);

/* True if it uses CPU or COMM. */
bool condition_needs_task(const struct condition *condition);

/* Applies it. An event that lacks a field or an element that the filter names is not selected. Any
 * thread. The bytes of the values may be anything, but must not change during the call. */
enum condition_verdict condition_match(const struct condition *condition,
                                       const struct condition_event *event)
    CORE_PRIVATE_API(condition_match);

#endif
