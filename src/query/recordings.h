/* SPDX-License-Identifier: MIT */
/* The recordings of a query: each scan opens them again. */
#ifndef QUERY_RECORDINGS_H
#define QUERY_RECORDINGS_H

#include <cairn/query.h>
#include <cairn/reader.h>
#include <sys/stat.h>

struct query_recording {
    const char *path; /* as the caller named it */
    int fd;           /* of a copy of standard input; -1: it is opened by its path */
    struct stat stat; /* when it was read first */
    bool has_wall;    /* its events have the time of day */
    uint64_t
        shift_min_ns; /* the time of day is that of the clock plus what is between these two, */
    uint64_t shift_max_ns; /* modulo 2^64; if has_shift */
    bool has_shift;
    struct cairn_query_file file;
};

struct query_recordings {
    struct query_recording *all;
    size_t count;
};

/* Times of events that a scan wants, as timeline_time_of; both ends included. */
struct query_range {
    uint64_t since_ns;
    uint64_t until_ns;
};

#define QUERY_RANGE_ALL           \
    {                             \
        .since_ns = 0, UINT64_MAX \
    }

/* Paths are copied. Standard input is read to its end. Returns 0; ENOMEM; errors of files. */
int query_recordings_open(struct query_recordings *recordings, const char *const *paths,
                          size_t count, struct cairn_query_error *error);

/* Accepts zeros. */
void query_recordings_close(struct query_recordings *recordings);

/*
 * Opens one of the recordings.
 *
 * range  NULL: all. Events outside of it may be returned nevertheless
 *
 * Returns as cairn_reader_open.
 */
int query_recording_open(const struct query_recording *recording,
                         const struct cairn_reader_options *options,
                         const struct query_range *range, struct cairn_perf_error *ret_error,
                         struct cairn_reader **ret_reader);

/* Keeps what reading a recording to its end, or up to an error, showed. */
void query_recording_note(struct query_recordings *recordings, size_t index,
                          struct cairn_reader *reader, int err);

/* Keeps how many events a scan found damaged. */
void query_recording_note_damage(struct query_recordings *recordings, size_t index,
                                 uint64_t damaged);

/* True if a file has grown, or is another one. */
bool query_recordings_have_changed(struct query_recordings *recordings);

#endif
