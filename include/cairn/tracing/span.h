/* SPDX-License-Identifier: MIT */
/*
 * Spans: what takes a while, with its fields, its parent, and the threads that are in it now.
 *
 *   struct cairn_span *span = CAIRN_SPAN(INFO, "request", kv("id", id));
 *
 *   cairn_span_enter(span);
 *   CAIRN_INFO("in the span");
 *   cairn_span_leave(span);
 *   cairn_span_close(span);
 *
 * or, closed at the end of the block however that is left:
 *
 *   CAIRN_SCOPE_AS(request, INFO, "request", kv("id", id), kv("status", cairn_empty()));
 *
 *   CAIRN_RECORD(request, "status", 200);
 *
 * A span that no layer wants is NULL, and all functions take NULL and do nothing.
 *
 * A span lives while somebody holds it: who made it until cairn_span_close, who took it with
 * cairn_span_hold likewise, its children, and threads that are in it. To hand a span to another
 * thread, hold it for that thread, which closes it. A thread that ends, by returning, pthread_exit
 * or a cancellation, leaves the spans that it is in, and closes those of its scopes: C runs no
 * cleanup of a scope then. All functions but those that say otherwise may be called by any thread
 * at any time; none in signal handlers. None is a cancellation point.
 */
#pragma GCC system_header
#ifndef CAIRN_TRACING_SPAN_H
#define CAIRN_TRACING_SPAN_H

#include <cairn/tracing/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/* This thread is in the span now: what happens is in it. Entering again, deeper, is allowed. */
CAIRN_API void cairn_span_enter(struct cairn_span *span);

/* Takes back the thread's last enter of this span; spans that were entered later stay entered.
 * Without an enter of this thread nothing happens. */
CAIRN_API void cairn_span_leave(struct cairn_span *span);

/* Holds the span for somebody else. Returns it. */
CAIRN_API struct cairn_span *cairn_span_hold(struct cairn_span *span);

/* Lets go of the span. When nobody holds it any more it is over. */
CAIRN_API void cairn_span_close(struct cairn_span *span);

/*
 * The span that this thread entered last, or NULL. It is not held. After CAIRN_SCOPE this is the
 * span around when the filters left the scope's own out: CAIRN_SCOPE_AS names the one that was
 * made.
 */
CAIRN_API struct cairn_span *cairn_span_current(void);

/* The span was caused by another, which is not its parent. A span keeps the ids of 128 others for
 * layers that write them at its end; of those beyond layers are told, and cairn_tracing_lost counts
 * them. */
CAIRN_API void cairn_span_follows_from(struct cairn_span *span, struct cairn_span *cause);

/*
 * Gives a field its value, or another: one of the names that the span was made with; others are
 * left out. `values` are `count` values for `names`.
 */
CAIRN_API void cairn_span_record(struct cairn_span *span, const char *const *names,
                                 const struct cairn_tracing_value *values, uint32_t count);

/* ---- what layers ask ---- */

/* A number of the span's own in this process, from 1; 0: the span is NULL. */
CAIRN_API uint64_t cairn_span_id(const struct cairn_span *span);
CAIRN_API const struct cairn_callsite *cairn_span_callsite(const struct cairn_span *span);
CAIRN_API struct cairn_span *cairn_span_parent(const struct cairn_span *span);

/* Ids for other programs. False: the span is NULL. */
CAIRN_API bool cairn_span_context(const struct cairn_span *span,
                                  struct cairn_trace_context *ret_context);

/* The id of the parent among those, in this program or another; false: it has none. */
CAIRN_API bool cairn_span_parent_id(const struct cairn_span *span, uint8_t ret_span_id[8]);

/* When it began, CLOCK_MONOTONIC in ns. */
CAIRN_API uint64_t cairn_span_begin_ns(const struct cairn_span *span);

/*
 * Whether it began in a process that has forked since, and this is the child: its threads may be in
 * the span, and what they do is in it, but it is over where it began. The layers of this library
 * write nothing about its end in the child; other layers are called there too, and ask this.
 */
CAIRN_API bool cairn_span_is_inherited(const struct cairn_span *span);

/*
 * The newest value of field `index` of its callsite; of no kind when there is none. Text is valid
 * until the layer's callback returns; outside of callbacks until this thread asks for a value
 * again, or the span is over.
 */
CAIRN_API struct cairn_tracing_value cairn_span_value(const struct cairn_span *span,
                                                      uint32_t index);

CAIRN_API __attribute__((cold)) struct cairn_span *
cairn_i_span_new(struct cairn_callsite *site, const struct cairn_tracing_value *values,
                 const struct cairn_i_relation *relation);

/* A scope's span is closed where the scope ends, or the thread. */
CAIRN_API void cairn_i_scope_enter(struct cairn_span *span);
CAIRN_API void cairn_i_scope_leave(struct cairn_span *span);

static inline struct cairn_span *cairn_i_scope_begin(struct cairn_span *span)
{
    if (span)
        cairn_i_scope_enter(span);
    return span;
}

static inline void cairn_i_scope_end(struct cairn_span *const *span)
{
    if (*span)
        cairn_i_scope_leave(*span);
}

static inline struct cairn_span *cairn_i_visit_begin(struct cairn_span *span)
{
    if (span)
        cairn_span_enter(span);
    return span;
}

static inline void cairn_i_visit_end(struct cairn_span *const *span)
{
    if (*span)
        cairn_span_leave(*span);
}

#ifdef __cplusplus
}
#endif

/*
 * CAIRN_SPAN(LEVEL, "name", words...): a span, or NULL when no layer wants it. LEVEL is ERROR,
 * WARN, INFO, DEBUG or TRACE. The words are those of events (cairn/tracing/event.h), not in
 * parentheses, and remote(&context): the parent is in another program.
 */
#define CAIRN_SPAN(level, ...)         CAIRN_I_SPAN(CAIRN_TRACING_##level, __VA_ARGS__, )
#define CAIRN_I_SPAN(level, name, ...) CAIRN_I_SPAN_HERE(level, name, CAIRN_I_TROWS(__VA_ARGS__))
#define CAIRN_I_SPAN_HERE(level, span_name, rows)                                  \
    CAIRN_I_SPAN_AT(CAIRN_I_CALLSITE(level, CAIRN_CALLSITE_SPAN, span_name, rows), \
                    CAIRN_I_CALLSITE_SECTION, rows)
#define CAIRN_I_SPAN_AT(callsite, section, rows)                                                   \
    __extension__({                                                                                \
        callsite struct cairn_span *cairn_i_span = 0;                                              \
        if (cairn_i_callsite_on(&cairn_i_callsite)) {                                              \
            CAIRN_I_TVALUES(rows)                                                                  \
            cairn_i_span = cairn_i_span_new(&cairn_i_callsite, cairn_i_values, &cairn_i_relation); \
            section;                                                                               \
        }                                                                                          \
        cairn_i_span;                                                                              \
    })

/* CAIRN_SCOPE(LEVEL, "name", words...): a declaration. The rest of the block is in a span, which is
 * over when the block is left, by break, return or goto too, or when the thread ends in it. The
 * thread that entered the block leaves it. */
#define CAIRN_SCOPE(level, ...) \
    CAIRN_I_SCOPE(__COUNTER__, cairn_i_scope, CAIRN_I_SPAN(CAIRN_TRACING_##level, __VA_ARGS__, ))

/* CAIRN_SCOPE_AS(handle, LEVEL, "name", words...): the same, and declares `handle`, a constant
 * struct cairn_span *, which is this span or NULL, never another. The block closes it. */
#define CAIRN_SCOPE_AS(handle, level, ...) \
    CAIRN_I_SCOPE_NAMED(handle, cairn_i_scope, CAIRN_I_SPAN(CAIRN_TRACING_##level, __VA_ARGS__, ))

#define CAIRN_I_SCOPE(n, kind, span)  CAIRN_I_SCOPE_(n, kind, span)
#define CAIRN_I_SCOPE_(n, kind, span) CAIRN_I_SCOPE_NAMED(cairn_i_scope_##n, kind, span)
#define CAIRN_I_SCOPE_NAMED(handle, kind, span)                                    \
    struct cairn_span *const handle __attribute__((cleanup(kind##_end), unused)) = \
        kind##_begin(span)

/* CAIRN_IN_SPAN(span): a declaration. The rest of the block is in a span that exists; it is not
 * closed. */
#define CAIRN_IN_SPAN(span) CAIRN_I_SCOPE(__COUNTER__, cairn_i_visit, span)

/* CAIRN_FUNCTION(LEVEL, words...), first in a function: a span of the function's name around it. In
 * C++ the place is known to filters and recorders from the first time it is reached. */
#define CAIRN_FUNCTION(...) CAIRN_I_FUNCTION(CAIRN_TRACING_##__VA_ARGS__, )
#define CAIRN_I_FUNCTION(level, ...)          \
    CAIRN_I_SCOPE(__COUNTER__, cairn_i_scope, \
                  CAIRN_I_FUNCTION_OF(level, CAIRN_I_TROWS(__VA_ARGS__)))

/* CAIRN_FUNCTION_AS(handle, LEVEL, words...): the same, and declares `handle` as CAIRN_SCOPE_AS
 * does. */
#define CAIRN_FUNCTION_AS(handle, ...) CAIRN_I_FUNCTION_AS(handle, CAIRN_TRACING_##__VA_ARGS__, )
#define CAIRN_I_FUNCTION_AS(handle, level, ...) \
    CAIRN_I_SCOPE_NAMED(handle, cairn_i_scope,  \
                        CAIRN_I_FUNCTION_OF(level, CAIRN_I_TROWS(__VA_ARGS__)))
#define CAIRN_I_FUNCTION_OF(level, rows) CAIRN_I_FUNCTION_HERE(level, rows)
#ifdef __cplusplus
#define CAIRN_I_FUNCTION_HERE(level, rows) \
    CAIRN_I_SPAN_AT(CAIRN_I_CALLSITE_LATE(level, CAIRN_CALLSITE_SPAN, __func__, rows), , rows)
#else
#define CAIRN_I_FUNCTION_HERE(level, rows) CAIRN_I_SPAN_HERE(level, __func__, rows)
#endif

/* CAIRN_RECORD(span, "name", value): one field of cairn_span_record. The value is not evaluated
 * when the span is NULL. */
#define CAIRN_RECORD(span, name, ...)                                                         \
    __extension__({                                                                           \
        struct cairn_span *cairn_i_recorded = (span);                                         \
        if (cairn_i_recorded) {                                                               \
            const char *cairn_i_name;                                                         \
            struct cairn_tracing_value cairn_i_record_value;                                  \
            cairn_i_name = (name), cairn_i_record_value = CAIRN_I_FIELD_VALUE((__VA_ARGS__)), \
            cairn_span_record(cairn_i_recorded, &cairn_i_name, &cairn_i_record_value, 1);     \
        }                                                                                     \
        (void)0;                                                                              \
    })

#endif
