/* SPDX-License-Identifier: MIT */
/* Entries: found by name through hash buckets, added and freed. All under the lock. */
#include "engine/registry.h"

#include "core/atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint32_t cairn_command_name_length(const char *command)
{
    uint32_t length = 0;

    while (length < CAIRN_COMMAND_MAX_BYTES - 1 && command[length] && command[length] != ' ' &&
           command[length] != ':')
        length++;
    return length;
}

uint32_t cairn_entry_name_length(const struct cairn_event_entry *entry)
{
    uint32_t length = cairn_command_name_length(entry->command);
    uint32_t end = length;

    if (!(entry->flags & CAIRN_ENTRY_MULTI))
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

/* An index from shared memory, or 0 when it is none. */
static uint32_t checked(uint32_t index)
{
    return index < CAIRN_EVENT_MAX ? index : 0;
}

static uint32_t *bucket_of(const struct cairn_engine_registry *local, uint32_t hash)
{
    return &local->buckets[hash % CAIRN_REGISTRY_BUCKETS];
}

uint32_t cairn_registry_next(const struct cairn_engine_registry *local, const char *name, uint32_t index)
{
    uint32_t length = cairn_command_name_length(name);
    uint32_t hash = hash_of(name, length);

    index = checked(index ? local->entries[index].next : *bucket_of(local, hash));
    /* A damaged chain may be a ring: no chain is longer than there are entries. */
    for (uint32_t steps = 0; index && steps < CAIRN_EVENT_MAX; steps++) {
        const struct cairn_event_entry *entry = &local->entries[index];

        if (entry->hash == hash && cairn_entry_name_length(entry) == length &&
            !memcmp(entry->command, name, length))
            return index;
        index = checked(entry->next);
    }
    return 0;
}

uint32_t cairn_registry_find(const struct cairn_engine_registry *local, const char *name)
{
    uint32_t index = 0;

    for (uint32_t steps = 0; steps < CAIRN_EVENT_MAX; steps++) {
        index = cairn_registry_next(local, name, index);
        if (!index || !(local->entries[index].flags & CAIRN_ENTRY_MULTI))
            return index;
    }
    return 0;
}

/* Entries that get their memory at once: a quarter of those in use, from a page to half a MiB. */
static uint32_t step_at(uint32_t index)
{
    const uint32_t page = CAIRN_PAGE_BYTES / sizeof(struct cairn_event_entry);
    uint32_t step = index / 4 < page ? page : index / 4;

    step = step < 128 * page ? step : 128 * page;
    return step < CAIRN_EVENT_MAX - index ? step : CAIRN_EVENT_MAX - index;
}

static int back_entries(int fd, uint32_t index, uint32_t count)
{
    return cairn_os_file_back(fd, CAIRN_REGISTRY_ENTRIES + index * sizeof(struct cairn_event_entry),
                           count * sizeof(struct cairn_event_entry));
}

/* Allocates the memory of an entry: a full file system must be reported here, not by SIGBUS
 * later. The entries after it get theirs at the same time if there is space, so that most need
 * no call. */
static int back_entry(struct cairn_engine_registry *local, uint32_t index)
{
    uint32_t count = step_at(index);
    int error;
    int fd;

    if (index < local->backed_end)
        return 0;
    fd = cairn_directory_open(&local->directory, "registry", O_RDWR);
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

uint32_t *cairn_registry_free_list(struct cairn_engine_registry *local, uint32_t index)
{
    return index < CAIRN_PAGE_BYTES ? &local->registry->first_free
                                    : &local->registry->first_free_high;
}

static bool take_freed(struct cairn_engine_registry *local, uint32_t *first, uint32_t *ret_index)
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
static int take_entry(struct cairn_engine_registry *local, uint32_t *ret_index)
{
    struct cairn_registry *registry = local->registry;
    uint32_t unused = checked(registry->first_unused);
    int error;

    if (take_freed(local, &registry->first_free, ret_index))
        return 0;
    if ((!unused || unused >= CAIRN_PAGE_BYTES) &&
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

static void give_entry(struct cairn_engine_registry *local, uint32_t index)
{
    uint32_t *first = cairn_registry_free_list(local, index);

    local->entries[index].next = *first;
    *first = index;
}

/* The command as the entry has it: one of several formats gets a name of its own. */
static int compose(const struct cairn_engine_registry *local, const char *command, uint32_t flags,
                   char text[CAIRN_COMMAND_MAX_BYTES])
{
    const uint32_t length = cairn_command_name_length(command);
    const size_t rest = strnlen(command + length, CAIRN_COMMAND_MAX_BYTES);
    char suffix[24] = "";
    size_t suffix_length;

    if (flags & CAIRN_ENTRY_MULTI)
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

int cairn_registry_add(struct cairn_engine_registry *local, const char *command, uint32_t flags,
                       uint32_t *ret_index)
{
    char text[CAIRN_COMMAND_MAX_BYTES];
    struct cairn_event_entry *entry;
    uint32_t *bucket;
    uint32_t index;
    int error = compose(local, command, flags, text);

    if (!error)
        error = take_entry(local, &index);
    if (error)
        return error;
    entry = &local->entries[index];
    memcpy(entry->command, text, strlen(text) + 1);
    entry->hash = hash_of(command, cairn_command_name_length(command));
    entry->flags = flags;
    entry->references = 0;
    entry->sessions = 0;
    bucket = bucket_of(local, entry->hash);
    entry->next = *bucket;
    /* Writers that hold this entry from an earlier life compare the generation without the lock. */
    cairn_store_release(&entry->generation, local->registry->next_generation++);
    *bucket = index;
    *ret_index = index;
    return 0;
}

static void unlink_entry(struct cairn_engine_registry *local, uint32_t index)
{
    uint32_t *link = bucket_of(local, local->entries[index].hash);

    for (uint32_t steps = 0; checked(*link) && steps < CAIRN_EVENT_MAX; steps++) {
        if (*link == index) {
            *link = local->entries[index].next;
            return;
        }
        link = &local->entries[*link].next;
    }
}

int cairn_registry_delete(struct cairn_engine_registry *local, uint32_t index)
{
    struct cairn_event_entry *entry = &local->entries[index];

    if (entry->references || entry->sessions)
        return EBUSY;
    unlink_entry(local, index);
    cairn_store_relaxed(&local->status[index], 0);
    cairn_store_release(&entry->generation, 0);
    give_entry(local, index);
    return 0;
}

void cairn_registry_collect(struct cairn_engine_registry *local, uint32_t index)
{
    const struct cairn_event_entry *entry = &local->entries[index];

    if (entry->generation && !(entry->flags & CAIRN_ENTRY_PERSIST))
        (void)cairn_registry_delete(local, index);
}

/* Not private to a process: the word is shared memory. */
void cairn_registry_notify(struct cairn_engine_registry *local)
{
    cairn_fetch_add_release(&local->registry->changes, 1);
    (void)syscall(SYS_futex, &local->registry->changes, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

uint64_t cairn_registry_slots_used(struct cairn_engine_registry *local)
{
    if (local->slots_known)
        return local->slots_used;
    local->slots_used = 0;
    for (uint32_t i = 0; i < CAIRN_SESSION_MAX; i++)
        local->slots_used |= (uint64_t)(local->slots[i].generation != 0) << i;
    local->slots_known = true;
    return local->slots_used;
}

void cairn_registry_wait(const struct cairn_engine_registry *local, uint32_t seen, uint32_t timeout_ms)
{
    struct timespec timeout = {.tv_sec = timeout_ms / 1000,
                               .tv_nsec = (long)(timeout_ms % 1000) * 1000000};

    (void)syscall(SYS_futex, &local->registry->changes, FUTEX_WAIT, seen, &timeout, NULL, 0);
}

void cairn_registry_refresh_status(struct cairn_engine_registry *local, uint32_t index)
{
    uint32_t status = 0;

    for (uint64_t mask = local->entries[index].sessions; mask; mask &= mask - 1)
        status |= local->slots[__builtin_ctzll(mask)].status_bit;
    cairn_store_release(&local->status[index], (uint8_t)status);
}
