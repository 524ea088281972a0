/* SPDX-License-Identifier: MIT */
/*
 * The style `csv` (RFC 4180, but lines end with a newline alone): a line for each event. The fields
 * that were chosen are columns; without a choice, a column has all of them as JSON, and the last
 * one the stack, which a choice names `stack`.
 *
 *   time,time_ns,cpu,pid,tid,comm,provider,event,level,keyword,activity,fields,stack
 */
#include "export/json_parts.h"
#include "export/names.h"
#include "export/number.h"
#include "export/value_print.h"

#include <errno.h>
#include <stdlib.h>

#define STYLE CAIRN_STYLE_CSV

#define NO_FIELD UINT32_MAX
#define STACK    (UINT32_MAX - 1)

struct csv {
    bool has_header;
    uint64_t serial;                   /* of the layout that the columns are of */
    struct export_print_output values; /* JSON, before it is quoted */
    uint32_t columns[]; /* fields of the layout; NO_FIELD: it lacks the column; STACK */
};

/* ---- texts ---- */

static void print_string(struct export_print_output *out, const char *text, size_t length)
{
    export_output_byte(out, '"');
    export_print_utf8(out, STYLE, text, length);
    export_output_byte(out, '"');
}

static void write_name(struct export_print_output *out, struct cairn_slice name)
{
    if (name.length)
        print_string(out, name.text, name.length);
    export_output_byte(out, ',');
}

/* ",provider,event,level,keyword,": constant for a layout. */
static void write_head(struct export_print_output *out, const struct cairn_event_type *type)
{
    const char *level = export_level_name(type->level);

    write_name(out, type->provider);
    write_name(out, type->name);
    if (type->is_eventheader && level)
        export_output_string(out, level);
    else if (type->is_eventheader)
        out->at = export_put_unsigned(export_output_reserve(out, 20), type->level);
    export_output_byte(out, ',');
    if (type->is_eventheader)
        out->at = export_put_hex(export_output_reserve(out, 18), type->keyword);
    export_output_byte(out, ',');
}

/* ---- the header ---- */

static struct csv *create(const struct cairn_printer *printer)
{
    size_t size_bytes = sizeof(struct csv) + (printer->fields.count + 1) * sizeof(uint32_t);
    struct csv *csv = (struct csv *)calloc(1, size_bytes);

    if (csv && export_output_open(&csv->values, -1)) {
        free(csv);
        csv = NULL;
    }
    return csv;
}

static void print_header(struct cairn_printer *printer)
{
    struct export_print_output *out = &printer->out;

    export_output_string(out,
                         "time,time_ns,cpu,pid,tid,comm,provider,event,level,keyword,activity");
    for (size_t n = 0; n < printer->fields.count; n++) {
        export_output_byte(out, ',');
        print_string(out, printer->fields.names[n], strlen(printer->fields.names[n]));
    }
    export_output_string(out, printer->fields.count ? "\n" : ",fields,stack\n");
}

/* The header is printed once, before the first event or with the first recording. */
static void begin_recording(struct cairn_printer *printer, const char *name)
{
    struct csv *csv;

    (void)name;
    if (!printer->state)
        printer->state = create(printer);
    csv = (struct csv *)printer->state;
    if (!csv) {
        export_output_fail(&printer->out, ENOMEM);
    } else if (!csv->has_header && !printer->is_part) {
        csv->has_header = true;
        print_header(printer);
    }
}

/* ---- events ---- */

static char *put_number_if(char *to, bool is_there, uint64_t number)
{
    if (is_there)
        to = export_put_unsigned(to, number);
    *to++ = ',';
    return to;
}

static char *put_task_if(char *to, bool is_there, uint32_t id)
{
    if (is_there)
        to = export_put_task(to, id);
    *to++ = ',';
    return to;
}

static void print_sample(struct cairn_printer *printer, const struct cairn_event *event)
{
    struct export_print_output *out = &printer->out;
    enum cairn_printer_time form = export_time_form(&printer->times, event, CAIRN_PRINTER_TIME_UTC);
    char *to = export_output_reserve(out, 256);

    if (event->has & CAIRN_EVENT_TIME)
        to = export_put_event_time(to, &printer->times, form, event, 9);
    *to++ = ',';
    to = put_number_if(to, event->has & CAIRN_EVENT_TIME,
                       event->has & CAIRN_EVENT_WALL ? event->wall_ns : event->time_ns);
    to = put_number_if(to, event->has & CAIRN_EVENT_CPU, event->cpu);
    to = put_task_if(to, event->has & CAIRN_EVENT_TID, event->pid);
    to = put_task_if(to, event->has & CAIRN_EVENT_TID, event->tid);
    out->at = to;
    if (event->comm)
        print_string(out, event->comm, strlen(event->comm));
    export_output_byte(out, ',');
}

/* JSON that was printed to `values`, in quotes. */
static void print_json(struct cairn_printer *printer, const char *begin, const char *end)
{
    print_string(&printer->out, begin, (size_t)(end - begin));
}

/* Exchanges the output for `values` while it prints, so that the exporter's functions write there.
 */
static void exchange_outputs(struct cairn_printer *printer)
{
    struct csv *csv = (struct csv *)printer->state;
    struct export_print_output values = csv->values;

    csv->values = printer->out;
    printer->out = values;
}

static void print_stack(struct cairn_printer *printer, const struct cairn_event *event)
{
    struct csv *csv = (struct csv *)printer->state;

    if (!event->stack)
        return;
    csv->values.at = csv->values.begin;
    export_put_stack(&csv->values, event);
    print_json(printer, csv->values.begin, csv->values.at);
}

static enum cairn_event_error print_all_fields(struct cairn_printer *printer,
                                               const struct cairn_event *event)
{
    struct csv *csv = (struct csv *)printer->state;
    enum cairn_event_error error;

    exchange_outputs(printer);
    printer->out.at = printer->out.begin;
    export_output_byte(&printer->out, '{');
    error = export_print_items(printer, event, true);
    export_output_byte(&printer->out, '}');
    exchange_outputs(printer);
    print_json(printer, csv->values.begin, csv->values.at);
    export_output_byte(&printer->out, ',');
    print_stack(printer, event);
    return error;
}

static void find_columns(struct cairn_printer *printer, const struct decode_layout *layout)
{
    struct csv *csv = (struct csv *)printer->state;

    csv->serial = layout->serial;
    for (size_t n = 0; n < printer->fields.count; n++) {
        csv->columns[n] = strcmp(printer->fields.names[n], "stack") ? NO_FIELD : STACK;
        for (uint32_t field = 0; field < layout->field_count; field++) {
            if (export_fields_is(layout, field, printer->fields.names[n]))
                csv->columns[n] = field;
        }
    }
}

/* Prints a value for a column; an array or a struct as JSON. */
static void print_column(struct cairn_printer *printer, const struct cairn_item *item)
{
    struct csv *csv = (struct csv *)printer->state;

    if (item->kind == CAIRN_ITEM_VALUE) {
        export_print_item(printer, item, STYLE);
        return;
    }
    exchange_outputs(printer);
    printer->out.at = printer->out.begin;
    export_print_item(printer, item, STYLE);
    exchange_outputs(printer);
    print_json(printer, csv->values.begin, csv->values.at);
}

/* Finds the field among the items, and prints it. */
static void find_and_print(struct cairn_printer *printer, const struct cairn_event *event,
                           uint32_t field)
{
    struct cairn_items *items = &printer->items;
    struct cairn_item item;

    cairn_items_begin(items, event);
    while (cairn_items_next(items, &item)) {
        if (item.is_element || decode_items_index(items, &item) != field)
            continue;
        print_column(printer, &item);
        return;
    }
}

static enum cairn_event_error print_columns(struct cairn_printer *printer,
                                            const struct cairn_event *event)
{
    struct csv *csv = (struct csv *)printer->state;

    if (csv->serial != decode_layout_of(event->type)->serial)
        find_columns(printer, decode_layout_of(event->type));
    for (size_t n = 0; n < printer->fields.count; n++) {
        if (n)
            export_output_byte(&printer->out, ',');
        if (csv->columns[n] == STACK)
            print_stack(printer, event);
        else if (csv->columns[n] != NO_FIELD)
            find_and_print(printer, event, csv->columns[n]);
    }
    cairn_items_begin(&printer->items, event); /* for damage in other fields */
    return decode_items_finish(&printer->items);
}

static enum cairn_event_error print_event(struct cairn_printer *printer,
                                          const struct cairn_event *event)
{
    struct export_print_output *out = &printer->out;
    enum cairn_event_error error;

    begin_recording(printer, "");
    if (!printer->state)
        return event->error;
    print_sample(printer, event);
    export_print_text(out, printer->texts->head);
    if (event->activity_id)
        out->at = export_put_uuid(export_output_reserve(out, 36), event->activity_id);
    export_output_byte(out, ',');
    error =
        printer->fields.count ? print_columns(printer, event) : print_all_fields(printer, event);
    export_output_byte(out, '\n');
    return error;
}

static void destroy(struct cairn_printer *printer)
{
    struct csv *csv = (struct csv *)printer->state;

    if (!csv)
        return;
    export_output_close(&csv->values);
    free(csv);
}

const struct exporter exporter_csv = {
    .values = CAIRN_STYLE_JSONL,
    .write_head = write_head,
    .write_key = export_write_jsonl_key,
    .begin_recording = begin_recording,
    .event = print_event,
    .end = NULL,
    .destroy = destroy,
};
