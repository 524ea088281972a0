/* SPDX-License-Identifier: MIT */
/* Events of a snapshot: those of the process's own tracing directory, and in a shared one those of
 * other users.
 */
#include "engine/pending.h"
#include "engine/rules.h"
#include "engine/users.h"
#include "inspect/inspection.h"
#include "os/guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_wanted(const struct inspect_events *events, const char *name)
{
    struct engine_event_name tracepoint = {.system = CORE_SLICE("user_events"),
                                           .tracepoint = core_slice_of(name)};
    uint64_t keyword;

    if (!events->pattern_count)
        return true;
    (void)engine_rule_split_tracepoint(tracepoint.tracepoint, &tracepoint.provider, &keyword);
    for (size_t i = 0; i < events->pattern_count; i++) {
        if (engine_rule_names_tracepoint(core_slice_of(events->patterns[i]), &tracepoint))
            return true;
    }
    return false;
}

/* Shared memory is copied before it is read. */
static void copy_item(const struct engine_registry *local, uint32_t index,
                      struct inspect_item *item)
{
    uint32_t length;

    memcpy(item->name, local->entries[index].command, sizeof(item->name));
    item->name[sizeof(item->name) - 1] = 0;
    length = engine_command_name_length(item->name);
    memcpy(item->fields, item->name + length, sizeof(item->fields) - length);
    item->name[length] = 0;
    item->number = index;
    item->listeners = local->status[index] & (ENGINE_STATUS_TEXT | ENGINE_STATUS_RECORDER);
    item->registrations = local->entries[index].references;
}

/* Allocates memory for the events of one more directory. */
static int reserve(struct inspect_events *events)
{
    void *more = reallocarray(events->items, (size_t)events->count + ENGINE_EVENT_MAX,
                              sizeof(*events->items));

    if (!more)
        return ENOMEM;
    events->items = (struct inspect_item *)more;
    return 0;
}

static void append(struct inspect_events *events, const struct engine_registry *local)
{
    for (uint32_t i = 1; i < engine_registry_end(local); i++) {
        struct inspect_item *item = &events->items[events->count];

        if (!local->entries[i].generation)
            continue;
        copy_item(local, i, item);
        events->count += is_wanted(events, item->name);
    }
}

int inspect_events_of_own(struct inspect_events *events, const struct engine_registry *local)
{
    int error = reserve(events);

    if (!error)
        append(events, local);
    return error;
}

/* ---- other users ---- */

struct visit {
    struct inspect_events *events;
    const struct engine_directory *own;
    struct engine_registry *local; /* of the user that is visited, */
    const char *user;              /* and its name */
    int error;
};

static void open_and_append(void *arg)
{
    const struct visit *visit = (const struct visit *)arg;
    uint32_t first = visit->events->count;

    if (engine_registry_open_other(visit->local, visit->own, visit->user))
        return;
    engine_pending_look(visit->local);
    if (engine_registry_try_lock(visit->local))
        return;
    append(visit->events, visit->local);
    engine_registry_unlock(visit->local);
    for (uint32_t i = first; i < visit->events->count; i++)
        visit->events->items[i].number = 0;
}

/* Another user may truncate the files during this: what was read until then is listed. */
static void visit_user(void *arg, const char *user)
{
    struct visit *visit = (struct visit *)arg;
    struct engine_registry local = {.lock_fd = -1};
    struct os_guard guard;
    int error = reserve(visit->events);

    if (error) {
        visit->error = error;
        return;
    }
    visit->local = &local;
    visit->user = user;
    os_guard_begin(&guard);
    (void)os_guard_run(open_and_append, visit);
    os_guard_end(&guard);
    if (local.lock_fd >= 0)
        close(local.lock_fd);
    engine_registry_close(&local);
}

static int by_name(const void *a, const void *b)
{
    const struct inspect_item *x = (const struct inspect_item *)a;
    const struct inspect_item *y = (const struct inspect_item *)b;
    int order = strcmp(x->name, y->name);

    return order ? order : strcmp(x->fields, y->fields);
}

static void add_to(struct inspect_item *item, const struct inspect_item *other)
{
    item->listeners |= other->listeners;
    item->registrations += other->registrations;
    if (!item->number)
        item->number = other->number;
}

/* An event of several users is listed once. */
static void merge(struct inspect_events *events)
{
    uint32_t kept = 0;

    if (events->count)
        qsort(events->items, events->count, sizeof(*events->items), by_name);
    for (uint32_t i = 0; i < events->count; i++) {
        struct inspect_item *last = kept ? &events->items[kept - 1] : NULL;

        if (last && !by_name(last, &events->items[i]))
            add_to(last, &events->items[i]);
        else
            events->items[kept++] = events->items[i];
    }
    events->count = kept;
}

int inspect_events_of_others(struct inspect_events *events, const struct engine_directory *own)
{
    struct visit visit = {.events = events, .own = own};

    engine_users_each(own, visit_user, &visit);
    merge(events);
    return visit.error;
}
