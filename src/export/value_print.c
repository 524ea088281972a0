/* SPDX-License-Identifier: MIT */
/* Prints values. */
#include "export/value_print.h"

#include "core/load.h"
#include "export/number.h"
#include "export/utf.h"

#include <math.h>

/* The space for a value of fixed size: an IPv6 address in quotes. */
#define ROOM_BYTES 64u

/* Integers up to here are exact in a double, which many JSON parsers convert numbers to. */
#define EXACT_MAX ((1ull << 53) - 1)

/* The upper half of the address space, on all machines of 64 bits. */
#define ADDRESS_MIN 0xff00000000000000u

static inline bool has_quotes(enum cairn_style style)
{
    return style != CAIRN_STYLE_TEXT;
}

static inline char *put_quote_if(char *to, bool quote)
{
    *to = '"';
    return to + quote;
}

/* In the style `text`, values that look like kernel addresses are hexadecimal. */
static char *put_unsigned(char *to, enum cairn_style style, uint64_t value)
{
    bool quote = style == CAIRN_STYLE_JSONL && value > EXACT_MAX;

    if (style == CAIRN_STYLE_TEXT && value >= ADDRESS_MIN)
        return cairn_put_hex(to, value);
    to = cairn_put_unsigned(put_quote_if(to, quote), value);
    return put_quote_if(to, quote);
}

static char *put_signed(char *to, enum cairn_style style, int64_t value)
{
    bool quote =
        style == CAIRN_STYLE_JSONL && (value > (int64_t)EXACT_MAX || value < -(int64_t)EXACT_MAX);

    to = cairn_put_signed(put_quote_if(to, quote), value);
    return put_quote_if(to, quote);
}

/* A value other than 0 and 1 is shown as a number; 32 bits as signed, as perf-decode does. */
static char *put_boolean(char *to, uint32_t value)
{
    if (value > 1)
        return cairn_put_signed(to, (int32_t)value);
    memcpy(to, value ? "true" : "false", 5);
    return to + (value ? 4 : 5);
}

static double load_float(struct cairn_value_data v)
{
    uint64_t bits = cairn_load_unsigned(v.data, v.size_bytes, v.swap);
    uint32_t bits32 = (uint32_t)bits;
    float single;
    double value;

    if (v.size_bytes == sizeof(single)) {
        memcpy(&single, &bits32, sizeof(single));
        return (double)single;
    }
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static char *put_float(char *to, enum cairn_style style, struct cairn_value_data v)
{
    double value = load_float(v);
    bool quote = has_quotes(style) && !isfinite(value);

    to = put_quote_if(to, quote);
    to = v.size_bytes == sizeof(float) ? cairn_put_float(to, (float)value)
                                       : cairn_put_double(to, value);
    return put_quote_if(to, quote);
}

/* Times are UTC; perf-decode does not say so. */
static char *put_time(char *to, enum cairn_style style, int64_t seconds)
{
    to = cairn_put_time(to, seconds);
    if (style == CAIRN_STYLE_JSONL && to[-1] != ')')
        *to++ = 'Z';
    return to;
}

/* Prints numbers and words of JSON: without quotes, except numbers that JSON lacks. */
static char *put_bare(char *to, enum cairn_style style, enum cairn_value value,
                      struct cairn_value_data v)
{
    switch (value) {
    case CAIRN_VALUE_UNSIGNED_INT:
        return put_unsigned(to, style, cairn_load_unsigned(v.data, v.size_bytes, v.swap));
    case CAIRN_VALUE_SIGNED_INT:
    case CAIRN_VALUE_PID:
        return put_signed(to, style, cairn_load_signed(v.data, v.size_bytes, v.swap));
    case CAIRN_VALUE_PORT:
        return cairn_put_unsigned(to, (uint64_t)v.data[0] << 8 | v.data[1]);
    case CAIRN_VALUE_BOOLEAN:
        return put_boolean(to, (uint32_t)cairn_load_unsigned(v.data, v.size_bytes, v.swap));
    case CAIRN_VALUE_FLOAT:
        return put_float(to, style, v);
    default:
        return stpcpy(to, "null");
    }
}

/* Prints short ASCII strings that need no escapes, in quotes. */
static char *put_word(char *to, enum cairn_style style, enum cairn_value value,
                      struct cairn_value_data v)
{
    switch (value) {
    case CAIRN_VALUE_ERRNO:
        return cairn_put_errno(to, cairn_load32(v.data, v.swap));
    case CAIRN_VALUE_TIME:
        return put_time(to, style, cairn_load_signed(v.data, v.size_bytes, v.swap));
    case CAIRN_VALUE_UUID:
        return cairn_put_uuid(to, v.data);
    case CAIRN_VALUE_IP_ADDRESS:
    case CAIRN_VALUE_IP_ADDRESS_OBSOLETE:
        return cairn_put_ip_address(to, v.data, v.size_bytes);
    default:
        return cairn_put_hex(to, cairn_load_unsigned(v.data, v.size_bytes, v.swap));
    }
}

/* "00 1f ff" */
static void print_bytes(struct cairn_print_output *out, struct cairn_value_data v)
{
    for (uint32_t n = 0; n < v.size_bytes; n++) {
        char *to = cairn_output_reserve(out, 3);

        if (n)
            *to++ = ' ';
        out->at = cairn_put_hex_byte(to, v.data[n]);
    }
}

static void print_character(struct cairn_print_output *out, enum cairn_style style,
                            struct cairn_value_data v)
{
    uint32_t c = (uint32_t)cairn_load_unsigned(v.data, v.size_bytes, v.swap);

    cairn_print_utf32(out, style, &c, sizeof(c), false);
}

static void print_string(struct cairn_print_output *out, enum cairn_style style,
                         enum cairn_value value, struct cairn_value_data v)
{
    switch (value) {
    case CAIRN_VALUE_UTF8_MARKED:
    case CAIRN_VALUE_UTF16_MARKED:
    case CAIRN_VALUE_UTF32_MARKED:
        if (!cairn_print_by_mark(out, style, v.data, v.size_bytes))
            print_string(out, style, value - CAIRN_VALUE_UTF8_MARKED + CAIRN_VALUE_UTF8, v);
        break;
    case CAIRN_VALUE_UTF16:
        cairn_print_utf16(out, style, v.data, v.size_bytes, v.swap);
        break;
    case CAIRN_VALUE_UTF32:
        cairn_print_utf32(out, style, v.data, v.size_bytes, v.swap);
        break;
    case CAIRN_VALUE_LATIN1:
        cairn_print_latin1(out, style, v.data, v.size_bytes);
        break;
    case CAIRN_VALUE_CHARACTER:
        print_character(out, style, v);
        break;
    case CAIRN_VALUE_BYTES:
        print_bytes(out, v);
        break;
    default:
        cairn_print_utf8(out, style, v.data, v.size_bytes);
        break;
    }
}

static void print_quoted(struct cairn_print_output *out, enum cairn_style style,
                         enum cairn_value value, struct cairn_value_data data)
{
    out->at = put_quote_if(cairn_output_reserve(out, 1), has_quotes(style));
    print_string(out, style, value, data);
    out->at = put_quote_if(cairn_output_reserve(out, 1), has_quotes(style));
}

void cairn_value_print(struct cairn_print_output *out, enum cairn_style style,
                       enum cairn_value value, struct cairn_value_data data)
{
    char *to;

    if (value >= CAIRN_VALUE_FIRST_STRING) {
        print_quoted(out, style, value, data);
        return;
    }
    to = cairn_output_reserve(out, ROOM_BYTES);
    if (value < CAIRN_VALUE_FIRST_WORD) {
        out->at = put_bare(to, style, value, data);
        return;
    }
    to = put_word(put_quote_if(to, has_quotes(style)), style, value, data);
    out->at = put_quote_if(to, has_quotes(style));
}
