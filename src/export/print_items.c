/* SPDX-License-Identifier: MIT */
/*
 * Prints an item stream. Brackets and commas are the same in all styles; keys and values differ.
 */
#include "export/exporter.h"
#include "export/value_print.h"

static inline void print_key(struct cairn_printer *printer, uint32_t field, bool first)
{
    struct cairn_slice key = printer->texts->keys[field];

    cairn_output_padded(&printer->out, key.text + first, key.length - first);
}

static void print_item_key(struct cairn_printer *printer, const struct cairn_item *item, bool first)
{
    if (!item->is_element)
        print_key(printer, cairn_items_index(&printer->items, item), first);
    else if (!first)
        cairn_output_byte(&printer->out, ',');
}

static inline void print_value(struct cairn_printer *printer,
                               const struct cairn_layout_field *field, struct cairn_value_data data)
{
    enum cairn_value value = (enum cairn_value)field->value[printer->exporter->view];

    if (cairn_unlikely(value == CAIRN_VALUE_BY_SIZE))
        value = cairn_value_of(field->item.encoding, field->item.format, data.size_bytes);
    cairn_value_print(&printer->out, printer->exporter->values, value, data);
}

static void print_item_value(struct cairn_printer *printer, const struct cairn_item *item)
{
    struct cairn_value_data data = {item->data, item->size_bytes, printer->items.data.swap};

    print_value(printer, cairn_layout_field_of(item->field), data);
}

/* Prints an event without arrays and structs. */
static enum cairn_event_error print_plain(struct cairn_printer *printer,
                                          const struct cairn_event *event, bool first)
{
    const struct cairn_layout *layout = cairn_layout_of(event->type);
    struct cairn_cursor data = cairn_cursor(event->data, event->data_bytes, event->swap);
    uint32_t count = event->data ? layout->field_count : 0; /* there may be no raw part */

    for (uint32_t n = 0; n < count; n++, first = false) {
        const struct cairn_layout_field *field = &layout->fields[n];
        struct cairn_value_data value = cairn_items_take_value(&data, field);

        if (cairn_unlikely(data.error))
            return event->error ? event->error : CAIRN_EVENT_CUT_SHORT;
        print_key(printer, n, first);
        print_value(printer, field, value);
    }
    return event->error;
}

enum cairn_event_error cairn_print_items(struct cairn_printer *printer,
                                         const struct cairn_event *event, bool first)
{
    struct cairn_items *items = &printer->items;
    struct cairn_item item;

    if (cairn_layout_of(event->type)->is_plain)
        return print_plain(printer, event, first);
    cairn_items_begin(items, event);
    while (cairn_items_next(items, &item)) {
        switch (item.kind) {
        case CAIRN_ITEM_VALUE:
            print_item_key(printer, &item, first);
            print_item_value(printer, &item);
            first = false;
            break;
        case CAIRN_ITEM_ARRAY_BEGIN:
        case CAIRN_ITEM_STRUCT_BEGIN:
            print_item_key(printer, &item, first);
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
