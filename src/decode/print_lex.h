/* SPDX-License-Identifier: MIT */
/* The tokens of a print format. */
#ifndef DECODE_PRINT_LEX_H
#define DECODE_PRINT_LEX_H

#include "decode/print_node.h"

enum decode_print_token_kind {
    DECODE_PRINT_TOKEN_END,
    DECODE_PRINT_TOKEN_BAD,
    DECODE_PRINT_TOKEN_WORD,
    DECODE_PRINT_TOKEN_NUMBER, /* also a character constant */
    DECODE_PRINT_TOKEN_STRING, /* `text` is without its quotes, escapes unchanged */
    DECODE_PRINT_TOKEN_SIGN,
};

struct decode_print_token {
    enum decode_print_token_kind kind;
    struct cairn_slice text;
    uint64_t number;
    struct decode_print_type type; /* of a number */
};

/* Takes the next token from the beginning of `text`. */
struct decode_print_token decode_print_next_token(struct cairn_slice *text, uint8_t long_bytes);

/* Takes one character of a literal: an escape sequence, or itself. Text is not empty. */
char decode_print_take_character(struct cairn_slice *text);

static inline bool decode_print_token_is(const struct decode_print_token *token, const char *text)
{
    size_t length = __builtin_strlen(text);

    return (token->kind == DECODE_PRINT_TOKEN_SIGN || token->kind == DECODE_PRINT_TOKEN_WORD) &&
           token->text.length == length && !__builtin_memcmp(token->text.text, text, length);
}

#endif
