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

/* ---- counts of a session ---- */

#define SESSION_SHIFT 48
#define VALUE_MAX     ((UINT64_C(1) << SESSION_SHIFT) - 1)

/* The bits of a session, never 0. Two sessions have the same bits if a multiple of 65,535 sessions
 * began between them. */
static uint64_t bits_of(uint64_t session)
{
    return session % 0xffff + 1;
}

static bool is_of(uint64_t count, uint64_t session)
{
    return !(count >> SESSION_SHIFT) || count >> SESSION_SHIFT == bits_of(session);
}

uint64_t engine_loss_begin(uint64_t session)
{
    return bits_of(session) << SESSION_SHIFT;
}

void engine_loss_add(uint64_t *count, uint64_t session, uint64_t number)
{
    uint64_t seen = core_load_relaxed(count);

    /* Release pairs with the acquire in engine_loss_read: a sum never exceeds its parts. A count at
     * its maximum is not incremented: a carry would change the session's bits. */
    while (is_of(seen, session) && number <= VALUE_MAX - (seen & VALUE_MAX) &&
           !core_compare_exchange_release(count, &seen, seen + number))
        ;
}

uint64_t engine_loss_value(uint64_t count, uint64_t session)
{
    return is_of(count, session) ? count & VALUE_MAX : UINT64_MAX;
}

/* ---- of a slot ---- */

void engine_count_lost_of(uint32_t slot, uint64_t session, enum cairn_loss cause, uint64_t number)
{
    struct engine_session_slot *s = &engine_self.local.slots[slot];

    engine_loss_add(&s->lost_by_cause[cause], session, number);
    engine_loss_add(&s->lost, session, number);
}

void engine_count_lost_event(const struct engine_event_entry *entry, enum cairn_loss cause)
{
    for (uint64_t s = core_load_acquire(&entry->sessions); s; s &= s - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(s);
        uint64_t session = core_load_acquire(&engine_self.local.slots[slot].generation);

        /* The mask is read again: the first one may be that of the previous session of the slot. */
        if (session && core_load_acquire(&entry->sessions) >> slot & 1)
            engine_count_lost_of(slot, session, cause, 1);
    }
}

void engine_loss_read(const struct engine_session_slot *slot, uint64_t session,
                      uint64_t counts[CAIRN_LOSS_CAUSES])
{
    uint64_t lost = engine_loss_value(core_load_acquire(&slot->lost), session);
    uint64_t explained = 0;

    for (uint32_t i = 0; i < CAIRN_LOSS_CAUSES; i++) {
        counts[i] = engine_loss_value(core_load_relaxed(&slot->lost_by_cause[i]), session);
        explained += counts[i];
    }
    if (lost > explained)
        counts[CAIRN_LOSS_OTHER] += lost - explained;
}
