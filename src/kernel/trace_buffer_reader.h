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

#include "core/compact_record.h"

#include <cairn/kernel/trace_buffer.h>

#define KERNEL_TRACE_NO_CHUNK UINT32_MAX

#define KERNEL_TRACE_MISC 1u /* PERF_RECORD_MISC_KERNEL */

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

/* Space at the end of each chunk for the control records that a record may need. */
#define KERNEL_TRACE_CONTROL_BYTES (CORE_CONTROL_BASE_BYTES + CORE_CONTROL_PROCESS_BYTES)

/* The raw part's offset in a record as readers get it. */
#define KERNEL_TRACE_RAW_AT ((uint32_t)offsetof(struct cairn_record_head, common_type))

/* The largest raw part that a chunk of a CPU holds. */
static inline uint32_t kernel_trace_raw_max(const struct cairn_trace_cpu *cpu)
{
    uint32_t fits = cpu->pool.chunk_bytes - CAIRN_POOL_SLACK_BYTES - KERNEL_TRACE_CONTROL_BYTES -
                    CORE_RECORD_HEAD_BYTES;

    return fits < CAIRN_RECORD_MAX_BYTES - KERNEL_TRACE_RAW_AT
               ? fits
               : CAIRN_RECORD_MAX_BYTES - KERNEL_TRACE_RAW_AT;
}

/* The size of a record as readers get it. */
static inline uint32_t kernel_trace_record_bytes(uint32_t raw_bytes)
{
    return (KERNEL_TRACE_RAW_AT + raw_bytes + 7u) & ~7u;
}

/* A position in a level's stream. */
struct cairn_trace_stream {
    uint64_t sequence;   /* of the chunk it is in, or of the last one it was in */
    uint64_t next_event; /* the number, in the whole stream, of the record at the position */
    uint64_t end_event;  /* a bounded reader shows only records of lower numbers */
    uint64_t head_ns;    /* time of the record at the position */
    uint32_t head_bytes; /* its size in the chunk; 0: no record is known */
    uint32_t raw_bytes;  /* that of its raw part */
    uint32_t head_id;    /* its event */
    uint64_t base_ns;    /* what the control records before the position say */
    uint32_t pid;
    bool has_base;
    uint32_t chunk;
    uint32_t offset; /* of the position in the chunk, in bytes */
    uint32_t events; /* in records */
    bool began;      /* records that are missing from here on were lost */
    bool is_damaged; /* the rest of this chunk is invalid */
};

struct cairn_trace_reader {
    struct cairn_trace_cpu *cpu;
    uint32_t cpu_number;
    uint64_t claims; /* cpu->claims when there was nothing new; 0: check again */
    uint64_t lost;   /* since the last record */
    bool consume;
    bool bounded;
    struct cairn_trace_stream streams[CAIRN_TRACE_LEVELS];
};

/* With `bounded`, records that are committed from now on are not shown. `number` is the CPU's. */
void kernel_trace_reader_open(struct cairn_trace_reader *reader, struct cairn_trace_cpu *cpu,
                              uint32_t number, bool consume, bool bounded);

/* Returns the stream that has the next record, or NULL: there is none, or none yet. */
struct cairn_trace_stream *kernel_trace_reader_next(struct cairn_trace_reader *reader);

/*
 * Copies that record as struct cairn_record_head and the rest of the raw part, filled up with zeros
 * to kernel_trace_record_bytes. False: it was overwritten, or is invalid; call
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
 * Programs that show what a writer may do at this moment replace it by the linker (--wrap), by the
 * symbol that it has always had.
 */
void kernel_trace_stream_enter(struct cairn_trace_reader *reader, struct cairn_trace_stream *stream,
                               uint32_t chunk,
                               uint64_t sequence) __asm__("cairn_trace_stream_enter");

/* Finds the record at the position. True: the chunk has no more records, and was left. */
bool kernel_trace_stream_look(struct cairn_trace_reader *reader, struct cairn_trace_stream *stream);

#endif
