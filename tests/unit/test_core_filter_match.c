/* SPDX-License-Identifier: MIT */
/* Test of matching filters: which records a filter selects. */
#include "filter_test.h"

#include <cairn/record.h>
#include <inttypes.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Matches a record with one field that has these bytes, after common fields that are zero. */
static bool chooses_field(const char *field, const char *text, const void *bytes, size_t size_bytes)
{
    uint8_t record[512] = {0};
    char command[128];
    struct parsed parsed;

    snprintf(command, sizeof(command), "test %s", field);
    parse_command(command, &parsed);
    memcpy(record + CAIRN_COMMON_BYTES, bytes, size_bytes);
    return chooses(&parsed.schema, text, record, CAIRN_COMMON_BYTES + size_bytes, NULL);
}

static int64_t sign_extended(uint64_t value, unsigned bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* The result of comparing two values of a type in C; the number is truncated to the type, as the
 * kernel does. */
static bool compared(const char *sign, uint64_t x, uint64_t y, unsigned bits, bool is_signed)
{
    uint64_t all = ~0ull >> (64 - bits);
    bool less = is_signed ? sign_extended(x, bits) < sign_extended(y, bits) : (x & all) < (y & all);
    bool equal = (x & all) == (y & all);

    if (sign[0] == '<')
        return less || (sign[1] && equal);
    if (sign[0] == '>')
        return (!less && !equal) || (sign[1] && equal);
    if (sign[0] == '&')
        return x & y & all;
    return equal == (sign[0] == '=');
}

static const uint64_t values[] = {
    0,
    1,
    2,
    5,
    126,
    127,
    128,
    129,
    254,
    255,
    256,
    257,
    32766,
    32767,
    32768,
    32769,
    65534,
    65535,
    65536,
    65537,
    0x7ffffffe,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xfffffffe,
    0xffffffff,
    1ull << 32,
    INT64_MAX,
    1ull << 63,
    -1ull,
    -2ull,
    -128ull,
    -129ull,
    -32768ull,
    -32769ull,
    -1ull << 31,
    (-1ull << 31) - 1,
};

static void compare_with_all(const char *type, unsigned bits, bool is_signed, const char *sign)
{
    char field[16], text[64];

    snprintf(field, sizeof(field), "%s a", type);
    for (size_t x = 0; x < COUNT(values); x++) {
        for (size_t y = 0; y < COUNT(values); y++) {
            if (is_signed)
                snprintf(text, sizeof(text), "a %s %" PRId64, sign, (int64_t)values[y]);
            else
                snprintf(text, sizeof(text), "a %s 0x%" PRIx64, sign, values[y]);
            if (chooses_field(field, text, &values[x], bits / 8) !=
                compared(sign, values[x], values[y], bits, is_signed))
                fail_msg("%s: %s, where a is %" PRIx64, field, text, values[x]);
        }
    }
}

static void integers_of_all_sizes_and_signs_are_compared_as_in_c(void **state)
{
    static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">=", "&"};
    char type[8];

    (void)state;
    for (unsigned bits = 8; bits <= 64; bits *= 2) {
        for (size_t i = 0; i < COUNT(signs); i++) {
            snprintf(type, sizeof(type), "u%u", bits);
            compare_with_all(type, bits, false, signs[i]);
            snprintf(type, sizeof(type), "s%u", bits);
            compare_with_all(type, bits, true, signs[i]);
        }
    }
}

static void numbers_are_read_in_every_base(void **state)
{
    static const char *const texts[] = {"a==16", "a==0x10", "a==0X10", "a==020", "a==0020",
                                        "a>0xf", "a<021",   "a&0x10",  "!a&0xf", "a==4294967312"};
    uint32_t a = 16;

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_true(chooses_field("u32 a", texts[i], &a, sizeof(a)));
}

static void a_field_that_has_no_integer_size_never_matches(void **state)
{
    uint8_t bytes[12] = {0};

    (void)state;
    assert_false(chooses_field("struct p a 12", "a == 0", bytes, 12));
    assert_false(chooses_field("struct p a 12", "a != 0", bytes, 12));
    assert_false(chooses_field("struct p a 3", "a & CPUS{0-1}", bytes, 3));
    assert_false(chooses_field("struct p a 3", "a != CPUS{0-1}", bytes, 3));
    assert_true(chooses_field("struct p a 12", "!a == 0", bytes, 12));
    assert_true(chooses_field("struct p a 4", "a == 0", bytes, 4));
}

/*
 * Random expressions of single bits with their values: `||` of `&&` of factors, evaluated by the
 * rules of precedence.
 */
struct expression {
    uint64_t random;
    char text[512];
    size_t length;
    uint8_t a;
};

static uint32_t below(struct expression *e, uint32_t limit)
{
    e->random = e->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(e->random >> 33) % limit;
}

static void add(struct expression *e, const char *word)
{
    size_t length = strlen(word);

    if (e->length + length < sizeof(e->text))
        memcpy(e->text + e->length, word, length + 1);
    e->length += length;
}

static bool make_any_of(struct expression *e, uint32_t depth);

static bool make_factor(struct expression *e, uint32_t depth)
{
    char term[] = "a&0 ";
    uint32_t bit = below(e, 3);
    bool inverted = false;
    bool value;

    while (!below(e, 3)) {
        add(e, "!");
        inverted = !inverted;
    }
    if (depth && below(e, 2)) {
        add(e, "(");
        value = make_any_of(e, depth - 1);
        add(e, ")");
    } else {
        term[2] = (char)('0' + (1u << bit));
        add(e, term);
        value = e->a >> bit & 1;
    }
    return value != inverted;
}

static bool make_all_of(struct expression *e, uint32_t depth)
{
    bool value = make_factor(e, depth);

    for (uint32_t more = below(e, 3); more--;) {
        add(e, "&&");
        value &= make_factor(e, depth);
    }
    return value;
}

static bool make_any_of(struct expression *e, uint32_t depth)
{
    bool value = make_all_of(e, depth);

    for (uint32_t more = below(e, 3); more--;) {
        add(e, " || ");
        value |= make_all_of(e, depth);
    }
    return value;
}

static void operators_have_the_usual_precedence_and_negation(void **state)
{
    uint32_t tried = 0;

    (void)state;
    for (uint32_t seed = 0; tried < 2000; seed++) {
        for (uint8_t a = 0; a < 8; a++) {
            struct expression e = {.random = seed, .a = a};
            bool value = make_any_of(&e, 3);

            if (e.length >= sizeof(e.text))
                continue;
            tried++;
            if (chooses_field("u8 a", e.text, &a, 1) != value)
                fail_msg("a is %u: %s", a, e.text);
        }
    }
}

struct string_case {
    const char *comparison;
    const char *bytes;
    size_t length; /* size of the array, NULs included */
    bool chosen;
};

static void check_strings(const struct string_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct string_case *c = &cases[i];
        struct {
            uint32_t place;
            char bytes[64];
        } dynamic = {.place = 0};
        char field[32], text[64];

        snprintf(text, sizeof(text), "a %s", c->comparison);
        if (c->length) {
            snprintf(field, sizeof(field), "char[%zu] a", c->length);
            if (chooses_field(field, text, c->bytes, c->length) != c->chosen)
                fail_msg("%s, case %zu", text, i);
        }
        memcpy(dynamic.bytes, c->bytes, c->length);
        dynamic.place = (uint32_t)(c->length << 16 | 12);
        if (chooses_field("__data_loc char[] a", text, &dynamic, 4 + c->length) != c->chosen)
            fail_msg("__data_loc: %s, case %zu", text, i);
        dynamic.place = (uint32_t)(c->length << 16);
        if (chooses_field("__rel_loc char[] a", text, &dynamic, 4 + c->length) != c->chosen)
            fail_msg("__rel_loc: %s, case %zu", text, i);
    }
}

static void strings_are_compared_whole(void **state)
{
    static const struct string_case cases[] = {
        {"== 'abc'", "abc", 4, true},
        {"== 'abc'", "abc", 3, true},
        {"== 'abc'", "abcd", 4, false},
        {"== 'abc'", "ab", 3, false},
        {"== 'abc'", "ab", 2, false},
        {"== 'abc'", "abc\0junk", 8, true},
        {"!= 'abc'", "abc", 4, false},
        {"!= 'abc'", "abd", 4, true},
        {"== \"\"", "", 1, true},
        {"== ''", "a", 2, false},
        {"== 'a*'", "a*", 3, true},
        {"== 'a*'", "abc", 4, false},
        {"== '!abc'", "!abc", 5, true},
        {"== \"it's\"", "it's", 5, true},
        {"== 'say \"a\"'", "say \"a\"", 8, true},
        {"== 'ABC'", "abc", 4, false},
        {"== '\xc3\xa9'", "\xc3\xa9", 3, true},
        {"~ 'abc'", "abc", 4, true},
        {"~ 'abc'", "abcd", 5, false},
        {"~ '!abc'", "abc", 4, false},
        {"~ '!abc'", "abd", 4, true},
        {"~ ''", "", 1, true},
        {"~ '!'", "", 1, false},
        {"~ '!'", "a", 2, true},
    };

    (void)state;
    check_strings(cases, COUNT(cases));
}

static void simple_patterns_match_a_prefix_an_infix_or_a_suffix(void **state)
{
    static const struct string_case cases[] = {
        {"~ 'ab*'", "abc", 4, true},
        {"~ 'ab*'", "ab", 2, true},
        {"~ 'ab*'", "a", 2, false},
        {"~ 'ab*'", "xab", 4, false},
        {"~ '!ab*'", "abc", 4, false},
        {"~ '*bc'", "abc", 4, true},
        {"~ '*bc'", "bc", 3, true},
        {"~ '*bc'", "c", 2, false},
        {"~ '*bc'", "abcd", 5, false},
        {"~ '*b*'", "abc", 4, true},
        {"~ '*b*'", "b", 1, true},
        {"~ '*b*'", "xyz", 4, false},
        {"~ '*abcd*'", "abc", 3, false},
        {"~ '*'", "", 1, true},
        {"~ '*'", "abc", 4, true},
        {"~ '**'", "", 1, true},
        {"~ '!*'", "abc", 4, false},
        {"~ '1*'", "1*", 3, true},
        {"~ '1*'", "12", 3, false},
        {"~ '!1*'", "12", 3, true},
        /* The last byte of an array counts as its NUL; bytes after an earlier NUL are compared. */
        {"~ '*bc'", "abc", 3, false},
        {"~ '*ab'", "abc", 3, true},
        {"~ '*bc'", "abc\0\0\0\0", 8, false},
        {"~ '*xy*'", "a\0xyz", 6, true},
    };

    (void)state;
    check_strings(cases, COUNT(cases));
}

static void other_patterns_are_globs(void **state)
{
    static const struct string_case cases[] = {
        {"~ 'a*c'", "abc", 4, true},
        {"~ 'a*c'", "ac", 2, true},
        {"~ 'a*c'", "abcd", 5, false},
        {"~ 'a?c'", "abc", 4, true},
        {"~ 'a?c'", "ac", 3, false},
        {"~ '?'", "", 1, false},
        {"~ '[a-c]*'", "bx", 3, true},
        {"~ '[a-c]*'", "dx", 3, false},
        {"~ '[!a-c]*'", "dx", 3, true},
        {"~ '[!a-c]*'", "bx", 3, false},
        {"~ '[^a]'", "^", 2, true},
        {"~ '[^a]'", "b", 2, false},
        {"~ '[]a]'", "]", 2, true},
        {"~ '[a-]'", "-", 2, true},
        {"~ '[c-a]'", "b", 2, false},
        {"~ '['", "[", 2, true},
        {"~ 'a[b'", "a[b", 4, true},
        {"~ 'a[b-'", "a[b-", 5, true},
        {"~ 'a\\*'", "a*", 3, true},
        {"~ 'a\\*'", "ab", 3, false},
        {"~ 'a\\'", "a", 2, true},
        {"~ 'a\\'", "a\\", 3, false},
        {"~ '*a*b*c'", "xaxbxc", 7, true},
        {"~ '*a*b*c'", "xaxbx", 6, false},
        {"~ '*ab?'", "ababc", 6, true},
        {"~ '***'", "abc", 4, true},
        {"~ '!a?c'", "abc", 4, false},
        {"~ 'a*c'", "abc\0d", 6, true},
        {"~ '*a*a*a*a*a*b'", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 32, false},
    };

    (void)state;
    check_strings(cases, COUNT(cases));
}

/* As in the kernel, which reads up to a NUL; but never beyond the record. */
static void a_string_without_length_ends_at_its_nul_or_at_the_end_of_the_record(void **state)
{
    struct {
        uint32_t place;
        char bytes[8];
    } record = {12, "abc\0xyz"};
    const char *field = "__data_loc char[] a";

    (void)state;
    assert_true(chooses_field(field, "a == 'abc'", &record, 12));
    assert_true(chooses_field(field, "a == 'ab'", &record, 6));
    assert_true(chooses_field(field, "a ~ '*b*'", &record, 12));
    assert_false(chooses_field(field, "a ~ '*y*'", &record, 12));
    assert_true(chooses_field(field, "a ~ 'a*'", &record, 12));
    assert_false(chooses_field(field, "a ~ '*c'", &record, 12));
    assert_true(chooses_field(field, "a != 'abc'", &record, 4));
    assert_true(chooses_field(field, "a == ''", &record, 4));
    assert_false(chooses_field(field, "a ~ 'a?c'", &record, 12));
    assert_true(chooses_field(field, "a ~ '**?*' || a == 'abc'", &record, 12));
}

static void comm_and_cpu_are_properties_of_the_task(void **state)
{
    static const char full[CAIRN_FILTER_COMM_BYTES] = {/* no NUL */
                                                       '0', '1', '2', '3', '4', '5', '6', '7',
                                                       '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
    struct cairn_filter_task task = {3, "kworker/1:2\0\0\0\0"};
    uint8_t record[CAIRN_COMMON_BYTES] = {0};
    struct parsed parsed;

    (void)state;
    parse_command("test", &parsed);
    assert_true(chooses(&parsed.schema, "COMM ~ \"kworker*\"", record, 8, &task));
    assert_true(chooses(&parsed.schema, "comm == \"kworker/1:2\"", record, 8, &task));
    assert_false(chooses(&parsed.schema, "COMM == \"kworker\"", record, 8, &task));
    assert_true(
        chooses(&parsed.schema, "CPU == 3 && cpu > 2 && common_cpu <= 3", record, 8, &task));
    assert_true(chooses(&parsed.schema, "CPU > -1 && CPU != 4294967298", record, 8, &task));
    assert_true(chooses(&parsed.schema, "CPU == 4294967299", record, 8, &task));
    assert_false(chooses(&parsed.schema, "CPU & 3", record, 8, &task));
    assert_true(chooses(&parsed.schema, "CPU & CPUS{2-3} && CPU == CPUS{3}", record, 8, &task));
    assert_true(chooses(&parsed.schema, "CPU != CPUS{2-3}", record, 8, &task));
    assert_false(chooses(&parsed.schema, "CPU == CPUS{2-3}", record, 8, &task));
    task = (struct cairn_filter_task){200, full};
    assert_true(chooses(&parsed.schema, "COMM == \"0123456789abcdef\"", record, 8, &task));
    assert_true(chooses(&parsed.schema, "COMM ~ \"*[a-f]\"", record, 8, &task));
    assert_false(chooses(&parsed.schema, "CPU & CPUS{all}", record, 8, &task));
}

static void only_a_filter_on_comm_or_cpu_needs_the_task(void **state)
{
    static const char *const texts[] = {"CPU == 0", "COMM != \"a\"", "CPU & CPUS{0-1}",
                                        "a == 1 && !comm ~ \"x*\""};
    struct compiled compiled;
    struct parsed parsed;
    uint32_t record[3] = {0};

    (void)state;
    parse_command("test u32 a", &parsed);
    for (size_t i = 0; i < COUNT(texts); i++) {
        compiled = compile_text(&parsed.schema, texts[i]);
        assert_true(cairn_filter_needs_task(compiled.filter));
        assert_false(cairn_filter_match(compiled.filter, record, sizeof(record), NULL));
        free(compiled.memory);
    }
    compiled = compile_text(&parsed.schema, "a == 0 && common_pid == 0");
    assert_false(cairn_filter_needs_task(compiled.filter));
    assert_true(cairn_filter_match(compiled.filter, record, sizeof(record), NULL));
    free(compiled.memory);
}

static void numbers_are_compared_with_lists_of_cpus(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
        bool chosen;
    } cases[] = {
        {"a & CPUS{0-3,7}", 7, true},       {"a & CPUS{0-3,7}", 4, false},
        {"a & CPUS{0-3,7}", 128, false},    {"a == CPUS{5}", 5, true},
        {"a != CPUS{5}", 5, false},         {"a & CPUS{5}", 5, true},
        {"a & CPUS{5}", 4, false},          {"a == CPUS{0-3}", 2, false},
        {"a != CPUS{0-3}", 2, true},        {"a != CPUS{0-3}", 127, true},
        {"a != CPUS{0-3}", 128, false},     {"a & CPUS{,}", 0, false},
        {"a & CPUS{0-9:1/3}", 6, true},     {"a & CPUS{0-9:1/3}", 7, false},
        {"a & CPUS{0-9:2/3}", 7, true},     {"a & CPUS{N,ALL}", 127, true},
        {"a & CPUS{ 1 , 2\n9}", 2, true},   {"a & CPUS{1,2\n9}", 9, false},
        {"a & CPUS{0-9:0/1,4,5}", 5, true}, {"a & CPUS{0-9:0/1,4,5}", 6, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        static const char *const fields[] = {"u8 a", "s16 a", "u32 a", "u64 a"};

        for (size_t f = 0; f < COUNT(fields); f++) {
            if (chooses_field(fields[f], cases[i].text, &cases[i].value, (size_t)1 << f) !=
                cases[i].chosen)
                fail_msg("%s: %s with %" PRIu64, fields[f], cases[i].text, cases[i].value);
        }
    }
}

static void sets_of_cpus_are_compared_with_lists(void **state)
{
    static const struct {
        const char *text;
        uint64_t mask;
        bool chosen;
    } cases[] = {
        {"m == CPUS{0-3}", 0xf, true},      {"m == CPUS{0-3}", 0x7, false},
        {"m != CPUS{0-3}", 7, true},        {"m & CPUS{2-3}", 0x5, true},
        {"m & CPUS{2-3}", 0x3, false},      {"m == CPUS{2}", 4, true},
        {"m == CPUS{2}", 5, false},         {"m != CPUS{2}", 5, true},
        {"m & CPUS{2}", 5, true},           {"m & CPUS{2}", 3, false},
        {"m == CPUS{,}", 0, true},          {"m & CPUS{,}", 1, false},
        {"m & CPUS{40}", 1ull << 40, true}, {"!m & CPUS{40}", 1, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct {
            uint32_t place;
            uint8_t bytes[8];
        } record = {8 << 16 | 12, {0}};

        memcpy(record.bytes, &cases[i].mask, sizeof(cases[i].mask));
        if (chooses_field("__data_loc cpumask_t m", cases[i].text, &record, 12) != cases[i].chosen)
            fail_msg("%s with %" PRIx64, cases[i].text, cases[i].mask);
    }
}

static void own_fields_precede_generic_ones_and_the_last_of_a_name_counts(void **state)
{
    uint8_t bytes[7] = {1, 2, 3, 0, 0, 0, 9};

    (void)state;
    assert_true(chooses_field("u8 cpu; u8 twice; u32 twice; u8 common_pid",
                              "cpu == 1 && twice == 3 && common_pid == 9", bytes, 7));
}

static void a_pointer_to_a_string_is_never_dereferenced(void **state)
{
    static const char text[] = "name: t\nID: 5\nformat:\n"
                               "\tfield:const char * a;\toffset:8;\tsize:8;\tsigned:0;\n\n"
                               "print fmt: \"\"\n";
    uint64_t record[2] = {0, 0xdeadbeef};
    struct parsed parsed;

    (void)state;
    parse_format(text, &parsed);
    assert_false(chooses(&parsed.schema, "a == 'x'", record, sizeof(record), NULL));
    assert_false(chooses(&parsed.schema, "a != 'x'", record, sizeof(record), NULL));
    assert_false(chooses(&parsed.schema, "a ~ '!x*'", record, sizeof(record), NULL));
    assert_true(chooses(&parsed.schema, "!a == 'x'", record, sizeof(record), NULL));
}

static void a_record_shorter_than_its_schema_does_not_match(void **state)
{
    static const char *const texts[] = {"a == 0",  "!a == 1",         "b == 0",   "s == ''",
                                        "x == ''", "common_pid == 0", "!x == 'a'"};
    uint8_t record[64] = {0};
    struct parsed parsed;

    (void)state;
    parse_command("test u32 a; u64 b; char[8] s; __data_loc char[] x", &parsed);
    record[28] = 32;
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (size_t size_bytes = 0; size_bytes < 32; size_bytes++)
            assert_false(chooses(&parsed.schema, texts[i], record, size_bytes, NULL));
        assert_true(chooses(&parsed.schema, texts[i], record, 32, NULL));
    }
}

static void a_field_that_points_outside_the_record_does_not_match(void **state)
{
    static const char *const texts[] = {"a == 'x'",
                                        "a != 'x'",
                                        "!a == 'x'",
                                        "a ~ '*x*'",
                                        "a ~ '*x'",
                                        "a ~ '!?'",
                                        "!(a ~ 'x*' && a == 'x')"};
    uint8_t bytes[16] = {0};

    (void)state;
    for (uint32_t length = 0; length < 40; length++) {
        for (uint32_t offset = 0; offset < 40; offset++) {
            uint32_t place = length << 16 | offset;

            memcpy(bytes, &place, sizeof(place));
            for (size_t i = 0; i < COUNT(texts); i++) {
                bool fits = offset + length <= 24;
                bool chosen = chooses_field("__data_loc char[] a", texts[i], bytes, 16);

                assert_false(chosen && !fits);
                fits = offset + length <= 12;
                chosen = chooses_field("__rel_loc char[] a", texts[i], bytes, 16);
                assert_false(chosen && !fits);
            }
        }
    }
    memset(bytes, 0xff, sizeof(bytes));
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_false(chooses_field("__data_loc char[] a", texts[i], bytes, 4));
        assert_false(chooses_field("__rel_loc char[] a", texts[i], bytes, 4));
    }
    assert_false(chooses_field("__data_loc cpumask_t a", "!a & CPUS{0-3}", bytes, 16));
}

static void a_truncated_set_has_no_more_cpus(void **state)
{
    struct {
        uint32_t place;
        uint8_t byte;
    } record = {1 << 16 | 12, 0x81};

    (void)state;
    assert_true(chooses_field("__data_loc cpumask_t a", "a == CPUS{0,7}", &record, 5));
    assert_false(chooses_field("__data_loc cpumask_t a", "a & CPUS{8-127}", &record, 5));
}

/* A field whose type name marks it as dynamic is read as four bytes, whatever its size. */
static void a_small_field_that_is_dynamic_by_name_is_not_read_past_its_end(void **state)
{
    uint8_t bytes[4] = {10, 0, 0, 0};

    (void)state;
    assert_false(chooses_field("struct __data_loc_char a 2", "a != 'x'", bytes, 2));
    assert_true(chooses_field("struct __data_loc_char a 4", "a != 'x'", bytes, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_of_all_sizes_and_signs_are_compared_as_in_c),
        cmocka_unit_test(numbers_are_read_in_every_base),
        cmocka_unit_test(a_field_that_has_no_integer_size_never_matches),
        cmocka_unit_test(operators_have_the_usual_precedence_and_negation),
        cmocka_unit_test(strings_are_compared_whole),
        cmocka_unit_test(simple_patterns_match_a_prefix_an_infix_or_a_suffix),
        cmocka_unit_test(other_patterns_are_globs),
        cmocka_unit_test(a_string_without_length_ends_at_its_nul_or_at_the_end_of_the_record),
        cmocka_unit_test(comm_and_cpu_are_properties_of_the_task),
        cmocka_unit_test(only_a_filter_on_comm_or_cpu_needs_the_task),
        cmocka_unit_test(numbers_are_compared_with_lists_of_cpus),
        cmocka_unit_test(sets_of_cpus_are_compared_with_lists),
        cmocka_unit_test(own_fields_precede_generic_ones_and_the_last_of_a_name_counts),
        cmocka_unit_test(a_pointer_to_a_string_is_never_dereferenced),
        cmocka_unit_test(a_record_shorter_than_its_schema_does_not_match),
        cmocka_unit_test(a_field_that_points_outside_the_record_does_not_match),
        cmocka_unit_test(a_truncated_set_has_no_more_cpus),
        cmocka_unit_test(a_small_field_that_is_dynamic_by_name_is_not_read_past_its_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
