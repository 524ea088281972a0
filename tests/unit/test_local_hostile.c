/* SPDX-License-Identifier: MIT */
/* What is in shared memory was written by anybody: a program must survive it. */
#include "engine_test.h"

static struct cairn_event_entry *entry_of(const struct cairn_tracepoint *tp)
{
    return &recorder.entries[cairn_sample_index(tp->sample_id)];
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
    assert_int_equal(cairn_tracepoint_register(&tp, "masked u32 a"), 0);
    entry_of(&tp)->sessions = UINT64_MAX;
    assert_int_not_equal(write_in_new_thread(&tp), 0);
    assert_int_equal(read_session(&session).records, 1);
    entry_of(&tp)->sessions = UINT64_C(1) << session.slot;
    end(&session);
    cairn_tracepoint_unregister(&tp);
}

/* Fills what follows the name with letters: neither a space nor a NUL ends it. */
static void a_command_without_an_end_is_no_way_onto_the_stack(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct cairn_tracepoint same = CAIRN_TRACEPOINT_INIT;
    struct cairn_tracepoint next = CAIRN_TRACEPOINT_INIT;
    struct cairn_local_session session;
    char kept[CAIRN_COMMAND_MAX_BYTES];

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&tp, "endless u32 a"), 0);
    assert_int_equal(cairn_tracepoint_register(&next, "next_to_it u32 a"), 0);
    memcpy(kept, entry_of(&tp)->command, sizeof(kept));
    memset(entry_of(&tp)->command, 'x', sizeof(kept));
    memset(entry_of(&next), 'x', sizeof(struct cairn_event_entry));
    session = begin("*");
    assert_true(cairn_tracepoint_is_enabled(&tp));
    memcpy(entry_of(&tp)->command, "endless ", 8); /* found by its name; the rest has no end */
    assert_int_equal(cairn_tracepoint_register(&same, "endless u32 a"), EADDRINUSE);
    memcpy(entry_of(&tp)->command, kept, sizeof(kept));
    memset(entry_of(&next), 0, sizeof(struct cairn_event_entry));
    end(&session);
    cairn_tracepoint_unregister(&tp);
    cairn_tracepoint_unregister(&next);
}

static void patterns_without_an_end_end_with_their_slot(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct cairn_local_session session = begin("nothing");
    char *patterns = recorder.slots[session.slot].patterns;

    (void)state;
    memset(patterns, 'x', CAIRN_SESSION_PATTERNS);
    memcpy(patterns + CAIRN_SESSION_PATTERNS, "", 1);
    assert_int_equal(cairn_tracepoint_register(&tp, "ended u32 a"), 0);
    assert_false(cairn_tracepoint_is_enabled(&tp));
    end(&session);
    cairn_tracepoint_unregister(&tp);
}

static void a_pool_of_absurd_shape_is_not_made(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct cairn_local_session session = begin("shaped");

    (void)state;
    recorder.slots[session.slot].chunk_count = UINT32_MAX;
    assert_int_equal(cairn_tracepoint_register(&tp, "shaped u32 a"), 0);
    assert_int_equal(write_number(&tp, 1), ENOSPC);
    assert_int_equal(read_session(&session).pools, 0);
    end(&session);
    cairn_tracepoint_unregister(&tp);
}

static void an_entry_in_use_is_not_given_out_again(void **state)
{
    struct cairn_tracepoint a = CAIRN_TRACEPOINT_INIT;
    struct cairn_tracepoint b = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&a, "taken u32 a"), 0);
    recorder.registry->first_free = cairn_sample_index(a.sample_id);
    assert_int_equal(cairn_tracepoint_register(&b, "other u64 a"), 0);
    assert_int_not_equal(a.sample_id, b.sample_id);
    recorder.registry->first_free = 0;
    cairn_tracepoint_unregister(&a);
    cairn_tracepoint_unregister(&b);
}

static void chains_that_are_rings_have_an_end(void **state)
{
    struct cairn_tracepoint a = CAIRN_TRACEPOINT_INIT;
    struct cairn_tracepoint b = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&a, "ring u32 a"), 0);
    entry_of(&a)->next = cairn_sample_index(a.sample_id);
    recorder.registry->first_free = 0;
    for (uint32_t i = 0; i < CAIRN_REGISTRY_BUCKETS; i++)
        recorder.buckets[i] = cairn_sample_index(a.sample_id);
    assert_int_equal(cairn_tracepoint_register(&b, "not_in_it u32 a"), 0);
    recorder.registry->changing = 1; /* what a death under the lock leaves: mended by the next */
    assert_int_equal(cairn_tracepoint_unregister(&a), 0);
    assert_int_equal(cairn_tracepoint_unregister(&b), 0);
    assert_int_equal(cairn_registry_find(&recorder, "ring"), 0);
}

static void a_full_registry_says_so(void **state)
{
    uint32_t first_unused = recorder.registry->first_unused;
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)state;
    recorder.registry->first_free = 0;
    recorder.registry->first_unused = CAIRN_EVENT_MAX;
    assert_int_equal(cairn_tracepoint_register(&tp, "too_many u32 a"), ENOSPC);
    recorder.registry->first_unused = UINT32_MAX;
    assert_int_equal(cairn_tracepoint_register(&tp, "too_many u32 a"), ENOSPC);
    recorder.registry->first_unused = first_unused;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mask_that_names_no_session_is_harmless),
        cmocka_unit_test(a_command_without_an_end_is_no_way_onto_the_stack),
        cmocka_unit_test(patterns_without_an_end_end_with_their_slot),
        cmocka_unit_test(a_pool_of_absurd_shape_is_not_made),
        cmocka_unit_test(an_entry_in_use_is_not_given_out_again),
        cmocka_unit_test(chains_that_are_rings_have_an_end),
        cmocka_unit_test(a_full_registry_says_so),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
