/* SPDX-License-Identifier: MIT */
/* The context of a thread: created at its first event or span that a layer wants, freed at its
 * end. */
#ifndef TRACING_THREAD_H
#define TRACING_THREAD_H

#include "tracing/line.h"
#include "user_events/grace_period.h"

#include <cairn/tracing/layer.h>

struct cairn_builder;
struct cairn_span_pool;
struct cairn_scratch;

/* A subscriber that the thread has entered. The address of the scope is only compared: its memory
 * may not exist any more. */
struct cairn_tracing_scope {
    const struct cairn_subscriber_scope *scope;
    struct cairn_subscriber *subscriber;
};

struct cairn_tracing_thread {
    bool is_busy;                /* a layer is processing an event or a span of this thread */
    bool is_cancel_off;          /* cancellation is disabled for layers of others */
    int cancel_state;            /* the state before */
    struct cairn_span **entered; /* with references, the current one last */
    uint32_t entered_count;
    uint32_t entered_capacity;
    struct cairn_tracing_scope *scopes; /* the innermost last */
    uint32_t scope_count;
    uint32_t scope_capacity;
    struct cairn_line message;
    struct cairn_line line; /* for the use of layers */
    struct cairn_span_pool *pool;
    struct cairn_builder *builder;  /* for EventHeader events */
    struct cairn_scratch *scratch;  /* copies of values that a layer reads */
    struct cairn_line read_outside; /* copy of the last value read outside of a layer */
    uint64_t random;                /* state of the generator of ids */
    uint32_t forks;                 /* of the process in which it was seeded */
    uint32_t id;                    /* the kernel's id */
};

/* The context of the calling thread; NULL: it has none yet. */
extern __thread struct cairn_tracing_thread *cairn_i_tracing_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* NULL: no memory, or the thread is ending. */
struct cairn_tracing_thread *cairn_tracing_thread_make(void);

static inline struct cairn_tracing_thread *cairn_tracing_thread_get(void)
{
    struct cairn_tracing_thread *thread = cairn_i_tracing_thread;

    return thread ? thread : cairn_tracing_thread_make();
}

/* True in a layer's callback: the thread may then own the lock, or its owner may be waiting for the
 * callback's end. */
static inline bool cairn_tracing_in_callback(void)
{
    const struct cairn_tracing_thread *thread = cairn_i_tracing_thread;

    return cairn_in_read_section() || (thread && thread->is_busy);
}

/* Allocates memory of the calling thread, aligned for numbers. Valid in a layer's callback until
 * the callbacks for this event or span end, elsewhere until the next call. NULL: no memory. */
void *cairn_tracing_scratch(size_t bytes);
void cairn_scratch_reset(struct cairn_tracing_thread *thread);
void cairn_scratch_free(struct cairn_tracing_thread *thread);

/* The process id, without a system call: a sandbox may forbid it. */
uint32_t cairn_tracing_process_id(void);

/* A number that no other call returns, in this process or another; not 0. */
uint64_t cairn_tracing_random(struct cairn_tracing_thread *thread);

#endif
