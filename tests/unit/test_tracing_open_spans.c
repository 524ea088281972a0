/* SPDX-License-Identifier: MIT */
/* Test of spans that are open when a recorder begins. */
#include "engine_test.h"
#include "tracing_test.h"

#include <cairn/eventheader_dynamic.h>
#include <signal.h>

#define PROVIDER "Open_Test"

static struct notebook other = NOTEBOOK; /* a layer that wants all spans */
static struct cairn_subscriber *subscriber;
static struct cairn_layer *layer;

static int set_up_layers(bool keeps_spans, const char *filter, bool with_other)
{
    const struct cairn_eventheader_options options = {
        .size = sizeof(options), .name = PROVIDER, .keeps_spans = keeps_spans};

    return cairn_eventheader_layer_create(&options, &layer) ||
           cairn_subscriber_create(&subscriber) ||
           cairn_subscriber_add(subscriber, layer, filter ? directives(filter) : NULL) ||
           (with_other && cairn_subscriber_add(subscriber, &other.layer, NULL)) ||
           cairn_subscriber_set_global(subscriber);
}

static int set_up_other(void **state)
{
    (void)state;
    return set_up_layers(false, NULL, true);
}

static int set_up_filtered(void **state)
{
    (void)state;
    return set_up_layers(false, "info", true);
}

static int set_up_detailed(void **state)
{
    (void)state;
    return set_up_layers(false, "debug", true);
}

static int set_up_keeping(void **state)
{
    (void)state;
    return set_up_layers(true, NULL, false);
}

static int set_up_alone(void **state)
{
    (void)state;
    return set_up_layers(false, NULL, false);
}

static int tear_down_layers(void **state)
{
    forget_notes(&other);
    (void)state;
    return cairn_subscriber_set_global(NULL) || cairn_subscriber_destroy(subscriber);
}

static bool last_has(const void *bytes, size_t count)
{
    return memmem(last_payload, last_payload_bytes, bytes, count);
}

static bool last_has_id_of(const struct cairn_span *span)
{
    struct cairn_trace_context context;

    assert_true(cairn_span_context(span, &context));
    return last_has(context.span_id, sizeof(context.span_id));
}

static uint8_t last_opcode(void)
{
    return last_payload[offsetof(struct cairn_eventheader, opcode)];
}

static void the_first_event_is_preceded_by_the_open_spans(void **state)
{
    struct cairn_span *outer = CAIRN_SPAN(INFO, "outer", kv("a", 1));
    struct cairn_span *inner = CAIRN_SPAN(INFO, "inner", parent(outer));
    struct cairn_span *ended = CAIRN_SPAN(INFO, "ended");
    struct engine_session session;

    (void)state;
    cairn_span_close(ended);
    session = begin(PROVIDER "_*");
    {
        CAIRN_IN_SPAN(inner);
        CAIRN_INFO((name("E")));
    }
    assert_int_equal(read_session(&session).records, 3);
    assert_true(last_has("E", 2));
    assert_true(last_has_id_of(inner));
    assert_true(last_has_id_of(outer)); /* the related id */
    CAIRN_INFO((name("E")));            /* only once */
    assert_int_equal(read_session(&session).records, 4);
    cairn_span_close(inner);
    assert_int_equal(read_session(&session).records, 5);
    assert_int_equal(last_opcode(), CAIRN_OPCODE_ACTIVITY_STOP);
    cairn_span_close(outer);
    end(&session);
}

/* Its end is the first event. */
static void the_start_of_a_span_precedes_its_end(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s", kv("id", 7));
    struct engine_session session = begin(PROVIDER "_*");
    struct engine_session other_session;

    (void)state;
    CAIRN_INFO((name("E")));
    assert_int_equal(read_session(&session).records, 2);
    other_session = begin(PROVIDER "_*");
    cairn_span_close(span);
    assert_int_equal(read_session(&other_session).records, 2);
    assert_int_equal(last_opcode(), CAIRN_OPCODE_ACTIVITY_STOP);
    end(&other_session);
    end(&session);
}

static void each_recorder_gets_the_open_spans(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s");
    struct engine_session first = begin(PROVIDER "_*");
    struct engine_session second;

    (void)state;
    CAIRN_INFO((name("E")));
    assert_int_equal(read_session(&first).records, 2);
    second = begin(PROVIDER "_*");
    CAIRN_INFO((name("E")));
    assert_int_equal(read_session(&second).records, 2);
    end(&first);
    end(&second);
    second = begin(PROVIDER "_*"); /* perhaps in the slot of an earlier one */
    CAIRN_INFO((name("E")));
    assert_int_equal(read_session(&second).records, 2);
    end(&second);
    cairn_span_close(span);
}

/* The recorder wants other levels. */
static void spans_that_a_recorder_does_not_want_are_not_written(void **state)
{
    struct cairn_span *info = CAIRN_SPAN(INFO, "i");
    struct cairn_span *debug = CAIRN_SPAN(DEBUG, "d");
    struct engine_session session = begin(PROVIDER "_L4*");

    (void)state;
    CAIRN_INFO((name("E")));
    assert_int_equal(read_session(&session).records, 2);
    end(&session);
    cairn_span_close(debug);
    cairn_span_close(info);
}

static void spans_that_the_filter_excludes_are_skipped(void **state)
{
    struct cairn_span *outer = CAIRN_SPAN(INFO, "outer");
    struct cairn_span *middle = CAIRN_SPAN(DEBUG, "middle", parent(outer));
    struct cairn_span *inner = CAIRN_SPAN(DEBUG, "inner", parent(middle));
    struct engine_session session = begin(PROVIDER "_*");

    (void)state;
    {
        CAIRN_IN_SPAN(inner);
        CAIRN_INFO((name("E")));
    }
    assert_int_equal(read_session(&session).records, 2);
    assert_true(last_has("E", 2));
    assert_true(last_has_id_of(outer));
    end(&session);
    cairn_span_close(inner);
    cairn_span_close(middle);
    cairn_span_close(outer);
}

/* The filter excludes the innermost span; the one above it is taken for the second recorder. */
static void a_span_that_is_skipped_finds_an_ancestor_that_is_taken_late(void **state)
{
    struct engine_session first = begin(PROVIDER "_L4*");
    struct cairn_span *outer = CAIRN_SPAN(INFO, "outer");
    struct cairn_span *middle = CAIRN_SPAN(DEBUG, "middle", parent(outer));
    struct cairn_span *inner = CAIRN_SPAN(TRACE, "inner", parent(middle));
    struct engine_session second = begin(PROVIDER "_*");

    (void)state;
    {
        CAIRN_IN_SPAN(inner);
        CAIRN_INFO((name("E")));
    }
    assert_int_equal(read_session(&second).records, 3);
    assert_true(last_has("E", 2));
    assert_true(last_has_id_of(middle));
    end(&second);
    end(&first);
    cairn_span_close(inner);
    cairn_span_close(middle);
    cairn_span_close(outer);
}

/* Call sites are matched again when a filter changes or an object is loaded. */
static void a_filter_that_changes_after_a_recorder_began_loses_no_open_span(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s");
    struct engine_session session = begin(PROVIDER "_*");

    (void)state;
    assert_int_equal(cairn_subscriber_reload(subscriber, layer, NULL), 0);
    CAIRN_INFO((name("E")));
    assert_int_equal(read_session(&session).records, 2);
    end(&session);
    cairn_span_close(span);
}

/* It has a slot, but has not enabled all of its events yet. */
static void a_recorder_that_is_beginning_gets_the_open_spans_later(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s");
    struct engine_session session = begin(PROVIDER "_*");

    (void)state;
    core_store_relaxed(&recorder.registry->changing, 1);
    CAIRN_INFO((name("E")));
    assert_int_equal(read_session(&session).records, 1);
    core_store_relaxed(&recorder.registry->changing, 0);
    CAIRN_INFO((name("E")));
    assert_int_equal(read_session(&session).records, 3);
    end(&session);
    cairn_span_close(span);
}

static void spans_can_be_kept_while_nobody_records(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s", kv("later", cairn_empty()));
    struct engine_session session;

    (void)state;
    assert_non_null(span);
    CAIRN_RECORD(span, "later", "known");
    session = begin(PROVIDER "_*");
    {
        CAIRN_SCOPE(INFO, "t"); /* the new span's start is the first event */
        assert_int_equal(read_session(&session).records, 2);
    }
    assert_int_equal(read_session(&session).records, 3);
    end(&session);
    assert_non_null(CAIRN_SPAN(INFO, "u"));
    cairn_span_close(span);
}

static void without_a_layer_that_wants_them_there_are_no_spans(void **state)
{
    (void)state;
    assert_null(CAIRN_SPAN(INFO, "s"));
}

static struct engine_session shared;

static void write_in_child(void)
{
    CAIRN_INFO((name("E")));
}

static void a_child_does_not_write_spans_of_its_parent(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s");

    (void)state;
    shared = begin(PROVIDER "_*");
    wait_for(run_child(write_in_child));
    assert_int_equal(read_session(&shared).records, 1);
    end(&shared);
    cairn_span_close(span);
}

static bool is_over;

static void *begin_and_end_spans(void *arg)
{
    while (!core_load_relaxed(&is_over)) {
        CAIRN_SCOPE_AS(outer, INFO, "outer", kv("a", "text"), kv("b", cairn_empty()));
        CAIRN_SCOPE(DEBUG, "inner");
        CAIRN_RECORD(outer, "b", "another text");
        CAIRN_INFO((name("E")));
    }
    return arg;
}

static void spans_may_end_while_they_are_written(void **state)
{
    uint64_t lost = cairn_tracing_lost();
    pthread_t threads[3];

    (void)state;
    is_over = false;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, begin_and_end_spans, NULL), 0);
    for (int i = 0; i < 50; i++) {
        struct engine_session session = begin(PROVIDER "_*");

        (void)usleep(500);
        end(&session);
    }
    core_store_relaxed(&is_over, true);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(cairn_tracing_lost(), lost);
}

/* ---- an event of a signal handler ---- */

/* With sanitizers, malloc is theirs. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MALLOC_IS_OURS 0
#elif defined(__has_feature)
#define MALLOC_IS_OURS (!__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer))
#else
#define MALLOC_IS_OURS 1
#endif

static bool is_in_malloc; /* an allocation now would be inside of another */
static uint32_t nested_allocations;

#if MALLOC_IS_OURS
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

void *malloc(size_t size)
{
    nested_allocations += is_in_malloc;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    nested_allocations += is_in_malloc;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    nested_allocations += is_in_malloc;
    return __libc_realloc(memory, size);
}

void free(void *memory)
{
    nested_allocations += is_in_malloc && memory;
    __libc_free(memory);
}
#endif

static void write_event_of_handler(void)
{
    CAIRN_INFO((name("Handler")));
}

static void handle(int number)
{
    (void)number;
    is_in_malloc = true;
    write_event_of_handler();
    is_in_malloc = false;
}

static void the_first_event_may_be_one_of_a_signal_handler(void **state)
{
    static char long_text[70000];
    struct cairn_span *outer = CAIRN_SPAN(INFO, "outer", kv("text", "first"));
    struct cairn_span *inner = CAIRN_SPAN(INFO, "inner", parent(outer), kv("more", cairn_empty()));
    struct engine_session session = begin(PROVIDER "_*");
    struct sigaction old;

    (void)state;
    write_event_of_handler(); /* its metadata are known then */
    end(&session);
    CAIRN_RECORD(outer, "text", "a second text, which readers copy");
    memset(long_text, 'x', sizeof(long_text) - 1);
    CAIRN_RECORD(inner, "more", long_text);
    session = begin(PROVIDER "_*");
    assert_int_equal(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handle}, &old), 0);
    (void)raise(SIGUSR1);
    assert_int_equal(sigaction(SIGUSR1, &old, NULL), 0);
    assert_int_equal(nested_allocations, 0);
    assert_int_equal(read_session(&session).records, 3);
    assert_true(last_has("Handler", 8));
    end(&session);
    cairn_span_close(inner);
    cairn_span_close(outer);
}

#define TEST(name, layers) cmocka_unit_test_setup_teardown(name, set_up_##layers, tear_down_layers)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_filter_that_changes_after_a_recorder_began_loses_no_open_span, other),
        TEST(the_first_event_is_preceded_by_the_open_spans, other),
        TEST(the_start_of_a_span_precedes_its_end, other),
        TEST(each_recorder_gets_the_open_spans, other),
        TEST(spans_that_a_recorder_does_not_want_are_not_written, other),
        TEST(spans_that_the_filter_excludes_are_skipped, filtered),
        TEST(a_span_that_is_skipped_finds_an_ancestor_that_is_taken_late, detailed),
        TEST(a_recorder_that_is_beginning_gets_the_open_spans_later, other),
        TEST(spans_can_be_kept_while_nobody_records, keeping),
        TEST(without_a_layer_that_wants_them_there_are_no_spans, alone),
        TEST(a_child_does_not_write_spans_of_its_parent, other),
        TEST(spans_may_end_while_they_are_written, keeping),
        TEST(the_first_event_may_be_one_of_a_signal_handler, keeping),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
