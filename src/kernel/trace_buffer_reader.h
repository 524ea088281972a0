/* SPDX-License-Identifier: MIT */
/*
 * A reader of one CPU's rings: its position in each level's stream, and the choice of the next
 * record.
 *
 * Everything that is read is validated. A record is copied by loads that may race with a writer;
 * the copy is valid if chunk->taken has not changed afterwards.
 */
#ifndef KERNEL_TRACE_BUFFER_READER_H
#define KERNEL_TRACE_BUFFER_READER_H

#include <cairn/kernel/trace_buffer.h>

#define KERNEL_TRACE_NO_CHUNK UINT32_MAX

/* Marks functions whose loads may race with a writer's stores, and that validate the result. */
#if defined(__SANITIZE_THREAD__)
#define RACES __attribute__((no_sanitize("thread")))
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RACES __attribute__((no_sanitize("thread")))
#endif
#endif
#ifndef RACES
#define RACES
#endif

/* A position in a level's stream. */
struct cairn_trace_stream {
    uint64_t sequence;   /* of the chunk it is in, or of the last one it was in */
    uint64_t next_event; /* the number, in the whole stream, of the record at the position */
    uint64_t end_event;  /* a bounded reader shows only records of lower numbers */
    uint64_t head_ns;    /* time of the record at the position */
    uint32_t head_bytes; /* its size; 0: no record is known */
    uint32_t chunk;
    uint32_t offset; /* of the position in the chunk, in bytes */
    uint32_t events; /* in records */
    bool began;      /* records that are missing from here on were lost */
    bool is_damaged; /* the rest of this chunk is invalid */
};

struct cairn_trace_reader {
    struct cairn_trace_cpu *cpu;
    uint64_t claims; /* cpu->claims when there was nothing new; 0: check again */
    uint64_t lost;   /* since the last record */
    bool consume;
    bool bounded;
    struct cairn_trace_stream streams[CAIRN_TRACE_LEVELS];
};

/* With `bounded`, records that are committed from now on are not shown. */
void kernel_trace_reader_open(struct cairn_trace_reader *reader, struct cairn_trace_cpu *cpu,
                              bool consume, bool bounded);

/* Returns the stream that has the next record, or NULL: there is none, or none yet. */
struct cairn_trace_stream *kernel_trace_reader_next(struct cairn_trace_reader *reader);

/*
 * Copies that record, of head_bytes. False: it was overwritten, or is invalid; call
 * kernel_trace_reader_next again.
 */
bool kernel_trace_reader_copy(struct cairn_trace_reader *reader, struct cairn_trace_stream *stream,
                              void *to);

/*
 * Advances past the record; a consuming reader adds 1 to *count. False: the record was overwritten,
 * or another reader consumed it.
 */
bool kernel_trace_reader_pass(struct cairn_trace_reader *reader, struct cairn_trace_stream *stream,
                              uint64_t *count);

/* ---- trace_buffer_stream.c, for trace_buffer_reader.c ---- */

/*
 * Enters a chunk; records that are missing between the stream's last chunk and this one were lost.
 */
void kernel_trace_stream_enter(struct cairn_trace_reader *reader, struct cairn_trace_stream *stream,
                               uint32_t chunk, uint64_t sequence);

/* Finds the record at the position. True: the chunk has no more records, and was left. */
bool kernel_trace_stream_look(struct cairn_trace_reader *reader, struct cairn_trace_stream *stream);

#endif
