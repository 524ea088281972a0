/* SPDX-License-Identifier: MIT */
/* Test of the public interface of user_events with the kernel's backend. */
#include "guest.h"

#include "engine/status.h"

#include <cairn/user_events.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t number = 7;
static const struct iovec part = {&number, sizeof(number)};

static void write_and_look(const char *backend, const char *event)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    char command[64], expected[64];

    snprintf(command, sizeof(command), "%s u32 a", event);
    snprintf(expected, sizeof(expected), ": %s: a=0x7 ", event);
    setenv("CAIRN_BACKEND", backend, 1);
    guest_write(TRACING "/trace", "");
    assert_int_equal(cairn_tracepoint_register(&tp, command), 0);
    assert_false(cairn_tracepoint_is_enabled(&tp));
    assert_int_equal(cairn_tracepoint_write(&tp, &part, 1), EBADF);
    guest_enable(event, true);
    assert_true(cairn_tracepoint_is_enabled(&tp));
    assert_int_equal(cairn_tracepoint_write(&tp, &part, 1), 0);
    guest_enable(event, false);
    assert_false(cairn_tracepoint_is_enabled(&tp));
    assert_non_null(strstr(guest_read(TRACING "/trace"), expected));
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
    assert_false(cairn_tracepoint_is_enabled(&tp));
}

static void the_kernel_alone_accepts_events(void **state)
{
    (void)state;
    write_and_look("kernel", "cairn_front_kernel");
}

static void the_kernel_and_the_local_engine_both_accept_events(void **state)
{
    (void)state;
    write_and_look("both", "cairn_front_both");
    write_and_look("auto", "cairn_front_auto");
}

static void the_kernel_is_not_used_when_the_local_engine_is_selected(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)state;
    setenv("CAIRN_BACKEND", "local", 1);
    assert_int_equal(cairn_tracepoint_register(&tp, "cairn_front_local u32 a"), 0);
    assert_int_equal(access(TRACING "/events/user_events/cairn_front_local", F_OK), -1);
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
}

static void an_event_above_perfs_limit_is_E2BIG(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    static char bytes[8185];
    struct iovec large = {bytes, sizeof(bytes)};

    (void)state;
    setenv("CAIRN_BACKEND", "kernel", 1);
    assert_int_equal(cairn_tracepoint_register(&tp, "cairn_front_large u32 a"), 0);
    guest_enable("cairn_front_large", true);
    assert_int_equal(cairn_tracepoint_write(&tp, &large, 1), E2BIG);
    guest_enable("cairn_front_large", false);
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
}

struct older_thread {
    pthread_t thread;
    pthread_barrier_t registered;
    struct cairn_tracepoint tp;
    int error;
};

static void *unregister_here(void *context)
{
    struct older_thread *older = context;

    pthread_barrier_wait(&older->registered);
    older->error = cairn_tracepoint_unregister(&older->tp);
    return NULL;
}

static void unregister_in_an_older_thread(void *context)
{
    struct older_thread older = {.tp = CAIRN_TRACEPOINT_INIT};

    setenv("CAIRN_BACKEND", context, 1);
    pthread_barrier_init(&older.registered, NULL, 2);
    assert_int_equal(pthread_create(&older.thread, NULL, unregister_here, &older), 0);
    assert_int_equal(cairn_tracepoint_register(&older.tp, "cairn_front_older u32 a"), 0);
    pthread_barrier_wait(&older.registered);
    pthread_join(older.thread, NULL);
    assert_int_equal(older.error, EBUSY);

    guest_enable("cairn_front_older", true);
    assert_ptr_equal(older.tp.enabled, engine_status + ENGINE_STATUS_PART_BYTES);
    assert_int_equal(cairn_tracepoint_write(&older.tp, &part, 1), EBADF);
    guest_enable("cairn_front_older", false);
    assert_ptr_equal(older.tp.enabled, engine_status);
    assert_false(cairn_tracepoint_is_enabled(&older.tp));
}

/* tests/kernel/test_kernel_process.c explains why the kernel does that. */
static void a_tracepoint_that_the_kernel_keeps_writing_to_stays_harmless(void **state)
{
    (void)state;
    guest_in_child(unregister_in_an_older_thread, "kernel");
    guest_in_child(unregister_in_an_older_thread, "both");
}

/* ---- flags and deletion ---- */

static const struct cairn_tracepoint_options persisting = {
    sizeof(persisting), CAIRN_USER_EVENT_PERSIST, CAIRN_BACKEND_KERNEL};
static const struct cairn_tracepoint_options of_many_formats = {
    sizeof(of_many_formats), CAIRN_USER_EVENT_MULTI_FORMAT, CAIRN_BACKEND_KERNEL};

static void register_and_end(void *context)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    assert_int_equal(cairn_tracepoint_register_with(&tp, context, &persisting), 0);
    assert_int_equal(cairn_user_event_delete("cairn_persists", CAIRN_BACKEND_KERNEL), EBUSY);
}

/* The kernel releases the events of a process a short time after the process has ended. */
static int delete_with_patience(const char *name)
{
    int error = EBUSY;

    for (int i = 0; i < 1000 && error == EBUSY; i++) {
        error = cairn_user_event_delete(name, CAIRN_BACKEND_KERNEL);
        usleep(10000);
    }
    return error;
}

static void an_event_of_the_kernel_persists_until_it_is_deleted(void **state)
{
    (void)state;
    guest_in_child(register_and_end, (char *)"cairn_persists u32 a");
    sleep(1);
    assert_int_equal(access(TRACING "/events/user_events/cairn_persists", F_OK), 0);
    assert_int_equal(delete_with_patience("cairn_persists"), 0);
    assert_int_equal(access(TRACING "/events/user_events/cairn_persists", F_OK), -1);
    assert_int_equal(cairn_user_event_delete("cairn_persists", CAIRN_BACKEND_KERNEL), ENOENT);
}

static void formats_with_one_name_are_separate_events_in_the_kernel(void **state)
{
    struct cairn_tracepoint a = CAIRN_TRACEPOINT_INIT, b = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(cairn_tracepoint_register_with(&a, "cairn_many u32 a", &of_many_formats), 0);
    assert_int_equal(cairn_tracepoint_register_with(&b, "cairn_many u64 a", &of_many_formats), 0);
    assert_int_not_equal(a.kernel_index, b.kernel_index);
    assert_int_equal(cairn_tracepoint_unregister(&a), 0);
    assert_int_equal(cairn_tracepoint_unregister(&b), 0);
}

static void status_reports_the_kernels_tracer(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)state;
    setenv("CAIRN_BACKEND", "both", 1);
    assert_int_equal(cairn_tracepoint_register(&tp, "cairn_status u32 a"), 0);
    assert_int_equal(cairn_tracepoint_status(&tp), 0);
    guest_enable("cairn_status", true);
    assert_int_equal(cairn_tracepoint_status(&tp), CAIRN_LISTENER_KERNEL);
    guest_enable("cairn_status", false);
    assert_int_equal(cairn_tracepoint_status(&tp), 0);
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tracepoint_that_the_kernel_keeps_writing_to_stays_harmless),
        cmocka_unit_test(an_event_of_the_kernel_persists_until_it_is_deleted),
        cmocka_unit_test(formats_with_one_name_are_separate_events_in_the_kernel),
        cmocka_unit_test(status_reports_the_kernels_tracer),
        cmocka_unit_test(the_kernel_alone_accepts_events),
        cmocka_unit_test(the_kernel_and_the_local_engine_both_accept_events),
        cmocka_unit_test(the_kernel_is_not_used_when_the_local_engine_is_selected),
        cmocka_unit_test(an_event_above_perfs_limit_is_E2BIG),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
