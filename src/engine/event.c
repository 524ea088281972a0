/* SPDX-License-Identifier: MIT */
/* Registering and unregistering events in a traced process. */
#include "core/atomic.h"
#include "engine/engine.h"
#include "engine/descriptors.h"
#include "engine/event_entry.h"
#include "engine/family.h"
#include "engine/pending.h"
#include "engine/session.h"
#include "engine/status.h"
#include "engine/sweep.h"
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- the registry's lock: for each registration, or once for a batch ---- */

static int lock_registry(void)
{
    struct engine *e = &engine_self;
    int error;

    if (e->batch.is_locked || e->batch.error)
        return e->batch.error;
    error = engine_registry_lock(&e->local);
    if (e->batch.is_open) {
        e->batch.is_locked = !error;
        e->batch.error = error;
    }
    return error;
}

static void unlock_registry(void)
{
    if (!engine_self.batch.is_open)
        engine_registry_unlock(&engine_self.local);
}

void engine_open_batch(void)
{
    engine_self.batch.is_open = true;
    engine_self.batch.is_locked = false;
    engine_self.batch.error = 0;
}

void engine_close_batch(void)
{
    struct engine *e = &engine_self;

    if (e->batch.is_locked)
        engine_registry_unlock(&e->local);
    e->batch.is_open = false;
    e->batch.is_locked = false;
    e->batch.error = 0;
}

/* ---- references ---- */

/* A forked child creates a file of its own before it registers, because it must not change its
 * parent's. */
static int own_process_file(void)
{
    struct engine *e = &engine_self;

    return e->is_inherited ? engine_leave_parents_file(true) : 0;
}

/* Allocates the page with our count of references to an event, once for each page. */
static int back_reference(uint32_t index)
{
    struct engine *e = &engine_self;
    size_t page = index * sizeof(uint16_t) / ENGINE_PAGE_BYTES;
    size_t at = offsetof(struct engine_process_file, references) + page * ENGINE_PAGE_BYTES;
    uint64_t bit = UINT64_C(1) << page;
    int error;
    int fd;

    if (e->backed_pages & bit)
        return 0;
    fd = engine_directory_open(&e->local.directory, e->process_name, O_RDWR);
    error = fd < 0 ? errno : os_file_back(fd, at, ENGINE_PAGE_BYTES);
    if (fd >= 0)
        close(fd);
    if (!error)
        e->backed_pages |= bit;
    return error;
}

static int take_reference(uint32_t index)
{
    struct engine *e = &engine_self;
    int error = own_process_file();

    if (!error)
        error = back_reference(index);
    if (error)
        return error;
    if (e->process->references[index] == UINT16_MAX)
        return ENOSPC;
    e->process->references[index]++;
    e->local.entries[index].references++;
    return 0;
}

/* A child that was forked since the event was registered needs it, too: the last reference stays
 * until both have ended, whichever tracepoint it was of. In such a child it is the parent's. */
static void drop_reference(const struct cairn_tracepoint *tp, uint32_t index)
{
    struct engine *e = &engine_self;
    uint64_t bit = UINT64_C(1) << index % 64;
    uint16_t references = e->process->references[index];

    if (tp->forks != engine_fork_epoch)
        e->children_need[index / 64] |= bit;
    if (e->is_inherited || !references ||
        (references == 1 && e->children_need[index / 64] & bit &&
         engine_family_has_children(e->process, e->pool_name)))
        return;
    if (references == 1)
        e->children_need[index / 64] &= ~bit;
    e->process->references[index]--;
    e->local.entries[index].references--;
    engine_registry_collect(&e->local, index);
}

/* Adds a reference to an event that has one: the page of the count has its memory. */
static int take_another_reference(uint32_t index)
{
    struct engine *e = &engine_self;

    if (e->is_inherited || !e->process->references[index])
        return ENOENT;
    if (e->process->references[index] == UINT16_MAX)
        return ENOSPC;
    e->process->references[index]++;
    e->local.entries[index].references++;
    engine_registry_note_change(&e->local);
    return 0;
}

/* ---- registering ---- */

static int take_entry(uint32_t index)
{
    struct engine_registry *local = &engine_self.local;
    int error = take_reference(index);

    if (error)
        engine_registry_collect(local, index);
    else
        engine_registry_note_change(local);
    return error;
}

/* Its pools are created first: a thread that finds it enabled finds them. */
static void point_to_entry(struct cairn_tracepoint *tp, uint32_t index)
{
    struct engine_registry *local = &engine_self.local;

    engine_provide_pools(local->entries[index].sessions);
    tp->forks = engine_fork_epoch;
    core_store_relaxed(&tp->sample_id, engine_sample_id(local->entries[index].generation, index));
    engine_descriptor_forget(tp);
    /* Pairs with the acquire in engine_emit: the entry's other words come before its
     * address. */
    core_store_release(&tp->local, &local->entries[index]);
    engine_status_point(tp, index);
}

static int register_locked(struct cairn_tracepoint *tp, const char *command, uint32_t flags)
{
    struct engine_registry *local = &engine_self.local;
    uint32_t index;
    int error = engine_event_find_or_add(local, command, flags, &index);

    if (!error)
        error = take_entry(index);
    if (error)
        return error;
    engine_session_match_entry(local, index);
    point_to_entry(tp, index);
    return 0;
}

int engine_register(struct cairn_tracepoint *tp, const char *command, uint32_t flags)
{
    int error = engine_attach();

    if (!error)
        error = lock_registry();
    if (error)
        return error;
    error = register_locked(tp, command, flags);
    unlock_registry();
    return error;
}

int engine_register_again(struct cairn_tracepoint *tp, const struct cairn_tracepoint *other)
{
    struct engine_registry *local = &engine_self.local;
    const struct engine_event_entry *entry = other->local;
    uint32_t index;
    int error = entry ? lock_registry() : ENOENT;

    if (error)
        return error;
    index = (uint32_t)(entry - local->entries);
    error = entry->generation == engine_sample_generation(other->sample_id)
                ? take_another_reference(index)
                : ENOENT;
    if (!error)
        point_to_entry(tp, index);
    unlock_registry();
    return error;
}

int engine_adopt(struct cairn_tracepoint *tp, uint32_t index, uint64_t sample_id)
{
    const struct engine_registry *local = &engine_self.local;
    int error = engine_attach();

    if (!error && index >= ENGINE_EVENT_MAX)
        error = ENOENT;
    if (!error)
        error = lock_registry();
    if (error)
        return error;
    if (engine_sample_id(local->entries[index].generation, index) != sample_id)
        error = ENOENT;
    else
        error = own_process_file();
    if (!error) {
        core_store_relaxed(&engine_self.process->has_adopted, 1);
        point_to_entry(tp, index);
    }
    unlock_registry();
    return error;
}

void engine_unregister(struct cairn_tracepoint *tp)
{
    struct engine_registry *local = &engine_self.local;
    const struct engine_event_entry *entry = tp->local;

    if (!entry)
        return;
    /* If the lock cannot be taken, the reference stays until this process ends and is swept. */
    if (!lock_registry()) {
        if (entry->generation == engine_sample_generation(tp->sample_id)) {
            drop_reference(tp, (uint32_t)(entry - local->entries));
            engine_registry_note_change(local);
        }
        unlock_registry();
    }
    /* The sample id is not cleared: a concurrent writer may put it into its record. */
    core_store_relaxed(&tp->local, NULL);
}

/* The next one is searched before one is freed, because freeing it changes the list. A command is
 * not accepted as a name. */
static int delete_locked(struct engine_registry *local, const char *name)
{
    uint32_t index = strpbrk(name, " :") ? 0 : engine_registry_next(local, name, 0);
    int error = index ? 0 : ENOENT;

    for (uint32_t steps = 0; index && !error && steps < ENGINE_EVENT_MAX; steps++) {
        uint32_t next = engine_registry_next(local, name, index);

        error = engine_registry_delete(local, index);
        index = next;
    }
    engine_registry_notify(local);
    return error;
}

int engine_delete(const char *name)
{
    const bool is_too_long = strnlen(name, CAIRN_COMMAND_MAX_BYTES) == CAIRN_COMMAND_MAX_BYTES;
    struct engine_registry *local = &engine_self.local;
    int error = is_too_long ? EINVAL : engine_attach();

    if (!error)
        error = engine_registry_lock(local);
    if (error)
        return error;
    engine_registry_sweep(local);
    error = delete_locked(local, name);
    engine_registry_unlock(local);
    return error;
}

void engine_list(struct cairn_tracepoint *tp)
{
    tp->next = engine_self.tracepoints;
    tp->link = &engine_self.tracepoints;
    if (tp->next)
        tp->next->link = &tp->next;
    engine_self.tracepoints = tp;
}

void engine_unlist(struct cairn_tracepoint *tp)
{
    *tp->link = tp->next;
    if (tp->next)
        tp->next->link = tp->link;
    tp->next = NULL;
    tp->link = NULL;
}

/* Taking the lock completes registrations that were left. */
void engine_register_late(void)
{
    struct engine *e = &engine_self;
    uint64_t sample_id;

    if (engine_registry_lock(&e->local))
        return;
    engine_registry_unlock(&e->local);
    e->any_late = false;
    for (struct cairn_tracepoint *tp = e->tracepoints; tp; tp = tp->next) {
        if (core_load_relaxed(&tp->late) == ENGINE_LATE_NOT)
            continue;
        (void)engine_pending_find(tp, &sample_id);
        e->any_late |= core_load_relaxed(&tp->late) != ENGINE_LATE_NOT;
    }
}
