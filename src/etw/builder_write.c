/* SPDX-License-Identifier: MIT */
/* Writes the event of a builder to ETW. eventheader/builder_write.c is the same for Linux. */
#include "eventheader/builder.h"
#include "eventheader/etw.h"
#include "etw/sets.h"
#include "etw/translate.h"
#include "etw/write.h"

#include <cairn/eventheader.h>
#include <errno.h>

#define EVENT_HEADER_BYTES 80 /* as it is in a buffer of a session */
#define ITEM_HEADER_BYTES  8

/* An event in the format of TraceLogging. It is large, and lives on the stack. */
struct translated {
    struct etw_copy metadata;
    struct etw_copy data;
};

static int translate(const struct cairn_builder *builder, struct translated *ret_event)
{
    const uint8_t *metadata = builder->metadata.bytes + sizeof(struct cairn_i_event);

    return etw_translate(metadata, builder->metadata.size - sizeof(struct cairn_i_event),
                         builder->header.tag, builder->data.bytes, builder->data.size,
                         &ret_event->metadata, &ret_event->data);
}

static int translate_and_write(const struct cairn_builder *builder,
                               const struct cairn_event_set *set, const struct cairn_guid *activity,
                               const struct cairn_guid *related)
{
    const struct cairn_eventheader *header = &builder->header;
    const struct cairn_i_etw_event event = {
        header->id, header->version, 11, set->level, header->opcode, 0, set->keyword,
    };
    struct cairn_i_etw_data parts[3];
    struct translated to;
    int error = translate(builder, &to);

    if (error)
        return error;
    cairn_i_etw_put(&parts[2], to.data.bytes, to.data.length);
    return cairn_i_etw_write(etw_provider_of(set), &event, to.metadata.bytes, activity, related,
                             parts, to.data.length ? 3 : 2);
}

/* Bytes of an item of extended data, after the event's header. */
static size_t item_bytes(size_t bytes)
{
    return (ITEM_HEADER_BYTES + bytes + 7) & ~(size_t)7;
}

int eventheader_builder_etw_bytes(const struct cairn_builder *builder,
                                  const struct cairn_event_set *set, bool has_related,
                                  uint32_t *ret_bytes)
{
    struct translated to;
    int error = builder->error ? builder->error : translate(builder, &to);

    if (error)
        return error;
    *ret_bytes =
        (uint32_t)(EVENT_HEADER_BYTES + item_bytes(to.metadata.length) +
                   item_bytes(etw_metadata_bytes(etw_provider_of(set)->traits)) +
                   (has_related ? item_bytes(sizeof(struct cairn_guid)) : 0) + to.data.length);
    return 0;
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
