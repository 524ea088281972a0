/* SPDX-License-Identifier: MIT */
/* Test of interrupts at every instruction of an event: each interrupt writes an event itself. */
#include "single_step.h"
#include "tracing/thread.h"
#include "tracing_test.h"

#include <signal.h>

#ifdef CAN_STEP

#define EVENTS 6u

static bool is_in_handler;
static uint32_t written;
static uint32_t written_by_handlers;

/* The second copy does not fit into the memory that the first one has, nor do those of the next
 * event. */
static void copy_texts(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    const size_t bytes = (size_t)1000 << written;

    (void)layer, (void)event;
    if (is_in_handler) {
        written_by_handlers++;
        return;
    }
    written++;
    assert_non_null(tracing_scratch(bytes));
    assert_non_null(tracing_scratch(bytes));
}

static void trap(int signal_number)
{
    (void)signal_number;
    is_in_handler = true;
    CAIRN_INFO((name("InHandler")));
    is_in_handler = false;
}

static void write_stepping(void)
{
    step_begin();
    CAIRN_INFO((name("Interrupted")));
    step_end();
}

/* The layer is none of the library's own, so that each event disables cancellation. */
static void an_event_of_a_handler_frees_nothing_and_keeps_the_cancellation_state(void **state)
{
    const struct sigaction action = {.sa_handler = trap};
    struct cairn_layer layer = {.event = copy_texts};

    (void)state;
    assert_int_equal(cairn_subscriber_add(subscriber, &layer, NULL), 0);
    assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
    for (uint32_t i = 0; i < EVENTS; i++) {
        int cancel_state;

        write_stepping();
        assert_int_equal(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel_state), 0);
        assert_int_equal(cancel_state, PTHREAD_CANCEL_ENABLE);
    }
    assert_true(signal(SIGTRAP, SIG_DFL) != SIG_ERR);
    assert_int_equal(written, EVENTS);
    assert_true(written_by_handlers > EVENTS && cairn_tracing_lost() > EVENTS);
    assert_int_equal(cairn_subscriber_remove(subscriber, &layer), 0);
}

static int begin_without_notes(void **state)
{
    (void)state;
    return cairn_subscriber_create(&subscriber) || cairn_subscriber_set_global(subscriber);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_of_a_handler_frees_nothing_and_keeps_the_cancellation_state),
    };

    return cmocka_run_group_tests(tests, begin_without_notes, end_notes);
}

#else

int main(void)
{
    return 77; /* skipped */
}

#endif
