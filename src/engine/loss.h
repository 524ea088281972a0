/* SPDX-License-Identifier: MIT */
/* Counting events that are lost before they can reach a pool, by cause. */
#ifndef ENGINE_LOSS_H
#define ENGINE_LOSS_H

#include "core/private_api.h"
#include "engine/abi.h"

/* The cause that an errno code of a system call stands for. */
enum cairn_loss engine_loss_of_error(int error) CORE_PRIVATE_API(engine_loss_of_error);

/* Counts `number` lost events with every session of the mask. Any thread, any signal handler. */
void engine_count_lost(uint64_t sessions, enum cairn_loss cause, uint64_t number);

/* Reads a slot's counts by cause, without the lock. Losses that a program of an older build
 * counted without a cause are CAIRN_LOSS_OTHER. */
void engine_loss_read(const struct engine_session_slot *slot, uint64_t counts[CAIRN_LOSS_CAUSES])
    CORE_PRIVATE_API(engine_loss_read);

#endif
