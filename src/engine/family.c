/* SPDX-License-Identifier: MIT */
/* Forked children that need the registrations of a process. */
#include "engine/family.h"
#include "core/atomic.h"
#include "engine/engine.h"
#include "os/process.h"

#include <stdio.h>

/* Generations of processes that registered events, one forked by the other. */
#define ANCESTORS_MAX 16u

static struct engine_process_file *ancestors[ANCESTORS_MAX];
static uint32_t ancestor_count;

static void be_unknown(struct engine_process_file *file)
{
    core_store_relaxed(&file->children_unknown, 1);
}

void engine_family_inherit(struct engine_process_file *file)
{
    if (ancestor_count == ANCESTORS_MAX)
        be_unknown(file);
    else
        ancestors[ancestor_count++] = file;
}

/* ---- around a fork ---- */

static bool is_forking; /* in parent and child; not in a child that clone() itself made */

static void count(struct engine_process_file *file, uint32_t difference)
{
    core_fetch_add_relaxed(&file->forking, difference);
}

void engine_family_before_fork(void)
{
    const struct engine *e = &engine_self;

    is_forking = true;
    for (uint32_t i = 0; i < ancestor_count; i++)
        count(ancestors[i], 1);
    if (e->process && !e->is_inherited)
        count(e->process, 1);
}

void engine_family_after_fork(void)
{
    is_forking = false;
}

static void join(struct engine_process_file *file, uint32_t pid)
{
    for (uint32_t i = 0; i < ENGINE_CHILDREN_MAX; i++) {
        uint32_t none = 0;

        if (!core_load_relaxed(&file->children[i]) &&
            core_compare_exchange_relaxed(&file->children[i], &none, pid))
            return;
    }
    be_unknown(file);
}

void engine_family_join(uint32_t pid, bool is_known)
{
    for (uint32_t i = 0; i < ancestor_count; i++) {
        if (is_known)
            join(ancestors[i], pid);
        else
            be_unknown(ancestors[i]);
        if (is_forking)
            count(ancestors[i], UINT32_MAX);
    }
    is_forking = false;
}

/* If the process has executed another program, or the pid is another process's by now, it has not
 * mapped the pool file. A process that may not be inspected counts as one. */
static bool is_child(uint32_t pid, const char *pool_name)
{
    char name[80];

    (void)snprintf(name, sizeof(name), "/pools/%s", pool_name);
    return os_process_may_map(pid, name);
}

bool engine_family_has_children(struct engine_process_file *file, const char *pool_name)
{
    if (core_load_relaxed(&file->children_unknown) || core_load_relaxed(&file->forking))
        return true;
    for (uint32_t i = 0; i < ENGINE_CHILDREN_MAX; i++) {
        uint32_t pid = core_load_relaxed(&file->children[i]);

        if (!pid)
            continue;
        if (is_child(pid, pool_name))
            return true;
        /* The pid belongs to another process, or to none. */
        (void)core_compare_exchange_relaxed(&file->children[i], &pid, 0);
    }
    return false;
}
