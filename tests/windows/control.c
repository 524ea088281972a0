/* SPDX-License-Identifier: MIT */
/* Sessions of ETW enable and disable a provider while it is registered, written to, and
 * unregistered. The imports are those of etw_imports.c. */
#include "etw_imports.h"

#include <cairn/eventheader.h>
#include <cairn/eventheader_dynamic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CAIRN_PROVIDER(own, "Own_Provider", id("00010203-0405-0607-0809-0a0b0c0d0e0f"),
               group_id("{10111213-1415-1617-1819-1a1b1c1d1e1f}"));
CAIRN_PROVIDER(wrong, "Wrong_Provider", id("00010203-0405-0607-0809-0a0b0c0d0e"));

static int failures;

static void check(int is_true, int line, const char *text)
{
    if (is_true)
        return;
    failures++;
    printf("line %d: %s\n", line, text);
}
#define CHECK(condition) check(!!(condition), __LINE__, #condition)

#define WRITE(...) CAIRN_WRITE_EVENT(own, "E", __VA_ARGS__, u32("A", 1))

static int is_written(int error)
{
    return error == 0;
}

static void levels_decide(void)
{
    CHECK(WRITE(level(CRITICAL_ERROR)) == EBADF);
    CHECK(!cairn_provider_register(&own));
    CHECK(cairn_provider_register(&own) == EALREADY);
    CHECK(WRITE(level(CRITICAL_ERROR)) == EBADF);
    etw_control(1, 3, 0, 0);
    CHECK(is_written(WRITE(level(CRITICAL_ERROR))) && is_written(WRITE(level(WARNING))));
    CHECK(WRITE(level(INFORMATION)) == EBADF && WRITE(level(255)) == EBADF);
    CHECK(CAIRN_PROVIDER_ENABLED(own, WARNING, 1) && !CAIRN_PROVIDER_ENABLED(own, VERBOSE, 1));
    etw_control(1, 0, 0, 0); /* all levels */
    CHECK(is_written(WRITE(level(255))));
    etw_control(0, 0, 0, 0);
    CHECK(WRITE(level(CRITICAL_ERROR)) == EBADF);
}

static void keywords_decide(void)
{
    etw_control(1, 5, 0x30, 0);
    CHECK(is_written(WRITE(keyword(0x10))) && is_written(WRITE(keyword(0x21))));
    CHECK(WRITE(keyword(0x1)) == EBADF);
    CHECK(is_written(WRITE(keyword(0))));
    etw_control(1, 5, 0x30, 0x14); /* one of these, and all of those */
    CHECK(is_written(WRITE(keyword(0x14))) && is_written(WRITE(keyword(0x1c))));
    CHECK(WRITE(keyword(0x10)) == EBADF && WRITE(keyword(0x4)) == EBADF);
    etw_control(1, 5, 0, 0x14); /* the other mask alone is not used */
    CHECK(is_written(WRITE(keyword(0x1))));
    etw_control(1, 5, 0x8000000000000000, 0);
    CHECK(is_written(WRITE(keyword(0x8000000000000000))) && WRITE(keyword(1)) == EBADF);
}

/* ETW combines sessions, and reports the result for each change. */
static void sessions_and_groups_come_and_go(void)
{
    etw_control(1, 2, 0x1, 0);
    CHECK(WRITE(level(WARNING)) == EBADF);
    etw_control(1, 5, 0x3, 0);
    CHECK(is_written(WRITE(level(WARNING), keyword(2))));
    etw_control(1, 2, 0x1, 0);
    CHECK(WRITE(level(WARNING)) == EBADF && is_written(WRITE(level(ERROR))));
    etw_control(0, 0, 0, 0);
    CHECK(WRITE(level(ERROR)) == EBADF);
}

static void traits_have_the_group(void)
{
    static const uint8_t id[] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    static const uint8_t traits[] = "\x22\0Own_Provider\0\x13\0\1\x13\x12\x11\x10\x15\x14\x17\x16"
                                    "\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f";

    CHECK(!memcmp(&etw_registered_id, id, sizeof(id)));
    CHECK(etw_traits_bytes == sizeof(traits) - 1 &&
          !memcmp(etw_traits, traits, sizeof(traits) - 1));
    etw_control(1, 0, 0, 0);
    CHECK(is_written(WRITE(level(ERROR))));
    CHECK(etw_last.traits_bytes == etw_traits_bytes &&
          !memcmp(etw_last.traits, traits, etw_traits_bytes));
    CHECK(cairn_provider_register(&wrong) == EINVAL);
}

static void errors_are_those_of_errno(void)
{
    static const struct {
        ULONG windows;
        int error;
    } errors[] = {{ERROR_INVALID_HANDLE, EBADF},     {ERROR_ARITHMETIC_OVERFLOW, E2BIG},
                  {ERROR_MORE_DATA, E2BIG},          {ERROR_NOT_ENOUGH_MEMORY, ENOSPC},
                  {ERROR_INVALID_PARAMETER, EINVAL}, {ERROR_ACCESS_DENIED, EACCES},
                  {ERROR_INVALID_FUNCTION, EIO},     {ERROR_SUCCESS, 0}};

    for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
        etw_write_result = errors[i].windows;
        CHECK(WRITE(level(ERROR)) == errors[i].error);
    }
}

/* ---- options ---- */

static void options_are_in_the_descriptor(void)
{
    CHECK(!CAIRN_WRITE_EVENT(own, "E", channel(16), task(0xabcd), level(ERROR), opcode(REPLY),
                             keyword(6)));
    CHECK(etw_last.descriptor.Channel == 16 && etw_last.descriptor.Task == 0xabcd);
    CHECK(etw_last.descriptor.Level == 2 && etw_last.descriptor.Opcode == 6);
    CHECK(etw_last.descriptor.Keyword == 6);
}

/* The event belongs to the activity that ETW knows of the thread. */
static void a_related_id_needs_no_other(void)
{
    static const uint8_t parent[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

    CHECK(!CAIRN_WRITE_EVENT(own, "E", related_id(parent)));
    CHECK(!etw_last.has_activity && etw_last.has_related && etw_last.related.Data1 == 0x00010203);
}

/* ---- values ---- */

static int is_time(uint64_t time)
{
    return etw_last.data_bytes == sizeof(time) && !memcmp(etw_last.data, &time, sizeof(time));
}

static void times_are_those_that_windows_can_show(void)
{
    const int64_t first = -11644473600;
    const int64_t last = 910670515199;
    const uint64_t highest = 0x7fff35f4f06c7fff;

    CHECK(!CAIRN_WRITE_EVENT(own, "E", time64("A", first + 1)) && is_time(10000000));
    CHECK(!CAIRN_WRITE_EVENT(own, "E", time64("A", first - 1)) && is_time(0));
    CHECK(!CAIRN_WRITE_EVENT(own, "E", time64("A", INT64_MIN)) && is_time(0));
    CHECK(!CAIRN_WRITE_EVENT(own, "E", time64("A", last)) && is_time(highest - 9999999));
    CHECK(!CAIRN_WRITE_EVENT(own, "E", time64("A", last + 1)) && is_time(highest));
    CHECK(!CAIRN_WRITE_EVENT(own, "E", time64("A", INT64_MAX)) && is_time(highest));
}

static void a_systemtime_has_units_of_100_ns(void)
{
    const struct timespec after = {1, 123456789};
    const struct timespec before = {-2, 500000099};

    CHECK(!CAIRN_WRITE_EVENT(own, "E", systemtime("A", after)));
    CHECK(is_time(116444736000000000 + 11234567));
    CHECK(!CAIRN_WRITE_EVENT(own, "E", systemtime("A", before)));
    CHECK(is_time(116444736000000000 - 15000000));
}

static int evaluated;

static uint32_t evaluate(void)
{
    return (uint32_t)++evaluated;
}

static void values_of_disabled_events_are_not_evaluated(void)
{
    etw_control(0, 0, 0, 0);
    CHECK(CAIRN_WRITE_EVENT(own, "E", u32("A", evaluate())) == EBADF && !evaluated);
    etw_control(1, 0, 0, 0);
    CHECK(!CAIRN_WRITE_EVENT(own, "E", u32("A", evaluate())) && evaluated == 1);
}

/* ---- the state ---- */

static int states;
static int result_in_callback;

static void write_state(void *context)
{
    states += *(int *)context;
    result_in_callback = cairn_provider_unregister(&own);
    CHECK(cairn_provider_register(&own) == EDEADLK);
    CHECK(is_written(WRITE(level(ERROR))));
}

static void a_session_asks_for_the_state(void)
{
    static int one = 1;

    CHECK(cairn_provider_on_capture_state(&own, write_state, &one) == EALREADY);
    CHECK(!cairn_provider_unregister(&own) && cairn_provider_unregister(&own) == ENOENT);
    CHECK(!cairn_provider_on_capture_state(&own, write_state, &one));
    CHECK(!cairn_provider_register(&own));
    etw_control(1, 0, 0, 0);
    etw_control(2, 0, 0, 0);
    CHECK(states == 1 && result_in_callback == EDEADLK && etw_registered == 1);
}

/* ---- threads ---- */

#define WRITERS 8

static volatile LONG must_end;

static DWORD WINAPI write_events(void *unused)
{
    (void)unused;
    while (!must_end) {
        int error = WRITE(level(ERROR), keyword(0x10));

        if (error && error != EBADF)
            InterlockedExchange(&must_end, 2);
    }
    return 0;
}

static void sessions_change_while_threads_write(void)
{
    HANDLE threads[WRITERS];
    LONG before = etw_write_count;

    etw_keeps = FALSE;
    for (int i = 0; i < WRITERS; i++)
        threads[i] = CreateThread(NULL, 0, write_events, NULL, 0, NULL);
    for (int i = 0; i < 2000; i++)
        etw_control((ULONG)(i & 1), (UCHAR)(i & 7), (ULONGLONG)(i & 0x30), 0);
    etw_control(1, 0, 0, 0);
    while (etw_write_count - before < 1000 && must_end < 2)
        SwitchToThread();
    for (int i = 0; i < 20; i++) { /* also while the provider is unregistered and registered */
        CHECK(!cairn_provider_unregister(&own));
        CHECK(!cairn_provider_register(&own));
        etw_control(1, 0, 0, 0);
    }
    CHECK(must_end == 0);
    InterlockedExchange(&must_end, 1);
    WaitForMultipleObjects(WRITERS, threads, TRUE, INFINITE);
    etw_keeps = TRUE;
}

/* A callback that runs when another thread unregisters the provider: that waits for it. */
static HANDLE in_state;
static HANDLE go_on;

static void wait_in_state(void *unused)
{
    (void)unused;
    SetEvent(in_state);
    WaitForSingleObject(go_on, INFINITE);
}

static DWORD WINAPI ask_for_state(void *unused)
{
    (void)unused;
    etw_control(2, 0, 0, 0);
    return 0;
}

static DWORD WINAPI unregister_own(void *unused)
{
    (void)unused;
    return (DWORD)cairn_provider_unregister(&own);
}

static void unregistering_waits_for_the_callback(void)
{
    HANDLE threads[2];
    DWORD result = 1;

    in_state = CreateEventA(NULL, TRUE, FALSE, NULL);
    go_on = CreateEventA(NULL, TRUE, FALSE, NULL);
    CHECK(!cairn_provider_unregister(&own));
    CHECK(!cairn_provider_on_capture_state(&own, wait_in_state, NULL));
    CHECK(!cairn_provider_register(&own));
    threads[0] = CreateThread(NULL, 0, ask_for_state, NULL, 0, NULL);
    WaitForSingleObject(in_state, INFINITE);
    threads[1] = CreateThread(NULL, 0, unregister_own, NULL, 0, NULL);
    while (__atomic_load_n(&own.handle, __ATOMIC_ACQUIRE))
        SwitchToThread();
    CHECK(WaitForSingleObject(threads[1], 0) == WAIT_TIMEOUT);
    SetEvent(go_on);
    WaitForMultipleObjects(2, threads, TRUE, INFINITE);
    GetExitCodeThread(threads[1], &result);
    CHECK(!result && !etw_registered);
    CHECK(WRITE(level(ERROR)) == EBADF);
}

/* ---- event sets ---- */

#define SETS 16

static struct cairn_dynamic_provider *dynamic;
static struct cairn_event_set *sets[WRITERS * SETS]; /* of each thread a part */

static DWORD WINAPI register_sets(void *which)
{
    struct cairn_event_set **mine = which;
    uint64_t first = 1 + (uint64_t)(mine - sets);

    for (uint64_t i = 0; i < SETS; i++) {
        if (cairn_event_set_register(dynamic, 5, first + i, &mine[i]))
            return 1;
    }
    return 0;
}

static int count_enabled(void)
{
    int count = 0;

    for (int i = 0; i < WRITERS * SETS; i++)
        count += cairn_event_set_is_enabled(sets[i]);
    return count;
}

/* A set that is added during a change has the state after it. */
static void sessions_change_while_sets_are_registered(void)
{
    HANDLE threads[WRITERS];

    CHECK(!cairn_dynamic_provider_create("Dynamic_Provider", NULL, &dynamic));
    CHECK(!cairn_event_set_register(dynamic, 1, 1, &sets[0])); /* registers the provider */
    for (int round = 0; round < WRITERS; round++)
        threads[round] = CreateThread(NULL, 0, register_sets, &sets[round * SETS], 0, NULL);
    for (int i = 0; i < 1001; i++)
        etw_control((ULONG)(i & 1), 5, 0, 0);
    WaitForMultipleObjects(WRITERS, threads, TRUE, INFINITE);
    CHECK(count_enabled() == 0);
    etw_control(1, 5, 0, 0);
    CHECK(count_enabled() == WRITERS * SETS);
    etw_control(1, 5, 3, 3); /* keywords that have both bits */
    CHECK(count_enabled() == WRITERS * SETS / 4);
    etw_control(1, 4, 0, 0);
    CHECK(count_enabled() == 0);
    CHECK(!cairn_dynamic_provider_destroy(dynamic) && !etw_registered);
}

int main(void)
{
    levels_decide();
    keywords_decide();
    sessions_and_groups_come_and_go();
    traits_have_the_group();
    errors_are_those_of_errno();
    options_are_in_the_descriptor();
    a_related_id_needs_no_other();
    times_are_those_that_windows_can_show();
    a_systemtime_has_units_of_100_ns();
    values_of_disabled_events_are_not_evaluated();
    a_session_asks_for_the_state();
    sessions_change_while_threads_write();
    unregistering_waits_for_the_callback();
    sessions_change_while_sets_are_registered();
    printf(failures ? "%d failures\n" : "all as expected\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
