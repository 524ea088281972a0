/* SPDX-License-Identifier: MIT */
/* The general path of all EventHeader events whose values are encoded. */
#include "eventheader/emit.h"

#include "core/atomic.h"
#include "eventheader/sites.h"
#include "user_events/emit.h"

#include <string.h>

/* With the sizes of its parts. */
struct emit_parts {
    const struct eventheader_event *event;
    uint32_t ids_bytes;
    uint32_t constant_bytes; /* header, metadata extension */
};

static uint8_t *put(uint8_t *to, const void *from, size_t bytes)
{
    if (bytes)
        memcpy(to, from, bytes);
    return to + bytes;
}

static uint8_t *put_ids(uint8_t *to, const struct emit_parts *parts)
{
    return eventheader_put_ids(to, parts->event->activity_id, parts->event->related_id);
}

/* Both are called again for each backend and session. */
static uint8_t *fill_values(uint8_t *to, uint8_t *limit, const void *arg)
{
    const struct emit_parts *parts = arg;
    const struct eventheader_event *event = parts->event;

    if (parts->ids_bytes + event->values_bytes > (size_t)(limit - to))
        return NULL;
    return put(put_ids(to, parts), event->values, event->values_bytes);
}

static uint8_t *fill_event(uint8_t *to, uint8_t *limit, const void *arg)
{
    const struct emit_parts *parts = arg;
    const struct cairn_i_event *constant = parts->event->constant;
    const struct cairn_eventheader_extension extension = {
        .size_bytes = (uint16_t)parts->ids_bytes,
        .kind = CAIRN_EXTENSION_ACTIVITY_ID | CAIRN_EXTENSION_CHAIN,
    };
    size_t bytes = (size_t)parts->constant_bytes + parts->ids_bytes +
                   (parts->ids_bytes ? sizeof(extension) : 0) + parts->event->values_bytes;

    if (limit < to || bytes > (size_t)(limit - to))
        return NULL;
    to = put(to, &constant->header, sizeof(constant->header));
    if (parts->ids_bytes)
        to = put_ids(put(to, &extension, sizeof(extension)), parts);
    to = put(to, &constant->extension, parts->constant_bytes - sizeof(constant->header));
    return put(to, parts->event->values, parts->event->values_bytes);
}

/* Adds file, line and function of the call site, for the descriptor, if that has to be added. */
static void set_source(struct engine_constants *constants, const struct cairn_i_site *site)
{
    constants->file = eventheader_site_text(&site->file);
    constants->function = eventheader_site_text(&site->function);
    constants->line = site->line;
}

int eventheader_emit(const struct eventheader_event *event)
{
    const struct cairn_i_event *constant = event->constant;
    const struct cairn_i_site *site;
    const struct emit_parts parts = {
        .event = event,
        .ids_bytes =
            event->activity_id ? CAIRN_ACTIVITY_ID_BYTES * (event->related_id ? 2u : 1u) : 0,
        .constant_bytes = (uint32_t)sizeof(*constant) + constant->extension.size_bytes,
    };
    struct engine_constants constants = {
        .header = &constant->header,
        .metadata = &constant->extension,
        .metadata_bytes = parts.constant_bytes - (uint32_t)sizeof(constant->header),
    };
    const struct engine_writing writing = {
        .fill = fill_event,
        .least_bytes = parts.constant_bytes + event->values_bytes + parts.ids_bytes +
                       (parts.ids_bytes ? ENGINE_EXTENSION_BYTES : 0),
        .fill_values = fill_values,
        .constants = event->is_whole ? NULL : &constants,
        .variant = eventheader_variant_of(event->activity_id, event->related_id),
        .descriptor = event->descriptor,
        .caller = event->caller,
    };

    site = core_load_relaxed(&event->tracepoint->site);
    if (site)
        set_source(&constants, site);
    return user_events_emit_by(event->tracepoint, &writing, &parts);
}
