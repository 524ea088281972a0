/* SPDX-License-Identifier: MIT */
/* Tracepoints as a recording describes them. */
#include "decode/origin.h"

#include "decode/ftrace_events.h"
#include "trace_file/eventheader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct cairn_slice copy_text(char **at, struct cairn_slice text)
{
    char *to = *at;

    if (text.length)
        *at = (char *)mempcpy(to, text.text, text.length);
    return (struct cairn_slice){to, text.length};
}

/* Makes a layout that owns the format's texts; `format` then refers to the copies. */
static int own_texts(struct cairn_decoder_format *format, struct decode_layout **ret_layout)
{
    uint32_t size = format->system.length + format->name.length + format->text.length;
    int err = decode_layout_create(size, ret_layout);
    char *at;

    if (err)
        return err;
    at = (*ret_layout)->identity;
    format->system = copy_text(&at, format->system);
    format->name = copy_text(&at, format->name);
    format->text = copy_text(&at, format->text);
    return 0;
}

/*
 * The text of a kernel's tracepoint. Programs cannot choose the print format of a user_event, which
 * only lists the fields.
 */
static int compile_print(struct decode_layout *layout, const struct cairn_schema *schema,
                         uint32_t long_size_bytes)
{
    static const char user_events[] = "user_events";
    const struct cairn_slice *system = &layout->type.provider;
    int err;

    if (system->length >= strlen(user_events) &&
        !memcmp(system->text, user_events, strlen(user_events)))
        return 0;
    err = decode_print_compile(schema, long_size_bytes, &layout->print);
    return err == ENOTSUP ? 0 : err;
}

static int compile(struct decode_origin *origin, const struct cairn_decoder_format *format,
                   const struct cairn_schema *schema)
{
    struct decode_layout *layout = origin->layout;
    int err = 0;

    layout->long_size_bytes = format->long_size_bytes;
    layout->type.provider = schema->system.length ? schema->system : format->system;
    layout->type.name = schema->name;
    if (trace_file_eventheader_is_in(schema) &&
        !decode_tracepoint_name_parse(schema->name, &origin->name)) {
        origin->is_eventheader = true;
        origin->header_offset = schema->fields[schema->common_count].offset;
    } else {
        err = compile_print(layout, schema, format->long_size_bytes);
    }
    if (!err)
        err = decode_layout_compile_format(layout, schema, format->long_size_bytes);
    if (!err)
        decode_ftrace_correct(layout);
    return err;
}

static int parse_and_compile(struct decode_origin *origin,
                             const struct cairn_decoder_format *format)
{
    struct cairn_schema schema;
    struct cairn_field *fields = NULL;
    uint32_t field_max = 32;
    int err;

    do {
        field_max *= 2;
        free(fields);
        fields = (struct cairn_field *)calloc(field_max, sizeof(*fields));
        err = !fields
                  ? ENOMEM
                  : cairn_schema_parse_format(format->text.text, format->text.length,
                                              format->long_size_bytes, fields, field_max, &schema);
    } while (err == ENOSPC);
    if (!err)
        err = compile(origin, format, &schema);
    free(fields);
    return err;
}

/* If the format text has no system or name, those of the caller are used. */
static int describe(struct decode_origin *origin, const struct cairn_decoder_format *format)
{
    origin->tracepoint = (struct cairn_event_tracepoint *)malloc(sizeof(*origin->tracepoint));
    if (!origin->tracepoint)
        return ENOMEM;
    *origin->tracepoint = (struct cairn_event_tracepoint){
        .system = origin->layout->type.provider,
        .name = origin->layout->type.name,
        .format = format->text,
    };
    return 0;
}

int decode_origin_open(const struct cairn_decoder_format *format, struct decode_origin *ret_origin)
{
    struct decode_origin origin = {.long_size_bytes = format->long_size_bytes,
                                   .swap = format->swap};
    struct cairn_decoder_format own = *format;
    int err = own_texts(&own, &origin.layout);

    if (!err && own.text.length) {
        err = parse_and_compile(&origin, &own);
    } else if (!err) {
        origin.layout->type.provider = own.system;
        origin.layout->type.name = own.name;
        err = decode_layout_compile_raw(origin.layout);
    }
    if (!err)
        err = describe(&origin, &own);
    if (err) {
        decode_origin_close(&origin);
        return err;
    }
    decode_layout_complete(origin.layout);
    *ret_origin = origin;
    return 0;
}

void decode_origin_close(struct decode_origin *origin)
{
    decode_layout_destroy(origin->layout);
    free(origin->tracepoint);
    *origin = (struct decode_origin){0};
}
