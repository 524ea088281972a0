/* SPDX-License-Identifier: MIT */
/* The kernel's tracepoints, as tracefs lists them. */
#ifndef PERF_EVENTS_TRACEFS_H
#define PERF_EVENTS_TRACEFS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Opens the directory of tracefs: where it is mounted, or else, as root, of a mount that is visible
 * nowhere and lasts as long as the descriptor.
 *
 * Returns 0; ENODEV this kernel has no tracefs; EACCES, EPERM not permitted; or another error of
 * open.
 */
int perf_events_tracefs_open(int *ret_fd);

/* A tracepoint of the kernel. */
struct perf_events_tracepoint {
    char *system;
    char *name;
    uint32_t id;
    char *format; /* its format text; NUL-terminated */
    size_t format_bytes;
};

/*
 * Reads a tracepoint's id and format.
 *
 * ret_tracepoint  freed by the caller
 *
 * Returns 0; ENOENT there is none; ENOMEM; or an error of open or read.
 */
int perf_events_tracepoint_read(int tracefs, const char *system, const char *name,
                                struct perf_events_tracepoint *ret_tracepoint);

/*
 * Reads the kernel's constant strings that events have only pointers to, with their addresses: the
 * file printk_formats.
 *
 * ret_text  NUL-terminated; freed by the caller
 *
 * Returns 0; ENOMEM; or an error of open or read.
 */
int perf_events_tracefs_strings(int tracefs, char **ret_text, size_t *ret_bytes);

void perf_events_tracepoint_free(struct perf_events_tracepoint *tracepoint);

/* Takes a tracepoint's names. Returns 0, or an error that ends the listing. */
typedef int perf_events_visit(void *context, const char *system, const char *name);

/*
 * Calls `visit` for each tracepoint whose system matches a glob.
 *
 * Returns 0; what `visit` returned; or the error of open.
 */
int perf_events_tracefs_each(int tracefs, const char *system_pattern, perf_events_visit *visit,
                             void *context);

#endif
