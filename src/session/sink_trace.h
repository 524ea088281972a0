/* SPDX-License-Identifier: MIT */
/* A recorder's trace file: what it gets besides the functions of session/sink.h. */
#ifndef SESSION_SINK_TRACE_H
#define SESSION_SINK_TRACE_H

#include "engine/clock.h"
#include "engine/descriptors.h"
#include "session/sink.h"
#include "trace_file/copies.h"

struct session_resume;
struct session_trace;

/* Returns the object to which records are added. */
struct trace_file_copies *session_trace_copies(struct session_trace *trace);

/* Writes what was added if it is enough for a block; or all of it. Return 0, or the first error. */
int session_trace_flush(struct session_trace *trace);
int session_trace_write(struct session_trace *trace);

/* Another recorder can continue: it is to know which blocks have been written. */
void session_trace_resume(struct session_trace *trace, struct session_resume *resume);

/* The events of the next file are compressed as well as those of this one. */
void session_trace_precede(const struct session_trace *trace, struct session_trace *next);

/* Adds a process; container NULL: it is in none. Returns its number in the file. */
uint32_t session_trace_new_process(struct session_trace *trace, uint32_t pid,
                                   const char *container);

/*
 * Finds the number of a descriptor in the file.
 *
 * sample_id  of its tracepoint in the output
 * variant    enum engine_id_variant
 *
 * Returns 0; EOPNOTSUPP its records need session_trace_put_sample; ENOMEM.
 */
int session_trace_descriptor(struct session_trace *trace, uint64_t sample_id,
                             const struct engine_descriptor *descriptor, uint32_t variant,
                             uint32_t *ret_number);

/* In records of a process, `id` means the descriptor `number`. */
void session_trace_put_id(struct session_trace *trace, uint32_t process, uint32_t id,
                          uint32_t number);

/* Adds an event as a piece of its own, or to one that was begun so. Returns 0; EINVAL it is of no
 * tracepoint that was added; ENOMEM. */
int session_trace_put_sample(struct session_trace *trace, uint32_t process, const uint8_t *record);

/*
 * Adds a line of the counter.
 *
 * is_new  the counter has begun anew
 */
void session_trace_add_line(struct session_trace *trace, const struct engine_clock_line *line,
                            bool is_new);

/* The domain of the counter. False: the file does not have its lines. */
bool session_trace_domain(const struct session_trace *trace, uint32_t *ret_domain);

/* Writes the events that a flight recorder keeps to a file. Returns 0; EINVAL it keeps none, or fd
 * is no file; or the error of writing. */
int session_trace_snapshot(struct session_trace *trace, int fd, uint64_t now_ns,
                           uint64_t *ret_events);

/* Returns 0; EINVAL fd is not of the kind that the mode needs, or a level is out of range;
 * EOPNOTSUPP no compression; ENOMEM; or an errno code of the system. */
int session_open_trace_sink(const struct cairn_session_options *options,
                            struct session_sink **ret_sink, struct session_trace **ret_trace);

#endif
