/* SPDX-License-Identifier: MIT */
/* Test of the names of the kernel's addresses, and of its strings. */
#include "decode/kernel_symbols.h"
#include "core/slice.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The address of _text; 0: this user may not see it. */
static uint64_t find_text(void)
{
    FILE *file = fopen("/proc/kallsyms", "re");
    uint64_t address = 0;
    char name[128];

    while (file && fscanf(file, "%" SCNx64 " %*c %127s%*[^\n]", &address, name) == 2 &&
           strcmp(name, "_text") != 0)
        address = 0;
    if (file)
        (void)fclose(file);
    return address;
}

static void addresses_of_this_boot_are_named(void **state)
{
    struct decode_kernel_symbols table = {.reference = "_text", .reference_address = find_text()};
    uint64_t address = table.reference_address;
    const char *name = NULL;
    uint64_t offset = 0;

    (void)state;
    if (!address)
        skip();
    assert_true(decode_kernel_symbols_resolve(&table, address + 1, &name, &offset));
    assert_true(*name);
    assert_int_equal(offset, 1);
    assert_false(decode_kernel_symbols_resolve(&table, 4096, &name, &offset));
    assert_false(decode_kernel_symbols_resolve(&table, UINT64_MAX, &name, &offset));
    decode_kernel_symbols_close(&table);
}

static void addresses_of_another_kernel_are_not_named(void **state)
{
    uint64_t address = find_text();
    struct decode_kernel_symbols moved = {.reference = "_text", .reference_address = address + 16};
    struct decode_kernel_symbols unknown = {.count = 0};
    const char *name;
    uint64_t offset;

    (void)state;
    assert_false(decode_kernel_symbols_resolve(&moved, address + 1, &name, &offset));
    assert_false(decode_kernel_symbols_resolve(&unknown, address + 1, &name, &offset));
    decode_kernel_symbols_close(&moved);
    decode_kernel_symbols_close(&unknown);
}

static void assert_string(struct decode_kernel_symbols *table, uint64_t address, const char *text)
{
    struct cairn_slice string = {"", 0};

    assert_true(decode_kernel_strings_find(table, address, &string));
    assert_int_equal(string.length, strlen(text));
    assert_memory_equal(string.text, text, string.length);
}

static void strings_are_those_of_the_recording(void **state)
{
    struct decode_kernel_symbols table = {
        .strings.table = CORE_SLICE("0xffffffff8281b804 : \"Start: now\\n\"\n"
                                    "\n0x10\nnothing : \"a\"\n0x20:\n0x30 : \"\n0x28 : \"\"\n"
                                    "0x0000000000000000000000000000001 : \"long\"\n"
                                    "0x8 : \"\\n\"\n0xffffffff8281b800 : \"End\""),
    };
    struct cairn_slice string;

    (void)state;
    assert_string(&table, UINT64_C(0xffffffff8281b804), "Start: now");
    assert_string(&table, UINT64_C(0xffffffff8281b800), "End");
    assert_string(&table, 8, "");
    assert_string(&table, 0x20, "");
    assert_string(&table, 0x28, "");
    assert_string(&table, 0x30, "");
    assert_false(decode_kernel_strings_find(&table, UINT64_C(0xffffffff8281b803), &string));
    assert_false(decode_kernel_strings_find(&table, 0x10, &string));
    assert_false(decode_kernel_strings_find(&table, 1, &string));
    decode_kernel_symbols_close(&table);
}

static void an_address_that_has_different_strings_has_none(void **state)
{
    struct decode_kernel_symbols table = {
        .strings.table = CORE_SLICE("0x10 : \"a\"\n0x20 : \"b\"\n0x30 : \"c\"\n"
                                    "0x20 : \"b\"\n0x30 : \"d\"\n0x30 : \"c\"\n"),
    };
    struct cairn_slice string;

    (void)state;
    assert_string(&table, 0x10, "a");
    assert_string(&table, 0x20, "b");
    assert_false(decode_kernel_strings_find(&table, 0x30, &string));
    decode_kernel_symbols_close(&table);
}

static void without_a_table_no_string_is_known(void **state)
{
    struct decode_kernel_symbols table = {.count = 0};
    struct cairn_slice string;

    (void)state;
    assert_false(decode_kernel_strings_find(&table, 8, &string));
    decode_kernel_symbols_close(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_are_those_of_the_recording),
        cmocka_unit_test(an_address_that_has_different_strings_has_none),
        cmocka_unit_test(without_a_table_no_string_is_known),
        cmocka_unit_test(addresses_of_this_boot_are_named),
        cmocka_unit_test(addresses_of_another_kernel_are_not_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
