/* SPDX-License-Identifier: MIT */
/* Test of call sites: their metadata, and when layers are asked about them. */
#define CAIRN_MODULE "net"

#include "tracing_test.h"

/* A layer that counts the questions and gives the answer that the test has set. */
struct asker {
    struct cairn_layer layer; /* must be the first member */
    const struct cairn_tracepoint *wants;
    const struct cairn_callsite *seen;
    int asked;
    int asked_each_time;
    int events;
};

static bool is_of(const struct cairn_callsite *site, const char *target)
{
    return site->target_bytes == strlen(target) &&
           !memcmp(site->target, target, site->target_bytes);
}

static const struct cairn_tracepoint *ask(struct cairn_layer *layer,
                                          const struct cairn_callsite *site)
{
    struct asker *asker = (struct asker *)layer;

    asker->asked += is_of(site, "asked");
    return is_of(site, "asked") || is_of(site, "known") ? asker->wants : CAIRN_NEVER;
}

static bool ask_each_time(struct cairn_layer *layer, const struct cairn_callsite *site,
                          struct cairn_span *span)
{
    (void)site;
    (void)span;
    ((struct asker *)layer)->asked_each_time++;
    return true;
}

static void note_place(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    struct asker *asker = (struct asker *)layer;

    asker->seen = event->site;
    asker->events++;
}

static struct asker asker = {
    .layer = {.interest = ask, .enabled = ask_each_time, .event = note_place}};

static int evaluated;

static void trace(void)
{
    CAIRN_INFO((target("asked"), kv("a", ++evaluated)));
}

static int silence(void **state)
{
    (void)state;
    evaluated = 0;
    asker =
        (struct asker){.layer = {.interest = ask, .enabled = ask_each_time, .event = note_place}};
    return cairn_subscriber_reload(subscriber, &notes.layer, directives("off"));
}

static int unsilence(void **state)
{
    (void)state;
    forget_notes(&notes);
    return cairn_subscriber_reload(subscriber, &notes.layer, NULL);
}

static void a_layer_is_asked_once_about_a_call_site(void **state)
{
    (void)state;
    trace();
    asker.wants = CAIRN_ALWAYS;
    assert_int_equal(cairn_subscriber_add(subscriber, &asker.layer, NULL), 0);
    assert_int_equal(asker.asked, 1);
    for (int i = 0; i < 3; i++)
        trace();
    assert_int_equal(asker.asked, 1);
    assert_int_equal(asker.asked_each_time, 3);
    assert_int_equal(asker.events, 3);
    assert_int_equal(cairn_subscriber_remove(subscriber, &asker.layer), 0);
}

static void a_call_site_is_disabled_until_a_layer_wants_it(void **state)
{
    (void)state;
    assert_int_equal(cairn_subscriber_add(subscriber, &asker.layer, NULL), 0);
    trace();
    assert_int_equal(asker.asked_each_time + asker.events + evaluated, 0);
    asker.wants = CAIRN_ALWAYS;
    trace();
    assert_int_equal(asker.events, 0); /* the answer applies until the layer is asked again */
    assert_int_equal(cairn_subscriber_reload(subscriber, &asker.layer, NULL), 0);
    assert_int_equal(asker.asked, 2);
    trace();
    assert_int_equal(asker.events, 1);
    assert_int_equal(cairn_subscriber_remove(subscriber, &asker.layer), 0);
    trace();
    assert_int_equal(evaluated, 1);
}

static void a_layer_is_called_only_for_call_sites_that_it_wants(void **state)
{
    struct asker other = asker;

    (void)state;
    other.wants = CAIRN_ALWAYS;
    assert_int_equal(cairn_subscriber_add(subscriber, &asker.layer, NULL), 0);
    assert_int_equal(cairn_subscriber_add(subscriber, &other.layer, NULL), 0);
    trace();
    assert_int_equal(asker.asked_each_time + asker.events, 0);
    assert_int_equal(other.events, 1);
    assert_int_equal(cairn_subscriber_remove(subscriber, &asker.layer), 0);
    assert_int_equal(cairn_subscriber_remove(subscriber, &other.layer), 0);
}

static void a_tracepoint_can_be_the_answer(void **state)
{
    unsigned char listeners[8] = {0};
    const struct cairn_tracepoint gate = {.enabled = listeners, .kernel_index = -1};

    (void)state;
    asker.wants = &gate;
    assert_int_equal(cairn_subscriber_add(subscriber, &asker.layer, NULL), 0);
    trace();
    assert_int_equal(evaluated + asker.asked_each_time, 0);
    listeners[0] = 1;
    trace();
    assert_int_equal(asker.events, 1);
    assert_int_equal(cairn_subscriber_remove(subscriber, &asker.layer), 0);
}

static void a_filter_is_evaluated_before_the_layer(void **state)
{
    (void)state;
    asker.wants = CAIRN_ALWAYS;
    assert_int_equal(cairn_subscriber_add(subscriber, &asker.layer, directives("warn")), 0);
    trace();
    assert_int_equal(asker.asked + asker.asked_each_time + evaluated, 0);
    assert_int_equal(cairn_subscriber_remove(subscriber, &asker.layer), 0);
}

static void a_layer_gets_the_metadata_of_the_call_site(void **state)
{
    const struct cairn_callsite *site;

    (void)state;
    asker.wants = CAIRN_ALWAYS;
    assert_int_equal(cairn_subscriber_add(subscriber, &asker.layer, NULL), 0);
    CAIRN_WARN((target("known"), kv("a", 1), kv("b", 2), keyword(6), tag(7)));
    site = asker.seen;
    assert_string_equal(site->file, "test_tracing_places.c");
    assert_int_equal(site->line, __LINE__ - 3);
    assert_memory_equal(site->name, "test_tracing_places.c:", 22);
    assert_int_equal(strtoul(site->name + 22, NULL, 10), site->line);
    assert_int_equal(site->level, CAIRN_TRACING_WARN);
    assert_int_equal(site->kind, CAIRN_CALLSITE_EVENT);
    assert_int_equal(site->field_count, 2);
    assert_string_equal(site->fields[1], "b");
    assert_int_equal(site->keyword, 6);
    assert_int_equal(site->tag, 7);
    CAIRN_WARN((target("known"), name("Named")));
    assert_string_equal(asker.seen->name, "Named");
    assert_int_equal(cairn_subscriber_remove(subscriber, &asker.layer), 0);
}

static void a_module_precedes_the_files_name(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s");

    (void)state;
    assert_int_equal(cairn_span_callsite(span)->target_bytes, 24);
    assert_memory_equal(cairn_span_callsite(span)->target, "net::test_tracing_places", 24);
    assert_string_equal(cairn_span_callsite(span)->file, "test_tracing_places.c");
    cairn_span_close(span);
    forget_notes(&notes);
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("net=info")), 0);
    CAIRN_INFO("wanted");
    CAIRN_INFO((target("elsewhere")), "not wanted");
    assert_notes(&notes, "net::test_tracing_places: wanted\n");
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
}

static int error_of_change;
static int traced_in_answer;

/* Traces at new call sites, and tries to change the subscriber that asks. */
static const struct cairn_tracepoint *trace_in_answer(struct cairn_layer *layer,
                                                      const struct cairn_callsite *site)
{
    (void)site;
    traced_in_answer++;
    cairn_tracing_log(3, "a new target", "in an answer");
    CAIRN_ERROR("in an answer");
    assert_null(CAIRN_SPAN(ERROR, "in an answer"));
    error_of_change = cairn_subscriber_reload(subscriber, layer, NULL);
    return CAIRN_ALWAYS;
}

static void events_written_by_a_layer_that_is_asked_are_omitted(void **state)
{
    struct cairn_layer layer = {.interest = trace_in_answer};

    (void)state;
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
    assert_int_equal(cairn_subscriber_add(subscriber, &layer, NULL), 0);
    assert_true(traced_in_answer > 1);
    assert_int_equal(error_of_change, EDEADLK);
    cairn_tracing_log(3, "another new target", "later");
    assert_int_equal(cairn_subscriber_remove(subscriber, &layer), 0);
    assert_notes(&notes, "another new target: later\n");
}

static void without_a_subscriber_nothing_happens(void **state)
{
    (void)state;
    assert_int_equal(cairn_subscriber_set_global(NULL), 0);
    trace();
    assert_null(CAIRN_SPAN(ERROR, "s", kv("a", ++evaluated)));
    assert_false(CAIRN_ENABLED(ERROR));
    assert_int_equal(evaluated, 0);
    assert_int_equal(cairn_subscriber_set_global(subscriber), 0);
}

int main(void)
{
#define SILENT(test) cmocka_unit_test_setup_teardown(test, silence, unsilence)
    const struct CMUnitTest tests[] = {
        SILENT(a_layer_is_asked_once_about_a_call_site),
        SILENT(a_call_site_is_disabled_until_a_layer_wants_it),
        SILENT(a_layer_is_called_only_for_call_sites_that_it_wants),
        SILENT(a_tracepoint_can_be_the_answer),
        SILENT(a_filter_is_evaluated_before_the_layer),
        SILENT(a_layer_gets_the_metadata_of_the_call_site),
        cmocka_unit_test(a_module_precedes_the_files_name),
        SILENT(events_written_by_a_layer_that_is_asked_are_omitted),
        SILENT(without_a_subscriber_nothing_happens),
    };

    return cmocka_run_group_tests(tests, begin_notes, end_notes);
}
