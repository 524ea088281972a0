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

#define SWEEP_NS 2000000u

/* Numbers of directories, then of files, in the order of the table below. Higher ones are of an
 * event: its generation, its index in 16 bits, and in 4 bits 0 for its directory or the number of
 * its file, from 1 on. */
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
    uint32_t kind;   /* enum tracefs_file_kind */
    uint32_t system; /* enum tracefs_system */
    const char *text;
} fixed[] = {
    {.name = ""},
    {NODE_ROOT, .name = "events"},
    {NODE_EVENTS, .name = "user_events"},
    {NODE_EVENTS, .name = "user_events_multi"},
    {NODE_ROOT, "user_events_data", .kind = TRACEFS_FILE_DATA},
    {NODE_ROOT, "user_events_status", .kind = TRACEFS_FILE_STATUS},
    {NODE_ROOT, "dynamic_events", .kind = TRACEFS_FILE_DYNAMIC},
    {NODE_ROOT, "available_events", .kind = TRACEFS_FILE_EVENTS},
    {NODE_ROOT, "set_event", .kind = TRACEFS_FILE_SET},
    {NODE_ROOT, "tracing_on", .kind = TRACEFS_FILE_ON},
    {NODE_ROOT, "trace", .kind = TRACEFS_FILE_TRACE},
    {NODE_ROOT, "trace_pipe", .kind = TRACEFS_FILE_PIPE},
    {NODE_ROOT, "error_log", .kind = TRACEFS_FILE_ERRORS},
    {NODE_EVENTS, "enable", .kind = TRACEFS_FILE_ENABLE_ALL, .system = TRACEFS_SYSTEM_BOTH},
    {NODE_SINGLE, "enable", .kind = TRACEFS_FILE_ENABLE_ALL, .system = TRACEFS_SYSTEM_SINGLE},
    {NODE_MULTI, "enable", .kind = TRACEFS_FILE_ENABLE_ALL, .system = TRACEFS_SYSTEM_MULTI},
    {NODE_SINGLE, "filter", .kind = TRACEFS_FILE_FILTER_ALL, .system = TRACEFS_SYSTEM_SINGLE},
    {NODE_MULTI, "filter", .kind = TRACEFS_FILE_FILTER_ALL, .system = TRACEFS_SYSTEM_MULTI},
    {NODE_ROOT, "README", .text = "tracefs as cairn serves it: user_events of the local engine\n"},
    {NODE_ROOT, "available_tracers", .text = "nop\n"},
    {NODE_ROOT, "current_tracer", .text = "nop\n"},
    {NODE_ROOT, "trace_clock", .text = "[mono]\n"},
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

static tracefs_node node_of_event(uint32_t index, uint64_t generation)
{
    return generation << 20 | index << 4;
}

static bool is_of_event(tracefs_node node)
{
    return node >= NODE_OF_EVENT;
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

/* NULL: it is of an event, or there is none. */
static const struct fixed *fixed_of(tracefs_node node)
{
    return node - NODE_ROOT < FIXED_COUNT ? &fixed[node - NODE_ROOT] : NULL;
}

static bool is_directory(tracefs_node node)
{
    return is_of_event(node) ? !(node & 15) : node < NODE_FILES;
}

bool tracefs_node_file(tracefs_node node, struct tracefs_file *ret_file)
{
    const struct fixed *file = fixed_of(node);
    uint32_t number = (uint32_t)node & 15;

    if (file && file->kind)
        *ret_file = (struct tracefs_file){.kind = file->kind, .system = file->system};
    if (!is_of_event(node))
        return file && file->kind;
    if (!number || number > OF_EVENT_COUNT || index_of(node) >= ENGINE_EVENT_MAX)
        return false;
    *ret_file = (struct tracefs_file){
        .kind = of_event[number - 1].kind,
        .index = index_of(node),
        .generation = node >> 20,
    };
    return true;
}

const char *tracefs_node_text(tracefs_node node)
{
    const struct fixed *file = fixed_of(node);

    return file ? file->text : NULL;
}

/* As tracefs has it. */
static unsigned int mode_of(tracefs_node node)
{
    struct tracefs_file file;

    if (is_directory(node))
        return S_IFDIR | 0750;
    if (!tracefs_node_file(node, &file))
        return S_IFREG | 0440;
    switch (file.kind) {
    case TRACEFS_FILE_STATUS:
    case TRACEFS_FILE_EVENTS:
    case TRACEFS_FILE_FORMAT:
    case TRACEFS_FILE_ID:
    case TRACEFS_FILE_PIPE:
        return S_IFREG | 0440;
    default:
        return S_IFREG | 0640;
    }
}

int tracefs_node_attributes(tracefs_node node, struct tracefs_node_attributes *ret_attributes)
{
    const char *text = tracefs_node_text(node);

    if (is_of_event(node) && !event_is_there(node))
        return ENOENT;
    ret_attributes->mode = mode_of(node);
    ret_attributes->size_bytes = text ? strlen(text) : 0;
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
    uint32_t index = 0;

    (void)snprintf(base, sizeof(base), "%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
    engine_registry_sweep(local);
    for (uint32_t steps = 0; steps < ENGINE_EVENT_MAX; steps++) {
        const struct engine_event_entry *entry;

        index = engine_registry_next(local, base, index);
        entry = &local->entries[index];
        if (!index)
            return ENOENT;
        if (!(entry->flags & ENGINE_ENTRY_MULTI) != is_multi &&
            engine_command_name_length(entry->command) == strlen(name) &&
            !memcmp(entry->command, name, strlen(name))) {
            *ret_node = node_of_event(index, entry->generation);
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
           command[strspn(command, ".")] && fill(entry, node_of_event(index, generation), command);
}

static bool list_events(tracefs_node directory, uint64_t *position,
                        struct tracefs_node_entry *entry)
{
    if (*position == FIXED_COUNT)
        sweep();
    while (*position - FIXED_COUNT + 1 < engine_registry_end(&engine_self.local)) {
        uint32_t index = (uint32_t)(*position - FIXED_COUNT + 1);

        ++*position;
        if (fill_event(entry, index, directory == NODE_MULTI))
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
    return (directory == NODE_SINGLE || directory == NODE_MULTI) &&
           list_events(directory, position, ret_entry);
}
