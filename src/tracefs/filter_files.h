/* SPDX-License-Identifier: MIT */
/* The files of filters: an event's, a system's, and the error log. All under the engine's lock. */
#ifndef TRACEFS_FILTER_FILES_H
#define TRACEFS_FILTER_FILES_H

#include "tracefs/output.h"
#include "tracefs/file.h"

/*
 * Executes a write to an event's `filter` file, or to a system's. Returns 0; EINVAL the filter
 * is malformed (a write for a system succeeds nevertheless); ENODEV the event is gone;
 * ENOMEM.
 */
int tracefs_filter_files_write(const struct tracefs_file *file, const char *text, size_t length);

/* Prints the file's content. Returns 0; ENODEV the event is gone; or the error of the session. */
int tracefs_filter_files_print(const struct tracefs_file *file, struct tracefs_output *output);

/* error_log, opened with O_TRUNC. */
int tracefs_filter_files_clear_errors(void);

#endif
