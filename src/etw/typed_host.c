/* SPDX-License-Identifier: MIT */
/* A program as the host of its own typed tracepoints: callbacks, but no rings.
 * user_events/trace_host.c is the same for Linux. */
#include "core/atomic.h"
#include "etw/typed.h"
#include "user_events/grace_period.h"

#include <pthread.h>
#include <stdlib.h>

struct cairn_trace etw_typed_trace;

/* Time, process and CPU are determined only if a callback asks for them. */
static void enter(struct cairn_host_context *ret_context)
{
    user_events_read_section_enter();
    *ret_context = (struct cairn_host_context){0};
}

/* The tracepoint is enabled as long as it has callbacks, independently of the sessions. */
static void switch_event(struct cairn_trace_event *event, bool on)
{
    struct etw_typed *typed = core_load_acquire(&event->tracepoint.local);

    if (typed && on)
        core_fetch_or_release(&typed->status, ETW_TYPED_CALLBACKS);
    else if (typed)
        core_fetch_and_release(&typed->status, (unsigned char)~ETW_TYPED_CALLBACKS);
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
    static uint64_t table[8];
    const struct cairn_trace_config config = {
        .host = &host,
        .table_memory = table,
        .table_bytes = sizeof(table),
    };

    (void)cairn_trace_init(&etw_typed_trace, &config, NULL, NULL);
}

void etw_typed_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, prepare);
}
