/* SPDX-License-Identifier: MIT */
/* Processes and threads of another pid namespace have numbers of their own there. */
#ifndef SESSION_NUMBERS_H
#define SESSION_NUMBERS_H

#include "session/internal.h"

/* Replaces the numbers in a chunk's copy by those that this process sees, as far as the process
 * lives. */
void session_translate_numbers(struct session_pool *pool, struct cairn_chunk *chunk);

#endif
