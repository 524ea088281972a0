/* SPDX-License-Identifier: MIT */
/* Test of filters for text: an event's, a system's, and the errors of invalid ones. */
#include "by_book.h"

#include <poll.h>
#include <sys/prctl.h>

#define FILTER EVENT "by_book/filter"

static int clear_error_log(void)
{
    int fd = open(TRACING "error_log", O_WRONLY | O_TRUNC | O_CLOEXEC);

    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

static int set_up_filter(void **state)
{
    if (set_up(state) || clear_error_log() || enable("by_book", true))
        return -1;
    return 0;
}

static int tear_down_filter(void **state)
{
    (void)put(FILTER, "0");
    return tear_down(state);
}

static void write_numbers(uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++)
        assert_int_equal(write_number(data, index_of, i), 0);
}

static void a_filter_selects_the_events_of_trace(void **state)
{
    (void)state;
    write_numbers(1, 3);
    assert_int_equal(put(FILTER, "a > 5 && a != 7"), 0);
    write_numbers(1, 9);
    assert_int_equal(word, 1);
    assert_int_equal(traced("by_book: a="), 3 + 3);
    assert_int_equal(traced("by_book: a=0x2 (2)"), 1);
    assert_int_equal(traced("by_book: a=0x7 (7)"), 0);
    assert_int_equal(put(FILTER, "0"), 0);
    write_numbers(1, 1);
    assert_int_equal(traced("by_book: a=0x1 (1)"), 2);
}

static void a_filter_selects_the_events_of_trace_pipe(void **state)
{
    int fd = open(TRACING "trace_pipe", O_RDONLY);
    struct pollfd pollfd = {.fd = fd, .events = POLLIN};
    char text[4096];
    ssize_t size;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(put(FILTER, "a == 8"), 0);
    write_numbers(7, 8);
    assert_int_equal(poll(&pollfd, 1, 100000), 1);
    size = read(fd, text, sizeof(text) - 1);
    assert_true(size > 0);
    text[size] = 0;
    assert_non_null(strstr(text, "by_book: a=0x8 (8)\n"));
    assert_null(strstr(text, "by_book: a=0x7 (7)\n"));
    close(fd);
}

static void a_filter_is_read_back_as_it_was_written(void **state)
{
    (void)state;
    assert_string_equal(text_of(FILTER), "none\n");
    assert_int_equal(put(FILTER, " a>5  \n"), 0);
    assert_string_equal(text_of(FILTER), " a>5\n");
    assert_int_equal(put(FILTER, "common_pid >= 0 || (CPU < 1000 && COMM ~ \"*\")"), 0);
    assert_string_equal(text_of(FILTER), "common_pid >= 0 || (CPU < 1000 && COMM ~ \"*\")\n");
    assert_int_equal(put(FILTER, " 0 \n"), 0);
    assert_string_equal(text_of(FILTER), "none\n");
}

static void a_bad_filter_removes_the_old_one_and_is_shown(void **state)
{
    (void)state;
    skip_by_mount();
    assert_int_equal(put(FILTER, "a > 5"), 0);
    assert_int_equal(put(FILTER, "b > 5"), EINVAL);
    assert_string_equal(text_of(FILTER), "b > 5\n  ^\nparse_error: Field not found\n\n");
    write_numbers(1, 1);
    assert_int_equal(traced("by_book: a=0x1 (1)"), 1);
    assert_int_equal(put(FILTER, ""), EINVAL);
    assert_string_equal(text_of(FILTER), "\nError: (0)\n\n");
    assert_int_equal(put(FILTER, "a > 0"), 0);
    assert_string_equal(text_of(FILTER), "a > 0\n");
}

static void a_bad_filter_is_in_the_error_log_until_the_log_is_cleared(void **state)
{
    const char *text;

    (void)state;
    assert_string_equal(text_of(TRACING "error_log"), "");
    assert_int_equal(put(FILTER, "a ~ \"x\""), EINVAL);
    assert_int_equal(put(FILTER, "nosuch == 1"), EINVAL);
    text = text_of(TRACING "error_log");
    assert_non_null(strstr(text, "] event filter parse error: error: Field not found\n"
                                 "  Command: nosuch == 1\n"));
    assert_true(strstr(text, "Command: a ~ \"x\"") < strstr(text, "Command: nosuch"));
    for (int i = 0; i < 20; i++)
        assert_int_equal(put(FILTER, "nosuch == 2"), EINVAL);
    text = text_of(TRACING "error_log");
    assert_null(strstr(text, "nosuch == 1"));
    assert_int_equal(clear_error_log(), 0);
    assert_string_equal(text_of(TRACING "error_log"), "");
}

static void a_text_that_is_too_long_changes_nothing(void **state)
{
    char text[4097];

    (void)state;
    memset(text, ' ', sizeof(text));
    memcpy(text, "a > 7", 5);
    text[4096] = 0;
    assert_int_equal(put(FILTER, "a > 5"), 0);
    assert_int_equal(put(FILTER, text), EINVAL);
    assert_string_equal(text_of(FILTER), "a > 5\n");
    text[4095] = 0;
    assert_int_equal(put(FILTER, text), 0);
    assert_string_equal(text_of(FILTER), "a > 7\n");
}

static int write_texts(int fd, uint32_t index)
{
    static const char *const words[] = {"apple", "pear", "ape"};

    for (size_t i = 0; i < 3; i++) {
        uint32_t size = (uint32_t)strlen(words[i]) + 1;
        uint32_t location = size << 16;
        struct iovec parts[] = {{&index, 4}, {&location, 4}, {(void *)(uintptr_t)words[i], size}};

        if (writev(fd, parts, 3) != (ssize_t)(8 + size))
            return errno;
    }
    return 0;
}

static void filters_may_compare_strings_and_the_writing_task(void **state)
{
    uint32_t text_word = 0;
    uint32_t index = 0;
    pid_t pid;

    (void)state;
    assert_int_equal(reg(data, "by_text __rel_loc char[] t", &text_word, &index), 0);
    assert_int_equal(enable("by_text", true), 0);
    assert_int_equal(put(EVENT "by_text/filter", "t ~ \"ap*\" && COMM == \"by-filter\""), 0);
    pid = fork();
    if (pid == 0)
        _exit(prctl(PR_SET_NAME, "by-filter") || write_texts(data, index));
    assert_int_equal(status_of(pid), 0);
    assert_int_equal(write_texts(data, index), 0);
    assert_int_equal(traced("by_text: t=ap"), 2);
    assert_int_equal(traced("by_text: t=pear"), 0);
    assert_int_equal(enable("by_text", false), 0);
    assert_int_equal(unreg(data, &text_word, 0), 0);
}

/* A filter that another program sets applies to all programs. */
static void a_filter_applies_to_all_programs(void **state)
{
    pid_t pid = fork();

    (void)state;
    if (pid == 0)
        _exit(put(FILTER, "a == 4"));
    assert_int_equal(status_of(pid), 0);
    assert_string_equal(text_of(FILTER), "a == 4\n");
    write_numbers(3, 5);
    pid = fork();
    if (pid == 0)
        _exit(write_number(data, index_of, 4) || write_number(data, index_of, 5));
    assert_int_equal(status_of(pid), 0);
    assert_int_equal(traced("by_book: a="), 2);
    assert_int_equal(traced("by_book: a=0x4 (4)"), 2);
}

static void a_filter_is_removed_with_its_event(void **state)
{
    (void)state;
    assert_int_equal(put(FILTER, "a == 4"), 0);
    assert_int_equal(enable("by_book", false), 0);
    assert_string_equal(text_of(FILTER), "a == 4\n");
    assert_int_equal(unreg(data, &word, 0), 0);
    close(data);
    assert_true(goes_away("by_book"));
    data = open_data();
    assert_int_equal(reg(data, "by_book u32 a", &word, &index_of), 0);
    assert_string_equal(text_of(FILTER), "none\n");
}

static void a_systems_filter_is_set_for_each_event(void **state)
{
    static const char shown[] = "b == 1\n^\nparse_error: Couldn't find or set field in one of a "
                                "subsystem's events\n\n";
    uint32_t other_word = 0;

    (void)state;
    assert_int_equal(reg(data, "by_other u32 b", &other_word, NULL), 0);
    assert_memory_equal(text_of(EVENT "filter"), "### global filter ###\n", 22);
    assert_int_equal(put(EVENT "filter", "b == 1"), 0);
    assert_string_equal(text_of(EVENT "by_other/filter"), "b == 1\n");
    assert_string_equal(text_of(FILTER), shown);
    assert_non_null(strstr(text_of(TRACING "error_log"), "one of a subsystem's events"));
    assert_int_equal(put(EVENT "filter", "0"), 0);
    assert_string_equal(text_of(EVENT "by_other/filter"), "none\n");
    assert_string_equal(text_of(FILTER), "none\n");
    assert_int_equal(unreg(data, &other_word, 0), 0);
}

/* More events than there are slots for compiled filters, in turn. */
static void many_filters_are_distinguished(void **state)
{
    enum { COUNT = 150 };
    static uint32_t words[COUNT];
    static uint32_t indexes[COUNT];
    char text[64];

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        (void)snprintf(text, sizeof(text), "by_many_%u u32 a", i);
        assert_int_equal(reg(data, text, &words[i], &indexes[i]), 0);
        (void)snprintf(text, sizeof(text), "by_many_%u", i);
        assert_int_equal(enable(text, true), 0);
        (void)snprintf(text, sizeof(text), EVENT "by_many_%u/filter", i);
        assert_int_equal(put(text, i % 2 ? "a >= 100" : "a < 100"), 0);
    }
    for (uint32_t number = 99; number <= 100; number++) {
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(write_number(data, indexes[i], number), 0);
    }
    assert_int_equal(traced(": a=0x63 (99)"), COUNT / 2);
    assert_int_equal(traced(": a=0x64 (100)"), COUNT / 2);
    for (uint32_t i = 0; i < COUNT; i++) {
        (void)snprintf(text, sizeof(text), "by_many_%u", i);
        assert_int_equal(enable(text, false), 0);
        assert_int_equal(unreg(data, &words[i], 0), 0);
    }
}

/* Overwrites all slots except for the session's number, without which a slot is unused. The
 * kernel's own filters are not in a file. */
static void damage(int byte)
{
    enum { LENGTH = 20, TEXT = 24, SLOT = TEXT + 2 * 4096 + 256 };
    const char *directory = getenv("CAIRN_TRACING_DIR");
    char junk[SLOT - 8], path[4200];
    struct stat st;
    int fd;

    if (!directory)
        return;
    (void)snprintf(path, sizeof(path), "%s/event_filters", directory);
    fd = open(path, O_RDWR | O_CLOEXEC);
    memset(junk, byte, sizeof(junk));
    assert_int_equal(fstat(fd, &st), 0);
    for (off_t at = 0; at + SLOT <= st.st_size; at += SLOT) {
        if (byte < 0) /* the id is valid, but the rest is not */
            (void)pwrite(fd, junk, 4, at + (byte == -1 ? LENGTH : TEXT));
        else
            (void)pwrite(fd, junk, sizeof(junk), at + 8);
    }
    close(fd);
}

/* The texts of errors are at the end of another file. */
static void damage_error_log(int byte)
{
    enum { TEXTS = 8 * (2 * 4096 + 256) };
    static char junk[TEXTS];
    const char *directory = getenv("CAIRN_TRACING_DIR");
    char path[4200];
    struct stat st;
    int fd;

    if (!directory)
        return;
    (void)snprintf(path, sizeof(path), "%s/lines", directory);
    fd = open(path, O_RDWR | O_CLOEXEC);
    memset(junk, byte, sizeof(junk));
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(pwrite(fd, junk, TEXTS, st.st_size - TEXTS), TEXTS);
    close(fd);
}

/* Any process that may write to the tracing directory may have written the files. */
static void damage_in_the_shared_file_is_harmless(void **state)
{
    (void)state;
    for (int byte = -65; byte < 256; byte += 64) {
        assert_int_equal(put(FILTER, "a == 4"), 0);
        assert_int_equal(put(FILTER, "b == 4"), EINVAL);
        damage(byte);
        damage_error_log(byte);
        (void)text_of(FILTER);
        (void)text_of(TRACING "error_log");
        write_numbers(4, 5);
        assert_true(traced("by_book: a=") >= 2);
        assert_int_equal(put(FILTER, "a == 4"), 0);
        damage(byte);
        write_numbers(4, 5);
        (void)traced("by_book: a=");
        assert_int_equal(put(FILTER, "a == 3"), 0);
        assert_string_equal(text_of(FILTER), "a == 3\n");
    }
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up_filter, tear_down_filter)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_filter_selects_the_events_of_trace),
        T(a_filter_selects_the_events_of_trace_pipe),
        T(a_filter_is_read_back_as_it_was_written),
        T(a_bad_filter_removes_the_old_one_and_is_shown),
        T(a_bad_filter_is_in_the_error_log_until_the_log_is_cleared),
        T(a_text_that_is_too_long_changes_nothing),
        T(filters_may_compare_strings_and_the_writing_task),
        T(a_filter_applies_to_all_programs),
        T(a_filter_is_removed_with_its_event),
        T(a_systems_filter_is_set_for_each_event),
        T(many_filters_are_distinguished),
        T(damage_in_the_shared_file_is_harmless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
