/* SPDX-License-Identifier: MIT */
/* The ids in the records of a process: what they mean in a trace file. */
#ifndef SESSION_KNOWN_H
#define SESSION_KNOWN_H

#include "session/internal.h"

/* The meaning of an id of a process. */
struct session_known {
    uint32_t tracepoint;  /* its index */
    uint32_t number;      /* of the descriptor in the file; 0: its records cannot be copied */
    uint32_t least_bytes; /* of a payload */
    uint32_t most_bytes;
    struct trace_file_count_position position; /* of its count in the block */
    bool is_filtered;                          /* not all of its records are wanted */
};

/*
 * Finds an id of a process, whose descriptor is written to the file the first time. The result is
 * valid until the next call for the process. NULL: there is no valid descriptor, or its tracepoint
 * is not one of the session's.
 */
struct session_known *session_find_known(struct cairn_session *session, struct session_pool *pool,
                                         struct session_process *process, uint32_t id);

void session_free_known(struct session_process *process);

#endif
