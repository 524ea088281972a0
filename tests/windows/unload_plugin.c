/* SPDX-License-Identifier: MIT */
/* A DLL with a provider and a typed tracepoint that are registered when it is unloaded. Its imports
 * of ETW count registrations in the program. */
#include <cairn/eventheader.h>
#include <cairn/typed_tracepoint.h>
#include <windows.h>

#include <evntprov.h>

CAIRN_PROVIDER(plugin, "Plugin_Provider");

CAIRN_TRACEPOINT(loaded, TP_SYSTEM(plugin_typed), TP_PROTO(uint32_t number), TP_ARGS(number),
                 TP_STRUCT__entry(__field(uint32_t, number)),
                 TP_fast_assign(__entry->number = number;), TP_printk("%u", __entry->number));

/* The tracepoint is registered when the DLL is loaded: the program's counters are not known yet. */
static volatile LONG early;
static volatile LONG *registrations = &early;
static volatile LONG *writes;

static ULONG NTAPI register_provider(LPCGUID id, PENABLECALLBACK callback, PVOID context,
                                     PREGHANDLE handle)
{
    static const GUID source;

    (void)id;
    InterlockedIncrement(registrations);
    *handle = 1;
    callback(&source, 1, 0, 0, 0, NULL, context); /* a session has enabled it before */
    return ERROR_SUCCESS;
}

static ULONG NTAPI unregister_provider(REGHANDLE handle)
{
    (void)handle;
    InterlockedDecrement(registrations);
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

static ULONG NTAPI write_event(REGHANDLE handle, PCEVENT_DESCRIPTOR event, LPCGUID activity,
                               LPCGUID related, ULONG count, PEVENT_DATA_DESCRIPTOR data)
{
    (void)handle;
    (void)event;
    (void)activity;
    (void)related;
    (void)count;
    (void)data;
    InterlockedIncrement(writes);
    return ERROR_SUCCESS;
}

PVOID __imp_EventRegister = (PVOID)register_provider;
PVOID __imp_EventUnregister = (PVOID)unregister_provider;
PVOID __imp_EventSetInformation = (PVOID)set_information;
PVOID __imp_EventWriteTransfer = (PVOID)write_event;

__declspec(dllexport) int plugin_begin(volatile LONG *ret_registrations, volatile LONG *ret_writes);

int plugin_begin(volatile LONG *ret_registrations, volatile LONG *ret_writes)
{
    int error;

    *ret_registrations = early;
    registrations = ret_registrations;
    writes = ret_writes;
    error = cairn_provider_register(&plugin);
    if (error)
        return error;
    trace_loaded(1);
    return CAIRN_WRITE_EVENT(plugin, "Event", u32("A", 1));
}
