/* SPDX-License-Identifier: MIT */
/*
 * Compact records become samples: the records that perf.data has, with all of an event's data. Each
 * compact record is checked; the data that its events have in common comes from the descriptors of
 * its process.
 */
#ifndef SESSION_EXPAND_H
#define SESSION_EXPAND_H

#include "engine/record_read.h"
#include "session/internal.h"

/* Samples of at least one record of the largest size fit. */
#define SESSION_EXPANDED_BYTES ((size_t)4 * (CAIRN_RECORD_MAX_BYTES + 8u))

/* The bytes of a chunk that are being expanded. */
struct session_expansion {
    struct session_pool *pool;
    struct engine_baseline *baseline; /* of the chunk */
    uint32_t pid;
    uint32_t tid;
    const uint8_t *at;
    const uint8_t *end;
    const uint8_t *stack; /* of the only sample, in the chunk's bytes; NULL: none */
    uint32_t stack_count; /* of its addresses */
};

/*
 * Expands records up to the end, or until session->expanded is full, and moves expansion->at. A
 * record with a stack is expanded alone.
 * Records whose descriptor is not valid are counted as damaged. Bytes that are no record end it:
 * pool->spoilt is set.
 *
 * Returns the number of bytes in session->expanded.
 */
size_t session_expand(struct cairn_session *session, struct session_expansion *expansion);

/* Expands one record to `to`, which has space for CAIRN_RECORD_MAX_BYTES. Returns its size; 0: it
 * is not valid, and is counted as damaged. */
uint32_t session_expand_record(struct cairn_session *session,
                               const struct session_expansion *expansion,
                               const struct engine_record *record, uint8_t *to);

/* Finds the descriptor of an id, which is copied the first time. NULL: it is not valid. */
const struct engine_descriptor *session_find_descriptor(struct cairn_session *session,
                                                        struct session_pool *pool, uint32_t id);

/* Frees the copies. */
void session_free_descriptors(struct session_pool *pool);

#endif
