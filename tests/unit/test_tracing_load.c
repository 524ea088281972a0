/* SPDX-License-Identifier: MIT */
/* Test of changes of filters, layers and subscribers while threads trace and pass spans to each
 * other. For ThreadSanitizer. */
#include "tracing_test.h"

#include <sched.h>
#include <stdatomic.h>

struct counter {
    struct cairn_layer layer; /* must be the first member */
    atomic_uint events;
    atomic_int open;
    atomic_bool is_gone;
};

/* Field n is a number or this text, whichever thread records it now. */
static void check_span(const struct cairn_layer *layer, struct cairn_span *span)
{
    struct cairn_tracing_value value = cairn_span_value(span, 0);

    if (value.kind == CAIRN_KIND_TEXT)
        assert_true(value.data_bytes == 10 && !memcmp(value.of.data, "a text now", 10));
    else
        assert_int_equal(value.kind, CAIRN_KIND_SIGNED);
    assert_ptr_equal(cairn_layer_kept(layer, span), layer);
}

static void count_event(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    struct counter *counter = (struct counter *)layer;
    struct cairn_span *span = cairn_layer_span(layer, event->span);

    assert_false(atomic_load(&counter->is_gone));
    for (; span; span = cairn_layer_span(layer, cairn_span_parent(span)))
        check_span(layer, span);
    atomic_fetch_add(&counter->events, 1);
}

static void count_new(struct cairn_layer *layer, struct cairn_span *span)
{
    assert_int_equal(cairn_layer_keep(layer, span, layer), 0);
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

static struct cairn_subscriber *with_counter(struct counter *counter)
{
    struct cairn_subscriber *made;

    assert_int_equal(cairn_subscriber_create(&made), 0);
    assert_int_equal(cairn_subscriber_add(made, &counter->layer, NULL), 0);
    return made;
}

static atomic_bool is_over;
static struct cairn_span *_Atomic passed_span;

/* Threads create spans, record values, and pass the spans on; others enter them, and the last one
 * closes them. */
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
    loaded = with_counter(&stays);
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

/* Each thread, and its spans, alternate between a subscriber of its own and the global one. */
static void *change_scopes(void *arg)
{
    struct cairn_subscriber *own = arg;

    while (!atomic_load(&is_over)) {
        struct cairn_subscriber_scope scope;
        CAIRN_SCOPE(INFO, "load", kv("n", 1));

        CAIRN_INFO("in the global one");
        assert_int_equal(cairn_subscriber_enter(&scope, own), 0);
        {
            CAIRN_SCOPE(INFO, "load", kv("n", "a text now"));
            CAIRN_INFO("in the own one");
        }
        assert_int_equal(cairn_subscriber_leave(&scope), 0);
        cairn_tracing_log(6, "load", "from a logger");
    }
    return NULL;
}

static void subscribers_change_while_threads_trace(void **state)
{
    struct counter counters[4] = {
        {.layer = counting}, {.layer = counting}, {.layer = counting}, {.layer = counting}};
    struct cairn_subscriber *subscribers[4];
    pthread_t threads[2];

    (void)state;
    atomic_store(&is_over, false);
    for (int i = 0; i < 4; i++)
        subscribers[i] = with_counter(&counters[i]);
    assert_int_equal(cairn_subscriber_set_global(subscribers[0]), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, change_scopes, subscribers[2 + i]), 0);
    for (int i = 0;
         i < 100 || !atomic_load(&counters[2].events) || !atomic_load(&counters[3].events); i++)
        assert_int_equal(cairn_subscriber_set_global(i % 3 ? subscribers[i % 3 - 1] : NULL), 0);
    atomic_store(&is_over, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(cairn_subscriber_set_global(subscriber), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(atomic_load(&counters[i].open), 0);
        assert_int_equal(cairn_subscriber_destroy(subscribers[i]), 0);
    }
    forget_notes(&notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_and_filters_change_while_threads_trace),
        cmocka_unit_test(subscribers_change_while_threads_trace),
    };

    return cmocka_run_group_tests(tests, begin_notes, end_notes);
}
