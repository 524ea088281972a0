/* SPDX-License-Identifier: MIT */
/*
 * The parts of OpenTelemetry's messages, as protobuf and as JSON: attributes and their values.
 *
 * JSON has integers of 64 bits as texts, and bytes in base64. In protobuf the size of a part is
 * known before it is written if it has no parts of its own; otherwise it is inserted afterwards.
 */
#include "exchange/otlp.h"

#include "core/load.h"
#include "exchange/text.h"
#include "export/json_parts.h"
#include "export/number.h"
#include "export/utf.h"
#include "export/value_print.h"

#include <math.h>
#include <string.h>

/* Tags of AnyValue, and of the parts of KeyValue. */
#define ANY_TEXT   0x0a
#define ANY_BOOL   0x10
#define ANY_INT    0x18
#define ANY_DOUBLE 0x21
#define ANY_BYTES  0x3a
#define KEY_KEY    0x0a
#define KEY_VALUE  0x12

#define VARINT_BYTES_MAX 10u

/* Strings up to this size are copied with their key, in one reservation. */
#define SHORT_BYTES 2048u

/* ---- protobuf ---- */

static char *put_varint(char *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (char)(value | 0x80);
    *to++ = (char)value;
    return to;
}

void exchange_otlp_put_varint(struct export_print_output *out, uint64_t value)
{
    out->at = put_varint(export_output_reserve(out, VARINT_BYTES_MAX), value);
}

size_t exchange_otlp_varint_bytes(uint64_t value)
{
    return (70 - (unsigned)__builtin_clzll(value | 1)) / 7;
}

void exchange_otlp_wrap(struct export_print_output *out, size_t begin, uint8_t tag)
{
    char *space = export_output_reserve(out, 1 + VARINT_BYTES_MAX);
    size_t size_bytes = exchange_otlp_position(out) - begin;
    size_t head_bytes = 1 + exchange_otlp_varint_bytes(size_bytes);
    char *from = out->begin + begin;

    if (out->error) /* the output is empty */
        return;
    memmove(from + head_bytes, from, size_bytes);
    *from = (char)tag;
    (void)put_varint(from + 1, size_bytes);
    out->at = space + head_bytes;
}

/* A value: what is before its bytes, and these. */
struct any {
    uint8_t head_bytes;
    char head[1 + VARINT_BYTES_MAX];
    const void *data;
    size_t data_bytes;
};

static void set_number(struct any *any, uint8_t tag, uint64_t number)
{
    any->head[0] = (char)tag;
    any->head_bytes = (uint8_t)(put_varint(any->head + 1, number) - any->head);
}

static void set_bytes(struct any *any, uint8_t tag, const void *data, size_t size_bytes)
{
    set_number(any, tag, size_bytes);
    any->data = data;
    any->data_bytes = size_bytes;
}

static void set_double(struct any *any, double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof(bits));
    *any->head = (char)ANY_DOUBLE;
    for (unsigned n = 0; n < sizeof(bits); n++)
        any->head[1 + n] = (char)(bits >> (8 * n));
    any->head_bytes = 1 + sizeof(bits);
}

static void put_any(struct export_print_output *out, const struct any *any)
{
    export_output_bytes(out, any->head, any->head_bytes);
    export_output_bytes(out, any->data, any->data_bytes);
}

/* An attribute: a message of a key and a value. */
static void put_key_and_any(struct export_print_output *out, uint8_t tag, struct cairn_slice key,
                            const struct any *any)
{
    size_t any_bytes = any->head_bytes + any->data_bytes;
    size_t size_bytes = key.length + 1 + exchange_otlp_varint_bytes(any_bytes) + any_bytes;
    bool is_short = size_bytes <= SHORT_BYTES;
    char *to = export_output_reserve(out, SHORT_BYTES + 2 * EXPORT_OUTPUT_PADDING_BYTES);

    *to++ = (char)tag;
    to = put_varint(to, size_bytes);
    if (!is_short) {
        out->at = to;
        export_output_bytes(out, key.text, key.length);
        to = export_output_reserve(out, 64);
    } else {
        to = export_put_padded(to, key.text, key.length);
    }
    *to++ = KEY_VALUE;
    to = put_varint(to, any_bytes);
    if (!is_short) {
        out->at = to;
        put_any(out, any);
        return;
    }
    to = (char *)mempcpy(to, any->head, any->head_bytes);
    if (any->data_bytes)
        to = (char *)mempcpy(to, any->data, any->data_bytes);
    out->at = to;
}

/* ---- numbers ---- */

/* The forms of values in OpenTelemetry. */
enum form {
    FORM_NULL,
    FORM_INT,
    FORM_UNSIGNED_TEXT, /* from 2^63 on */
    FORM_BOOL,
    FORM_DOUBLE,
    FORM_BYTES,
    FORM_TEXT,
};

static enum form form_of(enum decode_value value, struct decode_value_data v, int64_t *ret_number)
{
    switch (value) {
    case DECODE_VALUE_NULL:
        return FORM_NULL;
    case DECODE_VALUE_UNSIGNED_INT:
        *ret_number = (int64_t)core_load_unsigned(v.data, v.size_bytes, v.swap);
        return *ret_number < 0 ? FORM_UNSIGNED_TEXT : FORM_INT;
    case DECODE_VALUE_SIGNED_INT:
    case DECODE_VALUE_PID:
        *ret_number = core_load_signed(v.data, v.size_bytes, v.swap);
        return FORM_INT;
    case DECODE_VALUE_PORT:
        *ret_number = (int64_t)v.data[0] << 8 | v.data[1];
        return FORM_INT;
    case DECODE_VALUE_BOOLEAN:
        *ret_number = (int32_t)core_load_unsigned(v.data, v.size_bytes, v.swap);
        return *ret_number == 0 || *ret_number == 1 ? FORM_BOOL : FORM_INT;
    case DECODE_VALUE_FLOAT:
        return FORM_DOUBLE;
    case DECODE_VALUE_BYTES:
        return FORM_BYTES;
    default:
        return FORM_TEXT;
    }
}

/* ---- values in protobuf ---- */

/* Texts are in `any` where they are, or in exporter->text. */
static void set_text(struct exchange_otlp_coder *coder, struct any *any, enum decode_value value,
                     struct decode_value_data v)
{
    struct export_print_output *text = &coder->exporter->text;

    if (value == DECODE_VALUE_UTF8 && exchange_is_plain(v.data, v.size_bytes)) {
        set_bytes(any, ANY_TEXT, v.data, v.size_bytes);
        return;
    }
    text->at = text->begin;
    exchange_put_value(coder->exporter, text, value, v);
    set_bytes(any, ANY_TEXT, text->begin, exchange_otlp_position(text));
}

static void set_any(struct exchange_otlp_coder *coder, struct any *any, enum decode_value value,
                    struct decode_value_data v)
{
    struct export_print_output *text = &coder->exporter->text;
    int64_t number = 0;

    any->data_bytes = 0;
    switch (form_of(value, v, &number)) {
    case FORM_NULL:
        any->head_bytes = 0;
        break;
    case FORM_INT:
        set_number(any, ANY_INT, (uint64_t)number);
        break;
    case FORM_UNSIGNED_TEXT:
        exchange_note(coder->exporter, CAIRN_EXPORTER_LARGE_NUMBERS);
        text->at = export_put_unsigned(text->begin, (uint64_t)number);
        set_bytes(any, ANY_TEXT, text->begin, exchange_otlp_position(text));
        break;
    case FORM_BOOL:
        set_number(any, ANY_BOOL, (uint64_t)number);
        break;
    case FORM_DOUBLE:
        set_double(any, decode_value_float(v));
        break;
    case FORM_BYTES:
        set_bytes(any, ANY_BYTES, v.data, v.size_bytes);
        break;
    case FORM_TEXT:
        set_text(coder, any, value, v);
        break;
    }
}

/* ---- values in JSON ---- */

#define LITERAL_BYTES 64u

/* Literals are copied by their constant length. */
#define PUT(out, literal) \
    ((out)->at = EXPORT_PUT(export_output_reserve(out, LITERAL_BYTES), literal))

static void put_base64(struct export_print_output *out, const uint8_t *data, size_t size_bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t n = 0; n < size_bytes; n += 3) {
        size_t left = size_bytes - n;
        uint32_t three = (uint32_t)data[n] << 16;
        char *to = export_output_reserve(out, 4);

        if (left > 1)
            three |= (uint32_t)data[n + 1] << 8;
        if (left > 2)
            three |= data[n + 2];
        *to++ = digits[three >> 18];
        *to++ = digits[three >> 12 & 63];
        *to++ = left > 1 ? digits[three >> 6 & 63] : '=';
        *to++ = left > 2 ? digits[three & 63] : '=';
        out->at = to;
    }
}

static char *put_double(char *to, double number)
{
    if (isnan(number))
        return EXPORT_PUT(to, "\"NaN\"");
    if (isinf(number))
        return number > 0 ? EXPORT_PUT(to, "\"Infinity\"") : EXPORT_PUT(to, "\"-Infinity\"");
    return export_put_double(to, number);
}

/* Text that is not plain is made valid first, as in protobuf. */
static void put_string(struct exchange_otlp_coder *coder, struct export_print_output *out,
                       enum decode_value value, struct decode_value_data v)
{
    struct export_print_output *text = &coder->exporter->text;

    if (value < DECODE_VALUE_FIRST_STRING) {
        export_value_print(out, CAIRN_STYLE_JSONL, value, v);
        return;
    }
    export_output_byte(out, '"');
    if (value == DECODE_VALUE_UTF8 && exchange_is_plain(v.data, v.size_bytes)) {
        export_print_utf8(out, CAIRN_STYLE_JSONL, v.data, v.size_bytes);
    } else {
        text->at = text->begin;
        exchange_put_value(coder->exporter, text, value, v);
        export_print_utf8(out, CAIRN_STYLE_JSONL, text->begin, exchange_otlp_position(text));
    }
    export_output_byte(out, '"');
}

static void put_json_text(struct exchange_otlp_coder *coder, struct export_print_output *out,
                          enum decode_value value, struct decode_value_data v)
{
    char *to = EXPORT_PUT(export_output_reserve(out, 2 * LITERAL_BYTES), "{\"stringValue\":");
    char *end = NULL;

    if (value == DECODE_VALUE_UTF8) {
        *to = '"';
        end = export_put_short(to + 1, v.data, v.size_bytes);
    }
    if (end) {
        out->at = EXPORT_PUT(end, "\"}");
        return;
    }
    out->at = to;
    put_string(coder, out, value, v);
    export_output_byte(out, '}');
}

static void put_json(struct exchange_otlp_coder *coder, struct export_print_output *out,
                     enum decode_value value, struct decode_value_data v)
{
    int64_t number = 0;
    enum form form = form_of(value, v, &number);
    char *to;

    if (form == FORM_TEXT) {
        put_json_text(coder, out, value, v);
        return;
    }
    to = export_output_reserve(out, LITERAL_BYTES);
    switch (form) {
    case FORM_INT:
        to = EXPORT_PUT(to, "{\"intValue\":\"");
        to = export_put_signed(to, number);
        to = EXPORT_PUT(to, "\"}");
        break;
    case FORM_UNSIGNED_TEXT:
        exchange_note(coder->exporter, CAIRN_EXPORTER_LARGE_NUMBERS);
        to = EXPORT_PUT(to, "{\"stringValue\":\"");
        to = export_put_unsigned(to, (uint64_t)number);
        to = EXPORT_PUT(to, "\"}");
        break;
    case FORM_BOOL:
        to = number ? EXPORT_PUT(to, "{\"boolValue\":true}")
                    : EXPORT_PUT(to, "{\"boolValue\":false}");
        break;
    case FORM_DOUBLE:
        to = EXPORT_PUT(to, "{\"doubleValue\":");
        to = put_double(to, decode_value_float(v));
        *to++ = '}';
        break;
    case FORM_BYTES:
        out->at = EXPORT_PUT(to, "{\"bytesValue\":\"");
        put_base64(out, v.data, v.size_bytes);
        PUT(out, "\"}");
        return;
    default:
        to = EXPORT_PUT(to, "{}");
        break;
    }
    out->at = to;
}

/* ---- keys and texts ---- */

void exchange_otlp_put_text(struct exchange_otlp_coder *coder, struct export_print_output *out,
                            uint8_t tag, struct cairn_slice text)
{
    const struct decode_value_data data = {(const uint8_t *)text.text, text.length, false};
    struct any any = {.data = NULL};

    if (!coder->is_json) {
        set_text(coder, &any, DECODE_VALUE_UTF8, data);
        any.head[0] = (char)tag;
        put_any(out, &any);
        return;
    }
    put_string(coder, out, DECODE_VALUE_UTF8, data);
}

void exchange_otlp_put_key(struct exchange_otlp_coder *coder, struct export_print_output *out,
                           struct cairn_slice name)
{
    if (coder->is_json)
        PUT(out, ",{\"key\":");
    exchange_otlp_put_text(coder, out, KEY_KEY, name);
    if (coder->is_json)
        PUT(out, ",\"value\":");
}

/* ---- attributes ---- */

void exchange_otlp_add_value(struct exchange_otlp_coder *coder, struct export_print_output *out,
                             enum exchange_otlp_place place, struct cairn_slice key,
                             enum decode_value value, struct decode_value_data data)
{
    struct any any;

    if (coder->is_json) {
        export_output_padded(out, key.text, key.length);
        put_json(coder, out, value, data);
        export_output_byte(out, '}');
        return;
    }
    set_any(coder, &any, value, data);
    put_key_and_any(out, (uint8_t)place, key, &any);
}

void exchange_otlp_add_element(struct exchange_otlp_coder *coder, struct export_print_output *out,
                               enum decode_value value, struct decode_value_data data)
{
    struct any any;

    if (coder->is_json) {
        export_output_byte(out, ',');
        put_json(coder, out, value, data);
        return;
    }
    set_any(coder, &any, value, data);
    export_output_byte(out, EXCHANGE_OTLP_IN_MESSAGE);
    exchange_otlp_put_varint(out, any.head_bytes + any.data_bytes);
    put_any(out, &any);
}

void exchange_otlp_add_text(struct exchange_otlp_coder *coder, struct export_print_output *out,
                            enum exchange_otlp_place place, enum exchange_otlp_name name,
                            struct cairn_slice text)
{
    const struct decode_value_data data = {(const uint8_t *)text.text, text.length, false};

    exchange_otlp_add_value(coder, out, place, coder->names[name], DECODE_VALUE_UTF8, data);
}

void exchange_otlp_add_number(struct exchange_otlp_coder *coder, struct export_print_output *out,
                              enum exchange_otlp_place place, enum exchange_otlp_name name,
                              int64_t number)
{
    const struct decode_value_data data = {(const uint8_t *)&number, sizeof(number), false};

    exchange_otlp_add_value(coder, out, place, coder->names[name], DECODE_VALUE_SIGNED_INT, data);
}

void exchange_otlp_add_flag(struct exchange_otlp_coder *coder, struct export_print_output *out,
                            enum exchange_otlp_place place, enum exchange_otlp_name name)
{
    const uint8_t set = 1;
    const struct decode_value_data data = {&set, sizeof(set), false};

    exchange_otlp_add_value(coder, out, place, coder->names[name], DECODE_VALUE_BOOLEAN, data);
}

/* ---- lists ---- */

size_t exchange_otlp_begin_list(const struct exchange_otlp_coder *coder,
                                struct export_print_output *out, const char *name)
{
    if (coder->is_json)
        export_output_string(out, name);
    return exchange_otlp_position(out);
}

void exchange_otlp_end_list(const struct exchange_otlp_coder *coder,
                            struct export_print_output *out, const char *name, size_t begin)
{
    if (!coder->is_json || out->error)
        return;
    if (exchange_otlp_position(out) == begin) {
        out->at -= strlen(name);
        return;
    }
    out->begin[begin] = '[';
    export_output_byte(out, ']');
}
