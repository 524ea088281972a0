/* SPDX-License-Identifier: MIT */
/* Test of a recorder that was stopped for a while: programs disable its events, until it continues.
 */
#include "engine/watch.h"
#include "session/internal.h"
#include "session_test.h"

#include <cairn/user_events.h>

#define CALLS 4

static struct cairn_tracepoint before = CAIRN_TRACEPOINT_INIT;
static struct cairn_tracepoint meanwhile = CAIRN_TRACEPOINT_INIT;

static int write_number(struct cairn_tracepoint *tracepoint, uint32_t number)
{
    return cairn_tracepoint_write_bytes(tracepoint, &number, sizeof(number));
}

/* Programs look for heartbeats at most once a second. */
static void look_much_later(const struct recording *r)
{
    const struct session_directory *directory = r->session->directories;
    static uint64_t minutes;
    uint64_t beat_ns = directory->local.slots[directory->handle.slot].heartbeat_ns;

    assert_int_not_equal(beat_ns, 0);
    for (int i = 0; i < CALLS; i++)
        engine_watch_heartbeats(beat_ns + ++minutes * 60 * UINT64_C(1000000000));
}

static void events_that_are_registered_meanwhile_are_recorded_afterwards(void **state)
{
    struct recording r = begin_recording("silenced_*", 0);

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&before, "silenced_before u32 number"), 0);
    poll_recording(&r);
    assert_true(cairn_tracepoint_is_enabled(&before));
    look_much_later(&r);
    assert_false(cairn_tracepoint_is_enabled(&before));
    assert_int_equal(cairn_tracepoint_register(&meanwhile, "silenced_meanwhile u32 number"), 0);
    assert_false(cairn_tracepoint_is_enabled(&meanwhile));
    poll_recording(&r);
    assert_true(cairn_tracepoint_is_enabled(&before));
    assert_true(cairn_tracepoint_is_enabled(&meanwhile));
    assert_int_equal(write_number(&before, 1), 0);
    assert_int_equal(write_number(&meanwhile, 2), 0);
    end_recording(&r, NULL, NULL);
    assert_int_equal(r.counts.events, 2);
    assert_int_equal(r.counts.tracepoints, 2);
    assert_int_equal(r.counts.silences, 1);
    assert_int_equal(r.missing.silences, 1);
    assert_int_equal(r.counts.lost, 0);
    assert_int_equal(cairn_tracepoint_unregister(&meanwhile), 0);
    assert_int_equal(cairn_tracepoint_unregister(&before), 0);
}

static void a_death_under_the_lock_does_not_keep_them_disabled(void **state)
{
    struct recording r = begin_recording("silenced_*", 0);

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&before, "silenced_before u32 number"), 0);
    poll_recording(&r);
    look_much_later(&r);
    assert_false(cairn_tracepoint_is_enabled(&before));
    r.session->directories->local.registry->changing = 1;
    poll_recording(&r);
    assert_true(cairn_tracepoint_is_enabled(&before));
    end_recording(&r, NULL, NULL);
    assert_int_equal(cairn_tracepoint_unregister(&before), 0);
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
        cmocka_unit_test(a_death_under_the_lock_does_not_keep_them_disabled),
        cmocka_unit_test(events_that_are_registered_meanwhile_are_recorded_afterwards),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
