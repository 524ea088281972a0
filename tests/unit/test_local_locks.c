/* SPDX-License-Identifier: MIT */
/* Test of the library's locks: order, fork, cancellation (src/engine/locks.h). */
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

#define SECONDS_FOR_ALL 100 /* limit for a child that hangs */

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

/* Checks that the child ends with status 0 within the limit. */
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

static void locks_are_acquired_in_their_order(void **state)
{
    (void)state;
    for (int lock = 0; lock < ENGINE_LOCKS_OF_FORK; lock++)
        engine_lock_take((enum engine_lock_id)lock);
    for (int lock = 0; lock < ENGINE_LOCKS_OF_FORK; lock++)
        assert_true(engine_lock_is_mine((enum engine_lock_id)lock));
    for (int lock = ENGINE_LOCKS_OF_FORK; lock--;)
        engine_lock_release((enum engine_lock_id)lock);
    for (int lock = ENGINE_LOCKS_OF_FORK; lock < ENGINE_LOCKS; lock++) {
        engine_lock_take((enum engine_lock_id)lock);
        engine_lock_release((enum engine_lock_id)lock);
    }
    assert_int_equal(engine_lock_faults, 0);
}

#ifndef CAIRN_CHECK_LOCKS
static void take_both(enum engine_lock_id first, enum engine_lock_id second)
{
    engine_lock_take(first);
    engine_lock_take(second);
    engine_lock_release(second);
    engine_lock_release(first);
}

static void a_wrong_order_is_counted(void **state)
{
    (void)state;
    take_both(ENGINE_LOCK_ENGINE, ENGINE_LOCK_CALL_SITES);
    assert_int_equal(engine_lock_faults, 1);
    take_both(ENGINE_LOCK_CALL_SITES, ENGINE_LOCK_GRACE_PERIOD);
    assert_int_equal(engine_lock_faults, 2);
    take_both(ENGINE_LOCK_LINES, ENGINE_LOCK_LINES_END - 1);
    assert_int_equal(engine_lock_faults, 3);
    take_both(ENGINE_LOCK_LINES, ENGINE_LOCK_ENGINE);
    assert_int_equal(engine_lock_faults, 4);
    engine_lock_faults = 0;
}
#endif

/* ---- cancellation and errno ---- */

static void *hold_and_reach_cancellation_points(void *arg)
{
    (void)pthread_cancel(pthread_self());
    engine_lock_take(ENGINE_LOCK_LOG);
    pthread_testcancel();
    sleep_ms(1);
    engine_lock_release(ENGINE_LOCK_LOG);
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
    engine_lock_take(ENGINE_LOCK_LOG);
    errno = EIO;
    engine_lock_take(ENGINE_LOCK_ENGINE);
    errno = EPERM;
    engine_lock_release(ENGINE_LOCK_ENGINE);
    assert_int_equal(errno, EIO);
    engine_lock_release(ENGINE_LOCK_LOG);
    assert_int_equal(errno, ENOTTY);
}

/* ---- fork ---- */

struct holder {
    enum engine_lock_id lock;
    bool holds;
    bool may_go;
    bool has_gone;
};

/* A sanitizer assumes that a lock which another thread held at the fork is held in the child. */
#ifdef __SANITIZE_THREAD__
#define LOCKS_HELD_BY_OTHERS ENGINE_LOCKS_OF_FORK
#else
#define LOCKS_HELD_BY_OTHERS ENGINE_LOCKS
#endif

static void *hold(void *arg)
{
    struct holder *holder = arg;

    engine_lock_take(holder->lock);
    store(&holder->holds);
    wait_for(&holder->may_go);
    engine_lock_release(holder->lock);
    store(&holder->has_gone);
    return NULL;
}

/* Detached: a child, which does not have the thread, need not join it. */
static void begin(void *(*run)(void *), struct holder *holder)
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, run, holder), 0);
    assert_int_equal(pthread_detach(thread), 0);
}

static void *release_soon(void *arg)
{
    struct holder *holder = arg;

    sleep_ms(20);
    store(&holder->may_go);
    return NULL;
}

static void take_each(void)
{
    for (int lock = 0; lock < ENGINE_LOCKS; lock++) {
        engine_lock_take((enum engine_lock_id)lock);
        engine_lock_release((enum engine_lock_id)lock);
    }
}

static void a_child_finds_each_lock_free(void **state)
{
    (void)state;
    for (int lock = 0; lock < LOCKS_HELD_BY_OTHERS; lock++) {
        struct holder holder = {.lock = (enum engine_lock_id)lock};
        bool is_waited_for = lock < ENGINE_LOCKS_OF_FORK;
        pid_t child;

        begin(hold, &holder);
        wait_for(&holder.holds);
        if (is_waited_for)
            begin(release_soon, &holder);
        child = fork();
        if (!child) {
            take_each();
            _exit(engine_lock_faults != 0);
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
/* In the child no thread holds the locks that were held. */
static void a_child_made_without_fork_finds_each_lock_free(void **state)
{
    (void)state;
    for (int lock = 0; lock < ENGINE_LOCKS; lock++) {
        struct holder holder = {.lock = (enum engine_lock_id)lock};
        uint32_t forks = engine_forks;
        pid_t child;

        begin(hold, &holder);
        wait_for(&holder.holds);
        child = _Fork();
        if (!child) {
            take_each();
            _exit(engine_lock_faults != 0 || engine_forks != forks + 1);
        }
        store(&holder.may_go);
        expect_good_end(child);
        wait_for(&holder.has_gone);
        assert_int_equal(engine_forks, forks);
    }
}
#endif

static void a_thread_that_holds_a_lock_may_fork(void **state)
{
    (void)state;
    for (int lock = 0; lock < ENGINE_LOCKS; lock++) {
        pid_t child;

        engine_lock_take((enum engine_lock_id)lock);
        child = fork();
        assert_true(engine_lock_is_mine((enum engine_lock_id)lock));
        engine_lock_release((enum engine_lock_id)lock);
        take_each();
        if (!child)
            _exit(engine_lock_faults != 0);
        expect_good_end(child);
    }
}

/* Forks in a callback: a thread that holds an earlier lock may be waiting for the lock that this
 * thread holds. */
static void a_thread_that_forks_waits_only_for_later_locks(void **state)
{
    struct holder holder = {.lock = ENGINE_LOCK_CALL_SITES};
    pid_t child;

    (void)state;
#ifdef __SANITIZE_THREAD__
    skip();
#endif
    begin(hold, &holder);
    wait_for(&holder.holds);
    engine_lock_take(ENGINE_LOCK_PROVIDERS);
    child = fork();
    engine_lock_release(ENGINE_LOCK_PROVIDERS);
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

/* Registered before the library's handlers, as in a program that loads the library late:
 * constructors of one priority run in link order. */
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
        _exit(handled < 4 || engine_lock_faults != 0);
    assert_int_equal(handled, 4);
    expect_good_end(child);
    assert_int_equal(engine_lock_faults, 0);
}

static int hook_calls;

static void call_hook(void)
{
    hook_calls++;
}

static void a_hook_is_called_once_in_each_child(void **state)
{
    static struct engine_fork_hook hook = {.in_child = call_hook};
    pid_t child;

    (void)state;
    engine_fork_hook_add(&hook);
    engine_fork_hook_add(&hook);
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
        cmocka_unit_test(locks_are_acquired_in_their_order),
#ifndef CAIRN_CHECK_LOCKS
        cmocka_unit_test(a_wrong_order_is_counted),
#endif
        cmocka_unit_test(a_thread_is_cancelled_after_it_has_unlocked),
        cmocka_unit_test(a_lock_keeps_errno),
        cmocka_unit_test(a_child_finds_each_lock_free),
#ifdef HAS_FORK_WITHOUT_HANDLERS
        cmocka_unit_test(a_child_made_without_fork_finds_each_lock_free),
#endif
        cmocka_unit_test(a_thread_that_holds_a_lock_may_fork),
        cmocka_unit_test(a_thread_that_forks_waits_only_for_later_locks),
        cmocka_unit_test(handlers_of_the_program_may_trace),
        cmocka_unit_test(a_hook_is_called_once_in_each_child),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
