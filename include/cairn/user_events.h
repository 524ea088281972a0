/* SPDX-License-Identifier: MIT */
/*
 * user_events: tracepoints that a program registers and writes at run time.
 *
 * One interface, two backends. The kernel's takes events where the kernel has user_events (6.4 and
 * later) and tracefs is open to the process; cairn's own engine takes them anywhere.
 * CAIRN_BACKEND=auto|kernel|local|both|none chooses: auto, the default, is the kernel where it is
 * usable, and the local engine. A program with raised privileges ignores the environment.
 */
#ifndef CAIRN_USER_EVENTS_H
#define CAIRN_USER_EVENTS_H

#include <cairn/tracepoint.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Registers a tracepoint with every backend in use.
 *
 * command     "name[:FLAG[,FLAG]] [type field[; type field ...]]"; copied by nobody: it must live
 *             until the tracepoint is unregistered
 * tracepoint  the caller's; initialized; must live, and stay where it is, until unregistered
 *
 * Returns 0 when at least one backend took it, or when there is none to take it (no tracing
 * directory is possible, CAIRN_BACKEND=none): the program then runs on untraced, and
 * `cairn doctor` explains. Otherwise EINVAL, E2BIG malformed or too long command; EADDRINUSE
 * the name is in use with other fields; EALREADY this tracepoint is registered; ENOSPC the
 * registry is full; or what a system call said.
 *
 * Any thread. Not in signal handlers.
 */
CAIRN_API int cairn_user_event_register(struct cairn_tracepoint *tracepoint, const char *command);

/*
 * Takes back what register did. Writers that are under way in other threads finish first or are
 * ignored; the caller sees to it that none starts after this returns, if the tracepoint's memory
 * goes away (dlclose).
 *
 * Returns 0; ENOENT it is not registered; EBUSY it is unregistered, but the kernel goes on writing
 * to it, so that its memory must stay: the calling thread is older than the process's first
 * registration (src/user_events/README.md, "Threads"). Any thread. Not in signal handlers.
 */
CAIRN_API int cairn_user_event_unregister(struct cairn_tracepoint *tracepoint);

/*
 * Writes an event. The payload is the fields as the command declared them, packed without padding.
 * The caller checks cairn_tracepoint_enabled first, for speed; not checking is harmless.
 *
 * parts, count  the payload in pieces, at most 64
 *
 * Returns 0; EBADF nobody listens; EINVAL the payload is shorter than the fields, or a part list
 * of no sense; E2BIG larger than a backend takes (8 KiB for the kernel's perf, 65476 bytes for the
 * local engine): the others still get it; ENOSPC no room in a buffer: dropped and counted.
 *
 * Any thread, any signal handler; allocates at a thread's first event only.
 */
CAIRN_API int cairn_user_event_write(struct cairn_tracepoint *tracepoint, const struct iovec *parts,
                                     int count);

#ifdef __cplusplus
}
#endif

#endif
