/* SPDX-License-Identifier: MIT */
/*
 * One reader of one CPU's rings: its place in each level's stream, and which of them comes next.
 *
 * Nothing that is read is believed. A record is copied by loads that may race with a writer; it
 * counts when chunk->taken says afterwards that the chunk is still the same.
 */
#ifndef KERNEL_TRACE_BUFFER_READER_H
#define KERNEL_TRACE_BUFFER_READER_H

#include <cairn/kernel/trace_buffer.h>

#define CAIRN_TRACE_NO_CHUNK UINT32_MAX

/* Functions that load what a writer may be storing, and know it. */
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

/* A place in a level's stream. */
struct cairn_trace_stream {
    uint64_t sequence;   /* of the chunk it is in, or of the last one it was in */
    uint64_t next_event; /* the number, in the whole stream, of the record at the place */
    uint64_t end_event;  /* what a bounded reader shows has lower numbers */
    uint64_t head_ns;    /* of the record at the place, */
    uint32_t head_bytes; /* 0: none is known there */
    uint32_t chunk;
    uint32_t offset; /* of the place in the chunk, in bytes and */
    uint32_t events; /* in records */
    bool began;      /* what is missing from here on was lost */
    bool spoilt;     /* the rest of this chunk makes no sense */
};

struct cairn_trace_reader {
    struct cairn_trace_cpu *cpu;
    uint64_t claims; /* cpu->claims when there was nothing new; 0: look again */
    uint64_t lost;   /* since the last record */
    bool consume;
    bool bounded;
    struct cairn_trace_stream streams[CAIRN_TRACE_LEVELS];
};

/* With `bounded`, what is committed from now on is not shown. */
void cairn_trace_reader_open(struct cairn_trace_reader *reader, struct cairn_trace_cpu *cpu,
                             bool consume, bool bounded);

/* The stream whose record comes next, or NULL: there is none, or none yet. */
struct cairn_trace_stream *cairn_trace_reader_next(struct cairn_trace_reader *reader);

/*
 * Copies that record, head_bytes of it. False: it has gone, or makes no sense; ask for the next
 * one again.
 */
bool cairn_trace_reader_copy(struct cairn_trace_reader *reader, struct cairn_trace_stream *stream,
                             void *to);

/*
 * Goes on behind the record; a consuming reader adds 1 to *count. False: the record has gone, or
 * another reader has it.
 */
bool cairn_trace_reader_pass(struct cairn_trace_reader *reader, struct cairn_trace_stream *stream,
                             uint64_t *count);

/* ---- trace_stream.c, for trace_reader.c ---- */

/* Goes into a chunk; what is missing between the stream's last one and this one was lost. */
void cairn_trace_stream_enter(struct cairn_trace_reader *reader, struct cairn_trace_stream *stream,
                              uint32_t chunk, uint64_t sequence);

/* Looks for the record at the place. True: there is none in its chunk any more, which it left. */
bool cairn_trace_stream_look(struct cairn_trace_reader *reader, struct cairn_trace_stream *stream);

#endif
