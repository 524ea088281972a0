/* SPDX-License-Identifier: MIT */
/* An exporter for values without names. */
#include "report/values.h"

#include "report/columns.h"

#include "export/exporter.h"
#include "export/value_print.h"

#define EVENTS_MAX REPORT_BLOCK_ROWS_MAX
#define TEXT_MAX   (512u << 10)

static void write_separator(struct export_print_output *out, const struct cairn_item_field *field)
{
    (void)field;
    export_output_byte(out, ',');
}

static void print_id(struct export_print_output *out, const uint8_t *id)
{
    out->at = export_put_uuid(export_output_reserve(out, 36), id);
}

static enum cairn_event_error print_event(struct cairn_printer *printer,
                                          const struct cairn_event *event)
{
    struct export_print_output *out = &printer->out;
    enum cairn_event_error error = export_print_items(printer, event, true);

    if (event->activity_id || event->related_id || error) {
        export_output_byte(out, '\t');
        if (event->activity_id)
            print_id(out, event->activity_id);
    }
    if (event->related_id || error) {
        export_output_byte(out, '\t');
        if (event->related_id)
            print_id(out, event->related_id);
    }
    if (error) {
        export_output_byte(out, '\t');
        export_output_string(out, cairn_event_error_text(error));
    }
    export_output_byte(out, '\n');
    return error;
}

static const struct exporter exporter_report = {
    .values = CAIRN_STYLE_JSONL,
    .write_key = write_separator,
    .event = print_event,
};

int report_values_open(struct report_values *values)
{
    return export_printer_create(&exporter_report, -1, &values->printer);
}

void report_values_write(struct report_values *values, struct report_output *output)
{
    struct export_print_output *out = &values->printer->out;
    struct report_bytes bytes = {
        .data = (uint8_t *)out->begin, .size = (size_t)(out->at - out->begin), .error = out->error};

    if (!values->count)
        return;
    if (output->sink.size + bytes.size / 4 > values->max_size)
        values->left_out += values->count;
    else
        report_blocks_write(&values->blocks, output, &bytes,
                            (struct report_block){.first = values->first, .count = values->count});
    values->first += values->count;
    values->count = 0;
    out->at = out->begin;
}

enum cairn_event_error report_values_add(struct report_values *values, struct report_output *output,
                                         const struct cairn_event *event)
{
    struct export_print_output *out = &values->printer->out;
    enum cairn_event_error error = cairn_printer_event(values->printer, event);

    values->count++;
    if (values->count == EVENTS_MAX || (size_t)(out->at - out->begin) > TEXT_MAX)
        report_values_write(values, output);
    return error;
}

void report_values_free(struct report_values *values)
{
    report_blocks_free(&values->blocks);
    cairn_printer_destroy(values->printer);
    *values = (struct report_values){0};
}
