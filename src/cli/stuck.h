/* SPDX-License-Identifier: MIT */
/* Waits for the reader of a stream, which may have stopped reading, without missing a signal or the
 * end of --duration. */
#ifndef CLI_STUCK_H
#define CLI_STUCK_H

#include "cli/collection.h"

/* A `wait` function of a session or a printer; the context is a struct cli_collection. Returns 0;
 * ETIMEDOUT the session is to end, and the reader does not read. */
int cli_wait_for_reader(void *context, int fd);

#endif
