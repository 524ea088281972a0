/* SPDX-License-Identifier: MIT */
/* Sessions in the registry: their patterns, and the events that they want. */
#ifndef ENGINE_SESSION_H
#define ENGINE_SESSION_H

#include "core/private_api.h"
#include "engine/registry.h"
#include "engine/rules.h"

#include <stdbool.h>
#include <stdint.h>

struct engine_session_request {
    const char *const *patterns;     /* globs on names of tracepoints */
    const struct engine_rule *rules; /* of each pattern; NULL: none */
    uint32_t pattern_count;
    uint32_t status_bit; /* ENGINE_STATUS_TEXT or ENGINE_STATUS_RECORDER */
    uint32_t chunk_bytes;
    uint32_t chunk_count;  /* of each process's pool */
    uint32_t small_chunks; /* that a chunk may be divided into, or 0 */
    uint32_t block_ms;     /* time that a writer waits for a free chunk, at most
                              ENGINE_SESSION_BLOCK_MAX_MS; 0: it loses the event */
    bool is_kept;          /* when its recorder is killed, another one may take its place */
};

/* Sizes of the pools of the shared session. */
#define ENGINE_SHARED_CHUNKS       8u
#define ENGINE_SHARED_CHUNK_BYTES  (128u << 10)
#define ENGINE_SHARED_SMALL_CHUNKS 32u /* of a large one */

/* A recorder without a heartbeat for this long is considered dead. */
#define ENGINE_HEARTBEAT_NS UINT64_C(5000000000)

/* A session that is kept ends this long after the last heartbeat. Its events are disabled before
 * that, as those of any recorder that is silent. */
#define ENGINE_KEPT_NS UINT64_C(600000000000)

struct engine_session {
    uint32_t slot;
    uint64_t generation;
    uint32_t status_bit;
    int liveness_fd;     /* its lock shows that we live */
    bool lacks_pools;    /* some process that existed when it began has no pool */
    uint64_t provide_ns; /* time of the next attempt */
};

/*
 * Begins a session: events that match, and those that will be registered later and match, are
 * enabled. Takes the lock. Returns 0; E2BIG the patterns are too long together; ENOSPC all slots
 * are in use; or what taking the lock returned.
 */
int engine_session_begin(struct engine_registry *local,
                         const struct engine_session_request *request,
                         struct engine_session *ret_session) CORE_PRIVATE_API(engine_session_begin);

/*
 * Begins a session in the place of another one of this process, which stays until it is ended: each
 * event is written to one of them, up to the change of its entry's mask to the former one. Takes
 * the lock. Returns as engine_session_begin; on failure the former one has its events.
 */
int engine_session_replace(struct engine_registry *local, const struct engine_session *former,
                           const struct engine_session_request *request,
                           struct engine_session *ret_session)
    CORE_PRIVATE_API(engine_session_replace);

/* Under the lock, after a death under it: enables the events of sessions that had begun, and
 * disables them for those whose place they take. */
void engine_session_complete(struct engine_registry *local);

/*
 * Takes the place of a killed recorder in its session, which has been kept, with its pools. Takes
 * the lock.
 *
 * ret_is_same  false: the session has other events than the request, or buffers of another size
 *
 * Returns 0; ENOENT there is no such session any more; EBUSY its recorder lives; E2BIG the patterns
 * are too long; or what taking the lock returned.
 */
int engine_session_adopt(struct engine_registry *local,
                         const struct engine_session_request *request, uint32_t slot,
                         uint64_t generation, struct engine_session *ret_session, bool *ret_is_same)
    CORE_PRIVATE_API(engine_session_adopt);

/*
 * Joins the shared session of this tracing directory, and begins it if it does not exist: it is
 * that of tracefs's own buffer, and has the events that engine_session_choose added. Each holder
 * keeps an opening of ret_session->liveness_fd, or a mapping; the session ends with the last.
 * Returns as engine_session_begin.
 */
int engine_session_share(struct engine_registry *local, struct engine_session *ret_session)
    CORE_PRIVATE_API(engine_session_share);

/* The slots of shared sessions: one, unless the file of an earlier one is gone. */
uint64_t engine_session_shared(const struct engine_registry *local);

/* Under the lock: adds an entry to a session, or removes it. An entry that no other session wants
 * is freed, so read its records first. */
void engine_session_choose(struct engine_registry *local, uint32_t slot, uint32_t index,
                           bool wanted);

/*
 * Writes the heartbeat of the session's recorder: at least every second. Programs disable the
 * events of a recorder whose heartbeat is older than ENGINE_HEARTBEAT_NS; returns true if they
 * have, and enables the events again. Takes the lock then.
 */
bool engine_session_beat(struct engine_registry *local, const struct engine_session *session)
    CORE_PRIVATE_API(engine_session_beat);

/*
 * Tries again to create pools for those processes that have none of the session, once a second: the
 * file system may have space again. Takes the lock, unless another process has it.
 */
void engine_session_provide_again(struct engine_registry *local, struct engine_session *session)
    CORE_PRIVATE_API(engine_session_provide_again);

/*
 * Disables the session's events. Its pools stay, so that they can be read to the end.
 * Takes the lock; returns what that returned.
 */
int engine_session_disable(struct engine_registry *local, const struct engine_session *session)
    CORE_PRIVATE_API(engine_session_disable);

/* Ends the session and removes its pools. Takes the lock. */
void engine_session_end(struct engine_registry *local, struct engine_session *session)
    CORE_PRIVATE_API(engine_session_end);

/* Under the lock: gives an entry to every session that has a pattern for it. */
void engine_session_match_entry(struct engine_registry *local, uint32_t index);

#endif
