/* SPDX-License-Identifier: MIT */
/* The server of a mount: it serves a connection until the mount is gone. */
#ifndef RUN_SERVER_H
#define RUN_SERVER_H

/* Attaches to the tracing directory, and serves until the mount is gone. `ready` is called when
 * the first request was answered: the mount works. It may be NULL. Returns 0; ESRCH /proc is that
 * of another pid namespace; or another errno code. */
int run_server_serve(int fd, void (*ready)(void *context), void *context);

#endif
