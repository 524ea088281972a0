/* SPDX-License-Identifier: MIT */
/* Test of the names of the kernel's addresses. */
#include "decode/kernel_symbols.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_of_this_boot_are_named),
        cmocka_unit_test(addresses_of_another_kernel_are_not_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
