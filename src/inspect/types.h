/* SPDX-License-Identifier: MIT */
/* Types of EventHeader events, from the descriptors of processes. */
#ifndef INSPECT_TYPES_H
#define INSPECT_TYPES_H

#include "engine/registry.h"

#include <cairn/inspect.h>
#include <stdio.h>

struct inspect_types {
    struct cairn_inspected_type *types; /* their texts are in one memory, owned by `provider` */
    uint32_t count;
    const char *const *patterns; /* wanted are those that one of them names */
    size_t pattern_count;
};

/* Reads the descriptors of all processes of a registry, under its lock, sorts them by name, and
 * merges equal ones. Returns 0, ENOMEM. */
int inspect_types_read(struct inspect_types *types, const struct engine_registry *local);

void inspect_types_free(struct inspect_types *types);

/* Prints the fields of metadata, which may be invalid: up to there. */
void inspect_type_print_fields(FILE *to, const void *metadata, size_t metadata_bytes);

#endif
