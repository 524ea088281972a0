/* SPDX-License-Identifier: MIT */
/*
 * What follows a change of an event's state: its static key is switched, memory is released. Both
 * take a caller that may wait for other CPUs; they are left for later where the caller may not. A
 * change of many events is followed once: one round of patching, one grace period.
 */
#include "kernel/static_key_batch.h"
#include "kernel/section.h"
#include "kernel/event_state.h"

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

void cairn_i_trace_discard(struct cairn_trace *trace, void *memory)
{
    if (memory && cairn_i_trace_can_wait(trace))
        trace->host->release(memory);
    else if (memory)
        cairn_i_trace_retire(trace, memory);
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

/* Decides what the event's key has to be, and queues it if that is a change. */
static void begin_switch(struct cairn_trace_event *event)
{
    int err = 0;

    /* From here on others that change the event's state raise `settling` above 1. */
    __atomic_exchange_n(&event->settling, 1, __ATOMIC_ACQ_REL);
    event->wanted = is_listened_to(event);
    if (event->wanted != event->on)
        err = cairn_i_static_key_queue(event->trace->keys, &event->key, event->wanted);
    __atomic_store_n(&event->error, err, __ATOMIC_RELAXED);
}

static int finish_switch(struct cairn_trace_event *event, bool patched)
{
    struct cairn_trace *trace = event->trace;
    int err = __atomic_load_n(&event->error, __ATOMIC_RELAXED);

    if (event->wanted == event->on || err)
        return err;
    err = cairn_i_static_key_finish(trace->keys, &event->key, event->wanted, patched);
    __atomic_store_n(&event->error, err, __ATOMIC_RELAXED);
    if (err)
        return err;
    event->on = event->wanted;
    if (trace->host->switch_event)
        trace->host->switch_event(event, event->on);
    return 0;
}

/*
 * Has the keys of a batch follow their events' states, with one round of patching for all of them.
 * An event whose state was changed meanwhile goes round once more: whoever changed it has not
 * waited. Returns the first error.
 */
static int settle(struct cairn_trace *trace, struct cairn_trace_event *batch)
{
    int first_err = 0;

    while (batch) {
        struct cairn_trace_event *again = NULL;
        struct cairn_trace_event *next;
        bool patched;

        for (struct cairn_trace_event *event = batch; event; event = event->next_batch)
            begin_switch(event);
        patched = cairn_i_static_keys_patch(trace->keys);
        for (; batch; batch = next) {
            uint32_t alone = 1;
            int err = finish_switch(batch, patched);

            next = batch->next_batch;
            if (!first_err)
                first_err = err;
            if (__atomic_compare_exchange_n(&batch->settling, &alone, 0, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED))
                continue;
            batch->next_batch = again;
            again = batch;
        }
        batch = again;
    }
    return first_err;
}

void cairn_i_trace_put_off(struct cairn_trace_event *event)
{
    struct cairn_trace *trace = event->trace;

    __atomic_store_n(&event->error, 0, __ATOMIC_RELAXED);
    if (__atomic_exchange_n(&event->due, 1, __ATOMIC_ACQ_REL))
        return;
    event->next_due = __atomic_load_n(&trace->due, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&trace->due, &event->next_due, event, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

int cairn_i_trace_settle_due(struct cairn_trace *trace)
{
    struct cairn_trace_event *batch = NULL;
    struct cairn_trace_event *event;
    struct cairn_trace_event *next;
    int err;

    __atomic_fetch_add(&trace->settlers, 1, __ATOMIC_RELAXED);
    /* Release: who finds that the list was taken finds the settler too. */
    event = __atomic_exchange_n(&trace->due, NULL, __ATOMIC_ACQ_REL);
    for (; event; event = next) {
        next = event->next_due;
        /* From here on it may be put off again. Pairs with putting it off: its change is seen
         * below. */
        __atomic_exchange_n(&event->due, 0, __ATOMIC_ACQ_REL);
        /* Whoever has it in a batch already looks at it once more. */
        if (__atomic_fetch_add(&event->settling, 1, __ATOMIC_ACQ_REL))
            continue;
        event->next_batch = batch;
        batch = event;
    }
    err = settle(trace, batch);
    __atomic_fetch_sub(&trace->settlers, 1, __ATOMIC_RELEASE);
    return err;
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

int cairn_i_trace_follow(struct cairn_trace *trace)
{
    bool can_wait = cairn_i_trace_can_wait(trace);
    /* Keys that are only counted concern no other CPU. */
    bool can_settle =
        can_wait || (trace->keys->start == trace->keys->stop && !trace->host->switch_event);
    int err = 0;

    if (can_settle && __atomic_load_n(&trace->due, __ATOMIC_RELAXED))
        err = cairn_i_trace_settle_due(trace);
    if (can_wait && __atomic_load_n(&trace->garbage, __ATOMIC_RELAXED))
        cairn_i_trace_wait_and_collect(trace);
    return err;
}

int cairn_i_trace_change(struct cairn_trace_event *event, const struct cairn_i_change *change)
{
    int err = cairn_i_state_change(event, change);

    if (!err)
        cairn_i_trace_put_off(event);
    return err;
}

int cairn_i_trace_follow_one(struct cairn_trace_event *event)
{
    (void)cairn_i_trace_follow(event->trace);
    return __atomic_load_n(&event->error, __ATOMIC_RELAXED);
}

int cairn_trace_synchronize(struct cairn_trace *trace)
{
    if (!cairn_i_trace_can_wait(trace))
        return EINPROGRESS;
    (void)cairn_i_trace_settle_due(trace);
    cairn_i_trace_wait_and_collect(trace);
    return 0;
}
