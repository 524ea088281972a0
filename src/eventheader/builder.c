/* SPDX-License-Identifier: MIT */
/* The builder of events: its memory, the beginning of an event, and its end, which writes it. */
#include "eventheader/builder.h"
#include "eventheader/emit.h"
#include "user_events/emit.h"

#include <cairn/user_events.h>
#include <errno.h>
#include <stdlib.h>

#define CAPACITY_FIRST 256u

/* Larger events take the general path, which knows whether they are too large. */
#define HOT_MAX_BYTES (CAIRN_PAYLOAD_MAX_BYTES / 2)

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

/* Sets the head of the metadata. */
static const struct cairn_i_event *make_constant(struct cairn_builder *builder, uint8_t level)
{
    struct cairn_i_event *constant = (void *)builder->metadata.bytes;

    builder->header.level = level;
    constant->header = builder->header;
    constant->extension = (struct cairn_eventheader_extension){
        .size_bytes = (uint16_t)(builder->metadata.size - sizeof(*constant)),
        .kind = CAIRN_EXTENSION_METADATA,
    };
    return constant;
}

/* Nearly always: into the buffer of the thread. False: nothing was done. */
static bool emit_hot(const struct eventheader_event *event, int *ret_error)
{
    uint32_t ids_bytes = event->activity_id ? 2 * CAIRN_ACTIVITY_ID_BYTES : 0;
    struct engine_thread *thread;
    uint8_t *to = NULL;

    if (event->is_whole ||
        event->constant->extension.size_bytes + event->values_bytes > HOT_MAX_BYTES)
        return false;
    if (user_events_is_local(event->tracepoint))
        to = engine_emit_begin(event->tracepoint, event->descriptor,
                               event->values_bytes + ids_bytes, &thread);
    if (!to)
        return false;
    to = eventheader_put_ids(to, event->activity_id, event->related_id);
    memcpy(to, event->values, event->values_bytes);
    *ret_error = engine_emit_commit(
        thread, to + event->values_bytes,
        event->descriptor + eventheader_variant_of(event->activity_id, event->related_id));
    return true;
}

int cairn_builder_write(struct cairn_builder *builder, const struct cairn_event_set *set,
                        const struct cairn_guid *activity, const struct cairn_guid *related)
{
    struct eventheader_event event = {.activity_id = activity, .related_id = related};
    int error;

    if (!set || !set->tracepoint.enabled)
        return EINVAL;
    if (!cairn_event_set_is_enabled(set))
        return EBADF;
    if (builder->depth)
        eventheader_builder_fail(builder, EINVAL, "a struct has no end");
    if (builder->error)
        return builder->error;
    event.tracepoint = &set->tracepoint;
    event.constant = make_constant(builder, set->level);
    event.values = builder->data.size ? builder->data.bytes : (const uint8_t *)"";
    event.values_bytes = (uint32_t)builder->data.size;
    event.descriptor =
        eventheader_builder_descriptor(builder, core_load_relaxed(&set->tracepoint.sample_id));
    event.is_whole = event.descriptor == ENGINE_ID_NONE;
    return emit_hot(&event, &error) ? error : eventheader_emit(&event);
}
