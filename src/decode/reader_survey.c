/* SPDX-License-Identifier: MIT */
/* Surveys a trace file by its descriptors: each is decoded as if it had an event without values. */
#include "decode/reader_survey.h"

#include "decode/reader.h"
#include "trace_file/count.h"
#include "trace_file/expand.h"

#include <errno.h>

/* Bytes that precede the values of an event, at most. */
#define BEFORE_VALUES_MAX 64u

int decode_reader_type_of(struct cairn_reader *reader,
                          const struct trace_file_descriptor *descriptor,
                          const struct cairn_event_type **ret_type)
{
    static const uint8_t zeros[BEFORE_VALUES_MAX];
    const struct trace_file_descriptor *tracepoint = trace_file_tracepoint_of(descriptor);
    struct decode_record record = {
        .descriptor = descriptor,
        .bytes = zeros,
        .size_bytes = trace_file_payload_least(descriptor),
        .swap = decode_reader_blocks_of_trace(reader)->swap,
    };
    int err = tracepoint && record.size_bytes <= BEFORE_VALUES_MAX
                  ? decode_reader_tracepoint_of_trace(reader, tracepoint, &record.tracepoint)
                  : ENOENT;

    if (!err)
        err = decode_record_event(&reader->records, &record, &reader->event);
    reader->records.event = NULL; /* the descriptor may be freed before the next record */
    if (!err)
        *ret_type = reader->event.type;
    return err;
}

static struct decode_reader_shift shift_of(const struct trace_file_clocks *clocks)
{
    struct decode_reader_shift shift = {.is_known = clocks->count != 0};
    uint64_t first_ns = clocks->count ? clocks->pairs[0].wall_ns - clocks->pairs[0].time_ns : 0;

    shift.min_ns = shift.max_ns = first_ns;
    for (uint32_t n = 0; n < clocks->count; n++) {
        uint64_t ns = clocks->pairs[n].wall_ns - clocks->pairs[n].time_ns;

        if (!clocks->pairs[n].wall_ns)
            shift.is_known = false;
        if ((int64_t)(ns - shift.min_ns) < 0)
            shift.min_ns = ns;
        if ((int64_t)(ns - shift.max_ns) > 0)
            shift.max_ns = ns;
    }
    return shift;
}

int decode_reader_survey(struct cairn_reader *reader, decode_reader_type_fn *fn, void *context,
                         struct decode_reader_shift *ret_shift)
{
    struct trace_file_counts counts = {0};
    int counting;
    int err = 0;

    if (!reader->trace || !decode_reader_blocks_of_trace(reader)->source.map)
        return EINVAL;
    counting = trace_file_count(decode_reader_blocks_of_trace(reader), &counts);
    if (counting && counting != EBADMSG)
        err = counting;
    for (uint32_t n = 0; n < counts.tables.descriptor_count && !err; n++) {
        const struct cairn_event_type *type;

        if (!counts.events[n])
            continue;
        err = decode_reader_type_of(reader, counts.tables.descriptors[n], &type);
        if (!err)
            err = fn(context, type, counts.events[n]);
        else if (err == ENOENT || err == EBADMSG)
            err = 0; /* the reader leaves such events out, and counts them */
    }
    if (!err)
        *ret_shift = shift_of(&counts.tables.clocks);
    trace_file_counts_free(&counts);
    return err ? err : counting;
}
