/* SPDX-License-Identifier: MIT */
/* Values as cells. Texts that are not UTF-8 as they are recorded are made by the printer. */
#include "query/values.h"

#include "core/load.h"
#include "export/value_print.h"
#include "query/utf8.h"

#include <errno.h>

int query_values_open(struct query_values *values)
{
    return cairn_printer_create(CAIRN_STYLE_JSONL, -1, &values->printer);
}

void query_values_close(struct query_values *values)
{
    cairn_printer_destroy(values->printer);
    values->printer = NULL;
}

static struct export_print_output *begin(struct query_values *values)
{
    struct export_print_output *out = &values->printer->out;

    out->at = out->begin;
    return out;
}

static void finish(const struct export_print_output *out, struct query_cell *cell)
{
    if (!out->error)
        query_cell_text(cell, out->begin, (size_t)(out->at - out->begin), false);
}

/* Without the quotes around it. */
static void finish_unquoted(const struct export_print_output *out, struct query_cell *cell)
{
    if (!out->error)
        query_cell_text(cell, out->begin + 1, (size_t)(out->at - out->begin) - 2, false);
}

/* ---- values ---- */

/* Text as CSV has it: without escapes, but quotes are doubled. */
static void print_text(struct query_values *values, enum decode_value value,
                       struct decode_value_data data, struct query_cell *cell)
{
    struct export_print_output *out = begin(values);
    char *to;

    export_value_print(out, CAIRN_STYLE_CSV, value, data);
    if (out->error)
        return;
    to = out->begin;
    for (const char *from = out->begin + 1; from < out->at - 1; from++) {
        *to++ = *from;
        from += *from == '"';
    }
    query_cell_text(cell, out->begin, (size_t)(to - out->begin), false);
}

static void set_text(struct query_values *values, enum decode_value value,
                     struct decode_value_data data, struct query_cell *cell)
{
    const char *text = (const char *)data.data;

    if (value == DECODE_VALUE_UTF8 && query_is_utf8(text, data.size_bytes))
        query_cell_text(cell, text, data.size_bytes, false);
    else
        print_text(values, value, data, cell);
}

static void set_float(struct decode_value_data data, struct query_cell *cell)
{
    cell->kind = CAIRN_QUERY_REAL;
    cell->real = decode_value_float(data);
}

static void set_signed(int64_t value, struct query_cell *cell)
{
    cell->kind = CAIRN_QUERY_INTEGER;
    cell->integer = value;
}

static void set_number(enum decode_value value, struct decode_value_data data,
                       struct query_cell *cell)
{
    switch (value) {
    case DECODE_VALUE_UNSIGNED_INT:
        query_cell_integer(cell, core_load_unsigned(data.data, data.size_bytes, data.swap));
        break;
    case DECODE_VALUE_SIGNED_INT:
    case DECODE_VALUE_PID:
        set_signed(core_load_signed(data.data, data.size_bytes, data.swap), cell);
        break;
    case DECODE_VALUE_PORT:
        set_signed(data.data[0] << 8 | data.data[1], cell);
        break;
    case DECODE_VALUE_BOOLEAN: /* as JSON lines: a value other than 0 and 1 is a signed number */
        set_signed((int32_t)core_load_unsigned(data.data, data.size_bytes, data.swap), cell);
        break;
    case DECODE_VALUE_FLOAT:
        set_float(data, cell);
        break;
    default:
        break;
    }
}

void query_values_cell(struct query_values *values, const struct decode_layout_field *field,
                       struct decode_value_data data, struct query_cell *cell)
{
    enum decode_value value = (enum decode_value)field->value[DECODE_LAYOUT_DECLARED];

    if (cairn_unlikely(value == DECODE_VALUE_BY_SIZE))
        value = decode_value_of(field->item.encoding, field->item.format, data.size_bytes);
    if (value < DECODE_VALUE_FIRST_WORD) {
        set_number(value, data, cell);
    } else if (value >= DECODE_VALUE_FIRST_STRING) {
        set_text(values, value, data, cell);
    } else {
        struct export_print_output *out = begin(values);

        export_value_print(out, CAIRN_STYLE_JSONL, value, data);
        finish_unquoted(out, cell);
    }
}

void query_values_bytes(struct query_values *values, const char *text, size_t size_bytes,
                        struct query_cell *cell)
{
    struct decode_value_data data = {(const uint8_t *)text, (uint32_t)size_bytes, false};

    set_text(values, DECODE_VALUE_UTF8, data, cell);
}

void query_values_uuid(struct query_values *values, const uint8_t *id, struct query_cell *cell)
{
    struct export_print_output *out;

    if (!id)
        return;
    out = begin(values);
    out->at = export_put_uuid(export_output_reserve(out, 36), id);
    finish(out, cell);
}

void query_values_wall(struct query_values *values, uint64_t wall_ns, struct query_cell *cell)
{
    struct export_print_output *out = begin(values);

    out->at = export_put_wall_time(export_output_reserve(out, EXPORT_WALL_CLOCK_ROOM_BYTES),
                                   &values->printer->times.utc, wall_ns);
    finish(out, cell);
}

/* ---- JSON ---- */

/* Sets what the printer needs of an event. False: no memory. */
static bool set_event(struct cairn_printer *printer, const struct cairn_event *event)
{
    printer->texts =
        export_texts_of(&printer->cache, printer->exporter, decode_layout_of(event->type));
    return printer->texts != NULL;
}

enum cairn_event_error query_values_array(struct query_values *values,
                                          const struct cairn_event *event, uint32_t field,
                                          struct query_cell *cell)
{
    struct cairn_printer *printer = values->printer;
    struct export_print_output *out = begin(values);
    struct cairn_item item;

    if (!set_event(printer, event))
        return CAIRN_EVENT_WHOLE;
    cairn_items_begin(&printer->items, event);
    while (cairn_items_next(&printer->items, &item)) {
        if (item.is_element || decode_items_index(&printer->items, &item) != field)
            continue;
        export_print_item(printer, &item, CAIRN_STYLE_JSONL);
        finish(out, cell);
        break;
    }
    return cairn_items_error(&printer->items);
}

enum cairn_event_error query_values_fields(struct query_values *values,
                                           const struct cairn_event *event, struct query_cell *cell)
{
    struct cairn_printer *printer = values->printer;
    struct export_print_output *out = begin(values);
    enum cairn_event_error error;

    if (!set_event(printer, event))
        return CAIRN_EVENT_WHOLE;
    export_output_byte(out, '{');
    error = export_print_items(printer, event, true);
    export_output_byte(out, '}');
    finish(out, cell);
    return error;
}
