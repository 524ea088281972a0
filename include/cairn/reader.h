/* SPDX-License-Identifier: MIT */
/*
 * A reader: the events of a file, of a stream or of a live session, one after the other in the
 * order of time.
 *
 *   cairn_reader_open, cairn_reader_open_fd, cairn_reader_open_session
 *   cairn_reader_merge    several readers as one, in the order of time
 *   cairn_reader_next     the next event
 *   cairn_reader_items    its fields, one by one
 *   cairn_event_copy_set  keeps an event beyond the next call
 *   cairn_reader_each     all events, by several threads
 *   cairn_reader_count_names
 *   cairn_reader_counts   losses and damage so far
 *   cairn_reader_close
 *
 * A reader, and everything that it returns, is used by one thread at a time; different readers may
 * be used by different threads. Nothing here is for signal handlers.
 */
#ifndef CAIRN_READER_H
#define CAIRN_READER_H

#include <cairn/decode.h>
#include <cairn/perf_data.h>
#include <cairn/session.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_reader;

/* ---- Opening and closing ---- */

/*
 * Begins with CAIRN_READER_OPTIONS_INIT, or with zeros and a size. Everything is copied. Members
 * are added at the end; zero is then the behaviour before.
 */
struct cairn_reader_options {
    size_t size;       /* of this struct, as the caller was compiled */
    bool without_comm; /* events have no `comm`, which saves a search for each */

    /* Only of a session; as in struct cairn_session_options. */
    const char *const *patterns;
    size_t pattern_count;
    const char *const *filters;
    size_t buffer_bytes;

    /* Events outside a range of time are not returned, nor those whose time is unknown; the range
     * contains both ends. A source that has an index may leave them unread. */
    uint64_t since_ns;      /* of the recording's clock */
    uint64_t until_ns;      /* 0: no end */
    uint64_t since_wall_ns; /* since 1970; 0: no begin. Events need CAIRN_EVENT_WALL */
    uint64_t until_wall_ns; /* 0: no end */
    bool in_file_order;     /* of perf.data: records are returned as they are stored, not sorted */
    bool without_raw;   /* EventHeader events need no `raw`, which saves making it: in a trace file
                         * only the first one of a call site has it then, and those whose metadata
                         * is damaged, or that are stored as they were written */
    bool with_switches; /* the kernel's records of threads that left a CPU, or continued, are events
                         * `perf:context_switch`: `in` 1 or 0, `preempted` */
};

#define CAIRN_READER_OPTIONS_INIT                                                               \
    {                                                                                           \
        sizeof(struct cairn_reader_options), false, NULL, 0, NULL, 0, 0, 0, 0, 0, false, false, \
            false,                                                                              \
    }

/*
 * Opens a perf.data file or stream, as cairn_perf_file_open does, a trace file
 * (docs/trace-format.md), a trace.dat of trace-cmd, version 6 or 7, an ETL file of Windows, a
 * directory with CTF 1.8 or with copies of tracefs' files (cairn-decode(1)), or text of the
 * kernel's trace file and trace_pipe, whose events have one field, `text`. CTF is read by a process
 * that is started for it.
 *
 * path        "-": standard input; copied
 * options     NULL: all zeros
 * ret_error   set on failure; may be NULL
 * ret_reader  closed by the caller
 *
 * Returns 0; EINVAL the options have a wrong size; E2BIG options that this version lacks are set;
 * EOPNOTSUPP a trace file or a trace.dat of another version, a compressed ETL file, a directory of
 * `perf record --threads`, or CTF without libbabeltrace2; EBADMSG none of these, or an invalid
 * header or attrs; EISDIR a directory without CTF; ENOMEM; or the error of open, read, mmap or
 * fork.
 */
CAIRN_API int cairn_reader_open(const char *path, const struct cairn_reader_options *options,
                                struct cairn_perf_error *ret_error,
                                struct cairn_reader **ret_reader);

/* The same for an open file descriptor, which stays the caller's and open until after close. */
CAIRN_API int cairn_reader_open_fd(int fd, const struct cairn_reader_options *options,
                                   struct cairn_perf_error *ret_error,
                                   struct cairn_reader **ret_reader);

/*
 * Begins a session (cairn/session.h) whose events are read while they happen, 0.1 s after each. The
 * session is a text reader (EVENT_STATUS_FTRACE in the status page).
 *
 * Returns 0; EINVAL, E2BIG also as cairn_reader_open; or what cairn_session_create returned.
 */
CAIRN_API int cairn_reader_open_session(const struct cairn_reader_options *options,
                                        struct cairn_reader **ret_reader);

/*
 * Makes one reader of several, of any kinds: it returns the events of all in the order of time. If
 * all recordings relate their clocks to the time of day, that is the time; otherwise it is the one
 * that the recordings' own clocks show. Events of equal time come in the order of the readers.
 *
 * A reader whose end is an error does not end the others: the first such error is returned after
 * the last event of all.
 *
 * readers     nothing was read from them yet. They become the merged reader's, which closes them;
 *             until then cairn_reader_counts and similar functions may be called for each. On
 * failure they stay the caller's ret_reader  closed by the caller
 *
 * Returns 0; EINVAL count is 0, or one of the readers is a merged one; ENOMEM.
 */
CAIRN_API int cairn_reader_merge(struct cairn_reader *const *readers, size_t count,
                                 struct cairn_reader **ret_reader);

/* The times of the events of a recording. */
struct cairn_reader_times {
    uint64_t events;   /* with a time */
    uint64_t first_ns; /* of the recording's clock */
    uint64_t last_ns;
    uint64_t walls;         /* events with a time of day */
    uint64_t first_wall_ns; /* since 1970 */
    uint64_t last_wall_ns;
};

/*
 * Finds the first and the last time of a recording, by reading it once.
 *
 * path  a file: a stream, or "-", could not be read again
 *
 * Returns 0, also if the recording is damaged: the times of its readable part; ENODATA no event has
 * a time; ESPIPE not a regular file; or as cairn_reader_open.
 */
CAIRN_API int cairn_reader_find_times(const char *path, struct cairn_reader_times *ret_times);

/* Ends a session that was not stopped. Everything returned becomes invalid. Accepts NULL. */
CAIRN_API void cairn_reader_close(struct cairn_reader *reader);

/* ---- Events ---- */

/*
 * Reads the next event. A damaged event is returned with its `error` set; a sample that has no
 * readable head is left out and counted.
 *
 * ret_event  valid until the next call for this reader, with all that it refers to; its tracepoint
 *            until close
 *
 * Returns 0; ENODATA the end; EAGAIN no event is there yet: print what was collected, wait
 * cairn_reader_wait_ms, and call again (only of a session, and of a stream, which may then block);
 * otherwise the first error, after the last readable event, and again at each further call: EBADMSG
 * cut short or malformed; EOPNOTSUPP a compression that this build lacks; ENOMEM; the error of
 * read; or what cairn_session_poll returned.
 */
CAIRN_API int cairn_reader_next(struct cairn_reader *reader, const struct cairn_event **ret_event);

/*
 * Returns the items of the event that cairn_reader_next returned last, at the first one: for
 * cairn_items_next and cairn_items_error. The reader's own, valid until the next call for it. NULL
 * if there is no event.
 */
CAIRN_API struct cairn_items *cairn_reader_items(struct cairn_reader *reader);

/* A copy of an event, which stays when its reader returns the next one. */
struct cairn_event_copy;

/* ret_copy  empty; destroyed by the caller. Returns 0; ENOMEM. */
CAIRN_API int cairn_event_copy_create(struct cairn_event_copy **ret_copy);

/* Accepts NULL; also after the reader was closed. */
CAIRN_API void cairn_event_copy_destroy(struct cairn_event_copy *copy);

/*
 * Copies an event, in the place of the one that was copied before.
 *
 * reader  that returned it last
 *
 * Returns 0; EINVAL the event has no `raw`, because the reader's options have without_raw; ENOMEM.
 * On failure the copy is unchanged.
 */
CAIRN_API int cairn_event_copy_set(struct cairn_event_copy *copy, struct cairn_reader *reader,
                                   const struct cairn_event *event);

/*
 * Returns the event that was copied, for cairn_items_begin and the printers. Its reader must be
 * open.
 *
 * ret_event   valid until the next call for this copy or its reader
 * ret_source  as cairn_reader_source when the event was copied; may be NULL
 *
 * Returns 0; ENODATA none was copied; ENOMEM.
 */
CAIRN_API int cairn_event_copy_restore(struct cairn_event_copy *copy,
                                       const struct cairn_event **ret_event, size_t *ret_source);

/*
 * The work of several threads on the events of one reader. Each handles parts of the events, one
 * after the other, and keeps what it makes of them; that is passed on in the order of the events.
 *
 * Begins with zeros and a size. Callbacks return 0, or an errno code, which ends all work. Members
 * are added at the end; zero is then the behaviour before.
 */
struct cairn_reader_threads {
    size_t size;    /* of this struct, as the caller was compiled */
    uint32_t count; /* of threads, at most 256; the calling one is among them; 0: it alone */
    void *context;  /* for `begin` and `end` */

    /* Begins the work of a thread, in that thread. ret_state: not NULL; for the other calls. */
    int (*begin)(void *context, void **ret_state);

    /* Handles an event, which is valid until it returns, and is from `source`, as
     * cairn_reader_source. Sets *ret_kept_bytes, which is 0, to the bytes that the thread has kept
     * since `pass`: if it is much, that is called before the next event. */
    int (*event)(void *state, const struct cairn_event *event, size_t source,
                 size_t *ret_kept_bytes);

    /* Passes on what the thread has kept of the events since the last call. One thread at a time is
     * in this call. `pauses`: a stream may have no more events for a while. */
    int (*pass)(void *state, bool pauses);

    /* Ends the work of a thread, in the calling one, after all events. */
    void (*end)(void *context, void *state);
};

/*
 * Reads all events with several threads, before any was read in another way. A trace file that has
 * an index is decoded by ranges of time; of other recordings one thread at a time reads records,
 * and all decode them. Events are in the order of time; if a recorder wrote some late, this differs
 * from the order of cairn_reader_next, which goes by what recorders wrote.
 *
 * Afterwards the counts are those of all events, except `damaged`; each further call of
 * cairn_reader_next returns how reading ended.
 *
 * Returns ENODATA after the last event; EINVAL a session, or events were read before, too many
 * threads, or a wrong size; E2BIG members that this version lacks are set; the error of a callback;
 * ENOMEM; or as cairn_reader_next.
 */
CAIRN_API int cairn_reader_each(struct cairn_reader *reader,
                                const struct cairn_reader_threads *threads);

/* Returns the time to wait after EAGAIN, in ms, at most; 0: call again immediately. */
CAIRN_API uint32_t cairn_reader_wait_ms(const struct cairn_reader *reader);

/*
 * Ends the collection of a session. The events that are left can be read until ENODATA.
 *
 * Returns 0; EINVAL not a session; or what cairn_session_finish returned.
 */
CAIRN_API int cairn_reader_stop(struct cairn_reader *reader);

/* The number of events of one name: "Provider:Event" or "system:event". */
struct cairn_reader_name_count {
    const char *name;
    uint64_t events;
};

/*
 * Counts the events of a trace file by their names, without decoding them: by the file's index, or
 * else by going through its blocks. What cairn_reader_next returns does not change.
 *
 * ret_counts  sorted by name; valid until the next call, or close
 *
 * Returns 0; EINVAL not a trace file, or a stream; EBADMSG it is damaged: the rest was counted;
 * ENOMEM; EOPNOTSUPP a compression that this build lacks.
 */
CAIRN_API int cairn_reader_count_names(struct cairn_reader *reader,
                                       const struct cairn_reader_name_count **ret_counts,
                                       size_t *ret_count);

/* ---- State, for messages ---- */

/* The position of the event that was returned last. */
struct cairn_reader_position {
    const char *name; /* the path; "-" for a descriptor; "live" for a session */
    uint64_t event;   /* its number, counted from 1; 0: none was returned */
    uint64_t offset;  /* of its record in the file, in bytes; 0 for a session */
};

/* Counts so far. */
struct cairn_reader_counts {
    uint64_t events;                   /* returned */
    uint64_t damaged;                  /* of them, with `error` set; their items may show more */
    uint64_t unreadable;               /* samples that were left out, since they have no head */
    uint64_t filtered;                 /* left out: by the session's filters, by their time */
    uint64_t lost;                     /* events, as the recording or the session reports; */
                                       /* at least one for each lost packet */
    struct cairn_perf_missing missing; /* the same by cause, and other losses */
    uint64_t lost_packets;             /* of CTF, whose numbers of events are unknown */
    uint64_t undated; /* of `filtered`: by a range of times of day, as theirs are unknown */
};

/* The following are the reader's own, valid until close; they may grow at the end. */

/* Returns the position, which the next call of cairn_reader_next changes. Of a merged reader: that
 * of the reader that the event is from. */
CAIRN_API const struct cairn_reader_position *
cairn_reader_position(const struct cairn_reader *reader);

/* Returns which of the readers that were merged the last event is from, by index; 0 of others. */
CAIRN_API size_t cairn_reader_source(const struct cairn_reader *reader);

/* Returns the counts; the next call updates them. Of a merged reader: the sums; of processes, CPUs
 * and directories that are missing, the sum of each machine's highest count. */
CAIRN_API const struct cairn_reader_counts *cairn_reader_counts(struct cairn_reader *reader);

/* Returns the first error and its position in the file; code 0: none. */
CAIRN_API const struct cairn_perf_error *cairn_reader_error(const struct cairn_reader *reader);

/* Returns the perf.data file, for its properties (clock, machine, command), or NULL. Do not read
 * from it. */
CAIRN_API const struct cairn_perf_file *cairn_reader_file(const struct cairn_reader *reader);

/* As cairn_session_wait_fd, for cairn_reader_wait_ms. Returns also EINVAL: not of a session. */
CAIRN_API int cairn_reader_wait_fd(struct cairn_reader *reader, int *ret_fd);

/* Returns the session, for its counts and tracepoints, or NULL. Do not poll it. */
CAIRN_API const struct cairn_session *cairn_reader_session(const struct cairn_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
