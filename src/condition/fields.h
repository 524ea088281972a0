/* SPDX-License-Identifier: MIT */
/* From the metadata of a type to steps, and the fields that a filter names. */
#ifndef CONDITION_FIELDS_H
#define CONDITION_FIELDS_H

#include "condition/names.h"
#include "condition/program.h"

/* A struct whose members' definitions are being read. */
struct condition_open_struct {
    uint16_t members_left;
    bool is_loop;
    bool has_data;
    uint16_t step; /* of the loop */
};

struct condition_fields {
    const struct condition_names *names;
    struct condition_step *steps;
    uint32_t step_count;
    uint32_t step_max;
    uint32_t depth; /* open structs */
    uint32_t loops; /* of them, arrays */
    struct condition_open_struct open[CONDITION_DEPTH_MAX];
    /* By open struct and name: how much of the name leads there, or CONDITION_NO_MATCH; and the
     * indexes on the way. */
    uint32_t matched[CONDITION_DEPTH_MAX + 1][CONDITION_NAMES_MAX];
    uint16_t indexes[CONDITION_NAMES_MAX][CONDITION_INDEXES_MAX];
    struct condition_want wants[CONDITION_NAMES_MAX]; /* by name */
    bool is_wanted[CONDITION_NAMES_MAX];
    bool is_unknown; /* a wanted value has no one type */
    bool has_counted_number;
    bool is_broken;
};

/* Reads metadata. Invalid metadata ends the fields. Of two fields of one name the last is wanted.
 */
void condition_read_fields(struct condition_fields *fields, const void *metadata,
                           size_t metadata_bytes);

#endif
