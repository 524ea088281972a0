/* SPDX-License-Identifier: MIT */
/* Test of subscribers and layers: which layer gets which events. */
#include "tracing_test.h"

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
    tracing_line_free(&other.text);
}

static void a_layer_gets_only_spans_that_passed_its_filter(void **state)
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
    tracing_line_free(&other.text);
}

static void a_layer_is_not_called_for_older_spans(void **state)
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
    tracing_line_free(&other.text);
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
    tracing_line_free(&other.text);
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

static void a_layer_may_reject_each_event(void **state)
{
    struct notebook other = NOTEBOOK;

    (void)state;
    other.layer.enabled = every_other;
    assert_int_equal(cairn_subscriber_add(subscriber, &other.layer, NULL), 0);
    for (int i = 0; i < 4; i++)
        CAIRN_INFO("%d", i);
    assert_notes(&other, "test_tracing_subscribers: 0\ntest_tracing_subscribers: 2\n");
    assert_int_equal(cairn_subscriber_remove(subscriber, &other.layer), 0);
    tracing_line_free(&other.text);
    forget_notes(&notes);
}

/* Enters a subscriber of the calling thread's own with one notebook; leave_own ends it. */
static struct cairn_subscriber *enter_own(struct cairn_subscriber_scope *scope,
                                          struct notebook *book, const char *filter)
{
    struct cairn_subscriber *own;

    assert_int_equal(cairn_subscriber_create(&own), 0);
    assert_int_equal(cairn_subscriber_add(own, &book->layer, directives(filter)), 0);
    assert_int_equal(cairn_subscriber_enter(scope, own), 0);
    return own;
}

static void leave_own(struct cairn_subscriber_scope *scope, struct cairn_subscriber *own,
                      struct notebook *book)
{
    assert_int_equal(cairn_subscriber_leave(scope), 0);
    assert_int_equal(cairn_subscriber_destroy(own), 0);
    tracing_line_free(&book->text);
}

static void *close_it(void *span)
{
    cairn_span_enter(span);
    cairn_span_exit(span);
    cairn_span_close(span);
    return NULL;
}

static void a_span_stays_with_the_layers_that_took_it(void **state)
{
    struct notebook other = NOTEBOOK;
    struct cairn_subscriber_scope silence;
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber *own = enter_own(&scope, &other, "info");
    struct cairn_span *span = CAIRN_SPAN(INFO, "s", kv("a", 1));
    pthread_t thread;

    (void)state;
    assert_int_equal(cairn_subscriber_enter(&silence, NULL), 0);
    CAIRN_RECORD(span, "a", 2);
    assert_int_equal(cairn_subscriber_leave(&silence), 0);
    assert_int_equal(pthread_create(&thread, NULL, close_it, span), 0);
    pthread_join(thread, NULL);
    assert_notes(&other, "new s a=1\nrecord s a=2\nenter s\nexit s\nclose s\n");
    leave_own(&scope, own, &other);
    assert_notes(&notes, "");
}

static void *trace_there(void *arg)
{
    (void)arg;
    CAIRN_INFO("there");
    return NULL;
}

static void a_thread_started_in_a_scope_is_not_in_it(void **state)
{
    struct notebook other = NOTEBOOK;
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber *own = enter_own(&scope, &other, "info");
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, trace_there, NULL), 0);
    pthread_join(thread, NULL);
    assert_notes(&other, "");
    leave_own(&scope, own, &other);
    assert_notes(&notes, "test_tracing_subscribers: there\n");
}

static unsigned times_asked;

static const struct cairn_tracepoint *count_asked(struct cairn_layer *layer,
                                                  const struct cairn_callsite *site)
{
    (void)layer;
    (void)site;
    times_asked++;
    return CAIRN_ALWAYS;
}

/* A call site that only the subscriber of one thread wants. */
static bool is_wanted(void)
{
    return CAIRN_ENABLED(TRACE, target("of a scope"));
}

static void entering_again_asks_about_no_call_site(void **state)
{
    struct cairn_layer layer = {.interest = count_asked};
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber *own;
    unsigned asked;

    (void)state;
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("off")), 0);
    assert_int_equal(cairn_subscriber_create(&own), 0);
    assert_int_equal(cairn_subscriber_add(own, &layer, NULL), 0);
    assert_int_equal(times_asked, 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(cairn_subscriber_enter(&scope, own), 0);
        assert_true(is_wanted());
        assert_int_equal(cairn_subscriber_leave(&scope), 0);
        asked = i ? asked : times_asked;
    }
    assert_true(asked > 0);
    assert_int_equal(times_asked, asked);
    assert_int_equal(cairn_subscriber_destroy(own), 0);
    assert_false(is_wanted());
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
}

static void call_sites_wanted_by_an_ended_scope_are_disabled_when_asked_again(void **state)
{
    struct cairn_layer layer = {.interest = count_asked};
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber *own;

    (void)state;
    assert_int_equal(cairn_subscriber_create(&own), 0);
    assert_int_equal(cairn_subscriber_add(own, &layer, NULL), 0);
    assert_int_equal(cairn_subscriber_enter(&scope, own), 0);
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("off")), 0);
    assert_true(is_wanted());
    assert_int_equal(cairn_subscriber_leave(&scope), 0);
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("off")), 0);
    assert_false(is_wanted());
    assert_int_equal(cairn_subscriber_enter(&scope, own), 0);
    assert_true(is_wanted());
    assert_int_equal(cairn_subscriber_leave(&scope), 0);
    assert_int_equal(cairn_subscriber_destroy(own), 0);
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
}

#define SCOPE_THREADS 4
#define SCOPES        2000

static unsigned events_in_scopes;

static void count_in_scope(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    (void)layer;
    (void)event;
    __atomic_fetch_add(&events_in_scopes, 1, __ATOMIC_RELAXED);
}

static void *trace_in_scopes(void *own)
{
    struct cairn_subscriber_scope scope;

    for (int i = 0; i < SCOPES; i++) {
        assert_int_equal(cairn_subscriber_enter(&scope, own), 0);
        CAIRN_TRACE("in a scope");
        assert_int_equal(cairn_subscriber_leave(&scope), 0);
    }
    return NULL;
}

static void scopes_lose_no_events_while_filters_change(void **state)
{
    struct cairn_layer layer = {.event = count_in_scope};
    pthread_t threads[SCOPE_THREADS];
    struct cairn_subscriber *own;

    (void)state;
    assert_int_equal(cairn_subscriber_create(&own), 0);
    assert_int_equal(cairn_subscriber_add(own, &layer, NULL), 0);
    for (int i = 0; i < SCOPE_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, trace_in_scopes, own), 0);
    for (int i = 0; i < 200; i++)
        assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("off")), 0);
    for (int i = 0; i < SCOPE_THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(events_in_scopes, SCOPE_THREADS * SCOPES);
    assert_int_equal(cairn_subscriber_destroy(own), 0);
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
}

static void another_global_subscriber_replaces_the_first(void **state)
{
    struct notebook other = NOTEBOOK;
    struct cairn_subscriber *next;

    (void)state;
    assert_int_equal(cairn_subscriber_create(&next), 0);
    assert_int_equal(cairn_subscriber_add(next, &other.layer, NULL), 0);
    CAIRN_INFO("1");
    assert_int_equal(cairn_subscriber_set_global(next), 0);
    CAIRN_INFO("2");
    assert_int_equal(cairn_subscriber_set_global(subscriber), 0);
    CAIRN_INFO("3");
    assert_int_equal(cairn_subscriber_destroy(next), 0);
    assert_notes(&other, "test_tracing_subscribers: 2\n");
    assert_notes(&notes, "test_tracing_subscribers: 1\ntest_tracing_subscribers: 3\n");
    tracing_line_free(&other.text);
}

static void trace_in_span(void)
{
    CAIRN_SCOPE(DEBUG, "s");
    CAIRN_DEBUG("d");
    CAIRN_INFO("i");
}

static void a_filter_applies_to_its_own_layer_only(void **state)
{
    struct notebook other = NOTEBOOK;
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber *own;

    (void)state;
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("[s]=info")), 0);
    own = enter_own(&scope, &other, "debug");
    trace_in_span();
    assert_notes(&other, "new s\nenter s\ntest_tracing_subscribers: d in s\n"
                         "test_tracing_subscribers: i in s\nexit s\nclose s\n");
    leave_own(&scope, own, &other);
    trace_in_span();
    assert_notes(&notes, "new s\nenter s\ntest_tracing_subscribers: i in s\nexit s\nclose s\n");
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
}

static void a_removed_layer_is_not_called(void **state)
{
    struct notebook other = NOTEBOOK;
    struct cairn_span *span;

    (void)state;
    assert_int_equal(cairn_subscriber_add(subscriber, &other.layer, NULL), 0);
    span = CAIRN_SPAN(INFO, "s");
    assert_int_equal(cairn_subscriber_remove(subscriber, &other.layer), 0);
    forget_notes(&other);
    trace_in_span();
    cairn_span_close(span);
    assert_notes(&other, "");
    tracing_line_free(&other.text);
    forget_notes(&notes);
}

/* ---- data that layers store in spans ---- */

static struct cairn_span *seen_span;

static void keep_number(struct cairn_layer *layer, struct cairn_span *span)
{
    assert_null(cairn_layer_kept(layer, span));
    assert_int_equal(cairn_layer_keep(layer, span, calloc(1, sizeof(int))), 0);
}

static void count_there(struct cairn_layer *layer, struct cairn_span *span)
{
    ++*(int *)cairn_layer_kept(layer, span);
}

static int last_count;

static void tell_number(struct cairn_layer *layer, struct cairn_span *span)
{
    int *number = cairn_layer_kept(layer, span);

    last_count = *number;
    free(number);
}

static void a_layer_stores_data_with_a_span(void **state)
{
    const struct cairn_layer counts_enters = {
        .span_new = keep_number, .span_enter = count_there, .span_close = tell_number};
    struct cairn_layer layers[2] = {counts_enters, counts_enters};
    struct cairn_span *span;

    (void)state;
    assert_int_equal(cairn_subscriber_add(subscriber, &layers[0], NULL), 0);
    assert_int_equal(cairn_subscriber_add(subscriber, &layers[1], NULL), 0);
    span = CAIRN_SPAN(INFO, "s");
    for (int i = 0; i < 3; i++) {
        CAIRN_IN_SPAN(span);
    }
    assert_int_equal(*(int *)cairn_layer_kept(&layers[0], span), 3);
    assert_ptr_not_equal(cairn_layer_kept(&layers[0], span), cairn_layer_kept(&layers[1], span));
    assert_null(cairn_layer_kept(&notes.layer, span));
    cairn_span_close(span);
    assert_int_equal(last_count, 3);
    assert_int_equal(cairn_subscriber_remove(subscriber, &layers[0]), 0);
    assert_int_equal(cairn_subscriber_remove(subscriber, &layers[1]), 0);
    forget_notes(&notes);
}

static void see_span(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    seen_span = cairn_layer_span(layer, event->span);
}

static void data_of_a_removed_layer_are_not_those_of_the_next(void **state)
{
    struct cairn_layer first = {.event = see_span};
    struct cairn_layer next = {.event = see_span};
    struct cairn_span *span;
    uint32_t slot;

    (void)state;
    assert_int_equal(cairn_subscriber_add(subscriber, &first, NULL), 0);
    slot = first.slot;
    span = CAIRN_SPAN(INFO, "old");
    cairn_span_enter(span);
    assert_int_equal(cairn_layer_keep(&first, span, &first), 0);
    assert_int_equal(cairn_subscriber_remove(subscriber, &first), 0);
    assert_int_equal(cairn_subscriber_add(subscriber, &next, NULL), 0);
    while (next.slot != slot) {
        assert_int_equal(cairn_subscriber_remove(subscriber, &next), 0);
        assert_int_equal(cairn_subscriber_add(subscriber, &next, NULL), 0);
    }
    seen_span = span;
    CAIRN_INFO("e");
    assert_null(seen_span);
    assert_null(cairn_layer_kept(&next, span));
    assert_int_equal(cairn_layer_keep(&next, span, &next), EINVAL);
    cairn_span_exit(span);
    cairn_span_close(span);
    assert_int_equal(cairn_subscriber_remove(subscriber, &next), 0);
    forget_notes(&notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_layer_has_its_own_filter),
        cmocka_unit_test(a_layer_gets_only_spans_that_passed_its_filter),
        cmocka_unit_test(a_layer_is_not_called_for_older_spans),
        cmocka_unit_test(a_thread_may_have_a_subscriber_of_its_own),
        cmocka_unit_test(the_global_subscriber_is_not_destroyed),
        cmocka_unit_test(a_layer_cannot_change_subscribers),
        cmocka_unit_test(there_are_at_most_32_layers),
        cmocka_unit_test(a_layer_may_reject_each_event),
        cmocka_unit_test(a_span_stays_with_the_layers_that_took_it),
        cmocka_unit_test(a_thread_started_in_a_scope_is_not_in_it),
        cmocka_unit_test(entering_again_asks_about_no_call_site),
        cmocka_unit_test(call_sites_wanted_by_an_ended_scope_are_disabled_when_asked_again),
        cmocka_unit_test(scopes_lose_no_events_while_filters_change),
        cmocka_unit_test(another_global_subscriber_replaces_the_first),
        cmocka_unit_test(a_filter_applies_to_its_own_layer_only),
        cmocka_unit_test(a_removed_layer_is_not_called),
        cmocka_unit_test(a_layer_stores_data_with_a_span),
        cmocka_unit_test(data_of_a_removed_layer_are_not_those_of_the_next),
    };

    return cmocka_run_group_tests(tests, begin_notes, end_notes);
}
