/* SPDX-License-Identifier: MIT */
/* A server in a process of its own. */
#ifndef RUN_BACKGROUND_H
#define RUN_BACKGROUND_H

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
