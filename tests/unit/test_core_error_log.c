/* SPDX-License-Identifier: MIT */
/* Test of the error log, as tracefs shows it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/error_log.h"

#include <cairn/filter.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds an error at position 2 whose time is `seconds`. */
static int add(struct kernel_error_log *log, uint64_t seconds, const char *command)
{
    struct kernel_error_log_entry entry = {
        .time_ns = seconds * 1000000000,
        .where = KERNEL_ERROR_LOG_FILTER,
        .reason = cairn_filter_reason(CAIRN_FILTER_FIELD_NOT_FOUND),
        .position = 2,
        .command_length = (uint32_t)strlen(command),
    };

    return kernel_error_log_add(log, &entry, command);
}

static const char *shown(const struct kernel_error_log *log)
{
    static char text[4096];
    size_t length = SIZE_MAX;

    assert_int_equal(kernel_error_log_write(log, text, sizeof(text), &length), 0);
    assert_int_equal(length, strlen(text));
    return text;
}

static uint32_t count_of(const char *text, const char *part)
{
    uint32_t count = 0;

    while ((text = strstr(text, part))) {
        text += strlen(part);
        count++;
    }
    return count;
}

static void an_entry_has_the_format_of_tracefs(void **state)
{
    struct kernel_error_log_entry entry = {
        .time_ns = 348730038005,
        .where = KERNEL_ERROR_LOG_FILTER,
        .reason = "Invalid operator",
        .position = 4,
        .command_length = 8,
    };
    static const char expected[] =
        "[  348.730038] event filter parse error: error: Invalid operator\n"
        "  Command: fd = 1 b\n"
        "               ^\n";
    char text[sizeof(expected)];
    size_t length;

    (void)state;
    assert_int_equal(
        kernel_error_log_write_entry(&entry, "fd = 1 b...", text, sizeof(text), &length), 0);
    assert_string_equal(text, expected);
    assert_int_equal(length, sizeof(expected) - 1);
    assert_int_equal(
        kernel_error_log_write_entry(&entry, "fd = 1 b...", text, sizeof(text) - 1, &length),
        ENOSPC);
    entry.position = UINT32_MAX;
    assert_int_equal(kernel_error_log_write_entry(&entry, "fd = 1 b", text, sizeof(text), NULL),
                     ENOSPC);
}

static void times_of_every_length_are_shown(void **state)
{
    struct kernel_error_log log;
    char memory[64];

    (void)state;
    kernel_error_log_init(&log, memory, sizeof(memory));
    assert_int_equal(add(&log, 0, "a"), 0);
    assert_int_equal(add(&log, 123456, "b"), 0);
    log.entries[1].time_ns += 7999;
    assert_true(strncmp(shown(&log), "[    0.000000] event", 20) == 0);
    assert_non_null(strstr(shown(&log), "\n[123456.000007] event"));
    log.entries[0].time_ns = UINT64_MAX;
    assert_true(strncmp(shown(&log), "[18446744073.709551] ", 21) == 0);
}

static void an_empty_log_is_an_empty_text(void **state)
{
    struct kernel_error_log log;
    char memory[16];

    (void)state;
    kernel_error_log_init(&log, memory, sizeof(memory));
    assert_string_equal(shown(&log), "");
    assert_int_equal(add(&log, 1, ""), 0);
    assert_string_equal(shown(&log),
                        "[    1.000000] event filter parse error: error: Field not found\n"
                        "  Command: \n"
                        "             ^\n");
    kernel_error_log_clear(&log);
    assert_string_equal(shown(&log), "");
}

static void the_ninth_error_replaces_the_oldest(void **state)
{
    struct kernel_error_log log;
    char memory[256];
    char command[16];

    (void)state;
    kernel_error_log_init(&log, memory, sizeof(memory));
    for (uint32_t i = 0; i < 20; i++) {
        snprintf(command, sizeof(command), "command_%u_", i);
        assert_int_equal(add(&log, i, command), 0);
        assert_int_equal(count_of(shown(&log), "Command: "), i < 8 ? i + 1 : 8);
        assert_non_null(strstr(shown(&log), command));
    }
    assert_null(strstr(shown(&log), "command_11_"));
    assert_non_null(strstr(shown(&log), "[   12.000000] "));
    assert_true(strstr(shown(&log), "command_12_") < strstr(shown(&log), "command_19_"));
}

static void the_oldest_errors_are_removed_for_a_long_command(void **state)
{
    struct kernel_error_log log;
    char *memory = malloc(10); /* a sanitizer finds accesses beyond it */

    (void)state;
    assert_non_null(memory);
    kernel_error_log_init(&log, memory, 10);
    assert_int_equal(add(&log, 1, "aaaa"), 0);
    assert_int_equal(add(&log, 2, "bbbb"), 0);
    assert_int_equal(add(&log, 3, "ccc"), 0);
    assert_null(strstr(shown(&log), "aaaa"));
    assert_non_null(strstr(shown(&log), "Command: bbbb\n"));
    assert_non_null(strstr(shown(&log), "Command: ccc\n"));
    assert_int_equal(add(&log, 4, "eleven long"), ENOSPC);
    assert_int_equal(count_of(shown(&log), "Command: "), 2);
    assert_int_equal(add(&log, 5, "ten is ok!"), 0);
    assert_int_equal(count_of(shown(&log), "Command: "), 1);
    assert_non_null(strstr(shown(&log), "Command: ten is ok!\n"));
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_has_the_format_of_tracefs),
        cmocka_unit_test(times_of_every_length_are_shown),
        cmocka_unit_test(an_empty_log_is_an_empty_text),
        cmocka_unit_test(the_ninth_error_replaces_the_oldest),
        cmocka_unit_test(the_oldest_errors_are_removed_for_a_long_command),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
