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
    if (exchange_is_plain(text.text, text.length))
        export_output_bytes(out, text.text, text.length);
    else
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
    const uint8_t *body;
    size_t size_bytes;
    uint8_t *head;

    if (exchange_pack(&pf->pack, &packet->base, &body, &size_bytes)) {
        pf->error = ENOMEM;
        return;
    }
    head = (uint8_t *)export_output_reserve(out, HEAD_BYTES);
    *head = PACKET_TAG;
    out->at = (char *)put_varint(head + 1, size_bytes);
    export_output_bytes(out, body, size_bytes);
}

void exchange_pf_write_event(struct exchange_pf *pf, uint64_t ns, ExchangePf__TrackEvent *event,
                             ExchangePf__InternedData *interned)
{
    ExchangePf__Packet packet = EXCHANGE_PF__PACKET__INIT;

    packet.has_timestamp = true;
    packet.timestamp = ns;
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
