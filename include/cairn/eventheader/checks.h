/* SPDX-License-Identifier: MIT */
/*
 * Checks by the compiler before a value becomes an argument (convert.h). C converts most types
 * silently to most others, and so does C++ with numbers; each check is an assertion whose message
 * names the field.
 *
 * A constant is checked by its value, anything else by its type: the field must be able to hold
 * every value of an integer type. Checks may contain the value's text several times. None of these
 * copies is evaluated.
 */
/* clang-format would spread the lists of types over hundreds of lines. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_CHECKS_H
#define CAIRN_EVENTHEADER_CHECKS_H

#include <cairn/eventheader/text.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* clang prints a false condition before the sentence, unless it is a number. */
#ifdef __clang__
#define CAIRN_I_HOLDS(...) __builtin_choose_expr((bool)(__VA_ARGS__), 1, 0)
#else
#define CAIRN_I_HOLDS(...) __VA_ARGS__
#endif
#ifdef __cplusplus
#define CAIRN_I_STATIC_ASSERT static_assert
#else
#define CAIRN_I_STATIC_ASSERT _Static_assert
#endif
#define CAIRN_I_ASSERT(condition, sentence) CAIRN_I_STATIC_ASSERT(CAIRN_I_HOLDS(condition), sentence)

/*
 * CAIRN_I_WANT_kind(type, name, ...): the kinds are `wants` of _VALUE and _COUNTED (fields.h). The
 * other arguments are the value, or nothing; `name` is a string literal, so #name is its text in
 * quotation marks.
 *
 * All of it is compiled for every field of every event: so there are few nested macros, and each
 * contains its assertion in full.
 */
#define CAIRN_I_SAYS_U8        "takes an unsigned integer of 8 bits, or a constant from 0 to 255; cast what is wider or signed"
#define CAIRN_I_SAYS_U16       "takes an unsigned integer of up to 16 bits, or a constant from 0 to 65535; cast what is wider or signed"
#define CAIRN_I_SAYS_U32       "takes an unsigned integer of up to 32 bits, or a constant from 0 to 4294967295; cast what is wider or signed"
#define CAIRN_I_SAYS_U64       "takes an unsigned integer of up to 64 bits, or a constant that is not negative; cast what is signed"
#define CAIRN_I_SAYS_I8        "takes a signed integer of 8 bits, or a constant from -128 to 127; cast what is wider or unsigned"
#define CAIRN_I_SAYS_I16       "takes a signed integer of up to 16 bits, or a constant from -32768 to 32767; cast what is wider or unsigned"
#define CAIRN_I_SAYS_I32       "takes a signed integer of up to 32 bits, or a constant from -2147483648 to 2147483647; cast what is wider or unsigned"
#define CAIRN_I_SAYS_I64       "takes a signed integer of up to 64 bits, or a constant up to 9223372036854775807; cast what is unsigned"
#define CAIRN_I_SAYS_PID       "takes an integer of up to 32 bits, such as a pid_t; cast what is wider"
#define CAIRN_I_SAYS_CHAR8     "takes a character of 8 bits, or a constant from -128 to 255; cast what is wider"
#define CAIRN_I_SAYS_BOOL      "takes a truth value: a bool, another integer, or a constant that is 0 or 1"
#define CAIRN_I_SAYS_F32       "takes a float, or a constant that a float holds; cast what is wider"
#define CAIRN_I_SAYS_F64       "takes a double or a float, or a constant that a double holds; cast what is wider"
#define CAIRN_I_SAYS_ADDRESS   "takes a pointer, or an unsigned integer as wide as one"
#define CAIRN_I_SAYS_POINTER   "takes a pointer, and the number of bytes there"
#define CAIRN_I_SAYS_TIMESPEC  "takes a struct timespec"
#define CAIRN_I_SAYS_TEXT8     "takes a string (char *), and not NULL literally"
#define CAIRN_I_SAYS_TEXT16    "takes a string of 16-bit characters (char16_t *), and not NULL literally"
#define CAIRN_I_SAYS_TEXT32    "takes a string of 32-bit characters (char32_t *, wchar_t *), and not NULL literally"
#define CAIRN_I_SAYS_BYTES4    "takes a pointer to 4 bytes, such as a uint8_t array or a struct of this size"
#define CAIRN_I_SAYS_BYTES16   "takes a pointer to 16 bytes, such as a uint8_t array or a struct of this size"
#define CAIRN_I_SAYS_EACH2     "takes a pointer to elements of 16 bits, such as char16_t"
#define CAIRN_I_SAYS_EACH4     "takes a pointer to elements of 4 bytes, or to bytes"
#define CAIRN_I_SAYS_EACH16    "takes a pointer to elements of 16 bytes, or to bytes"
#define CAIRN_I_SAYS_ADDRESSES "takes a pointer to pointers, or to uintptr_t"
#define CAIRN_I_SAYS_COUNT     "takes a count that is an integer, or a constant from 0 to 65535"

#define CAIRN_I_WANT_BYTES4(type, name, ...)    CAIRN_I_WANT_BYTES(4, name, CAIRN_I_SAYS_BYTES4, __VA_ARGS__)
#define CAIRN_I_WANT_BYTES16(type, name, ...)   CAIRN_I_WANT_BYTES(16, name, CAIRN_I_SAYS_BYTES16, __VA_ARGS__)
#define CAIRN_I_WANT_EACH2(type, name, ...)     CAIRN_I_WANT_EACH(2, name, CAIRN_I_SAYS_EACH2, __VA_ARGS__)
#define CAIRN_I_WANT_EACH4(type, name, ...)     CAIRN_I_WANT_EACH(4, name, CAIRN_I_SAYS_EACH4, __VA_ARGS__)
#define CAIRN_I_WANT_EACH16(type, name, ...)    CAIRN_I_WANT_EACH(16, name, CAIRN_I_SAYS_EACH16, __VA_ARGS__)
#define CAIRN_I_WANT_ADDRESSES(type, name, ...) CAIRN_I_WANT_EACH(__SIZEOF_POINTER__, name, CAIRN_I_SAYS_ADDRESSES, __VA_ARGS__)
#if __SIZEOF_POINTER__ == 8
#define CAIRN_I_WANT_USIZE CAIRN_I_WANT_U64
#define CAIRN_I_WANT_ISIZE CAIRN_I_WANT_I64
#else
#define CAIRN_I_WANT_USIZE CAIRN_I_WANT_U32
#define CAIRN_I_WANT_ISIZE CAIRN_I_WANT_I32
#endif

/* CAIRN_I_CHARACTERS(which, symbol, text, sentence): checks that a name, a group or an option has
 * only allowed characters. clang would print the condition: so it gets the name of a constant. */
#ifdef __cplusplus
#include <cairn/eventheader/checks_cpp.h>
#else

/* ---- C ---- */

#define CAIRN_I_CONTROLS \
    "\1\2\3\4\5\6\a\b\t\n\v\f\r\16\17\20\21\22\23\24\25\26\27\30\31\32\33\34\35\36\37 :;\177"
#define CAIRN_I_LETTERS "abcdefghijklmnopqrstuvwxyz0123456789"
#ifdef __clang__
#define CAIRN_I_CHARACTERS(which, symbol, text, sentence) \
    enum { cairn_i_allowed##which##_##symbol = CAIRN_I_COMPUTE(CAIRN_I_ALLOWED##which(text)) }; \
    _Static_assert(CAIRN_I_HOLDS(cairn_i_allowed##which##_##symbol), sentence);
/* clang evaluates strchr, and neither strspn nor a loop: so each forbidden character is searched. */
#define CAIRN_I_LACKS(text, c) !__builtin_strchr(text, (char)0x##c)
#define CAIRN_I_LACKS_1_TO_A(text, n) \
    CAIRN_I_LACKS(text, n##1) && CAIRN_I_LACKS(text, n##2) && CAIRN_I_LACKS(text, n##3) && CAIRN_I_LACKS(text, n##4) && \
    CAIRN_I_LACKS(text, n##5) && CAIRN_I_LACKS(text, n##6) && CAIRN_I_LACKS(text, n##7) && CAIRN_I_LACKS(text, n##8) && \
    CAIRN_I_LACKS(text, n##9) && CAIRN_I_LACKS(text, n##a)
#define CAIRN_I_LACKS_B_TO_F(text, n) \
    CAIRN_I_LACKS(text, n##b) && CAIRN_I_LACKS(text, n##c) && CAIRN_I_LACKS(text, n##d) && CAIRN_I_LACKS(text, n##e) && \
    CAIRN_I_LACKS(text, n##f)
#define CAIRN_I_LACKS_ROW(text, n) \
    CAIRN_I_LACKS(text, n##0) && CAIRN_I_LACKS_1_TO_A(text, n) && CAIRN_I_LACKS_B_TO_F(text, n)
#define CAIRN_I_LACKS_CONTROLS(text) \
    CAIRN_I_LACKS_1_TO_A(text, 0) && CAIRN_I_LACKS_B_TO_F(text, 0) && CAIRN_I_LACKS_ROW(text, 1)
#define CAIRN_I_ALLOWED_NAME(text) \
    CAIRN_I_LACKS_CONTROLS(text) && CAIRN_I_LACKS(text, 20) && CAIRN_I_LACKS(text, 3a) && CAIRN_I_LACKS(text, 3b) && \
    CAIRN_I_LACKS(text, 7f)
#define CAIRN_I_ALLOWED_OPTION(text) \
    CAIRN_I_LACKS_CONTROLS(text) && CAIRN_I_LACKS_ROW(text, 2) && CAIRN_I_LACKS(text, 3a) && CAIRN_I_LACKS_B_TO_F(text, 3) && \
    CAIRN_I_LACKS(text, 40) && CAIRN_I_LACKS_B_TO_F(text, 5) && CAIRN_I_LACKS(text, 60) && CAIRN_I_LACKS_B_TO_F(text, 7) && \
    CAIRN_I_LACKS_ROW(text, 8) && CAIRN_I_LACKS_ROW(text, 9) && CAIRN_I_LACKS_ROW(text, a) && CAIRN_I_LACKS_ROW(text, b) && \
    CAIRN_I_LACKS_ROW(text, c) && CAIRN_I_LACKS_ROW(text, d) && CAIRN_I_LACKS_ROW(text, e) && CAIRN_I_LACKS_ROW(text, f)
#define CAIRN_I_ALLOWED_GROUP(text) \
    CAIRN_I_ALLOWED_OPTION(text) && CAIRN_I_LACKS_1_TO_A(text, 4) && CAIRN_I_LACKS_B_TO_F(text, 4) && CAIRN_I_LACKS(text, 50) && \
    CAIRN_I_LACKS_1_TO_A(text, 5)
#else
#define CAIRN_I_CHARACTERS(which, symbol, text, sentence) \
    _Static_assert(CAIRN_I_HOLDS(CAIRN_I_ALLOWED##which(text) == sizeof(text) - 1), sentence);
#define CAIRN_I_ALLOWED_NAME(text)   __builtin_strcspn(text, CAIRN_I_CONTROLS)
#define CAIRN_I_ALLOWED_GROUP(text)  __builtin_strspn(text, CAIRN_I_LETTERS)
#define CAIRN_I_ALLOWED_OPTION(text) __builtin_strspn(text, CAIRN_I_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
#endif

/*
 * Only if the argument is a constant, this is an integer constant expression: only then is the
 * second pointer a null pointer constant, and the type int *. An expression that is not constant
 * must not become part of an assertion: the compiler would report that instead of the assertion's
 * message.
 */
#define CAIRN_I_IS_CONSTANT(x) _Generic(8 ? ((void *)((__INTPTR_TYPE__)(x) * 0)) : (int *)8, int *: 1, default: 0)
#define CAIRN_I_INTEGER_OR(x, otherwise) \
    __builtin_choose_expr(CAIRN_I_IS_CONSTANT(x) && (0x1e >> __builtin_classify_type(x) & 1), x, otherwise)

/* A constant integer of this range, whose lower limit is not negative. */
#define CAIRN_I_IS_WITHIN(x, low, high) (CAIRN_I_INTEGER_OR(x, -1) >= (low) && CAIRN_I_INTEGER_OR(x, -1) <= (high))

/* clang accepts expressions that it must compute, such as a comparison of floats, as constant. */
#define CAIRN_I_COMPUTE(condition) (__builtin_constant_p(0) ? (condition) : 0)

/* A literal of type `char` without a NUL; 0 for no argument. */
#define CAIRN_I_IS_NAME(...) \
    (0 __VA_OPT__(+ _Generic((__VA_ARGS__), char *: __builtin_choose_expr(__builtin_constant_p(__VA_ARGS__), \
             sizeof(__VA_ARGS__) == __builtin_strlen((const char *)(__VA_ARGS__)) + 1, 0), default: 0)))

/*
 * An assertion for the class of the value, or for its absence, and one for its type or its value;
 * the second passes if the first has failed. __builtin_classify_type returns 1 to 4 for integers
 * (gcc promotes first, clang distinguishes characters, enums, bool), 5 for pointers, 8 for
 * floating-point numbers. In gcc a bit-field has a type of its own: it does not fit.
 */
#define CAIRN_I_WANT_INTEGER(name, value, fits, is_within, text) \
    _Static_assert(CAIRN_I_HOLDS(0x1e >> __builtin_classify_type(value) & 1), "cairn: field " #name " " text); \
    _Static_assert(CAIRN_I_HOLDS(fits || __builtin_choose_expr(CAIRN_I_IS_CONSTANT(value), is_within, 0)), "cairn: field " #name " " text);
#define CAIRN_I_NO_INTEGER(value) default: !(0x1e >> __builtin_classify_type(value) & 1)

#define CAIRN_I_WANT_U8(type, name, value) \
    CAIRN_I_WANT_INTEGER(name, value, _Generic((value), _Bool: 1, unsigned char: 1, char: (char)-1 > 0, CAIRN_I_NO_INTEGER(value)), \
                         (value) >= 0 && (value) <= 255, CAIRN_I_SAYS_U8)
#define CAIRN_I_WANT_U16(type, name, value) \
    CAIRN_I_WANT_INTEGER(name, value, _Generic((value), _Bool: 1, unsigned char: 1, char: (char)-1 > 0, unsigned short: 1, CAIRN_I_NO_INTEGER(value)), \
                         (value) >= 0 && (value) <= 65535, CAIRN_I_SAYS_U16)
#define CAIRN_I_WANT_U32(type, name, value) \
    CAIRN_I_WANT_INTEGER(name, value, _Generic((value), _Bool: 1, unsigned char: 1, char: (char)-1 > 0, unsigned short: 1, unsigned int: 1, unsigned long: sizeof(long) == 4, CAIRN_I_NO_INTEGER(value)), \
                         (value) >= 0 && (value) <= 4294967295u, CAIRN_I_SAYS_U32)
#define CAIRN_I_WANT_U64(type, name, value) \
    CAIRN_I_WANT_INTEGER(name, value, _Generic((value), _Bool: 1, unsigned char: 1, char: (char)-1 > 0, unsigned short: 1, unsigned int: 1, unsigned long: 1, unsigned long long: 1, CAIRN_I_NO_INTEGER(value)), \
                         (value) >= 0 && (value) <= 18446744073709551615ull, CAIRN_I_SAYS_U64)
#define CAIRN_I_WANT_I8(type, name, value) \
    CAIRN_I_WANT_INTEGER(name, value, _Generic((value), _Bool: 1, signed char: 1, char: (char)-1 < 0, CAIRN_I_NO_INTEGER(value)), \
                         (long long)(value) >= -128 && (value) <= 127, CAIRN_I_SAYS_I8)
#define CAIRN_I_WANT_I16(type, name, value) \
    CAIRN_I_WANT_INTEGER(name, value, _Generic((value), _Bool: 1, unsigned char: 1, char: 1, signed char: 1, short: 1, CAIRN_I_NO_INTEGER(value)), \
                         (long long)(value) >= -32768 && (value) <= 32767, CAIRN_I_SAYS_I16)
#define CAIRN_I_WANT_I32(type, name, value) \
    CAIRN_I_WANT_INTEGER(name, value, _Generic((value), _Bool: 1, unsigned char: 1, char: 1, signed char: 1, short: 1, unsigned short: 1, int: 1, long: sizeof(long) == 4, CAIRN_I_NO_INTEGER(value)), \
                         (long long)(value) >= -2147483648ll && (value) <= 2147483647, CAIRN_I_SAYS_I32)
#define CAIRN_I_WANT_I64(type, name, value) \
    CAIRN_I_WANT_INTEGER(name, value, _Generic((value), _Bool: 1, unsigned char: 1, char: 1, signed char: 1, short: 1, unsigned short: 1, int: 1, unsigned int: 1, long: 1, long long: 1, unsigned long: sizeof(long) == 4, CAIRN_I_NO_INTEGER(value)), \
                         (value) <= 9223372036854775807ll, CAIRN_I_SAYS_I64)
#define CAIRN_I_WANT_PID(type, name, value) \
    CAIRN_I_WANT_INTEGER(name, value, _Generic((value), _Bool: 1, unsigned char: 1, char: 1, signed char: 1, short: 1, unsigned short: 1, int: 1, unsigned int: 1, long: sizeof(long) == 4, unsigned long: sizeof(long) == 4, CAIRN_I_NO_INTEGER(value)), \
                         (long long)(value) >= -2147483648ll && (value) <= 4294967295ll, CAIRN_I_SAYS_PID)
#define CAIRN_I_WANT_CHAR8(type, name, value) \
    CAIRN_I_WANT_INTEGER(name, value, _Generic((value), _Bool: 1, unsigned char: 1, char: 1, signed char: 1, CAIRN_I_NO_INTEGER(value)), \
                         (long long)(value) >= -128 && (value) <= 255, CAIRN_I_SAYS_CHAR8)
#define CAIRN_I_WANT_BOOL(type, name, value) \
    _Static_assert(CAIRN_I_HOLDS(0x1e >> __builtin_classify_type(value) & 1), "cairn: field " #name " " CAIRN_I_SAYS_BOOL); \
    _Static_assert(CAIRN_I_HOLDS(__builtin_choose_expr(CAIRN_I_IS_CONSTANT(value), (value) == 0 || (value) == 1, 1)), \
                   "cairn: field " #name " " CAIRN_I_SAYS_BOOL);

/* Checks that a floating-point number of this number of bits holds a constant integer exactly. */
#define CAIRN_I_WANT_REAL(name, value, fits, high, high_integer, text) \
    _Static_assert(CAIRN_I_HOLDS(0x11e >> __builtin_classify_type(value) & 1), "cairn: field " #name " " text); \
    _Static_assert(CAIRN_I_HOLDS(fits || CAIRN_I_COMPUTE(__builtin_choose_expr( \
                       0x100 >> __builtin_classify_type(value) & 1 ? __builtin_constant_p(value) && !CAIRN_I_IS_CONST_REAL(value) \
                                                                   : CAIRN_I_IS_CONSTANT(value), \
                       0x100 >> __builtin_classify_type(value) & 1 ? (value) <= (high) && (value) >= -(high) \
                                                                   : (value) <= (high_integer) && (value) >= -(high_integer), 0))), \
                   "cairn: field " #name " " text);
/* A variable nevertheless, whose value gcc knows when it optimizes. */
#define CAIRN_I_IS_CONST_REAL(value) \
    _Generic((__typeof__(__builtin_choose_expr(0x100 >> __builtin_classify_type(value) & 1, value, 0.0)) *)0, \
             const double *: 1, const long double *: 1, default: 0)
#define CAIRN_I_NO_REAL(value) default: !(0x11e >> __builtin_classify_type(value) & 1)
#define CAIRN_I_WANT_F32(type, name, value) \
    CAIRN_I_WANT_REAL(name, value, _Generic((value), _Bool: 1, unsigned char: 1, char: 1, signed char: 1, short: 1, unsigned short: 1, float: 1, CAIRN_I_NO_REAL(value)), \
                      3.4028234663852886e38, 16777216.0, CAIRN_I_SAYS_F32)
#define CAIRN_I_WANT_F64(type, name, value) \
    CAIRN_I_WANT_REAL(name, value, _Generic((value), _Bool: 1, unsigned char: 1, char: 1, signed char: 1, short: 1, unsigned short: 1, int: 1, unsigned int: 1, float: 1, double: 1, CAIRN_I_NO_REAL(value)), \
                      1.7976931348623157e308, 9007199254740992.0, CAIRN_I_SAYS_F64)
#define CAIRN_I_WANT_TIMESPEC(type, name, value) \
    _Static_assert(CAIRN_I_HOLDS(_Generic((value), struct timespec: 1, default: 0)), "cairn: field " #name " " CAIRN_I_SAYS_TIMESPEC);
#define CAIRN_I_WANT_ADDRESS(type, name, value) \
    _Static_assert(CAIRN_I_HOLDS(0x3e >> __builtin_classify_type(value) & 1), "cairn: field " #name " " CAIRN_I_SAYS_ADDRESS); \
    _Static_assert(CAIRN_I_HOLDS(_Generic((value), _Bool: 1, unsigned char: 1, char: (char)-1 > 0, unsigned short: 1, unsigned int: 1, unsigned long: 1, \
                            unsigned long long: sizeof(void *) == 8, CAIRN_I_NO_INTEGER(value)) || \
                   __builtin_choose_expr(CAIRN_I_IS_CONSTANT(value), (value) >= 0 && (uintmax_t)(value) <= UINTPTR_MAX, 0)), \
                   "cairn: field " #name " " CAIRN_I_SAYS_ADDRESS);

/* ---- C: pointers ---- */

#define CAIRN_I_WANT_POINTER(type, name, value) \
    _Static_assert(CAIRN_I_HOLDS(__builtin_classify_type(value) == 5), "cairn: field " #name " " CAIRN_I_SAYS_POINTER);
#define CAIRN_I_WANT_POINTER_TO(type, name, value) \
    _Static_assert(CAIRN_I_HOLDS(_Generic((value), type *: 1, const type *: 1, default: 0)), "cairn: field " #name " takes a pointer to " #type);
#define CAIRN_I_WANT_TEXT8(type, name, value) \
    _Static_assert(CAIRN_I_HOLDS(_Generic((value), char *: 1, const char *: 1, unsigned char *: 1, const unsigned char *: 1, \
                            signed char *: 1, const signed char *: 1, default: 0)), \
                   "cairn: field " #name " " CAIRN_I_SAYS_TEXT8);
#define CAIRN_I_WANT_TEXT16(type, name, value) \
    _Static_assert(CAIRN_I_HOLDS(_Generic((value), uint16_t *: 1, const uint16_t *: 1, default: 0)), "cairn: field " #name " " CAIRN_I_SAYS_TEXT16);
#define CAIRN_I_WANT_TEXT32(type, name, value) \
    _Static_assert(CAIRN_I_HOLDS(_Generic((value), uint32_t *: 1, const uint32_t *: 1, int32_t *: 1, const int32_t *: 1, default: 0)), \
                   "cairn: field " #name " " CAIRN_I_SAYS_TEXT32);

/* Values that are not pointers have failed before. NULL itself is the only valid void *. */
#define CAIRN_I_SOME_POINTER(value) __builtin_choose_expr(__builtin_classify_type(value) == 5, value, (unsigned char *)0)
#define CAIRN_I_IS_NULL(value)      __builtin_choose_expr(__builtin_constant_p(value), 1, 0)
#define CAIRN_I_IS_ARRAY(value) \
    (!__builtin_types_compatible_p(__typeof__(value), __typeof__(&*CAIRN_I_SOME_POINTER(value))))
#define CAIRN_I_POINTS_TO(bytes, value, may_be_bytes) \
    _Generic(CAIRN_I_SOME_POINTER(value), void *: CAIRN_I_IS_NULL(value), const void *: 0, \
             unsigned char *: may_be_bytes, const unsigned char *: may_be_bytes, \
             default: sizeof(*CAIRN_I_SOME_POINTER(value)) == (bytes))
#define CAIRN_I_WANT_BYTES(bytes, name, text, value) \
    _Static_assert(CAIRN_I_HOLDS(__builtin_classify_type(value) == 5), "cairn: field " #name " " text); \
    _Static_assert(CAIRN_I_HOLDS(CAIRN_I_POINTS_TO(bytes, value, !CAIRN_I_IS_ARRAY(value) || sizeof(value) >= (bytes)) || \
                   __builtin_classify_type(value) != 5), "cairn: field " #name " " text);
/* Structs of 4 and 16 bytes are accepted as bytes; numbers are not. */
#define CAIRN_I_WANT_EACH(bytes, name, text, value) \
    _Static_assert(CAIRN_I_HOLDS(__builtin_classify_type(value) == 5), "cairn: field " #name " " text); \
    _Static_assert(CAIRN_I_HOLDS(CAIRN_I_POINTS_TO(bytes, value, (bytes) == 4 || (bytes) == 16) || \
                   __builtin_classify_type(value) != 5), "cairn: field " #name " " text);
#define CAIRN_I_WANT_COUNT(name, count) \
    _Static_assert(CAIRN_I_HOLDS(0x1e >> __builtin_classify_type(count) & 1), "cairn: field " #name " " CAIRN_I_SAYS_COUNT); \
    _Static_assert(CAIRN_I_HOLDS(__builtin_choose_expr(CAIRN_I_IS_CONSTANT(count), (count) >= 0 && (count) <= 65535, 1)), "cairn: field " #name " " CAIRN_I_SAYS_COUNT);

#endif

#endif
