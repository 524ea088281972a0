/* SPDX-License-Identifier: MIT */
/* What is in shared memory was written by anybody: a program must survive it. */
#include "engine_test.h"

static struct cairn_event_entry *entry_of(const struct cairn_tracepoint *tp)
{
    return &recorder.entries[tp->id - CAIRN_TYPE_BASE];
}

static void *write_one(void *arg)
{
    return (void *)(intptr_t)write_number(arg, 1);
}

/* In a thread that has never written: its context is new. */
static int write_in_new_thread(struct cairn_tracepoint *tp)
{
    pthread_t thread;
    void *result;

    assert_int_equal(pthread_create(&thread, NULL, write_one, tp), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    return (int)(intptr_t)result;
}

static void a_mask_that_names_no_session_is_harmless(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct cairn_local_session session = begin("masked");

    (void)state;
    assert_int_equal(cairn_user_event_register(&tp, "masked u32 a"), 0);
    entry_of(&tp)->sessions = UINT64_MAX;
    assert_int_not_equal(write_in_new_thread(&tp), 0);
    assert_int_equal(read_session(&session).records, 1);
    entry_of(&tp)->sessions = UINT64_C(1) << session.slot;
    end(&session);
    cairn_user_event_unregister(&tp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mask_that_names_no_session_is_harmless),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
