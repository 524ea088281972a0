/* SPDX-License-Identifier: MIT */
/* Error messages for an event with words that are not in the vocabulary (fields.h), or with too
 * many words. The loop (loop.h) runs over the words again, checks each separately, and generates a
 * failing assertion for each one that does not become rows. */
/* clang-format would join the columns. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_EXPLAIN_H
#define CAIRN_EVENTHEADER_EXPLAIN_H

#include <cairn/eventheader/checks.h>
#include <cairn/eventheader/fields_more.h>

/* The assertions of the words, and one more in case that no single word is wrong. */
#define CAIRN_I_EXPLAIN(...)                                                                      \
    CAIRN_I_SCAN_128(CAIRN_I_LOOP(_EXPLAIN, __VA_ARGS__ CAIRN_I_LOOP_END))                        \
    CAIRN_I_ASSERT(0, "cairn: an event cannot be made of these words; if none of them is wrong, " \
                      "there are too many: leave some out, or put them into a struct");

#define CAIRN_I_DO_EXPLAIN(...) __VA_OPT__(CAIRN_I_EXPLAIN_WORD_(CAIRN_I_IS_ERRNO __VA_ARGS__, __VA_ARGS__, ))
#define CAIRN_I_EXPLAIN_WORD_(...) CAIRN_I_EXPLAIN_WORD(__VA_ARGS__)
#define CAIRN_I_EXPLAIN_WORD(probe, word, ...) CAIRN_I_WHICH(CAIRN_I_EXPLAIN_IF_, CAIRN_I_EXPECT_WORD(word), A_WORD, )(word)
#define CAIRN_I_EXPLAIN_IF_A_WORD(word)  CAIRN_I_EXPLAIN_ONE(CAIRN_I_THIRD(CAIRN_I_IS_STRUCT_##word, , , ), word)
#define CAIRN_I_EXPLAIN_IF_NO_WORD(word) CAIRN_I_ASSERT(0, CAIRN_I_NO_WORD_SAYS #word);
#define CAIRN_I_NO_WORD_SAYS "cairn: a field such as u8(...) or an option such as level(...) belongs here, not "
#define CAIRN_I_THIRD(...)           CAIRN_I_THIRD_(__VA_ARGS__)
#define CAIRN_I_THIRD_(a, b, c, ...) c
/* `more` is the text after a struct. */
#define CAIRN_I_EXPLAIN_ONE(more, word)  CAIRN_I_CAT(CAIRN_I_EXPLAIN_THIS, CAIRN_I_ANY(more))(word)
#define CAIRN_I_EXPLAIN_THIS(word)       CAIRN_I_WHICH(CAIRN_I_EXPLAIN_, CAIRN_I_IS_STRUCT_##word, FIELD, )(word)
#define CAIRN_I_EXPLAIN_THIS_MORE(word)  CAIRN_I_EXPLAIN_BAD_1(word)

/* A field, or an option: rows begin with parentheses, and nothing follows them. */
#define CAIRN_I_EXPLAIN_FIELD(word) CAIRN_I_EXPLAIN_ROWS(CAIRN_I_X_##word CAIRN_I_ROW_END, word)
#define CAIRN_I_EXPLAIN_ROWS(rows, word) \
    CAIRN_I_WHICH(CAIRN_I_EXPLAIN_FIELD_, CAIRN_I_LEFT_A rows, 1, )(word)
#define CAIRN_I_EXPLAIN_FIELD_0(word)
#define CAIRN_I_EXPLAIN_FIELD_DEBUG(word)
#define CAIRN_I_EXPLAIN_FIELD_1(word) \
    CAIRN_I_CAT(CAIRN_I_EXPLAIN_BAD_, CAIRN_I_IS_PAREN(CAIRN_I_X_##word))(word)
#define CAIRN_I_EXPLAIN_BAD_0(word)                                                                \
    CAIRN_I_ASSERT(0, "cairn: there is no such field or option, or it has too many arguments, or " \
                      "options other than tag(...) and format(...), each once: " #word);
#define CAIRN_I_EXPLAIN_BAD_1(word) CAIRN_I_ASSERT(0, "cairn: a comma is missing in: " #word);

/* A struct: checks its fields, and that nothing follows it. */
#define CAIRN_I_IS_STRUCT_struct(...) ~, STRUCT,
#define CAIRN_I_EXPLAIN_STRUCT(word)  CAIRN_I_FIELDS_OF_##word
#define CAIRN_I_FIELDS_OF_struct(...) CAIRN_I_FIELDS_OF(CAIRN_I_HAS_TAG_AND_NAME(__VA_ARGS__, ), __VA_ARGS__, )
#define CAIRN_I_HAS_TAG_AND_NAME(name, ...) CAIRN_I_HAS_TAG(__VA_ARGS__, )
#define CAIRN_I_FIELDS_OF(has_tag, ...) CAIRN_I_CAT(CAIRN_I_FIELDS_OF_, has_tag)(__VA_ARGS__)
#define CAIRN_I_FIELDS_OF_0(name, ...) CAIRN_I_LOOP_AGAIN CAIRN_I_PARENS(_EXPLAIN, __VA_ARGS__ CAIRN_I_LOOP_END)
#define CAIRN_I_FIELDS_OF_1(name, tag, ...) CAIRN_I_LOOP_AGAIN CAIRN_I_PARENS(_EXPLAIN, __VA_ARGS__ CAIRN_I_LOOP_END)

#endif
