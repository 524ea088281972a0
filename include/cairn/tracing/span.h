/* SPDX-License-Identifier: MIT */
/*
 * Spans: periods of work, with fields, a parent, and the threads that are in them.
 *
 *   struct cairn_span *span = CAIRN_SPAN(INFO, "request", kv("id", id));
 *
 *   cairn_span_enter(span);
 *   CAIRN_INFO("in the span");
 *   cairn_span_exit(span);
 *   cairn_span_close(span);
 *
 * or, closed at the end of the block, in whichever way it is left:
 *
 *   CAIRN_SCOPE_AS(request, INFO, "request", kv("id", id), kv("status", cairn_empty()));
 *
 *   CAIRN_RECORD(request, "status", 200);
 *
 * A span that no layer wants is NULL; all functions accept NULL, without effect.
 *
 * A span is reference-counted. References are held by its creator until cairn_span_close, by
 * callers of cairn_span_hold until theirs, by its children, and by threads that are in it. To pass
 * a span to another thread, hold it for that thread, which closes it. A thread that ends, by
 * returning, pthread_exit or a cancellation, leaves the spans that it is in, and closes those of
 * its scopes: C runs no cleanup of a scope then. All functions, except where noted, may be called
 * by any thread at any time; none in signal handlers. None is a cancellation point.
 */
#pragma GCC system_header
#ifndef CAIRN_TRACING_SPAN_H
#define CAIRN_TRACING_SPAN_H

#include <cairn/tracing/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Enters the span: events of this thread are now in it. A thread can enter a span repeatedly. */
CAIRN_API void cairn_span_enter(struct cairn_span *span);

/* Undoes the thread's last enter of this span; spans that were entered later stay entered. Without
 * an enter of this thread it has no effect. */
CAIRN_API void cairn_span_exit(struct cairn_span *span);

/* Adds a reference to the span, and returns it. */
CAIRN_API struct cairn_span *cairn_span_hold(struct cairn_span *span);

/* Drops a reference to the span. The span ends when there are no more references. */
CAIRN_API void cairn_span_close(struct cairn_span *span);

/* The span that this thread entered last, or NULL. Adds no reference. If the filters dropped the
 * span of a CAIRN_SCOPE, this is the enclosing span; CAIRN_SCOPE_AS names its own span. */
CAIRN_API struct cairn_span *cairn_span_current(void);

/* Records that the span was caused by another, which is not its parent. A span stores the ids of
 * 128 others for layers that write them at its end; layers get further ones, but cairn_tracing_lost
 * counts them. */
CAIRN_API void cairn_span_follows_from(struct cairn_span *span, struct cairn_span *cause);

/* Sets the values of fields. A span has the fields with which it was created; other names are
 * ignored. `values` are `count` values for `names`. */
CAIRN_API void cairn_span_record(struct cairn_span *span, const char *const *names,
                                 const struct cairn_tracing_value *values, uint32_t count);

/* ---- for layers ---- */

/* A number that is unique in this process, from 1; 0: the span is NULL. */
CAIRN_API uint64_t cairn_span_id(const struct cairn_span *span);
CAIRN_API const struct cairn_callsite *cairn_span_callsite(const struct cairn_span *span);
CAIRN_API struct cairn_span *cairn_span_parent(const struct cairn_span *span);

/* The ids of the span for other programs. False: the span is NULL. */
CAIRN_API bool cairn_span_context(const struct cairn_span *span,
                                  struct cairn_trace_context *ret_context);

/* The id of the span's parent, in this program or another; false: it has none. */
CAIRN_API bool cairn_span_parent_id(const struct cairn_span *span, uint8_t ret_span_id[8]);

/* The time of its begin, CLOCK_MONOTONIC in ns. */
CAIRN_API uint64_t cairn_span_begin_ns(const struct cairn_span *span);

/*
 * True in a forked child, if the span began before the fork. Threads of the child may be in the
 * span, and emit events in it, but the span ends in the process in which it began. The layers of
 * this library write nothing about its end in the child; other layers are called there, too, and
 * can use this function.
 */
CAIRN_API bool cairn_span_is_inherited(const struct cairn_span *span);

/* The latest value of field `index` of its call site; of kind NONE if there is none. Text is valid
 * until the layer's callback returns; outside of callbacks until this thread's next call of this
 * function, or the end of the span. */
CAIRN_API struct cairn_tracing_value cairn_span_value(const struct cairn_span *span,
                                                      uint32_t index);

CAIRN_API CAIRN_I_COLD struct cairn_span *cairn_i_span_new(struct cairn_callsite *site,
                                                           const struct cairn_tracing_value *values,
                                                           const struct cairn_i_relation *relation);

/* The span of a scope is closed at the end of the scope or of the thread. */
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
        cairn_span_exit(*span);
}

#ifdef __cplusplus
}
#endif

/* CAIRN_SPAN(LEVEL, "name", words...): a span, or NULL if no layer wants it. LEVEL is ERROR, WARN,
 * INFO, DEBUG or TRACE. The words are those of events (cairn/tracing/event.h), without parentheses,
 * and remote(&context): the parent is in another program. */
#define CAIRN_SPAN(level, ...) \
    CAIRN_I_SPAN(cairn__a_level_such_as_INFO_belongs_here__not__##level, __VA_ARGS__, )
#define CAIRN_I_SPAN(level, name, ...) CAIRN_I_SPAN_NAMED(level, name, CAIRN_I_TROWS(__VA_ARGS__))
#define CAIRN_I_SPAN_NAMED(level, span_name, rows)                                       \
    CAIRN_I_SPAN_HERE(CAIRN_I_TCHECK_LITERAL("a span's name must be", span_name), level, \
                      span_name, rows)
#define CAIRN_I_SPAN_HERE(check, level, span_name, rows)                                 \
    CAIRN_I_SPAN_AT(check CAIRN_I_CALLSITE(level, CAIRN_CALLSITE_SPAN, span_name, rows), \
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

/* CAIRN_SCOPE(LEVEL, "name", words...): a declaration. The rest of the block is in a span, which
 * ends when the block is left, also by break, return or goto, or when the thread ends in it. The
 * thread that entered the block leaves it. */
#define CAIRN_SCOPE(level, ...)     \
    CAIRN_I_SCOPE(                  \
        __COUNTER__, cairn_i_scope, \
        CAIRN_I_SPAN(cairn__a_level_such_as_INFO_belongs_here__not__##level, __VA_ARGS__, ))

/* CAIRN_SCOPE_AS(handle, LEVEL, "name", words...): the same, and declares `handle`, a constant
 * struct cairn_span *, which is this span or NULL, never another one. The block closes it. */
#define CAIRN_SCOPE_AS(handle, ...)            \
    CAIRN_I_CHECK_HANDLE(handle)               \
    CAIRN_I_SCOPE_NAMED(                       \
        CAIRN_I_HANDLE(handle), cairn_i_scope, \
        CAIRN_I_SPAN(cairn__a_level_such_as_INFO_belongs_here__not__##__VA_ARGS__, , ))
#define CAIRN_I_HANDLE(...) \
    CAIRN_I_FIRST(__VA_OPT__(__VA_ARGS__, ) cairn__no_name_for_a_variable_is_given, )
#define CAIRN_I_CHECK_HANDLE(handle)                                                   \
    CAIRN_I_WHICH(CAIRN_I_CHECK_HANDLE_IF_, CAIRN_I_EXPECT_VARIABLE(handle), A_WORD, ) \
    (handle)
#define CAIRN_I_CHECK_HANDLE_IF_A_WORD(handle) \
    CAIRN_I_ASSERT(CAIRN_I_IS_VARIABLE(#handle), CAIRN_I_HANDLE_SAYS #handle);
#define CAIRN_I_CHECK_HANDLE_IF_NO_WORD(handle) \
    CAIRN_I_STATIC_ASSERT(0, CAIRN_I_HANDLE_SAYS #handle);
#define CAIRN_I_HANDLE_SAYS \
    "cairn: CAIRN_SCOPE_AS and CAIRN_FUNCTION_AS take a name for a variable, before the level: "

#define CAIRN_I_SCOPE(n, kind, span)  CAIRN_I_SCOPE_(n, kind, span)
#define CAIRN_I_SCOPE_(n, kind, span) CAIRN_I_SCOPE_NAMED(cairn_i_scope_##n, kind, span)
#define CAIRN_I_SCOPE_NAMED(handle, kind, span)                                    \
    struct cairn_span *const handle __attribute__((cleanup(kind##_end), unused)) = \
        kind##_begin(span)

/* CAIRN_IN_SPAN(span): a declaration. The rest of the block is in an existing span, which it does
 * not close. */
#define CAIRN_IN_SPAN(span)                    \
    CAIRN_I_TCHECK_SPAN("CAIRN_IN_SPAN", span) \
    CAIRN_I_SCOPE(__COUNTER__, cairn_i_visit, span)

/* CAIRN_FUNCTION(LEVEL, words...), first in a function: a span with the function's name around it.
 * In C++ filters and recorders know the call site after it is reached for the first time. */
#define CAIRN_FUNCTION(...) \
    CAIRN_I_FUNCTION(cairn__a_level_such_as_INFO_belongs_here__not__##__VA_ARGS__, )
#define CAIRN_I_FUNCTION(level, ...)          \
    CAIRN_I_SCOPE(__COUNTER__, cairn_i_scope, \
                  CAIRN_I_FUNCTION_OF(level, CAIRN_I_TROWS(__VA_ARGS__)))

/* CAIRN_FUNCTION_AS(handle, LEVEL, words...): the same, and declares `handle` as CAIRN_SCOPE_AS
 * does. */
#define CAIRN_FUNCTION_AS(handle, ...)          \
    CAIRN_I_CHECK_HANDLE(handle)                \
    CAIRN_I_FUNCTION_AS(CAIRN_I_HANDLE(handle), \
                        cairn__a_level_such_as_INFO_belongs_here__not__##__VA_ARGS__, )
#define CAIRN_I_FUNCTION_AS(handle, level, ...) \
    CAIRN_I_SCOPE_NAMED(handle, cairn_i_scope,  \
                        CAIRN_I_FUNCTION_OF(level, CAIRN_I_TROWS(__VA_ARGS__)))
#define CAIRN_I_FUNCTION_OF(level, rows) CAIRN_I_FUNCTION_HERE(level, rows)
#ifdef __cplusplus
#define CAIRN_I_FUNCTION_HERE(level, rows)                                                 \
    CAIRN_I_SPAN_AT(CAIRN_I_TCHECK_LEVEL(level)                                            \
                        CAIRN_I_CALLSITE_LATE(level, CAIRN_CALLSITE_SPAN, __func__, rows), \
                    , rows)
#else
#define CAIRN_I_FUNCTION_HERE(level, rows) \
    CAIRN_I_SPAN_HERE(CAIRN_I_TCHECK_LEVEL(level), level, __func__, rows)
#endif

/* CAIRN_RECORD(span, "name", value): cairn_span_record for one field. The value is not evaluated if
 * the span is NULL. */
#define CAIRN_RECORD(span, ...) \
    CAIRN_I_RECORD(span, CAIRN_I_FIRST(__VA_ARGS__, ), (CAIRN_I_REST(__VA_ARGS__)))
#define CAIRN_I_REST(first, ...)          __VA_ARGS__
#define CAIRN_I_RECORD(span, name, value) CAIRN_I_RECORD_(span, name, value)
#define CAIRN_I_RECORD_(span, name, value)                                                \
    __extension__({                                                                       \
        CAIRN_I_TCHECK_SPAN("CAIRN_RECORD", span)                                         \
        CAIRN_I_ASSERT(CAIRN_I_IF_GIVEN(name)(CAIRN_I_IS_TEXT(name)),                     \
                       "cairn: CAIRN_RECORD takes a string as the field's name: " #name); \
        CAIRN_I_ASSERT(CAIRN_I_IS_GIVEN value, "cairn: field " #name " has no value");    \
        struct cairn_span *cairn_i_recorded = (span);                                     \
        if (cairn_i_recorded) {                                                           \
            CAIRN_I_TCHECK_VALUE(name, CAIRN_I_UNWRAP value)                              \
            const char *cairn_i_name;                                                     \
            struct cairn_tracing_value cairn_i_record_value;                              \
            cairn_i_name = (name), cairn_i_record_value = CAIRN_I_FIELD_VALUE(value),     \
            cairn_span_record(cairn_i_recorded, &cairn_i_name, &cairn_i_record_value, 1); \
        }                                                                                 \
        (void)0;                                                                          \
    })

#endif
