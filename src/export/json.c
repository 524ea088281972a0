/* SPDX-License-Identifier: MIT */
/*
 * The style `json`: one document, with the content of perf-decode's.
 *
 *   {"FILE": [
 *    {"n":"PROVIDER:EVENT", fields..., "meta":{"time":..., "cpu":..., ...}}, ...
 */
#include "export/json_parts.h"
#include "export/number.h"
#include "export/exporter.h"

#define STYLE CAIRN_STYLE_JSON

/* The first event of a recording has no comma. */
static void write_head(struct export_print_output *out, const struct cairn_event_type *type)
{
    export_output_string(out, ",\n {\"n\":\"");
    export_print_name(out, STYLE, type->provider);
    if (type->provider.length)
        export_output_byte(out, ':');
    export_print_name(out, STYLE, type->name);
    export_output_byte(out, '"');
}

static void write_key(struct export_print_output *out, const struct cairn_item_field *field)
{
    export_output_string(out, ",\"");
    export_print_name(out, STYLE, field->name);
    if (field->tag) {
        export_output_string(out, ";tag=");
        out->at = export_put_hex(export_output_reserve(out, 18), field->tag);
    }
    export_output_string(out, "\":");
}

static void write_number(struct export_print_output *out, const char *key, uint64_t value)
{
    if (!value)
        return;
    export_output_string(out, key);
    out->at = export_put_unsigned(export_output_reserve(out, 20), value);
}

static void write_hex(struct export_print_output *out, const char *key, uint64_t value)
{
    if (!value)
        return;
    export_output_string(out, key);
    export_output_byte(out, '"');
    out->at = export_put_hex(export_output_reserve(out, 18), value);
    export_output_byte(out, '"');
}

static void write_tail(struct export_print_output *out, const struct cairn_event_type *type)
{
    write_number(out, ",\"id\":", type->id);
    write_number(out, ",\"version\":", type->version);
    write_number(out, ",\"level\":", type->level);
    write_hex(out, ",\"keyword\":", type->keyword);
    write_number(out, ",\"opcode\":", type->opcode);
    write_hex(out, ",\"tag\":", type->tag);
}

/* `,"meta":{...}}`: the constant part is numbers only, so it fits. */
#define META_ROOM_BYTES 1024u

/* `,"time":...`, a string if it is a time of day. */
static char *put_time(char *to, struct cairn_printer *printer, const struct cairn_event *event)
{
    enum cairn_printer_time form = export_time_form(&printer->times, event, CAIRN_PRINTER_TIME_UTC);
    bool quote = form == CAIRN_PRINTER_TIME_UTC || form == CAIRN_PRINTER_TIME_LOCAL;

    if (!(event->has & CAIRN_EVENT_TIME))
        return to;
    to = EXPORT_PUT(to, ",\"time\":\"");
    to = export_put_event_time(to - !quote, &printer->times, form, event, 9);
    *to = '"';
    return to + quote;
}

/* That of a thread that had ended is 4294967295, as perf-decode prints it. */
static char *put_task(char *to, uint32_t id)
{
    return export_put_unsigned(to, id);
}

/* Writes the rest of the sample: `,"cpu":1,"pid":2,"tid":3,"level":4` */
static void write_common(struct export_print_output *out, const struct cairn_printer *printer,
                         const struct cairn_event *event)
{
    out->at = export_put_thread(export_output_reserve(out, META_ROOM_BYTES), event, put_task);
    export_print_text(out, printer->texts->tail);
}

static void print_meta(struct cairn_printer *printer, const struct cairn_event *event,
                       enum cairn_event_error error)
{
    struct export_print_output *out = &printer->out;
    char *to = EXPORT_PUT(export_output_reserve(out, 2 * META_ROOM_BYTES), ",\"meta\":");
    char *first = to;

    out->at = put_time(to, printer, event);
    /* It fits into what was reserved. */
    export_print_common(printer, printer->texts->serial, event, write_common);
    to = export_put_activity(out->at, event, STYLE);
    to = export_put_error(to, error);
    if (to == first)
        to++;
    *first = '{'; /* replaces the first member's comma */
    out->at = EXPORT_PUT(to, "}}");
}

static void begin_recording(struct cairn_printer *printer, const char *name)
{
    struct export_print_output *out = &printer->out;

    export_output_string(out, printer->recordings ? " ],\n\"" : "{\n\"");
    export_print_utf8(out, STYLE, name, strlen(name));
    export_output_string(out, "\": [");
}

static enum cairn_event_error print_event(struct cairn_printer *printer,
                                          const struct cairn_event *event)
{
    struct cairn_slice head = printer->texts->head;
    bool is_first = !printer->events;
    enum cairn_event_error error;

    export_output_padded(&printer->out, head.text + is_first, head.length - is_first);
    error = export_print_items(printer, event, false);
    print_meta(printer, event, error);
    return error;
}

static void end(struct cairn_printer *printer)
{
    if (printer->recordings)
        export_output_string(&printer->out, " ]\n}\n");
}

const struct exporter exporter_json = {
    .values = STYLE,
    .view = DECODE_LAYOUT_PERF_DECODE,
    .without_comm = true,
    .write_head = write_head,
    .write_key = write_key,
    .write_tail = write_tail,
    .begin_recording = begin_recording,
    .event = print_event,
    .end = end,
};
