/* SPDX-License-Identifier: MIT */
/*
 * The Common Trace Format 1.8 (https://diamon.org/ctf/v1.8.3/), and 2, which has other metadata
 * (https://diamon.org/ctf/files/CTF2-SPEC-2.0.html): a directory with the files `metadata` and
 * `stream`. All events are in one stream, so their order stays. Numbers are numbers,
 * bytes are arrays of bytes, everything else is text as in jsonl.
 */
#include "exchange/classes.h"
#include "exchange/ctf_metadata.h"

#include "core/load.h"
#include "export/value_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC 0xc1fc1fc1u

/* A packet ends with the event that reaches this size. */
#define PACKET_BYTES 131072u

struct packet_header {
    uint32_t magic;
    uint32_t stream;
    uint64_t begin_ns;
    uint64_t end_ns;
    uint64_t content_bits;
    uint64_t packet_bits;
    uint64_t lost;
};

_Static_assert(sizeof(struct packet_header) == 48, "as the metadata describes it");

struct ctf {
    const struct exchange_ctf_metadata *language;
    struct exchange_classes classes;
    struct export_print_output metadata;
    struct export_print_output packet; /* in memory */
    int stream_fd;
    bool has_head; /* of the metadata */
    uint64_t packets;
    struct packet_header header; /* of the packet */
};

/* ---- packets ---- */

static void put_u32(struct export_print_output *out, uint32_t number)
{
    memcpy(export_output_reserve(out, sizeof(number)), &number, sizeof(number));
    out->at += sizeof(number);
}

static void begin_packet(struct ctf *ctf, uint64_t now_ns)
{
    struct export_print_output *packet = &ctf->packet;

    packet->at = packet->begin;
    (void)export_output_reserve(packet, sizeof(ctf->header));
    packet->at += sizeof(ctf->header);
    ctf->header = (struct packet_header){.magic = MAGIC, .begin_ns = now_ns};
}

static bool has_events(const struct ctf *ctf)
{
    return (size_t)(ctf->packet.at - ctf->packet.begin) > sizeof(ctf->header);
}

static int write_packet(struct cairn_exporter *exporter, struct ctf *ctf)
{
    struct export_print_output *packet = &ctf->packet;

    if (packet->error)
        return packet->error;
    ctf->header.end_ns = exporter->last_ns;
    ctf->header.content_bits = (uint64_t)(packet->at - packet->begin) * 8;
    ctf->header.packet_bits = ctf->header.content_bits;
    ctf->header.lost = exchange_lost(exporter);
    memcpy(packet->begin, &ctf->header, sizeof(ctf->header));
    ctf->packets++;
    packet->fd = ctf->stream_fd;
    (void)export_output_flush(packet);
    packet->fd = -1;
    begin_packet(ctf, exporter->last_ns);
    return packet->error;
}

/* ---- values ---- */

static void put_unsigned(struct export_print_output *out, const struct cairn_item *item, bool swap,
                         uint32_t size_bytes)
{
    uint8_t *to = (uint8_t *)export_output_reserve(out, 8);

    memcpy(to, item->data, size_bytes);
    for (uint32_t n = 0; swap && n < size_bytes / 2; n++) {
        uint8_t byte = to[n];

        to[n] = to[size_bytes - 1 - n];
        to[size_bytes - 1 - n] = byte;
    }
    out->at += size_bytes;
}

static void put_port(struct export_print_output *out, const struct cairn_item *item)
{
    uint16_t port = (uint16_t)(item->data[0] << 8 | item->data[1]);

    memcpy(export_output_reserve(out, sizeof(port)), &port, sizeof(port));
    out->at += sizeof(port);
}

static void put_text(struct cairn_exporter *exporter, struct export_print_output *out,
                     const struct cairn_item *item, bool swap)
{
    struct decode_value_data data = {item->data, item->size_bytes, swap};

    exchange_put_value(exporter, out, exchange_value_of(item), data);
    export_output_byte(out, 0);
}

static void put_value(struct cairn_exporter *exporter, struct export_print_output *out,
                      const struct cairn_item *item, bool swap)
{
    const struct decode_layout_field *field = decode_layout_field_of(item->field);

    switch (exchange_ctf_type_of(field)) {
    case EXCHANGE_CTF_BYTES:
        put_u32(out, item->size_bytes);
        export_output_bytes(out, item->data, item->size_bytes);
        break;
    case EXCHANGE_CTF_PORT:
        put_port(out, item);
        break;
    case EXCHANGE_CTF_TEXT:
        put_text(exporter, out, item, swap);
        break;
    default:
        put_unsigned(out, item, swap, field->unit_bytes);
    }
}

/* ---- events ---- */

static enum cairn_event_error put_fields(struct cairn_exporter *exporter,
                                         const struct cairn_event *event)
{
    struct ctf *ctf = (struct ctf *)exporter->state;
    struct export_print_output *out = &ctf->packet;
    struct cairn_items *items = &exporter->items;
    struct cairn_item item;

    cairn_items_begin(items, event);
    while (cairn_items_next(items, &item)) {
        if (item.kind == CAIRN_ITEM_VALUE)
            put_value(exporter, out, &item, event->swap);
        else if (item.kind == CAIRN_ITEM_ARRAY_BEGIN)
            put_u32(out, item.count);
    }
    return cairn_items_error(items);
}

static void put_head(struct cairn_exporter *exporter, const struct cairn_event *event, uint32_t id)
{
    struct ctf *ctf = (struct ctf *)exporter->state;
    struct export_print_output *out = &ctf->packet;
    bool has_thread = event->has & CAIRN_EVENT_TID;

    put_u32(out, id);
    memcpy(export_output_reserve(out, sizeof(uint64_t)), &exporter->last_ns, sizeof(uint64_t));
    out->at += sizeof(uint64_t);
    put_u32(out, event->has & CAIRN_EVENT_CPU ? event->cpu : UINT32_MAX);
    put_u32(out, has_thread ? event->pid : UINT32_MAX);
    put_u32(out, has_thread ? event->tid : UINT32_MAX);
    if (event->comm)
        exchange_put_text(exporter, out,
                          (struct cairn_slice){event->comm, (uint32_t)strlen(event->comm)});
    export_output_byte(out, 0);
}

static void put_id(struct export_print_output *out, const uint8_t *id)
{
    char *to = export_output_reserve(out, 40);

    if (id)
        to = export_put_uuid(to, id);
    *to++ = 0;
    out->at = to;
}

/* The class's context: what EventHeader has in addition. */
static void put_eventheader(struct export_print_output *out, const struct cairn_event *event)
{
    const struct cairn_event_type *type = event->type;
    const uint8_t bytes[] = {type->level, type->opcode, type->version};
    char *to = export_output_reserve(out, 32);

    to = (char *)mempcpy(to, &type->keyword, sizeof(type->keyword));
    to = (char *)mempcpy(to, &type->id, sizeof(type->id));
    to = (char *)mempcpy(to, &type->tag, sizeof(type->tag));
    out->at = (char *)mempcpy(to, bytes, sizeof(bytes));
    put_id(out, event->activity_id);
    put_id(out, event->related_id);
}

static void put_damaged(struct cairn_exporter *exporter, const struct cairn_event *event,
                        enum cairn_event_error error)
{
    struct export_print_output *out = &((struct ctf *)exporter->state)->packet;

    exchange_note_damage(exporter);
    exchange_note(exporter, CAIRN_EXPORTER_DAMAGED);
    put_head(exporter, event, EXCHANGE_CTF_DAMAGED);
    exchange_put_event_name(exporter, out, event->type);
    export_output_byte(out, 0);
    export_output_string(out, cairn_event_error_text(error));
    export_output_byte(out, 0);
    put_u32(out, event->data_bytes);
    export_output_bytes(out, event->data, event->data_bytes);
}

/* event  the first one, or NULL */
static void write_head(struct cairn_exporter *exporter, struct ctf *ctf,
                       const struct cairn_event *event)
{
    const struct cairn_perf_file *file =
        exporter->reader ? cairn_reader_file(exporter->reader) : NULL;

    ctf->has_head = true;
    ctf->language->put_head(&ctf->metadata, file ? cairn_perf_file_host(file)->hostname : NULL,
                            event && event->has & CAIRN_EVENT_WALL);
}

static int find_id(struct cairn_exporter *exporter, const struct cairn_event *event,
                   uint32_t *ret_id)
{
    struct ctf *ctf = (struct ctf *)exporter->state;
    const struct decode_layout *layout = decode_layout_of(event->type);
    uint32_t known = ctf->classes.count;
    struct exchange_class *class;
    int err = exchange_classes_of(&ctf->classes, layout, &class);

    if (err)
        return err;
    *ret_id = class->number + EXCHANGE_CTF_FIRST_CLASS;
    if (class->number == known)
        ctf->language->put_class(exporter, &ctf->metadata, layout, *ret_id);
    return ctf->metadata.error;
}

static int add_event(struct cairn_exporter *exporter, const struct cairn_event *event)
{
    struct ctf *ctf = (struct ctf *)exporter->state;
    uint64_t now_ns = exchange_time_of(exporter, event);
    enum cairn_event_error error;
    size_t begin;
    uint32_t id;
    int err;

    if (!ctf->has_head)
        write_head(exporter, ctf, event);
    if (!has_events(ctf))
        ctf->header.begin_ns = now_ns;
    err = find_id(exporter, event, &id);
    if (err)
        return err;
    begin = (size_t)(ctf->packet.at - ctf->packet.begin);
    put_head(exporter, event, id);
    if (event->type->is_eventheader)
        put_eventheader(&ctf->packet, event);
    error = put_fields(exporter, event);
    if (error && !ctf->packet.error) {
        ctf->packet.at = ctf->packet.begin + begin;
        put_damaged(exporter, event, error);
    }
    if ((size_t)(ctf->packet.at - ctf->packet.begin) >= PACKET_BYTES)
        return write_packet(exporter, ctf);
    return ctf->packet.error;
}

/* ---- begin and end ---- */

static int open_files(struct cairn_exporter *exporter, struct ctf *ctf)
{
    int metadata_fd;
    int err = exchange_target_create(&exporter->target, "stream", &ctf->stream_fd);

    if (!err)
        err = exchange_target_create(&exporter->target, "metadata", &metadata_fd);
    if (err)
        return err;
    err = export_output_open(&ctf->metadata, metadata_fd);
    if (err)
        close(metadata_fd);
    return err ? err : export_output_open(&ctf->packet, -1);
}

static int begin(struct cairn_exporter *exporter, const struct exchange_ctf_metadata *language)
{
    struct ctf *ctf = (struct ctf *)calloc(1, sizeof(*ctf));
    int err;

    if (!ctf)
        return ENOMEM;
    ctf->language = language;
    ctf->stream_fd = -1;
    ctf->metadata.fd = -1;
    exporter->state = ctf;
    exporter->by_wall = true; /* its readers print times of day */
    err = open_files(exporter, ctf);
    if (!err)
        begin_packet(ctf, 0);
    return err;
}

static int begin_1(struct cairn_exporter *exporter)
{
    return begin(exporter, &exchange_ctf1_metadata);
}

static int begin_2(struct cairn_exporter *exporter)
{
    return begin(exporter, &exchange_ctf2_metadata);
}

static int close_fd(int *fd)
{
    int err = *fd >= 0 && close(*fd) < 0 ? errno : 0;

    *fd = -1;
    return err;
}

static int finish(struct cairn_exporter *exporter)
{
    struct ctf *ctf = (struct ctf *)exporter->state;
    int err = 0;

    if (!ctf->has_head)
        write_head(exporter, ctf, NULL);
    if (has_events(ctf) || !ctf->packets)
        err = write_packet(exporter, ctf);
    if (!err)
        err = export_output_flush(&ctf->metadata);
    if (!err)
        err = close_fd(&ctf->stream_fd);
    return err ? err : close_fd(&ctf->metadata.fd);
}

static void destroy(struct cairn_exporter *exporter)
{
    struct ctf *ctf = (struct ctf *)exporter->state;

    if (!ctf)
        return;
    (void)close_fd(&ctf->stream_fd);
    (void)close_fd(&ctf->metadata.fd);
    export_output_close(&ctf->metadata);
    export_output_close(&ctf->packet);
    exchange_classes_free(&ctf->classes);
    free(ctf);
}

const struct exchange_format exchange_format_ctf = {
    .is_directory = true,
    .begin = begin_1,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};

const struct exchange_format exchange_format_ctf2 = {
    .is_directory = true,
    .begin = begin_2,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};
