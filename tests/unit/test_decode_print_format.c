/* SPDX-License-Identifier: MIT */
/* Test of the text of kernel tracepoints, which their print formats describe. */
#include "decode_test.h"

#define FIELD(declaration, offset, size, is_signed) \
    "\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

#define FIELDS                             \
    FIELD("int i", 8, 4, 1)                \
    FIELD("unsigned int u", 12, 4, 0)      \
    FIELD("u64 q", 16, 8, 0)               \
    FIELD("char comm[8]", 24, 8, 0)        \
    FIELD("u8 bytes[16]", 32, 16, 0)       \
    FIELD("__data_loc char[] s", 48, 4, 0) \
    FIELD("__rel_loc u8[] r", 52, 4, 0)    \
    FIELD("void * p", 56, 8, 0)            \
    FIELD("u8 addr[16]", 64, 16, 0)        \
    FIELD("__data_loc unsigned long[] mask", 80, 4, 0)

#define RECORD_BYTES 100u

static const struct {
    struct {
        uint8_t common[8];
        int32_t i;
        uint32_t u;
        uint64_t q;
        char comm[8];
        uint8_t bytes[16];
        uint32_t s;
        uint32_t r;
        uint64_t p;
        uint8_t addr[16];
        uint32_t mask;
        char text[4];
        uint8_t rel[4];
        uint32_t bits[2];
    } __attribute__((packed)) raw;
} record = {{
    .i = -2,
    .u = 5,
    .q = 0x123456789abcdef0,
    .comm = "abc",
    .bytes = {0x20, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
    .s = 4u << 16 | 84,
    .r = 3u << 16 | 32, /* after the end of `r` itself */
    .p = 0xffff888100000000,
    .addr = {2, 0, 0, 80, 127, 0, 0, 1},
    .mask = 8u << 16 | 92,
    .text = "xyz",
    .rel = {1, 2, 0xff},
    .bits = {3, 0x80000000},
}};

/* A print format and the text that the kernel, or the C library's printf, makes of it. */
struct sample {
    const char *format;
    const char *text;
};

static const struct sample numbers[] = {
    {"\"%d|%u|%x|%#x|%o|%i\", REC->i, REC->u, REC->u, REC->u, REC->u, REC->i", "-2|5|5|0x5|5|-2"},
    {"\"%5d|%-5d|%05d|%+d|% d\", REC->i, REC->u, REC->i, REC->u, REC->u",
     "   -2|5    |-0002|+5| 5"},
    {"\"%08x|%#010x|%.3x|%X\", REC->u, REC->u, REC->u, 0xabc", "00000005|0x00000005|005|ABC"},
    {"\"%llx|%Lu|%lx|%zu\", REC->q, REC->q, REC->q, REC->q",
     "123456789abcdef0|1311768467463790320|123456789abcdef0|1311768467463790320"},
    {"\"%hx|%hhx|%hd\", 0x12345, 0x12345, 0xffff", "2345|45|-1"},
    {"\"%*d|%-*d|%.*d\", 4, REC->u, 3, REC->u, 2, REC->u", "   5|5  |05"},
    {"\"%c%c 100%%\", 'A', REC->comm[1]", "Ab 100%"},
    {"\"a\" \"b\" \"%d\", REC->u", "ab5"},
    {"\"x\\t\\x41\\102\"", "x\\tAB"},
};

static const struct sample expressions[] = {
    {"\"%d\", 1 + 2 * 3 - 4 / 2 % 3", "5"},
    {"\"%d\", (1 | 6) & ~2 ^ 1", "4"},
    {"\"%d %d\", REC->i < 0, REC->i < REC->u", "1 0"}, /* int to unsigned: not less */
    {"\"%d\", (long)REC->i < REC->u", "1"},
    {"\"%d %u\", REC->i / 2, REC->i / 2U", "-1 2147483647"},
    {"\"%d %x\", REC->i >> 1, REC->u << 4", "-1 50"},
    {"\"%d %d %d\", 1 / 0, 1 % 0, 1 << 99", "0 0 0"},
    {"\"%d\", (-2147483647 - 1) / -1", "-2147483648"},
    {"\"%d %d\", !REC->u, !!REC->u", "0 1"},
    {"\"%d %d\", REC->u && 0, REC->u || 0", "0 1"},
    {"\"%d\", REC->u > 4 ? REC->i == -2 ? 7 : 8 : 9", "7"},
    {"\"%x\", (u8)REC->q", "f0"},
    {"\"%d\", (s8)REC->q", "-16"},
    {"\"%llu\", (unsigned long long)REC->i", "18446744073709551614"},
    {"\"%llu\", (unsigned long long)(unsigned int)REC->i", "4294967294"},
    {"\"%zu %zu %zu\", sizeof(int), sizeof(REC->bytes), sizeof(void *)", "4 16 8"},
    {"\"%d %d\", REC->bytes[0], ((u8 *)__get_dynamic_array(s))[2]", "32 122"},
    {"\"%x\", *(u16 *)REC->bytes", "120"},
    {"\"%d\", __get_dynamic_array_len(s) + __get_rel_dynamic_array_len(r)", "7"},
    {"\"%d\", __builtin_expect(!!(REC->u), 0)", "1"},
    {"\"%d %d\", IS_ERR((void *)-2), IS_ERR(REC->p)", "1 0"},
    {"\"%u\", jiffies_to_msecs(REC->u)", "5"},
    {"\"%u:%u\", ((unsigned int) ((REC->u) >> 20)), ((unsigned int) ((REC->u) & ((1U << 20) - 1)))",
     "0:5"},
    {"\"%d\", (REC)->u", "5"},
    {"\"%d %d\", (bool)(REC->q & 0x100), (_Bool)REC->q", "0 1"},
    {"\"%d %d\", (bool)(REC->q & 0x200), (bool)(REC->q & 0x400)", "1 1"},
    {"\"%d %d %d\", (bool)0x100, (const bool)0, (bool)REC->comm", "1 0 1"},
    {"\"%hhu %zu\", (bool)REC->u, sizeof(bool)", "1 1"},
};

static const struct sample strings[] = {
    {"\"%s|%s|%s\", REC->comm, __get_str(s), (char *)REC->comm", "abc|xyz|abc"},
    {"\"%5s|%-5s|%.2s|%.*s|\", REC->comm, REC->comm, REC->comm, 1, __get_str(s)",
     "  abc|abc  |ab|x|"},
    {"\"%s\", REC->u ? \"yes\" : \"no\"", "yes"},
    {"\"%s\", REC->u == 4 ? \"yes\" : __get_str(s)", "xyz"},
};

static const struct sample names[] = {
    {"\"%s\", __print_flags(REC->u, \"|\", { 1, \"A\" }, { 2, \"B\" }, { 4, \"C\" })", "A|C"},
    {"\"%s\", __print_flags(REC->u, \"|\", { 1, \"A\" })", "A|0x4"},
    {"\"%s\", __print_flags(REC->u, \"|\", { })", "0x5"},
    {"\"%s\", __print_symbolic(REC->u, { })", "0x5"},
    {"\"%s.\", __print_flags(0, \"|\", { 1, \"A\" })", "."},
    {"\"%s.\", __print_flags(REC->u & (8 | 16 | 32), \"|\", { 8, \"M\" }, { 16, \"D\" })", "."},
    {"\"%s\", __print_flags(0, \"|\", { 0, \"none\" }, { 1, \"A\" })", "none"},
    {"\"%s\", __print_flags(0, \"|\", { 1, \"A\" }, { NEW, \"new\" }, { OLD, \"old\" })", "new"},
    {"\"%s\", __print_flags(REC->u, \"|\", { NEW, \"new\" }, { 1, \"A\" })", "A|0x4"},
    {"\"\"", ""},
    {"\"%s\", __print_symbolic(0, { NEW, \"new\" })", "0x0"},
    {"\"%s\", __print_flags(REC->u, \"\", {(1UL << 0), \"A\"}, {(1UL << 2), \"C\",})", "AC"},
    {"\"%s\", __print_flags(REC->u, \"|\", { 1, \"A\" }, { -1, ((void *)0) })", "A|0x4"},
    {"\"%s\", __print_symbolic(REC->u, { 4, \"four\" }, { 5, \"fi\" \"ve\" })", "five"},
    {"\"%s\", __print_symbolic(REC->i, { 4, \"four\" }, { -2, \"minus\" })", "minus"},
    {"\"%s\", __print_symbolic(REC->u, { 4, \"four\" })", "0x5"},
    {"\"%s\", __print_symbolic(REC->u, { })", "0x5"},
    {"\"%s\", __print_symbolic(0, { UNKNOWN_NAME, \"a\" })", "0x0"},
    {"\"%8s|\", __print_symbolic(REC->u, { 5, \"five\" })", "    five|"},
    {"\"%s\", REC->u ? __print_flags(REC->u, \"|\", { 5, \"five\" }) : \"none\"", "five"},
    {"\"%s.%s\", __print_ns_to_secs(2000000003), __print_ns_without_secs(2000000003)", "2.3"},
};

static const struct sample memory[] = {
    {"\"%s|%s\", __print_hex(REC->bytes, 3), __print_hex_str(REC->bytes, 3)", "20 01 00|200100"},
    {"\"%s\", __print_array(__get_rel_dynamic_array(r), 3, 1)", "{0x1,0x2,0xff}"},
    {"\"%s\", __print_array(REC->bytes, 2, 2)", "{0x120,0x0}"},
    {"\"%s\", __get_bitmask(mask)", "80000000,00000003"},
    {"\"%s\", __get_cpumask(mask)", "80000000,00000003"},
    {"\"%3ph|%*phC|%2phN|%2phD\", REC->bytes, 2, REC->bytes, REC->bytes, REC->bytes",
     "20 01 00|20:01|2001|20-01"},
};

static const struct sample pointers[] = {
    {"\"%p|%pK|%px\", REC->p, REC->p, (void *)0", "0xffff888100000000|0xffff888100000000|(nil)"},
    {"\"%pS|%ps\", REC->p, REC->p", "0xffff888100000000|0xffff888100000000"},
    {"\"%pI4|%pi4\", REC->addr + 0, &REC->bytes", "2.0.0.80|032.001.000.000"},
    {"\"%pI6|%pI6c\", REC->bytes, REC->bytes", "2001:0000:0000:0000:0000:0000:0000:0001|2001::1"},
    {"\"%pIS|%pISpc\", REC->addr, REC->addr", "127.0.0.1|127.0.0.1:80"},
    {"\"%pM|%pMF|%pm|%pMR\", REC->bytes, REC->bytes, REC->bytes, REC->bytes",
     "20:01:00:00:00:00|20-01-00-00-00-00|200100000000|00:00:00:00:01:20"},
    {"\"%pU|%pUl\", REC->bytes, REC->bytes",
     "20010000-0000-0000-0000-000000000001|00000120-0000-0000-0000-000000000001"},
};

/* Formats that only their kernel can print, and malformed ones: the fields are printed. */
static const char *const refused[] = {
    "\"%d\", mc_event_error_type(REC->i)",
    "\"%s\", ({ int a = 1; a; })",
    "\"%d\", REC->nothing",
    "\"%d\"",
    "\"%d\", REC->i +",
    "\"%y\", REC->i",
    "\"%",
    "\"abc",
    "\"%d\", REC->i.x",
    "\"%s\", __get_str(nothing)",
    "\"%d\", 1 @ 2",
    "",
};

/* The text of a format file; the caller frees it. */
static char *format_with(const char *print_format)
{
    char *format;

    assert_true(asprintf(&format, "name: e\nID: 7\n" COMMON_FIELDS FIELDS "\nprint fmt: %s\n",
                         print_format) > 0);
    return format;
}

static struct printed print_format(const char *print_format)
{
    char *format = format_with(print_format);
    struct printed printed =
        print_one(CAIRN_STYLE_TEXT, format, &record, RECORD_BYTES, NULL, false);

    free(format);
    return printed;
}

/* A record that is cut anywhere is refused or printed, and nothing beyond it is read. */
static void print_cut(const char *print_format)
{
    char *format = format_with(print_format);
    struct cairn_decoder *decoder;
    struct cairn_printer *printer;
    uint32_t tracepoint;

    assert_int_equal(cairn_decoder_create(&decoder), 0);
    assert_int_equal(cairn_printer_create(CAIRN_STYLE_TEXT, -1, &printer), 0);
    tracepoint = add_tracepoint(decoder, format, false);
    for (size_t size = 0; size < RECORD_BYTES; size++) {
        struct cairn_event event = {0};

        (void)print_exact(printer, decoder, tracepoint, &record, size, &event);
    }
    cairn_printer_destroy(printer);
    cairn_decoder_destroy(decoder);
    free(format);
}

static void check(const struct sample *samples, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        struct printed printed = print_format(samples[n].format);
        size_t length = strlen(printed.text);

        assert_int_equal(printed.error, 0);
        printed.text[length - 1] = 0; /* the newline */
        if (strncmp(printed.text, "e: ", 3) != 0 || strcmp(printed.text + 3, samples[n].text) != 0)
            fail_msg("%s: expected %s, got %s", samples[n].format, samples[n].text, printed.text);
        free(printed.text);
        print_cut(samples[n].format);
    }
}

#define CHECK(samples) check(samples, sizeof(samples) / sizeof(*samples))

static void test_numbers(void **state)
{
    (void)state;
    CHECK(numbers);
}

static void test_expressions(void **state)
{
    (void)state;
    CHECK(expressions);
}

static void test_strings(void **state)
{
    (void)state;
    CHECK(strings);
}

static void test_names(void **state)
{
    (void)state;
    CHECK(names);
}

static void test_memory(void **state)
{
    (void)state;
    CHECK(memory);
}

static void test_pointers(void **state)
{
    (void)state;
    CHECK(pointers);
}

static void test_refused_formats_print_fields(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof(refused) / sizeof(*refused); n++) {
        struct printed printed = print_format(refused[n]);

        if (strncmp(printed.text, "e: i=-2 u=5 ", 12) != 0)
            fail_msg("%s: got %s", refused[n], printed.text);
        free(printed.text);
    }
}

/* Repeats a text: expressions deeper than any of the kernel are refused. */
static void test_deep_formats_are_refused(void **state)
{
    static const char *const repeated[] = {"(", "-", "!", "1 ? ", "(int)", "REC->u+"};

    (void)state;
    for (size_t n = 0; n < sizeof(repeated) / sizeof(*repeated); n++) {
        enum { TIMES = 3000 };
        size_t length = strlen(repeated[n]);
        char *format = malloc(TIMES * length + 32);
        char *to = stpcpy(format, "\"%d\", ");
        struct printed printed;

        for (size_t k = 0; k < TIMES; k++, to += length)
            memcpy(to, repeated[n], length);
        strcpy(to, "REC->u");
        printed = print_format(format);
        assert_memory_equal(printed.text, "e: i=-2", 7);
        free(printed.text);
        free(format);
    }
}

static void test_long_text_is_marked(void **state)
{
    struct printed printed = print_format("\"%9999d %s\", 1, REC->comm");

    (void)state;
    assert_int_equal(strlen(printed.text), strlen("e: ") + 8192 + 1);
    assert_string_equal(printed.text + strlen(printed.text) - 4, "...\n");
    free(printed.text);
}

/* The texts are the kernel's. */
static const struct {
    uint8_t address[16];
    const char *text;
} short_addresses[] = {
    {{0}, "::"},
    {{[15] = 1}, "::1"},
    {{[13] = 1, [15] = 2}, "::1:2"}, /* inet_ntop: "::0.1.0.2" */
    {{[12] = 10, [15] = 1}, "::a00:1"},
    {{0x20, 1, [14] = 0xab, 0xcd}, "2001::abcd"},
    {{0x20, 1}, "2001::"},
    {{[1] = 1, [5] = 3, [11] = 6}, "1:0:3::6:0:0"}, /* the longest is 3 to 4, the first of two */
    {{[1] = 1, [3] = 2, [9] = 5, [15] = 8}, "1:2::5:0:0:8"},
    {{[1] = 1, [7] = 4, [15] = 8}, "1:0:0:4::8"},
    {{0, 1, 0, 0, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8}, "1:0:3:4:5:6:7:8"},
    {{[10] = 0xff, 0xff, 10, 0, 0, 1}, "::ffff:10.0.0.1"},
    {{[10] = 0xff, 0xff}, "::ffff:0.0.0.0"},
    {{0xfe, 0x80, [10] = 0x5e, 0xfe, 10, 0, 0, 1}, "fe80::5efe:10.0.0.1"},
    {{0xfe, 0x80, [8] = 2, [10] = 0x5e, 0xfe, 0, 0, 0, 0}, "fe80::200:5efe:0.0.0.0"},
    {{0xfe, 0x80, [8] = 1, [10] = 0x5e, 0xfe, 10, 0, 0, 1}, "fe80::100:5efe:a00:1"},
};

static void short_ipv6_addresses_are_those_of_the_kernel(void **state)
{
    char *format = format_with("\"%pI6c\", REC->bytes");

    (void)state;
    for (size_t n = 0; n < sizeof(short_addresses) / sizeof(*short_addresses); n++) {
        uint8_t copy[RECORD_BYTES];
        struct printed printed;

        memcpy(copy, &record, sizeof(copy));
        memcpy(copy + offsetof(typeof(record.raw), bytes), short_addresses[n].address, 16);
        printed = print_one(CAIRN_STYLE_TEXT, format, copy, sizeof(copy), NULL, false);
        printed.text[strlen(printed.text) - 1] = 0; /* the newline */
        assert_string_equal(printed.text + strlen("e: "), short_addresses[n].text);
        free(printed.text);
    }
    free(format);
}

/* ---- names of values ---- */

static void fields_have_names_beside_their_values(void **state)
{
    static const char format[] =
        "name: e\nID: 7\n" COMMON_FIELDS FIELDS "\nprint fmt: \"i=%s u=%s%s q=%d %s\", "
        "__print_symbolic(REC->i, { -2, \"two\" }), "
        "REC->u & 4 ? __print_flags(REC->u & 1, \"|\", { 1, \"A\" }) : \"none\", "
        "REC->u & 4 ? \"+\" : \"\", REC->q, "
        "__print_symbolic(REC->i + REC->u, { 3, \"of two fields\" })\n";
    struct printed printed =
        print_one(CAIRN_STYLE_JSONL, format, &record, RECORD_BYTES, NULL, false);

    (void)state;
    assert_non_null(strstr(printed.text, "},\"symbols\":{\"i\":\"two\",\"u\":\"A+\"}}"));
    free(printed.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_pointers),
        cmocka_unit_test(short_ipv6_addresses_are_those_of_the_kernel),
        cmocka_unit_test(test_refused_formats_print_fields),
        cmocka_unit_test(test_deep_formats_are_refused),
        cmocka_unit_test(test_long_text_is_marked),
        cmocka_unit_test(fields_have_names_beside_their_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
