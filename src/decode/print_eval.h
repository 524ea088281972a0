/* SPDX-License-Identifier: MIT */
/* Evaluates the nodes of a print format for a record. */
#ifndef DECODE_PRINT_EVAL_H
#define DECODE_PRINT_EVAL_H

#include "core/copy.h"
#include "decode/print_node.h"

#include <cairn/tracepoint.h>

struct decode_print_value {
    uint64_t number;     /* extended to 64 bits by its type */
    const uint8_t *data; /* of a pointer into the record or to a literal; otherwise NULL */
    uint32_t bytes;      /* of data */
};

struct decode_print_run {
    const struct decode_print *print;
    const struct decode_print_record *record;
    bool is_cut; /* the record ended before a field that was read */
    char *at;    /* the next character goes here */
    char *end;
    bool is_full; /* characters were dropped */
};

struct decode_print_value decode_print_evaluate(struct decode_print_run *run, uint32_t index);

/* The same as decode_print_put for a text that does not fit. */
void decode_print_put_cut(struct decode_print_run *run, const void *text);

static inline void decode_print_put(struct decode_print_run *run, const void *text, size_t length)
{
    if (cairn_unlikely((size_t)(run->end - run->at) < length)) {
        decode_print_put_cut(run, text);
        return;
    }
    if (length <= 16)
        core_copy_short(run->at, text, length);
    else
        __builtin_memcpy(run->at, text, length);
    run->at += length;
}

static inline void decode_print_put_char(struct decode_print_run *run, char c)
{
    decode_print_put(run, &c, 1);
}

/* A number in base 8, 10 or 16, with at least `digits` digits. */
void decode_print_put_number(struct decode_print_run *run, uint64_t value, unsigned base,
                             unsigned digits);

/* "0x1f", without leading zeros. */
void decode_print_put_hex(struct decode_print_run *run, uint64_t value);

/* The text of an argument of %s. */
void decode_print_put_string(struct decode_print_run *run, uint32_t index);

/* Texts by family; each takes a node of its operations. */
void decode_print_put_flags(struct decode_print_run *run, const struct decode_print_node *node);
void decode_print_put_symbolic(struct decode_print_run *run, const struct decode_print_node *node);
void decode_print_put_bytes(struct decode_print_run *run, const struct decode_print_node *node);
void decode_print_put_seconds(struct decode_print_run *run, const struct decode_print_node *node);

/* "%ps": the symbol's name; "%pS": its offset, too. */
void decode_print_put_symbol(struct decode_print_run *run, char form, uint64_t address);

/* The forms of %p. */
void decode_print_put_pointer(struct decode_print_run *run, const struct decode_print_piece *piece,
                              struct decode_print_value value, uint32_t width);

/* "%pI4", "%pI6c", "%pISpc" and similar forms. False if the data is too short: nothing was written.
 */
bool decode_print_put_network(struct decode_print_run *run, const char *extension,
                              struct decode_print_value value);

#endif
