/* SPDX-License-Identifier: MIT */
/* A session's parts. */
#ifndef SESSION_INTERNAL_H
#define SESSION_INTERNAL_H

#include "local/clock.h"
#include "local/session.h"
#include "perf_data/block.h"
#include "perf_data/map.h"
#include "perf_data/order.h"

#include <cairn/filter.h>
#include <cairn/perf_data.h>
#include <cairn/pool.h>
#include <cairn/session.h>

#define CAIRN_SYSTEM_NAME "user_events"

/* A tracepoint that this session wants. */
struct session_tracepoint {
    uint32_t index; /* in the registry */
    uint64_t generation;
    uint64_t events;
    bool filtered;                  /* recorded are those events only that a filter chooses */
    struct session_filter *filters; /* those of its patterns */
    char *filter_problem;           /* one that is not among them, and why; NULL */
    char name[CAIRN_NAME_MAX_BYTES];
};

/* A filter, compiled for one tracepoint. */
struct session_filter {
    struct session_filter *next;
    struct cairn_filter *compiled; /* lies behind this struct */
};

/* A thread's name and a NUL. */
#define CAIRN_COMM_BYTES 17

/* A thread that has written. */
struct session_thread {
    uint32_t tid;
    char said[16];               /* its name by its chunks: that of its first event */
    char name[CAIRN_COMM_BYTES]; /* the latest that is known */
    uint64_t looked_ns;          /* when its name was looked at */
};

/* Whether the process of a pool's name is the one that has made it. */
enum session_process { SESSION_PROCESS_NEW, SESSION_PROCESS_KNOWN, SESSION_PROCESS_UNKNOWN };

/* A process's pool. */
struct session_pool {
    struct session_pool *next;
    struct cairn_pool_reader reader;
    void *memory;
    size_t size_bytes;
    uint64_t device; /* of its file */
    uint64_t inode;
    enum session_process process;
    struct session_thread *threads;
    uint32_t thread_count;
    struct cairn_map thread_of_tid;
    uint64_t lost;            /* of those it has counted: so many are in the file */
    uint64_t last_id;         /* sample id of its last record */
    uint32_t last_tracepoint; /* and its index */
    bool spoilt;              /* it lied; nothing more is read from it */
    bool dead;                /* its process has ended */
    char name[96];            /* in the folder of pools */
};

/* What the thread of records was called: when it wrote the first of them, and the others. */
struct session_names {
    char first[CAIRN_COMM_BYTES];
    char others[CAIRN_COMM_BYTES];
};

/* Time between two rounds of a file. A writer that was stopped between taking the time and
 * committing for longer than this makes a record that readers see late. */
#define CAIRN_SESSION_ROUND_NS UINT64_C(1000000000)

/*
 * A receiver gets records that are older than this. A thread that was kept from its CPU between
 * taking the time of an event and committing it makes the event visible later: at a load of 10 on
 * two CPUs that takes some 10 ms. One that takes longer comes out of order.
 */
#define CAIRN_SESSION_SETTLED_NS UINT64_C(100000000)

/* What a receiver has not got yet. */
struct session_queue {
    struct cairn_order order;
    struct cairn_block_pool blocks; /* with the records, each behind its thread's name */
    struct cairn_window window;     /* the block that is being filled */
};

struct cairn_session {
    struct cairn_local local;
    struct cairn_local_session handle;
    bool begun;
    struct cairn_perf_writer *writer; /* NULL: a receiver gets the records */
    struct cairn_session_receiver receiver;
    struct session_queue queue; /* on their way to it */
    struct cairn_clock_publisher clock;
    const char **patterns; /* and their filters, or NULLs: copies */
    const char **filters;
    size_t pattern_count;
    int error; /* the first failure of writing */

    struct session_tracepoint *tracepoints;
    uint32_t tracepoint_count;
    uint32_t tracepoint_room;
    uint32_t *by_index;    /* registry index to 1 + index into tracepoints; 0: none */
    uint32_t seen_changes; /* of the registry, when we looked last */

    struct session_pool *pools;
    uint32_t seen_pools;
    uint64_t slot_lost; /* of those lost before they could reach a pool: so many are in the file */
    uint8_t *block;     /* a chunk's private copy */
    uint64_t taken_ns;  /* when it was taken */
    uint32_t looks;     /* so many looks at names are free now */
    uint64_t looks_ns;  /* since when there are more */
    uint32_t chunk_bytes;

    struct cairn_session_counts counts;
    uint64_t round_ns;     /* when the last round was ended */
    uint64_t round_events; /* and after how many events */
    uint64_t checked_ns;   /* when we looked for dead processes last */
    uint32_t wait_ms;
};

/* Keeps the first failure. */
static inline void cairn_session_fail(struct cairn_session *session, int error)
{
    if (!session->error)
        session->error = error;
}

/* Adds tracepoints that have come to match since we looked last. */
void cairn_session_update_tracepoints(struct cairn_session *session);

/* Keeps patterns and filters. Returns 0 or ENOMEM. */
int cairn_session_copy_patterns(struct cairn_session *session,
                                const struct cairn_session_options *options);
void cairn_session_free_patterns(struct cairn_session *session);

/* Compiles what filters a tracepoint has. Returns 0 or ENOMEM. */
int cairn_session_filter_tracepoint(struct cairn_session *session, struct session_tracepoint *tp,
                                    const struct cairn_schema *schema);
void cairn_session_free_filters(struct session_tracepoint *tp);

/* Whether one of a tracepoint's filters chooses a whole, checked record. */
bool cairn_session_filter_chooses(const struct session_tracepoint *tp, const uint8_t *record,
                                  uint32_t record_bytes, const char comm[16]);

/* The tracepoint of a sample id, or NULL: not one of ours. */
struct session_tracepoint *cairn_session_find_tracepoint(struct cairn_session *session,
                                                         uint64_t sample_id);

/* Opens pools that were made since we looked last. */
void cairn_session_update_pools(struct cairn_session *session);

/* Moves what is in a pool to the output; returns the number of bytes. */
size_t cairn_session_drain_pool(struct cairn_session *session, struct session_pool *pool);

/* ---- names of threads ---- */

/* The names for the records that were copied from a chunk, at least one; new ones go to the output.
 */
void cairn_session_name_records(struct cairn_session *session, struct session_pool *pool,
                                const struct cairn_chunk *chunk, struct session_names *ret_names);
void cairn_session_free_names(struct session_pool *pool);

/* ---- where records go ---- */

/* Returns 0, or what the perf.data writer returned. To be closed in any case. */
int cairn_session_open_output(struct cairn_session *session,
                              const struct cairn_session_options *options);
void cairn_session_close_output(struct cairn_session *session);

/* Returns 0, or what the writer or the receiver returned. */
int cairn_session_put_tracepoint(struct cairn_session *session,
                                 const struct cairn_perf_tracepoint *tracepoint);

/* These keep the first failure. Records are whole, checked, and of known tracepoints. */
void cairn_session_put_records(struct cairn_session *session, const uint8_t *records,
                               size_t size_bytes, const char comm[CAIRN_COMM_BYTES]);
void cairn_session_put_comm(struct cairn_session *session, uint32_t pid, uint32_t tid,
                            const char *comm, uint64_t time_ns);
void cairn_session_put_lost(struct cairn_session *session, uint64_t sample_id, uint64_t lost);

/* After all pools were drained once, beginning at this time. */
void cairn_session_end_poll(struct cairn_session *session, uint64_t began_ns);

/* After they were drained for the last time. */
void cairn_session_finish_output(struct cairn_session *session);

uint64_t cairn_session_output_bytes(const struct cairn_session *session);

/* Writes what `now` is more than `seen`, and sets `seen`. */
void cairn_session_write_lost(struct cairn_session *session, uint64_t now, uint64_t *seen,
                              uint64_t sample_id);

/* Finds out which processes have ended; their pools are read to the end and let go. */
void cairn_session_check_processes(struct cairn_session *session);

void cairn_session_free_pools(struct cairn_session *session);

#endif
