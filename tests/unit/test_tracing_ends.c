/* SPDX-License-Identifier: MIT */
/* Test of threads that end, are cancelled, fork or exit in the middle of an operation. */
#include "tracing_test.h"

#include "engine/locks.h"
#include "trace_user.h"
#include "tracing_dir.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECONDS_FOR_ALL 100

static void sleep_ms(long ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000};

    (void)nanosleep(&time, NULL);
}

/* Tracepoints are registered before main: the directory must exist by then. */
static __attribute__((constructor(101))) void make_directory(void)
{
    if (tracing_dir_make())
        abort();
}

static bool has_come;

static void wait_until_come(void)
{
    while (!__atomic_load_n(&has_come, __ATOMIC_ACQUIRE))
        sleep_ms(1);
    __atomic_store_n(&has_come, false, __ATOMIC_RELEASE);
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

static void run(void *(*start)(void *), void *arg)
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, start, arg), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void cancel(void *(*start)(void *), void *arg)
{
    pthread_t thread;
    void *result;

    assert_int_equal(pthread_create(&thread, NULL, start, arg), 0);
    wait_until_come();
    assert_int_equal(pthread_cancel(thread), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, PTHREAD_CANCELED);
}

/* ---- in scopes ---- */

static void *end_in_scopes(void *arg)
{
    CAIRN_SCOPE(INFO, "outer");
    CAIRN_SCOPE(INFO, "inner");
    if (arg)
        pthread_exit(NULL);
    __atomic_store_n(&has_come, true, __ATOMIC_RELEASE);
    for (;;)
        (void)pause();
    return NULL;
}

static const char both_are_over[] = "new outer\nenter outer\nnew inner\nenter inner\n"
                                    "exit inner\nclose inner\nexit outer\nclose outer\n";

static void a_scope_ends_with_its_thread(void **state)
{
    (void)state;
    run(end_in_scopes, state);
    assert_notes(&notes, both_are_over);
}

static void a_scope_ends_when_its_thread_is_cancelled(void **state)
{
    (void)state;
    cancel(end_in_scopes, NULL);
    assert_notes(&notes, both_are_over);
}

static struct cairn_span *held;

static void *end_in_scope_that_is_held(void *arg)
{
    CAIRN_SCOPE(INFO, "scope");
    held = cairn_span_hold(cairn_span_current());
    cairn_span_enter(held); /* entered a second time */
    pthread_exit(arg);
}

static void a_span_with_another_reference_outlives_the_thread_of_its_scope(void **state)
{
    (void)state;
    run(end_in_scope_that_is_held, NULL);
    assert_notes(&notes, "new scope\nenter scope\nenter scope\nexit scope\nexit scope\n");
    cairn_span_close(held);
    assert_notes(&notes, "close scope\n");
}

static void *end_in_a_span_of_others(void *arg)
{
    CAIRN_IN_SPAN(arg);
    pthread_exit(NULL);
}

static void a_thread_that_ends_closes_only_the_spans_of_its_scopes(void **state)
{
    CAIRN_SCOPE_AS(scope, INFO, "scope");

    (void)state;
    run(end_in_a_span_of_others, scope);
    assert_notes(&notes, "new scope\nenter scope\nenter scope\nexit scope\n");
    assert_int_not_equal(cairn_span_id(scope), 0);
}

static void the_scope_of_the_previous_test_was_left(void **state)
{
    (void)state;
    assert_notes(&notes, "exit scope\nclose scope\n");
}

static void a_scope_that_was_exited_early_is_closed_once(void **state)
{
    (void)state;
    {
        CAIRN_SCOPE_AS(scope, INFO, "scope");
        cairn_span_exit(scope);
    }
    assert_notes(&notes, "new scope\nenter scope\nexit scope\nclose scope\n");
}

/* ---- in a subscriber of its own ---- */

static void *end_in_own_subscriber(void *arg)
{
    struct cairn_subscriber_scope outer;
    struct cairn_subscriber_scope inner;

    if (cairn_subscriber_enter(&outer, arg) || cairn_subscriber_enter(&inner, arg))
        return NULL;
    __atomic_store_n(&has_come, true, __ATOMIC_RELEASE);
    for (;;)
        (void)pause();
    return NULL;
}

static void a_thread_that_ends_leaves_its_own_subscriber(void **state)
{
    struct cairn_subscriber *own;

    (void)state;
    assert_int_equal(cairn_subscriber_create(&own), 0);
    cancel(end_in_own_subscriber, own);
    assert_int_equal(cairn_subscriber_destroy(own), 0);
}

/* ---- in callbacks ---- */

static void (*in_callback)(void);

static void call(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    (void)layer, (void)event;
    in_callback();
}

static struct cairn_layer calling = {.event = call};

static void add_calling(void (*what)(void))
{
    in_callback = what;
    assert_int_equal(cairn_subscriber_add(subscriber, &calling, NULL), 0);
}

static void end_thread(void)
{
    pthread_exit(NULL);
}

static void *trace_in_scope(void *arg)
{
    CAIRN_SCOPE(INFO, "around");
    CAIRN_INFO("call");
    return arg;
}

static void a_thread_may_end_in_a_layers_callback(void **state)
{
    (void)state;
    add_calling(end_thread);
    run(trace_in_scope, NULL);
    /* Returns although a thread has ended in the callback. */
    assert_int_equal(cairn_subscriber_remove(subscriber, &calling), 0);
    assert_non_null(strstr(notes.text.text, "exit around\nclose around\n"));
    forget_notes(&notes);
}

static void reach_cancellation_point(void)
{
    (void)pthread_cancel(pthread_self());
    pthread_testcancel();
    sleep_ms(1);
}

static bool was_passed;

static void *trace_and_pass(void *arg)
{
    CAIRN_INFO("call");
    was_passed = true;
    pthread_testcancel();
    return arg;
}

static void a_callback_is_not_a_cancellation_point(void **state)
{
    (void)state;
    add_calling(reach_cancellation_point);
    was_passed = false;
    run(trace_and_pass, NULL);
    assert_true(was_passed);
    assert_int_equal(cairn_subscriber_remove(subscriber, &calling), 0);
    forget_notes(&notes);
}

static pid_t forked;

static void fork_here(void)
{
    forked = fork();
}

static void a_callback_may_fork(void **state)
{
    (void)state;
    add_calling(fork_here);
    CAIRN_INFO("call");
    if (!forked)
        _exit(cairn_subscriber_remove(subscriber, &calling) || engine_lock_faults);
    expect_good_end(forked);
    assert_int_equal(cairn_subscriber_remove(subscriber, &calling), 0);
    forget_notes(&notes);
}

/* In the child the section of the thread that forked continues: another thread waits for it. */
static void *remove_calling(void *arg)
{
    *(int *)arg = cairn_subscriber_remove(subscriber, &calling);
    __atomic_store_n(&has_come, true, __ATOMIC_RELEASE);
    return NULL;
}

static int removed = -1;

static void fork_and_remove(void)
{
    pthread_t thread;

    forked = fork();
    if (forked)
        return;
    if (pthread_create(&thread, NULL, remove_calling, &removed) || pthread_detach(thread))
        _exit(1);
    sleep_ms(50);
    if (__atomic_load_n(&has_come, __ATOMIC_ACQUIRE))
        _exit(2);
}

static void removing_a_layer_waits_for_a_callback_that_has_forked(void **state)
{
    (void)state;
    add_calling(fork_and_remove);
    CAIRN_INFO("call");
    if (!forked) {
        wait_until_come();
        _exit(removed);
    }
    expect_good_end(forked);
    assert_int_equal(cairn_subscriber_remove(subscriber, &calling), 0);
    forget_notes(&notes);
}

static void exit_here(void)
{
    exit(0);
}

static void a_callback_may_exit(void **state)
{
    pid_t child = fork();

    (void)state;
    if (!child) {
        add_calling(exit_here);
        CAIRN_INFO("call");
        _exit(1);
    }
    expect_good_end(child);
    forget_notes(&notes);
}

/* ---- while a layer is asked about a call site ---- */

static int result_in_interest;

static const struct cairn_tracepoint *load_and_init(struct cairn_layer *layer,
                                                    const struct cairn_callsite *site)
{
    struct cairn_i_tracing_object none = {NULL, NULL};

    (void)layer, (void)site;
    cairn_i_tracing_load(&none);
    cairn_i_tracing_unload(&none);
    cairn_tracing_log(6, "interest", "left out");
    result_in_interest = cairn_tracing_init();
    return CAIRN_ALWAYS;
}

static void a_layer_that_is_asked_may_load_an_object(void **state)
{
    struct cairn_layer asked = {.interest = load_and_init};

    (void)state;
    assert_int_equal(cairn_subscriber_add(subscriber, &asked, NULL), 0);
    assert_int_equal(result_in_interest, EDEADLK);
    assert_int_equal(cairn_subscriber_remove(subscriber, &asked), 0);
    assert_int_equal(engine_lock_faults, 0);
    forget_notes(&notes);
}

static const struct cairn_tracepoint *fork_once(struct cairn_layer *layer,
                                                const struct cairn_callsite *site)
{
    (void)layer, (void)site;
    if (forked < 0)
        forked = fork();
    return CAIRN_ALWAYS;
}

static void a_layer_that_is_asked_may_fork(void **state)
{
    struct cairn_layer asked = {.interest = fork_once};

    (void)state;
    forked = -1;
    assert_int_equal(cairn_subscriber_add(subscriber, &asked, NULL), 0);
    if (!forked)
        _exit(cairn_subscriber_remove(subscriber, &asked) || engine_lock_faults);
    expect_good_end(forked);
    assert_int_equal(cairn_subscriber_remove(subscriber, &asked), 0);
    forget_notes(&notes);
}

static const struct cairn_tracepoint *exit_when_asked(struct cairn_layer *layer,
                                                      const struct cairn_callsite *site)
{
    (void)layer, (void)site;
    exit(0);
}

static void a_layer_that_is_asked_may_exit(void **state)
{
    struct cairn_layer asked = {.interest = exit_when_asked};
    pid_t child = fork();

    (void)state;
    if (!child)
        _exit(1 + cairn_subscriber_add(subscriber, &asked, NULL));
    expect_good_end(child);
}

/* ---- callbacks of typed tracepoints ---- */

static void end_in_typed_callback(void *data, uint16_t port, const char *peer)
{
    (void)data, (void)port, (void)peer;
    pthread_exit(NULL);
}

static void *hit(void *arg)
{
    trace_opened(1, "peer");
    return arg;
}

static void a_thread_may_end_in_a_tracepoints_callback(void **state)
{
    (void)state;
    assert_int_equal(register_trace_opened(end_in_typed_callback, NULL), 0);
    run(hit, NULL);
    /* Returns although a thread has ended in the callback. */
    assert_int_equal(unregister_trace_opened(end_in_typed_callback, NULL), 0);
}

static void wait_for_ever(void *data, uint16_t port, const char *peer)
{
    (void)data, (void)port, (void)peer;
    __atomic_store_n(&has_come, true, __ATOMIC_RELEASE);
    for (;;)
        (void)pause();
}

static void exit_does_not_wait_for_callbacks(void **state)
{
    pid_t child = fork();
    pthread_t thread;

    (void)state;
    if (!child) {
        if (register_trace_opened(wait_for_ever, NULL) || pthread_create(&thread, NULL, hit, NULL))
            _exit(1);
        wait_until_come();
        exit(0);
    }
    expect_good_end(child);
}

/* ---- forks in spans ---- */

static void a_child_inherits_the_spans_that_its_thread_is_in(void **state)
{
    pid_t child;

    (void)state;
    {
        CAIRN_SCOPE_AS(scope, INFO, "scope");

        child = fork();
        if (!child) {
            CAIRN_SCOPE_AS(own, INFO, "own");
            _exit(!cairn_span_is_inherited(scope) || cairn_span_is_inherited(own) ||
                  cairn_span_parent(own) != scope);
        }
        assert_false(cairn_span_is_inherited(scope));
    }
    expect_good_end(child);
    assert_false(cairn_span_is_inherited(NULL));
    forget_notes(&notes);
}

/* By clone() itself: no handler of fork runs. */
static void the_first_span_of_a_cloned_child_is_its_own(void **state)
{
    pid_t child;

    (void)state;
    child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (!child) {
        struct cairn_span *own = CAIRN_SPAN(INFO, "own");

        _exit(!own || cairn_span_is_inherited(own));
    }
    expect_good_end(child);
}

/* Counts lines of both processes. */
static void the_end_of_an_inherited_span_is_written_once(void **state)
{
    struct cairn_stderr_options options = {
        .size = sizeof(options), .style = CAIRN_STDERR_COMPACT, .span_events = true};
    struct cairn_layer *lines;
    char text[4096] = "";
    int ends[2];
    pid_t child;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    options.fd = ends[1];
    assert_int_equal(cairn_stderr_layer_create(&options, &lines), 0);
    assert_int_equal(cairn_subscriber_add(subscriber, lines, NULL), 0);
    {
        CAIRN_SCOPE(INFO, "scope");
        child = fork();
    }
    if (!child)
        _exit(0);
    expect_good_end(child);
    assert_int_equal(cairn_subscriber_remove(subscriber, lines), 0);
    assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
    assert_non_null(strstr(text, "close"));
    assert_null(strstr(strstr(text, "close") + 1, "close"));
    close(ends[0]);
    close(ends[1]);
    forget_notes(&notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scope_ends_with_its_thread),
        cmocka_unit_test(a_scope_ends_when_its_thread_is_cancelled),
        cmocka_unit_test(a_span_with_another_reference_outlives_the_thread_of_its_scope),
        cmocka_unit_test(a_thread_that_ends_closes_only_the_spans_of_its_scopes),
        cmocka_unit_test(the_scope_of_the_previous_test_was_left),
        cmocka_unit_test(a_scope_that_was_exited_early_is_closed_once),
        cmocka_unit_test(a_thread_that_ends_leaves_its_own_subscriber),
        cmocka_unit_test(a_thread_may_end_in_a_layers_callback),
        cmocka_unit_test(a_callback_is_not_a_cancellation_point),
        cmocka_unit_test(a_callback_may_fork),
        cmocka_unit_test(removing_a_layer_waits_for_a_callback_that_has_forked),
        cmocka_unit_test(a_callback_may_exit),
        cmocka_unit_test(a_layer_that_is_asked_may_load_an_object),
        cmocka_unit_test(a_layer_that_is_asked_may_fork),
        cmocka_unit_test(a_layer_that_is_asked_may_exit),
        cmocka_unit_test(a_thread_may_end_in_a_tracepoints_callback),
        cmocka_unit_test(exit_does_not_wait_for_callbacks),
        cmocka_unit_test(a_child_inherits_the_spans_that_its_thread_is_in),
        cmocka_unit_test(the_first_span_of_a_cloned_child_is_its_own),
        cmocka_unit_test(the_end_of_an_inherited_span_is_written_once),
    };

    int failed = cmocka_run_group_tests(tests, begin_notes, end_notes);

    tracing_dir_remove();
    return failed;
}
