/* SPDX-License-Identifier: MIT */
/* Reads the events of a trace file in the order of time. Used by one thread at a time. */
#ifndef TRACE_FILE_READER_H
#define TRACE_FILE_READER_H

#include "trace_file/index.h"
#include "trace_file/tables.h"

struct trace_file_perf_record;

/* A descriptor that a record referred to. */
struct trace_file_recent {
    const struct trace_file_descriptor *descriptor; /* NULL: a free slot */
    uint64_t scope;                                 /* of the number: see trace_file_cursor */
    uint32_t number;
};

#define TRACE_FILE_RECENT_COUNT 64u /* a power of two */

struct trace_file_event {
    const struct trace_file_descriptor *descriptor;
    const struct trace_file_process *process;  /* NULL: unknown */
    const struct trace_file_perf_record *perf; /* the kernel's record; NULL: it is none */
    uint32_t pid;
    uint32_t tid;
    uint32_t cpu; /* TRACE_FILE_CPU_UNKNOWN */
    uint32_t domain;
    uint32_t payload_bytes;
    const uint8_t *payload;
    const uint8_t *callchain; /* of a record of the kernel: u64 addresses in the file's order; */
    uint64_t callchain_count; /* 0: it has none */
    uint64_t time_ns;
    uint64_t offset; /* of its block in the file */
};

/* Decides whether events are wanted, by their descriptor. Its answer is kept. */
typedef bool trace_file_wants_fn(void *context, const struct trace_file_descriptor *descriptor);

struct trace_file_reader {
    struct trace_file_blocks blocks;
    struct trace_file_tables tables;
    struct trace_file_cursor **heap; /* pieces that are being read, the earliest event first */
    uint32_t heap_count;
    uint32_t heap_capacity;
    struct trace_file_cursor **waiting; /* pieces whose next events are of a later range */
    uint32_t waiting_count;
    uint32_t waiting_capacity;
    uint64_t alone_ns; /* before this time, the first piece's events come next; 0: ask */
    struct trace_file_recent recent[TRACE_FILE_RECENT_COUNT]; /* by number; since a table changed */
    uint64_t piece_sequence;
    struct trace_file_clock_span span; /* of the times that were computed last */
    uint64_t round_ns;                 /* no later block has an event before this */
    uint64_t lost_in_records;
    struct perf_data_map comm_of; /* maps domain and thread to the index of its name, */
    const char **comms;           /* as the kernel's records say */
    uint32_t comm_count;
    bool with_others;      /* return the kernel's other records than samples, too: see below */
    bool without_switches; /* but not those of switches, which may be many */
    uint64_t unreadable;   /* records of unknown descriptors */
    bool is_at_end;
    bool has_event; /* the first one of the heap was returned */
    uint64_t turns; /* how often the next event was looked for otherwise than after the last one */
    bool has_started; /* an event was returned, or a record of the kernel applied */
    bool is_round_new;
    bool has_all_clocks; /* of the blocks that follow, too */
    bool lacks_clocks;   /* of a domain: it is the damage that is reported, as times are wrong */
    bool is_range;       /* only events of these times, both included: */
    uint64_t since_ns;
    uint64_t until_ns;
    struct trace_file_index
        index;           /* used for a range; without entries blocks are read one by one */
    bool is_index_wrong; /* it contradicted a block, and is not used any more */
    uint64_t index_next; /* the entry that is next */
    uint64_t index_end;  /* of the entries that are read; 0: of all */
    uint64_t *later_ns;  /* the earliest event from each entry on */
    uint64_t margin_ns;  /* times in the index may differ from ours by this much */
    struct trace_file_index following; /* the same where blocks are read one by one, all of them: */
    uint64_t *following_ns;            /* the earliest event from each block on; NULL: unknown */
    bool has_looked;                   /* for it */

    /* Events that are not wanted are left out, and blocks that have no others are not read. */
    trace_file_wants_fn *wants; /* NULL: all are wanted */
    void *wants_context;
    uint8_t *wanted; /* its answers, by index of the descriptor: 0 unknown, 1 yes, 2 no */
    uint32_t wanted_count;
};

/* Adds the pairs of clocks of all blocks that follow, once, if there is an index. */
void trace_file_reader_find_clocks(struct trace_file_reader *reader);

/* Reports that times of events in a block are values of their counter. */
void trace_file_reader_lacks_clocks(struct trace_file_reader *reader, uint64_t offset);

/* The slow path of trace_file_reader_wants. */
bool trace_file_reader_ask(struct trace_file_reader *reader,
                           const struct trace_file_descriptor *descriptor);

/* True if the events of a descriptor are wanted. */
static inline bool trace_file_reader_wants(struct trace_file_reader *reader,
                                           const struct trace_file_descriptor *descriptor)
{
    if (cairn_likely(!reader->wants))
        return true;
    if (cairn_likely(descriptor->index < reader->wanted_count && reader->wanted[descriptor->index]))
        return reader->wanted[descriptor->index] == 1;
    return trace_file_reader_ask(reader, descriptor);
}

/* A time some ns later, or the end of time. */
static inline uint64_t trace_file_time_after(uint64_t time_ns, uint64_t duration_ns)
{
    return time_ns > UINT64_MAX - duration_ns ? UINT64_MAX : time_ns + duration_ns;
}

/*
 * Begins to read a source, which the reader owns from then on, also on failure.
 *
 * Returns 0; EBADMSG; EOPNOTSUPP; ENOMEM; or the error of read. `reader->blocks.error` has details.
 */
int trace_file_reader_begin(struct trace_file_reader *reader, struct perf_data_source *source,
                            struct perf_data_block_pool *pool);

/*
 * Limits reading to the events from since_ns to until_ns, both included. Blocks without such events
 * are not read if the file has a valid index; all tables are then read first. Call it before the
 * first event is read, and for later ranges after the last event of the range before.
 *
 * Returns 0, also if there is no index, or an invalid one, which is then the first damage; ENOMEM;
 * EOPNOTSUPP a compression that this build lacks.
 */
int trace_file_reader_set_range(struct trace_file_reader *reader, uint64_t since_ns,
                                uint64_t until_ns);

/* Limits the range to blocks by their entries, with all pieces of the range before ended. They are
 * read even if the index is wrong about them. */
void trace_file_reader_set_entries(struct trace_file_reader *reader, uint64_t first, uint64_t end);

/*
 * Reads the next event.
 *
 * ret_event  valid until the next call. With reader->with_others an event without descriptor is a
 *            record of the kernel that is not a sample
 *
 * Returns 0; EAGAIN a stream's round has ended: the next call may wait; ENODATA the end; the error
 * of damage, after the last event; ENOMEM; EOPNOTSUPP; or the error of read.
 */
int trace_file_reader_next(struct trace_file_reader *reader, struct trace_file_event *ret_event);

/* The same without a copy: the event is valid until the next call. */
int trace_file_reader_take(struct trace_file_reader *reader,
                           const struct trace_file_event **ret_event);

/* Returns the name of the thread of the event that was read last, or NULL. */
const char *trace_file_reader_name(struct trace_file_reader *reader,
                                   const struct trace_file_event *event);

/* Returns the number of lost events, so far. */
uint64_t trace_file_reader_lost(const struct trace_file_reader *reader);

void trace_file_reader_end(struct trace_file_reader *reader);

#endif
