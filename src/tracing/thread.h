/* SPDX-License-Identifier: MIT */
/*
 * What a thread has of its own: made at its first event or span that a layer wants, given back at
 * its end.
 */
#ifndef TRACING_THREAD_H
#define TRACING_THREAD_H

#include "tracing/line.h"
#include "user_events/readers.h"

#include <cairn/tracing/layer.h>

struct cairn_builder;
struct cairn_span_pool;
struct cairn_scratch;

/* A subscriber of the thread's own. The scope is only compared: its memory may be gone. */
struct cairn_tracing_scope {
    const struct cairn_subscriber_scope *scope;
    struct cairn_subscriber *subscriber;
};

struct cairn_tracing_thread {
    bool is_busy;                /* a layer has an event or a span of this thread now */
    bool is_cancel_off;          /* meanwhile, since layers of others are there */
    int cancel_state;            /* before */
    struct cairn_span **entered; /* held, the current one last */
    uint32_t entered_count;
    uint32_t entered_room;
    struct cairn_tracing_scope *scopes; /* the innermost last */
    uint32_t scope_count;
    uint32_t scope_room;
    struct cairn_line message;
    struct cairn_line line; /* a layer's */
    struct cairn_span_pool *pool;
    struct cairn_builder *builder;  /* of EventHeader events */
    struct cairn_scratch *scratch;  /* for what a layer reads */
    struct cairn_line read_outside; /* what was read last, not by a layer */
    uint64_t random;                /* state of the generator of ids */
    uint32_t forks;                 /* of the process in which it was seeded */
    uint32_t id;                    /* the kernel's */
};

/* Of the calling thread, or NULL: it has none yet. */
extern __thread struct cairn_tracing_thread *cairn_i_tracing_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* NULL: no memory, or the thread is ending. */
struct cairn_tracing_thread *cairn_tracing_thread_make(void);

static inline struct cairn_tracing_thread *cairn_tracing_thread_get(void)
{
    struct cairn_tracing_thread *thread = cairn_i_tracing_thread;

    return thread ? thread : cairn_tracing_thread_make();
}

/* In a layer's callback, which the lock's owner may be, or be waiting for. */
static inline bool cairn_tracing_in_callback(void)
{
    const struct cairn_tracing_thread *thread = cairn_i_tracing_thread;

    return cairn_readers_am_inside() || (thread && thread->is_busy);
}

/*
 * Memory of the calling thread, aligned for numbers: in a layer's callback until that of the event
 * or span is over, elsewhere until the next call. NULL: there is none.
 */
void *cairn_tracing_scratch(size_t bytes);
void cairn_scratch_reset(struct cairn_tracing_thread *thread);
void cairn_scratch_free(struct cairn_tracing_thread *thread);

/* The kernel's id of the process, without asking it: a sandbox may not allow that any more. */
uint32_t cairn_tracing_process_id(void);

/* A number that no other call gets, in this process or another; not 0. */
uint64_t cairn_tracing_random(struct cairn_tracing_thread *thread);

#endif
