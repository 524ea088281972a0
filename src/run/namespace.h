/* SPDX-License-Identifier: MIT */
/* A mount namespace with a mount of cairn's, for one command: nothing changes outside. */
#ifndef RUN_NAMESPACE_H
#define RUN_NAMESPACE_H

/* The step of run_namespace_enter that failed. */
enum run_namespace_step {
    RUN_STEP_NAMESPACE = 0, /* namespaces cannot be created */
    RUN_STEP_IDS,           /* the user namespace has no ids: the process cannot go on */
    RUN_STEP_MOUNT,         /* there is no /dev/fuse, or nothing can be mounted there */
    RUN_STEP_SERVER,        /* the tracing directory cannot be used */
};

/*
 * Moves the process, which has one thread, into a mount namespace of its own, if need be in a user
 * namespace in which its numbers are the same, and mounts at a directory, and at
 * /sys/kernel/debug/tracing if that is possible. Starts a server: a process that is no child of
 * this one, and ends when the last process has left the namespace. Returns 0; or an errno code, and
 * the step: the process may be in the namespaces then.
 */
int run_namespace_enter(const char *directory, enum run_namespace_step *ret_step);

/* Tries in a child process whether that is possible, as far as the mount. Returns as it does; or
 * the error of fork, and step RUN_STEP_SERVER. */
int run_namespace_probe(const char *directory, enum run_namespace_step *ret_step);

#endif
