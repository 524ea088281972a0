/* SPDX-License-Identifier: MIT */
/* Names of numbers: __print_flags, __print_symbolic, __print_ns_to_secs. */
#include "decode/print_eval.h"

static void put_delimiter(struct decode_print_run *run, const struct decode_print_node *node,
                          bool is_first)
{
    struct decode_print_value delimiter;

    if (is_first)
        return;
    delimiter = decode_print_evaluate(run, node->child[1]);
    if (delimiter.data)
        decode_print_put(run, delimiter.data, delimiter.bytes);
}

/* Without any pairs, in the whole format, there is no array. */
static const struct decode_print_symbol *symbols_of(const struct decode_print_run *run,
                                                    const struct decode_print_node *node)
{
    return node->symbol_count ? run->print->symbols + node->symbol : NULL;
}

static bool is_set(const struct decode_print_symbol *symbol, uint64_t value)
{
    return !symbol->is_unknown && symbol->value && (value & symbol->value) == symbol->value;
}

/*
 * A value of 0 has the name of a flag of 0 if there is one, otherwise of the first flag whose value
 * is not in the recording, as in perf. Bits without a name are printed as a number.
 */
void decode_print_put_flags(struct decode_print_run *run, const struct decode_print_node *node)
{
    const struct decode_print_symbol *symbols = symbols_of(run, node);
    uint64_t value = decode_print_evaluate(run, node->child[0]).number;
    bool is_zero = !value;
    bool is_first = true;

    for (uint32_t n = 0; n < node->symbol_count && (value || is_zero); n++) {
        if (is_zero ? symbols[n].value != 0 : !is_set(&symbols[n], value))
            continue;
        put_delimiter(run, node, is_first);
        decode_print_put(run, symbols[n].text.text, symbols[n].text.length);
        value &= ~symbols[n].value;
        is_first = false;
        if (is_zero)
            return;
    }
    if (value) {
        put_delimiter(run, node, is_first);
        decode_print_put_hex(run, value);
    }
}

void decode_print_put_symbolic(struct decode_print_run *run, const struct decode_print_node *node)
{
    const struct decode_print_symbol *symbols = symbols_of(run, node);
    uint64_t value = decode_print_evaluate(run, node->child[0]).number;

    for (uint32_t n = 0; n < node->symbol_count; n++) {
        if (symbols[n].value == value && !symbols[n].is_unknown) {
            decode_print_put(run, symbols[n].text.text, symbols[n].text.length);
            return;
        }
    }
    decode_print_put_hex(run, value);
}

void decode_print_put_seconds(struct decode_print_run *run, const struct decode_print_node *node)
{
    uint64_t value = decode_print_evaluate(run, node->child[0]).number;

    value = node->op == DECODE_PRINT_SECONDS ? value / 1000000000 : value % 1000000000;
    decode_print_put_number(run, value, 10, 1);
}
