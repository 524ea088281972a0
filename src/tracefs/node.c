/* SPDX-License-Identifier: MIT */
/* The tree of files by numbers: found, listed, described. */
#include "tracefs/node.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/sweep.h"
#include "tracefs/event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SWEEP_NS 2000000u

/* Numbers of directories, then of files, in the order of the table below. Higher ones are of an
 * event: its sample id, and in 4 bits 0 for its directory or the number of its file, from 1 on. */
enum {
    NODE_ROOT = 1,
    NODE_EVENTS,
    NODE_SINGLE,
    NODE_MULTI,
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

/* The files that each event has. */
static const struct {
    const char *name;
    uint32_t kind;
} of_event[] = {
    {"enable", TRACEFS_FILE_ENABLE},
    {"filter", TRACEFS_FILE_FILTER},
    {"format", TRACEFS_FILE_FORMAT},
    {"id", TRACEFS_FILE_ID},
};

#define OF_EVENT_COUNT (sizeof(of_event) / sizeof(*of_event))

/* ---- what a node is ---- */

static bool is_of_event(tracefs_node node)
{
    return node >= NODE_OF_EVENT;
}

static bool event_is_there(tracefs_node node)
{
    return tracefs_event_is_there(node >> 4);
}

static bool is_directory(tracefs_node node)
{
    return is_of_event(node) ? !(node & 15) : node < NODE_FILES;
}

bool tracefs_node_file(tracefs_node node, struct tracefs_file *ret_file)
{
    uint32_t number = (uint32_t)node & 15;

    if (!is_of_event(node) && node - NODE_ROOT < FIXED_COUNT)
        *ret_file = fixed[node - NODE_ROOT].file;
    else if (is_of_event(node) && number && number <= OF_EVENT_COUNT)
        *ret_file = (struct tracefs_file){.kind = of_event[number - 1].kind, .event = node >> 4};
    else
        *ret_file = (struct tracefs_file){.kind = TRACEFS_FILE_NONE};
    return ret_file->kind;
}

/* As tracefs has it. */
static unsigned int mode_of(tracefs_node node)
{
    struct tracefs_file file;

    if (!tracefs_node_file(node, &file))
        return S_IFDIR | 0750;
    return S_IFREG | (file.kind < TRACEFS_FILE_STATUS ? 0640 : 0440);
}

int tracefs_node_attributes(tracefs_node node, struct tracefs_node_attributes *ret_attributes)
{
    struct tracefs_file file;

    if (is_of_event(node) && !event_is_there(node))
        return ENOENT;
    *ret_attributes = (struct tracefs_node_attributes){.mode = mode_of(node)};
    if (tracefs_node_file(node, &file) && file.text)
        ret_attributes->size_bytes = strlen(file.text);
    if (node == TRACEFS_NODE_STATUS)
        ret_attributes->size_bytes = ENGINE_EVENT_MAX; /* it can be mapped */
    return 0;
}

/* ---- finding ---- */

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

/* Under the registry's lock. `name` is the event's name, with its suffix if it is one of several
 * formats. */
static int find_entry(const char *name, bool is_multi, tracefs_node *ret_node)
{
    struct engine_registry *local = &engine_self.local;
    const char *dot = is_multi ? strrchr(name, '.') : NULL;
    char base[CAIRN_COMMAND_MAX_BYTES];
    char found[CAIRN_COMMAND_MAX_BYTES];
    uint32_t index = 0;

    (void)snprintf(base, sizeof(base), "%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
    engine_registry_sweep(local);
    for (uint32_t steps = 0; steps < ENGINE_EVENT_MAX; steps++) {
        index = engine_registry_next(local, base, index);
        if (!index)
            return ENOENT;
        tracefs_event_name(index, found);
        if (!(local->entries[index].flags & ENGINE_ENTRY_MULTI) != is_multi &&
            !strcmp(found, name)) {
            *ret_node = tracefs_event_id(index) << 4;
            return 0;
        }
    }
    return ENOENT;
}

static int find_event(tracefs_node directory, const char *name, tracefs_node *ret_node)
{
    int error = strlen(name) < CAIRN_COMMAND_MAX_BYTES ? 0 : ENAMETOOLONG;

    if (!error)
        error = engine_registry_lock(&engine_self.local);
    if (error)
        return error;
    error = find_entry(name, directory == NODE_MULTI, ret_node);
    engine_registry_unlock(&engine_self.local);
    return error;
}

static int find_file_of_event(tracefs_node directory, const char *name, tracefs_node *ret_node)
{
    for (uint32_t i = 0; event_is_there(directory) && i < OF_EVENT_COUNT; i++) {
        if (!strcmp(of_event[i].name, name)) {
            *ret_node = directory | (i + 1);
            return 0;
        }
    }
    return ENOENT;
}

int tracefs_node_find(tracefs_node directory, const char *name, tracefs_node *ret_node)
{
    if (!is_directory(directory))
        return ENOTDIR;
    if (is_of_event(directory))
        return find_file_of_event(directory, name, ret_node);
    for (uint32_t i = 0; i < FIXED_COUNT; i++) {
        if (fixed[i].parent == directory && !strcmp(fixed[i].name, name)) {
            *ret_node = NODE_ROOT + i;
            return 0;
        }
    }
    return directory >= NODE_SINGLE ? find_event(directory, name, ret_node) : ENOENT;
}

/* ---- listing ---- */

static bool fill(struct tracefs_node_entry *entry, tracefs_node node, const char *name)
{
    entry->node = node;
    entry->mode = mode_of(node);
    (void)snprintf(entry->name, sizeof(entry->name), "%s", name);
    return true;
}

static bool list_of_event(tracefs_node directory, uint64_t *position,
                          struct tracefs_node_entry *entry)
{
    if (!event_is_there(directory) || *position >= OF_EVENT_COUNT)
        return false;
    ++*position;
    return fill(entry, directory | *position, of_event[*position - 1].name);
}

/* A name that no directory can have is not listed. */
static bool fill_event(struct tracefs_node_entry *entry, uint32_t index)
{
    char name[CAIRN_COMMAND_MAX_BYTES];

    tracefs_event_name(index, name);
    return strlen(name) < sizeof(entry->name) && !strchr(name, '/') && name[strspn(name, ".")] &&
           fill(entry, tracefs_event_id(index) << 4, name);
}

static bool list_events(uint32_t system, uint64_t *position, struct tracefs_node_entry *entry)
{
    uint32_t index = (uint32_t)(*position - FIXED_COUNT);

    if (!index)
        sweep();
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
    if (is_of_event(directory))
        return list_of_event(directory, position, ret_entry);
    for (; *position < FIXED_COUNT; ++*position) {
        if (fixed[*position].parent == directory) {
            ++*position;
            return fill(ret_entry, NODE_ROOT + *position - 1, fixed[*position - 1].name);
        }
    }
    if (directory != NODE_SINGLE && directory != NODE_MULTI)
        return false;
    return list_events(directory == NODE_MULTI ? TRACEFS_SYSTEM_MULTI : TRACEFS_SYSTEM_SINGLE,
                       position, ret_entry);
}
