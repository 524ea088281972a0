/* SPDX-License-Identifier: MIT */
/* Fields that are counters. */
#include "exchange/counters.h"

#include "exchange/text.h"
#include "export/fields.h"

#include "core/load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The counters of a class, in the list. */
struct of_class {
    size_t first;
    size_t count;
};

static bool is_counter(const struct cairn_exporter *exporter, const struct decode_layout *layout,
                       uint32_t field)
{
    const struct exchange_words *words = &exporter->counters;
    bool found = false;

    for (size_t n = 0; n < words->count; n++)
        found |= export_fields_is(layout, field, words->words[n]);
    return found && layout->fields[field].kind == DECODE_LAYOUT_VALUE &&
           layout->fields[field].array == DECODE_LAYOUT_SINGLE;
}

static char *name_of(struct cairn_exporter *exporter, const struct decode_layout *layout,
                     uint32_t field)
{
    struct export_print_output *text = &exporter->text;

    text->at = text->begin;
    exchange_put_event_name(exporter, text, &layout->type);
    export_output_byte(text, ' ');
    exchange_put_text(exporter, text,
                      decode_name_without_attributes(layout->fields[field].item.name));
    return strndup(text->begin, (size_t)(text->at - text->begin));
}

static int add(struct exchange_counters *counters, struct cairn_exporter *exporter,
               const struct decode_layout *layout, uint32_t field)
{
    void *bigger = realloc(counters->list, (counters->count + 1) * sizeof(*counters->list));
    char *name;

    if (!bigger)
        return ENOMEM;
    counters->list = (struct exchange_counter *)bigger;
    name = name_of(exporter, layout, field);
    if (!name)
        return ENOMEM;
    counters->list[counters->count++] = (struct exchange_counter){field, name};
    return 0;
}

static int describe(struct exchange_counters *counters, struct cairn_exporter *exporter,
                    const struct decode_layout *layout, struct exchange_class *class)
{
    struct of_class *data = (struct of_class *)calloc(1, sizeof(*data));
    int err = 0;

    if (!data)
        return ENOMEM;
    data->first = counters->count;
    class->data = data;
    for (uint32_t n = 0; n < layout->field_count && !err; n++) {
        if (is_counter(exporter, layout, n))
            err = add(counters, exporter, layout, n);
    }
    data->count = counters->count - data->first;
    return err;
}

static bool is_number(enum decode_value value, struct decode_value_data v)
{
    uint64_t bits;
    double number;
    float single;

    if (value == DECODE_VALUE_UNSIGNED_INT || value == DECODE_VALUE_SIGNED_INT ||
        value == DECODE_VALUE_PID)
        return true;
    if (value != DECODE_VALUE_FLOAT)
        return false;
    bits = core_load_unsigned(v.data, v.size_bytes, v.swap);
    memcpy(&single, &(uint32_t){(uint32_t)bits}, sizeof(single));
    memcpy(&number, &bits, sizeof(number));
    return v.size_bytes == sizeof(single) ? isfinite(single) : isfinite(number);
}

static void pass(const struct exchange_counters *counters, const struct of_class *own,
                 uint32_t field, const struct cairn_item *item, bool swap, exchange_counter_fn *fn,
                 void *context)
{
    struct decode_value_data data = {item->data, item->size_bytes, swap};
    enum decode_value value = exchange_value_of(item);

    if (value == DECODE_VALUE_HEX_INT)
        value = DECODE_VALUE_UNSIGNED_INT;
    for (size_t n = own->first; n < own->first + own->count; n++) {
        if (counters->list[n].field == field && is_number(value, data))
            fn(context, &counters->list[n], value, data);
    }
}

int exchange_counters_event(struct exchange_counters *counters, struct cairn_exporter *exporter,
                            const struct cairn_event *event, exchange_counter_fn *fn, void *context)
{
    const struct decode_layout *layout = decode_layout_of(event->type);
    struct cairn_items *items = &exporter->items;
    const struct of_class *own;
    struct exchange_class *class;
    struct cairn_item item;
    int err = 0;

    if (!exporter->counters.count)
        return 0;
    err = exchange_classes_of(&counters->classes, layout, &class);
    if (!err && !class->data)
        err = describe(counters, exporter, layout, class);
    if (err)
        return err;
    own = (const struct of_class *)class->data;
    cairn_items_begin(items, event);
    while (own->count && cairn_items_next(items, &item)) {
        if (item.kind == CAIRN_ITEM_VALUE && !item.is_element)
            pass(counters, own, decode_items_index(items, &item), &item, event->swap, fn, context);
    }
    return 0;
}

void exchange_counters_close(struct exchange_counters *counters)
{
    for (size_t n = 0; n < counters->count; n++)
        free(counters->list[n].name);
    free(counters->list);
    exchange_classes_free(&counters->classes);
    *counters = (struct exchange_counters){0};
}
