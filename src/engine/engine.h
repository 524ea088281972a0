/* SPDX-License-Identifier: MIT */
/*
 * The engine inside a traced process: one for the process, attached to its tracing directory at the
 * first registration.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "engine/liveness.h"
#include "engine/locks.h"
#include "engine/process_pool.h"
#include "engine/registry.h"
#include "os/thread.h"

#include <cairn/tracepoint.h>

/* Under ENGINE_LOCK_ENGINE, which is taken with all signals blocked. */
struct engine {
    struct engine_registry local;
    bool attached; /* attaching was attempted; error has the result */
    int error;
    /* Mapped; the mapping holds our liveness lock. A forked child has its parent's, and creates
     * its own when it registers something. */
    struct engine_process_file *process;
    uint64_t backed_pages; /* its pages of references that have memory, one bit each */
    char process_name[64];
    int process_fd;    /* holds it where a mapping does not; -1 */
    bool is_inherited; /* it is a parent's */
    /* A bit for each event that was registered before a fork, and unregistered after it. */
    uint64_t children_need[ENGINE_EVENT_MAX / 64];
    /* A process and the children that it forked are one family, with one pool file. It is mapped
     * far beyond its end, and never moves. */
    struct engine_pool_file *pool_file;
    char pool_name[64];
    uint32_t pid;      /* our own, */
    uint32_t owner;    /* and enum cairn_chunk_owner of our threads' chunks */
    bool pid_is_known; /* it is of the pid namespace of the process that made the pool file */
    bool tid_is_told;  /* the C library knows our threads' numbers */
    struct cairn_tracepoint *tracepoints; /* registered ones */
    bool any_late; /* the registry's lock could not be taken for some of them */
    struct {
        bool is_open;
        bool is_locked; /* the registry's lock is held until the batch is closed */
        int error;      /* the error of taking it: one attempt is enough */
    } batch;
};

extern struct engine engine_self;

/* The state that the thread returns to. */
typedef struct {
    os_signals signals;
} engine_lock_state;

/*
 * Signal handlers write events too: none may run while its own thread holds the lock. Nor may the
 * thread be cancelled then. errno is afterwards what it was: writing an event does not change it.
 */
void engine_lock(engine_lock_state *lock_state);
void engine_unlock(const engine_lock_state *lock_state);

/* True if the calling thread holds it. */
bool engine_is_locked_by_self(void);

/*
 * Registers a tracepoint with the local engine and points `enabled` to its status byte; `flags`, as
 * engine_event_find_or_add has them. Returns 0; EINVAL, E2BIG a bad command; EADDRINUSE; ENOSPC; or
 * why there is no engine.
 */
int engine_register(struct cairn_tracepoint *tp, const char *command, uint32_t flags);

/* Registers a tracepoint with the event that another has. Returns 0; ENOENT it has none; ENOSPC; or
 * what taking the registry's lock returned. */
int engine_register_again(struct cairn_tracepoint *tp, const struct cairn_tracepoint *other);

/* Points a tracepoint to an event that another process keeps registered, without a reference: after
 * its end, writing returns EBADF. Returns 0; ENOENT it has ended already; or why there is no
 * engine. */
int engine_adopt(struct cairn_tracepoint *tp, uint32_t index, uint64_t sample_id);

/* Reverts engine_register. The caller has pointed `enabled` elsewhere: the byte may soon be another
 * event's. */
void engine_unregister(struct cairn_tracepoint *tp);

/*
 * The pool of this process for the session in a slot. Any thread, any signal handler; no system
 * call. Returns 0, or the reason why there is none: EACCES the process that began the session could
 * not create it.
 */
int engine_find_pool(uint32_t slot, uint64_t session, struct engine_process_pool *ret_pool);

/* True if this process has written to its pool for the session in a slot. */
bool engine_has_written(uint32_t slot);

/* ---- under the engine's lock ---- */

/*
 * Deletes an event that is not in use, also one that persists, and all formats of its name.
 * Returns 0; ENOENT; EINVAL a name as long as no command may be; EBUSY it is in use; or what taking
 * the registry's lock returned.
 */
int engine_delete(const char *name);

/*
 * Begins a batch. All registrations until the batch is closed take the registry's lock once:
 * with the first of them. The engine's lock is held throughout.
 */
void engine_open_batch(void);
void engine_close_batch(void);

/* True if taking the registry's lock failed in the batch that is open. */
static inline bool engine_batch_failed(void)
{
    return engine_self.batch.error != 0;
}

/* Attaches to the tracing directory, once; again only if its lock could not be taken.
 * Returns 0 or why it cannot be used. */
int engine_attach(void);

/* In a child that was made by clone() itself: does the work of the fork handlers. Also retries
 * registrations that failed because the registry's lock could not be taken. */
void engine_check_process(void);

/* Creates a pool for each session of a mask; a pool that cannot be created has its error in its
 * range. Under the registry's lock, too. */
void engine_provide_pools(uint64_t sessions);

/* In a forked child: makes a process file of its own. `has_lock`: the registry is locked. Returns
 * 0, or what a system call returned. */
int engine_leave_parents_file(bool has_lock);

/* Makes the pool file, and maps it. Returns 0, or what a system call returned. */
int engine_make_pool_file(void);

/* Adds a tracepoint to the registered ones; removes it. */
void engine_list(struct cairn_tracepoint *tp);
void engine_unlist(struct cairn_tracepoint *tp);

/* Registers the tracepoints for which the registry's lock could not be taken. */
void engine_register_late(void);

#endif
