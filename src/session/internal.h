/* SPDX-License-Identifier: MIT */
/* Objects and functions that the files of a session share. */
#ifndef SESSION_INTERNAL_H
#define SESSION_INTERNAL_H

#include "engine/baseline.h"
#include "engine/clock.h"
#include "engine/descriptors.h"
#include "engine/pool_range.h"
#include "engine/rules.h"
#include "engine/session.h"
#include "perf_data/block.h"
#include "perf_data/map.h"
#include "perf_data/order.h"
#include "session/sink.h"
#include "session/sink_trace.h"
#include "session/ticks.h"

#include <cairn/filter.h>
#include <cairn/perf_data.h>
#include <cairn/kernel/pool.h>
#include <cairn/session.h>
#include <dirent.h>
#include <sys/stat.h>

#define SESSION_SYSTEM_NAME "user_events"

/* The pause between looks for events while there are some. */
#define SESSION_WAIT_MIN_MS 1u

/* A tracepoint of the output: an event that this session wants, of one user or of several. */
struct session_tracepoint {
    uint64_t sample_id; /* of its records in the output */
    bool is_multi;
    uint64_t events;
    bool is_eventheader;
    uint64_t keyword;                   /* of EventHeader events */
    bool filtered;                      /* recorded are those events only that a rule chooses */
    struct session_choice *choices;     /* of its rules, by type of event */
    char *filter_problem;               /* one that is not among them, and why; NULL */
    struct engine_event_name full_name; /* valid after session_name_tracepoint */
    char *command;                      /* with which it was registered */
    char name[CAIRN_NAME_MAX_BYTES];
    struct cairn_session_tracepoint shown; /* by cairn_session_tracepoint */
};

/* A thread's name and a NUL. */
#define CAIRN_COMM_BYTES 17

/* A thread that has written. */
struct session_thread {
    uint32_t tid;
    char name[CAIRN_COMM_BYTES]; /* the latest that is known */
    uint64_t looked_ns;          /* when its name was looked at */
};

/* A process that has written to a pool, and whether its number is valid in this pid namespace. */
struct session_process {
    uint32_t pid;
    enum { SESSION_PROCESS_NEW, SESSION_PROCESS_KNOWN, SESSION_PROCESS_UNKNOWN } number;
    bool is_of_namespace;        /* of the pool: its number is one of there */
    bool is_described;           /* its mappings were read, for a session without a trace file */
    uint32_t number_in_file;     /* of a trace file; 0: none yet */
    struct session_known *known; /* what its records' ids mean there */
    uint32_t known_count;
    uint32_t *known_of_id; /* an index into those, from 1; 0: none */
    uint32_t id_count;
    uint32_t ended; /* number of checks that found it ended since it last had records */
};

/* The pool of a process and its children. */
struct session_pool {
    struct session_pool *next;
    struct session_directory *directory; /* its position */
    struct engine_process_pool_reader reader;
    size_t added_ahead_bytes;       /* memory that it has got and did not need yet */
    struct engine_pool_range range; /* its position in its file */
    uint32_t slot;                  /* of its session */
    bool is_former;                 /* another session has taken its place (change.c) */
    void *memory;
    uint64_t device; /* of its file */
    uint64_t inode;
    struct engine_baseline *baselines;      /* of chunks */
    struct engine_pool_file *file;          /* up to its pools, mapped; NULL: not open */
    struct engine_descriptor_table *table;  /* of the process, in it; */
    struct engine_descriptor **descriptors; /* copies of those that records referred to, */
    uint32_t descriptor_count;
    size_t descriptor_bytes;                 /* of all of them */
    struct perf_data_map descriptor_of_unit; /* and their indexes */
    struct session_process *processes;       /* that wrote, sorted */
    uint32_t process_count;
    struct session_thread *threads;
    uint32_t thread_count;
    struct perf_data_map thread_of_tid;
    uint32_t looked_units; /* of the table: the types of events that were looked at */
    uint64_t filtered; /* of the events that its writers have filtered, those that are counted */
    uint64_t lost;     /* of those it has counted, the number that is in the file */
    struct session_pool_losses *losses; /* by thread and type; NULL: none yet */
    uint64_t last_id;                   /* sample id of its last record, as its process wrote it */
    uint32_t last_tracepoint;           /* and its index */
    bool namespace_is_ours;             /* the process's pid namespace */
    uint64_t pid_namespace;             /* 0: not known */
    struct perf_data_map number_of;     /* of processes and threads of another one: ours */
    uint64_t numbers_searched_ns;
    struct session_positions *positions; /* how far it was recorded (resume.h); or NULL */
    struct session_held *held;           /* chunks that are not freed yet, in that order */
    uint32_t held_count;
    uint64_t lost_in_file; /* as `lost`, those that a block was written after */
    bool is_over;          /* its process has ended, and it was read to its end */
    bool check_owners;     /* look for threads that were killed */
    bool spoilt;           /* it is damaged; nothing more is read from it */
    bool unlisted;         /* its process's file has gone; so has perhaps the directory */
    char name[64];         /* in the directory of pools */
};

/* Time between two rounds of a file. A writer that was stopped between taking the time and
 * committing for longer than this makes a record that readers see late. */
#define SESSION_ROUND_NS UINT64_C(1000000000)

/*
 * A receiver gets records that are older than this. A thread that was kept from its CPU between
 * taking the time of an event and committing it makes the event visible later: at a load of 10 on
 * two CPUs that takes some 10 ms. One that takes longer comes out of order.
 */
#define SESSION_SETTLED_NS UINT64_C(100000000)

/*
 * A writer's time is that of this machine: it cannot be later than its reading, except by the
 * difference of two computations. A record of a later time would hold back those that a receiver
 * gets in the order of time, possibly permanently, and a file's rounds would not be sorted.
 */
#define SESSION_AHEAD_MAX_NS UINT64_C(10000000)

/* Records that a receiver has not got yet. */
struct session_queue {
    struct perf_data_order order;
    struct perf_data_block_pool blocks; /* with the records, each after its thread's name */
    struct perf_data_window window;     /* the block that is being filled */
    struct perf_data_block *taken;      /* with the record that was taken last, or NULL */
};

/* An entry of a registry that is recorded: which of the output's tracepoints it is. */
struct session_source {
    uint64_t generation;  /* of the entry */
    uint32_t number_of_1; /* of the tracepoint, counted from 1; 0: none */
    uint32_t loss_of_1;   /* of session->losses, those before a pool; 0: none */
    uint64_t lost;        /* of those that the entry has counted, the number that was seen */
};

/* A tracing directory that the session records: one's own, or that of another user. */
struct session_directory {
    struct session_directory *next;
    char *user; /* the name of another user's in the shared directory, or a path; NULL: one's own */
    int fd;     /* of a directory elsewhere; -1 */
    char *container; /* in whose root directory it is; NULL: in ours */
    dev_t device;    /* with the inode: what it is, once it has begun, or is elsewhere */
    ino_t inode;
    uid_t owner; /* of one that is elsewhere */
    struct engine_registry local;
    struct engine_session handle;
    struct engine_session next_handle;       /* while rules are changed: the one that follows, */
    int change_error;                        /* or why there is none */
    bool has_next;                           /* after a recorder was killed that had both */
    struct engine_session former;            /* for some time after a change; no descriptor: none */
    uint64_t changed_ns;                     /* when it was replaced */
    uint64_t former_lost[CAIRN_LOSS_CAUSES]; /* as slot_lost */
    bool is_outdated; /* the session of a killed recorder has other rules than ours */
    bool begun;
    bool is_given_up; /* its user has truncated a file */
    int error;        /* error: it is not recorded, or not any more; 0: it is */
    struct engine_clock_publisher clock;
    struct session_source *sources; /* by registry index */
    uint32_t seen_changes;          /* of the registry, when we looked last */
    struct session_pool *pools;
    DIR *pools_list; /* open all the time: there may be no descriptor for it later */
    uint32_t seen_pools;
    uint64_t pools_looked_ns; /* when they were looked for */
    uint32_t refused;         /* number of processes that could not join before it was recorded */
    uint32_t unregistered;    /* and number since then */
    /* of those lost before they could reach a pool, the number that is in the file */
    uint64_t slot_lost[CAIRN_LOSS_CAUSES];
    uint64_t next_lost[CAIRN_LOSS_CAUSES]; /* those of the next session that a killed one counted */
    uint32_t unrecorded; /* processes whose buffers could not be read at the last look, */
    uint32_t unrecorded_by_cause[CAIRN_LOSS_CAUSES];
    int unrecorded_error; /* and the errno code of the last of them */
};

static inline bool session_has_former(const struct session_directory *directory)
{
    return directory->former.liveness_fd >= 0;
}

/* The origin of the piece that was added last to a trace file. */
struct session_last_copied {
    uint64_t piece; /* its number; 0: it is not continued */
    const struct session_pool *pool;
    uint64_t sequence; /* of the chunk */
};

/* A directory that is not recorded, because its owner has too many. */
struct session_left_out {
    dev_t device;
    ino_t inode;
};

/* The processes of a search of the machine, in the order of /proc. */
struct session_seen {
    struct session_seen_process *list;
    size_t count;
    size_t capacity;
    uint32_t last_pid; /* that the kernel had given then; 0: not all processes are in the list */
};

struct session_kernel;
struct session_resume;
struct session_sleep;

struct cairn_session {
    struct session_directory *directories; /* one's own first */
    struct engine_session_request request;
    const struct engine_session_request *wanted_request; /* while it is changed */
    struct session_sink *writer;                         /* NULL: a receiver gets the records */
    struct session_trace *trace;         /* the same if it is a trace file; or NULL */
    struct session_resume *resume;       /* another recorder can continue; or NULL */
    const char *resume_name;             /* of such a session, until it has begun */
    struct session_kernel *kernel;       /* the kernel's events; NULL: they are not recorded */
    struct cairn_session_options output; /* for the files that follow: with its arguments, */
    const char **args;                   /* copies */
    struct session_last_copied last_copied;
    struct session_ticks
        ticks; /* the counter of this machine, by the lines of one's own directory */
    struct cairn_session_receiver receiver;
    struct session_queue queue;        /* on their way to it */
    uint64_t machine_looked_ns;        /* when they were looked for */
    struct session_seen machine_seen;  /* processes of the last search */
    uint32_t machine_search;           /* number of searches */
    struct session_left_out *left_out; /* counts.directories_left_out of them are known */
    struct session_rule *rules;        /* patterns and filters, in the order of the options */
    size_t rule_count;
    const char **globs;               /* of the rules, */
    struct engine_rule *shared_rules; /* and what programs get of them */
    char *scratch;                    /* for texts that filters compare */
    size_t scratch_bytes;
    int error; /* the first failure of writing */
    bool is_finished;
    bool with_stacks;   /* of some events of programs */
    bool is_of_machine; /* in all tracing directories */
    bool may_add_ahead; /* memory to a pool that is not in use, at this look */

    struct session_tracepoint *tracepoints;
    uint32_t tracepoint_count;
    uint32_t tracepoint_capacity;
    uint32_t *by_number;             /* of a sample id: 1 + index into tracepoints; 0: none */
    struct perf_data_map by_command; /* hash of a command to the index of a tracepoint with it */
    uint32_t last_unused;            /* number below which to look for one that is not in use */

    uint64_t pid_namespace;       /* our own */
    struct perf_data_map counted; /* the processes in counts.processes (counted.c) */
    struct timespec users_mtime;  /* of the shared directory at the last look */
    uint64_t users_changed_ns;    /* when that was another one */
    uint64_t users_looked_ns;     /* when other users' directories were looked for */
    size_t added_ahead_bytes;     /* bytes that were added so, to the pools that exist */
    struct cairn_perf_missing written_missing; /* losses that the file has */
    struct cairn_perf_missing missing_before;  /* those that the files before it have */
    uint64_t unstored_before;
    uint64_t unstored_snapshot; /* events that the last snapshot lacks, because it failed */
    uint8_t *block;             /* a chunk's private copy, */
    uint8_t *expanded;          /* and samples of its records */
    const uint8_t *stack;       /* of the only one, in `block`; NULL: none */
    uint32_t stack_count;       /* of its addresses */
    size_t moved;               /* bytes to the output, in this round */
    uint64_t freed;             /* chunks that were freed, in this round */
    uint64_t taken_ns;          /* when it was taken */
    uint32_t looks;             /* name lookups that are allowed now */
    uint64_t looks_ns;          /* since when there are more */
    uint32_t chunk_bytes;
    uint32_t wait_ms;
    uint32_t wait_max_ms; /* while it does not sleep */

    struct cairn_session_counts counts;
    struct session_loss *losses; /* by thread and type of event */
    uint32_t loss_count;
    uint64_t round_ns;           /* when the last round was ended */
    uint64_t round_events;       /* and after how many events */
    uint64_t checked_ns;         /* when we looked for dead processes last */
    struct session_sleep *sleep; /* NULL: the caller waits for no descriptor */
};

/* Keeps the first failure. */
static inline void session_fail(struct cairn_session *session, int error)
{
    if (!session->error)
        session->error = error;
}

/* ---- tracing directories ---- */

/* Opens one's own tracing directory, and begins there. Returns 0 or an errno code. */
int session_begin_own(struct cairn_session *session);

/* Begins in the directories of other users, where there are any that can be used: those that have
 * come since, and those where it failed before. */
void session_update_users(struct cairn_session *session);

/* Begins in a directory that is elsewhere, if that is not known yet; the descriptor is duplicated.
 */
void session_add_directory(struct cairn_session *session, const char *label, const char *container,
                           int fd, const struct stat *st);

/*
 * Runs a step in each directory that is recorded. Files of other users may be truncated under the
 * mapping: the step reads zeros there, and the directory is not recorded any more.
 */
void session_each_directory(struct cairn_session *session,
                            void (*step)(struct cairn_session *session,
                                         struct session_directory *directory));

/*
 * Runs what touches one pool, within such a step. False: its file was cut short. In one's own
 * directory that costs that pool only; another user's directory is given up.
 */
bool session_guard_pool(const struct session_directory *directory, void (*body)(void *arg),
                        void *arg);

/* Frees directories elsewhere that were removed, whose processes have ended. Under the guard of a
 * poll. */
void session_forget_directories(struct cairn_session *session);
void session_free_directories(struct cairn_session *session);

/* Completes what killed recorders have begun: a change of rules; and gives the directories of which
 * they had other rules ours. Returns 0 or an errno code. */
int session_renew_rules(struct cairn_session *session);

/* ---- tracepoints ---- */

/* Adds tracepoints that have come to match since we looked last. */
void session_update_tracepoints(struct cairn_session *session, struct session_directory *directory);

/* Finds out if a tracepoint is filtered; compiles the filters of a typed one. Returns 0 or ENOMEM.
 */
int session_filter_tracepoint(struct cairn_session *session, struct session_tracepoint *tp);
void session_free_filters(struct session_tracepoint *tp);

/* Looks at the types of events that the processes of a pool have come to write: which rules are for
 * them. */
void session_look_at_types(struct cairn_session *session, struct session_pool *pool);

/* True if a rule chooses a whole, checked record of a tracepoint that is filtered. */
bool session_filter_chooses(struct cairn_session *session, struct session_tracepoint *tp,
                            const uint8_t *record, uint32_t record_bytes, const char comm[16]);

/* The tracepoint of a sample id of a directory's processes, or NULL: not one of ours. */
struct session_tracepoint *session_find_tracepoint(struct cairn_session *session,
                                                   const struct session_directory *directory,
                                                   uint64_t sample_id);

/* The same, also of one that has just been registered. */
struct session_tracepoint *session_look_up_tracepoint(struct cairn_session *session,
                                                      struct session_directory *directory,
                                                      uint64_t sample_id);

/* The tracepoint of a sample id of the output. */
struct session_tracepoint *session_tracepoint_of_output(const struct cairn_session *session,
                                                        uint64_t sample_id);

void session_free_tracepoints(struct cairn_session *session);

/* Puts all tracepoints into a file that follows. Returns 0, or the first error. */
int session_put_tracepoints(struct cairn_session *session);

/* ---- pools ---- */

/* Opens the directory in which pools appear. Returns 0 or an errno code. */
int session_open_pools(struct session_directory *directory);

/* Opens pools that were made since we looked last. */
void session_update_pools(struct cairn_session *session, struct session_directory *directory);

/* Tries again to open those that could not be opened. */
void session_retry_pools(struct cairn_session *session, struct session_directory *directory);

/* Tries again to make pools for processes that have none. */
void session_provide_missing(struct session_directory *directory);

/* Allocates more memory for a pool that is in use. Takes chunks back from threads that were
 * killed, and forgets processes that have ended. */
void session_add_memory(struct cairn_session *session, struct session_pool *pool);
void session_look_for_the_dead(struct cairn_session *session, struct session_pool *pool);

/* Notes which processes of a pool, which is about to be closed, have ended. */
void session_count_ends(struct cairn_session *session, const struct session_pool *pool);

/* Changes the number of processes that are alive; those of a former session are not counted. */
void session_count_alive(struct cairn_session *session, const struct session_pool *pool,
                         int32_t more);

/* counted.c: counts a process that writes to a pool, unless it was counted; notes that it has
 * ended, so that another one of its number is counted. */
void session_count_process(struct cairn_session *session, const struct session_pool *pool,
                           uint32_t pid);
void session_count_end(struct cairn_session *session, const struct session_pool *pool,
                       uint32_t pid);

/* The process that writes to a pool by this number, counted when it is the first time; or NULL. */
struct session_process *session_note_process(struct cairn_session *session,
                                             struct session_pool *pool, uint32_t pid);

/* Moves what is in a pool to the output; returns the number of bytes. */
size_t session_drain_pool(struct cairn_session *session, struct session_pool *pool);

/* The same for all pools of a directory; counts its losses. */
void session_drain_directory(struct cairn_session *session, struct session_directory *directory);

/* A sample whose time is later than its reading gets the time of that, and is counted. */
void session_date_sample(struct cairn_session *session, uint8_t *sample);

/* The same event of another user may have another number: in the output it has one. */
void session_number_sample(uint8_t *sample, const struct session_tracepoint *tp);

/* ---- names of threads ---- */

/* The name for the records of a chunk from a time on; a new one goes to the output. */
void session_name_records(struct cairn_session *session, struct session_pool *pool,
                          const struct cairn_chunk *chunk, uint64_t time_ns,
                          char ret_comm[CAIRN_COMM_BYTES]);
void session_free_names(struct session_pool *pool);

/* They are named again. */
void session_forget_names(struct session_pool *pool);

/* ---- output of records ---- */

/* Keeps what other files than the first need. Returns 0 or ENOMEM. */
int session_copy_options(struct cairn_session *session,
                         const struct cairn_session_options *options);
void session_free_options(struct cairn_session *session);

/* Continues in the next file if this one is large enough. */
void session_limit_file(struct cairn_session *session);

/* Returns 0, or what the sink returned. To be closed in any case. */
int session_open_output(struct cairn_session *session, const struct cairn_session_options *options);
void session_close_output(struct cairn_session *session);

/* Returns 0, or what the writer or the receiver returned. */
int session_put_tracepoint(struct cairn_session *session,
                           const struct cairn_perf_tracepoint *tracepoint);

/* These keep the first failure. Records are whole, checked, and of known tracepoints. */
void session_put_records(struct cairn_session *session, const uint8_t *records, size_t size_bytes,
                         const char comm[CAIRN_COMM_BYTES]);
/* One sample, with `stack`. */
void session_put_stacked(struct cairn_session *session, const uint8_t *sample, size_t size_bytes,
                         const char comm[CAIRN_COMM_BYTES]);
void session_put_comm(struct cairn_session *session, const struct session_process *process,
                      uint32_t tid, const char *comm, uint64_t time_ns);
void session_put_lost(struct cairn_session *session, uint64_t sample_id, uint64_t lost);
void session_put_missing(struct cairn_session *session, const struct cairn_perf_missing *missing);

/* After all pools were drained once, beginning at this time. */
void session_end_poll(struct cairn_session *session, uint64_t began_ns);

/* After they were drained for the last time. */
void session_finish_output(struct cairn_session *session);

uint64_t session_output_bytes(const struct cairn_session *session);

/* The number of events that were accepted, and are not in the output because of an error. */
uint64_t session_unstored(const struct cairn_session *session);

/* ---- missing events ---- */

/* Count what programs lost since we looked last, and put it into the output. */
void session_count_pool_losses(struct cairn_session *session, struct session_pool *pool);
void session_count_slot_losses(struct cairn_session *session, struct session_directory *directory);

/* Finds the threads and events of the events that a pool has lost since we looked last; `lost` is
 * their number. Those that have no memory here remain unknown. */
void session_divide_losses(struct cairn_session *session, struct session_pool *pool, uint64_t lost);

/* The same of losses that did not reach a pool: by tracepoint. */
void session_divide_slot_losses(struct cairn_session *session, struct session_directory *directory,
                                uint64_t lost);
void session_free_losses(struct cairn_session *session);

/* A process whose buffer cannot be read, and why; and that all of them are looked at again. */
void session_count_unrecorded(struct session_directory *directory, int error);
void session_forget_unrecorded(struct session_directory *directory);

/* Counts the processes that could not register. */
void session_count_unregistered(struct cairn_session *session, struct session_directory *directory);

/* Adds up what the directories have counted. */
void session_sum_missing(struct cairn_session *session);

/* Puts all that is missing so far into the file, if there is more than when it was put there last.
 */
void session_write_missing(struct cairn_session *session);

/* Detects processes that have ended; their pools are read to the end and closed. */
void session_check_processes(struct cairn_session *session, struct session_directory *directory);

void session_free_pools(struct session_directory *directory);

/* The pools become those of the former session. When the next ones have been opened, their
 * processes move there. */
void session_note_former(struct cairn_session *session, struct session_directory *directory);
void session_move_processes(struct cairn_session *session, struct session_directory *directory);
void session_close_former(struct cairn_session *session, struct session_directory *directory);

/* ---- changes ---- */

/* Reads what writers have completed since the rules were changed, and ends the session that had the
 * former ones: when FORMER_NS have passed, or at once. */
void session_update_former(struct cairn_session *session, struct session_directory *directory);
void session_end_former(struct cairn_session *session, struct session_directory *directory);

#endif
