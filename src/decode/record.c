/* SPDX-License-Identifier: MIT */
/*
 * Decodes records. The layout of a trace file's descriptor is found once: the first event is
 * expanded to the bytes of its tracepoint and decoded, later ones have the values alone.
 */
#include "decode/record.h"

#include "decode/decoder.h"
#include "decode/layout.h"
#include "trace_file/expand.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As the decoder found it for the first event of a descriptor. */
struct decode_record_layout {
    const struct cairn_event_type *type; /* NULL: unknown, or not to be used */
    const struct cairn_event_tracepoint *tracepoint;
    uint64_t generation; /* of the decoder; another one: the type was released */
    bool swap;
};

static int make_space(struct decode_records *records, uint32_t index)
{
    uint32_t count = index < 64 ? 64 : 2 * index;
    void *bigger;

    if (index < records->layout_count)
        return 0;
    bigger = realloc(records->layouts, count * sizeof(*records->layouts));
    if (!bigger)
        return ENOMEM;
    records->layouts = (struct decode_record_layout *)bigger;
    memset(records->layouts + records->layout_count, 0,
           (count - records->layout_count) * sizeof(*records->layouts));
    records->layout_count = count;
    return 0;
}

/* Keeps the layout if the event is of the usual shape: its values are all that follows the ids. */
static int learn(struct decode_records *records, const struct decode_record *record,
                 const struct cairn_event *event)
{
    uint32_t index = record->descriptor->index;
    uint32_t before = trace_file_payload_least(record->descriptor);
    int err = make_space(records, index);

    if (err)
        return err;
    records->layouts[index] = (struct decode_record_layout){
        .type = event->type->is_eventheader && !decode_layout_of(event->type)->error &&
                        event->data_bytes == record->size_bytes - before
                    ? event->type
                    : NULL,
        .tracepoint = event->tracepoint,
        .generation = decode_decoder_generation(records->decoder),
        .swap = event->swap,
    };
    return 0;
}

static int decode_expanded(struct decode_records *records, const struct decode_record *record,
                           struct cairn_event *event)
{
    const struct trace_file_event of = {
        .descriptor = record->descriptor,
        .tid = event->tid,
        .payload = record->bytes,
        .payload_bytes = record->size_bytes,
    };
    int err = trace_file_expand(&of, record->swap, &records->expanded);

    if (!err)
        err = cairn_decoder_event(records->decoder, record->tracepoint, records->expanded.data,
                                  records->expanded.size, event);
    return err;
}

static void set_values(const struct decode_record *record,
                       const struct decode_record_layout *layout, struct cairn_event *event)
{
    event->type = layout->type;
    event->tracepoint = layout->tracepoint;
    event->swap = layout->swap;
    event->error = CAIRN_EVENT_WHOLE;
    event->raw = NULL;
    event->raw_bytes = 0;
    decode_record_point(record, event);
}

int decode_record_event(struct decode_records *records, const struct decode_record *record,
                        struct cairn_event *event)
{
    const struct trace_file_descriptor *descriptor = record->descriptor;
    int err;

    records->event = NULL;
    if (!descriptor)
        return cairn_decoder_event(records->decoder, record->tracepoint, record->bytes,
                                   record->size_bytes, event);
    if (record->size_bytes < trace_file_payload_least(descriptor))
        return EBADMSG;
    if (cairn_likely(records->without_raw && descriptor->index < records->layout_count)) {
        const struct decode_record_layout *layout = &records->layouts[descriptor->index];

        if (layout->type && layout->generation == decode_decoder_generation(records->decoder)) {
            set_values(record, layout, event);
            records->event = event;
            records->descriptor = descriptor;
            records->generation = layout->generation;
            return 0;
        }
    }
    err = decode_expanded(records, record, event);
    if (!err && records->without_raw && descriptor->kind == TRACE_FILE_EVENTHEADER)
        err = learn(records, record, event);
    return err;
}

void decode_records_free(struct decode_records *records)
{
    perf_data_bytes_free(&records->expanded);
    free(records->layouts);
    records->layouts = NULL;
    records->layout_count = 0;
}
