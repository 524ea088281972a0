/* SPDX-License-Identifier: MIT */
/* Test of sessions whose patterns change while programs write. */
#include "engine/emit.h"
#include "session_test.h"

#include <cairn/user_events.h>
#include <pthread.h>
#include <stdio.h>

#define CHANGES   6
#define FRESH_MAX 2000
#define SEEN_MAX  (1u << 20)

/* Time after which most events that were being written are complete. */
#define SETTLED_US 100000

static struct cairn_tracepoint steady = CAIRN_TRACEPOINT_INIT;
static struct cairn_tracepoint other = CAIRN_TRACEPOINT_INIT;
static struct cairn_tracepoint fresh[FRESH_MAX];
static uint32_t fresh_count;
static uint32_t is_over;
static uint32_t written;

static int set_up(void **state)
{
    (void)state;
    return tracing_dir_make() || cairn_tracepoint_register(&steady, "steady u32 number") ||
           cairn_tracepoint_register(&other, "other u32 number");
}

static int tear_down(void **state)
{
    (void)state;
    (void)cairn_tracepoint_unregister(&other);
    (void)cairn_tracepoint_unregister(&steady);
    tracing_dir_remove();
    return 0;
}

static int write_number(struct cairn_tracepoint *tp, uint32_t number)
{
    struct iovec part = {&number, sizeof(number)};

    return cairn_tracepoint_write(tp, &part, 1);
}

static void *write_steadily(void *arg)
{
    const struct timespec pause = {.tv_nsec = 20000};

    (void)arg;
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        if (write_number(&steady, written))
            return &written;
        written++;
        if (written % 16 == 0)
            (void)nanosleep(&pause, NULL);
    }
    return NULL;
}

/* One that was being written during a change may be in the file after the next. */
static void note_seen(const struct cairn_perf_sample *sample, void *arg)
{
    uint8_t *seen = arg;

    assert_true(number_of(sample) < SEEN_MAX);
    seen[number_of(sample)]++;
}

static void events_continue_without_a_gap_while_patterns_change(void **state)
{
    struct recording r = begin_recording("steady", CAIRN_SESSION_BUFFER_DEFAULT_BYTES);
    uint8_t *seen = calloc(SEEN_MAX, 1);
    pthread_t thread;
    void *failed;

    (void)state;
    assert_non_null(seen);
    assert_int_equal(pthread_create(&thread, NULL, write_steadily, NULL), 0);
    for (int i = 0; i < CHANGES; i++) {
        poll_recording(&r);
        assert_int_equal(i % 2 ? cairn_session_pattern_remove(r.session, "nobody_*")
                               : cairn_session_pattern_add(r.session, "nobody_*", NULL),
                         0);
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    end_recording(&r, note_seen, seen);
    for (uint32_t number = 0; number < SEEN_MAX; number++)
        assert_int_equal(seen[number], number < written);
    free(seen);
    assert_int_equal(r.counts.lost, 0);
    assert_int_equal(r.counts.damaged, 0);
}

static void count(const struct cairn_perf_sample *sample, void *arg)
{
    uint32_t *sum = arg;

    *sum += number_of(sample);
}

static void *register_steadily(void *arg)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    char command[64];

    (void)arg;
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED) && fresh_count < FRESH_MAX) {
        struct cairn_tracepoint *tp = &fresh[fresh_count++];

        *tp = (struct cairn_tracepoint)CAIRN_TRACEPOINT_INIT;
        (void)snprintf(command, sizeof(command), "fresh_%u u32 number", fresh_count);
        if (cairn_tracepoint_register(tp, command) || write_number(tp, 1))
            return tp;
        (void)nanosleep(&pause, NULL);
    }
    return NULL;
}

static void an_event_that_is_registered_during_a_change_is_recorded_once(void **state)
{
    struct recording r = begin_recording("fresh_*", CAIRN_SESSION_BUFFER_DEFAULT_BYTES);
    uint32_t sum = 0;
    pthread_t thread;
    void *failed;

    (void)state;
    is_over = 0;
    assert_int_equal(pthread_create(&thread, NULL, register_steadily, NULL), 0);
    for (int i = 0; i < CHANGES; i++) {
        poll_recording(&r);
        assert_int_equal(i % 2 ? cairn_session_pattern_remove(r.session, "nobody_*")
                               : cairn_session_pattern_add(r.session, "nobody_*", NULL),
                         0);
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    end_recording(&r, count, &sum);
    assert_true(fresh_count > CHANGES);
    assert_int_equal(sum, fresh_count);
    for (uint32_t n = 0; n < fresh_count; n++)
        (void)cairn_tracepoint_unregister(&fresh[n]);
}

/* ---- first events ---- */

/* With its event a process joins the session, which takes long. */
static void write_in_new_processes(uint32_t *started)
{
    int status;

    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        pid_t pid = fork();

        if (pid == 0)
            _exit(write_number(&steady, 1));
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
        (*started)++;
    }
}

static void *change_patterns(void *arg)
{
    struct recording *r = arg;
    int error = 0;

    for (int i = 0; i < 2 * CHANGES && !error; i++) {
        poll_recording(r);
        error = i % 2 ? cairn_session_pattern_remove(r->session, "nobody_*")
                      : cairn_session_pattern_add(r->session, "nobody_*", NULL);
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    return error ? arg : NULL;
}

static void a_first_event_during_a_change_is_recorded_once(void **state)
{
    struct recording r = begin_recording("steady", (size_t)64 << 20);
    uint32_t started = 0;
    uint32_t sum = 0;
    pthread_t thread;
    void *failed;

    (void)state;
    is_over = 0;
    assert_int_equal(pthread_create(&thread, NULL, change_patterns, &r), 0);
    write_in_new_processes(&started);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    end_recording(&r, count, &sum);
    assert_int_equal(r.counts.lost, 0);
    assert_int_equal(sum, started);
}

/* The writer waits for its CPU between both halves of an event. */
static void an_event_that_takes_longer_than_a_change_is_recorded(void **state)
{
    struct recording r = begin_recording("steady", CAIRN_SESSION_BUFFER_DEFAULT_BYTES);
    struct engine_thread *thread;
    uint32_t number = 2;
    uint32_t sum = 0;
    uint8_t *payload;

    (void)state;
    assert_int_equal(write_number(&steady, 1), 0);
    payload = engine_emit_begin(&steady, steady.descriptor, sizeof(number), &thread);
    if (!payload) { /* this machine has no fast path */
        end_recording(&r, count, &sum);
        skip();
    }
    memcpy(payload, &number, sizeof(number));
    assert_int_equal(cairn_session_pattern_add(r.session, "nobody_*", NULL), 0);
    (void)usleep(2 * SETTLED_US);
    poll_recording(&r);
    assert_int_equal(engine_emit_commit(thread, payload + sizeof(number), steady.descriptor), 0);
    assert_int_equal(write_number(&steady, 4), 0);
    poll_recording(&r);
    end_recording(&r, count, &sum);
    assert_int_equal(sum, 1 + 2 + 4);
    assert_int_equal(r.counts.processes, 1);
}

static void a_process_that_wrote_before_a_change_is_counted(void **state)
{
    struct recording r = begin_recording("steady", CAIRN_SESSION_BUFFER_DEFAULT_BYTES);

    (void)state;
    assert_int_equal(write_number(&steady, 1), 0);
    poll_recording(&r);
    assert_int_equal(cairn_session_pattern_add(r.session, "nobody_*", NULL), 0);
    assert_int_equal(cairn_session_pattern_add(r.session, "nowhere_*", NULL), 0);
    end_recording(&r, NULL, NULL);
    assert_int_equal(r.counts.processes, 1);
    assert_int_equal(r.counts.alive, 1);
}

static void a_pattern_counts_from_its_addition_to_its_removal(void **state)
{
    struct recording r = begin_recording("nobody", CAIRN_SESSION_BUFFER_DEFAULT_BYTES);
    uint32_t sum = 0;

    (void)state;
    assert_int_equal(write_number(&other, 1), EBADF);
    assert_int_equal(cairn_session_pattern_add(r.session, "other", "number != 4"), 0);
    assert_int_equal(cairn_session_pattern_add(r.session, "other", NULL), EEXIST);
    assert_int_equal(write_number(&other, 2), 0);
    assert_int_equal(write_number(&other, 4), 0);
    assert_int_equal(cairn_session_pattern_remove(r.session, "nobody"), 0);
    assert_int_equal(write_number(&other, 8), 0);
    assert_int_equal(cairn_session_pattern_add(r.session, "steady", NULL), 0);
    assert_int_equal(cairn_session_pattern_remove(r.session, "other"), 0);
    assert_int_equal(write_number(&other, 16), EBADF);
    assert_int_equal(cairn_session_pattern_remove(r.session, "other"), ENOENT);
    assert_int_equal(cairn_session_pattern_remove(r.session, "steady"), EINVAL);
    assert_int_equal(cairn_session_pattern_add(r.session, "", NULL), EINVAL);
    end_recording(&r, count, &sum);
    assert_int_equal(sum, 2 + 8);
    assert_int_equal(r.counts.filtered, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_continue_without_a_gap_while_patterns_change),
        cmocka_unit_test(an_event_that_is_registered_during_a_change_is_recorded_once),
        cmocka_unit_test(a_first_event_during_a_change_is_recorded_once),
        cmocka_unit_test(an_event_that_takes_longer_than_a_change_is_recorded),
        cmocka_unit_test(a_process_that_wrote_before_a_change_is_counted),
        cmocka_unit_test(a_pattern_counts_from_its_addition_to_its_removal),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
