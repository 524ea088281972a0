/* SPDX-License-Identifier: MIT */
/* Entries: found by name through hash buckets, added and freed. All under the lock. */
#include "engine/registry.h"

#include "core/atomic.h"
#include "os/file.h"
#include "os/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

uint32_t engine_command_name_length(const char *command)
{
    uint32_t length = 0;

    while (length < CAIRN_COMMAND_MAX_BYTES - 1 && command[length] && command[length] != ' ' &&
           command[length] != ':')
        length++;
    return length;
}

uint32_t engine_entry_name_length(const struct engine_event_entry *entry)
{
    uint32_t length = engine_command_name_length(entry->command);
    uint32_t end = length;

    if (!(entry->flags & ENGINE_ENTRY_MULTI))
        return length;
    while (end > 0 && entry->command[end - 1] != '.')
        end--;
    return end > 0 ? end - 1 : length;
}

/* FNV-1a */
static uint32_t hash_of(const char *name, uint32_t length)
{
    uint32_t hash = 2166136261u;

    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash;
}

/* Returns an index from shared memory, or 0 if it is invalid. */
static uint32_t checked(uint32_t index)
{
    return index < ENGINE_EVENT_MAX ? index : 0;
}

static uint32_t *bucket_of(const struct engine_registry *local, uint32_t hash)
{
    return &local->buckets[hash % ENGINE_REGISTRY_BUCKETS];
}

uint32_t engine_registry_next(const struct engine_registry *local, const char *name, uint32_t index)
{
    uint32_t length = engine_command_name_length(name);
    uint32_t hash = hash_of(name, length);

    index = checked(index ? local->entries[index].next : *bucket_of(local, hash));
    /* A damaged chain may be cyclic: no chain is longer than the number of entries. */
    for (uint32_t steps = 0; index && steps < ENGINE_EVENT_MAX; steps++) {
        const struct engine_event_entry *entry = &local->entries[index];

        if (entry->hash == hash && engine_entry_name_length(entry) == length &&
            !memcmp(entry->command, name, length))
            return index;
        index = checked(entry->next);
    }
    return 0;
}

uint32_t engine_registry_find(const struct engine_registry *local, const char *name)
{
    uint32_t index = 0;

    for (uint32_t steps = 0; steps < ENGINE_EVENT_MAX; steps++) {
        index = engine_registry_next(local, name, index);
        if (!index || !(local->entries[index].flags & ENGINE_ENTRY_MULTI))
            return index;
    }
    return 0;
}

/* Number of entries whose memory is allocated at once: a quarter of those in use, from a page to
 * half a MiB. */
static uint32_t step_at(uint32_t index)
{
    const uint32_t page = ENGINE_PAGE_BYTES / sizeof(struct engine_event_entry);
    uint32_t step = index / 4 < page ? page : index / 4;

    step = step < 128 * page ? step : 128 * page;
    return step < ENGINE_EVENT_MAX - index ? step : ENGINE_EVENT_MAX - index;
}

static int back_entries(int fd, uint32_t index, uint32_t count)
{
    return os_file_back(fd, ENGINE_REGISTRY_ENTRIES + index * sizeof(struct engine_event_entry),
                        count * sizeof(struct engine_event_entry));
}

/* Allocates the memory of an entry: a full file system must be reported here, not by SIGBUS
 * later. The entries after it get theirs at the same time if there is space, so that most need
 * no call. */
static int back_entry(struct engine_registry *local, uint32_t index)
{
    uint32_t count = step_at(index);
    int error;
    int fd;

    if (index < local->backed_end)
        return 0;
    fd = engine_directory_open(&local->directory, "registry", O_RDWR);
    if (fd < 0)
        return errno;
    error = back_entries(fd, index, count);
    if (error == ENOSPC) {
        count = 1;
        error = back_entries(fd, index, count);
    }
    close(fd);
    if (!error)
        local->backed_end = index + count;
    return error;
}

uint32_t *engine_registry_free_list(struct engine_registry *local, uint32_t index)
{
    return index < ENGINE_PAGE_BYTES ? &local->registry->first_free
                                     : &local->registry->first_free_high;
}

static bool take_freed(struct engine_registry *local, uint32_t *first, uint32_t *ret_index)
{
    uint32_t index = checked(*first);

    if (!index || local->entries[index].generation)
        return false;
    *first = local->entries[index].next;
    *ret_index = index;
    return true;
}

/*
 * Takes a freed entry, or one that was never in use: that one counts as used only when it has its
 * memory, because loops over the entries touch all used ones. Programs of the first design map one
 * page of the status file: entries with a byte there are taken first.
 */
static int take_entry(struct engine_registry *local, uint32_t *ret_index)
{
    struct engine_registry_file *registry = local->registry;
    uint32_t unused = checked(registry->first_unused);
    int error;

    if (take_freed(local, &registry->first_free, ret_index))
        return 0;
    if ((!unused || unused >= ENGINE_PAGE_BYTES) &&
        take_freed(local, &registry->first_free_high, ret_index))
        return 0;
    if (!unused)
        return ENOSPC;
    error = back_entry(local, unused);
    if (error)
        return error;
    registry->first_unused = unused + 1;
    *ret_index = unused;
    return 0;
}

static void give_entry(struct engine_registry *local, uint32_t index)
{
    uint32_t *first = engine_registry_free_list(local, index);

    local->entries[index].next = *first;
    *first = index;
}

/* The command as the entry has it: one of several formats gets a name of its own. */
static int compose(const struct engine_registry *local, const char *command, uint32_t flags,
                   char text[CAIRN_COMMAND_MAX_BYTES])
{
    const uint32_t length = engine_command_name_length(command);
    const size_t rest = strnlen(command + length, CAIRN_COMMAND_MAX_BYTES);
    char suffix[24] = "";
    size_t suffix_length;

    if (flags & ENGINE_ENTRY_MULTI)
        (void)snprintf(suffix, sizeof(suffix), ".%" PRIx64, local->registry->next_generation);
    suffix_length = strlen(suffix);
    if (length + suffix_length + rest >= CAIRN_COMMAND_MAX_BYTES ||
        length + suffix_length >= CAIRN_NAME_MAX_BYTES)
        return E2BIG;
    memcpy(text, command, length);
    memcpy(text + length, suffix, suffix_length);
    memcpy(text + length + suffix_length, command + length, rest);
    text[length + suffix_length + rest] = 0;
    return 0;
}

int engine_registry_add(struct engine_registry *local, const char *command, uint32_t flags,
                        uint32_t *ret_index)
{
    char text[CAIRN_COMMAND_MAX_BYTES];
    struct engine_event_entry *entry;
    uint32_t *bucket;
    uint32_t index;
    int error = compose(local, command, flags, text);

    if (!error)
        error = take_entry(local, &index);
    if (error)
        return error;
    entry = &local->entries[index];
    memcpy(entry->command, text, strlen(text) + 1);
    entry->hash = hash_of(command, engine_command_name_length(command));
    entry->flags = flags;
    entry->references = 0;
    entry->sessions = 0;
    entry->lost = 0;
    bucket = bucket_of(local, entry->hash);
    entry->next = *bucket;
    /* Writers that still refer to the previous use of this entry compare the generation without the
     * lock. */
    core_store_release(&entry->generation, local->registry->next_generation++);
    *bucket = index;
    *ret_index = index;
    return 0;
}

static void unlink_entry(struct engine_registry *local, uint32_t index)
{
    uint32_t *link = bucket_of(local, local->entries[index].hash);

    for (uint32_t steps = 0; checked(*link) && steps < ENGINE_EVENT_MAX; steps++) {
        if (*link == index) {
            *link = local->entries[index].next;
            return;
        }
        link = &local->entries[*link].next;
    }
}

int engine_registry_delete(struct engine_registry *local, uint32_t index)
{
    struct engine_event_entry *entry = &local->entries[index];

    if (entry->references || entry->sessions)
        return EBUSY;
    unlink_entry(local, index);
    core_store_relaxed(&local->status[index], 0);
    core_store_release(&entry->generation, 0);
    give_entry(local, index);
    return 0;
}

void engine_registry_collect(struct engine_registry *local, uint32_t index)
{
    const struct engine_event_entry *entry = &local->entries[index];

    if (entry->generation && !(entry->flags & ENGINE_ENTRY_PERSIST))
        (void)engine_registry_delete(local, index);
}

void engine_registry_notify(struct engine_registry *local)
{
    core_fetch_add_release(&local->registry->changes, 1);
    os_wake_all(&local->registry->changes);
}

uint64_t engine_registry_slots_used(struct engine_registry *local)
{
    if (local->slots_known)
        return local->slots_used;
    local->slots_used = 0;
    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++)
        local->slots_used |= (uint64_t)(local->slots[i].generation != 0) << i;
    local->slots_known = true;
    return local->slots_used;
}

void engine_registry_wait(const struct engine_registry *local, uint32_t seen, uint32_t timeout_ms)
{
    os_wait(&local->registry->changes, seen, timeout_ms);
}

void engine_registry_refresh_status(struct engine_registry *local, uint32_t index)
{
    uint32_t status = 0;

    for (uint64_t mask = local->entries[index].sessions; mask; mask &= mask - 1)
        status |= local->slots[__builtin_ctzll(mask)].status_bit;
    if (status && local->entries[index].flags & ENGINE_ENTRY_BIT)
        status |= ENGINE_STATUS_BIT;
    core_store_release(&local->status[index], (uint8_t)status);
}
