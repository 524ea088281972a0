/* SPDX-License-Identifier: MIT */
/*
 * Linux's names for the macros of cairn/typed_tracepoint.h, so that a trace header of Linux can be
 * used unchanged: TRACE_EVENT and related macros, with the system's name in TRACE_SYSTEM.
 *
 * As in Linux the macros declare, and in the one source that has CREATE_TRACE_POINTS defined they
 * define. A header that includes <linux/tracepoint.h> and <trace/define_trace.h> finds both with
 * -I.../include/cairn/linux; it is read once only.
 *
 * docs/tracepoints.md lists what is missing, such as events with functions for registration.
 */
#pragma GCC system_header
#ifndef CAIRN_LINUX_TRACE_EVENT_H
#define CAIRN_LINUX_TRACE_EVENT_H

#include <cairn/typed_tracepoint.h>

/* Selects the first if CREATE_TRACE_POINTS is defined, empty or as 1. */
#define CAIRN_I_LINUX_SELECT(create, declare) \
    CAIRN_I_TRACE_CAT(CAIRN_I_LINUX_SELECT_, CREATE_TRACE_POINTS)(create, declare)
#define CAIRN_I_LINUX_SELECT_(create, declare)                    create
#define CAIRN_I_LINUX_SELECT_1(create, declare)                   create
#define CAIRN_I_LINUX_SELECT_CREATE_TRACE_POINTS(create, declare) declare

#define CAIRN_I_LINUX_CLASS \
    CAIRN_I_LINUX_SELECT(CAIRN_I_TRACE_CLASS_CREATE, CAIRN_I_TRACE_CLASS_ONLY)
#define CAIRN_I_LINUX_EVENT \
    CAIRN_I_LINUX_SELECT(CAIRN_I_TRACE_EVENT_CREATE, CAIRN_I_TRACE_EVENT_ONLY)
#define CAIRN_I_LINUX_EVENT_PRINT \
    CAIRN_I_LINUX_SELECT(CAIRN_I_TRACE_EVENT_PRINT_CREATE, CAIRN_I_TRACE_EVENT_PRINT_ONLY)

/* A system's name need not be an identifier: "intel-sst". */
#define CAIRN_I_LINUX_SYSTEM           CAIRN_I_LINUX_SYSTEM_(TRACE_SYSTEM)
#define CAIRN_I_LINUX_SYSTEM_(system)  CAIRN_I_LINUX_SYSTEM__(system)
#define CAIRN_I_LINUX_SYSTEM__(system) (#system, cairn_i_system)

/* Linux's own code has the record in `entry`, and some headers use that. */
#define CAIRN_I_LINUX_PART_TP_fast_assign(...) \
    (__typeof__(__entry) entry = __entry; (void)entry; __VA_ARGS__)

/* Protects commas in arguments that another macro passes on. */
#define PARAMS(...) __VA_ARGS__

/*
 * Headers may have macros that become TP_PROTO(...) and so on, so parts are pasted to their prefix
 * one step down, where macros in them are expanded. TP_printk(...) must not be expanded: write it
 * out.
 */
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)                  \
    CAIRN_I_TRACE_QUIET                                                         \
    CAIRN_I_LINUX_TRACE(name, proto, args, TP_CONDITION(true), tstruct, assign, \
                        CAIRN_I_TRACE_PART_##print,                             \
                        CAIRN_I_WORD(TEXT, CAIRN_I_TRACE_PART_##print, ))       \
    CAIRN_I_TRACE_QUIET_END

#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print)                \
    CAIRN_I_TRACE_QUIET                                                                       \
    CAIRN_I_LINUX_TRACE(name, proto, args, cond, tstruct, assign, CAIRN_I_TRACE_PART_##print, \
                        CAIRN_I_WORD(TEXT, CAIRN_I_TRACE_PART_##print, ))                     \
    CAIRN_I_TRACE_QUIET_END

#define CAIRN_I_LINUX_TRACE(name, proto, args, cond, tstruct, assign, print, text) \
    CAIRN_I_LINUX_CLASS_OF(name, proto, args, tstruct, assign, print, text);       \
    CAIRN_I_LINUX_EVENT_OF(name, name, proto, args, cond)

#define CAIRN_I_LINUX_CLASS_OF(name, proto, args, tstruct, assign, print, text)  \
    CAIRN_I_LINUX_CLASS(name, CAIRN_I_LINUX_SYSTEM, CAIRN_I_TRACE_PART_##proto,  \
                        CAIRN_I_TRACE_PART_##args, CAIRN_I_TRACE_PART_##tstruct, \
                        CAIRN_I_LINUX_PART_##assign, print, text)

#define CAIRN_I_LINUX_EVENT_OF(template, name, proto, args, cond)                         \
    CAIRN_I_LINUX_EVENT(template, name, CAIRN_I_LINUX_SYSTEM, CAIRN_I_TRACE_PART_##proto, \
                        CAIRN_I_TRACE_PART_##args, CAIRN_I_TRACE_PART_##cond)

#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)                     \
    CAIRN_I_TRACE_QUIET                                                                    \
    CAIRN_I_LINUX_CLASS_OF(name, proto, args, tstruct, assign, CAIRN_I_TRACE_PART_##print, \
                           CAIRN_I_WORD(TEXT, CAIRN_I_TRACE_PART_##print, ))               \
    CAIRN_I_TRACE_QUIET_END

#define DEFINE_EVENT(template, name, proto, args) \
    CAIRN_I_LINUX_EVENT_OF(template, name, proto, args, TP_CONDITION(true))

#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond) \
    CAIRN_I_LINUX_EVENT_OF(template, name, proto, args, cond)

#define DEFINE_EVENT_PRINT(template, name, proto, args, print)                      \
    CAIRN_I_TRACE_QUIET                                                             \
    CAIRN_I_LINUX_PRINT_OF(template, name, proto, args, CAIRN_I_TRACE_PART_##print, \
                           CAIRN_I_WORD(TEXT, CAIRN_I_TRACE_PART_##print, ))        \
    CAIRN_I_TRACE_QUIET_END

#define CAIRN_I_LINUX_PRINT_OF(template, name, proto, args, print, text)                        \
    CAIRN_I_LINUX_EVENT_PRINT(template, name, CAIRN_I_LINUX_SYSTEM, CAIRN_I_TRACE_PART_##proto, \
                              CAIRN_I_TRACE_PART_##args, print, text)

/* A tracepoint for callbacks alone; here it is an event without fields. */
#define DECLARE_TRACE(name, proto, args)                                           \
    CAIRN_I_LINUX_TRACE(name, proto, args, TP_CONDITION(true), TP_STRUCT__entry(), \
                        TP_fast_assign(), (" "), "\" \", ")

/* Events that a configuration leaves out: trace_NAME() does nothing. */
#define TRACE_EVENT_NOP(name, proto, args, tstruct, assign, print) \
    DECLARE_EVENT_NOP(name, proto, args)
#define DECLARE_EVENT_CLASS_NOP(name, proto, args, tstruct, assign, print) struct cairn_trace_event
#define DEFINE_EVENT_NOP(template, name, proto, args)                      DECLARE_EVENT_NOP(name, proto, args)
#define DECLARE_EVENT_NOP(name, proto, args) \
    CAIRN_I_LINUX_NOP(name, CAIRN_I_TRACE_PART_##proto, CAIRN_I_TRACE_PART_##args)
#define CAIRN_I_LINUX_NOP(name, proto, args)                                                  \
    static inline __attribute__((unused)) void trace_##name(CAIRN_I_TRACE_ALONE(proto, args)) \
    {                                                                                         \
        CAIRN_I_TRACE_LIST(CAIRN_I_LINUX_UNUSED, CAIRN_I_TRACE_UNWRAP args)                   \
    }                                                                                         \
    static inline __attribute__((unused)) bool trace_##name##_enabled(void)                   \
    {                                                                                         \
        return false;                                                                         \
    }                                                                                         \
    struct cairn_trace_event
#define CAIRN_I_LINUX_UNUSED(name) (void)name;

/* For perf, which counts by them. */
#define __perf_count(value) (value)
#define __perf_task(value)  (value)

#define TRACE_EVENT_FLAGS(name, flags)
#define TRACE_EVENT_PERF_PERM(name, ...)

/* Numbers that replace names in `format`, in a kernel. */
#define TRACE_DEFINE_ENUM(name)   CAIRN_I_LINUX_ENUM_OF(#name, name)
#define TRACE_DEFINE_SIZEOF(name) CAIRN_I_LINUX_ENUM_OF("sizeof(" #name ")", sizeof(name))
#ifdef CAIRN_KERNEL
#define CAIRN_I_LINUX_ENUM_OF(text, value)                          \
    CAIRN_I_LINUX_SELECT(CAIRN_I_LINUX_ENUM, CAIRN_I_LINUX_NO_ENUM) \
    (__COUNTER__, text, value, CAIRN_I_TRACE_FIRST CAIRN_I_LINUX_SYSTEM)
#define CAIRN_I_LINUX_ENUM(count, text, value, system) \
    CAIRN_I_LINUX_ENUM_(count, text, value, system)
#define CAIRN_I_LINUX_ENUM_(count, text, value, system)                                            \
    static const struct cairn_trace_enum cairn_i_enum_##count = {system, text, (int64_t)(value)};  \
    static const struct cairn_trace_enum *const cairn_i_listed_enum_##count CAIRN_I_TRACE_KEEP_IN( \
        "cairn_trace_enums") = &cairn_i_enum_##count;                                              \
    struct cairn_trace_enum
#else
#define CAIRN_I_LINUX_ENUM_OF(text, value) struct cairn_trace_enum
#endif
#define CAIRN_I_LINUX_NO_ENUM(count, text, value, system) struct cairn_trace_enum

/* These do nothing: the semicolon after them needs a declaration. */
#define EXPORT_TRACEPOINT_SYMBOL(name)     struct cairn_trace_event
#define EXPORT_TRACEPOINT_SYMBOL_GPL(name) struct cairn_trace_event

#endif
