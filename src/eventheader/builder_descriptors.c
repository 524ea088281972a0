/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of the events of a builder: names and types are stored once for all events that have
 * the same. Those of a first event are only remembered: a builder that never builds the same twice
 * would fill the table of descriptors, which call sites need.
 */
#include "core/atomic.h"
#include "eventheader/builder.h"
#include "eventheader/emit.h"

/* A builder makes no more of them. */
#define DESCRIPTORS_MAX 256u

static uint32_t slot_of(const struct cairn_builder *builder, uint64_t sample_id)
{
    uint64_t name;

    /* The size of the metadata, and the first letters. */
    memcpy(&name, builder->metadata.bytes + sizeof(struct cairn_eventheader), sizeof(name));
    name ^= sample_id ^ sample_id >> 16;
    return (uint32_t)(name * UINT64_C(0x9e3779b97f4a7c15) >> 60);
}

_Static_assert(EVENTHEADER_BUILDER_KINDS == 16, "slot_of returns four bits");

static bool is_same(const struct builder_kind *kind, const struct cairn_builder *builder,
                    uint64_t sample_id)
{
    return kind->sample_id == sample_id && kind->bytes == builder->metadata.size &&
           !memcmp(kind->constant, builder->metadata.bytes, kind->bytes);
}

/* Remembers the event instead of another. */
static void remember(struct builder_kind *kind, const struct cairn_builder *builder,
                     uint64_t sample_id)
{
    if (builder->metadata.size > sizeof(kind->constant))
        return;
    kind->sample_id = sample_id;
    kind->descriptor = ENGINE_ID_NONE;
    kind->bytes = (uint32_t)builder->metadata.size;
    memcpy(kind->constant, builder->metadata.bytes, kind->bytes);
}

uint32_t eventheader_builder_descriptor(struct cairn_builder *builder, uint64_t sample_id)
{
    struct builder_kind *kind = &builder->kinds[slot_of(builder, sample_id)];
    const struct cairn_i_event *constant = (const void *)kind->constant;

    if (!is_same(kind, builder, sample_id)) {
        remember(kind, builder, sample_id);
        return ENGINE_ID_NONE;
    }
    if (!kind->descriptor && builder->descriptors < DESCRIPTORS_MAX) {
        kind->descriptor = engine_descriptor_make(
            sample_id, &(struct engine_constants){
                           .header = &constant->header,
                           .metadata = &constant->extension,
                           .metadata_bytes = kind->bytes - (uint32_t)sizeof(constant->header),
                       });
        builder->descriptors += kind->descriptor != ENGINE_ID_NONE;
    }
    return kind->descriptor;
}
