/* SPDX-License-Identifier: MIT */
/* Terms whose value is a number. */
#include "core/filter_term.h"

#define NUMBER_MAX_BYTES 23 /* of a number's text */

/*
 * Low to high of a field of this number of bits; values are unsigned, so negative ones are above
 * the others.
 */
static void set_range(struct filter_term *term, uint64_t value, uint64_t all, bool is_signed)
{
    uint64_t highest = is_signed ? all >> 1 : all;
    uint64_t lowest = ~highest & all;
    uint64_t low = term->op == OP_LE || term->op == OP_GT ? lowest : value & all;
    uint64_t high = term->op == OP_GE || term->op == OP_LT ? highest : value & all;

    term->test->range.low = low;
    term->test->range.span = (high - low) & all;
    term->invert = term->op == OP_NE || term->op == OP_GT || term->op == OP_LT;
}

bool core_filter_term_set_sized_code(struct filter_term *term, enum filter_code code_8)
{
    static const uint8_t steps[] = {[1] = 0, [2] = 1, [4] = 2, [8] = 3};
    uint32_t size_bytes = term->field.size_bytes;

    if (size_bytes > 8 || !size_bytes || size_bytes & (size_bytes - 1)) {
        core_filter_term_set_never(term);
        return false;
    }
    term->test->code = (uint8_t)(code_8 + steps[size_bytes]);
    return true;
}

/* The value is truncated to the field's bits. */
static void set_number(struct filter_term *term, uint64_t value, bool is_signed)
{
    uint64_t all;

    if (!core_filter_term_set_sized_code(term, term->op == OP_AND ? FILTER_BITS_8 : FILTER_RANGE_8))
        return;
    all = ~0ull >> (64 - 8 * term->field.size_bytes);
    if (term->op == OP_AND)
        term->test->mask = value & all;
    else
        set_range(term, value, all, is_signed);
}

static void set_cpu_number(struct filter_term *term, uint64_t value)
{
    term->test->code = FILTER_CPU_RANGE;
    if (term->op == OP_AND)
        core_filter_term_set_never(term);
    else
        set_range(term, value, UINT32_MAX, true);
    term->build->filter->needs_task = true;
}

/* No term of a missing number is true, so `!=` is no negation of `==`. */
static void set_number_or_none(struct filter_term *term, uint64_t value)
{
    static const uint8_t orders[] = {
        [OP_NE] = 5, [OP_EQ] = 2, [OP_LE] = 3, [OP_LT] = 1, [OP_GE] = 6, [OP_GT] = 4, [OP_AND] = 0};

    term->test->code = FILTER_NUMBER_OR_NONE;
    term->test->number_or_none.value = value;
    term->test->number_or_none.orders = orders[term->op];
    term->test->number_or_none.is_signed = term->field.is_signed;
}

void core_filter_term_set_number(struct filter_term *term, uint64_t value, bool is_signed)
{
    if (term->field.kind == FILTER_CLASS_CPU)
        set_cpu_number(term, value);
    else if (term->field.kind == FILTER_CLASS_NUMBER_OR_NONE)
        set_number_or_none(term, value);
    else
        set_number(term, value, is_signed);
}

/* A number of 64 bits, signed or not, as the field is. */
static bool read_number(struct cairn_slice text, bool is_signed, uint64_t *ret_value)
{
    bool is_negative = is_signed && core_slice_take(&text, "-");
    uint64_t magnitude;

    if (!core_slice_number_u64(text, 0, &magnitude))
        return false;
    if (is_signed && magnitude > (uint64_t)INT64_MAX + is_negative)
        return false;
    *ret_value = is_negative ? -magnitude : magnitude;
    return true;
}

int core_filter_term_parse_number(struct filter_term *term)
{
    const char *begin = term->at;
    uint64_t value;

    if (filter_class_is_string(term->field.kind))
        return core_filter_term_fail(term, CAIRN_FILTER_EXPECT_STRING);
    if (term->op == OP_GLOB)
        return core_filter_term_fail(term, CAIRN_FILTER_ILLEGAL_FIELD_OPERATION);
    core_filter_term_take(term, "-");
    core_filter_term_skip_alnum(term);
    if (term->at - begin > NUMBER_MAX_BYTES)
        return core_filter_term_fail(term, CAIRN_FILTER_OPERAND_TOO_LONG);
    if (!read_number(filter_term_taken_from(term, begin), term->field.is_signed, &value)) {
        term->at = begin;
        return core_filter_term_fail(term, CAIRN_FILTER_ILLEGAL_INTEGER);
    }
    core_filter_term_set_number(term, value, term->field.is_signed);
    return 0;
}

/* There is no table of functions, so no function is found. */
int core_filter_term_parse_function(struct filter_term *term)
{
    const char *begin = term->at;
    uint64_t address;

    if (term->field.size_bytes != sizeof(long))
        return core_filter_term_fail(term, CAIRN_FILTER_ILLEGAL_FIELD_OPERATION);
    if (!filter_is_equality(term->op))
        return core_filter_term_fail(term, CAIRN_FILTER_INVALID_OPERATOR);
    if (core_is_digit(filter_term_peek(term))) {
        core_filter_term_skip_alnum(term);
        if (term->at - begin > NUMBER_MAX_BYTES)
            return core_filter_term_fail(term, CAIRN_FILTER_OPERAND_TOO_LONG);
        if (!read_number(filter_term_taken_from(term, begin), false, &address) ||
            address > (uintptr_t)-1)
            return core_filter_term_fail(term, CAIRN_FILTER_INVALID_VALUE);
    } else {
        while (filter_term_peek(term) && !core_is_kernel_space(filter_term_peek(term)))
            term->at++;
    }
    return core_filter_term_fail(term, CAIRN_FILTER_NO_FUNCTION);
}
