/* SPDX-License-Identifier: MIT */
/* Completes the registrations that programs have left in their process files. */
#include "core/atomic.h"
#include "engine/event_entry.h"
#include "engine/liveness.h"
#include "engine/pending.h"
#include "engine/pool_range.h"
#include "engine/refused.h"
#include "engine/session.h"
#include "os/file.h"
#include "os/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A process's file, as it is mapped: its head, and the pages of pending events. */
struct left {
    struct engine_registry *local;
    struct engine_process_file *file;
    struct engine_pending_page *pages;
    uint32_t page_count;
    uint64_t provided; /* sessions for which its pools were created */
    int fd;
};

/* Counts a reference in the process's file and in the event's entry. The page of the file gets its
 * memory before it is touched. */
static int take_reference(const struct left *left, uint32_t index)
{
    size_t at = offsetof(struct engine_process_file, references) + index * sizeof(uint16_t);
    int error = os_file_back(left->fd, at - at % ENGINE_PAGE_BYTES, ENGINE_PAGE_BYTES);

    if (error)
        return error;
    if (left->file->references[index] == UINT16_MAX)
        return ENOSPC;
    left->file->references[index]++;
    left->local->entries[index].references++;
    return 0;
}

static int find_or_add(const struct left *left, const struct engine_pending_event *event,
                       uint32_t *ret_index)
{
    char command[CAIRN_COMMAND_MAX_BYTES];
    int error;

    memcpy(command, event->command, sizeof(command)); /* it may be anything, and change */
    command[sizeof(command) - 1] = 0;
    error = engine_event_find_or_add(left->local, command,
                                     event->flags & (ENGINE_ENTRY_PERSIST | ENGINE_ENTRY_MULTI),
                                     ret_index);
    if (error)
        return error;
    error = take_reference(left, *ret_index);
    if (error)
        engine_registry_collect(left->local, *ret_index);
    return error;
}

/* Drops the reference again: the process has withdrawn the registration meanwhile. */
static void take_back(const struct left *left, uint32_t index)
{
    left->file->references[index]--;
    left->local->entries[index].references--;
    engine_registry_collect(left->local, index);
}

static void refuse(const struct left *left, struct engine_pending_event *event, int error)
{
    uint32_t waits = ENGINE_PENDING_WAITS;

    event->error = (uint32_t)error;
    if (core_compare_exchange_relaxed(&event->state, &waits, ENGINE_PENDING_REFUSED))
        engine_refused_count(left->local->registry, error);
}

static void provide_pools(struct left *left, uint64_t sessions)
{
    engine_pool_ranges_provide_to(left->local, left->file, sessions & ~left->provided);
    left->provided |= sessions;
}

/* Pools come first: a thread that finds an event enabled finds its pool. */
static void register_event(struct left *left, struct engine_pending_event *event)
{
    struct engine_registry *local = left->local;
    uint32_t waits = ENGINE_PENDING_WAITS;
    uint32_t index;
    int error = find_or_add(left, event, &index);

    if (error) {
        refuse(left, event, error);
        return;
    }
    engine_session_match_entry(local, index);
    provide_pools(left, local->entries[index].sessions);
    event->index = index;
    event->generation = local->entries[index].generation;
    /* Pairs with the acquire of engine_pending_find. */
    if (!core_compare_exchange_release(&event->state, &waits, ENGINE_PENDING_DONE)) {
        take_back(left, index);
        return;
    }
    engine_registry_note_change(local);
}

/* It is enabled with its event for the first time only: after that its writer has moved the
 * tracepoint. */
static void enable(const struct left *left, const struct engine_pending_event *event,
                   uint8_t *is_enabled)
{
    const struct engine_registry *local = left->local;
    uint32_t index = event->index;

    if (event->state == ENGINE_PENDING_DONE && index < engine_registry_end(local) &&
        local->entries[index].generation == event->generation && local->status[index])
        core_store_release(is_enabled, 1);
}

/* Events are used from the first one on. Unused ones may have no memory, and are not accessed. */
static void register_page(struct left *left, uint32_t number)
{
    struct engine_pending_page *page = &left->pages[number];
    const size_t at = (size_t)((uint8_t *)page - (uint8_t *)left->file);

    for (uint32_t i = 0; i < ENGINE_PENDING_MAX; i++) {
        size_t of_event = at + (size_t)((uint8_t *)&page->events[i] - (uint8_t *)page);
        uint32_t state;

        if (pread(left->fd, &state, sizeof(state), (off_t)of_event) != (ssize_t)sizeof(state) ||
            state == ENGINE_PENDING_NONE)
            return;
        /* Pairs with the release of the process that left it. */
        if (core_load_acquire(&page->events[i].state) == ENGINE_PENDING_WAITS)
            register_event(left, &page->events[i]);
        enable(left, &page->events[i], &page->is_enabled[i]);
    }
}

/* Returns the number of pages of pending events in a file, which is nearly always 0. */
static uint32_t pages_in(int fd)
{
    struct stat st;
    size_t pages;

    if (fstat(fd, &st) || (size_t)st.st_size <= sizeof(struct engine_process_file))
        return 0;
    pages = ((size_t)st.st_size - sizeof(struct engine_process_file)) /
            sizeof(struct engine_pending_page);
    return pages < ENGINE_PENDING_PAGES ? (uint32_t)pages : ENGINE_PENDING_PAGES;
}

static void register_file(struct engine_registry *local, int fd)
{
    struct left left = {.local = local, .page_count = pages_in(fd), .fd = fd};
    size_t size_bytes = sizeof(*left.file) + left.page_count * sizeof(*left.pages);
    void *memory;

    if (!left.page_count || !engine_liveness_of_process_file(fd))
        return;
    if (os_memory_map(fd, 0, size_bytes, &memory))
        return;
    left.file = memory;
    left.pages = (void *)(left.file + 1);
    for (uint32_t i = 0; i < left.page_count; i++)
        register_page(&left, i);
    os_memory_unmap(memory, size_bytes);
}

/* Returns false if it has to be retried. */
static bool register_all(struct engine_registry *local)
{
    DIR *processes = engine_directory_list(&local->directory, "processes");
    bool all = processes != NULL;
    uint32_t count = 0;
    const char *name;

    while (processes && (name = engine_directory_next(&local->directory, processes, &count))) {
        int fd = openat(dirfd(processes), name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

        if (fd < 0) {
            all &= errno == ENOENT;
            continue;
        }
        register_file(local, fd);
        close(fd);
    }
    if (processes)
        closedir(processes);
    return all;
}

void engine_pending_take_over(struct engine_registry *local)
{
    /* Pairs with the release of the process that has left one. */
    uint32_t pending = core_load_acquire(&local->registry->pending);

    if (pending != local->registry->pending_done && register_all(local))
        local->registry->pending_done = pending;
}

void engine_pending_enable(struct engine_registry *local)
{
    if (local->registry->pending_done)
        (void)register_all(local);
}

void engine_pending_look(struct engine_registry *local)
{
    const struct engine_registry_file *registry = local->registry;

    if (core_load_relaxed(&registry->pending) == core_load_relaxed(&registry->pending_done) ||
        engine_registry_lock_now(local))
        return;
    engine_registry_unlock(local); /* taking it has completed them */
}
