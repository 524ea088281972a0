/* SPDX-License-Identifier: MIT */
/*
 * OpenTelemetry's JSON of a message: names in lowerCamelCase, integers of 64 bits as texts, bytes
 * in base64, but trace and span ids in hexadecimal. Messages of which there are many have code of
 * their own; others are written by their description, which protoc-c made. Fields are in the order
 * of their numbers.
 */
#include "exchange/json.h"
#include "exchange/otlp.h"

#include "export/json_parts.h"
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

static void put_double(struct export_print_output *out, double number)
{
    if (isnan(number))
        export_output_string(out, "\"NaN\"");
    else if (isinf(number))
        export_output_string(out, number > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    else
        out->at = export_put_double(export_output_reserve(out, 32), number);
}

static void put_text(struct export_print_output *out, ProtobufCBinaryData text)
{
    export_output_byte(out, '"');
    export_print_utf8(out, CAIRN_STYLE_JSONL, text.data, text.len);
    export_output_byte(out, '"');
}

static void put_id(struct export_print_output *out, ProtobufCBinaryData id)
{
    export_output_byte(out, '"');
    put_hex(out, id);
    export_output_byte(out, '"');
}

static void put_int64(struct export_print_output *out, int64_t number)
{
    char *to = export_output_reserve(out, 24);

    *to++ = '"';
    to = export_put_signed(to, number);
    *to++ = '"';
    out->at = to;
}

static void put_time(struct export_print_output *out, uint64_t ns)
{
    char *to = export_output_reserve(out, 24);

    *to++ = '"';
    to = export_put_unsigned(to, ns);
    *to++ = '"';
    out->at = to;
}

/* ---- attributes ---- */

static void put_any(struct export_print_output *out, const ExchangeOtlp__AnyValue *value);

#define LITERAL_BYTES 64u

/* Literals are copied by their constant length. */
#define PUT(out, literal) \
    ((out)->at = EXPORT_PUT(export_output_reserve(out, LITERAL_BYTES), literal))

/* Returns the place of a member's key. */
static inline char *begin_member(struct export_print_output *out, bool *is_first)
{
    char *to = export_output_reserve(out, LITERAL_BYTES);

    if (!*is_first)
        *to++ = ',';
    *is_first = false;
    return to;
}

#define PUT_KEY(out, is_first, literal) \
    ((out)->at = EXPORT_PUT(begin_member(out, is_first), literal))

static void put_attribute(struct export_print_output *out, const ExchangeOtlp__KeyValue *attribute)
{
    bool is_first = true;

    export_output_byte(out, '{');
    if (attribute->has_key) {
        PUT_KEY(out, &is_first, "\"key\":");
        put_text(out, attribute->key);
    }
    if (attribute->value) {
        PUT_KEY(out, &is_first, "\"value\":");
        put_any(out, attribute->value);
    }
    export_output_byte(out, '}');
}

static void put_attributes(struct export_print_output *out, ExchangeOtlp__KeyValue **attributes,
                           size_t count)
{
    export_output_byte(out, '[');
    for (size_t n = 0; n < count; n++) {
        if (n)
            export_output_byte(out, ',');
        put_attribute(out, attributes[n]);
    }
    export_output_byte(out, ']');
}

static void put_array(struct export_print_output *out, const ExchangeOtlp__ArrayValue *array)
{
    PUT(out, "{\"arrayValue\":{");
    for (size_t n = 0; n < array->n_values; n++) {
        if (n)
            export_output_byte(out, ',');
        else
            PUT(out, "\"values\":[");
        put_any(out, array->values[n]);
    }
    if (array->n_values)
        export_output_byte(out, ']');
    export_output_byte(out, '}');
}

static void put_members(struct export_print_output *out, const ExchangeOtlp__KeyValueList *list)
{
    export_output_string(out,
                         list->n_values ? "{\"kvlistValue\":{\"values\":" : "{\"kvlistValue\":{");
    if (list->n_values)
        put_attributes(out, list->values, list->n_values);
    export_output_byte(out, '}');
}

static void put_any(struct export_print_output *out, const ExchangeOtlp__AnyValue *value)
{
    switch (value->value_case) {
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_STRING_VALUE:
        PUT(out, "{\"stringValue\":");
        put_text(out, value->string_value);
        break;
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_BOOL_VALUE:
        if (value->bool_value)
            PUT(out, "{\"boolValue\":true");
        else
            PUT(out, "{\"boolValue\":false");
        break;
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_INT_VALUE:
        PUT(out, "{\"intValue\":");
        put_int64(out, value->int_value);
        break;
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_DOUBLE_VALUE:
        PUT(out, "{\"doubleValue\":");
        put_double(out, value->double_value);
        break;
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_ARRAY_VALUE:
        put_array(out, value->array_value);
        break;
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_KVLIST_VALUE:
        put_members(out, value->kvlist_value);
        break;
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_BYTES_VALUE:
        PUT(out, "{\"bytesValue\":\"");
        put_base64(out, value->bytes_value);
        export_output_byte(out, '"');
        break;
    default: /* null */
        export_output_byte(out, '{');
        break;
    }
    export_output_byte(out, '}');
}

/* ---- spans and log records ---- */

static void put_log(struct export_print_output *out, const ExchangeOtlp__LogRecord *log)
{
    bool is_first = true;

    export_output_byte(out, '{');
    if (log->has_time_unix_nano) {
        PUT_KEY(out, &is_first, "\"timeUnixNano\":");
        put_time(out, log->time_unix_nano);
    }
    if (log->has_severity_number) {
        PUT_KEY(out, &is_first, "\"severityNumber\":");
        out->at = export_put_signed(export_output_reserve(out, 20), log->severity_number);
    }
    if (log->has_severity_text) {
        PUT_KEY(out, &is_first, "\"severityText\":");
        put_text(out, log->severity_text);
    }
    if (log->body) {
        PUT_KEY(out, &is_first, "\"body\":");
        put_any(out, log->body);
    }
    if (log->n_attributes) {
        PUT_KEY(out, &is_first, "\"attributes\":");
        put_attributes(out, log->attributes, log->n_attributes);
    }
    if (log->has_trace_id) {
        PUT_KEY(out, &is_first, "\"traceId\":");
        put_id(out, log->trace_id);
    }
    if (log->has_span_id) {
        PUT_KEY(out, &is_first, "\"spanId\":");
        put_id(out, log->span_id);
    }
    if (log->has_observed_time_unix_nano) {
        PUT_KEY(out, &is_first, "\"observedTimeUnixNano\":");
        put_time(out, log->observed_time_unix_nano);
    }
    if (log->has_event_name) {
        PUT_KEY(out, &is_first, "\"eventName\":");
        put_text(out, log->event_name);
    }
    export_output_byte(out, '}');
}

static void put_links(struct export_print_output *out, ExchangeOtlp__Link **links, size_t count)
{
    export_output_byte(out, '[');
    for (size_t n = 0; n < count; n++) {
        if (n)
            export_output_byte(out, ',');
        put_message(out, &links[n]->base);
    }
    export_output_byte(out, ']');
}

static void put_span(struct export_print_output *out, const ExchangeOtlp__Span *span)
{
    bool is_first = true;

    export_output_byte(out, '{');
    if (span->has_trace_id) {
        PUT_KEY(out, &is_first, "\"traceId\":");
        put_id(out, span->trace_id);
    }
    if (span->has_span_id) {
        PUT_KEY(out, &is_first, "\"spanId\":");
        put_id(out, span->span_id);
    }
    if (span->has_parent_span_id) {
        PUT_KEY(out, &is_first, "\"parentSpanId\":");
        put_id(out, span->parent_span_id);
    }
    if (span->has_name) {
        PUT_KEY(out, &is_first, "\"name\":");
        put_text(out, span->name);
    }
    if (span->has_kind) {
        PUT_KEY(out, &is_first, "\"kind\":");
        out->at = export_put_signed(export_output_reserve(out, 20), span->kind);
    }
    if (span->has_start_time_unix_nano) {
        PUT_KEY(out, &is_first, "\"startTimeUnixNano\":");
        put_time(out, span->start_time_unix_nano);
    }
    if (span->has_end_time_unix_nano) {
        PUT_KEY(out, &is_first, "\"endTimeUnixNano\":");
        put_time(out, span->end_time_unix_nano);
    }
    if (span->n_attributes) {
        PUT_KEY(out, &is_first, "\"attributes\":");
        put_attributes(out, span->attributes, span->n_attributes);
    }
    if (span->n_links) {
        PUT_KEY(out, &is_first, "\"links\":");
        put_links(out, span->links, span->n_links);
    }
    export_output_byte(out, '}');
}

/* ---- other messages ---- */

/* Their fields are messages, ids and texts, which are declared as bytes. */
static void put_value(struct export_print_output *out, const ProtobufCFieldDescriptor *field,
                      const void *value)
{
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        put_message(out, *(const ProtobufCMessage *const *)value);
    else if (is_id(field->name))
        put_id(out, *(const ProtobufCBinaryData *)value);
    else
        put_text(out, *(const ProtobufCBinaryData *)value);
}

static const void *at(const ProtobufCMessage *message, unsigned offset)
{
    return (const char *)message + offset;
}

static bool is_set(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    if (field->label == PROTOBUF_C_LABEL_REPEATED)
        return *(const size_t *)at(message, field->quantifier_offset) != 0;
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        return *(const void *const *)at(message, field->offset) != NULL;
    return *(const protobuf_c_boolean *)at(message, field->quantifier_offset);
}

/* A list of messages. */
static void put_list(struct export_print_output *out, const ProtobufCMessage *message,
                     const ProtobufCFieldDescriptor *field)
{
    size_t count = *(const size_t *)at(message, field->quantifier_offset);
    const char *list = *(const char *const *)at(message, field->offset);

    export_output_byte(out, '[');
    for (size_t n = 0; n < count; n++) {
        if (n)
            export_output_byte(out, ',');
        put_value(out, field, list + n * sizeof(void *));
    }
    export_output_byte(out, ']');
}

static void put_described(struct export_print_output *out, const ProtobufCMessage *message)
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

static void put_message(struct export_print_output *out, const ProtobufCMessage *message)
{
    const ProtobufCMessageDescriptor *type = message->descriptor;

    if (type == &exchange_otlp__log_record__descriptor)
        put_log(out, (const ExchangeOtlp__LogRecord *)message);
    else if (type == &exchange_otlp__span__descriptor)
        put_span(out, (const ExchangeOtlp__Span *)message);
    else if (type == &exchange_otlp__key_value__descriptor)
        put_attribute(out, (const ExchangeOtlp__KeyValue *)message);
    else
        put_described(out, message);
}

void exchange_otlp_json(struct export_print_output *out, const ProtobufCMessage *message)
{
    put_message(out, message);
}
