/* SPDX-License-Identifier: MIT */
/* The tree of files by numbers: found, listed, described. */
#include "tracefs/node.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/*
 * 1 to 4    the directories that are always there
 * 16 ...    the fixed files, in the order of tracefs_place_of_fixed
 * 64 ...    those with a fixed text
 * the rest  of an event: its generation, its index in 16 bits, and in 4 bits 0 for its directory or
 *           the number of its file, from 1 on
 */
enum {
    NODE_EVENTS = 2,
    NODE_SINGLE,
    NODE_MULTI,
    NODE_FIXED = 16,
    NODE_TEXT = 64,
    NODE_OTHERS_END = 1 << 20,
};

#define SWEEP_NS 2000000u

static const struct {
    tracefs_node node;
    tracefs_node parent;
    const char *path;
} directories[] = {
    {TRACEFS_NODE_ROOT, 0, ""},
    {NODE_EVENTS, TRACEFS_NODE_ROOT, "events"},
    {NODE_SINGLE, NODE_EVENTS, "events/user_events"},
    {NODE_MULTI, NODE_EVENTS, "events/user_events_multi"},
};

#define DIRECTORY_COUNT (sizeof(directories) / sizeof(*directories))

static tracefs_node node_of_event(uint32_t index, uint64_t generation, uint32_t file)
{
    return generation << 20 | index << 4 | file;
}

static bool is_of_event(tracefs_node node)
{
    return node >= NODE_OTHERS_END;
}

static uint32_t index_of(tracefs_node node)
{
    return (uint32_t)(node >> 4) & 0xffff;
}

static bool event_is_there(tracefs_node node)
{
    return index_of(node) < ENGINE_EVENT_MAX &&
           engine_self.local.entries[index_of(node)].generation == node >> 20;
}

bool tracefs_node_is_directory(tracefs_node node)
{
    return is_of_event(node) ? !(node & 15) : node <= NODE_MULTI;
}

/* ---- what a node is ---- */

bool tracefs_node_place(tracefs_node node, struct tracefs_place *ret_place)
{
    const char *name;
    uint32_t kind;

    if (!is_of_event(node))
        return node >= NODE_FIXED && node < NODE_TEXT &&
               tracefs_place_of_fixed((uint32_t)node - NODE_FIXED, &name, ret_place);
    if (!(node & 15) || !tracefs_place_of_event_file((node & 15) - 1, &name, &kind) ||
        index_of(node) >= ENGINE_EVENT_MAX)
        return false;
    *ret_place = (struct tracefs_place){
        .kind = kind,
        .system = engine_self.local.entries[index_of(node)].flags & ENGINE_ENTRY_MULTI
                      ? TRACEFS_SYSTEM_MULTI
                      : TRACEFS_SYSTEM_SINGLE,
        .index = index_of(node),
        .generation = node >> 20,
    };
    return true;
}

const char *tracefs_node_text(tracefs_node node)
{
    const char *name;
    const char *text;

    return node >= NODE_TEXT && !is_of_event(node) &&
                   tracefs_place_of_text((uint32_t)node - NODE_TEXT, &name, &text)
               ? text
               : NULL;
}

static unsigned int mode_of(tracefs_node node)
{
    struct tracefs_place place;

    if (tracefs_node_is_directory(node))
        return S_IFDIR | 0750;
    return S_IFREG | (tracefs_node_place(node, &place) ? tracefs_place_mode(place.kind) : 0440);
}

int tracefs_node_attributes(tracefs_node node, struct tracefs_node_attributes *ret_attributes)
{
    const char *text = tracefs_node_text(node);

    if (is_of_event(node) && !event_is_there(node))
        return ENOENT;
    ret_attributes->mode = mode_of(node);
    ret_attributes->size_bytes = node == TRACEFS_NODE_STATUS ? ENGINE_EVENT_MAX
                                                             : /* can be mapped */
                                     text ? strlen(text)
                                          : 0;
    return 0;
}

/* ---- finding ---- */

static bool is_last_step(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');

    return !strcmp(slash ? slash + 1 : path, name);
}

static const char *path_of(tracefs_node directory)
{
    for (size_t i = 0; i < DIRECTORY_COUNT; i++) {
        if (directories[i].node == directory)
            return directories[i].path;
    }
    return NULL;
}

/* Compares the directory of a path with one that is always there. */
static bool is_in(const char *path, const char *directory)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;

    return length == strlen(directory) && !memcmp(path, directory, length);
}

/* Looks for processes that have ended, not each time: the kernel, too, frees their events a moment
 * later. */
static void sweep(void)
{
    static uint64_t swept_ns;
    uint64_t now_ns = os_clock_ns();

    if (now_ns - swept_ns < SWEEP_NS || engine_registry_lock(&engine_self.local))
        return;
    swept_ns = now_ns;
    engine_registry_sweep(&engine_self.local);
    engine_registry_unlock(&engine_self.local);
}

static int find_event(tracefs_node directory, const char *name, tracefs_node *ret_node)
{
    struct tracefs_place place = {0};
    int error = strlen(name) < CAIRN_COMMAND_MAX_BYTES
                    ? tracefs_place_find_event(name, directory == NODE_MULTI, &place)
                    : ENAMETOOLONG;

    if (!error)
        *ret_node = node_of_event(place.index, place.generation, 0);
    return error;
}

static int find_file_of_event(tracefs_node directory, const char *name, tracefs_node *ret_node)
{
    const char *file;
    uint32_t kind;

    if (!event_is_there(directory))
        return ENOENT;
    for (uint32_t i = 0; tracefs_place_of_event_file(i, &file, &kind); i++) {
        if (!strcmp(file, name)) {
            *ret_node = directory | (i + 1);
            return 0;
        }
    }
    return ENOENT;
}

int tracefs_node_find(tracefs_node directory, const char *name, tracefs_node *ret_node)
{
    struct tracefs_place place;
    const char *other;
    const char *path;

    if (!tracefs_node_is_directory(directory))
        return ENOTDIR;
    if (is_of_event(directory))
        return find_file_of_event(directory, name, ret_node);
    path = path_of(directory);
    if (!path)
        return ENOENT;
    for (size_t i = 0; i < DIRECTORY_COUNT; i++) {
        if (directories[i].parent == directory && is_last_step(directories[i].path, name)) {
            *ret_node = directories[i].node;
            return 0;
        }
    }
    for (uint32_t i = 0; tracefs_place_of_fixed(i, &other, &place); i++) {
        if (is_in(other, path) && is_last_step(other, name)) {
            *ret_node = NODE_FIXED + i;
            return 0;
        }
    }
    for (uint32_t i = 0; directory == TRACEFS_NODE_ROOT && tracefs_place_of_text(i, &other, &path);
         i++) {
        if (!strcmp(other, name)) {
            *ret_node = NODE_TEXT + i;
            return 0;
        }
    }
    return directory >= NODE_SINGLE ? find_event(directory, name, ret_node) : ENOENT;
}

/* ---- listing ---- */

enum { LIST_FIXED = 16, LIST_TEXT = 64, LIST_EVENTS = 128 };

static bool fill(struct tracefs_node_entry *entry, tracefs_node node, const char *path)
{
    const char *slash = strrchr(path, '/');

    entry->node = node;
    entry->mode = mode_of(node);
    (void)snprintf(entry->name, sizeof(entry->name), "%s", slash ? slash + 1 : path);
    return true;
}

static bool list_of_event(tracefs_node directory, uint64_t *position,
                          struct tracefs_node_entry *entry)
{
    const char *name;
    uint32_t kind;

    if (!event_is_there(directory) ||
        !tracefs_place_of_event_file((uint32_t)*position, &name, &kind))
        return false;
    ++*position;
    return fill(entry, directory | *position, name);
}

/* A name that no directory can have is not listed. */
static bool fill_event(struct tracefs_node_entry *entry, uint32_t index, bool is_multi)
{
    const struct engine_event_entry *event = &engine_self.local.entries[index];
    char command[CAIRN_COMMAND_MAX_BYTES];
    uint64_t generation = event->generation;

    if (!generation || !(event->flags & ENGINE_ENTRY_MULTI) == is_multi)
        return false;
    memcpy(command, event->command, sizeof(command));
    command[sizeof(command) - 1] = 0;
    command[engine_command_name_length(command)] = 0;
    return strlen(command) < sizeof(entry->name) && !strchr(command, '/') &&
           command[strspn(command, ".")] &&
           fill(entry, node_of_event(index, generation, 0), command);
}

static bool list_events(tracefs_node directory, uint64_t *position,
                        struct tracefs_node_entry *entry)
{
    if (*position == LIST_EVENTS)
        sweep();
    while (*position - LIST_EVENTS + 1 < engine_registry_end(&engine_self.local)) {
        uint32_t index = (uint32_t)(*position - LIST_EVENTS + 1);

        ++*position;
        if (fill_event(entry, index, directory == NODE_MULTI))
            return true;
    }
    return false;
}

static bool list_directories(tracefs_node directory, uint64_t *position,
                             struct tracefs_node_entry *entry)
{
    for (; *position < DIRECTORY_COUNT; ++*position) {
        if (directories[*position].parent == directory) {
            (void)fill(entry, directories[*position].node, directories[*position].path);
            ++*position;
            return true;
        }
    }
    *position = LIST_FIXED;
    return false;
}

static bool list_fixed(tracefs_node directory, const char *path, uint64_t *position,
                       struct tracefs_node_entry *entry)
{
    struct tracefs_place place;
    const char *file;

    for (; tracefs_place_of_fixed((uint32_t)*position - LIST_FIXED, &file, &place); ++*position) {
        if (is_in(file, path)) {
            (void)fill(entry, NODE_FIXED + *position - LIST_FIXED, file);
            ++*position;
            return true;
        }
    }
    *position = directory == TRACEFS_NODE_ROOT ? LIST_TEXT : LIST_EVENTS;
    return false;
}

static bool list_texts(uint64_t *position, struct tracefs_node_entry *entry)
{
    const char *name;
    const char *text;

    if (!tracefs_place_of_text((uint32_t)*position - LIST_TEXT, &name, &text)) {
        *position = LIST_EVENTS;
        return false;
    }
    ++*position;
    return fill(entry, NODE_TEXT + *position - 1 - LIST_TEXT, name);
}

bool tracefs_node_list(tracefs_node directory, uint64_t *position,
                       struct tracefs_node_entry *ret_entry)
{
    const char *path = path_of(directory);

    if (is_of_event(directory))
        return list_of_event(directory, position, ret_entry);
    if (!path)
        return false;
    if (*position < LIST_FIXED && list_directories(directory, position, ret_entry))
        return true;
    if (*position < LIST_TEXT && list_fixed(directory, path, position, ret_entry))
        return true;
    if (*position < LIST_EVENTS && list_texts(position, ret_entry))
        return true;
    return directory >= NODE_SINGLE && list_events(directory, position, ret_entry);
}
