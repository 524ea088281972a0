/* SPDX-License-Identifier: MIT */
/* Test of the former names: a program that uses them, and structs without sizes, compiles and
 * works. */
#undef CAIRN_NO_DEPRECATED
#include "tracing_dir.h"

#include <cairn/eventheader.h>
#include <cairn/eventheader_dynamic.h>
#include <cairn/session.h>
#include <cairn/tracing.h>
#include <cairn/user_events.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

static int write_event(void)
{
    const struct cairn_user_event_options options = {.backends = CAIRN_BACKEND_LOCAL};
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    uint32_t number = 7;
    int error = cairn_user_event_register_with(&tp, "former u32 number", &options);

    if (!error && cairn_tracepoint_enabled(&tp))
        error = cairn_user_event_write_bytes(&tp, &number, sizeof(number));
    if (!error)
        error = cairn_user_event_unregister(&tp);
    return error;
}

static void a_session_collects_events(void **state)
{
    const char *pattern = "former";
    struct cairn_session_options options = {.patterns = &pattern, .pattern_count = 1};
    struct cairn_session *session;
    struct cairn_session_counts counts;

    (void)state;
    options.fd = open("/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    assert_true(options.fd >= 0);
    assert_int_equal(cairn_session_create(&options, &session), 0);
    assert_int_equal(write_event(), 0);
    assert_int_equal(cairn_session_finish(session), 0);
    counts = cairn_session_count(session);
    assert_int_equal(counts.events, 1);
    assert_string_equal(cairn_session_tracepoint_at(session, 0).name, "former");
    cairn_session_destroy(session);
    close(options.fd);
}

static void a_builder_is_created(void **state)
{
    struct cairn_event_builder *builder;
    struct cairn_guid id;

    (void)state;
    assert_int_equal(cairn_event_builder_create(&builder), 0);
    cairn_event_builder_destroy(builder);
    cairn_activity_id_create(&id);
}

static int set_up(void **state)
{
    (void)state;
    return tracing_dir_make();
}

static int tear_down(void **state)
{
    (void)state;
    tracing_dir_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_collects_events),
        cmocka_unit_test(a_builder_is_created),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
