/* SPDX-License-Identifier: MIT */
/* Sections and the wait for their end (src/user_events/grace_period.h). */
#include "user_events/grace_period.h"

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

/* Threads of a test have slots of their own. */
static bool is_owning;

static void begin_thread(void)
{
    if (is_owning)
        user_events_read_section_take_slot();
}

static void end_thread(void)
{
    user_events_read_section_return_slot();
}

static int own(void **state)
{
    (void)state;
    is_owning = true;
    user_events_read_section_take_slot();
    return 0;
}

static int disown(void **state)
{
    (void)state;
    user_events_read_section_return_slot();
    is_owning = false;
    return 0;
}

static void sleep_ms(long ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000};

    (void)nanosleep(&time, NULL);
}

static int load(const int *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void store(int *flag, int value)
{
    __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

static void a_wait_without_readers_ends_at_once(void **state)
{
    (void)state;
    user_events_grace_period_wait();
    user_events_grace_period_wait();
    assert_false(user_events_in_read_section());
}

static void a_thread_knows_whether_it_is_in_a_section(void **state)
{
    (void)state;
    user_events_read_section_enter();
    user_events_read_section_enter();
    assert_true(user_events_in_read_section());
    user_events_read_section_leave();
    assert_true(user_events_in_read_section());
    user_events_read_section_leave();
    assert_false(user_events_in_read_section());
    user_events_grace_period_wait();
}

static void sections_may_be_nested(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++)
        user_events_read_section_enter();
    for (int i = 0; i < 100; i++) {
        assert_true(user_events_in_read_section());
        user_events_read_section_leave();
    }
    assert_false(user_events_in_read_section());
    user_events_grace_period_wait();
}

struct scene {
    int inside;
    int go;
    int waited;
};

static void *stay_inside(void *arg)
{
    struct scene *scene = arg;

    begin_thread();
    user_events_read_section_enter();
    store(&scene->inside, 1);
    while (!load(&scene->go))
        sleep_ms(1);
    user_events_read_section_leave();
    end_thread();
    return NULL;
}

static void *wait_for_others(void *arg)
{
    struct scene *scene = arg;

    user_events_grace_period_wait();
    store(&scene->waited, 1);
    return NULL;
}

static void a_wait_lasts_until_the_section_has_ended(void **state)
{
    struct scene scene = {0};
    pthread_t reader;
    pthread_t waiter;

    (void)state;
    assert_int_equal(pthread_create(&reader, NULL, stay_inside, &scene), 0);
    while (!load(&scene.inside))
        sleep_ms(1);
    assert_int_equal(pthread_create(&waiter, NULL, wait_for_others, &scene), 0);
    sleep_ms(30);
    assert_int_equal(load(&scene.waited), 0);
    store(&scene.go, 1);
    pthread_join(waiter, NULL);
    pthread_join(reader, NULL);
    assert_int_equal(load(&scene.waited), 1);
}

static void *come_and_go(void *arg)
{
    const struct scene *scene = arg;

    begin_thread();
    while (!load(&scene->go)) {
        user_events_read_section_enter();
        user_events_read_section_leave();
    }
    end_thread();
    return NULL;
}

static void new_sections_do_not_prolong_a_wait(void **state)
{
    struct scene scene = {0};
    pthread_t readers[3];

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, come_and_go, &scene), 0);
    for (int i = 0; i < 50; i++)
        user_events_grace_period_wait();
    store(&scene.go, 1);
    for (int i = 0; i < 3; i++)
        pthread_join(readers[i], NULL);
    user_events_grace_period_wait();
}

/* The object that a wait protects: memory that is reused after the wait. */
struct shared {
    int *current;
    int stop;
    bool has_naps; /* readers sleep between two reads */
};

static void look_once(struct shared *shared)
{
    const int *value;

    user_events_read_section_enter();
    value = __atomic_load_n(&shared->current, __ATOMIC_ACQUIRE);
    if (*value != 1)
        abort();
    user_events_read_section_leave();
}

static void *look(void *arg)
{
    struct shared *shared = arg;

    begin_thread();
    while (!load(&shared->stop)) {
        user_events_read_section_enter();
        look_once(shared);
        look_once(shared);
        user_events_read_section_leave();
        look_once(shared);
        if (shared->has_naps)
            sleep_ms(1);
    }
    end_thread();
    return NULL;
}

static void replace_once(struct shared *shared, int values[2], int i)
{
    int *old = &values[i % 2];

    __atomic_store_n(&shared->current, &values[(i + 1) % 2], __ATOMIC_RELEASE);
    user_events_grace_period_wait();
    *old = 0;
    *old = 1;
}

static void replaced_memory_is_not_read_after_the_wait(void **state)
{
    int values[2] = {1, 1};
    struct shared shared = {.current = &values[0]};
    pthread_t readers[2];

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, look, &shared), 0);
    for (int i = 0; i < 2000; i++)
        replace_once(&shared, values, i);
    store(&shared.stop, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(readers[i], NULL);
}

static struct shared seen_by_handler;

static void look_in_handler(int number)
{
    (void)number;
    look_once(&seen_by_handler);
}

/* The handler runs between any two instructions of a section's begin and end. */
static void signal_handlers_may_have_sections(void **state)
{
    int values[2] = {1, 1};
    const struct sigaction action = {.sa_handler = look_in_handler};
    pthread_t reader;

    (void)state;
    seen_by_handler = (struct shared){.current = &values[0]};
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    assert_int_equal(pthread_create(&reader, NULL, look, &seen_by_handler), 0);
    for (int i = 0; i < 20000; i++) {
        (void)pthread_kill(reader, SIGUSR1);
        if (i % 8 == 0)
            replace_once(&seen_by_handler, values, i / 8);
    }
    store(&seen_by_handler.stop, 1);
    pthread_join(reader, NULL);
    user_events_grace_period_wait();
}

/* Threads that find no slot free work without one. */
static void there_may_be_more_threads_than_slots(void **state)
{
    enum { THREADS = 70 };
    int values[2] = {1, 1};
    struct shared shared = {.current = &values[0], .has_naps = true};
    pthread_t readers[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, look, &shared), 0);
    for (int i = 0; i < 20; i++)
        replace_once(&shared, values, i);
    store(&shared.stop, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(readers[i], NULL);
    user_events_grace_period_wait();
}

static void a_slot_is_neither_acquired_nor_released_in_a_section(void **state)
{
    (void)state;
    user_events_read_section_enter();
    user_events_read_section_take_slot();
    user_events_read_section_return_slot();
    assert_true(user_events_in_read_section());
    user_events_read_section_leave();
    assert_false(user_events_in_read_section());
    user_events_grace_period_wait();
}

/* In the child the other thread, which is in a section, does not exist. */
static void a_forked_child_does_not_wait_for_its_parents_threads(void **state)
{
    struct scene scene = {0};
    pthread_t other;
    pid_t child;
    int status;

    (void)state;
    assert_int_equal(pthread_create(&other, NULL, stay_inside, &scene), 0);
    while (!load(&scene.inside))
        sleep_ms(1);
    child = fork();
    if (child == 0) {
        alarm(100);
        user_events_grace_period_wait();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    store(&scene.go, 1);
    pthread_join(other, NULL);
}

static void a_child_forked_in_a_section_leaves_it(void **state)
{
    pid_t child;
    int status;

    (void)state;
    user_events_read_section_enter();
    child = fork();
    if (child == 0) {
        alarm(100);
        user_events_read_section_leave();
        if (user_events_in_read_section())
            _exit(1);
        user_events_read_section_enter();
        user_events_read_section_leave();
        user_events_grace_period_wait();
        _exit(0);
    }
    user_events_read_section_leave();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    user_events_grace_period_wait();
}

/* In the child another thread waits for the section, which continues there. */
static void a_section_in_which_a_child_was_forked_is_waited_for_in_the_child(void **state)
{
    struct scene scene = {0};
    pthread_t waiter;
    pid_t child;
    int status;

    (void)state;
    user_events_read_section_enter();
    user_events_read_section_enter();
    child = fork();
    if (child == 0) {
        if (pthread_create(&waiter, NULL, wait_for_others, &scene) || pthread_detach(waiter))
            _exit(1);
        sleep_ms(50);
        if (load(&scene.waited))
            _exit(2);
        user_events_read_section_leave();
        sleep_ms(50);
        if (load(&scene.waited))
            _exit(3);
        user_events_read_section_leave();
        while (!load(&scene.waited))
            sleep_ms(1);
        _exit(0);
    }
    user_events_read_section_leave();
    user_events_read_section_leave();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void *end_inside(void *arg)
{
    begin_thread();
    user_events_read_section_enter();
    user_events_read_section_enter();
    if (arg)
        (void)pthread_cancel(pthread_self());
    pthread_testcancel();
    pthread_exit(NULL);
}

static void a_wait_ignores_threads_that_ended_in_a_section(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, end_inside, i & 1 ? state : NULL), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    user_events_grace_period_wait();
}

#define BOTH(test) cmocka_unit_test(test), cmocka_unit_test_setup_teardown(test, own, disown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(a_wait_without_readers_ends_at_once),
        BOTH(a_thread_knows_whether_it_is_in_a_section),
        BOTH(sections_may_be_nested),
        BOTH(a_wait_lasts_until_the_section_has_ended),
        BOTH(new_sections_do_not_prolong_a_wait),
        BOTH(replaced_memory_is_not_read_after_the_wait),
        BOTH(signal_handlers_may_have_sections),
        BOTH(there_may_be_more_threads_than_slots),
        BOTH(a_slot_is_neither_acquired_nor_released_in_a_section),
        BOTH(a_forked_child_does_not_wait_for_its_parents_threads),
        BOTH(a_child_forked_in_a_section_leaves_it),
        BOTH(a_section_in_which_a_child_was_forked_is_waited_for_in_the_child),
        BOTH(a_wait_ignores_threads_that_ended_in_a_section),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
