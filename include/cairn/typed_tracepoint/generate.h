/* SPDX-License-Identifier: MIT */
/*
 * The code that CAIRN_TRACEPOINT generates. A class has, shared by its events:
 *
 *   struct cairn_i_entry_CLASS     the raw part of a record, packed
 *   cairn_i_at_CLASS_0_FIELD       the offset of a field in the schema, which is checked
 *   cairn_i_fields_CLASS           the schema's fields
 *   cairn_i_print_CLASS            TP_printk
 *   cairn_class_CLASS              all of these together
 *   cairn_i_call_CLASS             calls typed callbacks
 *   cairn_i_write_CLASS            writes an event, out of line
 *
 * and an event:
 *
 *   cairn_event_NAME, an entry in section cairn_trace_events
 *   cairn_i_probe_NAME            the function that an enabled call site calls: cold, so that the
 *                                 call is far from the caller's code; calls cairn_i_write_CLASS
 *   trace_NAME and others         in line
 *
 * All are weak and hidden: if a header that many sources include contains the definitions, the
 * linker keeps one of each. Each source adds an entry to the section; cairn_trace_init ignores
 * duplicates.
 */
/* clang-format would take rows and lists for declarations, and break them anywhere. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_TYPED_TRACEPOINT_GENERATE_H
#define CAIRN_TYPED_TRACEPOINT_GENERATE_H

#include <cairn/eventheader/text.h>
#include <cairn/typed_tracepoint/each.h>
#include <cairn/typed_tracepoint/parts.h>
#include <cairn/typed_tracepoint/type.h>

/* ---- the parts: what is after the name of a part, in parentheses ---- */

#define CAIRN_I_TRACE_PART_TP_SYSTEM(system)     (#system, cairn__TP_SYSTEM_takes_an_identifier__not__##system)
#define CAIRN_I_TRACE_PART_TP_system(system)     (#system, cairn__TP_SYSTEM_takes_an_identifier__not__##system)
#define CAIRN_I_TRACE_PART_TP_PROTO(...)         (__VA_ARGS__)
#define CAIRN_I_TRACE_PART_TP_ARGS(...)          (__VA_ARGS__)
#define CAIRN_I_TRACE_PART_TP_CONDITION(...)     (__VA_ARGS__)
#define CAIRN_I_TRACE_PART_TP_STRUCT__entry(...) (__VA_ARGS__)
#define CAIRN_I_TRACE_PART_TP_fast_assign(...)   (__VA_ARGS__)
#define CAIRN_I_TRACE_PART_TP_printk(format, ...) (format __VA_OPT__(,) __VA_ARGS__)

#define CAIRN_I_TRACE_FIRST(...)      CAIRN_I_TRACE_FIRST_(__VA_ARGS__, )
#define CAIRN_I_TRACE_FIRST_(a, ...)  a
#define CAIRN_I_TRACE_SECOND(...)     CAIRN_I_TRACE_SECOND_(__VA_ARGS__, )
#define CAIRN_I_TRACE_SECOND_(a, b, ...) b

/* The parameters alone, before another one, and after another one. Without parameters these are
 * empty: TP_PROTO(void) and TP_PROTO() are the same. */
#define CAIRN_I_TRACE_ALONE(proto, args)  CAIRN_I_TRACE_IF(ALONE, args) proto
#define CAIRN_I_TRACE_BEFORE(proto, args) CAIRN_I_TRACE_IF(BEFORE, args) proto
#define CAIRN_I_TRACE_AFTER_IT(proto, args) CAIRN_I_TRACE_IF(AFTER, args) proto
#define CAIRN_I_TRACE_IF(what, args) \
    CAIRN_I_TRACE_CAT(CAIRN_I_TRACE_##what##_, CAIRN_I_TRACE_HAS args)
#define CAIRN_I_TRACE_ALONE_0(...)  void
#define CAIRN_I_TRACE_ALONE_1(...)  __VA_ARGS__
#define CAIRN_I_TRACE_BEFORE_0(...)
#define CAIRN_I_TRACE_BEFORE_1(...) __VA_ARGS__,
#define CAIRN_I_TRACE_AFTER_0(...)
#define CAIRN_I_TRACE_AFTER_1(...) , __VA_ARGS__

#ifdef __cplusplus
#define CAIRN_I_TRACE_C      extern "C"
#define CAIRN_I_TRACE_CONST  extern "C" const /* otherwise a constant is local to its file */
#define CAIRN_I_TRACE_STATIC_ASSERT static_assert
#else
#define CAIRN_I_TRACE_C      extern
#define CAIRN_I_TRACE_CONST  const
#define CAIRN_I_TRACE_STATIC_ASSERT _Static_assert
#endif
#ifdef __clang__ /* prints a false condition before the sentence, unless it is a number */
#define CAIRN_I_TRACE_ASSERT(condition, sentence) \
    CAIRN_I_TRACE_STATIC_ASSERT(__builtin_choose_expr((bool)(condition), 1, 0), sentence)
#else
#define CAIRN_I_TRACE_ASSERT CAIRN_I_TRACE_STATIC_ASSERT
#endif

/* Before C++20 and C23, clang's -Wpedantic warns about TP_printk("text") without arguments. */
#ifdef __clang__
#define CAIRN_I_TRACE_QUIET         \
    _Pragma("clang diagnostic push") \
    _Pragma("clang diagnostic ignored \"-Wgnu-zero-variadic-macro-arguments\"")
#define CAIRN_I_TRACE_QUIET_END _Pragma("clang diagnostic pop")
#else
#define CAIRN_I_TRACE_QUIET
#define CAIRN_I_TRACE_QUIET_END
#endif

#ifdef _WIN32 /* nothing is visible to other objects in any case */
#define CAIRN_I_TRACE_HIDDEN
#ifdef __clang__
#define CAIRN_I_TRACE_WEAK(kind, name) __attribute__((weak))
#else
/* At the start of a section: GNU as adds the offset of a weak symbol to references, which already
 * have it. */
#define CAIRN_I_TRACE_WEAK(kind, name) __attribute__((weak, section("." #kind "$cairn_" #name)))
#endif
#else
#define CAIRN_I_TRACE_HIDDEN           __attribute__((visibility("hidden")))
#define CAIRN_I_TRACE_WEAK(kind, name) __attribute__((weak, visibility("hidden")))
#endif

/* The linker keeps an entry of the section though nothing refers to it. */
#if __has_attribute(retain)
#define CAIRN_I_TRACE_KEEP_IN(name) __attribute__((section(name), used, retain))
#else
#define CAIRN_I_TRACE_KEEP_IN(name) __attribute__((section(name), used))
#endif
#ifdef _WIN32
/* The linker sorts the parts of a section by what follows the dollar: entries, between the two ends
 * of each file, which are NULL. */
#define CAIRN_I_TRACE_KEEP         CAIRN_I_TRACE_KEEP_IN(".rdata$zcairn_m")
#define CAIRN_I_TRACE_END_IN(name) __attribute__((section(name), unused))
#else
#define CAIRN_I_TRACE_KEEP CAIRN_I_TRACE_KEEP_IN("cairn_trace_events")
#endif

/* The functions that take events: in a kernel those of the core, in a program of user_events. */
#ifdef CAIRN_KERNEL
#define CAIRN_I_TRACE_CALL(what)  cairn_trace_write_##what
#define CAIRN_I_TRACE_IS_ON(name) cairn_static_branch(&cairn_event_##name.key)
#define CAIRN_I_TRACE_ENTER(raw_bytes) \
    cairn_trace_write_enter(cairn_i_event, &cairn_i_write, CAIRN_I_TRACE_RECORD_BYTES(raw_bytes))
#define CAIRN_I_TRACE_RESERVE(raw_bytes) cairn_trace_write_reserve(&cairn_i_write, raw_bytes)
#define CAIRN_I_TRACE_FINISH()           cairn_trace_write_finish(&cairn_i_write)
#define CAIRN_I_TRACE_LOAD(name)
#define CAIRN_I_TRACE_ENUMS __start_cairn_trace_enums, __stop_cairn_trace_enums
#define CAIRN_I_TRACE_SITES __start_cairn_static_branches, __stop_cairn_static_branches
#else
#define CAIRN_I_TRACE_ENUMS NULL, NULL /* no program has `format` files */
#define CAIRN_I_TRACE_SITES NULL, NULL
#define CAIRN_I_TRACE_CALL(what)  cairn_i_trace_user_##what
#define CAIRN_I_TRACE_IS_ON(name) cairn_unlikely(cairn_tracepoint_is_enabled(&cairn_event_##name.tracepoint))
/* Registers when the program or shared object is loaded, and unregisters at its end: the first of
 * these functions that is called does it for all events. */
#ifdef _WIN32
static struct cairn_trace_event *const cairn_i_trace_events_start CAIRN_I_TRACE_END_IN(".rdata$zcairn_a") = 0;
static struct cairn_trace_event *const cairn_i_trace_events_stop CAIRN_I_TRACE_END_IN(".rdata$zcairn_z") = 0;
#define __start_cairn_trace_events (&cairn_i_trace_events_start)
#define __stop_cairn_trace_events  (&cairn_i_trace_events_stop)
#define CAIRN_I_TRACE_LOAD(name)                                                                  \
    CAIRN_I_TRACE_LOADED                                                                          \
    static __attribute__((constructor)) void cairn_i_load_##name(void)                            \
    {                                                                                             \
        cairn_i_tracepoints_load();                                                               \
    }                                                                                             \
    static __attribute__((destructor)) void cairn_i_unload_##name(void)                           \
    {                                                                                             \
        cairn_i_tracepoints_unload();                                                             \
    }
#else
/* These entries cost less than a function for each event. */
#define CAIRN_I_TRACE_LOAD(name)                                                                  \
    CAIRN_I_TRACE_LOADED                                                                          \
    static void (*cairn_i_load_##name)(void) __attribute__((section(".init_array"), used)) =      \
        cairn_i_tracepoints_load;                                                                 \
    static void (*cairn_i_unload_##name)(void) __attribute__((section(".fini_array"), used)) =    \
        cairn_i_tracepoints_unload;
#endif

/* One for each program or shared object. In C it is defined with an event, so that sources without
 * events, such as those of the core, have no writable data. In C++ it may be defined only once. */
#ifdef __cplusplus
#define CAIRN_I_TRACE_LOADED
extern "C" {
CAIRN_I_TRACE_WEAK(data, loaded) bool cairn_i_tracepoints_loaded;
#else
#define CAIRN_I_TRACE_LOADED CAIRN_I_TRACE_WEAK(data, loaded) bool cairn_i_tracepoints_loaded;
extern CAIRN_I_TRACE_HIDDEN bool cairn_i_tracepoints_loaded;
#endif

static __attribute__((unused)) void cairn_i_tracepoints_load(void)
{
    if (!cairn_i_tracepoints_loaded)
        (void)cairn_trace_events_register(__start_cairn_trace_events, __stop_cairn_trace_events);
    cairn_i_tracepoints_loaded = true;
}

static __attribute__((unused)) void cairn_i_tracepoints_unload(void)
{
    if (cairn_i_tracepoints_loaded)
        (void)cairn_trace_events_unregister(__start_cairn_trace_events, __stop_cairn_trace_events);
    cairn_i_tracepoints_loaded = false;
}
#ifdef __cplusplus
}
#endif

#define CAIRN_I_TRACE_ENTER(raw_bytes) \
    ((void)cairn_i_trace_user_enter(cairn_i_event, &cairn_i_write), (void *)0)
#define CAIRN_I_TRACE_FINISH() \
    (cairn_i_trace_user_commit(&cairn_i_write), cairn_i_trace_user_leave(&cairn_i_write))

/* On the stack: a backend copies the record during the call. */
#define CAIRN_I_TRACE_RESERVE(raw_bytes)                                                          \
    cairn_i_trace_user_reserve(&cairn_i_write, raw_bytes,                                           \
                             CAIRN_I_TRACE_USER_BYTES(raw_bytes) <= CAIRN_RECORD_MAX_BYTES + 8      \
                                 ? __builtin_alloca(CAIRN_I_TRACE_USER_BYTES(raw_bytes)) : NULL)
#endif

/* Selects the first, unless CAIRN_TRACEPOINTS_DECLARE_ONLY is defined (empty, or as 1). */
#ifdef _WIN32
/* Always: GNU ld finds no weak definition for another file's reference that is not weak. */
#define CAIRN_I_TRACE_SELECT(create, declare) create
#else
#define CAIRN_I_TRACE_SELECT(create, declare) \
    CAIRN_I_TRACE_CAT(CAIRN_I_TRACE_SELECT_, CAIRN_TRACEPOINTS_DECLARE_ONLY)(create, declare)
#endif
#define CAIRN_I_TRACE_SELECT_CAIRN_TRACEPOINTS_DECLARE_ONLY(create, declare) create
#define CAIRN_I_TRACE_SELECT_(create, declare)                               declare
#define CAIRN_I_TRACE_SELECT_1(create, declare)                              declare

#define CAIRN_I_TRACE_CLASS \
    CAIRN_I_TRACE_SELECT(CAIRN_I_TRACE_CLASS_CREATE, CAIRN_I_TRACE_CLASS_ONLY)
#define CAIRN_I_TRACE_EVENT \
    CAIRN_I_TRACE_SELECT(CAIRN_I_TRACE_EVENT_CREATE, CAIRN_I_TRACE_EVENT_ONLY)
#define CAIRN_I_TRACE_EVENT_PRINT \
    CAIRN_I_TRACE_SELECT(CAIRN_I_TRACE_EVENT_PRINT_CREATE, CAIRN_I_TRACE_EVENT_PRINT_ONLY)

/* ---- a class ---- */

/* The last declaration takes the semicolon that users write. */
#define CAIRN_I_TRACE_CLASS_ONLY(class, system, proto, args, fields, assign, print, text)         \
    CAIRN_I_TRACE_CHECK_NAME(class, system)                                                       \
    CAIRN_I_TRACE_CLASS_DECLARE(class, proto, args)                                               \
    struct CAIRN_I_TRACE_SECOND system
#define CAIRN_I_TRACE_CLASS_CREATE(class, system, proto, args, fields, assign, print, text)       \
    CAIRN_I_TRACE_CHECK_NAME(class, system)                                                       \
    CAIRN_I_TRACE_CHECK_PARAMETERS(class, proto, args)                                            \
    CAIRN_I_TRACE_CLASS_DECLARE(class, proto, args)                                               \
    CAIRN_I_TRACE_CLASS_DEFINE(class, system, proto, args, fields, assign, print, text)           \
    struct CAIRN_I_TRACE_SECOND system

/* Mistakes that would be reported first as errors in the syntax of what is generated. */
#define CAIRN_I_TRACE_CHECK_NAME(name, system)                                                    \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_IS_IDENTIFIER(#name),                                            \
                         "cairn: a tracepoint has an identifier as its name, not: " #name);       \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_IS_IDENTIFIER(CAIRN_I_TRACE_TEXT_OF(CAIRN_I_TRACE_SECOND system)), \
                         "cairn: TP_SYSTEM of tracepoint " #name " takes an identifier, not: " CAIRN_I_TRACE_FIRST system);
#define CAIRN_I_TRACE_CHECK_PARAMETERS(class, proto, args)                                        \
    CAIRN_I_TRACE_ASSERT(!CAIRN_I_TRACE_TOO_MANY args,                                            \
                         "cairn: tracepoint " #class " has more than sixteen arguments");         \
    CAIRN_I_TRACE_ASSERT(!CAIRN_I_TRACE_HAS args == CAIRN_I_TRACE_HAS_NONE(#proto)                \
                             CAIRN_I_TRACE_LIST(CAIRN_I_TRACE_AND_ONE_WORD, CAIRN_I_TRACE_UNWRAP args), \
                         "cairn: TP_ARGS of tracepoint " #class " " CAIRN_I_TRACE_ARGS_SAYS #args);
#define CAIRN_I_TRACE_TEXT_OF(...)     CAIRN_I_TRACE_TEXT_OF_(__VA_ARGS__)
#define CAIRN_I_TRACE_TEXT_OF_(...)    #__VA_ARGS__
#define CAIRN_I_TRACE_HAS_NONE(proto)  (__builtin_strcmp(proto, "()") == 0 || __builtin_strcmp(proto, "(void)") == 0)
#define CAIRN_I_TRACE_AND_ONE_WORD(x)  && CAIRN_I_IS_ONE_WORD(#x)
#define CAIRN_I_TRACE_ARGS_SAYS        "takes the names of the parameters of TP_PROTO, in their order, not: "

#define CAIRN_I_TRACE_CLASS_DECLARE(class, proto, args)                                           \
    CAIRN_I_TRACE_C CAIRN_I_TRACE_HIDDEN const struct cairn_trace_class cairn_class_##class;      \
    CAIRN_I_TRACE_C CAIRN_I_TRACE_HIDDEN void cairn_i_call_##class(                               \
        CAIRN_I_TRACE_BEFORE(proto, args) const struct cairn_trace_write *cairn_i_write);         \
    CAIRN_I_TRACE_C CAIRN_I_TRACE_HIDDEN void cairn_i_write_##class(                              \
        CAIRN_I_TRACE_BEFORE(proto, args) struct cairn_trace_event *cairn_i_event);

#define CAIRN_I_TRACE_CLASS_DEFINE(class, system, proto, args, fields, assign, print, text)             \
    CAIRN_I_TRACE_ENTRY(class, fields)                                                            \
    CAIRN_I_TRACE_FIELDS(class, fields)                                                           \
    CAIRN_I_TRACE_ASSERT(cairn_i_count_##class <= (int)CAIRN_FIELDS_MAX,                          \
                         "cairn: tracepoint " #class " has more than 128 fields");                \
    CAIRN_I_TRACE_PRINT(class, class, print)                                                      \
    CAIRN_I_TRACE_CLASS_OBJECT(class, class, system, args, text)                         \
    CAIRN_I_TRACE_WRITE(class, proto, args, fields, assign)

/* `class` has the fields; `name` is the class itself, or an event that prints them differently. */
#define CAIRN_I_TRACE_CLASS_OBJECT(name, class, system, args, text)                              \
    CAIRN_I_TRACE_CONST CAIRN_I_TRACE_WEAK(rdata, class_##name) struct cairn_trace_class cairn_class_##name = {                      \
        {CAIRN_I_TRACE_SLICE(CAIRN_I_TRACE_FIRST system),                                         \
         CAIRN_I_TRACE_SLICE(""),                                                                 \
         CAIRN_I_TRACE_SLICE(""),                                                                 \
         CAIRN_I_TRACE_SLICE(text),                                          \
         0,                                                                                       \
         0,                                                                                       \
         cairn_i_count_##class,                                                                   \
         sizeof(struct cairn_i_entry_##class),                                                    \
         (struct cairn_field *)cairn_i_fields_##class},                                           \
        CAIRN_I_TRACE_COUNT args,                                                                 \
        CAIRN_I_TRACE_VERSION,                                                                    \
        cairn_i_print_##name,                                                                     \
        CAIRN_I_TRACE_ENUMS,                                                                      \
        0};
#define CAIRN_I_TRACE_SLICE(...)  CAIRN_I_TRACE_SLICE_((__VA_ARGS__))
#define CAIRN_I_TRACE_SLICE_(text) {text, sizeof text - 1}

/* The record's raw part. */
#define CAIRN_I_TRACE_ENTRY(class, fields)                                                        \
    struct cairn_i_entry_##class {                                                                \
        struct cairn_trace_common ent;                                                            \
        CAIRN_I_TRACE_EACH(CAIRN_I_TRACE_MEMBER, class, fields)                                   \
    } __attribute__((packed));
/* The first pass reports a word that is unknown. */
#define CAIRN_I_TRACE_MEMBER_UNKNOWN(class, words) \
    CAIRN_I_TRACE_ASSERT(0, "cairn: tracepoint " #class " has a field of a kind that does not exist: " words);
#define CAIRN_I_TRACE_AT_UNKNOWN(class, words)
#define CAIRN_I_TRACE_PLUS_UNKNOWN(class, words)
#define CAIRN_I_TRACE_CHECK_UNKNOWN(class, words)
#define CAIRN_I_TRACE_FIELD_UNKNOWN(class, words)
#define CAIRN_I_TRACE_BEGIN_UNKNOWN(class, words)
#define CAIRN_I_TRACE_MOVES_UNKNOWN(class, words)
#define CAIRN_I_TRACE_PLACE_UNKNOWN(class, words)
#define CAIRN_I_TRACE_MEMBER_FIELD(class, type, name, text)        CAIRN_I_TRACE_ONCE(class, name) type name;
#define CAIRN_I_TRACE_MEMBER_ARRAY(class, type, name, count, text) CAIRN_I_TRACE_ONCE(class, name) type name[count];
#define CAIRN_I_TRACE_MEMBER_DYNAMIC(class, loc, type, name, text, begin) \
    CAIRN_I_TRACE_ONCE(class, name) uint32_t __##loc##_loc_##name;
/* The compiler reports this name if it is declared twice. */
#ifdef __cplusplus
#define CAIRN_I_TRACE_ONCE(class, name) enum { cairn__tracepoint_##class##_has_this_field_twice__##name };
#else
#define CAIRN_I_TRACE_ONCE(class, name) \
    _Static_assert(sizeof(enum { cairn__tracepoint_##class##_has_this_field_twice__##name }), "");
#endif

/* The schema: one field after the other, as enum constants count, and a check of the offsets. */
#define CAIRN_I_TRACE_FIELDS(class, fields)                                                       \
    enum {                                                                                        \
        cairn_i_end_##class = CAIRN_COMMON_BYTES - 1,                                             \
        CAIRN_I_TRACE_EACH(CAIRN_I_TRACE_AT, class, fields)                                       \
        cairn_i_size_##class,                                                                     \
        cairn_i_count_##class = 0 CAIRN_I_TRACE_EACH(CAIRN_I_TRACE_PLUS, class, fields)           \
    };                                                                                            \
    CAIRN_I_TRACE_EACH(CAIRN_I_TRACE_CHECK, class, fields)                                        \
    CAIRN_I_TRACE_ASSERT(sizeof(struct cairn_i_entry_##class) == cairn_i_size_##class,            \
                         "cairn: the fields of tracepoint " #class " are not laid out as its schema says"); \
    CAIRN_I_TRACE_ASSERT(sizeof(struct cairn_i_entry_##class) - CAIRN_COMMON_BYTES <= CAIRN_PAYLOAD_MAX_BYTES, \
                         "cairn: the fields of tracepoint " #class " are too large for a record"); \
    CAIRN_I_TRACE_C CAIRN_I_TRACE_HIDDEN const struct cairn_field cairn_i_fields_##class[];       \
    CAIRN_I_TRACE_CONST CAIRN_I_TRACE_WEAK(rdata, fields_##class) struct cairn_field cairn_i_fields_##class[cairn_i_count_##class + 1] = { \
        CAIRN_I_TRACE_EACH(CAIRN_I_TRACE_FIELD, class, fields)                                    \
        {{0, 0}, {0, 0}, 0, 0, 0, 0, 0, 0, false, false}                                          \
    };

#define CAIRN_I_TRACE_AT_FIELD(class, type, name, text) \
    CAIRN_I_TRACE_AT_(class, name, sizeof(type))
#define CAIRN_I_TRACE_AT_ARRAY(class, type, name, count, text) \
    CAIRN_I_TRACE_AT_(class, name, sizeof(type) * (count))
#define CAIRN_I_TRACE_AT_DYNAMIC(class, loc, type, name, text, begin) \
    CAIRN_I_TRACE_AT_(class, name, 4)
#define CAIRN_I_TRACE_AT_(class, name, size) \
    cairn_i_at_##class##_0_##name,             \
    cairn_i_end_##class##_0_##name = (int)(cairn_i_at_##class##_0_##name + (size) - 1),

#define CAIRN_I_TRACE_PLUS_FIELD(...)   + 1
#define CAIRN_I_TRACE_PLUS_ARRAY(...)   + 1
#define CAIRN_I_TRACE_PLUS_DYNAMIC(...) + 1

#define CAIRN_I_TRACE_CHECK_FIELD(class, type, name, text) \
    CAIRN_I_TRACE_CHECK_(class, name, name) CAIRN_I_TRACE_CHECK_TYPE(class, type, name)
#define CAIRN_I_TRACE_CHECK_ARRAY(class, type, name, count, text)                                 \
    CAIRN_I_TRACE_CHECK_(class, name, name) CAIRN_I_TRACE_CHECK_TYPE(class, type, name)           \
    CAIRN_I_TRACE_ASSERT((count) > 0 && (count) <= UINT16_MAX,                                    \
                         "cairn: array " #name " of tracepoint " #class " has no elements, or too many");
#define CAIRN_I_TRACE_CHECK_DYNAMIC(class, loc, type, name, text, begin) \
    CAIRN_I_TRACE_CHECK_(class, name, __##loc##_loc_##name) CAIRN_I_TRACE_CHECK_TYPE(class, type, name)
#define CAIRN_I_TRACE_CHECK_(class, name, member)                                                 \
    CAIRN_I_TRACE_ASSERT(offsetof(struct cairn_i_entry_##class, member) == cairn_i_at_##class##_0_##name && \
                             sizeof(((struct cairn_i_entry_##class *)8)->member) ==               \
                                 cairn_i_end_##class##_0_##name - cairn_i_at_##class##_0_##name + 1,  \
                         "cairn: field " #name " of tracepoint " #class " is not where its schema says");
#define CAIRN_I_TRACE_CHECK_TYPE(class, type, name)                                               \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_IS_ALLOWED(type),                                          \
                         "cairn: the type of field " #name " of tracepoint " #class               \
                         " is no integer of up to 8 bytes, bool, pointer, enum or plain struct");

#define CAIRN_I_TRACE_FIELD_FIELD(class, type, name, text)                                        \
    {{#name, sizeof(#name) - 1}, {text, sizeof(text) - 1}, cairn_i_at_##class##_0_##name,           \
     sizeof(type), CAIRN_I_TRACE_ELEMENT_BYTES(type), 0, CAIRN_I_TRACE_KIND(type),                \
     CAIRN_FIELD_INLINE, CAIRN_I_TRACE_IS_SIGNED(type), false},
#define CAIRN_I_TRACE_FIELD_ARRAY(class, type, name, count, text)                                 \
    {{#name, sizeof(#name) - 1}, {text, sizeof(text) - 1}, cairn_i_at_##class##_0_##name,           \
     (uint32_t)(sizeof(type) * (count)), CAIRN_I_TRACE_ELEMENT_BYTES(type), (uint16_t)(count),    \
     CAIRN_I_TRACE_KIND(type), CAIRN_FIELD_INLINE, CAIRN_I_TRACE_IS_SIGNED(type), true},
#define CAIRN_I_TRACE_FIELD_DYNAMIC(class, loc, type, name, text, begin)                          \
    {{#name, sizeof(#name) - 1}, {text, sizeof(text) - 1}, cairn_i_at_##class##_0_##name,           \
     4, CAIRN_I_TRACE_ELEMENT_BYTES(type), 0, CAIRN_I_TRACE_KIND(type),                           \
     CAIRN_I_TRACE_LOCATION_##loc, CAIRN_I_TRACE_IS_SIGNED(type), true},
#define CAIRN_I_TRACE_LOCATION_data CAIRN_FIELD_DATA_LOC
#define CAIRN_I_TRACE_LOCATION_rel  CAIRN_FIELD_REL_LOC

#define CAIRN_I_TRACE_CHECK_PRINT(...) CAIRN_I_TRACE_CHECK_FORMAT(__VA_ARGS__)
#define CAIRN_I_TRACE_CHECK_FORMAT(name, ...)                                                     \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_IS_QUOTED(#__VA_ARGS__),                                         \
                         "cairn: TP_printk of tracepoint " #name " takes a string literal first, and a comma after it, not: " #__VA_ARGS__);

/* The event's part of a text line. */
#define CAIRN_I_TRACE_PRINT(name, class, print)                                                   \
    CAIRN_I_TRACE_CHECK_PRINT(name, CAIRN_I_TRACE_FIRST print)                                    \
    CAIRN_I_TRACE_C CAIRN_I_TRACE_HIDDEN void cairn_i_print_##name(struct cairn_text *, const void *, size_t); \
    CAIRN_I_TRACE_WEAK(text, print_##name) void cairn_i_print_##name(                             \
        struct cairn_text *cairn_i_text, const void *cairn_i_raw, size_t cairn_i_raw_bytes) \
    {                                                                                             \
        const struct cairn_i_entry_##class *__entry = (const struct cairn_i_entry_##class *)cairn_i_raw; \
                                                                                                  \
        (void)__entry, (void)cairn_i_raw_bytes;                                                   \
        cairn_text_printf(cairn_i_text, CAIRN_I_TRACE_UNWRAP print);                                \
    }

/* In a function whose parameters they are: the types of the arguments are those of TP_PROTO. */
#define CAIRN_I_TRACE_CHECK_ARGS(class, proto, args)                                              \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_SAME(void (*)(CAIRN_I_TRACE_BEFORE(proto, args) int),      \
                                            void (*)(CAIRN_I_TRACE_LIST(CAIRN_I_TRACE_TYPE_OF, CAIRN_I_TRACE_UNWRAP args) int)), \
                         "cairn: TP_ARGS of tracepoint " #class " " CAIRN_I_TRACE_ARGS_SAYS #args);
#ifdef __cplusplus
#define CAIRN_I_TRACE_TYPE_OF(x) decltype(x),
#define CAIRN_I_TRACE_SAME(...)  (cairn_i_trace::is_same<__VA_ARGS__>::value)
#else
#define CAIRN_I_TRACE_TYPE_OF(x) __typeof__(x),
#define CAIRN_I_TRACE_SAME(...)  __builtin_types_compatible_p(__VA_ARGS__)
#endif

/* Calls the typed callbacks. Cold, so that events without callbacks need no registers for it. */
#define CAIRN_I_TRACE_TYPED(class, proto, args)                                                   \
    CAIRN_I_TRACE_WEAK(text, call_##class) __attribute__((noinline, cold)) void cairn_i_call_##class(                 \
        CAIRN_I_TRACE_BEFORE(proto, args) const struct cairn_trace_write *cairn_i_write)          \
    {                                                                                             \
        CAIRN_I_TRACE_CHECK_ARGS(class, proto, args)                                              \
        uint32_t cairn_i_left;                                                                    \
        struct cairn_trace_callback *const *cairn_i_callback =                                    \
            CAIRN_I_TRACE_CALL(typed)(cairn_i_write, &cairn_i_left);                              \
                                                                                                  \
        for (; cairn_i_left; cairn_i_left--, cairn_i_callback++) {                                \
            void (*cairn_i_function)(void) = CAIRN_TRACE_FUNCTION(*cairn_i_callback);             \
                                                                                                  \
            if (cairn_i_function)                                                                 \
                ((void (*)(void * CAIRN_I_TRACE_AFTER_IT(proto, args)))cairn_i_function)(         \
                    (*cairn_i_callback)->data CAIRN_I_TRACE_AFTER_IT(args, args));                \
        }                                                                                         \
    }

/* Writes an event. One that is only recorded, and whose size is known here, gets its record at once
 * (`direct`), which is the fast path. */
#define CAIRN_I_TRACE_WRITE(class, proto, args, fields, assign)                                   \
    CAIRN_I_TRACE_TYPED(class, proto, args)                                                       \
    CAIRN_I_TRACE_WEAK(text, write_##class) __attribute__((noinline)) void cairn_i_write_##class(                      \
        CAIRN_I_TRACE_BEFORE(proto, args) struct cairn_trace_event *cairn_i_event)                \
    {                                                                                             \
        struct cairn_trace_write cairn_i_write;                                                   \
        struct cairn_i_entry_##class *__entry = (struct cairn_i_entry_##class *)CAIRN_I_TRACE_ENTER( \
            (0 CAIRN_I_TRACE_EACH(CAIRN_I_TRACE_MOVES, class, fields)) ? 0 : sizeof(*__entry));   \
        const bool cairn_i_direct = __entry != NULL;                                              \
                                                                                                  \
        if (!cairn_i_direct && !cairn_i_write.todo)                                               \
            return;                                                                               \
        if (!cairn_i_direct && (cairn_i_write.todo & CAIRN_TRACE_DO_TYPED))                       \
            cairn_i_call_##class(CAIRN_I_TRACE_BEFORE(args, args) &cairn_i_write);                \
        if (cairn_likely(cairn_i_direct || (cairn_i_write.todo & CAIRN_TRACE_DO_RECORD))) {       \
            uint32_t cairn_i_raw_bytes = sizeof(*__entry);                                        \
            CAIRN_I_TRACE_EACH(CAIRN_I_TRACE_BEGIN, class, fields)                                \
                                                                                                  \
            if (!cairn_i_direct)                                                                  \
                __entry = (struct cairn_i_entry_##class *)CAIRN_I_TRACE_RESERVE(cairn_i_raw_bytes); \
            if (cairn_likely(__entry != NULL)) {                                                  \
                CAIRN_I_TRACE_EACH(CAIRN_I_TRACE_PLACE, class, fields)                            \
                {                                                                                 \
                    CAIRN_I_TRACE_UNWRAP assign                                                   \
                }                                                                                 \
                if (cairn_likely(cairn_i_direct || cairn_i_write.todo == CAIRN_TRACE_DO_RECORD)) { \
                    CAIRN_I_TRACE_FINISH();                                                       \
                    return;                                                                       \
                }                                                                                 \
                CAIRN_I_TRACE_CALL(commit)(&cairn_i_write);                                       \
            }                                                                                     \
        }                                                                                         \
        if (cairn_unlikely(cairn_i_write.todo & CAIRN_TRACE_DO_RAW)) {                            \
            const uint64_t cairn_i_arguments[] = {CAIRN_I_TRACE_LIST(CAIRN_I_TRACE_BITS, CAIRN_I_TRACE_UNWRAP args) 0}; \
                                                                                                  \
            CAIRN_I_TRACE_CALL(raw)(&cairn_i_write, cairn_i_arguments, CAIRN_I_TRACE_COUNT args); \
        }                                                                                         \
        CAIRN_I_TRACE_CALL(leave)(&cairn_i_write);                                                \
    }

/* An integer keeps its value, whatever its size; other types of up to 8 bytes keep their bits; for
 * a larger one, its address is passed. */
#define CAIRN_I_TRACE_BITS(argument) \
    cairn_i_argument_bits(&(argument), sizeof(argument), CAIRN_I_TRACE_EXTENDS(__typeof__(argument))),

/* True if the size of a record is known only when it is written. */
#define CAIRN_I_TRACE_MOVES_FIELD(...)
#define CAIRN_I_TRACE_MOVES_ARRAY(...)
#define CAIRN_I_TRACE_MOVES_DYNAMIC(...) | 1

/* Dynamic fields: first their sizes, then their offsets. */
#define CAIRN_I_TRACE_BEGIN_FIELD(...)
#define CAIRN_I_TRACE_BEGIN_ARRAY(...)
#define CAIRN_I_TRACE_BEGIN_DYNAMIC(class, loc, type, name, text, begin) \
    struct cairn_trace_dynamic cairn_i_field_##name = cairn_i_dynamic_at(begin, &cairn_i_raw_bytes);

#define CAIRN_I_TRACE_PLACE_FIELD(...)
#define CAIRN_I_TRACE_PLACE_ARRAY(...)
#define CAIRN_I_TRACE_PLACE_DYNAMIC(class, loc, type, name, text, begin)                          \
    __entry->__##loc##_loc_##name = cairn_i_dynamic_location(                                     \
        &cairn_i_field_##name, CAIRN_I_TRACE_BASE_##loc(cairn_i_at_##class##_0_##name));
#define CAIRN_I_TRACE_BASE_data(at) 0
#define CAIRN_I_TRACE_BASE_rel(at)  ((at) + 4u)

/* ---- an event ---- */

#define CAIRN_I_TRACE_EVENT_ONLY(class, name, system, proto, args, condition)                     \
    CAIRN_I_TRACE_EVENT_DECLARE(name, proto, args)                                                \
    struct CAIRN_I_TRACE_SECOND system
#define CAIRN_I_TRACE_EVENT_CREATE(class, name, system, proto, args, condition)                   \
    CAIRN_I_TRACE_EVENT_DECLARE(name, proto, args)                                                \
    CAIRN_I_TRACE_EVENT_DEFINE(class, class, name, system, proto, args, condition)                \
    struct CAIRN_I_TRACE_SECOND system

/* An event with a printer of its own: as a class it has its own name, and the fields of `class`. */
#define CAIRN_I_TRACE_EVENT_PRINT_ONLY(class, name, system, proto, args, print, text)             \
    CAIRN_I_TRACE_EVENT_ONLY(class, name, system, proto, args, (true))
#define CAIRN_I_TRACE_EVENT_PRINT_CREATE(class, name, system, proto, args, print, text)           \
    CAIRN_I_TRACE_C CAIRN_I_TRACE_HIDDEN const struct cairn_trace_class cairn_class_##name;       \
    CAIRN_I_TRACE_PRINT(name, class, print)                                                       \
    CAIRN_I_TRACE_CLASS_OBJECT(name, class, system, args, text)                                   \
    CAIRN_I_TRACE_EVENT_DECLARE(name, proto, args)                                                \
    CAIRN_I_TRACE_EVENT_DEFINE(class, name, name, system, proto, args, (true))                    \
    struct CAIRN_I_TRACE_SECOND system

#define CAIRN_I_TRACE_EVENT_DECLARE(name, proto, args)                                            \
    CAIRN_I_TRACE_C CAIRN_I_TRACE_HIDDEN struct cairn_trace_event cairn_event_##name;             \
    CAIRN_I_TRACE_C CAIRN_I_TRACE_HIDDEN __attribute__((cold)) void cairn_i_probe_##name(         \
        CAIRN_I_TRACE_ALONE(proto, args));                                                        \
    CAIRN_I_TRACE_INLINES(name, proto, args)

/* `class` writes it; `printer` is the class that its records are shown by. */
#define CAIRN_I_TRACE_EVENT_DEFINE(class, printer, name, system, proto, args, condition)          \
    CAIRN_I_TRACE_WEAK(data, event_##name) struct cairn_trace_event cairn_event_##name = {                            \
        #name, CAIRN_I_TRACE_FIRST system, &cairn_class_##printer, CAIRN_STATIC_KEY_INIT,         \
        CAIRN_TRACEPOINT_INIT, 0, 0, 0, 0, 0, 0, false, false, 0, 0, 0,                     \
        CAIRN_I_TRACE_SITES, CAIRN_I_TRACE_VERSION, 0, {0, 0}};                                                                     \
    static struct cairn_trace_event *const cairn_i_listed_##name CAIRN_I_TRACE_KEEP =             \
        &cairn_event_##name;                                                                      \
    CAIRN_I_TRACE_LOAD(name)                                                                      \
    CAIRN_I_TRACE_WEAK(text, probe_##name) __attribute__((cold, noinline)) void cairn_i_probe_##name(                 \
        CAIRN_I_TRACE_ALONE(proto, args))                                                         \
    {                                                                                             \
        if (CAIRN_I_TRACE_UNWRAP condition)                                                       \
            cairn_i_write_##class(CAIRN_I_TRACE_BEFORE(args, args) &cairn_event_##name);          \
    }

#define CAIRN_I_TRACE_INLINES(name, proto, args)                                                  \
    static inline __attribute__((always_inline, unused)) void trace_##name(                       \
        CAIRN_I_TRACE_ALONE(proto, args))                                                         \
    {                                                                                             \
        if (CAIRN_I_TRACE_IS_ON(name))                                                            \
            cairn_i_probe_##name args;                                                            \
    }                                                                                             \
    static inline __attribute__((always_inline, unused)) bool trace_##name##_enabled(void)        \
    {                                                                                             \
        return CAIRN_I_TRACE_IS_ON(name);                                                         \
    }                                                                                             \
    static inline __attribute__((unused)) int register_trace_prio_##name(                         \
        void (*cairn_i_function)(void *cairn_i_data CAIRN_I_TRACE_AFTER_IT(proto, args)),         \
        void *cairn_i_data, int32_t cairn_i_priority)                                             \
    {                                                                                             \
        return cairn_trace_event_callback_add(&cairn_event_##name, CAIRN_TRACE_TYPED,                   \
                                        (void (*)(void))cairn_i_function, cairn_i_data, cairn_i_priority); \
    }                                                                                             \
    static inline __attribute__((unused)) int register_trace_##name(                              \
        void (*cairn_i_function)(void *cairn_i_data CAIRN_I_TRACE_AFTER_IT(proto, args)),         \
        void *cairn_i_data)                                                                       \
    {                                                                                             \
        return register_trace_prio_##name(cairn_i_function, cairn_i_data, CAIRN_TRACE_PRIORITY);  \
    }                                                                                             \
    static inline __attribute__((unused)) int unregister_trace_##name(                            \
        void (*cairn_i_function)(void *cairn_i_data CAIRN_I_TRACE_AFTER_IT(proto, args)),         \
        void *cairn_i_data)                                                                       \
    {                                                                                             \
        return cairn_trace_event_callback_remove(&cairn_event_##name, CAIRN_TRACE_TYPED,                \
                                           (void (*)(void))cairn_i_function, cairn_i_data);       \
    }

#endif
