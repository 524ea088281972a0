/* SPDX-License-Identifier: MIT */
/* Imports of ETW with a session that wants all events, and prints each as a line: descriptor, ids,
 * the provider's metadata, the event's, and its data, in hexadecimal. */
#include <stdint.h>
#include <stdio.h>
#include <windows.h>

#include <evntprov.h>

static ULONG NTAPI register_provider(LPCGUID id, PENABLECALLBACK callback, PVOID context,
                                     PREGHANDLE handle)
{
    static const GUID source;

    (void)id;
    *handle = 1;
    callback(&source, 1, 0, 0, 0, NULL, context);
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

static void print_bytes(const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        printf("%02x", ((const uint8_t *)from)[i]);
}

static void print_item(const void *from, size_t bytes)
{
    print_bytes(from, from ? bytes : 0);
    putchar(',');
}

static ULONG NTAPI write_event(REGHANDLE handle, PCEVENT_DESCRIPTOR event, LPCGUID activity,
                               LPCGUID related, ULONG count, PEVENT_DATA_DESCRIPTOR data)
{
    (void)handle;
    print_item(event, sizeof(*event));
    print_item(activity, sizeof(*activity));
    print_item(related, sizeof(*related));
    for (ULONG i = 0; i < count; i++) {
        const void *part = (const void *)(uintptr_t)data[i].Ptr;

        if (i < 2)
            print_item(part, data[i].Size);
        else
            print_bytes(part, data[i].Size);
    }
    putchar('\n');
    return ERROR_SUCCESS;
}

/* The library calls through these pointers. */
PVOID __imp_EventRegister = (PVOID)register_provider;
PVOID __imp_EventUnregister = (PVOID)unregister_provider;
PVOID __imp_EventSetInformation = (PVOID)set_information;
PVOID __imp_EventWriteTransfer = (PVOID)write_event;
