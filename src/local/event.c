/* SPDX-License-Identifier: MIT */
/* A traced process registers and unregisters its events. */
#include "local/engine.h"
#include "local/event_entry.h"
#include "local/session.h"
#include "local/status.h"
#include "local/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Memory behind our count of references to an event. */
static int back_reference(uint32_t index)
{
    struct cairn_engine *e = &cairn_i_engine;
    size_t at = offsetof(struct cairn_process_file, references) + index * sizeof(uint16_t);
    int fd = cairn_directory_open(&e->local.directory, e->process_name, O_RDWR);
    int error = fd < 0 ? errno : cairn_file_back(fd, at, sizeof(uint16_t));

    if (fd >= 0)
        close(fd);
    return error;
}

static int take_reference(uint32_t index)
{
    struct cairn_engine *e = &cairn_i_engine;
    int error = e->process ? back_reference(index) : ENOENT;

    if (error)
        return error;
    if (e->process->references[index] == UINT16_MAX)
        return ENOSPC;
    e->process->references[index]++;
    e->local.entries[index].references++;
    return 0;
}

static void drop_reference(uint32_t index)
{
    struct cairn_engine *e = &cairn_i_engine;

    if (!e->process || !e->process->references[index])
        return;
    e->process->references[index]--;
    e->local.entries[index].references--;
    cairn_registry_collect(&e->local, index);
}

static int use_entry(struct cairn_tracepoint *tp, uint32_t index)
{
    struct cairn_local *local = &cairn_i_engine.local;
    int error = take_reference(index);

    if (error) {
        cairn_registry_collect(local, index);
        return error;
    }
    cairn_session_match_entry(local, index);
    cairn_registry_notify(local);
    __atomic_store_n(&tp->sample_id, cairn_sample_id(local->entries[index].generation, index),
                     __ATOMIC_RELAXED);
    /* Pairs with the acquire in cairn_local_emit: what tells of the entry comes before it. */
    __atomic_store_n(&tp->local, &local->entries[index], __ATOMIC_RELEASE);
    cairn_status_point(tp, index);
    return 0;
}

int cairn_engine_register(struct cairn_tracepoint *tp, const char *command, uint32_t flags)
{
    int error = cairn_engine_attach();
    uint32_t index;

    if (!error)
        error = cairn_local_lock(&cairn_i_engine.local);
    tp->late = error == EBUSY && !flags;
    cairn_i_engine.any_late |= tp->late;
    if (error)
        return error;
    error = cairn_event_find_or_add(&cairn_i_engine.local, command, flags, &index);
    if (!error)
        error = use_entry(tp, index);
    cairn_local_unlock(&cairn_i_engine.local);
    return error;
}

int cairn_engine_register_again(struct cairn_tracepoint *tp, const struct cairn_tracepoint *other)
{
    struct cairn_local *local = &cairn_i_engine.local;
    const struct cairn_event_entry *entry = other->local;
    int error = entry ? cairn_local_lock(local) : ENOENT;

    if (error)
        return error;
    if (entry->generation == cairn_sample_generation(other->sample_id))
        error = use_entry(tp, (uint32_t)(entry - local->entries));
    else
        error = ENOENT;
    cairn_local_unlock(local);
    return error;
}

void cairn_engine_unregister(struct cairn_tracepoint *tp)
{
    struct cairn_local *local = &cairn_i_engine.local;
    const struct cairn_event_entry *entry = tp->local;

    if (!entry)
        return;
    /* Without the lock the reference stays until this process ends: then it is swept. */
    if (!cairn_local_lock(local)) {
        if (entry->generation == cairn_sample_generation(tp->sample_id)) {
            drop_reference((uint32_t)(entry - local->entries));
            cairn_registry_notify(local);
        }
        cairn_local_unlock(local);
    }
    /* The sample id stays: a writer that is under way puts it into its record. */
    __atomic_store_n(&tp->local, NULL, __ATOMIC_RELAXED);
}

/* The next one is looked for before one is freed. A command is no name. */
static int delete_locked(struct cairn_local *local, const char *name)
{
    uint32_t index = strpbrk(name, " :") ? 0 : cairn_registry_next(local, name, 0);
    int error = index ? 0 : ENOENT;

    for (uint32_t steps = 0; index && !error && steps < CAIRN_EVENT_MAX; steps++) {
        uint32_t next = cairn_registry_next(local, name, index);

        error = cairn_registry_delete(local, index);
        index = next;
    }
    cairn_registry_notify(local);
    return error;
}

int cairn_engine_delete(const char *name)
{
    const bool is_too_long = strnlen(name, CAIRN_COMMAND_MAX_BYTES) == CAIRN_COMMAND_MAX_BYTES;
    struct cairn_local *local = &cairn_i_engine.local;
    int error = is_too_long ? EINVAL : cairn_engine_attach();

    if (!error)
        error = cairn_local_lock(local);
    if (error)
        return error;
    cairn_registry_sweep(local);
    error = delete_locked(local, name);
    cairn_local_unlock(local);
    return error;
}

void cairn_engine_list(struct cairn_tracepoint *tp)
{
    tp->next = cairn_i_engine.tracepoints;
    tp->link = &cairn_i_engine.tracepoints;
    if (tp->next)
        tp->next->link = &tp->next;
    cairn_i_engine.tracepoints = tp;
}

void cairn_engine_unlist(struct cairn_tracepoint *tp)
{
    *tp->link = tp->next;
    if (tp->next)
        tp->next->link = tp->link;
    tp->next = NULL;
    tp->link = NULL;
}

/* What the kernel has stays with the kernel alone: it changes a bit of the pointer at any time. */
void cairn_engine_register_late(void)
{
    struct cairn_engine *e = &cairn_i_engine;
    int error = 0;

    e->any_late = false;
    for (struct cairn_tracepoint *tp = e->tracepoints; tp && error != EBUSY; tp = tp->next) {
        if (tp->late && tp->kernel_index < 0)
            error = cairn_engine_register(tp, tp->command, 0);
    }
}

/* In a forked child: the parent's references are not ours. What cannot be had is disabled. */
void cairn_engine_register_all(void)
{
    for (struct cairn_tracepoint *tp = cairn_i_engine.tracepoints; tp; tp = tp->next) {
        const struct cairn_event_entry *entry = tp->local;

        if (entry && (entry->generation != cairn_sample_generation(tp->sample_id) ||
                      take_reference((uint32_t)(entry - cairn_i_engine.local.entries))))
            __atomic_store_n(&tp->local, NULL, __ATOMIC_RELAXED);
    }
}
