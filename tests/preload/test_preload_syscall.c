/* SPDX-License-Identifier: MIT */
/* Test of programs that use syscall(), as programs do that are older than the C library's
 * functions. */
#include "tracefs_test.h"

#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#define SWITCH EVENT "by_number/enable"

static uint32_t word;
static uint32_t index_of;
static int data;

static int set_up(void **state)
{
    struct engine_user_reg reg = {
        .size = sizeof(reg),
        .enable_size = 4,
        .enable_addr = (uintptr_t)&word,
        .name_args = (uintptr_t) "by_number u32 a",
    };

    (void)state;
    word = 0;
    data = (int)syscall(SYS_openat, AT_FDCWD, TRACING "user_events_data", O_RDWR | O_CLOEXEC);
    if (data < 0 || syscall(SYS_ioctl, data, ENGINE_USER_EVENTS_REG, &reg))
        return -1;
    index_of = reg.write_index;
    return clear_trace();
}

static int tear_down(void **state)
{
    struct engine_user_unreg request = {
        .size = sizeof(request),
        .disable_addr = (uintptr_t)&word,
    };

    (void)state;
    if (enable("by_number", false) || syscall(SYS_ioctl, data, ENGINE_USER_EVENTS_UNREG, &request))
        return -1;
    return (int)syscall(SYS_close, data) || !goes_away("by_number");
}

static void events_can_be_written_by_system_calls(void **state)
{
    uint32_t event[] = {index_of, 7};
    struct iovec parts[] = {{&event[0], 4}, {&event[1], 4}};

    (void)state;
    skip_by_mount();
    assert_int_equal(enable("by_number", true), 0);
    assert_int_equal(word, 1);
    assert_int_equal(syscall(SYS_writev, data, parts, 2), 8);
    event[1] = 8;
    assert_int_equal(syscall(SYS_write, data, event, sizeof(event)), 8);
    event[1] = 9;
    assert_int_equal(syscall(SYS_pwritev, data, parts, 2, 0L, 0L), 8);
    event[1] = 10;
    assert_int_equal(syscall(SYS_pwritev2, data, parts, 2, 0L, 0L, 0), 8);
    event[1] = 11;
    assert_int_equal(syscall(SYS_pwrite64, data, event, sizeof(event), 0L), 8);
    for (int i = 7; i <= 11; i++) {
        char text[32];

        (void)snprintf(text, sizeof(text), "by_number: a=0x%x (%d)\n", i, i);
        assert_int_equal(traced(text), 1);
    }
    event[0] = 1000;
    assert_int_equal(syscall(SYS_write, data, event, sizeof(event)), -1);
    assert_int_equal(errno, ENOENT);
}

static void files_can_be_opened_by_system_calls(void **state)
{
    struct open_how how = {.flags = O_RDWR | O_CLOEXEC};
    int directory = (int)syscall(SYS_openat, AT_FDCWD, EVENT, O_RDONLY | O_DIRECTORY);
    int fds[] = {
        (int)syscall(SYS_openat, directory, "by_number/enable", O_RDWR),
        (int)syscall(SYS_openat2, AT_FDCWD, SWITCH, &how, sizeof(how)),
#ifdef SYS_open
        (int)syscall(SYS_open, "/sys/../sys/kernel/tracing/events/user_events/by_number/enable",
                     O_RDWR),
#endif
    };

    (void)state;
    for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++) {
        assert_true(fds[i] >= 0);
        assert_int_equal(syscall(SYS_write, fds[i], "1", 1), 1);
        assert_int_equal(word, 1);
        assert_int_equal(syscall(SYS_pwrite64, fds[i], "0", 1, 0L), 1);
        assert_int_equal(word, 0);
        assert_int_equal(syscall(SYS_close, fds[i]), 0);
    }
    syscall(SYS_close, directory);
    assert_int_equal(syscall(SYS_openat, AT_FDCWD, EVENT "nobody/enable", O_RDWR), -1);
    assert_int_equal(errno, ENOENT);
}

static void files_can_be_read_by_system_calls(void **state)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, SWITCH, O_RDWR);
    char text[4] = "";
    struct iovec part = {text, 3};

    (void)state;
    assert_int_equal(syscall(SYS_read, fd, text, 3), 2);
    assert_string_equal(text, "0\n");
    assert_int_equal(syscall(SYS_write, fd, "1", 1), 1);
    assert_int_equal(syscall(SYS_pread64, fd, text, 3, 0L), 2);
    assert_string_equal(text, "1\n");
    assert_int_equal(syscall(SYS_write, fd, "0", 1), 1);
    assert_int_equal(syscall(SYS_preadv, fd, &part, 1, 0L, 0L), 2);
    assert_string_equal(text, "0\n");
    assert_int_equal(syscall(SYS_write, fd, "1", 1), 1);
    assert_int_equal(syscall(SYS_preadv2, fd, &part, 1, 0L, 0L, 0), 2);
    assert_string_equal(text, "1\n");
    assert_int_equal(syscall(SYS_close, fd), 0);
}

static void directories_can_be_read_by_system_calls(void **state)
{
    int directory = open(TRACING "events", O_RDONLY | O_DIRECTORY);
    struct statx extended;
    struct statfs system;
    struct stat st;
    char text[256];

    (void)state;
    skip_by_mount();
    assert_int_equal(syscall(SYS_newfstatat, directory, "user_events/by_number", &st, 0), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(syscall(SYS_statx, AT_FDCWD, SWITCH, 0, STATX_TYPE, &extended), 0);
    assert_int_equal(syscall(SYS_faccessat, AT_FDCWD, SWITCH, R_OK | W_OK), 0);
    assert_int_equal(syscall(SYS_readlinkat, AT_FDCWD, SWITCH, text, sizeof(text)), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(syscall(SYS_statfs, TRACING, &system), 0);
    assert_int_equal(system.f_type, 0x74726163);
    assert_int_equal(syscall(SYS_fchdir, directory), 0);
    assert_int_equal(syscall(SYS_getcwd, text, sizeof(text)), sizeof(TRACING "events"));
    assert_string_equal(text, TRACING "events");
    assert_int_equal(syscall(SYS_chdir, "user_events/by_number"), 0);
    assert_int_equal(access("enable", W_OK), 0);
    assert_int_equal(syscall(SYS_chdir, "/"), 0);
    close(directory);
}

/* A copy keeps the event; closing both releases it. */
static void copies_are_the_same_file(void **state)
{
    int fd = open_data();
    int copies[3];
    uint32_t other;

    (void)state;
    assert_int_equal(reg(fd, "copied u32 a", &other, NULL), 0);
    copies[0] = (int)syscall(SYS_dup, fd);
    copies[1] = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 50);
    copies[2] = (int)syscall(SYS_dup3, fd, 60, O_CLOEXEC);
    assert_int_equal(copies[2], 60);
    syscall(SYS_close, fd);
    for (size_t i = 0; i < 3; i++) {
        assert_true(copies[i] >= 0);
        assert_true(exists("copied"));
        assert_int_equal(write_number(copies[i], 1000, 0), ENOENT);
    }
    assert_int_equal(unreg(copies[0], &other, 0), 0);
    assert_int_equal(syscall(SYS_close_range, 50, 60, 0), 0);
    syscall(SYS_close, copies[0]);
    assert_true(goes_away("copied"));
}

static void the_status_page_can_be_mapped_by_a_system_call(void **state)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, TRACING "user_events_status", O_RDONLY);
    long page = syscall(SYS_mmap, NULL, 4096L, PROT_READ, MAP_SHARED, fd, 0L);

    (void)state;
    assert_true(page > 0);
    assert_int_equal(*(const char *)page, 0);        // NOLINT(*-int-to-ptr)
    assert_int_equal(munmap((void *)page, 4096), 0); // NOLINT(*-int-to-ptr)
    syscall(SYS_close, fd);
}

static void other_calls_go_to_the_kernel(void **state)
{
    char text[4] = "";
    int fds[2];

    (void)state;
    assert_int_equal(syscall(SYS_getpid), getpid());
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(syscall(SYS_write, fds[1], "abc", 3), 3);
    assert_int_equal(syscall(SYS_read, fds[0], text, 3), 3);
    assert_string_equal(text, "abc");
    assert_int_equal(syscall(SYS_close, fds[0]) + syscall(SYS_close, fds[1]), 0);
    assert_int_equal(syscall(SYS_close, fds[1]), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(syscall(SYS_openat, AT_FDCWD, "/nowhere/at/all", O_RDONLY), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(syscall(-1L), -1);
    assert_int_equal(errno, ENOSYS);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(events_can_be_written_by_system_calls),
        T(files_can_be_opened_by_system_calls),
        T(files_can_be_read_by_system_calls),
        T(directories_can_be_read_by_system_calls),
        T(copies_are_the_same_file),
        T(the_status_page_can_be_mapped_by_a_system_call),
        T(other_calls_go_to_the_kernel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
