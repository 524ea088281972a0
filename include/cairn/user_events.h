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

#include <cairn/schema.h>
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
 * tracepoint  the caller's; initialized by CAIRN_TRACEPOINT_INIT: zeros are EINVAL, and become a
 *             tracepoint that is not registered; must live, and stay where it is, until
 * unregistered
 *
 * Returns 0 when at least one backend took it, or when there is none to take it (no tracing
 * directory is possible, CAIRN_BACKEND=none): the program then runs on untraced, and
 * `cairn doctor` explains. 0 also when a stopped process holds the lock of the tracing directory
 * for more than two seconds: it is tried again with each tracepoint that is registered later, and
 * recorders are told that this process is missing. Otherwise EINVAL, E2BIG malformed or too long
 * command; EADDRINUSE the name is in use with other fields, or these make no sense; EALREADY this
 * tracepoint is registered; EPROTONOSUPPORT it was compiled with headers of a later version, or the
 * tracing directory is of another one; ENOSPC the registry is full; or what a system call said. As
 * in the kernel, the words of an event that is there may have any white space between them.
 *
 * Opens files: register before entering a sandbox, changing the root directory or giving up rights
 * to the tracing directory, or expect the code of the system call that failed. After fork the child
 * has what its parent registered, and may register more. The local engine keeps an event that was
 * registered before a fork until the process and all children that it forked have ended.
 *
 * Any thread. Not in signal handlers. As all of these functions no cancellation point.
 */
CAIRN_API int cairn_tracepoint_register(struct cairn_tracepoint *tracepoint, const char *command);

/* How an event is registered; as in the kernel's user_reg. */
enum cairn_user_event_flag {
    CAIRN_USER_EVENT_PERSIST = 1,      /* it stays when its last user goes, until it is deleted */
    CAIRN_USER_EVENT_MULTI_FORMAT = 2, /* its name may have other fields elsewhere at the same time:
                                          each format is an event of its own, NAME.SUFFIX */
};

/* Who takes events. */
enum cairn_backend {
    CAIRN_BACKEND_KERNEL = 1,
    CAIRN_BACKEND_LOCAL = 2,
};

/*
 * Begins with CAIRN_TRACEPOINT_OPTIONS_INIT, or with zeros and a size: as
 * cairn_tracepoint_register. Members are added at the end; zero is then the behaviour before.
 */
struct cairn_tracepoint_options {
    size_t size;       /* of this struct, as the caller was compiled */
    uint32_t flags;    /* of enum cairn_user_event_flag */
    uint32_t backends; /* of enum cairn_backend; 0: those that CAIRN_BACKEND chooses */
};

#define CAIRN_TRACEPOINT_OPTIONS_INIT                  \
    {                                                  \
        sizeof(struct cairn_tracepoint_options), 0, 0, \
    }

/*
 * Registers a tracepoint in a certain way. What is not said here is as with
 * cairn_tracepoint_register.
 *
 * options  NULL: the defaults. When backends are named, each of them must take the tracepoint: if
 * one cannot be had, or refuses, it is registered with none.
 *
 * Returns as cairn_tracepoint_register; EINVAL also for a bit that is not known, and options of a
 * wrong size; E2BIG options are set that this version lacks. Of the kernel,
 * when it is named: ENODEV no tracefs is mounted; ENOENT it has no user_events; EACCES they are not
 * open to this user; EPERM an event may persist only with CAP_PERFMON; EINVAL it is too old for a
 * flag. Of the local engine, when it is named: why its tracing directory cannot be used; and where
 * its lock cannot be had, EBUSY when it is named or there are flags.
 */
CAIRN_API int cairn_tracepoint_register_with(struct cairn_tracepoint *tracepoint,
                                             const char *command,
                                             const struct cairn_tracepoint_options *options);

/*
 * Registers a tracepoint by a schema: of a tracepoint (cairn_trace_event_schema), or parsed from a
 * command or a format text. System, id and print format do not count.
 *
 * command  memory for the command text; it must live until the tracepoint is unregistered
 * options  as with cairn_tracepoint_register_with
 *
 * Returns as that; E2BIG also for a command text over its limit.
 */
CAIRN_API int cairn_tracepoint_register_schema(struct cairn_tracepoint *tracepoint,
                                               const struct cairn_schema *schema,
                                               char command[CAIRN_COMMAND_MAX_BYTES],
                                               const struct cairn_tracepoint_options *options);

/*
 * Deletes an event that nobody uses, in every backend in use: one that persists. All formats of a
 * name are deleted.
 *
 * backends  of enum cairn_backend; 0: those that CAIRN_BACKEND chooses
 *
 * Returns 0 when at least one backend had it, and none failed; ENOENT there is none of this name;
 * EBUSY somebody uses it, or records it: of the kernel's events also a process that has
 * unregistered it, until it ends; EPERM the kernel lets this user delete none that persists.
 *
 * Any thread. Not in signal handlers. Opens files, as registering does.
 */
CAIRN_API int cairn_user_event_delete(const char *name, uint32_t backends);

/*
 * Takes back what register did. Writers that are under way in other threads finish first or are
 * ignored; the caller sees to it that none starts after this returns, if the tracepoint's memory
 * goes away (dlclose).
 *
 * Returns 0; ENOENT it is not registered; EBUSY it is unregistered, but the kernel goes on writing
 * to it, so that its memory must stay: the calling thread is older than the process's first
 * registration (src/user_events/README.md, "Threads"). Where the local engine's files cannot be
 * opened any more, nothing is written either, but the event stays registered until the process
 * ends. Any thread. Not in signal handlers.
 */
CAIRN_API int cairn_tracepoint_unregister(struct cairn_tracepoint *tracepoint);

/* Who listens to a tracepoint. The first two are the bits of its byte in the status page. */
enum cairn_listener {
    CAIRN_LISTENER_TEXT = 1,       /* a text reader of the local engine: `cairn live` */
    CAIRN_LISTENER_RECORDER = 2,   /* a recorder of the local engine: `cairn record` */
    CAIRN_LISTENER_KERNEL = 0x100, /* a tracer of the kernel: ftrace, perf, eBPF */
    CAIRN_LISTENER_CALLBACK =
        0x200, /* the process itself, by callbacks (cairn/typed_tracepoint.h) */
};

/* Bits of enum cairn_listener; 0: nobody, or it is not registered. Any thread, any signal handler;
 * no system call. */
CAIRN_API uint32_t cairn_tracepoint_status(const struct cairn_tracepoint *tracepoint);

/*
 * Writes an event. The payload is the fields as the command declared them, packed without padding.
 * The caller checks cairn_tracepoint_is_enabled first, for speed; not checking is harmless.
 *
 * parts, count  the payload in pieces, at most 64
 *
 * Returns 0; EBADF nobody listens; EINVAL the payload is shorter than the fields, or a part list
 * of no sense, or the tracepoint is zeros; EFAULT a dynamic field leads out of the payload, or is
 * text that does not end with a NUL: nobody gets it; E2BIG larger than a backend takes (8 KiB for
 * the kernel's perf, 65476 bytes for the local engine): the others still get it; ENOSPC a
 * session has no room, or no buffer, for it: dropped and counted; ENOMEM no memory for the thread:
 * the same.
 *
 * Any thread, any signal handler, a forked child too. To the local engine it makes no system call
 * (where the C library says the thread's and the CPU's number, and time is read from the time stamp
 * counter or the vDSO), so it works in a sandbox and after giving up rights; but not under
 * SECCOMP_MODE_STRICT, which forbids reading the counter and ends the program. To the kernel it
 * makes two, both of them `write`. It allocates nothing; the C library does, at a thread's first
 * event, in a program with more than 32 thread-specific keys.
 */
CAIRN_API int cairn_tracepoint_write(struct cairn_tracepoint *tracepoint, const struct iovec *parts,
                                     int count);

/* The same with the payload in one piece. */
CAIRN_API int cairn_tracepoint_write_bytes(struct cairn_tracepoint *tracepoint, const void *payload,
                                           size_t size_bytes);

/*
 * Writes the command text that registers an event with these fields with user_events, for schemas
 * of tracepoints: sizes and places are the same, types are those that the kernel knows. Integers,
 * pointers, enums and bool become u8 to s64; other arrays than of char, and structs, opaque
 * structs.
 *
 * text, size_bytes   the caller's memory, NUL-terminated on success; CAIRN_COMMAND_MAX_BYTES do
 * ret_length         bytes written without the NUL; may be NULL
 *
 * Returns 0; E2BIG the name or the command is over its limit; ENOSPC it does not fit into
 * size_bytes.
 *
 * Any thread, any signal handler.
 */
CAIRN_API int cairn_schema_write_command(const struct cairn_schema *schema, char *text,
                                         size_t size_bytes, size_t *ret_length);

#ifdef __cplusplus
}
#endif

#endif
