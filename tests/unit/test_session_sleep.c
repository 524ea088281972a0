/* SPDX-License-Identifier: MIT */
/* Test of a recorder that sleeps while programs write nothing. */
#include "session/sleep.h"
#include "session_test.h"

#include <cairn/user_events.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define IDLE_NS 20000000

static struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

static int write_number(uint32_t number)
{
    return cairn_tracepoint_write_bytes(&tp, &number, sizeof(number));
}

static int begin_to_wait(struct recording *r)
{
    int fd = -1;

    assert_int_equal(cairn_session_wait_fd(r->session, &fd), 0);
    session_sleep_set_idle(r->session, IDLE_NS);
    return fd;
}

/* Polls as a program does, at most so often. Returns true if the recorder sleeps. */
static bool polls_until_it_sleeps(struct recording *r, int fd, uint32_t polls)
{
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    uint32_t wait_ms = 0;

    for (uint32_t n = 0; n < polls && wait_ms < 1000; n++) {
        assert_int_equal(cairn_session_poll(r->session, &wait_ms), 0);
        if (wait_ms < 1000)
            (void)poll(&waiting, 1, (int)wait_ms);
    }
    return wait_ms == 1000;
}

static void wait_for_the_bell(int fd)
{
    struct pollfd waiting = {.fd = fd, .events = POLLIN};

    assert_int_equal(poll(&waiting, 1, 20000), 1);
}

static void an_event_ends_the_sleep_at_the_next_look(void **state)
{
    struct recording r = begin_recording("sleep_*", 0);
    uint32_t wait_ms;
    int fd = begin_to_wait(&r);

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&tp, "sleep_one u32 number"), 0);
    for (uint32_t round = 0; round < 2; round++) {
        assert_int_equal(write_number(1), 0);
        assert_int_equal(write_number(2), 0);
        assert_true(polls_until_it_sleeps(&r, fd, 100000));
        errno = 7;
        assert_int_equal(write_number(3), 0);
        assert_int_equal(errno, 7);
        assert_int_equal(cairn_session_poll(r.session, &wait_ms), 0);
        assert_true(wait_ms < 100);
        assert_int_equal(cairn_session_counts(r.session)->events, 3 * (round + 1));
    }
    /* A recorder that sleeps can be ended. */
    assert_true(polls_until_it_sleeps(&r, fd, 100000));
    assert_int_equal(write_number(4), 0);
    end_recording(&r, NULL, NULL);
    assert_int_equal(r.counts.events, 7);
    assert_int_equal(r.counts.lost, 0);
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
}

static void a_program_that_begins_wakes_a_recorder_that_sleeps(void **state)
{
    struct recording r = begin_recording("sleep_*", 0);
    int fd = begin_to_wait(&r);
    uint32_t wait_ms = 1000;
    int status;
    pid_t child;

    (void)state;
    assert_true(polls_until_it_sleeps(&r, fd, 100000));
    child = fork();
    if (!child) {
        bool is_right = !cairn_tracepoint_register(&tp, "sleep_one u32 number") &&
                        !write_number(1) && !write_number(2);

        _exit(is_right ? 0 : 1);
    }
    wait_for_the_bell(fd);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(cairn_session_poll(r.session, &wait_ms), 0);
    assert_true(wait_ms < 100);
    end_recording(&r, NULL, NULL);
    assert_int_equal(r.counts.events, 2);
}

/* Registers, writes an event, waits until the recorder sleeps, and continues. */
static pid_t start(uint32_t *stage, void (*continue_with)(void))
{
    pid_t child = fork();

    if (!child) {
        (void)cairn_tracepoint_register(&tp, "sleep_one u32 number");
        (void)write_number(0);
        set_word(stage, 1);
        wait_until(stage, 2);
        continue_with();
        _exit(1);
    }
    wait_until(stage, 1);
    return child;
}

/* Their run-time libraries make system calls of their own, now and then. */
#define WITHOUT_SANITIZERS __attribute__((no_sanitize("address", "thread", "undefined")))

WITHOUT_SANITIZERS static void write_in_a_sandbox(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};
    uint32_t refused = 0;

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        syscall(SYS_exit_group, 77);
    for (uint32_t n = 1; n <= 100; n++)
        refused += write_number(n) != 0;
    syscall(SYS_exit_group, refused);
}

static void a_program_that_may_only_write_is_not_killed_for_its_events(void **state)
{
    struct recording r = begin_recording("sleep_*", 0);
    int fd = begin_to_wait(&r);
    uint32_t *stage = shared_memory(sizeof(*stage));
    pid_t child = start(stage, write_in_a_sandbox);
    int status;

    (void)state;
    assert_true(polls_until_it_sleeps(&r, fd, 100000));
    set_word(stage, 2);
    assert_int_equal(waitpid(child, &status, 0), child);
    end_recording(&r, NULL, NULL);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
    assert_int_equal(r.counts.events, 101);
    assert_int_equal(r.counts.lost, 0);
}

static void write_without_end(void)
{
    for (uint32_t n = 0;; n++)
        (void)write_number(n);
}

static void a_program_that_writes_many_events_wakes_a_recorder(void **state)
{
    struct recording r = begin_recording("sleep_*", 0);
    int fd = begin_to_wait(&r);
    uint32_t *stage = shared_memory(sizeof(*stage));
    pid_t child = start(stage, write_without_end);
    uint32_t wait_ms = 1000;

    (void)state;
    assert_true(polls_until_it_sleeps(&r, fd, 100000));
    set_word(stage, 2);
    wait_for_the_bell(fd);
    assert_int_equal(cairn_session_poll(r.session, &wait_ms), 0);
    (void)kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(wait_ms < 100);
    end_recording(&r, NULL, NULL);
    assert_true(r.counts.events > 1);
}

static void work_without_events(void)
{
    for (;;)
        __asm__ volatile("" ::: "memory");
}

static void a_program_that_works_without_events_does_not_end_the_sleep(void **state)
{
    struct recording r = begin_recording("sleep_*", 0);
    struct pollfd waiting = {.fd = begin_to_wait(&r), .events = POLLIN};
    uint32_t *stage = shared_memory(sizeof(*stage));
    pid_t child = start(stage, work_without_events);

    (void)state;
    assert_true(polls_until_it_sleeps(&r, waiting.fd, 100000));
    set_word(stage, 2);
    assert_int_equal(poll(&waiting, 1, 100), 0);
    (void)kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    end_recording(&r, NULL, NULL);
}

static int set_up(void **state)
{
    (void)state;
    return tracing_dir_make();
}

static int tear_down(void **state)
{
    (void)state;
    tracing_dir_remove();
    return 0;
}

/* A user may cut the files of the directory at any time. */
static void a_registry_that_is_cut_ends_the_sleep_and_the_session(void **state)
{
    struct recording r = begin_recording("sleep_*", 0);
    int fd = begin_to_wait(&r);
    uint32_t wait_ms;
    char path[400];
    int error = 0;

    (void)state;
    (void)snprintf(path, sizeof(path), "%s/registry", tracing_dir);
    assert_true(polls_until_it_sleeps(&r, fd, 100000));
    assert_int_equal(truncate(path, 0), 0);
    for (int n = 0; n < 3 && !error; n++)
        error = cairn_session_poll(r.session, &wait_ms);
    assert_int_equal(error, EBADMSG);
    cairn_session_destroy(r.session);
    close(r.fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_that_begins_wakes_a_recorder_that_sleeps),
        cmocka_unit_test(a_program_that_may_only_write_is_not_killed_for_its_events),
        cmocka_unit_test(a_program_that_works_without_events_does_not_end_the_sleep),
        cmocka_unit_test(a_program_that_writes_many_events_wakes_a_recorder),
        cmocka_unit_test(an_event_ends_the_sleep_at_the_next_look),
        cmocka_unit_test(a_registry_that_is_cut_ends_the_sleep_and_the_session),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
