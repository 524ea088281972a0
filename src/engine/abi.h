/* SPDX-License-Identifier: MIT */
/*
 * Structs that processes share in a tracing directory. They are frozen, because programs and
 * recorders of different builds use the same files: every change needs another
 * ENGINE_REGISTRY_VERSION.
 *
 *   user_events_status   one byte for each event: bits of enum engine_status_bit
 *   registry             struct engine_registry_file, session slots, buckets, entries
 *   lock                 an empty file; its open-file-description lock guards the registry
 *   processes/PID.N      struct engine_process_file of a traced process; if it registered events
 * while the registry could not be locked, pages of struct engine_pending_page pools/PID.N struct
 * engine_pool_file of the same process, and its pools
 */
#ifndef ENGINE_ABI_H
#define ENGINE_ABI_H

#include <cairn/kernel/pool.h>
#include <cairn/loss.h>
#include <cairn/record.h>
#include <cairn/schema.h>
#include <stddef.h>
#include <stdint.h>

#define ENGINE_REGISTRY_MAGIC   UINT64_C(0x3167657265727263) /* "crrereg1" */
#define ENGINE_REGISTRY_VERSION 6u

/* Index 0 is never assigned, so that a program has an index for its error cases. */
#define ENGINE_EVENT_MAX 49152u

/* common_type of an event is its index plus this: above every id that a kernel gives its own. */
#define ENGINE_TYPE_BASE 0x4000u

#define ENGINE_SESSION_MAX      64u /* a bit each in an entry's mask */
#define ENGINE_SESSION_PATTERNS 3904u
#define ENGINE_REGISTRY_BUCKETS 16384u
#define ENGINE_PAGE_BYTES       4096u

/* Bits of a status byte, as the user_events document has them. */
enum engine_status_bit {
    ENGINE_STATUS_TEXT = 1,     /* a text reader is attached (EVENT_STATUS_FTRACE) */
    ENGINE_STATUS_RECORDER = 2, /* a recorder is attached (EVENT_STATUS_PERF) */
    ENGINE_STATUS_BIT = 64,     /* any is attached, and the event has ENGINE_ENTRY_BIT */
};

/* The number of ENGINE_STATUS_BIT in a page that is read as bits: 8 for each event, and this. */
enum {
    ENGINE_STATUS_BIT_NUMBER = 6,
};

/* Flags that an event was registered with; the first two as in the kernel's user_reg_flag. */
enum engine_entry_flag {
    ENGINE_ENTRY_PERSIST = 1, /* it stays when its last user unregisters it, until it is deleted */
    ENGINE_ENTRY_MULTI = 2,   /* one of several formats of a name: it is called NAME.GENERATION */
    ENGINE_ENTRY_BIT = 4,     /* a program reads the status page as bits */
};

/* A session with many holders: it ends when the last of them has closed its file. */
#define ENGINE_SESSION_SHARED 1u

/* Another session took the place of this one, which gets no event that is registered from now on.
 */
#define ENGINE_SESSION_REPLACED 2u

/* The session stays for a while when its recorder was killed, for the one that takes its place.
 * Older builds end it as any other. */
#define ENGINE_SESSION_KEPT 4u

/* The upper half of the flags: how long a writer that finds no free chunk waits, in ms. */
#define ENGINE_SESSION_BLOCK_SHIFT  16u
#define ENGINE_SESSION_BLOCK_MAX_MS 10000u

/* Time stamp counter to CLOCK_MONOTONIC: time = time_ns + ((tsc - tsc_base) * mult >> 32). */
struct engine_clock {
    uint32_t sequence; /* odd while it is being changed */
    uint32_t usable;   /* 0: read the clock of the system instead */
    uint64_t tsc_base;
    uint64_t time_ns;
    uint64_t mult;
    uint8_t reserved[32];
};

struct engine_registry_file {
    uint64_t magic;
    uint32_t version;
    uint32_t registry_bytes; /* of this struct */
    uint32_t event_max;
    uint32_t session_max;
    uint32_t entry_bytes;
    uint32_t changing; /* a change is in progress; if it is set when the lock is taken, the process
                          that made the change died */
    uint64_t next_generation; /* of entries and of sessions; never 0 */
    uint32_t first_unused;    /* entries from here on were never in use */
    uint32_t first_free;      /* freed entries, linked by their next; 0: none */
    uint32_t first_free_high; /* those whose status byte is not in the first page */
    uint8_t reserved1[12];
    /* read without the lock */
    uint32_t changes;       /* incremented with each change of an entry */
    uint32_t pools;         /* incremented with each new pool */
    uint32_t refused;       /* incremented for each process that could not join */
    uint32_t refused_error; /* errno code of the last of them */
    uint32_t pending; /* incremented with each registration that was left in a process's file */
    uint32_t pending_done; /* value of that number when these registrations were completed; under
                              the lock */
    uint8_t reserved2[40];
    struct engine_clock clock;
};

/* A session: one collection. */
struct engine_session_slot {
    uint64_t generation; /* 0: the slot is free */
    uint64_t lost;       /* events that were lost before they could reach a pool (loss.h) */
    uint32_t status_bit; /* ENGINE_STATUS_TEXT or ENGINE_STATUS_RECORDER */
    uint32_t chunk_bytes;
    uint32_t chunk_count;
    uint32_t pid; /* of the recorder, for people */
    uint64_t pid_start;
    uint64_t pid_namespace;
    uint32_t flags;                            /* ENGINE_SESSION_SHARED, ... */
    uint32_t small_chunks;                     /* of which a chunk may be divided into, or 0 */
    uint64_t lost_by_cause[CAIRN_LOSS_CAUSES]; /* parts of `lost`, which older builds count alone */
    uint64_t heartbeat_ns;                     /* last heartbeat of its recorder; 0: it has none */
    char patterns[ENGINE_SESSION_PATTERNS];    /* each NUL-terminated, the last one followed by an
                                                  empty one */
    /* The generation, while threads may write by the fast path: another number while its recorder
     * sleeps, or is about to. */
    uint64_t awake;
    uint32_t doorbell; /* of enum engine_doorbell (doorbell.h) */
    uint8_t reserved1[4];
    uint64_t former; /* generation of the session whose place it takes, or 0 */
    uint8_t reserved2[40];
};

struct engine_event_entry {
    uint64_t sessions;   /* mask: who wants it */
    uint64_t generation; /* 0: the entry is free */
    uint32_t references; /* processes' registrations */
    uint32_t next;       /* in its bucket, or among the free; 0 ends */
    uint32_t hash;
    uint32_t flags; /* of enum engine_entry_flag */
    /* Number of its events that were lost before they could reach a pool, of any session. Programs
     * of older builds do not count here. */
    uint64_t lost;
    uint8_t reserved[24];
    char command[CAIRN_COMMAND_MAX_BYTES];
};

/* The filter of a process's facade (facade.h): shown by the process, and another one that is asked
 * for. */
#define ENGINE_FACADE_TEXT_BYTES 912u
#define ENGINE_FACADE_BELLS      64u

struct engine_facade {
    uint32_t is_open;  /* the process takes requests */
    uint32_t request;  /* twice the number of the last request; odd while one is being written */
    uint32_t taken;    /* the number of the last request that was answered, */
    uint32_t error;    /* and the answer: an errno code */
    uint32_t error_at; /* and an offset in the text */
    uint32_t shown;    /* odd while the filter in force is being written */
    /* A byte that is not 0 for each request; its number modulo this many. Call sites look at that
     * of the next request. */
    uint8_t bells[ENGINE_FACADE_BELLS];
    char request_text[ENGINE_FACADE_TEXT_BYTES];
    char text[ENGINE_FACADE_TEXT_BYTES]; /* in force; what does not fit is cut */
    uint8_t reserved[8];
};

#define ENGINE_CHILDREN_MAX 512u

#define ENGINE_PROCESS_MAGIC UINT64_C(0x31636f7270726e63) /* "cnrproc1" */

/* The registrations and children of a process: swept when it is dead. */
struct engine_process_file {
    uint64_t magic;
    uint32_t version;
    uint32_t pid;
    uint64_t pid_start; /* field 22 of /proc/PID/stat; 0: only the lock shows whether it lives */
    uint64_t pid_namespace; /* inode of /proc/self/ns/pid: elsewhere the pid says nothing */
    char comm[16];
    char pool_name[64]; /* the name of its pool file, which is its family's */
    /* Forked children, which need what was registered before: their pids, 0 where unused. */
    uint32_t children_unknown; /* there were more children, or some in another pid namespace */
    uint32_t children[ENGINE_CHILDREN_MAX];
    uint32_t forking;     /* number of forks whose child has not recorded its pid yet */
    uint32_t has_adopted; /* it writes events that other processes registered */
    uint8_t reserved[4];
    struct engine_facade facade;
    uint16_t references[ENGINE_EVENT_MAX]; /* registrations of each event */
};

/* State of a registration that was left in a process's file. */
enum engine_pending_state {
    ENGINE_PENDING_NONE = 0,
    ENGINE_PENDING_WAITS,   /* for a process that has the registry's lock */
    ENGINE_PENDING_DONE,    /* the event has an entry */
    ENGINE_PENDING_REFUSED, /* it cannot be registered, for the reason in `error` */
    ENGINE_PENDING_GONE,    /* its process has withdrawn it */
};

struct engine_pending_event {
    uint32_t state; /* of enum engine_pending_state; the last word to be written */
    uint32_t flags; /* of enum engine_entry_flag */
    uint32_t index; /* of its entry, */
    uint32_t error;
    uint64_t generation; /* and the entry's generation */
    uint8_t reserved[40];
    char command[CAIRN_COMMAND_MAX_BYTES];
};

#define ENGINE_PENDING_MAX 4096u

/* Events are used from the first on. Their bytes are mapped after the status page, in the process
 * alone: its tracepoints point there until they are enabled. */
struct engine_pending_page {
    uint8_t is_enabled[ENGINE_PENDING_MAX];
    struct engine_pending_event events[ENGINE_PENDING_MAX];
};

/* As many as fit into a quarter of the status mapping. */
#define ENGINE_PENDING_PAGES 4u

#define ENGINE_POOL_FILE_MAGIC UINT64_C(0x316c6966706e7263) /* "crnpfil1" */

/* Position of the pool for the session in a slot. It stays when the session ends, for the next
 * session in this slot: a thread that was preempted while it wrote an event may still write
 * there. */
struct engine_pool_range {
    uint64_t session;     /* the generation that it serves now; 0: none */
    uint64_t offset;      /* in the file: first the descriptors of small chunks, then the pool */
    uint64_t size_bytes;  /* 0: none was made yet */
    uint32_t table_bytes; /* of those descriptors */
    uint32_t error;       /* errno: why the session has no pool here */
};

/* A range that no slot uses any more, because the next session had another shape. It is kept for a
 * session of its own shape: a pool of another shape cannot use it, because a preempted thread may
 * still write there. */
struct engine_pool_spare {
    uint64_t offset;
    uint32_t size_pages; /* 0: no spare */
    uint32_t table_bytes;
};

#define ENGINE_POOL_SPARES 126u

/*
 * A process maps this whole file when it attaches, far beyond its end. The creator of a pool, the
 * process or a recorder that comes later, extends the file below that mapping. So a process that
 * has since lost its privileges or its system calls can use the pool, too.
 */
struct engine_pool_file {
    uint64_t magic;
    uint32_t version;
    uint32_t pid; /* of the process that made it */
    uint64_t pid_namespace;
    uint64_t mapped_bytes; /* bytes that the process has mapped: ranges do not exceed them */
    struct engine_pool_spare spares[ENGINE_POOL_SPARES];
    struct engine_pool_range ranges[ENGINE_SESSION_MAX];
};

CAIRN_I_STATIC_ASSERT(offsetof(struct engine_pool_file, ranges) == 2048, "ranges at 2048");
CAIRN_I_STATIC_ASSERT(sizeof(struct engine_pool_file) == ENGINE_PAGE_BYTES, "a page");

/*
 * The losses of a pool by thread and type of event, after the pool's header, in its page. They are
 * parts of the header's `lost`, unless that is of a session's text, whose readers take from it what
 * they report: what finds no place here is counted there alone, as are the losses of older builds.
 */
struct engine_pool_loss {
    uint64_t key;   /* engine_pool_loss_key; 0: free. Set by a compare-and-swap */
    uint64_t count; /* engine/loss.h */
    uint32_t pid;   /* of the thread, as it sees itself; 0: not set yet */
    uint32_t reserved;
};

#define ENGINE_POOL_LOSSES 165u

CAIRN_I_STATIC_ASSERT(sizeof(struct cairn_pool_header) +
                              ENGINE_POOL_LOSSES * sizeof(struct engine_pool_loss) <=
                          CAIRN_POOL_HEADER_BYTES,
                      "losses follow the header in its page");

static inline struct engine_pool_loss *engine_pool_losses(struct cairn_pool_header *header)
{
    return (struct engine_pool_loss *)(void *)(header + 1);
}

/*
 * The descriptors of a family's events, each stored once: records refer to them. They follow the
 * page of struct engine_pool_file, and are added as they are needed, by any thread, without a lock.
 * None is ever changed or removed.
 *
 * A descriptor's id in records is the number of its unit in the table, times ENGINE_ID_VARIANTS,
 * plus enum engine_id_variant.
 */
#define ENGINE_DESCRIPTOR_UNIT  32u
#define ENGINE_ID_VARIANTS      4u
#define ENGINE_TABLE_UNITS      (1u << 15)
#define ENGINE_TABLE_BYTES      ((size_t)ENGINE_TABLE_UNITS * ENGINE_DESCRIPTOR_UNIT)
#define ENGINE_TABLE_HEAD_UNITS 2u
#define ENGINE_POOLS_OFFSET     (ENGINE_PAGE_BYTES + ENGINE_TABLE_BYTES) /* of the first range */

struct engine_descriptor_table {
    uint32_t used_units;   /* those that have been assigned, including this head */
    uint32_t backed_units; /* those that have memory: no more are assigned */
    uint8_t reserved[56];
};

/* The bytes of a pool file that always have memory. */
#define ENGINE_POOL_FILE_BYTES (2 * (size_t)ENGINE_PAGE_BYTES)

/* The key of a thread's losses of one type of event: `id` is that of its descriptor in records. */
static inline uint64_t engine_pool_loss_key(uint32_t tid, uint32_t id)
{
    return (uint64_t)tid << 32 | id / ENGINE_ID_VARIANTS;
}

static inline struct engine_descriptor_table *engine_pool_file_table(struct engine_pool_file *file)
{
    return (struct engine_descriptor_table *)(void *)(file + 1);
}

enum engine_descriptor_kind {
    ENGINE_DESCRIPTOR_TRACEPOINT = 1,  /* the payload is the tracepoint's, as it is */
    ENGINE_DESCRIPTOR_EVENTHEADER = 2, /* the payload is the values of an EventHeader event */
};

/* The part of an EventHeader event that precedes its values. */
enum engine_id_variant {
    ENGINE_ID_PLAIN = 0,
    ENGINE_ID_ACTIVITY = 1, /* an activity id, 16 bytes */
    ENGINE_ID_RELATED = 2,  /* an activity id and a related one, 32 bytes */
};

/* The kind of the extension with activity ids in an EventHeader event; another extension follows.
 */
#define ENGINE_EXTENSION_ACTIVITY 0x8002u
#define ENGINE_EXTENSION_BYTES    4u /* its head: u16 size, u16 kind */

struct engine_descriptor {
    uint32_t size_bytes; /* a multiple of the unit; the last word to be written */
    uint16_t kind;       /* enum engine_descriptor_kind */
    uint16_t metadata_bytes;
    uint64_t sample_id; /* of the tracepoint */
    /* of an EventHeader event: */
    uint8_t header[8]; /* the EventHeader */
    uint32_t line;     /* in the source file; 0: unknown */
    uint16_t file_bytes;
    uint16_t function_bytes;
    uint8_t texts[]; /* the metadata with its extension's head, the source file, the function */
};

CAIRN_I_STATIC_ASSERT(sizeof(struct engine_descriptor) == ENGINE_DESCRIPTOR_UNIT, "a unit");
CAIRN_I_STATIC_ASSERT(sizeof(struct engine_descriptor_table) ==
                          ENGINE_TABLE_HEAD_UNITS * ENGINE_DESCRIPTOR_UNIT,
                      "the head is of whole units");

/* The id of a long record whose payload begins with the u64 sample id of its tracepoint: the table
 * is full, or has no memory. */
#define ENGINE_ID_NONE 0u

CAIRN_I_STATIC_ASSERT(sizeof(struct engine_clock) == 64, "a cache line");
CAIRN_I_STATIC_ASSERT(offsetof(struct engine_registry_file, changes) == 64, "watched words at 64");
CAIRN_I_STATIC_ASSERT(offsetof(struct engine_registry_file, clock) == 128, "clock at 128");
CAIRN_I_STATIC_ASSERT(sizeof(struct engine_registry_file) == 192, "registry of 192");
CAIRN_I_STATIC_ASSERT(offsetof(struct engine_session_slot, lost_by_cause) == 56, "causes at 56");
CAIRN_I_STATIC_ASSERT(offsetof(struct engine_session_slot, patterns) == 128, "patterns at 128");
CAIRN_I_STATIC_ASSERT(offsetof(struct engine_session_slot, awake) == 4032, "awake at 4032");
CAIRN_I_STATIC_ASSERT(sizeof(struct engine_session_slot) == ENGINE_PAGE_BYTES, "a slot is a page");
CAIRN_I_STATIC_ASSERT(offsetof(struct engine_event_entry, command) == 64, "command at 64");
CAIRN_I_STATIC_ASSERT(sizeof(struct engine_event_entry) == 576, "an entry is nine cache lines");
CAIRN_I_STATIC_ASSERT(offsetof(struct engine_process_file, facade) == 2176, "facade at 2176");
CAIRN_I_STATIC_ASSERT(sizeof(struct engine_facade) == 1920, "the facade ends the page");
CAIRN_I_STATIC_ASSERT(offsetof(struct engine_process_file, references) == 4096, "table at 4096");
CAIRN_I_STATIC_ASSERT(sizeof(struct engine_process_file) % ENGINE_PAGE_BYTES == 0, "pages follow");
CAIRN_I_STATIC_ASSERT(sizeof(struct engine_pending_event) == 576, "as an entry");
CAIRN_I_STATIC_ASSERT(sizeof(struct engine_pending_page) % ENGINE_PAGE_BYTES == 0, "whole pages");
CAIRN_I_STATIC_ASSERT(ENGINE_PENDING_MAX % ENGINE_PAGE_BYTES == 0, "bytes are mapped by pages");
CAIRN_I_STATIC_ASSERT(ENGINE_TYPE_BASE + ENGINE_EVENT_MAX <= 0x10000, "common_type is a u16");

/* Offsets of the parts of the registry file. */
#define ENGINE_REGISTRY_SLOTS ((size_t)ENGINE_PAGE_BYTES)
#define ENGINE_REGISTRY_HASH \
    (ENGINE_REGISTRY_SLOTS + ENGINE_SESSION_MAX * sizeof(struct engine_session_slot))
#define ENGINE_REGISTRY_ENTRIES (ENGINE_REGISTRY_HASH + ENGINE_REGISTRY_BUCKETS * sizeof(uint32_t))
#define ENGINE_REGISTRY_BYTES \
    (ENGINE_REGISTRY_ENTRIES + (size_t)ENGINE_EVENT_MAX * sizeof(struct engine_event_entry))

/* The sample id in a record: the entry and its generation. */
static inline uint64_t engine_sample_id(uint64_t generation, uint32_t index)
{
    return generation << 16 | (ENGINE_TYPE_BASE + index);
}

static inline uint64_t engine_sample_generation(uint64_t sample_id)
{
    return sample_id >> 16;
}

/* The result can be any number, because another process may have made the id. */
static inline uint32_t engine_sample_index(uint64_t sample_id)
{
    return (uint32_t)(sample_id & 0xffff) - ENGINE_TYPE_BASE;
}

#endif
