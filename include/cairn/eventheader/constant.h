/* SPDX-License-Identifier: MIT */
/* The constant part of an EventHeader event. */
#ifndef CAIRN_EVENTHEADER_CONSTANT_H
#define CAIRN_EVENTHEADER_CONSTANT_H

#include <cairn/eventheader_abi.h>

/* The type of each call site continues it. */
struct cairn_i_event {
    struct cairn_eventheader header;
    struct cairn_eventheader_extension extension; /* of kind CAIRN_EXTENSION_METADATA */
    char metadata[];
} __attribute__((packed, aligned(2)));

#endif
