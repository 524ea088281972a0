/* SPDX-License-Identifier: MIT */
/* Splits a print format into the tokens of C. */
#include "decode/print_lex.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int digit_of(char c)
{
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

static char take(struct cairn_slice *text)
{
    text->length--;
    return *text->text++;
}

static unsigned take_digits(struct cairn_slice *text, int base, unsigned max)
{
    unsigned value = 0;

    for (; max && text->length && digit_of(*text->text) < base; max--)
        value = value * (unsigned)base + (unsigned)digit_of(take(text));
    return value;
}

char decode_print_take_character(struct cairn_slice *text)
{
    static const char letters[] = "abtnvfre";
    static const char meanings[] = "\a\b\t\n\v\f\r\033";
    const char *letter;
    char c = take(text);

    if (c != '\\' || !text->length)
        return c;
    if (digit_of(*text->text) < 8)
        return (char)take_digits(text, 8, 3);
    c = take(text);
    if (c == 'x')
        return (char)take_digits(text, 16, 2);
    letter = c ? strchr(letters, c) : NULL;
    return letter ? meanings[letter - letters] : c;
}

/* The text up to the closing quote. False if there is none. */
static bool take_quoted(struct cairn_slice *text, struct cairn_slice *ret_inside)
{
    char quote = take(text);

    *ret_inside = (struct cairn_slice){text->text, 0};
    while (text->length) {
        char c = take(text);

        if (c == quote)
            return true;
        ret_inside->length++;
        if (c == '\\' && text->length) {
            take(text);
            ret_inside->length++;
        }
    }
    return false;
}

static struct decode_print_token take_literal(struct cairn_slice *text)
{
    struct decode_print_token token = {.kind = DECODE_PRINT_TOKEN_STRING};
    bool is_character = *text->text == '\'';

    if (!take_quoted(text, &token.text) || (is_character && !token.text.length))
        return (struct decode_print_token){.kind = DECODE_PRINT_TOKEN_BAD};
    if (is_character) {
        token.kind = DECODE_PRINT_TOKEN_NUMBER;
        token.number = (uint64_t)(int64_t)(signed char)decode_print_take_character(&token.text);
        token.type.bytes = sizeof(int);
    }
    return token;
}

/* C's rule: the first of int, unsigned (not if decimal), long, unsigned long that holds it. */
static struct decode_print_type type_of(uint64_t number, int base, bool is_unsigned, bool is_long,
                                        uint8_t long_bytes)
{
    struct decode_print_type type = {.bytes = is_long ? long_bytes : 4, .is_unsigned = is_unsigned};

    if (number > UINT32_MAX || (number > INT32_MAX && !is_unsigned && base == 10))
        type.bytes = 8;
    if (number >> (8 * type.bytes - 1) && base != 10)
        type.is_unsigned = true;
    return type;
}

static struct decode_print_token take_number(struct cairn_slice *text, uint8_t long_bytes)
{
    struct decode_print_token token = {.kind = DECODE_PRINT_TOKEN_NUMBER, .text = *text};
    int base = *text->text == '0' ? 8 : 10;
    bool is_unsigned = false;
    unsigned longs = 0;

    if (base == 8 && text->length > 2 && (text->text[1] | 0x20) == 'x') {
        base = 16;
        *text = (struct cairn_slice){text->text + 2, text->length - 2};
    }
    while (text->length && digit_of(*text->text) < base)
        token.number = token.number * (unsigned)base + (unsigned)digit_of(take(text));
    for (; text->length && is_word(*text->text); take(text)) {
        char c = *text->text | 0x20;

        if (c != 'u' && c != 'l')
            return (struct decode_print_token){.kind = DECODE_PRINT_TOKEN_BAD};
        is_unsigned |= c == 'u';
        longs += c == 'l';
    }
    token.type = type_of(token.number, base, is_unsigned, longs > 0, longs > 1 ? 8 : long_bytes);
    return token;
}

static struct decode_print_token take_sign(struct cairn_slice *text)
{
    static const char pairs[][3] = {"->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    struct decode_print_token token = {.kind = DECODE_PRINT_TOKEN_SIGN, .text = {text->text, 1}};

    for (size_t n = 0; n < sizeof(pairs) / sizeof(*pairs) && text->length > 1; n++) {
        if (!memcmp(pairs[n], text->text, 2))
            token.text.length = 2;
    }
    text->text += token.text.length;
    text->length -= token.text.length;
    return token;
}

struct decode_print_token decode_print_next_token(struct cairn_slice *text, uint8_t long_bytes)
{
    struct decode_print_token token = {.kind = DECODE_PRINT_TOKEN_END};

    while (text->length && is_space(*text->text))
        take(text);
    if (!text->length)
        return token;
    if (*text->text == '"' || *text->text == '\'')
        return take_literal(text);
    if (is_digit(*text->text))
        return take_number(text, long_bytes);
    if (!is_word(*text->text))
        return take_sign(text);
    token.kind = DECODE_PRINT_TOKEN_WORD;
    token.text.text = text->text;
    for (; text->length && is_word(*text->text); take(text))
        token.text.length++;
    return token;
}
