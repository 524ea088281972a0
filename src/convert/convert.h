/* SPDX-License-Identifier: MIT */
/* Conversion between perf.data and trace files. Used by one thread at a time. */
#ifndef CONVERT_CONVERT_H
#define CONVERT_CONVERT_H

#include <cairn/perf_data.h>

/* The result of a conversion. The format of the output cannot express all of perf.data. */
struct convert_report {
    uint64_t events;                   /* converted */
    uint64_t unreadable;               /* damaged samples, left out */
    uint64_t no_tracepoints;           /* samples of other events than tracepoints, left out */
    uint64_t stacks;                   /* events whose call chain was left out */
    uint64_t records;                  /* other records than samples, losses and names: left out */
    bool is_reduced;                   /* events had an address or a period, which were left out */
    uint64_t lost;                     /* events, as the input reports */
    struct cairn_perf_missing missing; /* the same by cause */
    struct cairn_perf_error error;     /* of the input; code 0: none */
};

/*
 * Reads the input up to its end, or up to where it is damaged, and finishes the output in any case.
 *
 * path        "-": standard input
 * fd          of the output
 * mode        of perf.data: a file or a stream
 * level       of compression by zstd; 0: none
 * ret_report  filled in, also on failure
 *
 * Returns 0; EBADMSG the input is damaged, and what could be read was converted; EINVAL the input
 * has the wrong format; EOPNOTSUPP it is of the other byte order, or no zstd; ENOMEM; or the error
 * of reading or writing: ret_report->error.code is set if it was reading.
 */
int convert_to_trace(const char *path, int fd, int level, struct convert_report *ret_report);
int convert_to_perf(const char *path, int fd, enum cairn_perf_mode mode,
                    struct convert_report *ret_report);

#endif
