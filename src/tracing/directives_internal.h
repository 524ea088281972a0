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
    double number;      /* what the value reads as, if it is one */
    uint64_t magnitude; /* of an integer */
    bool has_value;
    bool is_number;
    bool is_integer;
    bool is_negative; /* of an integer */
};

struct cairn_directive {
    struct cairn_slice whole;  /* as it is written */
    struct cairn_slice target; /* "": any */
    struct cairn_slice span;   /* "": any */
    bool is_of_spans;          /* it has brackets */
    bool is_of_fields;         /* ... with nothing but names of fields */
    bool has_level;            /* written; else all */
    uint8_t level;             /* the least important that passes */
    uint8_t field_count;
    struct cairn_directive_field fields[CAIRN_DIRECTIVE_FIELDS_MAX];
};

struct cairn_directives {
    uint32_t count;
    bool are_of_spans; /* some */
    bool ask_values;   /* some */
    char *text;        /* the slices are of it; quoted values are without their quotes */
    struct cairn_directive list[];
};

/* Whether a directive speaks of a call site: of its target, its name, and its fields' names. */
bool cairn_directive_fits(const struct cairn_directive *directive,
                          const struct cairn_callsite *site);

#endif
