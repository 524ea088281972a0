/* SPDX-License-Identifier: MIT */
/*
 * Prints an item stream. Brackets and commas are the same in all styles; keys and values differ.
 */
#include "export/exporter.h"
#include "export/value_print.h"

static inline void print_key(struct cairn_printer *printer, uint32_t field, bool first)
{
    struct cairn_slice key = printer->texts->keys[field];

    export_output_padded(&printer->out, key.text + first, key.length - first);
}

static void print_item_key(struct cairn_printer *printer, const struct cairn_item *item, bool first)
{
    if (!item->is_element)
        print_key(printer, decode_items_index(&printer->items, item), first);
    else if (!first)
        export_output_byte(&printer->out, ',');
}

static inline enum decode_value value_of(const struct cairn_printer *printer,
                                         const struct decode_layout_field *field,
                                         uint32_t size_bytes)
{
    enum decode_value value = (enum decode_value)field->value[printer->exporter->view];

    if (cairn_unlikely(value == DECODE_VALUE_BY_SIZE))
        value = decode_value_of(field->item.encoding, field->item.format, size_bytes);
    return value;
}

static inline void print_value(struct cairn_printer *printer,
                               const struct decode_layout_field *field,
                               struct decode_value_data data, enum cairn_style style)
{
    export_value_print(&printer->out, style, value_of(printer, field, data.size_bytes), data);
}

static inline void print_item_value(struct cairn_printer *printer, const struct cairn_item *item,
                                    enum cairn_style style)
{
    struct decode_value_data data = {item->data, item->size_bytes, printer->items.data.swap};

    print_value(printer, decode_layout_field_of(item->field), data, style);
}

/* True if a string of the style is short text in quotes, which most are. */
static inline bool may_be_short(enum cairn_style style, enum decode_value value)
{
    return value == DECODE_VALUE_UTF8 && (style == CAIRN_STYLE_JSON || style == CAIRN_STYLE_JSONL);
}

/* The space for a key, and for a key and a value, that are printed with one reservation. */
#define SHORT_KEY_BYTES  256u
#define SHORT_ROOM_BYTES (SHORT_KEY_BYTES + EXPORT_OUTPUT_PADDING_BYTES + EXPORT_VALUE_ROOM_BYTES)

/* Prints a number, a word or a short string after its key. Returns NULL if it is none of these, and
 * nothing was printed. */
static inline char *put_short(char *to, struct cairn_slice key, enum cairn_style style,
                              enum decode_value value, struct decode_value_data data)
{
    if (cairn_unlikely(key.length > SHORT_KEY_BYTES))
        return NULL;
    if (value < DECODE_VALUE_FIRST_STRING)
        return export_value_put(export_put_padded(to, key.text, key.length), style, value, data);
    if (!may_be_short(style, value))
        return NULL;
    to = export_put_padded(to, key.text, key.length);
    *to = '"';
    to = export_put_short(to + 1, data.data, data.size_bytes);
    if (to)
        *to++ = '"';
    return to;
}

/*
 * Prints an event without arrays and structs. The place in the output stays in a register while
 * values are short.
 */
static inline enum cairn_event_error print_plain(struct cairn_printer *printer,
                                                 const struct cairn_event *event, bool first)
{
    const struct decode_layout *layout = decode_layout_of(event->type);
    struct core_cursor data = core_cursor(event->data, event->data_bytes, event->swap);
    uint32_t count = event->data ? layout->field_count : 0; /* there may be no raw part */
    struct export_print_output *out = &printer->out;
    char *to = out->at;

    for (uint32_t n = 0; n < count; n++, first = false) {
        const struct decode_layout_field *field = &layout->fields[n];
        struct decode_value_data value = decode_items_take_value(&data, field);
        struct cairn_slice key = printer->texts->keys[n];
        char *next = NULL;

        if (cairn_unlikely(data.error)) {
            out->at = to;
            return event->error ? event->error : CAIRN_EVENT_CUT_SHORT;
        }
        key.text += first;
        key.length -= first;
        if (cairn_likely((size_t)(out->end - to) >= SHORT_ROOM_BYTES))
            next = put_short(to, key, printer->exporter->values,
                             value_of(printer, field, value.size_bytes), value);
        if (cairn_unlikely(!next)) {
            out->at = to;
            print_key(printer, n, first);
            print_value(printer, field, value, printer->exporter->values);
            next = out->at;
        }
        to = next;
    }
    out->at = to;
    return event->error;
}

/* True if the item is of a field that is not printed. */
static inline bool is_hidden(const struct cairn_printer *printer, const struct cairn_item *item)
{
    return !item->is_element &&
           !printer->texts->keys[decode_items_index(&printer->items, item)].length;
}

/* Skips the rest of an item, which may be an array or a struct. */
static void skip(struct cairn_items *items, struct cairn_item *item)
{
    uint32_t depth = 0;

    do {
        if (item->kind == CAIRN_ITEM_ARRAY_BEGIN || item->kind == CAIRN_ITEM_STRUCT_BEGIN)
            depth++;
        else if (item->kind != CAIRN_ITEM_VALUE)
            depth--;
    } while (depth && cairn_items_next(items, item));
}

/* Returns true if the next item needs no separator. */
static inline bool print_item(struct cairn_printer *printer, const struct cairn_item *item,
                              bool first)
{
    switch (item->kind) {
    case CAIRN_ITEM_VALUE:
        print_item_key(printer, item, first);
        print_item_value(printer, item, printer->exporter->values);
        return false;
    case CAIRN_ITEM_ARRAY_BEGIN:
    case CAIRN_ITEM_STRUCT_BEGIN:
        print_item_key(printer, item, first);
        export_output_byte(&printer->out, item->kind == CAIRN_ITEM_ARRAY_BEGIN ? '[' : '{');
        return true;
    default:
        export_output_byte(&printer->out, item->kind == CAIRN_ITEM_ARRAY_END ? ']' : '}');
        return false;
    }
}

void export_print_item(struct cairn_printer *printer, const struct cairn_item *item,
                       enum cairn_style style)
{
    struct cairn_item next;
    uint32_t depth = 1;
    bool first = true;

    if (item->kind == CAIRN_ITEM_VALUE) {
        print_item_value(printer, item, style);
        return;
    }
    export_output_byte(&printer->out, item->kind == CAIRN_ITEM_ARRAY_BEGIN ? '[' : '{');
    while (depth && cairn_items_next(&printer->items, &next)) {
        if (next.kind == CAIRN_ITEM_ARRAY_BEGIN || next.kind == CAIRN_ITEM_STRUCT_BEGIN)
            depth++;
        else if (next.kind != CAIRN_ITEM_VALUE)
            depth--;
        first = print_item(printer, &next, first);
    }
}

/* All in one function: calls would take a tenth of the time of an event. */
__attribute__((flatten)) enum cairn_event_error
export_print_items(struct cairn_printer *printer, const struct cairn_event *event, bool first)
{
    struct cairn_items *items = &printer->items;
    struct cairn_item item;

    if (decode_layout_of(event->type)->is_plain && !printer->fields.count)
        return print_plain(printer, event, first);
    cairn_items_begin(items, event);
    while (cairn_items_next(items, &item)) {
        if (cairn_unlikely(printer->fields.count) && item.kind != CAIRN_ITEM_ARRAY_END &&
            item.kind != CAIRN_ITEM_STRUCT_END && is_hidden(printer, &item)) {
            skip(items, &item);
            continue;
        }
        first = print_item(printer, &item, first);
    }
    return cairn_items_error(items);
}
