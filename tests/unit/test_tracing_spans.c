/* SPDX-License-Identifier: MIT */
/* Test of the life cycle of spans. */
#include "tracing_test.h"

#include <sys/wait.h>
#include <unistd.h>

static void a_span_is_created_entered_recorded_left_and_closed(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "request", kv("id", 7), kv("status", cairn_empty()));

    (void)state;
    cairn_span_enter(span);
    CAIRN_INFO("inside");
    CAIRN_RECORD(span, "status", 200);
    cairn_span_exit(span);
    CAIRN_INFO("outside");
    cairn_span_close(span);
    assert_notes(&notes, "new request id=7 status=\nenter request\n"
                         "test_tracing_spans: inside in request\nrecord request id=7 status=200\n"
                         "exit request\ntest_tracing_spans: outside\nclose request\n");
}

static void a_field_that_was_not_declared_is_not_recorded(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s", kv("a", 1));

    (void)state;
    CAIRN_RECORD(span, "b", 2);
    cairn_span_close(span);
    assert_notes(&notes, "new s a=1\nclose s\n");
}

static void the_last_of_many_recorded_texts_is_printed(void **state)
{
    static char text[3000];
    struct cairn_span *span = CAIRN_SPAN(INFO, "s", kv("t", "first"));

    (void)state;
    for (int i = 0; i < 100; i++) {
        memset(text, 'a' + i % 26, sizeof(text) - 1);
        CAIRN_RECORD(span, "t", text);
    }
    assert_int_equal(cairn_span_value(span, 0).data_bytes, sizeof(text) - 1);
    assert_memory_equal(cairn_span_value(span, 0).of.data, text, sizeof(text) - 1);
    cairn_span_close(span);
    forget_notes(&notes);
}

static void a_span_may_be_entered_several_times(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s");

    (void)state;
    for (int i = 0; i < 2; i++) {
        cairn_span_enter(span);
        cairn_span_exit(span);
    }
    cairn_span_enter(span);
    cairn_span_enter(span);
    cairn_span_exit(span);
    assert_ptr_equal(cairn_span_current(), span);
    cairn_span_exit(span);
    assert_null(cairn_span_current());
    cairn_span_exit(span); /* one time too often */
    cairn_span_close(span);
    assert_notes(&notes,
                 "new s\nenter s\nexit s\nenter s\nexit s\nenter s\nenter s\nexit s\nexit s\n"
                 "close s\n");
}

static void spans_may_be_left_in_any_order(void **state)
{
    struct cairn_span *a = CAIRN_SPAN(INFO, "a");
    struct cairn_span *b = CAIRN_SPAN(INFO, "b");

    (void)state;
    cairn_span_enter(a);
    cairn_span_enter(b);
    cairn_span_exit(a);
    assert_ptr_equal(cairn_span_current(), b);
    cairn_span_exit(b);
    assert_null(cairn_span_current());
    cairn_span_close(a);
    cairn_span_close(b);
    assert_notes(&notes, "new a\nnew b\nenter a\nenter b\nexit a\nexit b\nclose a\nclose b\n");
}

static void the_current_span_is_the_parent_unless_another_is_given(void **state)
{
    struct cairn_span *other = CAIRN_SPAN(INFO, "other");

    (void)state;
    {
        CAIRN_SCOPE(INFO, "outer");
        struct cairn_span *child = CAIRN_SPAN(INFO, "child");
        struct cairn_span *given = CAIRN_SPAN(INFO, "given", parent(other));
        struct cairn_span *root = CAIRN_SPAN(INFO, "root", parent(NULL));

        assert_ptr_equal(cairn_span_parent(child), cairn_span_current());
        assert_ptr_equal(cairn_span_parent(given), other);
        assert_null(cairn_span_parent(root));
        forget_notes(&notes);
        CAIRN_INFO((parent(other)), "there");
        CAIRN_INFO((parent(NULL)), "nowhere");
        assert_notes(&notes, "test_tracing_spans: there in other\ntest_tracing_spans: nowhere\n");
        cairn_span_close(child);
        cairn_span_close(given);
        cairn_span_close(root);
    }
    cairn_span_close(other);
    forget_notes(&notes);
}

static void a_parent_is_closed_after_its_children(void **state)
{
    struct cairn_span *a = CAIRN_SPAN(INFO, "a");
    struct cairn_span *b = CAIRN_SPAN(INFO, "b", parent(a));

    (void)state;
    cairn_span_close(a);
    assert_notes(&notes, "new a\nnew b\n");
    cairn_span_close(b);
    assert_notes(&notes, "close b\nclose a\n");
}

static void a_span_that_is_entered_stays_open(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s");

    (void)state;
    cairn_span_enter(span);
    cairn_span_close(span);
    assert_notes(&notes, "new s\nenter s\n");
    cairn_span_exit(span);
    assert_notes(&notes, "exit s\nclose s\n");
}

static int leave_by_return(void)
{
    CAIRN_SCOPE(INFO, "scope", kv("a", 1));
    return 3;
}

static void a_scope_is_closed_by_return_and_break(void **state)
{
    (void)state;
    assert_int_equal(leave_by_return(), 3);
    assert_notes(&notes, "new scope a=1\nenter scope\nexit scope\nclose scope\n");
    for (;;) {
        CAIRN_SCOPE(INFO, "loop");
        break;
    }
    assert_null(cairn_span_current());
    assert_notes(&notes, "new loop\nenter loop\nexit loop\nclose loop\n");
}

static void whole_function(void)
{
    CAIRN_FUNCTION(DEBUG, kv("a", 1));
    CAIRN_INFO("inside");
}

static void leave_by_goto(int turns)
{
again : {
    CAIRN_SCOPE(INFO, "again", kv("turns", turns));

    for (int i = 0; i < 2; i++) {
        CAIRN_SCOPE(INFO, "inner");
        if (!i)
            continue;
        if (--turns)
            goto again;
    }
}
}

static void a_scope_is_closed_by_goto_and_continue(void **state)
{
    (void)state;
    leave_by_goto(2);
    assert_null(cairn_span_current());
#define INNER "new inner\nenter inner\nexit inner\nclose inner\n"
    assert_notes(&notes,
                 "new again turns=2\nenter again\n" INNER INNER "exit again\nclose again\n"
                 "new again turns=1\nenter again\n" INNER INNER "exit again\nclose again\n");
#undef INNER
}

static void a_function_is_a_span_of_its_name(void **state)
{
    (void)state;
    whole_function();
    assert_notes(&notes, "new whole_function a=1\nenter whole_function\n"
                         "test_tracing_spans: inside in whole_function\n"
                         "exit whole_function\nclose whole_function\n");
}

static void a_span_follows_from_another(void **state)
{
    struct cairn_span *a = CAIRN_SPAN(INFO, "a");
    struct cairn_span *b = CAIRN_SPAN(INFO, "b");

    (void)state;
    cairn_span_follows_from(b, a);
    cairn_span_close(a);
    cairn_span_close(b);
    assert_notes(&notes, "new a\nnew b\nafter a comes b\nclose a\nclose b\n");
}

static void a_span_may_follow_from_a_closed_span_that_is_not_its_parent(void **state)
{
    struct cairn_span *a = CAIRN_SPAN(INFO, "a");
    struct cairn_span *b = CAIRN_SPAN(INFO, "b");
    struct cairn_span *follower = CAIRN_SPAN(INFO, "follower");

    (void)state;
    cairn_span_follows_from(follower, a);
    cairn_span_follows_from(follower, b);
    cairn_span_close(a);
    cairn_span_follows_from(follower, NULL);
    assert_null(cairn_span_parent(follower));
    assert_notes(&notes, "new a\nnew b\nnew follower\nafter a comes follower\n"
                         "after b comes follower\nclose a\n");
    cairn_span_close(follower);
    cairn_span_close(b);
    forget_notes(&notes);
}

static void a_span_ends_when_its_last_reference_is_released(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s");

    (void)state;
    assert_ptr_equal(cairn_span_hold(span), span);
    cairn_span_close(span);
    cairn_span_enter(span);
    cairn_span_exit(span);
    assert_notes(&notes, "new s\nenter s\nexit s\n");
    cairn_span_close(span);
    assert_notes(&notes, "close s\n");
}

static void two_spans_of_a_call_site_are_different(void **state)
{
    struct cairn_span *spans[2];

    (void)state;
    for (int i = 0; i < 2; i++)
        spans[i] = CAIRN_SPAN(INFO, "s");
    assert_ptr_equal(cairn_span_callsite(spans[0]), cairn_span_callsite(spans[1]));
    assert_int_not_equal(cairn_span_id(spans[0]), cairn_span_id(spans[1]));
    cairn_span_close(spans[0]);
    cairn_span_close(spans[1]);
    forget_notes(&notes);
}

static void a_recorded_value_replaces_the_one_before(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s", kv("ok", 1), kv("n", cairn_empty()));
    const char *const names[] = {"n", "unknown", "ok"};
    const struct cairn_tracing_value values[] = {cairn_i_value_text("two"), cairn_i_value_signed(3),
                                                 cairn_i_value_float(0.5)};

    (void)state;
    CAIRN_RECORD(span, "ok", 0);
    cairn_span_record(span, names, values, 3);
    cairn_span_close(span);
    assert_notes(&notes, "new s ok=1 n=\nrecord s ok=0 n=\nrecord s ok=0.5 n=\"two\"\nclose s\n");
}

static void events_in_a_disabled_span_are_in_the_enclosing_one(void **state)
{
    (void)state;
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("info")), 0);
    {
        CAIRN_SCOPE(INFO, "outer");
        CAIRN_SCOPE(DEBUG, "unwanted");
        struct cairn_span *inner = CAIRN_SPAN(INFO, "inner");

        CAIRN_INFO("e");
        assert_ptr_equal(cairn_span_parent(inner), cairn_span_current());
        cairn_span_close(inner);
    }
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
    assert_notes(&notes, "new outer\nenter outer\nnew inner\ntest_tracing_spans: e in outer\n"
                         "close inner\nexit outer\nclose outer\n");
}

/* An inner request whose level the filter may exclude; both spans have a field with the same
 * name. */
static void trace_request_in_request(void)
{
    CAIRN_SCOPE_AS(outer, INFO, "outer", kv("status", cairn_empty()));

    CAIRN_RECORD(outer, "status", 200);
    {
        CAIRN_SCOPE_AS(inner, DEBUG, "inner", kv("status", cairn_empty()));

        CAIRN_RECORD(inner, "status", 404);
    }
}

static void whole_function_in_span(void)
{
    CAIRN_FUNCTION_AS(function, DEBUG, kv("late", cairn_empty()));
    CAIRN_RECORD(function, "late", 1);
}

static void recording_into_a_disabled_scope_does_nothing(void **state)
{
    (void)state;
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("info")), 0);
    trace_request_in_request();
    {
        CAIRN_SCOPE_AS(around, INFO, "around", kv("late", cairn_empty()));

        assert_ptr_equal(around, cairn_span_current());
        whole_function_in_span();
    }
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
    assert_notes(&notes, "new outer status=\nenter outer\nrecord outer status=200\n"
                         "exit outer\nclose outer\n"
                         "new around late=\nenter around\nexit around\nclose around\n");
    trace_request_in_request();
    whole_function_in_span();
    assert_notes(&notes, "new outer status=\nenter outer\nrecord outer status=200\n"
                         "new inner status=\nenter inner\nrecord inner status=404\n"
                         "exit inner\nclose inner\nexit outer\nclose outer\n"
                         "new whole_function_in_span late=\nenter whole_function_in_span\n"
                         "record whole_function_in_span late=1\n"
                         "exit whole_function_in_span\nclose whole_function_in_span\n");
}

static void the_current_span_replaces_a_disabled_one(void **state)
{
    (void)state;
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("info")), 0);
    {
        CAIRN_SCOPE(INFO, "parent");
        struct cairn_span *child = CAIRN_SPAN(DEBUG, "child");
        struct cairn_span *sent = cairn_span_hold(child ? child : cairn_span_current());

        CAIRN_IN_SPAN(sent);
        CAIRN_INFO("e");
        cairn_span_close(sent);
        cairn_span_close(child);
    }
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
    assert_notes(&notes, "new parent\nenter parent\nenter parent\ntest_tracing_spans: e in parent\n"
                         "exit parent\nexit parent\nclose parent\n");
}

static void a_disabled_span_is_null_and_harmless(void **state)
{
    struct cairn_span *span;
    uint8_t parent_id[8];

    (void)state;
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("info")), 0);
    span = CAIRN_SPAN(TRACE, "s", kv("a", 1));
    assert_null(span);
    cairn_span_enter(span);
    assert_null(cairn_span_current());
    CAIRN_RECORD(span, "a", 2);
    cairn_span_follows_from(span, span);
    cairn_span_exit(span);
    assert_null(cairn_span_hold(span));
    assert_null(cairn_span_parent(span));
    assert_null(cairn_span_callsite(span));
    assert_int_equal(cairn_span_id(span) + cairn_span_begin_ns(span), 0);
    assert_int_equal(cairn_span_value(span, 0).kind, CAIRN_KIND_NONE);
    assert_false(cairn_span_parent_id(span, parent_id));
    assert_int_equal(cairn_layer_keep(&notes.layer, span, &notes), EINVAL);
    assert_null(cairn_layer_kept(&notes.layer, span));
    assert_null(cairn_layer_span(&notes.layer, span));
    cairn_span_close(span);
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
    assert_notes(&notes, "");
}

/* ---- texts that are recorded repeatedly ---- */

#define WRITERS      2
#define READERS      2
#define TEXTS_EACH   4000
#define TEXT_BYTES   700 /* more than a span's block holds */
#define LETTER_OF(n) ('a' + (n) % 26)

static bool are_writers_done;
static unsigned texts_seen;

/* Records texts that consist of one letter, which encodes the length. */
static void *write_texts(void *span)
{
    char text[TEXT_BYTES];
    uint32_t random = 1;

    for (int i = 0; i < TEXTS_EACH; i++) {
        size_t length = (random = random * 1664525u + 1013904223u) >> 16;

        length %= i % 10 ? 40 : TEXT_BYTES;
        memset(text, LETTER_OF(length), length);
        CAIRN_RECORD(span, "text", cairn_string(text, length));
        if (i % 100 == 0)
            CAIRN_RECORD(span, "text", i);
    }
    return NULL;
}

static void look_at_text(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    struct cairn_tracing_value first = cairn_span_value(event->span, 0);
    struct cairn_tracing_value again = cairn_span_value(event->span, 0);
    const char *text = first.of.data;

    (void)layer;
    (void)again; /* the first text stays valid until the callback returns */
    if (first.kind == CAIRN_KIND_SIGNED)
        return;
    assert_int_equal(first.kind, CAIRN_KIND_TEXT);
    for (uint32_t i = 0; i < first.data_bytes; i++)
        assert_int_equal(text[i], LETTER_OF(first.data_bytes));
    __atomic_fetch_add(&texts_seen, 1, __ATOMIC_RELAXED);
}

static void *read_texts(void *span)
{
    while (!__atomic_load_n(&are_writers_done, __ATOMIC_RELAXED))
        CAIRN_ERROR((parent(span)), "look");
    return NULL;
}

static void texts_recorded_concurrently_are_read_whole(void **state)
{
    struct cairn_layer layer = {.event = look_at_text};
    uint64_t before = cairn_tracing_lost();
    pthread_t threads[WRITERS + READERS];
    struct cairn_span *span;

    (void)state;
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("off")), 0);
    assert_int_equal(cairn_subscriber_add(subscriber, &layer, NULL), 0);
    span = CAIRN_SPAN(INFO, "s", kv("text", ""), kv("other", "stays"));
    for (int i = 0; i < WRITERS + READERS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, i < WRITERS ? write_texts : read_texts, span), 0);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    __atomic_store_n(&are_writers_done, true, __ATOMIC_RELAXED);
    for (int i = WRITERS; i < WRITERS + READERS; i++)
        pthread_join(threads[i], NULL);
    CAIRN_RECORD(span, "text", "");
    CAIRN_ERROR((parent(span)), "look");
    assert_true(texts_seen > 0);
    assert_int_equal(cairn_tracing_lost(), before);
    assert_memory_equal(cairn_span_value(span, 1).of.data, "stays", 5);
    cairn_span_close(span);
    assert_int_equal(cairn_subscriber_remove(subscriber, &layer), 0);
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
}

static void a_program_can_read_recorded_values(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s", kv("a", "one"), kv("b", cairn_empty()));
    const char *first = cairn_span_value(span, 0).of.data;

    (void)state;
    CAIRN_RECORD(span, "a", "three");
    assert_memory_equal(cairn_span_value(span, 0).of.data, "three", 5);
    assert_memory_equal(first, "one", 3);
    for (int i = 0; i < 100; i++) {
        char text[300];

        memset(text, 'a' + i % 26, sizeof(text));
        CAIRN_RECORD(span, "b", cairn_string(text, (size_t)(3 * i)));
        assert_int_equal(cairn_span_value(span, 1).data_bytes, 3 * i);
        assert_memory_equal(cairn_span_value(span, 1).of.data, text, (size_t)(3 * i));
    }
    CAIRN_RECORD(span, "b", 5);
    CAIRN_RECORD(span, "b", "text");
    CAIRN_RECORD(span, "b", "text");
    assert_memory_equal(cairn_span_value(span, 1).of.data, "text", 4);
    assert_memory_equal(cairn_span_value(span, 0).of.data, "three", 5);
    cairn_span_close(span);
    forget_notes(&notes);
}

static struct cairn_layer quiet;
static pthread_barrier_t all_inside;

static void *work_in_span(void *arg)
{
    struct cairn_span *span = arg;

    {
        CAIRN_IN_SPAN(span);
        CAIRN_INFO("in another thread");
    }
    cairn_span_close(span);
    return NULL;
}

static void a_span_can_be_passed_to_another_thread(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s");
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, work_in_span, cairn_span_hold(span)), 0);
    pthread_join(thread, NULL);
    assert_null(cairn_span_current());
    cairn_span_close(span);
    assert_notes(&notes, "new s\nenter s\ntest_tracing_spans: in another thread in s\nexit s\n"
                         "close s\n");
}

static void *be_in_span(void *arg)
{
    struct cairn_span *child;

    assert_null(cairn_span_current());
    {
        CAIRN_IN_SPAN(arg);
        pthread_barrier_wait(&all_inside);
        child = CAIRN_SPAN(INFO, "child");
        assert_ptr_equal(cairn_span_parent(child), arg);
        cairn_span_close(child);
        pthread_barrier_wait(&all_inside);
    }
    assert_null(cairn_span_current());
    return NULL;
}

static void several_threads_may_be_in_a_span_at_the_same_time(void **state)
{
    struct cairn_span *span;
    pthread_t threads[3];

    (void)state;
    /* The notebook is for one thread only. */
    assert_int_equal(cairn_subscriber_add(subscriber, &quiet, NULL), 0);
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("off")), 0);
    span = CAIRN_SPAN(INFO, "shared");
    assert_non_null(span);
    assert_int_equal(pthread_barrier_init(&all_inside, NULL, 3), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, be_in_span, span), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&all_inside);
    cairn_span_close(span);
    assert_int_equal(cairn_subscriber_remove(subscriber, &quiet), 0);
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
    forget_notes(&notes);
}

static void *forget_to_exit(void *arg)
{
    cairn_span_enter(arg);
    return NULL;
}

static void a_thread_that_ends_leaves_its_spans(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s");
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, forget_to_exit, span), 0);
    pthread_join(thread, NULL);
    cairn_span_close(span);
    assert_notes(&notes, "new s\nenter s\nexit s\nclose s\n");
}

static void a_child_is_in_its_parents_trace(void **state)
{
    struct cairn_span *a = CAIRN_SPAN(INFO, "a");
    struct cairn_span *b = CAIRN_SPAN(INFO, "b", parent(a));
    struct cairn_trace_context of_a;
    struct cairn_trace_context of_b;
    uint8_t parent_id[8];

    (void)state;
    assert_true(cairn_span_context(a, &of_a));
    assert_true(cairn_span_context(b, &of_b));
    assert_memory_equal(of_a.trace_id, of_b.trace_id, 16);
    assert_memory_not_equal(of_a.span_id, of_b.span_id, 8);
    assert_false(cairn_span_parent_id(a, parent_id));
    assert_true(cairn_span_parent_id(b, parent_id));
    assert_memory_equal(parent_id, of_a.span_id, 8);
    assert_false(cairn_span_context(NULL, &of_a));
    cairn_span_close(a);
    cairn_span_close(b);
    forget_notes(&notes);
}

static void a_parent_may_be_in_another_program(void **state)
{
    static const char header[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    struct cairn_trace_context remote_context;
    struct cairn_trace_context context;
    char text[CAIRN_TRACEPARENT_BYTES];
    struct cairn_span *span;

    (void)state;
    assert_int_equal(cairn_trace_context_parse(header, &remote_context), 0);
    span = CAIRN_SPAN(INFO, "s", remote(&remote_context));
    assert_true(cairn_span_context(span, &context));
    cairn_trace_context_format(&context, text);
    assert_memory_equal(text, header, 36);
    assert_memory_not_equal(text + 36, header + 36, 16);
    assert_string_equal(text + 52, "-01");
    cairn_span_close(span);
    remote_context.flags = 0xfe;
    span = CAIRN_SPAN(INFO, "s", remote(&remote_context));
    assert_true(cairn_span_context(span, &context));
    assert_int_equal(context.flags, 0);
    cairn_span_close(span);
    forget_notes(&notes);
}

/* The text of new trace and span ids. */
static void new_trace(char text[CAIRN_TRACEPARENT_BYTES])
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s", parent(NULL));
    struct cairn_trace_context context;

    assert_true(cairn_span_context(span, &context));
    cairn_trace_context_format(&context, text);
    cairn_span_close(span);
}

static void a_child_of_fork_has_ids_of_its_own(void **state)
{
    char here[CAIRN_TRACEPARENT_BYTES];
    char there[CAIRN_TRACEPARENT_BYTES] = "";
    int fds[2];
    pid_t pid;

    (void)state;
    new_trace(here);
    assert_int_equal(pipe(fds), 0);
    pid = fork();
    if (!pid) {
        new_trace(there);
        _exit(write(fds[1], there, sizeof(there)) != sizeof(there));
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(read(fds[0], there, sizeof(there)), sizeof(there));
    new_trace(here);
    assert_memory_not_equal(here + 3, there + 3, 32);
    assert_memory_not_equal(here + 36, there + 36, 16);
    close(fds[0]);
    close(fds[1]);
    forget_notes(&notes);
}

static void an_invalid_traceparent_is_refused(void **state)
{
    static const char *const bad[] = {
        NULL,
        "",
        "00",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-012",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "0g-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x",
    };
    struct cairn_trace_context context;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(cairn_trace_context_parse(bad[i], &context), EINVAL);
    assert_int_equal(cairn_trace_context_parse(
                         "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", &context),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_span_is_created_entered_recorded_left_and_closed),
        cmocka_unit_test(a_field_that_was_not_declared_is_not_recorded),
        cmocka_unit_test(the_last_of_many_recorded_texts_is_printed),
        cmocka_unit_test(a_span_may_be_entered_several_times),
        cmocka_unit_test(spans_may_be_left_in_any_order),
        cmocka_unit_test(the_current_span_is_the_parent_unless_another_is_given),
        cmocka_unit_test(a_parent_is_closed_after_its_children),
        cmocka_unit_test(a_span_that_is_entered_stays_open),
        cmocka_unit_test(a_scope_is_closed_by_return_and_break),
        cmocka_unit_test(a_function_is_a_span_of_its_name),
        cmocka_unit_test(a_scope_is_closed_by_goto_and_continue),
        cmocka_unit_test(a_span_follows_from_another),
        cmocka_unit_test(a_span_may_follow_from_a_closed_span_that_is_not_its_parent),
        cmocka_unit_test(a_span_ends_when_its_last_reference_is_released),
        cmocka_unit_test(two_spans_of_a_call_site_are_different),
        cmocka_unit_test(a_recorded_value_replaces_the_one_before),
        cmocka_unit_test(events_in_a_disabled_span_are_in_the_enclosing_one),
        cmocka_unit_test(recording_into_a_disabled_scope_does_nothing),
        cmocka_unit_test(the_current_span_replaces_a_disabled_one),
        cmocka_unit_test(a_disabled_span_is_null_and_harmless),
        cmocka_unit_test(texts_recorded_concurrently_are_read_whole),
        cmocka_unit_test(a_program_can_read_recorded_values),
        cmocka_unit_test(a_span_can_be_passed_to_another_thread),
        cmocka_unit_test(several_threads_may_be_in_a_span_at_the_same_time),
        cmocka_unit_test(a_thread_that_ends_leaves_its_spans),
        cmocka_unit_test(a_child_is_in_its_parents_trace),
        cmocka_unit_test(a_parent_may_be_in_another_program),
        cmocka_unit_test(a_child_of_fork_has_ids_of_its_own),
        cmocka_unit_test(an_invalid_traceparent_is_refused),
    };

    return cmocka_run_group_tests(tests, begin_notes, end_notes);
}
