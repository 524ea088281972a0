/* SPDX-License-Identifier: MIT */
/* What a builder is made of: builder.c keeps it, the others fill it. */
#ifndef EVENTHEADER_BUILDER_H
#define EVENTHEADER_BUILDER_H

#include <cairn/eventheader_dynamic.h>
#include <cairn/record.h>
#include <errno.h>
#include <string.h>

/* Bytes that grow. */
struct builder_bytes {
    uint8_t *bytes;
    size_t size;
    size_t room;
};

/* A struct that has begun. */
struct builder_struct {
    size_t count_at; /* where its number of fields is in the metadata */
    size_t first;    /* where the definitions of its fields begin */
    uint32_t fields; /* of this element, so far */
    size_t elements; /* of an array that are still to come, this one included */
    bool is_array;
    bool is_known; /* its number of fields: it was there before */
    bool is_mute;  /* of an array of none: its values are not looked at */
};

struct cairn_builder {
    struct cairn_eventheader header;
    struct builder_bytes metadata;
    struct builder_bytes data;
    size_t at;     /* where the next definition goes; before the metadata's end it must be there */
    uint32_t mute; /* so many structs around us are mute */
    uint32_t depth;
    struct builder_struct structs[CAIRN_BUILDER_DEPTH_MAX];
    int error; /* the first failure */
    const char *reason;
};

/* Remembers the first failure. */
void cairn_builder_fail(struct cairn_builder *builder, int error, const char *reason);

/* Names, encodings, formats and tags: less than this in all, as CAIRN_WRITE_EVENT has it. The size
 * of the metadata's extension is a u16. */
#define CAIRN_BUILDER_METADATA_MAX_BYTES 0x8000u

/* Adds to the data; NULL: zeros. Nothing in a mute struct. */
void cairn_builder_add_data_slowly(struct cairn_builder *builder, const void *bytes, size_t size);

/* Most values fit into the memory that is there. */
static inline void cairn_builder_add_data(struct cairn_builder *builder, const void *bytes,
                                          size_t size)
{
    struct builder_bytes *data = &builder->data;

    if (builder->error || builder->mute || !bytes || size > data->room - data->size ||
        size > CAIRN_PAYLOAD_MAX_BYTES - data->size) {
        cairn_builder_add_data_slowly(builder, bytes, size);
        return;
    }
    memcpy(data->bytes + data->size, bytes, size);
    data->size += size;
}

/* Where `size` bytes of metadata can be put that are the first of their kind, or NULL: it is to be
 * done with cairn_builder_add_metadata. */
static inline uint8_t *cairn_builder_metadata_place(struct cairn_builder *builder, size_t size)
{
    struct builder_bytes *metadata = &builder->metadata;

    if (builder->error || builder->at < metadata->size || size > metadata->room - metadata->size ||
        size >= CAIRN_BUILDER_METADATA_MAX_BYTES - metadata->size)
        return NULL;
    return metadata->bytes + metadata->size;
}

/* Adds to the metadata, or checks that the bytes are there already. */
void cairn_builder_add_metadata(struct cairn_builder *builder, const void *bytes, size_t size);

/* Values of an array, units of a text. */
#define CAIRN_BUILDER_COUNT_MAX 65535u
#define CAIRN_BUILDER_TOO_LONG  "an array or a text has at most 65535 units"
#define CAIRN_BUILDER_NO_NAME   "events, structs and fields have a name"

static inline void cairn_builder_add_count(struct cairn_builder *builder, size_t count)
{
    uint16_t count16 = (uint16_t)count;

    cairn_builder_add_data(builder, &count16, sizeof(count16));
}

/* One field more in the struct that we are in. */
static inline void cairn_builder_count_field(struct cairn_builder *builder)
{
    struct builder_struct *around;

    if (!builder->depth)
        return;
    around = &builder->structs[builder->depth - 1];
    if (around->fields == CAIRN_STRUCT_FIELDS_MAX)
        cairn_builder_fail(builder, E2BIG, "a struct has at most 127 fields");
    else
        around->fields++;
}

#endif
