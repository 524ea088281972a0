/* SPDX-License-Identifier: MIT */
/* Parses the expressions of a print format to nodes. */
#include "decode/print_parse.h"

#include <errno.h>
#include <string.h>

/* C's binary operators: the higher, the tighter. */
struct binary {
    const char *sign;
    uint8_t precedence;
    uint8_t op;
};

static const struct binary binaries[] = {
    {"*", 10, DECODE_PRINT_MULTIPLY},      {"/", 10, DECODE_PRINT_DIVIDE},
    {"%", 10, DECODE_PRINT_REMAINDER},     {"+", 9, DECODE_PRINT_ADD},
    {"-", 9, DECODE_PRINT_SUBTRACT},       {"<<", 8, DECODE_PRINT_SHIFT_LEFT},
    {">>", 8, DECODE_PRINT_SHIFT_RIGHT},   {"<", 7, DECODE_PRINT_LESS},
    {"<=", 7, DECODE_PRINT_LESS_EQUAL},    {">", 7, DECODE_PRINT_GREATER},
    {">=", 7, DECODE_PRINT_GREATER_EQUAL}, {"==", 6, DECODE_PRINT_EQUAL},
    {"!=", 6, DECODE_PRINT_NOT_EQUAL},     {"&", 5, DECODE_PRINT_BIT_AND},
    {"^", 4, DECODE_PRINT_BIT_XOR},        {"|", 3, DECODE_PRINT_BIT_OR},
    {"&&", 2, DECODE_PRINT_AND},           {"||", 1, DECODE_PRINT_OR},
};

void decode_print_fail(struct decode_print_parser *parser, int error)
{
    if (!parser->error)
        parser->error = error;
    parser->token = (struct decode_print_token){.kind = DECODE_PRINT_TOKEN_END};
    parser->rest.length = 0;
}

void decode_print_advance(struct decode_print_parser *parser)
{
    parser->token = decode_print_next_token(&parser->rest, parser->print->long_bytes);
    if (parser->token.kind == DECODE_PRINT_TOKEN_BAD)
        decode_print_fail(parser, ENOTSUP);
}

bool decode_print_accept(struct decode_print_parser *parser, const char *text)
{
    if (!decode_print_token_is(&parser->token, text))
        return false;
    decode_print_advance(parser);
    return true;
}

void decode_print_expect(struct decode_print_parser *parser, const char *text)
{
    if (!decode_print_accept(parser, text))
        decode_print_fail(parser, ENOTSUP);
}

bool decode_print_find_field(const struct decode_print *print, struct cairn_slice name,
                             uint32_t *ret_index)
{
    for (uint32_t n = 0; n < print->field_count; n++) {
        const struct cairn_slice *field = &print->fields[n].name;

        if (field->length == name.length && !memcmp(field->text, name.text, name.length)) {
            *ret_index = n;
            return true;
        }
    }
    return false;
}

static struct decode_print_type type_of_field(const struct decode_print *print,
                                              const struct cairn_field *field)
{
    bool is_scalar = !field->is_array && field->location == CAIRN_FIELD_INLINE &&
                     (field->size_bytes == 1 || field->size_bytes == 2 || field->size_bytes == 4 ||
                      field->size_bytes == 8);

    if (is_scalar)
        return (struct decode_print_type){
            .bytes = (uint8_t)field->size_bytes,
            .is_unsigned = !field->is_signed,
            .is_pointer = field->kind == CAIRN_FIELD_POINTER,
        };
    return (struct decode_print_type){
        .bytes = print->long_bytes,
        .is_unsigned = true,
        .is_pointer = true,
        .element_bytes = field->element_size_bytes > 8 ? 0 : (uint8_t)field->element_size_bytes,
        .is_element_unsigned = field->kind != CAIRN_FIELD_SIGNED,
    };
}

/* "->name" after REC. */
static uint32_t parse_field(struct decode_print_parser *parser)
{
    struct decode_print_node node = {.op = DECODE_PRINT_FIELD};
    uint32_t index;

    decode_print_expect(parser, "->");
    if (parser->token.kind != DECODE_PRINT_TOKEN_WORD ||
        !decode_print_find_field(parser->print, parser->token.text, &index)) {
        decode_print_fail(parser, ENOTSUP);
        return 0;
    }
    node.value = index;
    node.type = type_of_field(parser->print, &parser->print->fields[index]);
    decode_print_advance(parser);
    return decode_print_add(parser, node);
}

static uint32_t parse_word(struct decode_print_parser *parser)
{
    struct cairn_slice name = parser->token.text;

    decode_print_advance(parser);
    if (name.length == 3 && !memcmp(name.text, "REC", 3))
        return parse_field(parser);
    if (decode_print_accept(parser, "("))
        return decode_print_parse_call(parser, name);
    return decode_print_add(parser, (struct decode_print_node){
                                        .op = DECODE_PRINT_UNKNOWN,
                                        .type = {.bytes = parser->print->long_bytes},
                                    });
}

/* "REC)" of "(REC)->name". */
static bool take_record(struct decode_print_parser *parser)
{
    struct decode_print_parser before = *parser;

    if (decode_print_accept(parser, "REC") && decode_print_accept(parser, ")"))
        return true;
    *parser = before;
    return false;
}

static uint32_t parse_primary(struct decode_print_parser *parser)
{
    struct decode_print_token token = parser->token;
    uint32_t node;

    switch (token.kind) {
    case DECODE_PRINT_TOKEN_NUMBER:
        decode_print_advance(parser);
        return decode_print_add_number(parser, token.number, token.type);
    case DECODE_PRINT_TOKEN_STRING:
        return decode_print_add(parser,
                                (struct decode_print_node){
                                    .op = DECODE_PRINT_STRING,
                                    .type = {.bytes = parser->print->long_bytes, true, true, 1},
                                    .text = decode_print_parse_string(parser),
                                });
    case DECODE_PRINT_TOKEN_WORD:
        return parse_word(parser);
    default:
        decode_print_expect(parser, "(");
        if (take_record(parser))
            return parse_field(parser);
        node = decode_print_parse_expression(parser);
        decode_print_expect(parser, ")");
        return node;
    }
}

/* a[index]; the index 0 is that of *a. */
static uint32_t add_index(struct decode_print_parser *parser, uint32_t a, uint32_t index)
{
    struct decode_print_node node = {.op = DECODE_PRINT_INDEX, .child = {a, index}};
    const struct decode_print_type *type;

    if (parser->error)
        return 0;
    type = &parser->print->nodes[a].type;
    if (!type->is_pointer || !type->element_bytes)
        decode_print_fail(parser, ENOTSUP);
    node.type.bytes = type->element_bytes;
    node.type.is_unsigned = type->is_element_unsigned;
    return decode_print_add(parser, node);
}

static uint32_t parse_postfix(struct decode_print_parser *parser)
{
    uint32_t node = parse_primary(parser);

    while (decode_print_accept(parser, "[")) {
        node = add_index(parser, node, decode_print_parse_expression(parser));
        decode_print_expect(parser, "]");
    }
    if (decode_print_token_is(&parser->token, "->") || decode_print_token_is(&parser->token, "."))
        decode_print_fail(parser, ENOTSUP);
    return node;
}

static uint32_t parse_sizeof(struct decode_print_parser *parser)
{
    struct decode_print_type type = {.bytes = 0};
    uint32_t node;

    decode_print_expect(parser, "(");
    if (!decode_print_parse_type(parser, &type)) {
        node = decode_print_parse_expression(parser);
        decode_print_expect(parser, ")");
        if (parser->error)
            return 0;
        type = parser->print->nodes[node].type;
        if (parser->print->nodes[node].op == DECODE_PRINT_FIELD) {
            uint64_t bytes = parser->print->fields[parser->print->nodes[node].value].size_bytes;

            return decode_print_add_number(
                parser, bytes,
                (struct decode_print_type){.bytes = parser->print->long_bytes,
                                           .is_unsigned = true});
        }
    }
    if (!type.bytes)
        decode_print_fail(parser, ENOTSUP);
    return decode_print_add_number(
        parser, type.bytes,
        (struct decode_print_type){.bytes = parser->print->long_bytes, .is_unsigned = true});
}

static uint32_t parse_address(struct decode_print_parser *parser)
{
    uint32_t node = decode_print_parse_unary(parser);
    struct decode_print_node address;

    if (parser->error)
        return 0;
    address = parser->print->nodes[node];
    if (address.op != DECODE_PRINT_FIELD) {
        decode_print_fail(parser, ENOTSUP);
        return 0;
    }
    if (!address.type.element_bytes) {
        address.type.element_bytes = address.type.bytes;
        address.type.is_element_unsigned = address.type.is_unsigned;
    }
    address.op = DECODE_PRINT_ADDRESS;
    address.type.is_pointer = true;
    address.type.is_unsigned = true;
    address.type.bytes = parser->print->long_bytes;
    return decode_print_add(parser, address);
}

static uint32_t add_unary(struct decode_print_parser *parser, enum decode_print_op op, uint32_t a)
{
    struct decode_print_node node = {.op = (uint8_t)op, .child = {a}, .type = {.bytes = 4}};

    if (parser->error)
        return 0;
    if (op != DECODE_PRINT_NOT && parser->print->nodes[a].type.bytes >= 4)
        node.type = parser->print->nodes[a].type;
    return decode_print_add(parser, node);
}

static uint32_t parse_prefix(struct decode_print_parser *parser)
{
    struct decode_print_type type;
    struct decode_print_parser before = *parser;

    if (decode_print_accept(parser, "(")) {
        if (decode_print_parse_type(parser, &type)) {
            uint32_t operand = decode_print_parse_unary(parser);

            return decode_print_add(parser, (struct decode_print_node){.op = DECODE_PRINT_CAST,
                                                                       .type = type,
                                                                       .child = {operand}});
        }
        *parser = before;
    }
    if (decode_print_accept(parser, "-"))
        return add_unary(parser, DECODE_PRINT_NEGATE, decode_print_parse_unary(parser));
    if (decode_print_accept(parser, "+"))
        return decode_print_parse_unary(parser);
    if (decode_print_accept(parser, "~"))
        return add_unary(parser, DECODE_PRINT_COMPLEMENT, decode_print_parse_unary(parser));
    if (decode_print_accept(parser, "!"))
        return add_unary(parser, DECODE_PRINT_NOT, decode_print_parse_unary(parser));
    if (decode_print_accept(parser, "*"))
        return add_index(
            parser, decode_print_parse_unary(parser),
            decode_print_add_number(parser, 0, (struct decode_print_type){.bytes = 4}));
    if (decode_print_accept(parser, "&"))
        return parse_address(parser);
    if (decode_print_accept(parser, "sizeof"))
        return parse_sizeof(parser);
    return parse_postfix(parser);
}

/* Every recursion of the parser passes here. */
uint32_t decode_print_parse_unary(struct decode_print_parser *parser)
{
    uint32_t node = 0;

    if (++parser->depth > DECODE_PRINT_DEPTH_MAX)
        decode_print_fail(parser, ENOTSUP);
    else
        node = parse_prefix(parser);
    parser->depth--;
    return node;
}

static const struct binary *binary_of(const struct decode_print_token *token)
{
    for (size_t n = 0; n < sizeof(binaries) / sizeof(*binaries); n++) {
        if (decode_print_token_is(token, binaries[n].sign))
            return &binaries[n];
    }
    return NULL;
}

static uint32_t parse_binary(struct decode_print_parser *parser, unsigned precedence)
{
    uint32_t node = decode_print_parse_unary(parser);

    for (;;) {
        const struct binary *binary = binary_of(&parser->token);
        uint32_t right;

        if (parser->error || !binary || binary->precedence < precedence)
            return node;
        decode_print_advance(parser);
        right = parse_binary(parser, binary->precedence + 1u);
        node = decode_print_add_binary(parser, (enum decode_print_op)binary->op, node, right);
    }
}

static struct decode_print_type common_type(struct decode_print_type a, struct decode_print_type b)
{
    if (a.is_pointer || !b.bytes)
        return a;
    if (b.is_pointer || !a.bytes)
        return b;
    if (a.bytes < 4)
        a = (struct decode_print_type){.bytes = 4};
    if (b.bytes < 4)
        b = (struct decode_print_type){.bytes = 4};
    if (a.bytes != b.bytes)
        return a.bytes > b.bytes ? a : b;
    a.is_unsigned |= b.is_unsigned;
    return a;
}

static struct decode_print_type type_of_binary(enum decode_print_op op, struct decode_print_type a,
                                               struct decode_print_type b)
{
    switch (op) {
    case DECODE_PRINT_SHIFT_LEFT:
    case DECODE_PRINT_SHIFT_RIGHT:
        return common_type(a, (struct decode_print_type){.bytes = 4});
    case DECODE_PRINT_LESS:
    case DECODE_PRINT_LESS_EQUAL:
    case DECODE_PRINT_GREATER:
    case DECODE_PRINT_GREATER_EQUAL:
    case DECODE_PRINT_EQUAL:
    case DECODE_PRINT_NOT_EQUAL:
    case DECODE_PRINT_AND:
    case DECODE_PRINT_OR:
        return (struct decode_print_type){.bytes = 4};
    default:
        return common_type(a, b);
    }
}

uint32_t decode_print_add_binary(struct decode_print_parser *parser, enum decode_print_op op,
                                 uint32_t a, uint32_t b)
{
    struct decode_print_node node = {.op = (uint8_t)op, .child = {a, b}};

    if (parser->error)
        return 0;
    node.type = type_of_binary(op, parser->print->nodes[a].type, parser->print->nodes[b].type);
    return decode_print_add(parser, node);
}

uint32_t decode_print_parse_expression(struct decode_print_parser *parser)
{
    struct decode_print_node node = {.op = DECODE_PRINT_CONDITION};
    uint32_t first;

    if (++parser->depth > DECODE_PRINT_DEPTH_MAX)
        decode_print_fail(parser, ENOTSUP);
    first = parse_binary(parser, 1);
    if (decode_print_accept(parser, "?")) {
        node.child[0] = first;
        node.child[1] = decode_print_parse_expression(parser);
        decode_print_expect(parser, ":");
        node.child[2] = decode_print_parse_expression(parser);
        if (!parser->error)
            node.type = common_type(parser->print->nodes[node.child[1]].type,
                                    parser->print->nodes[node.child[2]].type);
        first = decode_print_add(parser, node);
    }
    parser->depth--;
    return first;
}
