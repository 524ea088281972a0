/* SPDX-License-Identifier: MIT */
/* Typed tracepoints on Windows: events of ETW, and callbacks. */
#include "etw_imports.h"
#include "typed_events.h"

#include <stdio.h>
#include <stdlib.h>

static int failures;

static void check(int is_true, int line, const char *text)
{
    if (is_true)
        return;
    failures++;
    printf("line %d: %s\n", line, text);
}
#define CHECK(condition) check(!!(condition), __LINE__, #condition)

static LONG written;

static int is_new(void)
{
    LONG before = written;

    written = etw_write_count;
    return written == before + 1;
}

/* Texts with their NULs, as string literals have them. */
#define METADATA_IS(text)                               \
    (etw_last.metadata_bytes == sizeof(text) - 1 + 2 && \
     etw_last.metadata[0] == sizeof(text) - 1 + 2 &&    \
     !memcmp(etw_last.metadata + 2, text, sizeof(text) - 1))
#define DATA_IS(text) \
    (etw_last.data_bytes == sizeof(text) - 1 && !memcmp(etw_last.data, text, sizeof(text) - 1))

#ifdef _WIN64
#define POINTER       "\x15"
#define POINTER_BYTES "\x78\x56\x34\x12\0\0\0\0"
#else
#define POINTER       "\x14"
#define POINTER_BYTES "\x78\x56\x34\x12"
#endif

static void values_are_tracelogging(void)
{
    trace_single(-3, (void *)0x12345678, LARGE);
    CHECK(is_new() && etw_last.is_described && etw_last.descriptor.Level == 4);
    CHECK(etw_last.descriptor.Channel == 11 && etw_last.descriptor.Keyword == 0);
    CHECK(METADATA_IS(
        "\0single\0byte\0\4negative\0\5number\0\x9is_true\0\x84\3letter\0\x84\2pointer\0" POINTER
        "size\0\x8pair\0\xa4\4\2\0"));
    CHECK(DATA_IS("\7\xfe\xff\xfd\xff\xff\xff\xff\xff\xff\xff\1x" POINTER_BYTES "\1\0\0\0\1\2"));
    CHECK(etw_last.parts == 1); /* one run of bytes */
    CHECK(!memcmp(etw_last.traits, "\x8\0typed", 8));
}

static void arrays_have_their_counts(void)
{
    static const uint16_t numbers[] = {8, 9};

    trace_arrays("some", numbers, 2);
    CHECK(is_new());
    CHECK(METADATA_IS(
        "\0arrays\0text\0\x97\x23place\0\x97\x23three\0\x26\3\0numbers\0\x46relative\0\x97\x23"
        "pairs\0\xe"));
    CHECK(DATA_IS("\4\0some\2\0ab\1\0\2\0\3\0\2\0\x8\0\x9\0\4\0some\2\0\5\6"));
    trace_arrays(NULL, NULL, 0);
    CHECK(is_new() && DATA_IS("\6\0(null)\2\0ab\1\0\2\0\3\0\0\0\6\0(null)\2\0\5\6"));
}

static void sources_share_an_event(void)
{
    write_elsewhere();
    CHECK(is_new() && etw_last.data[3] == 2);
    write_declared();
    CHECK(is_new() && etw_last.data[3] == 4);
}

static void an_event_that_is_too_large_is_not_written(void)
{
    trace_bytes(65000);
    CHECK(is_new() && etw_last.data_bytes == 65002);
    CHECK(cairn_trace_events_lost() == 0);
    trace_bytes(65500);
    CHECK(!is_new() && cairn_trace_events_lost() == 1);
    trace_bytes(70000); /* larger than any record */
    CHECK(!is_new() && cairn_trace_events_lost() == 2);
}

static void an_event_that_etw_refuses_is_counted(void)
{
    etw_write_result = ERROR_MORE_DATA;
    trace_bytes(1);
    CHECK(is_new() && cairn_trace_events_lost() == 3);
    etw_write_result = ERROR_NOT_ENOUGH_MEMORY; /* ETW counts it */
    trace_bytes(1);
    CHECK(is_new() && cairn_trace_events_lost() == 3);
    etw_write_result = ERROR_SUCCESS;
    etw_control(0, 0, 0, 0);
    trace_bytes(70000); /* nobody wants it */
    CHECK(!is_new() && cairn_trace_events_lost() == 3);
}

/* ---- callbacks ---- */

static int64_t called_with;
static int calls;

static void on_single(void *data, int64_t number, void *pointer, enum size size)
{
    (void)pointer;
    calls++;
    called_with = number + *(int *)data + size;
}

static void callbacks_are_called(void)
{
    static int ten = 10;

    CHECK(!register_trace_single(on_single, &ten));
    trace_single(100, NULL, LARGE);
    CHECK(is_new() && calls == 1 && called_with == 111);
    etw_control(0, 0, 0, 0);
    CHECK(trace_single_enabled());
    trace_single(200, NULL, LARGE);
    CHECK(!is_new() && calls == 2 && called_with == 211);
    CHECK(!unregister_trace_single(on_single, &ten) && !trace_single_enabled());
    trace_single(300, NULL, LARGE);
    CHECK(!is_new() && calls == 2);
}

static void sessions_decide(void)
{
    CHECK(!trace_single_enabled() && !trace_bytes_enabled());
    etw_control(1, 3, 0, 0); /* INFORMATION is 4 */
    CHECK(!trace_bytes_enabled());
    etw_control(1, 4, 0x10, 0); /* events without keywords are always written */
    CHECK(trace_bytes_enabled() && !trace_single_enabled());
    etw_control(0, 0, 0, 0);
    CHECK(!trace_bytes_enabled());
}

static void systems_are_registered_as_long_as_they_are_used(void)
{
    struct cairn_trace_event *const others[] = {&cairn_event_bytes};

    CHECK(etw_registered == 2);
    CHECK(!cairn_trace_events_register(__start_cairn_trace_events, __stop_cairn_trace_events));
    CHECK(etw_registered == 2);
    CHECK(!cairn_trace_events_unregister(others, others + 1) && etw_registered == 1);
    CHECK(!trace_bytes_enabled());
    CHECK(!cairn_trace_events_register(others, others + 1) && etw_registered == 2);
}

int main(void)
{
    struct cairn_trace_event *const other[] = {&cairn_event_bytes};

    systems_are_registered_as_long_as_they_are_used();
    sessions_decide();
    /* The imports keep the provider that was registered last: this is made the other one. */
    CHECK(!cairn_trace_events_unregister(__start_cairn_trace_events, __stop_cairn_trace_events));
    CHECK(etw_registered == 0);
    CHECK(!cairn_trace_events_register(other, other + 1));
    etw_control(1, 0, 0, 0);
    an_event_that_is_too_large_is_not_written();
    an_event_that_etw_refuses_is_counted();
    CHECK(!cairn_trace_events_register(__start_cairn_trace_events, __stop_cairn_trace_events));
    etw_control(1, 0, 0, 0);
    values_are_tracelogging();
    arrays_have_their_counts();
    sources_share_an_event();
    callbacks_are_called();
    printf(failures ? "%d failures\n" : "all as expected\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
