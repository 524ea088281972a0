/* SPDX-License-Identifier: MIT */
/*
 * Encodes the messages of which there are many: spans, log records, attributes and their values.
 * The bytes are those that pack.c makes by descriptors; fields are written from the last to the
 * first.
 */
#include "exchange/otlp.h"
#include "exchange/pack_bytes.h"

static void put_data(struct exchange_pack *pack, uint32_t number, bool has,
                     ProtobufCBinaryData data)
{
    if (has)
        exchange_pack_bytes(pack, number, data.data, data.len);
}

static void put_time(struct exchange_pack *pack, uint32_t number, bool has, uint64_t ns)
{
    if (has)
        exchange_pack_fixed(pack, number, &ns, sizeof(ns));
}

static void put_value(struct exchange_pack *pack, const ExchangeOtlp__AnyValue *value);

static void put_array(struct exchange_pack *pack, const ExchangeOtlp__ArrayValue *array)
{
    for (size_t n = array->n_values; n--;) {
        size_t before = exchange_pack_written(pack);

        put_value(pack, array->values[n]);
        exchange_pack_end(pack, 1, before);
    }
}

static void put_attribute(struct exchange_pack *pack, const ExchangeOtlp__KeyValue *attribute)
{
    if (attribute->value) {
        size_t before = exchange_pack_written(pack);

        put_value(pack, attribute->value);
        exchange_pack_end(pack, 2, before);
    }
    put_data(pack, 1, attribute->has_key, attribute->key);
}

static void put_attributes(struct exchange_pack *pack, uint32_t number,
                           ExchangeOtlp__KeyValue **attributes, size_t count)
{
    while (count--) {
        size_t before = exchange_pack_written(pack);

        put_attribute(pack, attributes[count]);
        exchange_pack_end(pack, number, before);
    }
}

static void put_value(struct exchange_pack *pack, const ExchangeOtlp__AnyValue *value)
{
    size_t before = exchange_pack_written(pack);

    switch (value->value_case) {
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_STRING_VALUE:
        exchange_pack_bytes(pack, 1, value->string_value.data, value->string_value.len);
        break;
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_BOOL_VALUE:
        exchange_pack_number(pack, 2, value->bool_value != 0);
        break;
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_INT_VALUE:
        exchange_pack_number(pack, 3, (uint64_t)value->int_value);
        break;
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_DOUBLE_VALUE:
        exchange_pack_fixed(pack, 4, &value->double_value, sizeof(value->double_value));
        break;
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_ARRAY_VALUE:
        if (!value->array_value)
            break;
        put_array(pack, value->array_value);
        exchange_pack_end(pack, 5, before);
        break;
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_KVLIST_VALUE:
        if (!value->kvlist_value)
            break;
        put_attributes(pack, 1, value->kvlist_value->values, value->kvlist_value->n_values);
        exchange_pack_end(pack, 6, before);
        break;
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_BYTES_VALUE:
        exchange_pack_bytes(pack, 7, value->bytes_value.data, value->bytes_value.len);
        break;
    default: /* none */
        break;
    }
}

static void put_log(struct exchange_pack *pack, const ExchangeOtlp__LogRecord *log)
{
    put_data(pack, 12, log->has_event_name, log->event_name);
    put_time(pack, 11, log->has_observed_time_unix_nano, log->observed_time_unix_nano);
    put_data(pack, 10, log->has_span_id, log->span_id);
    put_data(pack, 9, log->has_trace_id, log->trace_id);
    put_attributes(pack, 6, log->attributes, log->n_attributes);
    if (log->body) {
        size_t before = exchange_pack_written(pack);

        put_value(pack, log->body);
        exchange_pack_end(pack, 5, before);
    }
    put_data(pack, 3, log->has_severity_text, log->severity_text);
    if (log->has_severity_number)
        exchange_pack_number(pack, 2, (uint64_t)(int64_t)log->severity_number);
    put_time(pack, 1, log->has_time_unix_nano, log->time_unix_nano);
}

static void put_links(struct exchange_pack *pack, ExchangeOtlp__Link **links, size_t count)
{
    while (count--) {
        size_t before = exchange_pack_written(pack);

        exchange_pack_message(pack, &links[count]->base);
        exchange_pack_end(pack, 13, before);
    }
}

static void put_span(struct exchange_pack *pack, const ExchangeOtlp__Span *span)
{
    put_links(pack, span->links, span->n_links);
    put_attributes(pack, 9, span->attributes, span->n_attributes);
    put_time(pack, 8, span->has_end_time_unix_nano, span->end_time_unix_nano);
    put_time(pack, 7, span->has_start_time_unix_nano, span->start_time_unix_nano);
    if (span->has_kind)
        exchange_pack_number(pack, 6, (uint64_t)(int64_t)span->kind);
    put_data(pack, 5, span->has_name, span->name);
    put_data(pack, 4, span->has_parent_span_id, span->parent_span_id);
    put_data(pack, 2, span->has_span_id, span->span_id);
    put_data(pack, 1, span->has_trace_id, span->trace_id);
}

bool exchange_otlp_pack_own(struct exchange_pack *pack, const ProtobufCMessage *message)
{
    if (message->descriptor == &exchange_otlp__log_record__descriptor)
        put_log(pack, (const ExchangeOtlp__LogRecord *)message);
    else if (message->descriptor == &exchange_otlp__span__descriptor)
        put_span(pack, (const ExchangeOtlp__Span *)message);
    else
        return false;
    return true;
}
