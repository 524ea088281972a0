/* SPDX-License-Identifier: MIT */
/* Prints values. */
#include "export/value_print.h"

#include "core/load.h"
#include "export/number.h"
#include "export/utf.h"

#include <math.h>

/* The upper half of the address space, on all machines of 64 bits. */
#define ADDRESS_MIN 0xff00000000000000u

static inline bool has_quotes(enum cairn_style style)
{
    return style != CAIRN_STYLE_TEXT && style != EXPORT_STYLE_PLAIN;
}

static inline char *put_quote_if(char *to, bool quote)
{
    *to = '"';
    return to + quote;
}

/* In the style `text`, values that look like kernel addresses are hexadecimal. */
static char *put_unsigned(char *to, enum cairn_style style, uint64_t value)
{
    if (style == CAIRN_STYLE_TEXT && value >= ADDRESS_MIN)
        return export_put_hex(to, value);
    return export_put_unsigned(to, value);
}

/* A value other than 0 and 1 is shown as a number; 32 bits as signed, as perf-decode does. */
static char *put_boolean(char *to, uint32_t value)
{
    if (value > 1)
        return export_put_signed(to, (int32_t)value);
    memcpy(to, value ? "true" : "false", 5);
    return to + (value ? 4 : 5);
}

static char *put_float(char *to, enum cairn_style style, struct decode_value_data v)
{
    double value = decode_value_float(v);
    bool quote = has_quotes(style) && style != CAIRN_STYLE_CSV && !isfinite(value);

    to = put_quote_if(to, quote);
    to = v.size_bytes == sizeof(float) ? export_put_float(to, (float)value)
                                       : export_put_double(to, value);
    return put_quote_if(to, quote);
}

/* Times are UTC; perf-decode prints no zone. */
static char *put_time(char *to, enum cairn_style style, int64_t seconds)
{
    to = export_put_time(to, seconds);
    if ((style == CAIRN_STYLE_JSONL || style == EXPORT_STYLE_PLAIN) && to[-1] != ')')
        *to++ = 'Z';
    return to;
}

/* Prints numbers and words of JSON: without quotes, except numbers that JSON lacks. */
static char *put_bare(char *to, enum cairn_style style, enum decode_value value,
                      struct decode_value_data v)
{
    switch (value) {
    case DECODE_VALUE_UNSIGNED_INT:
        return put_unsigned(to, style, core_load_unsigned(v.data, v.size_bytes, v.swap));
    case DECODE_VALUE_SIGNED_INT:
    case DECODE_VALUE_PID:
        return export_put_signed(to, core_load_signed(v.data, v.size_bytes, v.swap));
    case DECODE_VALUE_PORT:
        return export_put_unsigned(to, (uint64_t)v.data[0] << 8 | v.data[1]);
    case DECODE_VALUE_BOOLEAN:
        return put_boolean(to, (uint32_t)core_load_unsigned(v.data, v.size_bytes, v.swap));
    case DECODE_VALUE_FLOAT:
        return put_float(to, style, v);
    default:
        return style == CAIRN_STYLE_CSV ? to : stpcpy(to, "null");
    }
}

/* Prints short ASCII strings that need no escapes, in quotes. */
static char *put_word(char *to, enum cairn_style style, enum decode_value value,
                      struct decode_value_data v)
{
    switch (value) {
    case DECODE_VALUE_ERRNO:
        return export_put_errno(to, core_load32(v.data, v.swap));
    case DECODE_VALUE_TIME:
        return put_time(to, style, core_load_signed(v.data, v.size_bytes, v.swap));
    case DECODE_VALUE_UUID:
        return export_put_uuid(to, v.data);
    case DECODE_VALUE_IP_ADDRESS:
    case DECODE_VALUE_IP_ADDRESS_OBSOLETE:
        return export_put_ip_address(to, v.data, v.size_bytes);
    default:
        return export_put_hex(to, core_load_unsigned(v.data, v.size_bytes, v.swap));
    }
}

/* "00 1f ff" */
static void print_bytes(struct export_print_output *out, struct decode_value_data v)
{
    for (uint32_t n = 0; n < v.size_bytes; n++) {
        char *to = export_output_reserve(out, 3);

        if (n)
            *to++ = ' ';
        out->at = export_put_hex_byte(to, v.data[n]);
    }
}

static void print_character(struct export_print_output *out, enum cairn_style style,
                            struct decode_value_data v)
{
    uint32_t c = (uint32_t)core_load_unsigned(v.data, v.size_bytes, v.swap);

    export_print_utf32(out, style, &c, sizeof(c), false);
}

static void print_string(struct export_print_output *out, enum cairn_style style,
                         enum decode_value value, struct decode_value_data v)
{
    switch (value) {
    case DECODE_VALUE_UTF8_MARKED:
    case DECODE_VALUE_UTF16_MARKED:
    case DECODE_VALUE_UTF32_MARKED:
        if (!export_print_by_mark(out, style, v.data, v.size_bytes))
            print_string(out, style, value - DECODE_VALUE_UTF8_MARKED + DECODE_VALUE_UTF8, v);
        break;
    case DECODE_VALUE_UTF16:
        export_print_utf16(out, style, v.data, v.size_bytes, v.swap);
        break;
    case DECODE_VALUE_UTF32:
        export_print_utf32(out, style, v.data, v.size_bytes, v.swap);
        break;
    case DECODE_VALUE_LATIN1:
        export_print_latin1(out, style, v.data, v.size_bytes);
        break;
    case DECODE_VALUE_CHARACTER:
        print_character(out, style, v);
        break;
    case DECODE_VALUE_CHAR8:
        export_print_utf8(out, style, v.data, *v.data ? 1 : 0);
        break;
    case DECODE_VALUE_BYTES:
        print_bytes(out, v);
        break;
    default:
        export_print_utf8(out, style, v.data, v.size_bytes);
        break;
    }
}

/* True for a byte or unit of a text that would make a line ambiguous. */
static bool is_ambiguous(uint64_t c)
{
    return c <= ' ' || c == '=' || c == '"' || c == ',' || c == '[' || c == ']' || c == '{' ||
           c == '}' || c == '\\';
}

uint32_t export_value_unit(enum decode_value value, struct decode_value_data data)
{
    switch (value) {
    case DECODE_VALUE_UTF16:
    case DECODE_VALUE_UTF16_MARKED:
        return 2;
    case DECODE_VALUE_UTF32:
    case DECODE_VALUE_UTF32_MARKED:
        return 4;
    case DECODE_VALUE_CHARACTER:
        return data.size_bytes;
    default:
        return 1;
    }
}

/* In the style `text`, a string that could be taken for more than one value is a JSON string. */
static bool needs_quotes(enum decode_value value, struct decode_value_data data)
{
    uint32_t unit = export_value_unit(value, data);

    if (value == DECODE_VALUE_BYTES)
        return false;
    for (uint32_t n = 0; n + unit <= data.size_bytes; n += unit) {
        if (is_ambiguous(core_load_unsigned(data.data + n, unit, data.swap)))
            return true;
    }
    return false;
}

static void print_quoted(struct export_print_output *out, enum cairn_style style,
                         enum decode_value value, struct decode_value_data data)
{
    if (style == CAIRN_STYLE_TEXT && needs_quotes(value, data))
        style = EXPORT_STYLE_QUOTED;
    out->at = put_quote_if(export_output_reserve(out, 1), has_quotes(style));
    print_string(out, style, value, data);
    out->at = put_quote_if(export_output_reserve(out, 1), has_quotes(style));
}

char *export_value_put(char *to, enum cairn_style style, enum decode_value value,
                       struct decode_value_data data)
{
    if (value < DECODE_VALUE_FIRST_WORD)
        return put_bare(to, style, value, data);
    to = put_word(put_quote_if(to, has_quotes(style)), style, value, data);
    return put_quote_if(to, has_quotes(style));
}

void export_value_print(struct export_print_output *out, enum cairn_style style,
                        enum decode_value value, struct decode_value_data data)
{
    if (value >= DECODE_VALUE_FIRST_STRING)
        print_quoted(out, style, value, data);
    else
        out->at = export_value_put(export_output_reserve(out, EXPORT_VALUE_ROOM_BYTES), style,
                                   value, data);
}
