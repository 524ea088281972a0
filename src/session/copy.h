/* SPDX-License-Identifier: MIT */
/*
 * Records of a pool, copied to a trace file as they are: the file's events are the buffers' bytes.
 * Each record's head is checked; one that cannot be copied is expanded, or left out and counted.
 */
#ifndef SESSION_COPY_H
#define SESSION_COPY_H

#include "session/internal.h"

/* Takes what is new in a chunk, and adds it to the file. Returns the number of bytes. */
uint32_t session_copy_chunk(struct cairn_session *session, struct session_pool *pool,
                            uint32_t chunk);

#endif
