/* SPDX-License-Identifier: MIT */
/* A survey of a recording, for those that read it more than once. */
#ifndef DECODE_READER_SURVEY_H
#define DECODE_READER_SURVEY_H

#include <cairn/reader.h>

/* The relation of the time of day to the recording's clock: it is that of the clock plus what is
 * between these two, modulo 2^64. */
struct decode_reader_shift {
    bool is_known; /* of all events */
    uint64_t min_ns;
    uint64_t max_ns;
};

/* Receives a type of events, valid during the call, and how many there are. Returns 0; another
 * result ends the survey. */
typedef int decode_reader_type_fn(void *context, const struct cairn_event_type *type,
                                  uint64_t events);

/*
 * Lists the types of a trace file's events, without reading them if the file has an index. A type
 * may come more than once.
 *
 * reader  nothing was read from it, nor will be
 *
 * Returns 0; EINVAL not a trace file, or a stream; EBADMSG it is damaged: the rest was listed;
 * ENOMEM; EOPNOTSUPP a compression that this build lacks; or what `fn` returned.
 */
int decode_reader_survey(struct cairn_reader *reader, decode_reader_type_fn *fn, void *context,
                         struct decode_reader_shift *ret_shift);

#endif
