/* SPDX-License-Identifier: MIT */
/* A compiled print format: expressions as a tree of nodes, in one array. */
#ifndef DECODE_PRINT_NODE_H
#define DECODE_PRINT_NODE_H

#include "decode/print.h"

#define DECODE_PRINT_NODES_MAX  32768u
#define DECODE_PRINT_FORMAT_MAX 262144u /* bytes of a print format */
#define DECODE_PRINT_DEPTH_MAX  200u    /* of a tree, and of the parser's recursion */

enum decode_print_op {
    DECODE_PRINT_CONSTANT,
    DECODE_PRINT_UNKNOWN, /* an identifier of the kernel: 0, and never a flag's value */
    DECODE_PRINT_STRING,
    DECODE_PRINT_FIELD,
    DECODE_PRINT_ADDRESS, /* of a field */
    DECODE_PRINT_INDEX,   /* a[b]; *a is a[0] */
    DECODE_PRINT_CAST,
    DECODE_PRINT_NEGATE,
    DECODE_PRINT_COMPLEMENT,
    DECODE_PRINT_NOT,
    DECODE_PRINT_MULTIPLY,
    DECODE_PRINT_DIVIDE,
    DECODE_PRINT_REMAINDER,
    DECODE_PRINT_ADD,
    DECODE_PRINT_SUBTRACT,
    DECODE_PRINT_SHIFT_LEFT,
    DECODE_PRINT_SHIFT_RIGHT,
    DECODE_PRINT_LESS,
    DECODE_PRINT_LESS_EQUAL,
    DECODE_PRINT_GREATER,
    DECODE_PRINT_GREATER_EQUAL,
    DECODE_PRINT_EQUAL,
    DECODE_PRINT_NOT_EQUAL,
    DECODE_PRINT_BIT_AND,
    DECODE_PRINT_BIT_XOR,
    DECODE_PRINT_BIT_OR,
    DECODE_PRINT_AND,
    DECODE_PRINT_OR,
    DECODE_PRINT_CONDITION, /* a ? b : c */
    DECODE_PRINT_DYNAMIC,   /* the bytes of a __data_loc or __rel_loc field */
    DECODE_PRINT_DYNAMIC_LENGTH,
    /* Texts: arguments of %s. */
    DECODE_PRINT_FLAGS,    /* of a; b: the delimiter */
    DECODE_PRINT_SYMBOLIC, /* of a */
    DECODE_PRINT_HEX,      /* b bytes of a */
    DECODE_PRINT_HEX_STR,
    DECODE_PRINT_ARRAY,    /* b elements of a, of c bytes */
    DECODE_PRINT_HEX_DUMP, /* d bytes of c, a in a line, in groups of b */
    DECODE_PRINT_BITMASK,
    DECODE_PRINT_SECONDS,     /* of a in ns */
    DECODE_PRINT_NANOSECONDS, /* the rest of a */
};

/* A C type: an integer, or a pointer to integers or to bytes of unknown type. */
struct decode_print_type {
    uint8_t bytes; /* of an integer; 0: of a text */
    bool is_unsigned;
    bool is_pointer;
    uint8_t element_bytes; /* of a pointer's target; 0: unknown */
    bool is_element_unsigned;
    bool is_bool; /* an integer that is 0 or 1 */
};

struct decode_print_node {
    uint8_t op; /* enum decode_print_op */
    uint8_t depth;
    struct decode_print_type type;
    uint32_t child[4];
    uint64_t value;          /* of a constant; of a field its index */
    struct cairn_slice text; /* of a string */
    uint32_t symbol;         /* the first, of flags and symbolic values */
    uint32_t symbol_count;
};

struct decode_print_symbol {
    uint64_t value;
    bool is_unknown; /* the recording does not say what the identifier's value is */
    struct cairn_slice text;
};

/* An integer that is at a fixed position in the record. */
struct decode_print_fixed {
    uint32_t offset;
    uint8_t bytes; /* 0: the argument is another one */
    bool is_unsigned;
};

/* A piece of the format string: text, then a conversion, if it has one. */
struct decode_print_piece {
    struct cairn_slice before;
    char conversion;    /* 'd', 's', 'p' ...; 0: none */
    char extension[8];  /* after %p: "I6c" */
    uint8_t size_bytes; /* of the number: "%hx" 2 */
    bool left, plus, space, alternate, zero;
    bool has_width, has_precision;
    bool is_width_argument, is_precision_argument;
    bool is_plain_number; /* decimal, or hexadecimal; at most filled with zeros; no text */
    uint8_t zero_digits;  /* of a plain number: the minimum of digits */
    uint32_t width;       /* a number, or a node */
    uint32_t precision;
    uint32_t argument;               /* a node */
    struct decode_print_fixed fixed; /* what the argument of a plain number reads */
};

/* Addresses that the pieces print, instead of their arguments. */
struct decode_print_stack {
    uint32_t count_offset; /* of their number, an int */
    uint32_t offset;       /* 0: the pieces have arguments */
};

/* A field whose value has a name, which pieces of the format print. */
struct decode_print_named {
    uint32_t field; /* of the schema */
    uint32_t piece; /* the first */
    uint32_t piece_count;
};

struct decode_print {
    struct decode_print_node *nodes;
    struct decode_print_symbol *symbols;
    struct decode_print_piece *pieces;
    struct cairn_field *fields;
    struct decode_print_named *named;
    char *strings; /* the texts of all string literals */
    uint32_t node_count;
    uint32_t node_max;
    uint32_t symbol_count;
    uint32_t symbol_max;
    uint32_t piece_count;
    uint32_t piece_max;
    uint32_t named_count;
    uint32_t field_count;
    uint32_t string_bytes;
    uint8_t long_bytes;
    struct decode_print_stack stack;
};

#endif
