/* SPDX-License-Identifier: MIT */
/*
 * Linux's own names for what cairn/trace_event.h has, so that a trace header of Linux can be moved
 * over as it is: TRACE_EVENT and its like, with the system's name in TRACE_SYSTEM.
 *
 * As in Linux the macros declare, and in the one source that has CREATE_TRACE_POINTS defined they
 * define. A header that includes <linux/tracepoint.h> and <trace/define_trace.h> finds both with
 * -I.../include/cairn/linux; it is read once only.
 *
 * docs/tracepoints.md says what is not there: events with functions for registration, cpumasks,
 * and the values of enums in `format`.
 */
#pragma GCC system_header
#ifndef CAIRN_LINUX_TRACE_EVENT_H
#define CAIRN_LINUX_TRACE_EVENT_H

#include <cairn/trace_event.h>

/* The first where CREATE_TRACE_POINTS is defined, as nothing or as 1. */
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

#define CAIRN_I_LINUX_SYSTEM           CAIRN_I_LINUX_SYSTEM_(TRACE_SYSTEM)
#define CAIRN_I_LINUX_SYSTEM_(system)  CAIRN_I_LINUX_SYSTEM__(system)
#define CAIRN_I_LINUX_SYSTEM__(system) (#system, cairn_i_system_##system)

#define TRACE_EVENT(name, proto, args, tstruct, assign, print)                        \
    CAIRN_I_TRACE_QUIET                                                               \
    CAIRN_I_LINUX_CLASS(name, CAIRN_I_LINUX_SYSTEM, CAIRN_I_TRACE_PART_##proto,       \
                        CAIRN_I_TRACE_PART_##args, CAIRN_I_TRACE_PART_##tstruct,      \
                        CAIRN_I_TRACE_PART_##assign, CAIRN_I_TRACE_PART_##print,      \
                        CAIRN_I_WORD(TEXT, CAIRN_I_TRACE_PART_##print, ));            \
    CAIRN_I_LINUX_EVENT(name, name, CAIRN_I_LINUX_SYSTEM, CAIRN_I_TRACE_PART_##proto, \
                        CAIRN_I_TRACE_PART_##args, (true))                            \
    CAIRN_I_TRACE_QUIET_END

#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print)        \
    CAIRN_I_TRACE_QUIET                                                               \
    CAIRN_I_LINUX_CLASS(name, CAIRN_I_LINUX_SYSTEM, CAIRN_I_TRACE_PART_##proto,       \
                        CAIRN_I_TRACE_PART_##args, CAIRN_I_TRACE_PART_##tstruct,      \
                        CAIRN_I_TRACE_PART_##assign, CAIRN_I_TRACE_PART_##print,      \
                        CAIRN_I_WORD(TEXT, CAIRN_I_TRACE_PART_##print, ));            \
    CAIRN_I_LINUX_EVENT(name, name, CAIRN_I_LINUX_SYSTEM, CAIRN_I_TRACE_PART_##proto, \
                        CAIRN_I_TRACE_PART_##args, CAIRN_I_TRACE_PART_##cond)         \
    CAIRN_I_TRACE_QUIET_END

#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)           \
    CAIRN_I_TRACE_QUIET                                                          \
    CAIRN_I_LINUX_CLASS(name, CAIRN_I_LINUX_SYSTEM, CAIRN_I_TRACE_PART_##proto,  \
                        CAIRN_I_TRACE_PART_##args, CAIRN_I_TRACE_PART_##tstruct, \
                        CAIRN_I_TRACE_PART_##assign, CAIRN_I_TRACE_PART_##print, \
                        CAIRN_I_WORD(TEXT, CAIRN_I_TRACE_PART_##print, ))        \
    CAIRN_I_TRACE_QUIET_END

#define DEFINE_EVENT(template, name, proto, args)                                         \
    CAIRN_I_LINUX_EVENT(template, name, CAIRN_I_LINUX_SYSTEM, CAIRN_I_TRACE_PART_##proto, \
                        CAIRN_I_TRACE_PART_##args, (true))

#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond)                         \
    CAIRN_I_LINUX_EVENT(template, name, CAIRN_I_LINUX_SYSTEM, CAIRN_I_TRACE_PART_##proto, \
                        CAIRN_I_TRACE_PART_##args, CAIRN_I_TRACE_PART_##cond)

#define DEFINE_EVENT_PRINT(template, name, proto, args, print)                                  \
    CAIRN_I_TRACE_QUIET                                                                         \
    CAIRN_I_LINUX_EVENT_PRINT(template, name, CAIRN_I_LINUX_SYSTEM, CAIRN_I_TRACE_PART_##proto, \
                              CAIRN_I_TRACE_PART_##args, CAIRN_I_TRACE_PART_##print,            \
                              CAIRN_I_WORD(TEXT, CAIRN_I_TRACE_PART_##print, ))                 \
    CAIRN_I_TRACE_QUIET_END

/* Nothing is to be done for these: the semicolon behind them needs a declaration. */
#define TRACE_DEFINE_ENUM(name)            struct cairn_trace_event
#define TRACE_DEFINE_SIZEOF(name)          struct cairn_trace_event
#define EXPORT_TRACEPOINT_SYMBOL(name)     struct cairn_trace_event
#define EXPORT_TRACEPOINT_SYMBOL_GPL(name) struct cairn_trace_event

#endif
