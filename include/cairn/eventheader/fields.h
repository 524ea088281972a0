/* SPDX-License-Identifier: MIT */
/*
 * The vocabulary of CAIRN_WRITE_EVENT: the rows that each word expands to (loop.h).
 * docs/eventheader.md has the same table for users. A row:
 *
 *   (kind, id, text, signature, bits, WHAT, arguments of WHAT...)
 *
 * kind       empty; _FORM: text is only the name, and (id, form, initializer) follows, because only
 *            the compiler knows what comes after the name; _DEBUG: the rows are to be shown; _END
 * text       a part of the metadata, as string literals: the field's name, a NUL, and its encoding
 * signature  how the arguments are encoded (values.h)
 * bits       of the keyword: "| (bits)"
 * WHAT       with its arguments, the declarations (call_site.h):
 *            _VALUE, wants, type, name, convert, value               one argument
 *            _COUNTED, wants, type, name, convert, pointer, count    two arguments
 *            _ACTIVITY, word, id                                     activity_id or related_id
 *            _NAME, name                                             no argument, a name to check
 *            _OPTIONS, name, option, option2                         tag(T), format(F) of a field
 *            _RAW, name, encoding and _LENGTH, name, length          constants of a field
 *            _FIELDS, name, count and _MEMBERS, name, count          the size of a struct
 *            _LEVEL, level and so on                                 an option of the event
 *            _MISPLACED, word and others, such as _NO_WORD           a mistake
 *
 * `wants` is the check by the compiler (checks.h); `convert` converts the value to u64 (convert.h).
 *
 * A word that is not in the vocabulary leaves text in the expansion with a name that is not a
 * macro, such as CAIRN_I_NO_FIELD: explain.h then reports what is wrong with the event's words.
 */
/* The table has a line for each word. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_FIELDS_H
#define CAIRN_EVENTHEADER_FIELDS_H

#include <cairn/eventheader/field_types.h>
#include <cairn/eventheader/loop.h>

/* ---- words ---- */

/* Words are pasted to a prefix, so none of them is a macro. The exception is `errno`, which the C
 * library defines as a macro, (*__errno_location ()): a word that begins with a parenthesis is
 * errno(...). */
#define CAIRN_I_DO_EVENT(...)         __VA_OPT__(CAIRN_I_FIRST_WORD_(CAIRN_I_IS_ERRNO __VA_ARGS__, __VA_ARGS__, ))
#define CAIRN_I_IS_ERRNO(...)         ~, that_macro
#define CAIRN_I_X_that_macro          CAIRN_I_X_errno
#define CAIRN_I_FIRST_WORD_(...)            CAIRN_I_FIRST_WORD(__VA_ARGS__)
#define CAIRN_I_FIRST_WORD(probe, word, ...) CAIRN_I_WHICH(CAIRN_I_ROWS_IF_, CAIRN_I_EXPECT_WORD(word), A_WORD, )(word)
#define CAIRN_I_ROWS_IF_A_WORD(word)  CAIRN_I_X_##word
#define CAIRN_I_ROWS_IF_NO_WORD(word) (, , , , , _NO_WORD, #word)

/* The fields of a struct at depth 1 to 8. Some words are not allowed in a struct, and a struct in
 * it is one deeper. */
#define CAIRN_I_DO_IN1(...) __VA_OPT__(CAIRN_I_MEMBER_(1, CAIRN_I_IS_ERRNO __VA_ARGS__, __VA_ARGS__, ))
#define CAIRN_I_DO_IN2(...) __VA_OPT__(CAIRN_I_MEMBER_(2, CAIRN_I_IS_ERRNO __VA_ARGS__, __VA_ARGS__, ))
#define CAIRN_I_DO_IN3(...) __VA_OPT__(CAIRN_I_MEMBER_(3, CAIRN_I_IS_ERRNO __VA_ARGS__, __VA_ARGS__, ))
#define CAIRN_I_DO_IN4(...) __VA_OPT__(CAIRN_I_MEMBER_(4, CAIRN_I_IS_ERRNO __VA_ARGS__, __VA_ARGS__, ))
#define CAIRN_I_DO_IN5(...) __VA_OPT__(CAIRN_I_MEMBER_(5, CAIRN_I_IS_ERRNO __VA_ARGS__, __VA_ARGS__, ))
#define CAIRN_I_DO_IN6(...) __VA_OPT__(CAIRN_I_MEMBER_(6, CAIRN_I_IS_ERRNO __VA_ARGS__, __VA_ARGS__, ))
#define CAIRN_I_DO_IN7(...) __VA_OPT__(CAIRN_I_MEMBER_(7, CAIRN_I_IS_ERRNO __VA_ARGS__, __VA_ARGS__, ))
#define CAIRN_I_DO_IN8(...) __VA_OPT__(CAIRN_I_MEMBER_(8, CAIRN_I_IS_ERRNO __VA_ARGS__, __VA_ARGS__, ))
#define CAIRN_I_MEMBER_(...) CAIRN_I_MEMBER(__VA_ARGS__)
#define CAIRN_I_MEMBER(depth, probe, word, ...) \
    CAIRN_I_WHICH(CAIRN_I_MEMBER_IF_, CAIRN_I_EXPECT_WORD(word), A_WORD, )(depth, word)
#define CAIRN_I_MEMBER_IF_A_WORD(depth, word)  CAIRN_I_WHICH(CAIRN_I_MEMBER_, CAIRN_I_AS_MEMBER_##word, 0, )(depth, word)
#define CAIRN_I_MEMBER_IF_NO_WORD(depth, word) (, , , , , _NO_WORD, #word)
#define CAIRN_I_MEMBER_0(depth, word) CAIRN_I_X_##word
#define CAIRN_I_MEMBER_1(depth, word) (, , , , , _MISPLACED, #word)
#define CAIRN_I_MEMBER_2(depth, word) (, , , , , _RAW_STRUCT, #word)
#define CAIRN_I_MEMBER_3(depth, word) CAIRN_I_X##depth##_##word
#define CAIRN_I_AS_MEMBER_level(...)            CAIRN_I_HIT(1)
#define CAIRN_I_AS_MEMBER_keyword(...)          CAIRN_I_HIT(1)
#define CAIRN_I_AS_MEMBER_opcode(...)           CAIRN_I_HIT(1)
#define CAIRN_I_AS_MEMBER_activity_id(...)      CAIRN_I_HIT(1)
#define CAIRN_I_AS_MEMBER_related_id(...)       CAIRN_I_HIT(1)
#define CAIRN_I_AS_MEMBER_tag(...)              CAIRN_I_HIT(1)
#define CAIRN_I_AS_MEMBER_id_version(...)       CAIRN_I_HIT(1)
#define CAIRN_I_AS_MEMBER_channel(...)          CAIRN_I_HIT(1)
#define CAIRN_I_AS_MEMBER_task(...)             CAIRN_I_HIT(1)
#define CAIRN_I_AS_MEMBER_debug(...)            CAIRN_I_HIT(1)
#define CAIRN_I_AS_MEMBER_raw_struct(...)       CAIRN_I_HIT(2)
#define CAIRN_I_AS_MEMBER_raw_struct_slice(...) CAIRN_I_HIT(2)
#define CAIRN_I_AS_MEMBER_raw_struct_array(...) CAIRN_I_HIT(2)
#define CAIRN_I_AS_MEMBER_struct(...)           CAIRN_I_HIT(3)

/* Counts one more field of a struct: data without a definition is not a field. */
#define CAIRN_I_DO_COUNT(...)         __VA_OPT__(CAIRN_I_COUNT_WORD_(CAIRN_I_IS_ERRNO __VA_ARGS__, __VA_ARGS__, ))
#define CAIRN_I_COUNT_WORD_(...)      CAIRN_I_COUNT_WORD(__VA_ARGS__)
#define CAIRN_I_COUNT_WORD(probe, word, ...) CAIRN_I_WHICH(CAIRN_I_COUNT_IF_, CAIRN_I_EXPECT_WORD(word), A_WORD, )(word)
#define CAIRN_I_COUNT_IF_A_WORD(word)  CAIRN_I_PICK(CAIRN_I_NO_FIELD_##word, +1, )
#define CAIRN_I_COUNT_IF_NO_WORD(word) +1
#define CAIRN_I_NO_FIELD_raw_data(...) CAIRN_I_HIT()

/* ---- options of the event ---- */

/* Words with too many arguments remain in the text. */
#define CAIRN_I_X_level(...)       CAIRN_I_LEVEL(__VA_ARGS__, )
#define CAIRN_I_X_keyword(...)     CAIRN_I_KEYWORD_ROW(__VA_ARGS__, )
#define CAIRN_I_X_opcode(...)      CAIRN_I_OPCODE(__VA_ARGS__, )
#define CAIRN_I_X_tag(...)         CAIRN_I_EVENT_TAG(__VA_ARGS__, )
#define CAIRN_I_X_id_version(...)  CAIRN_I_ID_VERSION(__VA_ARGS__, , )
#define CAIRN_I_X_debug(...)       __VA_OPT__(CAIRN_I_NO_FIELD) (_DEBUG, , , , , , )
#define CAIRN_I_X_activity_id(...) CAIRN_I_ACTIVITY(_ACTIVITY, activity_id, __VA_ARGS__, )
#define CAIRN_I_X_related_id(...)  CAIRN_I_ACTIVITY(_RELATED, related_id, __VA_ARGS__, )
#define CAIRN_I_LEVEL(level, ...)         __VA_OPT__(CAIRN_I_NO_FIELD) (, , , , , _LEVEL, CAIRN_I_NAMED(_LEVEL, level))
#define CAIRN_I_KEYWORD_ROW(keyword, ...) __VA_OPT__(CAIRN_I_NO_FIELD) (, , , , | (keyword), _KEYWORD, keyword)
#define CAIRN_I_OPCODE(opcode, ...)       __VA_OPT__(CAIRN_I_NO_FIELD) (, , , , , _OPCODE, CAIRN_I_NAMED(_OPCODE, opcode))
#define CAIRN_I_EVENT_TAG(tag, ...)       __VA_OPT__(CAIRN_I_NO_FIELD) (, , , , , _TAG, tag)
#define CAIRN_I_ID_VERSION(id, version, extra, ...) CAIRN_I_UNLESS(extra) (, , , , , _ID_VERSION, id, version)
#define CAIRN_I_ACTIVITY(signature, word, id, ...) \
    __VA_OPT__(CAIRN_I_NO_FIELD) (, __COUNTER__, , signature, , _ACTIVITY, word, id)
#define CAIRN_I_UNLESS(...)               __VA_OPT__(CAIRN_I_NO_FIELD)

/* ETW uses these; elsewhere they have no effect. */
#define CAIRN_I_X_channel(...) (, , , , , _CHANNEL, __VA_ARGS__)
#define CAIRN_I_X_task(...)    (, , , , , _TASK, __VA_ARGS__)

/* level(WARNING) and level(3) are the same: names are those of the enums in eventheader_abi.h
 * without their prefix, anything else is used unchanged. */
#define CAIRN_I_NAMED(of, x)   CAIRN_I_CAT(CAIRN_I_NAMED_, CAIRN_I_IS_PAREN(x))(of, x)
#define CAIRN_I_NAMED_1(of, x) x
#define CAIRN_I_NAMED_0(of, x) CAIRN_I_WHICH(CAIRN_I_NAMED_IF_, CAIRN_I_EXPECT##of(x), A_WORD, )(of, x)
#define CAIRN_I_NAMED_IF_A_WORD(of, x)  CAIRN_I_PICK(CAIRN_I##of##_##x, x, )
#define CAIRN_I_NAMED_IF_NO_WORD(of, ...) __VA_OPT__(-1)

#define CAIRN_I_LEVEL_CRITICAL_ERROR CAIRN_I_HIT(CAIRN_LEVEL_CRITICAL_ERROR)
#define CAIRN_I_LEVEL_ERROR          CAIRN_I_HIT(CAIRN_LEVEL_ERROR)
#define CAIRN_I_LEVEL_WARNING        CAIRN_I_HIT(CAIRN_LEVEL_WARNING)
#define CAIRN_I_LEVEL_INFORMATION    CAIRN_I_HIT(CAIRN_LEVEL_INFORMATION)
#define CAIRN_I_LEVEL_VERBOSE        CAIRN_I_HIT(CAIRN_LEVEL_VERBOSE)

#define CAIRN_I_OPCODE_INFO             CAIRN_I_HIT(CAIRN_OPCODE_INFO)
#define CAIRN_I_OPCODE_ACTIVITY_START   CAIRN_I_HIT(CAIRN_OPCODE_ACTIVITY_START)
#define CAIRN_I_OPCODE_ACTIVITY_STOP    CAIRN_I_HIT(CAIRN_OPCODE_ACTIVITY_STOP)
#define CAIRN_I_OPCODE_COLLECTION_START CAIRN_I_HIT(CAIRN_OPCODE_COLLECTION_START)
#define CAIRN_I_OPCODE_COLLECTION_STOP  CAIRN_I_HIT(CAIRN_OPCODE_COLLECTION_STOP)
#define CAIRN_I_OPCODE_EXTENSION        CAIRN_I_HIT(CAIRN_OPCODE_EXTENSION)
#define CAIRN_I_OPCODE_REPLY            CAIRN_I_HIT(CAIRN_OPCODE_REPLY)
#define CAIRN_I_OPCODE_RESUME           CAIRN_I_HIT(CAIRN_OPCODE_RESUME)
#define CAIRN_I_OPCODE_SUSPEND          CAIRN_I_HIT(CAIRN_OPCODE_SUSPEND)
#define CAIRN_I_OPCODE_SEND             CAIRN_I_HIT(CAIRN_OPCODE_SEND)
#define CAIRN_I_OPCODE_RECEIVE          CAIRN_I_HIT(CAIRN_OPCODE_RECEIVE)

/* ---- options of a field ---- */

/* CAIRN_I_IF_OPTIONS(option, option2, option3)(macro, (arguments)) is macro(arguments) if the
 * options are none, tag(T), format(F) or both, in either order. CAIRN_I_IF_TAG allows no format. */
#define CAIRN_I_IF_OPTIONS(option, option2, option3) \
    CAIRN_I_WHICH(CAIRN_I_IF_, CAIRN_I_CAT_4(CAIRN_I_OPTIONS_, CAIRN_I_OPTION(option), CAIRN_I_OPTION(option2), CAIRN_I_ANY(option3)), 0, )
#define CAIRN_I_IF_TAG(option, option2) \
    CAIRN_I_WHICH(CAIRN_I_IF_, CAIRN_I_CAT_4(CAIRN_I_TAGS_, CAIRN_I_OPTION(option), CAIRN_I_ANY(option2), ), 0, )
#define CAIRN_I_IF_0(macro, arguments) CAIRN_I_NO_FIELD
#define CAIRN_I_IF_1(macro, arguments) macro arguments
#define CAIRN_I_OPTION(option) \
    CAIRN_I_PICK(cairn__only_tag_and_format_may_follow_the_value_of_this_field__not__##option (), 3, )
#define cairn__only_tag_and_format_may_follow_the_value_of_this_field__not__()            CAIRN_I_HIT(0)
#define cairn__only_tag_and_format_may_follow_the_value_of_this_field__not__tag(...)      CAIRN_I_OPTION_OF(1, __VA_ARGS__, )
#define cairn__only_tag_and_format_may_follow_the_value_of_this_field__not__format(...)   CAIRN_I_OPTION_OF(2, __VA_ARGS__, )
#define CAIRN_I_OPTION_OF(number, value, ...) CAIRN_I_HIT(CAIRN_I_FIRST(__VA_OPT__(3, ) number, ))
#define CAIRN_I_ANY(...)               __VA_OPT__(_MORE)
#define CAIRN_I_OPTIONS_00             CAIRN_I_HIT(1)
#define CAIRN_I_OPTIONS_10             CAIRN_I_HIT(1)
#define CAIRN_I_OPTIONS_20             CAIRN_I_HIT(1)
#define CAIRN_I_OPTIONS_12             CAIRN_I_HIT(1)
#define CAIRN_I_OPTIONS_21             CAIRN_I_HIT(1)
#define CAIRN_I_TAGS_0                 CAIRN_I_HIT(1)
#define CAIRN_I_TAGS_1                 CAIRN_I_HIT(1)

/* ---- shapes of fields ---- */

/* (encoding, signature, wants, convert, name, value, options): one argument, a value or a pointer. */
#define CAIRN_I_VALUE(encoding, signature, wants, convert, name, value, option, option2, option3, ...) \
    cairn__only_tag_and_format_may_follow_the_value_of_a_field__not__##option(encoding, , name, option, option2, option3, signature, , _VALUE, wants, , name, cairn_i_##convert, value)

/* (format, ...): the same, with a format that is not the encoding's own. */
#define CAIRN_I_VALUE_AS(format, encoding, signature, wants, convert, name, value, option, option2, option3, ...) \
    cairn__only_tag_and_format_may_follow_the_value_of_the_field__not__##option(encoding, , format, name, option, option2, option3, signature, , _VALUE, wants, , name, cairn_i_##convert, value)

/* (encoding, signature, wants, convert, name, pointer, count, options): two arguments. */
#define CAIRN_I_COUNTED(encoding, signature, wants, convert, name, pointer, count, option, option2, option3, ...) \
    cairn__only_tag_and_format_may_follow_the_value_of_a_field__not__##option(encoding, , name, option, option2, option3, signature, , _COUNTED, wants, , name, cairn_i_##convert, pointer, count)

#define CAIRN_I_COUNTED_AS(format, encoding, signature, wants, convert, name, pointer, count, option, option2, option3, ...) \
    cairn__only_tag_and_format_may_follow_the_value_of_the_field__not__##option(encoding, , format, name, option, option2, option3, signature, , _COUNTED, wants, , name, cairn_i_##convert, pointer, count)

/* (encoding, signature, type, name, pointer, count, options): elements, after their count. */
#define CAIRN_I_SLICE(encoding, signature, type, name, pointer, count, option, option2, option3, ...) \
    cairn__only_tag_and_format_may_follow_the_value_of_a_field__not__##option(encoding, _VARRAY, name, option, option2, option3, signature, , _COUNTED, _POINTER_TO, type, name, \
                         cairn_i_address, pointer, count)

#define CAIRN_I_SLICE_AS(format, encoding, signature, type, name, pointer, count, option, option2, option3, ...) \
    cairn__only_tag_and_format_may_follow_the_value_of_the_field__not__##option(encoding, _VARRAY, format, name, option, option2, option3, signature, , _COUNTED, _POINTER_TO, type, name, \
                            cairn_i_address, pointer, count)

/* Elements that may have several types: `wants` is their size. */
#define CAIRN_I_SLICE_OF_ANY(format, encoding, signature, wants, name, pointer, count, option, option2, option3, ...) \
    cairn__only_tag_and_format_may_follow_the_value_of_the_field__not__##option(encoding, _VARRAY, format, name, option, option2, option3, signature, , _COUNTED, wants, , name, \
                            cairn_i_address, pointer, count)

/* ---- the table ---- */

#if __SIZEOF_POINTER__ == 8
#define CAIRN_I_SIGNATURE_PTR  _8
#define CAIRN_I_SIGNATURE_PTRS _N3
#else
#define CAIRN_I_SIGNATURE_PTR  _4
#define CAIRN_I_SIGNATURE_PTRS _N2
#endif

/* integers */
#define CAIRN_I_X_u8(...)                 CAIRN_I_VALUE(VALUE8, _1, _U8, u8, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u8_slice(...)           CAIRN_I_SLICE(VALUE8, _N0, uint8_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u8_hex(...)             CAIRN_I_VALUE_AS(HEX_INT, VALUE8, _1, _U8, u8, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u8_hex_slice(...)       CAIRN_I_SLICE_AS(HEX_INT, VALUE8, _N0, uint8_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u16(...)                CAIRN_I_VALUE(VALUE16, _2, _U16, u16, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u16_slice(...)          CAIRN_I_SLICE(VALUE16, _N1, uint16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u16_hex(...)            CAIRN_I_VALUE_AS(HEX_INT, VALUE16, _2, _U16, u16, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u16_hex_slice(...)      CAIRN_I_SLICE_AS(HEX_INT, VALUE16, _N1, uint16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u32(...)                CAIRN_I_VALUE(VALUE32, _4, _U32, u32, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u32_slice(...)          CAIRN_I_SLICE(VALUE32, _N2, uint32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u32_hex(...)            CAIRN_I_VALUE_AS(HEX_INT, VALUE32, _4, _U32, u32, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u32_hex_slice(...)      CAIRN_I_SLICE_AS(HEX_INT, VALUE32, _N2, uint32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u64(...)                CAIRN_I_VALUE(VALUE64, _8, _U64, u64, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u64_slice(...)          CAIRN_I_SLICE(VALUE64, _N3, uint64_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u64_hex(...)            CAIRN_I_VALUE_AS(HEX_INT, VALUE64, _8, _U64, u64, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u64_hex_slice(...)      CAIRN_I_SLICE_AS(HEX_INT, VALUE64, _N3, uint64_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_usize(...)              CAIRN_I_VALUE(VALUE_PTR, CAIRN_I_SIGNATURE_PTR, _USIZE, usize, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_usize_slice(...)        CAIRN_I_SLICE(VALUE_PTR, CAIRN_I_SIGNATURE_PTRS, size_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_usize_hex(...)          CAIRN_I_VALUE_AS(HEX_INT, VALUE_PTR, CAIRN_I_SIGNATURE_PTR, _USIZE, usize, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_usize_hex_slice(...)    CAIRN_I_SLICE_AS(HEX_INT, VALUE_PTR, CAIRN_I_SIGNATURE_PTRS, size_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i8(...)                 CAIRN_I_VALUE_AS(SIGNED_INT, VALUE8, _1, _I8, i8, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i8_slice(...)           CAIRN_I_SLICE_AS(SIGNED_INT, VALUE8, _N0, int8_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i8_hex(...)             CAIRN_I_VALUE_AS(HEX_INT, VALUE8, _1, _I8, i8, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i8_hex_slice(...)       CAIRN_I_SLICE_AS(HEX_INT, VALUE8, _N0, int8_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i16(...)                CAIRN_I_VALUE_AS(SIGNED_INT, VALUE16, _2, _I16, i16, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i16_slice(...)          CAIRN_I_SLICE_AS(SIGNED_INT, VALUE16, _N1, int16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i16_hex(...)            CAIRN_I_VALUE_AS(HEX_INT, VALUE16, _2, _I16, i16, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i16_hex_slice(...)      CAIRN_I_SLICE_AS(HEX_INT, VALUE16, _N1, int16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i32(...)                CAIRN_I_VALUE_AS(SIGNED_INT, VALUE32, _4, _I32, i32, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i32_slice(...)          CAIRN_I_SLICE_AS(SIGNED_INT, VALUE32, _N2, int32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i32_hex(...)            CAIRN_I_VALUE_AS(HEX_INT, VALUE32, _4, _I32, i32, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i32_hex_slice(...)      CAIRN_I_SLICE_AS(HEX_INT, VALUE32, _N2, int32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i64(...)                CAIRN_I_VALUE_AS(SIGNED_INT, VALUE64, _8, _I64, i64, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i64_slice(...)          CAIRN_I_SLICE_AS(SIGNED_INT, VALUE64, _N3, int64_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i64_hex(...)            CAIRN_I_VALUE_AS(HEX_INT, VALUE64, _8, _I64, i64, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i64_hex_slice(...)      CAIRN_I_SLICE_AS(HEX_INT, VALUE64, _N3, int64_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_isize(...)              CAIRN_I_VALUE_AS(SIGNED_INT, VALUE_PTR, CAIRN_I_SIGNATURE_PTR, _ISIZE, isize, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_isize_slice(...)        CAIRN_I_SLICE_AS(SIGNED_INT, VALUE_PTR, CAIRN_I_SIGNATURE_PTRS, CAIRN_I_SSIZE_T, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_isize_hex(...)          CAIRN_I_VALUE_AS(HEX_INT, VALUE_PTR, CAIRN_I_SIGNATURE_PTR, _ISIZE, isize, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_isize_hex_slice(...)    CAIRN_I_SLICE_AS(HEX_INT, VALUE_PTR, CAIRN_I_SIGNATURE_PTRS, CAIRN_I_SSIZE_T, __VA_ARGS__, , , , , , )

/* floating point, truth, single characters */
#define CAIRN_I_X_f32(...)                CAIRN_I_VALUE_AS(FLOAT, VALUE32, _4, _F32, f32, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_f32_slice(...)          CAIRN_I_SLICE_AS(FLOAT, VALUE32, _N2, float, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_f64(...)                CAIRN_I_VALUE_AS(FLOAT, VALUE64, _8, _F64, f64, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_f64_slice(...)          CAIRN_I_SLICE_AS(FLOAT, VALUE64, _N3, double, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_bool8(...)              CAIRN_I_VALUE_AS(BOOLEAN, VALUE8, _1, _BOOL, bool8, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_bool8_slice(...)        CAIRN_I_SLICE_AS(BOOLEAN, VALUE8, _N0, bool, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_bool32(...)             CAIRN_I_VALUE_AS(BOOLEAN, VALUE32, _4, _I32, i32, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_bool32_slice(...)       CAIRN_I_SLICE_AS(BOOLEAN, VALUE32, _N2, int32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_char8_cp1252(...)       CAIRN_I_VALUE_AS(STRING8, VALUE8, _1, _CHAR8, char8, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_char8_cp1252_slice(...) CAIRN_I_SLICE_AS(STRING8, VALUE8, _N0, char, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_char16(...)             CAIRN_I_VALUE_AS(STRING_UTF, VALUE16, _2, _U16, u16, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_char16_slice(...)       CAIRN_I_SLICE_OF_ANY(STRING_UTF, VALUE16, _N1, _EACH2, __VA_ARGS__, , , , , , )

/* numbers that mean something */
#define CAIRN_I_X_errno(...)              CAIRN_I_VALUE_AS(ERRNO, VALUE32, _4, _I32, i32, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_errno_slice(...)        CAIRN_I_SLICE_AS(ERRNO, VALUE32, _N2, int, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_hresult(...)            CAIRN_I_VALUE_AS(HRESULT, VALUE32, _4, _I32, i32, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_hresult_slice(...)      CAIRN_I_SLICE_AS(HRESULT, VALUE32, _N2, int32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_win_error(...)          CAIRN_I_VALUE_AS(WIN_ERROR, VALUE32, _4, _U32, u32, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_win_error_slice(...)    CAIRN_I_SLICE_AS(WIN_ERROR, VALUE32, _N2, uint32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_win_ntstatus(...)       CAIRN_I_VALUE_AS(NTSTATUS, VALUE32, _4, _I32, i32, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_win_ntstatus_slice(...) CAIRN_I_SLICE_AS(NTSTATUS, VALUE32, _N2, int32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_pid(...)                CAIRN_I_VALUE_AS(PID, VALUE32, _4, _PID, pid, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_pid_slice(...)          CAIRN_I_SLICE_AS(PID, VALUE32, _N2, CAIRN_I_PID_T, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_tid(...)                CAIRN_I_VALUE_AS(TID, VALUE32, _4, _PID, pid, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_tid_slice(...)          CAIRN_I_SLICE_AS(TID, VALUE32, _N2, CAIRN_I_PID_T, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_time32(...)             CAIRN_I_VALUE_AS(FILE_TIME, VALUE32, _T4, _I32, i32, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_time64(...)             CAIRN_I_VALUE_AS(FILE_TIME, VALUE64, _T8, _I64, i64, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_systemtime(...)         CAIRN_I_VALUE_AS(FILE_TIME, VALUE64, _TS, _TIMESPEC, systemtime, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_pointer(...)            CAIRN_I_VALUE_AS(HEX_INT, VALUE_PTR, CAIRN_I_SIGNATURE_PTR, _ADDRESS, number, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_pointer_slice(...)      CAIRN_I_SLICE_OF_ANY(HEX_INT, VALUE_PTR, CAIRN_I_SIGNATURE_PTRS, _ADDRESSES, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_codepointer(...)        CAIRN_I_VALUE_AS(CODE_POINTER, VALUE_PTR, CAIRN_I_SIGNATURE_PTR, _ADDRESS, number, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_codepointer_slice(...)  CAIRN_I_SLICE_OF_ANY(CODE_POINTER, VALUE_PTR, CAIRN_I_SIGNATURE_PTRS, _ADDRESSES, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_port(...)               CAIRN_I_VALUE_AS(PORT, VALUE16, _2, _U16, u16, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_port_host(...)          CAIRN_I_VALUE_AS(PORT, VALUE16, _2, _U16, port_host, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_port_slice(...)         CAIRN_I_SLICE_AS(PORT, VALUE16, _N1, uint16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_port_host_slice(...)    CAIRN_I_SLICE_AS(PORT, VALUE16, _P1, uint16_t, __VA_ARGS__, , , , , , )

/* sixteen bytes and four, by pointer */
#define CAIRN_I_X_guid(...)               CAIRN_I_VALUE_AS(UUID, VALUE128, _GUID, _BYTES16, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_guid_slice(...)         CAIRN_I_SLICE_OF_ANY(UUID, VALUE128, _N4, _EACH16, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_ipv4(...)               CAIRN_I_VALUE_AS(IP_ADDRESS, VALUE32, _4, _BYTES4, ipv4, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_ipv4_slice(...)         CAIRN_I_SLICE_OF_ANY(IP_ADDRESS, VALUE32, _N2, _EACH4, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_ipv6(...)               CAIRN_I_VALUE_AS(IP_ADDRESS, VALUE128, _IPV6, _BYTES16, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_ipv6c(...)              CAIRN_I_VALUE_AS(COUNTED_IP, VALUE128, _B6, _BYTES16, address, __VA_ARGS__, , , , , , )

/* bytes */
#define CAIRN_I_X_binary(...)             CAIRN_I_COUNTED_AS(HEX_BYTES, STRING_LENGTH16_CHAR8, _N0, _POINTER, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_binaryc(...)            CAIRN_I_COUNTED_AS(COUNTED_BYTES, STRING_LENGTH16_CHAR8, _B0, _POINTER, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_socketaddress(...)      CAIRN_I_COUNTED_AS(SOCKET_ADDRESS, STRING_LENGTH16_CHAR8, _N0, _POINTER, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_socketaddressc(...)     CAIRN_I_COUNTED_AS(COUNTED_SOCKET, STRING_LENGTH16_CHAR8, _B0, _POINTER, address, __VA_ARGS__, , , , , , )

/* text: NUL-terminated, and _n with a length; str* are stored with a length, cstr* with a NUL */
#define CAIRN_I_X_str8(...)               CAIRN_I_VALUE(STRING_LENGTH16_CHAR8, _TEXT, _TEXT8, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str8_n(...)             CAIRN_I_COUNTED(STRING_LENGTH16_CHAR8, _N0, _TEXT8, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str8_cp1252(...)        CAIRN_I_VALUE_AS(STRING8, STRING_LENGTH16_CHAR8, _TEXT, _TEXT8, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str8_cp1252_n(...)      CAIRN_I_COUNTED_AS(STRING8, STRING_LENGTH16_CHAR8, _N0, _TEXT8, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str8_json(...)          CAIRN_I_VALUE_AS(STRING_JSON, STRING_LENGTH16_CHAR8, _TEXT, _TEXT8, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str8_json_n(...)        CAIRN_I_COUNTED_AS(STRING_JSON, STRING_LENGTH16_CHAR8, _N0, _TEXT8, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str8_xml(...)           CAIRN_I_VALUE_AS(STRING_XML, STRING_LENGTH16_CHAR8, _TEXT, _TEXT8, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str8_xml_n(...)         CAIRN_I_COUNTED_AS(STRING_XML, STRING_LENGTH16_CHAR8, _N0, _TEXT8, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str16(...)              CAIRN_I_VALUE(STRING_LENGTH16_CHAR16, _S1, _TEXT16, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str16_n(...)            CAIRN_I_COUNTED(STRING_LENGTH16_CHAR16, _C1, _TEXT16, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str16_json(...)         CAIRN_I_VALUE_AS(STRING_JSON, STRING_LENGTH16_CHAR16, _S1, _TEXT16, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str16_json_n(...)       CAIRN_I_COUNTED_AS(STRING_JSON, STRING_LENGTH16_CHAR16, _C1, _TEXT16, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str16_xml(...)          CAIRN_I_VALUE_AS(STRING_XML, STRING_LENGTH16_CHAR16, _S1, _TEXT16, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str16_xml_n(...)        CAIRN_I_COUNTED_AS(STRING_XML, STRING_LENGTH16_CHAR16, _C1, _TEXT16, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str32(...)              CAIRN_I_VALUE(STRING_LENGTH16_CHAR32, _S2, _TEXT32, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str32_n(...)            CAIRN_I_COUNTED(STRING_LENGTH16_CHAR32, _C2, _TEXT32, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str32_json(...)         CAIRN_I_VALUE_AS(STRING_JSON, STRING_LENGTH16_CHAR32, _S2, _TEXT32, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str32_json_n(...)       CAIRN_I_COUNTED_AS(STRING_JSON, STRING_LENGTH16_CHAR32, _C2, _TEXT32, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str32_xml(...)          CAIRN_I_VALUE_AS(STRING_XML, STRING_LENGTH16_CHAR32, _S2, _TEXT32, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_str32_xml_n(...)        CAIRN_I_COUNTED_AS(STRING_XML, STRING_LENGTH16_CHAR32, _C2, _TEXT32, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr8(...)              CAIRN_I_VALUE(ZSTRING_CHAR8, _Z0, _TEXT8, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr8_n(...)            CAIRN_I_COUNTED(ZSTRING_CHAR8, _Y0, _TEXT8, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr8_cp1252(...)       CAIRN_I_VALUE_AS(STRING8, ZSTRING_CHAR8, _Z0, _TEXT8, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr8_cp1252_n(...)     CAIRN_I_COUNTED_AS(STRING8, ZSTRING_CHAR8, _Y0, _TEXT8, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr8_json(...)         CAIRN_I_VALUE_AS(STRING_JSON, ZSTRING_CHAR8, _Z0, _TEXT8, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr8_json_n(...)       CAIRN_I_COUNTED_AS(STRING_JSON, ZSTRING_CHAR8, _Y0, _TEXT8, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr8_xml(...)          CAIRN_I_VALUE_AS(STRING_XML, ZSTRING_CHAR8, _Z0, _TEXT8, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr8_xml_n(...)        CAIRN_I_COUNTED_AS(STRING_XML, ZSTRING_CHAR8, _Y0, _TEXT8, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr16(...)             CAIRN_I_VALUE(ZSTRING_CHAR16, _Z1, _TEXT16, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr16_n(...)           CAIRN_I_COUNTED(ZSTRING_CHAR16, _Y1, _TEXT16, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr16_json(...)        CAIRN_I_VALUE_AS(STRING_JSON, ZSTRING_CHAR16, _Z1, _TEXT16, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr16_json_n(...)      CAIRN_I_COUNTED_AS(STRING_JSON, ZSTRING_CHAR16, _Y1, _TEXT16, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr16_xml(...)         CAIRN_I_VALUE_AS(STRING_XML, ZSTRING_CHAR16, _Z1, _TEXT16, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr16_xml_n(...)       CAIRN_I_COUNTED_AS(STRING_XML, ZSTRING_CHAR16, _Y1, _TEXT16, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr32(...)             CAIRN_I_VALUE(ZSTRING_CHAR32, _Z2, _TEXT32, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr32_n(...)           CAIRN_I_COUNTED(ZSTRING_CHAR32, _Y2, _TEXT32, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr32_json(...)        CAIRN_I_VALUE_AS(STRING_JSON, ZSTRING_CHAR32, _Z2, _TEXT32, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr32_json_n(...)      CAIRN_I_COUNTED_AS(STRING_JSON, ZSTRING_CHAR32, _Y2, _TEXT32, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr32_xml(...)         CAIRN_I_VALUE_AS(STRING_XML, ZSTRING_CHAR32, _Z2, _TEXT32, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_cstr32_xml_n(...)       CAIRN_I_COUNTED_AS(STRING_XML, ZSTRING_CHAR32, _Y2, _TEXT32, address, __VA_ARGS__, , , , , , )

/* ---- structs ---- */

/* struct(NAME, members...) or struct(NAME, tag(T), members...), for each depth. */
#define CAIRN_I_X_struct(...)  CAIRN_I_STRUCT_IN(1, __VA_ARGS__, )
#define CAIRN_I_X1_struct(...) CAIRN_I_STRUCT_IN(2, __VA_ARGS__, )
#define CAIRN_I_X2_struct(...) CAIRN_I_STRUCT_IN(3, __VA_ARGS__, )
#define CAIRN_I_X3_struct(...) CAIRN_I_STRUCT_IN(4, __VA_ARGS__, )
#define CAIRN_I_X4_struct(...) CAIRN_I_STRUCT_IN(5, __VA_ARGS__, )
#define CAIRN_I_X5_struct(...) CAIRN_I_STRUCT_IN(6, __VA_ARGS__, )
#define CAIRN_I_X6_struct(...) CAIRN_I_STRUCT_IN(7, __VA_ARGS__, )
#define CAIRN_I_X7_struct(...) CAIRN_I_STRUCT_IN(8, __VA_ARGS__, )
#define CAIRN_I_X8_struct(...) CAIRN_I_TOO_DEEP(__VA_ARGS__, )
#define CAIRN_I_TOO_DEEP(name, ...) (, , , , , _TOO_DEEP, name)
#define CAIRN_I_STRUCT_IN(depth, name, ...) \
    CAIRN_I_STRUCT(CAIRN_I_HAS_TAG(__VA_ARGS__, ), depth, __COUNTER__, name, __VA_ARGS__)
#define CAIRN_I_STRUCT(has_tag, depth, id, ...) CAIRN_I_CAT(CAIRN_I_STRUCT_, has_tag)(depth, id, __VA_ARGS__)
#define CAIRN_I_HAS_TAG(first, ...)  CAIRN_I_CAT(CAIRN_I_HAS_TAG_, CAIRN_I_IS_PAREN(first))(first)
#define CAIRN_I_HAS_TAG_1(first)     0
#define CAIRN_I_HAS_TAG_0(first)     CAIRN_I_WHICH(CAIRN_I_HAS_TAG_IF_, CAIRN_I_EXPECT_WORD(first), A_WORD, )(first)
#define CAIRN_I_HAS_TAG_IF_A_WORD(first)  CAIRN_I_PICK(CAIRN_I_IS_TAG_##first, 0, )
#define CAIRN_I_HAS_TAG_IF_NO_WORD(first) 0
#define CAIRN_I_IS_TAG_tag(...)      CAIRN_I_HIT(1)

#define CAIRN_I_STRUCT_0(depth, id, name, ...)                                     \
    CAIRN_I_MEMBERS(id, name, __VA_ARGS__)                                         \
    (_FORM, id, name, , , _NAME, name)                                             \
    (id, cairn_i_form2, CAIRN_I_FORM2(CAIRN_ENCODING_STRUCT, cairn_i_members##id)) \
    CAIRN_I_LOOP_AGAIN CAIRN_I_PARENS(_IN##depth, __VA_ARGS__ CAIRN_I_LOOP_END)
#define CAIRN_I_STRUCT_1(depth, id, name, option, ...)                                                       \
    (, , , , , _OPTIONS, name, option, )                                                                     \
    CAIRN_I_MEMBERS(id, name, __VA_ARGS__)                                                                   \
    (_FORM, id, name, , , _NAME, name)                                                                       \
    (id, CAIRN_I_FORM_T_(CAIRN_ENCODING_STRUCT, cairn_i_members##id, option, ))                              \
    CAIRN_I_LOOP_AGAIN CAIRN_I_PARENS(_IN##depth, __VA_ARGS__ CAIRN_I_LOOP_END)

/* The current loop counts the members, and converts them to rows. The count is before the name, whose assertion cannot be compiled
 * if it is no literal. */
#define CAIRN_I_MEMBERS(id, name, ...) \
    (, id, , , , _MEMBERS, name, CAIRN_I_LOOP_AGAIN CAIRN_I_PARENS(_COUNT, __VA_ARGS__ CAIRN_I_LOOP_END))

/* ---- raw fields: without a check that data and definition match ---- */

#define CAIRN_I_X_raw_field(...)        CAIRN_I_RAW_FIELD(0, __VA_ARGS__, , , , , , , )
#define CAIRN_I_X_raw_field_slice(...)  CAIRN_I_RAW_FIELD(CAIRN_ENCODING_VARRAY, __VA_ARGS__, , , , , , , )
#define CAIRN_I_X_raw_meta(...)         CAIRN_I_RAW_META(0, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_raw_meta_slice(...)   CAIRN_I_RAW_META(CAIRN_ENCODING_VARRAY, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_raw_struct(...)       CAIRN_I_RAW_STRUCT(0, __VA_ARGS__, , , , )
#define CAIRN_I_X_raw_struct_slice(...) CAIRN_I_RAW_STRUCT(CAIRN_ENCODING_VARRAY, __VA_ARGS__, , , , )
#define CAIRN_I_X_raw_data(...)         CAIRN_I_RAW_DATA("raw_data", __VA_ARGS__, , , )

#define CAIRN_I_RAW_DATA(name, pointer, bytes, extra, ...) \
    CAIRN_I_UNLESS(extra) (, __COUNTER__, , _R0, , _COUNTED, _POINTER, , name, cairn_i_address, pointer, bytes)
#define CAIRN_I_RAW_FIELD(flags, name, encoding, pointer, bytes, option, option2, option3, ...) \
    CAIRN_I_RAW_META(flags, name, encoding, option, option2, option3, )                         \
    CAIRN_I_RAW_DATA(name, pointer, bytes, , )
#define CAIRN_I_RAW_META(flags, name, encoding, option, option2, option3, ...) \
    CAIRN_I_IF_OPTIONS(option, option2, option3)(CAIRN_I_RAW_META_, (flags, name, CAIRN_I_NAMED(_ENCODING, encoding), option, option2))
#define CAIRN_I_RAW_META_(flags, name, encoding, option, option2) \
    (, , , , , _OPTIONS, name, option, option2)                   \
    (, , , , , _RAW, name, encoding)                              \
    (_FORM, __COUNTER__, name, , , _NAME, name)                   \
    (__COUNTER__, CAIRN_I_FORM_##option((encoding) | flags, CAIRN_FORMAT_DEFAULT, option, option2))
#define CAIRN_I_RAW_STRUCT(flags, name, count, option, option2, ...) \
    CAIRN_I_IF_TAG(option, option2)(CAIRN_I_RAW_STRUCT_, (flags, name, count, option))
#define CAIRN_I_RAW_STRUCT_(flags, name, count, option) \
    (, , , , , _OPTIONS, name, option, )                \
    (, , , , , _FIELDS, name, count)                    \
    (_FORM, __COUNTER__, name, , , _NAME, name)         \
    (__COUNTER__, CAIRN_I_FORM_AS_##option(CAIRN_ENCODING_STRUCT | flags, count, option, ))

#endif
