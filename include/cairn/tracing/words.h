/* SPDX-License-Identifier: MIT */
/* The words of events and spans: kv("port", port), target("net"), keyword(0x2), tag(7),
 * name("Refused"), parent(span), remote(&context). They are pasted onto a prefix and become rows.
 * Each pass over the rows uses a part of them (cairn/eventheader/loop.h). */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_TRACING_WORDS_H
#define CAIRN_TRACING_WORDS_H

#include <cairn/eventheader/checks.h>
#include <cairn/eventheader/loop.h>

/* 32 fields and all options: no more than 48 words. */
#define CAIRN_I_TROWS(...) CAIRN_I_SCAN_4(CAIRN_I_LOOP(_TRACING, __VA_ARGS__ CAIRN_I_LOOP_END))(_END, , )
#define CAIRN_I_DO_TRACING(...) __VA_OPT__(CAIRN_I_TWORD(__VA_ARGS__))

/*
 * A word becomes a row. Anything else becomes the row of a mistake: (_BAD, sentence, ).
 *
 * A string or a punctuator cannot be pasted to a name: the compiler reports an error that contains
 * the name on the left side, and continues with both, so that this name is expanded.
 */
#define CAIRN_I_TWORD(...) \
    CAIRN_I_WHICH(CAIRN_I_TWORD_IS_, cairn__a_field_kv_or_an_option_such_as_target_belongs_here__not__##__VA_ARGS__, A_WORD, ) \
    (__VA_ARGS__)
#define cairn__a_field_kv_or_an_option_such_as_target_belongs_here__not__ ~, NO_WORD,
#define CAIRN_I_TWORD_IS_NO_WORD(...) \
    (_BAD, "cairn: a field kv(...) or an option such as target(...) belongs here, not " #__VA_ARGS__, )
#define CAIRN_I_TWORD_IS_A_WORD(...)  CAIRN_I_TWORD_MADE(CAIRN_I_TWORD_##__VA_ARGS__, __VA_ARGS__)
#define CAIRN_I_TWORD_MADE(row, ...)  CAIRN_I_TROW_KIND(CAIRN_I_TROW_PROBE row, 0, , )(row, __VA_ARGS__)
#define CAIRN_I_TROW_PROBE(...)       ~, ROW,
#define CAIRN_I_TROW_KIND(...)        CAIRN_I_TROW_KIND_(__VA_ARGS__)
#define CAIRN_I_TROW_KIND_(a, b, more, ...) CAIRN_I_CAT(CAIRN_I_TROW_IS_##b, CAIRN_I_ANY(more))
#define CAIRN_I_TROW_IS_ROW(row, ...) row
#define CAIRN_I_TROW_IS_ROW_MORE(row, ...) (_BAD, "cairn: a comma is missing in: " #__VA_ARGS__, )
#define CAIRN_I_TROW_IS_0(row, ...) \
    (_BAD, "cairn: there is no such field or option, or it has too many arguments: " #__VA_ARGS__, )
#define CAIRN_I_ANY(...)              __VA_OPT__(_MORE)

#define CAIRN_I_TWORD_kv(field, ...) (_FIELD, field, (__VA_ARGS__))
#define CAIRN_I_TWORD_target(...)  CAIRN_I_TOPTION(_TARGET, __VA_ARGS__, )
#define CAIRN_I_TWORD_name(...)    CAIRN_I_TOPTION(_NAME, __VA_ARGS__, )
#define CAIRN_I_TWORD_keyword(...) CAIRN_I_TOPTION(_KEYWORD, __VA_ARGS__, )
#define CAIRN_I_TWORD_tag(...)     CAIRN_I_TOPTION(_TAG, __VA_ARGS__, )
#define CAIRN_I_TWORD_parent(...)  CAIRN_I_TOPTION(_PARENT, __VA_ARGS__, )
#define CAIRN_I_TWORD_remote(...)  CAIRN_I_TOPTION(_REMOTE, __VA_ARGS__, )
#define CAIRN_I_TOPTION(kind, value, ...) __VA_OPT__(CAIRN_I_TOO_MANY) (kind, value, )

/* A level is pasted to a name that states what belongs there. Any other word remains in that name, which is not declared. */
#define cairn__a_level_such_as_INFO_belongs_here__not__OFF    CAIRN_TRACING_OFF
#define cairn__a_level_such_as_INFO_belongs_here__not__ERROR  CAIRN_TRACING_ERROR
#define cairn__a_level_such_as_INFO_belongs_here__not__WARN   CAIRN_TRACING_WARN
#define cairn__a_level_such_as_INFO_belongs_here__not__INFO   CAIRN_TRACING_INFO
#define cairn__a_level_such_as_INFO_belongs_here__not__DEBUG  CAIRN_TRACING_DEBUG
#define cairn__a_level_such_as_INFO_belongs_here__not__TRACE  CAIRN_TRACING_TRACE
#define CAIRN_I_TCHECK_LEVEL(level) \
    CAIRN_I_ASSERT(__builtin_strcmp(&(" " #level)[sizeof(#level) - 1], ")") != 0, "cairn: a comma is missing after the level in: " #level);

/* A pass: two macros that call each other on row after row, and one for each kind of row. */

/* Assertions, first. */
#define CAIRN_I_TCHECK(rows) \
    CAIRN_I_TCHECK_A rows \
    CAIRN_I_ASSERT(((0 CAIRN_I_TONCE_A rows) & 0xfefefefefe) == 0, \
                   "cairn: target(...), name(...), tag(...), parent(...) and remote(...) can each be given once");
#define CAIRN_I_TCHECK_A(kind, a, b) CAIRN_I_TCHECK##kind(CAIRN_I_TCHECK_B, a, b)
#define CAIRN_I_TCHECK_B(kind, a, b) CAIRN_I_TCHECK##kind(CAIRN_I_TCHECK_A, a, b)
#define CAIRN_I_TCHECK_FIELD(next, field, value) \
    CAIRN_I_ASSERT(CAIRN_I_IS_GIVEN value, "cairn: field " #field " has no value"); \
    CAIRN_I_TCHECK_LITERAL("a field's name must be", field) \
    CAIRN_I_TCHECK_VALUE(field, CAIRN_I_UNWRAP value) next
#define CAIRN_I_TCHECK_TARGET(next, a, b)  CAIRN_I_TCHECK_LITERAL("target(...) takes", a) next
#define CAIRN_I_TCHECK_NAME(next, a, b)    CAIRN_I_TCHECK_LITERAL("name(...) takes", a) next
#define CAIRN_I_TCHECK_KEYWORD(next, a, b) \
    CAIRN_I_ASSERT(CAIRN_I_IF_GIVEN(a)(CAIRN_I_IS_WITHIN(a, 0, 18446744073709551615ull)), \
                   "cairn: keyword(...) takes a constant integer of 64 bits that is not negative: " #a); next
#define CAIRN_I_TCHECK_TAG(next, a, b) \
    CAIRN_I_ASSERT(CAIRN_I_IF_GIVEN(a)(CAIRN_I_IS_WITHIN(a, 0, 0xffff)), "cairn: tag(...) takes a constant from 0 to 0xffff: " #a); next
#define CAIRN_I_TCHECK_PARENT(next, a, b)  CAIRN_I_TCHECK_SPAN("parent(...)", a) next
#define CAIRN_I_TCHECK_REMOTE(next, a, b) \
    CAIRN_I_ASSERT(CAIRN_I_IF_GIVEN(a)(CAIRN_I_IS_CONTEXT(a)), \
                   "cairn: remote(...) takes a pointer to a struct cairn_trace_context, or NULL: " #a); next
#define CAIRN_I_TCHECK_SPAN(what, a) \
    CAIRN_I_ASSERT(CAIRN_I_IF_GIVEN(a)(CAIRN_I_IS_SPAN(a)), "cairn: " what " takes a pointer to a struct cairn_span, or NULL: " #a);
/* CAIRN_I_IF_GIVEN(x)(condition): 0 if x is empty. */
#define CAIRN_I_IF_GIVEN(...)              CAIRN_I_CAT_(CAIRN_I_IF_GIVEN_, __VA_OPT__(1))
#define CAIRN_I_IF_GIVEN_(...)             0
#define CAIRN_I_IF_GIVEN_1(...)            (__VA_ARGS__)
#define CAIRN_I_TCHECK_BAD(next, a, b)     CAIRN_I_ASSERT(0, a); next
#define CAIRN_I_TCHECK_END(next, a, b)
#define CAIRN_I_IS_GIVEN(...)              (0 __VA_OPT__(+ 1))
#define CAIRN_I_TCHECK_LITERAL(what, ...) \
    CAIRN_I_ASSERT(CAIRN_I_IS_QUOTED(#__VA_ARGS__), "cairn: " what " a string literal without a NUL: " #__VA_ARGS__); \
    CAIRN_I_ASSERT(CAIRN_I_IS_NAME(__VA_ARGS__), "cairn: " what " a string literal without a NUL: " #__VA_ARGS__);

/* Options that are given once, as digits of a number to the base 256. */
#define CAIRN_I_TONCE_A(kind, a, b) CAIRN_I_TONCE##kind(CAIRN_I_TONCE_B)
#define CAIRN_I_TONCE_B(kind, a, b) CAIRN_I_TONCE##kind(CAIRN_I_TONCE_A)
#define CAIRN_I_TONCE_FIELD(next)   next
#define CAIRN_I_TONCE_TARGET(next)  + 1ll next
#define CAIRN_I_TONCE_NAME(next)    + 0x100ll next
#define CAIRN_I_TONCE_KEYWORD(next) next
#define CAIRN_I_TONCE_TAG(next)     + 0x10000ll next
#define CAIRN_I_TONCE_PARENT(next)  + 0x1000000ll next
#define CAIRN_I_TONCE_REMOTE(next)  + 0x100000000ll next
#define CAIRN_I_TONCE_BAD(next)     next
#define CAIRN_I_TONCE_END(next)

/* The names of the fields, as elements of an array. */
#define CAIRN_I_TNAMES_A(kind, a, b) CAIRN_I_TNAMES##kind(CAIRN_I_TNAMES_B, a, b)
#define CAIRN_I_TNAMES_B(kind, a, b) CAIRN_I_TNAMES##kind(CAIRN_I_TNAMES_A, a, b)
#define CAIRN_I_TNAMES_FIELD(next, field, value) "" field, next
#define CAIRN_I_TNAMES_TARGET(next, a, b)  next
#define CAIRN_I_TNAMES_NAME(next, a, b)    next
#define CAIRN_I_TNAMES_KEYWORD(next, a, b) next
#define CAIRN_I_TNAMES_TAG(next, a, b)     next
#define CAIRN_I_TNAMES_PARENT(next, a, b)  next
#define CAIRN_I_TNAMES_REMOTE(next, a, b)  next
#define CAIRN_I_TNAMES_BAD(next, a, b) next
#define CAIRN_I_TNAMES_END(next, a, b)

/* The values, each followed by a comma: from left to right, in one expression. */
#define CAIRN_I_TVALUES_A(kind, a, b) CAIRN_I_TVALUES##kind(CAIRN_I_TVALUES_B, a, b)
#define CAIRN_I_TVALUES_B(kind, a, b) CAIRN_I_TVALUES##kind(CAIRN_I_TVALUES_A, a, b)
#define CAIRN_I_TVALUES_FIELD(next, field, value) \
    cairn_i_values[cairn_i_count++] = CAIRN_I_FIELD_VALUE(value), next
#define CAIRN_I_TVALUES_TARGET(next, a, b)  next
#define CAIRN_I_TVALUES_NAME(next, a, b)    next
#define CAIRN_I_TVALUES_KEYWORD(next, a, b) next
#define CAIRN_I_TVALUES_TAG(next, a, b)     next
#define CAIRN_I_TVALUES_PARENT(next, a, b)  cairn_i_relation.is_explicit = true, cairn_i_relation.parent = (a), next
#define CAIRN_I_TVALUES_REMOTE(next, a, b)  cairn_i_relation.remote = (a), next
#define CAIRN_I_TVALUES_BAD(next, a, b) next
#define CAIRN_I_TVALUES_END(next, a, b)

/* Options of which the first is used: OPTION_OF(pass rows otherwise). */
#define CAIRN_I_OPTION_OF(...) CAIRN_I_FIRST(__VA_ARGS__, )

#define CAIRN_I_TTARGET_A(kind, a, b) CAIRN_I_TTARGET##kind(CAIRN_I_TTARGET_B, a, b)
#define CAIRN_I_TTARGET_B(kind, a, b) CAIRN_I_TTARGET##kind(CAIRN_I_TTARGET_A, a, b)
#define CAIRN_I_TTARGET_FIELD(next, a, b)   next
#define CAIRN_I_TTARGET_TARGET(next, a, b)  a, next
#define CAIRN_I_TTARGET_NAME(next, a, b)    next
#define CAIRN_I_TTARGET_KEYWORD(next, a, b) next
#define CAIRN_I_TTARGET_TAG(next, a, b)     next
#define CAIRN_I_TTARGET_PARENT(next, a, b)  next
#define CAIRN_I_TTARGET_REMOTE(next, a, b)  next
#define CAIRN_I_TTARGET_BAD(next, a, b) next
#define CAIRN_I_TTARGET_END(next, a, b)

#define CAIRN_I_TNAME_A(kind, a, b) CAIRN_I_TNAME##kind(CAIRN_I_TNAME_B, a, b)
#define CAIRN_I_TNAME_B(kind, a, b) CAIRN_I_TNAME##kind(CAIRN_I_TNAME_A, a, b)
#define CAIRN_I_TNAME_FIELD(next, a, b)   next
#define CAIRN_I_TNAME_TARGET(next, a, b)  next
#define CAIRN_I_TNAME_NAME(next, a, b)    a, next
#define CAIRN_I_TNAME_KEYWORD(next, a, b) next
#define CAIRN_I_TNAME_TAG(next, a, b)     next
#define CAIRN_I_TNAME_PARENT(next, a, b)  next
#define CAIRN_I_TNAME_REMOTE(next, a, b)  next
#define CAIRN_I_TNAME_BAD(next, a, b) next
#define CAIRN_I_TNAME_END(next, a, b)

/* Bits, combined: 0 PASS rows. */
#define CAIRN_I_TKEYWORD_A(kind, a, b) CAIRN_I_TKEYWORD##kind(CAIRN_I_TKEYWORD_B, a, b)
#define CAIRN_I_TKEYWORD_B(kind, a, b) CAIRN_I_TKEYWORD##kind(CAIRN_I_TKEYWORD_A, a, b)
#define CAIRN_I_TKEYWORD_FIELD(next, a, b)   next
#define CAIRN_I_TKEYWORD_TARGET(next, a, b)  next
#define CAIRN_I_TKEYWORD_NAME(next, a, b)    next
#define CAIRN_I_TKEYWORD_KEYWORD(next, a, b) | (uint64_t)(a) next
#define CAIRN_I_TKEYWORD_TAG(next, a, b)     next
#define CAIRN_I_TKEYWORD_PARENT(next, a, b)  next
#define CAIRN_I_TKEYWORD_REMOTE(next, a, b)  next
#define CAIRN_I_TKEYWORD_BAD(next, a, b) next
#define CAIRN_I_TKEYWORD_END(next, a, b)

#define CAIRN_I_TTAG_A(kind, a, b) CAIRN_I_TTAG##kind(CAIRN_I_TTAG_B, a, b)
#define CAIRN_I_TTAG_B(kind, a, b) CAIRN_I_TTAG##kind(CAIRN_I_TTAG_A, a, b)
#define CAIRN_I_TTAG_FIELD(next, a, b)   next
#define CAIRN_I_TTAG_TARGET(next, a, b)  next
#define CAIRN_I_TTAG_NAME(next, a, b)    next
#define CAIRN_I_TTAG_KEYWORD(next, a, b) next
#define CAIRN_I_TTAG_TAG(next, a, b)     | (uint16_t)(a) next
#define CAIRN_I_TTAG_PARENT(next, a, b)  next
#define CAIRN_I_TTAG_REMOTE(next, a, b)  next
#define CAIRN_I_TTAG_BAD(next, a, b) next
#define CAIRN_I_TTAG_END(next, a, b)

#endif
