/* SPDX-License-Identifier: MIT */
/* The cost of an event with a u32 and a short string, next to a call of an EventWriteTransfer that
 * does nothing, and of a disabled one in a program that does other work, as bench/writer.c measures
 * it on Linux. Prints lines `name value`. */
#include "../../bench/loops.h"

#include <cairn/eventheader.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include <evntprov.h>

#define CALLS          200000
#define ROUNDS         40
#define DISABLED_STEPS 500000 /* as bench/bench.py */

CAIRN_PROVIDER(own, "Bench_Provider");

static PENABLECALLBACK enable;
static PVOID context;

static ULONG NTAPI register_provider(LPCGUID id, PENABLECALLBACK callback, PVOID given,
                                     PREGHANDLE handle)
{
    (void)id;
    enable = callback;
    context = given;
    *handle = 1;
    return ERROR_SUCCESS;
}

static ULONG NTAPI unregister_provider(REGHANDLE handle)
{
    (void)handle;
    return ERROR_SUCCESS;
}

static ULONG NTAPI set_information(REGHANDLE handle, EVENT_INFO_CLASS what, PVOID information,
                                   ULONG size)
{
    (void)handle;
    (void)what;
    (void)information;
    (void)size;
    return ERROR_SUCCESS;
}

static ULONG NTAPI write_nothing(REGHANDLE handle, PCEVENT_DESCRIPTOR event, LPCGUID activity,
                                 LPCGUID related, ULONG count, PEVENT_DATA_DESCRIPTOR data)
{
    (void)handle;
    (void)event;
    (void)activity;
    (void)related;
    (void)count;
    (void)data;
    return ERROR_SUCCESS;
}

/* The library calls through these pointers. */
PVOID __imp_EventRegister = (PVOID)register_provider;
PVOID __imp_EventUnregister = (PVOID)unregister_provider;
PVOID __imp_EventSetInformation = (PVOID)set_information;
PVOID __imp_EventWriteTransfer = (PVOID)write_nothing;

static const EVENT_DESCRIPTOR descriptor;
static EVENT_DATA_DESCRIPTOR data[5];

static void call_stub(uint64_t count)
{
    EVENT_DATA_DESCRIPTOR *parts = data;

    for (uint64_t i = 0; i < count; i++) {
        BENCH_GUARD(parts);
        (void)EventWriteTransfer(1, &descriptor, NULL, NULL, 5, parts);
    }
}

/* The compiler knows the length of this text ... */
static void emit_literals(uint64_t count)
{
    const char *text = BENCH_TEXT;

    for (uint64_t i = 0; i < count; i++) {
        BENCH_GUARD(text);
        CAIRN_WRITE_EVENT(own, "event", u32("number", (uint32_t)i), str8("text", BENCH_TEXT));
    }
}

/* ... but not that of this one. */
static inline void emit_event(uint32_t number, const char *text)
{
    CAIRN_WRITE_EVENT(own, "event", u32("number", number), str8("text", text));
}

static double now_ns(void)
{
    LARGE_INTEGER count;
    LARGE_INTEGER frequency;

    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&count);
    return (double)count.QuadPart * 1e9 / (double)frequency.QuadPart;
}

/* Keeps the least time of a call: others were disturbed. */
static void measure_calls(void (*calls)(uint64_t), double *least_ns)
{
    double begin_ns = now_ns();
    double ns;

    calls(CALLS);
    ns = (now_ns() - begin_ns) / CALLS;
    if (ns < *least_ns)
        *least_ns = ns;
}

static double step_ns(uint64_t (*loop)(uint64_t))
{
    static volatile uint64_t result
        __attribute__((unused)); /* otherwise the compiler removes the work */
    double begin_ns = now_ns();

    result = loop(DISABLED_STEPS);
    return (now_ns() - begin_ns) / DISABLED_STEPS;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double samples[ROUNDS])
{
    qsort(samples, ROUNDS, sizeof(*samples), compare);
    return samples[ROUNDS / 2];
}

int main(void)
{
    static const GUID source;
    static double disabled_ns[ROUNDS];
    double stub_ns = 1e9;
    double enabled_ns = 1e9;
    double text_ns = 1e9;

    if (cairn_provider_register(&own))
        return 1;
    /* In turns: a processor's speed changes. */
    for (int round = 0; round < ROUNDS; round++) {
        enable(&source, 0, 0, 0, 0, NULL, context);
        disabled_ns[round] = -step_ns(work);
        disabled_ns[round] = (disabled_ns[round] + step_ns(work_and_emit)) / BENCH_EVENTS_PER_STEP;
        enable(&source, 1, 0, 0, 0, NULL, context);
        measure_calls(call_stub, &stub_ns);
        measure_calls(emit_literals, &enabled_ns);
        measure_calls(emit_events, &text_ns);
    }
    printf("stub_ns %.4f\nenabled_ns %.4f\ntext_ns %.4f\ndisabled_ns %.4f\n", stub_ns, enabled_ns,
           text_ns, median(disabled_ns));
    return 0;
}
