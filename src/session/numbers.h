/* SPDX-License-Identifier: MIT */
/* Ids of processes and threads in another pid namespace. */
#ifndef SESSION_NUMBERS_H
#define SESSION_NUMBERS_H

#include "session/internal.h"

/* Replaces the ids in a copy of a chunk by those of our own pid namespace, if the process still
 * runs. */
void session_translate_numbers(struct session_pool *pool, struct cairn_chunk *chunk);

#endif
