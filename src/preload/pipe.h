/* SPDX-License-Identifier: MIT */
/*
 * trace_pipe: a pipe that the thread feeds as it is read, so that poll, select and reading by
 * whatever function work. It is a FIFO without a name, so that a program that inherits it can open
 * its other end.
 */
#ifndef PRELOAD_PIPE_H
#define PRELOAD_PIPE_H

#include <stdbool.h>

/* ---- under the engine's lock ---- */

/* Returns the reading end, or -1 with errno set; and the writing end, to be released. */
int preload_pipe_open(int flags, int *ret_writer);

/* The writing end of a reading one that was inherited; -1 when it cannot be had. */
int preload_pipe_feed(int reader);
void preload_pipe_release(int writer);

/* True if a link's text is that of such a pipe. */
bool preload_pipe_is_name(const char *name);

bool preload_pipe_any(void);
void preload_pipe_feed_all(void);

#endif
