/* SPDX-License-Identifier: MIT */
/* Messages as bytes: the same that protobuf-c makes. */
#include "exchange/arena.h"
#include "exchange/pack.h"

#include "exchange/otlp.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX    4u
#define MESSAGES     400
#define ITEMS_MAX    6u
#define LENGTH_SMALL 20u

/* A sequence of numbers, the same in each run. */
static uint64_t state = 1;

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? state % below : state;
}

static struct exchange_arena arena;

static void *take(size_t size)
{
    void *taken = exchange_arena_take(&arena, size);

    assert_non_null(taken);
    return taken;
}

/* Draws a few bytes; now and then none, or more than a length of one byte can express. */
static ProtobufCBinaryData draw_bytes(void)
{
    size_t length = draw(8) ? draw(LENGTH_SMALL) : draw(40000);
    ProtobufCBinaryData bytes = {length, take(length + 1)};

    for (size_t n = 0; n < length; n++)
        bytes.data[n] = (uint8_t)draw(256);
    return bytes;
}

/* A number of any size. */
static uint64_t draw_number(void)
{
    return draw(0) >> draw(64);
}

static ExchangeOtlp__AnyValue *draw_value(unsigned depth);

static ExchangeOtlp__KeyValue **draw_attributes(unsigned depth, size_t *ret_count)
{
    size_t count = draw(ITEMS_MAX);
    ExchangeOtlp__KeyValue **list = take((count + 1) * sizeof(*list));

    for (size_t n = 0; n < count; n++) {
        list[n] = take(sizeof(**list));
        exchange_otlp__key_value__init(list[n]);
        list[n]->has_key = draw(8) != 0;
        list[n]->key = draw_bytes();
        list[n]->value = draw(8) ? draw_value(depth) : NULL;
    }
    *ret_count = count;
    return list;
}

static ExchangeOtlp__ArrayValue *draw_array(unsigned depth)
{
    ExchangeOtlp__ArrayValue *array = take(sizeof(*array));

    exchange_otlp__array_value__init(array);
    array->n_values = draw(ITEMS_MAX);
    array->values = take((array->n_values + 1) * sizeof(*array->values));
    for (size_t n = 0; n < array->n_values; n++)
        array->values[n] = draw_value(depth);
    return array;
}

static ExchangeOtlp__AnyValue *draw_value(unsigned depth)
{
    ExchangeOtlp__AnyValue *value = take(sizeof(*value));

    exchange_otlp__any_value__init(value);
    value->value_case = (ExchangeOtlp__AnyValue__ValueCase)draw(8);
    if (depth == DEPTH_MAX && (value->value_case == EXCHANGE_OTLP__ANY_VALUE__VALUE_ARRAY_VALUE ||
                               value->value_case == EXCHANGE_OTLP__ANY_VALUE__VALUE_KVLIST_VALUE))
        value->value_case = EXCHANGE_OTLP__ANY_VALUE__VALUE__NOT_SET;
    switch (value->value_case) {
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_ARRAY_VALUE:
        value->array_value = draw_array(depth + 1);
        break;
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_KVLIST_VALUE:
        value->kvlist_value = take(sizeof(*value->kvlist_value));
        exchange_otlp__key_value_list__init(value->kvlist_value);
        value->kvlist_value->values = draw_attributes(depth + 1, &value->kvlist_value->n_values);
        break;
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_STRING_VALUE:
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_BYTES_VALUE:
        value->string_value = draw_bytes();
        break;
    case EXCHANGE_OTLP__ANY_VALUE__VALUE_BOOL_VALUE:
        value->bool_value = draw(2) != 0;
        break;
    default:
        value->int_value = (int64_t)draw_number();
        break;
    }
    return value;
}

static ExchangeOtlp__LogRecord *draw_log(void)
{
    ExchangeOtlp__LogRecord *log = take(sizeof(*log));

    exchange_otlp__log_record__init(log);
    log->has_time_unix_nano = draw(2) != 0;
    log->time_unix_nano = draw_number();
    log->has_severity_number = draw(2) != 0;
    log->severity_number = (int32_t)draw_number();
    log->has_severity_text = draw(2) != 0;
    log->severity_text = draw_bytes();
    log->body = draw(2) ? draw_value(0) : NULL;
    log->attributes = draw_attributes(0, &log->n_attributes);
    log->has_trace_id = draw(2) != 0;
    log->trace_id = draw_bytes();
    log->has_span_id = draw(2) != 0;
    log->span_id = draw_bytes();
    log->has_observed_time_unix_nano = draw(2) != 0;
    log->observed_time_unix_nano = draw_number();
    log->has_event_name = draw(2) != 0;
    log->event_name = draw_bytes();
    return log;
}

static ExchangeOtlp__Link *draw_link(void)
{
    ExchangeOtlp__Link *link = take(sizeof(*link));

    exchange_otlp__link__init(link);
    link->has_trace_id = draw(2) != 0;
    link->trace_id = draw_bytes();
    link->has_span_id = draw(2) != 0;
    link->span_id = draw_bytes();
    return link;
}

static ExchangeOtlp__Span *draw_span(void)
{
    ExchangeOtlp__Span *span = take(sizeof(*span));

    exchange_otlp__span__init(span);
    span->has_trace_id = draw(2) != 0;
    span->trace_id = draw_bytes();
    span->has_span_id = draw(2) != 0;
    span->span_id = draw_bytes();
    span->has_parent_span_id = draw(2) != 0;
    span->parent_span_id = draw_bytes();
    span->has_name = draw(2) != 0;
    span->name = draw_bytes();
    span->has_kind = draw(2) != 0;
    span->kind = (int32_t)draw_number();
    span->has_start_time_unix_nano = draw(2) != 0;
    span->start_time_unix_nano = draw_number();
    span->has_end_time_unix_nano = draw(2) != 0;
    span->end_time_unix_nano = draw_number();
    span->attributes = draw_attributes(0, &span->n_attributes);
    span->n_links = draw(3);
    span->links = take((span->n_links + 1) * sizeof(*span->links));
    for (size_t n = 0; n < span->n_links; n++)
        span->links[n] = draw_link();
    return span;
}

/* Compares with the bytes of protobuf-c. */
static void check(struct exchange_pack *pack, const ProtobufCMessage *message)
{
    size_t wanted_bytes = protobuf_c_message_get_packed_size(message);
    uint8_t *wanted = malloc(wanted_bytes + 1);
    const uint8_t *found;
    size_t found_bytes;

    assert_non_null(wanted);
    assert_int_equal(protobuf_c_message_pack(message, wanted), wanted_bytes);
    assert_int_equal(exchange_pack(pack, message, &found, &found_bytes), 0);
    assert_int_equal(found_bytes, wanted_bytes);
    assert_memory_equal(found, wanted, wanted_bytes);
    free(wanted);
}

static void messages_have_the_bytes_of_protobuf_c(void **unused)
{
    struct exchange_pack pack = {0};

    (void)unused;
    for (int n = 0; n < MESSAGES; n++) {
        check(&pack, &draw_log()->base);
        check(&pack, &draw_span()->base);
        exchange_arena_reset(&arena);
    }
    exchange_pack_free(&pack);
}

static void a_request_has_the_same_bytes(void **unused)
{
    ExchangeOtlp__LogsRequest request = EXCHANGE_OTLP__LOGS_REQUEST__INIT;
    ExchangeOtlp__ResourceLogs resource = EXCHANGE_OTLP__RESOURCE_LOGS__INIT;
    ExchangeOtlp__ResourceLogs *resources[] = {&resource};
    ExchangeOtlp__ScopeLogs scope = EXCHANGE_OTLP__SCOPE_LOGS__INIT;
    ExchangeOtlp__ScopeLogs *scopes[] = {&scope};
    ExchangeOtlp__LogRecord *logs[100];
    struct exchange_pack pack = {0};

    (void)unused;
    check(&pack, &request.base); /* of no bytes */
    for (size_t n = 0; n < 100; n++)
        logs[n] = draw_log();
    request.n_resource_logs = 1;
    request.resource_logs = resources;
    resource.n_scope_logs = 1;
    resource.scope_logs = scopes;
    scope.n_log_records = 100;
    scope.log_records = logs;
    check(&pack, &request.base);
    exchange_pack_free(&pack);
    exchange_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_have_the_bytes_of_protobuf_c),
        cmocka_unit_test(a_request_has_the_same_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
