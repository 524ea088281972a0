/* SPDX-License-Identifier: MIT */
/*
 * A report: one HTML file that shows events (cairn/decode.h) as a summary, a timeline and a table,
 * without a network. Or the data of such a page as a file, and the page that fetches what it shows
 * from a server.
 *
 * Events are passed once, in the order of time. Memory depends on the numbers of threads, of kinds
 * of events and of open spans; all have limits.
 *
 * A report is used by one thread at a time. Nothing here is for signal handlers.
 */
#ifndef CAIRN_REPORT_H
#define CAIRN_REPORT_H

#include <cairn/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_report;

/*
 * Begins with CAIRN_REPORT_OPTIONS_INIT, or with zeros and a size. Everything is copied. Members
 * are added at the end; zero is then the behaviour before.
 */
struct cairn_report_options {
    size_t size;               /* of this struct, as the caller was compiled */
    const char *title;         /* of the page, any bytes; NULL: "cairn" */
    bool data_only;            /* the fd gets the data alone, for a server */
    uint64_t fields_max_bytes; /* when the data has become as large, the fields of further events
                                  are left out; 0: never */
};

#define CAIRN_REPORT_OPTIONS_INIT                           \
    {                                                       \
        sizeof(struct cairn_report_options), NULL, false, 0 \
    }

/*
 * Begins a report, and writes the page's beginning.
 *
 * options     NULL: all zeros
 * fd          stays the caller's
 * ret_report  destroyed by the caller
 *
 * Returns 0; EINVAL the options have a wrong size; E2BIG options that this version lacks are set;
 * ENOMEM; or the error of write.
 */
CAIRN_API int cairn_report_create(const struct cairn_report_options *options, int fd,
                                  struct cairn_report **ret_report);

/* A page that was not finished is incomplete. Accepts NULL. */
CAIRN_API void cairn_report_destroy(struct cairn_report *report);

/*
 * Adds an event.
 *
 * source     number of the recording that it is from, as cairn_reader_source returns it
 * ret_error  the event's error, found by reading all of it; may be NULL
 *
 * Returns 0; ENOMEM; or the error of write.
 */
CAIRN_API int cairn_report_event(struct cairn_report *report, const struct cairn_event *event,
                                 size_t source, enum cairn_event_error *ret_error);

/*
 * Sets what a recording lacks, to be shown with its name.
 *
 * source  as for cairn_report_event
 * name    of the file, any bytes
 * counts  of its reader, at the end
 *
 * Returns 0; ENOMEM.
 */
CAIRN_API int cairn_report_set_source(struct cairn_report *report, size_t source, const char *name,
                                      const struct cairn_reader_counts *counts);

/*
 * Writes everything so far, and describes it: the index, which a page needs to read the data.
 *
 * ret_index  the report's own, valid until the next call
 *
 * Returns 0; ENOMEM; or the error of write.
 */
CAIRN_API int cairn_report_index(struct cairn_report *report, const void **ret_index,
                                 size_t *ret_size_bytes);

/* Results so far. They may grow at the end. */
struct cairn_report_counts {
    uint64_t events;
    uint64_t spans;
    uint64_t without_fields; /* events whose fields were left out, by fields_max_bytes */
    uint64_t size_bytes;     /* written to the fd */
    bool is_compressed;      /* false: this build lacks zlib */
};

/* Returns the counts: the report's own, which change with the next call. */
CAIRN_API const struct cairn_report_counts *cairn_report_counts(struct cairn_report *report);

/*
 * Ends the report: adds what has not ended, and writes the index and the page's end. Nothing may be
 * added after it.
 *
 * Returns 0; ENOMEM; or the error of write.
 */
CAIRN_API int cairn_report_finish(struct cairn_report *report);

/*
 * Returns the page that fetches its data from a server: "index" and "data", relative to the page's
 * address; the latter with a Range header. A constant.
 */
CAIRN_API const char *cairn_report_page(size_t *ret_size_bytes);

/* ---- A server ---- */

/*
 * Serves the page of a report with data_only over HTTP on 127.0.0.1, while events are added or
 * after that. Requests without the random token in its address are refused.
 */
struct cairn_report_server;

/*
 * Begins with CAIRN_REPORT_SERVER_OPTIONS_INIT. Members are added at the end; zero is then the
 * behaviour before.
 */
struct cairn_report_server_options {
    size_t size;                 /* of this struct, as the caller was compiled */
    struct cairn_report *report; /* used by cairn_report_server_answer, until the server is
                                    destroyed */
    int data_fd;                 /* the report's, open for reading, too: a regular file */
    uint16_t port;               /* 0: any that is free */
};

#define CAIRN_REPORT_SERVER_OPTIONS_INIT                        \
    {                                                           \
        sizeof(struct cairn_report_server_options), NULL, -1, 0 \
    }

/*
 * ret_server  destroyed by the caller
 *
 * Returns 0; EINVAL no report, or options of a wrong size; E2BIG options that this version lacks
 * are set; ENOMEM; EADDRINUSE, EACCES the port; or the error of another system call.
 */
CAIRN_API int cairn_report_server_create(const struct cairn_report_server_options *options,
                                         struct cairn_report_server **ret_server);

/* Ends all connections. Accepts NULL. */
CAIRN_API void cairn_report_server_destroy(struct cairn_report_server *server);

/* Returns the address of the page; the server's own. */
CAIRN_API const char *cairn_report_server_url(const struct cairn_report_server *server);

/*
 * Waits until there is something to do. Does not use the report, which another thread may use
 * meanwhile.
 *
 * Returns 0; EAGAIN not within timeout_ms, which is as that of poll(), or before a signal.
 */
CAIRN_API int cairn_report_server_wait(struct cairn_report_server *server, int timeout_ms);

/* Answers requests without waiting. */
CAIRN_API void cairn_report_server_answer(struct cairn_report_server *server);

#ifdef __cplusplus
}
#endif

#endif
