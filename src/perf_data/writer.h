/* SPDX-License-Identifier: MIT */
/*
 * The writer's state, and the functions that its files share.
 *
 * Everything is written as a pipe stream, whose records of metadata come before the records that
 * they are about; so what is written can be read at any time. Finishing a file adds the parts that
 * a stream lacks: features and attrs at its end, the header at its beginning. The metadata among
 * the records are then marked as records that readers skip.
 */
#ifndef PERF_DATA_WRITER_H
#define PERF_DATA_WRITER_H

#include "cairn/perf_data.h"
#include "perf_data/bytes.h"
#include "perf_data/disk.h"
#include "perf_data/host.h"
#include "perf_data/arena.h"
#include "perf_data/map.h"
#include "perf_data/write_wait.h"

/* An attr to be written: a tracepoint's, or that of the dummy event which is always the first. */
struct perf_data_written_event {
    const char *name;      /* "sched:sched_switch"; "dummy" */
    uint32_t system_bytes; /* of the name, the part before the colon; 0: none */
    const char *format;
    uint32_t format_bytes;
    struct cairn_slice perf_format; /* the same, or a replacement for perf */
    uint32_t type;                  /* PERF_TYPE_ */
    uint64_t config;
    uint64_t sample_type;
    uint64_t flags;
    const uint64_t *ids;
    uint32_t id_count;
    uint32_t
        next; /* the event before this one with the same tracepoint id, or PERF_DATA_MAP_NONE */
    uint32_t index;
    bool known_format; /* an earlier event has the same system, name and format */
    bool other_format; /* an earlier event has the same id and another format */
};

/* A record of metadata among the others. */
struct perf_data_late_record {
    uint64_t at; /* in the file */
    uint16_t type;
    uint16_t size_bytes;
};

struct cairn_perf_writer {
    int fd;
    enum cairn_perf_mode mode;
    struct perf_data_write_wait wait; /* of a stream */
    int error;                        /* the first */
    bool begun;                       /* header and first metadata are written, or collected */
    bool finished;

    uint8_t *gathered; /* records that wait to be written together */
    size_t gathered_bytes;
    uint64_t written_bytes;
    uint64_t
        unwritten_samples; /* number of those that were accepted, or were added after an error */

    struct perf_data_arena arena;
    struct perf_data_written_event **events;
    uint32_t event_count;
    struct perf_data_map event_of_sample_id;
    struct perf_data_map event_of_tracepoint_id; /* the latest of each id */

    struct perf_data_late_record *late;
    uint32_t late_count;
    uint64_t data_begin; /* after the first metadata */

    struct cairn_bytes stacked; /* a sample with its stack */
    uint64_t regs_user; /* of the attrs whose samples have registers, and stacks of programs */
    uint32_t stack_user_bytes;
    uint32_t long_size_bytes; /* of the kernel whose tracepoints these are; 0: of this one */
    struct cairn_perf_clock clock;
    struct perf_data_host_facts host;
    struct cairn_slice printk; /* the kernel's strings; they live as long as the writer */
    const char **args;
    uint32_t arg_count;
};

/* writer.c */

/*
 * Collects records, or writes them if there are many. metadata: contains more than records, and is
 * written completely or not at all. Returns the writer's error.
 */
int perf_data_writer_put(struct cairn_perf_writer *writer, const void *records, size_t size_bytes,
                         bool metadata);

/* The number of sample records that are not in the output, because of the writer's error. */
uint64_t perf_data_writer_unwritten_samples(const struct cairn_perf_writer *writer);

/* write_stack.c */

/*
 * Writes a sample, whose fields are those of CAIRN_RECORD_SAMPLE_TYPE, with a call chain: u64
 * addresses of a program, the innermost first. Such samples have an id and an attr of their own.
 *
 * Returns 0; E2BIG a record cannot have so much; EINVAL no tracepoint has its id; ENOMEM; or the
 * writer's error.
 */
int perf_data_writer_put_stacked(struct cairn_perf_writer *writer, const uint8_t *sample,
                                 const uint8_t *chain, uint32_t count);

/* write_attrs.c */

/* An attr of PERF_DATA_ATTR_FILE_BYTES or PERF_DATA_ATTR_STREAM_BYTES bytes. */
void perf_data_put_attr(struct cairn_bytes *b, const struct cairn_perf_writer *writer,
                        const struct perf_data_written_event *event, uint32_t size_bytes);

/* The records that describe an event to the reader of a stream: its attr, and its name. */
void perf_data_put_attr_record(struct cairn_bytes *b, const struct cairn_perf_writer *writer,
                               const struct perf_data_written_event *event);
void perf_data_put_name_record(struct cairn_bytes *b, const struct perf_data_written_event *event);

/* The record that describes the format of an event to cairn's readers; see disk.h. */
void perf_data_put_description(struct cairn_bytes *b, const struct perf_data_written_event *event);

/* write_format.c: the format text of an event that perf is given: its own, if perf's parser takes
 * that. Returns 0; ENOMEM. */
int perf_data_format_for_perf(struct perf_data_arena *arena,
                              const struct perf_data_written_event *event,
                              struct cairn_slice *ret_text);

/* True if tracing data do not describe the event: perf gets another text than its own, or they
 * describe another event with its id. */
static inline bool perf_data_event_needs_description(const struct perf_data_written_event *event)
{
    return event->other_format || event->perf_format.text != event->format;
}

/* write_features.c */

/* Adds a feature's bytes; nothing if it is not known. */
void perf_data_put_feature(struct cairn_bytes *b, const struct cairn_perf_writer *writer,
                           enum cairn_perf_feature feature);

/* write_tracing.c */

/* Adds all tracing data. Returns 0; ENOMEM, apart from errors that `b` remembers. */
int perf_data_put_tracing_data(struct cairn_bytes *b, const struct cairn_perf_writer *writer);

/* write_stream.c */

/* Collects the header and the descriptions of all events so far. Returns the writer's error. */
int perf_data_writer_begin(struct cairn_perf_writer *writer);

/* Describes an event in the stream that was added after its beginning. Returns the writer's error.
 */
int perf_data_writer_announce(struct cairn_perf_writer *writer,
                              const struct perf_data_written_event *event);

/* write_file.c: makes a file of the stream. Returns 0; what write said: then it stays a stream. */
int perf_data_writer_make_file(struct cairn_perf_writer *writer);

#endif
