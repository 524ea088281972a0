/* SPDX-License-Identifier: MIT */
/* The functions of ETW that the library imports, in place of the system's: the last call of each,
 * and a session that a test enables and disables. */
#ifndef TESTS_ETW_IMPORTS_H
#define TESTS_ETW_IMPORTS_H

#include <stdint.h>
#include <windows.h>

#include <evntprov.h>

#define ETW_DATA_MAX 0x20000

struct etw_written {
    EVENT_DESCRIPTOR descriptor;
    BOOL has_activity;
    BOOL has_related;
    GUID activity;
    GUID related;
    ULONG parts;       /* descriptors of data */
    BOOL is_described; /* the first two are the provider's metadata and the event's */
    uint32_t traits_bytes;
    uint32_t metadata_bytes;
    uint32_t data_bytes;
    uint8_t traits[512];
    uint8_t metadata[0x10000];
    uint8_t data[ETW_DATA_MAX];
};

extern struct etw_written etw_last;
extern volatile LONG etw_write_count;
extern ULONG etw_write_result;   /* returned for each event */
extern uint64_t etw_event_bytes; /* of the last one, with its header and metadata */
extern BOOL etw_keeps;           /* events are copied to etw_last: by one thread only */
extern GUID etw_registered_id;
extern volatile LONG etw_registered; /* registrations that exist */
extern volatile LONG etw_in_callback;
extern PENABLECALLBACK etw_callback;
extern PVOID etw_callback_context;
extern uint8_t etw_traits[512];
extern ULONG etw_traits_bytes;

/* Calls the provider's callback, as a session does. */
void etw_control(ULONG code, UCHAR level, ULONGLONG any, ULONGLONG all);

#endif
