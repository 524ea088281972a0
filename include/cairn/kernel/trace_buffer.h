/* SPDX-License-Identifier: MIT */
/*
 * The ring buffers of a kernel's tracing: one cairn/kernel/pool.h per CPU.
 *
 *   cpu      one pool of chunks, and on it one writer for each nesting level: an interrupt or NMI
 *            may write at any instruction of another writer, without atomic read-modify-write.
 *   section  from the outermost cairn_trace_cpu_enter to its cairn_trace_cpu_leave. Everything
 *            written in a section, nested writers' records included, becomes visible at once.
 *   stream   the records of one level, chunk after chunk, in the order of their times.
 *   cursor   a reader: the streams of one CPU, or of all, merged by time; it consumes records, or
 *            changes nothing (a snapshot).
 *
 * Overwrite mode (the default, as in Linux): the oldest full chunk is overwritten; its events that
 * were not consumed count as overruns. Discard mode: the new event is dropped and counted. An event
 * is either consumed, or overwritten, or in the buffer: the counts of an idle CPU are exact.
 *
 * Each reader sees the records of a CPU in the order of their times, also with nested writers. For
 * that, commit keeps the time of a CPU's visible records monotonic: a record that was stamped
 * before an interrupt, and committed after it, gets the interrupt's last time.
 *
 * Freestanding; nothing here allocates or waits. All functions may be called in any context.
 */
#ifndef CAIRN_KERNEL_TRACE_BUFFER_H
#define CAIRN_KERNEL_TRACE_BUFFER_H

#include <cairn/deprecated.h>
#include <cairn/kernel/pool.h>
#include <cairn/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writers of one CPU that can interrupt one another. A deeper one drops its event. */
#define CAIRN_TRACE_LEVELS 8u

/* Levels from here on are rare, and release their chunk when they leave. */
#define CAIRN_TRACE_LEVELS_KEPT 4u

/* The least number of chunks of a CPU: one for each level, and two that are full. */
#define CAIRN_TRACE_CHUNKS_MIN 10u

#define CAIRN_TRACE_ALL_CPUS UINT32_MAX

enum cairn_trace_mode {
    CAIRN_TRACE_OVERWRITE = 0,
    CAIRN_TRACE_DISCARD = 1,
};

/* One level's writer. */
struct cairn_trace_level {
    struct cairn_writer writer;
    uint64_t events;  /* committed so far */
    uint64_t base_ns; /* times in the chunk are after this one */
    uint64_t last_ns; /* time of the last one that was committed in a nested section */
    uint32_t pid;     /* of the last record in the chunk */
} __attribute__((aligned(64)));

/* A CPU's writers, and its readers' counts. The first cache line is written by this CPU only. */
struct cairn_trace_cpu {
    uint32_t nest;         /* writers that are between enter and leave */
    uint32_t dirty;        /* a nested writer has committed: the outermost one has more to do */
    uint32_t last_tid;     /* the thread of the last event: the core's */
    uint32_t aside_bytes;  /* in use of the chunk outside the rings: the core's */
    uint64_t sections;     /* number of sections that have ended, plus 1 */
    uint64_t published_ns; /* no visible record is later */
    uint64_t claims; /* number of published chunks: readers search for new ones when it changes */
    struct cairn_pool pool;
    struct cairn_trace_level levels[CAIRN_TRACE_LEVELS];
    /* the readers' */
    uint64_t read_events __attribute__((aligned(64))); /* consumed */
    uint64_t cleared;                                  /* removed by a reset */
    uint64_t damaged;                                  /* skipped after an invalid record */
    uint64_t consumed[CAIRN_TRACE_LEVELS]; /* of each stream: the number of the event after */
    uint64_t overruns_before;              /* the count at the last reset */
    uint64_t dropped_before;
    uint64_t read_before;
    uint64_t damaged_before;
} __attribute__((aligned(64)));

/* Members may be read; change them by functions. */
struct cairn_trace_buffer {
    struct cairn_trace_cpu *cpus;
    uint32_t cpu_count;
    uint32_t on;   /* tracing_on: checked by the callers of writers */
    uint32_t mode; /* enum cairn_trace_mode */
};

/* ---- making ---- */

/*
 * The bytes of memory for the rings of cpu_count CPUs, each of bytes_per_cpu: its descriptors, and
 * chunks of 4096 bytes up to 128 KiB, at least 64 of them if they are larger than 4096 bytes. In
 * addition each CPU has the memory of one chunk for records that only callbacks get. 0: impossible
 * sizes (no CPU, over 4096 of them, under 48 KiB or over 1 GiB for each).
 */
size_t cairn_trace_buffer_memory_bytes(uint32_t cpu_count, size_t bytes_per_cpu);

/*
 * Makes empty rings in the caller's memory, which stays in use as long as the buffer. It is aligned
 * to 64 bytes, better to a page, and may have any contents. Tracing is on. Returns 0; EINVAL memory
 * that is too small, too large or not aligned, or an unknown mode.
 */
int cairn_trace_buffer_init(struct cairn_trace_buffer *buffer, void *memory, size_t memory_bytes,
                            uint32_t cpu_count, enum cairn_trace_mode mode);

/* Changes the mode, also while others write. */
void cairn_trace_buffer_set_mode(struct cairn_trace_buffer *buffer, enum cairn_trace_mode mode);

/* The largest record that readers get: that of an event which fills a chunk. A larger one is
 * dropped and counted. */
uint32_t cairn_trace_buffer_record_max_bytes(const struct cairn_trace_buffer *buffer);

/*
 * Empties the rings and sets the counts to 0, as writing to ftrace's `trace` does, of one CPU or of
 * CAIRN_TRACE_ALL_CPUS. Safe while others write and read: events that are committed meanwhile may
 * stay. Returns 0; EINVAL no such CPU.
 */
int cairn_trace_buffer_reset(struct cairn_trace_buffer *buffer, uint32_t cpu);

struct cairn_trace_stats {
    uint64_t entries;     /* in the ring: visible or about to be, and not consumed */
    uint64_t overruns;    /* overwritten before they were consumed */
    uint64_t dropped;     /* not written: no chunk, too large, or nested too deeply */
    uint64_t read_events; /* consumed */
    uint64_t damaged;     /* skipped after an invalid record */
    uint64_t bytes;       /* of visible records that are not consumed */
    uint64_t oldest_ns;   /* time of the first of them; 0: there is none */
};

/*
 * The counts of one CPU since the last reset. Approximate while it writes, exact while it is idle.
 * Walks the descriptors. Returns 0; EINVAL no such CPU.
 */
int cairn_trace_buffer_stats(const struct cairn_trace_buffer *buffer, uint32_t cpu,
                             struct cairn_trace_stats *ret_stats);

/* ---- writing: on the CPU itself, between the host's enter and leave ---- */

/*
 * Begins writing: returns the level, to be given to the functions below. At CAIRN_TRACE_LEVELS and
 * beyond there is no writer: call cairn_trace_cpu_drop and leave.
 */
static inline uint32_t cairn_trace_cpu_enter(struct cairn_trace_cpu *cpu)
{
    /*
     * Not a read-modify-write: an interrupt in between uses the same level, and leaves it before
     * this continues.
     */
    uint32_t level = __atomic_load_n(&cpu->nest, __ATOMIC_RELAXED);

    __atomic_store_n(&cpu->nest, level + 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return level;
}

/*
 * The rings have compact records: u16 id, u16 size, u32 time after the level's base_ns, then the
 * event's raw part: common fields and payload. Control records, where they change, say the base and
 * the process.
 */
#define CAIRN_TRACE_RECORD_HEAD_BYTES 8u

/* The data of a record besides its raw part. */
struct cairn_trace_stamp {
    uint64_t time_ns;
    uint32_t pid;
    uint16_t id; /* of the event: 1 to 65534 */
};

/* The slow path of cairn_trace_cpu_reserve. */
void *cairn_trace_cpu_reserve_slow(struct cairn_trace_cpu *cpu, uint32_t level, uint32_t raw_bytes);

/* True if the chunk has space for a record. The last one may have used that of control records,
 * which is after the end. */
static inline bool cairn_i_trace_fits(const struct cairn_writer *writer, uint32_t raw_bytes)
{
    return (int64_t)(writer->end - writer->next) >=
           (int64_t)raw_bytes + CAIRN_TRACE_RECORD_HEAD_BYTES;
}

/*
 * Reserves memory for a raw part: the 8 bytes of the common fields, and the payload; aligned to 4.
 * Returns NULL if the event is dropped, which is counted. A reservation that is not committed is
 * reused.
 */
static inline void *cairn_trace_cpu_reserve(struct cairn_trace_cpu *cpu, uint32_t level,
                                            uint32_t raw_bytes)
{
    struct cairn_writer *writer = &cpu->levels[level].writer;

    if (cairn_likely(cairn_i_trace_fits(writer, raw_bytes)))
        return writer->next + CAIRN_TRACE_RECORD_HEAD_BYTES;
    return cairn_trace_cpu_reserve_slow(cpu, level, raw_bytes);
}

/* True if a record needs no control records before it. */
static inline bool cairn_i_trace_follows(const struct cairn_trace_level *level, uint64_t time_ns,
                                         uint32_t pid)
{
    return (time_ns - level->base_ns) >> 32 == 0 && pid == level->pid;
}

/* Adds control records before the record that is being written: its raw part moves. */
void cairn_i_trace_put_controls(struct cairn_trace_level *level,
                                const struct cairn_trace_stamp *stamp, uint32_t raw_bytes);

/* Writes the head of a record that needs no control records, and makes it visible to readers that
 * do not wait for the end of a section. */
static inline void cairn_i_trace_commit(struct cairn_trace_level *level,
                                        struct cairn_trace_stamp stamp, uint32_t raw_bytes)
{
    uint32_t padded = (CAIRN_TRACE_RECORD_HEAD_BYTES + raw_bytes + 3u) & ~3u;
    uint8_t *record = level->writer.next;
    struct {
        uint16_t id;
        uint16_t size_bytes;
        uint32_t time;
    } head = {stamp.id, (uint16_t)(CAIRN_TRACE_RECORD_HEAD_BYTES + raw_bytes),
              (uint32_t)(stamp.time_ns - level->base_ns)};

    __builtin_memcpy(record, &head, sizeof(head));
    __atomic_store_n(&level->events, level->events + 1, __ATOMIC_RELAXED);
    /* Most records are shorter than a line: one is enough. */
    cairn_i_fetch_line(record + 1536);
    cairn_i_pool_publish(&level->writer, record, padded);
}

/* The part of cairn_trace_cpu_commit for nested levels, and sections that were interrupted. */
void cairn_trace_cpu_commit_nested(struct cairn_trace_cpu *cpu, uint32_t level,
                                   struct cairn_trace_stamp *stamp, uint32_t raw_bytes);

/*
 * Commits the reserved record, whose raw part is filled in; raw_bytes as reserved, or less. It
 * becomes visible now or when the outermost writer leaves. May raise the stamp's time_ns.
 *
 * An event at the outermost level becomes visible now if none was committed in this section:
 * interrupts from here on get later times.
 */
static inline void cairn_trace_cpu_commit(struct cairn_trace_cpu *cpu, uint32_t level,
                                          struct cairn_trace_stamp *stamp, uint32_t raw_bytes)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (cairn_unlikely(level | __atomic_load_n(&cpu->dirty, __ATOMIC_RELAXED))) {
        cairn_trace_cpu_commit_nested(cpu, level, stamp, raw_bytes);
        return;
    }
    if (cairn_unlikely(stamp->time_ns < cpu->published_ns))
        stamp->time_ns = cpu->published_ns;
    cpu->published_ns = stamp->time_ns;
    if (cairn_unlikely(!cairn_i_trace_follows(&cpu->levels[0], stamp->time_ns, stamp->pid)))
        cairn_i_trace_put_controls(&cpu->levels[0], stamp, raw_bytes);
    cairn_i_trace_commit(&cpu->levels[0], *stamp, raw_bytes);
}

/* Counts an event that could not be written. */
static inline void cairn_trace_cpu_drop(struct cairn_trace_cpu *cpu)
{
    cairn_i_pool_count_lost(&cpu->pool);
}

/* The slow path of leaving: a nested level, and a section with nested writers. */
void cairn_trace_cpu_leave_deep(struct cairn_trace_cpu *cpu, uint32_t level);
void cairn_trace_cpu_settle(struct cairn_trace_cpu *cpu);

/*
 * Ends the section. Returns true if nested writers have committed in it: call
 * cairn_trace_cpu_settle.
 */
static inline bool cairn_i_trace_section_end(struct cairn_trace_cpu *cpu)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    /*
     * Pairs with the reader's acquire: commits of the section's writers are visible before its end.
     * This one store publishes all of them.
     */
    __atomic_store_n(&cpu->sections, cpu->sections + 1, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&cpu->nest, 0, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    /*
     * After nest is 0: an interrupt before that was nested, and relies on this section; one after
     * that ends its own section.
     */
    return cairn_unlikely(__atomic_load_n(&cpu->dirty, __ATOMIC_RELAXED));
}

/* Ends what cairn_trace_cpu_enter began. */
static inline void cairn_trace_cpu_leave(struct cairn_trace_cpu *cpu, uint32_t level)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (cairn_unlikely(level)) {
        if (cairn_unlikely(level >= CAIRN_TRACE_LEVELS_KEPT))
            cairn_trace_cpu_leave_deep(cpu, level);
        __atomic_store_n(&cpu->nest, level, __ATOMIC_RELAXED);
        return;
    }
    if (cairn_i_trace_section_end(cpu))
        cairn_trace_cpu_settle(cpu);
}

/* ---- reading: any number of readers, on any CPU; each event is consumed by one of them ---- */

/*
 * Consumes whole records of one CPU, merged by time, as many as fit into size_bytes.
 * Returns 0; EAGAIN there is none; ENOSPC the next one is larger than size_bytes; EINVAL no such
 * CPU.
 */
int cairn_trace_buffer_read(struct cairn_trace_buffer *buffer, uint32_t cpu, void *to,
                            size_t size_bytes, size_t *ret_bytes);

struct cairn_trace_reader;
struct cairn_trace_stream;

/* Members are internal. */
struct cairn_trace_cursor {
    struct cairn_trace_reader *readers; /* one for each CPU */
    struct cairn_trace_stream *stream;  /* the stream of the record that peek shows */
    uint8_t *record;                    /* and a copy of it */
    uint32_t reader_count;
    uint32_t current; /* the reader whose record is shown; reader_count: none is */
};

/* The memory that a cursor on this buffer needs. */
size_t cairn_trace_cursor_memory_bytes(const struct cairn_trace_buffer *buffer);

/*
 * Opens a cursor on one CPU or on CAIRN_TRACE_ALL_CPUS, in the caller's memory, aligned to 16
 * bytes. With `consume` it removes records from the buffer, without an end; otherwise it shows the
 * records that are in the buffer when it is opened, and leaves them there. Returns 0; EINVAL no
 * such CPU, memory that is too small or not aligned.
 */
int cairn_trace_cursor_open(struct cairn_trace_cursor *cursor, struct cairn_trace_buffer *buffer,
                            uint32_t cpu, bool consume, void *memory, size_t memory_bytes);

/*
 * Returns the next record, merged by time: a private copy that cairn_record_check accepts, aligned
 * to 8 bytes, valid until the next call of pop or close. Peeking again shows the same record.
 * Returns 0; EAGAIN there is none, or none yet.
 */
int cairn_trace_cursor_peek(struct cairn_trace_cursor *cursor,
                            const struct cairn_record_head **ret_record);

/*
 * Advances past the record that peek showed; consumes it if the cursor consumes. Returns 0; EAGAIN
 * no record was shown, or the cursor consumes, and the record was overwritten, or consumed by
 * another reader, since peek: discard the copy, the event is counted there.
 */
int cairn_trace_cursor_pop(struct cairn_trace_cursor *cursor);

/*
 * Returns the number of lost events before the record that peek shows, of its CPU: overwritten or
 * damaged since the last record that a consuming reader took, or that this snapshot showed. For
 * "CPU:0 [LOST 12 EVENTS]".
 */
uint64_t cairn_trace_cursor_lost(const struct cairn_trace_cursor *cursor);

/* Closes a cursor. A record that was shown and not popped stays in the buffer. */
void cairn_trace_cursor_close(struct cairn_trace_cursor *cursor);

#ifdef __cplusplus
}
#endif

#endif
