/* SPDX-License-Identifier: MIT */
/*
 * The local engine inside a traced process: one for the process, attached to its tracing directory
 * at the first registration.
 */
#ifndef LOCAL_ENGINE_H
#define LOCAL_ENGINE_H

#include "local/life.h"
#include "local/registry.h"

#include <cairn/pool.h>
#include <cairn/tracepoint.h>
#include <pthread.h>

/* A pool of this process, for one session. */
struct cairn_process_pool {
    struct cairn_pool pool;
    uint64_t session;
    uint32_t
        references; /* threads, and the engine while the session lives; under the engine's lock */
    size_t size_bytes;
    char name[96];  /* in the tracing directory */
    int back_error; /* the last chunk could not get its memory; 0: it did */
    bool backed[CAIRN_POOL_CHUNK_COUNT_MAX]; /* chunks that have memory behind them */
};

struct cairn_engine {
    pthread_mutex_t mutex; /* everything below; taken with all signals blocked */
    uintptr_t holder;      /* the thread that holds it, or 0 */
    struct cairn_local local;
    bool attached; /* tried to; error tells how it went */
    int error;
    struct cairn_process_file *process; /* our own, mapped; the mapping holds our life lock */
    char process_name[64];
    int process_fd; /* holds it where a mapping does not; -1 */
    uint32_t *own;  /* not 0 in the process that made it, 0 in a copy of that process */
    struct cairn_process_pool *pools[CAIRN_SESSION_MAX]; /* of the session in each slot, or NULL */
    struct cairn_tracepoint *tracepoints;                /* registered ones */
    bool any_late; /* of them, the registry's lock could not be had */
};

extern struct cairn_engine cairn_i_engine;

/* What the thread returns to. */
typedef struct {
    sigset_t signals;
    int cancel_state;
    int error_number;
} cairn_engine_guard;

/*
 * Signal handlers write events too: none may run while its own thread holds the lock. Nor may the
 * thread be cancelled then. errno is afterwards what it was: writing an event does not change it.
 */
void cairn_engine_lock(cairn_engine_guard *guard);
void cairn_engine_unlock(const cairn_engine_guard *guard);

/* In a child that was made by clone() itself, in its one thread: whoever held the lock is not here.
 */
void cairn_engine_forget_lock(void);

/* Whether this very thread holds it. */
bool cairn_engine_is_locked_by_self(void);

/*
 * Registers a tracepoint with the local engine and points `enabled` to its status byte; `flags` of
 * enum cairn_entry_flag are of no effect on an event that is there already. Returns 0; EINVAL,
 * E2BIG a bad command; EADDRINUSE; ENOSPC; or why there is no engine. After EBUSY, without flags,
 * it is tried again at later registrations, if the tracepoint is listed by then.
 */
int cairn_engine_register(struct cairn_tracepoint *tp, const char *command, uint32_t flags);

/* Registers a tracepoint with the event that another has. Returns 0; ENOENT it has none; ENOSPC; or
 * what taking the registry's lock returned. */
int cairn_engine_register_again(struct cairn_tracepoint *tp, const struct cairn_tracepoint *other);

/* Takes that back. The caller has led `enabled` elsewhere: the byte may be another event's soon. */
void cairn_engine_unregister(struct cairn_tracepoint *tp);

/* ---- under the engine's lock ---- */

/*
 * Deletes an event that nobody uses, also one that persists; all formats of a name.
 * Returns 0; ENOENT; EINVAL a name as long as no command may be; EBUSY somebody uses it; or what
 * taking the registry's lock returned.
 */
int cairn_engine_delete(const char *name);

/* Attaches to the tracing directory, once; but again when somebody held its lock for too long.
 * Returns 0 or why it cannot be used. */
int cairn_engine_attach(void);

/* Sees to it that what the engine holds is this process's own, not its parent's; and tries again
 * what was to be registered while somebody held the registry's lock for too long. */
void cairn_engine_check_process(void);

/* The pool of the session in a slot; made when there is none. NULL: it could not be made, and
 * *ret_error says why; 0: there is no such session any more. */
struct cairn_process_pool *cairn_engine_pool(uint32_t slot, uint64_t session, int *ret_error);
void cairn_engine_drop_pool(struct cairn_process_pool *mine);

/* Puts a tracepoint among the registered ones, which a forked child registers anew; takes it out.
 */
void cairn_engine_list(struct cairn_tracepoint *tp);
void cairn_engine_unlist(struct cairn_tracepoint *tp);

/* Registers those that came while the registry's lock could not be had. */
void cairn_engine_register_late(void);

/* Registers everything again: in a forked child, whose registrations were its parent's. */
void cairn_engine_register_all(void);

#endif
