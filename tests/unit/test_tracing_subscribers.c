/* SPDX-License-Identifier: MIT */
/* Subscribers and their layers: which gets what, and what may change while threads trace. */
#include "tracing_test.h"

#include <sched.h>
#include <stdatomic.h>

static void each_layer_has_its_own_filter(void **state)
{
    struct notebook other = NOTEBOOK;

    (void)state;
    assert_int_equal(cairn_subscriber_add(subscriber, &other.layer, directives("warn")), 0);
    CAIRN_INFO("i");
    CAIRN_WARN("w");
    assert_notes(&notes, "test_tracing_subscribers: i\ntest_tracing_subscribers: w\n");
    assert_notes(&other, "test_tracing_subscribers: w\n");
    assert_int_equal(cairn_subscriber_remove(subscriber, &other.layer), 0);
    assert_int_equal(other.destroyed, 1);
    assert_int_equal(cairn_subscriber_remove(subscriber, &other.layer), ENOENT);
    CAIRN_WARN("later");
    assert_notes(&notes, "test_tracing_subscribers: later\n");
    assert_notes(&other, "");
    cairn_line_free(&other.text);
}

static void a_layer_sees_only_spans_that_passed_its_filter(void **state)
{
    struct notebook other = NOTEBOOK;

    (void)state;
    assert_int_equal(cairn_subscriber_add(subscriber, &other.layer, directives("info")), 0);
    {
        CAIRN_SCOPE(INFO, "outer");
        CAIRN_SCOPE(DEBUG, "inner");
        CAIRN_INFO("e");
    }
    assert_notes(&notes, "new outer\nenter outer\nnew inner\nenter inner\n"
                         "test_tracing_subscribers: e in inner\n"
                         "exit inner\nclose inner\nexit outer\nclose outer\n");
    assert_notes(&other, "new outer\nenter outer\ntest_tracing_subscribers: e in outer\n"
                         "exit outer\nclose outer\n");
    assert_int_equal(cairn_subscriber_remove(subscriber, &other.layer), 0);
    cairn_line_free(&other.text);
}

static void a_layer_is_told_nothing_of_spans_that_are_older(void **state)
{
    struct notebook other = NOTEBOOK;
    struct cairn_span *span = CAIRN_SPAN(INFO, "old");

    (void)state;
    assert_int_equal(cairn_subscriber_add(subscriber, &other.layer, NULL), 0);
    cairn_span_enter(span);
    CAIRN_INFO("e");
    cairn_span_exit(span);
    cairn_span_close(span);
    assert_notes(&other, "test_tracing_subscribers: e\n");
    assert_int_equal(cairn_subscriber_remove(subscriber, &other.layer), 0);
    cairn_line_free(&other.text);
    forget_notes(&notes);
}

static void a_thread_may_have_a_subscriber_of_its_own(void **state)
{
    struct notebook other = NOTEBOOK;
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber_scope silence;
    struct cairn_subscriber *own;

    (void)state;
    assert_int_equal(cairn_subscriber_create(&own), 0);
    assert_int_equal(cairn_subscriber_add(own, &other.layer, NULL), 0);
    assert_int_equal(cairn_subscriber_enter(&scope, own), 0);
    CAIRN_INFO("own");
    assert_int_equal(cairn_subscriber_enter(&silence, NULL), 0);
    CAIRN_INFO("nobody's");
    assert_int_equal(cairn_subscriber_leave(&scope), EINVAL);
    assert_int_equal(cairn_subscriber_destroy(own), EBUSY);
    assert_int_equal(cairn_subscriber_leave(&silence), 0);
    assert_int_equal(cairn_subscriber_leave(&scope), 0);
    CAIRN_INFO("all's");
    assert_int_equal(cairn_subscriber_destroy(own), 0);
    assert_int_equal(other.destroyed, 1);
    assert_notes(&other, "test_tracing_subscribers: own\n");
    assert_notes(&notes, "test_tracing_subscribers: all's\n");
    cairn_line_free(&other.text);
}

static void the_global_subscriber_is_not_destroyed(void **state)
{
    (void)state;
    assert_int_equal(cairn_subscriber_destroy(subscriber), EBUSY);
    assert_int_equal(cairn_subscriber_set_global(NULL), 0);
    CAIRN_INFO("to nobody");
    assert_int_equal(cairn_subscriber_set_global(subscriber), 0);
    assert_notes(&notes, "");
}

static int seen_errors[8];

static void try_all(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    struct cairn_subscriber_scope scope;

    (void)event;
    seen_errors[0] = cairn_subscriber_add(subscriber, layer, NULL);
    seen_errors[1] = cairn_subscriber_reload(subscriber, layer, NULL);
    seen_errors[2] = cairn_subscriber_remove(subscriber, layer);
    seen_errors[3] = cairn_subscriber_set_global(NULL);
    seen_errors[4] = cairn_subscriber_enter(&scope, NULL);
    seen_errors[5] = cairn_subscriber_leave(&scope);
    seen_errors[6] = cairn_subscriber_destroy(subscriber);
}

static void a_layer_cannot_change_subscribers(void **state)
{
    struct cairn_layer layer = {.event = try_all};

    (void)state;
    assert_int_equal(cairn_subscriber_add(subscriber, &layer, NULL), 0);
    CAIRN_INFO("e");
    assert_int_equal(cairn_subscriber_remove(subscriber, &layer), 0);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(seen_errors[i], EDEADLK);
    forget_notes(&notes);
}

static void there_are_at_most_32_layers(void **state)
{
    static struct cairn_layer layers[CAIRN_LAYERS_MAX];

    (void)state;
    for (uint32_t i = 0; i + 1 < CAIRN_LAYERS_MAX; i++)
        assert_int_equal(cairn_subscriber_add(subscriber, &layers[i], directives("off")), 0);
    assert_int_equal(cairn_subscriber_add(subscriber, &layers[31], NULL), ENOSPC);
    for (uint32_t i = 0; i + 1 < CAIRN_LAYERS_MAX; i++)
        assert_int_equal(cairn_subscriber_remove(subscriber, &layers[i]), 0);
}

static bool every_other(struct cairn_layer *layer, const struct cairn_callsite *site,
                        struct cairn_span *span)
{
    static int calls;

    (void)layer;
    (void)site;
    (void)span;
    return calls++ % 2 == 0;
}

static void a_layer_may_say_no_each_time(void **state)
{
    struct notebook other = NOTEBOOK;

    (void)state;
    other.layer.enabled = every_other;
    assert_int_equal(cairn_subscriber_add(subscriber, &other.layer, NULL), 0);
    for (int i = 0; i < 4; i++)
        CAIRN_INFO("%d", i);
    assert_notes(&other, "test_tracing_subscribers: 0\ntest_tracing_subscribers: 2\n");
    assert_int_equal(cairn_subscriber_remove(subscriber, &other.layer), 0);
    cairn_line_free(&other.text);
    forget_notes(&notes);
}

/* ---- under load ---- */

struct counter {
    struct cairn_layer layer; /* first */
    atomic_uint events;
    atomic_int open;
    atomic_bool is_gone;
};

static void count_event(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    struct counter *counter = (struct counter *)layer;
    struct cairn_span *span = cairn_layer_span(layer, event->span);

    assert_false(atomic_load(&counter->is_gone));
    if (span)
        assert_in_range(cairn_span_value(span, 0).kind, CAIRN_KIND_SIGNED, CAIRN_KIND_TEXT);
    atomic_fetch_add(&counter->events, 1);
}

static void count_new(struct cairn_layer *layer, struct cairn_span *span)
{
    (void)span;
    atomic_fetch_add(&((struct counter *)layer)->open, 1);
}

static void count_close(struct cairn_layer *layer, struct cairn_span *span)
{
    (void)span;
    atomic_fetch_sub(&((struct counter *)layer)->open, 1);
}

static void count_destroy(struct cairn_layer *layer)
{
    atomic_store(&((struct counter *)layer)->is_gone, true);
}

static const struct cairn_layer counting = {.event = count_event,
                                            .span_new = count_new,
                                            .span_close = count_close,
                                            .destroy = count_destroy};

static atomic_bool is_over;
static struct cairn_span *_Atomic passed_span;

/* Spans are made here, recorded, handed on, entered there, and closed by whoever is last. */
static void *trace_under_load(void *arg)
{
    int number = *(int *)arg;

    while (!atomic_load(&is_over)) {
        struct cairn_span *span = CAIRN_SPAN(INFO, "load", kv("n", number), kv("t", "text"));
        struct cairn_span *other = atomic_exchange(&passed_span, cairn_span_hold(span));
        CAIRN_IN_SPAN(span);

        CAIRN_INFO((kv("n", number)), "in own");
        CAIRN_RECORD(span, "n", "a text now");
        if (other) {
            CAIRN_IN_SPAN(other);
            CAIRN_RECORD(other, "n", number);
            CAIRN_DEBUG("in other's");
        }
        cairn_span_close(other);
        cairn_span_close(span);
    }
    return NULL;
}

static void change_under_load(struct cairn_subscriber *loaded, struct counter *stays)
{
    for (int i = 0; i < 200; i++) {
        struct counter comes = {.layer = counting};

        assert_int_equal(cairn_subscriber_add(loaded, &comes.layer, directives("debug")), 0);
        assert_int_equal(
            cairn_subscriber_reload(loaded, &stays->layer,
                                    i % 2 ? NULL : directives("info,[load{n=1}]=debug")),
            0);
        assert_int_equal(cairn_subscriber_remove(loaded, &comes.layer), 0);
        assert_true(atomic_load(&comes.is_gone));
    }
}

static void layers_and_filters_change_while_threads_trace(void **state)
{
    struct counter stays = {.layer = counting};
    struct cairn_subscriber *loaded;
    int numbers[] = {1, 2, 3};
    pthread_t threads[3];

    (void)state;
    assert_int_equal(cairn_subscriber_create(&loaded), 0);
    assert_int_equal(cairn_subscriber_add(loaded, &stays.layer, NULL), 0);
    assert_int_equal(cairn_subscriber_set_global(loaded), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, trace_under_load, &numbers[i]), 0);
    while (atomic_load(&stays.events) < 100)
        (void)sched_yield();
    change_under_load(loaded, &stays);
    atomic_store(&is_over, true);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    cairn_span_close(atomic_exchange(&passed_span, NULL));
    assert_true(atomic_load(&stays.events) > 0);
    assert_int_equal(atomic_load(&stays.open), 0);
    assert_int_equal(cairn_subscriber_set_global(subscriber), 0);
    assert_int_equal(cairn_subscriber_destroy(loaded), 0);
    forget_notes(&notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_layer_has_its_own_filter),
        cmocka_unit_test(a_layer_sees_only_spans_that_passed_its_filter),
        cmocka_unit_test(a_layer_is_told_nothing_of_spans_that_are_older),
        cmocka_unit_test(a_thread_may_have_a_subscriber_of_its_own),
        cmocka_unit_test(the_global_subscriber_is_not_destroyed),
        cmocka_unit_test(a_layer_cannot_change_subscribers),
        cmocka_unit_test(there_are_at_most_32_layers),
        cmocka_unit_test(a_layer_may_say_no_each_time),
        cmocka_unit_test(layers_and_filters_change_while_threads_trace),
    };

    return cmocka_run_group_tests(tests, begin_notes, end_notes);
}
