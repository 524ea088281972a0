/* SPDX-License-Identifier: MIT */
/*
 * A session: one collection of events, from the local engine's buffers to a perf.data file or
 * stream, or to a receiver: a function that gets each event 0.1 s after it happened.
 *
 *   cairn_session_create   enables the events that match the patterns, also later ones
 *   cairn_session_poll     moves what the programs have written; to be called again and again
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
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_session;

/* A record on its way to a receiver. */
struct cairn_session_record {
    const uint8_t *bytes; /* a struct cairn_record_head (cairn/record.h), and what follows it */
    uint32_t size_bytes;
    uint32_t tracepoint; /* of cairn_session_tracepoint */
    const char *comm;    /* the thread's name, as it was called when this was collected */
};

/*
 * Who gets a session's events in place of a file. Its functions are called by
 * cairn_session_create, cairn_session_poll and cairn_session_finish, and return 0, or an errno code
 * with which the session then fails. What they are handed lives until they return.
 */
struct cairn_session_receiver {
    size_t size;   /* of this struct, as the caller was compiled */
    void *context; /* handed to both */
    /* A tracepoint that matches: once for each, in the order of cairn_session_tracepoint, before
     * its first record. */
    int (*tracepoint)(void *context, const struct cairn_perf_tracepoint *tracepoint);
    /* A record, 0.1 s after it was written. They come in the order of time, but for those of
     * threads that were kept from their CPU for longer in the middle of a write. */
    int (*record)(void *context, const struct cairn_session_record *record);
};

/*
 * Begins with CAIRN_SESSION_OPTIONS_INIT, or with zeros and a size. Everything is copied. Members
 * are added at the end; zero is then the behaviour before.
 */
struct cairn_session_options {
    size_t size;                 /* of this struct, as the caller was compiled */
    const char *const *patterns; /* globs on event names: "MyCompany_*_L5K*" */
    size_t pattern_count;
    /* For each pattern a filter of its events, in the language of cairn/filter.h, or NULL: all of
     * them. NULL in place of the array: no filters. */
    const char *const *filters;
    size_t buffer_bytes; /* of each process with its forked children; 0: 16 MiB */
    /* Copied. With one the session is a reader of text (EVENT_STATUS_FTRACE in the status page),
     * and what follows is of no meaning; NULL: it is a recorder, and writes to fd. */
    const struct cairn_session_receiver *receiver;
    int fd;                    /* where to; stays the caller's */
    enum cairn_perf_mode mode; /* file or pipe stream */
    /* As for cairn_perf_writer_set_wait; NULL: a stream's reader is waited for. */
    int (*wait)(void *context, int fd);
    void *wait_context;
    int arg_count; /* the command that records, for the file; 0: none */
    const char *const *args;
};

#define CAIRN_SESSION_OPTIONS_INIT                                                               \
    {                                                                                            \
        sizeof(struct cairn_session_options), NULL, 0, NULL, 0, NULL, -1, CAIRN_PERF_FILE, NULL, \
            NULL, 0, NULL,                                                                       \
    }

#define CAIRN_SESSION_BUFFER_DEFAULT_BYTES ((size_t)16 << 20)
#define CAIRN_SESSION_BUFFER_MIN_BYTES     ((size_t)1 << 19)
#define CAIRN_SESSION_BUFFER_MAX_BYTES     ((size_t)512 << 20)

struct cairn_session_counts {
    uint64_t events;                           /* in the file */
    uint64_t filtered;                         /* left out, because no filter chose them */
    uint64_t lost;                             /* dropped by the programs, */
    uint64_t lost_by_cause[CAIRN_LOSS_CAUSES]; /* for these causes (enum cairn_loss) */
    uint64_t damaged;                          /* records that made no sense and were left out */
    uint64_t bytes;                            /* of the file so far */
    uint32_t tracepoints;                      /* that match */
    uint32_t processes;                        /* that wrote so far */
    uint32_t alive;                            /* of them, still running */
    /* Processes whose buffers cannot be read: for want of descriptors, of address space, of
     * permission. It is tried again until the session ends. */
    uint32_t unrecorded;
    uint32_t unrecorded_by_cause[CAIRN_LOSS_CAUSES];
    int unrecorded_error; /* errno code of the last of them */
    /* Processes that could not register their events since the session began; which, if any, the
     * session would have wanted is not known. */
    uint32_t unregistered;
    int unregistered_error;
    /* The tracing directory was removed, or replaced: processes that started since, or that had
     * not written an event yet, are missing. */
    bool directory_gone;
    /* So often did programs stop writing, since this recorder was not heard of for five seconds: it
     * was stopped, or could not write. Their events until it came back are missing, uncounted. */
    uint32_t silences;
    uint64_t misdated; /* events whose time was in the future: they have that of their reading */
};

/* What was recorded of one tracepoint. */
struct cairn_session_tracepoint {
    const char *name;
    uint64_t events;
    /* A filter that makes no sense for this tracepoint, so that it chose nothing: "a > 1 (at 3:
     * Field not found)"; NULL: none. */
    const char *filter_problem;
};

/*
 * Begins a session in the tracing directory (see docs/architecture.md for which that is).
 *
 * An event is recorded when one of the patterns that its name matches has no filter, or one whose
 * filter chooses it. Programs write all events of these names; the session leaves out the others.
 *
 * Returns 0; EINVAL no pattern, a buffer size out of range, or a struct of a wrong size; E2BIG the
 * patterns are too long together, or options are set that this version lacks; ENOSPC 64 sessions
 * are there already; EPROTONOSUPPORT the directory was made by another version of cairn; EACCES,
 * ENOENT, ENOTDIR... the directory cannot be used; or what cairn_perf_writer_create or the receiver
 * returned.
 */
CAIRN_API int cairn_session_create(const struct cairn_session_options *options,
                                   struct cairn_session **ret_session);

/*
 * Moves what is there to the output.
 *
 * ret_wait_ms  after so many ms at the latest it should be called again; 0: at once
 *
 * Returns 0, or the first failure of writing (ENOSPC, EPIPE...) or of the receiver: the session can
 * only be finished then; what the file holds remains readable.
 */
CAIRN_API int cairn_session_poll(struct cairn_session *session, uint32_t *ret_wait_ms);

/* Ends the collection. Returns 0 or the first failure. To be called once. */
CAIRN_API int cairn_session_finish(struct cairn_session *session);

/* Lets go of everything; without finish the output stays as it is. NULL is accepted. */
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

/* True if the pattern of an index (of cairn_session_options.patterns) matches a tracepoint. */
CAIRN_API bool cairn_session_has_matched(const struct cairn_session *session, size_t pattern);

/*
 * Whether the pattern of an index (of cairn_session_options.patterns) selected anything: it matches
 * a tracepoint, and its filter, if it has one, chose an event.
 */
CAIRN_API bool cairn_session_has_selected(const struct cairn_session *session, size_t pattern);

#ifdef __cplusplus
}
#endif

#endif
