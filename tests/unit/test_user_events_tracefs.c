/* SPDX-License-Identifier: MIT */
/* Where the tracing folder is, from texts as /proc/self/mounts has them. */
#include "user_events/tracefs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *folder_of(const char *line, const char *type)
{
    static char folder[PATH_MAX];

    strcpy(folder, "untouched");
    return cairn_tracefs_of_mount(line, type, folder) ? folder : NULL;
}

static void a_tracefs_is_the_folder_itself(void **state)
{
    (void)state;
    assert_string_equal(folder_of("tracefs /sys/kernel/tracing tracefs rw,nosuid 0 0\n", "tracefs"),
                        "/sys/kernel/tracing");
    assert_string_equal(folder_of("none /t tracefs", "tracefs"), "/t");
}

static void a_debugfs_has_the_folder_in_it(void **state)
{
    (void)state;
    assert_string_equal(folder_of("debugfs /sys/kernel/debug debugfs rw 0 0\n", "debugfs"),
                        "/sys/kernel/debug/tracing");
}

static void escaped_characters_are_turned_back(void **state)
{
    (void)state;
    assert_string_equal(
        folder_of("a\\040b /my\\040trace\\011s\\134\\012 tracefs rw 0 0\n", "tracefs"),
        "/my trace\ts\\\n");
    /* Not escapes: the kernel escapes every backslash, but what is no escape stays as it is. */
    assert_string_equal(folder_of("x /a\\09 tracefs rw 0 0\n", "tracefs"), "/a\\09");
    assert_string_equal(folder_of("x /a\\04 tracefs rw 0 0\n", "tracefs"), "/a\\04");
}

static void other_file_systems_are_not_taken(void **state)
{
    (void)state;
    assert_null(folder_of("proc /proc proc rw 0 0\n", "tracefs"));
    assert_null(folder_of("tracefs /tracefs tracefs2 rw 0 0\n", "tracefs"));
    assert_null(folder_of("tracefs /sys/kernel/tracing tracefs rw 0 0\n", "debugfs"));
    assert_null(folder_of("tracefs /tmp/tracefs ext4 rw 0 0\n", "tracefs"));
}

static void malformed_lines_are_not_taken(void **state)
{
    (void)state;
    assert_null(folder_of("", "tracefs"));
    assert_null(folder_of("\n", "tracefs"));
    assert_null(folder_of("tracefs", "tracefs"));
    assert_null(folder_of("tracefs /t", "tracefs"));
    assert_null(folder_of("tracefs  tracefs rw 0 0\n", "tracefs"));
    assert_null(folder_of("tracefs /t\ntracefs tracefs\n", "tracefs"));
}

static void a_path_that_does_not_fit_is_not_taken(void **state)
{
    char *line, folder[PATH_MAX] = "untouched";

    (void)state;
    for (int length = PATH_MAX - 20; length < PATH_MAX + 20; length++) {
        bool fits = length + sizeof("/tracing") <= PATH_MAX;

        assert_true(asprintf(&line, "x /%0*d debugfs rw 0 0\n", length - 1, 0) > 0);
        assert_int_equal(cairn_tracefs_of_mount(line, "debugfs", folder), fits);
        assert_int_equal(strlen(folder), (fits ? length : PATH_MAX - 9) + 8);
        free(line);
    }
}

struct visits {
    char list[256];
    const char *stop_at;
};

static bool note(const char *folder, void *context)
{
    struct visits *visits = context;

    size_t used = strlen(visits->list);

    snprintf(visits->list + used, sizeof(visits->list) - used, "%s ", folder);
    return visits->stop_at && strcmp(folder, visits->stop_at) == 0;
}

static const char *visited(const char *text, const char *stop_at)
{
    static struct visits visits;
    FILE *mounts = fmemopen((char *)(uintptr_t)text, strlen(text), "r");

    visits = (struct visits){.stop_at = stop_at};
    assert_non_null(mounts);
    assert_int_equal(cairn_tracefs_each(mounts, note, &visits), 0);
    fclose(mounts);
    return visits.list;
}

#define DEBUGFS "debugfs /sys/kernel/debug debugfs rw 0 0\n"
#define OTHERS  "proc /proc proc rw 0 0\nsysfs /sys sysfs rw 0 0\n"

static void every_tracefs_is_visited_until_one_serves(void **state)
{
    (void)state;
    assert_string_equal(visited(OTHERS "a /1 tracefs rw 0 0\na /2 tracefs rw 0 0\n", NULL),
                        "/1 /2 ");
    assert_string_equal(visited(OTHERS "a /1 tracefs rw 0 0\na /2 tracefs rw 0 0\n", "/1"), "/1 ");
    assert_string_equal(visited(OTHERS, NULL), "");
}

static void debugfs_is_visited_only_where_there_is_no_tracefs(void **state)
{
    (void)state;
    assert_string_equal(visited(OTHERS DEBUGFS "a /1 tracefs rw 0 0", NULL), "/1 ");
    assert_string_equal(visited(DEBUGFS OTHERS, NULL), "/sys/kernel/debug/tracing ");
}

static void a_line_of_any_length_is_read(void **state)
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
        cmocka_unit_test(a_tracefs_is_the_folder_itself),
        cmocka_unit_test(a_debugfs_has_the_folder_in_it),
        cmocka_unit_test(escaped_characters_are_turned_back),
        cmocka_unit_test(other_file_systems_are_not_taken),
        cmocka_unit_test(malformed_lines_are_not_taken),
        cmocka_unit_test(a_path_that_does_not_fit_is_not_taken),
        cmocka_unit_test(every_tracefs_is_visited_until_one_serves),
        cmocka_unit_test(debugfs_is_visited_only_where_there_is_no_tracefs),
        cmocka_unit_test(a_line_of_any_length_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
