/* SPDX-License-Identifier: MIT */
/* The server of a mount: it serves a connection until the mount is gone. */
#ifndef RUN_SERVER_H
#define RUN_SERVER_H

/* Attaches to the tracing directory. Returns 0; ESRCH /proc is that of another pid namespace; or
 * another errno code. */
int run_server_prepare(void);

/* Serves until the mount is gone, and returns 0; or an errno code. `ready` is called when
 * the first request was answered: the mount works. It may be NULL. */
int run_server_serve(int fd, void (*ready)(void *context), void *context);

#endif
