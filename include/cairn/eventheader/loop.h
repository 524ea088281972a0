/* SPDX-License-Identifier: MIT */
/*
 * The one preprocessor loop.
 *
 * CAIRN_I_ROWS(u32("A", a), struct("B", u8("C", c))) expands to a sequence of rows, which are
 * tuples with an element for each use (fields.h). Structs are flattened. Passes over the sequence
 * then generate the code of an event, without a loop: a pass is a macro that selects a column, and
 * ends in the name of its twin, which takes the next tuple, and so on (call_site.h).
 *
 * A step of the loop takes twelve arguments, enough for most events, and defers the rest, and the
 * members of structs, to the next scan of the text. Every scan costs compile time: the loop ends as
 * soon as nothing is left.
 */
/* clang-format would join the columns of the steps. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_LOOP_H
#define CAIRN_EVENTHEADER_LOOP_H

#define CAIRN_I_CAT(a, b)         CAIRN_I_CAT_(a, b)
#define CAIRN_I_CAT_(a, b)        a##b
#define CAIRN_I_CAT_4(a, b, c, d) CAIRN_I_CAT_4_(a, b, c, d)
#define CAIRN_I_CAT_4_(a, b, c, d) a##b##c##d
#define CAIRN_I_FIRST(a, ...)     a
#define CAIRN_I_SECOND(a, b, ...) b
#define CAIRN_I_PICK(...)         CAIRN_I_SECOND(__VA_ARGS__)
#define CAIRN_I_UNWRAP(...)       __VA_ARGS__
#define CAIRN_I_NOTHING(...)
#define CAIRN_I_PARENS ()

/*
 * CAIRN_I_PICK(probe, otherwise, ): a probe that expands to CAIRN_I_HIT(x) makes it x, any other
 * text makes it `otherwise`.
 */
#define CAIRN_I_HIT(x) ~, x,

/*
 * A string or a punctuator cannot be pasted to a name, and the preprocessor cannot test for that: the
 * compiler reports an error that contains the name on the left side, and continues with both. So a
 * word of a program is pasted to a name that states what belongs there, before it is pasted to
 * anything else. In the error, this name is alone, and expands to a hit: nothing else is pasted.
 */
#define CAIRN_I_EXPECT_WORD(x)     cairn__a_field_such_as_u8_or_an_option_such_as_level_belongs_here__not__##x
#define CAIRN_I_EXPECT_LEVEL(x)    cairn__level_takes_a_name_such_as_WARNING_or_a_constant_from_1_to_255__not__##x
#define CAIRN_I_EXPECT_OPCODE(x)   cairn__opcode_takes_a_name_such_as_ACTIVITY_START_or_a_constant_from_0_to_255__not__##x
#define CAIRN_I_EXPECT_FORMAT(x)   cairn__format_takes_a_name_such_as_HEX_INT_or_a_constant_from_0_to_127__not__##x
#define CAIRN_I_EXPECT_ENCODING(x) cairn__a_raw_field_takes_an_encoding_such_as_VALUE8__not__##x
#define CAIRN_I_EXPECT_VARIABLE(x) cairn__a_name_for_a_variable_belongs_here__not__##x
#define cairn__a_field_such_as_u8_or_an_option_such_as_level_belongs_here__not__          CAIRN_I_HIT(NO_WORD)
#define cairn__level_takes_a_name_such_as_WARNING_or_a_constant_from_1_to_255__not__      CAIRN_I_HIT(NO_WORD)
#define cairn__opcode_takes_a_name_such_as_ACTIVITY_START_or_a_constant_from_0_to_255__not__ CAIRN_I_HIT(NO_WORD)
#define cairn__format_takes_a_name_such_as_HEX_INT_or_a_constant_from_0_to_127__not__     CAIRN_I_HIT(NO_WORD)
#define cairn__a_raw_field_takes_an_encoding_such_as_VALUE8__not__                        CAIRN_I_HIT(NO_WORD)
#define cairn__a_name_for_a_variable_belongs_here__not__                                  CAIRN_I_HIT(NO_WORD)

/* CAIRN_I_WHICH(prefix, probe, otherwise, ): the same, pasted onto a prefix. */
#define CAIRN_I_WHICH(...)                   CAIRN_I_WHICH_(__VA_ARGS__)
#define CAIRN_I_WHICH_(prefix, a, b, ...)    prefix##b

/* 1 if x begins with a parenthesis, otherwise 0. */
#define CAIRN_I_IS_PAREN(x)         CAIRN_I_PICK(CAIRN_I_IS_PAREN_PROBE x, 0, )
#define CAIRN_I_IS_PAREN_PROBE(...) CAIRN_I_HIT(1)

/* Mark the end of the arguments: a step always has enough of them. */
#define CAIRN_I_LOOP_END , , , , , , , , , , , , ,

/* One step: CAIRN_I_DO_what(a) CAIRN_I_DO_what(b) ... for twelve arguments. */
#define CAIRN_I_LOOP(what, ...) CAIRN_I_LOOP_(what, __VA_ARGS__)
#define CAIRN_I_LOOP_(what, a, b, c, d, e, f, g, h, i, j, k, l, next, ...)           \
    CAIRN_I_DO##what(a) CAIRN_I_DO##what(b) CAIRN_I_DO##what(c)                   \
    CAIRN_I_DO##what(d) CAIRN_I_DO##what(e) CAIRN_I_DO##what(f)                   \
    CAIRN_I_DO##what(g) CAIRN_I_DO##what(h) CAIRN_I_DO##what(i)                   \
    CAIRN_I_DO##what(j) CAIRN_I_DO##what(k) CAIRN_I_DO##what(l)                   \
    CAIRN_I_LOOP_NEXT(next)(what, next, __VA_ARGS__)

/* Another step, in the next scan, if there is a next argument. */
#define CAIRN_I_LOOP_NEXT(...) CAIRN_I_CAT_(CAIRN_I_LOOP_NEXT_, __VA_OPT__(1))
#define CAIRN_I_LOOP_NEXT_(...)
#define CAIRN_I_LOOP_NEXT_1  CAIRN_I_LOOP_AGAIN CAIRN_I_PARENS
#define CAIRN_I_LOOP_AGAIN() CAIRN_I_LOOP_

#define CAIRN_I_SCAN_1(...)  __VA_ARGS__
#define CAIRN_I_SCAN_2(...)  CAIRN_I_SCAN_1(CAIRN_I_SCAN_1(__VA_ARGS__))
#define CAIRN_I_SCAN_4(...)  CAIRN_I_SCAN_2(CAIRN_I_SCAN_2(__VA_ARGS__))
#define CAIRN_I_SCAN_8(...)  CAIRN_I_SCAN_4(CAIRN_I_SCAN_4(__VA_ARGS__))
#define CAIRN_I_SCAN_16(...) CAIRN_I_SCAN_8(CAIRN_I_SCAN_8(__VA_ARGS__))
#define CAIRN_I_SCAN_32(...) CAIRN_I_SCAN_16(CAIRN_I_SCAN_16(__VA_ARGS__))
#define CAIRN_I_SCAN_64(...) CAIRN_I_SCAN_32(CAIRN_I_SCAN_32(__VA_ARGS__))
#define CAIRN_I_SCAN_128(...) CAIRN_I_SCAN_64(CAIRN_I_SCAN_64(__VA_ARGS__))

/* Scans until the loop is done: after one scan, 4, 8, 32 or 128 more. A struct of 127 fields takes
 * 11, and so do those in it: the maximal nesting takes 88. */
#define CAIRN_I_ROWS(...) \
    CAIRN_I_ROWS_4(CAIRN_I_LOOP(_EVENT, __VA_ARGS__ CAIRN_I_LOOP_END)CAIRN_I_ROW_END)
#define CAIRN_I_ROW_END (_END, , , , , , )
#define CAIRN_I_ROWS_4(rows)    CAIRN_I_WHICH(CAIRN_I_ROWS_4_, CAIRN_I_LEFT_A rows, 1, )(rows)
#define CAIRN_I_ROWS_4_0(rows)  rows
#define CAIRN_I_ROWS_4_1(rows)  CAIRN_I_ROWS_8(CAIRN_I_SCAN_4(rows))
#define CAIRN_I_ROWS_8(rows)    CAIRN_I_WHICH(CAIRN_I_ROWS_8_, CAIRN_I_LEFT_A rows, 1, )(rows)
#define CAIRN_I_ROWS_8_0(rows)  rows
#define CAIRN_I_ROWS_8_1(rows)  CAIRN_I_ROWS_32(CAIRN_I_SCAN_8(rows))
#define CAIRN_I_ROWS_32(rows)   CAIRN_I_WHICH(CAIRN_I_ROWS_32_, CAIRN_I_LEFT_A rows, 1, )(rows)
#define CAIRN_I_ROWS_32_0(rows) rows
#define CAIRN_I_ROWS_32_1(rows) CAIRN_I_ROWS_128(CAIRN_I_SCAN_32(rows))
#define CAIRN_I_ROWS_128(rows)   CAIRN_I_WHICH(CAIRN_I_ROWS_128_, CAIRN_I_LEFT_A rows, 1, )(rows)
#define CAIRN_I_ROWS_128_0(rows) rows
#define CAIRN_I_ROWS_128_1(rows) CAIRN_I_ROWS_LAST(CAIRN_I_SCAN_128(rows))
#define CAIRN_I_ROWS_LAST(rows) CAIRN_I_WHICH(CAIRN_I_ROWS_LAST_, CAIRN_I_LEFT_A rows, 1, )(rows)
#define CAIRN_I_ROWS_LAST_0(rows) rows
/* The result is not rows: explain.h reports the reason. */
#define CAIRN_I_ROWS_LAST_1(rows) (_WRONG, , , , , , )

#define CAIRN_I_TEXT_OF(...)     CAIRN_I_TEXT_OF_(__VA_ARGS__)
#define CAIRN_I_TEXT_OF_(...)    #__VA_ARGS__

/* With debug() among the words: all available scans, and the rows as a text before them. */
#define CAIRN_I_ROWS_4_DEBUG(rows)    CAIRN_I_ROWS_SHOWN(CAIRN_I_SCAN_32(rows))
#define CAIRN_I_ROWS_8_DEBUG(rows)    CAIRN_I_ROWS_SHOWN(CAIRN_I_SCAN_32(rows))
#define CAIRN_I_ROWS_32_DEBUG(rows)   CAIRN_I_ROWS_SHOWN(CAIRN_I_SCAN_32(rows))
#define CAIRN_I_ROWS_128_DEBUG(rows)  CAIRN_I_ROWS_SHOWN(CAIRN_I_SCAN_128(rows))
#define CAIRN_I_ROWS_LAST_DEBUG(rows) CAIRN_I_ROWS_SHOWN(rows)
#define CAIRN_I_ROWS_SHOWN(rows)      CAIRN_I_WHICH(CAIRN_I_ROWS_SHOWN_, CAIRN_I_WHOLE_A rows, 1, )(rows)
#define CAIRN_I_ROWS_SHOWN_0(rows)    (, , , , , _SHOWN, rows) rows
#define CAIRN_I_ROWS_SHOWN_1(rows)    CAIRN_I_ROWS_LAST_1(rows)

/* If only END follows the rows: CAIRN_I_HIT(0), or with a debug() among them CAIRN_I_HIT(DEBUG). No
 * hit: a step is still deferred. */
#define CAIRN_I_LEFT_A(kind, ...)  CAIRN_I_LEFT_B##kind
#define CAIRN_I_LEFT_B(kind, ...)  CAIRN_I_LEFT_A##kind
#define CAIRN_I_LEFT_A_FORM(...)   CAIRN_I_LEFT_A
#define CAIRN_I_LEFT_B_FORM(...)   CAIRN_I_LEFT_B
#define CAIRN_I_LEFT_A_END         CAIRN_I_HIT(0)
#define CAIRN_I_LEFT_B_END         CAIRN_I_HIT(0)
#define CAIRN_I_LEFT_A_DEBUG       CAIRN_I_HIT(DEBUG)
#define CAIRN_I_LEFT_B_DEBUG       CAIRN_I_HIT(DEBUG)

/* CAIRN_I_HIT(0) if only END follows the rows, whatever is among them. */
#define CAIRN_I_WHOLE_A(kind, ...) CAIRN_I_WHOLE_B##kind
#define CAIRN_I_WHOLE_B(kind, ...) CAIRN_I_WHOLE_A##kind
#define CAIRN_I_WHOLE_A_FORM(...)  CAIRN_I_WHOLE_A
#define CAIRN_I_WHOLE_B_FORM(...)  CAIRN_I_WHOLE_B
#define CAIRN_I_WHOLE_A_DEBUG      CAIRN_I_WHOLE_A
#define CAIRN_I_WHOLE_B_DEBUG      CAIRN_I_WHOLE_B
#define CAIRN_I_WHOLE_A_END        CAIRN_I_HIT(0)
#define CAIRN_I_WHOLE_B_END        CAIRN_I_HIT(0)

#endif
