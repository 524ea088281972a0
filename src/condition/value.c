/* SPDX-License-Identifier: MIT */
/* Finds how a filter compares a field: by its encoding and its format. */
#include "condition/program.h"

#include <cairn/eventheader_abi.h>

/* The sizes of values that a format is for: a bit of value `size` for each. */
static const uint8_t sizes_of[] = {
#define FORMAT(name, number, kind, sizes) [number] = (sizes),
    CAIRN_I_FORMATS(FORMAT)
#undef FORMAT
};

static uint32_t size_of(uint8_t encoding)
{
    switch (encoding) {
    case CAIRN_ENCODING_VALUE8:
        return 1;
    case CAIRN_ENCODING_VALUE16:
        return 2;
    case CAIRN_ENCODING_VALUE32:
        return 4;
    case CAIRN_ENCODING_VALUE64:
        return 8;
    default:
        return 16;
    }
}

static enum condition_value number_of(uint8_t format)
{
    switch (format) {
    case CAIRN_FORMAT_SIGNED_INT:
    case CAIRN_FORMAT_ERRNO:
    case CAIRN_FORMAT_PID:
    case CAIRN_FORMAT_TIME:
        return CONDITION_NUMBER_SIGNED;
    case CAIRN_FORMAT_FLOAT:
        return CONDITION_FLOAT;
    case CAIRN_FORMAT_PORT:
        return CONDITION_PORT;
    case CAIRN_FORMAT_UUID:
        return CONDITION_UUID;
    case CAIRN_FORMAT_IP_ADDRESS:
    case CAIRN_FORMAT_IP_ADDRESS_OBSOLETE:
        return CONDITION_IP_ADDRESS;
    default:
        return CONDITION_NUMBER;
    }
}

static enum condition_value fixed_value(uint8_t format, uint32_t size_bytes)
{
    if (format == CAIRN_FORMAT_HEX_BYTES)
        return CONDITION_BYTES;
    if (format == CAIRN_FORMAT_STRING8 && size_bytes == 1)
        return CONDITION_CHARACTER;
    if (format == CAIRN_FORMAT_STRING_UTF && (size_bytes == 2 || size_bytes == 4))
        return CONDITION_CHARACTER;
    if (format < sizeof(sizes_of) && sizes_of[format] & size_bytes)
        return number_of(format);
    return size_bytes == 16 ? CONDITION_BYTES : CONDITION_NUMBER;
}

enum condition_value condition_counted_number(uint8_t format, uint8_t *ret_sizes)
{
    enum condition_value value = number_of(format);

    if (condition_is_text(value))
        return CONDITION_UNKNOWN;
    *ret_sizes = sizes_of[format];
    return value;
}

static bool is_marked(uint8_t format)
{
    return format == CAIRN_FORMAT_STRING_UTF_BOM || format == CAIRN_FORMAT_STRING_XML ||
           format == CAIRN_FORMAT_STRING_JSON;
}

static enum condition_value text8_of(uint8_t format, enum condition_value otherwise)
{
    if (format == CAIRN_FORMAT_HEX_BYTES)
        return CONDITION_BYTES;
    if (format == CAIRN_FORMAT_STRING8)
        return CONDITION_LATIN1;
    if (format == CAIRN_FORMAT_STRING_UTF)
        return CONDITION_UTF8;
    return is_marked(format) ? CONDITION_MARKED8 : otherwise;
}

/* Counted bytes are what their format says if their number fits. */
static enum condition_value counted_of(uint8_t format, enum condition_value otherwise)
{
    if (format < sizeof(sizes_of) && sizes_of[format])
        return CONDITION_UNKNOWN;
    return text8_of(format, otherwise);
}

static enum condition_value wide_of(uint8_t format, enum condition_value value,
                                    enum condition_value marked)
{
    if (format == CAIRN_FORMAT_HEX_BYTES)
        return CONDITION_BYTES;
    return is_marked(format) ? marked : value;
}

enum condition_value condition_value_of(uint8_t encoding, uint8_t format)
{
    switch (encoding) {
    case CAIRN_ENCODING_ZSTRING_CHAR8:
        return text8_of(format, CONDITION_UTF8);
    case CAIRN_ENCODING_STRING_LENGTH16_CHAR8:
        return counted_of(format, CONDITION_UTF8);
    case CAIRN_ENCODING_BINARY_LENGTH16_CHAR8:
        return counted_of(format, CONDITION_BYTES);
    case CAIRN_ENCODING_ZSTRING_CHAR16:
    case CAIRN_ENCODING_STRING_LENGTH16_CHAR16:
        return wide_of(format, CONDITION_UTF16, CONDITION_MARKED16);
    case CAIRN_ENCODING_ZSTRING_CHAR32:
    case CAIRN_ENCODING_STRING_LENGTH16_CHAR32:
        return wide_of(format, CONDITION_UTF32, CONDITION_MARKED32);
    default:
        return fixed_value(format, size_of(encoding));
    }
}
