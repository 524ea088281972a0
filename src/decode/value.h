/* SPDX-License-Identifier: MIT */
/* Values: the kinds of a field's bytes. */
#ifndef DECODE_VALUE_H
#define DECODE_VALUE_H

#include "core/load.h"

#include <cairn/decode.h>
#include <string.h>

/* DECODE_VALUE_ and the name of each format of a kind, for the enum below. */
#define DECODE_VALUE_OF_NUMBER(name, number, kind, sizes) DECODE_VALUE_NUMBER_##kind(name)
#define DECODE_VALUE_OF_WORD(name, number, kind, sizes)   DECODE_VALUE_WORD_##kind(name)
#define DECODE_VALUE_NUMBER_NUMBER(name)                  DECODE_VALUE_##name,
#define DECODE_VALUE_NUMBER_WORD(name)
#define DECODE_VALUE_NUMBER_NONE(name)
#define DECODE_VALUE_WORD_NUMBER(name)
#define DECODE_VALUE_WORD_WORD(name) DECODE_VALUE_##name,
#define DECODE_VALUE_WORD_NONE(name)

/* The kinds of values: fewer than there are formats and encodings. */
enum decode_value {
    DECODE_VALUE_BY_SIZE, /* depends on the size: call decode_value_of again */

    /* Numbers and words of JSON; formats of kind NUMBER have a value each. */
    DECODE_VALUE_NULL,
    CAIRN_I_FORMATS(DECODE_VALUE_OF_NUMBER)

    /* Short strings that need no escapes: formats of kind WORD. */
    CAIRN_I_FORMATS(DECODE_VALUE_OF_WORD)

    /* Strings of any length. */
    DECODE_VALUE_CHARACTER, /* one unit of 1, 2 or 4 bytes */
    DECODE_VALUE_CHAR8,     /* a text of one byte, or empty if that is 0 */
    DECODE_VALUE_BYTES,
    DECODE_VALUE_LATIN1,
    DECODE_VALUE_UTF8,
    DECODE_VALUE_UTF16,
    DECODE_VALUE_UTF32,
    DECODE_VALUE_UTF8_MARKED, /* a byte order mark, if present, is used */
    DECODE_VALUE_UTF16_MARKED,
    DECODE_VALUE_UTF32_MARKED,

    DECODE_VALUE_FIRST_WORD = DECODE_VALUE_HEX_INT,
    DECODE_VALUE_FIRST_STRING = DECODE_VALUE_CHARACTER,
};

/* Bytes of one value of a fixed size, or 0. */
uint32_t decode_encoding_size(uint8_t encoding);

/*
 * Returns the kind of a value of an encoding and format; both are without flags and may be unknown
 * numbers. For a size that is not known yet it returns DECODE_VALUE_BY_SIZE if the size matters.
 */
#define DECODE_SIZE_UNKNOWN UINT32_MAX
enum decode_value decode_value_of(uint8_t encoding, uint8_t format, uint32_t size_bytes);

/* A value's bytes. */
struct decode_value_data {
    const uint8_t *data;
    uint32_t size_bytes;
    bool swap;
};

/* Returns a floating-point number of 32 or 64 bits. */
static inline double decode_value_float(struct decode_value_data v)
{
    uint64_t bits = core_load_unsigned(v.data, v.size_bytes, v.swap);
    uint32_t bits32 = (uint32_t)bits;
    float single;
    double value;

    memcpy(&single, &bits32, sizeof(single));
    memcpy(&value, &bits, sizeof(value));
    return v.size_bytes == sizeof(single) ? (double)single : value;
}

#endif
