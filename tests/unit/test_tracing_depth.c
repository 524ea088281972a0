/* SPDX-License-Identifier: MIT */
/* Test of the data that are cached in spans instead of a search in all ancestors: they agree with
 * the search. */
#include "tracing/directives.h"
#include "tracing/span.h"
#include "tracing_test.h"

#include <stdio.h>

#define SPANS 300 /* several times as many as one cached search covers */

static struct cairn_span *spans[SPANS]; /* the parent of each is one before it, or none */
static uint32_t random_state = 1;

static uint32_t next_random(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 16) % below;
}

/* Returns a parent that makes deep trees, mostly. */
static struct cairn_span *some_parent(uint32_t index)
{
    uint32_t choice = next_random(20);

    if (!index || !choice)
        return NULL;
    return choice < 17 ? spans[index - 1] : spans[next_random(index)];
}

static struct cairn_span *make_span(struct cairn_span *parent)
{
    int x = (int)next_random(3);

    switch (next_random(4)) {
    case 0:
        return CAIRN_SPAN(INFO, "a", target("one"), parent(parent), kv("x", x), kv("y", "no"));
    case 1:
        return CAIRN_SPAN(DEBUG, "b", target("two"), parent(parent), kv("x", x));
    case 2:
        return CAIRN_SPAN(TRACE, "c", target("three"), parent(parent), kv("y", "no"));
    default:
        return CAIRN_SPAN(ERROR, "d", target("one"), parent(parent));
    }
}

static void close_span(uint32_t index)
{
    cairn_span_close(spans[index]);
    spans[index] = NULL;
}

static void make_spans(void)
{
    for (uint32_t i = 0; i < SPANS; i++)
        spans[i] = make_span(some_parent(i));
}

static void close_spans(void)
{
    for (uint32_t i = 0; i < SPANS; i++)
        close_span(i);
}

/* ---- filters ---- */

static unsigned seen[CAIRN_TRACING_TRACE + 1];

static void see(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    (void)layer;
    seen[event->site->level]++;
}

static void trace_in(struct cairn_span *span)
{
    memset(seen, 0, sizeof(seen));
    CAIRN_ERROR((target("e"), parent(span)));
    CAIRN_WARN((target("e"), parent(span)));
    CAIRN_INFO((target("e"), parent(span)));
    CAIRN_DEBUG((target("e"), parent(span)));
    CAIRN_TRACE((target("e"), parent(span)));
}

/* Computes the level from the span and all its ancestors. */
static uint8_t level_in(const struct cairn_directives *directives, const struct cairn_span *span)
{
    uint8_t level = CAIRN_TRACING_OFF;

    for (; span; span = cairn_span_parent(span)) {
        uint8_t own = tracing_directives_level_in(directives, span);

        level = own > level ? own : level;
    }
    return level;
}

static const char *const filters[] = {
    "warn,[{x=1}]=trace",
    "error,[a{x=0,y=yes}]=debug,[{y=yes}]=info,[b]=warn",
    "off,[a]=info,two[b{x=2}]=trace,[c{y=no}]=debug",
    "info,[{x=+2}]=trace,[d]=debug",
    "[none]=trace",
    "info",
};

/* A copy of the layer's filter. */
static struct cairn_directives *twin;

static void set_filter(struct cairn_layer *layer, const char *text)
{
    cairn_directives_destroy(twin);
    twin = directives(text);
    assert_int_equal(cairn_subscriber_reload(subscriber, layer, directives(text)), 0);
}

static void check_span(struct cairn_span *span)
{
    static const struct cairn_callsite nowhere = {
        .target = "e", .target_bytes = 1, .kind = CAIRN_CALLSITE_EVENT};
    uint8_t level = level_in(twin, span);

    trace_in(span);
    for (int i = CAIRN_TRACING_ERROR; i <= CAIRN_TRACING_TRACE; i++) {
        struct cairn_callsite site = nowhere;

        site.level = (uint8_t)i;
        assert_int_equal(seen[i], i <= level ||
                                      tracing_directives_judge(twin, &site) == TRACING_VERDICT_YES);
    }
}

static void record_something(struct cairn_span *span)
{
    if (next_random(2))
        CAIRN_RECORD(span, "x", (int)next_random(3));
    else
        CAIRN_RECORD(span, "y", next_random(2) ? "yes" : "no");
}

static void a_filter_passes_what_the_enclosing_spans_select(void **state)
{
    struct cairn_layer layer = {.event = see};

    (void)state;
    assert_int_equal(cairn_subscriber_add(subscriber, &layer, NULL), 0);
    for (int round = 0; round < 60; round++) {
        set_filter(&layer, filters[(unsigned)round % (sizeof(filters) / sizeof(filters[0]))]);
        make_spans();
        for (int step = 0; step < 300; step++) {
            uint32_t choice = next_random(100);
            uint32_t some = next_random(SPANS);

            if (choice < 30)
                record_something(spans[some]);
            if (choice == 99)
                set_filter(&layer, filters[next_random(sizeof(filters) / sizeof(filters[0]))]);
            check_span(spans[next_random(4) ? some : SPANS - 1]);
        }
        close_spans();
    }
    assert_int_equal(cairn_subscriber_remove(subscriber, &layer), 0);
    cairn_directives_destroy(twin);
    twin = NULL;
}

/* ---- values recorded by one thread apply to all threads ---- */

#define THREADS 4
#define ROUNDS  1500

static pthread_barrier_t barrier;
static struct cairn_span *root;
static int root_x;
static bool is_over;
static unsigned in_round[THREADS];

static void count_in_round(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    (void)layer;
    if (event->site->field_count)
        in_round[event->values[0].of.bits]++;
}

static void trace_as(int thread, struct cairn_span *span)
{
    CAIRN_TRACE((parent(span), kv("thread", thread)));
}

/* Traces in a thread with a span of its own below the root, or in the root itself, also while the
 * value changes. */
static void *follow_value(void *arg)
{
    int number = (int)(intptr_t)arg;
    struct cairn_span *child = number % 2 ? CAIRN_SPAN(INFO, "below", parent(root)) : NULL;
    struct cairn_span *span = child ? child : root;

    for (;;) {
        trace_as(number, span); /* the value changes meanwhile */
        pthread_barrier_wait(&barrier);
        if (is_over)
            break;
        in_round[number] = 0;
        trace_as(number, span);
        assert_int_equal(in_round[number], root_x == 1);
        if (number == 3) { /* a new span each time */
            cairn_span_close(child);
            child = span = CAIRN_SPAN(INFO, "below", parent(root));
        }
        pthread_barrier_wait(&barrier);
    }
    cairn_span_close(child);
    return NULL;
}

static void check_following(int threads, int first)
{
    struct cairn_layer layer = {.event = count_in_round};
    pthread_t running[THREADS];

    assert_int_equal(cairn_subscriber_add(subscriber, &layer, directives("info,[root{x=1}]=trace")),
                     0);
    assert_int_equal(pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1), 0);
    is_over = false;
    root = CAIRN_SPAN(INFO, "root", kv("x", 0));
    for (int i = 0; i < threads; i++)
        assert_int_equal(pthread_create(&running[i], NULL, follow_value,
                                        (void *)(intptr_t)(first < 0 ? i : first)),
                         0);
    for (int i = 0; i < ROUNDS; i++) {
        root_x = (int)next_random(3);
        CAIRN_RECORD(root, "x", 1 - root_x % 2); /* for a short time only */
        CAIRN_RECORD(root, "x", root_x);
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
    }
    is_over = true;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < threads; i++)
        pthread_join(running[i], NULL);
    cairn_span_close(root);
    pthread_barrier_destroy(&barrier);
    assert_int_equal(cairn_subscriber_remove(subscriber, &layer), 0);
}

static void a_recorded_value_applies_to_all_threads(void **state)
{
    (void)state;
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("off")), 0);
    check_following(THREADS, -1);
    check_following(1, 0); /* no span has the value */
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
}

/* ---- the nearest span that a layer has taken ---- */

#define LAYERS 4

static struct cairn_layer layers[LAYERS];

static bool has_taken(const struct cairn_layer *layer, const struct cairn_span *span)
{
    return span->layers >> layer->slot & 1 && span->begin_ns >= layer->since_ns;
}

static struct cairn_span *nearest(const struct cairn_layer *layer, struct cairn_span *span)
{
    while (span && !has_taken(layer, span))
        span = span->parent;
    return span;
}

/* Finds the parent's id by checking each ancestor that was not taken. */
static bool parent_id(const struct cairn_layer *layer, const struct cairn_span *span, uint8_t id[8])
{
    const struct cairn_span *end = nearest(layer, span->parent);

    while (cairn_span_parent_id(span, id)) {
        const struct cairn_span *parent = span->parent;

        if (parent == end || memcmp(parent->context.span_id, id, 8) != 0)
            return true;
        span = parent;
    }
    return false;
}

static void check_layers(void)
{
    for (uint32_t i = 0; i < SPANS; i++) {
        for (uint32_t k = 0; k < LAYERS; k++) {
            uint8_t expected[8] = {0};
            uint8_t id[8] = {0};

            assert_ptr_equal(cairn_layer_span(&layers[k], spans[i]), nearest(&layers[k], spans[i]));
            if (!spans[i])
                continue;
            if (parent_id(&layers[k], spans[i], expected)) {
                assert_true(tracing_layer_parent_id(&layers[k], spans[i], id));
                assert_memory_equal(id, expected, 8);
            } else {
                assert_false(tracing_layer_parent_id(&layers[k], spans[i], id));
            }
        }
    }
}

static struct cairn_span *make_taken(struct cairn_span *parent)
{
    const struct cairn_trace_context caller = {.trace_id = {1},
                                               .span_id = {(uint8_t)(1 + next_random(255)), 7}};

    switch (next_random(5)) {
    case 0:
        return CAIRN_SPAN(INFO, "1", target("one"), parent(parent));
    case 1:
        return CAIRN_SPAN(INFO, "2", target("two"), parent(parent));
    case 2:
        return CAIRN_SPAN(ERROR, "all", target("three"), parent(parent));
    case 3:
        return CAIRN_SPAN(INFO, "served", target("one"), parent(parent), remote(&caller));
    default:
        return CAIRN_SPAN(INFO, "12", target("twelve"), parent(parent));
    }
}

static void the_nearest_span_of_a_layer_is_found_in_any_tree(void **state)
{
    static const char *const wanted[LAYERS] = {"one,twelve", "two,twelve", "error",
                                               "three,two=off"};

    (void)state;
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("off")), 0);
    for (uint32_t k = 0; k < LAYERS; k++)
        assert_int_equal(cairn_subscriber_add(subscriber, &layers[k], directives(wanted[k])), 0);
    for (int round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < SPANS; i++) {
            spans[i] = make_taken(some_parent(i));
            if (i == SPANS / 2) { /* the layer has not taken older spans */
                assert_int_equal(cairn_subscriber_remove(subscriber, &layers[0]), 0);
                assert_int_equal(
                    cairn_subscriber_add(subscriber, &layers[0], directives(wanted[0])), 0);
            }
        }
        check_layers();
        close_spans();
    }
    for (uint32_t k = 0; k < LAYERS; k++)
        assert_int_equal(cairn_subscriber_remove(subscriber, &layers[k]), 0);
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
}

/* ---- depth ---- */

static void spans_may_be_a_hundred_thousand_deep(void **state)
{
    struct cairn_layer layer = {.event = see};
    struct cairn_span *span = NULL;

    (void)state;
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("off")), 0);
    assert_int_equal(cairn_subscriber_add(subscriber, &layer, NULL), 0);
    set_filter(&layer, "error,[deep{x=7}]=trace,[deep{x=500}]=debug");
    for (int i = 0; i < 100000; i++) {
        struct cairn_span *child = CAIRN_SPAN(INFO, "deep", kv("x", i), parent(span));

        cairn_span_close(span); /* its child keeps it alive */
        span = child;
        if (i % 100 == 0)
            check_span(i > 700 ? NULL : span);
    }
    trace_in(span);
    assert_int_equal(seen[CAIRN_TRACING_TRACE], 1);
    set_filter(&layer, "error,[deep{x=100001}]=trace,[deep{x=500}]=debug");
    trace_in(span);
    assert_int_equal(seen[CAIRN_TRACING_TRACE], 0);
    assert_int_equal(seen[CAIRN_TRACING_DEBUG], 1);
    CAIRN_RECORD(span, "x", 100001);
    trace_in(span);
    assert_int_equal(seen[CAIRN_TRACING_TRACE], 1);
    cairn_span_close(span);
    assert_int_equal(cairn_subscriber_remove(subscriber, &layer), 0);
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
    cairn_directives_destroy(twin);
    twin = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filter_passes_what_the_enclosing_spans_select),
        cmocka_unit_test(a_recorded_value_applies_to_all_threads),
        cmocka_unit_test(the_nearest_span_of_a_layer_is_found_in_any_tree),
        cmocka_unit_test(spans_may_be_a_hundred_thousand_deep),
    };

    return cmocka_run_group_tests(tests, begin_notes, end_notes);
}
