/* SPDX-License-Identifier: MIT */
/*
 * A session: one collection of events, from the local engine's buffers to a perf.data or trace file
 * or stream, or to a receiver: functions that get each event 0.1 s after it happened.
 *
 *   cairn_session_create   enables the events that match the patterns, also later ones
 *   cairn_session_poll     moves what the programs have written; must be called repeatedly
 *   cairn_session_finish   disables the events, moves the rest, completes the file
 *   cairn_session_destroy
 *
 * A session is used by one thread at a time; there may be any number of sessions.
 */
#ifndef CAIRN_SESSION_H
#define CAIRN_SESSION_H

#include <cairn/loss.h>
#include <cairn/perf_data.h>
#include <cairn/tracepoint.h>
#include <cairn/tracing/directives.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_session;

/* A record for a receiver. */
struct cairn_session_record {
    const uint8_t *bytes; /* a struct cairn_record_head (cairn/record.h) and the payload */
    uint32_t size_bytes;
    uint32_t tracepoint;   /* index for cairn_session_tracepoint */
    const char *comm;      /* the name of the thread at the time of collection */
    const uint64_t *stack; /* return addresses, that of the innermost function first; NULL: none */
    uint32_t stack_count;
};

/* Gets a session's events instead of a file. Its functions are called by cairn_session_create,
 * cairn_session_poll and cairn_session_finish, and return 0, or an errno code with which the
 * session then fails. Their arguments are valid until they return. */
struct cairn_session_receiver {
    size_t size;   /* of this struct, as the caller was compiled */
    void *context; /* passed to both */
    /* A tracepoint that matches: called once for each, in the order of cairn_session_tracepoint,
     * before its first record. */
    int (*tracepoint)(void *context, const struct cairn_perf_tracepoint *tracepoint);
    /* A record, 0.1 s after it was written. Records are in the order of time, except those of
     * threads that were preempted for longer in the middle of a write. */
    int (*record)(void *context, const struct cairn_session_record *record);
};

/* The format of a session's file or stream. */
enum cairn_session_format {
    CAIRN_SESSION_PERF = 0,  /* perf.data */
    CAIRN_SESSION_TRACE = 1, /* a trace file (docs/trace-format.md) */
};

/* The processes whose events of the kernel a session records. */
enum cairn_session_kernel_target {
    CAIRN_SESSION_KERNEL_ALL = 0, /* all processes' */
    /* Those of the processes that the calling thread starts after cairn_session_create, from their
     * exec on, and of their children. */
    CAIRN_SESSION_KERNEL_CHILDREN = 1,
    CAIRN_SESSION_KERNEL_PROCESSES = 2, /* those of `pids`, and of children that they start */
};

/*
 * The kernel's tracepoints that a session records, by perf_event_open. Begins with
 * CAIRN_SESSION_KERNEL_OPTIONS_INIT, or with zeros and a size.
 */
struct cairn_session_kernel_options {
    size_t size; /* of this struct, as the caller was compiled */
    /* Globs: "sched:sched_*", without a colon of any system; or presets: "@sched", "@syscalls",
     * "@io", "@memory"; and "@switches": no tracepoints, but when threads left a CPU and continued.
     */
    const char *const *patterns;
    size_t pattern_count;
    /* For each pattern a filter in the kernel's language, or NULL: all events. The kernel applies
     * it. NULL instead of the array: no filters. */
    const char *const *filters;
    enum cairn_session_kernel_target target;
    const int32_t *pids;
    size_t pid_count;
    size_t ring_bytes; /* size of the buffer of each CPU; 0: 4 MiB. It is smaller if the user may
                          not lock as much memory */
    /* The caller's memory for the reason if the kernel's events cannot be recorded, a text for
     * people with a NUL; unchanged otherwise. NULL: not wanted. */
    char *problem;
    size_t problem_bytes;
    /* With each event its call chain, in programs by frame pointers. Without it a pattern that ends
     * in "/stack/" asks for those of its events. */
    bool with_stacks;
    /* Instead of a program's call chain its registers and this number of bytes of its stack are
     * recorded, from which perf computes the chain by DWARF; 0: none; at most 65,528, a multiple
     * of 8. */
    uint32_t stack_bytes;
    /* Functions of programs, as events at their entry: "PROGRAM:NAME", globs on the names; and
     * static probes of SystemTap (USDT): "PROGRAM:NAME" or "PROGRAM:PROVIDER:NAME"; both may end in
     * "/stack/". As root. */
    const char *const *functions;
    size_t function_count;
    const char *const *static_probes;
    size_t static_probe_count;
    /* Records of the files that the processes map, from which readers find the functions of stacks;
     * with stacks of the kernel's events there are always some. Then there may be no pattern, no
     * function and no static probe: it need not be permitted. */
    bool with_maps;
};

#define CAIRN_SESSION_KERNEL_OPTIONS_INIT                                                     \
    {                                                                                         \
        sizeof(struct cairn_session_kernel_options), NULL, 0, NULL, CAIRN_SESSION_KERNEL_ALL, \
            NULL, 0, 0, NULL, 0, false, 0, NULL, 0, NULL, 0, false,                           \
    }

#define CAIRN_SESSION_RING_DEFAULT_BYTES ((size_t)4 << 20)
#define CAIRN_SESSION_RING_MAX_BYTES     ((size_t)512 << 20)

/*
 * Begins with CAIRN_SESSION_OPTIONS_INIT, or with zeros and a size. Everything is copied. Members
 * are added at the end; zero is then the behaviour before.
 */
struct cairn_session_options {
    size_t size; /* of this struct, as the caller was compiled */
    /* Globs on names of tracepoints, "MyCompany_*_L5K*", or PROVIDER:EVENT, "MyCompany_Web:Req*".
     */
    const char *const *patterns;
    size_t pattern_count;
    /* For each pattern a filter of its events, in the language of cairn/filter.h, or NULL: all
     * events. NULL instead of the array: no filters. */
    const char *const *filters;
    size_t buffer_bytes; /* for each process with its forked children; 0: 16 MiB */
    /* Copied. If it is set, the session is a text reader (EVENT_STATUS_FTRACE in the status page),
     * and the members below are ignored; NULL: the session is a recorder, and writes to fd. */
    const struct cairn_session_receiver *receiver;
    int fd;                    /* output; owned by the caller */
    enum cairn_perf_mode mode; /* file or pipe stream */
    /* As for cairn_perf_writer_set_wait; NULL: wait for a stream's reader. */
    int (*wait)(void *context, int fd);
    void *wait_context;
    int arg_count; /* the command that records, stored in the file; 0: none */
    const char *const *args;
    enum cairn_session_format format; /* of the file or stream */
    int compression; /* of a trace file: 0 none; a level of zstd from 1 to 19; _COMPRESS_AUTO */
    /* The kernel's tracepoints to record with those of programs; NULL: none. Not for a receiver.
     */
    const struct cairn_session_kernel_options *kernel;
    /* The size at which a file is completed, as by cairn_session_rotate; 0: no limit. next_file
     * returns the descriptor of the next file, or -1: the same one continues. It is called by
     * cairn_session_poll and cairn_session_finish. A file may be larger by the events of one chunk
     * of a buffer, which has 128 KiB. */
    uint64_t file_bytes;
    int (*next_file)(void *context);
    void *next_file_context;
    /* Flight recorder: if one of these is not 0, the session has no file (fd is ignored), and keeps
     * the latest events in memory: up to this number of bytes, at least 2 MiB, and of the last ns.
     * cairn_session_snapshot writes them. Of a trace file. */
    uint64_t flight_bytes;
    uint64_t flight_ns;
    /* In all tracing directories of the machine, as far as this process may use them: /run/cairn,
     * those of users in /run/user and /dev/shm, and the same in the root directories of containers.
     * Processes have the numbers that this process sees, and the names of their containers. */
    bool is_of_machine;
    /* The time in ms that a writer which finds the buffer full waits for the session before it
     * drops the event, at most CAIRN_SESSION_BLOCK_MAX_MS; 0: it does not wait. If the session has
     * read nothing in this time, the writer does not wait again until it reads. */
    uint32_t block_ms;
    /* A name (cairn_recorder_name_is_valid): if this process is killed, the next session of the
     * name in the same tracing directory resumes it. It records what programs have committed
     * meanwhile, up to their buffers' sizes, each event once: what the file of the killed one does
     * not have, even if it was killed while it wrote. Buffers are kept for ten minutes; programs
     * disable the events after five seconds, until the session is resumed. NULL: what is in the
     * buffers when the process is killed is lost. Of a trace file that is no stream. Events of the
     * kernel are not kept. */
    const char *resume_name;
};

#define CAIRN_SESSION_OPTIONS_INIT                                                               \
    {                                                                                            \
        sizeof(struct cairn_session_options), NULL, 0, NULL, 0, NULL, -1, CAIRN_PERF_FILE, NULL, \
            NULL, 0, NULL, CAIRN_SESSION_PERF, 0, NULL, 0, NULL, NULL, 0, 0, false, 0, NULL,     \
    }

/* Compresses what there is time for: at high rates nothing, so that no event is lost because of it.
 */
#define CAIRN_SESSION_COMPRESS_AUTO (-1)

#define CAIRN_SESSION_BLOCK_MAX_MS 10000u

#define CAIRN_SESSION_OWNED_MAX 64u

#define CAIRN_SESSION_FLIGHT_MIN_BYTES ((uint64_t)2 << 20)

#define CAIRN_SESSION_BUFFER_DEFAULT_BYTES ((size_t)16 << 20)
#define CAIRN_SESSION_BUFFER_MIN_BYTES     ((size_t)1 << 19)
#define CAIRN_SESSION_BUFFER_MAX_BYTES     ((size_t)512 << 20)

struct cairn_session_counts {
    uint64_t events;                           /* for the file */
    uint64_t filtered;                         /* left out, because no filter selected them */
    uint64_t lost;                             /* dropped by the programs, and the same */
    uint64_t lost_by_cause[CAIRN_LOSS_CAUSES]; /* by cause (enum cairn_loss) */
    uint64_t damaged;                          /* invalid records, which were left out */
    uint64_t bytes;                            /* size of the file so far */
    uint32_t tracepoints;                      /* number that match */
    uint32_t processes;                        /* number that have written so far */
    uint32_t alive;                            /* of them, still running */
    /* Processes whose buffers cannot be read, for lack of descriptors, of address space, or of
     * permission. The session tries again until it ends. */
    uint32_t unrecorded;
    uint32_t unrecorded_by_cause[CAIRN_LOSS_CAUSES];
    int unrecorded_error; /* errno code of the last of them */
    /* Processes that could not register their events since the session began. It is not known if
     * any of these events match. */
    uint32_t unregistered;
    int unregistered_error;
    /* The tracing directory was removed or replaced: processes that have started since, or that had
     * not written an event before, are missing. */
    bool directory_gone;
    /* Number of times that programs stopped writing because this recorder was inactive for five
     * seconds: it was stopped, or could not write. Their events until it continued are missing, and
     * not counted. */
    uint32_t silences;
    uint64_t unstored;      /* of `events`, those that could not be written to the file; of a flight
                               recorder, those of the last snapshot, if that failed */
    uint64_t misdated;      /* events with a time in the future: changed to the time of reading */
    uint64_t kernel_events; /* of `events`, those of the kernel */
    uint32_t kernel_tracepoints; /* number of the kernel's that match */
    /* CPUs that went offline, or online, while the kernel's events were recorded: those of these
     * CPUs are missing from then on. */
    uint32_t changed_cpus;
    bool is_resumed; /* it continues one whose process was killed (resume_name) */
    /* With is_of_machine: tracing directories that are not recorded, because their owner has
     * CAIRN_SESSION_OWNED_MAX others. Root may have any number. */
    uint32_t directories_left_out;
    /* It continues one whose process was killed, and records events of the kernel: those that the
     * other had not written, and those until this one began, are missing, and not counted. */
    bool has_kernel_gap;
};

/* The result for one tracepoint. */
struct cairn_session_tracepoint {
    const char *name;
    uint64_t events;
    /* The problem of a filter that is invalid for this tracepoint and so selected nothing: "a > 1
     * (at 3: Field not found)"; NULL: none. */
    const char *filter_problem;
};

/*
 * Begins a session in the tracing directory (docs/architecture.md describes which one that is).
 *
 * An event is recorded if one of the patterns that match its name has no filter, or a filter that
 * selects the event. Filters may name the fields of EventHeader events, as cairn-decode(1)
 * describes. Programs apply them before an event is committed; the session applies them again to
 * what programs cannot decide.
 *
 * A pattern may end in "/every=100/": each thread writes one of a hundred of the events that the
 * pattern and its filter select, beginning with the first; or in "/rate=1000/": each thread writes
 * at most 1000 a second, and up to 1000 at once after a second without any. Programs count the
 * others as filtered. With "/stack/" the events that it names, whichever pattern selects them, have
 * the stack of their thread, by frame pointers.
 *
 * Returns 0; EINVAL no pattern or an invalid one, a buffer size or a compression out of range, a
 * compression of perf.data, or a struct with an invalid size; EOPNOTSUPP this build cannot
 * compress; E2BIG the patterns together are too long, or options are set that this version does not
 * have; ENOSPC 64 sessions exist already; EBUSY the session of options->resume_name lives;
 * EPROTONOSUPPORT the directory was made by another version of cairn; EACCES, ENOENT, ENOTDIR...
 * the directory cannot be used; or the error of cairn_perf_writer_create or of the receiver. Of the
 * kernel's events: ENOENT a pattern matches no tracepoint; EACCES, EPERM not permitted; ENODEV the
 * kernel has no tracepoints; ESRCH there is no such process; EMFILE too few descriptors; or another
 * error of perf_event_open; then options->kernel->problem has the reason.
 */
CAIRN_API int cairn_session_create(const struct cairn_session_options *options,
                                   struct cairn_session **ret_session);

/*
 * Moves the available records to the output.
 *
 * ret_wait_ms  call again after this many ms at the latest; 0: immediately
 *
 * Returns 0, or the first error. After an error of writing (ENOSPC, EPIPE...) or of the receiver
 * nothing is stored any more, and the contents of the file remain readable. With a file, further
 * calls and cairn_session_finish count the events that are not stored (`unstored`); after another
 * error (ENOMEM, EBADMSG) they store what they can.
 */
CAIRN_API int cairn_session_poll(struct cairn_session *session, uint32_t *ret_wait_ms);

/*
 * Completes the file, and continues in another one: it has the events from here on, and all that is
 * needed to read it alone. `bytes` of the counts is that of the other file from then on.
 *
 * fd  a file, as options.fd; the caller may close the one before
 *
 * Returns 0; EINVAL the session has no file, or fd is none: the session continues in the first one,
 * as after another error of beginning the other; or the error with which the session has failed.
 */
CAIRN_API int cairn_session_rotate(struct cairn_session *session, int fd);

/*
 * Writes the events that a flight recorder has in memory, as a complete trace file. These are the
 * latest events of each thread, up to those that were committed before the call, without a gap
 * except for lost ones, which the file counts. The events remain in memory. It may also be called
 * after cairn_session_finish.
 *
 * fd  a file, as options.fd
 *
 * Returns 0; EINVAL the session is no flight recorder, or fd is no file; or the error of writing:
 * the session continues, and `unstored` has the number of events that could not be written, until
 * the next snapshot.
 */
CAIRN_API int cairn_session_snapshot(struct cairn_session *session, int fd, uint64_t *ret_events);

/*
 * For a program that waits by poll or epoll between two calls of cairn_session_poll. Without it,
 * ret_wait_ms is 10 at most; with it up to 1,000 while programs write nothing, and up to 100 for a
 * receiver. A single event is noticed after this time. A program that writes many events makes the
 * descriptor readable before its buffer is full, and so does a program that starts. The function
 * starts two threads for this purpose; programs make no additional system calls.
 *
 * ret_fd  ready for reading when cairn_session_poll has something to do; the session's own
 *
 * Returns 0; EOPNOTSUPP before Linux 5.16; ENOMEM; EMFILE; EAGAIN.
 */
CAIRN_API int cairn_session_wait_fd(struct cairn_session *session, int *ret_fd);

/* Ends the collection. Returns 0 or the first error. Must be called once. */
CAIRN_API int cairn_session_finish(struct cairn_session *session);

/* Frees everything. Without finish the output stays as it is, and a session with a resume_name can
 * be resumed. Accepts NULL. */
CAIRN_API void cairn_session_destroy(struct cairn_session *session);

/* Returns the counts, which the next call for this session may change; valid until it is destroyed.
 * They may grow at the end. */
CAIRN_API const struct cairn_session_counts *
cairn_session_counts(const struct cairn_session *session);

/*
 * Returns the tracepoint of an index below counts->tracepoints, or NULL; valid until the next call
 * for this session. It may grow at the end.
 */
CAIRN_API const struct cairn_session_tracepoint *
cairn_session_tracepoint(const struct cairn_session *session, uint32_t index);

/* Events that a session lacks because a buffer was full: of one thread, and of one name. Or because
 * they did not reach a buffer: of one tracepoint ("MyCompany_Web", "MyCompany_Web_L4K1"). It may
 * grow at the end. */
struct cairn_session_loss {
    const char *provider; /* "MyCompany_Web", "user_events"; "": not known */
    const char *event;    /* its name there; "": not known */
    const char *comm;     /* the thread's name; "": not known */
    uint32_t pid;         /* 0: not known */
    uint32_t tid;         /* 0: not known */
    uint64_t lost;
};

/*
 * Calls a function for each thread and event of which events were lost since the session began, in
 * the order in which they were found, as far as they are known: a program counts 165 pairs of them
 * at most, and what is lost before it reaches a buffer has a tracepoint and no thread. The last
 * call, without names and with a tid of 0, is for the others. The sum is counts->lost.
 *
 * loss  valid until the function returns
 */
CAIRN_API void cairn_session_each_loss(const struct cairn_session *session,
                                       void (*each)(void *context,
                                                    const struct cairn_session_loss *loss),
                                       void *context);

/* True if a process that has written events to the session may still run; its number is that of its
 * events. */
CAIRN_API bool cairn_session_has_process(const struct cairn_session *session, uint32_t pid);

/* Checks a pattern of cairn_session_options.patterns, which may end in words: "NAME/every=100/",
 * "NAME/rate=1000/", "NAME/stack/", "NAME/every=10,rate=100,stack/". Returns 0; EINVAL it is empty,
 * or says something else between slashes. */
CAIRN_API int cairn_session_pattern_check(const char *pattern);

/*
 * Changes what a session collects, while it does: adds a pattern, after the others, or removes the
 * first that has this text. Events that are in both continue without a gap; one that a thread is
 * writing meanwhile is recorded if it is complete within two seconds, and still matches. The next
 * change ends that time, but waits until 0.1 seconds have passed; cairn_session_finish ends it at
 * once. Until then the session takes two of the 64 places of a tracing directory. Where programs'
 * files are another user's and cannot be locked, they continue with the former patterns. Not for
 * stacks (NAME/stack/), unless a pattern asked for them when the session began.
 *
 * filter  as options.filters; NULL: none
 *
 * Returns 0; EINVAL the pattern is invalid, or the only one, or the session is finished; EEXIST it
 * is there; ENOENT it is not; E2BIG the patterns together are too long; ENOSPC 64 sessions exist;
 * ENOMEM; or the error of taking the lock of the tracing directory: EBUSY. On failure nothing is
 * changed.
 */
CAIRN_API int cairn_session_pattern_add(struct cairn_session *session, const char *pattern,
                                        const char *filter);
CAIRN_API int cairn_session_pattern_remove(struct cairn_session *session, const char *pattern);

/*
 * Returns the kernel's tracepoint of an index below counts->kernel_tracepoints, or NULL; valid
 * until the next call for this session. Its `events` are counted by cairn_session_finish.
 */
CAIRN_API const struct cairn_session_tracepoint *
cairn_session_kernel_tracepoint(const struct cairn_session *session, uint32_t index);

/* True if the pattern of an index (of cairn_session_options.patterns) matches a tracepoint. */
CAIRN_API bool cairn_session_has_matched(const struct cairn_session *session, size_t pattern);

/* True if the pattern of an index (of cairn_session_options.patterns) selected anything: it matches
 * a tracepoint, and its filter, if any, selected an event. */
CAIRN_API bool cairn_session_has_selected(const struct cairn_session *session, size_t pattern);

/* The problem of the filter of an index (of cairn_session_options.filters) that is invalid for all
 * types of events so far: "Nosuch > 1 (at 7: Field not found)"; NULL: there is none, or no event
 * yet. Valid until the session is destroyed. */
CAIRN_API const char *cairn_session_filter_problem(const struct cairn_session *session,
                                                   size_t pattern);

/* ---- Control of recorders ---- */

/*
 * A process that collects can be found and asked by others of its user: it has a name in the
 * tracing directory, and answers requests, which are lines of text. There is no daemon.
 */
struct cairn_recorder;

#define CAIRN_RECORDER_NAME_BYTES    65   /* with a NUL: letters, digits, "_", "-" and "." inside */
#define CAIRN_RECORDER_REQUEST_BYTES 4096 /* of a request, and of an answer */

/* True if a recorder can have this name. */
CAIRN_API bool cairn_recorder_name_is_valid(const char *name);

/*
 * Makes this process the recorder of a name. A name ends with its process, however that ends; one
 * that is ending is waited for, for a second at most.
 *
 * Returns 0; EINVAL the name is invalid; EBUSY another process has it; or the error of a system
 * call, or of the tracing directory.
 */
CAIRN_API int cairn_recorder_open(const char *name, struct cairn_recorder **ret_recorder);

/*
 * Answers the requests that have come, without waiting; called repeatedly.
 *
 * answer  gets a request without its end of line, and writes the answer, a text; called by this
 *         function alone
 */
CAIRN_API void cairn_recorder_poll(struct cairn_recorder *recorder,
                                   void (*answer)(void *context, const char *request, char *text,
                                                  size_t text_bytes),
                                   void *context);

/* Accepts NULL. */
CAIRN_API void cairn_recorder_close(struct cairn_recorder *recorder);

/*
 * Asks the recorder of a name, and waits for its answer.
 *
 * text, text_bytes  the caller's memory for the answer, NUL-terminated on success; what does not
 * fit is cut
 *
 * Returns 0; EINVAL an invalid name, or a request of several lines or that is too long; ENOENT no
 * process has the name; ETIMEDOUT there was no answer; or the error of a system call.
 */
CAIRN_API int cairn_recorder_ask(const char *name, const char *request, uint32_t timeout_ms,
                                 char *text, size_t text_bytes);

/* Calls a function for each recorder, in the order of names. pid: 0 for one of another pid
 * namespace, -1 for one that has ended without closing, for example because it was killed. Returns
 * 0, or the error of the tracing directory. */
CAIRN_API int cairn_recorder_each(void (*each)(void *context, const char *name, int32_t pid),
                                  void *context);

/* Removes what is left of a recorder that has ended without closing. Returns 0; EINVAL the name is
 * invalid; EBUSY the recorder lives; ENOENT nothing is left; or the error of the tracing directory.
 */
CAIRN_API int cairn_recorder_forget(const char *name);

/* ---- Filters of running programs ---- */

#define CAIRN_PROGRAM_FILTER_BYTES 912 /* of a filter's text, with a NUL */

/*
 * Reads the filter of the facade (cairn/tracing.h) that is in force in a running program: that of
 * the layer of cairn_tracing_init, or, if the program has none, of the global subscriber's first
 * layer. A text that is longer ends in "...". It may contain any bytes: another user's program may
 * have written it.
 *
 * Returns 0; ESRCH there is no such process; ENOENT it is not traced: it has no file in the tracing
 * directory; EOPNOTSUPP it uses no facade, or no layer in it; EPROTONOSUPPORT it has another
 * version of cairn; EBUSY it was ended, or stopped, while it wrote the text; EBADMSG its file is
 * damaged; or the error of the tracing directory.
 */
CAIRN_API int cairn_program_filter_read(int32_t pid, char ret_text[CAIRN_PROGRAM_FILTER_BYTES]);

/*
 * Changes it, as cairn_tracing_reload does in the program: of the layer of cairn_tracing_init, or,
 * if the program has none, of all layers of the global subscriber. The program notices it when it
 * reaches a call site that is disabled by its filter, or whose event is written; without such a
 * call site it is not noticed, and the filter stays pending. Forked children that have registered
 * no event of their own follow their parent.
 *
 * text        in the language of cairn/tracing/directives.h
 * timeout_ms  time to wait until the program has changed it
 * ret_error   the position and the reason, on EINVAL; may be NULL
 *
 * Returns 0; EINVAL the text is invalid; E2BIG it is too long; ETIMEDOUT the program has not
 * noticed it yet; EBUSY others are asking; the codes of cairn_program_filter_read; or the error of
 * the program: ENOMEM, ENOENT.
 */
CAIRN_API int cairn_program_filter_change(int32_t pid, const char *text, uint32_t timeout_ms,
                                          struct cairn_directives_error *ret_error);

/* ---- The session of tracefs's trace ---- */

/*
 * Begins, or joins, the session whose events are the lines of tracefs's `trace` under cairn run:
 * one in each tracing directory. It lasts as long as the process that began it, and
 * as a process has such a descriptor, or an inherited one: so events that several commands enable,
 * one after the other, remain enabled.
 *
 * path, size_bytes  the caller's memory for the path of the session's file, NUL-terminated on
 *                   success
 * ret_fd            closed by the caller; close-on-exec
 *
 * Any thread. Returns 0; ERANGE the path does not fit; ENOSPC 64 sessions exist already;
 * EPROTONOSUPPORT the directory was made by another version of cairn; EBADMSG it is damaged; EBUSY
 * a stopped process holds its lock; EACCES, ENOENT, ENOTDIR... it cannot be used.
 */
CAIRN_API int cairn_session_hold_text(char *path, size_t size_bytes, int *ret_fd);

#ifndef CAIRN_NO_DEPRECATED
/* Deprecated: call cairn_session_counts. */
static inline struct cairn_session_counts cairn_session_count(const struct cairn_session *session)
{
    return *cairn_session_counts(session);
}

/* Deprecated: call cairn_session_tracepoint. The index must be below counts.tracepoints. */
static inline struct cairn_session_tracepoint
cairn_session_tracepoint_at(const struct cairn_session *session, uint32_t index)
{
    return *cairn_session_tracepoint(session, index);
}
#endif

#ifdef __cplusplus
}
#endif

#endif
