/* SPDX-License-Identifier: MIT */
/*
 * Counters of the kernel's events, one for each processor. They keep an event enabled, and have the
 * kernel bring it to perf wherever it is written, where BPF programs wait for it. Nothing is
 * recorded.
 */
#ifndef CLI_COUNTERS_H
#define CLI_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

struct cli_counters {
    int *fds;
    size_t count;
};

/*
 * The id of an event of user_events, from tracefs.
 *
 * Returns 0; ENODEV no tracefs is mounted; ENOENT there is no such event; EACCES the folder is not
 * open to this user; or what a system call said.
 */
int cli_event_id(const char *name, size_t length, uint32_t *ret_id);

/*
 * Counts an event on every processor that runs now. `counters` may have others.
 *
 * Returns 0; EACCES, EPERM this user may not; ENOMEM; or what perf_event_open said.
 */
int cli_counters_add(struct cli_counters *counters, uint32_t id);

void cli_counters_close(struct cli_counters *counters);

#endif
