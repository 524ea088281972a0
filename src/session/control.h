/* SPDX-License-Identifier: MIT */
/* The files of recorders that have a name, which both sides use. */
#ifndef SESSION_CONTROL_H
#define SESSION_CONTROL_H

#include <sys/un.h>

/* Opens the directory of recorders, and makes it when it is not there. Returns 0 or an errno code.
 */
int session_control_directory(int *ret_fd);

/* The address of a recorder, by a descriptor of the directory: its path may be longer than
 * addresses can be. */
struct sockaddr_un session_control_address(int directory_fd, const char *name);

/* Locks a file of a recorder's name, without waiting, until its last descriptor is closed. Returns
 * 0; EBUSY another process has it; or an errno code of the system. */
int session_control_lock(int fd);

/* Connects to a recorder. Returns 0; ENOENT there is none, or its process has ended; or an errno
 * code of the system. */
int session_control_connect(int directory_fd, const char *name, int *ret_fd);

#endif
