/* SPDX-License-Identifier: MIT */
/* Values: the kinds of a field's bytes. */
#ifndef DECODE_VALUE_H
#define DECODE_VALUE_H

#include <cairn/decode.h>

/* CAIRN_VALUE_ and the name of each format of a kind, for the enum below. */
#define CAIRN_VALUE_OF_NUMBER(name, number, kind, sizes) CAIRN_VALUE_NUMBER_##kind(name)
#define CAIRN_VALUE_OF_WORD(name, number, kind, sizes)   CAIRN_VALUE_WORD_##kind(name)
#define CAIRN_VALUE_NUMBER_NUMBER(name)                  CAIRN_VALUE_##name,
#define CAIRN_VALUE_NUMBER_WORD(name)
#define CAIRN_VALUE_NUMBER_NONE(name)
#define CAIRN_VALUE_WORD_NUMBER(name)
#define CAIRN_VALUE_WORD_WORD(name) CAIRN_VALUE_##name,
#define CAIRN_VALUE_WORD_NONE(name)

/* The kinds of values. Formats and encodings are many; these are fewer. */
enum cairn_value {
    CAIRN_VALUE_BY_SIZE, /* depends on the size: call cairn_value_of again */

    /* Numbers and words of JSON; formats of kind NUMBER have a value each. */
    CAIRN_VALUE_NULL,
    CAIRN_I_FORMATS(CAIRN_VALUE_OF_NUMBER)

    /* Short strings that need no escapes: formats of kind WORD. */
    CAIRN_I_FORMATS(CAIRN_VALUE_OF_WORD)

    /* Strings of any length. */
    CAIRN_VALUE_CHARACTER, /* one unit of 1, 2 or 4 bytes */
    CAIRN_VALUE_BYTES,
    CAIRN_VALUE_LATIN1,
    CAIRN_VALUE_UTF8,
    CAIRN_VALUE_UTF16,
    CAIRN_VALUE_UTF32,
    CAIRN_VALUE_UTF8_MARKED, /* a byte order mark, when there is one, counts */
    CAIRN_VALUE_UTF16_MARKED,
    CAIRN_VALUE_UTF32_MARKED,

    CAIRN_VALUE_FIRST_WORD = CAIRN_VALUE_HEX_INT,
    CAIRN_VALUE_FIRST_STRING = CAIRN_VALUE_CHARACTER,
};

/* Bytes of one value of a fixed size, or 0. */
uint32_t cairn_encoding_size(uint8_t encoding);

/*
 * Returns the kind of a value of an encoding and format; both are without flags and may be unknown
 * numbers. For a value of a size not known yet CAIRN_VALUE_BY_SIZE is returned where the size
 * matters.
 */
#define CAIRN_SIZE_UNKNOWN UINT32_MAX
enum cairn_value cairn_value_of(uint8_t encoding, uint8_t format, uint32_t size_bytes);

/* A value's bytes. */
struct cairn_value_data {
    const uint8_t *data;
    uint32_t size_bytes;
    bool swap;
};

#endif
