/* SPDX-License-Identifier: MIT */
/* Maps an encoding and a format to a kind of value. */
#include "decode/value.h"

/* Formats for values of certain sizes only; the mask has the bit of value `size` for each size. */
static const struct sized_format {
    uint8_t value;
    uint8_t sizes;
} sized_formats[] = {
#define FORMAT(name, number, kind, sizes) [CAIRN_FORMAT_##name] = SIZED_##kind(name, sizes),
#define SIZED_NUMBER(name, sizes)  \
    {                              \
        DECODE_VALUE_##name, sizes \
    }
#define SIZED_WORD(name, sizes)    \
    {                              \
        DECODE_VALUE_##name, sizes \
    }
#define SIZED_NONE(name, sizes) \
    {                           \
        DECODE_VALUE_NULL, 0    \
    }
    CAIRN_I_FORMATS(FORMAT)};

static struct sized_format sized_format(uint8_t format)
{
    if (format >= sizeof(sized_formats) / sizeof(sized_formats[0]))
        return sized_formats[CAIRN_FORMAT_DEFAULT];
    return sized_formats[format];
}

static bool has_size(struct sized_format sized, uint32_t size_bytes)
{
    bool is_power_of_two = !(size_bytes & (size_bytes - 1));

    return is_power_of_two && size_bytes <= 16 && (sized.sizes & size_bytes);
}

uint32_t decode_encoding_size(uint8_t encoding)
{
    static const uint8_t sizes[] = {
#define ENCODING(name, number, extent, unit) [CAIRN_ENCODING_##name] = SIZE_##extent(unit),
#define SIZE_FIXED(unit)                     unit
#define SIZE_TERMINATED(unit)                0
#define SIZE_LENGTH16(unit)                  0
        CAIRN_I_ENCODINGS(ENCODING)};

    return encoding < sizeof(sizes) ? sizes[encoding] : 0;
}

static enum decode_value fixed_value(uint8_t format, uint32_t size_bytes)
{
    struct sized_format sized = sized_format(format);

    if (format == CAIRN_FORMAT_HEX_BYTES)
        return DECODE_VALUE_BYTES;
    if (format == CAIRN_FORMAT_STRING8 && size_bytes == 1)
        return DECODE_VALUE_CHARACTER;
    if (format == CAIRN_FORMAT_STRING_UTF && (size_bytes == 2 || size_bytes == 4))
        return DECODE_VALUE_CHARACTER;
    if (has_size(sized, size_bytes))
        return (enum decode_value)sized.value;
    return size_bytes == 16 ? DECODE_VALUE_BYTES : DECODE_VALUE_UNSIGNED_INT;
}

static bool is_marked(uint8_t format)
{
    return format == CAIRN_FORMAT_STRING_UTF_BOM || format == CAIRN_FORMAT_STRING_XML ||
           format == CAIRN_FORMAT_STRING_JSON;
}

static enum decode_value string8_value(uint8_t format, enum decode_value otherwise)
{
    if (format == CAIRN_FORMAT_HEX_BYTES)
        return DECODE_VALUE_BYTES;
    if (format == CAIRN_FORMAT_STRING8)
        return DECODE_VALUE_LATIN1;
    if (format == CAIRN_FORMAT_STRING_UTF)
        return DECODE_VALUE_UTF8;
    return is_marked(format) ? DECODE_VALUE_UTF8_MARKED : otherwise;
}

/* Counted bytes accept every format that their size fits; empty ones are null. */
static enum decode_value counted_value(uint8_t format, uint32_t size_bytes,
                                       enum decode_value otherwise)
{
    struct sized_format sized = sized_format(format);

    if (!sized.sizes)
        return string8_value(format, otherwise);
    if (size_bytes == DECODE_SIZE_UNKNOWN)
        return DECODE_VALUE_BY_SIZE;
    if (size_bytes == 0)
        return DECODE_VALUE_NULL;
    return has_size(sized, size_bytes) ? (enum decode_value)sized.value : otherwise;
}

enum decode_value decode_value_of(uint8_t encoding, uint8_t format, uint32_t size_bytes)
{
    switch (encoding) {
    case CAIRN_ENCODING_ZSTRING_CHAR8:
        return string8_value(format, DECODE_VALUE_UTF8);
    case CAIRN_ENCODING_STRING_LENGTH16_CHAR8:
        return counted_value(format, size_bytes, DECODE_VALUE_UTF8);
    case CAIRN_ENCODING_BINARY_LENGTH16_CHAR8:
        return counted_value(format, size_bytes, DECODE_VALUE_BYTES);
    case CAIRN_ENCODING_ZSTRING_CHAR16:
    case CAIRN_ENCODING_STRING_LENGTH16_CHAR16:
        if (format == CAIRN_FORMAT_HEX_BYTES)
            return DECODE_VALUE_BYTES;
        return is_marked(format) ? DECODE_VALUE_UTF16_MARKED : DECODE_VALUE_UTF16;
    case CAIRN_ENCODING_ZSTRING_CHAR32:
    case CAIRN_ENCODING_STRING_LENGTH16_CHAR32:
        if (format == CAIRN_FORMAT_HEX_BYTES)
            return DECODE_VALUE_BYTES;
        return is_marked(format) ? DECODE_VALUE_UTF32_MARKED : DECODE_VALUE_UTF32;
    default:
        return fixed_value(format, decode_encoding_size(encoding));
    }
}
