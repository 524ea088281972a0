/* SPDX-License-Identifier: MIT */
/* Objects that macros leave in a program have a version: those of later headers are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tracing_dir.h"

#include <cairn/eventheader.h>
#include <cairn/tracing.h>
#include <cairn/typed_tracepoint.h>
#include <cairn/user_events.h>
#include <errno.h>

CAIRN_PROVIDER(provider, "Versions");

CAIRN_TRACEPOINT(later_event, TP_SYSTEM(versions), TP_PROTO(uint32_t number), TP_ARGS(number),
                 TP_STRUCT__entry(__field(uint32_t, number)),
                 TP_fast_assign(__entry->number = number;),
                 TP_printk("number=%u", __entry->number));

static void a_tracepoint_of_a_later_version_is_refused(void **state)
{
    struct cairn_tracepoint later = CAIRN_TRACEPOINT_INIT;

    (void)state;
    later.version++;
    assert_int_equal(cairn_tracepoint_register(&later, "versions_tick u32 number"),
                     EPROTONOSUPPORT);
    assert_false(cairn_tracepoint_is_enabled(&later));
    later.version--;
    assert_int_equal(cairn_tracepoint_register(&later, "versions_tick u32 number"), 0);
    assert_int_equal(cairn_tracepoint_unregister(&later), 0);
}

static void a_provider_of_a_later_version_is_refused(void **state)
{
    (void)state;
    provider.version++;
    assert_int_equal(cairn_provider_register(&provider), EPROTONOSUPPORT);
    assert_int_equal(cairn_provider_unregister(&provider), ENOENT);
    provider.version--;
    assert_int_equal(cairn_provider_register(&provider), 0);
    assert_int_equal(cairn_provider_unregister(&provider), 0);
}

static void a_call_site_of_a_later_version_is_refused_and_the_others_are_registered(void **state)
{
    struct cairn_i_site *site = __start_cairn_i_sites;

    (void)state;
    assert_int_equal(CAIRN_WRITE_EVENT(provider, "One", level(ERROR)), EBADF);
    assert_int_equal(CAIRN_WRITE_EVENT(provider, "Two", level(WARNING)), EBADF);
    assert_int_equal(__stop_cairn_i_sites - __start_cairn_i_sites, 2);
    assert_int_equal(site->level + site[1].level, CAIRN_LEVEL_ERROR + CAIRN_LEVEL_WARNING);
    site->version++;
    assert_int_equal(cairn_provider_register(&provider), EPROTONOSUPPORT);
    assert_int_equal(cairn_provider_register(&provider), EALREADY);
    assert_int_equal(cairn_provider_unregister(&provider), 0);
    site->version--;
    assert_int_equal(cairn_provider_register(&provider), 0);
    assert_int_equal(cairn_provider_unregister(&provider), 0);
}

static void a_typed_tracepoint_of_a_later_version_is_refused(void **state)
{
    struct cairn_trace_class later_class = *cairn_event_later_event.event_class;
    struct cairn_trace_event event = cairn_event_later_event;
    struct cairn_trace_event *section[] = {&event};

    (void)state;
    assert_true(cairn_event_later_event.tracepoint.registered); /* before main() */
    event.tracepoint = (struct cairn_tracepoint)CAIRN_TRACEPOINT_INIT;
    event.version++;
    assert_int_equal(cairn_trace_events_register(section, section + 1), EPROTONOSUPPORT);
    event.version--;
    later_class.version++;
    event.event_class = &later_class;
    assert_int_equal(cairn_trace_events_register(section, section + 1), EPROTONOSUPPORT);
    assert_false(event.tracepoint.registered);
}

static void a_place_of_the_facade_of_a_later_version_is_never_enabled_and_counted(void **state)
{
    static const char *const no_fields[] = {NULL};
    struct cairn_callsite site = {
        .gate = &cairn_i_gate_new,
        .name = "later",
        .file = "later",
        .fields = no_fields,
        .level = CAIRN_TRACING_ERROR,
        .version = CAIRN_I_CALLSITE_VERSION + 1,
    };
    uint64_t lost = cairn_tracing_lost();

    (void)state;
    assert_false(cairn_i_callsite_on(&site));
    assert_null(site.gate);
    assert_int_equal(cairn_tracing_lost(), lost + 1);
    assert_false(cairn_i_callsite_on(&site));
    assert_int_equal(cairn_tracing_lost(), lost + 1);
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
        cmocka_unit_test(a_tracepoint_of_a_later_version_is_refused),
        cmocka_unit_test(a_provider_of_a_later_version_is_refused),
        cmocka_unit_test(a_call_site_of_a_later_version_is_refused_and_the_others_are_registered),
        cmocka_unit_test(a_typed_tracepoint_of_a_later_version_is_refused),
        cmocka_unit_test(a_place_of_the_facade_of_a_later_version_is_never_enabled_and_counted),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
