/* SPDX-License-Identifier: MIT */
/* One term of a filter, "field operator value", to one test. */
#include "core/filter.h"

#define NUMBER_MAX_BYTES  23  /* of a number's text */
#define PATTERN_MAX_BYTES 255 /* of a quoted text */

/* A value that is not needed whole is in the lower half of its field. */
#define LOW_HALF_OFFSET (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0)

enum comparison {
    OP_GLOB,
    OP_NE,
    OP_EQ,
    OP_LE,
    OP_LT,
    OP_GE,
    OP_GT,
    OP_AND,
};

struct term {
    struct filter_build *build;
    struct filter_test *test;
    struct filter_field field;
    const char *at; /* next byte of the text */
    enum comparison op;
    bool is_function; /* "field.function" */
    bool invert;
};

static char peek(const struct term *term)
{
    return *term->at;
}

static uint32_t position(const struct term *term)
{
    return (uint32_t)(term->at - term->build->text.text);
}

static struct cairn_slice rest(const struct term *term)
{
    return cairn_slice_after(term->build->text, position(term));
}

static struct cairn_slice taken_from(const struct term *term, const char *begin)
{
    return (struct cairn_slice){begin, (uint32_t)(term->at - begin)};
}

static bool take(struct term *term, const char *word)
{
    struct cairn_slice left = rest(term);
    bool is_there = cairn_slice_take(&left, word);

    term->at = left.text;
    return is_there;
}

static void skip_spaces(struct term *term)
{
    while (cairn_is_kernel_space(peek(term)))
        term->at++;
}

static void skip_alnum(struct term *term)
{
    while (filter_is_alnum(peek(term)))
        term->at++;
}

/* Linux counts from the byte behind the term's first. */
static int fail(const struct term *term, enum cairn_filter_error_kind kind)
{
    return filter_fail(term->build, kind, position(term) + 1);
}

static int parse_field(struct term *term)
{
    const char *begin = term->at;

    while (filter_is_alnum(peek(term)) || peek(term) == '_')
        term->at++;
    if (term->at == begin)
        return filter_fail(term->build, CAIRN_FILTER_UNSPECIFIC, 0);
    if (!filter_find_field(term->build->schema, taken_from(term, begin), &term->field))
        return fail(term, CAIRN_FILTER_FIELD_NOT_FOUND);
    take(term, ".ustring");
    term->is_function = take(term, ".function");
    term->test->offset = term->field.offset;
    skip_spaces(term);
    return 0;
}

static int parse_operator(struct term *term)
{
    /* "<=" goes before "<". */
    static const char texts[][3] = {"~", "!=", "==", "<=", "<", ">=", ">", "&"};

    for (uint32_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (take(term, texts[i])) {
            term->op = (enum comparison)i;
            skip_spaces(term);
            return 0;
        }
    }
    return fail(term, CAIRN_FILTER_INVALID_OPERATOR);
}

static bool is_equality(enum comparison op)
{
    return op == OP_EQ || op == OP_NE;
}

/* Nothing that is read as a value can make it true, nor the opposite. */
static void set_never(struct term *term)
{
    term->test->code = FILTER_NEVER;
}

/* Low to high of a field of so many bits; in their arithmetic, negative values are above others. */
static void set_range(struct term *term, uint64_t value, uint64_t all, bool is_signed)
{
    uint64_t highest = is_signed ? all >> 1 : all;
    uint64_t lowest = ~highest & all;
    uint64_t low = term->op == OP_LE || term->op == OP_GT ? lowest : value & all;
    uint64_t high = term->op == OP_GE || term->op == OP_LT ? highest : value & all;

    term->test->range.low = low;
    term->test->range.span = (high - low) & all;
    term->invert = term->op == OP_NE || term->op == OP_GT || term->op == OP_LT;
}

/* The code for the field's size of four that stand together; false: it has no size of an integer.
 */
static bool set_sized_code(struct term *term, enum filter_code code_8)
{
    static const uint8_t steps[] = {[1] = 0, [2] = 1, [4] = 2, [8] = 3};
    uint32_t size_bytes = term->field.size_bytes;

    if (size_bytes > 8 || !size_bytes || size_bytes & (size_bytes - 1)) {
        set_never(term);
        return false;
    }
    term->test->code = (uint8_t)(code_8 + steps[size_bytes]);
    return true;
}

/* The value loses what the field has no bits for. */
static void set_number(struct term *term, uint64_t value, bool is_signed)
{
    uint64_t all;

    if (!set_sized_code(term, term->op == OP_AND ? FILTER_BITS_8 : FILTER_RANGE_8))
        return;
    all = ~0ull >> (64 - 8 * term->field.size_bytes);
    if (term->op == OP_AND)
        term->test->bits = value & all;
    else
        set_range(term, value, all, is_signed);
}

static void set_cpu_number(struct term *term, uint64_t value)
{
    term->test->code = FILTER_CPU_RANGE;
    if (term->op == OP_AND)
        set_never(term);
    else
        set_range(term, value, UINT32_MAX, true);
    term->build->filter->needs_task = true;
}

/* A number of 64 bits, signed or not, as the field is. */
static bool read_number(struct cairn_slice text, bool is_signed, uint64_t *ret_value)
{
    bool is_negative = is_signed && cairn_slice_take(&text, "-");
    uint64_t magnitude;

    if (!cairn_slice_number_u64(text, 0, &magnitude))
        return false;
    if (is_signed && magnitude > (uint64_t)INT64_MAX + is_negative)
        return false;
    *ret_value = is_negative ? -magnitude : magnitude;
    return true;
}

static int parse_number(struct term *term)
{
    const char *begin = term->at;
    uint64_t value;

    if (filter_class_is_string(term->field.kind))
        return fail(term, CAIRN_FILTER_EXPECT_STRING);
    if (term->op == OP_GLOB)
        return fail(term, CAIRN_FILTER_ILLEGAL_FIELD_OPERATION);
    take(term, "-");
    skip_alnum(term);
    if (term->at - begin > NUMBER_MAX_BYTES)
        return fail(term, CAIRN_FILTER_OPERAND_TOO_LONG);
    if (!read_number(taken_from(term, begin), term->field.is_signed, &value)) {
        term->at = begin;
        return fail(term, CAIRN_FILTER_ILLEGAL_INTEGER);
    }
    if (term->field.kind == FILTER_CLASS_CPU)
        set_cpu_number(term, value);
    else
        set_number(term, value, term->field.is_signed);
    return 0;
}

/* There is no table of functions here: of those that could be there none is found. */
static int parse_function(struct term *term)
{
    const char *begin = term->at;
    uint64_t address;

    if (term->field.size_bytes != sizeof(long))
        return fail(term, CAIRN_FILTER_ILLEGAL_FIELD_OPERATION);
    if (!is_equality(term->op))
        return fail(term, CAIRN_FILTER_INVALID_OPERATOR);
    if (cairn_is_digit(peek(term))) {
        skip_alnum(term);
        if (term->at - begin > NUMBER_MAX_BYTES)
            return fail(term, CAIRN_FILTER_OPERAND_TOO_LONG);
        if (!read_number(taken_from(term, begin), false, &address) || address > (uintptr_t)-1)
            return fail(term, CAIRN_FILTER_INVALID_VALUE);
    } else {
        while (peek(term) && !cairn_is_kernel_space(peek(term)))
            term->at++;
    }
    return fail(term, CAIRN_FILTER_NO_FUNCTION);
}

/*
 * How a quoted text is compared, and which part of it. Only `~` looks at what is in it; one that
 * begins with a digit is no pattern to Linux.
 */
static enum filter_pattern parse_pattern(struct cairn_slice *pattern)
{
    bool star_first = cairn_slice_starts(*pattern, "*");
    bool star_last = pattern->length > 1 && cairn_slice_ends(*pattern, "*");
    struct cairn_slice middle = cairn_slice_after(*pattern, star_first);

    middle.length -= star_last;
    if (pattern->length && cairn_is_digit(pattern->text[0]))
        return FILTER_WHOLE;
    for (uint32_t i = 0; i < middle.length; i++) {
        char c = middle.text[i];

        if (c == '*' || c == '[' || c == '?' || c == '\\')
            return FILTER_GLOB;
    }
    *pattern = middle;
    if (star_first)
        return star_last ? FILTER_MIDDLE : FILTER_END;
    return star_last ? FILTER_FRONT : FILTER_WHOLE;
}

static void set_string(struct term *term, struct cairn_slice pattern)
{
    struct filter_test *test = term->test;

    test->string.pattern = FILTER_WHOLE;
    if (term->op == OP_GLOB) {
        term->invert = cairn_slice_take(&pattern, "!");
        test->string.pattern = (uint8_t)parse_pattern(&pattern);
    }
    test->string.pattern_at = (uint16_t)(pattern.text - (const char *)term->build->filter);
    test->string.pattern_bytes = (uint8_t)pattern.length;
    test->string.size_bytes = term->field.size_bytes;
    if (term->field.kind == FILTER_CLASS_STRING_POINTER) {
        /* Where it leads to is not known to be there. Linux says so of bad pointers. */
        set_never(term);
        term->invert = false;
        return;
    }
    test->code = (uint8_t)(FILTER_STRING + (term->field.kind - FILTER_CLASS_STRING));
    if (test->code == FILTER_COMM)
        term->build->filter->needs_task = true;
}

static int parse_string(struct term *term)
{
    char quote = peek(term);
    const char *begin;

    if (!is_equality(term->op) && term->op != OP_GLOB)
        return fail(term, CAIRN_FILTER_ILLEGAL_FIELD_OPERATION);
    if (!filter_class_is_string(term->field.kind))
        return fail(term, CAIRN_FILTER_EXPECT_DIGIT);
    begin = ++term->at;
    term->at += cairn_slice_find(rest(term), quote);
    if (!peek(term))
        return fail(term, CAIRN_FILTER_MISSING_QUOTE);
    if (term->at - begin > PATTERN_MAX_BYTES)
        return fail(term, CAIRN_FILTER_OPERAND_TOO_LONG);
    term->invert = term->op == OP_NE;
    set_string(term, taken_from(term, begin));
    term->at++;
    return 0;
}

/* A set of zeros at the end of what is free. */
static uint64_t *add_set(struct filter_build *build)
{
    uint32_t size_bytes = FILTER_SET_WORDS(build->cpu_count) * sizeof(uint64_t);
    uint32_t tests_end =
        (uint32_t)((char *)(build->tests + build->test_count + 1) - (char *)build->filter);
    uint64_t *set;

    if (build->sets_at < tests_end + size_bytes)
        return NULL;
    build->sets_at -= size_bytes;
    set = (uint64_t *)((char *)build->filter + build->sets_at);
    __builtin_memset(set, 0, size_bytes);
    return set;
}

static void remove_set(struct filter_build *build)
{
    build->sets_at += FILTER_SET_WORDS(build->cpu_count) * sizeof(uint64_t);
}

/* The only CPU of a set; cpu_count when it has none or several. */
static uint32_t only_cpu(const uint64_t *set, uint32_t cpu_count)
{
    uint32_t found = cpu_count;

    for (uint32_t cpu = 0; cpu < cpu_count; cpu++) {
        if (!(set[cpu / 64] >> cpu % 64 & 1))
            continue;
        if (found != cpu_count)
            return cpu_count;
        found = cpu;
    }
    return found;
}

/* A number can be in a set, but is never equal to one of several CPUs. */
static void set_number_and_set(struct term *term)
{
    bool is_cpu = term->field.kind == FILTER_CLASS_CPU;

    if (term->field.size_bytes == 8) {
        term->field.size_bytes = 4;
        term->test->offset += LOW_HALF_OFFSET;
    }
    if (term->op == OP_EQ) {
        set_never(term);
    } else if (is_cpu) {
        term->test->code = term->op == OP_AND ? FILTER_CPU_IN_SET : FILTER_CPU_RANGE;
        term->build->filter->needs_task = true;
        if (term->op == OP_NE) {
            term->test->range.low = 0;
            term->test->range.span = UINT32_MAX;
        }
    } else if (term->op == OP_AND) {
        set_sized_code(term, FILTER_IN_SET_8);
    } else {
        /* It must be a CPU, though. */
        term->op = OP_LE;
        set_number(term,
                   term->field.size_bytes == 1 && term->build->cpu_count > 0xff
                       ? 0xff
                       : term->build->cpu_count - 1,
                   false);
    }
}

static void set_cpus(struct term *term, const uint64_t *set)
{
    uint32_t cpu_count = term->build->cpu_count;
    uint32_t cpu = only_cpu(set, cpu_count);

    term->test->set.at = term->build->sets_at;
    term->test->set.cpu_count = cpu_count;
    if (term->field.kind == FILTER_CLASS_CPU_MASK) {
        term->test->code = term->op == OP_AND ? FILTER_MASK_MEETS : FILTER_MASK_EQUALS;
        term->invert = term->op == OP_NE;
        return;
    }
    if (cpu == cpu_count) {
        set_number_and_set(term);
    } else {
        if (term->op == OP_AND)
            term->op = OP_EQ;
        if (term->field.kind == FILTER_CLASS_CPU)
            set_cpu_number(term, cpu);
        else
            set_number(term, cpu, false);
    }
    if (!filter_has_set((enum filter_code)term->test->code))
        remove_set(term->build);
}

static int parse_cpus(struct term *term)
{
    enum filter_class kind = term->field.kind;
    struct cairn_slice list;
    uint64_t *set;

    if (kind != FILTER_CLASS_NUMBER && kind != FILTER_CLASS_CPU && kind != FILTER_CLASS_CPU_MASK)
        return fail(term, CAIRN_FILTER_ILLEGAL_FIELD_OPERATION);
    if (!is_equality(term->op) && term->op != OP_AND)
        return fail(term, CAIRN_FILTER_ILLEGAL_FIELD_OPERATION);
    take(term, "CPUS");
    if (!take(term, "{")) {
        term->at++; /* that is where Linux looks for it */
        return fail(term, CAIRN_FILTER_MISSING_BRACE_OPEN);
    }
    list = rest(term);
    list.length = cairn_slice_find(list, '}');
    term->at += list.length;
    if (!peek(term))
        return fail(term, CAIRN_FILTER_MISSING_BRACE_CLOSE);
    set = add_set(term->build);
    if (!set)
        return ENOSPC;
    if (!list.length || !filter_parse_cpus(list, term->build->cpu_count, set))
        return fail(term, CAIRN_FILTER_INVALID_CPU_LIST);
    term->at++;
    set_cpus(term, set);
    return 0;
}

static int parse_value(struct term *term)
{
    char c = peek(term);

    if (term->is_function)
        return parse_function(term);
    if (cairn_slice_starts(rest(term), "CPUS"))
        return parse_cpus(term);
    if (c == '\'' || c == '"')
        return parse_string(term);
    if (cairn_is_digit(c) || c == '-')
        return parse_number(term);
    return fail(term, CAIRN_FILTER_INVALID_VALUE);
}

int filter_parse_term(struct filter_build *build, uint32_t at, struct filter_test *test,
                      bool *ret_invert, uint32_t *ret_end)
{
    struct term term = {.build = build, .test = test, .at = build->text.text + at};
    int err = parse_field(&term);

    if (!err)
        err = parse_operator(&term);
    if (!err)
        err = parse_value(&term);
    if (err)
        return err;
    *ret_invert = term.invert;
    *ret_end = position(&term);
    return 0;
}
