/* SPDX-License-Identifier: MIT */
/* The contents of parsed directives, which directives_parse.c creates and directives.c matches. */
#ifndef TRACING_DIRECTIVES_INTERNAL_H
#define TRACING_DIRECTIVES_INTERNAL_H

#include "core/slice.h"
#include "tracing/directives.h"

#define TRACING_DIRECTIVE_FIELDS_MAX 8u

/* {name} or {name=value}. */
struct tracing_directive_field {
    struct cairn_slice name;
    struct cairn_slice value;
    double number;      /* the value as a number, if it is one */
    uint64_t magnitude; /* of an integer */
    bool has_value;
    bool is_number;
    bool is_integer;
    bool is_negative; /* of an integer */
};

struct tracing_directive {
    struct cairn_slice whole;  /* its text */
    struct cairn_slice target; /* "": all */
    struct cairn_slice span;   /* "": all */
    bool is_of_spans;          /* has brackets */
    bool is_of_fields;         /* has brackets that contain only names of fields */
    bool has_level;            /* is written; otherwise all levels pass */
    uint8_t level;             /* the most verbose level that passes */
    uint8_t field_count;
    struct tracing_directive_field fields[TRACING_DIRECTIVE_FIELDS_MAX];
};

struct cairn_directives {
    uint32_t count;
    bool are_of_spans; /* true for at least one */
    bool ask_values;   /* true for at least one */
    char *text;        /* the slices point into it; quoted values exclude the quotes */
    struct tracing_directive list[];
};

/* True if a directive matches a call site: its target, its name, and the names of its fields. */
bool tracing_directive_fits(const struct tracing_directive *directive,
                            const struct cairn_callsite *site);

#endif
