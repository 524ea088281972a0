/* SPDX-License-Identifier: MIT */
/*
 * Events from a logger that a program already has. A call site is created for each target and level
 * when it is first used, and is never freed.
 *
 * A hash table finds the call sites and is read without a lock. A full table is replaced by one of
 * twice the size. The old one is never freed, since another thread may be reading it: all old
 * tables together use as much memory as the newest.
 */
#include "core/atomic.h"
#include "engine/locks.h"
#include "tracing/dispatch.h"
#include "tracing/event.h"

#include <cairn/tracing/layers.h>

#include <stdlib.h>
#include <string.h>
#ifdef _WIN32 /* as in syslog.h elsewhere */
enum { LOG_EMERG, LOG_ALERT, LOG_CRIT, LOG_ERR, LOG_WARNING, LOG_NOTICE, LOG_INFO, LOG_DEBUG };
#define LOG_PRI(priority) ((priority)&7)
#else
#include <syslog.h>
#endif

#define TABLE_FIRST 64u /* a power of 2 */

struct log_site {
    struct cairn_callsite site;
    char target[];
};

/* At most half full: a search ends at an empty slot. */
struct table {
    struct table *smaller; /* the table that this one replaced */
    uint32_t mask;
    uint32_t count; /* protected by the lock */
    struct log_site *slots[];
};

static struct table *table;

static uint8_t level_of(int priority)
{
    static const uint8_t levels[] = {
        [LOG_EMERG] = CAIRN_TRACING_ERROR,  [LOG_ALERT] = CAIRN_TRACING_ERROR,
        [LOG_CRIT] = CAIRN_TRACING_ERROR,   [LOG_ERR] = CAIRN_TRACING_ERROR,
        [LOG_WARNING] = CAIRN_TRACING_WARN, [LOG_NOTICE] = CAIRN_TRACING_INFO,
        [LOG_INFO] = CAIRN_TRACING_INFO,    [LOG_DEBUG] = CAIRN_TRACING_DEBUG,
    };

    return levels[LOG_PRI(priority)];
}

/* FNV-1a. */
static uint32_t hash_of(uint8_t level, const char *target)
{
    uint32_t hash = 2166136261u ^ level;

    for (; *target; target++)
        hash = (hash ^ (unsigned char)*target) * 16777619u;
    return hash ^ hash >> 15;
}

/* The slot of a site, or the empty slot where it belongs. */
static struct log_site **find_slot(struct table *t, uint8_t level, const char *target)
{
    for (uint32_t at = hash_of(level, target);; at++) {
        struct log_site **slot = &t->slots[at & t->mask];
        const struct log_site *s = core_load_acquire(slot); /* pairs with add_site */

        if (!s || (s->site.level == level && !strcmp(s->target, target)))
            return slot;
    }
}

static struct log_site *find(uint8_t level, const char *target)
{
    struct table *t = core_load_acquire(&table); /* pairs with grow_table */

    return t ? core_load_acquire(find_slot(t, level, target)) : NULL;
}

static void add_site(struct table *t, struct log_site *s)
{
    /* A thread that finds the site finds it complete. */
    core_store_release(find_slot(t, s->site.level, s->target), s);
    t->count++;
}

/* Returns a table with space for one more site; NULL: no memory. */
static struct table *grow_table(void)
{
    uint32_t size = table ? 2 * (table->mask + 1) : TABLE_FIRST;
    struct table *larger;

    if (table && table->count < (table->mask + 1) / 2)
        return table;
    larger = calloc(1, sizeof(*larger) + size * sizeof(void *));
    if (!larger)
        return NULL;
    larger->smaller = table;
    larger->mask = size - 1;
    for (uint32_t i = 0; table && i <= table->mask; i++)
        if (table->slots[i])
            add_site(larger, table->slots[i]);
    core_store_release(&table, larger);
    return larger;
}

static struct log_site *make(uint8_t level, const char *target)
{
    static const char *const no_fields[] = {NULL};
    size_t target_size = strlen(target) + 1;
    struct table *t = grow_table();
    struct log_site *s = t ? calloc(1, sizeof(*s) + target_size) : NULL;

    if (!s)
        return NULL;
    memcpy(s->target, target, target_size);
    s->site = (struct cairn_callsite){
        .gate = &cairn_i_gate_new,
        .name = "log",
        .target = s->target,
        .file = "",
        .fields = no_fields,
        .level = level,
        .kind = CAIRN_CALLSITE_EVENT,
        .version = CAIRN_I_CALLSITE_VERSION,
    };
    add_site(t, s);
    return s;
}

static struct cairn_callsite *site_for(uint8_t level, const char *target)
{
    struct log_site *s = find(level, target);

    if (!s) {
        engine_lock_take(ENGINE_LOCK_LOG);
        s = find(level, target);
        s = s ? s : make(level, target);
        engine_lock_release(ENGINE_LOCK_LOG);
    }
    return s ? &s->site : NULL;
}

void cairn_tracing_vlog(int priority, const char *target, const char *format, va_list arguments)
{
    struct cairn_callsite *site = site_for(level_of(priority), target ? target : "log");

    if (!site)
        tracing_dispatch_count_lost();
    else if (cairn_i_callsite_on(site))
        tracing_event_vprintf(site, NULL, NULL, format, arguments);
}

void cairn_tracing_log(int priority, const char *target, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    cairn_tracing_vlog(priority, target, format, arguments);
    va_end(arguments);
}
