/* SPDX-License-Identifier: MIT */
/* Events: what a line says, and when it is evaluated. */
#include "tracing_test.h"

#include <signal.h>
#include <stdio.h>
#include <syslog.h>

static int evaluations;

static int evaluated(int value)
{
    evaluations++;
    return value;
}

static void an_event_has_the_files_name_as_its_target(void **state)
{
    (void)state;
    CAIRN_INFO("plain");
    assert_notes(&notes, "test_tracing_events: plain\n");
}

static void a_message_is_formatted_as_by_printf(void **state)
{
    (void)state;
    CAIRN_WARN("%s has %d of %.1f", "one", 2, 3.5);
    assert_notes(&notes, "test_tracing_events: one has 2 of 3.5\n");
}

static void a_message_that_printf_refuses_is_its_format(void **state)
{
    (void)state;
    CAIRN_WARN("%s %ls", "price", L"\u20ac"); /* the C locale has no euro */
    assert_notes(&notes, "test_tracing_events: %s %ls\n");
}

static void an_event_may_have_fields_and_no_message(void **state)
{
    (void)state;
    CAIRN_INFO((kv("a", 1), kv("b", "two")));
    assert_notes(&notes, "test_tracing_events:  a=1 b=\"two\"\n");
}

static void options_stand_between_fields_in_any_order(void **state)
{
    (void)state;
    CAIRN_INFO((kv("a", 1), target("net"), kv("b", 2), keyword(0x2), tag(7), name("N")), "m");
    assert_notes(&notes, "net: m a=1 b=2\n");
}

static void every_type_is_known_by_itself(void **state)
{
    const struct cairn_guid guid = {{0xfe, 1}};
    const struct timespec time = {1, 5};
    const unsigned char byte = 255;
    const short small = -2;
    char text[] = "array";
    const bool yes = true;

    (void)state;
    CAIRN_INFO((kv("a", byte), kv("b", small), kv("c", -3L), kv("d", 4ULL), kv("e", yes),
                kv("f", (char)'x'), kv("g", 0.1), kv("h", 0.5f), kv("i", text), kv("j", &guid),
                kv("k", time), kv("l", (void *)16), kv("m", cairn_errno(ENOENT)),
                kv("n", cairn_bytes("\x01\xff", 2)), kv("o", cairn_string("counted", 5)),
                kv("p", (const char *)NULL), kv("q", UINT64_MAX), kv("r", INT64_MIN)));
    assert_notes(&notes,
                 "test_tracing_events:  a=255 b=-2 c=-3 d=4 e=true f='x' g=0.1 h=0.5 i=\"array\" "
                 "j=fe010000-0000-0000-0000-000000000000 k=1970-01-01T00:00:01.000000005Z l=0x10 "
                 "m=2(ENOENT) n=01ff o=\"count\" p=\"\" q=18446744073709551615 "
                 "r=-9223372036854775808\n");
}

enum colour { RED, GREEN };

static void integers_of_other_kinds_are_integers(void **state)
{
    const struct {
        unsigned narrow : 3;
        int negative : 5;
        unsigned long wide : 40;
    } bits = {5, -2, 1ul << 39};
    const volatile enum colour colour = GREEN;
    const long double precise = 0.1L;
    int array[2] = {0};

    (void)state;
    CAIRN_INFO((kv("a", bits.narrow), kv("b", bits.negative), kv("c", bits.wide), kv("d", colour),
                kv("e", precise), kv("f", L'x')));
    assert_notes(&notes, "test_tracing_events:  a=5 b=-2 c=549755813888 d=1 e=0.1 f=120\n");
    CAIRN_INFO((kv("array", array)));
    assert_non_null(strstr(notes.text.text, "array=0x"));
    forget_notes(&notes);
}

#define FIELD_NAME "constant"

static void a_fields_name_is_any_text(void **state)
{
    (void)state;
    CAIRN_INFO((kv("user.name", "ferris"), kv("x-request-id", 1), kv("int", 2), kv(FIELD_NAME, 3)));
    assert_notes(&notes, "test_tracing_events:  user.name=\"ferris\" x-request-id=1 int=2 "
                         "constant=3\n");
}

static void the_macros_name_is_the_level(void **state)
{
    (void)state;
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("info")), 0);
    CAIRN_ERROR("e");
    CAIRN_WARN("w");
    CAIRN_INFO("i");
    CAIRN_DEBUG("d");
    CAIRN_TRACE("t");
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
    assert_notes(&notes, "test_tracing_events: e\ntest_tracing_events: w\n"
                         "test_tracing_events: i\n");
    assert_true(
        CAIRN_TRACING_OFF < CAIRN_TRACING_ERROR && CAIRN_TRACING_ERROR < CAIRN_TRACING_WARN &&
        CAIRN_TRACING_WARN < CAIRN_TRACING_INFO && CAIRN_TRACING_INFO < CAIRN_TRACING_DEBUG &&
        CAIRN_TRACING_DEBUG < CAIRN_TRACING_TRACE);
}

static void thirty_two_fields_fit(void **state)
{
#define EIGHT(x)                                                                        \
    kv(x "0", 0), kv(x "1", 1), kv(x "2", 2), kv(x "3", 3), kv(x "4", 4), kv(x "5", 5), \
        kv(x "6", 6), kv(x "7", 7)
    (void)state;
    CAIRN_INFO((EIGHT("a"), EIGHT("b"), EIGHT("c"), EIGHT("d"), target("t"), keyword(1), tag(1)));
    assert_non_null(strstr(notes.text.text, "t:  a0=0 a1=1"));
    assert_non_null(strstr(notes.text.text, "d6=6 d7=7\n"));
    forget_notes(&notes);
}

static void nothing_is_evaluated_when_nobody_wants_the_event(void **state)
{
    (void)state;
    evaluations = 0;
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("info")), 0);
    CAIRN_DEBUG((kv("a", evaluated(1))), "%d", evaluated(2));
    assert_int_equal(evaluations, 0);
    CAIRN_INFO((kv("a", evaluated(1))), "%d", evaluated(2));
    assert_int_equal(evaluations, 2);
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
    assert_notes(&notes, "test_tracing_events: 2 a=1\n");
}

static void a_place_can_ask_whether_an_event_is_wanted(void **state)
{
    (void)state;
    assert_int_equal(
        cairn_subscriber_reload(subscriber, &notes.layer, directives("warn,net=debug")), 0);
    assert_true(CAIRN_ENABLED(WARN));
    assert_false(CAIRN_ENABLED(INFO));
    assert_true(CAIRN_ENABLED(DEBUG, target("net")));
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
    assert_notes(&notes, "");
}

static void values_are_evaluated_from_left_to_right(void **state)
{
    int at = 0;

    (void)state;
    CAIRN_INFO((kv("a", at++), kv("b", at++), kv("c", at++)), "%d", at++);
    assert_notes(&notes, "test_tracing_events: 3 a=0 b=1 c=2\n");
}

static void errno_is_what_it_was_before_and_after(void **state)
{
    (void)state;
    errno = ENOENT;
    CAIRN_WARN((kv("code", cairn_errno(errno))), "open: %m");
    assert_int_equal(errno, ENOENT);
    assert_notes(&notes, "test_tracing_events: open: No such file or directory code=2(ENOENT)\n");
}

static void a_long_message_is_whole(void **state)
{
    static char text[5000];

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    CAIRN_INFO("%s", text);
    assert_int_equal(notes.text.length, strlen("test_tracing_events: \n") + sizeof(text) - 1);
    forget_notes(&notes);
}

static void a_loggers_messages_become_events(void **state)
{
    (void)state;
    cairn_tracing_log(LOG_DAEMON | LOG_ERR, "old", "%s\n", "failed");
    cairn_tracing_log(LOG_DEBUG, NULL, "detail");
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("old=warn")), 0);
    cairn_tracing_log(LOG_NOTICE, "old", "not wanted");
    cairn_tracing_log(LOG_CRIT, "old", "wanted");
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
    assert_notes(&notes, "old: failed\nlog: detail\nold: wanted\n");
}

#define TARGETS     3000 /* several times as many as the first table has room for */
#define LOG_THREADS 4

static int events_of_target[TARGETS];

static void count_target(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    char target[32] = "";

    (void)layer;
    if (event->site->target_bytes < sizeof(target) &&
        !memcmp(event->site->target, "target ", strlen("target "))) {
        memcpy(target, event->site->target, event->site->target_bytes);
        __atomic_fetch_add(&events_of_target[atoi(target + strlen("target "))], 1,
                           __ATOMIC_RELAXED);
    }
}

/* Every text is the stack's: the next one takes its place. */
static void *log_to_all_targets(void *arg)
{
    for (int i = 0; i < TARGETS; i++) {
        char target[32];

        (void)snprintf(target, sizeof(target), "target %d", i);
        cairn_tracing_log(LOG_ERR, target, "1");
        cairn_tracing_log(LOG_DEBUG, target, "2");
        memset(target, 'x', sizeof(target));
    }
    return arg;
}

static void a_logger_may_have_thousands_of_targets(void **state)
{
    struct cairn_layer layer = {.event = count_target};
    pthread_t threads[LOG_THREADS];

    (void)state;
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("off")), 0);
    assert_int_equal(cairn_subscriber_add(subscriber, &layer, directives("debug,target 7=warn")),
                     0);
    for (int i = 0; i < LOG_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, log_to_all_targets, NULL), 0);
    for (int i = 0; i < LOG_THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < TARGETS; i++) {
        int first = i;

        while (first >= 10)
            first /= 10;
        assert_int_equal(events_of_target[i], first == 7 ? LOG_THREADS : 2 * LOG_THREADS);
    }
    assert_int_equal(cairn_subscriber_remove(subscriber, &layer), 0);
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, NULL), 0);
}

static void trace_again(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    (void)layer;
    (void)event;
    CAIRN_ERROR("from a layer");
    assert_null(CAIRN_SPAN(ERROR, "from a layer"));
    cairn_tracing_log(LOG_ERR, "a new target", "from a layer");
}

static void what_a_layer_traces_is_left_out_and_counted(void **state)
{
    struct cairn_layer layer = {.event = trace_again};
    uint64_t before = cairn_tracing_lost();

    (void)state;
    assert_int_equal(cairn_subscriber_add(subscriber, &layer, NULL), 0);
    CAIRN_INFO("once");
    assert_int_equal(cairn_tracing_lost(), before + 2);
    assert_int_equal(cairn_subscriber_remove(subscriber, &layer), 0);
    assert_notes(&notes, "test_tracing_events: once\n");
}

static void trace_in_handler(int number)
{
    CAIRN_WARN((kv("signal", number)), "in a handler");
}

static void raise_signal(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    (void)layer;
    if (event->site->level == CAIRN_TRACING_ERROR)
        (void)raise(SIGUSR1);
}

static void a_signal_handler_may_trace_but_not_in_the_middle_of_an_event(void **state)
{
    struct cairn_layer layer = {.event = raise_signal};
    struct sigaction old;
    uint64_t before = cairn_tracing_lost();

    (void)state;
    assert_int_equal(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = trace_in_handler}, &old),
                     0);
    CAIRN_INFO("first");
    (void)raise(SIGUSR1);
    assert_int_equal(cairn_tracing_lost(), before);
    assert_int_equal(cairn_subscriber_add(subscriber, &layer, NULL), 0);
    CAIRN_ERROR("interrupted");
    assert_int_equal(cairn_tracing_lost(), before + 1);
    assert_int_equal(cairn_subscriber_remove(subscriber, &layer), 0);
    assert_int_equal(sigaction(SIGUSR1, &old, NULL), 0);
    assert_notes(&notes, "test_tracing_events: first\n"
                         "test_tracing_events: in a handler signal=10\n"
                         "test_tracing_events: interrupted\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_has_the_files_name_as_its_target),
        cmocka_unit_test(a_message_is_formatted_as_by_printf),
        cmocka_unit_test(a_message_that_printf_refuses_is_its_format),
        cmocka_unit_test(an_event_may_have_fields_and_no_message),
        cmocka_unit_test(options_stand_between_fields_in_any_order),
        cmocka_unit_test(every_type_is_known_by_itself),
        cmocka_unit_test(integers_of_other_kinds_are_integers),
        cmocka_unit_test(a_fields_name_is_any_text),
        cmocka_unit_test(the_macros_name_is_the_level),
        cmocka_unit_test(thirty_two_fields_fit),
        cmocka_unit_test(nothing_is_evaluated_when_nobody_wants_the_event),
        cmocka_unit_test(a_place_can_ask_whether_an_event_is_wanted),
        cmocka_unit_test(values_are_evaluated_from_left_to_right),
        cmocka_unit_test(errno_is_what_it_was_before_and_after),
        cmocka_unit_test(a_long_message_is_whole),
        cmocka_unit_test(a_loggers_messages_become_events),
        cmocka_unit_test(a_logger_may_have_thousands_of_targets),
        cmocka_unit_test(what_a_layer_traces_is_left_out_and_counted),
        cmocka_unit_test(a_signal_handler_may_trace_but_not_in_the_middle_of_an_event),
    };

    return cmocka_run_group_tests(tests, begin_notes, end_notes);
}
