/* SPDX-License-Identifier: MIT */
/* UUIDs. */
#ifndef CAIRN_GUID_H
#define CAIRN_GUID_H

#include <stdint.h>

/* A UUID in the byte order of RFC 4122: bytes[0] is the first one in its text form. */
struct cairn_guid {
    uint8_t bytes[16];
};

#endif
