/* SPDX-License-Identifier: MIT */
/* The imported functions. The linker takes these before those of advapi32. */
#include "etw_imports.h"

#include <string.h>

struct etw_written etw_last;
volatile LONG etw_write_count;
ULONG etw_write_result;
uint64_t etw_event_bytes;
BOOL etw_keeps = TRUE;
GUID etw_registered_id;
volatile LONG etw_registered;
volatile LONG etw_in_callback;
PENABLECALLBACK etw_callback;
PVOID etw_callback_context;
uint8_t etw_traits[512];
ULONG etw_traits_bytes;

void etw_control(ULONG code, UCHAR level, ULONGLONG any, ULONGLONG all)
{
    static const GUID source = {0};

    InterlockedIncrement(&etw_in_callback);
    etw_callback(&source, code, level, any, all, NULL, etw_callback_context);
    InterlockedDecrement(&etw_in_callback);
}

static ULONG NTAPI register_provider(LPCGUID id, PENABLECALLBACK callback, PVOID context,
                                     PREGHANDLE handle)
{
    etw_registered_id = *id;
    etw_callback = callback;
    etw_callback_context = context;
    InterlockedIncrement(&etw_registered);
    *handle = 0x1234;
    return ERROR_SUCCESS;
}

/* As the system's, it returns when the callback has returned. */
static ULONG NTAPI unregister_provider(REGHANDLE handle)
{
    if (handle != 0x1234)
        return ERROR_INVALID_HANDLE;
    while (InterlockedCompareExchange(&etw_in_callback, 0, 0))
        Sleep(0);
    InterlockedDecrement(&etw_registered);
    return ERROR_SUCCESS;
}

static ULONG NTAPI set_information(REGHANDLE handle, EVENT_INFO_CLASS what, PVOID information,
                                   ULONG size)
{
    if (handle != 0x1234 || what != 2 || size > sizeof(etw_traits))
        return ERROR_INVALID_PARAMETER;
    memcpy(etw_traits, information, size);
    etw_traits_bytes = size;
    return ERROR_SUCCESS;
}

/* Copies a part; a size over the space is kept as a size. */
static void keep(uint8_t *to, uint32_t space, uint32_t *used, const EVENT_DATA_DESCRIPTOR *part)
{
    if (part->Size <= space - *used)
        memcpy(to + *used, (const void *)(uintptr_t)part->Ptr, part->Size);
    *used += part->Size;
}

static void keep_event(PCEVENT_DESCRIPTOR event, LPCGUID activity, LPCGUID related, ULONG count,
                       const EVENT_DATA_DESCRIPTOR *data)
{
    etw_last.descriptor = *event;
    etw_last.has_activity = activity != NULL;
    etw_last.has_related = related != NULL;
    if (activity)
        etw_last.activity = *activity;
    if (related)
        etw_last.related = *related;
    etw_last.parts = count - 2;
    etw_last.is_described = data[0].Reserved == 2 && data[1].Reserved == 1;
    etw_last.traits_bytes = etw_last.metadata_bytes = etw_last.data_bytes = 0;
    keep(etw_last.traits, sizeof(etw_last.traits), &etw_last.traits_bytes, &data[0]);
    keep(etw_last.metadata, sizeof(etw_last.metadata), &etw_last.metadata_bytes, &data[1]);
    for (ULONG i = 2; i < count; i++) {
        if (data[i].Reserved)
            etw_last.is_described = FALSE;
        keep(etw_last.data, sizeof(etw_last.data), &etw_last.data_bytes, &data[i]);
    }
}

/* Bytes of an item of extended data: its header, and padding. */
static uint64_t item_bytes(uint64_t bytes)
{
    return (8 + bytes + 7) & ~7ull;
}

/* The size of the event in a buffer: the two kinds of metadata are extended data. */
static uint64_t event_bytes(LPCGUID related, ULONG count, const EVENT_DATA_DESCRIPTOR *data)
{
    uint64_t bytes = 80 + (related ? item_bytes(sizeof(*related)) : 0);

    for (ULONG i = 0; i < count; i++)
        bytes += data[i].Reserved ? item_bytes(data[i].Size) : data[i].Size;
    return bytes;
}

/* Limits as the kernel has them: the number of parts, and an event's size, which has 16 bits. */
static ULONG NTAPI write_event(REGHANDLE handle, PCEVENT_DESCRIPTOR event, LPCGUID activity,
                               LPCGUID related, ULONG count, PEVENT_DATA_DESCRIPTOR data)
{
    if (handle != 0x1234)
        return ERROR_INVALID_HANDLE;
    if (count < 2 || count > 128)
        return ERROR_INVALID_PARAMETER;
    etw_event_bytes = event_bytes(related, count, data);
    if (etw_event_bytes > UINT16_MAX)
        return ERROR_ARITHMETIC_OVERFLOW;
    InterlockedIncrement(&etw_write_count);
    if (etw_keeps)
        keep_event(event, activity, related, count, data);
    return etw_write_result;
}

/* The library calls through these pointers. */
PVOID __imp_EventRegister = (PVOID)register_provider;
PVOID __imp_EventUnregister = (PVOID)unregister_provider;
PVOID __imp_EventSetInformation = (PVOID)set_information;
PVOID __imp_EventWriteTransfer = (PVOID)write_event;
