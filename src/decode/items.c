/* SPDX-License-Identifier: MIT */
/*
 * The item stream: iterates over a layout and the event's data together.
 *
 * Levels are the arrays and structs that are open. A struct's level goes through its members; an
 * array's level counts elements, and an element that is a struct opens a level of its own. On the
 * first error it stops and closes the open levels, innermost first.
 */
#include "decode/items.h"

#include "core/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int cairn_items_create(struct cairn_items **ret_items)
{
    struct cairn_items *items = (struct cairn_items *)malloc(sizeof(*items));

    if (!items)
        return ENOMEM;
    *ret_items = items;
    return 0;
}

void cairn_items_destroy(struct cairn_items *items)
{
    free(items);
}

/*
 * Copies member by member, here and below: copying a whole struct that was just stored costs more
 * than printing a value, because the copy waits for the stores.
 */
static void set_cursor(struct core_cursor *c, const uint8_t *at, uint32_t size_bytes, bool swap)
{
    c->at = at;
    c->left = size_bytes;
    c->error = 0;
    c->swap = swap;
}

void cairn_items_begin(struct cairn_items *items, const struct cairn_event *event)
{
    items->event = event;
    items->layout = decode_layout_of(event->type);
    set_cursor(&items->data, event->data, event->data_bytes, event->swap);
    items->field = 0;
    items->error = event->error;
    items->depth = 1;
    items->levels[0].is_array = false;
    items->levels[0].end =
        event->data ? items->layout->field_count : 0; /* there may be no raw part */
}

enum cairn_event_error cairn_items_error(const struct cairn_items *items)
{
    return items->error;
}

static void fail(struct cairn_items *items, enum cairn_event_error error)
{
    core_cursor_fail(&items->data, EBADMSG);
    if (!items->error)
        items->error = error;
}

/* The size of an array that another field counts: at most what the record has. */
static uint32_t counted_bytes(const struct cairn_event *event,
                              const struct decode_layout_field *field, size_t left_bytes)
{
    struct core_cursor c;
    uint64_t bytes;

    set_cursor(&c, event->data, event->data_bytes, event->swap);
    core_cursor_take(&c, field->counted_at);
    bytes = (uint64_t)core_cursor_u32(&c) * field->unit_bytes;
    return bytes < left_bytes ? (uint32_t)bytes : (uint32_t)left_bytes;
}

/* Sets the cursor to the bytes of a field with a location of its own. */
static void locate(struct cairn_items *items, const struct decode_layout_field *field)
{
    const struct cairn_event *event = items->event;
    struct core_cursor *c = &items->data;
    uint32_t offset = field->offset;
    uint32_t size = field->size_bytes;

    set_cursor(c, event->data, event->data_bytes, event->swap);
    core_cursor_take(c, offset);
    if (field->location != DECODE_LAYOUT_INLINE) {
        uint32_t where = core_cursor_u32(c);

        if (c->error)
            return;
        if (field->location == DECODE_LAYOUT_DATA_LOC)
            set_cursor(c, event->data, event->data_bytes, event->swap);
        core_cursor_take(c, where & 0xffff);
        size = where >> 16;
    } else if (field->counted_at) {
        size = counted_bytes(event, field, c->left);
    } else if (!size) {
        size = (uint32_t)c->left;
    }
    if (c->left < size)
        core_cursor_fail(c, EBADMSG);
    else
        c->left = size;
}

static uint32_t terminated_bytes(const uint8_t *at, size_t left_bytes, uint32_t unit_bytes)
{
    uint32_t n = 0;

    if (unit_bytes == 1)
        return (uint32_t)strnlen((const char *)at, left_bytes);
    while (left_bytes - n >= unit_bytes && core_load_unsigned(at + n, unit_bytes, false))
        n += unit_bytes;
    return n;
}

uint32_t decode_items_searched_bytes(const struct decode_layout_field *field, const uint8_t *at,
                                     size_t left_bytes)
{
    if (field->extent == DECODE_LAYOUT_TERMINATED)
        return terminated_bytes(at, left_bytes, field->unit_bytes);
    if (field->extent == DECODE_LAYOUT_ALL_TEXT)
        return terminated_bytes(at, left_bytes, 1);
    return (uint32_t)left_bytes;
}

static void take_value(struct cairn_items *items, const struct decode_layout_field *field,
                       struct cairn_item *item)
{
    struct decode_value_data value = decode_items_take_value(&items->data, field);

    item->kind = CAIRN_ITEM_VALUE;
    item->size_bytes = value.size_bytes;
    item->data = value.data;
}

static uint32_t take_count(struct cairn_items *items, const struct decode_layout_field *field)
{
    switch (field->array) {
    case DECODE_LAYOUT_CONSTANT:
        return field->count;
    case DECODE_LAYOUT_COUNTED:
        return core_cursor_u16(&items->data);
    default:
        return (uint32_t)items->data.left / field->unit_bytes;
    }
}

static struct decode_items_level *open_level(struct cairn_items *items, uint32_t index)
{
    struct decode_items_level *level = &items->levels[items->depth++];

    level->field = index;
    level->end = items->layout->fields[index].end;
    level->left = 0;
    level->is_array = false;
    return level;
}

/* Begins the items of a field: its value, or the begin item of an array or struct. */
static void begin_field(struct cairn_items *items, struct cairn_item *item)
{
    uint32_t index = items->field;
    const struct decode_layout_field *field = &items->layout->fields[index];

    item->field = &field->item;
    item->is_element = false;
    if (field->location != DECODE_LAYOUT_NEXT)
        locate(items, field);
    if (items->data.error)
        return;
    if (field->kind == DECODE_LAYOUT_BROKEN) {
        fail(items, CAIRN_EVENT_BAD_METADATA);
    } else if (field->array != DECODE_LAYOUT_SINGLE) {
        item->kind = CAIRN_ITEM_ARRAY_BEGIN;
        item->count = take_count(items, field);
        if (items->data.error)
            return;
        open_level(items, index)->is_array = true;
        items->levels[items->depth - 1].left = item->count;
    } else if (field->kind == DECODE_LAYOUT_STRUCT) {
        item->kind = CAIRN_ITEM_STRUCT_BEGIN;
        open_level(items, index);
        items->field = index + 1;
    } else {
        take_value(items, field, item);
        items->field = field->end;
    }
}

static void begin_element(struct cairn_items *items, struct decode_items_level *level,
                          struct cairn_item *item)
{
    const struct decode_layout_field *field = &items->layout->fields[level->field];

    level->left--;
    item->field = &field->item;
    item->is_element = true;
    if (field->kind == DECODE_LAYOUT_STRUCT) {
        item->kind = CAIRN_ITEM_STRUCT_BEGIN;
        items->field = level->field + 1;
        open_level(items, level->field);
    } else {
        take_value(items, field, item);
    }
}

/* Closes the innermost level; false if that was the event itself. */
static bool end_level(struct cairn_items *items, struct cairn_item *item)
{
    const struct decode_items_level *level = &items->levels[--items->depth];

    if (items->depth == 0) {
        items->depth = 1; /* further calls return here again */
        return false;
    }
    item->kind = level->is_array ? CAIRN_ITEM_ARRAY_END : CAIRN_ITEM_STRUCT_END;
    item->field = &items->layout->fields[level->field].item;
    item->is_element = !level->is_array && items->levels[items->depth - 1].is_array;
    items->field = level->end;
    return true;
}

bool cairn_items_next(struct cairn_items *items, struct cairn_item *ret_item)
{
    struct decode_items_level *level = &items->levels[items->depth - 1];
    bool at_end = level->is_array ? !level->left : items->field == level->end;

    if (!at_end && !items->data.error) {
        if (level->is_array)
            begin_element(items, level, ret_item);
        else
            begin_field(items, ret_item);
        if (!items->data.error)
            return true;
        fail(items, CAIRN_EVENT_CUT_SHORT);
    }
    return end_level(items, ret_item);
}
