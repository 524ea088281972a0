/* SPDX-License-Identifier: MIT */
/* What directives are made of: directives_parse.c makes them, directives.c judges by them. */
#ifndef TRACING_DIRECTIVES_INTERNAL_H
#define TRACING_DIRECTIVES_INTERNAL_H

#include "core/slice.h"
#include "tracing/directives.h"

#define CAIRN_DIRECTIVE_FIELDS_MAX 8u

/* {name} or {name=value}. */
struct cairn_directive_field {
    struct cairn_slice name;
    struct cairn_slice value;
    double number; /* what the value reads as, if it is one */
    bool has_value;
    bool is_number;
};

struct cairn_directive {
    struct cairn_slice target; /* "": any */
    struct cairn_slice span;   /* "": any */
    bool is_of_spans;          /* it has brackets */
    bool is_of_fields;         /* ... with nothing but names of fields */
    uint8_t level;             /* the least important that passes */
    uint8_t field_count;
    struct cairn_directive_field fields[CAIRN_DIRECTIVE_FIELDS_MAX];
};

struct cairn_directives {
    uint32_t count;
    char *text; /* the slices are of it; quoted values are without their quotes */
    struct cairn_directive list[];
};

#endif
