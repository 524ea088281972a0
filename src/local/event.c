/* SPDX-License-Identifier: MIT */
/* A traced process registers and unregisters its events. */
#include "local/engine.h"
#include "local/session.h"
#include "local/status.h"

#include <cairn/schema.h>
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

/* EADDRINUSE when the entry's event has other fields. */
static int check_same_fields(uint32_t index, const struct cairn_schema *schema)
{
    char command[CAIRN_COMMAND_MAX_BYTES];
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema other;

    memcpy(command, cairn_i_engine.local.entries[index].command, sizeof(command));
    command[sizeof(command) - 1] = 0; /* it may be anything, and change */
    if (cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &other, NULL))
        return EADDRINUSE;
    other.name = schema->name; /* one of several formats has a suffix */
    return cairn_schema_equal(schema, &other) ? 0 : EADDRINUSE;
}

/* Of several formats the one with these fields, or 0. */
static uint32_t find_format(const char *command, const struct cairn_schema *schema)
{
    const struct cairn_local *local = &cairn_i_engine.local;
    uint32_t index = 0;

    for (uint32_t steps = 0; steps < CAIRN_EVENT_MAX; steps++) {
        index = cairn_registry_next(local, command, index);
        if (!index ||
            (local->entries[index].flags & CAIRN_ENTRY_MULTI && !check_same_fields(index, schema)))
            return index;
    }
    return 0;
}

/* The entry of an event, found or made. */
static int find_or_add(const char *command, const struct cairn_schema *schema, uint32_t flags,
                       uint32_t *ret_index)
{
    struct cairn_local *local = &cairn_i_engine.local;
    uint32_t index = flags & CAIRN_ENTRY_MULTI ? find_format(command, schema)
                                               : cairn_registry_find(local, command);
    int error = index ? check_same_fields(index, schema)
                      : cairn_registry_add(local, command, flags, &index);

    if (!error)
        *ret_index = index;
    return error;
}

static int register_locked(struct cairn_tracepoint *tp, const char *command, uint32_t flags,
                           const struct cairn_schema *schema)
{
    struct cairn_local *local = &cairn_i_engine.local;
    uint32_t index;
    int error = find_or_add(command, schema, flags, &index);

    if (error)
        return error;
    error = take_reference(index);
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
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
    int error = cairn_engine_attach();

    if (!error)
        error = cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, NULL);
    if (!error)
        error = cairn_local_lock(&cairn_i_engine.local);
    if (error)
        return error;
    error = register_locked(tp, command, flags, &schema);
    cairn_local_unlock(&cairn_i_engine.local);
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
