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
static uint64_t mark_of(uint64_t session)
{
    return session % 0xffff + 1;
}

static bool is_of(uint64_t count, uint64_t session)
{
    return !(count >> SESSION_SHIFT) || count >> SESSION_SHIFT == mark_of(session);
}

uint64_t engine_loss_begin(uint64_t session)
{
    return mark_of(session) << SESSION_SHIFT;
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

/* ---- of a pool ---- */

/* A search ends after this many: with more threads and types the rest is only in the sum. */
#define LOSS_PROBES 16u

void engine_pool_losses_begin(struct cairn_pool_header *pool, uint64_t session)
{
    struct engine_pool_loss *losses = engine_pool_losses(pool);

    for (uint32_t i = 0; i < ENGINE_POOL_LOSSES; i++) {
        core_store_relaxed(&losses[i].count, engine_loss_begin(session));
        core_store_relaxed(&losses[i].pid, 0);
        core_store_relaxed(&losses[i].key, 0);
    }
    core_store_relaxed(&pool->lost, engine_loss_begin(session));
}

/* A late writer of the pool's last session may take a place; it counts nothing there. */
static void count_of_thread(struct cairn_pool_header *pool, uint64_t session,
                            const struct cairn_writer_name *thread, uint32_t id)
{
    struct engine_pool_loss *losses = engine_pool_losses(pool);
    uint64_t key = engine_pool_loss_key(thread->tid, id);
    uint32_t at = (uint32_t)((key ^ key >> 29) * UINT64_C(0x9e3779b97f4a7c15) >> 32);

    for (uint32_t i = 0; i < LOSS_PROBES; i++) {
        struct engine_pool_loss *loss = &losses[(at + i) % ENGINE_POOL_LOSSES];
        uint64_t seen = core_load_relaxed(&loss->key);

        if (!seen && core_compare_exchange_relaxed(&loss->key, &seen, key)) {
            core_store_relaxed(&loss->pid, thread->pid);
            seen = key;
        }
        if (seen == key) {
            engine_loss_add(&loss->count, session, 1);
            return;
        }
    }
}

void engine_count_lost_full(struct cairn_pool_header *pool, uint64_t session,
                            const struct cairn_writer_name *thread, uint32_t id)
{
    count_of_thread(pool, session, thread, id);
    engine_loss_add(&pool->lost, session, 1); /* release: the part is visible before the sum */
}

/* ---- of a slot ---- */

void engine_count_lost_of(uint32_t slot, uint64_t session, enum cairn_loss cause, uint64_t number)
{
    struct engine_session_slot *s = &engine_self.local.slots[slot];

    engine_loss_add(&s->lost_by_cause[cause], session, number);
    engine_loss_add(&s->lost, session, number);
}

void engine_count_lost_entry(const struct engine_event_entry *entry)
{
    (void)core_fetch_add_relaxed((uint64_t *)(uintptr_t)&entry->lost, 1);
}

void engine_count_lost_event(const struct engine_event_entry *entry, enum cairn_loss cause)
{
    engine_count_lost_entry(entry);
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
