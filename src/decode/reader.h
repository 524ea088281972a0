/* SPDX-License-Identifier: MIT */
/* The reader's state, and its sources: a perf.data, a trace file, a live session, other readers. */
#ifndef DECODE_READER_H
#define DECODE_READER_H

#include "cairn/reader.h"
#include "decode/items.h"
#include "decode/record.h"
#include "decode/stacks.h"
#include "decode/switches.h"
#include "trace_file/parts.h"
#include "trace_file/reader.h"

/* The decoder's description of an attr. */
struct decode_reader_attr {
    bool is_known;
    uint32_t tracepoint;
    uint32_t has;       /* CAIRN_EVENT_ bits of its samples */
    const char *format; /* the text from which it was parsed */
};

/* Times of events that are returned, both ends included; a source with an index seeks by it. */
struct decode_reader_range {
    uint64_t since_ns;
    uint64_t until_ns;
    uint64_t since_wall_ns;
    uint64_t until_wall_ns;
};

struct cairn_reader {
    struct cairn_decoder *decoder;
    struct cairn_perf_file *file;        /* or */
    struct cairn_session *session;       /* or */
    struct decode_reader_trace *trace;   /* or */
    struct decode_reader_merged *merged; /* or */
    struct decode_reader_dat *dat;       /* or */
    struct decode_reader_etl *etl;       /* or */
    struct decode_reader_ctf *ctf;       /* or */
    struct decode_reader_text *text;     /* one of the eight */
    struct decode_reader_attr *attrs;    /* of the file, by index */
    uint32_t attr_count;
    bool with_comm;
    bool has_event;
    bool has_stopped; /* the session was stopped; the remaining events are read */
    bool is_polled;   /* its events are being returned; EAGAIN follows */
    bool has_range;
    bool in_file_order;
    bool is_stream;      /* of records that may still be written: it pauses */
    bool without_stacks; /* no event has a call chain: mappings are of no use */
    struct decode_reader_range range;
    uint64_t out_of_range; /* events that were read and left out */
    uint32_t wait_ms;
    int end; /* ENODATA, or the error that ended reading; 0: neither */
    char *name;
    struct decode_record record; /* of the event, which it is decoded to */
    struct decode_records records;
    struct cairn_event event;
    struct cairn_items items;
    struct decode_stacks stacks;
    bool with_switches; /* the kernel's records of switches are events */
    struct decode_switches switches;
    struct cairn_reader_position position;
    struct cairn_reader_counts counts;
    struct cairn_perf_error error;
};

/* reader.c: copies options of any size into this version's. NULL: zeros. Returns 0, EINVAL, E2BIG.
 */
int decode_reader_copy_options(const struct cairn_reader_options *options,
                               struct cairn_reader_options *ret_options);

/* Creates a reader without a source. Returns 0, ENOMEM. */
int decode_reader_create(const char *name, const struct cairn_reader_options *options,
                         struct cairn_reader **ret_reader);

/* reader_trace.c: the state of a trace file. */
struct decode_reader_trace;

/*
 * Opens a source, which the reader owns from then on, also on failure. Returns as
 * cairn_reader_open.
 */
int decode_reader_open_trace(const char *name, const struct cairn_reader_options *options,
                             struct perf_data_source *source, struct perf_data_block_pool *pool,
                             struct cairn_perf_error *ret_error, struct cairn_reader **ret_reader);
void decode_reader_close_trace(struct decode_reader_trace *trace);
const struct cairn_perf_error *decode_reader_error_of_trace(const struct cairn_reader *reader);
const struct trace_file_blocks *decode_reader_blocks_of_trace(const struct cairn_reader *reader);
const struct trace_file_tables *decode_reader_tables_of_trace(const struct cairn_reader *reader);

/* The decoder's number of a tracepoint. Returns 0, ENOMEM. */
int decode_reader_tracepoint_of_trace(struct cairn_reader *reader,
                                      const struct trace_file_descriptor *tracepoint,
                                      uint32_t *ret_number);

/* Decides whether the events of a type are wanted. Threads call it at the same time. */
typedef bool decode_reader_wants_fn(void *context, const struct cairn_event_type *type);

/*
 * Leaves out events of types that are not wanted, where that saves work: those of a trace file.
 * Others are returned nevertheless. Call it before the first event is read.
 *
 * Returns 0; ENOMEM; EOPNOTSUPP.
 */
int decode_reader_choose(struct cairn_reader *reader, decode_reader_wants_fn *fn, void *context);

/* Finds the type of a descriptor's events. Returns 0; ENOENT, EBADMSG it cannot be decoded; ENOMEM.
 */
int decode_reader_type_of(struct cairn_reader *reader,
                          const struct trace_file_descriptor *descriptor,
                          const struct cairn_event_type **ret_type);

/* Sets whether a reader's events can be read by ranges of time: it is a trace file with an index.
 * Returns 0; EINVAL its events were read already, or a session; ENOMEM; EOPNOTSUPP. */
int decode_reader_divide(struct cairn_reader *reader, bool *ret_is_divided);

/* The parts of such a reader, and how reading ended. Returns as cairn_reader_next. */
void decode_reader_begin_parts(struct cairn_reader *reader, struct trace_file_parts *ret_parts);
int decode_reader_end_parts(struct cairn_reader *reader, int err);

/*
 * Opens a reader for parts of another one, which must live longer; decode_reader_set_part sets each
 * part, in order, before its first event. The counts are added to those of the whole at the end.
 * Returns 0; ENOMEM; EOPNOTSUPP.
 */
int decode_reader_open_part(struct cairn_reader *whole, struct cairn_reader **ret_part);
int decode_reader_set_part(struct cairn_reader *part, const struct trace_file_range *range);

/* As cairn_reader_each, but events may come in any order, if that is faster. */
int decode_reader_each_in_any_order(struct cairn_reader *reader,
                                    const struct cairn_reader_threads *threads);
bool decode_reader_has_wrong_index(const struct cairn_reader *part);
void decode_reader_add_part(struct cairn_reader *whole, const struct cairn_reader *part);

/* reader_dat.c: a trace.dat of trace-cmd; as the functions of trace files above. */
struct decode_reader_dat;
bool decode_reader_is_dat(struct perf_data_source *source, struct perf_data_block_pool *pool);
int decode_reader_open_dat(const char *name, const struct cairn_reader_options *options,
                           struct perf_data_source *source, struct perf_data_block_pool *pool,
                           struct cairn_perf_error *ret_error, struct cairn_reader **ret_reader);
void decode_reader_close_dat(struct decode_reader_dat *dat);
void decode_reader_count_dat(struct cairn_reader *reader);
const struct cairn_perf_error *decode_reader_error_of_dat(const struct cairn_reader *reader);

/* reader_etl.c: an ETL file of Windows; as the functions of trace files above. */
struct decode_reader_etl;
bool decode_reader_is_etl(struct perf_data_source *source, struct perf_data_block_pool *pool);
int decode_reader_open_etl(const char *name, const struct cairn_reader_options *options,
                           struct perf_data_source *source, struct perf_data_block_pool *pool,
                           struct cairn_perf_error *ret_error, struct cairn_reader **ret_reader);
void decode_reader_close_etl(struct decode_reader_etl *etl);
void decode_reader_count_etl(struct cairn_reader *reader);
const struct cairn_perf_error *decode_reader_error_of_etl(const struct cairn_reader *reader);

/* reader_ctf.c: CTF traces; as the functions of trace files above. Returns also EISDIR: a directory
 * without traces; EOPNOTSUPP this build lacks libbabeltrace2. */
struct decode_reader_ctf;
int decode_reader_open_ctf(const char *path, const struct cairn_reader_options *options,
                           struct cairn_perf_error *ret_error, struct cairn_reader **ret_reader);
void decode_reader_close_ctf(struct decode_reader_ctf *ctf);
void decode_reader_count_ctf(struct cairn_reader *reader);
const struct cairn_perf_error *decode_reader_error_of_ctf(const struct cairn_reader *reader);

/* reader_text.c: the text of the kernel's trace file; as the functions above. */
struct decode_reader_text;
bool decode_reader_is_text(struct perf_data_source *source, struct perf_data_block_pool *pool);
int decode_reader_open_text(const char *name, const struct cairn_reader_options *options,
                            struct perf_data_source *source, struct perf_data_block_pool *pool,
                            struct cairn_reader **ret_reader);
void decode_reader_close_text(struct decode_reader_text *text);
void decode_reader_count_text(struct cairn_reader *reader);
const struct cairn_perf_error *decode_reader_error_of_text(const struct cairn_reader *reader);

/* reader_merge.c: readers of several recordings. */
struct decode_reader_merged;
void decode_reader_close_merged(struct decode_reader_merged *merged);
void decode_reader_count_merged(struct cairn_reader *reader);
const struct cairn_perf_error *decode_reader_error_of_merged(const struct cairn_reader *reader);

/* The readers that a reader merges, by the source of its events; of others, the reader itself. */
size_t decode_reader_source_count(const struct cairn_reader *reader);
struct cairn_reader *decode_reader_source_at(const struct cairn_reader *reader, size_t source);

/* Applies a record of the kernel that is no event: mappings, for stacks, and the kernel's address.
 * Returns 0; ENOMEM. */
int decode_reader_note(struct cairn_reader *reader, const uint8_t *record, uint16_t size_bytes,
                       bool swap);

/* Returns the reader of the last event: the reader itself, or one of those that it merges. */
struct cairn_reader *decode_reader_of_event(struct cairn_reader *reader);

/* Ends reading with ENODATA or an error, which each further call returns. Returns it. */
int decode_reader_end(struct cairn_reader *reader, int err);

/*
 * The next event up to its decoding: `record`, and those members of `event` that are of the sample.
 * Returns as cairn_reader_next.
 */
int decode_reader_take(struct cairn_reader *reader);

/* reader_file.c, reader_trace.c, reader_session.c, reader_merge.c, reader_dat.c, reader_etl.c,
 * reader_ctf.c, reader_text.c: the same. */
int decode_reader_take_of_merged(struct cairn_reader *reader);
int decode_reader_take_of_file(struct cairn_reader *reader);
int decode_reader_take_of_trace(struct cairn_reader *reader);
int decode_reader_take_of_session(struct cairn_reader *reader);
int decode_reader_take_of_dat(struct cairn_reader *reader);
int decode_reader_take_of_etl(struct cairn_reader *reader);
int decode_reader_take_of_ctf(struct cairn_reader *reader);
int decode_reader_take_of_text(struct cairn_reader *reader);

/* Update `counts`, except those of events. */
void decode_reader_count_file(struct cairn_reader *reader);
void decode_reader_count_trace(struct cairn_reader *reader);
void decode_reader_count_session(struct cairn_reader *reader);

#endif
