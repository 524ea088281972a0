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

/* Prints `,"key":` and a name for the value, or the value itself if it has no name. */
static void write_named(struct export_print_output *out, const char *key, const char *name,
                        uint8_t value)
{
    export_output_string(out, key);
    if (name) {
        export_output_byte(out, '"');
        export_output_string(out, name);
        export_output_byte(out, '"');
    } else {
        out->at = export_put_unsigned(export_output_reserve(out, 20), value);
    }
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

static void write_key(struct export_print_output *out, const struct cairn_item_field *field)
{
    export_output_string(out, ",\"");
    export_print_name(out, STYLE, decode_name_without_attributes(field->name));
    export_output_string(out, "\":");
}

#define SAMPLE_ROOM_BYTES 512u

/* Members of the sample come first, so that the line begins with the time. */
static void print_head(struct cairn_printer *printer, const struct cairn_event *event)
{
    struct export_print_output *out = &printer->out;
    struct cairn_slice head = printer->texts->head;
    char *first = export_output_reserve(out, SAMPLE_ROOM_BYTES);
    char *to = export_put_sample(first, printer, event);
    bool is_first = to == first;

    *first = '{'; /* replaces the first member's comma */
    out->at = to + is_first;
    export_output_padded(out, head.text + is_first, head.length - is_first);
    if (event->comm)
        write_string(
            out, ",\"comm\":", (struct cairn_slice){event->comm, (uint32_t)strlen(event->comm)});
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
    to = export_output_reserve(out, SAMPLE_ROOM_BYTES);
    *to++ = '}';
    to = export_put_error(to, error);
    out->at = EXPORT_PUT(to, "}\n");
    return error;
}

const struct exporter exporter_jsonl = {
    .values = STYLE,
    .write_head = write_head,
    .write_key = write_key,
    .event = print_event,
};
