/* SPDX-License-Identifier: MIT */
/* Adds fields to lines of text: JSON, and text for people. */
#include "tracing/line_values.h"

#include "os/number.h"

#include "tracing/value_text.h"

#include <math.h>
#include <string.h>

/* ---- UTF-8 ---- */

/* Size of the UTF-8 character at the front; 0: it is invalid. */
static size_t character_bytes(const unsigned char *text, size_t length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = text[0] < 0x80   ? 1
                  : text[0] < 0xc2 ? 0
                  : text[0] < 0xe0 ? 2
                  : text[0] < 0xf0 ? 3
                  : text[0] < 0xf5 ? 4
                                   : 0;
    uint32_t code = size ? text[0] & (0xffu >> (size == 1 ? 1 : size + 1)) : 0;

    if (!size || size > length)
        return 0;
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    if (code < least[size] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    return size;
}

/* Control characters of ISO 6429 from U+0080 on: some terminals obey them. */
static bool is_c1(const unsigned char *text, size_t size)
{
    return size == 2 && text[0] == 0xc2 && text[1] < 0xa0;
}

/* Number of bytes at the front that need no escape: visible ASCII except the quote. */
static size_t plain_bytes(const unsigned char *text, size_t length, char quote)
{
    size_t count = 0;

    while (count < length && text[count] >= ' ' && text[count] < 0x7f &&
           text[count] != (unsigned char)quote && (text[count] != '\\' || !quote))
        count++;
    return count;
}

/* ---- JSON ---- */

static void add_json_character(struct tracing_line *line, unsigned char c)
{
    static const char short_escapes[] = "\"\"\\\\\bb\ff\nn\rr\tt";

    for (const char *escape = short_escapes; *escape; escape += 2) {
        if ((unsigned char)*escape != c)
            continue;
        tracing_line_add_char(line, '\\');
        tracing_line_add_char(line, escape[1]);
        return;
    }
    if (c < ' ' || c == 0x7f)
        tracing_line_printf(line, "\\u%04x", c);
    else
        tracing_line_add_char(line, (char)c);
}

/* Adds one character that needs a check; returns its size. */
static size_t add_json_special(struct tracing_line *line, const unsigned char *text, size_t length)
{
    size_t size = character_bytes(text, length);

    if (!size)
        tracing_line_add_literal(line, "\\ufffd");
    else if (is_c1(text, size))
        tracing_line_printf(line, "\\u00%02x", text[1]);
    else if (size == 1)
        add_json_character(line, *text);
    else
        tracing_line_add(line, (const char *)text, size);
    return size ? size : 1;
}

/* Without the enclosing quotes. */
static void add_json(struct tracing_line *line, const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text;

    while (length) {
        size_t size = plain_bytes(at, length, '"');

        if (size)
            tracing_line_add(line, (const char *)at, size);
        else
            size = add_json_special(line, at, length);
        at += size;
        length -= size;
    }
}

void tracing_line_json_text(struct tracing_line *line, const char *text, size_t length)
{
    tracing_line_add_char(line, '"');
    add_json(line, text, length);
    tracing_line_add_char(line, '"');
}

static bool is_json_number(const struct cairn_tracing_value *value)
{
    double number;

    if (value->kind != CAIRN_KIND_FLOAT)
        return value->kind == CAIRN_KIND_SIGNED || value->kind == CAIRN_KIND_UNSIGNED ||
               value->kind == CAIRN_KIND_BOOL || value->kind == CAIRN_KIND_ERRNO;
    memcpy(&number, &value->of.bits, sizeof(number));
    return isfinite(number);
}

static void add_hex(struct tracing_line *line, const struct cairn_tracing_value *value)
{
    const unsigned char *byte = value->of.data;

    for (uint32_t i = 0; i < value->data_bytes; i++) {
        char digits[3];

        tracing_hex_text(byte + i, 1, digits);
        tracing_line_add(line, digits, 2);
    }
}

void tracing_line_json_name(struct tracing_line *line, const char *name, uint32_t number)
{
    tracing_line_add_char(line, '"');
    add_json(line, name, strlen(name));
    if (number > 1)
        tracing_line_printf(line, "#%u", number);
    tracing_line_add_literal(line, "\":");
}

void tracing_line_json_value(struct tracing_line *line, const struct cairn_tracing_value *value)
{
    char text[TRACING_VALUE_TEXT_BYTES];
    size_t length;

    if (value->kind == CAIRN_KIND_NONE) {
        tracing_line_add_literal(line, "null");
    } else if (value->kind == CAIRN_KIND_TEXT) {
        tracing_line_json_text(line, value->of.data, value->data_bytes);
    } else if (value->kind == CAIRN_KIND_BYTES) {
        tracing_line_add_char(line, '"');
        add_hex(line, value);
        tracing_line_add_char(line, '"');
    } else {
        length = tracing_value_text(value, text);
        if (is_json_number(value))
            tracing_line_add(line, text, length);
        else
            tracing_line_json_text(line, text, length);
    }
}

/* ---- text for people ---- */

static void add_human_character(struct tracing_line *line, unsigned char c, char quote)
{
    if (c == '\n')
        tracing_line_add_literal(line, "\\n");
    else if (c == '\r')
        tracing_line_add_literal(line, "\\r");
    else if (c == '\t')
        tracing_line_add_literal(line, "\\t");
    else if (c < ' ' || c == 0x7f)
        tracing_line_printf(line, "\\x%02x", c);
    else if (quote && (c == (unsigned char)quote || c == '\\'))
        tracing_line_printf(line, "\\%c", c);
    else
        tracing_line_add_char(line, (char)c);
}

/* Adds one character that needs a check; returns its size. */
static size_t add_human_special(struct tracing_line *line, const unsigned char *text, size_t length,
                                char quote)
{
    size_t size = character_bytes(text, length);

    if (size == 1) {
        add_human_character(line, *text, quote);
    } else if (size && !is_c1(text, size)) {
        tracing_line_add(line, (const char *)text, size);
    } else {
        size = size ? size : 1;
        for (size_t i = 0; i < size; i++)
            tracing_line_printf(line, "\\x%02x", text[i]);
    }
    return size;
}

static void add_human(struct tracing_line *line, const char *text, size_t length, char quote)
{
    const unsigned char *at = (const unsigned char *)text;

    while (length) {
        size_t size = plain_bytes(at, length, quote);

        if (size)
            tracing_line_add(line, (const char *)at, size);
        else
            size = add_human_special(line, at, length, quote);
        at += size;
        length -= size;
    }
}

void tracing_line_human_text(struct tracing_line *line, const char *text, size_t length)
{
    add_human(line, text, length, '\0');
}

void tracing_line_human_field(struct tracing_line *line, const char *name,
                              const struct cairn_tracing_value *value)
{
    char text[TRACING_VALUE_TEXT_BYTES];

    tracing_line_human_text(line, name, strlen(name));
    tracing_line_add_char(line, '=');
    if (value->kind == CAIRN_KIND_TEXT) {
        tracing_line_add_char(line, '"');
        add_human(line, value->of.data, value->data_bytes, '"');
        tracing_line_add_char(line, '"');
    } else if (value->kind == CAIRN_KIND_BYTES) {
        add_hex(line, value);
    } else if (value->kind == CAIRN_KIND_CHAR) {
        tracing_line_add_char(line, '\'');
        add_human(line, text, tracing_value_text(value, text), '\'');
        tracing_line_add_char(line, '\'');
    } else {
        tracing_line_add(line, text, tracing_value_text(value, text));
        if (value->kind == CAIRN_KIND_ERRNO && os_error_name((int)(int64_t)value->of.bits))
            tracing_line_printf(line, "(%s)", os_error_name((int)(int64_t)value->of.bits));
    }
}
