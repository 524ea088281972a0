/* SPDX-License-Identifier: MIT */
/* How a field of a C type is printed. */
#ifndef DECODE_FIELD_LOOK_H
#define DECODE_FIELD_LOOK_H

#include <cairn/schema.h>

/* The classes of C types in perf-decode. */
enum cairn_look_kind {
    CAIRN_LOOK_BYTES, /* hexadecimal bytes */
    CAIRN_LOOK_TEXT,
    CAIRN_LOOK_UNSIGNED,
    CAIRN_LOOK_SIGNED,
    CAIRN_LOOK_HEX, /* pointers, unsigned long, and all unknown types */
};

struct cairn_look {
    enum cairn_look_kind kind;
    uint32_t element_bytes; /* 1, 2, 4 or 8 */
};

struct cairn_look cairn_look_of_field(const struct cairn_field *field, uint32_t long_size_bytes);

#endif
