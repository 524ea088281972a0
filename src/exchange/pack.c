/* SPDX-License-Identifier: MIT */
/* Messages as bytes, from their ends to their beginnings. */
#include "exchange/pack_bytes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES ((size_t)16 * 1024)

/* ---- bytes ---- */

void exchange_pack_grow(struct exchange_pack *pack, size_t least)
{
    size_t used = pack->memory ? exchange_pack_written(pack) : 0;
    size_t size = pack->size_bytes ? 2 * pack->size_bytes : FIRST_BYTES;
    uint8_t *memory;

    while (size - used < least)
        size *= 2;
    memory = (uint8_t *)malloc(size);
    if (!memory) {
        pack->error = ENOMEM;
        return;
    }
    if (used)
        memcpy(memory + size - used, pack->at, used);
    free(pack->memory);
    pack->memory = memory;
    pack->size_bytes = size;
    pack->at = memory + size - used;
}

/* ---- values ---- */

static void put_inner(struct exchange_pack *pack, uint32_t number, const ProtobufCMessage *message)
{
    size_t before = exchange_pack_written(pack);

    exchange_pack_message(pack, message);
    exchange_pack_end(pack, number, before);
}

static uint64_t zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static void put_value(struct exchange_pack *pack, const ProtobufCFieldDescriptor *field,
                      const void *value)
{
    const ProtobufCBinaryData *data = (const ProtobufCBinaryData *)value;
    const char *text;

    switch (field->type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_ENUM: /* a negative number has the bytes of one of 64 bits */
        exchange_pack_number(pack, field->id, (uint64_t)(int64_t) * (const int32_t *)value);
        break;
    case PROTOBUF_C_TYPE_UINT32:
        exchange_pack_number(pack, field->id, *(const uint32_t *)value);
        break;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_UINT64:
        exchange_pack_number(pack, field->id, *(const uint64_t *)value);
        break;
    case PROTOBUF_C_TYPE_SINT32:
        exchange_pack_number(pack, field->id, zigzag(*(const int32_t *)value) & UINT32_MAX);
        break;
    case PROTOBUF_C_TYPE_SINT64:
        exchange_pack_number(pack, field->id, zigzag(*(const int64_t *)value));
        break;
    case PROTOBUF_C_TYPE_BOOL:
        exchange_pack_number(pack, field->id, *(const protobuf_c_boolean *)value != 0);
        break;
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
        exchange_pack_fixed(pack, field->id, value, 4);
        break;
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        exchange_pack_fixed(pack, field->id, value, 8);
        break;
    case PROTOBUF_C_TYPE_BYTES:
        exchange_pack_bytes(pack, field->id, data->data, data->len);
        break;
    case PROTOBUF_C_TYPE_STRING:
        text = *(const char *const *)value;
        exchange_pack_bytes(pack, field->id, text, text ? strlen(text) : 0);
        break;
    case PROTOBUF_C_TYPE_MESSAGE:
        put_inner(pack, field->id, *(const ProtobufCMessage *const *)value);
        break;
    }
}

/* ---- fields ---- */

static size_t size_of(const ProtobufCFieldDescriptor *field)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_ENUM:
        return 4;
    case PROTOBUF_C_TYPE_BOOL:
        return sizeof(protobuf_c_boolean);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof(void *);
    default:
        return 8;
    }
}

/* Our messages have no packed fields. */
static void put_repeated(struct exchange_pack *pack, const ProtobufCFieldDescriptor *field,
                         const uint8_t *message)
{
    size_t count = *(const size_t *)(const void *)(message + field->quantifier_offset);
    const uint8_t *values = *(const uint8_t *const *)(const void *)(message + field->offset);
    size_t size = count ? size_of(field) : 0;

    while (count)
        put_value(pack, field, values + --count * size);
}

static bool has_field(const ProtobufCFieldDescriptor *field, const uint8_t *message)
{
    const void *value = message + field->offset;
    const void *quantifier = message + field->quantifier_offset;

    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
        if (*(const uint32_t *)quantifier != field->id)
            return false;
    } else if (field->label == PROTOBUF_C_LABEL_REQUIRED) {
        return true;
    }
    if (field->type == PROTOBUF_C_TYPE_MESSAGE || field->type == PROTOBUF_C_TYPE_STRING)
        return *(const void *const *)value != NULL;
    return field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF || *(const protobuf_c_boolean *)quantifier;
}

void exchange_pack_message(struct exchange_pack *pack, const ProtobufCMessage *message)
{
    const ProtobufCMessageDescriptor *descriptor = message->descriptor;
    const uint8_t *bytes = (const uint8_t *)message;

    for (unsigned n = descriptor->n_fields; n--;) {
        const ProtobufCFieldDescriptor *field = &descriptor->fields[n];

        if (field->label == PROTOBUF_C_LABEL_REPEATED)
            put_repeated(pack, field, bytes);
        else if (has_field(field, bytes))
            put_value(pack, field, bytes + field->offset);
    }
}

int exchange_pack(struct exchange_pack *pack, const ProtobufCMessage *message,
                  const uint8_t **ret_bytes, size_t *ret_size_bytes)
{
    pack->at = pack->memory ? pack->memory + pack->size_bytes : NULL;
    pack->error = 0;
    exchange_pack_message(pack, message);
    if (!pack->error && !pack->memory)
        exchange_pack_grow(pack, 1); /* a message without fields */
    if (pack->error)
        return pack->error;
    *ret_bytes = pack->at;
    *ret_size_bytes = exchange_pack_written(pack);
    return 0;
}

void exchange_pack_free(struct exchange_pack *pack)
{
    free(pack->memory);
    *pack = (struct exchange_pack){0};
}
