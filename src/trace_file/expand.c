/* SPDX-License-Identifier: MIT */
/* Records as events of tracepoints. */
#include "trace_file/expand.h"

#include <errno.h>

#define COMMON_BYTES 8u /* u16 id, u8 flags, u8 preempt count, i32 thread */

static void put_u16(struct cairn_bytes *to, uint32_t value, bool swap)
{
    uint16_t word = (uint16_t)value;

    word = swap ? __builtin_bswap16(word) : word;
    cairn_bytes_put(to, &word, sizeof(word));
}

static void put_common(struct cairn_bytes *to, const struct cairn_tracefile_event *event,
                       const struct cairn_tracefile_descriptor *tracepoint, bool swap)
{
    put_u16(to, tracepoint->id, swap);
    put_u16(to, 0, swap);
    cairn_bytes_put_u32(to, swap ? __builtin_bswap32(event->tid) : event->tid);
}

static void put_extension(struct cairn_bytes *to, size_t size_bytes, unsigned kind, bool swap)
{
    put_u16(to, (uint32_t)size_bytes, swap);
    put_u16(to, kind, swap);
}

void cairn_tracefile_put_eventheader(struct cairn_bytes *to, const uint8_t *header,
                                     struct cairn_slice metadata, const void *activity,
                                     uint32_t activity_bytes)
{
    bool swap =
        ((header[0] ^ CAIRN_EVENTHEADER_NATIVE_FLAGS) & CAIRN_EVENTHEADER_LITTLE_ENDIAN) != 0;

    cairn_bytes_put(to, header, sizeof(struct cairn_eventheader));
    if (activity_bytes) {
        put_extension(to, activity_bytes, CAIRN_EXTENSION_ACTIVITY_ID | CAIRN_EXTENSION_CHAIN,
                      swap);
        cairn_bytes_put(to, activity, activity_bytes);
    }
    put_extension(to, metadata.length, CAIRN_EXTENSION_METADATA, swap);
    cairn_bytes_put(to, metadata.text, metadata.length);
}

const struct cairn_tracefile_descriptor *
cairn_tracefile_tracepoint_of(const struct cairn_tracefile_descriptor *descriptor)
{
    if (descriptor->kind == CAIRN_TRACEFILE_EVENTHEADER)
        return descriptor->tracepoint;
    return descriptor->kind == CAIRN_TRACEFILE_TRACEPOINT ? descriptor : NULL;
}

int cairn_tracefile_expand(const struct cairn_tracefile_event *event, bool swap,
                           struct cairn_bytes *raw)
{
    const struct cairn_tracefile_descriptor *descriptor = event->descriptor;
    struct cairn_cursor c = cairn_cursor(event->payload, event->payload_bytes, swap);

    swap = swap != ((descriptor->flags & CAIRN_TRACEFILE_OTHER_ORDER) != 0);
    raw->size = 0;
    if (descriptor->flags & CAIRN_TRACEFILE_HAS_COMMON)
        cairn_bytes_put(raw, cairn_cursor_take(&c, COMMON_BYTES), c.error ? 0 : COMMON_BYTES);
    else
        put_common(raw, event, cairn_tracefile_tracepoint_of(descriptor), swap);
    if (descriptor->kind == CAIRN_TRACEFILE_EVENTHEADER) {
        uint32_t activity_bytes = cairn_tracefile_activity_bytes(descriptor->flags);
        const void *activity = cairn_cursor_take(&c, activity_bytes);

        cairn_tracefile_put_eventheader(raw, descriptor->header, descriptor->metadata, activity,
                                        activity ? activity_bytes : 0);
    }
    cairn_bytes_put(raw, c.at, c.left);
    return c.error ? c.error : raw->error;
}
