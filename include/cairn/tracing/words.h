/* SPDX-License-Identifier: MIT */
/* The words of events and spans: kv("port", port), target("net"), keyword(0x2), tag(7),
 * name("Refused"), parent(span), remote(&context). They are pasted onto a prefix and become rows.
 * Each pass over the rows uses a part of them (cairn/eventheader/loop.h). */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_TRACING_WORDS_H
#define CAIRN_TRACING_WORDS_H

#include <cairn/eventheader/loop.h>

/* 32 fields and all options: no more than 48 words. */
#define CAIRN_I_TROWS(...) CAIRN_I_SCAN_4(CAIRN_I_LOOP(_TRACING, __VA_ARGS__ CAIRN_I_LOOP_END))(_END, , )
#define CAIRN_I_DO_TRACING(...) __VA_OPT__(CAIRN_I_TWORD(__VA_ARGS__))
#define CAIRN_I_TWORD(...)      CAIRN_I_EXPECT_TRACING_WORD(__VA_ARGS__) CAIRN_I_TWORD_##__VA_ARGS__

#define CAIRN_I_TWORD_kv(field, ...)  (_FIELD, field, (__VA_ARGS__))
#define CAIRN_I_TWORD_target(text)    (_TARGET, text, )
#define CAIRN_I_TWORD_name(text)      (_NAME, text, )
#define CAIRN_I_TWORD_keyword(bits)   (_KEYWORD, bits, )
#define CAIRN_I_TWORD_tag(number)     (_TAG, number, )
#define CAIRN_I_TWORD_parent(span)    (_PARENT, span, )
#define CAIRN_I_TWORD_remote(context) (_REMOTE, context, )

/* A pass: two macros that call each other on row after row, and one for each kind of row. */

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
#define CAIRN_I_TTAG_END(next, a, b)

#endif
