/* SPDX-License-Identifier: MIT */
/* The definition of a field in the metadata of an EventHeader event: its name, encoding, format,
 * tag and length. etw_form.h is the same for Windows. */
/* clang-format would join the columns. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_FORM_H
#define CAIRN_EVENTHEADER_FORM_H

#include <cairn/eventheader/fields_more.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes after a field's name in the metadata. */
struct cairn_i_form1 {
    uint8_t encoding;
};

struct cairn_i_form2 {
    uint8_t encoding;
    uint8_t format;
};

struct cairn_i_form3 {
    uint8_t encoding;
    uint16_t length;
} __attribute__((packed));

struct cairn_i_form4 {
    uint8_t encoding;
    uint8_t format;
    uint16_t tag_or_length;
} __attribute__((packed));

struct cairn_i_form6 {
    uint8_t encoding;
    uint8_t format;
    uint16_t tag;
    uint16_t length;
} __attribute__((packed));

#ifdef __cplusplus
}
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
#define CAIRN_I_MEANING_TID            CAIRN_FORMAT_PID
#define CAIRN_I_MEANING_HRESULT        CAIRN_FORMAT_HEX_INT
#define CAIRN_I_MEANING_WIN_ERROR      CAIRN_FORMAT_UNSIGNED_INT
#define CAIRN_I_MEANING_NTSTATUS       CAIRN_FORMAT_HEX_INT
#define CAIRN_I_MEANING_CODE_POINTER   CAIRN_FORMAT_HEX_INT
#define CAIRN_I_MEANING_SOCKET_ADDRESS CAIRN_FORMAT_HEX_BYTES
#define CAIRN_I_MEANING_FILE_TIME      CAIRN_FORMAT_TIME
#define CAIRN_I_MEANING_COUNTED_BYTES  CAIRN_FORMAT_HEX_BYTES
#define CAIRN_I_MEANING_COUNTED_SOCKET CAIRN_FORMAT_HEX_BYTES
#define CAIRN_I_MEANING_COUNTED_IP     CAIRN_FORMAT_IP_ADDRESS

#define CAIRN_I_FORMAT_CODE_TID            CAIRN_I_FORMAT_CODE_PID
#define CAIRN_I_FORMAT_CODE_HRESULT        CAIRN_I_FORMAT_CODE_HEX_INT
#define CAIRN_I_FORMAT_CODE_WIN_ERROR      CAIRN_I_FORMAT_CODE_UNSIGNED_INT
#define CAIRN_I_FORMAT_CODE_NTSTATUS       CAIRN_I_FORMAT_CODE_HEX_INT
#define CAIRN_I_FORMAT_CODE_CODE_POINTER   CAIRN_I_FORMAT_CODE_HEX_INT
#define CAIRN_I_FORMAT_CODE_SOCKET_ADDRESS CAIRN_I_FORMAT_CODE_HEX_BYTES
#define CAIRN_I_FORMAT_CODE_FILE_TIME      CAIRN_I_FORMAT_CODE_TIME
#define CAIRN_I_FORMAT_CODE_COUNTED_BYTES  CAIRN_I_FORMAT_CODE_HEX_BYTES
#define CAIRN_I_FORMAT_CODE_COUNTED_SOCKET CAIRN_I_FORMAT_CODE_HEX_BYTES
#define CAIRN_I_FORMAT_CODE_COUNTED_IP     CAIRN_I_FORMAT_CODE_IP_ADDRESS

#define CAIRN_I_PID_T   pid_t
#define CAIRN_I_SSIZE_T ssize_t

/* ---- the bytes after a field's name, if they are known here ---- */

/* CAIRN_I_ROW_##option(encoding, flag, name, option, option2, option3, the rest of the row), and
 * CAIRN_I_ROW_AS_ with a format before the name, for fields that always have one. Options after an
 * empty one are errors: they make the expansion invalid. */
#define cairn__only_tag_and_format_may_follow_the_value_of_a_field__not__(encoding, flag, name, option, option2, option3, ...) \
    (, __COUNTER__, name CAIRN_I_CODE_##encoding##flag option2 option3, __VA_ARGS__)
#define cairn__only_tag_and_format_may_follow_the_value_of_the_field__not__(encoding, flag, format, name, option, option2, option3, ...) \
    (, __COUNTER__, name CAIRN_I_CODE_##encoding##flag##_CHAIN CAIRN_I_FORMAT_CODE_##format option2 option3, __VA_ARGS__)

/* With options: as CAIRN_I_FORM_##option. */
#define cairn__only_tag_and_format_may_follow_the_value_of_a_field__not__format(...) CAIRN_I_ROW_FORMED
#define cairn__only_tag_and_format_may_follow_the_value_of_a_field__not__tag(...) CAIRN_I_ROW_FORMED
#define cairn__only_tag_and_format_may_follow_the_value_of_the_field__not__format(...) CAIRN_I_ROW_AS_FORMED
#define cairn__only_tag_and_format_may_follow_the_value_of_the_field__not__tag(...) CAIRN_I_ROW_AS_FORMED
#define CAIRN_I_ROW_FORMED(encoding, flag, name, option, option2, option3, ...) \
    CAIRN_I_IF_OPTIONS(option, option2, option3)(CAIRN_I_ROW_FORMED_, (encoding, flag, name, option, option2, __VA_ARGS__))
#define CAIRN_I_ROW_FORMED_(encoding, flag, name, option, option2, ...) \
    (, , , , , _OPTIONS, name, option, option2)                         \
    (_FORM, __COUNTER__, name, __VA_ARGS__)                             \
    (__COUNTER__, CAIRN_I_FORM_##option(CAIRN_ENCODING_##encoding | CAIRN_I_FLAG##flag, CAIRN_FORMAT_DEFAULT, option, option2))
#define CAIRN_I_ROW_AS_FORMED(encoding, flag, format, name, option, option2, option3, ...) \
    CAIRN_I_IF_OPTIONS(option, option2, option3)(CAIRN_I_ROW_AS_FORMED_, (encoding, flag, format, name, option, option2, __VA_ARGS__))
#define CAIRN_I_ROW_AS_FORMED_(encoding, flag, format, name, option, option2, ...) \
    (, , , , , _OPTIONS, name, option, option2)                                    \
    (_FORM, __COUNTER__, name, __VA_ARGS__)                                        \
    (__COUNTER__, CAIRN_I_FORM_AS_##option(CAIRN_ENCODING_##encoding | CAIRN_I_FLAG##flag, CAIRN_I_MEANING_##format, option, option2))

#define CAIRN_I_FLAG        0
#define CAIRN_I_FLAG_VARRAY CAIRN_ENCODING_VARRAY

/* ---- the bytes after a field's name, in general ---- */

/* CAIRN_I_FORM_##option(encoding, format, option, option2) is the struct for these bytes and its
 * initializer; CAIRN_I_FORM_AS_ is the same for fields that always have a format. Options are
 * tag(T) and format(F), in either order. */
#define CAIRN_I_FORM_(encoding, ...)            cairn_i_form1, (encoding)
#define CAIRN_I_FORM_AS_(encoding, format, ...) cairn_i_form2, CAIRN_I_FORM2(encoding, format)
#define CAIRN_I_FORM_format(...)                CAIRN_I_FORM_F
#define CAIRN_I_FORM_AS_format(...)             CAIRN_I_FORM_F
#define CAIRN_I_FORM_tag(...)                   CAIRN_I_FORM_T
#define CAIRN_I_FORM_AS_tag(...)                CAIRN_I_FORM_T

#define CAIRN_I_FORM_F(encoding, format, option, option2) \
    CAIRN_I_FORM_F_##option2(encoding, option, option2)
#define CAIRN_I_FORM_F_(encoding, option, option2) \
    cairn_i_form2, CAIRN_I_FORM2(encoding, CAIRN_I_FORMAT_OF_##option)
#define CAIRN_I_FORM_F_tag(...) CAIRN_I_FORM_FT
#define CAIRN_I_FORM_FT(encoding, option, option2) \
    cairn_i_form4, CAIRN_I_FORM4(encoding, CAIRN_I_FORMAT_OF_##option, CAIRN_I_TAG_OF_##option2)

#define CAIRN_I_FORM_T(encoding, format, option, option2) \
    CAIRN_I_FORM_T_##option2(encoding, format, option, option2)
#define CAIRN_I_FORM_T_(encoding, format, option, option2) \
    cairn_i_form4, CAIRN_I_FORM4(encoding, format, CAIRN_I_TAG_OF_##option)
#define CAIRN_I_FORM_T_format(...)                               CAIRN_I_FORM_TF
#define CAIRN_I_FORM_TF(encoding, format, option, option2) CAIRN_I_FORM_FT(encoding, option2, option)

#define CAIRN_I_FORM2(encoding, format) ((encoding) | CAIRN_ENCODING_CHAIN, format)
#define CAIRN_I_FORM4(encoding, format, tag) \
    ((encoding) | CAIRN_ENCODING_CHAIN, (format) | CAIRN_FORMAT_CHAIN, tag)

#define CAIRN_I_TAG_OF_tag(t)       t
#define CAIRN_I_FORMAT_OF_format(f) CAIRN_I_NAMED(_FORMAT, f)

/* ---- the bytes after the name of an array of constant length ---- */

/* As CAIRN_I_FORM_##option and CAIRN_I_FORM_AS_##option, with the length after the rest. */
#define CAIRN_I_FORM_N_(encoding, format, length, ...)    cairn_i_form3, (encoding, length)
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
    cairn_i_form6, CAIRN_I_FORM6_N(encoding, CAIRN_I_FORMAT_OF_##option, CAIRN_I_TAG_OF_##option2, length)

#define CAIRN_I_FORM_N_T(encoding, format, length, option, option2) \
    CAIRN_I_FORM_N_T_##option2(encoding, format, length, option, option2)
#define CAIRN_I_FORM_N_T_(encoding, format, length, option, option2) \
    cairn_i_form6, CAIRN_I_FORM6_N(encoding, format, CAIRN_I_TAG_OF_##option, length)
#define CAIRN_I_FORM_N_T_format(...) CAIRN_I_FORM_N_TF
#define CAIRN_I_FORM_N_TF(encoding, format, length, option, option2) \
    CAIRN_I_FORM_N_FT(encoding, length, option2, option)

#define CAIRN_I_FORM4_N(encoding, format, length) ((encoding) | CAIRN_ENCODING_CHAIN, format, length)
#define CAIRN_I_FORM6_N(encoding, format, tag, length) \
    ((encoding) | CAIRN_ENCODING_CHAIN, (format) | CAIRN_FORMAT_CHAIN, tag, length)

/* ---- fields that may have no value ---- */

/* (format, signature, type, name, pointer, options): as many bytes as the type has, or none. */
#define CAIRN_I_NULLABLE(format, signature, type, name, pointer, option, option2, option3, ...) \
    cairn__only_tag_and_format_may_follow_the_value_of_the_field__not__##option(BINARY_LENGTH16_CHAR8, , format, name, option, option2, option3, signature, , _VALUE, _POINTER_TO, \
                            type, name, cairn_i_address, pointer)

#define CAIRN_I_NULLABLE_OF_ANY(format, signature, wants, name, pointer, option, option2, option3, ...) \
    cairn__only_tag_and_format_may_follow_the_value_of_the_field__not__##option(BINARY_LENGTH16_CHAR8, , format, name, option, option2, option3, signature, , _VALUE, wants, , \
                            name, cairn_i_address, pointer)

#endif
