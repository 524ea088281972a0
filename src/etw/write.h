/* SPDX-License-Identifier: MIT */
/* Passes events to ETW. */
#ifndef ETW_WRITE_H
#define ETW_WRITE_H

#include <stdint.h>
#include <windows.h>

#include <evntprov.h>

/* The first two bytes of metadata are its size. */
static inline uint16_t etw_metadata_bytes(const void *metadata)
{
    uint16_t bytes;

    __builtin_memcpy(&bytes, metadata, sizeof(bytes));
    return bytes;
}

/* Converts an error of Windows to an errno code. */
int etw_error(ULONG error);

#endif
