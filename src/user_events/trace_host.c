/* SPDX-License-Identifier: MIT */
/* A program as the host of its own typed tracepoints: callbacks, but no rings. */
#include "user_events/trace_host.h"

#include "kernel/event_state.h"
#include "engine/engine.h"
#include "engine/status.h"
#include "user_events/grace_period.h"

#include <pthread.h>
#include <stdlib.h>

struct cairn_trace user_events_trace_user;

struct user_events_trace_registered *user_events_trace_registered;

/* The thread that was changing the event does not exist in the child: the child completes the
 * change when it next changes or synchronizes. */
static void take_over(struct cairn_trace_event *event)
{
    bool is_half_changed = event->switching || event->deferred;

    event->switching = 0;
    event->deferred = 0;
    event->key.queued = 0;
    event->key.count = event->on;
    if (is_half_changed)
        kernel_trace_defer(event);
}

static void become_child(void)
{
    user_events_trace_user.deferred = NULL;
    user_events_trace_user.switchers = 0;
    user_events_trace_user.keys->pending = NULL;
    user_events_trace_user.keys->patching = 0;
    for (struct user_events_trace_registered *r = user_events_trace_registered; r; r = r->next)
        take_over(r->event);
}

/* Time, process and CPU are determined only if a callback asks for them. */
static void enter(struct cairn_host_context *ret_context)
{
    user_events_read_section_enter();
    *ret_context = (struct cairn_host_context){0};
}

/* The tracepoint is enabled as long as it has callbacks, independently of the backends. */
static void switch_event(struct cairn_trace_event *event, bool on)
{
    engine_lock_state lock_state;

    engine_lock(&lock_state);
    if (engine_status || !engine_status_map(-1))
        engine_status_set_own(&event->tracepoint, on);
    engine_unlock(&lock_state);
}

static const struct cairn_host host = {
    .enter = enter,
    .leave = user_events_read_section_leave,
    .allocate = malloc,
    .release = free,
    .synchronize = user_events_grace_period_wait,
    .entered = user_events_in_read_section,
    .switch_event = switch_event,
};

/* The trace begins without events: they add themselves, and are never looked up. */
static void prepare(void)
{
    static struct engine_fork_hook fork_hook = {.in_child = become_child};
    static uint64_t table[8];
    const struct cairn_trace_config config = {
        .host = &host,
        .table_memory = table,
        .table_bytes = sizeof(table),
    };

    (void)cairn_trace_init(&user_events_trace_user, &config, NULL, NULL);
    engine_fork_hook_add(&fork_hook);
}

void user_events_trace_user_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, prepare);
}
