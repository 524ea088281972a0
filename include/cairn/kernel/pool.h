/* SPDX-License-Identifier: MIT */
/*
 * The buffer of one CPU, for the functions of cairn/kernel/trace_buffer.h that are compiled into a
 * kernel: a pool of equal chunks in memory that writers and one reader share. Programs do not
 * include this header, and it has no functions for them.
 *
 *   writer   one for each writing context (a thread, a CPU) and nesting level (a signal handler or
 *            an interrupt that came in between). Owns one chunk at a time; appends whole records to
 *            it without any atomic read-modify-write; when it is full, marks it ready and
 *            claims a free one.
 *   reader   copies committed records, also from chunks that are still being filled, and frees
 *            chunks that are ready and read to the end.
 *   view     one side's private description of a pool: its geometry is checked once and never read
 *            from shared memory again.
 *
 * When no chunk is free the event is dropped and counted (discard mode), or the oldest ready chunk
 * is overwritten, and its events that were not consumed are counted (overwrite mode).
 *
 * Freestanding; nothing here allocates. The structs that begin with `cairn_pool_` and `cairn_chunk`
 * are an ABI: a writer and a reader of different builds meet in them.
 */
#ifndef CAIRN_KERNEL_POOL_H
#define CAIRN_KERNEL_POOL_H

#include <cairn/record.h>
#include <cairn/tracepoint.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_POOL_MAGIC   UINT64_C(0x316c6f6f706e7263) /* "crnpool1" */
#define CAIRN_POOL_VERSION 1u

/* A record that no chunk can hold is lost and counted; chunks of CAIRN_POOL_CHUNK_ANY_BYTES hold
 * the largest one. */
#define CAIRN_POOL_CHUNK_MIN_BYTES 4096u
#define CAIRN_POOL_CHUNK_ANY_BYTES 69632u
#define CAIRN_POOL_CHUNK_MAX_BYTES (1u << 24)
#define CAIRN_POOL_CHUNK_COUNT_MAX 4096u
#define CAIRN_POOL_HEADER_BYTES    4096u

/*
 * The number of bytes that a writer may overwrite after a reserved record, because it copies in
 * blocks. Each chunk ends with this many bytes that belong to no record.
 */
#define CAIRN_POOL_SLACK_BYTES 64u

/* The normal flow, and three interruptions of one another. Deeper ones drop and count. */
#define CAIRN_POOL_LEVELS 4u

enum cairn_chunk_state {
    CAIRN_CHUNK_FREE = 0,  /* any writer may claim it by compare-and-swap */
    CAIRN_CHUNK_OWNED = 1, /* a writer appends to it; the reader may read committed records */
    CAIRN_CHUNK_READY = 2, /* full: the reader frees it when it has read it */
    /* In the pools of programs: */
    CAIRN_CHUNK_SPLIT = 3, /* divided into small chunks, which have descriptors of their own */
    CAIRN_CHUNK_BARE = 4,  /* not backed by memory yet: it must not be accessed */
};

struct cairn_chunk {
    uint32_t state;     /* enum cairn_chunk_state */
    uint32_t committed; /* bytes of whole records */
    uint64_t sequence;  /* chunks of one writer are filled in this order; 0: claimed just now */
    uint32_t pid;       /* of the writer, as it sees itself */
    uint32_t tid;
    union {
        char comm[16]; /* its name; need not be NUL-terminated */
        uint64_t
            first_event; /* in a kernel's pool: number of events that this writer wrote before */
    };
    /* The rest serves pools that overwrite, and readers that share the reading. */
    uint64_t taken; /* ownership, and events consumed: see CAIRN_POOL_TAKEN_BITS */
    union {
        uint64_t section; /* the last bytes were committed in this section of their CPU, */
        uint64_t session; /* in a program's pool: they are for this session */
    };
    union {
        uint32_t before; /* bytes committed before that section */
        uint32_t owner;  /* in a program's pool: enum cairn_chunk_owner */
    };
    uint32_t events; /* records in it; set when the writer releases it */
};

/*
 * chunk->taken is sequence << CAIRN_POOL_TAKEN_BITS | events consumed, and 0 while the chunk has no
 * owner. A compare-and-swap to another value consumes events; one to 0 takes the chunk, to free it
 * or to overwrite it. So each event is either consumed or overwritten, and counted once. In a
 * program's pool no writer takes a chunk; readers that take turns store the bytes consumed.
 */
#define CAIRN_POOL_TAKEN_BITS 20u
#define CAIRN_POOL_TAKEN_MASK ((UINT64_C(1) << CAIRN_POOL_TAKEN_BITS) - 1)

/* Bits of chunk->owner. */
enum cairn_chunk_owner {
    CAIRN_OWNER_IS_KNOWN = 1, /* pid and tid are those of the pid namespace of the pool's process */
};

struct cairn_pool_header {
    uint64_t magic;
    uint32_t version;
    uint32_t header_bytes; /* of this struct */
    uint32_t chunk_bytes;
    uint32_t chunk_count;
    uint64_t session; /* generation of the session that this pool belongs to */
    uint32_t pid;
    uint32_t usable_chunks; /* in a program's pool: number of chunks that the session may use, from
                               the first on */
    uint32_t small_chunks;  /* in a program's pool: number of small chunks that a chunk may be split
                               into, or 0 */
    uint8_t reserved1[20];
    /* what changes, on a cache line of its own */
    uint64_t last_sequence; /* the last one assigned */
    uint64_t lost;          /* events dropped: no chunk was free, or nested too deeply */
    uint64_t freed;         /* number of times the reader freed a chunk */
    uint64_t overwritten;   /* events that were overwritten before they were consumed */
    uint32_t free_chunks;   /* in a program's pool: approximate number of free chunks */
    uint32_t bare_error;    /* errno code of backing its other chunks with memory, or 0 */
    uint8_t reserved2[24];
};

CAIRN_I_STATIC_ASSERT(sizeof(struct cairn_chunk) == 64, "a chunk's descriptor is a cache line");
CAIRN_I_STATIC_ASSERT(offsetof(struct cairn_chunk, comm) == 24, "comm at 24");
CAIRN_I_STATIC_ASSERT(offsetof(struct cairn_chunk, taken) == 40, "taken at 40");
CAIRN_I_STATIC_ASSERT(CAIRN_POOL_CHUNK_MAX_BYTES / sizeof(struct cairn_record_head) <
                          (1u << CAIRN_POOL_TAKEN_BITS),
                      "the events of a chunk can be counted in chunk.taken");
CAIRN_I_STATIC_ASSERT(offsetof(struct cairn_pool_header, session) == 24, "session at 24");
CAIRN_I_STATIC_ASSERT(offsetof(struct cairn_pool_header, last_sequence) == 64, "hot line at 64");
CAIRN_I_STATIC_ASSERT(sizeof(struct cairn_pool_header) == 128, "header of 128");

struct cairn_pool {
    struct cairn_pool_header *header;
    struct cairn_chunk *chunks;
    uint8_t *data;
    uint32_t chunk_bytes;
    uint32_t chunk_count;
    /* This side's writers take the oldest ready chunk when none is free. The chunk's `events` must
     * have been set then; see cairn/kernel/trace_buffer.h, which does. */
    bool overwrite;
};

struct cairn_writer {
    uint8_t *next; /* address of the next record */
    uint8_t *end;
    uint8_t *start;
    struct cairn_chunk *chunk; /* NULL: owns none */
    uint64_t freed;            /* header->freed when no chunk was free the last time */
    uint32_t starved;          /* events lost since then; 0: a chunk was free */
};

/* The identity of a writer, copied to the descriptors of its chunks. */
struct cairn_writer_name {
    uint32_t pid;
    uint32_t tid;
    union {
        char comm[16];
        uint64_t first_event;
    };
    uint64_t session; /* 0 in a kernel */
    uint32_t owner;   /* of enum cairn_chunk_owner; 0 in a kernel */
};

/* Lines that are prefetched are at this distance from a record. */
#define CAIRN_I_FETCH_AHEAD_BYTES 1536u

/* Prefetches a line for writing. */
static inline void cairn_i_fetch_line(const uint8_t *line)
{
#if defined(__x86_64__)
    /* Not __builtin_prefetch: without -mprfchw it prefetches for reading. */
    __asm__ volatile("prefetchw %0" : : "m"(*line));
#else
    __builtin_prefetch(line, 1);
#endif
}

/*
 * A chunk is larger than the first-level cache: prefetches the lines of later records, for writing.
 * A prefetch after the chunk's end is harmless.
 */
static inline void cairn_i_fetch_ahead(const uint8_t *next)
{
    cairn_i_fetch_line(next + CAIRN_I_FETCH_AHEAD_BYTES);
    cairn_i_fetch_line(next + CAIRN_I_FETCH_AHEAD_BYTES + 64);
}

/* Makes the record at `record`, which is writer->next, visible. */
static inline void cairn_i_pool_publish(struct cairn_writer *writer, uint8_t *record,
                                        uint32_t size_bytes)
{
    writer->next = record + size_bytes;
    /* Pairs with the reader's acquire in core_pool_take: the bytes before the length. */
    __atomic_store_n(&writer->chunk->committed, (uint32_t)(record + size_bytes - writer->start),
                     __ATOMIC_RELEASE);
}

/* The same, and prefetches. */
static inline void cairn_i_pool_commit(struct cairn_writer *writer, uint8_t *record,
                                       uint32_t size_bytes)
{
    cairn_i_fetch_ahead(record);
    cairn_i_pool_publish(writer, record, size_bytes);
}

/* Counts an event that could not be written. */
void cairn_i_pool_count_lost(struct cairn_pool *pool);

#ifdef __cplusplus
}
#endif

#endif
