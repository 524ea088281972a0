/* SPDX-License-Identifier: MIT */
/*
 * The values of a TraceLogging event in EventHeader's form. Most have the same bytes; counts of
 * UTF-16 are in units, UUIDs in the order of RFC 4122, times in seconds since 1970. Times that are
 * no whole seconds, and SIDs, become text.
 */
#include "etl/values.h"
#include "core/calendar.h"
#include "core/cursor.h"

#include <cairn/eventheader_abi.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SECONDS_TO_1970   11644473600ll
#define UNITS_IN_A_SECOND 10000000ll

/* ---- forms ---- */

static uint8_t text_format(uint8_t out, uint8_t otherwise)
{
    if (out == ETL_OUT_XML)
        return CAIRN_FORMAT_STRING_XML;
    return out == ETL_OUT_JSON ? CAIRN_FORMAT_STRING_JSON : otherwise;
}

/* The format of an integer. */
static uint8_t integer_format(uint8_t out, uint32_t size, bool is_signed)
{
    switch (out) {
    case ETL_OUT_HEX:
    case ETL_OUT_NTSTATUS:
    case ETL_OUT_HRESULT:
    case ETL_OUT_CODE_POINTER:
        return CAIRN_FORMAT_HEX_INT;
    case ETL_OUT_BOOLEAN:
        return CAIRN_FORMAT_BOOLEAN;
    case ETL_OUT_STRING:
        return size == 1 ? CAIRN_FORMAT_STRING8 : CAIRN_FORMAT_STRING_UTF;
    case ETL_OUT_PID:
    case ETL_OUT_TID:
        return CAIRN_FORMAT_PID;
    case ETL_OUT_PORT:
        return CAIRN_FORMAT_PORT;
    case ETL_OUT_IPV4:
        return CAIRN_FORMAT_IP_ADDRESS;
    default:
        return is_signed || out == ETL_OUT_SIGNED ? CAIRN_FORMAT_SIGNED_INT : CAIRN_FORMAT_DEFAULT;
    }
}

static struct etl_form number_form(const struct etl_field *field, uint32_t pointer_bytes)
{
    switch (field->in) {
    case ETL_IN_FLOAT:
        return (struct etl_form){CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_FLOAT};
    case ETL_IN_DOUBLE:
        return (struct etl_form){CAIRN_ENCODING_VALUE64, CAIRN_FORMAT_FLOAT};
    case ETL_IN_BOOL32:
        return (struct etl_form){CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_BOOLEAN};
    case ETL_IN_HEX32:
        return (struct etl_form){CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_HEX_INT};
    case ETL_IN_HEX64:
        return (struct etl_form){CAIRN_ENCODING_VALUE64, CAIRN_FORMAT_HEX_INT};
    case ETL_IN_POINTER:
        return (struct etl_form){pointer_bytes == 8 ? CAIRN_ENCODING_VALUE64
                                                    : CAIRN_ENCODING_VALUE32,
                                 CAIRN_FORMAT_HEX_INT};
    default: /* INT8 to UINT64 */
        return (struct etl_form){
            (uint8_t)(CAIRN_ENCODING_VALUE8 + (field->in - ETL_IN_INT8) / 2),
            integer_format(field->out, 1u << (field->in - ETL_IN_INT8) / 2, field->in % 2 == 1)};
    }
}

static struct etl_form form_of(const struct etl_field *field, uint32_t pointer_bytes)
{
    switch (field->in) {
    case ETL_IN_STRUCT:
        return (struct etl_form){CAIRN_ENCODING_STRUCT, field->out};
    case ETL_IN_UNICODE_STRING:
        return (struct etl_form){CAIRN_ENCODING_ZSTRING_CHAR16, text_format(field->out, 0)};
    case ETL_IN_COUNTED_STRING:
        return (struct etl_form){CAIRN_ENCODING_STRING_LENGTH16_CHAR16, text_format(field->out, 0)};
    case ETL_IN_ANSI_STRING:
    case ETL_IN_COUNTED_ANSI_STRING:
        return (struct etl_form){
            field->in == ETL_IN_ANSI_STRING ? CAIRN_ENCODING_ZSTRING_CHAR8
                                            : CAIRN_ENCODING_STRING_LENGTH16_CHAR8,
            text_format(field->out, field->out == ETL_OUT_UTF8 ? 0 : CAIRN_FORMAT_STRING8)};
    case ETL_IN_BINARY:
    case ETL_IN_COUNTED_BINARY:
        if (field->out == ETL_OUT_IPV6)
            return (struct etl_form){CAIRN_ENCODING_BINARY_LENGTH16_CHAR8, CAIRN_FORMAT_IP_ADDRESS};
        return (struct etl_form){CAIRN_ENCODING_STRING_LENGTH16_CHAR8, CAIRN_FORMAT_HEX_BYTES};
    case ETL_IN_GUID:
        return (struct etl_form){CAIRN_ENCODING_VALUE128, CAIRN_FORMAT_UUID};
    case ETL_IN_FILETIME:
        if (!field->is_text)
            return (struct etl_form){CAIRN_ENCODING_VALUE64, CAIRN_FORMAT_TIME};
        return (struct etl_form){CAIRN_ENCODING_STRING_LENGTH16_CHAR8, CAIRN_FORMAT_DEFAULT};
    case ETL_IN_SYSTEMTIME:
    case ETL_IN_SID:
        return (struct etl_form){CAIRN_ENCODING_STRING_LENGTH16_CHAR8, CAIRN_FORMAT_DEFAULT};
    default:
        return number_form(field, pointer_bytes);
    }
}

struct etl_form etl_field_form(const struct etl_field *field, uint32_t pointer_bytes)
{
    struct etl_form form = form_of(field, pointer_bytes);

    if (field->is_array)
        form.encoding |= CAIRN_ENCODING_VARRAY;
    if (field->is_fixed)
        form.encoding |= CAIRN_ENCODING_CARRAY;
    return form;
}

/* ---- values ---- */

struct values_state {
    struct etl_schema *schema;
    struct core_cursor c;
    struct cairn_bytes *to;
    uint32_t pointer_bytes;
    uint32_t depth;
    uint32_t idle; /* elements that took no data: a few bytes must not ask for billions */
    int error;
};

#define IDLE_MAX  65536u
#define DEPTH_MAX 16u

static void put(struct values_state *s, const void *bytes, size_t size)
{
    if (bytes)
        perf_data_bytes_put(s->to, bytes, size);
}

static void put_u16(struct values_state *s, uint16_t value)
{
    const uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};

    put(s, bytes, sizeof(bytes));
}

static void put_text(struct values_state *s, const char *text)
{
    put_u16(s, (uint16_t)strlen(text));
    put(s, text, strlen(text));
}

static void add_plain(struct values_state *s, size_t size)
{
    put(s, core_cursor_take(&s->c, size), size);
}

/* Text up to a zero that has this number of bytes. Text without one takes the rest of the data. */
static void add_terminated(struct values_state *s, size_t unit)
{
    size_t size = 0;

    while (size + unit <= s->c.left && (s->c.at[size] || (unit == 2 && s->c.at[size + 1])))
        size += unit;
    add_plain(s, size + unit);
}

/* Bytes, or units of two, after the number of bytes. */
static void add_counted(struct values_state *s, uint32_t unit)
{
    uint16_t size = core_cursor_u16(&s->c);
    const uint8_t *data = core_cursor_take(&s->c, size);

    if (!data)
        return;
    put_u16(s, (uint16_t)(size / unit));
    put(s, data, size / unit * unit);
}

static void add_guid(struct values_state *s)
{
    static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    const uint8_t *guid = core_cursor_take(&s->c, 16);
    uint8_t bytes[16];

    for (unsigned i = 0; guid && i < 16; i++)
        bytes[i] = guid[order[i]];
    put(s, guid ? bytes : NULL, sizeof(bytes));
}

/* The time that is this number of units of 100 ns after 1601. */
static void put_filetime_text(struct values_state *s, uint64_t units)
{
    int64_t seconds = (int64_t)(units / UNITS_IN_A_SECOND) - SECONDS_TO_1970;
    int64_t days = core_floor_div(seconds, CORE_SECONDS_PER_DAY);
    unsigned in_day = (unsigned)(seconds - days * CORE_SECONDS_PER_DAY);
    struct core_date date = core_date_of(days);
    char text[64];

    (void)snprintf(text, sizeof(text), "%04" PRId64 "-%02u-%02uT%02u:%02u:%02u.%07uZ", date.year,
                   date.month, date.day, in_day / 3600, in_day / 60 % 60, in_day % 60,
                   (unsigned)(units % UNITS_IN_A_SECOND));
    put_text(s, text);
}

static void add_filetime(struct values_state *s, struct etl_field *field)
{
    uint64_t units = core_cursor_u64(&s->c);
    int64_t seconds = (int64_t)(units / UNITS_IN_A_SECOND) - SECONDS_TO_1970;
    uint8_t bytes[8];

    if (s->c.error)
        return;
    if (field->is_text) {
        put_filetime_text(s, units);
        return;
    }
    if (units % UNITS_IN_A_SECOND) {
        field->is_text = true;
        s->error = EAGAIN;
    }
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)((uint64_t)seconds >> (8 * i));
    put(s, bytes, sizeof(bytes));
}

/* Year, month, day of the week, day, hour, minute, second, ms. The zone is not known, unless the
 * out-type says that it is UTC. */
static void add_systemtime(struct values_state *s, const struct etl_field *field)
{
    unsigned parts[8];
    char ms[16] = "";
    char text[64];

    for (unsigned i = 0; i < 8; i++)
        parts[i] = core_cursor_u16(&s->c);
    if (s->c.error)
        return;
    if (parts[7])
        (void)snprintf(ms, sizeof(ms), ".%03u", parts[7]);
    (void)snprintf(text, sizeof(text), "%04u-%02u-%02uT%02u:%02u:%02u%s%s", parts[0], parts[1],
                   parts[3], parts[4], parts[5], parts[6], ms,
                   field->out == ETL_OUT_DATETIME_UTC ? "Z" : "");
    put_text(s, text);
}

/* A revision, a number of parts, an authority of 48 bits, big-endian, and the parts. */
static void add_sid(struct values_state *s)
{
    uint8_t revision = core_cursor_u8(&s->c);
    uint8_t count = core_cursor_u8(&s->c);
    const uint8_t *authority = core_cursor_take(&s->c, 6);
    char text[32 + 256 * 11];
    uint64_t number = 0;
    int length;

    for (unsigned i = 0; authority && i < 6; i++)
        number = number << 8 | authority[i];
    length = snprintf(text, sizeof(text), "S-%u-%" PRIu64, revision, number);
    for (unsigned i = 0; i < count && !s->c.error; i++)
        length += snprintf(text + length, sizeof(text) - (size_t)length, "-%" PRIu32,
                           core_cursor_u32(&s->c));
    if (!s->c.error)
        put_text(s, text);
}

static size_t number_size(const struct etl_field *field, uint32_t pointer_bytes)
{
    return (size_t)1 << (number_form(field, pointer_bytes).encoding - CAIRN_ENCODING_VALUE8);
}

static void add_value(struct values_state *s, struct etl_field *field)
{
    switch (field->in) {
    case ETL_IN_UNICODE_STRING:
        add_terminated(s, 2);
        break;
    case ETL_IN_ANSI_STRING:
        add_terminated(s, 1);
        break;
    case ETL_IN_COUNTED_STRING:
        add_counted(s, 2);
        break;
    case ETL_IN_COUNTED_ANSI_STRING:
    case ETL_IN_BINARY:
    case ETL_IN_COUNTED_BINARY:
        add_counted(s, 1);
        break;
    case ETL_IN_GUID:
        add_guid(s);
        break;
    case ETL_IN_FILETIME:
        add_filetime(s, field);
        break;
    case ETL_IN_SYSTEMTIME:
        add_systemtime(s, field);
        break;
    case ETL_IN_SID:
        add_sid(s);
        break;
    default:
        add_plain(s, number_size(field, s->pointer_bytes));
        break;
    }
}

static uint32_t add_field(struct values_state *s, uint32_t index);

/* Adds this number of fields; returns the index after the last of them and of what is in them. */
static uint32_t add_fields(struct values_state *s, uint32_t index, uint32_t count)
{
    for (uint32_t i = 0; i < count && !s->error; i++) {
        if (index >= s->schema->field_count) {
            s->error = EBADMSG;
            break;
        }
        index = add_field(s, index);
    }
    return index;
}

/* Returns the index after a field and what is in it, without their values. */
static uint32_t skip_field(const struct values_state *s, uint32_t index)
{
    uint32_t left = 1;

    for (; left && index < s->schema->field_count; index++) {
        const struct etl_field *field = &s->schema->fields[index];

        left += field->in == ETL_IN_STRUCT ? field->out : 0u;
        left--;
    }
    return index;
}

static void add_element(struct values_state *s, uint32_t index)
{
    struct etl_field *field = &s->schema->fields[index];
    const uint8_t *before = s->c.at;

    if (field->in != ETL_IN_STRUCT) {
        add_value(s, field);
    } else if (s->depth == DEPTH_MAX) {
        s->error = EBADMSG;
    } else {
        s->depth++;
        (void)add_fields(s, index + 1, field->out);
        s->depth--;
    }
    if (s->c.at == before && ++s->idle > IDLE_MAX)
        s->error = EBADMSG;
}

static uint32_t add_field(struct values_state *s, uint32_t index)
{
    const struct etl_field *field = &s->schema->fields[index];
    uint32_t count = 1;

    if (field->is_fixed)
        count = field->length;
    if (field->is_array) {
        count = core_cursor_u16(&s->c);
        if (!s->c.error)
            put_u16(s, (uint16_t)count);
    }
    for (uint32_t i = 0; i < count && !s->error && !s->c.error && !s->to->error; i++)
        add_element(s, index);
    return skip_field(s, index);
}

int etl_values_add(struct etl_schema *schema, struct etl_bytes data, uint32_t pointer_bytes,
                   struct cairn_bytes *to)
{
    struct values_state s = {
        .schema = schema,
        .c = core_cursor(data.data, data.size, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
        .to = to,
        .pointer_bytes = pointer_bytes,
    };

    for (uint32_t index = 0; index < schema->field_count && !s.error && !s.c.error;)
        index = add_field(&s, index);
    return s.error ? s.error : to->error;
}
