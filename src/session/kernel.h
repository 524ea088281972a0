/* SPDX-License-Identifier: MIT */
/* The kernel's events of a session: perf events whose records go to the session's output. */
#ifndef SESSION_KERNEL_H
#define SESSION_KERNEL_H

#include <cairn/session.h>

/*
 * Opens and starts the events that the options want, and records of mappings if stacks of programs
 * are recorded; nothing if they want none. On failure the
 * options' problem is set.
 *
 * Returns 0; EINVAL a receiver cannot get them, or no pattern; or as perf_events_open.
 */
int session_kernel_begin(struct cairn_session *session,
                         const struct cairn_session_options *options);

/* Puts the events and the names of threads into a file that follows. Returns 0, or the first error.
 */
int session_kernel_continue(struct cairn_session *session);

/* If stacks of programs are recorded: puts the mappings of a process that has written events,
 * unless the kernel does. */
void session_kernel_describe(struct cairn_session *session, uint32_t pid);

/* Moves what is in the rings to the output; returns the number of bytes. */
size_t session_kernel_poll(struct cairn_session *session);

/* The rings, as descriptors that can be polled. */
uint32_t session_kernel_ring_count(const struct cairn_session *session);
int session_kernel_ring_fd(const struct cairn_session *session, uint32_t index);

/* Stops the events, and moves the rest. */
void session_kernel_finish(struct cairn_session *session);

void session_kernel_free(struct cairn_session *session);

#endif
