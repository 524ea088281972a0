/* SPDX-License-Identifier: MIT */
/*
 * An event of Windows becomes one of EventHeader, little-endian: the name of a tracepoint from the
 * provider, level and keyword, and the bytes of its record.
 */
#include "etl/convert.h"
#include "etl/values.h"
#include "core/load.h"

#include <cairn/eventheader_abi.h>
#include <cairn/record.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define METADATA_MAX_BYTES 0xffffu
#define PROVIDER_MAX_BYTES 199u

static const bool swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

static void put(struct cairn_bytes *to, const void *bytes, size_t size)
{
    perf_data_bytes_put(to, bytes, size);
}

static void put_u8(struct cairn_bytes *to, uint8_t value)
{
    put(to, &value, 1);
}

static void put_u16(struct cairn_bytes *to, uint16_t value)
{
    const uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};

    put(to, bytes, sizeof(bytes));
}

/* ---- names ---- */

/* "00000000-0000-0000-0000-000000000000", from Windows' order. */
static void write_guid(const uint8_t *guid, char text[40])
{
    (void)snprintf(text, 40, "%08" PRIx32 "-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                   core_load32(guid, swap), core_load16(guid + 4, swap),
                   core_load16(guid + 6, swap), guid[8], guid[9], guid[10], guid[11], guid[12],
                   guid[13], guid[14], guid[15]);
}

/* A provider's name as a part of a tracepoint's: other characters than these become underscores. */
static void put_provider(struct cairn_bytes *to, const char *name, size_t length)
{
    for (size_t i = 0; i < length && i < PROVIDER_MAX_BYTES; i++) {
        uint8_t c = (uint8_t)name[i];

        put_u8(to, c > ' ' && c != ':' && c != ';' && c != 0x7f ? c : '_');
    }
}

/* The provider's metadata: a u16 size, and its name. False: it has none. */
static bool put_name_of_traits(struct cairn_bytes *to, const struct etl_bytes *traits)
{
    size_t length;

    if (traits->size < 4)
        return false;
    length = strnlen((const char *)traits->data + 2, traits->size - 2);
    if (!length || length == traits->size - 2u)
        return false;
    put_provider(to, (const char *)traits->data + 2, length);
    return true;
}

static const char *const kinds[] = {"Provider", "Classic", "Kernel", "Wpp", "Instance"};

static void make_name(struct etl_converter *converter, const struct etl_record *record)
{
    struct cairn_bytes *name = &converter->name;
    char text[40];

    name->size = 0;
    if (!put_name_of_traits(name, &record->traits)) {
        if (record->provider_id) {
            write_guid(record->provider_id, text);
            put_provider(name, text, strlen(text));
        } else {
            put(name, kinds[record->kind], strlen(kinds[record->kind]));
        }
    }
    (void)snprintf(text, sizeof(text), "_L%xK%" PRIx64, record->level, record->keyword);
    put(name, text, strlen(text) + 1);
}

/* ---- metadata ---- */

static void put_field(struct cairn_bytes *to, const struct etl_field *field, uint32_t pointer_bytes)
{
    struct etl_form form = etl_field_form(field, pointer_bytes);

    put(to, field->name, field->name_length + 1u);
    if (!form.format && !field->tag) {
        put_u8(to, form.encoding);
    } else {
        put_u8(to, form.encoding | CAIRN_ENCODING_CHAIN);
        put_u8(to, field->tag ? form.format | CAIRN_FORMAT_CHAIN : form.format);
        if (field->tag)
            put_u16(to, (uint16_t)field->tag);
    }
    if (field->is_fixed)
        put_u16(to, field->length);
}

/* A field with a name and a form of its own, for events without metadata. */
static void put_own_field(struct cairn_bytes *to, const char *name, uint8_t encoding,
                          uint8_t format)
{
    put(to, name, strlen(name) + 1);
    put_u8(to, format ? encoding | CAIRN_ENCODING_CHAIN : encoding);
    if (format)
        put_u8(to, format);
}

static void put_schema(struct cairn_bytes *to, const struct etl_schema *schema,
                       uint32_t pointer_bytes)
{
    put(to, schema->name, schema->name_length + 1u);
    for (uint32_t i = 0; i < schema->field_count; i++)
        put_field(to, &schema->fields[i], pointer_bytes);
}

/* ---- events ---- */

static void put_swapped_guid(struct cairn_bytes *to, const uint8_t *guid)
{
    static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};

    for (unsigned i = 0; i < 16; i++)
        put_u8(to, guid[order[i]]);
}

static void put_common(struct cairn_bytes *to, const struct etl_record *record)
{
    const uint8_t none[4] = {0};

    to->size = 0;
    put(to, none, sizeof(none));
    put_u16(to, (uint16_t)record->tid);
    put_u16(to, (uint16_t)(record->tid >> 16));
}

static void put_header(struct cairn_bytes *to, const struct etl_record *record, uint32_t tag,
                       uint32_t pointer_bytes)
{
    put_u8(to, (pointer_bytes == 8 ? CAIRN_EVENTHEADER_POINTER64 : 0) |
                   CAIRN_EVENTHEADER_LITTLE_ENDIAN | CAIRN_EVENTHEADER_EXTENSION);
    put_u8(to, record->version);
    put_u16(to, record->id);
    put_u16(to, (uint16_t)tag);
    put_u8(to, record->opcode);
    put_u8(to, record->level);
    if (record->activity_id) {
        put_u16(to, record->related_id ? 32 : 16);
        put_u16(to, CAIRN_EXTENSION_ACTIVITY_ID | CAIRN_EXTENSION_CHAIN);
        put_swapped_guid(to, record->activity_id);
        if (record->related_id)
            put_swapped_guid(to, record->related_id);
    }
}

/* Begins the metadata; its size is set at its end. */
static size_t begin_metadata(struct cairn_bytes *to)
{
    put_u16(to, 0);
    put_u16(to, CAIRN_EXTENSION_METADATA);
    return to->size;
}

static void end_metadata(struct cairn_bytes *to, size_t begin)
{
    size_t size = to->size - begin;

    if (size > METADATA_MAX_BYTES && !to->error)
        to->error = E2BIG;
    if (to->error)
        return;
    to->data[begin - 4] = (uint8_t)size;
    to->data[begin - 3] = (uint8_t)(size >> 8);
}

/* Returns 0; EBADMSG the metadata is invalid; ENOMEM, E2BIG. */
static int convert_described(struct etl_converter *converter, const struct etl_record *record,
                             uint32_t pointer_bytes)
{
    struct cairn_bytes *to = &converter->event;
    size_t begin;
    int error = etl_schema_parse(record->schema, &converter->schema);

    if (error)
        return error;
    do {
        converter->values.size = 0;
        error = etl_values_add(&converter->schema, record->data, pointer_bytes, &converter->values);
    } while (error == EAGAIN);
    if (error)
        return error;
    put_header(to, record, converter->schema.tag, pointer_bytes);
    begin = begin_metadata(to);
    put_schema(to, &converter->schema, pointer_bytes);
    end_metadata(to, begin);
    put(to, converter->values.data, converter->values.size);
    return to->error;
}

/* The members of the header that EventHeader has not, and the bytes. */
static int convert_raw(struct etl_converter *converter, const struct etl_record *record,
                       uint32_t pointer_bytes)
{
    struct cairn_bytes *to = &converter->event;
    bool is_kernel = record->kind == ETL_SYSTEM;
    char name[32];
    size_t begin;

    if (is_kernel)
        (void)snprintf(name, sizeof(name), "Group%uType%u", record->hook >> 8, record->hook & 0xff);
    else
        (void)snprintf(name, sizeof(name), "Event%u", record->id ? record->id : record->opcode);
    put_header(to, record, 0, pointer_bytes);
    begin = begin_metadata(to);
    put(to, name, strlen(name) + 1);
    put_own_field(to, "Task", CAIRN_ENCODING_VALUE16, 0);
    put_own_field(to, "Channel", CAIRN_ENCODING_VALUE8, 0);
    put_own_field(to, "Data", CAIRN_ENCODING_STRING_LENGTH16_CHAR8, CAIRN_FORMAT_HEX_BYTES);
    end_metadata(to, begin);
    put_u16(to, record->task);
    put_u8(to, record->channel);
    put_u16(to, (uint16_t)record->data.size);
    put(to, record->data.data, record->data.size);
    return to->error;
}

int etl_convert(struct etl_converter *converter, const struct etl_record *record,
                uint32_t pointer_bytes, bool *ret_is_whole)
{
    int error = EBADMSG;

    if (record->pointer_bytes)
        pointer_bytes = record->pointer_bytes;
    make_name(converter, record);
    put_common(&converter->event, record);
    if (record->schema.data)
        error = convert_described(converter, record, pointer_bytes);
    *ret_is_whole = !error || !record->schema.data;
    if (error == EBADMSG) {
        put_common(&converter->event, record);
        error = convert_raw(converter, record, pointer_bytes);
    }
    if (!error)
        error = converter->name.error;
    return error;
}

void etl_converter_free(struct etl_converter *converter)
{
    perf_data_bytes_free(&converter->event);
    perf_data_bytes_free(&converter->values);
    perf_data_bytes_free(&converter->name);
}
