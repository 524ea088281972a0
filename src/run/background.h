/* SPDX-License-Identifier: MIT */
/* A server in a process of its own. */
#ifndef RUN_BACKGROUND_H
#define RUN_BACKGROUND_H

#include <stddef.h>

/*
 * Calls a function in a child process. It, or a process that it starts, writes an answer to `out`.
 * Returns 0 and the answer, of less than a page; EIO all have ended without one; or an errno code.
 */
int run_background_ask(void (*function)(int out, const void *arg), const void *arg,
                       void *ret_answer, size_t size_bytes);

/*
 * Starts a server of a connection: a child of a child that has ended, so that the caller finds no
 * child that it did not create. Returns when the mount works. The server unmounts `directory` if it
 * fails later.
 *
 * leave  moves the server out of the namespace of the mount, before it serves, and returns 0 or an
 *        errno code; NULL: it stays there
 *
 * Returns 0; EIO the server has ended; or an errno code.
 */
int run_background_start(int fd, const char *directory, int (*leave)(const char *directory));

#endif
