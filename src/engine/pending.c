/* SPDX-License-Identifier: MIT */
/* Registrations that a program leaves for others while the registry is locked. */
#include "engine/pending.h"
#include "core/atomic.h"
#include "engine/engine.h"
#include "engine/event_entry.h"
#include "engine/refused.h"
#include "engine/status.h"
#include "os/file.h"
#include "os/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Events that get their memory at once. */
#define STEP 64u

/* A writer moves its tracepoint by a few stores, unless it was interrupted; it may have been
 * cancelled. */
#define WAIT_TRIES 1000
#define WAIT_NS    1000000

/* All zeros: they take no memory in a program that needs none. */
static struct {
    struct cairn_pending_page *memory;
    const struct cairn_process_file *of; /* a child's parent has others */
    size_t offset;                       /* in that file */
    uint32_t used;
    uint32_t backed;
} pages[CAIRN_PENDING_PAGES];

static uint32_t page_count;

/* ---- memory of pending events ---- */

static bool is_own(uint32_t page)
{
    return !cairn_i_engine.is_inherited && pages[page].of == cairn_i_engine.process;
}

/* The event that a tracepoint points to, or NULL. */
static struct cairn_pending_event *event_of(const struct cairn_tracepoint *tp, uint32_t *ret_page)
{
    uint32_t at = cairn_status_index(tp) - CAIRN_EVENT_MAX;
    uint32_t page = at / CAIRN_PENDING_MAX;

    if (page >= CAIRN_PENDING_PAGES)
        return NULL;
    *ret_page = page;
    return &pages[page].memory->events[at % CAIRN_PENDING_MAX];
}

static int open_process_file(void)
{
    return cairn_directory_open(&cairn_i_engine.local.directory, cairn_i_engine.process_name,
                                O_RDWR);
}

/* The end of the process's file, where its next page begins. */
static size_t next_offset(void)
{
    size_t offset = sizeof(struct cairn_process_file);

    for (uint32_t i = 0; i < page_count; i++)
        offset += is_own(i) ? sizeof(struct cairn_pending_page) : 0;
    return offset;
}

static int map_page(int fd, size_t offset)
{
    const size_t size_bytes = sizeof(struct cairn_pending_page);
    const uint32_t index = CAIRN_EVENT_MAX + page_count * CAIRN_PENDING_MAX;
    int error = cairn_os_file_extend(fd, offset + size_bytes);
    void *memory;

    if (!error)
        error = cairn_os_file_back(fd, offset, sizeof(pages->memory->is_enabled));
    if (error)
        return error;
    error = cairn_os_memory_map(fd, offset, size_bytes, &memory);
    if (error)
        return error;
    error = cairn_status_map_pending(index, fd, offset);
    if (error) {
        cairn_os_memory_unmap(memory, size_bytes);
        return error;
    }
    pages[page_count].memory = memory;
    pages[page_count].of = cairn_i_engine.process;
    pages[page_count].offset = offset;
    page_count++;
    return 0;
}

static int add_page(void)
{
    int fd = page_count < CAIRN_PENDING_PAGES ? open_process_file() : -1;
    int error = fd < 0 ? EBUSY : map_page(fd, next_offset());

    if (fd >= 0)
        close(fd);
    return error;
}

static int back_events(uint32_t page)
{
    size_t at = offsetof(struct cairn_pending_page, events) +
                pages[page].used * sizeof(struct cairn_pending_event);
    int error;
    int fd;

    if (pages[page].used < pages[page].backed)
        return 0;
    fd = open_process_file();
    error = fd < 0 ? errno
                   : cairn_os_file_back(fd, pages[page].offset + at,
                                        STEP * sizeof(struct cairn_pending_event));
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
        page_count && is_own(page_count - 1) && pages[page_count - 1].used < CAIRN_PENDING_MAX;
    int error = has_room ? 0 : add_page();

    return error ? error : back_events(page_count - 1);
}

/* ---- registering ---- */

/* Recorders that collect now lack the events until the registration is done. The process is counted
 * once for each recorder. */
static void report_to_recorders(struct cairn_engine_registry *local)
{
    static uint64_t reported;
    uint64_t newest = 0;

    for (uint32_t i = 0; i < CAIRN_SESSION_MAX; i++) {
        uint64_t session = cairn_load_acquire(&local->slots[i].generation);

        newest = session > newest ? session : newest;
    }
    if (newest > reported)
        cairn_refused_count(local->registry, EBUSY);
    reported = newest > reported ? newest : reported;
}

static int prepare(void)
{
    struct cairn_engine *e = &cairn_i_engine;
    int error = e->is_inherited ? cairn_engine_leave_parents_file(false) : 0;

    return error ? error : reserve_event();
}

static void leave(struct cairn_tracepoint *tp, const char *command, uint32_t flags)
{
    const uint32_t page = page_count - 1;
    const uint32_t at = pages[page].used++;
    struct cairn_pending_event *event = &pages[page].memory->events[at];

    (void)strcpy(event->command, command);
    event->flags = flags;
    /* Pairs with the acquire of the process that does it. */
    cairn_store_release(&event->state, CAIRN_PENDING_WAITS);
    cairn_fetch_add_release(&cairn_i_engine.local.registry->pending, 1);
    tp->forks = cairn_i_fork_epoch;
    cairn_store_release(&tp->late, CAIRN_LATE_WAITS);
    cairn_status_point(tp, CAIRN_EVENT_MAX + page * CAIRN_PENDING_MAX + at);
}

int cairn_pending_register(struct cairn_tracepoint *tp, const char *command, uint32_t flags)
{
    struct cairn_engine *e = &cairn_i_engine;

    tp->late = CAIRN_LATE_NOT;
    if (!e->attached || e->error || strlen(command) >= CAIRN_COMMAND_MAX_BYTES)
        return EBUSY;
    if (prepare()) {
        cairn_refused_count(e->local.registry, EBUSY);
        return EBUSY;
    }
    report_to_recorders(&e->local);
    leave(tp, command, flags & ~CAIRN_EVENT_IS_PARSED);
    e->any_late = true;
    return 0;
}

bool cairn_pending_has(const struct cairn_tracepoint *tp)
{
    uint32_t page;

    return event_of(tp, &page) != NULL;
}

/* ---- when it was done ---- */

static const struct cairn_event_entry *entry_of(const struct cairn_pending_event *event,
                                                uint64_t *ret_sample_id)
{
    uint32_t index = event->index;

    if (index == 0 || index >= CAIRN_EVENT_MAX)
        return NULL;
    *ret_sample_id = cairn_sample_id(event->generation, index);
    return &cairn_i_engine.local.entries[index];
}

/* One thread moves it; others use what the page says meanwhile. */
static void move(struct cairn_tracepoint *tp, const struct cairn_event_entry *entry,
                 uint64_t sample_id)
{
    unsigned char waits = CAIRN_LATE_WAITS;

    if (!cairn_compare_exchange_acquire(&tp->late, &waits, CAIRN_LATE_MOVES))
        return;
    cairn_store_relaxed(&tp->sample_id, sample_id);
    /* Pairs with the acquire in cairn_engine_emit. */
    cairn_store_release(&tp->local, (void *)(uintptr_t)entry);
    cairn_status_move(tp, cairn_sample_index(sample_id));
    /* Pairs with the acquire in cairn_pending_end. */
    cairn_store_release(&tp->late, CAIRN_LATE_NOT);
}

const struct cairn_event_entry *cairn_pending_find(const struct cairn_tracepoint *tp,
                                                   uint64_t *ret_sample_id)
{
    const struct cairn_event_entry *entry;
    struct cairn_pending_event *event;
    uint32_t page;

    event = event_of(tp, &page);
    if (!event) { /* another thread may have moved it now */
        entry = cairn_load_acquire(&tp->local);
        *ret_sample_id = cairn_load_relaxed(&tp->sample_id);
        return entry;
    }
    /* Pairs with the release of the process that has done it. */
    if (cairn_load_acquire(&event->state) != CAIRN_PENDING_DONE)
        return NULL;
    entry = entry_of(event, ret_sample_id);
    if (entry) /* a tracepoint that is late is not constant */
        move((struct cairn_tracepoint *)(uintptr_t)tp, entry, *ret_sample_id);
    return entry;
}

/* ---- unregistering ---- */

static void wait_for_writer(const struct cairn_tracepoint *tp)
{
    const struct timespec pause = {.tv_nsec = WAIT_NS};

    for (int i = 0; i < WAIT_TRIES && cairn_load_acquire(&tp->late) == CAIRN_LATE_MOVES; i++)
        (void)nanosleep(&pause, NULL);
}

/* A child that was forked since needs it, too: it stays until both have ended. */
static void withdraw(const struct cairn_tracepoint *tp, struct cairn_pending_event *event,
                     uint32_t page)
{
    uint32_t waits = CAIRN_PENDING_WAITS;

    if (is_own(page) && tp->forks == cairn_i_fork_epoch)
        (void)cairn_compare_exchange_relaxed(&event->state, &waits, CAIRN_PENDING_GONE);
}

void cairn_pending_end(struct cairn_tracepoint *tp)
{
    unsigned char waits = CAIRN_LATE_WAITS;
    struct cairn_pending_event *event;
    uint64_t sample_id;
    uint32_t page;

    if (!cairn_compare_exchange_acquire(&tp->late, &waits, CAIRN_LATE_NOT))
        wait_for_writer(tp);
    cairn_store_relaxed(&tp->late, CAIRN_LATE_NOT);
    event = event_of(tp, &page);
    if (!event)
        return;
    withdraw(tp, event, page);
    if (cairn_load_acquire(&event->state) != CAIRN_PENDING_DONE)
        return;
    /* So that its reference is dropped as that of any other. */
    tp->local = (void *)(uintptr_t)entry_of(event, &sample_id);
    if (tp->local)
        tp->sample_id = sample_id;
}

void cairn_pending_become_child(void)
{
    if (!cairn_i_engine.any_late)
        return;
    for (struct cairn_tracepoint *tp = cairn_i_engine.tracepoints; tp; tp = tp->next) {
        if (tp->late == CAIRN_LATE_MOVES)
            tp->late = CAIRN_LATE_WAITS;
    }
}
