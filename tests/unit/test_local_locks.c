/* SPDX-License-Identifier: MIT */
/* The library's locks: their order, fork, cancellation (src/engine/locks.h). */
#include "engine/locks.h"

#include <cairn/tracing.h>
#include <cairn/user_events.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracing_dir.h"

#define SECONDS_FOR_ALL 100 /* a child that hangs */

static void sleep_ms(long ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000};

    (void)nanosleep(&time, NULL);
}

static bool load(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void store(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

static void wait_for(const bool *flag)
{
    while (!load(flag))
        sleep_ms(1);
}

/* The child ends with 0, and soon. */
static void expect_good_end(pid_t child)
{
    int status = -1;

    assert_int_not_equal(child, -1);
    for (int ms = 0; waitpid(child, &status, WNOHANG) == 0; ms++) {
        if (ms == SECONDS_FOR_ALL * 1000)
            (void)kill(child, SIGKILL);
        sleep_ms(1);
    }
    assert_int_equal(status, 0);
}

/* ---- order ---- */

static void locks_are_taken_in_their_order(void **state)
{
    (void)state;
    for (int lock = 0; lock < CAIRN_LOCKS_OF_FORK; lock++)
        cairn_lock((enum cairn_lock)lock);
    for (int lock = 0; lock < CAIRN_LOCKS_OF_FORK; lock++)
        assert_true(cairn_lock_is_mine((enum cairn_lock)lock));
    for (int lock = CAIRN_LOCKS_OF_FORK; lock--;)
        cairn_unlock((enum cairn_lock)lock);
    for (int lock = CAIRN_LOCKS_OF_FORK; lock < CAIRN_LOCKS; lock++) {
        cairn_lock((enum cairn_lock)lock);
        cairn_unlock((enum cairn_lock)lock);
    }
    assert_int_equal(cairn_i_lock_faults, 0);
}

#ifndef CAIRN_CHECK_LOCKS
static void take_both(enum cairn_lock first, enum cairn_lock second)
{
    cairn_lock(first);
    cairn_lock(second);
    cairn_unlock(second);
    cairn_unlock(first);
}

static void another_order_is_counted(void **state)
{
    (void)state;
    take_both(CAIRN_LOCK_ENGINE, CAIRN_LOCK_CALL_SITES);
    assert_int_equal(cairn_i_lock_faults, 1);
    take_both(CAIRN_LOCK_CALL_SITES, CAIRN_LOCK_GRACE_PERIOD);
    assert_int_equal(cairn_i_lock_faults, 2);
    take_both(CAIRN_LOCK_LINES, CAIRN_LOCK_LINES_END - 1);
    assert_int_equal(cairn_i_lock_faults, 3);
    take_both(CAIRN_LOCK_LINES, CAIRN_LOCK_ENGINE);
    assert_int_equal(cairn_i_lock_faults, 4);
    cairn_i_lock_faults = 0;
}
#endif

/* ---- cancellation and errno ---- */

static void *hold_and_reach_cancellation_points(void *arg)
{
    (void)pthread_cancel(pthread_self());
    cairn_lock(CAIRN_LOCK_LOG);
    pthread_testcancel();
    sleep_ms(1);
    cairn_unlock(CAIRN_LOCK_LOG);
    store(arg);
    pthread_testcancel();
    return arg;
}

static void a_thread_is_cancelled_after_it_has_unlocked(void **state)
{
    bool has_unlocked = false;
    pthread_t thread;
    void *result;

    (void)state;
    assert_int_equal(
        pthread_create(&thread, NULL, hold_and_reach_cancellation_points, &has_unlocked), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_true(has_unlocked);
    assert_ptr_equal(result, PTHREAD_CANCELED);
}

static void a_lock_keeps_errno(void **state)
{
    (void)state;
    errno = ENOTTY;
    cairn_lock(CAIRN_LOCK_LOG);
    errno = EIO;
    cairn_lock(CAIRN_LOCK_ENGINE);
    errno = EPERM;
    cairn_unlock(CAIRN_LOCK_ENGINE);
    assert_int_equal(errno, EIO);
    cairn_unlock(CAIRN_LOCK_LOG);
    assert_int_equal(errno, ENOTTY);
}

/* ---- fork ---- */

struct holder {
    enum cairn_lock lock;
    bool holds;
    bool may_go;
    bool has_gone;
};

/* A sanitizer believes that a lock which another thread held at the fork is held in the child. */
#ifdef __SANITIZE_THREAD__
#define LOCKS_HELD_BY_OTHERS CAIRN_LOCKS_OF_FORK
#else
#define LOCKS_HELD_BY_OTHERS CAIRN_LOCKS
#endif

static void *hold(void *arg)
{
    struct holder *holder = arg;

    cairn_lock(holder->lock);
    store(&holder->holds);
    wait_for(&holder->may_go);
    cairn_unlock(holder->lock);
    store(&holder->has_gone);
    return NULL;
}

/* Detached: a child that does not have the thread does not miss it. */
static void begin(void *(*run)(void *), struct holder *holder)
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, run, holder), 0);
    assert_int_equal(pthread_detach(thread), 0);
}

static void *let_go_soon(void *arg)
{
    struct holder *holder = arg;

    sleep_ms(20);
    store(&holder->may_go);
    return NULL;
}

static void take_each(void)
{
    for (int lock = 0; lock < CAIRN_LOCKS; lock++) {
        cairn_lock((enum cairn_lock)lock);
        cairn_unlock((enum cairn_lock)lock);
    }
}

static void a_child_finds_each_lock_free(void **state)
{
    (void)state;
    for (int lock = 0; lock < LOCKS_HELD_BY_OTHERS; lock++) {
        struct holder holder = {.lock = (enum cairn_lock)lock};
        bool is_waited_for = lock < CAIRN_LOCKS_OF_FORK;
        pid_t child;

        begin(hold, &holder);
        wait_for(&holder.holds);
        if (is_waited_for)
            begin(let_go_soon, &holder);
        child = fork();
        if (!child) {
            take_each();
            _exit(cairn_i_lock_faults != 0);
        }
        assert_int_equal(load(&holder.may_go), is_waited_for);
        store(&holder.may_go);
        expect_good_end(child);
        wait_for(&holder.has_gone);
        take_each();
    }
}

#if !defined(__SANITIZE_THREAD__) && __GLIBC_PREREQ(2, 34)
#define HAS_FORK_WITHOUT_HANDLERS
#endif

#ifdef HAS_FORK_WITHOUT_HANDLERS
/* In the child what was held is held by nobody. */
static void a_child_that_fork_did_not_make_finds_each_lock_free(void **state)
{
    (void)state;
    for (int lock = 0; lock < CAIRN_LOCKS; lock++) {
        struct holder holder = {.lock = (enum cairn_lock)lock};
        uint32_t forks = cairn_i_forks;
        pid_t child;

        begin(hold, &holder);
        wait_for(&holder.holds);
        child = _Fork();
        if (!child) {
            take_each();
            _exit(cairn_i_lock_faults != 0 || cairn_i_forks != forks + 1);
        }
        store(&holder.may_go);
        expect_good_end(child);
        wait_for(&holder.has_gone);
        assert_int_equal(cairn_i_forks, forks);
    }
}
#endif

static void a_thread_that_holds_a_lock_may_fork(void **state)
{
    (void)state;
    for (int lock = 0; lock < CAIRN_LOCKS; lock++) {
        pid_t child;

        cairn_lock((enum cairn_lock)lock);
        child = fork();
        assert_true(cairn_lock_is_mine((enum cairn_lock)lock));
        cairn_unlock((enum cairn_lock)lock);
        take_each();
        if (!child)
            _exit(cairn_i_lock_faults != 0);
        expect_good_end(child);
    }
}

/* In a callback: whoever holds an earlier lock may be waiting for the one that this thread holds.
 */
static void a_thread_that_forks_waits_only_for_later_locks(void **state)
{
    struct holder holder = {.lock = CAIRN_LOCK_CALL_SITES};
    pid_t child;

    (void)state;
#ifdef __SANITIZE_THREAD__
    skip();
#endif
    begin(hold, &holder);
    wait_for(&holder.holds);
    cairn_lock(CAIRN_LOCK_PROVIDERS);
    child = fork();
    cairn_unlock(CAIRN_LOCK_PROVIDERS);
    if (!child) {
        take_each();
        _exit(0);
    }
    store(&holder.may_go);
    wait_for(&holder.has_gone);
    expect_good_end(child);
}

/* ---- the program's own handlers ---- */

static int handled;

static void trace_in_handler(void)
{
    struct cairn_tracepoint tracepoint = CAIRN_TRACEPOINT_INIT;

    CAIRN_INFO("in a handler");
    cairn_tracing_log(6, "handler", "in a handler");
    if (!cairn_tracepoint_register(&tracepoint, "locks_handler u32 number"))
        (void)cairn_tracepoint_unregister(&tracepoint);
    handled++;
}

/* Before the library's, as in a program that loads the library late: objects of one priority come
 * in the order in which they are linked. */
static __attribute__((constructor(101))) void watch_early(void)
{
    (void)pthread_atfork(trace_in_handler, trace_in_handler, trace_in_handler);
}

static void handlers_of_the_program_may_trace(void **state)
{
    pid_t child;

    (void)state;
    assert_int_equal(pthread_atfork(trace_in_handler, trace_in_handler, trace_in_handler), 0);
    handled = 0;
    child = fork();
    if (!child)
        _exit(handled < 4 || cairn_i_lock_faults != 0);
    assert_int_equal(handled, 4);
    expect_good_end(child);
    assert_int_equal(cairn_i_lock_faults, 0);
}

static int hook_calls;

static void call_hook(void)
{
    hook_calls++;
}

static void a_hook_is_called_once_in_each_child(void **state)
{
    static struct cairn_fork_hook hook = {.in_child = call_hook};
    pid_t child;

    (void)state;
    cairn_fork_hook_add(&hook);
    cairn_fork_hook_add(&hook);
    child = fork();
    if (!child)
        _exit(hook_calls != 1);
    expect_good_end(child);
    assert_int_equal(hook_calls, 0);
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
        cmocka_unit_test(locks_are_taken_in_their_order),
#ifndef CAIRN_CHECK_LOCKS
        cmocka_unit_test(another_order_is_counted),
#endif
        cmocka_unit_test(a_thread_is_cancelled_after_it_has_unlocked),
        cmocka_unit_test(a_lock_keeps_errno),
        cmocka_unit_test(a_child_finds_each_lock_free),
#ifdef HAS_FORK_WITHOUT_HANDLERS
        cmocka_unit_test(a_child_that_fork_did_not_make_finds_each_lock_free),
#endif
        cmocka_unit_test(a_thread_that_holds_a_lock_may_fork),
        cmocka_unit_test(a_thread_that_forks_waits_only_for_later_locks),
        cmocka_unit_test(handlers_of_the_program_may_trace),
        cmocka_unit_test(a_hook_is_called_once_in_each_child),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
