/* SPDX-License-Identifier: MIT */
/* Packets: their memory, and their bytes. */
#include "exchange/perfetto.h"

#include "exchange/text.h"

#include <errno.h>
#include <string.h>

/* All packets are of one sequence, whose state is the names that are interned. */
#define SEQUENCE 1u

void *exchange_pf_take(struct exchange_pf *pf, size_t size_bytes)
{
    void *taken = exchange_arena_take(&pf->arena, size_bytes);

    if (!taken)
        pf->error = ENOMEM;
    return taken;
}

ProtobufCBinaryData exchange_pf_copy_text(struct exchange_pf *pf)
{
    const struct export_print_output *text = &pf->exporter->text;
    ProtobufCBinaryData copy = {.len = (size_t)(text->at - text->begin)};

    copy.data = (uint8_t *)exchange_pf_take(pf, copy.len);
    if (copy.data)
        memcpy(copy.data, text->begin, copy.len);
    else
        copy.len = 0;
    return copy;
}

ProtobufCBinaryData exchange_pf_text(struct exchange_pf *pf, struct cairn_slice text)
{
    struct export_print_output *out = &pf->exporter->text;

    out->at = out->begin;
    exchange_put_text(pf->exporter, out, text);
    return exchange_pf_copy_text(pf);
}

/* A field of a message: number and wire type 2, then the length. */
static uint8_t *put_varint(uint8_t *to, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *to++ = (uint8_t)(number | 0x80);
    *to++ = (uint8_t)number;
    return to;
}

/* Field 1 of message Trace: a packet. */
#define PACKET_TAG 0x0a

#define HEAD_BYTES 11u

void exchange_pf_write(struct exchange_pf *pf, const ExchangePf__Packet *packet)
{
    struct export_print_output *out = &pf->exporter->out;
    size_t size_bytes = exchange_pf__packet__get_packed_size(packet);
    uint8_t *head;
    uint8_t *body;

    if (size_bytes + HEAD_BYTES <= EXPORT_OUTPUT_STEP_BYTES) {
        head = (uint8_t *)export_output_reserve(out, size_bytes + HEAD_BYTES);
        *head = PACKET_TAG;
        body = put_varint(head + 1, size_bytes);
        out->at = (char *)body + exchange_pf__packet__pack(packet, body);
        return;
    }
    head = (uint8_t *)exchange_pf_take(pf, size_bytes + HEAD_BYTES);
    if (!head)
        return;
    *head = PACKET_TAG;
    body = put_varint(head + 1, size_bytes);
    size_bytes = exchange_pf__packet__pack(packet, body);
    export_output_bytes(out, head, (size_t)(body - head) + size_bytes);
}

void exchange_pf_write_event(struct exchange_pf *pf, ExchangePf__TrackEvent *event,
                             ExchangePf__InternedData *interned)
{
    ExchangePf__Packet packet = EXCHANGE_PF__PACKET__INIT;

    packet.has_timestamp = true;
    packet.timestamp = pf->now_ns;
    packet.has_trusted_packet_sequence_id = true;
    packet.trusted_packet_sequence_id = SEQUENCE;
    packet.has_sequence_flags = true;
    packet.sequence_flags = pf->has_packets ? EXCHANGE_PF_NEEDS_STATE
                                            : EXCHANGE_PF_STATE_CLEARED | EXCHANGE_PF_NEEDS_STATE;
    packet.interned_data = interned;
    packet.data_case = EXCHANGE_PF__PACKET__DATA_TRACK_EVENT;
    packet.track_event = event;
    pf->has_packets = true;
    exchange_pf_write(pf, &packet);
}

void exchange_pf_write_track(struct exchange_pf *pf, ExchangePf__TrackDescriptor *track)
{
    ExchangePf__Packet packet = EXCHANGE_PF__PACKET__INIT;

    packet.data_case = EXCHANGE_PF__PACKET__DATA_TRACK_DESCRIPTOR;
    packet.track_descriptor = track;
    exchange_pf_write(pf, &packet);
}
