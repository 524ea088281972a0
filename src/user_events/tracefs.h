/* SPDX-License-Identifier: MIT */
/* Finds the tracing directory: /sys/kernel/tracing on most machines, but only by convention. */
#ifndef USER_EVENTS_TRACEFS_H
#define USER_EVENTS_TRACEFS_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * Extracts the tracing directory from one line of /proc/self/mounts.
 *
 * type           the type of file system: "tracefs", or "debugfs", whose directory `tracing` is the
 *                tracing directory of older systems
 * ret_directory  unchanged on failure
 *
 * Returns false if the line is of another file system, malformed, or the path too long.
 */
bool user_events_tracefs_of_mount(const char *line, const char *type, char ret_directory[PATH_MAX]);

/*
 * Calls `visit` with each tracing directory of a text of mounts until it returns true. debugfs is
 * used only if no tracefs is mounted: its directory `tracing` is the same tracefs.
 *
 * Returns 0, or the error of reading: ENOMEM, EIO ....
 */
int user_events_tracefs_each(FILE *mounts, bool (*visit)(const char *directory, void *context),
                             void *context);

#endif
