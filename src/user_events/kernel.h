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
#define CAIRN_KERNEL_BIT CAIRN_STATUS_KERNEL_BIT

/* The write index, before the payload. */
#define CAIRN_KERNEL_HEAD_BYTES 4u

/*
 * Registers a tracepoint with the kernel. From here on the kernel, too, writes to tp->enabled: it
 * must lead to what stands at the same place in both halves of the status mapping, and others may
 * change it by atomic operations only.
 *
 * command  copied by the kernel
 * flags    of enum cairn_user_event_flag; a kernel that knows one not says EINVAL
 *
 * Returns 0; ENODEV no tracefs is mounted; ENOENT the kernel is without user_events; EACCES, EPERM
 * this user may not, or may not have an event persist; EINVAL malformed or too long; EADDRINUSE the
 * name is in use with other fields; EALREADY the tracepoint is registered; EMFILE no more events or
 * descriptors; or what a system call said. Any thread. Not in signal handlers.
 */
int cairn_kernel_register(struct cairn_tracepoint *tp, const char *command, uint16_t flags);

/*
 * Takes back what register did; the kernel clears its bit of tp->enabled. The kernel keeps the
 * event for as long as the process has its file open, that is, as long as it runs.
 *
 * Returns 0; ENOENT not registered, or, what comes to the same for the kernel, registered by a
 * thread that it does not connect with this one (README.md, "Threads"): the tracepoint is as before
 * then, and must stay where it is. Or as register. Any thread. Not in signal handlers.
 */
int cairn_kernel_unregister(struct cairn_tracepoint *tp);

/*
 * Deletes an event that nobody uses; all formats of a name.
 *
 * Returns 0; ENOENT there is none of this name, or no user_events; EBUSY somebody uses it, be it
 * this process, which keeps what it registered until it ends; EPERM it persists, and this user may
 * not have that; or as register. Any thread. Not in signal handlers.
 */
int cairn_kernel_delete(const char *name);

/*
 * Writes an event to the kernel: by `write`, and no other system call.
 *
 * record  CAIRN_KERNEL_HEAD_BYTES of room, and the payload as the command declared it
 *
 * Returns 0; EBADF nobody listens, or the tracepoint is not registered, or the program closed the
 * file under us; E2BIG more than cairn_kernel_payload_max_bytes, nothing is written; EINVAL shorter
 * than its fields; EFAULT dynamic fields that lead out of the payload or, as strings, end without a
 * NUL. Any thread, any signal handler; errno stays as it is.
 */
int cairn_kernel_write(const struct cairn_tracepoint *tp, uint8_t *record, size_t payload_bytes);

/* Why the kernel takes no events from this process; each has its remedy. */
enum cairn_kernel_reason {
    CAIRN_KERNEL_USABLE = 0,
    CAIRN_KERNEL_NO_TRACEFS,      /* this kernel knows no tracefs: it was built without tracing */
    CAIRN_KERNEL_NOT_MOUNTED,     /* mount -t tracefs tracefs /sys/kernel/tracing */
    CAIRN_KERNEL_NO_USER_EVENTS,  /* a kernel of 6.4 or later with CONFIG_USER_EVENTS=y is needed */
    CAIRN_KERNEL_NO_ACCESS,       /* the user may not enter the folder (x) */
    CAIRN_KERNEL_NOT_WRITABLE,    /* the user may enter it, but not write user_events_data (w) */
    CAIRN_KERNEL_OTHER_INTERFACE, /* the file speaks no such interface, to a 32-bit program none */
    CAIRN_KERNEL_FAILED,          /* `error` says what else */
};

struct cairn_kernel_probe {
    enum cairn_kernel_reason reason;
    int error;             /* what register returns here: 0 when usable */
    char folder[PATH_MAX]; /* the tracing folder that this is about; "" when there is none */
};

/*
 * Finds out whether the kernel would take events from this process, and why not.
 *
 * Returns 0, whatever it found; or why /proc/self/mounts cannot be read. Any thread. Not in signal
 * handlers.
 */
CAIRN_PRIVATE_API int cairn_kernel_probe(struct cairn_kernel_probe *ret_probe);

/* The same with another text of mounts. */
void cairn_kernel_probe_mounts(FILE *mounts, struct cairn_kernel_probe *ret_probe);

#endif
