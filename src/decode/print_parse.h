/* SPDX-License-Identifier: MIT */
/*
 * The parser of print formats. It remembers its first failure, so that most steps need no check:
 * after a failure the current token is the end, and nodes are 0.
 */
#ifndef DECODE_PRINT_PARSE_H
#define DECODE_PRINT_PARSE_H

#include "decode/print_lex.h"

struct decode_print_parser {
    struct decode_print *print;
    struct cairn_slice rest;
    struct decode_print_token token; /* the current one */
    uint32_t depth;
    int error; /* 0, ENOTSUP, ENOMEM */
};

void decode_print_fail(struct decode_print_parser *parser, int error);
void decode_print_advance(struct decode_print_parser *parser);

/* Takes the token if it is this sign or word. */
bool decode_print_accept(struct decode_print_parser *parser, const char *text);
void decode_print_expect(struct decode_print_parser *parser, const char *text);

/* Nodes. Those with constant operands become constants. */
uint32_t decode_print_add(struct decode_print_parser *parser, struct decode_print_node node);
uint32_t decode_print_add_number(struct decode_print_parser *parser, uint64_t value,
                                 struct decode_print_type type);
uint32_t decode_print_add_binary(struct decode_print_parser *parser, enum decode_print_op op,
                                 uint32_t a, uint32_t b);

/* An expression without commas. */
uint32_t decode_print_parse_expression(struct decode_print_parser *parser);
uint32_t decode_print_parse_unary(struct decode_print_parser *parser);

/* The arguments of a call, after its opening parenthesis, and the closing one. */
uint32_t decode_print_parse_call(struct decode_print_parser *parser, struct cairn_slice name);

/* Adjacent string literals, as one; the slice refers to memory of the result. */
struct cairn_slice decode_print_parse_string(struct decode_print_parser *parser);

/* A type name, up to the closing parenthesis. False, and nothing is taken, if it is none. */
bool decode_print_parse_type(struct decode_print_parser *parser,
                             struct decode_print_type *ret_type);

/* "REC->name", or the name alone: the field's index. False if there is no such field. */
bool decode_print_find_field(const struct decode_print *print, struct cairn_slice name,
                             uint32_t *ret_index);

/* Splits the format string into pieces, and parses an argument for each conversion. */
void decode_print_parse_pieces(struct decode_print_parser *parser);

/* Finds the fields that have names, when all pieces are there. Returns 0, ENOMEM. */
int decode_print_find_named(struct decode_print *print);

/* The value of nodes that refer to no field. */
uint64_t decode_print_constant(const struct decode_print *print, uint32_t node);

#endif
