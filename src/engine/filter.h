/* SPDX-License-Identifier: MIT */
/*
 * Filters in the writer: after an event is encoded, and before it is committed, the rules of its
 * session decide whether it is kept.
 *
 * The rules of a session are compiled for a descriptor when its first event is written, into memory
 * of this process that is never freed; equal rules for equal descriptors are compiled once. No
 * lock, no system call, nothing from the heap: also in a signal handler. What cannot be decided
 * here is kept, as the recorder decides again.
 */
#ifndef ENGINE_FILTER_H
#define ENGINE_FILTER_H

#include "engine/thread.h"

enum engine_wanted {
    ENGINE_WANTED_NOT = 0,
    ENGINE_WANTED = 1,
    ENGINE_WANTED_STACK = 2, /* with the stack of the thread */
};

/* Decides if the event whose payload ends there is wanted by the session. A record's head, of at
 * least CORE_RECORD_HEAD_BYTES, is before its payload, and may be overwritten. */
enum engine_wanted engine_filter_wants(const struct engine_thread *thread,
                                       struct engine_thread_session *ts, uint32_t id,
                                       uint8_t *payload, uint8_t *end);

/* The same for the record that the hot path is writing: of its thread's last session, with a
 * descriptor. */
enum engine_wanted engine_filter_wants_next(struct engine_thread *thread, uint32_t id,
                                            uint8_t *end);

/* A thread all of whose events are refused reads no time: once per this number of events it checks
 * whether its recorder is alive. */
#define ENGINE_FILTER_WATCH 65536u

/* Counts an event that is not wanted, in the chunk of its writer. */
static inline void engine_filter_count(const struct engine_thread *thread,
                                       const struct cairn_writer *writer)
{
    uint32_t count = writer->chunk->events + 1;

    core_store_relaxed(&writer->chunk->events, count);
    if (cairn_unlikely(count % ENGINE_FILTER_WATCH == 0))
        (void)engine_timestamp_now(thread);
}

/* True if the session in a slot has rules. */
bool engine_filter_is_used(uint32_t slot);

/* True if it wants stacks of some events. */
bool engine_filter_wants_stacks(uint32_t slot);

#endif
