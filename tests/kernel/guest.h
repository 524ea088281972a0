/* SPDX-License-Identifier: MIT */
/* Functions that the tests of this directory share. They run as root in a virtual machine of their
 * own (tests/vm/). */
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

/* For cmocka_run_group_tests: maps the two pages that tracepoints lead to. */
int guest_map_halves(void **state);

/* Returns a tracepoint that can be registered; it leads to a byte that is zero. */
struct cairn_tracepoint guest_tracepoint(void);

/* True if a tracepoint leads to the page of ones: the kernel has set its bit. */
bool guest_leads_to_ones(const struct cairn_tracepoint *tp);

/*
 * The same, but waits. If fork has left the tracepoint in shared memory, the kernel sets the bit
 * later.
 */
bool guest_comes_to_lead_to_ones(const struct cairn_tracepoint *tp);

/* The contents of a file, valid until the next call. */
const char *guest_read(const char *path);

/* Writes to a file, as echo does; fails if the file refuses the text. */
void guest_write(const char *path, const char *text);

/* user_events_kernel_write of a payload in parts; E2BIG also for one larger than any record. */
int guest_write_parts(const struct cairn_tracepoint *tp, const struct iovec *parts, int count);

/* Attaches ftrace to a user event, or detaches it. */
void guest_enable(const char *event, bool enable);

/* Runs a function in a child process; fails if a check there fails or the child does not end with
 * 0. */
void guest_in_child(void (*function)(void *context), void *context);

/* Changes to the top of the build directory, from which this program was started. */
void guest_go_to_build_directory(void);

/* Runs a shell command; fails if its exit status is not 0. */
void guest_run(const char *command);

/* The same for a printf format; returns its output, valid until the next call. */
const char *guest_output_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The descriptor of this process's user_events_data, or -1. */
int guest_kernel_fd(void);

#endif
