/* SPDX-License-Identifier: MIT */
/*
 * From a filter's text to its program.
 *
 * Terms become tests in the order of the text. While compiling, a test's target is the earlier test
 * that an operator behind it will make branch to here: at first the one before it. So the tests
 * that wait for an `||`, each on its level of parentheses, are a chain, and no test needs to be
 * found again.
 */
#include "core/filter.h"

/* What a level of parentheses remembers. */
#define LEVEL_INVERT 1u /* an odd number of `!` is in front of it */
#define LEVEL_AND    2u /* `&&` was the last operator */
#define LEVEL_OR     4u /* `||` waits until what is behind it is known */

/* What a test's `when` is while compiling. */
#define TEST_WHEN   1u
#define TEST_INVERT 2u

#define ALIGN_8(n) (((n) + 7) & ~(size_t)7)

#define TEST_TEXT_MIN_BYTES 5  /* "a<1" and the "||" before the next */
#define SET_TEXT_MIN_BYTES  11 /* "a&CPUS{,}" and the same */
#define SET_MAX_BYTES       (FILTER_SET_WORDS(CAIRN_FILTER_CPUS_MAX) * sizeof(uint64_t))

struct parser {
    struct filter_build *build;
    uint8_t *levels; /* LEVEL_ bits of each open parenthesis; the first is the text itself */
    uint32_t depth;  /* levels there is room for */
    uint32_t top;
    uint32_t at; /* next byte of the text */
    uint32_t terms_max;
    bool invert;
    bool ended;
};

/* The last test takes the place of the one that it waits on; that branches to behind the last. */
static void resolve(struct filter_build *build, bool when)
{
    uint32_t last = build->test_count - 1;
    struct filter_test *waiting = &build->tests[build->tests[last].target];

    build->tests[last].target = waiting->target;
    waiting->target = (uint16_t)last;
    waiting->when = (uint8_t)((waiting->when & TEST_INVERT) | (when ? TEST_WHEN : 0));
}

static int parse_term(struct parser *parser)
{
    struct filter_build *build = parser->build;
    struct filter_test *test = &build->tests[build->test_count];
    bool invert;
    int err;

    if (build->test_count == parser->terms_max)
        return filter_fail(build, CAIRN_FILTER_TOO_MANY_TERMS, parser->at);
    if ((size_t)((char *)(test + 1) - (char *)build->filter) > build->sets_at)
        return ENOSPC;
    *test = (struct filter_test){.target = (uint16_t)(build->test_count - 1)};
    err = filter_parse_term(build, parser->at, test, &invert, &parser->at);
    if (err)
        return err;
    test->when = parser->invert != invert ? TEST_INVERT : 0;
    build->test_count++;
    return 0;
}

/* "&&", "||", ")" or the end: its first byte. Two of a kind are taken, a single one is an error. */
static int take_operator(struct parser *parser, char *ret_sign)
{
    const char *text = parser->build->text.text;
    char c;

    while (cairn_is_kernel_space(text[parser->at]))
        parser->at++;
    c = text[parser->at];
    if (c == '&' || c == '|') {
        if (text[parser->at + 1] != c)
            return filter_fail(parser->build, CAIRN_FILTER_TOO_MANY_TERMS, parser->at);
        parser->at++;
    } else if (c && c != ')') {
        return filter_fail(parser->build, CAIRN_FILTER_TOO_MANY_TERMS, parser->at);
    }
    parser->at++;
    *ret_sign = c;
    return 0;
}

/* What is behind a term, up to the next, or up to the end. */
static int parse_operators(struct parser *parser)
{
    for (;;) {
        uint8_t *level = &parser->levels[parser->top];
        char sign = '\0';
        int err = take_operator(parser, &sign);

        if (err)
            return err;
        parser->invert = *level & LEVEL_INVERT;
        if (*level & LEVEL_AND)
            resolve(parser->build, parser->invert);
        *level &= (uint8_t)~LEVEL_AND;
        if (sign == '&') {
            *level |= LEVEL_AND;
            return 0;
        }
        if (*level & LEVEL_OR)
            resolve(parser->build, !parser->invert);
        *level &= (uint8_t)~LEVEL_OR;
        if (sign == '|') {
            *level |= LEVEL_OR;
            return 0;
        }
        if (!sign) {
            parser->ended = true;
            return 0;
        }
        if (!parser->top)
            return filter_fail(parser->build, CAIRN_FILTER_TOO_MANY_CLOSE, parser->at);
        parser->top--;
    }
}

static int parse_next(struct parser *parser)
{
    const char *text = parser->build->text.text;
    char c = text[parser->at];
    int err;

    if (c == '(') {
        if (parser->top + 1 == parser->depth)
            return filter_fail(parser->build, CAIRN_FILTER_UNSPECIFIC, 0);
        parser->levels[++parser->top] = parser->invert ? LEVEL_INVERT : 0;
    } else if (c == '!' && text[parser->at + 1] != '=' && text[parser->at + 1] != '~') {
        parser->invert = !parser->invert;
    } else if (!cairn_is_kernel_space(c)) {
        err = parse_term(parser);
        return err ? err : parse_operators(parser);
    }
    parser->at++;
    return 0;
}

static int parse_text(struct parser *parser)
{
    struct filter_build *build = parser->build;
    int err = 0;

    while (!err && !parser->ended && build->text.text[parser->at])
        err = parse_next(parser);
    if (err)
        return err;
    if (build->test_count && !parser->ended)
        return filter_fail(build, CAIRN_FILTER_MEANINGLESS, parser->at);
    if (parser->top)
        return filter_fail(build, CAIRN_FILTER_TOO_MANY_OPEN, parser->at);
    if (!build->test_count)
        return filter_fail(build, CAIRN_FILTER_NO_FILTER, parser->at);
    return 0;
}

/* Where a branch leads to a test that would branch on the same, it can go where that goes. */
static void finish_tests(struct filter_build *build)
{
    struct filter_test *tests = build->tests;
    uint32_t count = build->test_count;

    tests[count - 1].target = (uint16_t)count;
    tests[count - 1].when &= TEST_INVERT;
    for (uint32_t i = count - 1; i--;) {
        const struct filter_test *target = &tests[tests[i].target];

        if ((tests[i].when ^ target->when) & TEST_WHEN)
            continue;
        tests[i].target = target->target;
    }
    build->filter->numbers_only = true;
    for (uint32_t i = 0; i < count; i++) {
        if (!filter_is_of_number((enum filter_code)tests[i].code))
            build->filter->numbers_only = false;
        tests[i].when = (tests[i].when & TEST_WHEN) != (tests[i].when & TEST_INVERT) >> 1;
        tests[i].target++;
    }
}

/* Moves the sets up to the tests, so that the filter is in one piece. */
static void finish_sets(struct filter_build *build, uint32_t sets_end)
{
    struct cairn_filter *filter = build->filter;
    uint32_t tests_end = (uint32_t)((char *)(build->tests + build->test_count) - (char *)filter);
    uint32_t size_bytes = sets_end - build->sets_at;

    if (size_bytes)
        __builtin_memmove((char *)filter + tests_end, (char *)filter + build->sets_at, size_bytes);
    for (uint32_t i = 0; i < build->test_count; i++) {
        if (filter_has_set((enum filter_code)build->tests[i].code))
            build->tests[i].set.at -= build->sets_at - tests_end;
    }
    filter->size_bytes = tests_end + size_bytes;
    filter->test_count = (uint16_t)build->test_count;
}

static uint64_t record_min_bytes(const struct cairn_schema *schema)
{
    uint64_t min_bytes = CAIRN_COMMON_BYTES;

    if (min_bytes < schema->fixed_size_bytes)
        min_bytes = schema->fixed_size_bytes;
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const struct cairn_field *field = &schema->fields[i];
        uint32_t size_bytes = field->size_bytes;
        uint64_t end;

        /* By the name of its type a field may count as dynamic, whatever its size. */
        if (cairn_slice_contains(field->type, "_loc") && size_bytes < 4)
            size_bytes = 4;
        end = (uint64_t)field->offset + size_bytes;
        if (min_bytes < end)
            min_bytes = end;
    }
    return min_bytes;
}

static int compile(struct filter_build *build, uint32_t memory_bytes)
{
    struct parser parser = {.build = build};
    uint32_t levels_bytes;
    uint32_t sets_end;
    int err = filter_scan(build, &parser.depth, &parser.terms_max);

    if (err)
        return err;
    levels_bytes = (uint32_t)ALIGN_8(parser.depth);
    if (build->filter->tests_at + levels_bytes > memory_bytes)
        return ENOSPC;
    sets_end = memory_bytes - levels_bytes;
    build->sets_at = sets_end;
    parser.levels = (uint8_t *)build->filter + sets_end;
    parser.levels[0] = 0;
    err = parse_text(&parser);
    if (err)
        return err;
    finish_tests(build);
    finish_sets(build, sets_end);
    return 0;
}

/* Begins a filter with its text; the rest of memory is free. */
static int begin(struct filter_build *build, struct cairn_slice text, void *memory,
                 uint32_t memory_bytes)
{
    size_t tests_at = sizeof(struct cairn_filter) + ALIGN_8(text.length + 1);
    char *copy = (char *)memory + sizeof(struct cairn_filter);

    if (memory_bytes < tests_at)
        return ENOSPC;
    build->filter = (struct cairn_filter *)memory;
    *build->filter = (struct cairn_filter){
        .record_min_bytes = record_min_bytes(build->schema),
        .text_length = (uint16_t)text.length,
        .tests_at = (uint16_t)tests_at,
    };
    if (text.length)
        __builtin_memcpy(copy, text.text, text.length);
    __builtin_memset(copy + text.length, 0, tests_at - sizeof(struct cairn_filter) - text.length);
    build->text = (struct cairn_slice){copy, text.length};
    build->tests = (struct filter_test *)((char *)memory + tests_at);
    return 0;
}

int cairn_filter_compile_for_cpus(const struct cairn_schema *schema, uint32_t cpu_count,
                                  const char *text, size_t length, void *memory,
                                  size_t memory_bytes, struct cairn_filter **ret_filter,
                                  struct cairn_filter_error *ret_error)
{
    struct filter_build build = {.schema = schema, .cpu_count = cpu_count};
    uint32_t used_bytes;
    int err;

    if ((uintptr_t)memory % 8)
        return EINVAL;
    if (length >= CAIRN_FILTER_TEXT_MAX_BYTES)
        return E2BIG;
    if (!cpu_count || cpu_count > CAIRN_FILTER_CPUS_MAX)
        build.cpu_count = CAIRN_FILTER_CPUS_MAX;
    if (memory_bytes > cairn_filter_memory_bytes(length))
        memory_bytes = cairn_filter_memory_bytes(length);
    used_bytes = (uint32_t)(memory_bytes & ~(size_t)7);

    err = begin(&build, cairn_slice_written((struct cairn_slice){text, (uint32_t)length}), memory,
                used_bytes);
    if (!err)
        err = compile(&build, used_bytes);
    if (err == EINVAL && ret_error)
        *ret_error = build.error;
    if (!err)
        *ret_filter = build.filter;
    return err;
}

int cairn_filter_compile(const struct cairn_schema *schema, const char *text, size_t length,
                         void *memory, size_t memory_bytes, struct cairn_filter **ret_filter,
                         struct cairn_filter_error *ret_error)
{
    return cairn_filter_compile_for_cpus(schema, CAIRN_FILTER_CPUS_MAX, text, length, memory,
                                         memory_bytes, ret_filter, ret_error);
}

/* As many tests as the text has room for, and as many sets, and what is needed but for a while. */
size_t cairn_filter_memory_bytes(size_t length)
{
    if (length > CAIRN_FILTER_TEXT_MAX_BYTES)
        length = CAIRN_FILTER_TEXT_MAX_BYTES;
    return sizeof(struct cairn_filter) + ALIGN_8(length + 1) +
           (length / TEST_TEXT_MIN_BYTES + 2) * sizeof(struct filter_test) +
           (length / SET_TEXT_MIN_BYTES + 2) * SET_MAX_BYTES + ALIGN_8(length / 2 + 2);
}

const char *cairn_filter_text(const struct cairn_filter *filter)
{
    return (const char *)(filter + 1);
}

size_t cairn_filter_bytes(const struct cairn_filter *filter)
{
    return filter->size_bytes;
}

bool cairn_filter_needs_task(const struct cairn_filter *filter)
{
    return filter->needs_task;
}
