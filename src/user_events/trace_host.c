/* SPDX-License-Identifier: MIT */
#include "user_events/trace_host.h"

#include "kernel/event_state.h"
#include "engine/engine.h"
#include "engine/status.h"
#include "user_events/readers.h"

#include <pthread.h>
#include <stdlib.h>

struct cairn_trace cairn_i_trace_user;

struct cairn_trace_registered *cairn_i_trace_registered;

/* Whoever was switching the event is not in the child: the child does so when it next changes or
 * synchronizes. */
static void take_over(struct cairn_trace_event *event)
{
    bool is_half_changed = event->settling || event->due;

    event->settling = 0;
    event->due = 0;
    event->key.queued = 0;
    event->key.count = event->on;
    if (is_half_changed)
        cairn_i_trace_put_off(event);
}

static void become_child(void)
{
    cairn_i_trace_user.due = NULL;
    cairn_i_trace_user.settlers = 0;
    cairn_i_trace_user.keys->pending = NULL;
    cairn_i_trace_user.keys->patching = 0;
    for (struct cairn_trace_registered *r = cairn_i_trace_registered; r; r = r->next)
        take_over(r->event);
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
    cairn_engine_lock_state lock_state;

    cairn_engine_lock(&lock_state);
    if (cairn_i_status || !cairn_status_map(-1))
        cairn_status_set_own(&event->tracepoint, on);
    cairn_engine_unlock(&lock_state);
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
    static struct cairn_fork_hook fork_hook = {.in_child = become_child};
    static uint64_t table[8];
    const struct cairn_trace_config config = {
        .host = &host,
        .table_memory = table,
        .table_bytes = sizeof(table),
    };

    (void)cairn_trace_init(&cairn_i_trace_user, &config, NULL, NULL);
    cairn_fork_hook_add(&fork_hook);
}

void cairn_trace_user_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, prepare);
}
