/* SPDX-License-Identifier: MIT */
/*
 * Deferred work after a change of an event's state: its static key is switched, memory is released.
 * Both need a caller that may wait for other CPUs; otherwise they are left to a later caller. A
 * change of many events takes one round of patching and one grace period.
 */
#include "core/atomic.h"
#include "kernel/event_state.h"
#include "kernel/section.h"
#include "kernel/static_key_batch.h"

void *kernel_trace_allocate(const struct cairn_trace *trace, size_t size_bytes)
{
    return trace->host->allocate ? trace->host->allocate(size_bytes) : NULL;
}

void kernel_trace_retire(struct cairn_trace *trace, struct cairn_i_garbage *garbage)
{
    garbage->next = core_load_relaxed(&trace->garbage);
    /* Pairs with the acquire in collect. */
    while (!core_compare_exchange_release(&trace->garbage, &garbage->next, garbage))
        ;
}

void kernel_trace_discard(struct cairn_trace *trace, void *memory)
{
    if (memory && kernel_trace_can_wait(trace))
        trace->host->release(memory);
    else if (memory)
        kernel_trace_retire(trace, memory);
}

static void release(const struct cairn_trace *trace, struct cairn_i_garbage *garbage)
{
    struct cairn_i_garbage *next;

    for (; garbage; garbage = next) {
        next = garbage->next;
        trace->host->release(garbage);
    }
}

void kernel_trace_wait_and_collect(struct cairn_trace *trace)
{
    /*
     * Memory that is retired from here on may be in use by sections that begin after the wait
     * began.
     */
    struct cairn_i_garbage *garbage = core_exchange_acquire(&trace->garbage, NULL);

    kernel_trace_wait(trace);
    release(trace, garbage);
}

static bool is_listened_to(const struct cairn_trace_event *event)
{
    const struct cairn_trace_state *state;
    struct kernel_section section;
    bool listened_to;

    kernel_section_enter(event->trace, &section);
    state = core_load_acquire(&event->state);
    listened_to = state && state->todo;
    kernel_section_leave(&section);
    return listened_to;
}

/* Determines the wanted state of the event's key, and queues the key if that is a change. */
static void begin_switch(struct cairn_trace_event *event)
{
    int err = 0;

    /* From here on others that change the event's state raise `switching` above 1. */
    core_exchange_acq_rel(&event->switching, 1);
    event->wanted = is_listened_to(event);
    if (event->wanted != event->on)
        err = kernel_static_key_queue(event->trace->keys, &event->key, event->wanted);
    core_store_relaxed(&event->error, err);
}

static int finish_switch(struct cairn_trace_event *event, bool patched)
{
    struct cairn_trace *trace = event->trace;
    int err = core_load_relaxed(&event->error);

    if (event->wanted == event->on || err)
        return err;
    err = kernel_static_key_finish(trace->keys, &event->key, event->wanted, patched);
    core_store_relaxed(&event->error, err);
    if (err)
        return err;
    event->on = event->wanted;
    if (trace->host->switch_event)
        trace->host->switch_event(event, event->on);
    return 0;
}

/*
 * Switches the keys of a batch to match their events' states, with one round of patching for all of
 * them. An event whose state was changed meanwhile is processed again, because the CPU that changed
 * it did not wait. Returns the first error.
 */
static int switch_keys(struct cairn_trace *trace, struct cairn_trace_event *batch)
{
    int first_err = 0;

    while (batch) {
        struct cairn_trace_event *again = NULL;
        struct cairn_trace_event *next;
        bool patched;

        for (struct cairn_trace_event *event = batch; event; event = event->next_batch)
            begin_switch(event);
        patched = kernel_static_keys_patch(trace->keys);
        for (; batch; batch = next) {
            uint32_t alone = 1;
            int err = finish_switch(batch, patched);

            next = batch->next_batch;
            if (!first_err)
                first_err = err;
            if (core_compare_exchange_acq_rel(&batch->switching, &alone, 0))
                continue;
            batch->next_batch = again;
            again = batch;
        }
        batch = again;
    }
    return first_err;
}

void kernel_trace_defer(struct cairn_trace_event *event)
{
    struct cairn_trace *trace = event->trace;

    core_store_relaxed(&event->error, 0);
    if (core_exchange_acq_rel(&event->deferred, 1))
        return;
    event->next_deferred = core_load_relaxed(&trace->deferred);
    while (!core_compare_exchange_release(&trace->deferred, &event->next_deferred, event))
        ;
}

int kernel_trace_switch_deferred(struct cairn_trace *trace)
{
    struct cairn_trace_event *batch = NULL;
    struct cairn_trace_event *event;
    struct cairn_trace_event *next;
    int err;

    core_fetch_add_relaxed(&trace->switchers, 1);
    /* Release: who finds that the list was taken finds the settler too. */
    event = core_exchange_acq_rel(&trace->deferred, NULL);
    for (; event; event = next) {
        next = event->next_deferred;
        /*
         * From here on the event may be deferred again. Pairs with the exchange in defer: the
         * change before it is seen below.
         */
        core_exchange_acq_rel(&event->deferred, 0);
        /* The CPU that has it in a batch processes it again. */
        if (core_fetch_add_acq_rel(&event->switching, 1))
            continue;
        event->next_batch = batch;
        batch = event;
    }
    err = switch_keys(trace, batch);
    core_fetch_sub_release(&trace->switchers, 1);
    return err;
}

void kernel_trace_wait_for_switches(const struct cairn_trace_event *event)
{
    const struct cairn_trace *trace = event->trace;

    while (core_load_acquire(&trace->switchers) || core_load_acquire(&event->key.queued) ||
           core_load_acquire(&trace->keys->patching)) {
        if (trace->host->relax)
            trace->host->relax();
    }
}

int kernel_trace_apply(struct cairn_trace *trace)
{
    bool can_wait = kernel_trace_can_wait(trace);
    /* Keys without sites need no other CPU. */
    bool can_switch =
        can_wait || (trace->keys->start == trace->keys->stop && !trace->host->switch_event);
    int err = 0;

    if (can_switch && core_load_relaxed(&trace->deferred))
        err = kernel_trace_switch_deferred(trace);
    if (can_wait && core_load_relaxed(&trace->garbage))
        kernel_trace_wait_and_collect(trace);
    return err;
}

int kernel_trace_change(struct cairn_trace_event *event, const struct kernel_change *change)
{
    int err = kernel_state_change(event, change);

    if (!err)
        kernel_trace_defer(event);
    return err;
}

int kernel_trace_apply_one(struct cairn_trace_event *event)
{
    (void)kernel_trace_apply(event->trace);
    return core_load_relaxed(&event->error);
}

int cairn_trace_synchronize(struct cairn_trace *trace)
{
    if (!kernel_trace_can_wait(trace))
        return EINPROGRESS;
    (void)kernel_trace_switch_deferred(trace);
    kernel_trace_wait_and_collect(trace);
    return 0;
}
