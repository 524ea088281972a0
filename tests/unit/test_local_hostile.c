/* SPDX-License-Identifier: MIT */
/* Test of hostile contents of shared memory, which any process with access may write: a program
 * must not crash. */
#include "engine_test.h"

static struct engine_event_entry *entry_of(const struct cairn_tracepoint *tp)
{
    return &recorder.entries[engine_sample_index(tp->sample_id)];
}

static void *write_one(void *arg)
{
    return (void *)(intptr_t)write_number(arg, 1);
}

/* Writes in a thread that has not written before, which has no cached state. */
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
    struct engine_session session = begin("masked");

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&tp, "masked u32 a"), 0);
    entry_of(&tp)->sessions = UINT64_MAX;
    assert_int_equal(write_in_new_thread(&tp), 0);
    assert_int_equal(read_session(&session).records, 1);
    entry_of(&tp)->sessions = UINT64_C(1) << session.slot;
    end(&session);
    cairn_tracepoint_unregister(&tp);
}

/* Fills the rest of the command with letters: neither a space nor a NUL ends it. */
static void a_command_without_nul_does_not_overflow_the_stack(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct cairn_tracepoint same = CAIRN_TRACEPOINT_INIT;
    struct cairn_tracepoint next = CAIRN_TRACEPOINT_INIT;
    struct engine_session session;
    char kept[CAIRN_COMMAND_MAX_BYTES];

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&tp, "endless u32 a"), 0);
    assert_int_equal(cairn_tracepoint_register(&next, "next_to_it u32 a"), 0);
    memcpy(kept, entry_of(&tp)->command, sizeof(kept));
    memset(entry_of(&tp)->command, 'x', sizeof(kept));
    memset(entry_of(&next), 'x', sizeof(struct engine_event_entry));
    session = begin("*");
    assert_true(cairn_tracepoint_is_enabled(&tp));
    memcpy(entry_of(&tp)->command, "endless ", 8); /* found by its name; the rest has no end */
    assert_int_equal(cairn_tracepoint_register(&same, "endless u32 a"), EADDRINUSE);
    memcpy(entry_of(&tp)->command, kept, sizeof(kept));
    memset(entry_of(&next), 0, sizeof(struct engine_event_entry));
    end(&session);
    cairn_tracepoint_unregister(&tp);
    cairn_tracepoint_unregister(&next);
}

static void patterns_without_nul_end_with_their_slot(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct engine_session session = begin("nothing");
    char *patterns = recorder.slots[session.slot].patterns;

    (void)state;
    memset(patterns, 'x', ENGINE_SESSION_PATTERNS);
    memcpy(patterns + ENGINE_SESSION_PATTERNS, "", 1);
    assert_int_equal(cairn_tracepoint_register(&tp, "ended u32 a"), 0);
    assert_false(cairn_tracepoint_is_enabled(&tp));
    end(&session);
    cairn_tracepoint_unregister(&tp);
}

static void a_pool_of_invalid_size_is_not_created(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct engine_session session = begin("shaped");

    (void)state;
    recorder.slots[session.slot].chunk_count = UINT32_MAX;
    assert_int_equal(cairn_tracepoint_register(&tp, "shaped u32 a"), 0);
    assert_int_equal(write_number(&tp, 1), ENOSPC);
    assert_int_equal(read_session(&session).pools, 0);
    end(&session);
    cairn_tracepoint_unregister(&tp);
}

static void an_entry_in_use_is_not_assigned_again(void **state)
{
    struct cairn_tracepoint a = CAIRN_TRACEPOINT_INIT;
    struct cairn_tracepoint b = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&a, "taken u32 a"), 0);
    recorder.registry->first_free = engine_sample_index(a.sample_id);
    assert_int_equal(cairn_tracepoint_register(&b, "other u64 a"), 0);
    assert_int_not_equal(a.sample_id, b.sample_id);
    recorder.registry->first_free = 0;
    cairn_tracepoint_unregister(&a);
    cairn_tracepoint_unregister(&b);
}

static void cyclic_hash_chains_end(void **state)
{
    struct cairn_tracepoint a = CAIRN_TRACEPOINT_INIT;
    struct cairn_tracepoint b = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&a, "ring u32 a"), 0);
    entry_of(&a)->next = engine_sample_index(a.sample_id);
    recorder.registry->first_free = 0;
    for (uint32_t i = 0; i < ENGINE_REGISTRY_BUCKETS; i++)
        recorder.buckets[i] = engine_sample_index(a.sample_id);
    assert_int_equal(cairn_tracepoint_register(&b, "not_in_it u32 a"), 0);
    recorder.registry->changing = 1; /* the state after a death under the lock, which the next
                                      * caller repairs */
    assert_int_equal(cairn_tracepoint_unregister(&a), 0);
    assert_int_equal(cairn_tracepoint_unregister(&b), 0);
    assert_int_equal(engine_registry_find(&recorder, "ring"), 0);
}

static void a_full_registry_is_ENOSPC(void **state)
{
    uint32_t first_unused = recorder.registry->first_unused;
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)state;
    recorder.registry->first_free = 0;
    recorder.registry->first_unused = ENGINE_EVENT_MAX;
    assert_int_equal(cairn_tracepoint_register(&tp, "too_many u32 a"), ENOSPC);
    recorder.registry->first_unused = UINT32_MAX;
    assert_int_equal(cairn_tracepoint_register(&tp, "too_many u32 a"), ENOSPC);
    recorder.registry->first_unused = first_unused;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mask_that_names_no_session_is_harmless),
        cmocka_unit_test(a_command_without_nul_does_not_overflow_the_stack),
        cmocka_unit_test(patterns_without_nul_end_with_their_slot),
        cmocka_unit_test(a_pool_of_invalid_size_is_not_created),
        cmocka_unit_test(an_entry_in_use_is_not_assigned_again),
        cmocka_unit_test(cyclic_hash_chains_end),
        cmocka_unit_test(a_full_registry_is_ENOSPC),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
