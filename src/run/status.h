/* SPDX-License-Identifier: MIT */
/*
 * The mapped status page: mappings show the kernel's cache of the file, into which changes are
 * stored. The thread that watches the registry does that, not the one that answers requests:
 * the kernel may hold a page locked while it waits for an answer.
 */
#ifndef RUN_STATUS_H
#define RUN_STATUS_H

#include "run/fuse.h"

/* Under the engine's lock: answers a write after the mappings show what it has changed; at once if
 * there is nothing. */
void run_status_reply(const struct run_request *request, int error,
                      const struct fuse_write_out *out);

/* Under the engine's lock, then without it: copies the page, and stores the changes. Returns true
 * if a write waits again. */
void run_status_take(void);
bool run_status_store(void);

#endif
