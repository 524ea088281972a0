/* SPDX-License-Identifier: MIT */
/* Test of a recorder that sleeps while programs write nothing. */
#include "os/inspect.h"
#include "session/sleep.h"
#include "session_test.h"

#include <cairn/user_events.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>

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

static void the_first_event_wakes_a_recorder_that_sleeps(void **state)
{
    struct recording r = begin_recording("sleep_*", 0);
    struct pollfd waiting = {.events = POLLIN};

    (void)state;
    if (os_process_is_confined((uint32_t)getpid()))
        skip();
    waiting.fd = begin_to_wait(&r);
    assert_int_equal(cairn_tracepoint_register(&tp, "sleep_one u32 number"), 0);
    for (uint32_t round = 0; round < 2; round++) {
        assert_int_equal(write_number(1), 0);
        assert_int_equal(write_number(2), 0);
        assert_true(polls_until_it_sleeps(&r, waiting.fd, 100000));
        assert_int_equal(poll(&waiting, 1, 0), 0);
        errno = 7;
        assert_int_equal(write_number(3), 0);
        assert_int_equal(errno, 7);
        wait_for_the_bell(waiting.fd);
        poll_recording(&r);
        assert_int_equal(cairn_session_counts(r.session)->events, 3 * (round + 1));
    }
    /* A recorder that sleeps can be ended. */
    assert_true(polls_until_it_sleeps(&r, waiting.fd, 100000));
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

/* Its sandbox might kill it for waking the recorder. */
static void beside_a_confined_program_a_recorder_does_not_sleep(void **state)
{
    struct recording r = begin_recording("sleep_*", 0);
    int fd = begin_to_wait(&r);
    uint32_t *written = shared_memory(sizeof(*written));
    pid_t child = fork();

    (void)state;
    if (!child) {
        (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        (void)cairn_tracepoint_register(&tp, "sleep_one u32 number");
        (void)write_number(1);
        set_word(written, 1);
        pause();
        _exit(0);
    }
    wait_until(written, 1);
    assert_false(polls_until_it_sleeps(&r, fd, 40));
    (void)kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    end_recording(&r, NULL, NULL);
    assert_int_equal(r.counts.events, 1);
}

static void a_program_that_confines_itself_ends_the_sleep(void **state)
{
    struct recording r = begin_recording("sleep_*", 0);
    int fd = begin_to_wait(&r);
    uint32_t *stage = shared_memory(sizeof(*stage));
    uint32_t wait_ms = 1000;
    pid_t child;

    (void)state;
    if (os_process_is_confined((uint32_t)getpid()))
        skip();
    child = fork();
    if (!child) {
        (void)cairn_tracepoint_register(&tp, "sleep_one u32 number");
        (void)write_number(1);
        set_word(stage, 1);
        wait_until(stage, 2);
        (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        set_word(stage, 3);
        pause();
        _exit(0);
    }
    wait_until(stage, 1);
    assert_true(polls_until_it_sleeps(&r, fd, 100000));
    set_word(stage, 2);
    wait_until(stage, 3);
    assert_int_equal(cairn_session_poll(r.session, &wait_ms), 0);
    (void)kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(wait_ms < 100);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_that_begins_wakes_a_recorder_that_sleeps),
        cmocka_unit_test(a_program_that_confines_itself_ends_the_sleep),
        cmocka_unit_test(beside_a_confined_program_a_recorder_does_not_sleep),
        cmocka_unit_test(the_first_event_wakes_a_recorder_that_sleeps),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
