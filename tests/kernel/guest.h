/* SPDX-License-Identifier: MIT */
/* What the tests of this folder share. They run as root on a machine of their own (tests/vm/). */
#ifndef TESTS_KERNEL_GUEST_H
#define TESTS_KERNEL_GUEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/tracepoint.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/uio.h>

#define TRACING "/sys/kernel/tracing"

/* For cmocka_run_group_tests: maps the two halves that tracepoints lead into. */
int guest_map_halves(void **state);

/* A tracepoint that is ready to be registered; it leads to a byte of zeros. */
struct cairn_tracepoint guest_tracepoint(void);

/* Whether a tracepoint leads into the half of ones: the kernel has set its bit. */
bool guest_leads_to_ones(const struct cairn_tracepoint *tp);

/*
 * The same, with patience. Where fork has left the tracepoint in memory that is still shared, the
 * kernel comes back to it later.
 */
bool guest_comes_to_lead_to_ones(const struct cairn_tracepoint *tp);

/* All of a file; gone with the next call. */
const char *guest_read(const char *path);

/* Writes to a file that must take it, as echo does. */
void guest_write(const char *path, const char *text);

/* cairn_kernel_write of a payload in pieces; E2BIG also for what is larger than any record. */
int guest_write_parts(const struct cairn_tracepoint *tp, const struct iovec *parts, int count);

/* Attaches ftrace to a user event, or detaches it. */
void guest_enable(const char *event, bool enable);

/* Runs a function in a child process that must end well; a check that fails there fails here. */
void guest_in_child(void (*function)(void *context), void *context);

/* Goes to the top of the build folder, from which this program was started. */
void guest_go_to_build_folder(void);

/* Runs a command of the shell that must end well. */
void guest_run(const char *command);

/* The same for a text of printf's; all that it printed, gone with the next call. */
const char *guest_output_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The descriptor of this process's user_events_data, or -1. */
int guest_kernel_fd(void);

#endif
