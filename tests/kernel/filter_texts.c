/* SPDX-License-Identifier: MIT */
/* Generators of random filters, and of events for them. */
#include "filter_texts.h"

#include <stdbool.h>
#include <string.h>

#define COUNT(array)        (sizeof(array) / sizeof((array)[0]))
#define PICK(random, array) ((array)[filter_random((random), COUNT(array))])

#define COMMON_BYTES 8 /* before the payload: offsets of dynamic fields include them */

static const char *const numbers[] = {
    "0",
    "1",
    "2",
    "5",
    "65",
    "97",
    "127",
    "128",
    "200",
    "255",
    "256",
    "-1",
    "-2",
    "-128",
    "-129",
    "32767",
    "32768",
    "65535",
    "65536",
    "010",
    "0x10",
    "0X1f",
    "-0x10",
    "-010",
    "-32768",
    "2147483647",
    "2147483648",
    "0",
    "1",
    "5",
    "100",
    "0x64",
    "-5",
    "-100",
    "4294967295",
    "4294967296",
    "0x8000000000000000",
    "-9223372036854775808",
    "9223372036854775807",
    "0xffffffffffffffff",
    "-2147483648",
    "18446744073709551615",
};

static const char *const bad_numbers[] = {
    "08",
    "0x",
    "1a",
    "-",
    "--1",
    "+1",
    "-0x",
    "1_0",
    "0xg",
    "18446744073709551616",
    "5.",
    "00x1",
    "-9223372036854775809",
    "9223372036854775808",
    "12345678901234567890123",
    "123456789012345678901234",
    "-00000000000000000000001",
    "\xc4",
    "1\xc4",
    "0b1",
    "x",
};

static const char *const strings[] = {
    "\"abc\"",   "'abc'",     "\"a*\"",     "\"*c\"",    "\"*b*\"",  "\"a*c\"",   "\"a?c\"",
    "\"abcd\"",  "\"ab\"",    "\"[a-c]*\"", "\"!a*\"",   "\"!abc\"", "\"\"",      "\"*\"",
    "\"**\"",    "\"1*\"",    "\"12\"",     "\"!1*\"",   "'a\"b'",   "\"[!a]*\"", "\"*xyz\"",
    "\"*xyz*\"", "\"*x\"",    "\"?\"",      "\"a\\*\"",  "\"*\\\"",  "\"a[b\"",   "\"[\"",
    "\"[]a]*\"", "\"*a*b*\"", "\"***\"",    "\"!*b*\"",  "\"!\"",    "\"x*z\"",   "\"test*\"",
    "\"*ab?*\"", "\"[a-]*\"", "\"[b-a]*\"", "\"a b\"",   "\"(a\"",   "\"a&&b\"",  "\"*d*\"",
    "\"*bc\"",   "\"ab*\"",   "\"[^a]*\"",  "\"\\abc\"", "\"a\\\"",  "\"*cd\"",   "\"\xe9*\"",
};

static const char *const bad_strings[] = {"\"abc", "abc", "\"a'", "'", "\"a\"b\"", "a\"b\""};

static const char *const cpus[] = {
    "CPUS{0}",
    "CPUS{1}",
    "CPUS{0-1}",
    "CPUS{all}",
    "CPUS{N}",
    "CPUS{0,1}",
    "CPUS{0-N}",
    "CPUS{,}",
    "CPUS{ 0 }",
    "CPUS{0-1:1/2}",
    "CPUS{ALL:1/2}",
    "CPUS{0-1:1/2N}",
    "CPUS{0\n9}",
    "CPUS{1,0}",
    "CPUS{0-0,,1-1}",
    "CPUS{0-1:0/1}",
    "CPUS{1-1:1/4294967295}",
};

static const char *const bad_cpus[] = {
    "CPUS{}",           "CPUS{2}",       "CPUS{0-}", "CPUS{a}",   "CPUS{0-1:2/1}",
    "CPUS{0",           "CPUS",          "CPUS 0}",  "CPUS{1-0}", "CPUS{0:1/2}",
    "CPUS{4294967295}", "CPUS{0-1:1/0}", "CPUSx{0}", "CPUS{0-9}", "CPUS{4294967296}",
    "CPUS{0-1:1}",      "CPUS{'}",       "CPUS{(}",  "CPUS{0;1}",
};

static const char *const number_fields[] = {
    "a", "b",   "c",     "d",          "e",           "f",         "g",   "h",
    "r", "cpu", "twice", "common_pid", "common_type", "one",       "CPU", "common_cpu",
    "a", "b",   "c",     "d",          "e",           "f",         "g",   "h",
    "m", "n",   "v",     "p",          "stacktrace",  "f.ustring",
};

static const char *const string_fields[] = {"s", "t",    "u",    "x",        "y",
                                            "z", "COMM", "comm", "x.ustring"};

static const char *const cpus_fields[] = {"m",   "a", "c", "e", "g", "CPU",
                                          "cpu", "d", "m", "p", "b"};

static const char *const other_fields[] = {
    "nosuch",
    "seq2",
    "",
    "A",
    "common_",
    "common_preempt_count",
    "common_flags",
    "a.function",
    "g.function",
    "h.function",
    "5",
    "STACKTRACE",
    "x.function",
    "g.ustring.function",
    "\xc4",
    "a.b",
    "g.function.ustring",
    "cairn_filter",
    "one[0]",
};

static const char *const number_operators[] = {"==", "!=", "<", "<=", ">", ">=", "&"};
static const char *const string_operators[] = {"==", "!=", "~", "~", "~"};
static const char *const cpus_operators[] = {"==", "!=", "&"};
static const char *const other_operators[] = {"=",  "!~", "=<", "===", "&&",
                                              "<>", "",   "in", "~=",  "!"};
static const char *const spaces[] = {"", "", " ", " ", "  ", "\t", "\xa0"};
static const char *const connectives[] = {"&&", "||"};
static const char *const bad_connectives[] = {"&",   "|", "and", ",",    "&|",
                                              "|||", "",  "&&&", "&& ||"};
static const char mutations[] = "()()!&|\"' <>=~{}0a9-_.\xa0\xc4\t*\\,N";

uint32_t filter_random(struct filter_random *random, uint32_t below)
{
    random->state ^= random->state << 13;
    random->state ^= random->state >> 7;
    random->state ^= random->state << 17;
    return (uint32_t)(random->state >> 32) % below;
}

struct maker {
    struct filter_random *random;
    char *text;
    size_t length;
    uint32_t errors_in; /* one word of this number is invalid; 0: none is */
};

static void add(struct maker *maker, const char *word)
{
    size_t length = strlen(word);

    if (maker->length + length >= FILTER_TEXT_MAX_BYTES)
        return;
    memcpy(maker->text + maker->length, word, length + 1);
    maker->length += length;
}

static bool is_wrong(struct maker *maker)
{
    return maker->errors_in && !filter_random(maker->random, maker->errors_in);
}

#define ADD(maker, good, bad) \
    add((maker), is_wrong(maker) ? PICK((maker)->random, bad) : PICK((maker)->random, good))

static void add_space(struct maker *maker)
{
    add(maker, PICK(maker->random, spaces));
}

/* Field, comparison and value have the same kind, except in a few cases. */
static void add_term(struct maker *maker)
{
    uint32_t kind = filter_random(maker->random, 10);
    uint32_t field = is_wrong(maker) ? filter_random(maker->random, 10) : kind;
    uint32_t comparison = is_wrong(maker) ? filter_random(maker->random, 10) : kind;

    if (field < 5)
        ADD(maker, number_fields, other_fields);
    else if (field < 9)
        ADD(maker, string_fields, other_fields);
    else
        ADD(maker, cpus_fields, other_fields);
    add_space(maker);
    if (comparison < 5)
        ADD(maker, number_operators, other_operators);
    else if (comparison < 9)
        ADD(maker, string_operators, other_operators);
    else
        ADD(maker, cpus_operators, other_operators);
    add_space(maker);
    if (kind < 5)
        ADD(maker, numbers, bad_numbers);
    else if (kind < 9)
        ADD(maker, strings, bad_strings);
    else
        ADD(maker, cpus, bad_cpus);
}

static void add_expression(struct maker *maker, uint32_t depth)
{
    uint32_t terms = 1 + filter_random(maker->random, depth ? 3 : 1);

    for (uint32_t i = 0; i < terms; i++) {
        if (i)
            ADD(maker, connectives, bad_connectives);
        add_space(maker);
        while (!filter_random(maker->random, 4))
            add(maker, "!");
        if (depth && !filter_random(maker->random, 3)) {
            if (!is_wrong(maker))
                add(maker, "(");
            add_expression(maker, depth - 1);
            if (!is_wrong(maker))
                add(maker, ")");
        } else {
            add_term(maker);
        }
        add_space(maker);
    }
}

/* Words and signs in random order. */
static void add_soup(struct maker *maker)
{
    for (uint32_t count = 1 + filter_random(maker->random, 12); count--;) {
        char sign[] = {mutations[filter_random(maker->random, sizeof(mutations) - 1)], '\0'};

        switch (filter_random(maker->random, 6)) {
        case 0:
            ADD(maker, number_fields, other_fields);
            break;
        case 1:
            ADD(maker, number_operators, other_operators);
            break;
        case 2:
            ADD(maker, numbers, bad_numbers);
            break;
        case 3:
            ADD(maker, connectives, bad_connectives);
            break;
        case 4:
            add_term(maker);
            break;
        default:
            add(maker, sign);
            break;
        }
    }
}

static void mutate(struct maker *maker)
{
    uint32_t at = filter_random(maker->random, (uint32_t)maker->length + 1);
    char c = mutations[filter_random(maker->random, sizeof(mutations) - 1)];

    if (filter_random(maker->random, 2) && at < maker->length) {
        memmove(maker->text + at, maker->text + at + 1, maker->length - at);
        maker->length--;
    } else if (maker->length + 1 < FILTER_TEXT_MAX_BYTES) {
        memmove(maker->text + at + 1, maker->text + at, maker->length - at + 1);
        maker->text[at] = c;
        maker->length++;
    }
}

void filter_make_text(struct filter_random *random, char text[FILTER_TEXT_MAX_BYTES])
{
    static const uint32_t errors_in[] = {0, 0, 0, 30, 8};
    struct maker maker = {.random = random, .text = text, .errors_in = PICK(random, errors_in)};

    text[0] = '\0';
    if (filter_random(random, 10))
        add_expression(&maker, filter_random(random, 4));
    else
        add_soup(&maker);
    if (!filter_random(random, 4)) {
        for (uint32_t count = 1 + filter_random(random, 3); count--;)
            mutate(&maker);
    }
}

struct payload {
    uint8_t *bytes;
    size_t length;
};

static size_t append(struct payload *payload, const void *bytes, size_t length)
{
    size_t at = payload->length;

    memcpy(payload->bytes + at, bytes, length);
    payload->length += length;
    return at;
}

/* Appends a value that filters compare with: small, negative, or a limit of its size. */
static void append_integer(struct filter_random *random, struct payload *payload, size_t size_bytes)
{
    static const int64_t values[] = {
        0,    1,          2,          5,          16,          31,          97,        127,
        128,  200,        255,        256,        32767,       32768,       65535,     65536,
        -1,   -2,         -128,       65,         100,         -5,          -100,      8,
        -129, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x100000001, INT64_MAX, INT64_MIN};
    int64_t value = PICK(random, values);

    append(payload, &value, size_bytes);
}

static const char *const texts[] = {
    "",    "abc", "abcd",      "ab",   "xabc", "a b",   "12",   "1*",   "abc\\",
    "a[b", "xyz", "axyz",      "ABC",  "c",    "aXbXc", "test", "a\"b", "]ab",
    "*",   "-",   "\xe9t\xe9", "aaab", "(a",   "^a",    "bcd",
};

/* Sometimes with bytes after the NUL, and sometimes without a NUL. */
static void append_array(struct filter_random *random, struct payload *payload, size_t size_bytes)
{
    char array[16] = {0};

    strncpy(array, PICK(random, texts), size_bytes);
    if (!filter_random(random, 4))
        memcpy(array + size_bytes - 4, "xyz", 3 + filter_random(random, 2));
    if (!filter_random(random, 4))
        array[size_bytes - 1] = 'c';
    append(payload, array, size_bytes);
}

/* Writes the location of the field at `at`. */
static void set_place(struct payload *payload, size_t at, bool is_relative, size_t begin,
                      size_t length)
{
    size_t from = is_relative ? at + sizeof(uint32_t) : 0;
    uint32_t place = (uint32_t)(length << 16 | (begin - from + (is_relative ? 0 : COMMON_BYTES)));

    memcpy(payload->bytes + at, &place, sizeof(place));
}

/*
 * Appends a text with its NUL. A text of length zero has no bytes; its location is after a NUL,
 * because the kernel would refuse the event otherwise.
 */
static void append_text(struct filter_random *random, struct payload *payload, size_t at,
                        bool is_relative)
{
    const char *text = PICK(random, texts);
    size_t length = filter_random(random, 8) ? strlen(text) + 1 : 0;
    size_t begin = append(payload, text, length);

    set_place(payload, at, is_relative, begin, length);
}

size_t filter_make_payload(struct filter_random *random, uint32_t seq,
                           uint8_t bytes[FILTER_PAYLOAD_MAX_BYTES])
{
    static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8};
    static const uint32_t nothing;
    struct payload payload = {.bytes = bytes};
    uint64_t mask = filter_random(random, 4);
    size_t m, n, x, y, z, v;

    append(&payload, &seq, sizeof(seq));
    for (size_t i = 0; i < sizeof(sizes); i++)
        append_integer(random, &payload, sizes[i]);
    append_array(random, &payload, 16);
    append_array(random, &payload, 4);
    append_array(random, &payload, 8);
    append_array(random, &payload, 12);
    append_integer(random, &payload, 4);
    append_integer(random, &payload, 4);
    append_integer(random, &payload, 1);
    append_integer(random, &payload, 2);
    m = append(&payload, &nothing, 4);
    n = append(&payload, &nothing, 4);
    x = append(&payload, &nothing, 4);
    y = append(&payload, &nothing, 4);
    z = append(&payload, &nothing, 4);
    append_integer(random, &payload, 1);
    v = append(&payload, &nothing, 4);

    set_place(&payload, m, false, append(&payload, &mask, sizeof(mask)), sizeof(mask));
    set_place(&payload, n, true, payload.length - sizeof(mask), sizeof(mask));
    append(&payload, "", 1);
    append_text(random, &payload, x, false);
    append_text(random, &payload, y, true);
    append_text(random, &payload, z, false);
    set_place(&payload, v, false, payload.length, 0);
    append(&payload, "end", sizeof("end"));
    return payload.length;
}
