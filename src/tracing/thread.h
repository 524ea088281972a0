/* SPDX-License-Identifier: MIT */
/* The context of a thread: created at its first event or span that a layer wants, freed at its
 * end. */
#ifndef TRACING_THREAD_H
#define TRACING_THREAD_H

#include "os/thread.h"
#include "tracing/line.h"
#include "user_events/grace_period.h"

#include <cairn/tracing/layer.h>

struct cairn_builder;
struct tracing_span_pool;
struct tracing_scratch;

/* A subscriber that the thread has entered. The address of the scope is only compared: its memory
 * may not exist any more. */
struct tracing_scope {
    const struct cairn_subscriber_scope *scope;
    struct cairn_subscriber *subscriber;
};

struct tracing_thread {
    bool is_busy;                /* a layer is processing an event or a span of this thread */
    bool may_not_allocate;       /* while it writes open spans (reserve.h) */
    bool is_storing;             /* a value of a span: a signal handler cannot wait for its end */
    bool is_cancel_off;          /* cancellation is disabled for layers of others */
    int cancel_state;            /* the state before */
    struct cairn_span **entered; /* with references, the current one last */
    uint32_t entered_count;
    uint32_t entered_capacity;
    struct tracing_scope *scopes; /* the innermost last */
    uint32_t scope_count;
    uint32_t scope_capacity;
    struct tracing_line message;
    struct tracing_line line; /* for the use of layers */
    struct tracing_span_pool *pool;
    struct cairn_builder *builder;    /* for EventHeader events */
    struct tracing_scratch *scratch;  /* copies of values that a layer reads */
    struct tracing_line read_outside; /* copy of the last value read outside of a layer */
    uint64_t random;                  /* state of the generator of ids */
    uint32_t forks;                   /* of the process in which it was seeded */
    uint32_t id;                      /* the kernel's id */
    os_signals blocked_at_first;      /* when the context was made: not in a signal handler */
};

/* The context of the calling thread; NULL: it has none yet. */
extern __thread struct tracing_thread *tracing_thread_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* NULL: no memory, or the thread is ending. */
struct tracing_thread *tracing_thread_make(void);

static inline struct tracing_thread *tracing_thread_get(void)
{
    struct tracing_thread *thread = tracing_thread_self;

    return thread ? thread : tracing_thread_make();
}

/* The span that the thread entered last, or NULL. */
static inline struct cairn_span *tracing_thread_span(const struct tracing_thread *thread)
{
    return thread->entered_count ? thread->entered[thread->entered_count - 1] : NULL;
}

/* True in a layer's callback: the thread may then own the lock, or its owner may be waiting for the
 * callback's end. */
static inline bool tracing_in_callback(void)
{
    const struct tracing_thread *thread = tracing_thread_self;

    return user_events_in_read_section() || (thread && thread->is_busy);
}

/* Allocates memory of the calling thread, aligned for numbers. Valid in a layer's callback until
 * the callbacks for this event or span end, elsewhere until the next call. NULL: no memory. */
void *tracing_scratch(size_t bytes);
void tracing_scratch_reset(struct tracing_thread *thread);
void tracing_scratch_free(struct tracing_thread *thread);

/* A scratch that no thread has, of this size. NULL: no memory. */
struct tracing_scratch *tracing_scratch_make(size_t capacity);
void tracing_scratch_destroy(struct tracing_scratch *scratch);

/* The process id, without a system call: a sandbox may forbid it. */
uint32_t tracing_process_id(void);

/* A number that no other call returns, in this process or another; not 0. After
 * engine_locks_check_process. */
uint64_t tracing_random(struct tracing_thread *thread);

#endif
