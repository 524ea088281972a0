/* SPDX-License-Identifier: MIT */
/*
 * An input of records that are exported. Its first byte selects the rest: records of EventHeader
 * events, or a format text, a zero, and records. Each record has its size in a byte before it.
 */
#ifndef FUZZ_EXCHANGE_INPUT_H
#define FUZZ_EXCHANGE_INPUT_H

#include "eventheader_format.h"

#include <cairn/exchange.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct exchange_input {
    uint8_t first;
    struct cairn_decoder *decoder;
    uint32_t tracepoint;
    const uint8_t *data; /* of the records */
    size_t size;
};

/* Returns whether there is a tracepoint. Closed by the caller if so. */
static bool exchange_input_open(struct exchange_input *input, const uint8_t *data, size_t size)
{
    struct cairn_decoder_format format = {
        .text = {eventheader_format, sizeof(eventheader_format) - 1}, .long_size_bytes = 8};
    const uint8_t *end;

    if (!size--)
        return false;
    input->first = *data++;
    if (input->first & 1) {
        end = size ? (const uint8_t *)memchr(data, 0, size) : NULL;
        if (!end)
            return false;
        format.text = (struct cairn_slice){(const char *)data, (uint32_t)(end - data)};
        size -= format.text.length + 1u;
        data = end + 1;
    }
    input->data = data;
    input->size = size;
    assert(!cairn_decoder_create(&input->decoder));
    if (!cairn_decoder_add(input->decoder, &format, &input->tracepoint))
        return true;
    cairn_decoder_destroy(input->decoder);
    return false;
}

static void exchange_input_close(struct exchange_input *input)
{
    cairn_decoder_destroy(input->decoder);
}

/* The sample of a record: what it has depends on its first byte. */
static void set_sample(struct cairn_event *event, uint8_t byte, uint64_t number)
{
    event->has = byte & (CAIRN_EVENT_TIME | CAIRN_EVENT_WALL | CAIRN_EVENT_CPU | CAIRN_EVENT_TID);
    event->cpu = byte >> 6;
    event->pid = 10;
    event->tid = 10u + (byte >> 4 & 3);
    event->time_ns = 1 + number * (byte & 8 ? 7 : 0);
    event->wall_ns = event->time_ns + 1000;
    event->comm = byte & 16 ? "a;\xff\"" : NULL;
}

/* Returns the number of records. */
static uint64_t exchange_input_export(const struct exchange_input *input,
                                      struct cairn_exporter *exporter)
{
    const uint8_t *data = input->data;
    size_t size = input->size;
    uint64_t number = 0;

    for (; size; number++) {
        size_t record = *data++;
        struct cairn_event event = {0};
        uint8_t *copy; /* of its size: a sanitizer finds reading after its end */

        record = record < --size ? record : size;
        copy = (uint8_t *)malloc(record + !record);
        assert(copy);
        memcpy(copy, data, record);
        assert(!cairn_decoder_event(input->decoder, input->tracepoint, copy, record, &event));
        set_sample(&event, record ? copy[record / 2] : 0, number);
        assert(!cairn_exporter_event(exporter, NULL, &event));
        free(copy);
        data += record;
        size -= record;
    }
    return number;
}

#endif
