/* SPDX-License-Identifier: MIT */
/* Registrations that a program leaves for others while the registry is locked. */
#include "engine/pending.h"
#include "core/atomic.h"
#include "engine/descriptors.h"
#include "engine/doorbell.h"
#include "engine/engine.h"
#include "engine/event_entry.h"
#include "engine/refused.h"
#include "engine/status.h"
#include "os/file.h"
#include "os/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Number of events whose memory is allocated at once. */
#define STEP 64u

/* The time for which a writer is waited for. It moves its tracepoint with a few stores, but it may
 * have been interrupted or cancelled. */
#define WAIT_TRIES 1000
#define WAIT_NS    1000000

/* All zeros: they take no memory in a program that needs none. */
static struct {
    struct engine_pending_page *memory;
    const struct engine_process_file *of; /* a child's parent has others */
    size_t offset;                        /* in that file */
    uint32_t used;
    uint32_t backed;
} pages[ENGINE_PENDING_PAGES];

static uint32_t page_count;

/* ---- memory of pending events ---- */

static bool is_own(uint32_t page)
{
    return !engine_self.is_inherited && pages[page].of == engine_self.process;
}

/* The event that a tracepoint points to, or NULL. */
static struct engine_pending_event *event_of(const struct cairn_tracepoint *tp, uint32_t *ret_page)
{
    uint32_t at = engine_status_index(tp) - ENGINE_EVENT_MAX;
    uint32_t page = at / ENGINE_PENDING_MAX;

    if (page >= ENGINE_PENDING_PAGES)
        return NULL;
    *ret_page = page;
    return &pages[page].memory->events[at % ENGINE_PENDING_MAX];
}

static int open_process_file(void)
{
    return engine_directory_open(&engine_self.local.directory, engine_self.process_name, O_RDWR);
}

/* The end of the process's file, where its next page begins. */
static size_t next_offset(void)
{
    size_t offset = sizeof(struct engine_process_file);

    for (uint32_t i = 0; i < page_count; i++)
        offset += is_own(i) ? sizeof(struct engine_pending_page) : 0;
    return offset;
}

static int map_page(int fd, size_t offset)
{
    const size_t size_bytes = sizeof(struct engine_pending_page);
    const uint32_t index = ENGINE_EVENT_MAX + page_count * ENGINE_PENDING_MAX;
    int error = os_file_extend(fd, offset + size_bytes);
    void *memory;

    if (!error)
        error = os_file_back(fd, offset, sizeof(pages->memory->is_enabled));
    if (error)
        return error;
    error = os_memory_map(fd, offset, size_bytes, &memory);
    if (error)
        return error;
    error = engine_status_map_pending(index, fd, offset);
    if (error) {
        os_memory_unmap(memory, size_bytes);
        return error;
    }
    pages[page_count].memory = memory;
    pages[page_count].of = engine_self.process;
    pages[page_count].offset = offset;
    page_count++;
    return 0;
}

static int add_page(void)
{
    int fd = page_count < ENGINE_PENDING_PAGES ? open_process_file() : -1;
    int error = fd < 0 ? EBUSY : map_page(fd, next_offset());

    if (fd >= 0)
        close(fd);
    return error;
}

static int back_events(uint32_t page)
{
    size_t at = offsetof(struct engine_pending_page, events) +
                pages[page].used * sizeof(struct engine_pending_event);
    int error;
    int fd;

    if (pages[page].used < pages[page].backed)
        return 0;
    fd = open_process_file();
    error = fd < 0 ? errno
                   : os_file_back(fd, pages[page].offset + at,
                                  STEP * sizeof(struct engine_pending_event));
    if (fd >= 0)
        close(fd);
    if (!error)
        pages[page].backed = pages[page].used + STEP;
    return error;
}

/* Makes sure that the last page has memory for one more event. */
static int reserve_event(void)
{
    bool has_room =
        page_count && is_own(page_count - 1) && pages[page_count - 1].used < ENGINE_PENDING_MAX;
    int error = has_room ? 0 : add_page();

    return error ? error : back_events(page_count - 1);
}

/* ---- registering ---- */

/* Recorders that collect now lack the events until the registration is done. The process is counted
 * once for each recorder. */
static void report_to_recorders(struct engine_registry *local)
{
    static uint64_t reported;
    uint64_t newest = 0;

    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        uint64_t session = core_load_acquire(&local->slots[i].generation);

        newest = session > newest ? session : newest;
    }
    if (newest > reported)
        engine_refused_count(local->registry, EBUSY);
    reported = newest > reported ? newest : reported;
}

static int prepare(void)
{
    struct engine *e = &engine_self;
    int error = e->is_inherited ? engine_leave_parents_file(false) : 0;

    return error ? error : reserve_event();
}

static void leave(struct cairn_tracepoint *tp, const char *command, uint32_t flags)
{
    const uint32_t page = page_count - 1;
    const uint32_t at = pages[page].used++;
    struct engine_pending_event *event = &pages[page].memory->events[at];

    (void)snprintf(event->command, sizeof(event->command), "%s", command);
    event->flags = flags;
    /* Pairs with the acquire of the process that completes it. */
    core_store_release(&event->state, ENGINE_PENDING_WAITS);
    core_fetch_add_release(&engine_self.local.registry->pending, 1);
    engine_doorbell_ring_all(&engine_self.local); /* a recorder that sleeps looks soon */
    tp->forks = engine_fork_epoch;
    core_store_release(&tp->late, ENGINE_LATE_WAITS);
    engine_status_point(tp, ENGINE_EVENT_MAX + page * ENGINE_PENDING_MAX + at);
}

int engine_pending_register(struct cairn_tracepoint *tp, const char *command, uint32_t flags)
{
    struct engine *e = &engine_self;

    tp->late = ENGINE_LATE_NOT;
    if (!e->attached || e->error || strlen(command) >= CAIRN_COMMAND_MAX_BYTES)
        return EBUSY;
    if (prepare()) {
        engine_refused_count(e->local.registry, EBUSY);
        return EBUSY;
    }
    report_to_recorders(&e->local);
    leave(tp, command, flags & ~ENGINE_EVENT_IS_PARSED);
    e->any_late = true;
    return 0;
}

bool engine_pending_has(const struct cairn_tracepoint *tp)
{
    uint32_t page;

    return event_of(tp, &page) != NULL;
}

/* ---- when it was done ---- */

static const struct engine_event_entry *entry_of(const struct engine_pending_event *event,
                                                 uint64_t *ret_sample_id)
{
    uint32_t index = event->index;

    if (index == 0 || index >= ENGINE_EVENT_MAX)
        return NULL;
    *ret_sample_id = engine_sample_id(event->generation, index);
    return &engine_self.local.entries[index];
}

/* One thread moves it; meanwhile others use the state in the page. */
static void move(struct cairn_tracepoint *tp, const struct engine_event_entry *entry,
                 uint64_t sample_id)
{
    unsigned char waits = ENGINE_LATE_WAITS;

    if (!core_compare_exchange_acquire(&tp->late, &waits, ENGINE_LATE_MOVES))
        return;
    core_store_relaxed(&tp->sample_id, sample_id);
    engine_descriptor_forget(tp);
    /* Pairs with the acquire in engine_emit. */
    core_store_release(&tp->local, (void *)(uintptr_t)entry);
    engine_status_move(tp, engine_sample_index(sample_id));
    /* Pairs with the acquire in engine_pending_end. */
    core_store_release(&tp->late, ENGINE_LATE_NOT);
}

const struct engine_event_entry *engine_pending_find(const struct cairn_tracepoint *tp,
                                                     uint64_t *ret_sample_id)
{
    const struct engine_event_entry *entry;
    struct engine_pending_event *event;
    uint32_t page;

    event = event_of(tp, &page);
    if (!event) { /* another thread may have moved it now */
        entry = core_load_acquire(&tp->local);
        *ret_sample_id = core_load_relaxed(&tp->sample_id);
        return entry;
    }
    /* Pairs with the release of the process that completed it. */
    if (core_load_acquire(&event->state) != ENGINE_PENDING_DONE)
        return NULL;
    entry = entry_of(event, ret_sample_id);
    if (entry) /* a late tracepoint is not constant */
        move((struct cairn_tracepoint *)(uintptr_t)tp, entry, *ret_sample_id);
    return entry;
}

/* ---- unregistering ---- */

static void wait_for_writer(const struct cairn_tracepoint *tp)
{
    const struct timespec pause = {.tv_nsec = WAIT_NS};

    for (int i = 0; i < WAIT_TRIES && core_load_acquire(&tp->late) == ENGINE_LATE_MOVES; i++)
        (void)nanosleep(&pause, NULL);
}

/* A child that was forked since needs it, too: it stays until both have ended. */
static void withdraw(const struct cairn_tracepoint *tp, struct engine_pending_event *event,
                     uint32_t page)
{
    uint32_t waits = ENGINE_PENDING_WAITS;

    if (is_own(page) && tp->forks == engine_fork_epoch)
        (void)core_compare_exchange_relaxed(&event->state, &waits, ENGINE_PENDING_GONE);
}

void engine_pending_end(struct cairn_tracepoint *tp)
{
    unsigned char waits = ENGINE_LATE_WAITS;
    struct engine_pending_event *event;
    uint64_t sample_id;
    uint32_t page;

    if (!core_compare_exchange_acquire(&tp->late, &waits, ENGINE_LATE_NOT))
        wait_for_writer(tp);
    core_store_relaxed(&tp->late, ENGINE_LATE_NOT);
    event = event_of(tp, &page);
    if (!event)
        return;
    withdraw(tp, event, page);
    if (core_load_acquire(&event->state) != ENGINE_PENDING_DONE)
        return;
    /* Then its reference is dropped like that of any other. */
    tp->local = (void *)(uintptr_t)entry_of(event, &sample_id);
    if (tp->local)
        tp->sample_id = sample_id;
}

void engine_pending_become_child(void)
{
    if (!engine_self.any_late)
        return;
    for (struct cairn_tracepoint *tp = engine_self.tracepoints; tp; tp = tp->next) {
        if (tp->late == ENGINE_LATE_MOVES)
            tp->late = ENGINE_LATE_WAITS;
    }
}
