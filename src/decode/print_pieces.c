/* SPDX-License-Identifier: MIT */
/* Splits a format string into pieces: text and a conversion, with the argument of each. */
#include "decode/print_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN_DIGITS_MAX 16u

static char peek(struct cairn_slice rest)
{
    return rest.length ? *rest.text : 0;
}

static void skip(struct cairn_slice *rest)
{
    rest->text++;
    rest->length--;
}

static bool set_flag(struct decode_print_piece *piece, char c)
{
    switch (c) {
    case '-':
        return piece->left = true;
    case '+':
        return piece->plus = true;
    case ' ':
        return piece->space = true;
    case '#':
        return piece->alternate = true;
    case '0':
        return piece->zero = true;
    default:
        return false;
    }
}

static uint32_t next_argument(struct decode_print_parser *parser)
{
    decode_print_expect(parser, ",");
    return decode_print_parse_expression(parser);
}

/* A width or a precision: digits or "*". */
static uint32_t take_size(struct decode_print_parser *parser, struct cairn_slice *rest,
                          bool *ret_is_argument)
{
    uint32_t size = 0;

    if (peek(*rest) == '*') {
        *ret_is_argument = true;
        skip(rest);
        return next_argument(parser);
    }
    for (; peek(*rest) >= '0' && peek(*rest) <= '9'; skip(rest))
        size = size < 10000 ? size * 10 + (uint32_t)(*rest->text - '0') : size;
    return size;
}

/* "hh", "h", "l", "ll", "L", "q", "z", "t", "j". */
static uint8_t take_length(struct cairn_slice *rest, uint8_t long_bytes)
{
    uint8_t bytes = 4;

    for (;; skip(rest)) {
        switch (peek(*rest)) {
        case 'h':
            bytes /= 2;
            break;
        case 'l':
            bytes = bytes == 4 ? long_bytes : 8;
            break;
        case 'z':
        case 't':
        case 'Z':
            bytes = long_bytes;
            break;
        case 'L':
        case 'q':
        case 'j':
            bytes = 8;
            break;
        default:
            return bytes ? bytes : 1;
        }
    }
}

/* The letters after %p that are part of it, as in the kernel: any letters and digits. */
static void take_extension(struct decode_print_piece *piece, struct cairn_slice *rest)
{
    size_t length = 0;

    for (char c = peek(*rest); (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
         skip(rest), c = peek(*rest)) {
        if (length < sizeof(piece->extension) - 1)
            piece->extension[length++] = c;
    }
}

static void take_conversion(struct decode_print_parser *parser, struct cairn_slice *rest,
                            struct decode_print_piece *piece)
{
    while (set_flag(piece, peek(*rest)))
        skip(rest);
    piece->has_width = peek(*rest) == '*' || (peek(*rest) >= '1' && peek(*rest) <= '9');
    piece->width = take_size(parser, rest, &piece->is_width_argument);
    if (peek(*rest) == '.') {
        skip(rest);
        piece->has_precision = true;
        piece->precision = take_size(parser, rest, &piece->is_precision_argument);
    }
    piece->size_bytes = take_length(rest, parser->print->long_bytes);
    piece->conversion = peek(*rest);
    if (!piece->conversion || !strchr("diouxXcsp", piece->conversion)) {
        decode_print_fail(parser, ENOTSUP);
        return;
    }
    skip(rest);
    if (piece->conversion == 'p')
        take_extension(piece, rest);
    piece->argument = next_argument(parser);
}

/* A decimal is not filled, because its sign would count. */
static bool is_plain_number(const struct decode_print *print,
                            const struct decode_print_piece *piece)
{
    bool is_hex = piece->conversion == 'x' && !piece->alternate && (piece->zero || !piece->width);

    return piece->conversion && (is_hex || (strchr("diu", piece->conversion) && !piece->width)) &&
           !piece->is_width_argument && piece->width <= PLAIN_DIGITS_MAX && !piece->left &&
           !piece->has_precision && !piece->plus && !piece->space &&
           piece->argument < print->node_count &&
           print->nodes[piece->argument].op < DECODE_PRINT_FLAGS;
}

/* True if a cast leaves the bytes that the conversion prints. */
static bool keeps_number(struct decode_print_type type, const struct decode_print_piece *piece)
{
    return !type.is_pointer && !type.is_bool && (!type.bytes || type.bytes >= piece->size_bytes);
}

/* Most arguments are a field of an integer, perhaps with a cast. */
static struct decode_print_fixed find_fixed(const struct decode_print *print,
                                            const struct decode_print_piece *piece)
{
    const struct decode_print_node *node = &print->nodes[piece->argument];
    const struct cairn_field *field;

    while (node->op == DECODE_PRINT_CAST && keeps_number(node->type, piece))
        node = &print->nodes[node->child[0]];
    if (node->op != DECODE_PRINT_FIELD || node->type.element_bytes)
        return (struct decode_print_fixed){0};
    field = &print->fields[node->value];
    if (field->is_array || field->location != CAIRN_FIELD_INLINE ||
        field->size_bytes != node->type.bytes)
        return (struct decode_print_fixed){0};
    return (struct decode_print_fixed){field->offset, node->type.bytes, node->type.is_unsigned};
}

static void add_piece(struct decode_print_parser *parser, struct decode_print_piece piece)
{
    struct decode_print *print = parser->print;

    if (print->piece_count == print->piece_max) {
        uint32_t max = print->piece_max ? 2 * print->piece_max : 16;
        void *pieces = realloc(print->pieces, max * sizeof(*print->pieces));

        if (!pieces) {
            decode_print_fail(parser, ENOMEM);
            return;
        }
        print->pieces = (struct decode_print_piece *)pieces;
        print->piece_max = max;
    }
    print->pieces[print->piece_count++] = piece;
}

/* Reads text up to the next conversion, with the first percent sign of "%%". */
static void take_piece(struct decode_print_parser *parser, struct cairn_slice *rest)
{
    struct decode_print_piece piece = {.before = {rest->text, 0}};

    while (rest->length && *rest->text != '%') {
        skip(rest);
        piece.before.length++;
    }
    if (rest->length) {
        skip(rest);
        if (peek(*rest) == '%') {
            skip(rest);
            piece.before.length++;
        } else {
            take_conversion(parser, rest, &piece);
        }
    }
    if (!parser->error && is_plain_number(parser->print, &piece)) {
        piece.is_plain_number = true;
        piece.zero_digits = (uint8_t)(piece.width ? piece.width : 1);
        piece.fixed = find_fixed(parser->print, &piece);
    }
    add_piece(parser, piece);
}

void decode_print_parse_pieces(struct decode_print_parser *parser)
{
    struct cairn_slice rest;

    while (decode_print_accept(parser, "(")) /* some formats are in parentheses */
        ;
    rest = decode_print_parse_string(parser);
    while (rest.length && !parser->error)
        take_piece(parser, &rest);
    while (decode_print_accept(parser, ")"))
        ;
    if (parser->token.kind != DECODE_PRINT_TOKEN_END)
        decode_print_fail(parser, ENOTSUP);
}
