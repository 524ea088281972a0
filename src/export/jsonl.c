/* SPDX-License-Identifier: MIT */
/*
 * The style `jsonl`: one object for each event, on a line of its own. docs/json.md describes it.
 *
 *   {"time":...,"cpu":...,"pid":...,"tid":...,"comm":...,"provider":...,"event":...,"fields":{...}}
 */
#include "export/json_parts.h"
#include "export/names.h"
#include "export/number.h"

#define STYLE CAIRN_STYLE_JSONL

/* Prints `,"key":` and a string: a name for the value, or its digits if it has no name. */
static void write_named(struct export_print_output *out, const char *key, const char *name,
                        uint8_t value)
{
    export_output_string(out, key);
    export_output_byte(out, '"');
    if (name) {
        export_output_string(out, name);
    } else {
        out->at = export_put_unsigned(export_output_reserve(out, 20), value);
    }
    export_output_byte(out, '"');
}

static void write_number(struct export_print_output *out, const char *key, uint64_t value)
{
    if (!value)
        return;
    export_output_string(out, key);
    out->at = export_put_unsigned(export_output_reserve(out, 20), value);
}

static void write_string(struct export_print_output *out, const char *key,
                         struct cairn_slice string)
{
    if (!string.length)
        return;
    export_output_string(out, key);
    export_output_byte(out, '"');
    export_print_name(out, STYLE, string);
    export_output_byte(out, '"');
}

static void write_head(struct export_print_output *out, const struct cairn_event_type *type)
{
    write_string(out, ",\"provider\":", type->provider);
    export_output_string(out, ",\"event\":\"");
    export_print_name(out, STYLE, type->name);
    export_output_byte(out, '"');
    if (!type->is_eventheader)
        return;
    write_named(out, ",\"level\":", export_level_name(type->level), type->level);
    export_output_string(out, ",\"keyword\":\"");
    out->at = export_put_hex(export_output_reserve(out, 18), type->keyword);
    export_output_byte(out, '"');
    if (type->opcode)
        write_named(out, ",\"opcode\":", export_opcode_name(type->opcode), type->opcode);
    write_number(out, ",\"id\":", type->id);
    write_number(out, ",\"version\":", type->version);
    write_number(out, ",\"tag\":", type->tag);
    write_string(out, ",\"options\":", type->options);
}

#define SAMPLE_ROOM_BYTES 512u

/* In the default form: the time of day, and the same as a number. */
static char *put_wall_time(char *to, struct export_event_times *times, uint64_t wall_ns)
{
    const char *decimals;

    to = EXPORT_PUT(to, ",\"time\":\"");
    to = export_put_wall_time(to, &times->utc, wall_ns);
    decimals = to - 10; /* before the Z */
    to = EXPORT_PUT(to, "\",\"time_ns\":");
    return export_put_wall_ns(to, &times->utc, decimals);
}

static char *put_number_ns(char *to, const struct cairn_event *event)
{
    bool has_wall = event->has & CAIRN_EVENT_WALL;

    to = EXPORT_PUT(to, ",\"time_ns\":");
    return export_put_unsigned(to, has_wall ? event->wall_ns : event->time_ns);
}

/* Other forms: a member whose name says which time it is. */
static char *put_other_time(char *to, struct export_event_times *times,
                            enum cairn_printer_time form, const struct cairn_event *event)
{
    if (form == CAIRN_PRINTER_TIME_DELTA) {
        to = EXPORT_PUT(to, ",\"delta\":");
        to = export_put_event_time(to, times, form, event, 9);
    } else if (form != CAIRN_PRINTER_TIME_EPOCH_NS) {
        to = form == CAIRN_PRINTER_TIME_MONO ? EXPORT_PUT(to, ",\"clock\":\"")
                                             : EXPORT_PUT(to, ",\"time\":\"");
        to = export_put_event_time(to, times, form, event, 9);
        *to++ = '"';
    }
    return put_number_ns(to, event);
}

/* Time, cpu, pid and tid, as far as the event has them. */
static char *put_sample(char *to, struct cairn_printer *printer, const struct cairn_event *event)
{
    enum cairn_printer_time form = export_time_form(&printer->times, event, CAIRN_PRINTER_TIME_UTC);

    if (cairn_likely(form == CAIRN_PRINTER_TIME_UTC))
        to = put_wall_time(to, &printer->times, event->wall_ns);
    else if (event->has & CAIRN_EVENT_TIME)
        to = put_other_time(to, &printer->times, form, event);
    return export_put_cpu_prefix(to, &printer->prefixes, event);
}

/* Members of the sample come first, so that the line begins with the time. */
static void print_head(struct cairn_printer *printer, const struct cairn_event *event)
{
    struct export_print_output *out = &printer->out;
    struct cairn_slice head = printer->texts->head;
    char *first = export_output_reserve(out, SAMPLE_ROOM_BYTES);
    char *to = put_sample(first, printer, event);
    bool is_first = to == first;

    *first = '{'; /* replaces the first member's comma */
    out->at = to + is_first;
    export_output_padded(out, head.text + is_first, head.length - is_first);
    if (event->comm && *event->comm)
        export_print_comm(out, &printer->comms, event);
}

/* `,"symbols":{"prev_state":"S"}`: what the print format of a kernel's event calls its values. */
static void print_symbols(struct cairn_printer *printer, const struct cairn_event *event)
{
    const struct decode_print *print = decode_layout_of(event->type)->print;
    const struct decode_print_record record = {
        .raw = event->raw, .raw_bytes = event->raw_bytes, .swap = event->swap};
    struct export_print_output *out = &printer->out;
    char text[DECODE_PRINT_TEXT_MAX_BYTES];
    bool is_first = true;
    uint32_t length;

    for (uint32_t n = 0; n < decode_print_named_count(print); n++) {
        if (decode_print_named_text(print, n, &record, text, &length))
            continue;
        export_output_string(out, is_first ? ",\"symbols\":{\"" : ",\"");
        export_print_name(out, STYLE, decode_print_named_field(print, n));
        export_output_string(out, "\":\"");
        export_print_utf8(out, STYLE, text, length);
        export_output_byte(out, '"');
        is_first = false;
    }
    if (!is_first)
        export_output_byte(out, '}');
}

static void write_text(struct export_print_output *out, const char *key, const char *text)
{
    if (text)
        write_string(out, key, (struct cairn_slice){text, (uint32_t)strlen(text)});
}

/* `,"stack":[{"address":"0x...","symbol":"main","offset":4,"object":"/usr/bin/x",...}]` */
static void print_stack(struct export_print_output *out, const struct cairn_event *event)
{
    struct cairn_frame frame;

    export_output_string(out, ",\"stack\":[");
    for (uint32_t n = 0; cairn_event_frame(event, n, &frame); n++) {
        export_output_string(out, n ? ",{\"address\":\"" : "{\"address\":\"");
        out->at = export_put_hex(export_output_reserve(out, 18), frame.address);
        export_output_byte(out, '"');
        write_text(out, ",\"symbol\":", frame.symbol);
        write_number(out, ",\"offset\":", frame.symbol_offset);
        write_text(out, ",\"object\":", frame.object);
        write_number(out, ",\"object_offset\":", frame.object_offset);
        export_output_byte(out, '}');
    }
    export_output_byte(out, ']');
}

static enum cairn_event_error print_event(struct cairn_printer *printer,
                                          const struct cairn_event *event)
{
    struct export_print_output *out = &printer->out;
    enum cairn_event_error error;
    char *to;

    print_head(printer, event);
    to = export_output_reserve(out, SAMPLE_ROOM_BYTES);
    to = export_put_activity(to, event, STYLE);
    out->at = EXPORT_PUT(to, ",\"fields\":{");
    error = export_print_items(printer, event, true);
    export_output_byte(out, '}');
    if (decode_layout_of(event->type)->print && event->raw && !printer->fields.count)
        print_symbols(printer, event);
    if (event->stack)
        print_stack(out, event);
    to = export_output_reserve(out, SAMPLE_ROOM_BYTES);
    to = export_put_error(to, error);
    out->at = EXPORT_PUT(to, "}\n");
    return error;
}

const struct exporter exporter_jsonl = {
    .values = STYLE,
    .write_head = write_head,
    .write_key = export_write_jsonl_key,
    .event = print_event,
};
