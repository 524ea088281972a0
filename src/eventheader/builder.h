/* SPDX-License-Identifier: MIT */
/* The state of a builder, which builder.c owns and the other sources fill. */
#ifndef EVENTHEADER_BUILDER_H
#define EVENTHEADER_BUILDER_H

#include "eventheader/copy.h"

#include <cairn/eventheader/constant.h>
#include <cairn/eventheader_dynamic.h>
#include <cairn/record.h>
#include <errno.h>
#include <string.h>

/* A buffer that grows. */
struct builder_bytes {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
};

/* A struct that has begun and not ended. */
struct builder_struct {
    size_t count_at; /* offset of its number of fields in the metadata */
    size_t first;    /* offset of the definitions of its fields */
    uint32_t fields; /* in this element, so far */
    size_t elements; /* remaining elements of an array, including this one */
    bool is_array;
    bool is_known; /* its number of fields was defined by an earlier element */
    bool is_mute;  /* an element of an empty array: its values are ignored */
};

/* The head and metadata of an event, and the id of their descriptor. */
#define EVENTHEADER_BUILDER_KIND_BYTES 480u
struct builder_kind {
    uint64_t sample_id;
    uint32_t descriptor;
    uint32_t bytes; /* 0: none; of `constant`, a struct cairn_i_event */
    uint8_t constant[EVENTHEADER_BUILDER_KIND_BYTES];
};

/* Number of kinds of events that a builder remembers. */
#define EVENTHEADER_BUILDER_KINDS 16u

struct cairn_builder {
    struct cairn_eventheader header;
    struct builder_bytes metadata; /* a struct cairn_i_event, whose head is set last */
    struct builder_bytes data;
    size_t at;     /* offset of the next definition, which may exist from an earlier element */
    uint32_t mute; /* number of enclosing structs that are mute */
    uint32_t depth;
    struct builder_struct structs[CAIRN_BUILDER_DEPTH_MAX];
    int error; /* the first failure */
    const char *reason;
    /* Part of the builder, since a program without system calls cannot allocate it later. */
    struct builder_kind kinds[EVENTHEADER_BUILDER_KINDS];
    uint32_t descriptors; /* that it has made */
};

/* The id of a descriptor of the event that has been built, with this sample id; ENGINE_ID_NONE:
 * none, because events of this kind are rare or large. */
uint32_t eventheader_builder_descriptor(struct cairn_builder *builder, uint64_t sample_id);

/* Makes space for the largest event: no other allocates then. Returns 0 or ENOMEM. */
int eventheader_builder_reserve(struct cairn_builder *builder);

/* Remembers the first failure. */
void eventheader_builder_fail(struct cairn_builder *builder, int error, const char *reason);

/* Limit for names, encodings, formats and tags together, as in CAIRN_WRITE_EVENT. The size in the
 * metadata's extension is a u16. */
#define EVENTHEADER_BUILDER_METADATA_MAX_BYTES (0x8000u + sizeof(struct cairn_i_event))

/* Adds to the data; NULL: zeros. Adds nothing in a mute struct. */
void eventheader_builder_add_data_slowly(struct cairn_builder *builder, const void *bytes,
                                         size_t size);

#define EVENTHEADER_BUILDER_SHORT_BYTES 64u

/* Numbers are stored, and short values copied in line; a call would take longer. */
static inline void eventheader_builder_copy(uint8_t *to, const uint8_t *from, size_t size)
{
    if (size == 4)
        memcpy(to, from, 4);
    else if (size == 8)
        memcpy(to, from, 8);
    else if (size == 2)
        memcpy(to, from, 2);
    else if (size == 1)
        *to = *from;
    else if (size <= EVENTHEADER_BUILDER_SHORT_BYTES)
        eventheader_copy_short(to, from, (uint32_t)size);
    else
        memcpy(to, from, size);
}

/* True if this number of bytes can be added to the data as they are. */
static inline bool eventheader_builder_has_space(const struct cairn_builder *builder, size_t size)
{
    const struct builder_bytes *data = &builder->data;

    return !builder->error && !builder->mute && size <= data->capacity - data->size &&
           size <= CAIRN_PAYLOAD_MAX_BYTES - data->size;
}

/* Fast path: most values fit into the memory that is allocated. */
static inline void eventheader_builder_add_data(struct cairn_builder *builder, const void *bytes,
                                                size_t size)
{
    struct builder_bytes *data = &builder->data;

    if (!bytes || !eventheader_builder_has_space(builder, size)) {
        eventheader_builder_add_data_slowly(builder, bytes, size);
        return;
    }
    eventheader_builder_copy(data->bytes + data->size, bytes, size);
    data->size += size;
}

/* Returns where `size` bytes of new metadata can be written directly. NULL:
 * eventheader_builder_add_metadata must be used. */
static inline uint8_t *eventheader_builder_metadata_end(struct cairn_builder *builder, size_t size)
{
    struct builder_bytes *metadata = &builder->metadata;

    if (builder->error || builder->at < metadata->size ||
        size > metadata->capacity - metadata->size ||
        size >= EVENTHEADER_BUILDER_METADATA_MAX_BYTES - metadata->size)
        return NULL;
    return metadata->bytes + metadata->size;
}

/* Adds to the metadata, or compares with the bytes that an earlier element added. */
void eventheader_builder_add_metadata(struct cairn_builder *builder, const void *bytes,
                                      size_t size);

/* Limit of the values of an array and of the units of a text. */
#define EVENTHEADER_BUILDER_COUNT_MAX 65535u
#define EVENTHEADER_BUILDER_TOO_LONG  "an array or a text has at most 65535 units"
#define EVENTHEADER_BUILDER_NO_NAME   "an event, a struct and a field need a name"

static inline void eventheader_builder_add_count(struct cairn_builder *builder, size_t count)
{
    uint16_t count16 = (uint16_t)count;

    eventheader_builder_add_data(builder, &count16, sizeof(count16));
}

/* Adds a count, and values of `size` bytes together. */
static inline void eventheader_builder_add_counted(struct cairn_builder *builder, size_t count,
                                                   const void *bytes, size_t size)
{
    const uint16_t count16 = (uint16_t)count;
    uint8_t *to = builder->data.bytes + builder->data.size;

    if (cairn_unlikely(!bytes || !eventheader_builder_has_space(builder, sizeof(count16) + size))) {
        eventheader_builder_add_count(builder, count);
        eventheader_builder_add_data(builder, bytes, size);
        return;
    }
    memcpy(to, &count16, sizeof(count16));
    eventheader_builder_copy(to + sizeof(count16), bytes, size);
    builder->data.size += sizeof(count16) + size;
}

/* Counts one more field of the innermost struct. */
static inline void eventheader_builder_count_field(struct cairn_builder *builder)
{
    struct builder_struct *around;

    if (!builder->depth)
        return;
    around = &builder->structs[builder->depth - 1];
    if (around->fields == CAIRN_STRUCT_FIELDS_MAX)
        eventheader_builder_fail(builder, E2BIG, "a struct has at most 127 fields");
    else
        around->fields++;
}

#endif
