/* SPDX-License-Identifier: MIT */
/* Counting events that are lost before they can reach a pool, by cause. */
#ifndef ENGINE_LOSS_H
#define ENGINE_LOSS_H

#include "core/private_api.h"
#include "engine/abi.h"

/* Returns the cause for an errno code of a system call. */
enum cairn_loss engine_loss_of_error(int error) CORE_PRIVATE_API(engine_loss_of_error);

/*
 * A count in shared memory whose slot or pool serves one session after another. Its upper 16 bits
 * stand for the session, so that checking the session and counting are one step: a writer that was
 * interrupted between the two would count its loss for the next session. Without these bits, any
 * session may count (the memory is from an older build).
 */
uint64_t engine_loss_begin(uint64_t session);

/* Adds to a session's count, unless it is another session's now. Any thread, any signal handler. */
void engine_loss_add(uint64_t *count, uint64_t session, uint64_t number);

/* Returns the value of a session's count; an impossible number if it is another session's. */
uint64_t engine_loss_value(uint64_t count, uint64_t session) CORE_PRIVATE_API(engine_loss_value);

struct cairn_pool_header;
struct cairn_writer_name;

/* Counts an event that found its pool full, in the pool and in the losses of its thread; `id` is
 * that of its descriptor. Any thread, any signal handler. */
void engine_count_lost_full(struct cairn_pool_header *pool, uint64_t session,
                            const struct cairn_writer_name *thread, uint32_t id);

/* A pool's counts begin for a session. */
void engine_pool_losses_begin(struct cairn_pool_header *pool, uint64_t session);

/* Counts lost events with the session that has the slot, if that is still `session`. Any thread,
 * any signal handler. */
void engine_count_lost_of(uint32_t slot, uint64_t session, enum cairn_loss cause, uint64_t number);

/* Counts an event that is lost with its entry, in addition to a session's count: that is where
 * recorders find its name. Any thread, any signal handler. */
void engine_count_lost_entry(const struct engine_event_entry *entry);

/* Counts a lost event with every session that wants it at this moment, and with its entry. Any
 * thread, any signal handler. */
void engine_count_lost_event(const struct engine_event_entry *entry, enum cairn_loss cause);

/* Reads the counts of the session that has a slot by cause, without the lock. Losses that a
 * program of an older build counted without a cause are CAIRN_LOSS_OTHER. */
void engine_loss_read(const struct engine_session_slot *slot, uint64_t session,
                      uint64_t counts[CAIRN_LOSS_CAUSES]) CORE_PRIVATE_API(engine_loss_read);

#endif
