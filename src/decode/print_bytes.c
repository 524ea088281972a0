/* SPDX-License-Identifier: MIT */
/* Texts of memory: __print_hex, __print_array, __print_hex_dump, __get_bitmask. */
#include "decode/print_eval.h"

#include "core/load.h"

/* Returns the bytes that an argument points to, at most the number in another argument. */
static struct decode_print_value counted(struct decode_print_run *run, uint32_t data,
                                         uint32_t count, uint32_t unit_bytes)
{
    struct decode_print_value value = decode_print_evaluate(run, data);
    uint64_t units = decode_print_evaluate(run, count).number;

    if (!value.data || units > value.bytes / unit_bytes) {
        run->is_cut = true;
        return (struct decode_print_value){0};
    }
    value.bytes = (uint32_t)units * unit_bytes;
    return value;
}

static void put_hex(struct decode_print_run *run, const struct decode_print_node *node,
                    const char *between)
{
    struct decode_print_value value = counted(run, node->child[0], node->child[1], 1);

    for (uint32_t n = 0; n < value.bytes && !run->is_full; n++) {
        if (n && *between)
            decode_print_put_char(run, *between);
        decode_print_put_number(run, value.data[n], 16, 2);
    }
}

/* "{0x1,0x2}" */
static void put_array(struct decode_print_run *run, const struct decode_print_node *node)
{
    uint64_t unit = decode_print_evaluate(run, node->child[2]).number;
    struct decode_print_value value;

    if (unit != 1 && unit != 2 && unit != 4 && unit != 8)
        unit = 1;
    value = counted(run, node->child[0], node->child[1], (uint32_t)unit);
    decode_print_put_char(run, '{');
    for (uint32_t n = 0; n < value.bytes && !run->is_full; n += (uint32_t)unit) {
        if (n)
            decode_print_put_char(run, ',');
        decode_print_put_hex(run,
                             core_load_unsigned(value.data + n, (uint32_t)unit, run->record->swap));
    }
    decode_print_put_char(run, '}');
}

/* Each line has at most 32 bytes, and its offset. */
static void put_hex_dump(struct decode_print_run *run, const struct decode_print_node *node)
{
    uint64_t line = decode_print_evaluate(run, node->child[0]).number == 32 ? 32 : 16;
    struct decode_print_value value = counted(run, node->child[2], node->child[3], 1);

    for (uint32_t n = 0; n < value.bytes && !run->is_full; n++) {
        if (n % line == 0) {
            decode_print_put_char(run, '\n');
            decode_print_put_number(run, n, 16, 8);
            decode_print_put_char(run, ':');
        }
        decode_print_put_char(run, ' ');
        decode_print_put_number(run, value.data[n], 16, 2);
    }
}

/* Words of 32 bits, the highest first. The kernel stores a mask in groups of a long. */
static void put_bitmask(struct decode_print_run *run, const struct decode_print_node *node)
{
    struct decode_print_value value = decode_print_evaluate(run, node->child[0]);
    uint32_t groups = value.bytes / 4;

    for (uint32_t n = groups; n-- > 0 && !run->is_full;) {
        uint32_t at = run->record->swap && run->print->long_bytes == 8 ? n ^ 1u : n;

        if (n + 1 < groups)
            decode_print_put_char(run, ',');
        if (at < groups)
            decode_print_put_number(run, core_load32(value.data + 4 * at, run->record->swap), 16,
                                    8);
    }
}

void decode_print_put_bytes(struct decode_print_run *run, const struct decode_print_node *node)
{
    switch (node->op) {
    case DECODE_PRINT_HEX:
        put_hex(run, node, " ");
        break;
    case DECODE_PRINT_HEX_STR:
        put_hex(run, node, "");
        break;
    case DECODE_PRINT_ARRAY:
        put_array(run, node);
        break;
    case DECODE_PRINT_HEX_DUMP:
        put_hex_dump(run, node);
        break;
    default:
        put_bitmask(run, node);
        break;
    }
}
