/* SPDX-License-Identifier: MIT */
/* A process that registers events while another holds the tracing directory's lock: the next that
 * has the lock registers them. */
#include "engine/engine.h"
#include "session/internal.h"
#include "tracing_dir.h"

#include <cairn/session.h>
#include <cairn/user_events.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cmocka.h>

static int write_number(struct cairn_tracepoint *tp)
{
    uint32_t number = 1;
    struct iovec part = {&number, sizeof(number)};

    return cairn_tracepoint_write(tp, &part, 1);
}

static struct cairn_session *begin_session(int fd)
{
    const char *pattern = "busy_*";
    struct cairn_session_options options = {
        .size = sizeof(options), .patterns = &pattern, .pattern_count = 1, .fd = fd};
    struct cairn_session *session;

    assert_int_equal(cairn_session_create(&options, &session), 0);
    return session;
}

static int hold_lock(void)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char path[96];
    int fd;

    (void)snprintf(path, sizeof(path), "%s/lock", tracing_dir);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
    return fd;
}

static void wait_for_registration(struct cairn_session *session, struct cairn_tracepoint *tp)
{
    uint32_t wait_ms;

    for (int i = 0; i < 10000 && !cairn_tracepoint_is_enabled(tp); i++) {
        assert_int_equal(cairn_session_poll(session, &wait_ms), 0);
        (void)usleep(1000);
    }
    assert_true(cairn_tracepoint_is_enabled(tp));
}

static void a_recorder_registers_what_a_program_left_while_the_lock_was_held(void **state)
{
    static struct cairn_tracepoint first = CAIRN_TRACEPOINT_INIT;
    static struct cairn_tracepoint second = CAIRN_TRACEPOINT_INIT;
    static struct cairn_tracepoint gone = CAIRN_TRACEPOINT_INIT;
    static struct cairn_tracepoint named = CAIRN_TRACEPOINT_INIT;
    static struct cairn_tracepoint flagged = CAIRN_TRACEPOINT_INIT;
    const struct cairn_tracepoint_options local = {.size = sizeof(local),
                                                   .backends = CAIRN_BACKEND_LOCAL};
    const struct cairn_tracepoint_options flags = {.size = sizeof(flags),
                                                   .flags = CAIRN_USER_EVENT_MULTI_FORMAT};
    int fd = open("/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    struct cairn_session_counts counts;
    struct cairn_session *session;
    uint32_t wait_ms;
    int lock;

    (void)state;
    session = begin_session(fd);
    lock = hold_lock();
    assert_int_equal(cairn_tracepoint_register(&first, "busy_first u32 number"), 0);
    assert_int_equal(cairn_tracepoint_register(&second, "busy_second u32 number"), 0);
    assert_int_equal(cairn_tracepoint_register(&gone, "busy_gone u32 number"), 0);
    assert_int_equal(cairn_tracepoint_unregister(&gone), 0);
    assert_int_equal(cairn_tracepoint_register_with(&named, "busy_named u32 number", &local), 0);
    assert_int_equal(cairn_tracepoint_register_with(&flagged, "busy_flag u32 number", &flags), 0);
    assert_int_equal(write_number(&first), EBADF);
    close(lock);
    wait_for_registration(session, &first);
    assert_int_equal(cairn_session_poll(session, &wait_ms), 0);
    assert_int_equal(write_number(&first), 0);
    assert_int_equal(write_number(&first), 0);
    assert_int_equal(write_number(&second), 0);
    assert_int_equal(write_number(&named), 0);
    assert_int_equal(write_number(&flagged), 0);
    assert_int_equal(write_number(&gone), EBADF);

    /* This recorder lacks what was written before: it reports the process. */
    assert_int_equal(cairn_session_finish(session), 0);
    counts = *cairn_session_counts(session);
    assert_int_equal(counts.events, 5);
    assert_int_equal(counts.tracepoints, 4);
    assert_int_equal(counts.lost, 0);
    assert_int_equal(counts.unregistered, 1);
    assert_int_equal(counts.unregistered_error, EBUSY);
    cairn_session_destroy(session);
    assert_false(cairn_tracepoint_is_enabled(&first));

    /* A recorder that comes later lacks nothing. */
    assert_int_equal(ftruncate(fd, 0), 0);
    session = begin_session(fd);
    assert_int_equal(write_number(&first), 0);
    assert_int_equal(cairn_session_finish(session), 0);
    assert_int_equal(cairn_session_counts(session)->events, 1);
    assert_int_equal(cairn_session_counts(session)->unregistered, 0);
    cairn_session_destroy(session);
    assert_int_equal(cairn_tracepoint_unregister(&first), 0);
    assert_int_equal(cairn_tracepoint_unregister(&second), 0);
    assert_int_equal(cairn_tracepoint_unregister(&named), 0);
    assert_int_equal(cairn_tracepoint_unregister(&flagged), 0);
    close(fd);
}

static void the_next_registration_takes_those_before_it_along(void **state)
{
    static struct cairn_tracepoint first = CAIRN_TRACEPOINT_INIT;
    static struct cairn_tracepoint other = CAIRN_TRACEPOINT_INIT;
    static struct cairn_tracepoint second = CAIRN_TRACEPOINT_INIT;
    int fd = open("/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    struct cairn_session *session = begin_session(fd);
    int lock = hold_lock();
    uint32_t wait_ms;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&first, "busy_first u32 number"), 0);
    /* Other fields under the same name: only the process that registers it finds out. */
    assert_int_equal(cairn_tracepoint_register(&other, "busy_first u64 number"), 0);
    close(lock);
    assert_int_equal(cairn_tracepoint_register(&second, "busy_second u32 number"), 0);
    /* Programs disable the events of a recorder that was silent for long. */
    assert_int_equal(cairn_session_poll(session, &wait_ms), 0);
    assert_int_equal(write_number(&first), 0);
    assert_int_equal(write_number(&second), 0);
    assert_int_equal(write_number(&other), EBADF);
    assert_int_equal(cairn_session_finish(session), 0);
    assert_int_equal(cairn_session_counts(session)->events, 2);
    assert_int_equal(cairn_session_counts(session)->unregistered, 2);
    assert_int_equal(cairn_session_counts(session)->unregistered_error, EADDRINUSE);
    cairn_session_destroy(session);
    assert_int_equal(cairn_tracepoint_unregister(&first), 0);
    assert_int_equal(cairn_tracepoint_unregister(&other), 0);
    assert_int_equal(cairn_tracepoint_unregister(&second), 0);
    close(fd);
}

/* ---- a program that starts while the lock is held, and never registers anything later ---- */

#define EVENTS 300

static struct cairn_tracepoint of_program[EVENTS];
static char commands[EVENTS][32];

static void register_all(void)
{
    const struct cairn_tracepoint none = CAIRN_TRACEPOINT_INIT;

    for (int i = 0; i < EVENTS; i++) {
        of_program[i] = none;
        (void)snprintf(commands[i], sizeof(commands[i]), "busy_%d u32 number", i);
        assert_int_equal(cairn_tracepoint_register(&of_program[i], commands[i]), 0);
    }
}

/* From here on any system call other than write and exit_group kills the process. ThreadSanitizer
 * makes others by itself: then there is no sandbox. */
static void enter_sandbox(void)
{
#ifndef __SANITIZE_THREAD__
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    const struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        _exit(77);
#endif
}

/* It is enabled when a recorder wants it, and not when it is registered. */
static void write_all(void)
{
    for (int i = 0; i < EVENTS; i++) {
        while (!cairn_tracepoint_is_enabled(&of_program[i]))
            ;
        if (write_number(&of_program[i]) || write_number(&of_program[i]))
            _exit(2);
    }
}

/* A child of a child, which has registered nothing itself, does the same. */
static int be_program(int is_ready)
{
    int status = 0;
    pid_t child;

    register_all();
    child = fork();
    if (write(is_ready, "r", 1) != 1)
        return 3;
    if (child == 0)
        enter_sandbox();
    write_all();
    if (child == 0) /* AddressSanitizer makes system calls before it calls a function like _exit */
        (void)syscall(SYS_exit_group, 0);
    return waitpid(child, &status, 0) == child && !status ? 0 : 4;
}

static void collect(struct cairn_session *session, pid_t program)
{
    uint32_t wait_ms;
    int status = 0;
    pid_t ended = 0;

    for (int i = 0; i < 20000 && !ended; i++) {
        assert_int_equal(cairn_session_poll(session, &wait_ms), 0);
        (void)usleep(1000);
        ended = waitpid(program, &status, WNOHANG);
    }
    if (!ended)
        (void)kill(program, SIGKILL);
    assert_int_equal(ended, program);
    assert_int_equal(status, 0);
    assert_int_equal(cairn_session_finish(session), 0);
}

static void start_while_locked(bool is_new)
{
    int fd = open("/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    struct cairn_session *session;
    int ready[2];
    pid_t program;
    char byte;
    int lock;

    tracing_dir_remove();
    assert_int_equal(tracing_dir_make(), 0);
    if (!is_new) {
        session = begin_session(fd);
        assert_int_equal(cairn_session_finish(session), 0);
        cairn_session_destroy(session);
    }
    lock = hold_lock();
    assert_int_equal(pipe(ready), 0);
    program = fork();
    assert_true(program >= 0);
    if (program == 0) {
        close(lock);
        _exit(be_program(ready[1]));
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(lock);
    session = begin_session(fd);
    collect(session, program);
    assert_int_equal(cairn_session_counts(session)->events, 4 * EVENTS);
    assert_int_equal(cairn_session_counts(session)->lost, 0);
    assert_int_equal(cairn_session_counts(session)->unregistered, 0);
    assert_int_equal(cairn_session_counts(session)->unrecorded, 0);
    cairn_session_destroy(session);
    close(ready[0]);
    close(ready[1]);
    close(fd);
}

static void a_program_that_started_while_the_lock_was_held_loses_nothing(void **state)
{
    (void)state;
    start_while_locked(false);
}

static void it_may_be_the_first_to_use_the_directory(void **state)
{
    (void)state;
    start_while_locked(true);
}

static int make_directory(void **state)
{
    (void)state;
    return tracing_dir_make();
}

static int remove_directory(void **state)
{
    (void)state;
    tracing_dir_remove();
    return 0;
}

int main(void)
{
    /* This process attaches to a directory once: the programs come first, which are children. */
    const struct CMUnitTest programs[] = {
        cmocka_unit_test(a_program_that_started_while_the_lock_was_held_loses_nothing),
        cmocka_unit_test(it_may_be_the_first_to_use_the_directory),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recorder_registers_what_a_program_left_while_the_lock_was_held),
        cmocka_unit_test(the_next_registration_takes_those_before_it_along),
    };
    int failed = cmocka_run_group_tests(programs, make_directory, remove_directory);

    return failed + cmocka_run_group_tests(tests, make_directory, remove_directory);
}
