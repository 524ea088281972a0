/* SPDX-License-Identifier: MIT */
/* Iterates over the items of an event. */
#ifndef DECODE_ITEMS_H
#define DECODE_ITEMS_H

#include "core/cursor.h"
#include "decode/layout.h"

/* An array or a struct that is open; the event itself is the outermost. */
struct decode_items_level {
    uint32_t field; /* its field */
    uint32_t end;   /* of a struct: the field after its last member */
    uint32_t left;  /* of an array: number of remaining elements */
    bool is_array;
};

#define DECODE_ITEMS_LEVELS_MAX (2 * CAIRN_ITEM_STRUCT_DEPTH_MAX + 1)

struct cairn_items {
    const struct cairn_event *event;
    const struct decode_layout *layout;
    struct core_cursor data; /* the rest of the event's data, or of the field's */
    uint32_t field;          /* the next one */
    uint32_t depth;          /* open levels */
    enum cairn_event_error error;
    struct decode_items_level levels[DECODE_ITEMS_LEVELS_MAX];
};

/* The index of an item's field in the layout. */
static inline uint32_t decode_items_index(const struct cairn_items *items,
                                          const struct cairn_item *item)
{
    return (uint32_t)(decode_layout_field_of(item->field) - items->layout->fields);
}

/* Takes the remaining items. Returns the event's error: whether all of its parts can be read. */
static inline enum cairn_event_error decode_items_finish(struct cairn_items *items)
{
    struct cairn_item item;

    while (cairn_items_next(items, &item))
        ;
    return cairn_items_error(items);
}

/*
 * Returns the size of a value that depends on its bytes or on the rest of the field. Not inlined,
 * because the other cases are frequent.
 */
uint32_t decode_items_searched_bytes(const struct decode_layout_field *field, const uint8_t *at,
                                     size_t left_bytes);

/* Takes a single value's bytes. The cursor fails if there are fewer. */
static inline struct decode_value_data
decode_items_take_value(struct core_cursor *data, const struct decode_layout_field *field)
{
    struct decode_value_data value = {.size_bytes = field->unit_bytes, .swap = data->swap};

    if (field->extent == DECODE_LAYOUT_LENGTH16)
        value.size_bytes *= core_cursor_u16(data);
    else if (cairn_unlikely(field->extent != DECODE_LAYOUT_FIXED))
        value.size_bytes = decode_items_searched_bytes(field, data->at, data->left);
    value.data = (const uint8_t *)core_cursor_take(data, value.size_bytes);
    if (cairn_unlikely(field->extent == DECODE_LAYOUT_TERMINATED))
        core_cursor_take(data, field->unit_bytes);
    return value;
}

#endif
