/* SPDX-License-Identifier: MIT */
/* The cost of an event, as a ratio to a call of an EventWriteTransfer that does nothing: enabled
 * with a u32 and a short string, and disabled. Prints the smallest of several measurements. */
#include <cairn/eventheader.h>
#include <stdio.h>
#include <windows.h>

#include <evntprov.h>

#define CALLS  200000
#define ROUNDS 40

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

static void call_stub(uint32_t i)
{
    (void)i;
    (void)EventWriteTransfer(1, &descriptor, NULL, NULL, 5, data);
}

static void write_event(uint32_t i)
{
    CAIRN_WRITE_EVENT(own, "Event", u32("Number", i), str8("Text", "ten letter"));
}

static void (*volatile stub)(uint32_t i) = call_stub;
static void (*volatile event)(uint32_t i) = write_event;

static double measure(void (*volatile *function)(uint32_t i))
{
    LARGE_INTEGER begin;
    LARGE_INTEGER end;
    LARGE_INTEGER frequency;

    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&begin);
    for (uint32_t i = 0; i < CALLS; i++)
        (*function)(i);
    QueryPerformanceCounter(&end);
    return (double)(end.QuadPart - begin.QuadPart) * 1e9 / (double)frequency.QuadPart / CALLS;
}

static void keep_least(double *least, double ns)
{
    if (ns < *least)
        *least = ns;
}

int main(void)
{
    static const GUID source;
    double of_stub = 1e9;
    double of_event = 1e9;
    double disabled = 1e9;

    if (cairn_provider_register(&own))
        return 1;
    /* In turns: a processor's speed changes. */
    for (int round = 0; round < ROUNDS; round++) {
        enable(&source, 0, 0, 0, 0, NULL, context);
        keep_least(&disabled, measure(&event));
        enable(&source, 1, 0, 0, 0, NULL, context);
        keep_least(&of_stub, measure(&stub));
        keep_least(&of_event, measure(&event));
    }
    printf("stub %.2f ns; u32 and a string %.2f ns, %.2f times; disabled %.2f ns\n", of_stub,
           of_event, of_event / of_stub, disabled);
    return 0;
}
