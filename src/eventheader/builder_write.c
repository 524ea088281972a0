/* SPDX-License-Identifier: MIT */
/* Writes the event of a builder. etw/builder_write.c is the same for Windows. */
#include "eventheader/builder.h"
#include "eventheader/emit.h"
#include "user_events/emit.h"

#include <cairn/user_events.h>
#include <errno.h>

/* Larger events take the general path, which knows whether they are too large. */
#define HOT_MAX_BYTES (CAIRN_PAYLOAD_MAX_BYTES / 2)

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
static inline __attribute__((always_inline)) bool emit_hot(const struct eventheader_event *event,
                                                           int *ret_error)
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
    struct eventheader_event event = {
        .activity_id = activity, .related_id = related, .caller = __builtin_return_address(0)};
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
