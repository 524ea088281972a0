/* SPDX-License-Identifier: MIT */
/* Test of allocations: the library's calls of the allocator are counted. */
#include "engine_test.h"
#include "tracing_test.h"

#include <stdatomic.h>
#include <syslog.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static atomic_uint allocations;
static atomic_uint fail_from; /* this call and all later ones fail; 0: none */

static bool may_have(void)
{
    unsigned count = atomic_fetch_add(&allocations, 1) + 1;
    unsigned from = atomic_load(&fail_from);

    return !from || count < from;
}

void *__wrap_malloc(size_t size)
{
    return may_have() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return may_have() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size)
{
    return may_have() ? __real_realloc(memory, size) : NULL;
}

/* Traces an event with a message and one without, each at one call site. */
static void trace_events(int number)
{
    const struct cairn_guid guid = {{1}};

    CAIRN_INFO((kv("n", number), kv("text", "a text"), kv("f", 0.5), kv("guid", &guid)), "event %d",
               number);
    CAIRN_INFO((kv("n", number), kv("bytes", cairn_bytes("\1\2", 2))));
}

static void trace_spans(int number)
{
    CAIRN_SCOPE(INFO, "outer", kv("n", number), kv("text", "a text"), kv("late", cairn_empty()));
    CAIRN_SCOPE(DEBUG, "inner");

    CAIRN_RECORD(cairn_span_parent(cairn_span_current()), "late", "a short text");
    trace_events(number);
}

static unsigned allocated_by(void (*work)(int number), int turns)
{
    unsigned before = atomic_load(&allocations);

    for (int i = 0; i < turns; i++)
        work(i);
    return atomic_load(&allocations) - before;
}

/* Runs in a thread that has not traced before. */
static void *events_then_spans(void *arg)
{
    (void)arg;
    assert_true(allocated_by(trace_events, 1) > 0);
    assert_int_equal(allocated_by(trace_events, 1000), 0);
    (void)allocated_by(trace_spans, 1);
    assert_int_equal(allocated_by(trace_spans, 1000), 0);
    return NULL;
}

static void in_new_thread(void *(*work)(void *))
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, work, NULL), 0);
    pthread_join(thread, NULL);
}

/* A long-lived span, whose text differs for each request. */
static struct cairn_span *long_lived;

static void record_request(int number)
{
    char path[100];

    (void)snprintf(path, sizeof(path), "/%0*d", number % 90, number);
    CAIRN_RECORD(long_lived, "path", (const char *)path);
    CAIRN_RECORD(long_lived, "id", cairn_bytes(path, (size_t)number % 50));
    CAIRN_RECORD(long_lived, "any", number);
    CAIRN_RECORD(long_lived, "any", (const char *)path);
    if (number % 10 == 0)
        CAIRN_INFO((parent(long_lived), kv("n", number)), "request");
}

static void *record_requests(void *arg)
{
    (void)arg;
    long_lived = CAIRN_SPAN(INFO, "connection", kv("path", cairn_empty()), kv("id", "first"),
                            kv("any", cairn_empty()));
    assert_true(allocated_by(record_request, 100) > 0);
    assert_int_equal(allocated_by(record_request, 3000), 0);
    cairn_span_close(long_lived);
    return NULL;
}

static struct cairn_subscriber *with_layer(struct cairn_layer *layer)
{
    struct cairn_subscriber *made;

    assert_int_equal(cairn_subscriber_create(&made), 0);
    assert_int_equal(cairn_subscriber_add(made, layer, NULL), 0);
    assert_int_equal(cairn_subscriber_set_global(made), 0);
    return made;
}

static void without(struct cairn_subscriber *made)
{
    assert_int_equal(cairn_subscriber_set_global(NULL), 0);
    assert_int_equal(cairn_subscriber_destroy(made), 0);
}

static void look_at_event(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    (void)layer;
    (void)event;
}

static void only_a_threads_first_event_allocates(void **state)
{
    struct cairn_layer layer = {.event = look_at_event};
    struct cairn_subscriber *made = with_layer(&layer);

    (void)state;
    in_new_thread(events_then_spans);
    without(made);
}

static void lines_allocate_nothing(void **state)
{
    (void)state;
    for (int style = CAIRN_STDERR_HUMAN; style <= CAIRN_STDERR_JSON; style++) {
        int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
        struct cairn_layer *layer;
        struct cairn_subscriber *made;

        assert_true(fd >= 0);
        assert_int_equal(
            cairn_stderr_layer_create(
                &(struct cairn_stderr_options){.size = sizeof(struct cairn_stderr_options),
                                               .fd = fd,
                                               .style = (enum cairn_stderr_style)style},
                &layer),
            0);
        made = with_layer(layer);
        in_new_thread(events_then_spans);
        in_new_thread(record_requests);
        without(made);
        close(fd);
    }
}

static void a_long_lived_span_does_not_grow(void **state)
{
    struct cairn_layer layer = {.event = look_at_event};
    struct cairn_directives *parsed = NULL;
    struct cairn_subscriber *made;

    (void)state;
    made = with_layer(&layer);
    in_new_thread(record_requests);
    assert_int_equal(cairn_directives_parse("info,[connection{path=/7}]=trace", &parsed, NULL), 0);
    assert_int_equal(cairn_subscriber_reload(made, &layer, parsed), 0);
    in_new_thread(record_requests);
    without(made);
}

static void recorded_events_allocate_nothing(void **state)
{
    struct engine_session session;
    struct cairn_subscriber *made;
    struct cairn_layer *layer;

    (void)state;
    assert_int_equal(
        cairn_eventheader_layer_create(
            &(struct cairn_eventheader_options){.size = sizeof(struct cairn_eventheader_options),
                                                .name = "Tracing_Memory"},
            &layer),
        0);
    made = with_layer(layer);
    session = begin("Tracing_Memory_*");
    in_new_thread(events_then_spans);
    in_new_thread(record_requests);
    assert_true(read_session(&session).records > 0);
    end(&session);
    without(made);
}

static void *trace_unheard(void *arg)
{
    (void)arg;
    assert_int_equal(allocated_by(trace_spans, 10), 0);
    return NULL;
}

static void disabled_events_never_allocate(void **state)
{
    struct cairn_subscriber *made;
    struct cairn_layer *layer;

    (void)state;
    in_new_thread(trace_unheard);
    assert_int_equal(
        cairn_eventheader_layer_create(
            &(struct cairn_eventheader_options){.size = sizeof(struct cairn_eventheader_options),
                                                .name = "Tracing_Memory"},
            &layer),
        0);
    made = with_layer(layer);
    in_new_thread(trace_unheard); /* the events are disabled */
    without(made);
}

/* Starts as a program does: layers, filters, and then events and spans. Returns 0 or
 * ENOMEM. */
static int begin_program(struct cairn_subscriber **ret_subscriber, int fd)
{
    const struct cairn_stderr_options lines = {.size = sizeof(lines), .fd = fd};
    const struct cairn_eventheader_options events = {.size = sizeof(events),
                                                     .name = "Tracing_Memory"};
    struct cairn_directives *parsed = NULL;
    struct cairn_layer *layers[2] = {NULL, NULL};
    int error = cairn_subscriber_create(ret_subscriber);

    if (!error)
        error = cairn_directives_parse("info,[outer{n=1}]=trace", &parsed, NULL);
    if (!error)
        error = cairn_stderr_layer_create(&lines, &layers[0]);
    if (!error)
        error = cairn_eventheader_layer_create(&events, &layers[1]);
    if (!error)
        error = cairn_subscriber_add(*ret_subscriber, layers[0], parsed);
    if (!error) {
        layers[0] = NULL;
        parsed = NULL;
        error = cairn_subscriber_add(*ret_subscriber, layers[1], NULL);
        layers[1] = error ? layers[1] : NULL;
    }
    cairn_layer_destroy(layers[0]);
    cairn_layer_destroy(layers[1]);
    cairn_directives_destroy(parsed);
    return error;
}

static void *trace_without_memory(void *arg)
{
    struct cairn_subscriber *made = NULL;
    int error = begin_program(&made, *(int *)arg);

    assert_true(!error || error == ENOMEM);
    if (made)
        assert_int_equal(cairn_subscriber_set_global(made), 0);
    trace_spans(1);
    cairn_tracing_log(LOG_ERR, "without memory", "%0600d", 1);
    assert_int_equal(cairn_subscriber_set_global(NULL), 0);
    assert_int_equal(cairn_subscriber_destroy(made), 0);
    return NULL;
}

static void a_lack_of_memory_loses_only_events(void **state)
{
    struct engine_session session = begin("Tracing_Memory_*");
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

    (void)state;
    assert_true(fd >= 0);
    for (unsigned from = 1; from < 60; from++) {
        pthread_t thread;

        atomic_store(&allocations, 0);
        atomic_store(&fail_from, from);
        assert_int_equal(pthread_create(&thread, NULL, trace_without_memory, &fd), 0);
        pthread_join(thread, NULL);
        atomic_store(&fail_from, 0);
    }
    close(fd);
    end(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_threads_first_event_allocates),
        cmocka_unit_test(lines_allocate_nothing),
        cmocka_unit_test(a_long_lived_span_does_not_grow),
        cmocka_unit_test(recorded_events_allocate_nothing),
        cmocka_unit_test(disabled_events_never_allocate),
        cmocka_unit_test(a_lack_of_memory_loses_only_events),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
