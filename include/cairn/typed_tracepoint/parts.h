/* SPDX-License-Identifier: MIT */
/*
 * Checks that the parts of a tracepoint are there, and in their order.
 *
 * CAIRN_I_TRACE_SPAEFT(name, parts, , , , , , , , ) is GOOD or WRONG; the letters are those of the
 * parts in their order. Each part is pasted to a name that states what belongs there: if it is
 * right, that is one of the macros below. A string cannot be pasted: the compiler's error contains
 * the name.
 *
 * TP_printk must not be expanded before CAIRN_I_WORD (words.h). So the parts follow `, ##`, and are
 * parameters in each macro: they are tokens of the program until they are pasted.
 */
/* clang-format would join the columns. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_TYPED_TRACEPOINT_PARTS_H
#define CAIRN_TYPED_TRACEPOINT_PARTS_H

#include <cairn/typed_tracepoint/each.h>

#define cairn__TP_SYSTEM_belongs_here__not__TP_SYSTEM(...)               CAIRN_I_TRACE_RIGHT_ONE(__VA_ARGS__, )
#define cairn__TP_SYSTEM_belongs_here__not__TP_system(...)               CAIRN_I_TRACE_RIGHT_ONE(__VA_ARGS__, )
#define cairn__TP_PROTO_belongs_here__not__TP_PROTO(...)                 ~, 1,
#define cairn__TP_ARGS_belongs_here__not__TP_ARGS(...)                   ~, 1,
#define cairn__TP_CONDITION_belongs_here__not__TP_CONDITION(...)         ~, 1,
#define cairn__TP_STRUCT__entry_belongs_here__not__TP_STRUCT__entry(...) ~, 1,
#define cairn__TP_fast_assign_belongs_here__not__TP_fast_assign(...)     ~, 1,
#define cairn__TP_printk_belongs_here__not__TP_printk(...)               ~, 1,

/* 1 if the part became `~, 1,` and nothing follows it. */
#define CAIRN_I_TRACE_RIGHT(...)                   CAIRN_I_TRACE_RIGHT_(__VA_ARGS__, 0, , )
#define CAIRN_I_TRACE_RIGHT_(part, yes, more, ...) CAIRN_I_TRACE_CAT(CAIRN_I_TRACE_RIGHT_##yes, CAIRN_I_TRACE_HAS(more))
#define CAIRN_I_TRACE_RIGHT_00                     0
#define CAIRN_I_TRACE_RIGHT_01                     0
#define CAIRN_I_TRACE_RIGHT_10                     1
#define CAIRN_I_TRACE_RIGHT_11                     0
#define CAIRN_I_TRACE_NOT_0                     1
#define CAIRN_I_TRACE_NOT_1                     0
/* One argument. */
#define CAIRN_I_TRACE_RIGHT_ONE(x, ...)            ~, CAIRN_I_TRACE_HAS(x), __VA_ARGS__

/* The first argument is 1 if there is a name, the last one 0 if there are not too many parts. */
#define CAIRN_I_TRACE_VERDICT(...)              CAIRN_I_TRACE_VERDICT_(__VA_ARGS__)
#define CAIRN_I_TRACE_VERDICT_(n, a, b, c, d, e, f, g, more) CAIRN_I_TRACE_CHOICE(CAIRN_I_TRACE_ALL_##n##a##b##c##d##e##f##g##more, WRONG, )
#define CAIRN_I_TRACE_CHOICE(...)               CAIRN_I_TRACE_CHOICE_(__VA_ARGS__)
#define CAIRN_I_TRACE_CHOICE_(a, b, ...)        b
#define CAIRN_I_TRACE_ALL_111111110             ~, GOOD

#define CAIRN_I_TRACE_SPAEFT(name, system, proto, args, entry, assign, print, more, ...) \
    CAIRN_I_TRACE_VERDICT( \
        CAIRN_I_TRACE_NOTHING(cairn__a_tracepoint_has_an_identifier_as_its_name__not__##name) CAIRN_I_TRACE_HAS(name), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_SYSTEM_belongs_here__not__##system), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_PROTO_belongs_here__not__##proto), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_ARGS_belongs_here__not__##args), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_STRUCT__entry_belongs_here__not__##entry), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_fast_assign_belongs_here__not__##assign), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_printk_belongs_here__not__##print), \
        1, CAIRN_I_TRACE_HAS(more))
#define CAIRN_I_TRACE_SPACEFT(name, system, proto, args, condition, entry, assign, print, more, ...) \
    CAIRN_I_TRACE_VERDICT( \
        CAIRN_I_TRACE_NOTHING(cairn__a_tracepoint_has_an_identifier_as_its_name__not__##name) CAIRN_I_TRACE_HAS(name), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_SYSTEM_belongs_here__not__##system), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_PROTO_belongs_here__not__##proto), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_ARGS_belongs_here__not__##args), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_CONDITION_belongs_here__not__##condition), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_STRUCT__entry_belongs_here__not__##entry), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_fast_assign_belongs_here__not__##assign), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_printk_belongs_here__not__##print), \
        CAIRN_I_TRACE_HAS(more))
#define CAIRN_I_TRACE_SPA(name, system, proto, args, more, ...) \
    CAIRN_I_TRACE_VERDICT( \
        CAIRN_I_TRACE_NOTHING(cairn__a_tracepoint_has_an_identifier_as_its_name__not__##name) CAIRN_I_TRACE_HAS(name), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_SYSTEM_belongs_here__not__##system), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_PROTO_belongs_here__not__##proto), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_ARGS_belongs_here__not__##args), \
        1, 1, 1, 1, CAIRN_I_TRACE_HAS(more))
#define CAIRN_I_TRACE_SPAC(name, system, proto, args, condition, more, ...) \
    CAIRN_I_TRACE_VERDICT( \
        CAIRN_I_TRACE_NOTHING(cairn__a_tracepoint_has_an_identifier_as_its_name__not__##name) CAIRN_I_TRACE_HAS(name), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_SYSTEM_belongs_here__not__##system), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_PROTO_belongs_here__not__##proto), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_ARGS_belongs_here__not__##args), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_CONDITION_belongs_here__not__##condition), \
        1, 1, 1, CAIRN_I_TRACE_HAS(more))
#define CAIRN_I_TRACE_SPAT(name, system, proto, args, print, more, ...) \
    CAIRN_I_TRACE_VERDICT( \
        CAIRN_I_TRACE_NOTHING(cairn__a_tracepoint_has_an_identifier_as_its_name__not__##name) CAIRN_I_TRACE_HAS(name), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_SYSTEM_belongs_here__not__##system), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_PROTO_belongs_here__not__##proto), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_ARGS_belongs_here__not__##args), \
        CAIRN_I_TRACE_RIGHT(cairn__TP_printk_belongs_here__not__##print), \
        1, 1, 1, CAIRN_I_TRACE_HAS(more))

#define CAIRN_I_TRACE_NOTHING(...)

/* The errors, for each part that is wrong. */
#define CAIRN_I_TRACE_WRONG_SPAEFT(name, system, proto, args, entry, assign, print, more, ...) \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_HAS(name), "cairn: a tracepoint has no name"); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_SYSTEM_belongs_here__not__##system), "cairn: part 1 of tracepoint " #name " is TP_SYSTEM(identifier), not: " #system); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_PROTO_belongs_here__not__##proto), "cairn: part 2 of tracepoint " #name " is TP_PROTO(...), not: " #proto); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_ARGS_belongs_here__not__##args), "cairn: part 3 of tracepoint " #name " is TP_ARGS(...), not: " #args); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_STRUCT__entry_belongs_here__not__##entry), "cairn: part 4 of tracepoint " #name " is TP_STRUCT__entry(...), not: " #entry); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_fast_assign_belongs_here__not__##assign), "cairn: part 5 of tracepoint " #name " is TP_fast_assign(...), not: " #assign); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_printk_belongs_here__not__##print), "cairn: part 6 of tracepoint " #name " is TP_printk(...), not: " #print); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_CAT(CAIRN_I_TRACE_NOT_, CAIRN_I_TRACE_HAS(more)), "cairn: tracepoint " #name " has too many parts: " #more)
#define CAIRN_I_TRACE_WRONG_SPACEFT(name, system, proto, args, condition, entry, assign, print, more, ...) \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_HAS(name), "cairn: a tracepoint has no name"); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_SYSTEM_belongs_here__not__##system), "cairn: part 1 of tracepoint " #name " is TP_SYSTEM(identifier), not: " #system); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_PROTO_belongs_here__not__##proto), "cairn: part 2 of tracepoint " #name " is TP_PROTO(...), not: " #proto); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_ARGS_belongs_here__not__##args), "cairn: part 3 of tracepoint " #name " is TP_ARGS(...), not: " #args); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_CONDITION_belongs_here__not__##condition), "cairn: part 4 of tracepoint " #name " is TP_CONDITION(...), not: " #condition); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_STRUCT__entry_belongs_here__not__##entry), "cairn: part 5 of tracepoint " #name " is TP_STRUCT__entry(...), not: " #entry); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_fast_assign_belongs_here__not__##assign), "cairn: part 6 of tracepoint " #name " is TP_fast_assign(...), not: " #assign); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_printk_belongs_here__not__##print), "cairn: part 7 of tracepoint " #name " is TP_printk(...), not: " #print); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_CAT(CAIRN_I_TRACE_NOT_, CAIRN_I_TRACE_HAS(more)), "cairn: tracepoint " #name " has too many parts: " #more)
#define CAIRN_I_TRACE_WRONG_SPA(name, system, proto, args, more, ...) \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_HAS(name), "cairn: a tracepoint has no name"); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_SYSTEM_belongs_here__not__##system), "cairn: part 1 of tracepoint " #name " is TP_SYSTEM(identifier), not: " #system); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_PROTO_belongs_here__not__##proto), "cairn: part 2 of tracepoint " #name " is TP_PROTO(...), not: " #proto); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_ARGS_belongs_here__not__##args), "cairn: part 3 of tracepoint " #name " is TP_ARGS(...), not: " #args); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_CAT(CAIRN_I_TRACE_NOT_, CAIRN_I_TRACE_HAS(more)), "cairn: tracepoint " #name " has too many parts: " #more)
#define CAIRN_I_TRACE_WRONG_SPAC(name, system, proto, args, condition, more, ...) \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_HAS(name), "cairn: a tracepoint has no name"); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_SYSTEM_belongs_here__not__##system), "cairn: part 1 of tracepoint " #name " is TP_SYSTEM(identifier), not: " #system); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_PROTO_belongs_here__not__##proto), "cairn: part 2 of tracepoint " #name " is TP_PROTO(...), not: " #proto); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_ARGS_belongs_here__not__##args), "cairn: part 3 of tracepoint " #name " is TP_ARGS(...), not: " #args); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_CONDITION_belongs_here__not__##condition), "cairn: part 4 of tracepoint " #name " is TP_CONDITION(...), not: " #condition); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_CAT(CAIRN_I_TRACE_NOT_, CAIRN_I_TRACE_HAS(more)), "cairn: tracepoint " #name " has too many parts: " #more)
#define CAIRN_I_TRACE_WRONG_SPAT(name, system, proto, args, print, more, ...) \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_HAS(name), "cairn: a tracepoint has no name"); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_SYSTEM_belongs_here__not__##system), "cairn: part 1 of tracepoint " #name " is TP_SYSTEM(identifier), not: " #system); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_PROTO_belongs_here__not__##proto), "cairn: part 2 of tracepoint " #name " is TP_PROTO(...), not: " #proto); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_ARGS_belongs_here__not__##args), "cairn: part 3 of tracepoint " #name " is TP_ARGS(...), not: " #args); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_RIGHT(cairn__TP_printk_belongs_here__not__##print), "cairn: part 4 of tracepoint " #name " is TP_printk(...), not: " #print); \
    CAIRN_I_TRACE_ASSERT(CAIRN_I_TRACE_CAT(CAIRN_I_TRACE_NOT_, CAIRN_I_TRACE_HAS(more)), "cairn: tracepoint " #name " has too many parts: " #more)

#endif
