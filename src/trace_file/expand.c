/* SPDX-License-Identifier: MIT */
/* Records as events of tracepoints. */
#include "trace_file/expand.h"

#include <errno.h>

#define COMMON_BYTES 8u /* u16 id, u8 flags, u8 preempt count, i32 thread */

static void put_u16(struct cairn_bytes *to, uint32_t value, bool swap)
{
    uint16_t word = (uint16_t)value;

    word = swap ? __builtin_bswap16(word) : word;
    perf_data_bytes_put(to, &word, sizeof(word));
}

static void put_common(struct cairn_bytes *to, const struct trace_file_event *event,
                       const struct trace_file_descriptor *tracepoint, bool swap)
{
    put_u16(to, tracepoint->id, swap);
    put_u16(to, 0, swap);
    perf_data_bytes_put_u32(to, swap ? __builtin_bswap32(event->tid) : event->tid);
}

static void put_extension(struct cairn_bytes *to, size_t size_bytes, unsigned kind, bool swap)
{
    put_u16(to, (uint32_t)size_bytes, swap);
    put_u16(to, kind, swap);
}

void trace_file_put_eventheader(struct cairn_bytes *to, const uint8_t *header,
                                struct cairn_slice metadata, const void *activity,
                                uint32_t activity_bytes)
{
    bool swap =
        ((header[0] ^ CAIRN_EVENTHEADER_NATIVE_FLAGS) & CAIRN_EVENTHEADER_LITTLE_ENDIAN) != 0;

    perf_data_bytes_put(to, header, sizeof(struct cairn_eventheader));
    if (activity_bytes) {
        put_extension(to, activity_bytes, CAIRN_EXTENSION_ACTIVITY_ID | CAIRN_EXTENSION_CHAIN,
                      swap);
        perf_data_bytes_put(to, activity, activity_bytes);
    }
    put_extension(to, metadata.length, CAIRN_EXTENSION_METADATA, swap);
    perf_data_bytes_put(to, metadata.text, metadata.length);
}

const struct trace_file_descriptor *
trace_file_tracepoint_of(const struct trace_file_descriptor *descriptor)
{
    if (descriptor->kind == TRACE_FILE_EVENTHEADER)
        return descriptor->tracepoint;
    return descriptor->kind == TRACE_FILE_TRACEPOINT ? descriptor : NULL;
}

int trace_file_expand(const struct trace_file_event *event, bool swap, struct cairn_bytes *raw)
{
    const struct trace_file_descriptor *descriptor = event->descriptor;
    struct core_cursor c = core_cursor(event->payload, event->payload_bytes, swap);

    swap = swap != ((descriptor->flags & TRACE_FILE_OTHER_ORDER) != 0);
    raw->size = 0;
    if (descriptor->flags & TRACE_FILE_HAS_COMMON)
        perf_data_bytes_put(raw, core_cursor_take(&c, COMMON_BYTES), c.error ? 0 : COMMON_BYTES);
    else
        put_common(raw, event, trace_file_tracepoint_of(descriptor), swap);
    if (descriptor->kind == TRACE_FILE_EVENTHEADER) {
        uint32_t activity_bytes = trace_file_activity_bytes(descriptor->flags);
        const void *activity = core_cursor_take(&c, activity_bytes);

        trace_file_put_eventheader(raw, descriptor->header, descriptor->metadata, activity,
                                   activity ? activity_bytes : 0);
    }
    perf_data_bytes_put(raw, c.at, c.left);
    return c.error ? c.error : raw->error;
}
