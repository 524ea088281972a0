/* SPDX-License-Identifier: MIT */
/* Evaluates expressions by C's rules. Where C's behaviour is undefined the result is 0. */
#include "decode/print_eval.h"

#include "core/load.h"
#include "decode/print_parse.h"

/* Converts a number to an integer type. */
static uint64_t fit(uint64_t number, struct decode_print_type type)
{
    unsigned unused_bits;

    if (!type.bytes || type.bytes >= 8)
        return number;
    unused_bits = 64 - 8u * type.bytes;
    if (type.is_unsigned)
        return number << unused_bits >> unused_bits;
    return (uint64_t)((int64_t)(number << unused_bits) >> unused_bits);
}

static struct decode_print_value cut(struct decode_print_run *run)
{
    run->is_cut = true;
    return (struct decode_print_value){0};
}

static struct decode_print_value bytes_of_record(struct decode_print_run *run, uint64_t offset,
                                                 uint64_t bytes)
{
    const struct decode_print_record *record = run->record;

    if (offset > record->raw_bytes || bytes > record->raw_bytes - offset)
        return cut(run);
    return (struct decode_print_value){
        .number = offset, .data = record->raw + offset, .bytes = (uint32_t)bytes};
}

static struct decode_print_value dynamic_bytes(struct decode_print_run *run,
                                               const struct cairn_field *field)
{
    struct decode_print_value location = bytes_of_record(run, field->offset, 4);
    uint32_t word;
    uint64_t begin = 0;

    if (!location.data)
        return location;
    word = core_load32(location.data, run->record->swap);
    if (field->location == CAIRN_FIELD_REL_LOC)
        begin = field->offset + 4u;
    return bytes_of_record(run, begin + (word & 0xffff), word >> 16);
}

static struct decode_print_value field_bytes(struct decode_print_run *run,
                                             const struct cairn_field *field)
{
    if (field->location != CAIRN_FIELD_INLINE)
        return dynamic_bytes(run, field);
    if (!field->size_bytes && field->offset <= run->record->raw_bytes)
        return bytes_of_record(run, field->offset, run->record->raw_bytes - field->offset);
    return bytes_of_record(run, field->offset, field->size_bytes);
}

static struct decode_print_value load(struct decode_print_run *run, struct decode_print_value value,
                                      struct decode_print_type type)
{
    uint64_t number;

    if (!value.data || value.bytes < type.bytes)
        return cut(run);
    number = core_load_unsigned(value.data, type.bytes, run->record->swap);
    return (struct decode_print_value){.number = fit(number, type)};
}

static struct decode_print_value field(struct decode_print_run *run,
                                       const struct decode_print_node *node)
{
    struct decode_print_value value = field_bytes(run, &run->print->fields[node->value]);

    if (node->op == DECODE_PRINT_ADDRESS || node->type.element_bytes || !value.data)
        return value;
    if (run->print->fields[node->value].is_array || node->type.bytes != value.bytes ||
        run->print->fields[node->value].location != CAIRN_FIELD_INLINE)
        return value;
    return load(run, value, node->type);
}

static struct decode_print_value element(struct decode_print_run *run,
                                         const struct decode_print_node *node)
{
    struct decode_print_value value = decode_print_evaluate(run, node->child[0]);
    uint64_t index = decode_print_evaluate(run, node->child[1]).number;

    if (!value.data || index >= value.bytes / node->type.bytes)
        return cut(run);
    value.data += index * node->type.bytes;
    value.bytes -= (uint32_t)(index * node->type.bytes);
    return load(run, value, node->type);
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_remainder, bool is_unsigned)
{
    if (!b)
        return 0;
    if (is_unsigned)
        return is_remainder ? a % b : a / b;
    if (b == UINT64_MAX) /* division by -1: the smallest number cannot be negated */
        return is_remainder ? 0 : -a;
    return (uint64_t)(is_remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift(uint64_t a, uint64_t b, bool is_left, struct decode_print_type type)
{
    if (b >= 8u * type.bytes)
        return !is_left && !type.is_unsigned && (int64_t)a < 0 ? UINT64_MAX : 0;
    if (is_left)
        return a << b;
    return type.is_unsigned ? a >> b : (uint64_t)((int64_t)a >> b);
}

static uint64_t compare(unsigned op, uint64_t a, uint64_t b, bool is_unsigned)
{
    bool is_less = is_unsigned ? a < b : (int64_t)a < (int64_t)b;

    switch (op) {
    case DECODE_PRINT_LESS:
        return is_less;
    case DECODE_PRINT_GREATER_EQUAL:
        return !is_less;
    case DECODE_PRINT_LESS_EQUAL:
        return is_less || a == b;
    case DECODE_PRINT_GREATER:
        return !is_less && a != b;
    case DECODE_PRINT_EQUAL:
        return a == b;
    default:
        return a != b;
    }
}

/* Operands of a comparison have their common type, which is not that of the result. */
static uint64_t compare_nodes(struct decode_print_run *run, const struct decode_print_node *node,
                              uint64_t a, uint64_t b)
{
    struct decode_print_type left = run->print->nodes[node->child[0]].type;
    struct decode_print_type right = run->print->nodes[node->child[1]].type;
    struct decode_print_type type = {.bytes = 4};

    if (left.bytes > 4 || right.bytes > 4)
        type.bytes = 8;
    type.is_unsigned = (left.is_unsigned && left.bytes == type.bytes) ||
                       (right.is_unsigned && right.bytes == type.bytes);
    return compare(node->op, fit(a, type), fit(b, type), type.is_unsigned);
}

static uint64_t binary(struct decode_print_run *run, const struct decode_print_node *node)
{
    uint64_t a = decode_print_evaluate(run, node->child[0]).number;
    uint64_t b = decode_print_evaluate(run, node->child[1]).number;
    bool is_shift = node->op == DECODE_PRINT_SHIFT_LEFT || node->op == DECODE_PRINT_SHIFT_RIGHT;

    if (node->op >= DECODE_PRINT_LESS && node->op <= DECODE_PRINT_NOT_EQUAL)
        return compare_nodes(run, node, a, b);
    a = fit(a, node->type);
    b = is_shift ? b : fit(b, node->type);
    switch (node->op) {
    case DECODE_PRINT_MULTIPLY:
        return a * b;
    case DECODE_PRINT_DIVIDE:
    case DECODE_PRINT_REMAINDER:
        return divide(a, b, node->op == DECODE_PRINT_REMAINDER, node->type.is_unsigned);
    case DECODE_PRINT_SUBTRACT:
        return a - b;
    case DECODE_PRINT_SHIFT_LEFT:
    case DECODE_PRINT_SHIFT_RIGHT:
        return shift(a, b, node->op == DECODE_PRINT_SHIFT_LEFT, node->type);
    case DECODE_PRINT_BIT_AND:
        return a & b;
    case DECODE_PRINT_BIT_XOR:
        return a ^ b;
    default:
        return a | b;
    }
}

/* A pointer into the record moves by elements, and never out of its bytes. */
static struct decode_print_value add(struct decode_print_run *run,
                                     const struct decode_print_node *node)
{
    struct decode_print_value value = decode_print_evaluate(run, node->child[0]);
    uint32_t unit = run->print->nodes[node->child[0]].type.element_bytes;
    uint64_t count = decode_print_evaluate(run, node->child[1]).number;

    if (!value.data) {
        value.number = fit(value.number + count, node->type);
        return value;
    }
    if (count > value.bytes / (unit ? unit : 1u))
        return cut(run);
    value.data += count * (unit ? unit : 1u);
    value.bytes -= (uint32_t)count * (unit ? unit : 1u);
    return value;
}

static bool is_true(struct decode_print_run *run, uint32_t node)
{
    struct decode_print_value value = decode_print_evaluate(run, node);

    return value.data || value.number;
}

static struct decode_print_value cast(struct decode_print_run *run,
                                      const struct decode_print_node *node)
{
    struct decode_print_value value;

    if (node->type.is_bool)
        return (struct decode_print_value){.number = is_true(run, node->child[0])};
    value = decode_print_evaluate(run, node->child[0]);
    if (!node->type.is_pointer)
        value.data = NULL;
    value.number = fit(value.number, node->type);
    return value;
}

static uint64_t number(struct decode_print_run *run, const struct decode_print_node *node)
{
    switch (node->op) {
    case DECODE_PRINT_NEGATE:
        return -decode_print_evaluate(run, node->child[0]).number;
    case DECODE_PRINT_COMPLEMENT:
        return ~decode_print_evaluate(run, node->child[0]).number;
    case DECODE_PRINT_NOT:
        return !is_true(run, node->child[0]);
    case DECODE_PRINT_AND:
        return is_true(run, node->child[0]) && is_true(run, node->child[1]);
    case DECODE_PRINT_OR:
        return is_true(run, node->child[0]) || is_true(run, node->child[1]);
    case DECODE_PRINT_DYNAMIC_LENGTH:
        return dynamic_bytes(run, &run->print->fields[node->value]).bytes;
    default:
        return binary(run, node);
    }
}

struct decode_print_value decode_print_evaluate(struct decode_print_run *run, uint32_t index)
{
    const struct decode_print_node *node = &run->print->nodes[index];
    struct decode_print_value value = {0};

    if (node->op >= DECODE_PRINT_FLAGS)
        return value;
    switch (node->op) {
    case DECODE_PRINT_UNKNOWN:
        return value;
    case DECODE_PRINT_CONSTANT:
        value.number = node->value;
        return value;
    case DECODE_PRINT_STRING:
        value.data = (const uint8_t *)node->text.text;
        value.bytes = node->text.length;
        return value;
    case DECODE_PRINT_FIELD:
    case DECODE_PRINT_ADDRESS:
        return field(run, node);
    case DECODE_PRINT_DYNAMIC:
        return field_bytes(run, &run->print->fields[node->value]);
    case DECODE_PRINT_INDEX:
        return element(run, node);
    case DECODE_PRINT_CAST:
        return cast(run, node);
    case DECODE_PRINT_ADD:
        return add(run, node);
    case DECODE_PRINT_CONDITION:
        value = decode_print_evaluate(run, node->child[is_true(run, node->child[0]) ? 1 : 2]);
        if (!value.data)
            value.number = fit(value.number, node->type);
        return value;
    default:
        value.number = fit(number(run, node), node->type);
        return value;
    }
}

uint64_t decode_print_constant(const struct decode_print *print, uint32_t node)
{
    struct decode_print_record record = {0};
    struct decode_print_run run = {.print = print, .record = &record};

    return decode_print_evaluate(&run, node).number;
}
