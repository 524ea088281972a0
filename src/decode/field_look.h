/* SPDX-License-Identifier: MIT */
/* Determines how a field of a C type is printed. */
#ifndef DECODE_FIELD_LOOK_H
#define DECODE_FIELD_LOOK_H

#include <cairn/schema.h>

/* The classes of C types in perf-decode. */
enum decode_look_kind {
    DECODE_LOOK_BYTES, /* hexadecimal bytes */
    DECODE_LOOK_TEXT,
    DECODE_LOOK_UNSIGNED,
    DECODE_LOOK_SIGNED,
    DECODE_LOOK_HEX, /* pointers, unsigned long, and all unknown types */
};

struct decode_look {
    enum decode_look_kind kind;
    uint32_t element_bytes; /* 1, 2, 4 or 8 */
};

struct decode_look decode_look_of_field(const struct cairn_field *field, uint32_t long_size_bytes);

#endif
