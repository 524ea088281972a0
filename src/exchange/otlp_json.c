/* SPDX-License-Identifier: MIT */
/*
 * OpenTelemetry's JSON of a message: names in lowerCamelCase, integers of 64 bits as texts, bytes
 * in base64, but trace and span ids in hexadecimal. It goes through the message's description,
 * which protoc-c made.
 */
#include "exchange/json.h"
#include "exchange/otlp.h"

#include "export/number.h"
#include "export/utf.h"

#include <math.h>
#include <string.h>

static void put_message(struct export_print_output *out, const ProtobufCMessage *message);

/* ---- names ---- */

/* "trace_id" as "traceId" */
static void put_name(struct export_print_output *out, const char *name)
{
    export_output_byte(out, '"');
    for (; *name; name++) {
        if (*name == '_' && name[1])
            export_output_byte(out, (char)(*++name - 'a' + 'A'));
        else
            export_output_byte(out, *name);
    }
    export_output_string(out, "\":");
}

static bool is_id(const char *name)
{
    size_t length = strlen(name);

    return length >= 3 && !strcmp(name + length - 3, "_id");
}

/* ---- values ---- */

static void put_hex(struct export_print_output *out, ProtobufCBinaryData bytes)
{
    for (size_t n = 0; n < bytes.len; n++)
        out->at = export_put_hex_byte(export_output_reserve(out, 2), bytes.data[n]);
}

static void put_base64(struct export_print_output *out, ProtobufCBinaryData bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t n = 0; n < bytes.len; n += 3) {
        size_t left = bytes.len - n;
        uint32_t three = (uint32_t)bytes.data[n] << 16;

        if (left > 1)
            three |= (uint32_t)bytes.data[n + 1] << 8;
        if (left > 2)
            three |= bytes.data[n + 2];
        export_output_byte(out, digits[three >> 18]);
        export_output_byte(out, digits[three >> 12 & 63]);
        export_output_byte(out, left > 1 ? digits[three >> 6 & 63] : '=');
        export_output_byte(out, left > 2 ? digits[three & 63] : '=');
    }
}

/* Strings are declared as bytes: only `bytes_value` and ids are bytes. */
static void put_bytes(struct export_print_output *out, const char *name, ProtobufCBinaryData bytes)
{
    export_output_byte(out, '"');
    if (is_id(name))
        put_hex(out, bytes);
    else if (!strcmp(name, "bytes_value"))
        put_base64(out, bytes);
    else
        export_print_utf8(out, CAIRN_STYLE_JSONL, bytes.data, bytes.len);
    export_output_byte(out, '"');
}

static void put_double(struct export_print_output *out, double number)
{
    if (isnan(number))
        export_output_string(out, "\"NaN\"");
    else if (isinf(number))
        export_output_string(out, number > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    else
        out->at = export_put_double(export_output_reserve(out, 32), number);
}

static void put_value(struct export_print_output *out, const ProtobufCFieldDescriptor *field,
                      const void *value)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_MESSAGE:
        put_message(out, *(const ProtobufCMessage *const *)value);
        break;
    case PROTOBUF_C_TYPE_BYTES:
        put_bytes(out, field->name, *(const ProtobufCBinaryData *)value);
        break;
    case PROTOBUF_C_TYPE_BOOL:
        export_output_string(out, *(const protobuf_c_boolean *)value ? "true" : "false");
        break;
    case PROTOBUF_C_TYPE_DOUBLE:
        put_double(out, *(const double *)value);
        break;
    case PROTOBUF_C_TYPE_INT32:
        out->at = export_put_signed(export_output_reserve(out, 20), *(const int32_t *)value);
        break;
    case PROTOBUF_C_TYPE_INT64:
        export_output_byte(out, '"');
        out->at = export_put_signed(export_output_reserve(out, 20), *(const int64_t *)value);
        export_output_byte(out, '"');
        break;
    default: /* of fixed 64 bits */
        export_output_byte(out, '"');
        out->at = export_put_unsigned(export_output_reserve(out, 20), *(const uint64_t *)value);
        export_output_byte(out, '"');
    }
}

/* ---- fields ---- */

static const void *at(const ProtobufCMessage *message, unsigned offset)
{
    return (const char *)message + offset;
}

static size_t element_bytes(const ProtobufCFieldDescriptor *field)
{
    return field->type == PROTOBUF_C_TYPE_MESSAGE ? sizeof(void *) : sizeof(uint64_t);
}

static bool is_set(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    if (field->label == PROTOBUF_C_LABEL_REPEATED)
        return *(const size_t *)at(message, field->quantifier_offset) != 0;
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
        return *(const uint32_t *)at(message, field->quantifier_offset) == field->id;
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        return *(const void *const *)at(message, field->offset) != NULL;
    return *(const protobuf_c_boolean *)at(message, field->quantifier_offset);
}

static void put_list(struct export_print_output *out, const ProtobufCMessage *message,
                     const ProtobufCFieldDescriptor *field)
{
    size_t count = *(const size_t *)at(message, field->quantifier_offset);
    const char *list = *(const char *const *)at(message, field->offset);

    export_output_byte(out, '[');
    for (size_t n = 0; n < count; n++) {
        if (n)
            export_output_byte(out, ',');
        put_value(out, field, list + n * element_bytes(field));
    }
    export_output_byte(out, ']');
}

static void put_message(struct export_print_output *out, const ProtobufCMessage *message)
{
    const ProtobufCMessageDescriptor *type = message->descriptor;
    bool is_first = true;

    export_output_byte(out, '{');
    for (unsigned n = 0; n < type->n_fields; n++) {
        const ProtobufCFieldDescriptor *field = &type->fields[n];

        if (!is_set(message, field))
            continue;
        if (!is_first)
            export_output_byte(out, ',');
        is_first = false;
        put_name(out, field->name);
        if (field->label == PROTOBUF_C_LABEL_REPEATED)
            put_list(out, message, field);
        else
            put_value(out, field, at(message, field->offset));
    }
    export_output_byte(out, '}');
}

void exchange_otlp_json(struct export_print_output *out, const ProtobufCMessage *message)
{
    put_message(out, message);
}
