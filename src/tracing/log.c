/* SPDX-License-Identifier: MIT */
/* Events from a logger that a program has already. There is a call site for each target and level,
 * made when it is used for the first time; those stay, while a library that logs may be unloaded:
 * targets are copied. */
#include "tracing/event.h"
#include "tracing/registry.h"

#include <cairn/tracing/layers.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

struct log_site {
    struct cairn_callsite site;
    struct log_site *next;
};

static struct log_site *log_sites;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

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

static struct log_site *find(uint8_t level, const char *target)
{
    struct log_site *s = __atomic_load_n(&log_sites, __ATOMIC_ACQUIRE);

    while (s && (s->site.level != level || strcmp(s->site.target, target) != 0))
        s = s->next;
    return s;
}

static struct log_site *make(uint8_t level, const char *target)
{
    static const char *const no_fields[] = {NULL};
    const size_t target_size = strlen(target) + 1;
    struct log_site *s = calloc(1, sizeof(*s) + target_size);

    if (!s)
        return NULL;
    target = memcpy(s + 1, target, target_size);
    s->site = (struct cairn_callsite){
        .gate = &cairn_i_gate_new,
        .name = "log",
        .target = target,
        .file = "",
        .fields = no_fields,
        .level = level,
        .kind = CAIRN_CALLSITE_EVENT,
    };
    s->next = log_sites;
    __atomic_store_n(&log_sites, s, __ATOMIC_RELEASE);
    return s;
}

static struct cairn_callsite *site_for(uint8_t level, const char *target)
{
    struct log_site *s = find(level, target);

    if (!s) {
        (void)pthread_mutex_lock(&mutex);
        s = find(level, target);
        s = s ? s : make(level, target);
        (void)pthread_mutex_unlock(&mutex);
    }
    return s ? &s->site : NULL;
}

void cairn_tracing_vlog(int priority, const char *target, const char *format, va_list arguments)
{
    static const struct cairn_i_relation here = {.is_explicit = false};
    struct cairn_callsite *site = site_for(level_of(priority), target ? target : "log");

    if (site && cairn_i_callsite_on(site))
        cairn_i_event_vprintf(site, NULL, &here, format, arguments);
}

void cairn_tracing_log(int priority, const char *target, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    cairn_tracing_vlog(priority, target, format, arguments);
    va_end(arguments);
}
