/* SPDX-License-Identifier: MIT */
/* Runs a filter's program on a record. The record's contents are untrusted. */
#include "core/filter.h"
#include "core/glob.h"
#include "core/load.h"

struct filter_match_record {
    const uint8_t *raw;
    size_t size_bytes;
    const struct cairn_filter_task *task;
};

enum verdict {
    FALSE,
    TRUE,
    BROKEN, /* an offset leads out of the record */
};

/* Bytes of a record, and how many there are up to its end. */
struct filter_match_part {
    const char *begin;
    uint32_t length;
    size_t left;
};

static bool same(const char *a, const char *b, uint32_t length)
{
    return !length || !__builtin_memcmp(a, b, length);
}

static bool contains(struct cairn_slice text, struct cairn_slice part)
{
    for (; text.length >= part.length; text = core_slice_after(text, 1)) {
        if (same(text.text, part.text, part.length))
            return true;
        if (!text.length)
            return false;
    }
    return false;
}

/*
 * Linux uses three rules for the end of a string. An array ends at its length. For `==` and for a
 * pattern of the front, a NUL before that ends it. A pattern of the end takes the array's last byte
 * for the NUL.
 */
static __attribute__((cold)) bool match_array(enum filter_pattern how, struct cairn_slice pattern,
                                              struct cairn_slice text)
{
    switch (how) {
    case FILTER_WHOLE:
        return text.length >= pattern.length && same(text.text, pattern.text, pattern.length) &&
               (text.length == pattern.length || !text.text[pattern.length]);
    case FILTER_FRONT:
        return text.length >= pattern.length && same(text.text, pattern.text, pattern.length);
    case FILTER_MIDDLE:
        return contains(text, pattern);
    case FILTER_END:
        return text.length > pattern.length &&
               same(text.text + text.length - 1 - pattern.length, pattern.text, pattern.length);
    default:
        return core_glob_match_slice(pattern, text);
    }
}

/* A string of length 0 extends to its NUL, wherever that is, except for two kinds of patterns. */
static bool match_unbounded(enum filter_pattern how, struct cairn_slice pattern,
                            const struct filter_match_part *part)
{
    struct cairn_slice text = {part->begin, 0};

    if (how == FILTER_END)
        return false;
    if (how == FILTER_GLOB)
        return core_glob_match_slice(pattern, text);
    text.length = part->left < UINT32_MAX ? (uint32_t)part->left : UINT32_MAX;
    text.length = core_slice_find(text, '\0');
    return match_array(how, pattern, text);
}

static bool match_string(const struct cairn_filter *filter, const struct filter_test *test,
                         const struct filter_match_part *part)
{
    struct cairn_slice pattern = {(const char *)filter + test->string.pattern_at,
                                  test->string.pattern_bytes};
    enum filter_pattern how = (enum filter_pattern)test->string.pattern;

    if (!part->length)
        return match_unbounded(how, pattern, part);
    return match_array(how, pattern, (struct cairn_slice){part->begin, part->length});
}

/* The bytes of a dynamic field, from the length and offset at the test's field. */
static bool find_part(const struct filter_match_record *record, const struct filter_test *test,
                      bool is_relative, struct filter_match_part *part)
{
    uint32_t location = core_load32(record->raw + test->offset, false);
    size_t begin = location & 0xffff;

    if (is_relative)
        begin += (size_t)test->offset + sizeof(location);
    part->length = location >> 16;
    if (begin > record->size_bytes || part->length > record->size_bytes - begin)
        return false;
    part->begin = (const char *)record->raw + begin;
    part->left = record->size_bytes - begin;
    return true;
}

/* A text whose length is known exactly: no NUL is searched for its end. Most texts that are not
 * wanted differ in their length, or in the first byte. */
static inline bool match_exact(const struct cairn_filter *filter, const struct filter_test *test,
                               struct cairn_slice text)
{
    struct cairn_slice pattern = {(const char *)filter + test->string.pattern_at,
                                  test->string.pattern_bytes};

    if (test->string.pattern != FILTER_GLOB && text.length < pattern.length)
        return false;
    if (test->string.pattern == FILTER_END)
        return same(text.text + text.length - pattern.length, pattern.text, pattern.length);
    if (test->string.pattern <= FILTER_FRONT && pattern.length && *text.text != *pattern.text)
        return false;
    return match_array((enum filter_pattern)test->string.pattern, pattern, text);
}

static bool test_elsewhere(const struct cairn_filter *filter, const struct filter_test *test,
                           const uint8_t *raw)
{
    struct filter_text_at at;

    __builtin_memcpy(&at, raw + test->offset, sizeof(at));
    return match_exact(filter, test, (struct cairn_slice){at.text, (uint32_t)at.length});
}

static inline enum verdict test_counted(const struct cairn_filter *filter,
                                        const struct filter_test *test, const uint8_t *raw,
                                        size_t raw_bytes)
{
    uint32_t length = core_load16(raw + test->offset, false);
    size_t begin = (size_t)test->offset + sizeof(uint16_t);

    if (length > raw_bytes - begin)
        return BROKEN;
    return match_exact(filter, test, (struct cairn_slice){(const char *)raw + begin, length});
}

static enum verdict test_string(const struct cairn_filter *filter, const struct filter_test *test,
                                const struct filter_match_record *record)
{
    struct filter_match_part part = {
        .begin = (const char *)record->raw + test->offset,
        .length = test->string.size_bytes,
        .left = record->size_bytes - test->offset,
    };

    if (test->code != FILTER_STRING &&
        !find_part(record, test, test->code == FILTER_STRING_REL_LOC, &part))
        return BROKEN;
    return match_string(filter, test, &part);
}

static bool test_comm(const struct cairn_filter *filter, const struct filter_test *test,
                      const struct filter_match_record *record)
{
    struct filter_match_part part = {record->task->comm, CAIRN_FILTER_COMM_BYTES,
                                     CAIRN_FILTER_COMM_BYTES};

    return match_string(filter, test, &part);
}

static bool is_in_set(const struct cairn_filter *filter, const struct filter_test *test,
                      uint32_t cpu)
{
    const uint64_t *set = (const uint64_t *)((const char *)filter + test->set.at);

    return cpu < test->set.cpu_count && set[cpu / 64] >> cpu % 64 & 1;
}

/* A bit of a mask of longs, laid out as in the kernel; bits after its end are clear. */
static bool is_in_mask(const struct filter_match_part *mask, uint32_t cpu)
{
    uint32_t byte = cpu / 8;

    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        byte ^= sizeof(long) - 1;
    return byte < mask->length && (uint8_t)mask->begin[byte] >> cpu % 8 & 1;
}

static enum verdict test_mask(const struct cairn_filter *filter, const struct filter_test *test,
                              const struct filter_match_record *record)
{
    struct filter_match_part mask;

    if (!find_part(record, test, false, &mask))
        return BROKEN;
    for (uint32_t cpu = 0; cpu < test->set.cpu_count; cpu++) {
        bool in_set = is_in_set(filter, test, cpu);
        bool in_mask = is_in_mask(&mask, cpu);

        if (test->code == FILTER_MASK_MEETS && in_set && in_mask)
            return TRUE;
        if (test->code == FILTER_MASK_EQUALS && in_set != in_mask)
            return FALSE;
    }
    return test->code == FILTER_MASK_EQUALS;
}

static int order_of(const struct filter_number_or_none *number, const struct filter_test *test)
{
    uint64_t sign = test->number_or_none.is_signed ? UINT64_C(1) << 63 : 0;
    uint64_t a = number->number ^ sign; /* then the order is that of unsigned numbers */
    uint64_t b = test->number_or_none.value ^ sign;

    if (number->range != FILTER_NUMBER_WITHIN)
        return number->range == FILTER_NUMBER_ABOVE ? 1 : -1;
    return (a > b) - (a < b);
}

static bool test_number_or_none(const struct filter_test *test, const uint8_t *at)
{
    struct filter_number_or_none number;

    __builtin_memcpy(&number, at, sizeof(number));
    if (number.range == FILTER_NUMBER_NONE)
        return false;
    if (test->number_or_none.orders)
        return test->number_or_none.orders >> (order_of(&number, test) + 1) & 1;
    return number.range == FILTER_NUMBER_WITHIN && number.number & test->number_or_none.value;
}

/* Tests of other fields than numbers: not inlined, to keep the loop of number tests small. */
static __attribute__((noinline)) enum verdict run_other(const struct cairn_filter *filter,
                                                        const struct filter_test *test,
                                                        const uint8_t *raw, size_t raw_bytes,
                                                        const struct cairn_filter_task *task)
{
    struct filter_match_record record = {raw, raw_bytes, task};
    const uint8_t *at = raw + test->offset;

    switch (test->code) {
    case FILTER_IN_SET_8:
        return is_in_set(filter, test, *at);
    case FILTER_IN_SET_16:
        return is_in_set(filter, test, core_load16(at, false));
    case FILTER_IN_SET_32:
        return is_in_set(filter, test, core_load32(at, false));
    case FILTER_CPU_RANGE:
        return task->cpu - (uint32_t)test->range.low <= test->range.span;
    case FILTER_CPU_IN_SET:
        return is_in_set(filter, test, task->cpu);
    case FILTER_MASK_EQUALS:
    case FILTER_MASK_MEETS:
        return test_mask(filter, test, &record);
    case FILTER_STRING:
    case FILTER_STRING_DATA_LOC:
    case FILTER_STRING_REL_LOC:
        return test_string(filter, test, &record);
    case FILTER_STRING_AT:
        return test_elsewhere(filter, test, raw);
    case FILTER_COMM:
        return test_comm(filter, test, &record);
    case FILTER_NUMBER_OR_NONE:
        return test_number_or_none(test, at);
    default:
        return FALSE;
    }
}

/* Evaluates a test of a number. */
static inline bool test_number(const struct filter_test *test, const uint8_t *at)
{
    switch (test->code) {
    case FILTER_RANGE_8:
        return (uint8_t)(*at - test->range.low) <= test->range.span;
    case FILTER_RANGE_16:
        return (uint16_t)(core_load16(at, false) - test->range.low) <= test->range.span;
    case FILTER_RANGE_32:
        return (uint32_t)(core_load32(at, false) - test->range.low) <= test->range.span;
    case FILTER_RANGE_64:
        return core_load64(at, false) - test->range.low <= test->range.span;
    case FILTER_BITS_8:
        return *at & test->mask;
    case FILTER_BITS_16:
        return core_load16(at, false) & test->mask;
    case FILTER_BITS_32:
        return core_load32(at, false) & test->mask;
    default:
        return core_load64(at, false) & test->mask;
    }
}

static inline const struct filter_test *first_test(const struct cairn_filter *filter)
{
    return (const struct filter_test *)((const char *)filter + filter->tests_at);
}

static __attribute__((noinline)) bool match_any(const struct cairn_filter *filter,
                                                const uint8_t *raw, size_t raw_bytes,
                                                const struct cairn_filter_task *task)
{
    const struct filter_test *tests = first_test(filter);
    uint32_t at = 0;

    if (filter->needs_task && !task)
        return false;
    while (at < filter->test_count) {
        const struct filter_test *test = &tests[at];
        enum verdict verdict;

        if (filter_is_of_number((enum filter_code)test->code))
            verdict = (enum verdict)test_number(test, raw + test->offset);
        else if (test->code == FILTER_STRING_COUNTED)
            verdict = test_counted(filter, test, raw, raw_bytes);
        else
            verdict = run_other(filter, test, raw, raw_bytes, task);

        if (verdict == BROKEN)
            return false;
        at = verdict == test->when ? test->target : at + 1;
    }
    return at == filter->test_count;
}

bool cairn_filter_match(const struct cairn_filter *filter, const void *raw, size_t raw_bytes,
                        const struct cairn_filter_task *task)
{
    const struct filter_test *tests = first_test(filter);
    uint32_t count = filter->test_count;
    uint32_t at = 0;

    if (raw_bytes < filter->record_min_bytes)
        return false;
    if (!filter->numbers_only)
        return match_any(filter, (const uint8_t *)raw, raw_bytes, task);
    while (at < count) {
        const struct filter_test *test = &tests[at];
        bool result = test_number(test, (const uint8_t *)raw + test->offset);

        at = result == test->when ? test->target : at + 1;
    }
    return at == count;
}
