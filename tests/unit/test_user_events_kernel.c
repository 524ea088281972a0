/* SPDX-License-Identifier: MIT */
/* Test of the parts of the kernel backend that work on any kernel; tests/kernel/ has the others. */
#include "user_events/kernel.h"
#include "engine/kernel_abi.h"

#include <cairn/user_events.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A directory that the mounts text lists as a tracefs. */
static char directory[] = "/tmp/cairn-test-XXXXXX";
static char data_path[sizeof(directory) + 32];

static int make_directory(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(data_path, sizeof(data_path), "%s/user_events_data", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    return rmdir(directory);
}

static int remove_data(void **state)
{
    (void)state;
    chmod(directory, 0700);
    return unlink(data_path);
}

static void make_data(mode_t mode)
{
    int fd = open(data_path, O_CREAT | O_WRONLY | O_CLOEXEC, mode);

    assert_true(fd >= 0);
    close(fd);
}

static enum user_events_kernel_reason probe(const char *text,
                                            struct user_events_kernel_probe *ret_probe)
{
    FILE *mounts = fmemopen((char *)(uintptr_t)text, strlen(text), "r");

    assert_non_null(mounts);
    user_events_kernel_probe_mounts(mounts, ret_probe);
    fclose(mounts);
    return ret_probe->reason;
}

static enum user_events_kernel_reason probe_directory(struct user_events_kernel_probe *ret_probe)
{
    char text[256];

    snprintf(text, sizeof(text), "a /nowhere tracefs rw 0 0\ntracefs %s tracefs rw 0 0\n",
             directory);
    return probe(text, ret_probe);
}

static void without_a_tracefs_there_is_no_device(void **state)
{
    struct user_events_kernel_probe result;
    enum user_events_kernel_reason reason = probe("proc /proc proc rw 0 0\n", &result);

    (void)state;
    assert_true(reason == USER_EVENTS_KERNEL_NOT_MOUNTED ||
                reason == USER_EVENTS_KERNEL_NO_TRACEFS);
    assert_int_equal(result.error, ENODEV);
    assert_string_equal(result.directory, "");
}

static void a_tracefs_without_the_file_is_a_kernel_without_user_events(void **state)
{
    struct user_events_kernel_probe result;

    (void)state;
    assert_int_equal(probe_directory(&result), USER_EVENTS_KERNEL_NO_USER_EVENTS);
    assert_int_equal(result.error, ENOENT);
    assert_string_equal(result.directory, directory);
}

static void a_file_without_the_interface_has_a_reason_of_its_own(void **state)
{
    struct user_events_kernel_probe result;

    (void)state;
    make_data(0600);
    assert_int_equal(probe_directory(&result), USER_EVENTS_KERNEL_OTHER_INTERFACE);
    assert_int_equal(result.error, ENOTTY);
    assert_string_equal(result.directory, directory);
}

/* Probes as a user without privileges, to whom file modes apply. */
static enum user_events_kernel_reason
probe_without_privileges(struct user_events_kernel_probe *ret_probe)
{
    bool is_root = geteuid() == 0;
    enum user_events_kernel_reason reason;

    if (is_root)
        assert_int_equal(seteuid(65534), 0);
    reason = probe_directory(ret_probe);
    if (is_root)
        assert_int_equal(seteuid(0), 0);
    return reason;
}

static void a_closed_file_is_distinguished_from_a_closed_directory(void **state)
{
    struct user_events_kernel_probe result;

    (void)state;
    make_data(0444);
    chmod(directory, 0755);
    assert_int_equal(probe_without_privileges(&result), USER_EVENTS_KERNEL_NOT_WRITABLE);
    assert_int_equal(result.error, EACCES);
    chmod(directory, 0644);
    assert_int_equal(probe_without_privileges(&result), USER_EVENTS_KERNEL_NO_ACCESS);
    assert_int_equal(result.error, EACCES);
    assert_string_equal(result.directory, directory);
}

static void register_returns_the_error_of_the_probe(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct user_events_kernel_probe result;

    (void)state;
    assert_int_equal(user_events_kernel_probe(&result), 0);
    assert_int_equal(result.reason == USER_EVENTS_KERNEL_USABLE, result.error == 0);
    if (result.reason == USER_EVENTS_KERNEL_USABLE)
        skip(); /* the kernel accepts events; tests/kernel/ registers */
    assert_int_equal(user_events_kernel_register(&tp, "cairn_unit_test u32 a", 0), result.error);
    assert_int_equal(tp.kernel_index, -1);
    assert_ptr_equal(tp.enabled, cairn_i_never_enabled);
}

static void unregistered_tracepoints_cannot_be_unregistered_or_written(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    uint8_t record[USER_EVENTS_KERNEL_HEAD_BYTES];

    (void)state;
    errno = EDOM;
    assert_int_equal(user_events_kernel_unregister(&tp), ENOENT);
    assert_int_equal(user_events_kernel_write(&tp, record, 0), EBADF);
    assert_int_equal(errno, EDOM);
}

static void a_payload_larger_than_perfs_limit_is_E2BIG(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    static uint8_t record[USER_EVENTS_KERNEL_HEAD_BYTES + ENGINE_KERNEL_PAYLOAD_MAX_BYTES];

    (void)state;
    assert_int_equal(user_events_kernel_write(&tp, record, ENGINE_KERNEL_PAYLOAD_MAX_BYTES), EBADF);
    assert_int_equal(user_events_kernel_write(&tp, record, ENGINE_KERNEL_PAYLOAD_MAX_BYTES + 1),
                     E2BIG);
    assert_int_equal(user_events_kernel_write(&tp, record, SIZE_MAX), E2BIG);
}

/* ---- a pipe in place of the kernel ---- */

#define FAKE_INDEX 5

/* The symbol that fopen has with 64-bit file offsets. */
FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);
int __real_ioctl(int fd, unsigned long request, void *arg);
int __wrap_ioctl(int fd, unsigned long request, void *arg);

static bool is_fake;

FILE *__wrap_fopen64(const char *path, const char *mode)
{
    static char text[128];

    if (!is_fake || strcmp(path, "/proc/self/mounts") != 0)
        return __real_fopen64(path, mode);
    (void)snprintf(text, sizeof(text), "tracefs %s tracefs rw 0 0\n", directory);
    return fmemopen(text, strlen(text), "r");
}

int __wrap_ioctl(int fd, unsigned long request, void *arg)
{
    if (!is_fake)
        return __real_ioctl(fd, request, arg);
    if (request == ENGINE_USER_EVENTS_REG)
        ((struct engine_user_reg *)arg)->write_index = FAKE_INDEX;
    return 0;
}

/* Registers a tracepoint as one that the kernel has enabled. Its file is the pipe's end at
 * *ret_fd. */
static void register_fake(struct cairn_tracepoint *tp, int *ret_fd)
{
    const struct cairn_tracepoint_options options = {.size = sizeof(options),
                                                     .backends = CAIRN_BACKEND_KERNEL};
    uintptr_t enabled;

    is_fake = true;
    (void)usleep(20000); /* a failed search is remembered for a hundredth of a second */
    assert_int_equal(mkfifo(data_path, 0600), 0);
    *ret_fd = open(data_path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    assert_true(*ret_fd >= 0);
    assert_int_equal(cairn_tracepoint_register_with(tp, "fake u32 a", &options), 0);
    enabled = (uintptr_t)tp->enabled | (uintptr_t)1 << USER_EVENTS_KERNEL_BIT;
    tp->enabled = (const unsigned char *)enabled;
    assert_true(cairn_tracepoint_is_enabled(tp));
}

/* The pipe's other descriptor number: that of the file which a registration opened. */
static int number_of_file(int pipe_fd)
{
    struct stat pipe_stat;
    struct stat st;
    int number = -1;

    assert_int_equal(fstat(pipe_fd, &pipe_stat), 0);
    for (int fd = 0; fd < 1024; fd++) {
        if (fd != pipe_fd && !fstat(fd, &st) && st.st_dev == pipe_stat.st_dev &&
            st.st_ino == pipe_stat.st_ino)
            number = fd;
    }
    return number;
}

/* Makes the next registration open the file again. */
static void unregister_fake(struct cairn_tracepoint *tp, int pipe_fd)
{
    assert_int_equal(cairn_tracepoint_unregister(tp), 0);
    close(number_of_file(pipe_fd));
    close(pipe_fd);
}

static int end_fake(void **state)
{
    is_fake = false;
    return remove_data(state);
}

/* Permits `write` only; a write of no bytes fails as in the kernel. */
static void permit_write_alone(void)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EFAULT),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {sizeof(program) / sizeof(*program), program};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        _exit(77);
}

static void check_record(int fd, size_t payload_bytes, uint8_t value)
{
    uint8_t record[USER_EVENTS_KERNEL_HEAD_BYTES + ENGINE_KERNEL_PAYLOAD_MAX_BYTES];
    int32_t index;

    assert_int_equal(read(fd, record, USER_EVENTS_KERNEL_HEAD_BYTES + payload_bytes),
                     USER_EVENTS_KERNEL_HEAD_BYTES + payload_bytes);
    memcpy(&index, record, sizeof(index));
    assert_int_equal(index, FAKE_INDEX);
    for (size_t i = 0; i < payload_bytes; i++)
        assert_int_equal(record[USER_EVENTS_KERNEL_HEAD_BYTES + i], value);
}

/* A small event, in parts, and one of the largest size. */
static void a_sandbox_that_permits_write_alone_permits_events(void **state)
{
    static uint8_t bytes[ENGINE_KERNEL_PAYLOAD_MAX_BYTES];
    const struct iovec parts[] = {{bytes, 1}, {bytes, 0}, {bytes, 6}};
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    int status;
    int error;
    pid_t pid;
    int fd;

    (void)state;
    memset(bytes, 7, sizeof(bytes));
    register_fake(&tp, &fd);
    pid = fork();
    if (pid == 0) {
        permit_write_alone();
        error = cairn_tracepoint_write(&tp, parts, 3);
        if (!error)
            error = cairn_tracepoint_write_bytes(&tp, bytes, sizeof(bytes));
        syscall(SYS_exit_group, error);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
    check_record(fd, 7, 7);
    check_record(fd, sizeof(bytes), 7);
    unregister_fake(&tp, fd);
}

static void a_reused_descriptor_number_is_not_written_to(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    uint32_t value = 1;
    char byte[8];
    int pair[2];
    int ours;
    int fd;

    (void)state;
    register_fake(&tp, &fd);
    ours = number_of_file(fd);
    assert_true(ours >= 200); /* above the numbers that the program uses */
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair), 0);
    assert_int_equal(dup2(pair[0], ours), ours);
    errno = EDOM;
    for (int i = 0; i < 3; i++)
        assert_int_equal(cairn_tracepoint_write_bytes(&tp, &value, sizeof(value)), EBADF);
    assert_int_equal(errno, EDOM);
    assert_int_equal(recv(pair[1], byte, sizeof(byte), 0), 0); /* the write of no bytes by which the
                                                                * engine checks its file, once */
    assert_int_equal(recv(pair[1], byte, sizeof(byte), 0), -1);
    assert_int_equal(read(fd, byte, sizeof(byte)), -1);

    close(ours);
    close(pair[0]);
    close(pair[1]);
    unregister_fake(&tp, fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_tracefs_there_is_no_device),
        cmocka_unit_test(a_tracefs_without_the_file_is_a_kernel_without_user_events),
        cmocka_unit_test_teardown(a_file_without_the_interface_has_a_reason_of_its_own,
                                  remove_data),
        cmocka_unit_test_teardown(a_closed_file_is_distinguished_from_a_closed_directory,
                                  remove_data),
        cmocka_unit_test(register_returns_the_error_of_the_probe),
        cmocka_unit_test(unregistered_tracepoints_cannot_be_unregistered_or_written),
        cmocka_unit_test(a_payload_larger_than_perfs_limit_is_E2BIG),
        cmocka_unit_test_teardown(a_sandbox_that_permits_write_alone_permits_events, end_fake),
        cmocka_unit_test_teardown(a_reused_descriptor_number_is_not_written_to, end_fake),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
