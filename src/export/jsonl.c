/* SPDX-License-Identifier: MIT */
/*
 * The style `jsonl`: one object for each event, on a line of its own. docs/json.md describes it.
 *
 *   {"time":...,"cpu":...,"pid":...,"tid":...,"comm":...,"provider":...,"event":...,"fields":{...}}
 */
#include "export/json_parts.h"
#include "decode/kernel_symbols.h"
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

/* The time, if the event has one. */
static inline char *put_time(char *to, struct cairn_printer *printer,
                             const struct cairn_event *event)
{
    enum cairn_printer_time form = export_time_form(&printer->times, event, CAIRN_PRINTER_TIME_UTC);

    if (cairn_likely(form == CAIRN_PRINTER_TIME_UTC))
        return put_wall_time(to, &printer->times, event->wall_ns);
    if (event->has & CAIRN_EVENT_TIME)
        return put_other_time(to, &printer->times, form, event);
    return to;
}

/* Writes the members after the time: `,"cpu":1,"pid":2,"tid":3,"provider":...,"comm":"walker"` */
static void write_common(struct export_print_output *out, const struct cairn_printer *printer,
                         const struct cairn_event *event)
{
    const char *comm = export_comm_of(printer, event);

    out->at =
        export_put_thread(export_output_reserve(out, SAMPLE_ROOM_BYTES), event, export_put_task);
    export_print_text(out, printer->texts->head);
    if (!*comm)
        return;
    export_output_string(out, ",\"comm\":\"");
    export_print_utf8(out, STYLE, comm, strlen(comm));
    export_output_byte(out, '"');
}

/* Without a time the first member's comma becomes the brace. */
static void print_untimed_head(struct cairn_printer *printer, const struct cairn_event *event)
{
    struct export_print_output *scratch = &printer->cache.scratch;

    scratch->at = scratch->begin;
    write_common(scratch, printer, event);
    export_output_byte(&printer->out, '{');
    export_output_bytes(&printer->out, scratch->begin + 1,
                        (size_t)(scratch->at - scratch->begin) - 1);
}

/* Members of the sample come first, so that the line begins with the time. */
static inline void print_head(struct cairn_printer *printer, const struct cairn_event *event)
{
    struct export_print_output *out = &printer->out;
    char *first = export_output_reserve(out, SAMPLE_ROOM_BYTES);

    out->at = put_time(first, printer, event);
    if (cairn_unlikely(out->at == first)) {
        print_untimed_head(printer, event);
        return;
    }
    *first = '{'; /* replaces the first member's comma */
    export_print_common(printer, printer->texts->serial, event, write_common);
}

/* `,"symbols":{"prev_state":"S"}`: what the print format of a kernel's event calls its values. */
static void print_symbols(struct cairn_printer *printer, const struct cairn_event *event)
{
    const struct decode_layout *layout = decode_layout_of(event->type);
    const struct decode_print *print = layout->print;
    const struct decode_print_record record = {
        .raw = event->raw,
        .raw_bytes = event->raw_bytes,
        .swap = event->swap,
        .string = layout->kernel ? decode_kernel_strings_find : NULL,
        .kernel = layout->kernel,
    };
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

static void print_container(struct export_print_output *out, const char *name)
{
    export_output_string(out, ",\"container\":\"");
    export_print_utf8(out, STYLE, name, strlen(name));
    export_output_byte(out, '"');
}

void export_put_stack(struct export_print_output *out, const struct cairn_event *event)
{
    struct cairn_frame frame;

    export_output_byte(out, '[');
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

__attribute__((flatten)) static enum cairn_event_error print_event(struct cairn_printer *printer,
                                                                   const struct cairn_event *event)
{
    struct export_print_output *out = &printer->out;
    enum cairn_event_error error;
    char *to;

    print_head(printer, event);
    to = export_output_reserve(out, SAMPLE_ROOM_BYTES);
    if (cairn_unlikely(event->activity_id || event->related_id))
        to = export_put_activity(to, event, STYLE);
    out->at = EXPORT_PUT(to, ",\"fields\":{");
    error = export_print_items(printer, event, true);
    export_output_byte(out, '}');
    if (decode_layout_of(event->type)->print && event->raw && !printer->fields.count)
        print_symbols(printer, event);
    if (event->container)
        print_container(out, event->container);
    if (event->stack) {
        export_output_string(out, ",\"stack\":");
        export_put_stack(out, event);
    }
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
