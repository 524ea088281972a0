/* SPDX-License-Identifier: MIT */
/*
 * Conversion between perf.data and trace files, and merging (docs/trace-format.md). Any thread;
 * several conversions may run at the same time.
 */
#ifndef CAIRN_CONVERT_H
#define CAIRN_CONVERT_H

#include <cairn/api.h>
#include <cairn/perf_data.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of a conversion. The format of the output cannot express all of perf.data. */
struct cairn_convert_report {
    uint64_t events;                   /* converted */
    uint64_t unreadable;               /* damaged samples, left out */
    uint64_t no_tracepoints;           /* samples of other events than tracepoints, left out */
    uint64_t stacks;                   /* events whose call chain was left out */
    uint64_t records;                  /* other records than samples, losses and names: left out */
    bool is_reduced;                   /* events had an address or a period, which were left out */
    uint64_t lost;                     /* events, as the input reports */
    struct cairn_perf_missing missing; /* the same by cause */
    struct cairn_perf_error error;     /* of the input; code 0: none */
    uint64_t wall_error_ns; /* by how much times of day are wrong, at most: the clock was set while
                               recording, and perf.data cannot express it; 0: less than 1 ms */
    uint64_t foreign;       /* events of machines of another byte order, or of another size of long
                               than the first, left out: perf.data has one of both */
};

/*
 * Properties of the output. Begins with CAIRN_CONVERT_OPTIONS_INIT, or with zeros and a size.
 * Members are added at the end; zero is then the behaviour before.
 */
struct cairn_convert_options {
    size_t size;               /* of this struct, as the caller was compiled */
    int level;                 /* of a trace file: of compression by zstd; 0: none */
    enum cairn_perf_mode mode; /* of perf.data: a file or a stream */
};

#define CAIRN_CONVERT_OPTIONS_INIT                               \
    {                                                            \
        sizeof(struct cairn_convert_options), 0, CAIRN_PERF_FILE \
    }

/*
 * Reads a recording up to its end, or up to where it is damaged, and finishes the output in any
 * case.
 *
 * path        of the input; "-": standard input
 * fd          of the output; owned by the caller
 * options     NULL: not compressed, and a file
 * ret_report  filled in, also on failure
 *
 * Returns 0; EBADMSG the input is damaged, and what could be read was converted; EINVAL the input
 * has the wrong format, or the options have a wrong size; E2BIG options that this version lacks are
 * set; EOPNOTSUPP the input is of the other byte order, or no zstd; ENOMEM; or the error of reading
 * or writing: ret_report->error.code is set if it was reading.
 */
CAIRN_API int cairn_convert_to_trace(const char *path, int fd,
                                     const struct cairn_convert_options *options,
                                     struct cairn_convert_report *ret_report);
CAIRN_API int cairn_convert_to_perf(const char *path, int fd,
                                    const struct cairn_convert_options *options,
                                    struct cairn_convert_report *ret_report);

/* A recording that is merged with others. */
struct cairn_convert_input {
    const char *path;                   /* "-": standard input */
    int64_t offset_ns;                  /* is added to its times */
    struct cairn_convert_report report; /* filled in */
    bool has_no_clock; /* set: its time of day is not known, and its times cannot be compared with
                          others' */
    int error; /* set: the first error of reading, or ERANGE: with the offset, times of day are
                  before 1970 or after 2262; 0: none */
};

/*
 * Merges recordings of several recorders and machines into one trace file, in the order of time.
 *
 * Times of all are converted to the clock of the first input: those of another machine by the time
 * of day of both. Inputs of one machine, with one host name and with clocks that differ by less
 * than a second, need no conversion.
 *
 * fd       of the output; owned by the caller
 * options  NULL: not compressed
 * inputs   owned by the caller, as their paths
 *
 * Returns 0, also if an input could be read in part only; EINVAL there is no input, or the options
 * have a wrong size; E2BIG options that this version lacks are set; EOPNOTSUPP no zstd; ENOMEM; or
 * the error of writing.
 */
CAIRN_API int cairn_convert_merge(int fd, const struct cairn_convert_options *options,
                                  struct cairn_convert_input *inputs, size_t count);

#ifdef __cplusplus
}
#endif

#endif
