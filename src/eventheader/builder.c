/* SPDX-License-Identifier: MIT */
/* The builder of events: its memory, and the beginning of an event. */
#include "eventheader/builder.h"

#include <errno.h>
#include <stdlib.h>

#define CAPACITY_FIRST 256u

void eventheader_builder_fail(struct cairn_builder *builder, int error, const char *reason)
{
    if (builder->error)
        return;
    builder->error = error;
    builder->reason = reason;
}

int cairn_builder_create(struct cairn_builder **ret_builder)
{
    struct cairn_builder *builder = calloc(1, sizeof(*builder));

    if (!builder)
        return ENOMEM;
    eventheader_builder_fail(builder, EINVAL, "no event has begun");
    *ret_builder = builder;
    return 0;
}

void cairn_builder_destroy(struct cairn_builder *builder)
{
    if (!builder)
        return;
    free(builder->metadata.bytes);
    free(builder->data.bytes);
    free(builder);
}

/* Makes space for `size` more bytes. NULL: no memory. */
static uint8_t *grow(struct builder_bytes *to, size_t size)
{
    size_t capacity = to->capacity ? to->capacity : CAPACITY_FIRST;
    uint8_t *bytes;

    while (capacity - to->size < size)
        capacity *= 2;
    if (capacity > to->capacity) {
        bytes = realloc(to->bytes, capacity);
        if (!bytes)
            return NULL;
        to->bytes = bytes;
        to->capacity = capacity;
    }
    return to->bytes + to->size;
}

int eventheader_builder_reserve(struct cairn_builder *builder)
{
    return grow(&builder->metadata, EVENTHEADER_BUILDER_METADATA_MAX_BYTES) &&
                   grow(&builder->data, CAIRN_PAYLOAD_MAX_BYTES)
               ? 0
               : ENOMEM;
}

static void append(struct cairn_builder *builder, struct builder_bytes *to, const void *bytes,
                   size_t size)
{
    uint8_t *end = grow(to, size);

    if (!end) {
        eventheader_builder_fail(builder, ENOMEM, "no memory");
        return;
    }
    if (bytes)
        memcpy(end, bytes, size);
    else
        memset(end, 0, size);
    to->size += size;
}

void eventheader_builder_add_data_slowly(struct cairn_builder *builder, const void *bytes,
                                         size_t size)
{
    if (builder->error || builder->mute || !size)
        return;
    if (size > CAIRN_PAYLOAD_MAX_BYTES - builder->data.size) {
        eventheader_builder_fail(builder, E2BIG, "an event has at most 65476 bytes");
        return;
    }
    append(builder, &builder->data, bytes, size);
}

void eventheader_builder_add_metadata(struct cairn_builder *builder, const void *bytes, size_t size)
{
    struct builder_bytes *metadata = &builder->metadata;

    if (builder->error)
        return;
    if (builder->at < metadata->size) {
        if (size > metadata->size - builder->at ||
            memcmp(metadata->bytes + builder->at, bytes, size) != 0)
            eventheader_builder_fail(builder, EINVAL,
                                     "the structs of an array have the same fields");
    } else if (size >= EVENTHEADER_BUILDER_METADATA_MAX_BYTES - metadata->size) {
        eventheader_builder_fail(builder, E2BIG,
                                 "the names of an event have less than 32 KiB in all");
    } else {
        append(builder, metadata, bytes, size);
    }
    builder->at += size;
}

void cairn_builder_begin(struct cairn_builder *builder, const char *name, uint16_t tag)
{
    builder->header = (struct cairn_eventheader){
        .flags = (uint8_t)(CAIRN_EVENTHEADER_NATIVE_FLAGS | CAIRN_EVENTHEADER_EXTENSION),
        .tag = tag,
    };
    builder->metadata.size = 0;
    builder->data.size = 0;
    builder->mute = 0;
    builder->depth = 0;
    builder->error = 0;
    builder->reason = "";
    append(builder, &builder->metadata, NULL, sizeof(struct cairn_i_event));
    builder->at = builder->metadata.size;
    if (name)
        eventheader_builder_add_metadata(builder, name, strlen(name) + 1);
    else
        eventheader_builder_fail(builder, EINVAL, EVENTHEADER_BUILDER_NO_NAME);
}

void cairn_builder_id_version(struct cairn_builder *builder, uint16_t id, uint8_t version)
{
    builder->header.id = id;
    builder->header.version = version;
}

void cairn_builder_opcode(struct cairn_builder *builder, uint8_t opcode)
{
    builder->header.opcode = opcode;
}

int cairn_builder_error(const struct cairn_builder *builder)
{
    return builder->error;
}

const char *cairn_builder_reason(const struct cairn_builder *builder)
{
    return builder->reason;
}
