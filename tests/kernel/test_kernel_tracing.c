/* SPDX-License-Identifier: MIT */
/*
 * Test of the tracing facade with its EventHeader layer, plain and with the Common Schema, with
 * both backends: perf records the kernel's events and cairn those of the local engine, and both are
 * the events of tracing_events.txt.
 */
#include "guest.h"

#include <cairn/tracing.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACE_ID "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN_ID  "00f067aa0ba902b7"

static struct cairn_subscriber *subscriber;

static int add_layer(const char *name, bool common_schema)
{
    const struct cairn_eventheader_options options = {
        .size = sizeof(options), .name = name, .common_schema = common_schema};
    struct cairn_layer *layer;
    int error = cairn_eventheader_layer_create(&options, &layer);

    return error ? error : cairn_subscriber_add(subscriber, layer, NULL);
}

static int begin_tracing(void)
{
    int error = cairn_subscriber_create(&subscriber);

    if (!error)
        error = add_layer("Guest_Tracing", false);
    if (!error)
        error = add_layer("Guest_Common", true);
    return error ? error : cairn_subscriber_set_global(subscriber);
}

/* ---- the recorded program ---- */

static void *trace_elsewhere(void *arg)
{
    struct cairn_span *span = arg;

    {
        CAIRN_IN_SPAN(span);
        CAIRN_DEBUG((name("Elsewhere")), "on another thread");
    }
    cairn_span_close(span);
    return NULL;
}

static void trace_inside(void)
{
    CAIRN_SCOPE(INFO, "inner", keyword(0x20), kv("late", cairn_empty()));

    CAIRN_WARN((name("Refused"), kv("port", 80), kv("error", cairn_errno(ECONNREFUSED))), "no %s",
               "way");
    CAIRN_RECORD(cairn_span_current(), "late", "known");
    CAIRN_TRACE((name("Detail"), tag(7), kv("half", 0.5)));
}

static int trace_all(void)
{
    struct cairn_trace_context context;
    struct cairn_span *outer;
    pthread_t thread;
    int error = cairn_trace_context_parse("00-" TRACE_ID "-" SPAN_ID "-01", &context);

    if (error)
        return error;
    CAIRN_ERROR((name("Alone")), "in no span");
    outer = CAIRN_SPAN(INFO, "outer", remote(&context), kv("id", 7));
    {
        CAIRN_IN_SPAN(outer);
        trace_inside();
    }
    error = pthread_create(&thread, NULL, trace_elsewhere, cairn_span_hold(outer));
    if (!error)
        error = pthread_join(thread, NULL);
    cairn_span_close(outer);
    cairn_span_close(CAIRN_SPAN(INFO, "of no one"));
    return error ? error : cairn_tracing_lost() != 0;
}

/* ---- the recordings ---- */

static void record_and_decode(void)
{
    char self[256];
    char command[1024];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

    assert_true(length > 0);
    self[length] = '\0';
    snprintf(command, sizeof(command),
             "perf record -q -k CLOCK_MONOTONIC -e 'user_events:Guest_*' -o /tmp/kernel.data -- "
             "%s --write >/tmp/kernel.out 2>&1 || { cat /tmp/kernel.out; false; }",
             self);
    guest_run(command);
    assert_int_equal(setenv("CAIRN_BACKEND", "local", 1), 0);
    snprintf(command, sizeof(command),
             "./cairn record -q -e 'Guest_*' -o /tmp/local.data -- %s --write", self);
    guest_run(command);
    guest_run("for f in kernel local; do ./cairn decode -f jsonl /tmp/$f.data | "
              "python3 tests/kernel/tracing_events.py >/tmp/$f.events || exit; done");
}

static void events_and_spans_are_recorded_with_both_backends(void **state)
{
    (void)state;
    guest_go_to_build_directory();
    assert_int_equal(setenv("CAIRN_TRACING_DIR", "/tmp/cairn", 1), 0);
    assert_int_equal(setenv("CAIRN_BACKEND", "kernel", 1), 0);
    /* perf can record existing events only: this process keeps them registered. */
    assert_int_equal(begin_tracing(), 0);
    record_and_decode();
    guest_run("diff -u tests/kernel/tracing_events.txt /tmp/kernel.events >&2");
    guest_run("diff -u tests/kernel/tracing_events.txt /tmp/local.events >&2");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_and_spans_are_recorded_with_both_backends),
    };
    int error;

    if (argc == 2 && strcmp(argv[1], "--write") == 0) {
        error = begin_tracing();
        return error ? error : trace_all();
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
