/* SPDX-License-Identifier: MIT */
/* The names in a filter, "Owner.User" or "Counts[2]", after condition_mark_names. */
#ifndef CONDITION_NAMES_H
#define CONDITION_NAMES_H

#include "condition/condition.h"

struct condition_names {
    struct cairn_slice names[CONDITION_NAMES_MAX]; /* each once */
    uint32_t count;
};

/* False: there are more than CONDITION_NAMES_MAX. */
bool condition_find_names(struct cairn_slice text, struct condition_names *names);

/*
 * These compare a name of a filter from a position on, and return the position after what matches:
 * a field's name, an index, the dot before a member.
 */
#define CONDITION_NO_MATCH UINT32_MAX
uint32_t condition_name_match(struct cairn_slice word, uint32_t at, const char *name,
                              size_t length);
uint32_t condition_name_index(struct cairn_slice word, uint32_t at, uint32_t *ret_index);
uint32_t condition_name_member(struct cairn_slice word, uint32_t at);

#endif
