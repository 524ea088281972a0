/* SPDX-License-Identifier: MIT */
#ifndef DECODE_ITEMS_H
#define DECODE_ITEMS_H

#include "core/cursor.h"
#include "decode/plan.h"

/* An array or a struct that is open; the event itself is the outermost. */
struct cairn_items_level {
    uint32_t field; /* its field */
    uint32_t end;   /* of a struct: the field behind its last member */
    uint32_t left;  /* of an array: elements to come */
    bool is_array;
};

#define CAIRN_ITEMS_LEVELS_MAX (2 * CAIRN_ITEM_STRUCT_DEPTH_MAX + 1)

struct cairn_items {
    const struct cairn_event *event;
    const struct cairn_plan *plan;
    struct cairn_cursor data; /* what is left of the event's data, or of the field's */
    uint32_t field;           /* the next one */
    uint32_t depth;           /* open levels */
    enum cairn_event_error error;
    struct cairn_items_level levels[CAIRN_ITEMS_LEVELS_MAX];
};

/* Like cairn_items_next, where the plan is plain: there is nothing to open or to close. */
bool cairn_items_next_plain(struct cairn_items *items, struct cairn_item *ret_item);

#endif
