/* SPDX-License-Identifier: MIT */
/* The server of a mount: it serves a connection until the mount is gone, in this process or in one
 * of its own. */
#ifndef RUN_SERVER_H
#define RUN_SERVER_H

#include <stddef.h>

/* Attaches to the tracing directory, and serves until the mount is gone. `ready` is called when
 * the first request was answered: the mount works. It may be NULL. Returns 0; ESRCH /proc is that
 * of another pid namespace; or another errno code. */
int run_server_serve(int fd, void (*ready)(void *context), void *context);

/* ---- a process of its own ---- */

/*
 * Calls a function in a child process. It, or a process that it starts, writes an answer to `out`.
 * Returns 0 and the answer, of less than a page; EIO all have ended without one; or an errno code.
 */
int run_child_ask(void (*function)(int out, const void *arg), const void *arg, void *ret_answer,
                  size_t size_bytes);

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
int run_server_start(int fd, const char *directory, int (*leave)(const char *directory));

#endif
