/* SPDX-License-Identifier: MIT */
/* Test of filters that others change while a program runs: by requests in its process file. */
#include "engine/engine.h"
#include "tracing_dir.h"
#include "tracing_test.h"

#include <cairn/session.h>
#include <cairn/user_events.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int set_up_directory(void **state)
{
    return tracing_dir_make() || begin_notes(state);
}

static int tear_down_directory(void **state)
{
    int error = end_notes(state);

    tracing_dir_remove();
    return error;
}

/* Asks for a filter. The program is this one: it has not answered yet. */
static void ask(const char *text)
{
    assert_int_equal(cairn_program_filter_change(getpid(), text, 0, NULL), ETIMEDOUT);
}

static void assert_filter(const char *expected)
{
    char text[CAIRN_PROGRAM_FILTER_BYTES];

    assert_int_equal(cairn_program_filter_read(getpid(), text), 0);
    assert_string_equal(text, expected);
}

static void the_next_call_site_applies_a_request(void **state)
{
    (void)state;
    assert_filter("trace");
    ask("warn");
    CAIRN_INFO("i");
    assert_notes(&notes, "");
    assert_filter("warn");
    CAIRN_WARN("w");
    assert_notes(&notes, "test_tracing_remote: w\n");
    ask("off");
    CAIRN_INFO("disabled by the filter before");
    assert_filter("off");
    ask("trace");
    CAIRN_TRACE("t");
    assert_notes(&notes, "test_tracing_remote: t\n");
}

/* One who was killed before it rang the bell. */
static void a_request_without_its_bell_is_taken_with_the_next(void **state)
{
    uint32_t *request = &engine_self.process->facade.request;

    (void)state;
    ask("trace");
    CAIRN_TRACE("t");
    *request += 2;
    ask("warn");
    CAIRN_INFO("i");
    CAIRN_INFO("i");
    assert_filter("warn");
    ask("trace");
    CAIRN_WARN("w");
    CAIRN_TRACE("t");
    assert_filter("trace");
    forget_notes(&notes);
}

static void a_span_applies_a_request(void **state)
{
    struct cairn_span *span;

    (void)state;
    ask("[request{id=7}]=trace");
    span = CAIRN_SPAN(INFO, "request", kv("id", 7));
    cairn_span_enter(span);
    CAIRN_DEBUG("in it");
    cairn_span_exit(span);
    cairn_span_close(span);
    CAIRN_DEBUG("outside");
    assert_non_null(strstr(notes.text.text, "in it in request"));
    assert_null(strstr(notes.text.text, "outside"));
    forget_notes(&notes);
    ask("trace");
    CAIRN_INFO("i");
    forget_notes(&notes);
}

/* ---- signal handlers ---- */

static void write_in_handler(int signal_number)
{
    (void)signal_number;
    CAIRN_INFO("in a handler");
}

static void handle(int signal_number, int flags)
{
    const struct sigaction action = {.sa_handler = write_in_handler, .sa_flags = flags};

    assert_int_equal(sigaction(signal_number, &action, NULL), 0);
}

static void block(int how, int signal_number)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, signal_number);
    assert_int_equal(pthread_sigmask(how, &set, NULL), 0);
}

static void assert_handler_leaves_a_request(int flags)
{
    handle(SIGUSR1, flags);
    ask("warn");
    raise(SIGUSR1);
    assert_filter("trace");
    assert_notes(&notes, "test_tracing_remote: in a handler\n");
    (void)signal(SIGUSR1, SIG_DFL);
    CAIRN_WARN("outside");
    assert_filter("warn");
    ask("trace");
    CAIRN_WARN("outside");
    assert_filter("trace");
    forget_notes(&notes);
}

static void an_event_of_a_signal_handler_leaves_a_request_to_others(void **state)
{
    (void)state;
    assert_handler_leaves_a_request(0);
    assert_handler_leaves_a_request(SA_NODEFER);
    assert_handler_leaves_a_request((int)SA_RESETHAND);
}

/* As a program does that reads the signal from a descriptor. */
static void a_blocked_signal_without_a_handler_delays_no_request(void **state)
{
    (void)state;
    block(SIG_BLOCK, SIGUSR2);
    ask("warn");
    CAIRN_INFO("i");
    assert_filter("warn");
    ask("trace");
    CAIRN_INFO("i");
    block(SIG_UNBLOCK, SIGUSR2);
    assert_filter("trace");
    forget_notes(&notes);
}

static void *apply_a_request(void *arg)
{
    (void)arg;
    CAIRN_INFO("first");
    CAIRN_INFO("second");
    return NULL;
}

/* As threads do that leave all signals to another one. */
static void a_thread_that_began_with_a_signal_blocked_applies_a_request(void **state)
{
    pthread_t thread;

    (void)state;
    handle(SIGUSR2, 0);
    block(SIG_BLOCK, SIGUSR2);
    ask("warn");
    CAIRN_INFO("may be in a handler");
    assert_filter("trace");
    assert_int_equal(pthread_create(&thread, NULL, apply_a_request, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_filter("warn");
    ask("trace");
    cairn_span_close(CAIRN_SPAN(INFO, "span"));
    assert_filter("trace");
    block(SIG_UNBLOCK, SIGUSR2);
    (void)signal(SIGUSR2, SIG_DFL);
    forget_notes(&notes);
}

static void an_invalid_filter_changes_nothing(void **state)
{
    struct cairn_directives_error problem = {0, NULL};
    char text[2000];

    (void)state;
    assert_int_equal(cairn_program_filter_change(getpid(), "net=loud", 0, &problem), EINVAL);
    assert_int_equal(problem.at, 4);
    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = 0;
    assert_int_equal(cairn_program_filter_change(getpid(), text, 0, NULL), E2BIG);
    assert_filter("trace");
}

static void a_forked_child_with_registrations_has_a_filter_of_its_own(void **state)
{
    struct cairn_tracepoint own = CAIRN_TRACEPOINT_INIT;
    int status;
    pid_t child;

    (void)state;
    child = fork();
    if (!child) {
        char text[CAIRN_PROGRAM_FILTER_BYTES];
        int error = cairn_tracepoint_register(&own, "remote_child u32 a");

        if (!error && cairn_program_filter_change(getpid(), "error,net", 0, NULL) != ETIMEDOUT)
            error = 1;
        CAIRN_INFO("i");
        _exit(error || cairn_program_filter_read(getpid(), text) || strcmp(text, "error,net") != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    CAIRN_INFO("i");
    assert_notes(&notes, "test_tracing_remote: i\n");
    assert_filter("trace");
}

/* A process that may write to the file may write anything, at any time. */
static void a_request_of_any_bytes_is_harmless(void **state)
{
    struct engine_facade *facade = &engine_self.process->facade;
    uint64_t random = 88172645463325252u;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint8_t *byte;

        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        byte = (uint8_t *)facade + random % sizeof(*facade);
        __atomic_store_n(byte, (uint8_t)("[]{}=,\"a1\0:"[(random >> 32) % 11]), __ATOMIC_RELAXED);
        if (i % 8 == 0) {
            memset(facade->bells, 1, sizeof(facade->bells));
            facade->request += 2;
        }
        CAIRN_INFO("i");
    }
    memset(facade, 0xff, sizeof(*facade));
    CAIRN_INFO("i");
    memset(facade, 0, sizeof(*facade));
    facade->is_open = 1;
    for (uint32_t i = 0; i < ENGINE_FACADE_BELLS; i++) {
        (void)cairn_program_filter_change(getpid(), "trace", 0, NULL);
        CAIRN_INFO("i");
    }
    assert_filter("trace");
    forget_notes(&notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_call_site_applies_a_request),
        cmocka_unit_test(a_request_without_its_bell_is_taken_with_the_next),
        cmocka_unit_test(a_span_applies_a_request),
        cmocka_unit_test(an_event_of_a_signal_handler_leaves_a_request_to_others),
        cmocka_unit_test(a_blocked_signal_without_a_handler_delays_no_request),
        cmocka_unit_test(a_thread_that_began_with_a_signal_blocked_applies_a_request),
        cmocka_unit_test(an_invalid_filter_changes_nothing),
        cmocka_unit_test(a_forked_child_with_registrations_has_a_filter_of_its_own),
        cmocka_unit_test(a_request_of_any_bytes_is_harmless),
    };

    return cmocka_run_group_tests(tests, set_up_directory, tear_down_directory);
}
