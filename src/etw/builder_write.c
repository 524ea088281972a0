/* SPDX-License-Identifier: MIT */
/* Writes the event of a builder to ETW. eventheader/builder_write.c is the same for Linux. */
#include "eventheader/builder.h"
#include "etw/sets.h"
#include "etw/translate.h"

#include <cairn/eventheader.h>
#include <errno.h>

static int translate_and_write(const struct cairn_builder *builder,
                               const struct cairn_event_set *set, const struct cairn_guid *activity,
                               const struct cairn_guid *related)
{
    const struct cairn_eventheader *header = &builder->header;
    const struct cairn_i_etw_event event = {
        header->id, header->version, 11, set->level, header->opcode, 0, set->keyword,
    };
    const uint8_t *metadata = builder->metadata.bytes + sizeof(struct cairn_i_event);
    struct cairn_i_etw_data parts[3];
    struct etw_copy to_metadata;
    struct etw_copy to_data;
    int error =
        etw_translate(metadata, builder->metadata.size - sizeof(struct cairn_i_event), header->tag,
                      builder->data.bytes, builder->data.size, &to_metadata, &to_data);

    if (error)
        return error;
    cairn_i_etw_put(&parts[2], to_data.bytes, to_data.length);
    return cairn_i_etw_write(etw_provider_of(set), &event, to_metadata.bytes, activity, related,
                             parts, to_data.length ? 3 : 2);
}

int cairn_builder_write(struct cairn_builder *builder, const struct cairn_event_set *set,
                        const struct cairn_guid *activity, const struct cairn_guid *related)
{
    if (!set || !set->tracepoint.enabled)
        return EINVAL;
    if (!cairn_event_set_is_enabled(set))
        return EBADF;
    if (builder->depth)
        eventheader_builder_fail(builder, EINVAL, "a struct has no end");
    if (builder->error)
        return builder->error;
    return translate_and_write(builder, set, activity, related);
}
