/* SPDX-License-Identifier: MIT */
/* Test of the table of descriptors: it is right at any time, among many other descriptors, and in
 * threads, signal handlers and children. */
#include "tracefs_test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

#define ROUNDS 4000

/* Writes with an unassigned index: only user_events_data returns this error. */
static bool is_data(int fd)
{
    const uint32_t index = 0x7fffff;

    return write(fd, &index, sizeof(index)) < 0 && errno == ENOENT;
}

static bool is_null(int fd)
{
    const uint32_t bytes = 0x7fffff;

    return write(fd, &bytes, sizeof(bytes)) == sizeof(bytes);
}

static int open_null(void)
{
    return open("/dev/null", O_RDWR | O_CLOEXEC);
}

/* ---- numbers ---- */

static void a_high_number_works_like_a_low_one(void **state)
{
    const int numbers[] = {200, 1000, 4095, 4096, 20000, 65535};
    struct rlimit limit;
    int fd = open_data();

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        if ((rlim_t)numbers[i] >= limit.rlim_cur)
            continue;
        assert_int_equal(dup2(fd, numbers[i]), numbers[i]);
        assert_true(is_data(numbers[i]));
        assert_false(is_data(numbers[i] - 1));
        assert_int_equal(close(numbers[i]), 0);
        assert_false(is_data(numbers[i]));
        assert_true(is_data(fd));
    }
    close(fd);
}

static void closing_the_highest_leaves_the_others(void **state)
{
    int low = open_data();
    int null = open_null();
    int high = fcntl(low, F_DUPFD_CLOEXEC, 300);
    int higher = fcntl(low, F_DUPFD_CLOEXEC, 400);

    (void)state;
    assert_true(is_data(low) && is_data(high) && is_data(higher) && is_null(null));
    assert_int_equal(close(higher), 0);
    assert_true(is_data(low) && is_data(high) && is_null(null));
    assert_int_equal(dup2(null, high), high);
    assert_true(is_data(low) && is_null(high));
    assert_int_equal(dup2(low, null), null);
    assert_true(is_data(null));
    close(low);
    assert_true(is_data(null));
    close(null);
    close(high);
}

static void a_closed_range_is_removed(void **state)
{
    int first = open_data();
    int other = fcntl(first, F_DUPFD_CLOEXEC, 500);

    (void)state;
    assert_int_equal(close_range(400, 600, 0), 0);
    assert_true(is_data(first));
    assert_int_equal(dup2(open_null(), other), other);
    assert_true(is_null(other));
    assert_int_equal(close_range((unsigned int)first, ~0u, 0), 0);
    assert_int_equal(open_null(), first);
    assert_true(is_null(first));
    closefrom(first);
    first = open_data();
    assert_true(is_data(first));
    close(first);
}

/* A descriptor that was closed without the library's function is detected when its number belongs
 * to another file. */
static void a_number_closed_by_a_system_call_belongs_to_its_next_file(void **state)
{
    void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    int (*close_itself)(int) = library ? (int (*)(int))dlsym(library, "close") : NULL;
    int fd = open_data();
    int null;

    (void)state;
    skip_by_mount();
    if (!close_itself)
        skip(); /* another C library */
    assert_int_equal(close_itself(fd), 0);
    null = open_null();
    if (null != fd)
        assert_int_equal(fcntl(null, F_DUPFD_CLOEXEC, fd), fd);
    assert_true(is_null(fd));
    close(fd);
    (void)dlclose(library);
}

/* ---- concurrent use ---- */

static bool is_over;

static void *open_and_close_others(void *failed)
{
    for (uint32_t i = 0; i < ROUNDS && !*(bool *)failed; i++) {
        int fd = open_null();

        if (fd < 0 || !is_null(fd) || close(fd))
            __atomic_store_n((bool *)failed, true, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void *open_and_close_ours(void *failed)
{
    for (uint32_t i = 0; i < ROUNDS / 8 && !*(bool *)failed; i++) {
        int fd = open_data();

        if (fd < 0 || !is_data(fd) || close(fd))
            __atomic_store_n((bool *)failed, true, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void threads_may_replace_each_others_descriptors(void **state)
{
    static void *(*const works[])(void *) = {open_and_close_others, open_and_close_ours,
                                             open_and_close_others, open_and_close_ours};
    pthread_t threads[4];
    bool failed = false;

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, works[i], &failed), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_false(failed);
}

struct race {
    int data;
    int null;
    int number;
};

static void *replace_again_and_again(void *argument)
{
    const struct race *race = argument;

    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        (void)dup2(race->data, race->number);
        (void)dup2(race->null, race->number);
    }
    return NULL;
}

/* The number belongs to one of two files, and in between to the memory file, which cannot be
 * written. */
static void a_concurrently_replaced_number_is_one_of_two_files(void **state)
{
    struct race race = {open_data(), open_null(), 300};
    pthread_t thread;

    (void)state;
    assert_int_equal(dup2(race.null, race.number), race.number);
    is_over = false;
    assert_int_equal(pthread_create(&thread, NULL, replace_again_and_again, &race), 0);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const uint32_t index = 0x7fffff;
        ssize_t size = write(race.number, &index, sizeof(index));

        assert_true(size == sizeof(index) || errno == ENOENT || errno == EPERM);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(dup2(race.data, race.number), race.number);
    assert_true(is_data(race.number));
    assert_int_equal(dup2(race.null, race.number), race.number);
    assert_true(is_null(race.number));
    close(race.number);
    close(race.data);
    close(race.null);
}

static int handler_data = -1;
static volatile sig_atomic_t handler_runs;
static volatile sig_atomic_t handler_failures;

static void write_in_handler(int number)
{
    int error = errno;
    int null = open_null();

    (void)number;
    if (!is_data(handler_data) || null < 0 || !is_null(null))
        handler_failures++;
    close(null);
    handler_runs++;
    errno = error;
}

static void a_signal_handler_may_interrupt_any_operation(void **state)
{
    const struct itimerval often = {.it_interval = {.tv_usec = 200}, .it_value = {.tv_usec = 200}};
    const struct itimerval never = {0};
    struct sigaction action = {.sa_handler = write_in_handler, .sa_flags = SA_RESTART};
    bool failed = false;

    (void)state;
    handler_data = open_data();
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    while (handler_runs < 50 && !failed) {
        (void)open_and_close_ours(&failed);
        (void)open_and_close_others(&failed);
    }
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_false(failed);
    assert_int_equal(handler_failures, 0);
    close(handler_data);
}

/* ---- children ---- */

static void a_child_that_shares_memory_keeps_its_parents_descriptors(void **state)
{
    int fd = open_data();
    int null = open_null();

    (void)state;
    for (int i = 0; i < 50; i++) {
        int status = -1;
        pid_t pid = vfork();

        if (pid == 0) {
            (void)dup2(null, fd);
            (void)close(null);
            (void)close_range(3, ~0u, 0);
            _exit(0);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
        assert_true(is_data(fd) && is_null(null));
    }
    close(fd);
    close(null);
}

static void a_child_has_descriptors_of_its_own(void **state)
{
    int fd = open_data();
    int status = -1;
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        bool ok = is_data(fd) && dup2(open_null(), fd) == fd && is_null(fd);

        _exit(ok ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_true(is_data(fd));
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_high_number_works_like_a_low_one),
        cmocka_unit_test(closing_the_highest_leaves_the_others),
        cmocka_unit_test(a_closed_range_is_removed),
        cmocka_unit_test(a_number_closed_by_a_system_call_belongs_to_its_next_file),
        cmocka_unit_test(threads_may_replace_each_others_descriptors),
        cmocka_unit_test(a_concurrently_replaced_number_is_one_of_two_files),
        cmocka_unit_test(a_signal_handler_may_interrupt_any_operation),
        cmocka_unit_test(a_child_that_shares_memory_keeps_its_parents_descriptors),
        cmocka_unit_test(a_child_has_descriptors_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
