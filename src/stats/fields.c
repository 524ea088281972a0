/* SPDX-License-Identifier: MIT */
/* Finds a field of events by its name, once for each layout. */
#include "stats/fields.h"

#include "core/load.h"
#include "export/fields.h"
#include "export/utf.h"
#include "export/value_print.h"

#include <math.h>

#define NO_FIELD UINT32_MAX

static uint32_t index_of(struct stats_field *field, const struct decode_layout *layout)
{
    uint32_t slot = (uint32_t)layout->serial & (STATS_FIELD_SLOTS - 1);

    if (field->slots[slot].serial == layout->serial)
        return field->slots[slot].index;
    field->slots[slot].serial = layout->serial;
    field->slots[slot].index = NO_FIELD;
    for (uint32_t n = 0; n < layout->field_count; n++) {
        if (layout->fields[n].kind == DECODE_LAYOUT_VALUE &&
            layout->fields[n].array == DECODE_LAYOUT_SINGLE &&
            export_fields_is(layout, n, field->name))
            field->slots[slot].index = n;
    }
    return field->slots[slot].index;
}

bool stats_field_value(struct stats_field *field, const struct cairn_event *event,
                       enum decode_value *ret_value, struct decode_value_data *ret_data)
{
    const struct decode_layout *layout = decode_layout_of(event->type);
    uint32_t index = index_of(field, layout);
    const struct decode_layout_field *found;
    struct cairn_items items;
    struct cairn_item item;

    if (index == NO_FIELD)
        return false;
    found = &layout->fields[index];
    cairn_items_begin(&items, event);
    while (cairn_items_next(&items, &item)) {
        if (item.is_element || decode_items_index(&items, &item) != index)
            continue;
        *ret_data = (struct decode_value_data){item.data, item.size_bytes, items.data.swap};
        *ret_value = (enum decode_value)found->value[DECODE_LAYOUT_DECLARED];
        if (*ret_value == DECODE_VALUE_BY_SIZE)
            *ret_value = decode_value_of(found->item.encoding, found->item.format, item.size_bytes);
        field->was_found = true;
        return true;
    }
    return false;
}

static struct stats_number integer(__int128 number)
{
    return (struct stats_number){.is_integer = true, .integer = number};
}

/* False: the value is not a number. */
static bool number_of(enum decode_value value, struct decode_value_data data,
                      struct stats_number *ret_number)
{
    switch (value) {
    case DECODE_VALUE_UNSIGNED_INT:
    case DECODE_VALUE_HEX_INT:
    case DECODE_VALUE_BOOLEAN:
        *ret_number = integer(core_load_unsigned(data.data, data.size_bytes, data.swap));
        return true;
    case DECODE_VALUE_PORT:
        *ret_number = integer(data.data[0] << 8 | data.data[1]);
        return true;
    case DECODE_VALUE_SIGNED_INT:
    case DECODE_VALUE_PID:
    case DECODE_VALUE_TIME:
    case DECODE_VALUE_ERRNO:
        *ret_number = integer(core_load_signed(data.data, data.size_bytes, data.swap));
        return true;
    case DECODE_VALUE_FLOAT:
        *ret_number = (struct stats_number){.other = (long double)decode_value_float(data)};
        return isfinite(ret_number->other);
    default:
        return false;
    }
}

bool stats_field_number(struct stats_field *field, const struct cairn_event *event,
                        struct stats_number *ret_number)
{
    struct decode_value_data data;
    enum decode_value value;

    if (!stats_field_value(field, event, &value, &data) || !number_of(value, data, ret_number))
        return false;
    field->was_number = true;
    return true;
}

void stats_field_note(struct stats_field *field, const struct cairn_event *event)
{
    struct decode_value_data data;
    enum decode_value value;

    if (!field->was_found)
        (void)stats_field_value(field, event, &value, &data);
}

static bool is_text(enum decode_value value)
{
    return value >= DECODE_VALUE_FIRST_STRING && value != DECODE_VALUE_BYTES;
}

static bool has_nul(enum decode_value value, struct decode_value_data data)
{
    uint32_t unit = export_value_unit(value, data);

    for (uint32_t n = 0; n + unit <= data.size_bytes; n += unit) {
        if (!core_load_unsigned(data.data + n, unit, data.swap))
            return true;
    }
    return false;
}

bool stats_field_text(struct stats_field *field, const struct cairn_event *event,
                      struct export_print_output *text)
{
    struct decode_value_data data;
    enum decode_value value;

    if (!stats_field_value(field, event, &value, &data))
        return false;
    if (is_text(value) && has_nul(value, data))
        export_value_print(text, CAIRN_STYLE_JSONL, value, data);
    else if (value == DECODE_VALUE_UTF8) /* also if it is invalid: such texts stay different */
        export_output_bytes(text, data.data, data.size_bytes);
    else
        export_value_print(text, EXPORT_STYLE_PLAIN, value, data);
    return true;
}
