/* SPDX-License-Identifier: MIT */
/* Waiting for the reader of a stream, which may be stuck: signals, and the end of the time, are
 * noticed meanwhile. */
#ifndef CLI_STUCK_H
#define CLI_STUCK_H

#include "cli/collection.h"

/* For the `wait` of a session or a printer, with a struct cli_collection for context. Returns 0;
 * ETIMEDOUT the recording is to end, and the reader takes nothing. */
int cli_wait_for_reader(void *context, int fd);

#endif
