/* SPDX-License-Identifier: MIT */
/* The builder of events: its memory, the beginning of an event, and its end, which writes it. */
#include "eventheader/builder.h"

#include <cairn/user_events.h>
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
    builder->at = 0;
    builder->mute = 0;
    builder->depth = 0;
    builder->error = 0;
    builder->reason = "";
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

/* Header and extensions before the metadata. */
struct head {
    uint8_t bytes[sizeof(struct cairn_eventheader) +
                  2 * sizeof(struct cairn_eventheader_extension) + 2 * CAIRN_ACTIVITY_ID_BYTES];
    size_t size;
};

static void add_to_head(struct head *head, const void *bytes, size_t size)
{
    memcpy(head->bytes + head->size, bytes, size);
    head->size += size;
}

static void add_extension(struct head *head, size_t size_bytes, unsigned kind)
{
    const struct cairn_eventheader_extension extension = {(uint16_t)size_bytes, (uint16_t)kind};

    add_to_head(head, &extension, sizeof(extension));
}

static struct head make_head(const struct cairn_builder *builder, uint8_t level,
                             const struct cairn_guid *activity, const struct cairn_guid *related)
{
    struct cairn_eventheader header = builder->header;
    struct head head = {.size = 0};

    header.level = level;
    add_to_head(&head, &header, sizeof(header));
    if (activity) {
        add_extension(&head, CAIRN_ACTIVITY_ID_BYTES * (related ? 2u : 1u),
                      CAIRN_EXTENSION_ACTIVITY_ID | CAIRN_EXTENSION_CHAIN);
        add_to_head(&head, activity->bytes, CAIRN_ACTIVITY_ID_BYTES);
        if (related)
            add_to_head(&head, related->bytes, CAIRN_ACTIVITY_ID_BYTES);
    }
    add_extension(&head, builder->metadata.size, CAIRN_EXTENSION_METADATA);
    return head;
}

int cairn_builder_write(struct cairn_builder *builder, const struct cairn_event_set *set,
                        const struct cairn_guid *activity, const struct cairn_guid *related)
{
    struct iovec parts[3];
    struct head head;

    if (!set || !set->tracepoint.enabled)
        return EINVAL;
    if (!cairn_event_set_is_enabled(set))
        return EBADF;
    if (builder->depth)
        eventheader_builder_fail(builder, EINVAL, "a struct has no end");
    if (builder->error)
        return builder->error;
    head = make_head(builder, set->level, activity, related);
    parts[0] = (struct iovec){head.bytes, head.size};
    parts[1] = (struct iovec){builder->metadata.bytes, builder->metadata.size};
    parts[2] = (struct iovec){builder->data.bytes, builder->data.size};
    /* Writing does not change the tracepoint. */
    return cairn_tracepoint_write((struct cairn_tracepoint *)&set->tracepoint, parts,
                                  builder->data.size ? 3 : 2);
}
