/* SPDX-License-Identifier: MIT */
/*
 * Events.
 *
 *   CAIRN_INFO("listening on %s", host);
 *   CAIRN_WARN((kv("port", port), kv("path", path)), "no route to %s", host);
 *   CAIRN_DEBUG((target("net"), keyword(0x2), tag(7), name("Drained"), kv("bytes", bytes)));
 *
 * Words in parentheses come first, then a message with the arguments of printf; either may be
 * missing. Arguments are evaluated only if a layer wants the event: once, from left to right, the
 * message last. If printf fails, the message is the format.
 *
 *   kv("name", value)  a field (cairn/tracing/value.h); at most 32
 *   target("net")      for filters; a string literal. The default is the file's name without
 *                      ending, after CAIRN_MODULE "::" if that is defined; or CAIRN_TARGET
 *   name("Drained")    of the event, for layers that name events; the default is "FILE:LINE"
 *   keyword(0x2)       a constant, for layers that have keywords; several are combined
 *   tag(7)             a constant of 16 bits, for layers that have tags
 *   parent(span)       the span of the event, instead of the thread's current one; NULL: none
 *
 * Any thread. docs/tracing.md lists what an event in a signal handler requires. One that interrupts
 * another event is lost, and counted (cairn_tracing_lost); none applies a request of cairn filter.
 */
#pragma GCC system_header
#ifndef CAIRN_TRACING_EVENT_H
#define CAIRN_TRACING_EVENT_H

#include <cairn/tracing/callsite.h>
#include <cairn/tracing/context.h>
#include <cairn/tracing/value.h>
#include <cairn/tracing/words.h>
#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_span;

/* The relation of a new event or span to other spans. An event that names no parent has none: the
 * pointer to it is NULL. */
struct cairn_i_relation {
    struct cairn_span *parent;
    const struct cairn_trace_context *remote;
    bool is_explicit; /* otherwise the thread's current span is the parent */
};

CAIRN_API CAIRN_I_COLD void cairn_i_event(struct cairn_callsite *site,
                                          const struct cairn_tracing_value *values,
                                          const struct cairn_i_relation *relation);
CAIRN_API CAIRN_I_COLD __attribute__((format(printf, 4, 5))) void
cairn_i_event_printf(struct cairn_callsite *site, const struct cairn_tracing_value *values,
                     const struct cairn_i_relation *relation, const char *format, ...);

/*
 * The number of lost events: they came from a layer, or from a signal handler that interrupted
 * another event on the same thread; or there was no memory; or a layer of cairn could not write
 * them, because their names alone are too large for a record, or standard error did not accept
 * them. An event that two layers could not write counts twice. Also counts lost spans, changes of
 * spans that layers did not get, and spans that a span follows from beyond 128. Any thread.
 */
CAIRN_API uint64_t cairn_tracing_lost(void);

#ifdef __cplusplus
}
#endif

#define CAIRN_ERROR(...) CAIRN_I_EVENT_OF(CAIRN_TRACING_ERROR, __VA_ARGS__)
#define CAIRN_WARN(...)  CAIRN_I_EVENT_OF(CAIRN_TRACING_WARN, __VA_ARGS__)
#define CAIRN_INFO(...)  CAIRN_I_EVENT_OF(CAIRN_TRACING_INFO, __VA_ARGS__)
#define CAIRN_DEBUG(...) CAIRN_I_EVENT_OF(CAIRN_TRACING_DEBUG, __VA_ARGS__)
#define CAIRN_TRACE(...) CAIRN_I_EVENT_OF(CAIRN_TRACING_TRACE, __VA_ARGS__)

/* If the first argument is in parentheses it contains words; the rest, with the comma before it, is
 * the rest of a call. */
#define CAIRN_I_EVENT_OF(level, ...)                                                  \
    CAIRN_I_CAT(CAIRN_I_EVENT_WORDS_, CAIRN_I_IS_PAREN(CAIRN_I_FIRST(__VA_ARGS__, ))) \
    (level, __VA_ARGS__)
#define CAIRN_I_EVENT_WORDS_0(level, ...)                                                 \
    CAIRN_I_EVENT_ROWS(level, CAIRN_I_TROWS(), CAIRN_I_CHECK_AFTER(, __VA_ARGS__, ~, ), , \
                       __VA_ARGS__)
#define CAIRN_I_EVENT_WORDS_1(level, ...)                                                 \
    CAIRN_I_EVENT_ROWS(level, CAIRN_I_TROWS(CAIRN_I_UNWRAP CAIRN_I_FIRST(__VA_ARGS__, )), \
                       CAIRN_I_CHECK_AFTER(__VA_ARGS__, ~, ), CAIRN_I_NOTHING __VA_ARGS__)
#define CAIRN_I_EVENT_ROWS(level, rows, check, ...) \
    CAIRN_I_EVENT_HERE(level, rows, check, __VA_ARGS__)
/* The message, which may be missing after words, but not after a comma. */
#define CAIRN_I_CHECK_AFTER(words, text, ...) __VA_OPT__(CAIRN_I_CHECK_TEXT(text))
#define CAIRN_I_CHECK_TEXT(...)                                                                    \
    CAIRN_I_ASSERT(0 __VA_OPT__(+!CAIRN_I_IS_WORD(#__VA_ARGS__)), CAIRN_I_TEXT_SAYS #__VA_ARGS__); \
    __VA_OPT__(CAIRN_I_ASSERT(!CAIRN_I_LACKS_COMMA(#__VA_ARGS__),                                  \
                              "cairn: a comma is missing after a string: " #__VA_ARGS__);          \
               CAIRN_I_ASSERT(CAIRN_I_IS_TEXT(__VA_ARGS__), CAIRN_I_TEXT_SAYS #__VA_ARGS__);)
#define CAIRN_I_TEXT_SAYS                                                                       \
    "cairn: an event takes a string as its message, or kv(...) and other words in parentheses " \
    "before it: "
/* Functions of the program may have these names: name(x) is a call, name("x") is taken for a word.
 */
#define CAIRN_I_IS_WORD(text)                                              \
    (CAIRN_I_BEGINS(text, "kv(\"") || CAIRN_I_BEGINS(text, "target(\"") || \
     CAIRN_I_BEGINS(text, "name(\""))

#define CAIRN_I_EVENT_HERE(level, rows, check, ...)                               \
    __extension__({                                                               \
        check CAIRN_I_CALLSITE(level, CAIRN_CALLSITE_EVENT,                       \
                               CAIRN_I_FILE_NAME ":" CAIRN_I_LINE_TEXT(__LINE__), \
                               rows) if (cairn_i_callsite_on(&cairn_i_callsite))  \
        {                                                                         \
            CAIRN_I_TVALUES(rows)                                                 \
            CAIRN_I_CAT_(CAIRN_I_EVENT_WRITE_, __VA_OPT__(1))                     \
            (&cairn_i_callsite, cairn_i_values,                                   \
             cairn_i_relation.is_explicit ? &cairn_i_relation : 0 __VA_ARGS__);   \
            CAIRN_I_CALLSITE_SECTION;                                             \
        }                                                                         \
        (void)0;                                                                  \
    })
/* CAIRN_ENABLED(LEVEL) or CAIRN_ENABLED(LEVEL, words...): true while a layer may want an event of
 * this level, target and keyword at this call site; for preparations that are expensive. LEVEL is
 * ERROR, WARN, INFO, DEBUG or TRACE. */
#define CAIRN_ENABLED(...) \
    CAIRN_I_ENABLED_OF(cairn__a_level_such_as_INFO_belongs_here__not__##__VA_ARGS__, )
#define CAIRN_I_ENABLED_OF(level, ...) CAIRN_I_ENABLED_HERE(level, CAIRN_I_TROWS(__VA_ARGS__))
#define CAIRN_I_ENABLED_HERE(level, rows)                              \
    __extension__({                                                    \
        CAIRN_I_TCHECK_LEVEL(level)                                    \
        CAIRN_I_CALLSITE(level, CAIRN_CALLSITE_EVENT, "enabled", rows) \
        bool cairn_i_is_on = cairn_i_callsite_on(&cairn_i_callsite);   \
        CAIRN_I_CALLSITE_SECTION;                                      \
        cairn_i_is_on;                                                 \
    })

#define CAIRN_I_EVENT_WRITE_     cairn_i_event
#define CAIRN_I_EVENT_WRITE_1    cairn_i_event_printf
#define CAIRN_I_LINE_TEXT(line)  CAIRN_I_LINE_TEXT_(line)
#define CAIRN_I_LINE_TEXT_(line) #line

/* The static object of a call site: cairn_i_callsite, and its number of field names. */
#ifdef __cplusplus
#define CAIRN_I_CALLSITE(level, kind, default_name, rows)  \
    CAIRN_I_CALLSITE_TYPE(level, kind, default_name, rows) \
    struct cairn_callsite &cairn_i_callsite = cairn_i_callsite_of<cairn_i_here>::site;
/* With a name that only the function knows: in no section. */
#define CAIRN_I_CALLSITE_LATE(level, kind, late_name, rows)                             \
    CAIRN_I_CALLSITE_TYPE(level, kind, 0, rows)                                         \
    static cairn_i_late_callsite cairn_i_late(                                          \
        cairn_i_here::site(cairn_i_callsite_of<cairn_i_here>::names.names), late_name); \
    struct cairn_callsite &cairn_i_callsite = cairn_i_late.site;
#define CAIRN_I_CALLSITE_TYPE(level, kind, default_name, rows)                       \
    CAIRN_I_TCHECK(rows)                                                             \
    struct cairn_i_here {                                                            \
        static constexpr auto names()                                                \
        {                                                                            \
            return cairn_i_list(CAIRN_I_TNAMES_A rows nullptr);                      \
        }                                                                            \
        static constexpr cairn_callsite site(const char *const *fields)              \
        {                                                                            \
            return CAIRN_I_CALLSITE_MEMBERS(level, kind, default_name, rows, fields, \
                                            names().count - 1);                      \
        }                                                                            \
    };                                                                               \
    constexpr unsigned cairn_i_field_count = cairn_i_here::names().count - 1;        \
    CAIRN_I_CALLSITE_ASSERT
#else
#define CAIRN_I_CALLSITE(level, kind, default_name, rows)                       \
    CAIRN_I_TCHECK(rows)                                                        \
    static const char *const cairn_i_fields[] = {CAIRN_I_TNAMES_A rows 0};      \
    enum { cairn_i_field_count = sizeof(cairn_i_fields) / sizeof(char *) - 1 }; \
    CAIRN_I_CALLSITE_ASSERT                                                     \
    static struct cairn_callsite cairn_i_callsite = CAIRN_I_CALLSITE_MEMBERS(   \
        level, kind, default_name, rows, cairn_i_fields, cairn_i_field_count);
#endif

#define CAIRN_I_CALLSITE_ASSERT                                     \
    CAIRN_I_ASSERT(cairn_i_field_count <= CAIRN_TRACING_FIELDS_MAX, \
                   "cairn: an event or a span has at most 32 fields");

#define CAIRN_I_CALLSITE_MEMBERS(level, kind, default_name, rows, fields, count)          \
    {                                                                                     \
        &cairn_i_gate_new, CAIRN_I_OPTION_OF(CAIRN_I_TNAME_A rows default_name),          \
            CAIRN_I_OPTION_OF(CAIRN_I_TTARGET_A rows CAIRN_TARGET), CAIRN_I_FILE, fields, \
            __LINE__, count, (uint64_t)(0 CAIRN_I_TKEYWORD_A rows),                       \
            (uint16_t)(0 CAIRN_I_TTAG_A rows), level, kind, 0, 0, 0, false,               \
            CAIRN_I_CALLSITE_VERSION, {0}, &cairn_i_tracing_object, 0, 0                  \
    }

/* Precedes the call that gets the values, in the same expression: a value may point to a
 * temporary. */
#define CAIRN_I_TVALUES(rows)                                           \
    struct cairn_tracing_value cairn_i_values[cairn_i_field_count + 1]; \
    struct cairn_i_relation cairn_i_relation = {0, 0, false};           \
    unsigned cairn_i_count = 0;                                         \
    (void)cairn_i_count, CAIRN_I_TVALUES_A rows

#endif
