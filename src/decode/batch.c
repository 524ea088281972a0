/* SPDX-License-Identifier: MIT */
/* Copies records, and decodes the copies with decoders of their own. */
#include "decode/batch.h"

#include "decode/decoder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Their text fits into the cache of a processor. */
#define EVENTS_MAX 4096u
#define BYTES_MAX  ((size_t)1 << 20)

struct decode_batch_entry {
    uint64_t time_ns;
    uint64_t wall_ns;
    uint32_t has;
    uint32_t cpu;
    uint32_t pid;
    uint32_t tid;
    uint32_t source;
    uint32_t tracepoint;
    uint32_t size_bytes;
    bool has_bytes;
    bool swap;
    size_t at;       /* of its bytes */
    size_t comm;     /* of the thread's name; 0: unknown */
    uint32_t frames; /* where those of its stack begin, */
    uint32_t frame_count;
    const char *container; /* in the reader's memory */
    const struct trace_file_descriptor *descriptor;
};

/* ---- copying ---- */

static int add_bytes(struct decode_batch *batch, const void *bytes, size_t size_bytes,
                     size_t *ret_at)
{
    size_t size = batch->size_bytes + size_bytes;

    if (size > batch->capacity_bytes) {
        size_t capacity = 2 * size + 65536;
        uint8_t *bigger = (uint8_t *)realloc(batch->bytes, capacity);

        if (!bigger)
            return ENOMEM;
        batch->bytes = bigger;
        batch->capacity_bytes = capacity;
    }
    if (size_bytes)
        memcpy(batch->bytes + batch->size_bytes, bytes, size_bytes);
    *ret_at = batch->size_bytes;
    batch->size_bytes = size;
    return 0;
}

/* Neighbours often have the same name. */
static int add_comm(struct decode_batch *batch, const char *comm, size_t *ret_at)
{
    int err = 0;

    *ret_at = 0;
    if (!comm)
        return 0;
    if (!batch->comm_at || strcmp((const char *)batch->bytes + batch->comm_at, comm) != 0)
        err = add_bytes(batch, comm, strlen(comm) + 1, &batch->comm_at);
    *ret_at = batch->comm_at;
    return err;
}

static int add_stack(struct decode_batch *batch, const struct cairn_event *event,
                     struct decode_batch_entry *entry)
{
    uint32_t count = cairn_event_frame_count(event);
    uint32_t needed = batch->frame_count + count;

    if (needed > batch->frame_capacity) {
        void *bigger = realloc(batch->frames, 2 * (size_t)needed * sizeof(*batch->frames));

        if (!bigger)
            return ENOMEM;
        batch->frames = (struct cairn_frame *)bigger;
        batch->frame_capacity = 2 * needed;
    }
    entry->frames = batch->frame_count;
    entry->frame_count = count;
    if (count)
        decode_stack_frames(event, batch->frames + batch->frame_count);
    batch->frame_count = needed;
    return 0;
}

static int make_space(struct decode_batch *batch)
{
    uint32_t capacity = batch->capacity ? 2 * batch->capacity : 256;
    void *bigger;

    if (batch->count < batch->capacity)
        return 0;
    bigger = realloc(batch->entries, capacity * sizeof(*batch->entries));
    if (!bigger)
        return ENOMEM;
    batch->entries = (struct decode_batch_entry *)bigger;
    batch->capacity = capacity;
    return 0;
}

static int add(struct decode_batch *batch, const struct cairn_reader *reader)
{
    const struct cairn_event *event = &reader->event;
    const struct decode_record *record = &reader->record;
    struct decode_batch_entry *entry;
    int err = make_space(batch);

    if (err)
        return err;
    entry = &batch->entries[batch->count];
    *entry = (struct decode_batch_entry){
        .time_ns = event->time_ns,
        .wall_ns = event->wall_ns,
        .has = event->has,
        .cpu = event->cpu,
        .pid = event->pid,
        .tid = event->tid,
        .source = (uint32_t)cairn_reader_source(reader),
        .tracepoint = record->tracepoint,
        .size_bytes = record->size_bytes,
        .has_bytes = record->bytes != NULL,
        .swap = record->swap,
        .container = event->container,
        .descriptor = record->descriptor,
    };
    err = add_bytes(batch, record->bytes, record->bytes ? record->size_bytes : 0, &entry->at);
    err = err ? err : add_comm(batch, event->comm, &entry->comm);
    if (event->stack && !err)
        err = add_stack(batch, event, entry);
    batch->count += !err;
    return err;
}

/* ---- decoders ---- */

static int make_records(struct decode_batch *batch, const struct cairn_reader *reader)
{
    size_t count = decode_reader_source_count(reader);
    int err = 0;

    if (batch->records)
        return 0;
    batch->records = (struct decode_records *)calloc(count, sizeof(*batch->records));
    if (!batch->records)
        return ENOMEM;
    for (; batch->source_count < count && !err; batch->source_count++) {
        struct decode_records *records = &batch->records[batch->source_count];

        records->without_raw =
            decode_reader_source_at(reader, batch->source_count)->records.without_raw;
        err = cairn_decoder_create(&records->decoder);
    }
    return err;
}

/* Adds what the reader's decoders have learned of tracepoints. */
static int catch_up(struct decode_batch *batch, const struct cairn_reader *reader)
{
    int err = 0;

    for (size_t n = 0; n < batch->source_count && !err; n++)
        err = decode_decoder_catch_up(batch->records[n].decoder,
                                      decode_reader_source_at(reader, n)->decoder);
    return err;
}

int decode_batch_fill(struct decode_batch *batch, struct cairn_reader *reader)
{
    int err = make_records(batch, reader);
    int catch_up_error;

    batch->count = 0;
    batch->size_bytes = 0;
    batch->frame_count = 0;
    batch->comm_at = 0;
    batch->is_paused = false;
    if (!err)
        err = add_bytes(batch, "", 1, &batch->comm_at); /* so that no name is at 0 */
    batch->comm_at = 0;
    while (!err && batch->count < EVENTS_MAX && batch->size_bytes < BYTES_MAX) {
        err = decode_reader_take(reader);
        if (!err)
            err = add(batch, reader);
    }
    batch->is_paused = err == EAGAIN;
    catch_up_error = catch_up(batch, reader);
    return catch_up_error ? catch_up_error : batch->is_paused ? 0 : err;
}

/* ---- decoding ---- */

int decode_batch_event(struct decode_batch *batch, uint32_t index,
                       const struct cairn_event **ret_event, size_t *ret_source)
{
    const struct decode_batch_entry *entry = &batch->entries[index];
    struct cairn_event *event = &batch->event;
    const struct decode_record record = {
        .tracepoint = entry->tracepoint,
        .size_bytes = entry->size_bytes,
        .bytes = entry->has_bytes ? batch->bytes + entry->at : NULL,
        .descriptor = entry->descriptor,
        .swap = entry->swap,
    };

    event->has = entry->has;
    event->cpu = entry->cpu;
    event->pid = entry->pid;
    event->tid = entry->tid;
    event->time_ns = entry->time_ns;
    event->wall_ns = entry->wall_ns;
    event->container = entry->container;
    event->comm = entry->comm ? (const char *)batch->bytes + entry->comm : NULL;
    batch->stack =
        (struct decode_stack){.frames = batch->frames + entry->frames, .count = entry->frame_count};
    event->stack = entry->frame_count ? &batch->stack : NULL;
    *ret_event = event;
    *ret_source = entry->source;
    return decode_record_event(&batch->records[entry->source], &record, event);
}

void decode_batch_free(struct decode_batch *batch)
{
    for (size_t n = 0; n < batch->source_count; n++) {
        cairn_decoder_destroy(batch->records[n].decoder);
        decode_records_free(&batch->records[n]);
    }
    free(batch->records);
    free(batch->entries);
    free(batch->bytes);
    free(batch->frames);
    *batch = (struct decode_batch){0};
}
