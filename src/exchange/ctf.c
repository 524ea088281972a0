/* SPDX-License-Identifier: MIT */
/*
 * The Common Trace Format 1.8 (https://diamon.org/ctf/v1.8.3/), and 2, which has other metadata
 * (https://diamon.org/ctf/files/CTF2-SPEC-2.0.html): a directory with the files `metadata` and
 * `stream`. All events are in one stream, so their order stays; but for those with a stack, which
 * are in the file `stacks`. Numbers are numbers, bytes are arrays of bytes, everything else is text
 * as in jsonl.
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

struct ctf_stream {
    struct export_print_output packet; /* in memory */
    struct packet_header header;       /* of the packet */
    int fd;                            /* -1: not open */
    uint64_t packets;
    uint64_t lost; /* as the last packet has it */
};

struct ctf {
    const struct exchange_ctf_metadata *language;
    struct exchange_classes classes;
    struct export_print_output metadata;
    bool has_head; /* of the metadata */
    struct ctf_stream streams[EXCHANGE_CTF_STREAMS];
};

/* The streams that have an event class in the metadata. */
struct ctf_class {
    bool is_in[EXCHANGE_CTF_STREAMS];
};

/* ---- packets ---- */

static void put_u32(struct export_print_output *out, uint32_t number)
{
    memcpy(export_output_reserve(out, sizeof(number)), &number, sizeof(number));
    out->at += sizeof(number);
}

static void begin_packet(struct ctf_stream *stream, enum exchange_ctf_stream id, uint64_t now_ns)
{
    struct export_print_output *packet = &stream->packet;

    packet->at = packet->begin;
    (void)export_output_reserve(packet, sizeof(stream->header));
    packet->at += sizeof(stream->header);
    stream->header = (struct packet_header){.magic = MAGIC, .stream = id, .begin_ns = now_ns};
}

static size_t size_of(const struct ctf_stream *stream)
{
    return (size_t)(stream->packet.at - stream->packet.begin);
}

static bool has_events(const struct ctf_stream *stream)
{
    return size_of(stream) > sizeof(stream->header);
}

static int write_packet(struct cairn_exporter *exporter, enum exchange_ctf_stream id)
{
    struct ctf_stream *stream = &((struct ctf *)exporter->state)->streams[id];
    struct export_print_output *packet = &stream->packet;

    if (packet->error)
        return packet->error;
    stream->header.end_ns = exporter->last_ns;
    stream->header.content_bits = (uint64_t)size_of(stream) * 8;
    stream->header.packet_bits = stream->header.content_bits;
    if (id == EXCHANGE_CTF_PLAIN) /* readers add the streams' numbers */
        stream->header.lost = stream->lost = exchange_lost(exporter);
    memcpy(packet->begin, &stream->header, sizeof(stream->header));
    stream->packets++;
    packet->fd = stream->fd;
    (void)export_output_flush(packet);
    packet->fd = -1;
    begin_packet(stream, id, exporter->last_ns);
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
                                         struct export_print_output *out,
                                         const struct cairn_event *event)
{
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

static void put_head(struct cairn_exporter *exporter, struct export_print_output *out,
                     const struct cairn_event *event, uint32_t id)
{
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

/* Returns how many frames it adds. */
static uint32_t put_addresses(struct export_print_output *out, const struct cairn_event *event,
                              bool of_kernel)
{
    struct cairn_frame frame;
    uint32_t count = 0;

    for (uint32_t n = 0; cairn_event_frame(event, n, &frame); n++) {
        if (frame.is_kernel != of_kernel)
            continue;
        memcpy(export_output_reserve(out, sizeof(frame.address)), &frame.address,
               sizeof(frame.address));
        out->at += sizeof(frame.address);
        count++;
    }
    return count;
}

static void put_address_array(struct export_print_output *out, const struct cairn_event *event,
                              bool of_kernel)
{
    size_t at = (size_t)(out->at - out->begin);
    uint32_t count;

    put_u32(out, 0);
    count = put_addresses(out, event, of_kernel);
    if (!out->error)
        memcpy(out->begin + at, &count, sizeof(count));
}

static void put_stack(struct cairn_exporter *exporter, struct export_print_output *out,
                      const struct cairn_event *event)
{
    struct cairn_frame frame;

    put_address_array(out, event, false);
    put_address_array(out, event, true);
    put_u32(out, cairn_event_frame_count(event));
    for (uint32_t n = 0; cairn_event_frame(event, n, &frame); n++) {
        exchange_put_frame(exporter, out, &frame);
        export_output_byte(out, 0);
    }
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

/* Without its stack: the class is of the first stream. */
static void put_damaged(struct cairn_exporter *exporter, const struct cairn_event *event,
                        enum cairn_event_error error)
{
    struct ctf *ctf = (struct ctf *)exporter->state;
    struct export_print_output *out = &ctf->streams[EXCHANGE_CTF_PLAIN].packet;

    if (event->stack)
        exchange_note(exporter, CAIRN_EXPORTER_STACKS_LEFT_OUT);
    if (!has_events(&ctf->streams[EXCHANGE_CTF_PLAIN]))
        ctf->streams[EXCHANGE_CTF_PLAIN].header.begin_ns = exporter->last_ns;
    exchange_note_damage(exporter);
    exchange_note(exporter, CAIRN_EXPORTER_DAMAGED);
    put_head(exporter, out, event, EXCHANGE_CTF_DAMAGED);
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
                   enum exchange_ctf_stream stream, uint32_t *ret_id)
{
    struct ctf *ctf = (struct ctf *)exporter->state;
    const struct decode_layout *layout = decode_layout_of(event->type);
    struct exchange_class *class;
    struct ctf_class *own;
    int err = exchange_classes_of(&ctf->classes, layout, &class);

    if (err)
        return err;
    if (!class->data)
        class->data = calloc(1, sizeof(struct ctf_class));
    own = (struct ctf_class *)class->data;
    if (!own)
        return ENOMEM;
    *ret_id = class->number + EXCHANGE_CTF_FIRST_CLASS;
    if (!own->is_in[stream])
        ctf->language->put_class(exporter, &ctf->metadata, layout, *ret_id, stream);
    own->is_in[stream] = true;
    return ctf->metadata.error;
}

static int open_stream(struct cairn_exporter *exporter, enum exchange_ctf_stream id)
{
    static const char *const names[] = {"stream", "stacks"};
    struct ctf *ctf = (struct ctf *)exporter->state;
    struct ctf_stream *stream = &ctf->streams[id];
    int err = exchange_target_create(&exporter->target, names[id], &stream->fd);

    if (!err)
        err = export_output_open(&stream->packet, -1);
    if (err)
        return err;
    begin_packet(stream, id, exporter->last_ns);
    if (id == EXCHANGE_CTF_STACKS)
        ctf->language->put_stack_stream(&ctf->metadata);
    return 0;
}

static void put_event(struct cairn_exporter *exporter, struct ctf_stream *stream,
                      const struct cairn_event *event, uint32_t id)
{
    struct export_print_output *out = &stream->packet;
    size_t begin = size_of(stream);
    enum cairn_event_error error;

    put_head(exporter, out, event, id);
    if (event->stack)
        put_stack(exporter, out, event);
    if (event->type->is_eventheader)
        put_eventheader(out, event);
    error = put_fields(exporter, out, event);
    if (!error || out->error)
        return;
    out->at = out->begin + begin;
    put_damaged(exporter, event, error);
}

static int add_event(struct cairn_exporter *exporter, const struct cairn_event *event)
{
    struct ctf *ctf = (struct ctf *)exporter->state;
    enum exchange_ctf_stream to = event->stack ? EXCHANGE_CTF_STACKS : EXCHANGE_CTF_PLAIN;
    struct ctf_stream *stream = &ctf->streams[to];
    uint64_t now_ns = exchange_time_of(exporter, event);
    uint32_t id;
    int err = 0;

    if (!ctf->has_head)
        write_head(exporter, ctf, event);
    if (stream->fd < 0)
        err = open_stream(exporter, to);
    if (!err)
        err = find_id(exporter, event, to, &id);
    if (err)
        return err;
    if (!has_events(stream))
        stream->header.begin_ns = now_ns;
    put_event(exporter, stream, event, id);
    for (unsigned n = 0; n < EXCHANGE_CTF_STREAMS && !err; n++) {
        err = ctf->streams[n].packet.error;
        if (!err && size_of(&ctf->streams[n]) >= PACKET_BYTES)
            err = write_packet(exporter, (enum exchange_ctf_stream)n);
    }
    return err;
}

/* ---- begin and end ---- */

static int open_files(struct cairn_exporter *exporter, struct ctf *ctf)
{
    int metadata_fd;
    int err = open_stream(exporter, EXCHANGE_CTF_PLAIN);

    if (!err)
        err = exchange_target_create(&exporter->target, "metadata", &metadata_fd);
    if (err)
        return err;
    err = export_output_open(&ctf->metadata, metadata_fd);
    if (err)
        close(metadata_fd);
    return err;
}

static int begin(struct cairn_exporter *exporter, const struct exchange_ctf_metadata *language)
{
    struct ctf *ctf = (struct ctf *)calloc(1, sizeof(*ctf));

    if (!ctf)
        return ENOMEM;
    ctf->language = language;
    ctf->metadata.fd = -1;
    for (unsigned n = 0; n < EXCHANGE_CTF_STREAMS; n++)
        ctf->streams[n].fd = -1;
    exporter->state = ctf;
    exporter->by_wall = true; /* its readers print times of day */
    return open_files(exporter, ctf);
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

/* Without events the first stream has a packet of its own, as for losses after its last one. */
static int finish_stream(struct cairn_exporter *exporter, enum exchange_ctf_stream id)
{
    struct ctf_stream *stream = &((struct ctf *)exporter->state)->streams[id];
    bool is_needed =
        id == EXCHANGE_CTF_PLAIN && (!stream->packets || stream->lost != exchange_lost(exporter));
    int err = 0;

    if (!has_events(stream))
        stream->header.begin_ns = exporter->last_ns;
    if (stream->fd >= 0 && (has_events(stream) || is_needed))
        err = write_packet(exporter, id);
    return err ? err : close_fd(&stream->fd);
}

static int finish(struct cairn_exporter *exporter)
{
    struct ctf *ctf = (struct ctf *)exporter->state;
    int err = 0;

    if (!ctf->has_head)
        write_head(exporter, ctf, NULL);
    for (unsigned n = 0; n < EXCHANGE_CTF_STREAMS && !err; n++)
        err = finish_stream(exporter, (enum exchange_ctf_stream)n);
    if (!err)
        err = export_output_flush(&ctf->metadata);
    return err ? err : close_fd(&ctf->metadata.fd);
}

static void destroy(struct cairn_exporter *exporter)
{
    struct ctf *ctf = (struct ctf *)exporter->state;

    if (!ctf)
        return;
    for (unsigned n = 0; n < EXCHANGE_CTF_STREAMS; n++) {
        (void)close_fd(&ctf->streams[n].fd);
        export_output_close(&ctf->streams[n].packet);
    }
    (void)close_fd(&ctf->metadata.fd);
    export_output_close(&ctf->metadata);
    exchange_classes_free(&ctf->classes);
    free(ctf);
}

const struct exchange_format exchange_format_ctf = {
    .is_directory = true,
    .has_stacks = true,
    .begin = begin_1,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};

const struct exchange_format exchange_format_ctf2 = {
    .is_directory = true,
    .has_stacks = true,
    .begin = begin_2,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};
