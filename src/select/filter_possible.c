/* SPDX-License-Identifier: MIT */
/*
 * Finds filters that can select no event, whatever its fields are: Number > 5 && Number < 3.
 *
 * The filter is compiled for a trial event. Its tests are walked from the first on: each way
 * through them that ends with "true" is a list of tests and their results. It is possible if for
 * each field there is a type and a value that give these results. Types matter: a number is
 * truncated to the bits of its field, so Number == 5 && Number == 261 selects bytes with the
 * value 5. What is not understood is possible.
 */
#include "core/filter.h"
#include "select/filter_possible.h"

#define STEPS_MAX 20000u /* of a walk; after them the filter is taken to be possible */
#define TESTS_MAX 256u

struct filter_walk {
    const struct cairn_filter *filter;
    const struct filter_test *tests;
    bool results[TESTS_MAX];
    bool is_on_way[TESTS_MAX];
    uint32_t steps;
};

/* ---- numbers ---- */

/* Numbers of a field that give a result: from `first` on, `span` more, modulo its bits. */
struct arc {
    uint64_t first;
    uint64_t span;
    bool is_empty;
};

/* The trial's fields have 64 bits and a sign. */
static bool is_upper_bound(const struct filter_test *test)
{
    return test->range.span && test->range.low == (uint64_t)INT64_MIN;
}

static uint64_t constant_of(const struct filter_test *test)
{
    return is_upper_bound(test) ? test->range.low + test->range.span : test->range.low;
}

/* The same comparison of a field with other bits, or another sign. */
static struct arc arc_of(const struct filter_test *test, bool result, unsigned bits, bool is_signed)
{
    uint64_t all = ~UINT64_C(0) >> (64 - bits);
    uint64_t highest = is_signed ? all >> 1 : all;
    uint64_t lowest = ~highest & all;
    uint64_t low = is_upper_bound(test) ? lowest : constant_of(test) & all;
    uint64_t high = !test->range.span || is_upper_bound(test) ? constant_of(test) & all : highest;
    struct arc arc;

    arc = (struct arc){.first = low, .span = (high - low) & all};
    if (result)
        return arc;
    if (arc.span == all)
        return (struct arc){.is_empty = true};
    return (struct arc){.first = (high + 1) & all, .span = (all - arc.span - 1) & all};
}

static bool is_number_of(const struct filter_walk *walk, uint32_t at,
                         const struct filter_test *like)
{
    const struct filter_test *test = &walk->tests[at];

    return walk->is_on_way[at] && test->offset == like->offset && test->code == like->code &&
           test->code == FILTER_RANGE_64;
}

/* True if a value is in the arcs of all tests of the field. */
static bool fits(const struct filter_walk *walk, const struct filter_test *like, uint64_t value,
                 unsigned bits, bool is_signed)
{
    uint64_t all = ~UINT64_C(0) >> (64 - bits);

    for (uint32_t n = 0; n < walk->filter->test_count; n++) {
        struct arc arc;

        if (!is_number_of(walk, n, like))
            continue;
        arc = arc_of(&walk->tests[n], walk->results[n], bits, is_signed);
        if (arc.is_empty || ((value - arc.first) & all) > arc.span)
            return false;
    }
    return true;
}

/* Arcs have a value in common if the first one of an arc is in all. */
static bool have_common_number(const struct filter_walk *walk, const struct filter_test *like,
                               unsigned bits, bool is_signed)
{
    for (uint32_t n = 0; n < walk->filter->test_count; n++) {
        struct arc arc;

        if (!is_number_of(walk, n, like))
            continue;
        arc = arc_of(&walk->tests[n], walk->results[n], bits, is_signed);
        if (!arc.is_empty && fits(walk, like, arc.first, bits, is_signed))
            return true;
    }
    return false;
}

/* A filter with a negative number is invalid for a field without a sign. */
static bool has_negative(const struct filter_walk *walk, const struct filter_test *like)
{
    for (uint32_t n = 0; n < walk->filter->test_count; n++) {
        const struct filter_test *test = &walk->tests[n];

        if (test->code == like->code && test->offset == like->offset &&
            constant_of(test) > (uint64_t)INT64_MAX)
            return true;
    }
    return false;
}

static bool is_number_possible(const struct filter_walk *walk, const struct filter_test *like)
{
    bool may_be_unsigned = !has_negative(walk, like);

    for (unsigned bits = 8; bits <= 64; bits *= 2) {
        if (have_common_number(walk, like, bits, true) ||
            (may_be_unsigned && have_common_number(walk, like, bits, false)))
            return true;
    }
    return false;
}

/* ---- texts ---- */

static bool is_text(const struct filter_test *test)
{
    return (test->code >= FILTER_STRING && test->code <= FILTER_STRING_COUNTED) ||
           test->code == FILTER_COMM;
}

static struct cairn_slice pattern_of(const struct filter_walk *walk, const struct filter_test *test)
{
    return (struct cairn_slice){(const char *)walk->filter + test->string.pattern_at,
                                test->string.pattern_bytes};
}

static bool begins_with(struct cairn_slice text, struct cairn_slice front)
{
    return text.length >= front.length && !__builtin_memcmp(text.text, front.text, front.length);
}

/* True if a text can have the results of two tests, of which the first one is true. */
static bool are_texts_possible(const struct filter_walk *walk, const struct filter_test *a,
                               const struct filter_test *b, bool result_b)
{
    struct cairn_slice text = pattern_of(walk, a);
    struct cairn_slice other = pattern_of(walk, b);
    bool b_begins_a = begins_with(text, other);

    if (a->string.pattern > FILTER_FRONT || b->string.pattern > FILTER_FRONT)
        return true;
    if (a->string.pattern == FILTER_WHOLE && b->string.pattern == FILTER_WHOLE)
        return (b_begins_a && text.length == other.length) == result_b;
    if (a->string.pattern == FILTER_WHOLE)
        return b_begins_a == result_b;
    if (b->string.pattern == FILTER_WHOLE)
        return !result_b || begins_with(other, text);
    return result_b ? b_begins_a || begins_with(other, text) : !b_begins_a;
}

static bool is_text_possible(const struct filter_walk *walk, uint32_t at)
{
    const struct filter_test *test = &walk->tests[at];

    for (uint32_t n = 0; n < walk->filter->test_count && walk->results[at]; n++) {
        const struct filter_test *other = &walk->tests[n];

        if (n != at && walk->is_on_way[n] && other->code == test->code &&
            other->offset == test->offset &&
            !are_texts_possible(walk, test, other, walk->results[n]))
            return false;
    }
    return true;
}

/* ---- the walk ---- */

static bool is_way_possible(const struct filter_walk *walk)
{
    for (uint32_t n = 0; n < walk->filter->test_count; n++) {
        const struct filter_test *test = &walk->tests[n];

        if (!walk->is_on_way[n])
            continue;
        if (test->code == FILTER_NEVER && walk->results[n])
            return false;
        if (test->code == FILTER_RANGE_64 && !is_number_possible(walk, test))
            return false;
        if (is_text(test) && !is_text_possible(walk, n))
            return false;
    }
    return true;
}

static uint32_t after(const struct filter_walk *walk, uint32_t at)
{
    const struct filter_test *test = &walk->tests[at];

    return walk->results[at] == test->when ? test->target : at + 1;
}

/* Goes to the end with the results as they are; tests that are new on the way are false at first.
 * Returns the index of the end. */
static uint32_t go(struct filter_walk *walk)
{
    uint32_t at = 0;

    for (uint32_t n = 0; n < walk->filter->test_count; n++)
        walk->is_on_way[n] = false;
    while (at < walk->filter->test_count) {
        walk->is_on_way[at] = true;
        at = after(walk, at);
    }
    return at;
}

/* The next way: the last test on it that was false becomes true, and all after it false. False:
 * there is none. */
static bool turn(struct filter_walk *walk)
{
    uint32_t n = walk->filter->test_count;

    while (n-- > 0) {
        bool is_turned = walk->is_on_way[n] && !walk->results[n];

        walk->results[n] = is_turned;
        if (is_turned)
            return true;
    }
    return false;
}

bool select_filter_is_possible(const struct cairn_filter *filter)
{
    struct filter_walk walk = {
        .filter = filter,
        .tests = (const struct filter_test *)((const char *)filter + filter->tests_at),
    };

    if (filter->test_count > TESTS_MAX)
        return true;
    do {
        bool selects = go(&walk) == filter->test_count;

        walk.steps += filter->test_count;
        if (selects && is_way_possible(&walk))
            return true;
    } while (walk.steps < STEPS_MAX && turn(&walk));
    return walk.steps >= STEPS_MAX;
}
