/* SPDX-License-Identifier: MIT */
/* Counts of lost events, by cause. */
#include "engine/loss.h"
#include "core/atomic.h"
#include "engine/engine.h"

#include <errno.h>

enum cairn_loss engine_loss_of_error(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
        return CAIRN_LOSS_PERMISSION;
    case EMFILE:
    case ENFILE:
    case ENOMEM: /* returned by mmap: RLIMIT_AS, or too many mappings */
    case EFBIG:
    case EAGAIN:
        return CAIRN_LOSS_LIMIT;
    case ENOSPC:
    case EDQUOT:
        return CAIRN_LOSS_STORAGE;
    case ENOENT:
    case ENOTDIR:
    case ELOOP:
    case ESTALE:
        return CAIRN_LOSS_UNREACHABLE;
    case E2BIG:
        return CAIRN_LOSS_TOO_LARGE;
    default:
        return CAIRN_LOSS_OTHER;
    }
}

void engine_count_lost(uint64_t sessions, enum cairn_loss cause, uint64_t number)
{
    for (; sessions; sessions &= sessions - 1) {
        struct engine_session_slot *slot = &engine_self.local.slots[__builtin_ctzll(sessions)];

        core_fetch_add_relaxed(&slot->lost_by_cause[cause], number);
        /* Pairs with the acquire in engine_loss_read: the sum never exceeds its parts. */
        core_fetch_add_release(&slot->lost, number);
    }
}

void engine_loss_read(const struct engine_session_slot *slot, uint64_t counts[CAIRN_LOSS_CAUSES])
{
    uint64_t lost = core_load_acquire(&slot->lost);
    uint64_t explained = 0;

    for (uint32_t i = 0; i < CAIRN_LOSS_CAUSES; i++) {
        counts[i] = core_load_relaxed(&slot->lost_by_cause[i]);
        explained += counts[i];
    }
    if (lost > explained)
        counts[CAIRN_LOSS_OTHER] += lost - explained;
}
