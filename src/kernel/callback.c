/* SPDX-License-Identifier: MIT */
/* Adding and removing callbacks of events. */
#include "core/atomic.h"
#include "kernel/event_state.h"
#include "kernel/section.h"

static struct cairn_trace_callback *make(const struct cairn_trace *trace, void (*function)(void),
                                         void *data, int32_t priority)
{
    struct cairn_trace_callback *callback = kernel_trace_allocate(trace, sizeof(*callback));

    if (callback)
        *callback = (struct cairn_trace_callback){NULL, function, data, priority};
    return callback;
}

int cairn_trace_event_callback_add(struct cairn_trace_event *event,
                                   enum cairn_trace_callback_kind kind, void (*function)(void),
                                   void *data, int32_t priority)
{
    struct kernel_change change = {.kind = kind};
    int err;

    if (!event->trace || !function || (uint32_t)kind >= CAIRN_TRACE_CALLBACK_KINDS)
        return EINVAL;
    change.callback = make(event->trace, function, data, priority);
    if (!change.callback)
        return ENOMEM;
    err = kernel_trace_change(event, &change);
    if (!err)
        return kernel_trace_apply_one(event);
    kernel_trace_discard(event->trace, change.callback);
    return err;
}

/*
 * States that are derived from one share its callbacks: a function that is set to NULL is NULL in
 * all of them.
 */
static int take_away(const struct cairn_trace_event *event, enum cairn_trace_callback_kind kind,
                     void (*function)(void), const void *data)
{
    const struct cairn_trace_state *state;
    struct kernel_section section;
    struct cairn_trace_callback *callback = NULL;
    int err = ENOENT;

    kernel_section_enter(event->trace, &section);
    state = core_load_acquire(&event->state);
    if (state)
        callback = kernel_state_find(state, kind, function, data);
    if (callback && core_compare_exchange_seq_cst(&callback->function, &function, NULL))
        err = 0;
    kernel_section_leave(&section);
    return err;
}

int cairn_trace_event_callback_remove(struct cairn_trace_event *event,
                                      enum cairn_trace_callback_kind kind, void (*function)(void),
                                      void *data)
{
    const struct kernel_change none = {0};
    int err;

    if (!event->trace || !function || (uint32_t)kind >= CAIRN_TRACE_CALLBACK_KINDS)
        return ENOENT;
    err = take_away(event, kind, function, data);
    if (err)
        return err;
    /*
     * If there is no memory for a state without the callback, the old state stays, in which its
     * function is NULL.
     */
    (void)kernel_state_change(event, &none);
    kernel_trace_defer(event);
    return cairn_trace_synchronize(event->trace);
}
