/* SPDX-License-Identifier: MIT */
/*
 * Inspection: the state of the tracing directory and of this machine, without recording.
 *
 *   cairn_inspection_create   a snapshot: events with their users, sessions, buffers, losses
 *   cairn_diagnosis_create    findings: whether events can be taken here, and a fix for each
 * problem
 *
 * A snapshot and a diagnosis do not change after they were made: any thread may read them, several
 * at once. The functions that make them may be called by any thread. Nothing here is for signal
 * handlers. Structs that are returned are the object's own, valid until it is destroyed; they may
 * grow at the end.
 */
#ifndef CAIRN_INSPECT_H
#define CAIRN_INSPECT_H

#include <cairn/api.h>
#include <cairn/loss.h>
#include <cairn/user_events.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Snapshots of the tracing directory ---- */

struct cairn_inspection;

/*
 * Begins with CAIRN_INSPECTION_OPTIONS_INIT, or with zeros and a size. Members are added at the
 * end; zero is then the behaviour before.
 */
struct cairn_inspection_options {
    size_t size;                 /* of this struct, as the caller was compiled */
    const char *const *patterns; /* globs on names of tracepoints, or PROVIDER:EVENT; one matches */
    size_t pattern_count;        /* 0: all events */
    bool all_users;              /* in a shared directory, the events of other users too */
    bool with_sessions;          /* sessions and buffers too */
    bool with_types; /* types of EventHeader events too, of the process's own directory */
};

#define CAIRN_INSPECTION_OPTIONS_INIT                                          \
    {                                                                          \
        sizeof(struct cairn_inspection_options), NULL, 0, false, false, false, \
    }

/* An event that programs have registered, or that was added. */
struct cairn_inspected_event {
    const char *name;
    const char *fields;     /* the rest of its command text: " u32 number; char[8] text"; or "" */
    uint32_t number;        /* of its byte in the status page; 0: an event of another user alone */
    uint32_t listeners;     /* of enum cairn_listener: CAIRN_LISTENER_TEXT, _RECORDER */
    uint32_t registrations; /* by processes that live */
};

/* A type of EventHeader events, of which a running program has written one while it was enabled. */
struct cairn_inspected_type {
    const char *provider;
    const char *tracepoint; /* the name of its tracepoint */
    const char *name;       /* of the event */
    const char *fields;     /* "u32 Number; struct Owner { u32 User }; u16 Counts[]" */
    const char *file;       /* where the source writes it; "": not known */
    uint32_t line;
    uint64_t keyword;
    uint8_t level;
    uint32_t call_sites; /* that write such events, of all processes */
};

/* A running collection. */
struct cairn_inspected_session {
    uint64_t id; /* no other session of this directory has it, before or after */
    uint32_t pid;
    uint32_t listener;           /* CAIRN_LISTENER_TEXT or _RECORDER; 0: it is silent, its events
                                    are disabled */
    const char *const *patterns; /* globs on event names */
    uint32_t pattern_count;
    uint32_t event_count;                      /* that match */
    uint64_t buffer_bytes;                     /* of each family of processes */
    uint64_t lost_by_cause[CAIRN_LOSS_CAUSES]; /* so far (enum cairn_loss) */
};

/* The buffer of a family of processes for a session. */
struct cairn_inspected_buffer {
    uint64_t session; /* its id */
    uint32_t pid;     /* of the process that began the family */
    int error;        /* errno code: there is no buffer, or no memory for the rest of it; 0: none */
    uint64_t size_bytes;
    uint64_t lost; /* events that did not fit, so far */
};

/*
 * Makes a snapshot of the tracing directory, which is made when it is not there. Takes its lock;
 * registrations of processes that have ended are removed before. Another user's directory is read
 * as far as it can be.
 *
 * Events are in the order of their numbers; with `all_users` in that of names, and events of
 * several users that have the same name and fields are one.
 *
 * options         NULL: all zeros
 * ret_inspection  destroyed by the caller
 *
 * While other users' directories are read, SIGBUS is handled for the whole process, as by
 * cairn_session_poll.
 *
 * Returns 0; EINVAL the options have a wrong size; E2BIG options that this version lacks are set;
 * EPROTONOSUPPORT the directory was made by another version of cairn; EBADMSG it is damaged; EBUSY
 * a stopped process holds its lock; ENOMEM; EACCES, ENOENT, ENOTDIR... it cannot be used.
 */
CAIRN_API int cairn_inspection_create(const struct cairn_inspection_options *options,
                                      struct cairn_inspection **ret_inspection);

/* Accepts NULL. */
CAIRN_API void cairn_inspection_destroy(struct cairn_inspection *inspection);

CAIRN_API uint32_t cairn_inspection_event_count(const struct cairn_inspection *inspection);

/* The number of events that the directory has space for, and bytes of the status page. */
CAIRN_API uint32_t cairn_inspection_event_max(const struct cairn_inspection *inspection);

/* Returns the event of an index; NULL: the index is not below the count. */
CAIRN_API const struct cairn_inspected_event *
cairn_inspection_event(const struct cairn_inspection *inspection, uint32_t index);

CAIRN_API uint32_t cairn_inspection_type_count(const struct cairn_inspection *inspection);

/* Returns the type of an index, in the order of tracepoints and names; NULL: the index is not below
 * the count. */
CAIRN_API const struct cairn_inspected_type *
cairn_inspection_type(const struct cairn_inspection *inspection, uint32_t index);

CAIRN_API uint32_t cairn_inspection_session_count(const struct cairn_inspection *inspection);

/* Returns the session of an index; NULL: the index is not below the count. */
CAIRN_API const struct cairn_inspected_session *
cairn_inspection_session(const struct cairn_inspection *inspection, uint32_t index);

CAIRN_API uint32_t cairn_inspection_buffer_count(const struct cairn_inspection *inspection);

/* Returns the buffer of an index; NULL: the index is not below the count. */
CAIRN_API const struct cairn_inspected_buffer *
cairn_inspection_buffer(const struct cairn_inspection *inspection, uint32_t index);

/* ---- Diagnosis ---- */

struct cairn_diagnosis;

enum cairn_severity {
    CAIRN_SEVERITY_FINE = 0,
    CAIRN_SEVERITY_PROBLEM = 1,
};

struct cairn_finding {
    enum cairn_severity severity;
    const char *subject; /* "local", "space", "kernel": one word */
    const char *text;    /* "tracefs is not mounted" */
    const char *advice;  /* commands, or what to do: "as root: mount -t ..."; NULL: none */
};

/*
 * Examines this machine as `cairn doctor` does: the tracing directory, which is made when it is not
 * there, its memory, the clock, losses of the running sessions, the kernel's
 * user_events, and CAIRN_BACKEND. Takes some milliseconds.
 *
 * ret_diagnosis  destroyed by the caller
 *
 * Returns 0, whatever was found; ENOMEM.
 */
CAIRN_API int cairn_diagnosis_create(struct cairn_diagnosis **ret_diagnosis);

/* Accepts NULL. */
CAIRN_API void cairn_diagnosis_destroy(struct cairn_diagnosis *diagnosis);

/* Returns the backends that take events from programs of this user, of enum cairn_backend, as far
 * as CAIRN_BACKEND chooses them; 0: none does. */
CAIRN_API uint32_t cairn_diagnosis_backends(const struct cairn_diagnosis *diagnosis);

CAIRN_API uint32_t cairn_diagnosis_finding_count(const struct cairn_diagnosis *diagnosis);

/* Returns the finding of an index; NULL: the index is not below the count. */
CAIRN_API const struct cairn_finding *
cairn_diagnosis_finding(const struct cairn_diagnosis *diagnosis, uint32_t index);

/* ---- The tracing directory ---- */

/* Properties of the tracing directory. */
enum cairn_directory_property {
    CAIRN_DIRECTORY_ON_DISK = 1, /* its files are not in memory: buffers are written to the disk */
    CAIRN_DIRECTORY_SHARED = 2,  /* it is open to its group */
};

/*
 * Finds the tracing directory of this process, and makes it when it is not there.
 *
 * path, size_bytes  the caller's memory, NUL-terminated on success
 * ret_properties    of enum cairn_directory_property; may be NULL
 *
 * Returns 0; ERANGE the path does not fit; EACCES, ENOENT, ENOTDIR... it cannot be used.
 */
CAIRN_API int cairn_directory_locate(char *path, size_t size_bytes, uint32_t *ret_properties);

/*
 * Writes why the tracing directory cannot be used, for the codes that need more words than
 * strerror(3) has: "/run/cairn was made by another version of cairn: its layout is 2, ours 3".
 *
 * error             as a function of a session, or cairn_inspection_create, returned it
 * text, size_bytes  the caller's memory, NUL-terminated on success; what does not fit is cut
 *
 * Returns 0; ENOENT the code says it all, or the directory can be used now.
 */
CAIRN_API int cairn_directory_explain(int error, char *text, size_t size_bytes);

/*
 * Executes lines of tracefs's dynamic_events, all under one lock; the first that fails ends it.
 * "u:NAME [FIELDS]" adds an event, which remains until it is deleted; "-:[SYSTEM/]NAME [FIELDS]"
 * and
 * "!u:[SYSTEM/]NAME [FIELDS]" delete one, if it has these fields when there are any. Registrations
 * of processes that have ended are removed before.
 *
 * lines, count  each is NUL-terminated
 * ret_done      the number of lines that were executed: lines[*ret_done] has failed; SIZE_MAX: the
 *               tracing directory cannot be used
 *
 * Any thread. Returns 0; EINVAL a malformed line, or an invalid command; E2BIG it is too long;
 * EADDRINUSE the name is in use with other fields; ENOENT there is no such event; EBUSY it is in
 * use; ENOSPC there is no space for another event; of the directory EPROTONOSUPPORT, EBADMSG,
 * EBUSY... as cairn_inspection_create.
 */
CAIRN_API int cairn_directory_execute(const char *const *lines, size_t count, size_t *ret_done);

/* ---- Backends ---- */

/* Together with bits of enum cairn_backend: the user named them, so each of them must be had. */
#define CAIRN_BACKEND_REQUIRED 0x100u

/*
 * Parses a value of CAIRN_BACKEND: auto, kernel, local, both or none.
 *
 * ret_backends  of enum cairn_backend, and CAIRN_BACKEND_REQUIRED unless it is auto
 *
 * Returns 0; EINVAL another name.
 */
CAIRN_API int cairn_backend_parse(const char *name, uint32_t *ret_backends);

/* Returns the same for the value that CAIRN_BACKEND has; auto for an unknown one, for none, and in
 * a program with raised privileges. */
CAIRN_API uint32_t cairn_backend_chosen(void);

/*
 * Finds out whether the kernel's user_events would take events from this process.
 *
 * tracefs, size_bytes  the caller's memory for the path of the kernel's tracing directory, or "";
 *                      written whatever the result is, if it is known and fits; may be NULL
 *
 * Returns 0 if it would; ENODEV no tracefs is mounted; ENOENT the kernel has no user_events; EACCES
 * they are not open to this user; ERANGE the path does not fit; or what a system call returned.
 */
CAIRN_API int cairn_backend_probe_kernel(char *tracefs, size_t size_bytes);

/* ---- Texts ---- */

/* The meaning of a cause of losses: "too many signal handlers interrupted each other"; a constant.
 */
CAIRN_API const char *cairn_loss_text(enum cairn_loss cause);

#define CAIRN_NUMBER_TEXT_BYTES 32

/* Writes "1,234,567"; returns text. */
CAIRN_API const char *cairn_number_text(uint64_t number, char text[CAIRN_NUMBER_TEXT_BYTES]);

/* Writes a number of bytes as "12.3 MB", in powers of 1000; returns text. */
CAIRN_API const char *cairn_size_text(uint64_t bytes, char text[CAIRN_NUMBER_TEXT_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
