/* SPDX-License-Identifier: MIT */
/* Parses the calls of a print format: those that the kernel provides for all tracepoints. */
#include "decode/print_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add_symbol(struct decode_print_parser *parser, struct decode_print_symbol symbol)
{
    struct decode_print *print = parser->print;

    if (print->symbol_count == print->symbol_max) {
        uint32_t max = print->symbol_max ? 2 * print->symbol_max : 16;
        void *symbols = realloc(print->symbols, max * sizeof(*print->symbols));

        if (!symbols) {
            decode_print_fail(parser, ENOMEM);
            return;
        }
        print->symbols = (struct decode_print_symbol *)symbols;
        print->symbol_max = max;
    }
    print->symbols[print->symbol_count++] = symbol;
}

/*
 * "{ value, "text" }". The terminator of some lists, "{ -1, NULL }", is left out, and so is a value
 * that is not a constant: it never matches.
 */
static void parse_symbol(struct decode_print_parser *parser)
{
    struct decode_print_symbol symbol = {0};
    uint32_t value;

    decode_print_expect(parser, "{");
    if (decode_print_accept(parser, "}"))
        return;
    value = decode_print_parse_expression(parser);
    decode_print_expect(parser, ",");
    if (parser->token.kind == DECODE_PRINT_TOKEN_STRING)
        symbol.text = decode_print_parse_string(parser);
    else
        decode_print_parse_expression(parser);
    decode_print_accept(parser, ",");
    decode_print_expect(parser, "}");
    if (parser->error || !symbol.text.text)
        return;
    symbol.is_unknown = parser->print->nodes[value].op == DECODE_PRINT_UNKNOWN;
    if (parser->print->nodes[value].op != DECODE_PRINT_CONSTANT && !symbol.is_unknown)
        return;
    symbol.value = parser->print->nodes[value].value;
    add_symbol(parser, symbol);
}

/* The pairs of flags and symbolic values, from the comma before them; some end with a comma. */
static void parse_symbols(struct decode_print_parser *parser, struct decode_print_node *node)
{
    node->symbol = parser->print->symbol_count;
    while (decode_print_accept(parser, ",")) {
        if (decode_print_token_is(&parser->token, "{"))
            parse_symbol(parser);
    }
    node->symbol_count = parser->print->symbol_count - node->symbol;
}

static void parse_arguments(struct decode_print_parser *parser, struct decode_print_node *node,
                            unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        if (n)
            decode_print_expect(parser, ",");
        node->child[n] = decode_print_parse_expression(parser);
    }
}

/* The name of a dynamic field. */
static void parse_dynamic(struct decode_print_parser *parser, struct decode_print_node *node)
{
    const struct cairn_field *field;
    uint32_t index;

    if (parser->token.kind != DECODE_PRINT_TOKEN_WORD ||
        !decode_print_find_field(parser->print, parser->token.text, &index)) {
        decode_print_fail(parser, ENOTSUP);
        return;
    }
    decode_print_advance(parser);
    field = &parser->print->fields[index];
    node->value = index;
    if (node->op == DECODE_PRINT_DYNAMIC_LENGTH)
        return;
    node->type = (struct decode_print_type){
        .bytes = parser->print->long_bytes,
        .is_unsigned = true,
        .is_pointer = true,
        .element_bytes = field->element_size_bytes <= 8 ? (uint8_t)field->element_size_bytes : 0,
        .is_element_unsigned = field->kind != CAIRN_FIELD_SIGNED,
    };
}

/* The kinds of arguments of a call. */
enum call_kind {
    CALL_SYMBOLS,
    CALL_DYNAMIC,
    CALL_VALUES, /* as many as `arguments` */
};

struct call {
    const char *name;
    uint8_t op;
    uint8_t kind;
    uint8_t arguments;
};

static const struct call calls[] = {
    {"__print_flags", DECODE_PRINT_FLAGS, CALL_SYMBOLS, 2},
    {"__print_flags_u64", DECODE_PRINT_FLAGS, CALL_SYMBOLS, 2},
    {"__print_symbolic", DECODE_PRINT_SYMBOLIC, CALL_SYMBOLS, 1},
    {"__print_symbolic64", DECODE_PRINT_SYMBOLIC, CALL_SYMBOLS, 1},
    {"__print_symbolic_u64", DECODE_PRINT_SYMBOLIC, CALL_SYMBOLS, 1},
    {"__print_hex", DECODE_PRINT_HEX, CALL_VALUES, 2},
    {"__print_hex_str", DECODE_PRINT_HEX_STR, CALL_VALUES, 2},
    {"__print_array", DECODE_PRINT_ARRAY, CALL_VALUES, 3},
    {"__print_ns_to_secs", DECODE_PRINT_SECONDS, CALL_VALUES, 1},
    {"__print_ns_without_secs", DECODE_PRINT_NANOSECONDS, CALL_VALUES, 1},
    {"__get_str", DECODE_PRINT_DYNAMIC, CALL_DYNAMIC, 0},
    {"__get_rel_str", DECODE_PRINT_DYNAMIC, CALL_DYNAMIC, 0},
    {"__get_dynamic_array", DECODE_PRINT_DYNAMIC, CALL_DYNAMIC, 0},
    {"__get_rel_dynamic_array", DECODE_PRINT_DYNAMIC, CALL_DYNAMIC, 0},
    {"__get_dynamic_array_len", DECODE_PRINT_DYNAMIC_LENGTH, CALL_DYNAMIC, 0},
    {"__get_rel_dynamic_array_len", DECODE_PRINT_DYNAMIC_LENGTH, CALL_DYNAMIC, 0},
    {"__get_sockaddr", DECODE_PRINT_DYNAMIC, CALL_DYNAMIC, 0},
    {"__get_rel_sockaddr", DECODE_PRINT_DYNAMIC, CALL_DYNAMIC, 0},
    {"__get_bitmask", DECODE_PRINT_BITMASK, CALL_DYNAMIC, 0},
    {"__get_rel_bitmask", DECODE_PRINT_BITMASK, CALL_DYNAMIC, 0},
    {"__get_cpumask", DECODE_PRINT_BITMASK, CALL_DYNAMIC, 0},
    {"__get_rel_cpumask", DECODE_PRINT_BITMASK, CALL_DYNAMIC, 0},
};

static bool is_name(struct cairn_slice name, const char *text)
{
    return name.length == strlen(text) && !memcmp(name.text, text, name.length);
}

/* A hint to the compiler: its first argument. */
static uint32_t parse_expect_hint(struct decode_print_parser *parser)
{
    struct decode_print_node node = {0};

    parse_arguments(parser, &node, 2);
    decode_print_expect(parser, ")");
    return node.child[0];
}

/* "jiffies_to_msecs(x)": the recording does not say how long a jiffy was; perf takes it for 1 ms.
 */
static uint32_t parse_jiffies(struct decode_print_parser *parser)
{
    uint32_t value = decode_print_parse_expression(parser);

    decode_print_expect(parser, ")");
    return value;
}

/* "IS_ERR(x)": the last 4095 addresses are error numbers. */
static uint32_t parse_is_error(struct decode_print_parser *parser)
{
    struct decode_print_type type = {.bytes = parser->print->long_bytes, .is_unsigned = true};
    uint32_t value = decode_print_parse_expression(parser);

    decode_print_expect(parser, ")");
    return decode_print_add_binary(parser, DECODE_PRINT_GREATER_EQUAL, value,
                                   decode_print_add_number(parser, (uint64_t)-4095, type));
}

static uint32_t parse_known(struct decode_print_parser *parser, const struct call *call)
{
    struct decode_print_node node = {.op = call->op};

    if (call->op == DECODE_PRINT_DYNAMIC_LENGTH)
        node.type.bytes = 4;
    if (call->kind == CALL_DYNAMIC)
        parse_dynamic(parser, &node);
    else
        parse_arguments(parser, &node, call->arguments);
    if (call->kind == CALL_SYMBOLS)
        parse_symbols(parser, &node);
    decode_print_expect(parser, ")");
    if (node.op != DECODE_PRINT_BITMASK)
        return decode_print_add(parser, node);
    node.op = DECODE_PRINT_DYNAMIC;
    return decode_print_add(parser,
                            (struct decode_print_node){.op = DECODE_PRINT_BITMASK,
                                                       .child = {decode_print_add(parser, node)}});
}

static uint32_t parse_hex_dump(struct decode_print_parser *parser)
{
    struct decode_print_node node = {.op = DECODE_PRINT_HEX_DUMP};

    decode_print_parse_string(parser); /* the kernel's prefix of each line */
    decode_print_expect(parser, ",");
    decode_print_parse_expression(parser); /* the kind of that prefix: offsets are printed */
    decode_print_expect(parser, ",");
    parse_arguments(parser, &node, 4); /* bytes in a line and in a group, data, size */
    decode_print_expect(parser, ",");
    decode_print_parse_expression(parser); /* "is ASCII" */
    decode_print_expect(parser, ")");
    return decode_print_add(parser, node);
}

uint32_t decode_print_parse_call(struct decode_print_parser *parser, struct cairn_slice name)
{
    for (size_t n = 0; n < sizeof(calls) / sizeof(*calls); n++) {
        if (is_name(name, calls[n].name))
            return parse_known(parser, &calls[n]);
    }
    if (is_name(name, "__builtin_expect"))
        return parse_expect_hint(parser);
    if (is_name(name, "jiffies_to_msecs"))
        return parse_jiffies(parser);
    if (is_name(name, "IS_ERR"))
        return parse_is_error(parser);
    if (is_name(name, "__print_hex_dump"))
        return parse_hex_dump(parser);
    decode_print_fail(parser, ENOTSUP);
    return 0;
}
