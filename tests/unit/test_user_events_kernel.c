/* SPDX-License-Identifier: MIT */
/* What of the kernel backend can be seen on any kernel; tests/kernel/ has the rest. */
#include "user_events/kernel.h"
#include "local/kernel_abi.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A folder that the mounts text calls a tracefs. */
static char folder[] = "/tmp/cairn-test-XXXXXX";
static char data_path[sizeof(folder) + 32];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(data_path, sizeof(data_path), "%s/user_events_data", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static int remove_data(void **state)
{
    (void)state;
    chmod(folder, 0700);
    return unlink(data_path);
}

static void make_data(mode_t mode)
{
    int fd = open(data_path, O_CREAT | O_WRONLY | O_CLOEXEC, mode);

    assert_true(fd >= 0);
    close(fd);
}

static enum cairn_kernel_reason probe(const char *text, struct cairn_kernel_probe *ret_probe)
{
    FILE *mounts = fmemopen((char *)(uintptr_t)text, strlen(text), "r");

    assert_non_null(mounts);
    cairn_kernel_probe_mounts(mounts, ret_probe);
    fclose(mounts);
    return ret_probe->reason;
}

static enum cairn_kernel_reason probe_folder(struct cairn_kernel_probe *ret_probe)
{
    char text[256];

    snprintf(text, sizeof(text), "a /nowhere tracefs rw 0 0\ntracefs %s tracefs rw 0 0\n", folder);
    return probe(text, ret_probe);
}

static void without_a_tracefs_there_is_no_device(void **state)
{
    struct cairn_kernel_probe result;
    enum cairn_kernel_reason reason = probe("proc /proc proc rw 0 0\n", &result);

    (void)state;
    assert_true(reason == CAIRN_KERNEL_NOT_MOUNTED || reason == CAIRN_KERNEL_NO_TRACEFS);
    assert_int_equal(result.error, ENODEV);
    assert_string_equal(result.folder, "");
}

static void a_tracefs_without_the_file_is_a_kernel_without_user_events(void **state)
{
    struct cairn_kernel_probe result;

    (void)state;
    assert_int_equal(probe_folder(&result), CAIRN_KERNEL_NO_USER_EVENTS);
    assert_int_equal(result.error, ENOENT);
    assert_string_equal(result.folder, folder);
}

static void a_file_that_speaks_no_such_interface_is_told_apart(void **state)
{
    struct cairn_kernel_probe result;

    (void)state;
    make_data(0600);
    assert_int_equal(probe_folder(&result), CAIRN_KERNEL_OTHER_INTERFACE);
    assert_int_equal(result.error, ENOTTY);
    assert_string_equal(result.folder, folder);
}

/* Probes as somebody whom modes concern. */
static enum cairn_kernel_reason probe_without_privileges(struct cairn_kernel_probe *ret_probe)
{
    bool is_root = geteuid() == 0;
    enum cairn_kernel_reason reason;

    if (is_root)
        assert_int_equal(seteuid(65534), 0);
    reason = probe_folder(ret_probe);
    if (is_root)
        assert_int_equal(seteuid(0), 0);
    return reason;
}

static void a_closed_file_is_told_from_a_closed_folder(void **state)
{
    struct cairn_kernel_probe result;

    (void)state;
    make_data(0444);
    chmod(folder, 0755);
    assert_int_equal(probe_without_privileges(&result), CAIRN_KERNEL_NOT_WRITABLE);
    assert_int_equal(result.error, EACCES);
    chmod(folder, 0644);
    assert_int_equal(probe_without_privileges(&result), CAIRN_KERNEL_NO_ACCESS);
    assert_int_equal(result.error, EACCES);
    assert_string_equal(result.folder, folder);
}

static void register_returns_what_the_probe_foresees(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct cairn_kernel_probe result;

    (void)state;
    assert_int_equal(cairn_kernel_probe(&result), 0);
    assert_int_equal(result.reason == CAIRN_KERNEL_USABLE, result.error == 0);
    if (result.reason == CAIRN_KERNEL_USABLE)
        skip(); /* nothing to be refused; tests/kernel/ registers */
    assert_int_equal(cairn_kernel_register(&tp, "cairn_unit_test u32 a", 0), result.error);
    assert_int_equal(tp.kernel_index, -1);
    assert_ptr_equal(tp.enabled, cairn_i_never_enabled);
}

static void what_is_not_registered_cannot_be_unregistered_nor_written(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)state;
    errno = EDOM;
    assert_int_equal(cairn_kernel_unregister(&tp), ENOENT);
    assert_int_equal(cairn_kernel_write(&tp, NULL, 0), EBADF);
    assert_int_equal(errno, EDOM);
}

static void more_than_perf_takes_is_too_big(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    char bytes[CAIRN_KERNEL_PAYLOAD_MAX_BYTES];
    struct iovec parts[] = {
        {bytes, sizeof(bytes)}, {bytes, 0}, {bytes, 1}, {bytes, SIZE_MAX}, {bytes, SIZE_MAX}};

    (void)state;
    assert_int_equal(cairn_kernel_write(&tp, parts, 2), EBADF);
    assert_int_equal(cairn_kernel_write(&tp, parts, 3), E2BIG);
    assert_int_equal(cairn_kernel_write(&tp, parts + 2, 2), E2BIG);
    assert_int_equal(cairn_kernel_write(&tp, parts + 3, 2), E2BIG);
}

static void a_number_of_parts_out_of_range_is_invalid(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct iovec parts[CAIRN_KERNEL_PARTS_MAX + 1] = {{0}};

    (void)state;
    assert_int_equal(cairn_kernel_write(&tp, parts, CAIRN_KERNEL_PARTS_MAX), EBADF);
    assert_int_equal(cairn_kernel_write(&tp, parts, CAIRN_KERNEL_PARTS_MAX + 1), EINVAL);
    assert_int_equal(cairn_kernel_write(&tp, parts, -1), EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_tracefs_there_is_no_device),
        cmocka_unit_test(a_tracefs_without_the_file_is_a_kernel_without_user_events),
        cmocka_unit_test_teardown(a_file_that_speaks_no_such_interface_is_told_apart, remove_data),
        cmocka_unit_test_teardown(a_closed_file_is_told_from_a_closed_folder, remove_data),
        cmocka_unit_test(register_returns_what_the_probe_foresees),
        cmocka_unit_test(what_is_not_registered_cannot_be_unregistered_nor_written),
        cmocka_unit_test(more_than_perf_takes_is_too_big),
        cmocka_unit_test(a_number_of_parts_out_of_range_is_invalid),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
