/* SPDX-License-Identifier: MIT */
/* More of the vocabulary (fields.h): arrays whose length is in the metadata, and fields that may
 * have no value. */
/* The table has a line for each word. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_FIELDS_MORE_H
#define CAIRN_EVENTHEADER_FIELDS_MORE_H

#include <cairn/eventheader/fields.h>

/* ---- shapes of fields ---- */

/* (encoding, signature, type, name, pointer, length, options): elements, without their count. */
#define CAIRN_I_ARRAY(encoding, signature, type, name, pointer, length, option, option2, option3, ...)        \
    CAIRN_I_IF_OPTIONS(option, option2, option3)(CAIRN_I_ARRAY_, (encoding, signature, _POINTER_TO, type, name, pointer, length, option, option2, _, CAIRN_FORMAT_DEFAULT))

#define CAIRN_I_ARRAY_AS(format, encoding, signature, type, name, pointer, length, option, option2, option3, ...) \
    CAIRN_I_IF_OPTIONS(option, option2, option3)(CAIRN_I_ARRAY_, (encoding, signature, _POINTER_TO, type, name, pointer, length, option, option2, _AS_, CAIRN_I_MEANING_##format))

/* Elements that may have several types: `wants` is their size. */
#define CAIRN_I_ARRAY_OF_ANY(format, encoding, signature, wants, name, pointer, length, option, option2, option3, ...) \
    CAIRN_I_IF_OPTIONS(option, option2, option3)(CAIRN_I_ARRAY_, (encoding, signature, wants, , name, pointer, length, option, option2, _AS_, CAIRN_I_MEANING_##format))

#define CAIRN_I_ARRAY_(encoding, signature, wants, type, name, pointer, length, option, option2, form, format)      \
    (, , , , , _OPTIONS, name, option, option2)                                                               \
    (, , , , , _LENGTH, name, length)                                                                         \
    (_FORM, __COUNTER__, name, signature, , _COUNTED, wants, type, name, cairn_i_address, pointer, length)         \
    (__COUNTER__, CAIRN_I_FORM_N##form##option(CAIRN_ENCODING_##encoding | CAIRN_ENCODING_CARRAY, format, length, option, option2))

#if __SIZEOF_POINTER__ == 8
#define CAIRN_I_SIGNATURE_PTR_ARRAY   _V3
#define CAIRN_I_SIGNATURE_PTR_OR_NULL _M3
#else
#define CAIRN_I_SIGNATURE_PTR_ARRAY   _V2
#define CAIRN_I_SIGNATURE_PTR_OR_NULL _M2
#endif

/* ---- arrays of constant length ---- */

#define CAIRN_I_X_u8_array(...)                 CAIRN_I_ARRAY(VALUE8, _V0, uint8_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u8_hex_array(...)             CAIRN_I_ARRAY_AS(HEX_INT, VALUE8, _V0, uint8_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u16_array(...)                CAIRN_I_ARRAY(VALUE16, _V1, uint16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u16_hex_array(...)            CAIRN_I_ARRAY_AS(HEX_INT, VALUE16, _V1, uint16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u32_array(...)                CAIRN_I_ARRAY(VALUE32, _V2, uint32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u32_hex_array(...)            CAIRN_I_ARRAY_AS(HEX_INT, VALUE32, _V2, uint32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u64_array(...)                CAIRN_I_ARRAY(VALUE64, _V3, uint64_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u64_hex_array(...)            CAIRN_I_ARRAY_AS(HEX_INT, VALUE64, _V3, uint64_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_usize_array(...)              CAIRN_I_ARRAY(VALUE_PTR, CAIRN_I_SIGNATURE_PTR_ARRAY, size_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_usize_hex_array(...)          CAIRN_I_ARRAY_AS(HEX_INT, VALUE_PTR, CAIRN_I_SIGNATURE_PTR_ARRAY, size_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i8_array(...)                 CAIRN_I_ARRAY_AS(SIGNED_INT, VALUE8, _V0, int8_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i8_hex_array(...)             CAIRN_I_ARRAY_AS(HEX_INT, VALUE8, _V0, int8_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i16_array(...)                CAIRN_I_ARRAY_AS(SIGNED_INT, VALUE16, _V1, int16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i16_hex_array(...)            CAIRN_I_ARRAY_AS(HEX_INT, VALUE16, _V1, int16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i32_array(...)                CAIRN_I_ARRAY_AS(SIGNED_INT, VALUE32, _V2, int32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i32_hex_array(...)            CAIRN_I_ARRAY_AS(HEX_INT, VALUE32, _V2, int32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i64_array(...)                CAIRN_I_ARRAY_AS(SIGNED_INT, VALUE64, _V3, int64_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i64_hex_array(...)            CAIRN_I_ARRAY_AS(HEX_INT, VALUE64, _V3, int64_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_isize_array(...)              CAIRN_I_ARRAY_AS(SIGNED_INT, VALUE_PTR, CAIRN_I_SIGNATURE_PTR_ARRAY, CAIRN_I_SSIZE_T, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_isize_hex_array(...)          CAIRN_I_ARRAY_AS(HEX_INT, VALUE_PTR, CAIRN_I_SIGNATURE_PTR_ARRAY, CAIRN_I_SSIZE_T, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_f32_array(...)                CAIRN_I_ARRAY_AS(FLOAT, VALUE32, _V2, float, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_f64_array(...)                CAIRN_I_ARRAY_AS(FLOAT, VALUE64, _V3, double, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_bool8_array(...)              CAIRN_I_ARRAY_AS(BOOLEAN, VALUE8, _V0, bool, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_bool32_array(...)             CAIRN_I_ARRAY_AS(BOOLEAN, VALUE32, _V2, int32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_char8_cp1252_array(...)       CAIRN_I_ARRAY_AS(STRING8, VALUE8, _V0, char, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_char16_array(...)             CAIRN_I_ARRAY_OF_ANY(STRING_UTF, VALUE16, _V1, _EACH2, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_errno_array(...)              CAIRN_I_ARRAY_AS(ERRNO, VALUE32, _V2, int, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_hresult_array(...)            CAIRN_I_ARRAY_AS(HRESULT, VALUE32, _V2, int32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_win_error_array(...)          CAIRN_I_ARRAY_AS(WIN_ERROR, VALUE32, _V2, uint32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_win_ntstatus_array(...)       CAIRN_I_ARRAY_AS(NTSTATUS, VALUE32, _V2, int32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_pid_array(...)                CAIRN_I_ARRAY_AS(PID, VALUE32, _V2, CAIRN_I_PID_T, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_tid_array(...)                CAIRN_I_ARRAY_AS(TID, VALUE32, _V2, CAIRN_I_PID_T, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_pointer_array(...)            CAIRN_I_ARRAY_OF_ANY(HEX_INT, VALUE_PTR, CAIRN_I_SIGNATURE_PTR_ARRAY, _ADDRESSES, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_codepointer_array(...)        CAIRN_I_ARRAY_OF_ANY(CODE_POINTER, VALUE_PTR, CAIRN_I_SIGNATURE_PTR_ARRAY, _ADDRESSES, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_port_array(...)               CAIRN_I_ARRAY_AS(PORT, VALUE16, _V1, uint16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_port_host_array(...)          CAIRN_I_ARRAY_AS(PORT, VALUE16, _W1, uint16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_guid_array(...)               CAIRN_I_ARRAY_OF_ANY(UUID, VALUE128, _V4, _EACH16, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_ipv4_array(...)               CAIRN_I_ARRAY_OF_ANY(IP_ADDRESS, VALUE32, _V2, _EACH4, __VA_ARGS__, , , , , , )

/* ---- a pointer to the value, or NULL ---- */

#define CAIRN_I_X_u8_nullable(...)              CAIRN_I_NULLABLE(UNSIGNED_INT, _M0, uint8_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u8_hex_nullable(...)          CAIRN_I_NULLABLE(HEX_INT, _M0, uint8_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u16_nullable(...)             CAIRN_I_NULLABLE(UNSIGNED_INT, _M1, uint16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u16_hex_nullable(...)         CAIRN_I_NULLABLE(HEX_INT, _M1, uint16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u32_nullable(...)             CAIRN_I_NULLABLE(UNSIGNED_INT, _M2, uint32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u32_hex_nullable(...)         CAIRN_I_NULLABLE(HEX_INT, _M2, uint32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u64_nullable(...)             CAIRN_I_NULLABLE(UNSIGNED_INT, _M3, uint64_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_u64_hex_nullable(...)         CAIRN_I_NULLABLE(HEX_INT, _M3, uint64_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_usize_nullable(...)           CAIRN_I_NULLABLE(UNSIGNED_INT, CAIRN_I_SIGNATURE_PTR_OR_NULL, size_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_usize_hex_nullable(...)       CAIRN_I_NULLABLE(HEX_INT, CAIRN_I_SIGNATURE_PTR_OR_NULL, size_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i8_nullable(...)              CAIRN_I_NULLABLE(SIGNED_INT, _M0, int8_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i8_hex_nullable(...)          CAIRN_I_NULLABLE(HEX_INT, _M0, int8_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i16_nullable(...)             CAIRN_I_NULLABLE(SIGNED_INT, _M1, int16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i16_hex_nullable(...)         CAIRN_I_NULLABLE(HEX_INT, _M1, int16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i32_nullable(...)             CAIRN_I_NULLABLE(SIGNED_INT, _M2, int32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i32_hex_nullable(...)         CAIRN_I_NULLABLE(HEX_INT, _M2, int32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i64_nullable(...)             CAIRN_I_NULLABLE(SIGNED_INT, _M3, int64_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_i64_hex_nullable(...)         CAIRN_I_NULLABLE(HEX_INT, _M3, int64_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_isize_nullable(...)           CAIRN_I_NULLABLE(SIGNED_INT, CAIRN_I_SIGNATURE_PTR_OR_NULL, CAIRN_I_SSIZE_T, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_isize_hex_nullable(...)       CAIRN_I_NULLABLE(HEX_INT, CAIRN_I_SIGNATURE_PTR_OR_NULL, CAIRN_I_SSIZE_T, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_f32_nullable(...)             CAIRN_I_NULLABLE(FLOAT, _M2, float, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_f64_nullable(...)             CAIRN_I_NULLABLE(FLOAT, _M3, double, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_bool8_nullable(...)           CAIRN_I_NULLABLE(BOOLEAN, _M0, bool, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_bool32_nullable(...)          CAIRN_I_NULLABLE(BOOLEAN, _M2, int32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_errno_nullable(...)           CAIRN_I_NULLABLE(ERRNO, _M2, int, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_hresult_nullable(...)         CAIRN_I_NULLABLE(HRESULT, _M2, int32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_pid_nullable(...)             CAIRN_I_NULLABLE(PID, _M2, CAIRN_I_PID_T, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_tid_nullable(...)             CAIRN_I_NULLABLE(TID, _M2, CAIRN_I_PID_T, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_time32_nullable(...)          CAIRN_I_NULLABLE(FILE_TIME, _MT4, int32_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_time64_nullable(...)          CAIRN_I_NULLABLE(FILE_TIME, _MT8, int64_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_port_nullable(...)            CAIRN_I_NULLABLE(PORT, _M1, uint16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_port_host_nullable(...)       CAIRN_I_NULLABLE(PORT, _J1, uint16_t, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_guid_nullable(...)            CAIRN_I_NULLABLE_OF_ANY(UUID, _M4, _BYTES16, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_ipv4_nullable(...)            CAIRN_I_NULLABLE_OF_ANY(IP_ADDRESS, _M2, _BYTES4, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_ipv6_nullable(...)            CAIRN_I_NULLABLE_OF_ANY(IP_ADDRESS, _M6, _BYTES16, __VA_ARGS__, , , , , , )

/* ---- addresses of either kind, and bytes with an address family ---- */

#define CAIRN_I_X_ip_address(...)            CAIRN_I_COUNTED_AS(IP_ADDRESS, BINARY_LENGTH16_CHAR8, _IP, _POINTER, address, __VA_ARGS__, , , , , , )
#define CAIRN_I_X_binary_length16_char8(...) CAIRN_I_COUNTED(BINARY_LENGTH16_CHAR8, _N0, _POINTER, address, __VA_ARGS__, , , , , , )

/* ---- raw arrays of constant length ---- */

#define CAIRN_I_X_raw_field_array(...)  CAIRN_I_RAW_FIELD_ARRAY(__VA_ARGS__, , , , , , , , )
#define CAIRN_I_X_raw_meta_array(...)   CAIRN_I_RAW_META_ARRAY(__VA_ARGS__, , , , , , )
#define CAIRN_I_X_raw_struct_array(...) CAIRN_I_RAW_STRUCT_ARRAY(__VA_ARGS__, , , , , )

#define CAIRN_I_RAW_FIELD_ARRAY(name, encoding, length, pointer, bytes, option, option2, option3, ...) \
    CAIRN_I_RAW_META_ARRAY(name, encoding, length, option, option2, option3, )                         \
    CAIRN_I_RAW_DATA(name, pointer, bytes, , )
#define CAIRN_I_RAW_META_ARRAY(name, encoding, length, option, option2, option3, ...) \
    CAIRN_I_IF_OPTIONS(option, option2, option3)(CAIRN_I_RAW_META_ARRAY_, (name, CAIRN_I_NAMED(_ENCODING, encoding), length, option, option2))
#define CAIRN_I_RAW_META_ARRAY_(name, encoding, length, option, option2) \
    (, , , , , _OPTIONS, name, option, option2)                          \
    (, , , , , _RAW, name, encoding)                                     \
    (, , , , , _LENGTH, name, length)                                    \
    (_FORM, __COUNTER__, name, , , _NAME, name)                          \
    (__COUNTER__, CAIRN_I_FORM_N_##option((encoding) | CAIRN_ENCODING_CARRAY, CAIRN_FORMAT_DEFAULT, length, option, option2))
#define CAIRN_I_RAW_STRUCT_ARRAY(name, count, length, option, option2, ...) \
    CAIRN_I_IF_TAG(option, option2)(CAIRN_I_RAW_STRUCT_ARRAY_, (name, count, length, option))
#define CAIRN_I_RAW_STRUCT_ARRAY_(name, count, length, option) \
    (, , , , , _OPTIONS, name, option, )                       \
    (, , , , , _FIELDS, name, count)                           \
    (, , , , , _LENGTH, name, length)                          \
    (_FORM, __COUNTER__, name, , , _NAME, name)                \
    (__COUNTER__, CAIRN_I_FORM_N_AS_##option(CAIRN_ENCODING_STRUCT | CAIRN_ENCODING_CARRAY, count, length, option, ))

#endif
