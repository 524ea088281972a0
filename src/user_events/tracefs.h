/* SPDX-License-Identifier: MIT */
/* Where the tracing folder is: /sys/kernel/tracing on most machines, but that is only a custom. */
#ifndef USER_EVENTS_TRACEFS_H
#define USER_EVENTS_TRACEFS_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * Takes the tracing folder from one line of /proc/self/mounts.
 *
 * type        the kind of file system that is looked for: "tracefs", or "debugfs", whose folder
 *             `tracing` is the tracing folder of old
 * ret_folder  untouched on failure
 *
 * Returns false when the line is of another file system, malformed, or the path too long.
 */
bool cairn_tracefs_of_mount(const char *line, const char *type, char ret_folder[PATH_MAX]);

/*
 * Calls `visit` with each tracing folder of a mounts text until it returns true. Where a tracefs is
 * mounted, debugfs has nothing to add, and is not asked: its folder `tracing` is the same tracefs.
 *
 * Returns 0, or what reading said: ENOMEM, EIO ....
 */
int cairn_tracefs_each(FILE *mounts, bool (*visit)(const char *folder, void *context),
                       void *context);

#endif
