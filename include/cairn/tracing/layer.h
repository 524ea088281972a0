/* SPDX-License-Identifier: MIT */
/*
 * Layers receive events and spans; a subscriber is a set of layers, each with its own filter.
 *
 *   static struct cairn_layer counter = {.event = count_event};
 *
 *   err = cairn_subscriber_create(&subscriber);
 *   err = cairn_subscriber_add(subscriber, &counter, NULL);
 *   err = cairn_subscriber_set_global(subscriber);
 */
#ifndef CAIRN_TRACING_LAYER_H
#define CAIRN_TRACING_LAYER_H

#include <cairn/tracing/directives.h>
#include <cairn/tracing/span.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An event, while a layer looks at it. */
struct cairn_tracing_event {
    const struct cairn_callsite *site;
    const struct cairn_tracing_value *values; /* site->field_count of them */
    const char *message;                      /* ends with a NUL; "" for none */
    size_t message_bytes;
    struct cairn_span *span; /* that it is in, or NULL */
};

/* What interest() says of a place that is never wanted; else it returns a gate. */
#define CAIRN_NEVER  NULL
/* ... and of one that is always wanted. */
#define CAIRN_ALWAYS (&cairn_i_gate_always)

/*
 * A layer. The first member of a struct of your own, if it has something to remember. Callbacks
 * that are NULL are not called. They are called by many threads at once; what they trace is left
 * out, and so is the end of a span that they let go of: a layer that holds spans lets go of them
 * elsewhere. They must not call functions of subscribers.
 *
 * They run with cancellation off, and without a lock of the library but interest(). They may fork.
 * They return: none throws an exception, or leaves by longjmp(3). A thread that ends in one, by
 * pthread_exit(3), is no longer in it; the library's functions that it had called are not finished.
 */
struct cairn_layer {
    /*
     * Asked once for each place, and again when layers or filters change: CAIRN_NEVER,
     * CAIRN_ALWAYS, or a tracepoint, which the place then looks at by itself. The tracepoint must
     * be there until the process ends. NULL: always.
     *
     * Called under a lock: it must not wait for other threads, end its own, or unload objects. In a
     * program that loads objects in several threads it must not call functions of dlfcn.h either:
     * dlopen(3) waits for the same lock, with the dynamic linker's held.
     */
    const struct cairn_tracepoint *(*interest)(struct cairn_layer *layer,
                                               const struct cairn_callsite *site);
    /* Asked each time, about what the filter lets through; false: not this one. */
    bool (*enabled)(struct cairn_layer *layer, const struct cairn_callsite *site,
                    struct cairn_span *span);
    void (*event)(struct cairn_layer *layer, const struct cairn_tracing_event *event);
    void (*span_new)(struct cairn_layer *layer, struct cairn_span *span);
    void (*span_record)(struct cairn_layer *layer, struct cairn_span *span);
    void (*span_follows_from)(struct cairn_layer *layer, struct cairn_span *span,
                              struct cairn_span *cause);
    void (*span_enter)(struct cairn_layer *layer, struct cairn_span *span);
    void (*span_leave)(struct cairn_layer *layer, struct cairn_span *span);
    void (*span_close)(struct cairn_layer *layer, struct cairn_span *span);
    /* The subscriber lets go of it. */
    void (*destroy)(struct cairn_layer *layer);
    void (*reserved[4])(void); /* NULL: for callbacks of later versions */
    uint32_t slot;             /* not the user's */
    uint64_t since_ns;         /* nor this */
    bool is_ours; /* nor this: it came with the library, and is no cancellation point */
};

/* The nearest of a span and its ancestors that went to this layer, or NULL: others did not pass its
 * filter. For a layer's callbacks. */
CAIRN_API struct cairn_span *cairn_layer_span(const struct cairn_layer *layer,
                                              struct cairn_span *span);

/*
 * A pointer that a layer keeps with a span that went to it, such as one to what it has measured.
 * NULL until the layer sets one; what it points to is the layer's, which lets go of it in its
 * span_close, or when it is destroyed. For a layer's callbacks, of any thread.
 *
 * Returns 0; EINVAL the span did not go to the layer; ENOMEM.
 */
CAIRN_API int cairn_layer_keep(const struct cairn_layer *layer, struct cairn_span *span,
                               void *kept);
CAIRN_API void *cairn_layer_kept(const struct cairn_layer *layer, const struct cairn_span *span);

#define CAIRN_LAYERS_MAX 32u /* of all subscribers together */

/*
 * The functions below: any thread, not in signal handlers, not in a layer's callbacks. EDEADLK says
 * that one was called in a callback. None is a cancellation point.
 */

struct cairn_subscriber;

/* Returns 0 or ENOMEM. */
CAIRN_API int cairn_subscriber_create(struct cairn_subscriber **ret_subscriber);

/* Lets go of the subscriber and its layers. NULL is accepted. Returns 0; EBUSY it is the global one
 * or a thread's; EDEADLK. */
CAIRN_API int cairn_subscriber_destroy(struct cairn_subscriber *subscriber);

/*
 * Adds a layer, also while the subscriber is in use. The layer stays where it is, and is the
 * subscriber's, until it is removed.
 *
 * directives  the layer's filter, the subscriber's from now on; NULL: all. When they ask for values
 *             of spans' fields, this waits for threads that are in a layer's callback, as
 *             cairn_subscriber_reload and _remove do
 *
 * Returns 0; ENOSPC there are 32 layers; ENOMEM; EDEADLK. On failure directives and layer are the
 * caller's still.
 */
CAIRN_API int cairn_subscriber_add(struct cairn_subscriber *subscriber, struct cairn_layer *layer,
                                   struct cairn_directives *directives);

/* Another filter for a layer, while the program runs. Returns 0; ENOENT the layer is not the
 * subscriber's; ENOMEM; EDEADLK. */
CAIRN_API int cairn_subscriber_reload(struct cairn_subscriber *subscriber,
                                      struct cairn_layer *layer,
                                      struct cairn_directives *directives);

/* Removes a layer: when this returns nobody is in one of its callbacks, and it was destroyed.
 * Returns 0; ENOENT; EDEADLK. */
CAIRN_API int cairn_subscriber_remove(struct cairn_subscriber *subscriber,
                                      struct cairn_layer *layer);

/* The subscriber of all threads that have none of their own; NULL: none. Returns 0; EDEADLK. */
CAIRN_API int cairn_subscriber_set_global(struct cairn_subscriber *subscriber);

/*
 * A subscriber of the calling thread's own, until cairn_subscriber_leave, or the thread's end;
 * NULL: none at all.
 *
 * Entering costs two atomic additions, but the first time, when its layers are asked about all
 * places. They stay open after the last thread has left, and cost what an event costs that no layer
 * of its thread wants, until layers or filters change or the subscriber is destroyed.
 */
struct cairn_subscriber_scope {
    struct cairn_subscriber *subscriber;
    struct cairn_subscriber_scope *outer;
    void *reserved[2]; /* of no meaning yet; any value */
};

/* `scope` is the caller's; scopes nest. Returns 0; ENOMEM; EDEADLK. */
CAIRN_API int cairn_subscriber_enter(struct cairn_subscriber_scope *scope,
                                     struct cairn_subscriber *subscriber);

/* Ends the thread's innermost scope, which is the one given. Returns 0; EINVAL it is not; EDEADLK.
 */
CAIRN_API int cairn_subscriber_leave(struct cairn_subscriber_scope *scope);

#ifdef __cplusplus
}
#endif

#endif
