/* SPDX-License-Identifier: MIT */
/* An item stream as text. Brackets and commas are the same in all styles; keys and values differ.
 */
#include "decode/style.h"

struct cairn_slice cairn_name_without_attributes(struct cairn_slice name)
{
    const void *semicolon = name.length ? memchr(name.text, ';', name.length) : NULL;

    if (semicolon)
        name.length = (uint32_t)((const char *)semicolon - name.text);
    return name;
}

static void print_key(struct cairn_printer *printer, const struct cairn_item *item, bool first)
{
    struct cairn_slice key = cairn_plan_field_of(item->field)->keys[printer->style];

    if (!item->is_element)
        cairn_output_padded(&printer->out, key.text + first, key.length - first);
    else if (!first)
        cairn_output_byte(&printer->out, ',');
}

static void print_value(struct cairn_printer *printer, const struct cairn_item *item)
{
    const struct cairn_plan_field *field = cairn_plan_field_of(item->field);
    enum cairn_value value = (enum cairn_value)field->value[printer->style];
    struct cairn_value_data data = {item->data, item->size_bytes, printer->items.data.swap};

    if (value == CAIRN_VALUE_BY_SIZE)
        value = cairn_value_of(item->field->encoding, item->field->format, item->size_bytes);
    cairn_value_print(&printer->out, printer->style, value, data);
}

enum cairn_event_error cairn_print_items(struct cairn_printer *printer,
                                         const struct cairn_event *event, bool first)
{
    struct cairn_items *items = &printer->items;
    struct cairn_item item;

    cairn_items_begin(items, event);
    if (items->plan->is_plain) {
        for (; cairn_items_next_plain(items, &item); first = false) {
            print_key(printer, &item, first);
            print_value(printer, &item);
        }
        return cairn_items_error(items);
    }
    while (cairn_items_next(items, &item)) {
        switch (item.kind) {
        case CAIRN_ITEM_VALUE:
            print_key(printer, &item, first);
            print_value(printer, &item);
            first = false;
            break;
        case CAIRN_ITEM_ARRAY_BEGIN:
        case CAIRN_ITEM_STRUCT_BEGIN:
            print_key(printer, &item, first);
            cairn_output_byte(&printer->out, item.kind == CAIRN_ITEM_ARRAY_BEGIN ? '[' : '{');
            first = true;
            break;
        case CAIRN_ITEM_ARRAY_END:
        case CAIRN_ITEM_STRUCT_END:
            cairn_output_byte(&printer->out, item.kind == CAIRN_ITEM_ARRAY_END ? ']' : '}');
            first = false;
            break;
        }
    }
    return cairn_items_error(items);
}
