/* SPDX-License-Identifier: MIT */
/* The context of a thread: created when it first needs one, freed at its end. */
#include "tracing/thread.h"

#include "engine/locks.h"
#include "os/random.h"
#include "tracing/registry.h"
#include "tracing/span.h"
#include "tracing/subscriber.h"
#include "user_events/grace_period.h"

#include <cairn/eventheader_dynamic.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

__thread struct tracing_thread *tracing_thread_self;

/* Destructors of other libraries may emit after this one's was called: a second context would never
 * be freed. */
static __thread bool is_ending;

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static bool has_key;
static uint32_t process_id;

static void unmake(void *memory)
{
    struct tracing_thread *thread = memory;

    thread->is_busy = false; /* it may have ended in a layer's callback */
    while (thread->entered_count)
        tracing_span_leave_at_end(thread, thread->entered[thread->entered_count - 1]);
    tracing_subscriber_leave_all(thread);
    tracing_thread_self = NULL;
    is_ending = true;
    tracing_span_pool_leave(thread->pool);
    free(thread->entered);
    tracing_line_free(&thread->message);
    tracing_line_free(&thread->line);
    tracing_line_free(&thread->read_outside);
    tracing_scratch_free(thread);
    cairn_builder_destroy(thread->builder);
    user_events_read_section_return_slot();
    free(thread);
}

/* Runs in a forked child, whose only thread is the calling one. */
static void become_child(void)
{
    process_id = (uint32_t)getpid();
    if (tracing_thread_self)
        tracing_thread_self->id = process_id;
}

uint32_t tracing_process_id(void)
{
    return process_id;
}

static void make_key(void)
{
    static struct engine_fork_hook fork_hook = {.in_child = become_child};

    process_id = (uint32_t)getpid();
    engine_fork_hook_add(&fork_hook);
    has_key = pthread_key_create(&key, unmake) == 0;
}

/* A library that contains this code may be unloaded: threads that end later must not call it. */
static __attribute__((destructor)) void forget_key(void)
{
    if (has_key)
        (void)pthread_key_delete(key);
    has_key = false;
}

struct tracing_thread *tracing_thread_make(void)
{
    struct tracing_thread *thread;

    if (is_ending)
        return NULL;
    (void)pthread_once(&key_once, make_key);
    if (!has_key)
        return NULL;
    thread = calloc(1, sizeof(*thread));
    if (!thread)
        return NULL;
    if (pthread_setspecific(key, thread)) {
        free(thread);
        return NULL;
    }
    thread->id = os_tid_of_kernel();
    os_signals_read(&thread->blocked_at_first);
    user_events_read_section_take_slot();
    tracing_thread_self = thread;
    return thread;
}

static void seed(struct tracing_thread *thread)
{
    thread->forks = engine_forks;
    thread->random = os_random();
}

/* splitmix64: each state occurs once in 2^64, and is well mixed. */
uint64_t tracing_random(struct tracing_thread *thread)
{
    uint64_t number;

    if (!thread->random || thread->forks != engine_forks)
        seed(thread);
    thread->random += 0x9e3779b97f4a7c15u;
    number = thread->random;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
    number ^= number >> 31;
    return number ? number : 1;
}
