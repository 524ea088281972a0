/* SPDX-License-Identifier: MIT */
/* Test of compiling filters: which are accepted, the errors of the others, and the memory they
 * need. */
#include "filter_test.h"

static const char command[] =
    "test u32 a; s16 b; char[16] s; u64 g; __data_loc char[] x; __rel_loc char[] y;"
    " __data_loc cpumask_t m; struct p p 12; char one; u8 twice; u16 twice";

static struct parsed parsed;

static int set_up(void **state)
{
    (void)state;
    parse_command(command, &parsed);
    return 0;
}

static void assert_taken(const char *text)
{
    struct compiled compiled = compile_text(&parsed.schema, text);

    if (compiled.err)
        fail_msg("refused: %s: %s at %u", text, compiled.error.reason, compiled.error.position);
    free(compiled.memory);
}

static void assert_refused(const char *text, enum cairn_filter_error_kind kind, uint32_t position)
{
    struct compiled compiled = compile_text(&parsed.schema, text);

    if (compiled.err != EINVAL)
        fail_msg("not refused: %s", text);
    if (compiled.error.kind != kind || compiled.error.position != position)
        fail_msg("%s: %s at %u, not %s at %u", text, compiled.error.reason, compiled.error.position,
                 cairn_filter_reason(kind), position);
    assert_ptr_equal(compiled.error.reason, cairn_filter_reason(kind));
    assert_null(compiled.filter);
    free(compiled.memory);
}

static void filters_of_every_kind_are_accepted(void **state)
{
    static const char *const texts[] = {
        "a==1",
        "a != 0x10",
        "b<-1",
        "b <= -32768",
        "g >= 18446744073709551615",
        "a&0xf",
        "(a==1)",
        "((a==1))",
        "!a==1",
        "!!a==1",
        "!(a==1)",
        "a==1&&b==1||g==1",
        "\ta\n==\v1 ",
        "s==\"a\"",
        "s!='a'",
        "s~\"*\"",
        "x~\"a*\"",
        "y ~ '!x'",
        "s == \"\"",
        "one == 65",
        "COMM == \"init\"",
        "comm ~ \"k*\"",
        "CPU == 0",
        "cpu < -1",
        "common_cpu != 2",
        "common_pid == 1",
        "common_type > 0",
        "common_flags & 1",
        "common_preempt_count == 0",
        "m & CPUS{0-3}",
        "a == CPUS{1}",
        "CPU & CPUS{all}",
        "p == 1",
        "stacktrace == 0",
        "s.ustring == 'a'",
        "m == 5",
        "twice == 300",
        "a == 1 && (b == 1 || (g == 1 && !p & 1))",
        "a == CPUS{0-127:1/2,N}",
        "m != CPUS{ 1 , 2\n}",
        "x == \"a && (b\"",
        "a == 00",
        "a ==  0x0",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_taken(texts[i]);
}

static void a_bad_term_has_the_error_position_of_the_kernel(void **state)
{
    (void)state;
    assert_refused("nosuch == 1", CAIRN_FILTER_FIELD_NOT_FOUND, 7);
    assert_refused("a==1 || nosuch == 1", CAIRN_FILTER_FIELD_NOT_FOUND, 15);
    assert_refused("  A==1", CAIRN_FILTER_FIELD_NOT_FOUND, 4);
    assert_refused("a = 1", CAIRN_FILTER_INVALID_OPERATOR, 3);
    assert_refused("a", CAIRN_FILTER_INVALID_OPERATOR, 2);
    assert_refused("a !~ 1", CAIRN_FILTER_INVALID_OPERATOR, 3);
    assert_refused("a ==", CAIRN_FILTER_INVALID_VALUE, 5);
    assert_refused("a == x", CAIRN_FILTER_INVALID_VALUE, 6);
    assert_refused("a == +1", CAIRN_FILTER_INVALID_VALUE, 6);
    assert_refused("a && b", CAIRN_FILTER_INVALID_VALUE, 4);
    assert_refused("a == \"1\"", CAIRN_FILTER_EXPECT_DIGIT, 6);
    assert_refused("CPU == '1'", CAIRN_FILTER_EXPECT_DIGIT, 8);
    assert_refused("s == 1", CAIRN_FILTER_EXPECT_STRING, 6);
    assert_refused("COMM == -1", CAIRN_FILTER_EXPECT_STRING, 9);
    assert_refused("a ~ 1", CAIRN_FILTER_ILLEGAL_FIELD_OPERATION, 5);
    assert_refused("s < 'a'", CAIRN_FILTER_ILLEGAL_FIELD_OPERATION, 5);
    assert_refused("==1", CAIRN_FILTER_UNSPECIFIC, 0);
    assert_refused("a==1 && ==1", CAIRN_FILTER_UNSPECIFIC, 0);
}

static void a_bad_number_is_an_error(void **state)
{
    (void)state;
    assert_refused("a == -1", CAIRN_FILTER_ILLEGAL_INTEGER, 6);
    assert_refused("b == -", CAIRN_FILTER_ILLEGAL_INTEGER, 6);
    assert_refused("a == 08", CAIRN_FILTER_ILLEGAL_INTEGER, 6);
    assert_refused("a == 0x", CAIRN_FILTER_ILLEGAL_INTEGER, 6);
    assert_refused("a == 1a", CAIRN_FILTER_ILLEGAL_INTEGER, 6);
    assert_refused("a == 1\xc4", CAIRN_FILTER_ILLEGAL_INTEGER, 6);
    assert_refused("a == 18446744073709551616", CAIRN_FILTER_ILLEGAL_INTEGER, 6);
    assert_refused("b == 9223372036854775808", CAIRN_FILTER_ILLEGAL_INTEGER, 6);
    assert_taken("b == -9223372036854775808");
    assert_refused("b == -9223372036854775809", CAIRN_FILTER_ILLEGAL_INTEGER, 6);
    assert_taken("a == 00000000000000000000001");
    assert_refused("a == 000000000000000000000001", CAIRN_FILTER_OPERAND_TOO_LONG, 30);
}

static void unbalanced_parentheses_and_operators_are_errors(void **state)
{
    (void)state;
    assert_refused("(a==1", CAIRN_FILTER_TOO_MANY_OPEN, 0);
    assert_refused("a==1 && ((b==1)", CAIRN_FILTER_TOO_MANY_OPEN, 8);
    assert_refused("(a==1) || (s=='(' ", CAIRN_FILTER_TOO_MANY_OPEN, 10);
    assert_refused("a==1)", CAIRN_FILTER_TOO_MANY_CLOSE, 4);
    assert_refused("a==1 b==1", CAIRN_FILTER_TOO_MANY_TERMS, 5);
    assert_refused("a==1 & b==1", CAIRN_FILTER_TOO_MANY_TERMS, 5);
    assert_refused("a==1 |b==1", CAIRN_FILTER_TOO_MANY_TERMS, 5);
    assert_refused("a==1 (b==1)", CAIRN_FILTER_TOO_MANY_TERMS, 5);
    assert_refused("a==1 &&", CAIRN_FILTER_MEANINGLESS, 7);
    assert_refused("a==1 || !", CAIRN_FILTER_MEANINGLESS, 9);
    assert_refused("!", CAIRN_FILTER_NO_FILTER, 1);
    assert_refused("", CAIRN_FILTER_UNSPECIFIC, 0);
    assert_refused(" \t\n", CAIRN_FILTER_UNSPECIFIC, 0);
    assert_refused("()", CAIRN_FILTER_UNSPECIFIC, 0);
    assert_refused("(!)", CAIRN_FILTER_UNSPECIFIC, 0);
    assert_refused("s == \"a", CAIRN_FILTER_MISSING_QUOTE, 5);
    assert_refused("s == \"a'", CAIRN_FILTER_MISSING_QUOTE, 5);
}

static void a_bad_list_of_cpus_is_an_error(void **state)
{
    static const char *const lists[] = {"",    "128",   "0-128", "1-0",        "x",         "0-",
                                        "-1",  "0:1/2", "0-1:1", "0-1:2/1",    "0-1:1/0",   "0,x",
                                        "0;1", "al",    "0x1",   "4294967296", "4294967295"};

    (void)state;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        char text[64];

        snprintf(text, sizeof(text), "a == CPUS{%s}", lists[i]);
        assert_refused(text, CAIRN_FILTER_INVALID_CPU_LIST, (uint32_t)(11 + strlen(lists[i])));
    }
    assert_refused("a == CPUS 0}", CAIRN_FILTER_MISSING_BRACE_OPEN, 11);
    assert_refused("a == CPUS", CAIRN_FILTER_MISSING_BRACE_OPEN, 11);
    assert_refused("a == CPUS{0", CAIRN_FILTER_MISSING_BRACE_CLOSE, 12);
    assert_refused("s == CPUS{0}", CAIRN_FILTER_ILLEGAL_FIELD_OPERATION, 6);
    assert_refused("COMM == CPUS{0}", CAIRN_FILTER_ILLEGAL_FIELD_OPERATION, 9);
    assert_refused("a < CPUS{0}", CAIRN_FILTER_ILLEGAL_FIELD_OPERATION, 5);
}

static void filters_on_functions_are_refused(void **state)
{
    (void)state;
    assert_refused("g.function == vfs_read", CAIRN_FILTER_NO_FUNCTION, 23);
    assert_refused("g.function == 0x10 && a == 1", CAIRN_FILTER_NO_FUNCTION, 19);
    assert_refused("g.function == 0xyz", CAIRN_FILTER_INVALID_VALUE, 19);
    assert_refused("g.function < 5", CAIRN_FILTER_INVALID_OPERATOR, 14);
    assert_refused("a.function == 5", CAIRN_FILTER_ILLEGAL_FIELD_OPERATION, 15);
    assert_refused("g.function == 000000000000000000000001", CAIRN_FILTER_OPERAND_TOO_LONG, 39);
}

static void a_string_operand_of_256_bytes_or_more_is_refused(void **state)
{
    char text[300] = "s == \"";

    (void)state;
    memset(text + 6, 'a', 256);
    text[6 + 255] = '"';
    text[6 + 256] = '\0';
    assert_taken(text);
    text[6 + 255] = 'a';
    text[6 + 256] = '"';
    assert_refused(text, CAIRN_FILTER_OPERAND_TOO_LONG, 6 + 256 + 1);
}

static void trailing_spaces_are_removed_from_the_filter_text(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        const char *read_back;
    } texts[] = {
        {"a == 1", 6, "a == 1"},       {"  a == 1 \t\n", 11, "  a == 1"},
        {"a == 1\xa0\n", 8, "a == 1"}, {"a == 1\0junk", 11, "a == 1"},
        {"a == 1 \0 b", 10, "a == 1"}, {"a == 10", 6, "a == 1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct compiled compiled = compile_bytes(&parsed.schema, texts[i].text, texts[i].length,
                                                 cairn_filter_memory_bytes(texts[i].length));

        assert_int_equal(compiled.err, 0);
        assert_string_equal(cairn_filter_text(compiled.filter), texts[i].read_back);
        free(compiled.memory);
    }
}

static void only_a_zero_removes_a_filter(void **state)
{
    (void)state;
    assert_true(cairn_filter_text_clears("0", 1));
    assert_true(cairn_filter_text_clears(" \t0\xa0\n", 5));
    assert_true(cairn_filter_text_clears("0\0b", 3));
    assert_false(cairn_filter_text_clears("", 0));
    assert_false(cairn_filter_text_clears("00", 2));
    assert_false(cairn_filter_text_clears("0 0", 3));
    assert_false(cairn_filter_text_clears("none", 4));
    assert_false(cairn_filter_text_clears("0", CAIRN_FILTER_TEXT_MAX_BYTES));
}

/* A filter that needs much memory: parentheses, sets, tests. */
static const char large[] =
    "((a & CPUS{0-1} && b == CPUS{5}) || m == CPUS{1,2,3} && (g & CPUS{N,1} || a == 1)) && b != -1";

static void too_little_memory_is_an_error_and_is_not_exceeded(void **state)
{
    size_t enough = cairn_filter_memory_bytes(strlen(large));
    size_t smallest = 0;

    (void)state;
    for (size_t size_bytes = 0; size_bytes <= enough; size_bytes++) {
        struct compiled compiled = compile_bytes(&parsed.schema, large, strlen(large), size_bytes);

        assert_true(compiled.err == ENOSPC || !compiled.err);
        if (!compiled.err) {
            assert_true(cairn_filter_bytes(compiled.filter) <= size_bytes);
            smallest = smallest ? smallest : size_bytes;
        } else {
            assert_false(smallest);
            assert_null(compiled.filter);
        }
        free(compiled.memory);
    }
    assert_true(smallest && smallest < enough);
}

static void the_announced_memory_is_enough(void **state)
{
    static const char *const words[] = {"a<1||", "a&CPUS{,}||", "(a<1)||", "!a<1&&", "(((a<1)))||"};
    char text[CAIRN_FILTER_TEXT_MAX_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        for (size_t count = 1; count * strlen(words[i]) < 4000; count += count / 4 + 1) {
            size_t length = 0;
            struct compiled compiled;

            for (size_t n = 0; n < count; n++, length += strlen(words[i]))
                memcpy(text + length, words[i], strlen(words[i]));
            length -= 2;
            compiled =
                compile_bytes(&parsed.schema, text, length, cairn_filter_memory_bytes(length));
            assert_int_equal(compiled.err, 0);
            free(compiled.memory);
            /* The same with memory for the largest number of CPUs. */
            compiled.memory = malloc(cairn_filter_memory_bytes(length));
            assert_int_equal(cairn_filter_compile(&parsed.schema, text, length, compiled.memory,
                                                  cairn_filter_memory_bytes(length),
                                                  &compiled.filter, NULL),
                             0);
            free(compiled.memory);
        }
    }
}

static void a_filter_can_be_moved_in_memory(void **state)
{
    struct compiled compiled = compile_text(&parsed.schema, large);
    size_t size_bytes = cairn_filter_bytes(compiled.filter);
    struct cairn_filter *copy = malloc(size_bytes);
    uint8_t record[128] = {0};
    uint32_t cpu = 1;

    (void)state;
    assert_non_null(copy);
    memcpy(copy, compiled.filter, size_bytes);
    memset(compiled.memory, 0xff, cairn_filter_memory_bytes(strlen(large)));
    free(compiled.memory);
    assert_string_equal(cairn_filter_text(copy), large);
    assert_false(cairn_filter_match(copy, record, sizeof(record), NULL));
    memcpy(record + 8, &cpu, sizeof(cpu));
    record[12] = 5;
    assert_true(cairn_filter_match(copy, record, sizeof(record), NULL));
    free(copy);
}

static void invalid_arguments_are_refused(void **state)
{
    _Alignas(8) char memory[8192];
    struct cairn_filter_error error = {.position = 77};
    struct cairn_filter *filter = NULL;

    (void)state;
    assert_int_equal(
        cairn_filter_compile(&parsed.schema, "a==1", 4, memory + 4, 4000, &filter, &error), EINVAL);
    assert_int_equal(cairn_filter_compile(&parsed.schema, memory, CAIRN_FILTER_TEXT_MAX_BYTES,
                                          memory, sizeof(memory), &filter, &error),
                     E2BIG);
    assert_int_equal(cairn_filter_compile(&parsed.schema, memory, SIZE_MAX, memory, sizeof(memory),
                                          &filter, &error),
                     E2BIG);
    assert_true(error.position == 77 && !filter);
    assert_int_equal(
        cairn_filter_compile(&parsed.schema, "a", 1, memory, sizeof(memory), &filter, NULL),
        EINVAL);
    assert_null(filter);
}

static void an_error_is_shown_with_a_caret(void **state)
{
    static const struct {
        const char *text;
        const char *shown;
    } mistakes[] = {
        {"a = 1 ", "a = 1\n   ^\nparse_error: Invalid operator\n\n"},
        {"(a==1", "(a==1\n^\nparse_error: Too many '('\n\n"},
        {"a==1 &&", "a==1 &&\n       ^\nparse_error: Meaningless filter expression\n\n"},
        {"a ==", "a ==\n    ^\nparse_error: Invalid value (did you forget quotes)?\n\n"},
        {"", "\nError: (0)\n\n"},
        {"==1\n", "==1\nError: (0)\n\n"},
    };
    char shown[256];
    size_t length;

    (void)state;
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
        const char *text = mistakes[i].text;
        struct compiled compiled = compile_text(&parsed.schema, text);
        size_t expected = strlen(mistakes[i].shown);

        assert_int_equal(compiled.err, EINVAL);
        free(compiled.memory);
        assert_int_equal(cairn_filter_write_error(text, strlen(text), &compiled.error, shown,
                                                  expected + 1, &length),
                         0);
        assert_string_equal(shown, mistakes[i].shown);
        assert_int_equal(length, expected);
        assert_int_equal(
            cairn_filter_write_error(text, strlen(text), &compiled.error, shown, expected, &length),
            ENOSPC);
    }
    assert_int_equal(cairn_filter_write_error(shown, CAIRN_FILTER_TEXT_MAX_BYTES, NULL, shown,
                                              sizeof(shown), NULL),
                     E2BIG);
}

static void common_fields_are_those_of_a_format_text(void **state)
{
    static const char text[] = "name: t\nID: 5\nformat:\n"
                               "\tfield:u32 common_type;\toffset:0;\tsize:4;\tsigned:0;\n"
                               "\tfield:s32 common_other;\toffset:4;\tsize:4;\tsigned:1;\n\n"
                               "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\n"
                               "print fmt: \"\"\n";
    struct parsed format;
    uint8_t record[24] = {0, 0, 1, 0, 0xff, 0xff, 0xff, 0xff, 'm', 'e'};
    struct compiled compiled;

    (void)state;
    parse_format(text, &format);
    assert_true(chooses(&format.schema, "common_type == 65536", record, sizeof(record), NULL));
    assert_true(chooses(&format.schema, "common_other < 0", record, sizeof(record), NULL));
    assert_true(chooses(&format.schema, "comm == 'me'", record, sizeof(record), NULL));
    compiled = compile_text(&format.schema, "common_pid == 1");
    assert_int_equal(compiled.err, EINVAL);
    assert_int_equal(compiled.error.kind, CAIRN_FILTER_FIELD_NOT_FOUND);
    free(compiled.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_of_every_kind_are_accepted),
        cmocka_unit_test(a_bad_term_has_the_error_position_of_the_kernel),
        cmocka_unit_test(a_bad_number_is_an_error),
        cmocka_unit_test(unbalanced_parentheses_and_operators_are_errors),
        cmocka_unit_test(a_bad_list_of_cpus_is_an_error),
        cmocka_unit_test(filters_on_functions_are_refused),
        cmocka_unit_test(a_string_operand_of_256_bytes_or_more_is_refused),
        cmocka_unit_test(trailing_spaces_are_removed_from_the_filter_text),
        cmocka_unit_test(only_a_zero_removes_a_filter),
        cmocka_unit_test(too_little_memory_is_an_error_and_is_not_exceeded),
        cmocka_unit_test(the_announced_memory_is_enough),
        cmocka_unit_test(a_filter_can_be_moved_in_memory),
        cmocka_unit_test(invalid_arguments_are_refused),
        cmocka_unit_test(an_error_is_shown_with_a_caret),
        cmocka_unit_test(common_fields_are_those_of_a_format_text),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
