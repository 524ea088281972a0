/* SPDX-License-Identifier: MIT */
/* The tree of files by numbers: found, listed, described. */
#include "tracefs/file.h"
#include "engine/engine.h"
#include "engine/sweep.h"
#include "tracefs/event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Numbers of directories, then of files, in the order of the table below. Higher ones are of an
 * event: its sample id, and in 4 bits the number of its directory or its file in the table. */
enum {
    NODE_ROOT = 1,
    NODE_EVENTS,
    NODE_SINGLE,
    NODE_MULTI,
    NODE_EVENT, /* of each event */
    NODE_FILES,
    NODE_OF_EVENT = 1 << 20,
};

static const struct fixed {
    tracefs_node parent;
    const char *name;
    struct tracefs_file file;
} fixed[] = {
    {.name = ""},
    {NODE_ROOT, .name = "events"},
    {NODE_EVENTS, .name = "user_events"},
    {NODE_EVENTS, .name = "user_events_multi"},
    {.name = ""},
    {NODE_EVENT, "enable", {.kind = TRACEFS_FILE_ENABLE}},
    {NODE_EVENT, "filter", {.kind = TRACEFS_FILE_FILTER}},
    {NODE_EVENT, "format", {.kind = TRACEFS_FILE_FORMAT}},
    {NODE_EVENT, "id", {.kind = TRACEFS_FILE_ID}},
    {NODE_ROOT, "user_events_data", {.kind = TRACEFS_FILE_DATA}},
    {NODE_ROOT, "user_events_status", {.kind = TRACEFS_FILE_STATUS}},
    {NODE_ROOT, "dynamic_events", {.kind = TRACEFS_FILE_DYNAMIC}},
    {NODE_ROOT, "available_events", {.kind = TRACEFS_FILE_EVENTS}},
    {NODE_ROOT, "set_event", {.kind = TRACEFS_FILE_SET}},
    {NODE_ROOT, "tracing_on", {.kind = TRACEFS_FILE_ON}},
    {NODE_ROOT, "trace", {.kind = TRACEFS_FILE_TRACE}},
    {NODE_ROOT, "trace_pipe", {.kind = TRACEFS_FILE_PIPE}},
    {NODE_ROOT, "error_log", {.kind = TRACEFS_FILE_ERRORS}},
    {NODE_EVENTS, "enable", {.kind = TRACEFS_FILE_ENABLE_ALL, .system = TRACEFS_SYSTEM_BOTH}},
    {NODE_SINGLE, "enable", {.kind = TRACEFS_FILE_ENABLE_ALL, .system = TRACEFS_SYSTEM_SINGLE}},
    {NODE_MULTI, "enable", {.kind = TRACEFS_FILE_ENABLE_ALL, .system = TRACEFS_SYSTEM_MULTI}},
    {NODE_SINGLE, "filter", {.kind = TRACEFS_FILE_FILTER_ALL, .system = TRACEFS_SYSTEM_SINGLE}},
    {NODE_MULTI, "filter", {.kind = TRACEFS_FILE_FILTER_ALL, .system = TRACEFS_SYSTEM_MULTI}},
    {NODE_ROOT,
     "README",
     {.kind = TRACEFS_FILE_FIXED,
      .text = "tracefs as cairn serves it: user_events of the local engine\n"}},
    {NODE_ROOT, "available_tracers", {.kind = TRACEFS_FILE_FIXED, .text = "nop\n"}},
    {NODE_ROOT, "current_tracer", {.kind = TRACEFS_FILE_FIXED, .text = "nop\n"}},
    {NODE_ROOT, "trace_clock", {.kind = TRACEFS_FILE_FIXED, .text = "[mono]\n"}},
};

#define FIXED_COUNT (sizeof(fixed) / sizeof(*fixed))

/* ---- what a node is ---- */

static bool is_of_event(tracefs_node node)
{
    return node >= NODE_OF_EVENT;
}

/* True if it is of an event that is gone. */
static bool is_gone(tracefs_node node)
{
    return is_of_event(node) && !tracefs_event_is_there(node >> 4);
}

/* Its number in the table. */
static tracefs_node number_of(tracefs_node node)
{
    return is_of_event(node) ? node & 15 : node;
}

/* The file or directory of a number in the table, of the event that another node is of, if any. */
static tracefs_node node_at(tracefs_node node, tracefs_node number)
{
    return is_of_event(node) ? (node & ~(tracefs_node)15) | number : number;
}

static tracefs_node node_of_event(uint32_t index)
{
    return tracefs_event_id(index) << 4 | NODE_EVENT;
}

/* Modes are as tracefs has them. The status page has a size: it can be mapped. */
int tracefs_node_file(tracefs_node node, struct tracefs_file *ret_file)
{
    const tracefs_node row = number_of(node) - NODE_ROOT;
    struct tracefs_file file = row < FIXED_COUNT ? fixed[row].file : (struct tracefs_file){0};

    if (is_gone(node))
        return ENOENT;
    file.event = is_of_event(node) ? node >> 4 : 0;
    file.mode = !file.kind                        ? S_IFDIR | 0750
                : file.kind < TRACEFS_FILE_STATUS ? S_IFREG | 0640
                                                  : S_IFREG | 0440;
    if (node == TRACEFS_NODE_STATUS)
        file.size_bytes = ENGINE_EVENT_MAX;
    else if (file.text)
        file.size_bytes = strlen(file.text);
    *ret_file = file;
    return 0;
}

/* ---- finding ---- */

static bool is_of_system(tracefs_node directory)
{
    return directory == NODE_SINGLE || directory == NODE_MULTI;
}

/* True if the event has the name: its own, and a suffix if it is one of several formats. */
static bool is_named(uint32_t index, bool is_multi, const char *name)
{
    char found[CAIRN_COMMAND_MAX_BYTES];

    tracefs_event_name(index, found);
    return !(engine_self.local.entries[index].flags & ENGINE_ENTRY_MULTI) != is_multi &&
           !strcmp(found, name);
}

static int find_event(const char *name, bool is_multi, tracefs_node *ret_node)
{
    struct engine_registry *local = &engine_self.local;
    const char *dot = is_multi ? strrchr(name, '.') : NULL;
    char base[CAIRN_COMMAND_MAX_BYTES];
    uint32_t index = 0;
    uint32_t steps = 0;
    int error = strlen(name) < sizeof(base) ? engine_registry_lock(local) : ENAMETOOLONG;

    if (error)
        return error;
    (void)snprintf(base, sizeof(base), "%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
    engine_registry_sweep(local);
    do
        index = steps++ < ENGINE_EVENT_MAX ? engine_registry_next(local, base, index) : 0;
    while (index && !is_named(index, is_multi, name));
    if (index)
        *ret_node = node_of_event(index);
    engine_registry_unlock(local);
    return index ? 0 : ENOENT;
}

int tracefs_node_find(tracefs_node directory, const char *name, tracefs_node *ret_node)
{
    if (number_of(directory) >= NODE_FILES)
        return ENOTDIR;
    for (uint32_t i = 0; !is_gone(directory) && i < FIXED_COUNT; i++) {
        if (fixed[i].parent == number_of(directory) && !strcmp(fixed[i].name, name)) {
            *ret_node = node_at(directory, NODE_ROOT + i);
            return 0;
        }
    }
    return is_of_system(directory) ? find_event(name, directory == NODE_MULTI, ret_node) : ENOENT;
}

/* ---- listing ---- */

static bool fill(struct tracefs_node_entry *entry, tracefs_node node, const char *name)
{
    struct tracefs_file file;

    if (tracefs_node_file(node, &file))
        return false;
    entry->node = node;
    entry->mode = file.mode;
    (void)snprintf(entry->name, sizeof(entry->name), "%s", name);
    return true;
}

/* A name that no directory can have is not listed. */
static bool fill_event(struct tracefs_node_entry *entry, uint32_t index)
{
    char name[CAIRN_COMMAND_MAX_BYTES];

    tracefs_event_name(index, name);
    return strlen(name) < sizeof(entry->name) && !strchr(name, '/') && name[strspn(name, ".")] &&
           fill(entry, node_of_event(index), name);
}

static bool list_events(uint32_t system, uint64_t *position, struct tracefs_node_entry *entry)
{
    uint32_t index = (uint32_t)(*position - FIXED_COUNT);

    if (!index && !engine_registry_lock(&engine_self.local)) {
        engine_registry_sweep(&engine_self.local);
        engine_registry_unlock(&engine_self.local);
    }
    while ((index = tracefs_event_next(system, index))) {
        *position = FIXED_COUNT + index;
        if (fill_event(entry, index))
            return true;
    }
    return false;
}

bool tracefs_node_list(tracefs_node directory, uint64_t *position,
                       struct tracefs_node_entry *ret_entry)
{
    if (is_gone(directory))
        return false;
    for (; *position < FIXED_COUNT; ++*position) {
        if (fixed[*position].parent == number_of(directory)) {
            const uint64_t row = (*position)++;

            return fill(ret_entry, node_at(directory, NODE_ROOT + row), fixed[row].name);
        }
    }
    if (!is_of_system(directory))
        return false;
    return list_events(directory == NODE_MULTI ? TRACEFS_SYSTEM_MULTI : TRACEFS_SYSTEM_SINGLE,
                       position, ret_entry);
}
