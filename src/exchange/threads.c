/* SPDX-License-Identifier: MIT */
/* The threads that events are from: a hash table that grows. */
#include "exchange/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256u

static uint32_t slot_of(const struct exchange_threads *threads, uint32_t pid, uint32_t tid)
{
    uint64_t key = ((uint64_t)pid << 32 | tid) * 0x9e3779b97f4a7c15u;

    return (uint32_t)(key >> 32) & (threads->slot_count - 1);
}

/* Returns the slot of a thread, or the free one that it belongs in. */
static struct exchange_thread **find(const struct exchange_threads *threads, uint32_t pid,
                                     uint32_t tid)
{
    uint32_t n = slot_of(threads, pid, tid);

    while (threads->slots[n] && (threads->slots[n]->pid != pid || threads->slots[n]->tid != tid))
        n = (n + 1) & (threads->slot_count - 1);
    return &threads->slots[n];
}

static int grow(struct exchange_threads *threads)
{
    struct exchange_threads bigger = *threads;

    bigger.slot_count = threads->slot_count ? 2 * threads->slot_count : FIRST_SLOTS;
    bigger.slots = (struct exchange_thread **)calloc(bigger.slot_count, sizeof(*bigger.slots));
    if (!bigger.slots)
        return ENOMEM;
    for (uint32_t n = 0; n < threads->slot_count; n++) {
        struct exchange_thread *thread = threads->slots[n];

        if (thread)
            *find(&bigger, thread->pid, thread->tid) = thread;
    }
    free((void *)threads->slots);
    *threads = bigger;
    return 0;
}

static int find_or_add(struct exchange_threads *threads, uint32_t pid, uint32_t tid,
                       struct exchange_thread **ret_thread)
{
    struct exchange_thread **slot;
    int err = 0;

    if (2 * (threads->count + 1) > threads->slot_count)
        err = grow(threads);
    if (err)
        return err;
    slot = find(threads, pid, tid);
    if (!*slot) {
        *slot = (struct exchange_thread *)calloc(1, sizeof(**slot));
        if (!*slot)
            return ENOMEM;
        (*slot)->pid = pid;
        (*slot)->tid = tid;
        (*slot)->number = threads->count++;
    }
    *ret_thread = *slot;
    return 0;
}

static void set_comm(struct exchange_thread *thread, const char *comm)
{
    size_t length = comm ? strnlen(comm, EXCHANGE_COMM_BYTES - 1) : 0;

    if (!comm || (!memcmp(thread->comm, comm, length) && !thread->comm[length]))
        return;
    memcpy(thread->comm, comm, length);
    thread->comm[length] = 0;
    thread->is_described = false;
}

int exchange_threads_of(struct exchange_threads *threads, const struct cairn_event *event,
                        struct exchange_thread **ret_thread)
{
    struct exchange_thread *thread = threads->last;
    int err = 0;

    if (!thread || thread->tid != event->tid || thread->pid != event->pid)
        err = find_or_add(threads, event->pid, event->tid, &thread);
    if (err)
        return err;
    set_comm(thread, event->comm);
    threads->last = thread;
    *ret_thread = thread;
    return 0;
}

int exchange_threads_find(struct exchange_threads *threads, uint32_t pid, uint32_t tid,
                          struct exchange_thread **ret_thread)
{
    return find_or_add(threads, pid, tid, ret_thread);
}

int exchange_threads_process_of(struct exchange_threads *threads,
                                const struct exchange_thread *thread,
                                struct exchange_thread **ret_process)
{
    struct exchange_thread *process;
    int err = find_or_add(threads, thread->pid, EXCHANGE_PROCESS, &process);

    if (err)
        return err;
    if (thread->pid == thread->tid || !*process->comm)
        set_comm(process, thread->comm);
    *ret_process = process;
    return 0;
}

void exchange_threads_free(struct exchange_threads *threads)
{
    for (uint32_t n = 0; n < threads->slot_count; n++) {
        if (threads->slots[n])
            free(threads->slots[n]->data);
        free(threads->slots[n]);
    }
    free((void *)threads->slots);
    *threads = (struct exchange_threads){0};
}
