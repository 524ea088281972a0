/* SPDX-License-Identifier: MIT */
/* A hash table of threads. The hash is of source and tid alone, so that a thread is found also
 * where its process is not known. */
#include "report/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64u

static uint32_t slot_of(const struct report_threads *threads, uint32_t source, uint32_t tid)
{
    return (tid * 0x9e3779b1u ^ source * 0x85ebca6bu) & (threads->slot_count - 1);
}

static void put(struct report_threads *threads, const struct report_thread *thread)
{
    uint32_t at = slot_of(threads, thread->source, thread->tid);

    while (threads->slots[at])
        at = (at + 1) & (threads->slot_count - 1);
    threads->slots[at] = thread->number + 1;
}

static int grow(struct report_threads *threads)
{
    uint32_t slot_count = threads->slot_count ? 2 * threads->slot_count : FIRST_SLOTS;
    struct report_thread **list = (struct report_thread **)realloc(
        (void *)threads->list, slot_count / 2 * sizeof(*threads->list));
    uint32_t *slots;

    if (!list)
        return ENOMEM;
    threads->list = list;
    slots = (uint32_t *)calloc(slot_count, sizeof(*slots));
    if (!slots)
        return ENOMEM;
    free(threads->slots);
    threads->slots = slots;
    threads->slot_count = slot_count;
    threads->capacity = slot_count / 2;
    for (uint32_t n = 0; n < threads->count; n++)
        put(threads, threads->list[n]);
    return 0;
}

static int add(struct report_threads *threads, uint32_t source, uint32_t pid, uint32_t tid,
               struct report_thread **ret_thread)
{
    struct report_thread *thread;

    if (threads->count == REPORT_THREADS_MAX) {
        *ret_thread = threads->list[threads->count - 1];
        return 0;
    }
    if (threads->count == threads->capacity && grow(threads))
        return ENOMEM;
    thread = (struct report_thread *)calloc(1, sizeof(*thread));
    if (!thread)
        return ENOMEM;
    thread->source = source;
    thread->pid = pid;
    thread->tid = tid;
    thread->number = threads->count;
    thread->events_track = REPORT_NO_TRACK;
    thread->states_track = REPORT_NO_TRACK;
    for (uint32_t n = 0; n < REPORT_LANES; n++)
        thread->lanes[n] = REPORT_NO_TRACK;
    threads->list[threads->count++] = thread;
    put(threads, thread);
    *ret_thread = thread;
    return 0;
}

/* A thread whose process was not known gets it. */
static struct report_thread *find_exactly(const struct report_threads *threads, uint32_t source,
                                          uint32_t pid, uint32_t tid)
{
    struct report_thread *without_process = NULL;
    uint32_t at;

    if (!threads->slot_count)
        return NULL;
    at = slot_of(threads, source, tid);
    for (; threads->slots[at]; at = (at + 1) & (threads->slot_count - 1)) {
        struct report_thread *one = threads->list[threads->slots[at] - 1];

        if (one->tid != tid || one->source != source)
            continue;
        if (one->pid == pid)
            return one;
        if (!one->pid && tid)
            without_process = one;
    }
    if (without_process)
        without_process->pid = pid;
    return without_process;
}

int report_threads_find(struct report_threads *threads, uint32_t source, uint32_t pid, uint32_t tid,
                        struct report_thread **ret_thread)
{
    struct report_thread *thread = threads->last;
    int err;

    if (thread && thread->tid == tid && thread->pid == pid && thread->source == source) {
        *ret_thread = thread;
        return 0;
    }
    thread = find_exactly(threads, source, pid, tid);
    err = thread ? 0 : add(threads, source, pid, tid, &thread);
    if (err)
        return err;
    threads->last = thread;
    *ret_thread = thread;
    return 0;
}

struct report_thread *report_threads_find_tid(const struct report_threads *threads, uint32_t source,
                                              uint32_t tid)
{
    struct report_thread *newest = NULL;
    uint32_t at;

    if (!threads->slot_count)
        return NULL;
    at = slot_of(threads, source, tid);
    while (threads->slots[at]) {
        struct report_thread *one = threads->list[threads->slots[at] - 1];

        if (one->tid == tid && one->source == source && (!newest || one->number > newest->number))
            newest = one;
        at = (at + 1) & (threads->slot_count - 1);
    }
    return newest;
}

void report_thread_set_comm(struct report_thread *thread, const char *comm)
{
    if (comm && *comm && strncmp(comm, thread->comm, REPORT_COMM_BYTES - 1)) {
        strncpy(thread->comm, comm, REPORT_COMM_BYTES - 1);
        thread->comm[REPORT_COMM_BYTES - 1] = 0;
    }
}

void report_threads_free(struct report_threads *threads)
{
    for (uint32_t n = 0; n < threads->count; n++)
        free(threads->list[n]);
    free((void *)threads->list);
    free(threads->slots);
    *threads = (struct report_threads){0};
}
