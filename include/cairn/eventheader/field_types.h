/* SPDX-License-Identifier: MIT */
/*
 * The types of fields: each encoding and each format is described here. The enums of
 * eventheader_abi.h, the builder and the decoder are made of the two tables; the vocabulary of
 * CAIRN_WRITE_EVENT (fields.h) uses the macros below them, which the preprocessor cannot make of a
 * table: the tests compare.
 *
 * To add a type: a row and its two macros here, a word in fields.h or fields_more.h, and how its
 * value is printed in src/export/value_print.c.
 */
/* The tables have a line for each type. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_FIELD_TYPES_H
#define CAIRN_EVENTHEADER_FIELD_TYPES_H

/*
 * ENCODING(name, number, extent, unit): how a decoder finds a field's size. The comments name the
 * format that it has when none is given.
 *
 * extent  FIXED: one unit; TERMINATED: units up to a zero; LENGTH16: a u16 count, then the units
 * unit    its bytes
 */
#define CAIRN_I_ENCODINGS(ENCODING)                                                                     \
    ENCODING(INVALID, 0, FIXED, 0)                    /* no field */                                    \
    ENCODING(STRUCT, 1, FIXED, 0)                     /* no data; the format is the number of fields */ \
    ENCODING(VALUE8, 2, FIXED, 1)                     /* unsigned_int */                                \
    ENCODING(VALUE16, 3, FIXED, 2)                    /* unsigned_int */                                \
    ENCODING(VALUE32, 4, FIXED, 4)                    /* unsigned_int */                                \
    ENCODING(VALUE64, 5, FIXED, 8)                    /* unsigned_int */                                \
    ENCODING(VALUE128, 6, FIXED, 16)                  /* hex_bytes */                                   \
    ENCODING(ZSTRING_CHAR8, 7, TERMINATED, 1)         /* string_utf; ended by a zero u8 */              \
    ENCODING(ZSTRING_CHAR16, 8, TERMINATED, 2)        /* string_utf; ended by a zero u16 */             \
    ENCODING(ZSTRING_CHAR32, 9, TERMINATED, 4)        /* string_utf; ended by a zero u32 */             \
    ENCODING(STRING_LENGTH16_CHAR8, 10, LENGTH16, 1)  /* string_utf; u16 count of u8, then these */     \
    ENCODING(STRING_LENGTH16_CHAR16, 11, LENGTH16, 2) /* string_utf; u16 count of u16, then these */    \
    ENCODING(STRING_LENGTH16_CHAR32, 12, LENGTH16, 4) /* string_utf; u16 count of u32, then these */    \
    ENCODING(BINARY_LENGTH16_CHAR8, 13, LENGTH16, 1)  /* hex_bytes; u16 count of u8, then these */

/*
 * FORMAT(name, number, kind, sizes): what a field's bytes mean. The comments name the encodings
 * each is for.
 *
 * kind   NUMBER: a value of JSON without quotes; WORD: a short text without escapes; NONE: the
 *        encoding says
 * sizes  of a value, in bytes, powers of two; others are shown as if there were no format
 */
#define CAIRN_I_FORMATS(FORMAT)                                                                                  \
    FORMAT(DEFAULT, 0, NONE, 0)                    /* the encoding's own */                                      \
    FORMAT(UNSIGNED_INT, 1, NUMBER, 1 | 2 | 4 | 8) /* value8..64 */                                              \
    FORMAT(SIGNED_INT, 2, NUMBER, 1 | 2 | 4 | 8)   /* value8..64 */                                              \
    FORMAT(HEX_INT, 3, WORD, 1 | 2 | 4 | 8)        /* value8..64 */                                              \
    FORMAT(ERRNO, 4, WORD, 4)                      /* value32 */                                                 \
    FORMAT(PID, 5, NUMBER, 4)                      /* value32 */                                                 \
    FORMAT(TIME, 6, WORD, 4 | 8)                   /* value32, value64: signed seconds since 1970 */             \
    FORMAT(BOOLEAN, 7, NUMBER, 1 | 2 | 4)          /* value8..32 */                                              \
    FORMAT(FLOAT, 8, NUMBER, 4 | 8)                /* value32, value64 */                                        \
    FORMAT(HEX_BYTES, 9, NONE, 0)                  /* any */                                                     \
    FORMAT(STRING8, 10, NONE, 0)                   /* value8, char8: Latin-1 or CP-1252 */                       \
    FORMAT(STRING_UTF, 11, NONE, 0)                /* value16, value32, char8..32 */                             \
    FORMAT(STRING_UTF_BOM, 12, NONE, 0)            /* char8..32: a byte order mark, when there is one, counts */ \
    FORMAT(STRING_XML, 13, NONE, 0)                /* as string_utf_bom */                                       \
    FORMAT(STRING_JSON, 14, NONE, 0)               /* as string_utf_bom */                                       \
    FORMAT(UUID, 15, WORD, 16)                     /* value128, network byte order */                            \
    FORMAT(PORT, 16, NUMBER, 2)                    /* value16, network byte order */                             \
    FORMAT(IP_ADDRESS, 17, WORD, 4 | 16)           /* value32 IPv4, value128 IPv6, network byte order */         \
    FORMAT(IP_ADDRESS_OBSOLETE, 18, WORD, 4 | 16)  /* read as ip_address, never written */

/* ---- names in the arguments of words, such as format(HEX_INT) ---- */

#define CAIRN_I_ENCODING_VALUE8                 CAIRN_I_HIT(CAIRN_ENCODING_VALUE8)
#define CAIRN_I_ENCODING_VALUE16                CAIRN_I_HIT(CAIRN_ENCODING_VALUE16)
#define CAIRN_I_ENCODING_VALUE32                CAIRN_I_HIT(CAIRN_ENCODING_VALUE32)
#define CAIRN_I_ENCODING_VALUE64                CAIRN_I_HIT(CAIRN_ENCODING_VALUE64)
#define CAIRN_I_ENCODING_VALUE128               CAIRN_I_HIT(CAIRN_ENCODING_VALUE128)
#define CAIRN_I_ENCODING_ZSTRING_CHAR8          CAIRN_I_HIT(CAIRN_ENCODING_ZSTRING_CHAR8)
#define CAIRN_I_ENCODING_ZSTRING_CHAR16         CAIRN_I_HIT(CAIRN_ENCODING_ZSTRING_CHAR16)
#define CAIRN_I_ENCODING_ZSTRING_CHAR32         CAIRN_I_HIT(CAIRN_ENCODING_ZSTRING_CHAR32)
#define CAIRN_I_ENCODING_STRING_LENGTH16_CHAR8  CAIRN_I_HIT(CAIRN_ENCODING_STRING_LENGTH16_CHAR8)
#define CAIRN_I_ENCODING_STRING_LENGTH16_CHAR16 CAIRN_I_HIT(CAIRN_ENCODING_STRING_LENGTH16_CHAR16)
#define CAIRN_I_ENCODING_STRING_LENGTH16_CHAR32 CAIRN_I_HIT(CAIRN_ENCODING_STRING_LENGTH16_CHAR32)
#define CAIRN_I_ENCODING_BINARY_LENGTH16_CHAR8  CAIRN_I_HIT(CAIRN_ENCODING_BINARY_LENGTH16_CHAR8)

#define CAIRN_I_FORMAT_DEFAULT        CAIRN_I_HIT(CAIRN_FORMAT_DEFAULT)
#define CAIRN_I_FORMAT_UNSIGNED_INT   CAIRN_I_HIT(CAIRN_FORMAT_UNSIGNED_INT)
#define CAIRN_I_FORMAT_SIGNED_INT     CAIRN_I_HIT(CAIRN_FORMAT_SIGNED_INT)
#define CAIRN_I_FORMAT_HEX_INT        CAIRN_I_HIT(CAIRN_FORMAT_HEX_INT)
#define CAIRN_I_FORMAT_ERRNO          CAIRN_I_HIT(CAIRN_FORMAT_ERRNO)
#define CAIRN_I_FORMAT_PID            CAIRN_I_HIT(CAIRN_FORMAT_PID)
#define CAIRN_I_FORMAT_TIME           CAIRN_I_HIT(CAIRN_FORMAT_TIME)
#define CAIRN_I_FORMAT_BOOLEAN        CAIRN_I_HIT(CAIRN_FORMAT_BOOLEAN)
#define CAIRN_I_FORMAT_FLOAT          CAIRN_I_HIT(CAIRN_FORMAT_FLOAT)
#define CAIRN_I_FORMAT_HEX_BYTES      CAIRN_I_HIT(CAIRN_FORMAT_HEX_BYTES)
#define CAIRN_I_FORMAT_STRING8        CAIRN_I_HIT(CAIRN_FORMAT_STRING8)
#define CAIRN_I_FORMAT_STRING_UTF     CAIRN_I_HIT(CAIRN_FORMAT_STRING_UTF)
#define CAIRN_I_FORMAT_STRING_UTF_BOM CAIRN_I_HIT(CAIRN_FORMAT_STRING_UTF_BOM)
#define CAIRN_I_FORMAT_STRING_XML     CAIRN_I_HIT(CAIRN_FORMAT_STRING_XML)
#define CAIRN_I_FORMAT_STRING_JSON    CAIRN_I_HIT(CAIRN_FORMAT_STRING_JSON)
#define CAIRN_I_FORMAT_UUID           CAIRN_I_HIT(CAIRN_FORMAT_UUID)
#define CAIRN_I_FORMAT_PORT           CAIRN_I_HIT(CAIRN_FORMAT_PORT)
#define CAIRN_I_FORMAT_IP_ADDRESS     CAIRN_I_HIT(CAIRN_FORMAT_IP_ADDRESS)

/* ---- bytes after a field's name ---- */

/*
 * The NUL of the name, and the encoding as a byte; a format follows _CHAIN.
 * String literals cost the compiler much less than initializers.
 */
#define CAIRN_I_CODE_VALUE8                       "\0\2"
#define CAIRN_I_CODE_VALUE16                      "\0\3"
#define CAIRN_I_CODE_VALUE32                      "\0\4"
#define CAIRN_I_CODE_VALUE64                      "\0\5"
#define CAIRN_I_CODE_VALUE128                     "\0\6"
#define CAIRN_I_CODE_ZSTRING_CHAR8                "\0\7"
#define CAIRN_I_CODE_ZSTRING_CHAR16               "\0\10"
#define CAIRN_I_CODE_ZSTRING_CHAR32               "\0\11"
#define CAIRN_I_CODE_STRING_LENGTH16_CHAR8        "\0\12"
#define CAIRN_I_CODE_STRING_LENGTH16_CHAR16       "\0\13"
#define CAIRN_I_CODE_STRING_LENGTH16_CHAR32       "\0\14"
#define CAIRN_I_CODE_BINARY_LENGTH16_CHAR8        "\0\15"
#define CAIRN_I_CODE_VALUE8_CHAIN                 "\0\202"
#define CAIRN_I_CODE_VALUE16_CHAIN                "\0\203"
#define CAIRN_I_CODE_VALUE32_CHAIN                "\0\204"
#define CAIRN_I_CODE_VALUE64_CHAIN                "\0\205"
#define CAIRN_I_CODE_VALUE128_CHAIN               "\0\206"
#define CAIRN_I_CODE_ZSTRING_CHAR8_CHAIN          "\0\207"
#define CAIRN_I_CODE_ZSTRING_CHAR16_CHAIN         "\0\210"
#define CAIRN_I_CODE_ZSTRING_CHAR32_CHAIN         "\0\211"
#define CAIRN_I_CODE_STRING_LENGTH16_CHAR8_CHAIN  "\0\212"
#define CAIRN_I_CODE_STRING_LENGTH16_CHAR16_CHAIN "\0\213"
#define CAIRN_I_CODE_STRING_LENGTH16_CHAR32_CHAIN "\0\214"
#define CAIRN_I_CODE_BINARY_LENGTH16_CHAR8_CHAIN  "\0\215"
#define CAIRN_I_CODE_VALUE8_VARRAY                "\0\102"
#define CAIRN_I_CODE_VALUE16_VARRAY               "\0\103"
#define CAIRN_I_CODE_VALUE32_VARRAY               "\0\104"
#define CAIRN_I_CODE_VALUE64_VARRAY               "\0\105"
#define CAIRN_I_CODE_VALUE128_VARRAY              "\0\106"
#define CAIRN_I_CODE_VALUE8_VARRAY_CHAIN          "\0\302"
#define CAIRN_I_CODE_VALUE16_VARRAY_CHAIN         "\0\303"
#define CAIRN_I_CODE_VALUE32_VARRAY_CHAIN         "\0\304"
#define CAIRN_I_CODE_VALUE64_VARRAY_CHAIN         "\0\305"
#define CAIRN_I_CODE_VALUE128_VARRAY_CHAIN        "\0\306"

#if __SIZEOF_POINTER__ == 8
#define CAIRN_I_CODE_VALUE_PTR              CAIRN_I_CODE_VALUE64
#define CAIRN_I_CODE_VALUE_PTR_CHAIN        CAIRN_I_CODE_VALUE64_CHAIN
#define CAIRN_I_CODE_VALUE_PTR_VARRAY       CAIRN_I_CODE_VALUE64_VARRAY
#define CAIRN_I_CODE_VALUE_PTR_VARRAY_CHAIN CAIRN_I_CODE_VALUE64_VARRAY_CHAIN
#else
#define CAIRN_I_CODE_VALUE_PTR              CAIRN_I_CODE_VALUE32
#define CAIRN_I_CODE_VALUE_PTR_CHAIN        CAIRN_I_CODE_VALUE32_CHAIN
#define CAIRN_I_CODE_VALUE_PTR_VARRAY       CAIRN_I_CODE_VALUE32_VARRAY
#define CAIRN_I_CODE_VALUE_PTR_VARRAY_CHAIN CAIRN_I_CODE_VALUE32_VARRAY_CHAIN
#endif

#define CAIRN_I_FORMAT_CODE_UNSIGNED_INT   "\1"
#define CAIRN_I_FORMAT_CODE_SIGNED_INT     "\2"
#define CAIRN_I_FORMAT_CODE_HEX_INT        "\3"
#define CAIRN_I_FORMAT_CODE_ERRNO          "\4"
#define CAIRN_I_FORMAT_CODE_PID            "\5"
#define CAIRN_I_FORMAT_CODE_TIME           "\6"
#define CAIRN_I_FORMAT_CODE_BOOLEAN        "\7"
#define CAIRN_I_FORMAT_CODE_FLOAT          "\10"
#define CAIRN_I_FORMAT_CODE_HEX_BYTES      "\11"
#define CAIRN_I_FORMAT_CODE_STRING8        "\12"
#define CAIRN_I_FORMAT_CODE_STRING_UTF     "\13"
#define CAIRN_I_FORMAT_CODE_STRING_UTF_BOM "\14"
#define CAIRN_I_FORMAT_CODE_STRING_XML     "\15"
#define CAIRN_I_FORMAT_CODE_STRING_JSON    "\16"
#define CAIRN_I_FORMAT_CODE_UUID           "\17"
#define CAIRN_I_FORMAT_CODE_PORT           "\20"
#define CAIRN_I_FORMAT_CODE_IP_ADDRESS     "\21"

#endif
