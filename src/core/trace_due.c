/* SPDX-License-Identifier: MIT */
/*
 * What follows a change of an event's state: its static key is switched, memory is released. Both
 * take a caller that may wait for other CPUs; they are left for later where the caller may not.
 */
#include "core/trace_section.h"
#include "core/trace_state.h"

void *cairn_i_trace_allocate(const struct cairn_trace *trace, size_t size_bytes)
{
    return trace->host->allocate ? trace->host->allocate(size_bytes) : NULL;
}

void cairn_i_trace_retire(struct cairn_trace *trace, struct cairn_i_garbage *garbage)
{
    garbage->next = __atomic_load_n(&trace->garbage, __ATOMIC_RELAXED);
    /* Pairs with the acquire in collect. */
    while (!__atomic_compare_exchange_n(&trace->garbage, &garbage->next, garbage, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

static void release(const struct cairn_trace *trace, struct cairn_i_garbage *garbage)
{
    struct cairn_i_garbage *next;

    for (; garbage; garbage = next) {
        next = garbage->next;
        trace->host->release(garbage);
    }
}

void cairn_i_trace_wait_and_collect(struct cairn_trace *trace)
{
    /* What is retired from here on may be seen by sections that begin after the wait began. */
    struct cairn_i_garbage *garbage = __atomic_exchange_n(&trace->garbage, NULL, __ATOMIC_ACQUIRE);

    cairn_i_trace_wait(trace);
    release(trace, garbage);
}

static bool is_listened_to(const struct cairn_trace_event *event)
{
    const struct cairn_trace_state *state;
    struct cairn_i_section section;
    bool listened_to;

    cairn_i_section_enter(event->trace, &section);
    state = __atomic_load_n(&event->state, __ATOMIC_ACQUIRE);
    listened_to = state && state->todo;
    cairn_i_section_leave(&section);
    return listened_to;
}

static int switch_event(struct cairn_trace_event *event, bool on)
{
    struct cairn_trace *trace = event->trace;
    int err = on ? cairn_static_key_enable(trace->keys, &event->key)
                 : cairn_static_key_disable(trace->keys, &event->key);

    if (err)
        return err;
    event->on = on;
    if (trace->host->switch_event)
        trace->host->switch_event(event, on);
    return 0;
}

/*
 * Has an event's key follow its state. When somebody else does so just now, they look once more
 * before they leave: nobody waits.
 */
static int settle(struct cairn_trace_event *event)
{
    uint32_t seen;
    int err = 0;

    if (__atomic_fetch_add(&event->settling, 1, __ATOMIC_ACQ_REL))
        return 0;
    do {
        bool on;

        seen = __atomic_load_n(&event->settling, __ATOMIC_ACQUIRE);
        on = is_listened_to(event);
        if (on != event->on)
            err = switch_event(event, on);
    } while (!__atomic_compare_exchange_n(&event->settling, &seen, 0, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED));
    return err;
}

void cairn_i_trace_put_off(struct cairn_trace_event *event)
{
    struct cairn_trace *trace = event->trace;

    if (__atomic_exchange_n(&event->due, 1, __ATOMIC_ACQ_REL))
        return;
    event->next_due = __atomic_load_n(&trace->due, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&trace->due, &event->next_due, event, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

void cairn_i_trace_settle_due(struct cairn_trace *trace)
{
    struct cairn_trace_event *event;
    struct cairn_trace_event *next;

    __atomic_fetch_add(&trace->settlers, 1, __ATOMIC_RELAXED);
    /* Release: who finds that the list was taken finds the settler too. */
    event = __atomic_exchange_n(&trace->due, NULL, __ATOMIC_ACQ_REL);
    for (; event; event = next) {
        next = event->next_due;
        /* From here on it may be put off again. Pairs with putting it off: its change is seen
         * below. */
        __atomic_exchange_n(&event->due, 0, __ATOMIC_ACQ_REL);
        (void)settle(event);
    }
    __atomic_fetch_sub(&trace->settlers, 1, __ATOMIC_RELEASE);
}

void cairn_i_trace_wait_for_settlers(const struct cairn_trace_event *event)
{
    const struct cairn_trace *trace = event->trace;

    while (__atomic_load_n(&trace->settlers, __ATOMIC_ACQUIRE) ||
           __atomic_load_n(&event->key.queued, __ATOMIC_ACQUIRE) ||
           __atomic_load_n(&trace->keys->patching, __ATOMIC_ACQUIRE)) {
        if (trace->host->relax)
            trace->host->relax();
    }
}

int cairn_i_trace_follow(struct cairn_trace_event *event)
{
    struct cairn_trace *trace = event->trace;
    int err;

    if (!cairn_i_trace_can_wait(trace)) {
        cairn_i_trace_put_off(event);
        return 0;
    }
    err = settle(event);
    if (__atomic_load_n(&trace->due, __ATOMIC_RELAXED))
        cairn_i_trace_settle_due(trace);
    if (__atomic_load_n(&trace->garbage, __ATOMIC_RELAXED))
        cairn_i_trace_wait_and_collect(trace);
    return err;
}

int cairn_i_trace_change(struct cairn_trace_event *event, const struct cairn_i_change *change)
{
    int err = cairn_i_state_change(event, change);

    return err ? err : cairn_i_trace_follow(event);
}

int cairn_trace_synchronize(struct cairn_trace *trace)
{
    if (!cairn_i_trace_can_wait(trace))
        return EINPROGRESS;
    cairn_i_trace_settle_due(trace);
    cairn_i_trace_wait_and_collect(trace);
    return 0;
}
