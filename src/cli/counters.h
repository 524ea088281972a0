/* SPDX-License-Identifier: MIT */
/*
 * Counters of the kernel's events, one for each processor, by perf_event_open. While a counter is
 * open the event is enabled, and the kernel calls perf_tp_event for each one that is written, to
 * which BPF programs attach. Nothing is recorded.
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
 * Reads the id of an event of user_events from tracefs.
 *
 * Returns 0; ENODEV no tracefs is mounted; ENOENT there is no such event; EACCES this user has no
 * access to the directory; EBADMSG the file has no id; or the error of a system call.
 */
int cli_event_id(const char *name, size_t length, uint32_t *ret_id);

/*
 * Counts an event on every processor that is online now. `counters` may have others.
 *
 * Returns 0; EACCES, EPERM this user is not permitted to; ENOMEM; or the error of perf_event_open.
 */
int cli_counters_add(struct cli_counters *counters, uint32_t id);

void cli_counters_close(struct cli_counters *counters);

#endif
