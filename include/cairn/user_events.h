/* SPDX-License-Identifier: MIT */
/*
 * user_events: tracepoints that a program registers and writes at run time.
 *
 * One interface, two backends. The kernel backend is available if the kernel has user_events (6.4
 * and later) and this process may access tracefs; the local backend, cairn's own engine, works
 * anywhere. CAIRN_BACKEND=auto|kernel|local|both|none selects them: auto, the default, is the
 * kernel if it is usable, and the local engine. A program with raised privileges ignores the
 * environment.
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
 * command     "name[:FLAG[,FLAG]] [type field[; type field ...]]"; not copied: it must be valid
 * until the tracepoint is unregistered tracepoint  owned by the caller; initialized by
 * CAIRN_TRACEPOINT_INIT (zeros are EINVAL, and become a tracepoint that is not registered); must be
 * valid, at the same address, until it is unregistered
 *
 * Returns 0 if at least one backend accepted it, or if none is available (no tracing directory can
 * be used, CAIRN_BACKEND=none): the program then runs untraced, and `cairn doctor` prints the
 * reason. Returns 0 also if a stopped process holds the lock of the tracing directory for more than
 * two seconds: registration is tried again with each tracepoint that is registered later, and
 * recorders report that this process is missing. Otherwise EINVAL, E2BIG malformed or too long
 * command; EADDRINUSE the name is in use with other fields, or these are invalid; EALREADY this
 * tracepoint is registered; EPROTONOSUPPORT it was compiled with headers of a later version, or the
 * tracing directory is of another one; ENOSPC the registry or the file system is full; EMFILE,
 * ENFILE, EFBIG, ENOMEM a limit of the process or of the system; or the error of a system call. An
 * error of the tracing directory is returned by all later registrations, too.
 * As in the kernel, any white space may separate the words of an event that is registered already.
 *
 * Opens files: register before entering a sandbox, changing the root directory or giving up access
 * to the tracing directory, or expect the error of the system call that fails. After fork the child
 * has the registrations of its parent, and can register more. The local engine keeps an event that
 * was registered before a fork until the process and all children that it forked have ended.
 *
 * Any thread. Not in signal handlers. Like all of these functions, not a cancellation point.
 */
CAIRN_API int cairn_tracepoint_register(struct cairn_tracepoint *tracepoint, const char *command);

/* Flags of a registration, as in the kernel's user_reg. */
enum cairn_user_event_flag {
    CAIRN_USER_EVENT_PERSIST = 1,      /* it persists after its last user, until it is deleted */
    CAIRN_USER_EVENT_MULTI_FORMAT = 2, /* the name may have other fields elsewhere at the same time:
                                          each format is a separate event, NAME.SUFFIX */
};

/* The components that take events from a process. */
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
 * Registers a tracepoint with options. Everything that is not described here is as for
 * cairn_tracepoint_register.
 *
 * options  NULL: the defaults. If backends are named, each of them must accept the tracepoint: if
 * one is not available, or refuses, it is registered with none.
 *
 * Returns the codes of cairn_tracepoint_register; EINVAL also for an unknown bit and for options
 * whose size is less than that of their first version, and not 0, which stands for it; E2BIG
 * options are set that this version does not have. For the kernel, if it is named: ENODEV no
 * tracefs is mounted; ENOENT it has no user_events; EACCES this user may not access them; EPERM an
 * event may persist only with CAP_PERFMON; EINVAL it is too old for a flag. For the local engine,
 * if it is named: the reason why its tracing directory cannot be used. While its lock cannot be
 * taken, the registration waits for the next process that takes the lock, usually a recorder.
 */
CAIRN_API int cairn_tracepoint_register_with(struct cairn_tracepoint *tracepoint,
                                             const char *command,
                                             const struct cairn_tracepoint_options *options);

/*
 * Registers a tracepoint by a schema: that of a tracepoint (cairn_trace_event_schema), or one that
 * was parsed from a command or a format text. System, id and print format are ignored.
 *
 * command  memory for the command text; must be valid until the tracepoint is unregistered
 * options  as for cairn_tracepoint_register_with
 *
 * Returns the codes of that function; E2BIG also for a command text over its limit.
 */
CAIRN_API int cairn_tracepoint_register_schema(struct cairn_tracepoint *tracepoint,
                                               const struct cairn_schema *schema,
                                               char command[CAIRN_COMMAND_MAX_BYTES],
                                               const struct cairn_tracepoint_options *options);

/*
 * Deletes an event that is not in use, such as one that persists, in every backend in use. All
 * formats of a name are deleted.
 *
 * backends  of enum cairn_backend; 0: those that CAIRN_BACKEND selects
 *
 * Returns 0 if at least one backend had it, and none failed; ENOENT there is no such event; EBUSY
 * it is in use, or is being recorded: events of the kernel are also in use by a process that has
 * unregistered them, until it ends; EPERM the kernel does not let this user delete events that
 * persist.
 *
 * Any thread. Not in signal handlers. Opens files, as registering does.
 */
CAIRN_API int cairn_user_event_delete(const char *name, uint32_t backends);

/*
 * Unregisters a tracepoint. Writers that are active in other threads finish first or are ignored.
 * The caller ensures that none starts after this returns if the tracepoint's memory becomes invalid
 * (dlclose).
 *
 * Returns 0; ENOENT it is not registered; EBUSY it is unregistered, but the kernel continues to
 * write to it, so that its memory must stay valid: the calling thread is older than the process's
 * first registration (src/user_events/README.md, "Threads"). If the files of the local engine
 * cannot be opened any more, nothing is written either, but the event stays registered until the
 * process ends. Any thread. Not in signal handlers.
 */
CAIRN_API int cairn_tracepoint_unregister(struct cairn_tracepoint *tracepoint);

/* The consumers of a tracepoint. The first two are the bits of its byte in the status page. */
enum cairn_listener {
    CAIRN_LISTENER_TEXT = 1,       /* a text reader of the local engine: `cairn live` */
    CAIRN_LISTENER_RECORDER = 2,   /* a recorder of the local engine: `cairn record` */
    CAIRN_LISTENER_KERNEL = 0x100, /* a tracer of the kernel: ftrace, perf, eBPF */
    CAIRN_LISTENER_CALLBACK =
        0x200, /* the process itself, by callbacks (cairn/typed_tracepoint.h) */
};

/* Returns bits of enum cairn_listener; 0: disabled, or not registered. Any thread, any signal
 * handler; no system call. */
CAIRN_API uint32_t cairn_tracepoint_status(const struct cairn_tracepoint *tracepoint);

/*
 * Writes an event. The payload is the fields as the command declared them, packed without padding.
 * The caller checks cairn_tracepoint_is_enabled first, for speed; omitting the check is harmless.
 *
 * parts, count  the payload in parts, at most 64
 *
 * Returns 0; EBADF disabled; EINVAL the payload is shorter than the fields, or count is negative or
 * too large, or the tracepoint is zeros; EFAULT a dynamic field leads out of the payload, or is
 * text that does not end with a NUL: the event is not written; E2BIG larger than a backend accepts
 * (8 KiB for the kernel's perf, 65476 bytes for the local engine): the other backends still get it;
 * ENOSPC a session has no space or no buffer for it: dropped and counted; ENOMEM no memory for the
 * thread: also dropped and counted.
 *
 * Any thread, any signal handler, also in a forked child. For the local engine it makes no system
 * call, provided that the C library has the numbers of thread and CPU, and time is read from the
 * time stamp counter or the vDSO; so it works in a sandbox and after privileges were dropped, but
 * not under SECCOMP_MODE_STRICT, which forbids reading the counter and kills the program. For the
 * kernel it makes two system calls, both `write`. It allocates nothing; the C library does, at a
 * thread's first event, in a program with more than 32 thread-specific keys.
 */
CAIRN_API int cairn_tracepoint_write(struct cairn_tracepoint *tracepoint, const struct iovec *parts,
                                     int count);

/* The same with the payload in one part. */
CAIRN_API int cairn_tracepoint_write_bytes(struct cairn_tracepoint *tracepoint, const void *payload,
                                           size_t size_bytes);

/*
 * Writes the command text that registers an event with these fields with user_events, for schemas
 * of tracepoints: sizes and offsets are the same, types are those that the kernel has. Integers,
 * pointers, enums and bool become u8 to s64; structs, and arrays other than of char, become opaque
 * structs.
 *
 * text, size_bytes   memory of the caller, NUL-terminated on success; CAIRN_COMMAND_MAX_BYTES are
 *                    enough
 * ret_length         number of bytes without the NUL; may be NULL
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
