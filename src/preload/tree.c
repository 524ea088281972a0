/* SPDX-License-Identifier: MIT */
/* The real directory: created and updated when a program lists it. */
#include "preload/tree.h"
#include "core/atomic.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/sweep.h"
#include "preload/tree_files.h"
#include "preload/tree_index.h"

#include <stdio.h>
#include <string.h>

#define SWEEP_NS 2000000u

static struct preload_tree_index *mapped;
static uint64_t swept_ns; /* when the dead were last looked for */

static const char *const systems[] = {"events/user_events", "events/user_events_multi"};

/* ---- events ---- */

static void name_directory(const struct preload_tree_event *event, preload_tree_name path)
{
    (void)snprintf(path, sizeof(preload_tree_name), "events/user_events%s/%.*s",
                   event->flags & ENGINE_ENTRY_MULTI ? "_multi" : "", (int)sizeof(event->name),
                   event->name);
}

static void remove_event(struct preload_tree_event *event)
{
    preload_tree_name name;

    name_directory(event, name);
    event->generation = 0;
    preload_tree_remove(name);
}

static int add_event(uint32_t index, const struct engine_event_entry *entry)
{
    struct preload_tree_event *event = &mapped->events[index];
    uint32_t length = engine_command_name_length(entry->command);
    preload_tree_name name;
    int error;

    if (length >= sizeof(event->name) || memchr(entry->command, '/', length) ||
        strspn(entry->command, ".") >= length)
        return 0; /* no name for a directory */
    memcpy(event->name, entry->command, length);
    event->name[length] = 0;
    event->flags = entry->flags;
    name_directory(event, name);
    error = preload_tree_make_directory(name);
    event->generation = entry->generation;
    return error;
}

/* First what is gone, then what is new: a name may be another event's now. */
static int renew_events(void)
{
    const struct engine_registry *local = &engine_self.local;
    const uint32_t end = engine_registry_end(local);
    int error = preload_tree_index_back(mapped, end);

    for (uint32_t i = 1; i < preload_tree_index_end(mapped) && i < end; i++) {
        struct preload_tree_event *event = &mapped->events[i];

        if (event->generation && event->generation != local->entries[i].generation)
            remove_event(event);
    }
    for (uint32_t i = 1; !error && i < end; i++) {
        struct engine_event_entry entry = local->entries[i];

        entry.command[sizeof(entry.command) - 1] = 0;
        if (entry.generation && entry.generation != mapped->events[i].generation)
            error = add_event(i, &entry);
    }
    return error;
}

static int fill_all(void)
{
    int error = 0;
    preload_tree_name name;

    for (uint32_t i = 1; !error && i < preload_tree_index_end(mapped); i++) {
        if (!mapped->events[i].generation)
            continue;
        name_directory(&mapped->events[i], name);
        if (!preload_tree_is_filled(name))
            error = preload_tree_fill(name);
    }
    return error;
}

/* ---- what is looked for ---- */

static bool begins_as(const char *path, const char *directory)
{
    size_t length = strlen(directory);

    return !strncmp(path, directory, length) && (!path[length] || path[length] == '/');
}

/* events/SYSTEM[/NAME[/FILE]]: the part after the system, or NULL. */
static const char *behind_system(const char *path)
{
    for (size_t i = 0; i < sizeof(systems) / sizeof(*systems); i++) {
        if (begins_as(path, systems[i]))
            return path + strlen(systems[i]);
    }
    return NULL;
}

/* The event's directory whose files are looked for; false: none are. */
static bool find_directory(const char *path, enum preload_tree_depth depth,
                           preload_tree_name directory)
{
    const char *name = behind_system(path);
    const char *file = name && *name ? strchr(name + 1, '/') : NULL;

    if (!name || !*name || (!file && depth == PRELOAD_TREE_PLACE))
        return false;
    (void)snprintf(directory, sizeof(preload_tree_name), "%.*s",
                   file ? (int)(file - path) : (int)strlen(path), path);
    return !preload_tree_is_filled(directory);
}

/* ---- what has changed ---- */

static int renew_fixed(void)
{
    int error;

    if (mapped->magic == PRELOAD_TREE_INDEX_MAGIC)
        return 0;
    error = preload_tree_make_fixed();
    if (!error)
        core_store_release(&mapped->magic, PRELOAD_TREE_INDEX_MAGIC);
    return error;
}

static int renew_directories(void)
{
    const uint32_t changes = engine_self.local.registry->changes;
    int error = 0;

    if (mapped->changes != changes)
        error = renew_events();
    if (!error)
        core_store_release(&mapped->changes, changes);
    return error;
}

/* Nothing has changed, as far as can be seen without the registry's lock. The dead are looked for
 * every now and then: the kernel, too, lets their events go a moment later. */
static bool is_current(bool among_events)
{
    return core_load_acquire(&mapped->magic) == PRELOAD_TREE_INDEX_MAGIC &&
           (!among_events || (core_load_acquire(&mapped->changes) ==
                                  core_load_relaxed(&engine_self.local.registry->changes) &&
                              os_clock_ns() - swept_ns < SWEEP_NS));
}

static int renew_locked(bool among_events, enum preload_tree_depth depth, const char *to_fill)
{
    int error = renew_fixed();

    if (error || !among_events)
        return error;
    engine_registry_sweep(&engine_self.local);
    swept_ns = os_clock_ns();
    error = renew_directories();
    if (!error && depth == PRELOAD_TREE_ALL)
        error = fill_all();
    else if (!error && *to_fill && !preload_tree_is_filled(to_fill))
        error = preload_tree_fill(to_fill);
    return error;
}

int preload_tree_renew(const char *path, enum preload_tree_depth depth)
{
    bool among_events = depth == PRELOAD_TREE_ALL || behind_system(path);
    preload_tree_name to_fill = "";
    int error = engine_attach();

    engine_check_process();
    if (!error && !mapped)
        error = preload_tree_index_map(&mapped);
    if (!error && !find_directory(path, depth, to_fill) && depth != PRELOAD_TREE_ALL &&
        is_current(among_events))
        return 0;
    if (!error)
        error = engine_registry_lock(&engine_self.local);
    if (error)
        return error;
    error = renew_locked(among_events, depth, to_fill);
    engine_registry_unlock(&engine_self.local);
    return error;
}
