/* SPDX-License-Identifier: MIT */
/* A provider's metadata, and UUIDs as ETW has them. */
#ifndef ETW_TRAITS_H
#define ETW_TRAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes in Windows' order: that of a GUID in memory. */
struct etw_guid {
    uint8_t bytes[16];
};

/* From the order of RFC 4122. */
void etw_guid_convert(const void *from, struct etw_guid *ret_guid);

/* "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", with or without braces. False: it is something else. */
bool etw_guid_parse(const char *text, struct etw_guid *ret_guid);

/*
 * Writes the metadata of a provider: its size, its name, and the id of its group.
 *
 * group  NULL: none
 *
 * Returns its size; 0: it is larger than the space.
 */
size_t etw_traits_write(const char *name, const struct etw_guid *group, uint8_t *to, size_t space);

#endif
