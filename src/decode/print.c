/* SPDX-License-Identifier: MIT */
/* Compiles print formats: memory, nodes, string literals. */
#include "decode/print.h"

#include "decode/print_eval.h"
#include "decode/print_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_constant(const struct decode_print *print, const struct decode_print_node *node)
{
    unsigned children = node->op == DECODE_PRINT_CONDITION ? 3
                        : node->op < DECODE_PRINT_MULTIPLY ? 1
                                                           : 2;

    if (node->op < DECODE_PRINT_CAST || node->op > DECODE_PRINT_CONDITION)
        return false;
    for (unsigned n = 0; n < children; n++) {
        if (print->nodes[node->child[n]].op != DECODE_PRINT_CONSTANT)
            return false;
    }
    return true;
}

static bool make_space(struct decode_print *print)
{
    uint32_t max = print->node_max ? 2 * print->node_max : 32;
    void *nodes;

    if (print->node_count < print->node_max)
        return true;
    nodes = realloc(print->nodes, max * sizeof(*print->nodes));
    if (!nodes)
        return false;
    print->nodes = (struct decode_print_node *)nodes;
    print->node_max = max;
    return true;
}

static unsigned depth_of(const struct decode_print *print, const struct decode_print_node *node)
{
    unsigned depth = 0;

    for (unsigned n = 0; n < 4; n++) {
        if (node->child[n] && print->nodes[node->child[n]].depth > depth)
            depth = print->nodes[node->child[n]].depth;
    }
    return depth + 1;
}

uint32_t decode_print_add(struct decode_print_parser *parser, struct decode_print_node node)
{
    struct decode_print *print = parser->print;
    unsigned depth;

    if (parser->error)
        return 0;
    depth = depth_of(print, &node);
    if (depth > DECODE_PRINT_DEPTH_MAX || print->node_count >= DECODE_PRINT_NODES_MAX) {
        decode_print_fail(parser, ENOTSUP);
        return 0;
    }
    if (!make_space(print)) {
        decode_print_fail(parser, ENOMEM);
        return 0;
    }
    node.depth = (uint8_t)depth;
    print->nodes[print->node_count] = node;
    if (is_constant(print, &node)) {
        node.value = decode_print_constant(print, print->node_count);
        node.op = DECODE_PRINT_CONSTANT;
        node.depth = 1;
        memset(node.child, 0, sizeof(node.child));
        print->nodes[print->node_count] = node;
    }
    return print->node_count++;
}

uint32_t decode_print_add_number(struct decode_print_parser *parser, uint64_t value,
                                 struct decode_print_type type)
{
    return decode_print_add(parser, (struct decode_print_node){
                                        .op = DECODE_PRINT_CONSTANT, .type = type, .value = value});
}

/* A literal is never longer in memory than in the format, so all of them fit. */
struct cairn_slice decode_print_parse_string(struct decode_print_parser *parser)
{
    struct decode_print *print = parser->print;
    struct cairn_slice string = {print->strings + print->string_bytes, 0};

    if (parser->token.kind != DECODE_PRINT_TOKEN_STRING)
        decode_print_fail(parser, ENOTSUP);
    while (parser->token.kind == DECODE_PRINT_TOKEN_STRING) {
        struct cairn_slice literal = parser->token.text;

        while (literal.length)
            print->strings[print->string_bytes++] = decode_print_take_character(&literal);
        decode_print_advance(parser);
    }
    string.length = (uint32_t)(print->strings + print->string_bytes - string.text);
    return string;
}

static int open_print(const struct cairn_schema *schema, uint32_t long_size_bytes,
                      struct decode_print **ret_print)
{
    struct decode_print *print = (struct decode_print *)calloc(1, sizeof(*print));

    if (!print)
        return ENOMEM;
    print->long_bytes = (uint8_t)long_size_bytes;
    print->field_count = schema->field_count;
    print->fields = (struct cairn_field *)calloc(schema->field_count + 1u, sizeof(*print->fields));
    print->strings = (char *)malloc(schema->print_fmt.length + 1u);
    if (!print->fields || !print->strings) {
        decode_print_destroy(print);
        return ENOMEM;
    }
    if (schema->field_count)
        memcpy(print->fields, schema->fields, schema->field_count * sizeof(*print->fields));
    *ret_print = print;
    return 0;
}

int decode_print_compile(const struct cairn_schema *schema, uint32_t long_size_bytes,
                         struct decode_print **ret_print)
{
    struct decode_print_parser parser = {.rest = schema->print_fmt};
    int err;

    if (!schema->print_fmt.length || schema->print_fmt.length > DECODE_PRINT_FORMAT_MAX ||
        (long_size_bytes != 4 && long_size_bytes != 8))
        return ENOTSUP;
    err = open_print(schema, long_size_bytes, &parser.print);
    if (err)
        return err;
    /* Node 0 is not the operand of any other: it means "none". */
    decode_print_add_number(&parser, 0, (struct decode_print_type){.bytes = 4});
    decode_print_advance(&parser);
    decode_print_parse_pieces(&parser);
    if (!parser.error)
        parser.error = decode_print_find_named(parser.print);
    if (parser.error) {
        decode_print_destroy(parser.print);
        return parser.error;
    }
    *ret_print = parser.print;
    return 0;
}

void decode_print_set_stack(struct decode_print *print, uint32_t count_offset,
                            uint32_t address_offset)
{
    if (print->piece_count >= 2 && print->pieces[0].conversion == 'p' &&
        print->pieces[1].conversion == 'p')
        print->stack = (struct decode_print_stack){count_offset, address_offset};
}

void decode_print_destroy(struct decode_print *print)
{
    if (!print)
        return;
    free(print->nodes);
    free(print->symbols);
    free(print->pieces);
    free(print->fields);
    free(print->named);
    free(print->strings);
    free(print);
}
