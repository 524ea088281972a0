/* SPDX-License-Identifier: MIT */
/* The states of threads. Each thread has an open state in a hash table; an event of the scheduler
 * ends it and begins the next one. */
#include "timeline/states.h"

#include "decode/switches.h"
#include "timeline/sched_event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256u
#define CPUS_MAX    8192u /* further ones are not checked */

struct timeline_states {
    timeline_state_fn *fn;
    void *context;
    struct cairn_items *items;
    struct timeline_sched_reader reader;
    struct timeline_state *threads; /* slot_count, a power of two; free where tid is 0 */
    uint32_t slot_count;
    uint32_t count;
    uint32_t *running; /* by CPU: the thread that entered it last; 0: unknown, or idle */
    uint32_t cpu_count;
    struct timeline_moment last; /* of the scheduler's events */
};

int timeline_states_create(timeline_state_fn *fn, void *context,
                           struct timeline_states **ret_states)
{
    struct timeline_states *states = (struct timeline_states *)calloc(1, sizeof(*states));
    int err;

    if (!states)
        return ENOMEM;
    err = cairn_items_create(&states->items);
    if (err) {
        free(states);
        return err;
    }
    states->fn = fn;
    states->context = context;
    *ret_states = states;
    return 0;
}

void timeline_states_destroy(struct timeline_states *states)
{
    if (!states)
        return;
    cairn_items_destroy(states->items);
    free(states->threads);
    free(states->running);
    free(states);
}

/* Returns the slot of a thread: its own, or a free one. */
static struct timeline_state *slot_of(const struct timeline_states *states, uint32_t tid)
{
    uint32_t at = tid * 0x9e3779b1u & (states->slot_count - 1);

    while (states->threads[at].tid && states->threads[at].tid != tid)
        at = (at + 1) & (states->slot_count - 1);
    return &states->threads[at];
}

static int grow(struct timeline_states *states)
{
    uint32_t old_count = states->slot_count;
    struct timeline_state *old = states->threads;
    uint32_t slot_count = old_count ? 2 * old_count : FIRST_SLOTS;
    struct timeline_state *threads = (struct timeline_state *)calloc(slot_count, sizeof(*threads));

    if (!threads)
        return ENOMEM;
    states->threads = threads;
    states->slot_count = slot_count;
    for (uint32_t n = 0; n < old_count; n++) {
        if (old[n].tid)
            *slot_of(states, old[n].tid) = old[n];
    }
    free(old);
    return 0;
}

/* Returns 0, ENOMEM. */
static int find(struct timeline_states *states, uint32_t tid, struct timeline_state **ret_thread)
{
    if (2 * states->count >= states->slot_count && grow(states))
        return ENOMEM;
    *ret_thread = slot_of(states, tid);
    if (!(*ret_thread)->tid) {
        states->count++;
        **ret_thread = (struct timeline_state){.tid = tid, .cpu = UINT32_MAX};
    }
    return 0;
}

static bool has_begun(const struct timeline_state *thread)
{
    return thread->start.ns;
}

/* Passes on a state that lasted up to the last event. */
static int end(const struct timeline_states *states, struct timeline_state *thread)
{
    uint64_t duration_ns = 0; /* also if the events are not in the order of time */

    (void)timeline_duration(&thread->start, &states->last, &duration_ns);
    thread->stop_ns = thread->start.ns + duration_ns;
    return states->fn(states->context, thread);
}

/* Ends the thread's state, if one has begun, and begins another. */
static int change(struct timeline_states *states, struct timeline_state *thread,
                  const struct timeline_sched_thread *from, enum timeline_state_kind kind)
{
    int err = has_begun(thread) ? end(states, thread) : 0;

    thread->kind = kind;
    thread->start = states->last;
    thread->waker = 0;
    thread->preempted = false;
    thread->priority = from->priority;
    if (*from->comm)
        memcpy(thread->comm, from->comm, sizeof(thread->comm));
    return err;
}

static int leave_cpu(struct timeline_states *states, const struct timeline_sched_event *event,
                     uint32_t cpu)
{
    struct timeline_state *thread;
    enum timeline_state_kind kind = timeline_sched_state(event->prev_state);
    int err;

    if (!event->prev.tid)
        return 0;
    err = find(states, event->prev.tid, &thread);
    if (err)
        return err;
    err = change(states, thread, &event->prev, kind);
    thread->cpu = cpu;
    thread->preempted = kind == TIMELINE_RUNNABLE;
    return err;
}

static int enter_cpu(struct timeline_states *states, const struct timeline_sched_event *event,
                     uint32_t cpu)
{
    struct timeline_state *thread;
    int err;

    if (!event->next.tid)
        return 0;
    err = find(states, event->next.tid, &thread);
    if (err)
        return err;
    err = change(states, thread, &event->next, TIMELINE_RUNNING);
    thread->cpu = cpu;
    return err;
}

/* The first of sched_waking and the sched_wakeup that follows it counts. */
static int wake(struct timeline_states *states, const struct timeline_sched_event *event,
                uint32_t waker)
{
    struct timeline_state *thread;
    int err;

    if (!event->next.tid)
        return 0;
    err = find(states, event->next.tid, &thread);
    if (err || (has_begun(thread) &&
                (thread->kind == TIMELINE_RUNNING || thread->kind == TIMELINE_RUNNABLE)))
        return err;
    err = change(states, thread, &event->next, TIMELINE_RUNNABLE);
    thread->waker = waker;
    return err;
}

static int make_space_for_cpu(struct timeline_states *states, uint32_t cpu)
{
    uint32_t count = (cpu | 15) + 1;
    uint32_t *running;

    if (cpu < states->cpu_count)
        return 0;
    running = (uint32_t *)realloc(states->running, count * sizeof(*running));
    if (!running)
        return ENOMEM;
    memset(running + states->cpu_count, 0, (count - states->cpu_count) * sizeof(*running));
    states->running = running;
    states->cpu_count = count;
    return 0;
}

/* A recording of some threads has the switches away from them only. So another thread that entered
 * a CPU may have left it since: if the next switch there is away from a third one, it is unknown
 * until when it ran. */
static int forget_who_left(struct timeline_states *states, uint32_t prev, uint32_t next,
                           uint32_t cpu)
{
    uint32_t tid;
    int err;

    if (cpu >= CPUS_MAX)
        return 0;
    err = make_space_for_cpu(states, cpu);
    if (err)
        return err;
    tid = states->running[cpu];
    states->running[cpu] = next;
    if (tid && tid != prev && states->slot_count) {
        struct timeline_state *thread = slot_of(states, tid);

        if (thread->tid && thread->kind == TIMELINE_RUNNING && thread->cpu == cpu)
            thread->start.ns = 0;
    }
    return 0;
}

static int continue_on_cpu(struct timeline_states *states, struct timeline_state *thread,
                           const struct timeline_sched_thread *from, uint32_t cpu)
{
    int err;

    if (has_begun(thread) && thread->kind == TIMELINE_RUNNING && thread->cpu == cpu)
        return 0;
    err = forget_who_left(states, 0, from->tid, cpu);
    err = err ? err : change(states, thread, from, TIMELINE_RUNNING);
    thread->cpu = cpu;
    return err;
}

/* A thread's own part of a switch. A sched_switch before it has said more, if it left: why. */
static int half(struct timeline_states *states, const struct cairn_event *event, uint32_t cpu)
{
    struct timeline_sched_thread from = {.tid = event->tid};
    struct decode_switch_data data;
    struct timeline_state *thread;
    int err;

    if (event->data_bytes < sizeof(data) || !(event->has & CAIRN_EVENT_TID) || !event->tid)
        return 0;
    memcpy(&data, event->data, sizeof(data));
    err = find(states, event->tid, &thread);
    if (err)
        return err;
    from.priority = thread->priority;
    if (event->comm)
        (void)strncpy(from.comm, event->comm, sizeof(from.comm) - 1);
    if (data.in)
        return continue_on_cpu(states, thread, &from, cpu);
    if (has_begun(thread) && thread->kind != TIMELINE_RUNNING)
        return 0;
    err = change(states, thread, &from, data.preempted ? TIMELINE_RUNNABLE : TIMELINE_SLEEPING);
    thread->cpu = cpu;
    thread->preempted = data.preempted;
    return err;
}

int timeline_states_event(struct timeline_states *states, const struct cairn_event *event)
{
    enum timeline_sched_kind kind;
    uint32_t cpu = event->has & CAIRN_EVENT_CPU ? event->cpu : UINT32_MAX;
    struct timeline_sched_event sched;
    int err;

    if (!timeline_time_of(event))
        return 0;
    kind = timeline_sched_read(&states->reader, states->items, event, &sched);
    if (kind == TIMELINE_SCHED_NONE)
        return 0;
    states->last = timeline_moment_of(event);
    if (kind == TIMELINE_SCHED_WAKE)
        return wake(states, &sched, event->has & CAIRN_EVENT_TID ? event->tid : 0);
    if (kind == TIMELINE_SCHED_HALF)
        return half(states, event, cpu);
    err = forget_who_left(states, sched.prev.tid, sched.next.tid, cpu);
    err = err ? err : leave_cpu(states, &sched, cpu);
    return err ? err : enter_cpu(states, &sched, cpu);
}

int timeline_states_finish(struct timeline_states *states)
{
    int err = 0;

    for (uint32_t n = 0; n < states->slot_count && !err; n++) {
        struct timeline_state *thread = &states->threads[n];

        if (!thread->tid || !has_begun(thread) || thread->kind == TIMELINE_DEAD)
            continue;
        thread->is_open = true;
        err = end(states, thread);
    }
    return err;
}

const char *timeline_state_name(enum timeline_state_kind kind)
{
    static const char *const names[] = {
        [TIMELINE_RUNNING] = "running",   [TIMELINE_RUNNABLE] = "runnable",
        [TIMELINE_SLEEPING] = "sleeping", [TIMELINE_BLOCKED] = "blocked",
        [TIMELINE_STOPPED] = "stopped",   [TIMELINE_DEAD] = "dead",
        [TIMELINE_PARKED] = "parked",
    };

    return names[kind];
}
