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

/* An event, valid during a layer's callback. */
struct cairn_tracing_event {
    const struct cairn_callsite *site;
    const struct cairn_tracing_value *values; /* site->field_count of them */
    const char *message;                      /* NUL-terminated; "" for none */
    size_t message_bytes;
    struct cairn_span *span; /* the span of the event, or NULL */
};

/* Result of interest() for a call site that is never wanted; otherwise it returns a gate. */
#define CAIRN_NEVER  NULL
/* Result of interest() for a call site that is always wanted. */
#define CAIRN_ALWAYS (&cairn_i_gate_always)

/*
 * A layer. If it has data, make it the first member of a struct. Callbacks that are NULL are not
 * called. Several threads call them at the same time. Events and spans from callbacks are lost, and
 * so is the end of a span whose last reference a callback drops: a layer that holds spans closes
 * them elsewhere. Callbacks must not call functions of subscribers.
 *
 * They run with cancellation disabled and, except interest(), without a lock of the library. They
 * may fork. They must return: none throws an exception, or leaves by longjmp(3). A thread that ends
 * in one, by pthread_exit(3), is no longer in it; functions of the library that it had called are
 * not completed.
 */
struct cairn_layer {
    /*
     * Called once for each call site, and again when layers or filters change: returns CAIRN_NEVER,
     * CAIRN_ALWAYS, or a tracepoint, which the call site then checks itself. The tracepoint must
     * stay valid until the process ends. NULL: always.
     *
     * Called under a lock: it must not wait for other threads, end its own, or unload objects. In a
     * program that loads objects in several threads it must not call functions of dlfcn.h either:
     * dlopen(3) waits for the same lock while it holds that of the dynamic linker.
     */
    const struct cairn_tracepoint *(*interest)(struct cairn_layer *layer,
                                               const struct cairn_callsite *site);
    /* Called for each event or span that the filter lets through; false: do not pass it on. */
    bool (*enabled)(struct cairn_layer *layer, const struct cairn_callsite *site,
                    struct cairn_span *span);
    void (*event)(struct cairn_layer *layer, const struct cairn_tracing_event *event);
    void (*span_new)(struct cairn_layer *layer, struct cairn_span *span);
    void (*span_record)(struct cairn_layer *layer, struct cairn_span *span);
    void (*span_follows_from)(struct cairn_layer *layer, struct cairn_span *span,
                              struct cairn_span *cause);
    void (*span_enter)(struct cairn_layer *layer, struct cairn_span *span);
    void (*span_exit)(struct cairn_layer *layer, struct cairn_span *span);
    void (*span_close)(struct cairn_layer *layer, struct cairn_span *span);
    /* Frees the layer, when its subscriber removes it. */
    void (*destroy)(struct cairn_layer *layer);
    void (*reserved[4])(void); /* NULL: for callbacks of later versions */
    uint32_t slot;             /* internal */
    uint64_t since_ns;         /* internal */
    bool is_ours; /* internal: a layer of the library, whose callbacks contain no cancellation
                     point, and which takes all events: enabled() is only called for spans */
};

/* The nearest of a span and its ancestors that this layer has got, or NULL: others did not pass its
 * filter. For a layer's callbacks. */
CAIRN_API struct cairn_span *cairn_layer_span(const struct cairn_layer *layer,
                                              struct cairn_span *span);

/*
 * Attaches a pointer of a layer to a span that it has got, such as one to a measurement. It is NULL
 * until the layer sets it; the layer owns the memory, and frees it in its span_close, or when it is
 * destroyed. For a layer's callbacks, in any thread.
 *
 * Returns 0; EINVAL the layer has not got the span; ENOMEM.
 */
CAIRN_API int cairn_layer_keep(const struct cairn_layer *layer, struct cairn_span *span,
                               void *kept);
CAIRN_API void *cairn_layer_kept(const struct cairn_layer *layer, const struct cairn_span *span);

#define CAIRN_LAYERS_MAX 32u /* limit of all subscribers together */

/* The functions below: any thread, not in signal handlers, not in a layer's callbacks, where they
 * return EDEADLK. None is a cancellation point. */

struct cairn_subscriber;

/* Returns 0 or ENOMEM. */
CAIRN_API int cairn_subscriber_create(struct cairn_subscriber **ret_subscriber);

/* Frees the subscriber and its layers. Accepts NULL. Returns 0; EBUSY it is the global one or is in
 * use by a thread; EDEADLK. */
CAIRN_API int cairn_subscriber_destroy(struct cairn_subscriber *subscriber);

/*
 * Adds a layer, also while the subscriber is in use. The layer belongs to the subscriber, at the
 * same address, until it is removed.
 *
 * directives  the layer's filter, owned by the subscriber from now on; NULL: everything passes. If
 *             they depend on values of spans' fields, this waits for threads that are in a layer's
 *             callback, as cairn_subscriber_reload and _remove do
 *
 * Returns 0; ENOSPC there are 32 layers; ENOMEM; EDEADLK. On failure the caller still owns
 * directives and layer.
 */
CAIRN_API int cairn_subscriber_add(struct cairn_subscriber *subscriber, struct cairn_layer *layer,
                                   struct cairn_directives *directives);

/* Replaces the filter of a layer, while the program runs. Returns 0; ENOENT the layer is not in
 * this subscriber; ENOMEM; EDEADLK. */
CAIRN_API int cairn_subscriber_reload(struct cairn_subscriber *subscriber,
                                      struct cairn_layer *layer,
                                      struct cairn_directives *directives);

/* Removes a layer: on return no thread is in one of its callbacks, and it has been destroyed.
 * Returns 0; ENOENT; EDEADLK. */
CAIRN_API int cairn_subscriber_remove(struct cairn_subscriber *subscriber,
                                      struct cairn_layer *layer);

/* Sets the subscriber of all threads that have none of their own; NULL: none. Returns 0;
 * EDEADLK. */
CAIRN_API int cairn_subscriber_set_global(struct cairn_subscriber *subscriber);

/*
 * A subscriber of the calling thread, until cairn_subscriber_leave, or the thread's end; NULL:
 * none.
 *
 * Entering costs two atomic additions, except the first time, when all call sites are matched with
 * its layers. The call sites stay enabled after the last thread has left, and then cost as much as
 * an event that no layer of its thread wants, until layers or filters change or the subscriber is
 * destroyed.
 */
struct cairn_subscriber_scope {
    struct cairn_subscriber *subscriber;
    struct cairn_subscriber_scope *outer;
    void *reserved[2]; /* of no meaning yet; any value */
};

/* `scope` is memory of the caller; scopes nest. Returns 0; ENOMEM; EDEADLK. */
CAIRN_API int cairn_subscriber_enter(struct cairn_subscriber_scope *scope,
                                     struct cairn_subscriber *subscriber);

/* Ends `scope`, the thread's innermost scope. Returns 0; EINVAL it is not the innermost;
 * EDEADLK. */
CAIRN_API int cairn_subscriber_leave(struct cairn_subscriber_scope *scope);

#ifdef __cplusplus
}
#endif

#endif
