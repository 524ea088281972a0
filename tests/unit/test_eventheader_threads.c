/* SPDX-License-Identifier: MIT */
/* Test of providers in several threads: each event whose write succeeded is recorded, and no
 * other. */
#include "engine_test.h"
#include "provider_threads.h"

CAIRN_PROVIDER(threads_provider, "EhThreads");

static void threads_may_register_and_unregister_a_provider_while_others_write(void **state)
{
    struct engine_session session = begin("EhThreads_*");
    struct provider_threads t = {.rounds = 300};
    struct found found;

    (void)state;
    provider_threads_run(&t, provider_threads_register, provider_threads_write);
    assert_int_equal(cairn_provider_unregister(&threads_provider), ENOENT);
    assert_int_equal(t.registered, t.unregistered);
    assert_true(t.registered > 0);
    found = read_session(&session);
    assert_int_equal(found.records, t.written);
    assert_int_equal(found.lost, 0);
    assert_int_equal(found.nameless, 0);
    end(&session);
}

static void of_threads_that_register_concurrently_one_succeeds(void **state)
{
    struct provider_threads t = {.rounds = 300};

    (void)state;
    provider_threads_run(&t, provider_threads_register, provider_threads_register);
    assert_int_equal(t.registered, t.unregistered);
    assert_int_equal(cairn_provider_register(&threads_provider), 0);
    assert_int_equal(cairn_provider_unregister(&threads_provider), 0);
}

static void threads_may_load_and_unload_a_shared_object_with_a_provider(void **state)
{
    struct engine_session session = begin("EhResident_*");
    struct provider_threads t = {
        .rounds = 100, .plugin = CAIRN_TEST_EVENTHEADER_RESIDENT, .is_heard = true};
    struct found found;

    (void)state;
    provider_threads_run(&t, provider_threads_load, provider_threads_load);
    assert_int_equal(t.written, PROVIDER_THREADS * t.rounds * 3);
    found = read_session(&session);
    assert_int_equal(found.records, t.written);
    assert_int_equal(found.lost, 0);
    end(&session);
}

/* The loader has a lock of its own, and runs constructors under it. */
static void shared_objects_may_be_loaded_while_providers_register(void **state)
{
    struct engine_session session = begin("Eh*");
    struct provider_threads t = {
        .rounds = 100, .plugin = CAIRN_TEST_EVENTHEADER_RESIDENT, .is_heard = true};
    struct found found;

    (void)state;
    provider_threads_run(&t, provider_threads_load, provider_threads_register);
    found = read_session(&session);
    assert_int_equal(found.records, t.written);
    assert_int_equal(found.lost, 0);
    end(&session);
}

static void sessions_may_begin_and_end_while_providers_register(void **state)
{
    struct provider_threads t = {.rounds = 300, .sessions_end = true};
    pthread_t threads[2];

    (void)state;
    assert_int_equal(pthread_create(&threads[0], NULL, provider_threads_register, &t), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, provider_threads_write, &t), 0);
    for (int i = 0; i < 50; i++) {
        struct engine_session session = begin(i % 2 ? "EhThreads_L5*" : "*");

        assert_int_equal(read_session(&session).nameless, 0);
        end(&session);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(t.registered, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_may_register_and_unregister_a_provider_while_others_write),
        cmocka_unit_test(of_threads_that_register_concurrently_one_succeeds),
        cmocka_unit_test(threads_may_load_and_unload_a_shared_object_with_a_provider),
        cmocka_unit_test(shared_objects_may_be_loaded_while_providers_register),
        cmocka_unit_test(sessions_may_begin_and_end_while_providers_register),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
