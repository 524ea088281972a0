/* SPDX-License-Identifier: MIT */
/* Parts of formats that are JSON. */
#include "exchange/json.h"

#include "exchange/text.h"

#include "export/json_parts.h"
#include "export/names.h"
#include "export/number.h"
#include "export/value_print.h"

#include <errno.h>
#include <string.h>

#define STYLE CAIRN_STYLE_JSONL

/* Bytes that are copied between two checks of the output's space. */
#define PIECE_BYTES 512u

/* ---- texts and numbers ---- */

void exchange_json_text(struct export_print_output *out, struct cairn_slice text)
{
    export_output_byte(out, '"');
    export_print_name(out, STYLE, text);
    export_output_byte(out, '"');
}

void exchange_json_string(struct export_print_output *out, const char *text)
{
    exchange_json_text(out, (struct cairn_slice){text, (uint32_t)strlen(text)});
}

void exchange_json_inside(struct export_print_output *out, const char *json, size_t size_bytes)
{
    const char *end = json + size_bytes;

    while (json < end) {
        size_t n = (size_t)(end - json) < PIECE_BYTES ? (size_t)(end - json) : PIECE_BYTES;
        char *to = export_output_reserve(out, 2 * n);

        for (const char *stop = json + n; json < stop; json++) {
            if (*json == '"' || *json == '\\')
                *to++ = '\\';
            *to++ = *json;
        }
        out->at = to;
    }
}

void exchange_json_event_name(struct export_print_output *out, const struct cairn_event_type *type)
{
    export_output_byte(out, '"');
    export_print_name(out, STYLE, type->provider);
    if (type->provider.length)
        export_output_byte(out, ':');
    export_print_name(out, STYLE, type->name);
    export_output_byte(out, '"');
}

void exchange_json_number(struct export_print_output *out, uint64_t number)
{
    out->at = export_put_unsigned(export_output_reserve(out, 20), number);
}

void exchange_json_task(struct export_print_output *out, uint32_t id)
{
    out->at = export_put_task(export_output_reserve(out, 20), id);
}

void exchange_json_decimal(struct export_print_output *out, uint64_t number, unsigned decimals)
{
    uint64_t unit = 1;

    for (unsigned n = 0; n < decimals; n++)
        unit *= 10;
    exchange_json_number(out, number / unit);
    export_output_byte(out, '.');
    out->at = export_put_digits(export_output_reserve(out, decimals), number % unit, decimals);
}

/* ---- fields ---- */

int exchange_json_open(struct exchange_json *json)
{
    *json = (struct exchange_json){0};
    return cairn_printer_create(STYLE, -1, &json->printer);
}

void exchange_json_key(struct export_print_output *out, struct cairn_slice name,
                       const char *const *reserved)
{
    while (*reserved && !core_slice_is(name, *reserved))
        reserved++;
    export_output_byte(out, '"');
    export_print_name(out, STYLE, name);
    export_output_string(out, *reserved ? "_2\"" : "\"");
}

void exchange_json_set_key(struct exchange_json *json,
                           void (*write_key)(struct export_print_output *out,
                                             const struct cairn_item_field *field))
{
    json->exporter = *json->printer->exporter;
    json->exporter.write_key = write_key;
    json->printer->exporter = &json->exporter;
}

void exchange_json_close(struct exchange_json *json)
{
    cairn_printer_destroy(json->printer);
    *json = (struct exchange_json){0};
}

/* The printer writes to its own output: it is exchanged meanwhile. */
static void exchange_outputs(struct cairn_printer *printer, struct export_print_output *out)
{
    struct export_print_output own = printer->out;

    printer->out = *out;
    *out = own;
}

enum cairn_event_error exchange_json_fields(struct exchange_json *json,
                                            struct export_print_output *out,
                                            const struct cairn_event *event)
{
    struct cairn_printer *printer = json->printer;
    enum cairn_event_error error;

    printer->texts =
        export_texts_of(&printer->cache, printer->exporter, decode_layout_of(event->type));
    if (!printer->texts) {
        export_output_fail(out, ENOMEM);
        return event->error;
    }
    exchange_outputs(printer, out);
    error = export_print_items(printer, event, false);
    exchange_outputs(printer, out);
    return error;
}

struct cairn_items *exchange_json_begin(struct exchange_json *json, const struct cairn_event *event)
{
    struct cairn_printer *printer = json->printer;

    printer->texts =
        export_texts_of(&printer->cache, printer->exporter, decode_layout_of(event->type));
    if (!printer->texts)
        return NULL;
    cairn_items_begin(&printer->items, event);
    return &printer->items;
}

void exchange_json_rest(struct exchange_json *json, struct export_print_output *out,
                        const struct cairn_item *item)
{
    exchange_outputs(json->printer, out);
    export_print_item(json->printer, item, STYLE);
    exchange_outputs(json->printer, out);
}

/* ---- the header ---- */

struct members {
    struct export_print_output *out;
    bool has_some;
};

static void put_key(struct members *members, const char *key)
{
    if (members->has_some)
        export_output_byte(members->out, ',');
    members->has_some = true;
    export_output_byte(members->out, '"');
    export_output_string(members->out, key);
    export_output_string(members->out, "\":");
}

static void put_number(struct members *members, const char *key, uint64_t number)
{
    put_key(members, key);
    exchange_json_number(members->out, number);
}

static void put_named(struct members *members, const char *key, const char *name, uint8_t number)
{
    if (!name) {
        put_number(members, key, number);
        return;
    }
    put_key(members, key);
    exchange_json_string(members->out, name);
}

static void put_hex(struct members *members, const char *key, uint64_t number)
{
    put_key(members, key);
    export_output_byte(members->out, '"');
    members->out->at = export_put_hex(export_output_reserve(members->out, 18), number);
    export_output_byte(members->out, '"');
}

static void put_id(struct members *members, const char *key, const uint8_t *id)
{
    if (!id)
        return;
    put_key(members, key);
    export_output_byte(members->out, '"');
    members->out->at = export_put_uuid(export_output_reserve(members->out, 36), id);
    export_output_byte(members->out, '"');
}

static void put_eventheader(struct members *members, const struct cairn_event_type *type)
{
    put_named(members, "level", export_level_name(type->level), type->level);
    put_hex(members, "keyword", type->keyword);
    if (type->opcode)
        put_named(members, "opcode", export_opcode_name(type->opcode), type->opcode);
    if (type->id)
        put_number(members, "id", type->id);
    if (type->version)
        put_number(members, "version", type->version);
    if (type->tag)
        put_number(members, "tag", type->tag);
    if (type->options.length) {
        put_key(members, "options");
        exchange_json_text(members->out, type->options);
    }
}

void exchange_json_type(struct export_print_output *out, const struct cairn_event_type *type)
{
    struct members members = {out, false};

    if (type->is_eventheader)
        put_eventheader(&members, type);
}

void exchange_json_sample(struct export_print_output *out, const struct cairn_event *event,
                          bool has_some)
{
    struct members members = {out, has_some};

    put_id(&members, "activity", event->activity_id);
    put_id(&members, "related_activity", event->related_id);
    if (event->has & CAIRN_EVENT_CPU)
        put_number(&members, "cpu", event->cpu);
}

void exchange_json_header(struct export_print_output *out, const struct cairn_event *event)
{
    exchange_json_type(out, event->type);
    exchange_json_sample(out, event, event->type->is_eventheader);
}

void exchange_json_function(struct cairn_exporter *exporter, struct export_print_output *out,
                            const struct timeline_function *function)
{
    struct export_print_output *text = &exporter->text;

    text->at = text->begin;
    exchange_put_function(exporter, text, function);
    exchange_json_text(out, (struct cairn_slice){text->begin, (uint32_t)(text->at - text->begin)});
}
