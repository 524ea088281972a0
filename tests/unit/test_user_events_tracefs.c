/* SPDX-License-Identifier: MIT */
/* Test of finding the tracefs directory in texts like /proc/self/mounts. */
#include "user_events/tracefs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *directory_of(const char *line, const char *type)
{
    static char directory[PATH_MAX];

    strcpy(directory, "untouched");
    return user_events_tracefs_of_mount(line, type, directory) ? directory : NULL;
}

static void a_tracefs_mount_is_the_directory(void **state)
{
    (void)state;
    assert_string_equal(
        directory_of("tracefs /sys/kernel/tracing tracefs rw,nosuid 0 0\n", "tracefs"),
        "/sys/kernel/tracing");
    assert_string_equal(directory_of("none /t tracefs", "tracefs"), "/t");
}

static void a_debugfs_mount_contains_the_directory(void **state)
{
    (void)state;
    assert_string_equal(directory_of("debugfs /sys/kernel/debug debugfs rw 0 0\n", "debugfs"),
                        "/sys/kernel/debug/tracing");
}

static void escaped_characters_are_decoded(void **state)
{
    (void)state;
    assert_string_equal(
        directory_of("a\\040b /my\\040trace\\011s\\134\\012 tracefs rw 0 0\n", "tracefs"),
        "/my trace\ts\\\n");
    /* Not escapes: the kernel escapes every backslash, but sequences that are not escapes are
     * kept. */
    assert_string_equal(directory_of("x /a\\09 tracefs rw 0 0\n", "tracefs"), "/a\\09");
    assert_string_equal(directory_of("x /a\\04 tracefs rw 0 0\n", "tracefs"), "/a\\04");
}

static void other_file_systems_are_ignored(void **state)
{
    (void)state;
    assert_null(directory_of("proc /proc proc rw 0 0\n", "tracefs"));
    assert_null(directory_of("tracefs /tracefs tracefs2 rw 0 0\n", "tracefs"));
    assert_null(directory_of("tracefs /sys/kernel/tracing tracefs rw 0 0\n", "debugfs"));
    assert_null(directory_of("tracefs /tmp/tracefs ext4 rw 0 0\n", "tracefs"));
}

static void malformed_lines_are_ignored(void **state)
{
    (void)state;
    assert_null(directory_of("", "tracefs"));
    assert_null(directory_of("\n", "tracefs"));
    assert_null(directory_of("tracefs", "tracefs"));
    assert_null(directory_of("tracefs /t", "tracefs"));
    assert_null(directory_of("tracefs  tracefs rw 0 0\n", "tracefs"));
    assert_null(directory_of("tracefs /t\ntracefs tracefs\n", "tracefs"));
}

static void a_path_that_is_too_long_is_ignored(void **state)
{
    char *line, directory[PATH_MAX] = "untouched";

    (void)state;
    for (int length = PATH_MAX - 20; length < PATH_MAX + 20; length++) {
        bool fits = length + sizeof("/tracing") <= PATH_MAX;

        assert_true(asprintf(&line, "x /%0*d debugfs rw 0 0\n", length - 1, 0) > 0);
        assert_int_equal(user_events_tracefs_of_mount(line, "debugfs", directory), fits);
        assert_int_equal(strlen(directory), (fits ? length : PATH_MAX - 9) + 8);
        free(line);
    }
}

struct visits {
    char list[256];
    const char *stop_at;
};

static bool note(const char *directory, void *context)
{
    struct visits *visits = context;

    size_t used = strlen(visits->list);

    snprintf(visits->list + used, sizeof(visits->list) - used, "%s ", directory);
    return visits->stop_at && strcmp(directory, visits->stop_at) == 0;
}

static const char *visited(const char *text, const char *stop_at)
{
    static struct visits visits;
    FILE *mounts = fmemopen((char *)(uintptr_t)text, strlen(text), "r");

    visits = (struct visits){.stop_at = stop_at};
    assert_non_null(mounts);
    assert_int_equal(user_events_tracefs_each(mounts, note, &visits), 0);
    fclose(mounts);
    return visits.list;
}

#define DEBUGFS "debugfs /sys/kernel/debug debugfs rw 0 0\n"
#define OTHERS  "proc /proc proc rw 0 0\nsysfs /sys sysfs rw 0 0\n"

static void each_tracefs_is_visited_until_one_is_accepted(void **state)
{
    (void)state;
    assert_string_equal(visited(OTHERS "a /1 tracefs rw 0 0\na /2 tracefs rw 0 0\n", NULL),
                        "/1 /2 ");
    assert_string_equal(visited(OTHERS "a /1 tracefs rw 0 0\na /2 tracefs rw 0 0\n", "/1"), "/1 ");
    assert_string_equal(visited(OTHERS, NULL), "");
}

static void debugfs_is_visited_only_without_a_tracefs(void **state)
{
    (void)state;
    assert_string_equal(visited(OTHERS DEBUGFS "a /1 tracefs rw 0 0", NULL), "/1 ");
    assert_string_equal(visited(DEBUGFS OTHERS, NULL), "/sys/kernel/debug/tracing ");
}

static void a_line_may_have_any_length(void **state)
{
    char *text;

    (void)state;
    assert_true(asprintf(&text, "overlay /o overlay %0100000d 0 0\na /1 tracefs rw 0 0\n", 0) > 0);
    assert_string_equal(visited(text, NULL), "/1 ");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tracefs_mount_is_the_directory),
        cmocka_unit_test(a_debugfs_mount_contains_the_directory),
        cmocka_unit_test(escaped_characters_are_decoded),
        cmocka_unit_test(other_file_systems_are_ignored),
        cmocka_unit_test(malformed_lines_are_ignored),
        cmocka_unit_test(a_path_that_is_too_long_is_ignored),
        cmocka_unit_test(each_tracefs_is_visited_until_one_is_accepted),
        cmocka_unit_test(debugfs_is_visited_only_without_a_tracefs),
        cmocka_unit_test(a_line_may_have_any_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
