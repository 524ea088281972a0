/* SPDX-License-Identifier: MIT */
/* The kernel backend: tracepoints as events of the kernel's user_events. */
#ifndef USER_EVENTS_KERNEL_H
#define USER_EVENTS_KERNEL_H

#include "core/private_api.h"
#include "engine/status.h"

#include <cairn/tracepoint.h>
#include <limits.h>
#include <stdio.h>

/* The bit of a tracepoint's `enabled` pointer that the kernel sets while a tracer is attached. */
#define USER_EVENTS_KERNEL_BIT ENGINE_STATUS_KERNEL_BIT

/* The write index, which precedes the payload. */
#define USER_EVENTS_KERNEL_HEAD_BYTES 4u

/*
 * Registers a tracepoint with the kernel. From here on the kernel, too, writes to tp->enabled: the
 * pointer must lead to the same index in both halves of the status mapping, and others may change
 * it by atomic operations only.
 *
 * command  copied by the kernel
 * flags    of enum cairn_user_event_flag; a kernel that does not know one returns EINVAL
 *
 * Returns 0; ENODEV no tracefs is mounted; ENOENT the kernel is without user_events; EACCES, EPERM
 * this user is not permitted, or may not make events persist; EINVAL malformed or too long;
 * EADDRINUSE the name is in use with other fields; EALREADY the tracepoint is registered; EMFILE no
 * more events or descriptors; or the error of a system call. Any thread. Not in signal handlers.
 */
int user_events_kernel_register(struct cairn_tracepoint *tp, const char *command, uint16_t flags);

/*
 * Unregisters the tracepoint; the kernel clears its bit of tp->enabled. The kernel keeps the event
 * as long as the process has its file open, that is, as long as it runs.
 *
 * Returns 0; ENOENT not registered, or registered by a thread that the kernel does not connect with
 * this one, which it cannot distinguish (README.md, "Threads"): the tracepoint is unchanged then,
 * and its memory must stay valid. Other errors are those of register. Any thread. Not in signal
 * handlers.
 */
int user_events_kernel_unregister(struct cairn_tracepoint *tp);

/*
 * Deletes an event that is not in use, in all its formats.
 *
 * Returns 0; ENOENT no event has this name, or no user_events; EBUSY it is in use, possibly by this
 * process, which keeps what it registered until it ends; EPERM it persists, and this user may not
 * change that. Other errors are those of register. Any thread. Not in signal handlers.
 */
int user_events_kernel_delete(const char *name);

/*
 * Writes an event to the kernel. Its only system call is `write`.
 *
 * record  USER_EVENTS_KERNEL_HEAD_BYTES of space, then the payload as the command declared it
 *
 * Returns 0; EBADF not enabled, or not registered, or the program closed the descriptor; E2BIG
 * larger than user_events_kernel_payload_max_bytes, nothing is written; EINVAL shorter than its
 * fields; EFAULT dynamic fields that lead out of the payload or, as strings, end without a NUL. Any
 * thread, any signal handler; errno is preserved.
 */
int user_events_kernel_write(const struct cairn_tracepoint *tp, uint8_t *record,
                             size_t payload_bytes);

/* The reasons why the kernel accepts no events from this process; each has its own fix. */
enum user_events_kernel_reason {
    USER_EVENTS_KERNEL_USABLE = 0,
    USER_EVENTS_KERNEL_NO_TRACEFS,     /* this kernel was built without tracing */
    USER_EVENTS_KERNEL_NOT_MOUNTED,    /* mount -t tracefs tracefs /sys/kernel/tracing */
    USER_EVENTS_KERNEL_NO_USER_EVENTS, /* a kernel of 6.4 or later with CONFIG_USER_EVENTS=y is
                                          needed */
    USER_EVENTS_KERNEL_NO_ACCESS,      /* this user may not enter the directory (x) */
    USER_EVENTS_KERNEL_NOT_WRITABLE,   /* this user may enter it, but not write user_events_data (w)
                                        */
    USER_EVENTS_KERNEL_OTHER_INTERFACE, /* the file has no such interface, or none for a 32-bit
                                           program */
    USER_EVENTS_KERNEL_FAILED,          /* `error` is the reason */
};

struct user_events_kernel_probe {
    enum user_events_kernel_reason reason;
    int error;                /* the error of register on this machine: 0 when usable */
    char directory[PATH_MAX]; /* the tracing directory in question; "" if there is none */
};

/*
 * Finds out if the kernel would accept events from this process, and if not, why.
 *
 * Returns 0, whatever the result; or the error of reading /proc/self/mounts. Any thread. Not in
 * signal handlers.
 */
int user_events_kernel_probe(struct user_events_kernel_probe *ret_probe)
    CORE_PRIVATE_API(user_events_kernel_probe);

/* The same for another text in the format of /proc/self/mounts. */
void user_events_kernel_probe_mounts(FILE *mounts, struct user_events_kernel_probe *ret_probe);

#endif
