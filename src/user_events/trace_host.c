/* SPDX-License-Identifier: MIT */
#include "user_events/trace_host.h"

#include "local/engine.h"
#include "local/status.h"
#include "user_events/readers.h"

#include <pthread.h>
#include <stdlib.h>

struct cairn_trace cairn_i_trace_user;

static bool is_forked;

static void after_fork_in_child(void)
{
    is_forked = true;
}

bool cairn_trace_user_is_forked(void)
{
    return is_forked;
}

/* Who writes an event finds out about time and place only when a callback wants to know. */
static void enter(struct cairn_host_context *ret_context)
{
    cairn_readers_enter();
    *ret_context = (struct cairn_host_context){0};
}

/* The tracepoint is enabled for as long as there are callbacks, whoever else listens. */
static void switch_event(struct cairn_trace_event *event, bool on)
{
    cairn_engine_guard guard;

    cairn_engine_lock(&guard);
    if (cairn_i_status || !cairn_status_map(-1))
        cairn_status_set_own(&event->tracepoint, on);
    cairn_engine_unlock(&guard);
}

static const struct cairn_host host = {
    .enter = enter,
    .leave = cairn_readers_leave,
    .allocate = malloc,
    .release = free,
    .synchronize = cairn_readers_wait,
    .entered = cairn_readers_am_inside,
    .switch_event = switch_event,
};

/* Of no events: they come by themselves, and nobody looks them up. */
static void prepare(void)
{
    static uint64_t table[8];
    const struct cairn_trace_config config = {
        .host = &host,
        .table_memory = table,
        .table_bytes = sizeof(table),
    };

    cairn_readers_prepare();
    (void)pthread_atfork(NULL, NULL, after_fork_in_child);
    (void)cairn_trace_init(&cairn_i_trace_user, &config, NULL, NULL);
}

void cairn_trace_user_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, prepare);
}
