/* SPDX-License-Identifier: MIT */
/* Makes an event from a record's bytes. */
#include "decode/decoder.h"

#include "core/atomic.h"
#include "decode/eventheader.h"
#include "decode/layout_cache.h"
#include "decode/origin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cairn_decoder {
    uint64_t number; /* unique in the process */
    struct decode_origin *origins;
    uint32_t origin_count;
    struct decode_layout_cache layouts;
    struct decode_kernel_symbols kernel;
};

int cairn_decoder_create(struct cairn_decoder **ret_decoder)
{
    static uint64_t last_number;
    struct cairn_decoder *decoder = (struct cairn_decoder *)calloc(1, sizeof(*decoder));
    int err;

    if (!decoder)
        return ENOMEM;
    decoder->number = core_fetch_add_relaxed(&last_number, 1) + 1;
    err = decode_layout_cache_open(&decoder->layouts);
    if (err) {
        cairn_decoder_destroy(decoder);
        return err;
    }
    *ret_decoder = decoder;
    return 0;
}

void cairn_decoder_destroy(struct cairn_decoder *decoder)
{
    if (!decoder)
        return;
    for (uint32_t n = 0; n < decoder->origin_count; n++)
        decode_origin_close(&decoder->origins[n]);
    free(decoder->origins);
    decode_layout_cache_close(&decoder->layouts);
    decode_kernel_symbols_close(&decoder->kernel);
    free(decoder);
}

struct decode_kernel_symbols *decode_kernel_of(struct cairn_decoder *decoder)
{
    return &decoder->kernel;
}

void decode_kernel_note(struct cairn_decoder *decoder, const char *symbol, uint64_t address)
{
    struct decode_kernel_symbols *kernel = &decoder->kernel;

    if (kernel->was_read || !memccpy(kernel->reference, symbol, 0, sizeof(kernel->reference)))
        return;
    kernel->reference_address = address;
}

void decode_kernel_note_tables(struct cairn_decoder *decoder, struct cairn_slice strings,
                               struct cairn_slice symbols)
{
    if (!decoder->kernel.strings.was_read)
        decoder->kernel.strings.table = strings;
    if (!decoder->kernel.was_read)
        decoder->kernel.recorded = symbols;
}

uint64_t decode_decoder_generation(const struct cairn_decoder *decoder)
{
    return decoder->layouts.generation;
}

int cairn_decoder_add(struct cairn_decoder *decoder, const struct cairn_decoder_format *format,
                      uint32_t *ret_tracepoint)
{
    size_t size = (decoder->origin_count + 1u) * sizeof(struct decode_origin);
    void *origins = realloc(decoder->origins, size);
    int err;

    if (!origins)
        return ENOMEM;
    decoder->origins = (struct decode_origin *)origins;
    err = decode_origin_open(format, &decoder->origins[decoder->origin_count]);
    if (err)
        return err;
    decoder->origins[decoder->origin_count].tracepoint->number = decoder->origin_count;
    decoder->origins[decoder->origin_count].layout->kernel = &decoder->kernel;
    decoder->origins[decoder->origin_count].layout->decoder = decoder->number;
    *ret_tracepoint = decoder->origin_count++;
    return 0;
}

/* Copies the symbol by which the kernel's table is chosen, and the places of recorded tables. */
static void catch_up_with_kernel(struct decode_kernel_symbols *kernel,
                                 const struct decode_kernel_symbols *other)
{
    if (!kernel->strings.was_read)
        kernel->strings.table = other->strings.table;
    if (kernel->was_read)
        return;
    kernel->recorded = other->recorded;
    memcpy(kernel->reference, other->reference, sizeof(kernel->reference));
    kernel->reference_address = other->reference_address;
}

int decode_decoder_catch_up(struct cairn_decoder *decoder, const struct cairn_decoder *other)
{
    int err = 0;

    catch_up_with_kernel(&decoder->kernel, &other->kernel);
    while (decoder->origin_count < other->origin_count && !err) {
        const struct decode_origin *origin = &other->origins[decoder->origin_count];
        const struct cairn_decoder_format format = {
            .system = origin->tracepoint->system,
            .name = origin->tracepoint->name,
            .text = origin->tracepoint->format,
            .long_size_bytes = origin->long_size_bytes,
            .swap = origin->swap,
        };
        uint32_t number;

        err = cairn_decoder_add(decoder, &format, &number);
    }
    return err;
}

static void set_by_format(struct cairn_event *event, const struct decode_origin *origin,
                          const void *raw, size_t size_bytes, enum cairn_event_error error)
{
    event->type = &origin->layout->type;
    event->activity_id = NULL;
    event->related_id = NULL;
    event->data = (const uint8_t *)raw;
    event->data_bytes = (uint32_t)size_bytes;
    event->swap = origin->swap;
    event->error = error;
}

static void set_by_metadata(struct cairn_event *event, const struct decode_layout *layout,
                            const struct trace_file_eventheader *parts)
{
    event->type = &layout->type;
    event->activity_id = parts->activity_id;
    event->related_id = parts->related_id;
    event->data = parts->data;
    event->data_bytes = parts->data_bytes;
    event->swap = parts->swap;
    event->error = CAIRN_EVENT_WHOLE;
}

int cairn_decoder_event(struct cairn_decoder *decoder, uint32_t tracepoint, const void *raw,
                        size_t size_bytes, struct cairn_event *ret_event)
{
    const struct decode_origin *origin;
    const struct decode_layout *layout;
    struct trace_file_eventheader parts;
    int err;

    if (tracepoint >= decoder->origin_count || size_bytes > UINT32_MAX)
        return EINVAL;
    origin = &decoder->origins[tracepoint];
    ret_event->tracepoint = origin->tracepoint;
    ret_event->raw = (const uint8_t *)raw;
    ret_event->raw_bytes = (uint32_t)size_bytes;
    if (!origin->is_eventheader || !raw) {
        set_by_format(ret_event, origin, raw, size_bytes, CAIRN_EVENT_WHOLE);
        return 0;
    }
    if (size_bytes < origin->header_offset ||
        trace_file_eventheader_parse((const uint8_t *)raw + origin->header_offset,
                                     size_bytes - origin->header_offset, &parts)) {
        set_by_format(ret_event, origin, raw, size_bytes, CAIRN_EVENT_BAD_HEADER);
        return 0;
    }
    if (!parts.metadata) { /* described elsewhere: only the header is known */
        set_by_format(ret_event, origin, raw, size_bytes, CAIRN_EVENT_WHOLE);
        return 0;
    }
    err = decode_layout_cache_find(&decoder->layouts, tracepoint, origin, &parts, &layout);
    if (err)
        return err;
    if (layout->error)
        set_by_format(ret_event, origin, raw, size_bytes, layout->error);
    else
        set_by_metadata(ret_event, layout, &parts);
    return 0;
}
