/* SPDX-License-Identifier: MIT */
/* Filters as text. */
#include "tracing_test.h"

#include <stdio.h>

static void filter(const char *text)
{
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives(text)), 0);
}

static void trace_all(void)
{
    CAIRN_ERROR((target("net")), "e");
    CAIRN_INFO((target("net")), "i");
    CAIRN_DEBUG((target("net")), "d");
    CAIRN_INFO((target("net::conn")), "i");
    CAIRN_DEBUG((target("net::conn")), "d");
    CAIRN_INFO((target("network")), "i");
    CAIRN_TRACE((target("network")), "t");
}

static void assert_traced(const char *directives, const char *expected)
{
    filter(directives);
    trace_all();
    assert_notes(&notes, expected);
}

static void a_level_alone_is_for_all_targets(void **state)
{
    (void)state;
    assert_traced("info", "net: e\nnet: i\nnet::conn: i\nnetwork: i\n");
    assert_traced("ERROR", "net: e\n");
    assert_traced("dEbuG,off", "");
    filter("off,dEbuG");
    CAIRN_DEBUG((target("net")), "d");
    CAIRN_TRACE((target("net")), "t");
    assert_notes(&notes, "net: d\n");
    assert_traced("+1,et=03", "net: e\n");
    assert_traced("net=01", "net: e\n");
    assert_traced("6", ""); /* a target */
    assert_traced("5",
                  "net: e\nnet: i\nnet: d\nnet::conn: i\nnet::conn: d\nnetwork: i\nnetwork: t\n");
}

static void nothing_lets_nothing_through(void **state)
{
    (void)state;
    filter("");
    trace_all();
    filter("off");
    trace_all();
    assert_traced(" , ,", "");
}

static void the_longest_target_decides(void **state)
{
    (void)state;
    assert_traced("net::conn=debug, info ,net=off", "net::conn: i\nnet::conn: d\n");
    assert_traced("info,net=off,net::conn=debug", "net::conn: i\nnet::conn: d\n");
    assert_traced("error,net=info,network=trace",
                  "net: e\nnet: i\nnet::conn: i\nnetwork: i\nnetwork: t\n");
}

static void a_target_is_for_all_that_begin_with_it(void **state)
{
    (void)state;
    assert_traced("net=info", "net: e\nnet: i\nnet::conn: i\nnetwork: i\n");
    assert_traced("net::=info", "net::conn: i\n");
    assert_traced("et=info,NET=info", "");
}

static void a_target_may_have_any_characters_but_those_of_the_syntax(void **state)
{
    (void)state;
    filter("my-app/net.c=info");
    CAIRN_INFO((target("my-app/net.c")), "i");
    CAIRN_INFO((target("my_app/net.c")), "i");
    assert_notes(&notes, "my-app/net.c: i\n");
}

static void of_two_for_the_same_target_the_last_counts(void **state)
{
    (void)state;
    assert_traced("net=trace,net=error", "net: e\n");
}

static void a_target_alone_is_wanted_whole(void **state)
{
    (void)state;
    assert_traced("network", "network: i\nnetwork: t\n");
    assert_traced("network=", "network: i\nnetwork: t\n");
}

static void a_target_may_be_silenced(void **state)
{
    (void)state;
    filter("error,net=off");
    trace_all();
    CAIRN_ERROR((target("disk")), "e");
    assert_notes(&notes, "disk: e\n");
}

/* An event in a span request with this id. */
static void trace_request(int id)
{
    CAIRN_SCOPE(DEBUG, "request", kv("id", id), kv("path", "/a,b"), kv("user", cairn_empty()));
    CAIRN_TRACE("in request %d", id);
    if (id == 8) {
        CAIRN_RECORD(cairn_span_current(), "user", "root");
        CAIRN_TRACE("of root");
    }
}

static void trace_requests(void)
{
    CAIRN_TRACE("outside");
    trace_request(7);
    trace_request(8);
}

static void expect_events(const char *expected)
{
    char events[200] = "";
    char *line = notes.text.text ? notes.text.text : events;

    for (char *end; (end = strchr(line, '\n')); line = end + 1)
        if (!strncmp(line, "test_tracing_directives: ", 25))
            (void)strncat(events, line + 25, (size_t)(end + 1 - line - 25));
    assert_string_equal(events, expected);
    forget_notes(&notes);
}

static void assert_requests(const char *directives, const char *expected)
{
    filter(directives);
    trace_requests();
    expect_events(expected);
}

static void a_span_lets_through_what_is_in_it(void **state)
{
    (void)state;
    assert_requests("info,[request]=trace",
                    "in request 7 in request\nin request 8 in request\nof root in request\n");
}

static void a_field_of_a_span_may_have_to_have_a_value(void **state)
{
    (void)state;
    assert_requests("[request{id=7}]=trace", "in request 7 in request\n");
    assert_requests("[{id=8,path=\"/a,b\"}]=trace",
                    "in request 8 in request\nof root in request\n");
    assert_requests("[request{other}]=trace", "");
    assert_requests("[request{id=8}]", "in request 8 in request\nof root in request\n");
    assert_requests("[request{id=8}]=", "in request 8 in request\nof root in request\n");
    assert_requests("[request{id=8}]=off", "");
    assert_requests("[request]=debug", "");
}

static void a_value_that_is_recorded_later_counts_from_then_on(void **state)
{
    (void)state;
    assert_requests("[{user=root}]=trace", "of root in request\n");
}

static void a_target_before_brackets_is_the_spans(void **state)
{
    (void)state;
    filter("info,stuff[cool]=debug");
    {
        CAIRN_SCOPE(TRACE, "cool", target("stuff::inner"));
        CAIRN_DEBUG("in it");
        CAIRN_TRACE("too detailed");
    }
    {
        CAIRN_SCOPE(INFO, "cool");
        CAIRN_DEBUG("in another of that name");
    }
    {
        CAIRN_SCOPE(INFO, "uncool", target("stuff"));
        CAIRN_DEBUG((target("stuff")), "in another of that target");
    }
    expect_events("in it in cool\n");
}

static void a_span_that_fits_passes_whatever_its_level(void **state)
{
    (void)state;
    filter("info,[{hello}]=warn");
    cairn_span_close(CAIRN_SPAN(TRACE, "t", kv("hello", 1)));
    cairn_span_close(CAIRN_SPAN(TRACE, "t"));
    assert_notes(&notes, "new t hello=1\nclose t\n");
}

static void each_of_several_that_fit_lets_its_own_through(void **state)
{
    (void)state;
    filter("[foo{bar=1}]=trace,[baz{boz=1}]=debug");
    {
        CAIRN_SCOPE(INFO, "foo", kv("bar", 1));
        CAIRN_TRACE("t");
    }
    {
        CAIRN_SCOPE(INFO, "baz", kv("boz", 1));
        CAIRN_TRACE("t");
        CAIRN_DEBUG("d");
        CAIRN_SCOPE(INFO, "foo", kv("bar", 1));
        CAIRN_TRACE("t");
    }
    expect_events("t in foo\nd in baz\nt in foo\n");
}

static void events_have_fields_themselves(void **state)
{
    (void)state;
    filter("[{thing}]=debug");
    CAIRN_INFO("none");
    CAIRN_DEBUG((kv("thing", 2)));
    CAIRN_TRACE((kv("thing", 3)));
    expect_events(" thing=2\n");
    filter("info,[{secret}]=off,[{secret,open}]=info");
    CAIRN_INFO((kv("a", 1)));
    CAIRN_ERROR((kv("secret", 1)));
    CAIRN_INFO((kv("open", 1), kv("secret", 2)));
    expect_events(" a=1\n open=1 secret=2\n");
    filter("[{thing=2}]=debug,[span{thing}]=debug");
    CAIRN_DEBUG((kv("thing", 2)));
    expect_events("");
}

/* Whether a span of this value fits the filter. */
#define FITS(text, value)                           \
    do {                                            \
        filter(text);                               \
        {                                           \
            CAIRN_SCOPE(INFO, "s", kv("v", value)); \
            CAIRN_INFO("fits");                     \
        }                                           \
        expect_events("fits in s\n");               \
    } while (0)
#define FITS_NOT(text, value)                       \
    do {                                            \
        filter(text);                               \
        {                                           \
            CAIRN_SCOPE(INFO, "s", kv("v", value)); \
            CAIRN_INFO("fits");                     \
        }                                           \
        expect_events("");                          \
    } while (0)

static void values_are_compared_as_what_they_are(void **state)
{
    const bool yes = true;

    (void)state;
    FITS("[{v=true}]", yes);
    FITS_NOT("[{v=1}]", yes);
    FITS("[{v=-1}]", -1);
    FITS("[{v=18446744073709551615}]", UINT64_MAX);
    FITS("[{v=1}]", 1.0);
    FITS("[{v=1.50}]", 1.5);
    FITS("[{v=nan}]", __builtin_nan(""));
    FITS_NOT("[{v=1.5x}]", 1.5);
    FITS_NOT("[{v=}]", 1.5);
    FITS("[{v=}]", "");
    FITS("[{v=a.*b}]", "a.*b");
    FITS_NOT("[{v=a.*b}]", "acb");
    FITS_NOT("[{v=ab}]", "abc");
    FITS("[{v=\"]},=\"}]", "]},=");
}

static void a_number_is_compared_by_its_value(void **state)
{
    (void)state;
    FITS("[{v=+8}]", 8);
    FITS("[{v=08}]", 8u);
    FITS("[{v=8.0}]", 8);
    FITS("[{v=1e3}]", 1000L);
    FITS("[{v=-0}]", 0);
    FITS("[{v=-08}]", -8);
    FITS("[{v=+18446744073709551615}]", UINT64_MAX);
    FITS("[{v=-9223372036854775808}]", INT64_MIN);
    FITS("[{v=+2}]", cairn_errno(2));
    FITS("[{v=+1.5}]", 1.5);
    FITS_NOT("[{v=-8}]", 8);
    FITS_NOT("[{v=8}]", -8);
    FITS_NOT("[{v=8x}]", 8);
    FITS_NOT("[{v=++8}]", 8);
    FITS_NOT("[{v=+-8}]", 8);
    FITS_NOT("[{v=8.5}]", 8);
    FITS_NOT("[{v=18446744073709551616}]", 0);
    FITS_NOT("[{v=-9223372036854775808}]", UINT64_C(9223372036854775808));
    FITS_NOT("[{v=9007199254740993.0}]", INT64_C(9007199254740993)); /* no double is it */
    FITS_NOT("[{v=}]", 0);
    FITS_NOT("[{v=+8}]", "8");
    FITS("[{v=+8}]", "+8");
}

static void counted_bytes_are_compared_with_their_digits(void **state)
{
    (void)state;
    FITS("[{v=00ff}]", cairn_bytes("\0\xff", 2));
    FITS("[{v=}]", cairn_bytes("", 0));
    FITS_NOT("[{v=}]", cairn_bytes("a", 1));
    FITS_NOT("[{v=00f}]", cairn_bytes("\0\xff", 2));
}

static void outer_spans_count_too(void **state)
{
    (void)state;
    filter("info,[request{id=7}]=trace");
    {
        CAIRN_SCOPE(DEBUG, "request", kv("id", 7));
        CAIRN_SCOPE(INFO, "inner");
        CAIRN_TRACE("deep");
    }
    expect_events("deep in inner\n");
}

static void assert_refused(const char *text, size_t at)
{
    struct cairn_directives_error error = {99, NULL};
    struct cairn_directives *none = NULL;

    assert_int_equal(cairn_directives_parse(text, &none, &error), EINVAL);
    assert_int_equal(error.at, at);
    assert_non_null(error.reason);
    assert_null(none);
    assert_int_equal(cairn_directives_parse(text, &none, NULL), EINVAL);
}

static void an_error_says_where_it_is(void **state)
{
    (void)state;
    assert_refused("net=loud", 4);
    assert_refused("info,=debug", 5);
    assert_refused("net=info=debug", 4);
    assert_refused("info,[request", 5);
    assert_refused("[request{id]=info", 8);
    assert_refused("[request{id=7]=info", 8);
    assert_refused("[request{id=\"7}]=info", 12);
    assert_refused("[request{}]", 9);
    assert_refused("[request]info", 9);
    assert_refused("a]b", 1);
    assert_refused("net=6", 4);
    assert_refused("[{a,b,c,d,e,f,g,h,i}]", 18);
    assert_refused(NULL, 0); /* such as a variable of the environment that is not set */
}

/* ---- what is wrong is left out ---- */

static char warnings[1000];

/* What is warned of, and where in it: "word+offset|". */
static void note_warning(void *arg, const struct cairn_directives_warning *warning)
{
    const char *text = arg;
    size_t used = strlen(warnings);

    assert_non_null(warning->reason);
    assert_true(warning->at >= warning->directive_at);
    (void)snprintf(warnings + used, sizeof(warnings) - used, "%.*s+%zu|",
                   (int)warning->directive_bytes, text + warning->directive_at,
                   warning->at - warning->directive_at);
}

static void assert_lossy(const char *text, const char *left_out, const char *expected)
{
    struct cairn_directives *parsed;

    warnings[0] = '\0';
    assert_int_equal(
        cairn_directives_parse_lossy(text, &parsed, note_warning, (void *)(uintptr_t)text), 0);
    assert_string_equal(warnings, left_out);
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, parsed), 0);
    trace_all();
    assert_notes(&notes, expected);
}

static void wrong_directives_are_left_out_and_the_others_count(void **state)
{
    struct cairn_directives *parsed = NULL;

    (void)state;
    assert_lossy("net=error,net::conn=loud,network=trace", "net::conn=loud+10|",
                 "net: e\nnetwork: i\nnetwork: t\n");
    assert_lossy(" net=lout , a]b ,error", "net=lout+4|a]b+1|", "net: e\n");
    assert_lossy("[s{a=1,b=\"x,y\"}]=loud,error", "[s{a=1,b=\"x,y\"}]=loud+17|", "net: e\n");
    assert_lossy("[s{a=1,b},off,=,error", "[s{a=1+0|b}+1|=+0|", "net: e\n");
    assert_lossy("[s{a=\"1}],error", "[s{a=\"1}]+5|", "net: e\n");
    assert_lossy("error,[s", "[s+0|", "net: e\n");
    assert_lossy("loud=loud,,=", "loud=loud+5|=+0|", "");
    assert_lossy("error", "", "net: e\n");
    assert_int_equal(cairn_directives_parse_lossy(NULL, &parsed, note_warning, NULL), EINVAL);
    assert_int_equal(cairn_directives_parse_lossy("a]", &parsed, NULL, NULL), 0);
    cairn_directives_destroy(parsed);
}

/* ---- what fits nothing ---- */

static void assert_unknown(const char *text, const char *expected)
{
    struct cairn_directives *parsed = directives(text);

    warnings[0] = '\0';
    assert_int_equal(cairn_directives_check(parsed, note_warning, (void *)(uintptr_t)text), 0);
    assert_string_equal(warnings, expected);
    cairn_directives_destroy(parsed);
}

static void a_directive_that_fits_nothing_known_gets_a_warning(void **state)
{
    (void)state;
    assert_unknown("inof", "inof+0|");
    assert_unknown("info debug", "info debug+0|");
    assert_unknown("info,nett=debug , net=debug,off,net::,5", "nett=debug+0|");
    assert_unknown("[request],[reqest{id=7}]=info,net[request]",
                   "[reqest{id=7}]=info+0|net[request]+0|");
    assert_unknown("[{id}],[{thing}]=debug,[{thng}],[request{id,thing}]",
                   "[{thng}]+0|[request{id,thing}]+0|");
    assert_unknown("", "");
}

static void warn_in_callback(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    struct cairn_directives *parsed = directives("inof");

    (void)layer;
    (void)event;
    assert_int_equal(cairn_directives_check(parsed, note_warning, NULL), EDEADLK);
    cairn_directives_destroy(parsed);
}

static void a_layer_cannot_ask_what_fits_nothing(void **state)
{
    struct cairn_layer layer = {.event = warn_in_callback};

    (void)state;
    assert_int_equal(cairn_subscriber_add(subscriber, &layer, NULL), 0);
    CAIRN_ERROR("e");
    assert_int_equal(cairn_subscriber_remove(subscriber, &layer), 0);
    forget_notes(&notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_alone_is_for_all_targets),
        cmocka_unit_test(nothing_lets_nothing_through),
        cmocka_unit_test(the_longest_target_decides),
        cmocka_unit_test(of_two_for_the_same_target_the_last_counts),
        cmocka_unit_test(a_target_is_for_all_that_begin_with_it),
        cmocka_unit_test(a_target_may_have_any_characters_but_those_of_the_syntax),
        cmocka_unit_test(a_target_alone_is_wanted_whole),
        cmocka_unit_test(a_target_may_be_silenced),
        cmocka_unit_test(a_span_lets_through_what_is_in_it),
        cmocka_unit_test(a_field_of_a_span_may_have_to_have_a_value),
        cmocka_unit_test(a_value_that_is_recorded_later_counts_from_then_on),
        cmocka_unit_test(a_target_before_brackets_is_the_spans),
        cmocka_unit_test(a_span_that_fits_passes_whatever_its_level),
        cmocka_unit_test(each_of_several_that_fit_lets_its_own_through),
        cmocka_unit_test(events_have_fields_themselves),
        cmocka_unit_test(values_are_compared_as_what_they_are),
        cmocka_unit_test(a_number_is_compared_by_its_value),
        cmocka_unit_test(counted_bytes_are_compared_with_their_digits),
        cmocka_unit_test(outer_spans_count_too),
        cmocka_unit_test(an_error_says_where_it_is),
        cmocka_unit_test(wrong_directives_are_left_out_and_the_others_count),
        cmocka_unit_test(a_directive_that_fits_nothing_known_gets_a_warning),
        cmocka_unit_test(a_layer_cannot_ask_what_fits_nothing),
    };

    return cmocka_run_group_tests(tests, begin_notes, end_notes);
}
