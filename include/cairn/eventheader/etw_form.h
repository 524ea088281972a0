/* SPDX-License-Identifier: MIT */
/*
 * The definition of a field in the metadata of a TraceLogging event: its name, in-type, out-type,
 * tag and length. form.h is the same for EventHeader. docs/etw.md has the table of words for users.
 */
/* clang-format would join the columns. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_ETW_FORM_H
#define CAIRN_EVENTHEADER_ETW_FORM_H

#include <cairn/eventheader/fields_more.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes after a field's name, if options specify them. */
struct cairn_i_form2 {
    uint8_t in;
    uint8_t out;
};

struct cairn_i_form4 {
    uint8_t in;
    uint8_t out;
    uint16_t length;
} __attribute__((packed));

#ifdef __cplusplus
}
#endif

/* A tag is 28 bits in groups of seven, the highest first; 0x80: another group follows. Groups of zeros at the end are
 * left out. */
#define CAIRN_I_TAG_BYTES(t) ((t) & 0x7f ? 4 : (t) & 0x3fff ? 3 : (t) & 0x1fffff ? 2 : 1)
#define CAIRN_I_TAG_GROUP(t, i) \
    (((uint32_t)(t) >> (21 - 7 * (i)) & 0x7f) | ((i) + 1 < CAIRN_I_TAG_BYTES(t) ? 0x80 : 0))

/* The number of bytes depends on a constant: in C, bytes that are not there are assigned to the first one, before it
 * has its own value. C++ has no such initializers. */
#ifdef __cplusplus
extern "C++" {
template <unsigned size> struct cairn_i_bytes {
    uint8_t bytes[size];
};

template <unsigned size> constexpr cairn_i_bytes<size> cairn_i_tag_groups(uint32_t tag)
{
    cairn_i_bytes<size> to = {};

    for (unsigned i = 0; i < size; i++)
        to.bytes[i] = (uint8_t)((tag >> (21 - 7 * i) & 0x7f) | (i + 1 < size ? 0x80 : 0));
    return to;
}

template <unsigned size> constexpr cairn_i_bytes<size> cairn_i_types(unsigned in, unsigned out)
{
    cairn_i_bytes<size> to = {};

    to.bytes[size - 1] = (uint8_t)out;
    to.bytes[0] = (uint8_t)(size > 1 ? in | 0x80 : in);
    return to;
}
}
#define CAIRN_I_OVERRIDES_BEGIN
#define CAIRN_I_OVERRIDES_END
#define CAIRN_I_BYTES(name, size)  cairn_i_bytes<size> name;
#define CAIRN_I_TAG(t)             cairn_i_tag_groups<CAIRN_I_TAG_BYTES(t)>((uint32_t)(t))
#define CAIRN_I_TYPES(size, in, out) cairn_i_types<size>(in, out)
#else
#define CAIRN_I_OVERRIDES_BEGIN _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Woverride-init\"")
#define CAIRN_I_OVERRIDES_END   _Pragma("GCC diagnostic pop")
#define CAIRN_I_BYTES(name, size) uint8_t name[size];
#define CAIRN_I_TAG(t) \
    {CAIRN_I_TAG_AT(t, 3), CAIRN_I_TAG_AT(t, 2), CAIRN_I_TAG_AT(t, 1), [0] = CAIRN_I_TAG_GROUP(t, 0)}
#define CAIRN_I_TAG_AT(t, i)         [CAIRN_I_TAG_BYTES(t) > i ? i : 0] = CAIRN_I_TAG_GROUP(t, i)
#define CAIRN_I_TYPES(size, in, out) {[size > 1 ? 1 : 0] = out, [0] = (in) | (size > 1 ? 0x80 : 0)}
#endif

/* ---- meanings: formats, and those that only ETW distinguishes ---- */

#define CAIRN_I_MEANING_UNSIGNED_INT   CAIRN_FORMAT_UNSIGNED_INT
#define CAIRN_I_MEANING_SIGNED_INT     CAIRN_FORMAT_SIGNED_INT
#define CAIRN_I_MEANING_HEX_INT        CAIRN_FORMAT_HEX_INT
#define CAIRN_I_MEANING_ERRNO          CAIRN_FORMAT_ERRNO
#define CAIRN_I_MEANING_PID            CAIRN_FORMAT_PID
#define CAIRN_I_MEANING_BOOLEAN        CAIRN_FORMAT_BOOLEAN
#define CAIRN_I_MEANING_FLOAT          CAIRN_FORMAT_FLOAT
#define CAIRN_I_MEANING_HEX_BYTES      CAIRN_FORMAT_HEX_BYTES
#define CAIRN_I_MEANING_STRING8        CAIRN_FORMAT_STRING8
#define CAIRN_I_MEANING_STRING_UTF     CAIRN_FORMAT_STRING_UTF
#define CAIRN_I_MEANING_STRING_XML     CAIRN_FORMAT_STRING_XML
#define CAIRN_I_MEANING_STRING_JSON    CAIRN_FORMAT_STRING_JSON
#define CAIRN_I_MEANING_UUID           CAIRN_FORMAT_UUID
#define CAIRN_I_MEANING_PORT           CAIRN_FORMAT_PORT
#define CAIRN_I_MEANING_IP_ADDRESS     CAIRN_FORMAT_IP_ADDRESS
#define CAIRN_I_MEANING_TID            0x100
#define CAIRN_I_MEANING_HRESULT        0x101
#define CAIRN_I_MEANING_WIN_ERROR      0x102
#define CAIRN_I_MEANING_NTSTATUS       0x103
#define CAIRN_I_MEANING_CODE_POINTER   0x104
#define CAIRN_I_MEANING_SOCKET_ADDRESS 0x105
#define CAIRN_I_MEANING_FILE_TIME      0x106
#define CAIRN_I_MEANING_COUNTED_BYTES  CAIRN_FORMAT_HEX_BYTES
#define CAIRN_I_MEANING_COUNTED_SOCKET CAIRN_I_MEANING_SOCKET_ADDRESS
#define CAIRN_I_MEANING_COUNTED_IP     CAIRN_FORMAT_IP_ADDRESS

#define CAIRN_I_PID_T   unsigned long /* DWORD */
#define CAIRN_I_SSIZE_T ptrdiff_t     /* SSIZE_T; not all C libraries have ssize_t */

/* ---- in-types and out-types as constant expressions ---- */

/* `e` is the encoding with its flags, which are those of TraceLogging; `f` the meaning. A format that a program
 * gives to a field whose values have another form does not convert these. */
#define CAIRN_I_TL_IN(e, f) \
    (((e) & 0x60) | ((e) & CAIRN_I_FORCED_TIME ? 17 : (e) & CAIRN_I_FORCED_COUNTED ? 25 : (e) & CAIRN_I_FORCED_ADDRESS ? 14 \
                     : CAIRN_I_TL_IN_((e) & 0x1f, +(f))))

/* A word whose values are converted keeps the in-type for these, whatever format the program gives. So does one
 * that ends with c. */
#define CAIRN_I_FORCED_TIME    0x100
#define CAIRN_I_FORCED_ADDRESS 0x200
#define CAIRN_I_FORCED_COUNTED 0x400
#define CAIRN_I_FORCED_T4      CAIRN_I_HIT(CAIRN_I_FORCED_TIME)
#define CAIRN_I_FORCED_T8      CAIRN_I_HIT(CAIRN_I_FORCED_TIME)
#define CAIRN_I_FORCED_TS      CAIRN_I_HIT(CAIRN_I_FORCED_TIME)
#define CAIRN_I_FORCED_MT4     CAIRN_I_HIT(CAIRN_I_FORCED_TIME)
#define CAIRN_I_FORCED_MT8     CAIRN_I_HIT(CAIRN_I_FORCED_TIME)
#define CAIRN_I_FORCED_IPV6    CAIRN_I_HIT(CAIRN_I_FORCED_ADDRESS)
#define CAIRN_I_FORCED_M6      CAIRN_I_HIT(CAIRN_I_FORCED_ADDRESS)
#define CAIRN_I_FORCED_B6      CAIRN_I_HIT(CAIRN_I_FORCED_COUNTED)
#define CAIRN_I_FORCED_B0      CAIRN_I_HIT(CAIRN_I_FORCED_COUNTED)
#define CAIRN_I_FORCED(signature) CAIRN_I_PICK(CAIRN_I_FORCED##signature, 0, )

#define CAIRN_I_TL_IN_(e, f) \
    ((e) == CAIRN_ENCODING_STRUCT                                              ? 24 \
     : (e) >= CAIRN_ENCODING_VALUE8 && (e) <= CAIRN_ENCODING_VALUE64           ? CAIRN_I_TL_IN_NUMBER(e, f) \
     : (e) == CAIRN_ENCODING_VALUE128                                          ? 15 \
     : (e) == CAIRN_ENCODING_ZSTRING_CHAR8                                     ? 2 \
     : (e) <= CAIRN_ENCODING_ZSTRING_CHAR32                                    ? 1 \
     : (e) == CAIRN_ENCODING_STRING_LENGTH16_CHAR8 && CAIRN_I_TL_IS_TEXT(f)    ? 23 \
     : (e) == CAIRN_ENCODING_STRING_LENGTH16_CHAR16 || (e) == CAIRN_ENCODING_STRING_LENGTH16_CHAR32 ? 22 \
                                                                               : 14)
#define CAIRN_I_TL_IS_TEXT(f) ((f) == 0 || ((f) >= CAIRN_FORMAT_STRING8 && (f) <= CAIRN_FORMAT_STRING_JSON))
#define CAIRN_I_TL_IN_NUMBER(e, f) \
    ((f) == CAIRN_FORMAT_SIGNED_INT                                     ? 2 * (e) - 1 \
     : (f) == CAIRN_I_MEANING_FILE_TIME                                 ? 17 \
     : (e) == CAIRN_ENCODING_VALUE32 && ((f) == CAIRN_FORMAT_ERRNO || (f) == CAIRN_I_MEANING_HRESULT || (f) == CAIRN_FORMAT_TIME) ? 7 \
     : (e) == CAIRN_ENCODING_VALUE64 && (f) == CAIRN_FORMAT_TIME        ? 9 \
     : (e) >= CAIRN_ENCODING_VALUE32 && (f) == CAIRN_FORMAT_FLOAT       ? 7 + (e) \
     : (e) == CAIRN_ENCODING_VALUE32 && (f) == CAIRN_FORMAT_BOOLEAN     ? 13 \
     : (e) >= CAIRN_ENCODING_VALUE32 && ((f) == CAIRN_FORMAT_HEX_INT || (f) == CAIRN_I_MEANING_NTSTATUS || \
                                         (f) == CAIRN_I_MEANING_CODE_POINTER) ? 16 + (e) \
                                                                        : 2 * (e))
#define CAIRN_I_TL_OUT(e, f) \
    ((e) & CAIRN_I_FORCED_TIME ? 0 : CAIRN_I_TL_OUT_((e) & (CAIRN_I_FORCED_ADDRESS | CAIRN_I_FORCED_COUNTED) ? CAIRN_ENCODING_BINARY_LENGTH16_CHAR8 : (e) & 0x1f, f))
#define CAIRN_I_TL_IS_BINARY(e) ((e) == CAIRN_ENCODING_STRING_LENGTH16_CHAR8 || (e) == CAIRN_ENCODING_BINARY_LENGTH16_CHAR8)
#define CAIRN_I_TL_OUT_(e, f) \
    ((e) <= CAIRN_ENCODING_VALUE16 && (f) == CAIRN_FORMAT_HEX_INT       ? 4 \
     : (e) == CAIRN_ENCODING_VALUE8 && (f) == CAIRN_FORMAT_BOOLEAN      ? 3 \
     : (e) == CAIRN_ENCODING_VALUE8 && (f) == CAIRN_FORMAT_STRING8      ? 2 \
     : (e) <= CAIRN_ENCODING_VALUE16 && (f) == CAIRN_FORMAT_STRING_UTF  ? 2 \
     : (e) == CAIRN_ENCODING_VALUE16 && (f) == CAIRN_FORMAT_PORT        ? 7 \
     : (e) == CAIRN_ENCODING_VALUE32 && (f) == CAIRN_FORMAT_PID         ? 5 \
     : (e) == CAIRN_ENCODING_VALUE32 && (f) == CAIRN_FORMAT_IP_ADDRESS  ? 8 \
     : (f) == CAIRN_I_MEANING_TID                                       ? 6 \
     : (f) == CAIRN_I_MEANING_HRESULT                                   ? 15 \
     : (f) == CAIRN_I_MEANING_WIN_ERROR                                 ? 13 \
     : (f) == CAIRN_I_MEANING_NTSTATUS                                  ? 14 \
     : (f) == CAIRN_I_MEANING_CODE_POINTER                              ? 37 \
     : (f) == CAIRN_I_MEANING_SOCKET_ADDRESS                            ? 10 \
     : (e) > CAIRN_ENCODING_VALUE128 && CAIRN_I_TL_IS_BINARY(e) && (f) == CAIRN_FORMAT_IP_ADDRESS ? 9 \
     : (e) > CAIRN_ENCODING_VALUE128 && (f) == CAIRN_FORMAT_STRING_XML  ? 11 \
     : (e) > CAIRN_ENCODING_VALUE128 && (f) == CAIRN_FORMAT_STRING_JSON ? 12 \
     : ((e) == CAIRN_ENCODING_ZSTRING_CHAR8 || (e) == CAIRN_ENCODING_STRING_LENGTH16_CHAR8) && \
               ((f) == 0 || (f) == CAIRN_FORMAT_STRING_UTF || (f) == CAIRN_FORMAT_STRING_UTF_BOM) ? 35 \
                                                                        : 0)

/* ---- the bytes after a field's name, if they are known here ---- */

#define cairn__only_tag_and_format_may_follow_the_value_of_a_field__not__(encoding, flag, name, option, option2, option3, ...) \
    (, __COUNTER__, name CAIRN_I_TL_##encoding##flag option2 option3, __VA_ARGS__)
#define cairn__only_tag_and_format_may_follow_the_value_of_the_field__not__(encoding, flag, format, name, option, option2, option3, ...) \
    (, __COUNTER__, name CAIRN_I_TL_##encoding##flag##_##format option2 option3, __VA_ARGS__)

/* With options: as CAIRN_I_FORM_##option. */
#define cairn__only_tag_and_format_may_follow_the_value_of_a_field__not__format(...) CAIRN_I_ROW_FORMED
#define cairn__only_tag_and_format_may_follow_the_value_of_a_field__not__tag(...) CAIRN_I_ROW_FORMED
#define cairn__only_tag_and_format_may_follow_the_value_of_the_field__not__format(...) CAIRN_I_ROW_AS_FORMED
#define cairn__only_tag_and_format_may_follow_the_value_of_the_field__not__tag(...) CAIRN_I_ROW_AS_FORMED
#define CAIRN_I_ROW_FORMED(encoding, flag, name, option, option2, option3, ...) \
    CAIRN_I_IF_OPTIONS(option, option2, option3)(CAIRN_I_ROW_FORMED_, (encoding, flag, name, option, option2, __VA_ARGS__))
#define CAIRN_I_ROW_FORMED_(encoding, flag, name, option, option2, signature, ...) \
    (, , , , , _OPTIONS, name, option, option2)                                    \
    (_FORM, __COUNTER__, name, signature, __VA_ARGS__)                             \
    (__COUNTER__, CAIRN_I_FORM_##option(CAIRN_ENCODING_##encoding | CAIRN_I_FLAG##flag | CAIRN_I_FORCED(signature), \
                                        CAIRN_FORMAT_DEFAULT, option, option2))
#define CAIRN_I_ROW_AS_FORMED(encoding, flag, format, name, option, option2, option3, ...) \
    CAIRN_I_IF_OPTIONS(option, option2, option3)(CAIRN_I_ROW_AS_FORMED_, (encoding, flag, format, name, option, option2, __VA_ARGS__))
#define CAIRN_I_ROW_AS_FORMED_(encoding, flag, format, name, option, option2, signature, ...) \
    (, , , , , _OPTIONS, name, option, option2)                                               \
    (_FORM, __COUNTER__, name, signature, __VA_ARGS__)                                        \
    (__COUNTER__, CAIRN_I_FORM_AS_##option(CAIRN_ENCODING_##encoding | CAIRN_I_FLAG##flag | CAIRN_I_FORCED(signature), \
                                           CAIRN_I_MEANING_##format, option, option2))

#define CAIRN_I_FLAG        0
#define CAIRN_I_FLAG_VARRAY CAIRN_ENCODING_VARRAY

/* ---- the bytes after a field's name, in general ---- */

/* CAIRN_I_FORM_##option(encoding, format, option, option2): as in form.h. */
#define CAIRN_I_FORM_(encoding, format, ...)    CAIRN_I_FORM_TYPES(encoding, format)
#define CAIRN_I_FORM_AS_(encoding, format, ...) CAIRN_I_FORM_TYPES(encoding, format)
#define CAIRN_I_FORM_format(...)                CAIRN_I_FORM_F
#define CAIRN_I_FORM_AS_format(...)             CAIRN_I_FORM_F
#define CAIRN_I_FORM_tag(...)                   CAIRN_I_FORM_T
#define CAIRN_I_FORM_AS_tag(...)                CAIRN_I_FORM_T

#define CAIRN_I_FORM_F(encoding, format, option, option2) \
    CAIRN_I_FORM_F_##option2(encoding, option, option2)
#define CAIRN_I_FORM_F_(encoding, option, option2) \
    CAIRN_I_FORM_TYPES(encoding, CAIRN_I_FORMAT_OF_##option)
#define CAIRN_I_FORM_F_tag(...) CAIRN_I_FORM_FT
#define CAIRN_I_FORM_FT(encoding, option, option2) \
    CAIRN_I_FORM_TAG(encoding, CAIRN_I_FORMAT_OF_##option, CAIRN_I_TAG_OF_##option2)

#define CAIRN_I_FORM_T(encoding, format, option, option2) \
    CAIRN_I_FORM_T_##option2(encoding, format, option, option2)
#define CAIRN_I_FORM_T_(encoding, format, option, option2) \
    CAIRN_I_FORM_TAG(encoding, format, CAIRN_I_TAG_OF_##option)
#define CAIRN_I_FORM_T_format(...)                         CAIRN_I_FORM_TF
#define CAIRN_I_FORM_TF(encoding, format, option, option2) CAIRN_I_FORM_FT(encoding, option2, option)

/* The number of fields of a struct is where other fields have their out-type: a plus, so that C++ does not compare
 * an enum with a number of another. */
#define CAIRN_I_OUT(encoding, format) \
    (((encoding) & 0x1f) == CAIRN_ENCODING_STRUCT ? (format) : CAIRN_I_TL_OUT(encoding, +(format)))
#define CAIRN_I_FORM2(encoding, format) (CAIRN_I_TL_IN(encoding, format) | 0x80, CAIRN_I_OUT(encoding, format))
#define CAIRN_I_FORM_TYPES(encoding, format) \
    {CAIRN_I_BYTES(types, CAIRN_I_TYPES_BYTES(encoding, format))}, \
    (CAIRN_I_TYPES(CAIRN_I_TYPES_BYTES(encoding, format), CAIRN_I_TL_IN(encoding, format), CAIRN_I_OUT(encoding, format)))
#define CAIRN_I_TYPES_BYTES(encoding, format) \
    (((encoding) & 0x1f) == CAIRN_ENCODING_STRUCT || CAIRN_I_TL_OUT(encoding, +(format)) != 0 ? 2 : 1)
#define CAIRN_I_FORM_TAG(encoding, format, t) \
    {uint8_t in; uint8_t out; CAIRN_I_BYTES(groups, CAIRN_I_TAG_BYTES(t))}, \
    (CAIRN_I_TL_IN(encoding, format) | 0x80, CAIRN_I_OUT(encoding, format) | 0x80, CAIRN_I_TAG(t))
#define CAIRN_I_TAG_OF_tag(t)       t
#define CAIRN_I_FORMAT_OF_format(f) CAIRN_I_NAMED(_FORMAT, f)

/* ---- the same with the length of an array after the rest ---- */

#define CAIRN_I_FORM_N_(encoding, format, length, ...)    cairn_i_form4, CAIRN_I_FORM4_N(encoding, format, length)
#define CAIRN_I_FORM_N_AS_(encoding, format, length, ...) cairn_i_form4, CAIRN_I_FORM4_N(encoding, format, length)
#define CAIRN_I_FORM_N_format(...)                        CAIRN_I_FORM_N_F
#define CAIRN_I_FORM_N_AS_format(...)                     CAIRN_I_FORM_N_F
#define CAIRN_I_FORM_N_tag(...)                           CAIRN_I_FORM_N_T
#define CAIRN_I_FORM_N_AS_tag(...)                        CAIRN_I_FORM_N_T

#define CAIRN_I_FORM_N_F(encoding, format, length, option, option2) \
    CAIRN_I_FORM_N_F_##option2(encoding, length, option, option2)
#define CAIRN_I_FORM_N_F_(encoding, length, option, option2) \
    cairn_i_form4, CAIRN_I_FORM4_N(encoding, CAIRN_I_FORMAT_OF_##option, length)
#define CAIRN_I_FORM_N_F_tag(...) CAIRN_I_FORM_N_FT
#define CAIRN_I_FORM_N_FT(encoding, length, option, option2) \
    CAIRN_I_FORM_TAG_N(encoding, CAIRN_I_FORMAT_OF_##option, CAIRN_I_TAG_OF_##option2, length)

#define CAIRN_I_FORM_N_T(encoding, format, length, option, option2) \
    CAIRN_I_FORM_N_T_##option2(encoding, format, length, option, option2)
#define CAIRN_I_FORM_N_T_(encoding, format, length, option, option2) \
    CAIRN_I_FORM_TAG_N(encoding, format, CAIRN_I_TAG_OF_##option, length)
#define CAIRN_I_FORM_N_T_format(...) CAIRN_I_FORM_N_TF
#define CAIRN_I_FORM_N_TF(encoding, format, length, option, option2) \
    CAIRN_I_FORM_N_FT(encoding, length, option2, option)

#define CAIRN_I_FORM4_N(encoding, format, length) \
    (CAIRN_I_TL_IN(encoding, format) | 0x80, CAIRN_I_OUT(encoding, format), length)
#define CAIRN_I_FORM_TAG_N(encoding, format, t, length_) \
    {uint8_t in; uint8_t out; CAIRN_I_BYTES(groups, CAIRN_I_TAG_BYTES(t)) uint16_t length;} __attribute__((packed)), \
    (CAIRN_I_TL_IN(encoding, format) | 0x80, CAIRN_I_OUT(encoding, format) | 0x80, CAIRN_I_TAG(t), length_)

/* ---- fields that may have no value: arrays of one element, or none ---- */

#define CAIRN_I_NULLABLE(format, signature, type, name, pointer, option, option2, option3, ...) \
    CAIRN_I_NULLABLE_ROW(cairn__only_tag_and_format_may_follow_the_value_of_the_field__not__##option, CAIRN_I_CAT(CAIRN_I_NULLABLE, signature), format, name, option, option2, option3, \
                         signature, , _VALUE, _POINTER_TO, type, name, cairn_i_address, pointer)
#define CAIRN_I_NULLABLE_OF_ANY(format, signature, wants, name, pointer, option, option2, option3, ...) \
    CAIRN_I_NULLABLE_ROW(cairn__only_tag_and_format_may_follow_the_value_of_the_field__not__##option, CAIRN_I_CAT(CAIRN_I_NULLABLE, signature), format, name, option, option2, option3, \
                         signature, , _VALUE, wants, , name, cairn_i_address, pointer)
#define CAIRN_I_NULLABLE_ROW(row, ...) row(__VA_ARGS__)
#define CAIRN_I_NULLABLE_M0  VALUE8, _VARRAY
#define CAIRN_I_NULLABLE_M1  VALUE16, _VARRAY
#define CAIRN_I_NULLABLE_J1  VALUE16, _VARRAY
#define CAIRN_I_NULLABLE_M2  VALUE32, _VARRAY
#define CAIRN_I_NULLABLE_M3  VALUE64, _VARRAY
#define CAIRN_I_NULLABLE_M4  VALUE128, _VARRAY
#define CAIRN_I_NULLABLE_M6  VALUE128,
#define CAIRN_I_NULLABLE_MT4 VALUE32, _VARRAY
#define CAIRN_I_NULLABLE_MT8 VALUE64, _VARRAY

/* ---- a name's NUL, the in-type, and the out-type if it is not the in-type's own ---- */

#define CAIRN_I_TL_VALUE8                                "\0\4"
#define CAIRN_I_TL_VALUE8_BOOLEAN                        "\0\204\3"
#define CAIRN_I_TL_VALUE8_HEX_INT                        "\0\204\4"
#define CAIRN_I_TL_VALUE8_SIGNED_INT                     "\0\3"
#define CAIRN_I_TL_VALUE8_STRING8                        "\0\204\2"
#define CAIRN_I_TL_VALUE8_VARRAY                         "\0\104"
#define CAIRN_I_TL_VALUE8_VARRAY_BOOLEAN                 "\0\304\3"
#define CAIRN_I_TL_VALUE8_VARRAY_HEX_INT                 "\0\304\4"
#define CAIRN_I_TL_VALUE8_VARRAY_SIGNED_INT              "\0\103"
#define CAIRN_I_TL_VALUE8_VARRAY_STRING8                 "\0\304\2"
#define CAIRN_I_TL_VALUE8_VARRAY_UNSIGNED_INT            "\0\104"
#define CAIRN_I_TL_VALUE16                               "\0\6"
#define CAIRN_I_TL_VALUE16_HEX_INT                       "\0\206\4"
#define CAIRN_I_TL_VALUE16_PORT                          "\0\206\7"
#define CAIRN_I_TL_VALUE16_SIGNED_INT                    "\0\5"
#define CAIRN_I_TL_VALUE16_STRING_UTF                    "\0\206\2"
#define CAIRN_I_TL_VALUE16_VARRAY                        "\0\106"
#define CAIRN_I_TL_VALUE16_VARRAY_HEX_INT                "\0\306\4"
#define CAIRN_I_TL_VALUE16_VARRAY_PORT                   "\0\306\7"
#define CAIRN_I_TL_VALUE16_VARRAY_SIGNED_INT             "\0\105"
#define CAIRN_I_TL_VALUE16_VARRAY_STRING_UTF             "\0\306\2"
#define CAIRN_I_TL_VALUE16_VARRAY_UNSIGNED_INT           "\0\106"
#define CAIRN_I_TL_VALUE32                               "\0\10"
#define CAIRN_I_TL_VALUE32_BOOLEAN                       "\0\15"
#define CAIRN_I_TL_VALUE32_CODE_POINTER                  "\0\224\45"
#define CAIRN_I_TL_VALUE32_ERRNO                         "\0\7"
#define CAIRN_I_TL_VALUE32_FILE_TIME                     "\0\21"
#define CAIRN_I_TL_VALUE32_FLOAT                         "\0\13"
#define CAIRN_I_TL_VALUE32_HEX_INT                       "\0\24"
#define CAIRN_I_TL_VALUE32_HRESULT                       "\0\207\17"
#define CAIRN_I_TL_VALUE32_IP_ADDRESS                    "\0\210\10"
#define CAIRN_I_TL_VALUE32_NTSTATUS                      "\0\224\16"
#define CAIRN_I_TL_VALUE32_PID                           "\0\210\5"
#define CAIRN_I_TL_VALUE32_SIGNED_INT                    "\0\7"
#define CAIRN_I_TL_VALUE32_TID                           "\0\210\6"
#define CAIRN_I_TL_VALUE32_WIN_ERROR                     "\0\210\15"
#define CAIRN_I_TL_VALUE32_VARRAY                        "\0\110"
#define CAIRN_I_TL_VALUE32_VARRAY_BOOLEAN                "\0\115"
#define CAIRN_I_TL_VALUE32_VARRAY_CODE_POINTER           "\0\324\45"
#define CAIRN_I_TL_VALUE32_VARRAY_ERRNO                  "\0\107"
#define CAIRN_I_TL_VALUE32_VARRAY_FILE_TIME              "\0\121"
#define CAIRN_I_TL_VALUE32_VARRAY_FLOAT                  "\0\113"
#define CAIRN_I_TL_VALUE32_VARRAY_HEX_INT                "\0\124"
#define CAIRN_I_TL_VALUE32_VARRAY_HRESULT                "\0\307\17"
#define CAIRN_I_TL_VALUE32_VARRAY_IP_ADDRESS             "\0\310\10"
#define CAIRN_I_TL_VALUE32_VARRAY_NTSTATUS               "\0\324\16"
#define CAIRN_I_TL_VALUE32_VARRAY_PID                    "\0\310\5"
#define CAIRN_I_TL_VALUE32_VARRAY_SIGNED_INT             "\0\107"
#define CAIRN_I_TL_VALUE32_VARRAY_TID                    "\0\310\6"
#define CAIRN_I_TL_VALUE32_VARRAY_UNSIGNED_INT           "\0\110"
#define CAIRN_I_TL_VALUE32_VARRAY_WIN_ERROR              "\0\310\15"
#define CAIRN_I_TL_VALUE64                               "\0\12"
#define CAIRN_I_TL_VALUE64_CODE_POINTER                  "\0\225\45"
#define CAIRN_I_TL_VALUE64_FILE_TIME                     "\0\21"
#define CAIRN_I_TL_VALUE64_FLOAT                         "\0\14"
#define CAIRN_I_TL_VALUE64_HEX_INT                       "\0\25"
#define CAIRN_I_TL_VALUE64_SIGNED_INT                    "\0\11"
#define CAIRN_I_TL_VALUE64_VARRAY                        "\0\112"
#define CAIRN_I_TL_VALUE64_VARRAY_CODE_POINTER           "\0\325\45"
#define CAIRN_I_TL_VALUE64_VARRAY_FILE_TIME              "\0\121"
#define CAIRN_I_TL_VALUE64_VARRAY_FLOAT                  "\0\114"
#define CAIRN_I_TL_VALUE64_VARRAY_HEX_INT                "\0\125"
#define CAIRN_I_TL_VALUE64_VARRAY_SIGNED_INT             "\0\111"
#define CAIRN_I_TL_VALUE64_VARRAY_UNSIGNED_INT           "\0\112"
#define CAIRN_I_TL_VALUE128_IP_ADDRESS                   "\0\216\11"
#define CAIRN_I_TL_VALUE128_COUNTED_IP                   "\0\231\11"
#define CAIRN_I_TL_VALUE128_UUID                         "\0\17"
#define CAIRN_I_TL_VALUE128_VARRAY_UUID                  "\0\117"
#define CAIRN_I_TL_ZSTRING_CHAR8                         "\0\202\43"
#define CAIRN_I_TL_ZSTRING_CHAR8_STRING8                 "\0\2"
#define CAIRN_I_TL_ZSTRING_CHAR8_STRING_JSON             "\0\202\14"
#define CAIRN_I_TL_ZSTRING_CHAR8_STRING_XML              "\0\202\13"
#define CAIRN_I_TL_ZSTRING_CHAR16                        "\0\1"
#define CAIRN_I_TL_ZSTRING_CHAR16_STRING_JSON            "\0\201\14"
#define CAIRN_I_TL_ZSTRING_CHAR16_STRING_XML             "\0\201\13"
#define CAIRN_I_TL_ZSTRING_CHAR32                        "\0\1"
#define CAIRN_I_TL_ZSTRING_CHAR32_STRING_JSON            "\0\201\14"
#define CAIRN_I_TL_ZSTRING_CHAR32_STRING_XML             "\0\201\13"
#define CAIRN_I_TL_STRING_LENGTH16_CHAR8                 "\0\227\43"
#define CAIRN_I_TL_STRING_LENGTH16_CHAR8_COUNTED_BYTES   "\0\31"
#define CAIRN_I_TL_STRING_LENGTH16_CHAR8_COUNTED_SOCKET  "\0\231\12"
#define CAIRN_I_TL_STRING_LENGTH16_CHAR8_HEX_BYTES       "\0\16"
#define CAIRN_I_TL_STRING_LENGTH16_CHAR8_SOCKET_ADDRESS  "\0\216\12"
#define CAIRN_I_TL_STRING_LENGTH16_CHAR8_STRING8         "\0\27"
#define CAIRN_I_TL_STRING_LENGTH16_CHAR8_STRING_JSON     "\0\227\14"
#define CAIRN_I_TL_STRING_LENGTH16_CHAR8_STRING_XML      "\0\227\13"
#define CAIRN_I_TL_STRING_LENGTH16_CHAR16                "\0\26"
#define CAIRN_I_TL_STRING_LENGTH16_CHAR16_STRING_JSON    "\0\226\14"
#define CAIRN_I_TL_STRING_LENGTH16_CHAR16_STRING_XML     "\0\226\13"
#define CAIRN_I_TL_STRING_LENGTH16_CHAR32                "\0\26"
#define CAIRN_I_TL_STRING_LENGTH16_CHAR32_STRING_JSON    "\0\226\14"
#define CAIRN_I_TL_STRING_LENGTH16_CHAR32_STRING_XML     "\0\226\13"
#define CAIRN_I_TL_BINARY_LENGTH16_CHAR8                 "\0\16"
#define CAIRN_I_TL_BINARY_LENGTH16_CHAR8_IP_ADDRESS      "\0\216\11"

#if __SIZEOF_POINTER__ == 8
#define CAIRN_I_TL_VALUE_PTR                             CAIRN_I_TL_VALUE64
#define CAIRN_I_TL_VALUE_PTR_CODE_POINTER                CAIRN_I_TL_VALUE64_CODE_POINTER
#define CAIRN_I_TL_VALUE_PTR_HEX_INT                     CAIRN_I_TL_VALUE64_HEX_INT
#define CAIRN_I_TL_VALUE_PTR_SIGNED_INT                  CAIRN_I_TL_VALUE64_SIGNED_INT
#define CAIRN_I_TL_VALUE_PTR_VARRAY                      CAIRN_I_TL_VALUE64_VARRAY
#define CAIRN_I_TL_VALUE_PTR_VARRAY_CODE_POINTER         CAIRN_I_TL_VALUE64_VARRAY_CODE_POINTER
#define CAIRN_I_TL_VALUE_PTR_VARRAY_HEX_INT              CAIRN_I_TL_VALUE64_VARRAY_HEX_INT
#define CAIRN_I_TL_VALUE_PTR_VARRAY_SIGNED_INT           CAIRN_I_TL_VALUE64_VARRAY_SIGNED_INT
#define CAIRN_I_TL_VALUE_PTR_VARRAY_UNSIGNED_INT         CAIRN_I_TL_VALUE64_VARRAY_UNSIGNED_INT
#else
#define CAIRN_I_TL_VALUE_PTR                             CAIRN_I_TL_VALUE32
#define CAIRN_I_TL_VALUE_PTR_CODE_POINTER                CAIRN_I_TL_VALUE32_CODE_POINTER
#define CAIRN_I_TL_VALUE_PTR_HEX_INT                     CAIRN_I_TL_VALUE32_HEX_INT
#define CAIRN_I_TL_VALUE_PTR_SIGNED_INT                  CAIRN_I_TL_VALUE32_SIGNED_INT
#define CAIRN_I_TL_VALUE_PTR_VARRAY                      CAIRN_I_TL_VALUE32_VARRAY
#define CAIRN_I_TL_VALUE_PTR_VARRAY_CODE_POINTER         CAIRN_I_TL_VALUE32_VARRAY_CODE_POINTER
#define CAIRN_I_TL_VALUE_PTR_VARRAY_HEX_INT              CAIRN_I_TL_VALUE32_VARRAY_HEX_INT
#define CAIRN_I_TL_VALUE_PTR_VARRAY_SIGNED_INT           CAIRN_I_TL_VALUE32_VARRAY_SIGNED_INT
#define CAIRN_I_TL_VALUE_PTR_VARRAY_UNSIGNED_INT         CAIRN_I_TL_VALUE32_VARRAY_UNSIGNED_INT
#endif

#endif
